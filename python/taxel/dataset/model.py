"""What a sensor reads along a way, by one of the four models. Each model has a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from ..sensors import TactileSensor
from ..skin import Layout, SignalChain
from .stock import Thing
from .way import Leg

DEEPEST = 0.9
"""Of the sensor's height, beyond which no press goes."""


class Model:
    """A sensor and how it is read. ``step`` and ``turn``: the longest move (m, rad) between two poses of a way."""

    step = math.inf
    turn = math.inf

    def __init__(self, sensor: TactileSensor, readings: tuple[str, ...]) -> None:
        self.sensor, self.readings = sensor, frozenset(readings)
        low, high = sensor.bounds
        self.top = float(high[2])
        self.deepest = DEEPEST * float(high[2] - low[2])

    def push(self, thing: Thing, X: np.ndarray) -> float:
        """How hard the object presses into the sensor at this pose, N; nothing is remembered."""
        raise NotImplementedError

    def follow(self, thing: Thing, legs: list[Leg], moment: int) -> list[dict[str, Any]]:
        """The readings at the ends of the legs that keep one. ``moment``: number of the first of them, for noise."""
        raise NotImplementedError

    def touches(self, thing: Thing, X: np.ndarray) -> bool:
        return self.push(thing, X) > 0


class Electronics:
    """The signal chain of a sensor, on readings that have nothing to do with each other: each one settled.

    The noise of a reading depends on the sensor's seed and the number of the reading alone.
    """

    def __init__(self, sensor: TactileSensor, layout: Layout) -> None:
        # What the plugin tells is no part of the electronics: here the plan's readings say it.
        keys: Mapping[str, Any] = {key: value for key, value in sensor.chain.items() if key != "output"}
        self.chain = SignalChain(layout, 1e-3, description=dict(keys)) if keys else None
        self.period = 1 / float(keys["rate"]) if keys.get("rate") else 1e-3
        self.shape = sensor.shape if sensor.shape is not None else (len(layout),)

    def __call__(self, values: np.ndarray, moment: int) -> np.ndarray:
        if self.chain is not None:
            self.chain.reset()
            values = self.chain((moment + 0.5) * self.period, values)
        return values.reshape(self.shape)


def make_model(name: str, sensor: TactileSensor, readings: tuple[str, ...]) -> Model:
    from .bristle_model import BristleModel
    from .gel_model import GelModel
    from .marker_model import MarkerModel
    from .pressure_model import PressureModel

    classes: dict[str, type[Model]] = {
        "pressure": PressureModel,
        "bristle": BristleModel,
        "marker": MarkerModel,
        "gel": GelModel,
    }
    if name not in classes:
        raise _core.Error(f"model is {name!r}; give {', '.join(classes)}")
    return classes[name](sensor, readings)
