"""Tactile sensors of a MuJoCo model."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied, alone
from ..skin import Layout, Reading, Truth
from . import engine
from .softening import MODEL_KEYS, belongs_to_configure, complete, one_geom_name

UNITS = ("Pa", "N", "counts")
OUTPUTS = {"pressure": 1, "shear": 2, "slip": 4, "saturated": 16, "truth": 8}  # in the order of sensordata


class Sensor(Uncopied):
    """A tactile sensor of a model that was opened with the plugin.

        sensor = taxel.Sensor(model, "touch")
        mujoco.mj_step(model, data)
        image = sensor(data)              # (rows, cols) from sensordata, a copy
        reading = sensor.read(data)       # computed now: image, shear, force, area, centre, ...

    ``sensor(data)`` costs nothing: the plugin wrote the numbers during the step, at the sensor's rate. ``read`` works
    also for sensors that are paused or on demand.

    Threads may share a sensor, as long as each reads an ``MjData`` of its own; a Reader's sensor serves one thread at a
    time. Data of another model, also of one that was compiled again, is refused: make the sensor anew.
    """

    def __init__(self, model, name: str | int, *, _reader=None):
        engine.need_model(model, "Sensor")
        self._model, self._reader = model, _reader
        self._library = _reader._library if _reader is not None else engine._loaded()
        self._handle: Any = _reader._handle if _reader is not None else None
        self._data = None if _reader is not None else engine.need_mujoco().MjData(model)
        found = [self._describe(k) for k in range(self._count())]
        matches = [k for k, (_, title, _) in enumerate(found) if name in (title, k)]
        if not matches:
            names = ", ".join(repr(title) for _, title, _ in found) or "none"
            raise _core.Error(f"there is no tactile sensor {name!r} in the model; there are: {names}")
        self._k = matches[0]
        info, self.name, address = found[self._k]
        self._instead = f"make another with taxel.Sensor(model, {self.name!r})"
        self.id, self.geom, self.count, _, _, outputs, unit, self._length, on_demand = info
        self.on_demand = bool(on_demand)
        self.outputs = [name for name, bit in OUTPUTS.items() if outputs & bit]
        self.unit = UNITS[unit]
        self.layout = Layout(**_core.copy_layout(address))
        self._address = model.sensor_adr[self.id] if self.id >= 0 else -1

    def _check(self, data) -> None:
        engine._check_pair(self._model, data, f"sensor {self.name!r}", reader=self._reader is not None)

    def _where(self, data):
        model = self._model if self._reader is not None else data.model
        return self._handle, model._address, data._address if data is not None else None

    def _count(self) -> int:
        count = self._library.taxel_num_skins(*self._where(self._data))
        if count < 0:
            raise _core.Error(
                "the model has no instance of the plugin taxel; open it with taxel.load_model, or use taxel.Reader"
            )
        return count

    def _describe(self, k: int):
        info, title = (ctypes.c_int * 9)(), ctypes.c_char_p()
        address = self._library.taxel_skin(*self._where(self._data), k, info, ctypes.byref(title))
        return list(info), (title.value or b"").decode(), address

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layout.shape

    def pose(self, data) -> np.ndarray:
        """X_WS (4, 4): the sensor's frame in the world. It is that of the geom; of a mesh, that of its file.

        ``layout``, ``Reading.force``, ``Reading.center`` and ``Reading.truth`` are in this frame.
        """
        self._check(data)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = data.geom_xmat[self.geom].reshape(3, 3), data.geom_xpos[self.geom]
        mesh = self._model.geom_dataid[self.geom]
        if mesh >= 0:
            moved = np.zeros(9)
            engine.need_mujoco().mju_quat2Mat(moved, self._model.mesh_quat[mesh])
            X[:3, :3] = X[:3, :3] @ moved.reshape(3, 3).T
            X[:3, 3] -= X[:3, :3] @ self._model.mesh_pos[mesh]
        return X

    def __call__(self, data) -> np.ndarray:
        """The pressure image in ``sensordata`` (or the first output, where that is not pressure), a copy."""
        if self._address < 0:
            return self.read(data).values
        self._check(data)
        block = data.sensordata[self._address : self._address + self._length]
        return self._split(block)[self.outputs[0]].copy()

    def _split(self, block: np.ndarray) -> dict[str, np.ndarray]:
        out, at, n = {}, 0, self.count
        for name in self.outputs:
            size = {"shear": 2 * n, "truth": 12}.get(name, n)
            part = block[at : at + size]
            out[name] = part if name == "truth" else part.reshape(((2,) if name == "shear" else ()) + self.shape)
            at += size
        return out

    def parts(self, data) -> dict[str, np.ndarray]:
        """All outputs in ``sensordata`` by name, as views."""
        if self._address < 0:
            raise _core.Error(f"sensor {self.name!r} is not part of the model; use read(data)")
        self._check(data)
        return self._split(data.sensordata[self._address : self._address + self._length])

    def read(self, data) -> Reading:
        """Computes the reading now, at the state of the last step or ``mj_forward``."""
        self._check(data)
        block, felt = np.zeros(self._length), np.zeros(10)
        error = ctypes.create_string_buffer(2048)
        double = ctypes.POINTER(ctypes.c_double)
        held = (data._address, "MjData") if self._reader is None else (self._handle, "Reader")
        places = block.ctypes.data_as(double), felt.ctypes.data_as(double)
        with alone(*held):
            if self._library.taxel_skin_read(*self._where(data), self._k, *places, error, len(error)):
                engine._raise(error)
        parts = self._split(block)
        truth = parts.get("truth")
        return Reading(
            values=parts.get("pressure", np.zeros(self.shape)),
            layout=self.layout,
            force=felt[:3].copy(),
            area=float(felt[3]),
            center=felt[4:7].copy(),
            load=float(felt[7]),
            missed=float(felt[9]),
            shear=parts.get("shear"),
            slip=parts.get("slip"),
            saturated=parts["saturated"] > 0 if "saturated" in parts else None,
            sliding_share=float(felt[8]),
            truth=None
            if truth is None
            else Truth(truth[:3], float(truth[3]), float(truth[4]), truth[5:8], truth[8:12]),
        )

    def pause(self, data, paused: bool = True) -> bool:
        """Stops (or wakes) the sensor: its numbers in ``sensordata`` stay. Returns whether it was paused."""
        if self._reader is not None:
            raise _core.Error("pause: a sensor of a Reader is read on demand only")
        self._check(data)
        return bool(self._library.taxel_skin_pause(self._model._address, data._address, self._k, int(paused)))


def sensor_names(model) -> list[str]:
    """Names of the tactile sensors of a model."""
    names, k = [], 0
    while True:
        try:
            names.append(Sensor(model, k).name)
        except _core.Error:
            return names
        k += 1


def _bristle_layout(spec, geom: str) -> dict[str, str]:
    """The keys that say where the bristles of a geom are; none where it has no bristles."""
    from ..common.description import LAYOUT_KEYS, has_bristles

    instances = {p.name: p.config for p in spec.plugins}
    for group in spec.tuples:
        keys = instances.get(group.name)
        if keys and has_bristles(keys) and geom in list(group.objname):
            return {key: value for key, value in keys.items() if key in LAYOUT_KEYS}
    return {}


def add_sensor(spec, geom: Any, *, name: str = "touch", **description: Any) -> None:
    """Adds a tactile sensor to a geom of an ``MjSpec``: ``taxel.add_sensor(spec, "pad", shape=(16, 16))``.

    ``geom``: its name, or itself, or a body that has but one. ``description``: the keys of docs/guide/skins.md. Make
    the geom (or what touches it) soft with ``taxel.soften``. On a pad with bristles each of these is a taxel when
    nothing else is said.
    """
    from ..common.description import WHERE_KEYS, config, misplaced_key

    mujoco = engine.need_mujoco()
    engine.need_spec(spec, "add_sensor")
    engine.load()
    geom = one_geom_name(spec, geom, "add_sensor")
    if any(s.name == name for s in spec.sensors):
        raise _core.Error(f"add_sensor: there is already a sensor {name!r}; give another name=")
    for key in MODEL_KEYS:
        if key in description:
            raise _core.Error(belongs_to_configure(f"sensor {name!r}", key, description[key]))
    elsewhere = {"material": "the geom's material; give it to taxel.soften"}
    if wrong := misplaced_key(f"sensor {name!r}", description, ["taxels", "chain"], elsewhere):
        raise _core.Error(wrong)
    if not any(description.get(key) is not None for key in WHERE_KEYS):
        description = {**_bristle_layout(spec, geom), **description}
    spec.activate_plugin("taxel")
    instance = spec.add_plugin(name=f"{name}_skin", plugin_name="taxel")
    instance.config = config(description)
    sensor = spec.add_sensor(
        name=name, type=mujoco.mjtSensor.mjSENS_PLUGIN, objtype=mujoco.mjtObj.mjOBJ_GEOM, objname=geom
    )
    sensor.plugin.plugin_name, sensor.plugin.name, sensor.plugin.active = "taxel", f"{name}_skin", True
    complete(spec)
