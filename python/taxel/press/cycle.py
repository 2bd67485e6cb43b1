"""An object that presses into a sensor and lets go, over and over: a scene with something to see, for live output."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import taxel

from ..sensors import TactileSensor
from .guided_press import _Setup, check_limits
from .objects import PressedObject, parse_object

PERIOD = 2.0  # s from one press to the next


class PressCycle:
    """A sensor under an object on a vertical guide, whose load swings between nothing and ``force``.

        cycle = PressCycle("myrmex", "sphere", force=5.0)
        cycle.step()                      # of cycle.model, cycle.data

    sensor, object, overrides   as of ``taxel.press.press``
    period                      s
    """

    def __init__(
        self,
        sensor: str | Path | TactileSensor,
        object: str | PressedObject,
        *,
        force: float = 5.0,
        period: float = PERIOD,
        friction: float = 0.0,
        timestep: float = 0.002,
        **overrides: Any,
    ) -> None:
        check_limits("", force=force, timestep=timestep)
        if not 0.02 <= period <= 1e4:
            raise taxel.Error(f"period is {period:g}; give 0.02 to 10000 s")
        thing = parse_object(object) if isinstance(object, str) else object
        self._setup = _Setup(sensor, thing, 0.0, 0.0, (0.0, 0.0), None, friction, timestep, overrides)
        self.force, self.period = force, period
        self.name, self.model, self.data = self._setup.name, self._setup.model, self._setup.data
        self._touch = self._setup.first_touch()
        self._setup._set_load(force)
        self.reset()

    def load(self, time: float) -> float:
        """What presses at a time, N."""
        return 0.5 * self.force * (1.0 - math.cos(2.0 * math.pi * time / self.period))

    def reset(self) -> None:
        """Back to the first touch."""
        mujoco = self._setup.mujoco
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._setup.qpos] = self._touch
        mujoco.mj_forward(self.model, self.data)

    def step(self) -> None:
        self.data.qfrc_applied[self._setup.dof] = -self.load(float(self.data.time))
        self._setup.mujoco.mj_step(self.model, self.data)
