"""A held box is to go into the one free slot among others that stand in the way: what bin and book share."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .. import _core
from . import rotation as R
from .franka import add_arm
from .pads import OBJECT, PAD, WORLD
from .scene import HARD, RED, WOOD, Scene, add_gripper, add_table, finish, new_spec
from .task import ArmTask, Tensor

CUBE_FRICTION = (0.4, 0.005, 1e-4)
SOFT = 0.5e-3
"""m, of the expert: over what it makes up its mind."""


class Packing(ArmTask):
    """half: half sizes of all boxes (m); slots (n, 3): their middles when at home; into: the way in, a unit vector.

    Neighbours touch the held box, each other and what they stand on, but not the fingers: a GelSight Mini in its case
    is wider than the gaps.
    """

    half = (0.025, 0.025, 0.025)
    slots: np.ndarray
    into = (0.0, 0.0, -1.0)
    clear = 0.05
    """m before the goal at which the held box is free of all others."""
    mass = 0.5
    grip = 25.0
    grasp = (0.0, 0.0, -0.012)
    """Middle of the held box from the tool, in the tool's frame at the start (z against the approach)."""
    edge = 0.05
    """m before the goal at which it would meet the others."""
    bound = 0.03
    """m: success."""
    sink = 1.8e-3
    pace, near = 0.6, (1.5e-3, 0.03)
    """Of the expert: how fast it goes in, and how well it aims first (m, rad)."""
    funnel = 18e-3
    """The most it keeps away from the others, m."""
    slide = (1.0, 120.0)
    """How fast it goes in while it may still stand on the others, and how hard it slides there (of an action a m)."""
    lean = 2e-3
    """And how far beyond the others' edges it asks to be while it looks for the room: a light push (m)."""

    def add_place(self, mujoco: Any, spec: Any) -> list[str]:
        """Bin or shelf; names of its bodies."""
        raise NotImplementedError

    def arrange(self, u: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Goal (worlds, 3), neighbours' places (worlds, n - 1, 3) and turns (worlds, n - 1, 4), and the way (worlds, 3)
        in which the slot has room."""
        raise NotImplementedError

    def build(self, substeps: int, skin: bool) -> Scene:
        mujoco, spec = new_spec(self.contact, substeps)
        add_table(mujoco, spec)
        add_gripper(
            mujoco, spec, add_arm(mujoco, spec), 0.1034, self.contact, self.modulus, self.gel_friction, skin
        )  # fmt: skip
        places = self.add_place(mujoco, spec)
        others = len(self.slots) - 1
        hard = {**HARD, "friction": CUBE_FRICTION, "type": mujoco.mjtGeom.mjGEOM_BOX}
        for k in range(others + 1):
            body = spec.worldbody.add_body(name=f"other{k}" if k < others else "object", pos=self.slots[k])
            body.add_freejoint()
            held = k == others
            body.add_geom(
                name=body.name, size=self.half, mass=self.mass, rgba=RED if held else WOOD, contype=OBJECT,
                conaffinity=OBJECT | WORLD | (PAD if held else 0), **hard,
            )  # fmt: skip
        groups = [
            ("left", "object", ["left_pad"]),
            ("right", "object", ["right_pad"]),
            ("goal", "object", ["world", *places]),
            ("gripper", "", ["world", *places]),
        ]
        groups += [(f"other{k}", "object", [f"other{k}"]) for k in range(others)]
        self.scene = finish(spec, self.contact, groups, sizes=(16 * len(self.slots), 56 * len(self.slots)))
        model = self.scene.model
        first, last = model.body("other0"), model.body("object")
        self.scene.extra |= {
            "object_dof": int(last.dofadr[0]), "object_qpos": int(model.jnt_qposadr[last.jntadr[0]]),
            "others": [model.body(f"other{k}").id for k in range(others)], "other_dof": int(first.dofadr[0]),
            "other_qpos": int(model.jnt_qposadr[first.jntadr[0]]),
        }  # fmt: skip
        return self.scene

    def touch_body(self) -> Any:
        return _core.Body.box(tuple(2 * x for x in self.half))

    def begin(self, engine: Any, u: Tensor) -> dict[str, Tensor]:
        w, extra = len(u), self.scene.extra
        angles, p, q = self.start_arm(engine, u[:, 0])
        goal, places, turns, room = self.arrange(u)
        shift = R.constant(self.option("shift"), u) * u[:, 9:12]
        turn = R.multiply(q, R.about(self.pitch_axis, float(self.option("pitch")) * u[:, 12]))
        qpos = R.constant(self.scene.qpos, u).expand(w, -1).clone()
        qpos[:, :7] = angles
        sink = self.sink if self.contact == "soft" else 1.15e-3
        qpos.index_fill_(1, R.rows(self.scene.fingers, u), self.half[1] - sink)
        others = torch.cat([places, turns], -1)
        at, own = extra["other_qpos"], extra["object_qpos"]
        qpos[:, at : at + 7 * others.shape[1]] = others.reshape(w, -1)
        qpos[:, own : own + 3] = p + R.rotate(turn, R.constant(self.grasp, u) + shift)
        qpos[:, own + 3 : own + 7] = turn
        return {
            "qpos": qpos, "memory.posture": angles, "memory.target": torch.cat([p, q], -1), "memory.goal": goal,
            "memory.room": room,
        }  # fmt: skip

    pitch_axis = 1

    # --- What is seen ---

    def policy(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        p, q = self.tool(engine)
        q = R.upper(q)
        return torch.cat([p, q, p - memory["goal"], q], -1)

    def critic(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """Held box 13, others 13 each, robot 15, tool 7, goal 7, forces: pads and place 9, others 3 each."""
        extra, goal = self.scene.extra, memory["goal"]
        n = len(extra["others"])
        dof = extra["other_dof"]
        speeds = engine.qvel[:, dof : dof + 6 * n].reshape(len(goal), n, 6)
        bodies = R.rows(extra["others"], goal)
        others = torch.cat([engine.xpos[:, bodies], R.upper(engine.xquat[:, bodies]), speeds], -1)
        p, q = self.tool(engine)
        upright = R.constant((1.0, 0.0, 0.0, 0.0), goal).expand(len(goal), 4)
        robot = self.robot_state(engine)
        forces = torch.cat([engine.forces[:, :3], engine.forces[:, 4:]], 1).reshape(len(goal), -1)
        parts = [
            self.held_state(engine),
            others.reshape(len(goal), -1),
            robot[:, :8],
            robot[:, 9:],
            p,
            R.upper(q),
            goal,
        ]
        return torch.cat([*parts, upright, forces], -1)

    def hints(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        p, q = self.held(engine)
        hand, turn = self.tool(engine)
        inside, rest = R.relative(hand, turn, p, q)
        off = p - memory["goal"]
        return torch.cat([off, torch.tanh(off / 0.01), R.angle_axis(q), 100.0 * inside, R.angle_axis(rest)], -1)

    def settling(
        self, engine: Any, memory: dict[str, Tensor], off: Tensor, tilt: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:
        """Of the expert, for a box that may not be level: the turn (worlds, 3) that it goes by, how much the box is to
        be pressed flat, 0 .. 1 (worlds, 1), the way (worlds, 3) off the goal at which, and how far (m) before the goal
        it is to be for that. None: no such thing."""
        return None

    # --- What it is worth ---

    def distance(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        p, q = self.held(engine)
        up = R.constant((0.0, 0.0, 1.0), p).expand_as(p)
        return self.keypoint_distance(p - memory["goal"], R.rotate(q, up), up)

    def reward(self, engine: Any, memory: dict[str, Tensor], change: Tensor) -> Tensor:
        d = self.distance(engine, memory)
        force = engine.forces[:, 2:].norm(dim=-1).sum(-1)
        off = (self.held(engine)[0] - memory["goal"]).norm(dim=-1)
        force = torch.where(off < 5e-3, 0.01 * force, force)
        return self.core(d) - 1e-3 * change - self.penalty * force

    def solved(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        return self.distance(engine, memory) < self.bound

    def expert(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """Comes in where the slot has room, beside what stands in the way, pushes it back, goes on."""
        p, q = self.held(engine)
        velocity, spin = self.tool_velocity(engine)
        into = R.constant(self.into, p).expand_as(p)
        off = p - memory["goal"]
        before = -(off * into).sum(-1, keepdim=True)  # m still to go
        entered = before < self.clear - float(self.option("entry"))
        aim = torch.where(entered, torch.zeros_like(off), memory["room"])
        beside = off + before * into
        across = beside - aim
        far = across.norm(dim=-1, keepdim=True)
        tilt = R.angle_axis(R.conjugate(q))
        # Who does not know yet where the room is may come down anywhere between it and the goal, and feel: a funnel
        # about that way, and a light push on the others' edges until the room is found.
        room = memory["room"]
        part = (beside * room).sum(-1, keepdim=True) / room.square().sum(-1, keepdim=True).clamp(min=1e-12)
        astray = (beside - part.clamp(0.0, 1.0) * room).norm(dim=-1, keepdim=True)
        tilted = (tilt.norm(dim=-1, keepdim=True) - self.near[1]).clamp(min=0.0)
        amiss = (astray - self.near[0]).clamp(min=0.0) + 0.3 * tilted
        outside = self.edge + (1.25 * amiss).clamp(max=self.funnel) - self.lean
        found = torch.sigmoid((self.near[0] - far) / SOFT) * torch.exp(-amiss / SOFT)
        wanted = (1.0 - found) * outside
        settling, gain = self.settling(engine, memory, off, tilt), 80.0
        if settling is not None:
            tilt, askew, place, low = settling
            askew = torch.where(entered, torch.zeros_like(askew), askew)
            wanted = wanted + askew * (low - wanted)
            across, gain = across + askew * (aim - place), gain * (1.0 - 0.5 * askew)
        # Pushing another box away: on when it has gone most of the way.
        waiting = torch.full_like(before, self.clear - float(self.option("entry")) - 3e-3)
        wanted = torch.where(entered, torch.where(far < 4.0 * self.near[0], torch.zeros_like(before), waiting), wanted)
        fast = torch.where(before > self.clear + 0.03, 1.0, self.pace)
        fast = torch.where(entered | (before > self.clear + 4e-3), fast, min(self.pace, self.slide[0]))
        along = torch.minimum(((before - wanted) * gain).clamp(min=-0.6), fast)
        sideways = velocity - (velocity * into).sum(-1, keepdim=True) * into
        hard = torch.where(entered, 120.0, self.slide[1])
        push = along * into - hard * across - 6.0 * sideways
        return torch.cat([push, 30.0 * tilt - 1.5 * spin], -1).clamp(-1.0, 1.0)
