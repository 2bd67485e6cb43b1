"""Presses and motions on a gel with markers: where the camera sees them go."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..contact import contact
from ..marker import MarkerDistance, MarkerField
from ..marker.field import PARAMETERS
from ..sensors import TactileSensor
from .model import Model
from .stock import Thing
from .way import Leg

AT_REST = np.eye(4)
UNUSED = frozenset({"objects", "output", "rate", "capacity", "show_markers", "show_scale"})
"""Keys that speak of MuJoCo's sensor alone."""


class MarkerModel(Model):
    """``taxel.MarkerField`` with the keys of the catalogue's sensor; the depth for a force is that of the gel as a
    pressure field, as in ``taxel press --model marker``."""

    step, turn = 2e-5, math.radians(0.25)

    def __init__(self, sensor: TactileSensor, readings: tuple[str, ...]) -> None:
        super().__init__(sensor, readings)
        keys = {key: value for key, value in sensor.markers.items() if key not in UNUSED}
        self.mode = str(keys.pop("mode", "taxel"))
        if self.mode != "taxel" and {"force", "torque"} & self.readings:
            raise _core.Error(f"markers of mode {self.mode!r} have no force and no torque; leave out these readings")
        self.shape = sensor.shape if sensor.shape is not None else (sensor.count,)
        self.soft = sensor.body()
        self.pad, self.markers = _gel(sensor, keys)
        self.options: dict[str, Any] = {name: keys[name] for name in PARAMETERS[self.mode] if name in keys}
        if self.mode == "taxel" and "substeps" in keys:
            self.options["substeps"] = int(keys["substeps"])
        for name, key in (("radius", "point_radius"), ("seed", "point_seed")):
            if key in keys:
                self.options[name] = keys[key]
        self._held: tuple[Thing, MarkerField] | None = None

    def push(self, thing: Thing, X: np.ndarray) -> float:
        return -float(contact(self.soft, AT_REST, thing.body, X).force_on_A[2])

    def follow(self, thing: Thing, legs: list[Leg], moment: int) -> list[dict[str, Any]]:
        field = self._field(thing)
        field.reset()
        field.step(legs[0].pose(0.0))
        found: list[dict[str, Any]] = []
        for leg in legs:
            for X in leg.poses(self.step, self.turn):
                pixels = field.step(X)
            if leg.keep:
                found.append({"X": X, "markers": pixels.reshape(*self.shape, 3), **self._wrench(field)})
        return found

    def _wrench(self, field: MarkerField) -> dict[str, np.ndarray]:
        if not {"force", "torque"} & self.readings:
            return {}
        wrench = np.array(field.wrench).ravel()
        return {"force": wrench[:3], "torque": wrench[3:]}

    def _field(self, thing: Thing) -> MarkerField:
        if self._held is None or self._held[0] is not thing:
            shape: Any = thing.body if thing.pressed.shape.type != "mesh" else thing.pressed.shape.mesh_arrays()
            self._held = thing, MarkerField(self.pad, self.markers, shape, self.mode, **self.options)
        return self._held[1]


def _gel(sensor: TactileSensor, keys: dict[str, Any]) -> tuple[Any, np.ndarray]:
    """The gel's distance and the markers at rest, in the sensor's frame."""
    shape: Any = sensor.geom.body(0.0)
    if sensor.geom.type == "mesh":
        vertices, triangles = sensor.geom.mesh_arrays()
        vertices = vertices.copy()
        # So much is added below the back, so that a deep press is measured from the face (gelsight_mini_markers).
        vertices[vertices[:, 2] <= vertices[:, 2].min() + 1e-9, 2] -= float(keys.get("backing", 0.0))
        shape = (vertices, triangles)
    if "points" in keys:
        markers = np.reshape(np.asarray(keys["points"], float), (-1, 3))
    else:
        markers = _grid(sensor, keys)
        for _ in range(12):  # down onto the face, whose slope is small
            markers[:, 2] -= _core.signed_distance(shape, markers)
    kind = str(keys.get("distance", "exact"))
    pad = MarkerDistance(shape, kind, **({"spacing": float(keys["spacing"])} if kind == "trilinear" else {}))
    return (pad if sensor.geom.type == "mesh" else shape), markers


def _grid(sensor: TactileSensor, keys: dict[str, Any]) -> np.ndarray:
    rows, columns = (int(n) for n in keys["shape"])
    pitch = np.broadcast_to(np.asarray(keys["pitch"], float), 2)
    middle = np.asarray(keys.get("center", (0.0, 0.0)), float)
    x = (np.arange(columns) - 0.5 * (columns - 1)) * pitch[0] + middle[0]
    y = (np.arange(rows) - 0.5 * (rows - 1)) * pitch[1] + middle[1]
    xx, yy = np.meshgrid(x, y)
    return np.column_stack([xx.ravel(), yy.ravel(), np.full(xx.size, float(sensor.bounds[1, 2]))])
