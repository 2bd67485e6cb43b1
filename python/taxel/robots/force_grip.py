"""Closes a gripper until it touches, then holds a force that it feels with its tactile sensors.

As the controller of section 5.2.2 of the OpenGRASP paper: speed until the first touch, force from the tactile sums
after it.

    grip = ForceGrip(model, actuator="grip", sensors=("left", "right"))
    grip.close(force=8.0)
    while data.time < 3:
        grip.update(data)                   # writes data.ctrl of that one actuator
        mujoco.mj_step(model, data)
    grip.open()

The actuator is a velocity servo (``<velocity kv=...>``; positive opens): where the jaws are blocked, it presses with
kv x speed, so a speed is also a force. In force control

    F = r + kp (r - s) + ki * integral of (r - s)        r: reference, s: mean of the sensors' sums, N

goes out as the speed -F / kv. The reference climbs from the first touch to the wanted force at ``rate``; the integral
waits until it has arrived, and while the drive is at its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import Sensor


class ForceGrip:
    """Velocity control until the first touch, then PI control of the tactile sum.

    actuator   name of the velocity servo
    sensors    names of the tactile sensors, one a finger; in N or Pa
    speed      of the approach and of opening, m/s (as the actuator counts it)
    touch      sum of one sensor that counts as a touch, N
    rate       at which the reference climbs, N/s
    kp, ki     gains: no unit; 1/s
    """

    def __init__(
        self,
        model: Any,
        actuator: str = "grip",
        sensors: Sequence[str] = ("left", "right"),
        *,
        speed: float = 0.04,
        touch: float = 0.05,
        rate: float = 40.0,
        kp: float = 12.0,
        ki: float = 10.0,
    ) -> None:
        for key, value in {"speed": speed, "touch": touch, "rate": rate}.items():
            if not (np.isfinite(value) and value > 0):
                raise _core.Error(f"ForceGrip: {key} is {value!r}; give a positive number")
        for key, value in {"kp": kp, "ki": ki}.items():
            if not (np.isfinite(value) and value >= 0):
                raise _core.Error(f"ForceGrip: {key} is {value!r}; give a number from 0")
        names = [model.actuator(i).name for i in range(model.nu)]
        if actuator not in names:
            raise _core.Error(f"ForceGrip: there is no actuator {actuator!r} in the model; there are {names}")
        self.id = names.index(actuator)
        self.kv = float(model.actuator_gainprm[self.id, 0])
        if not (
            self.kv > 0
            and np.isclose(model.actuator_biasprm[self.id, 2], -self.kv)
            and not model.actuator_biasprm[self.id, 1]
        ):
            raise _core.Error(
                f"ForceGrip: actuator {actuator!r} is not a velocity servo; give it as <velocity kv=.../>, whose speed "
                "is also a force where the jaws are blocked"
            )
        if not sensors:
            raise _core.Error("ForceGrip: sensors is empty; name at least one tactile sensor")
        self.sensors = [Sensor(model, name) for name in sensors]
        self._weights = []
        for sensor in self.sensors:
            if sensor.outputs[0] != "pressure" or sensor.unit not in ("N", "Pa"):
                raise _core.Error(
                    f"ForceGrip: sensor {sensor.name!r} tells {sensor.outputs[0]} in {sensor.unit}; "
                    'give it output="pressure" and unit="N" or "Pa"'
                )
            areas = sensor.layout.areas.reshape(sensor.shape)
            self._weights.append(1.0 if sensor.unit == "N" else areas)
        self.speed, self.touch, self.rate, self.kp, self.ki = speed, touch, rate, kp, ki
        limits = [MAXIMUM]
        if model.actuator_forcelimited[self.id]:
            limits.append(-float(model.actuator_forcerange[self.id, 0]))
        if model.actuator_ctrllimited[self.id]:
            limits.append(-float(model.actuator_ctrlrange[self.id, 0]) * self.kv)
        self.limit = min(limits)
        self.timestep = float(model.opt.timestep)
        self.phase = "idle"
        """idle, approach, force or opening"""
        self.touched_at: float | None = None
        """Time of the first touch, s."""
        self.force = 0.0
        self.reference = 0.0
        self._integral = 0.0
        self._time: float | None = None

    # --- What one can ask for ---

    def close(self, force: float) -> None:
        """Closes, and holds that mean of the tactile sums, N. While it holds: changes the force."""
        if not (np.isfinite(force) and 0 < force <= self.limit):
            raise _core.Error(f"ForceGrip: force is {force!r}; give more than 0 and at most {self.limit:g} N")
        self.force = float(force)
        if self.phase != "force":
            self.phase, self.touched_at, self._integral, self._time = "approach", None, 0.0, None

    def open(self) -> None:
        """Lets go and opens."""
        self.phase = "opening"

    def stop(self) -> None:
        """Stands still."""
        self.phase = "idle"

    # --- At every step ---

    def sums(self, data: Any) -> np.ndarray:
        """Sum of each sensor, N."""
        return np.array([float((w * s(data)).sum()) for s, w in zip(self.sensors, self._weights, strict=True)])

    def update(self, data: Any) -> np.ndarray:
        """Reads the sensors, writes ``data.ctrl`` of the actuator, and returns the sums."""
        felt = self.sums(data)
        elapsed = self.timestep if self._time is None else max(0.0, float(data.time) - self._time)
        self._time = float(data.time)
        if self.phase == "approach" and felt.max() > self.touch:
            self.phase, self.touched_at = "force", float(data.time)
            self.reference = min(self.force, float(felt.mean()))
        if self.phase == "force":
            data.ctrl[self.id] = -self._press(float(felt.mean()), elapsed) / self.kv
        else:
            data.ctrl[self.id] = {"approach": -self.speed, "opening": self.speed, "idle": 0.0}[self.phase]
        return felt

    def _press(self, felt: float, elapsed: float) -> float:
        step = self.rate * elapsed
        self.reference += float(np.clip(self.force - self.reference, -step, step))
        error = self.reference - felt
        wanted = self.reference + self.kp * error + self._integral
        # Never faster than the approach: a finger that feels nothing yet must not dash.
        fastest = min(self.limit, self.speed * self.kv + felt)
        given = float(np.clip(wanted, 0.0, fastest))
        if self.reference == self.force and given == wanted:
            self._integral += self.ki * error * elapsed
        return given


MAXIMUM = 1e6
