"""What a task is: a scene, how episodes begin, what actions do, what is seen, and what it is worth.

All of it is torch over the worlds, without a branch on values, so that it is one code for both engines, and on a GPU
nothing waits. The engine holds the tensors (qpos, poses, forces); ``memory`` is what else a world remembers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch

from .. import _core
from ..mujoco import need_mujoco
from . import franka, impedance, start_poses
from . import rotation as R
from .options import Range, checked
from .scene import Scene

Tensor: TypeAlias = torch.Tensor
DOWN = (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0)
GRAVITY = 9.81
DRAWS = 48
"""Random numbers of an episode."""


class Task:
    """Base of the four. ``options`` are the keyword arguments of ``taxel.tasks.make`` that belong to the task."""

    name = ""
    actions = 6
    stages: dict[int, dict[str, float]] = {}  # noqa: RUF012
    """What each stage of the curriculum sets."""
    defaults: dict[str, Any] = {}  # noqa: RUF012
    ranges: dict[str, Range] = {}  # noqa: RUF012
    """Of options: beyond them no policy, or nobody, can do anything."""
    keypoint_line = 1.0
    policy_size, critic_size = 14, 0
    modulus, gel_friction = 2e5, 1.0
    gravity_shift = 0.25e-3
    scene: Scene
    look: tuple[Any, float, float, float] = ((0.5, 0.0, 0.1), 0.55, 140.0, -20.0)
    """Of the camera: what it looks at, distance (m), azimuth and elevation (degrees)."""

    def __init__(self, contact: str, options: dict[str, Any]) -> None:
        self.contact = contact
        defaults = {"modulus": self.modulus, "gel_friction": self.gel_friction, **self.defaults}
        self.options = checked(self.name, defaults, options, self.ranges)
        self.modulus, self.gel_friction = (self._positive(name) for name in ("modulus", "gel_friction"))
        if contact == "native" and "modulus" in options:
            raise _core.Error(f"tasks: {self.name}: modulus is of soft pads, and contact is 'native'; leave it out")
        self.penalty = 0.0

    def option(self, name: str) -> Any:
        return self.options[name]

    def _positive(self, name: str) -> float:
        value = float(self.options[name])
        if not 0 < value < float("inf"):
            raise _core.Error(f"tasks: {self.name}: {name} is {value:g}; give a number above 0")
        return value

    def set_stage(self, stage: int) -> None:
        if not isinstance(stage, int | np.integer) or isinstance(stage, bool) or stage not in self.stages:
            raise _core.Error(f"tasks: {self.name} has no stage {stage!r}; it has {sorted(self.stages)}")
        for name, value in self.stages[stage].items():
            setattr(self, name, value)

    # --- To be told by each task ---

    def build(self, substeps: int, skin: bool) -> Scene:
        raise NotImplementedError

    def touch_body(self) -> Any:
        """taxel.Body that presses on the pads, in the frame of the object."""
        raise NotImplementedError

    def begin(self, engine: Any, u: Tensor) -> dict[str, Tensor]:
        """State of a new episode from random numbers u (worlds, DRAWS) in -1 .. 1: by names of the engine's tensors,
        and of memories (beginning with "memory.")."""
        raise NotImplementedError

    def policy(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        raise NotImplementedError

    def critic(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        raise NotImplementedError

    def distance(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        raise NotImplementedError

    def reward(self, engine: Any, memory: dict[str, Tensor], change: Tensor) -> Tensor:
        raise NotImplementedError

    def solved(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        raise NotImplementedError

    def hints(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """What a teacher gets beside the critic's state."""
        raise NotImplementedError

    def expert(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        raise NotImplementedError

    # --- Shared ---

    def command(self, engine: Any, memory: dict[str, Tensor], action: Tensor) -> None:
        """Remembers what the action asks for."""
        raise NotImplementedError

    def control(self, engine: Any, memory: dict[str, Tensor]) -> None:
        """Forces of the next substep."""
        raise NotImplementedError

    def keypoint_distance(self, offset: Tensor, axis: Tensor, goal_axis: Tensor) -> Tensor:
        """Mean distance of four points on a line through the object and the same through its goal, m."""
        tilt = axis - goal_axis
        line = self.keypoint_line
        return sum((offset + line * s * tilt).norm(dim=-1) for s in (-0.5, -1 / 6, 1 / 6, 0.5)) / 4

    @staticmethod
    def core(d: Tensor, weight: Tensor | float = 1.0) -> Tensor:
        """The published reward of distance: 0.1 (-d) + 0.1 / (exp(50 d) + 1e-4 + exp(-50 d))."""
        e = torch.exp(50.0 * d.clamp(max=1.0))
        return -0.1 * weight * d + 0.1 / (e + 1e-4 + 1.0 / e)

    def strain(self, engine: Any) -> Tensor:
        """What ``peak_force`` is the largest of, (worlds,) N: all contact forces but those of the pads on what they
        hold, the magnitudes of each group summed."""
        return engine.forces[:, 2:].norm(dim=-1).sum(-1)

    def force(self, engine: Any, name: str) -> Tensor:
        """Sum of contact forces of a group, (worlds, 3)."""
        return engine.forces[:, [n for n, _ in self.scene.groups].index(name)]


class ArmTask(Task):
    """With the Franka arm, a held object, and six actions: translation and turn of the tool."""

    middle = (0.5, 0.0, 0.15)
    spread = (0.1, 0.1, 0.05)
    turns = (0.1, 0.1, 1.0)
    facing = DOWN
    upright = (0.0, 1.0, 0.0, 0.0)
    """The inverse of ``facing``: from the gripper's frame to that in which no turn is its usual one."""
    home = franka.HOME
    mass = 0.03
    grip = 20.0

    def tool(self, engine: Any) -> tuple[Tensor, Tensor]:
        """Pose of the tool with z against the approach: its turn is none when the gripper looks down."""
        p, q = engine.xpos[:, self.scene.tool], engine.xquat[:, self.scene.tool]
        return p, R.multiply(q, R.constant(self.upright, q).expand_as(q))

    def tool_velocity(self, engine: Any) -> tuple[Tensor, Tensor]:
        """Linear and angular, in the world."""
        rate, axis = engine.qvel[:, :7, None], engine.xaxis[:, :7]
        arm = engine.xpos[:, self.scene.tool, None] - engine.xanchor[:, :7]
        return (torch.linalg.cross(axis, arm) * rate).sum(1), (axis * rate).sum(1)

    def held(self, engine: Any) -> tuple[Tensor, Tensor]:
        return engine.xpos[:, self.scene.object], engine.xquat[:, self.scene.object]

    def start_arm(self, engine: Any, u: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Joint angles and tool pose (as ``tool``) of a start drawn by u (worlds,)."""
        q, X = start_poses.bank(self.middle, self.spread, self.turns, self.facing, self.home)
        pick = ((0.5 * (u + 1.0)) * len(q)).long().clamp(0, len(q) - 1)
        if not hasattr(self, "_bank"):
            mujoco, turns = need_mujoco(), np.zeros((len(X), 4))
            for quaternion, pose in zip(turns, X, strict=True):
                mujoco.mju_mat2Quat(quaternion, pose[:3, :3].ravel())
            self._bank = (R.constant(q, u), R.constant(X[:, :3, 3], u), R.constant(turns, u))
        angles, position, turned = (t[pick] for t in self._bank)
        return angles, position, R.multiply(turned, R.constant(self.upright, u).expand_as(turned))

    def command(self, engine: Any, memory: dict[str, Tensor], action: Tensor) -> None:
        p, q = self.tool(engine)
        memory["target"].copy_(torch.cat(impedance.target_pose(p, q, action), -1))

    def control(self, engine: Any, memory: dict[str, Tensor]) -> None:
        p, q = self.tool(engine)
        target = memory["target"][:, :3], memory["target"][:, 3:]
        lift = torch.full_like(p[:, 0], self.mass * GRAVITY if self.option("payload") else 0.0)
        engine.applied[:, :7] = impedance.arm_torques(
            p, q, target, engine.xanchor[:, :7], engine.xaxis[:, :7], engine.qvel[:, :7], lift,
            engine.qpos[:, :7] - memory["posture"],
        )  # fmt: skip
        for dof in self.scene.finger_dofs:
            engine.applied[:, dof] = -self.grip

    def paced(self, engine: Any, memory: dict[str, Tensor], action: Tensor, weight: tuple[float, ...]) -> Tensor:
        """An expert's action as it should be were the joints free, changed so that with the damping of this world's
        joints it moves the tool as nearly so as forces within their limits can (``weight``: of each velocity)."""
        axis = engine.xaxis[:, :7]
        linear = torch.linalg.cross(axis, engine.xpos[:, self.scene.tool, None] - engine.xanchor[:, :7])
        damping = engine.parameters["dof_damping"][:, :7]
        away = engine.qpos[:, :7] - memory["posture"]
        return impedance.nearest_action(action, impedance.response(linear, axis, damping, away), weight, action)

    def robot_state(self, engine: Any) -> Tensor:
        """(worlds, 16): angles, finger positions, speeds."""
        fingers = engine.qpos[:, R.rows(self.scene.fingers, engine.qpos)]
        return torch.cat([engine.qpos[:, :7], fingers, engine.qvel[:, :7]], -1)

    def held_state(self, engine: Any) -> Tensor:
        """(worlds, 13): pose and velocity of the held object."""
        p, q = self.held(engine)
        dof = self.scene.extra["object_dof"]
        spin = R.rotate(q, engine.qvel[:, dof + 3 : dof + 6])
        return torch.cat([p, R.upper(q), engine.qvel[:, dof : dof + 3], spin], -1)
