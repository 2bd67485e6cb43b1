"""A hand that holds a body of a MuJoCo model: leads it to a pose, or presses it down with a force."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Grip:
    """What the hand is told. Frame: the world's."""

    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    quaternion: np.ndarray = field(default_factory=lambda: np.array(IDENTITY))
    """w first."""
    force: float | None = None
    """Downwards, N; then only x, y and the angles of the pose count. None: the whole pose is held."""


class Hand:
    """A spring and a damper on each axis of a free body, critically damped and implicit: stable at any time step.

    model, body    the body must have a free joint
    frequency      rad/s; stiffness is mass times its square
    speed, turning m/s and rad/s at which it goes to where it is told to be
    strength       N, the most that it pushes or pulls
    carries        it also carries the body's weight (off where the model does that, ``gravcomp``)
    """

    def __init__(
        self,
        model: Any,
        body: int,
        *,
        frequency: float = 200.0,
        speed: float = 0.05,
        turning: float = 1.5,
        strength: float = 30.0,
        carries: bool = False,
    ) -> None:
        self.model, self.body = model, body
        self.frequency, self.speed, self.turning, self.strength = frequency, speed, turning, strength
        self.mass = float(model.body_subtreemass[body])
        self.inertia = float(model.body_inertia[body].max())
        self.weight = -self.mass * np.array(model.opt.gravity) if carries else np.zeros(3)
        self.grip = Grip()
        self._at, self._turned = np.zeros(3), np.array(IDENTITY)
        self._added = np.zeros(6)

    def take(self, data: Any, *, fresh: bool = False) -> None:
        """Takes the body where it is; the grip is its pose. ``fresh``: the data was reset, nothing is applied yet."""
        if fresh:
            self._added = np.zeros(6)
        self._at, self._turned = data.xpos[self.body].copy(), data.xquat[self.body].copy()
        self.grip.position, self.grip.quaternion = self._at.copy(), self._turned.copy()

    def release(self, data: Any) -> None:
        self._add(data, np.zeros(6))

    def apply(self, data: Any) -> None:
        """Adds its force and torque to ``xfrc_applied``, for the coming step."""
        import mujoco

        h = float(self.model.opt.timestep)
        self._walk(data, h)
        velocity = np.empty(6)  # spin, then speed of the centre of mass
        mujoco.mj_objectVelocity(self.model, data, mujoco.mjtObj.mjOBJ_BODY, self.body, velocity, 0)
        offset = np.empty(3)
        mujoco.mju_rotVecQuat(offset, self.model.body_ipos[self.body], self._turned)
        force = self.mass * self._pull(self._at + offset - data.xipos[self.body], velocity[3:], h)
        if self.grip.force is not None:
            # A damper carries the load at the walking speed: it comes down gently and loads in full at rest.
            damping = self.grip.force / self.speed
            force[2] = -self.grip.force - damping * velocity[5] / (1 + h * damping / self.mass)
        size = float(np.linalg.norm(force))
        limit = max(self.strength, self.grip.force or 0.0)
        if size > limit:
            force *= limit / size
        turn = np.empty(3)
        mujoco.mju_subQuat(turn, self._turned, data.xquat[self.body])
        mujoco.mju_rotVecQuat(turn, turn.copy(), data.xquat[self.body])  # from the body's axes to the world's
        torque = self.inertia * self._pull(turn, velocity[:3], h)
        self._add(data, np.concatenate([force + self.weight, torque]))

    def _add(self, data: Any, wrench: np.ndarray) -> None:
        # Others (a gel) use xfrc_applied as well: only what was added last time is taken back.
        data.xfrc_applied[self.body] += wrench - self._added
        self._added = wrench

    def _pull(self, error: np.ndarray, velocity: np.ndarray, h: float) -> np.ndarray:
        """Acceleration of a critically damped spring, at the end of a step of h."""
        w = self.frequency
        return (w * w * (error - h * velocity) - 2 * w * velocity) / (1 + w * h) ** 2

    def _walk(self, data: Any, h: float) -> None:
        """The held pose goes towards the grip's at limited speed, so that a jump of a slider is no blow."""
        import mujoco

        way = self.grip.position - self._at
        if self.grip.force is not None:
            way[2] = 0.0
            self._at[2] = data.xpos[self.body, 2]
        length = float(np.linalg.norm(way))
        self._at = self._at + way * min(1.0, self.speed * h / length if length > 0 else 1.0)
        turn = np.empty(3)
        mujoco.mju_subQuat(turn, self.grip.quaternion, self._turned)
        angle = float(np.linalg.norm(turn))
        if angle > 0:
            mujoco.mju_quatIntegrate(self._turned, turn, min(1.0, self.turning * h / angle))
