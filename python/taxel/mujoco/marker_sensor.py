"""Marker sensors of a MuJoCo model: the plugin ``taxel.markers`` from Python."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied, alone
from ..common.description import config, unknown_key
from . import engine
from .softening import MODEL_KEYS, belongs_to_configure, one_geom_name

PLUGIN = "taxel.markers"
_KEYS = """
    mode shape pitch center points objects lambda_d lambda_s friction stiffness_area normal_stiffness shear_stiffness
    squeeze creep creep_time substeps young poisson thickness marker_depth cell output backing pixel dilate_scale
    shear_scale point_radius point_seed distance spacing gravity gravity_shift rate capacity show_markers show_scale"""
MARKER_KEYS = frozenset(_KEYS.split())
_DOUBLE = ctypes.POINTER(ctypes.c_double)


@dataclass(frozen=True)
class MarkerReading:
    """What ``MarkerSensor.read`` computed."""

    displacement: np.ndarray
    """(rows, columns, 3), or (N, 3) where the markers are a list: pixels in the pad's frame."""
    inside: int
    """Tracked points of all objects that are inside the gel."""
    wrench: np.ndarray | None = None
    """(6,) force (N) and torque about the pad's origin (N m) on the gel, in the pad's frame; where the sensor's output
    has it."""


class MarkerSensor(Uncopied):
    """A marker sensor of a model that was opened with the plugin.

        sensor = taxel.MarkerSensor(model, "gel")
        mujoco.mj_step(model, data)
        pixels = sensor(data)                  # (9, 7, 3) from sensordata, a copy
        metres = pixels * sensor.pixel

    ``sensor(data)`` costs nothing: the plugin wrote the numbers during the step. ``read`` computes them now, at the
    poses of the last step or ``mj_forward``; it never changes what the plugin remembers.

    name, shape   shape is (rows, columns), or (N,)
    markers       (N, 3) at rest in the pad's frame, m; rows along y, columns along x
    pixel         m
    geom, id      of the gel and of the sensor in the model (-1: a Reader's)
    objects       how many geoms may press
    state_size    numbers that it keeps in ``data.plugin_state``

    Threads may share a sensor, as long as each reads an ``MjData`` of its own; a Reader's sensor serves one thread at a
    time. Data of another model, also of one that was compiled again, is refused: make the sensor anew.
    """

    def __init__(self, model, name: str | int, *, _reader=None) -> None:
        engine.need_model(model, "MarkerSensor")
        self._model, self._reader = model, _reader
        self._library = _reader._library if _reader is not None else engine._loaded()
        self._handle: Any = _reader._handle if _reader is not None else None
        self._data = None if _reader is not None else engine.need_mujoco().MjData(model)
        count = self._library.taxel_num_markers(*self._where(self._data))
        found = [self._describe(k) for k in range(count)]
        matches = [k for k, (_, _, title) in enumerate(found) if name in (title, k)]
        if not matches:
            names = ", ".join(repr(title) for _, _, title in found) or "none"
            raise _core.Error(f"there is no marker sensor {name!r} in the model; there are: {names}")
        self._k = matches[0]
        info, self.pixel, self.name = found[self._k]
        self._instead = f"make another with taxel.MarkerSensor(model, {self.name!r})"
        self.id, self.geom, self.count, rows, columns, self.objects, self.state_size, self._length = info
        self.shape = (rows, columns) if rows else (self.count,)
        self._address = model.sensor_adr[self.id] if self.id >= 0 else -1
        self.markers, frame = np.zeros((self.count, 3)), np.zeros(12)
        self._library.taxel_markers_places(
            *self._where(self._data), self._k, self.markers.ctypes.data_as(_DOUBLE), frame.ctypes.data_as(_DOUBLE)
        )
        self._X_GP = np.eye(4)
        self._X_GP[:3, :3], self._X_GP[:3, 3] = frame[:9].reshape(3, 3), frame[9:]

    def _check(self, data) -> None:
        engine._check_pair(self._model, data, f"sensor {self.name!r}", reader=self._reader is not None)

    def _where(self, data):
        model = self._model if self._reader is not None else data.model
        return self._handle, model._address, data._address if data is not None else None

    def _describe(self, k: int):
        info, pixel, title = (ctypes.c_int * 8)(), ctypes.c_double(), ctypes.c_char_p()
        self._library.taxel_markers(*self._where(self._data), k, info, ctypes.byref(pixel), ctypes.byref(title))
        return list(info), pixel.value, (title.value or b"").decode()

    def pose(self, data) -> np.ndarray:
        """X_WP (4, 4): the pad's frame in the world, z out of the gel. It is the geom's; of a mesh, its file's."""
        self._check(data)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = data.geom_xmat[self.geom].reshape(3, 3), data.geom_xpos[self.geom]
        return X @ self._X_GP

    def __call__(self, data) -> np.ndarray:
        """The displacements in ``sensordata``, px: (rows, columns, 3) or (N, 3), a copy."""
        if self._address < 0:
            return self.read(data).displacement
        self._check(data)
        block = data.sensordata[self._address : self._address + 3 * self.count]
        return block.reshape(*self.shape, 3).copy()

    def wrench(self, data) -> np.ndarray:
        """Force (N) and torque about the pad's origin (N m) on the gel in ``sensordata``, pad's frame: a copy."""
        if self._length == 3 * self.count:
            raise _core.Error(
                f'sensor {self.name!r} gives no wrench; make it with mode="layer" or "taxel" and '
                'output="displacement wrench"'
            )
        if self._address < 0:
            wrench = self.read(data).wrench
            assert wrench is not None  # its block has room for one
            return wrench
        self._check(data)
        return data.sensordata[self._address + 3 * self.count : self._address + self._length].copy()

    def read(self, data) -> MarkerReading:
        """Computes the reading now.

        A Reader's sensor remembers what it read: the next call at a later ``data.time`` goes on from there, at the
        same time it repeats, at an earlier time it starts anew. So read it at every step, or at the camera's rate.
        """
        self._check(data)
        block, inside = np.zeros(self._length), ctypes.c_int()
        error = ctypes.create_string_buffer(2048)
        held = (data._address, "MjData") if self._reader is None else (self._handle, "Reader")
        places = block.ctypes.data_as(_DOUBLE), ctypes.byref(inside)
        with alone(*held):
            if self._library.taxel_markers_read(*self._where(data), self._k, *places, error, len(error)):
                engine._raise(error)
        split = 3 * self.count
        wrench = block[split:] if self._length > split else None
        return MarkerReading(block[:split].reshape(*self.shape, 3), inside.value, wrench)


