"""The MuJoCo plugin from Python: load it, open models, read what touches."""

from __future__ import annotations

import copy
import ctypes
import os
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from .. import _core
from ..common.alone import Uncopied, alone
from ..common.description import config
from ..report import working

_HERE = Path(__file__).parents[1]  # the package taxel
_PLUGIN = _HERE / "libtaxel_mujoco.so"
_READER = _HERE / "libtaxel_reader.so"
BUILT_FOR = _core.mujoco_version
"""The MuJoCo release this build of taxel belongs to."""


def need_mujoco():
    """The module mujoco; an ImportError unless it is the release that this taxel was built for."""
    try:
        import mujoco
    except ImportError as e:
        raise ImportError(f"taxel's plugin needs MuJoCo; run: pip install mujoco=={BUILT_FOR}") from e
    if mujoco.__version__ != BUILT_FOR:
        raise ImportError(
            f"this taxel was built for MuJoCo {BUILT_FOR} and MuJoCo {mujoco.__version__} is installed; "
            f"run: pip install mujoco=={BUILT_FOR}, or install a taxel built for {mujoco.__version__}"
        )
    return mujoco


def need_model(model: Any, where: str) -> None:
    """A TypeError unless it is a compiled model: the library is given its address."""
    mujoco = need_mujoco()
    if not isinstance(model, mujoco.MjModel):
        cure = (
            "compile it first: model = spec.compile()" if isinstance(model, mujoco.MjSpec) else "give a mujoco.MjModel"
        )
        raise TypeError(f"{where}: model is {type(model).__name__}; {cure}")


def need_spec(spec: Any, where: str) -> None:
    """A TypeError unless it is a model that can still be changed."""
    if not isinstance(spec, need_mujoco().MjSpec):
        raise TypeError(
            f"{where}: spec is {type(spec).__name__}; give a mujoco.MjSpec and compile it afterwards: "
            "spec = mujoco.MjSpec.from_file(...), ..., model = spec.compile()"
        )


def plugin_path() -> str:
    """Path of the plugin library, for ``mj_loadPluginLibrary`` in C and C++."""
    return str(_PLUGIN)


_plugin: ctypes.CDLL | None = None


