"""Runs a simulation at the speed of the clock, between the calls of services."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .bridge import Bridge

IDLE = 0.005  # s between two looks at the services while paused
LATE = 0.1  # s behind the clock, after which lost time is given up instead of caught up


@dataclass
class Ran:
    """What ``run`` did."""

    simulated: float = 0.0
    """s"""
    wall: float = 0.0
    """s, without pauses."""
    steps: int = 0

    @property
    def factor(self) -> float:
        """Simulated seconds per second."""
        return self.simulated / self.wall if self.wall > 0 else 0.0


def run(bridge: Bridge, data: Any, step: Callable[[], None], ran: Ran, duration: float | None = None) -> None:
    """Steps and publishes for ``duration`` simulated seconds, or for ever; ``ran`` is up to date also after Ctrl-C."""
    factor, start, done = -1.0, 0.0, 0.0  # the clock is set anew at every change of speed and after a pause
    while duration is None or ran.simulated < duration - 1e-9:
        if bridge.paused:
            time.sleep(IDLE)
            bridge.publish()
            factor = -1.0
            continue
        if factor != bridge.real_time_factor:
            factor, start, done = bridge.real_time_factor, time.monotonic(), 0.0
        begun, before = time.monotonic(), float(data.time)
        step()
        passed = float(data.time) - before
        ran.simulated, ran.steps, done = ran.simulated + passed, ran.steps + 1, done + passed
        bridge.publish()
        if factor > 0:
            ahead = start + done / factor - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            elif ahead < -LATE:
                start -= ahead
        ran.wall += time.monotonic() - begun
