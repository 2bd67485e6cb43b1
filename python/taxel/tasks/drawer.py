"""Drawer pulling: a WSG-50 on a rail pulls a drawer by its handle; grip harder when a load comes, not before."""

from __future__ import annotations

from typing import Any

import torch

from .. import _core
from . import rotation as R
from .franka import DARK, GREY
from .impedance import DAMPING, REACH, STIFFNESS
from .pads import OBJECT, WORLD
from .scene import HARD, RED, WOOD, Scene, add_gripper, finish, new_spec
from .task import Task, Tensor

TRAVEL, GOAL, MARGIN = 0.25, -0.125, 0.02  # m: of the drawer; where it is to be, and how near
WIDE, NARROW, EARLY = 3e-3, 1e-3, 2.9e-3  # m: half the opening between the gels at the start and at most closed
CLOSING = 0.25e-3  # m that an action of 1 moves it in a step
# Half sizes of the handle, m: across the fingers, along the pull, up. Between flat hard pads it is thicker, so that
# they press as much at the start as the domes do.
HANDLES = {"soft": (3.45e-3, 0.011, 0.02), "native": (4.19e-3, 0.011, 0.02)}
MASS, DRAG = 0.5, 0.3  # kg; N of friction in the rails of the drawer
WEIGHT = 1.2  # kg, of the gripper (data sheet)
SERVO = (3000.0, 60.0)  # N/m, N s/m of each finger
GRIPPED = 5.0  # N: force of a pad at the narrowest


