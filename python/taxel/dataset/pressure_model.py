"""A press as statics of a contact surface: no engine, no memory, tens of microseconds a query."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..contact import contact
from ..sensors import TactileSensor
from .model import Electronics, Model
from .stock import Thing
from .way import Leg

AT_REST = np.eye(4)


class PressureModel(Model):
    """Poses between the frames change nothing, so that only the frames are looked at."""

    def __init__(self, sensor: TactileSensor, readings: tuple[str, ...]) -> None:
        super().__init__(sensor, readings)
        self.body, self.skin = sensor.body(), sensor.skin()
        self.electronics = Electronics(sensor, self.skin.layout)
        self.surface: _core.ContactSurface | None = None

    def _contact(self, thing: Thing, X: np.ndarray) -> _core.ContactSurface:
        self.surface = contact(self.body, AT_REST, thing.body, X, out=self.surface)
        return self.surface

    def push(self, thing: Thing, X: np.ndarray) -> float:
        return -float(self._contact(thing, X).force_on_A[2])

    def touches(self, thing: Thing, X: np.ndarray) -> bool:
        return bool(self._contact(thing, X))

    def follow(self, thing: Thing, legs: list[Leg], moment: int) -> list[dict[str, Any]]:
        kept = [leg for leg in legs if leg.keep]
        return [self._read(thing, leg.pose(1.0), moment + k) for k, leg in enumerate(kept)]

    def _read(self, thing: Thing, X: np.ndarray, moment: int) -> dict[str, Any]:
        surface = self._contact(thing, X)
        found: dict[str, Any] = {
            "X": X,
            "force": surface.force_on_A,
            "torque": surface.torque_on_A,
            "area": surface.area,
            "center": surface.center_of_pressure,
            "max_pressure": surface.max_pressure,
        }
        if "taxels" in self.readings:
            found["taxels"] = self.electronics(self.skin.read(surface, AT_REST).values, moment)
        # Views of the surface hold its memory; the next query would have to take new memory.
        return {name: np.array(value) for name, value in found.items() if name == "X" or name in self.readings}
