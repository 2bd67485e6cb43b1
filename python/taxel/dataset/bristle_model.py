"""Presses and motions on a pad of bristles: friction remembers the way, so that shear is read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..bristle import BristlePad
from ..common.description import LAYOUT_KEYS
from ..sensors import TactileSensor
from .model import Electronics, Model
from .stock import Thing
from .way import Leg

SPEED, SPIN = 0.01, math.radians(30)  # m/s and rad/s of a way: slow, as the path is
LONG = 1.0  # s; a time step over which what is damped has no part


class BristleModel(Model):
    step, turn = 5e-5, math.radians(0.25)

    def __init__(self, sensor: TactileSensor, readings: tuple[str, ...]) -> None:
        super().__init__(sensor, readings)
        places = {key: value for key, value in sensor.taxels.items() if key in LAYOUT_KEYS}
        keys = {key: value for key, value in sensor.material.items() if key not in ("dissipation", "field")}
        self.pad = BristlePad(sensor.geom.body(0.0), **keys, **places)
        self.layout = self.pad.layout
        self.electronics = Electronics(sensor, self.layout)
        self.areas = self.layout.areas.reshape(self.layout.shape)

    def push(self, thing: Thing, X: np.ndarray) -> float:
        self.pad.reset()
        return float(self.pad.press(thing.body, None, X, dt=LONG).force[2])

    def follow(self, thing: Thing, legs: list[Leg], moment: int) -> list[dict[str, Any]]:
        self.pad.reset()
        found: list[dict[str, Any]] = []
        X = legs[0].pose(0.0)
        for leg in legs:
            poses = leg.poses(self.step, self.turn)
            time = max(leg.length / SPEED, leg.angle / SPIN, 1e-6) / len(poses)
            for Y in poses:
                reading = self.pad.press(
                    thing.body,
                    None,
                    Y,
                    velocity=(Y[:3, 3] - X[:3, 3]) / time,
                    angular_velocity=_rotation_vector(Y[:3, :3] @ X[:3, :3].T) / time,
                    dt=time,
                )
                X = Y
            if leg.keep:
                # It stands still for a reading: nothing is damped, and friction holds what it has.
                reading = self.pad.press(thing.body, None, X, dt=time)
                found.append(self._row(reading, X, moment + len(found)))
        return found

    def _row(self, reading: Any, X: np.ndarray, moment: int) -> dict[str, Any]:
        force, torque = -reading.force, -(reading.torque + np.cross(X[:3, 3], reading.force))
        load = reading.normal.ravel()
        total = float(load.sum())
        center = load @ self.layout.points / total if total > 0 else np.zeros(3)
        shape = self.electronics.shape
        return {
            "X": X,
            "force": force,
            "torque": torque,
            "center": center,
            "taxels": self.electronics(reading.normal / self.areas, moment),
            "shear": (reading.friction / self.areas).reshape(2, *shape),
        }


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    """Of a small rotation."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