def check_marker_keys(where: str, keys: Any) -> None:
    for key in keys:
        if key in MODEL_KEYS:
            raise _core.Error(belongs_to_configure(where, key, keys[key]))
        if key not in MARKER_KEYS:
            raise _core.Error(unknown_key(where, key, MARKER_KEYS))


def add_markers(spec, geom: Any, *, name: str = "markers", **description: Any) -> None:
    """Adds a marker sensor to a geom of an ``MjSpec``: ``taxel.add_markers(spec, "pad", shape=(9, 7), pitch=1.8e-3)``.

    ``geom``, its name or itself, is the gel: a box or a closed mesh with z out of it, soft or not. ``description``: the
    keys of docs/guide/marker-sensor.md.
    """
    mujoco = engine.need_mujoco()
    engine.need_spec(spec, "add_markers")
    engine.load()
    geom = one_geom_name(spec, geom, "add_markers")
    if any(s.name == name for s in spec.sensors):
        raise _core.Error(f"add_markers: there is already a sensor {name!r}; give another name=")
    check_marker_keys(f"sensor {name!r}", description)
    keys = dict(description)
    if "objects" in keys and not isinstance(keys["objects"], str):
        keys["objects"] = " ".join(keys["objects"])
    spec.activate_plugin(PLUGIN)
    instance = spec.add_plugin(name=f"{name}_markers", plugin_name=PLUGIN)
    instance.config = config(keys)
    sensor = spec.add_sensor(
        name=name, type=mujoco.mjtSensor.mjSENS_PLUGIN, objtype=mujoco.mjtObj.mjOBJ_GEOM, objname=geom
    )
    sensor.plugin.plugin_name, sensor.plugin.name, sensor.plugin.active = PLUGIN, f"{name}_markers", True