def load() -> None:
    """Loads the plugin ``taxel`` into MuJoCo, once; models that use it can be opened afterwards."""
    global _plugin
    if _plugin is not None:
        return
    mujoco = need_mujoco()
    mujoco.mj_loadPluginLibrary(str(_PLUGIN))
    _plugin = _declare(ctypes.CDLL(str(_PLUGIN)))


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    pointer, integer, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    ints, doubles = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
    for name, result, arguments in [
        ("taxel_set_interrupt_check", None, [pointer]),
        ("taxel_num_touches", integer, [pointer, pointer]),
        ("taxel_touch", pointer, [pointer, pointer, integer, ints, doubles]),
        ("taxel_rebuild", integer, [pointer, pointer, text, integer]),
        ("taxel_reader_new", pointer, [pointer, text, text, text, integer]),
        ("taxel_reader_free", None, [pointer]),
        ("taxel_reader_scale", None, [pointer, integer]),
        ("taxel_reader_read", integer, [pointer, pointer, pointer, text, integer]),
        ("taxel_reader_touch", pointer, [pointer, integer, ints, doubles]),
        ("taxel_reader_is_soft", integer, [pointer, integer]),
        ("taxel_num_skins", integer, [pointer, pointer, pointer]),
        ("taxel_skin", pointer, [pointer, pointer, pointer, integer, ints, ctypes.POINTER(text)]),
        ("taxel_skin_read", integer, [pointer, pointer, pointer, integer, doubles, doubles, text, integer]),
        ("taxel_skin_pause", integer, [pointer, pointer, integer, integer]),
        ("taxel_strip_plugins", None, [pointer]),
        ("taxel_scene", text, [pointer, ctypes.c_double, text, integer]),
        ("taxel_num_markers", integer, [pointer, pointer, pointer]),
        ("taxel_markers", integer, [pointer, pointer, pointer, integer, ints, doubles, ctypes.POINTER(text)]),
        ("taxel_markers_places", integer, [pointer, pointer, pointer, integer, doubles, doubles]),
        ("taxel_markers_read", integer, [pointer, pointer, pointer, integer, doubles, ints, text, integer]),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.taxel_set_interrupt_check(_core.interrupt_check())
    return library


def _raise(error: ctypes.Array) -> NoReturn:
    """What a function of the library said; or the interrupt that ended it."""
    _core.raise_interrupt()
    raise _core.Error(error.value.decode())


def _loaded() -> ctypes.CDLL:
    if _plugin is None:
        raise _core.Error("the plugin is not loaded; call taxel.load() before the model is opened")
    return _plugin


@dataclass(frozen=True)
class Touch:
    """Two geoms that touch. Forces are those on ``geom2``; the normals of the surface point from geom1 into geom2."""

    geom1: int
    geom2: int
    name1: str
    name2: str
    force: np.ndarray
    """On geom2, world frame, N: normal and friction, as it acts in the physics."""
    torque: np.ndarray
    """On geom2 about the world origin, N m."""
    surface: _core.ContactSurface
    """Body A is geom2, body B is geom1; pressures are the elastic ones."""

    def wrench_on(self, geom: int | str, about: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Force and torque about a point on one of the two geoms, by name or number, world frame."""
        if geom == "":
            raise _core.Error(
                f"a geom without a name is given by its number: {self.geom1} or {self.geom2} of this touch"
            )
        if geom in (self.geom2, self.name2):
            sign = 1.0
        elif geom in (self.geom1, self.name1):
            sign = -1.0
        else:
            names = f"{self.name1 or self.geom1!r} and {self.name2 or self.geom2!r}"
            raise _core.Error(f"{geom!r} is not one of the touching geoms {names}")
        point = np.asarray(about, float)
        if point.shape != (3,):
            raise _core.Error(f"about is {about!r}; give a point of three numbers, in the world, m")
        torque = self.torque - np.cross(point, self.force)
        return sign * np.concatenate([self.force, torque])


def _touches(model, count: int, describe) -> list[Touch]:
    out = []
    geoms, wrench = (ctypes.c_int * 2)(), (ctypes.c_double * 6)()
    for i in range(count):
        address = describe(i, geoms, wrench)
        if address is None:
            raise _core.Error("the data was stepped while it was read; let one thread at a time use an MjData")
        values = np.array(wrench)
        out.append(
            Touch(
                geoms[0],
                geoms[1],
                model.geom(geoms[0]).name,
                model.geom(geoms[1]).name,
                values[:3].copy(),
                values[3:].copy(),
                _core.copy_surface(address),
            )
        )
    return out


_BODIES = ("nq", "nv", "nbody", "ngeom"), ("geom_type", "geom_bodyid", "body_parentid")
_PLUGIN_PARTS = (
    ("nsensor", "nsensordata", "nplugin", "npluginstate"),
    ("sensor_type", "sensor_dim", "sensor_objid", "plugin_statenum", "plugin_attr"),
)


def _check_pair(model, data, what: str, *, reader: bool = False) -> None:
    """An Error unless the data is of this model, or of one that is built alike: of the same bodies and geoms and, for
    the plugin, with the same sensors."""
    need_model(model, what)
    try:
        other = data.model
    except AttributeError:
        raise TypeError(f"{what}: data is {type(data).__name__}; give a mujoco.MjData") from None
    if other._address == model._address:
        return
    for sizes, arrays in (_BODIES,) if reader else (_BODIES, _PLUGIN_PARTS):
        wrong = [
            f"{n} is {getattr(other, n)}, not {getattr(model, n)}"
            for n in sizes
            if getattr(model, n) != getattr(other, n)
        ]
        wrong = wrong or [f"{n} differs" for n in arrays if not np.array_equal(getattr(model, n), getattr(other, n))]
        if wrong:
            raise _core.Error(
                f"{what}: this data belongs to another model ({wrong[0]}); make the data with mujoco.MjData(model), or "
                "make the sensor or reader anew for the model of the data"
            )


def touches(model, data) -> list[Touch]:
    """The touching pairs of the last step (or ``mj_forward``), with their surfaces and forces, ordered by geom."""
    library = _loaded()
    _check_pair(model, data, "touches")
    m, d = model._address, data._address
    with alone(d, "MjData"):
        count = library.taxel_num_touches(m, d)
        if count < 0:
            raise _core.Error(
                "the model has no instance of the plugin taxel; open it with taxel.load_model, or use "
                "taxel.Reader(model)"
            )
        return _touches(model, count, lambda i, geoms, wrench: library.taxel_touch(m, d, i, geoms, wrench))


def scene_text(model, spacing: float = 0.0) -> str:
    """The soft contact of a model in words (JSON), as src/taxel/mujoco/scene_text.h says."""
    error = ctypes.create_string_buffer(2048)
    text = _loaded().taxel_scene(model._address, float(spacing), error, len(error))
    if text is None:
        _raise(error)
    return text.decode()


def without_plugins(model):
    """A copy of the model without plugins: their sensors are user sensors, of the same length and place."""
    plain = copy.copy(model)
    _loaded().taxel_strip_plugins(plain._address)
    return plain


def rebuild(model, data) -> None:
    """After geom sizes or mesh vertices were changed in the model: makes the soft bodies of ``data`` anew.

    Until this call the changed geoms use MuJoCo's own contact, and MuJoCo warns of it. Friction forgets its history.
    """
    _check_pair(model, data, "rebuild")
    error = ctypes.create_string_buffer(2048)
    with alone(data._address, "MjData"), working("preparing soft bodies"):
        if _loaded().taxel_rebuild(model._address, data._address, error, len(error)):
            _raise(error)


def load_model(source: str | os.PathLike, assets: Mapping[str, bytes] | None = None):
    """Opens an MJCF file (or XML text) as an ``MjModel`` with the plugin in it.

    A model of the published contact-surfaces plugin (``cs::`` entries, no ``<extension>``) runs unchanged: the plugin
    instance it lacks is added here, and the options that soft contact needs are set (elliptic cone; the implicitfast
    integrator instead of RK4; no noslip iterations), with a warning that says so.
    """
    from .softening import complete

    mujoco = need_mujoco()
    load()
    text = os.fspath(source)
    assets = dict(assets or {})
    if text.lstrip().startswith("<"):
        spec = mujoco.MjSpec.from_string(text, assets=assets)
    else:
        if not Path(text).exists():
            raise _core.Error(f"there is no model file {text!r}")
        spec = mujoco.MjSpec.from_file(text, assets=assets)
    complete(spec)
    return compile_spec(spec)


def compile_spec(spec):
    """The model of an ``MjSpec``; what the plugin refuses is a ``taxel.Error`` in its own words."""
    try:
        with working("preparing soft bodies"):
            return spec.compile()
    except ValueError as e:
        _core.raise_interrupt()
        text = str(e)
        raise _core.Error(text.partition("taxel: ")[2] or text) from None


def _depth() -> int:
    """Frames from the caller of this function up to the first one outside this package."""
    import sys

    depth = 1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(str(_HERE)):
        frame, depth = frame.f_back, depth + 1
    return depth


class Reader(Uncopied):
    """Reads contact surfaces and wrenches from a plain ``MjData``: no plugin, no solver, poses and velocities only.

        reader = taxel.Reader(model, soft={"pad": dict(modulus=1e5, field="backed")})
        for touch in reader(data):
            print(touch.name1, touch.name2, touch.force, touch.surface.area)

    ``soft`` maps geom names to parameters, on top of what the model declares (``cs::`` entries, plugin instances).
    ``sensors`` maps names to tactile sensors: ``{"touch": dict(geom="pad", shape=(16, 16))}``; read them with
    ``reader.sensor("touch").read(data)``. With ``model="marker"`` they are marker sensors
    (docs/guide/marker-sensor.md), which need nothing soft.
    Forces are those that MuJoCo's own contacts of the pair carry in the last step or ``mj_forward``, shared out over
    the surface. ``scale="none"``, or where the solver has not run or the pair has no contact: elastic pressure at the
    present overlap with Hunt-Crossley damping and friction without memory (zero below 0.1 mm/s), which is a shape and
    no force that anybody applies. In sensing-only mode the plugin gives the same numbers.

    A reader, with its sensors, serves one thread at a time: a second one gets an Error at once.
    """

    _instead = "make another with taxel.Reader(model, soft=...)"

    def __init__(
        self,
        model,
        soft: Mapping[str, Mapping[str, Any]] | None = None,
        sensors: Mapping[str, Mapping[str, Any]] | None = None,
        scale: str | None = None,
    ):
        need_model(model, "Reader")
        if scale not in (None, "engine", "none"):
            raise _core.Error(f'Reader: scale is {scale!r}; give "engine" or "none", or leave it to the model')
        self._model = model
        self._library = _declare(ctypes.CDLL(str(_READER)))

        def line(name: str, geom: str, parameters: Mapping[str, Any]) -> str:
            if not isinstance(geom, str):
                raise TypeError(f"Reader: {geom!r} is {type(geom).__name__}; give the name of a geom")
            try:
                number = model.geom(geom).id
            except KeyError:
                raise _core.Error(f"Reader: there is no geom {geom!r} in the model") from None
            return "\t".join([name, str(number), *(f"{k}={v}" for k, v in config(parameters).items())])

        for argument, given in (("soft", soft), ("sensors", sensors)):
            if given is not None and not (
                isinstance(given, Mapping) and all(isinstance(value, Mapping) for value in given.values())
            ):
                example = {"soft": 'soft={"pad": dict(modulus=3e4)}'}.get(
                    argument, 'sensors={"touch": dict(geom="pad", shape=(16, 16))}'
                )
                raise TypeError(f"Reader: {argument} maps names to parameters, for example {example}")
        materials = [line(name, name, parameters) for name, parameters in (soft or {}).items()]
        skins = []
        for name, description in (sensors or {}).items():
            keys = dict(description)
            if "geom" not in keys:
                raise _core.Error(f"Reader: sensor {name!r} needs its geom: sensors={{{name!r}: dict(geom=..., ...)}}")
            if keys.get("model") == "marker" and not isinstance(keys.get("objects", ""), str):
                keys["objects"] = " ".join(keys["objects"])
            skins.append(line(name, keys.pop("geom"), keys))
        error = ctypes.create_string_buffer(2048)
        with working("preparing soft bodies"):
            self._handle = self._library.taxel_reader_new(
                model._address, "\n".join(materials).encode(), "\n".join(skins).encode(), error, len(error)
            )
        if not self._handle:
            _raise(error)
        if scale is not None:
            self._library.taxel_reader_scale(self._handle, int(scale == "engine"))
        self._finalizer = weakref.finalize(self, self._library.taxel_reader_free, self._handle)

    @property
    def soft_geoms(self) -> list[str]:
        """Names of the soft geoms."""
        return [
            self._model.geom(g).name or str(g)
            for g in range(self._model.ngeom)
            if self._library.taxel_reader_is_soft(self._handle, g)
        ]

    def __call__(self, data) -> list[Touch]:
        """The touching pairs at the state of ``data`` (after ``mj_forward`` or ``mj_step``)."""
        _check_pair(self._model, data, "Reader", reader=True)
        error = ctypes.create_string_buffer(2048)
        with alone(self._handle, "Reader"):
            count = self._library.taxel_reader_read(
                self._handle, self._model._address, data._address, error, len(error)
            )
            if count < 0:
                _raise(error)
            describe = self._library.taxel_reader_touch
            return _touches(self._model, count, lambda i, geoms, wrench: describe(self._handle, i, geoms, wrench))

    def sensor(self, name: str):
        """A tactile sensor or a marker sensor, of the model or of ``sensors=``; call its ``read(data)``."""
        from .marker_sensor import MarkerSensor
        from .sensor import Sensor

        try:
            return Sensor(self._model, name, _reader=self)
        except _core.Error as error:
            try:
                return MarkerSensor(self._model, name, _reader=self)
            except _core.Error:
                raise error from None

    def wrench(self, data, geom: str | int, other: str | int | None = None) -> np.ndarray:
        """Force and torque on a geom (from one other geom, or from all) about its origin, world frame. Geoms by name
        or number."""
        return wrench_of(self(data), self._model, data, geom, other)


def wrench_of(found: list[Touch], model, data, geom: str | int, other: str | int | None = None) -> np.ndarray:
    one = model.geom(geom).id  # KeyError with MuJoCo's list of names, IndexError with that of numbers
    two = None if other is None else model.geom(other).id
    about = data.geom_xpos[one]
    total = np.zeros(6)
    for touch in found:
        pair = (touch.geom1, touch.geom2)
        if one in pair and (two is None or (two != one and two in pair)):
            total += touch.wrench_on(one, about)
    return total


def wrench(model, data, geom: str | int, other: str | int | None = None) -> np.ndarray:
    """Force and torque on a geom in the last step (from one other geom, or from all) about its origin, world frame.
    Geoms by name or number."""
    need_model(model, "wrench")
    model.geom(geom)  # KeyError with MuJoCo's list of names
    return wrench_of(touches(model, data), model, data, geom, other)