class Drawer(Task):
    """The published numbers: docs/guide/tasks.md."""

    name = "drawer"
    actions = 7
    stages = {1: {"loaded": 0.0}, 2: {"loaded": 1.0}}  # noqa: RUF012
    defaults = {  # noqa: RUF012
        "load": 2.0, "load_spread": 0.5, "published_load": False, "grip_reward": 1.0, "early_penalty": 1.0,
        "contact_penalty": 0.01,
    }  # fmt: skip
    ranges = {"load_spread": (0.0, 1.0)}  # noqa: RUF012
    policy_size, critic_size = 7, 58
    gravity_shift = 0.0
    loaded = 0.0
    look = ((0.0, 0.0, 0.17), 0.55, 55.0, -25.0)

    def build(self, substeps: int, skin: bool) -> Scene:
        mujoco, spec = new_spec(self.contact, substeps)
        kind = mujoco.mjtGeom
        seen = {"contype": 0, "conaffinity": 0, "mass": 0.0}
        spec.worldbody.add_geom(type=kind.mjGEOM_PLANE, size=(1, 1, 0.05), rgba=(0.86, 0.87, 0.88, 1), **seen)
        spec.worldbody.add_geom(
            type=kind.mjGEOM_BOX, size=(0.012, 0.3, 0.012), pos=(0, -0.2, 0.31), rgba=GREY, **seen
        )  # the rail
        hand = spec.worldbody.add_body(
            name="hand", pos=(0, -0.12, 0.15), quat=(0.5, -0.5, -0.5, -0.5), gravcomp=1.0
        )  # z along +y of the world, y along +x
        hand.mass, hand.inertia, hand.explicitinertial = WEIGHT, (2e-3, 3e-3, 2e-3), True
        # The joint's axis is in the frame of the hand: its z.
        hand.add_joint(name="rail", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, 1), damping=0.1)
        hand.add_geom(type=kind.mjGEOM_BOX, size=(0.025, 0.073, 0.035), pos=(0, 0, 0.02), rgba=GREY, **seen)
        hand.add_geom(type=kind.mjGEOM_BOX, size=(0.06, 0.012, 0.012), pos=(0.09, 0, 0.0), rgba=DARK, **seen)
        add_gripper(mujoco, spec, hand, 0.12, self.contact, self.modulus, self.gel_friction, skin)
        for name in ("left_finger", "right_finger"):
            # Of the joint, which the engine integrates implicitly: as a force from outside it is too much for light
            # fingers and two substeps (with nothing between them they shook with 80 N at 1.3 m/s).
            spec.joint(name).damping[0] += SERVO[1]
        add_drawer(mujoco, spec, HANDLES[self.contact])
        groups = [
            ("left", "object", ["left_pad"]),
            ("right", "object", ["right_pad"]),
            ("goal", "", ["front"]),
            ("gripper", "", ["world"]),
        ]
        self.scene = finish(spec, self.contact, groups, arm_dofs=1)
        model = self.scene.model
        self.scene.extra |= {
            "rail": int(model.joint("rail").qposadr[0]), "drawer": int(model.joint("drawer").qposadr[0]),
            "drawer_dof": int(model.joint("drawer").dofadr[0]),
        }  # fmt: skip
        return self.scene

    def touch_body(self) -> Any:
        return _core.Body.box(tuple(2 * x for x in HANDLES[self.contact]))

    def begin(self, engine: Any, u: Tensor) -> dict[str, Tensor]:
        qpos = R.constant(self.scene.qpos, u).expand(len(u), -1).clone()
        qpos.index_fill_(1, R.rows(self.scene.fingers, u), WIDE)
        load = torch.full_like(u[:, 0], float(self.option("load")))
        if not self.option("published_load"):
            load = load * (1.0 + float(self.option("load_spread")) * u[:, 1])
        zero = torch.zeros_like(u[:, 0])
        return {
            "qpos": qpos,
            "memory.target": qpos[:, self.scene.extra["rail"]],
            "memory.width": torch.full_like(zero, WIDE),
            "memory.onset": -0.06 + 0.04 * u[:, 0],
            "memory.load": load * self.loaded,
            "memory.begun": zero,
            "memory.early": zero,
        }

    # --- What actions do ---

    def command(self, engine: Any, memory: dict[str, Tensor], action: Tensor) -> None:
        """Of seven actions, as published, the second (along the pull) and the last (the gripper) act."""
        rail, drawer = (engine.qpos[:, self.scene.extra[n]] for n in ("rail", "drawer"))
        memory["target"].copy_(rail + REACH * action[:, 1])
        memory["width"].copy_((memory["width"] + CLOSING * action[:, 6]).clamp(NARROW, WIDE))
        memory["begun"].copy_(torch.maximum(memory["begun"], (drawer <= memory["onset"]).to(drawer.dtype)))
        early = (memory["width"] < EARLY) & (memory["begun"] < 0.5)
        memory["early"].copy_(torch.maximum(memory["early"], early.to(drawer.dtype)))

    def control(self, engine: Any, memory: dict[str, Tensor]) -> None:
        at = self.scene.extra["rail"]
        applied = engine.applied
        applied[:, 0] = STIFFNESS[0] * (memory["target"] - engine.qpos[:, at]) - DAMPING[0] * engine.qvel[:, 0]
        for place, dof in zip(self.scene.fingers, self.scene.finger_dofs, strict=True):
            applied[:, dof] = (SERVO[0] * (memory["width"] - engine.qpos[:, place])).clamp(-80.0, 80.0)
        applied[:, self.scene.extra["drawer_dof"]] = memory["load"] * memory["begun"]

    # --- What is seen ---

    def _opening(self, engine: Any) -> Tensor:
        return engine.qpos[:, self.scene.extra["drawer"]]

    def policy(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        return torch.cat([engine.xpos[:, self.scene.tool], R.upper(engine.xquat[:, self.scene.tool])], -1)

    def critic(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """Handle 13, drawer 2, robot 16 (the rail for the arm's seven joints, so twelve zeros), tool 7, forces 9,
        physics 6, and width, load, onset, whether it has begun, whether gripped early."""
        e, dof = engine, self.scene.extra["drawer_dof"]
        speed = e.qvel[:, dof]
        zero = torch.zeros(len(speed), 6, dtype=speed.dtype, device=speed.device)
        handle = torch.cat([e.xpos[:, self.scene.object], R.upper(e.xquat[:, self.scene.object])], -1)
        moving = torch.cat([zero[:, :1], speed[:, None], zero[:, :4]], -1)
        drawer = torch.stack([self._opening(e), speed], -1)
        fingers = e.qpos[:, R.rows(self.scene.fingers, e.qpos)]
        robot = torch.cat([e.qpos[:, :1], zero, fingers, e.qvel[:, :1], zero], -1)
        forces = [self.force(e, n) for n in ("left", "right", "goal")]
        numbers = e.parameters
        friction = numbers["geom_friction"]
        physics = torch.stack(
            [numbers["body_mass"][:, self.scene.object], friction[:, -1, 0], friction[:, 0, 0],
             numbers["dof_damping"][:, 0], numbers["dof_damping"][:, dof], torch.full_like(speed, self.gel_friction)],
            -1,
        )  # fmt: skip
        own = torch.stack([memory[n] for n in ("width", "load", "onset", "begun", "early")], -1)
        return torch.cat([handle, moving, drawer, robot, self.policy(e, memory), *forces, physics, own], -1)

    def hints(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        slip = engine.xpos[:, self.scene.object] - engine.xpos[:, self.scene.tool]
        opening = self._opening(engine)
        rest = torch.stack([opening - GOAL, opening - memory["onset"], 1e3 * (memory["width"] - NARROW)], -1)
        return torch.cat([100.0 * slip, 10.0 * rest], -1)

    # --- What it is worth ---

    def distance(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        return (self._opening(engine) - GOAL).clamp(min=0.0)

    def reward(self, engine: Any, memory: dict[str, Tensor], change: Tensor) -> Tensor:
        begun = memory["begun"]
        normal = self.force(engine, "left").norm(dim=-1) + self.force(engine, "right").norm(dim=-1)
        gripped = (
            float(self.option("grip_reward")) * 0.1 * (normal / (2 * GRIPPED)).clamp(max=1.0) * begun * self.loaded
        )
        early = ((memory["width"] < EARLY) & (begun < 0.5)).to(begun.dtype)
        body = self.force(engine, "goal").norm(dim=-1) * float(self.option("contact_penalty"))
        penalty = float(self.option("early_penalty")) * early
        return self.core(self.distance(engine, memory)) - 1e-3 * change - body - penalty + gripped

    def strain(self, engine: Any) -> Tensor:
        """Of the pads on the handle, both summed: nothing else touches, and to grip gently is the task."""
        return engine.forces[:, :2].norm(dim=-1).sum(-1)

    def solved(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        held = (engine.xpos[:, self.scene.object] - engine.xpos[:, self.scene.tool]).norm(dim=-1) < 0.02
        return (self._opening(engine) <= GOAL + MARGIN) & (memory["early"] < 0.5) & held

    def expert(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """Pulls gently, and closes the fingers when the load has come."""
        opening = self._opening(engine)
        out = torch.zeros(len(opening), 7, dtype=opening.dtype, device=opening.device)
        gripped = memory["width"] < 1.5e-3
        wait = (memory["begun"] > 0.5) & ~gripped & (memory["load"] > 0)
        pull = torch.where(wait, 0.0, ((GOAL - 5e-3 - opening) * 60.0).clamp(-0.8, 0.2))
        out[:, 1] = pull
        out[:, 6] = torch.where((memory["begun"] > 0.5) & (memory["load"] > 0), -1.0, 1.0)
        return out


def add_drawer(mujoco: Any, spec: Any, handle: tuple[float, ...]) -> None:
    """A drawer that slides out along -y, with a handle that stands upright; the cabinet is for looks."""
    kind = mujoco.mjtGeom
    seen = {"contype": 0, "conaffinity": 0, "mass": 0.0, "rgba": WOOD}
    for pos, size in (
        ((0, 0.20, 0.235), (0.13, 0.14, 0.006)), ((0, 0.20, 0.065), (0.13, 0.14, 0.006)),
        ((0.136, 0.20, 0.15), (0.006, 0.14, 0.091)), ((-0.136, 0.20, 0.15), (0.006, 0.14, 0.091)),
    ):  # fmt: skip
        spec.worldbody.add_geom(type=kind.mjGEOM_BOX, pos=pos, size=size, **seen)
    body = spec.worldbody.add_body(name="object", pos=(0, 0, 0.15), gravcomp=1.0)
    body.add_joint(
        name="drawer", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 1, 0), range=(-TRAVEL, 0.0), limited=True,
        damping=1.0, frictionloss=DRAG,
    )  # fmt: skip
    body.add_geom(
        name="object", type=kind.mjGEOM_BOX, size=handle, mass=0.05, rgba=RED, contype=OBJECT, conaffinity=1,
        friction=(1.0, 0.005, 1e-4),
    )  # fmt: skip
    front = body.add_body(name="front", pos=(0, 0.05, 0), gravcomp=1.0)
    front.add_geom(
        type=kind.mjGEOM_BOX, size=(0.12, 0.005, 0.075), mass=MASS - 0.05, rgba=WOOD, contype=WORLD, conaffinity=8,
        **HARD,
    )  # fmt: skip
    stem = {"contype": 0, "conaffinity": 0, "mass": 0.0, "rgba": GREY}
    for z in (-0.014, 0.014):
        front.add_geom(type=kind.mjGEOM_CYLINDER, size=(0.0025, 0.02, 0), pos=(0, -0.0255, z),
                       quat=(0.7071, 0.7071, 0, 0), **stem)  # fmt: skip
    for x in (-0.115, 0.115):
        front.add_geom(type=kind.mjGEOM_BOX, size=(0.004, 0.12, 0.05), pos=(x, 0.12, -0.015), **{**stem, "rgba": WOOD})
    front.add_geom(type=kind.mjGEOM_BOX, size=(0.115, 0.12, 0.004), pos=(0, 0.12, -0.06), **{**stem, "rgba": WOOD})
