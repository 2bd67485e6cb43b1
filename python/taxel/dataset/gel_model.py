"""Presses and motions on an elastic gel of particles: seconds a sample, to judge the others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..contact import contact
from ..gel import GelTaxels
from ..sensors import TactileSensor
from .model import Electronics, Model
from .stock import Thing
from .way import Leg

AT_REST = np.eye(4)


class GelModel(Model):
    """A fresh gel for each sample, one thread. The depth for a force is that of the sensor's pressure field."""

    turn = math.radians(2)

    def __init__(self, sensor: TactileSensor, readings: tuple[str, ...]) -> None:
        super().__init__(sensor, readings)
        self.soft, self.skin = sensor.body(), sensor.skin()
        self.friction = float(sensor.gel.get("friction", 0.5))
        self.areas = self.skin.layout.areas
        self.electronics = Electronics(sensor, self.skin.layout)
        self.deepest = 0.6 / 0.9 * self.deepest  # as in taxel press --model gel

    def push(self, thing: Thing, X: np.ndarray) -> float:
        return -float(contact(self.soft, AT_REST, thing.body, X).force_on_A[2])

    def follow(self, thing: Thing, legs: list[Leg], moment: int) -> list[dict[str, Any]]:
        gel = self.sensor.make_gel(threads=1)
        gel.add(thing.body, legs[0].pose(0.0), self.friction)
        taxels = GelTaxels(gel, self.skin)
        found: list[dict[str, Any]] = []
        for leg in legs:
            for X in leg.poses(self.step, self.turn):
                gel.move(X)
            if leg.keep:
                reading = taxels.read()
                assert reading.forces is not None
                shape, forces = self.electronics.shape, reading.forces.reshape(-1, 3)
                found.append(
                    {
                        "X": X,
                        "force": -gel.force(),
                        "torque": -gel.torque(),
                        "area": reading.area,
                        "center": reading.center,
                        "taxels": self.electronics(reading.values, moment + len(found)),
                        "shear": (forces[:, :2] / self.areas[:, None]).T.reshape(2, *shape),
                    }
                )
        return found
