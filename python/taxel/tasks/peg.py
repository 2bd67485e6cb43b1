"""Peg insertion: a round peg of 16 mm, held at an unknown pitch and place, into a hole of known place."""

from __future__ import annotations

import math
from typing import Any

import torch

from .. import _core
from . import franka
from . import rotation as R
from .pads import OBJECT, WORLD
from .scene import HARD, RED, STEEL, Scene, add_gripper, add_table, finish, new_spec
from .task import ArmTask, Tensor

RADIUS, HALF, HOLE = 0.008, 0.025, 0.00899  # m: of the peg, of its length, depth of the hole
WALLS, WALL = 16, 0.012
GRASP = 0.008  # m from the peg's middle up to where it is held
SUCCESS = 4.4958e-3
WRIST_ROOM = 0.1  # rad that joint 6 has left at the goal
PACE = (1.0, 1.0, 1.0, 2.0, 2.0, 0.0)  # of the expert: how much each velocity counts where the joints are slow
BALLS = (-0.009, 0.0, 0.009)  # native contact: spheres inside the peg that the flat pads touch


class Peg(ArmTask):
    """The published numbers: docs/guide/tasks.md."""

    name = "peg"
    stages = {1: {"penalty": 0.0}, 2: {"penalty": 0.01}}  # noqa: RUF012
    defaults = {  # noqa: RUF012
        "clearance": 0.5e-3, "pitch": 0.628, "shift": 2e-3, "payload": True, "socket_spread": 0.1, "reachable": True,
    }  # fmt: skip
    ranges = {"pitch": (0.0, 0.5 * math.pi), "shift": (0.0, HALF - GRASP), "socket_spread": (0.0, 0.3)}  # noqa: RUF012
    keypoint_line = 0.5
    policy_size, critic_size = 14, 45

    def build(self, substeps: int, skin: bool) -> Scene:
        mujoco, spec = new_spec(self.contact, substeps)
        add_table(mujoco, spec)
        hand = franka.add_arm(mujoco, spec)
        add_gripper(mujoco, spec, hand, 0.1034, self.contact, self.modulus, self.gel_friction, skin)
        add_socket(mujoco, spec, float(self.option("clearance")))
        peg = spec.worldbody.add_body(name="object")
        peg.add_freejoint()
        kind, hard = mujoco.mjtGeom, {**HARD, "friction": (0.4, 0.005, 1e-4)}
        soft = self.contact == "soft"
        peg.add_geom(
            name="object", type=kind.mjGEOM_CYLINDER, size=(RADIUS, HALF, 0), mass=self.mass, rgba=RED, contype=OBJECT,
            conaffinity=WORLD | (1 if soft else 0), **hard,
        )  # fmt: skip
        if not soft:
            for k, z in enumerate(BALLS):
                # A line contact of cylinder and box flickers with pitch; three balls of the same radius do not.
                peg.add_geom(
                    name=f"ball{k}", type=kind.mjGEOM_SPHERE, size=(RADIUS, 0, 0), pos=(0, 0, GRASP + z), mass=0.0,
                    contype=0, conaffinity=1, group=3,
                )  # fmt: skip
        groups = [
            ("left", "object", ["left_pad"]),
            ("right", "object", ["right_pad"]),
            ("goal", "object", ["socket", "world"]),
            ("gripper", "", ["socket", "world"]),
        ]
        self.scene = finish(spec, self.contact, groups)
        model = self.scene.model
        self.scene.extra |= {"object_dof": int(model.body("object").dofadr[0])}
        self.scene.extra["object_qpos"] = int(model.joint(int(model.body("object").jntadr[0])).qposadr[0])
        # Pressed in from the start: fingers that are not yet held by a contact would be through it after one substep.
        self.finger = RADIUS - (2.4e-3 if soft else 1.15e-3)
        return self.scene

    def touch_body(self) -> Any:
        return _core.Body.cylinder(RADIUS, 2 * HALF)

    def begin(self, engine: Any, u: Tensor) -> dict[str, Tensor]:
        w = len(u)
        angles, p, q = self.start_arm(engine, u[:, 0])
        spread = float(self.option("socket_spread"))
        socket = R.constant((0.5, 0.0, 0.025), u) + u[:, 1:4] * R.constant((spread, spread, 0.01), u)
        lean = float(self.option("pitch")) * u[:, 4]
        pitch = R.about(1, self._mended(lean, socket, q) if self.option("reachable") else lean)
        # The peg is round: a turn about its axis only turns the sample points of the touch models, which would
        # otherwise be a fingerprint that tells where along the peg the pads are.
        roll = R.about(2, math.pi * u[:, 7])
        shift = float(self.option("shift"))
        inside = torch.stack([shift * u[:, 5], torch.zeros_like(u[:, 5]), shift * u[:, 6] - GRASP], -1)
        turn = R.multiply(q, pitch)
        place = p + R.rotate(turn, inside)
        qpos = R.constant(self.scene.qpos, u).expand(w, -1).clone()
        qpos[:, :7] = angles
        qpos.index_fill_(1, R.rows(self.scene.fingers, u), self.finger)
        at = self.scene.extra["object_qpos"]
        qpos[:, at : at + 3], qpos[:, at + 3 : at + 7] = place, R.multiply(turn, roll)
        return {
            "qpos": qpos,
            "mocap_pos": socket[:, None],
            "memory.posture": angles,
            "memory.target": torch.cat([p, q], -1),
            "memory.goal": socket,
        }

    @staticmethod
    def _mended(lean: Tensor, socket: Tensor, turned: Tensor) -> Tensor:
        """Leans (worlds,) of pegs in a hand turned by ``turned``, the other way where joint 6 would meet its end before
        the peg is upright over the socket: no policy can solve such an episode."""
        reach = socket[:, :2].norm(dim=-1)
        across = R.rotate(turned, R.constant((0.0, 1.0, 0.0), turned).expand(len(turned), 3))
        outwards = lean * (across[:, 1] * socket[:, 0] - across[:, 0] * socket[:, 1]) / reach
        angle = franka.flat_wrist(reach, socket[:, 2] + HALF + GRASP, outwards)
        return torch.where(angle > franka.LIMITS[5][1] - WRIST_ROOM, -lean, lean)

    # --- What is seen ---

    def policy(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        p, q = self.tool(engine)
        q = R.upper(q)
        return torch.cat([p, q, p - memory["goal"], q], -1)

    def critic(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        goal = memory["goal"]
        upright = R.constant((1.0, 0.0, 0.0, 0.0), goal).expand(len(goal), 4)
        forces = [self.force(engine, n) for n in ("goal", "left", "right")]
        return torch.cat([self.held_state(engine), self.robot_state(engine), goal, upright, *forces], -1)

    def hints(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        end, axis = self._where(engine, memory)
        p, q = self.held(engine)
        hand, turn = self.tool(engine)
        inside, _ = R.relative(hand, turn, p, q)
        near = torch.cat([torch.tanh(end / 4e-3), torch.tanh(axis[:, :2] / 0.05)], -1)
        damping = engine.parameters["dof_damping"][:, :7]
        return torch.cat([end, axis, 100.0 * inside, R.rotate_back(turn, axis), near, damping], -1)

    def _where(self, engine: Any, memory: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Lower end of the peg from the bottom of the hole, and the peg's axis."""
        p, q = self.held(engine)
        axis = R.rotate(q, R.constant((0.0, 0.0, 1.0), p).expand_as(p))
        return p - HALF * axis - memory["goal"], axis

    # --- What it is worth ---

    def distance(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        p, q = self.held(engine)
        up = R.constant((0.0, 0.0, 1.0), p).expand_as(p)
        return self.keypoint_distance(p - memory["goal"] - HALF * up, R.rotate(q, up), up)

    def reward(self, engine: Any, memory: dict[str, Tensor], change: Tensor) -> Tensor:
        end, _ = self._where(engine, memory)
        d = self.distance(engine, memory)
        beside = end[:, :2].norm(dim=-1)
        wide = RADIUS + float(self.option("clearance"))
        weight = torch.where((beside > wide) & (end[:, 2] < HOLE), 10.0, 1.0)
        force = self.force(engine, "goal").norm(dim=-1) + self.force(engine, "gripper").norm(dim=-1)
        force = torch.where(beside < float(self.option("clearance")), 0.01 * force, force)
        return self.core(d, weight) - 1e-3 * change - self.penalty * force

    def solved(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        return self.distance(engine, memory) < SUCCESS

    def expert(self, engine: Any, memory: dict[str, Tensor]) -> Tensor:
        """Uprights the peg, goes above the hole, goes down: a law without switches, so that a student who knows all of
        this only nearly can be fitted to it (the mean of two different answers is a third one: it would hover)."""
        end, axis = self._where(engine, memory)
        beside, z = end[:, :2].norm(dim=-1), end[:, 2]
        velocity, spin = self.tool_velocity(engine)
        inside = torch.sigmoid((HOLE - 1e-3 - z) / 0.3e-3) * (beside < 3e-3)
        # A funnel: high where it is far from the axis or tilted, down and lightly on the rim from half a millimetre on.
        amiss = (beside - 0.2e-3).clamp(min=0.0) / 1e-3 + 10.0 * (axis[:, :2].norm(dim=-1) - 0.02).clamp(min=0.0)
        above = (0.06 * (amiss - 0.4)).clamp(-11e-3, 4e-3) + (2.0 * (beside - 1e-3)).clamp(0.0, 8e-3)
        wanted = (1.0 - inside) * (HOLE + above) - 1e-3 * inside
        dz = 150.0 * (wanted - z) - 6.0 * velocity[:, 2]
        dz = torch.maximum(dz, torch.where(z < HOLE + 1.5e-3, -0.3, -1.0))
        # In the hole the lower end is held: there the hand stays above it, or a push down would tip the peg.
        across = end[:, :2] + (inside * (HALF + GRASP))[:, None] * axis[:, :2]
        push = -(800.0 - 500.0 * inside)[:, None] * across - 15.0 * velocity[:, :2]
        turn = torch.stack([axis[:, 1], -axis[:, 0], torch.zeros_like(z)], -1)
        turn = (60.0 - 40.0 * inside)[:, None] * turn - 1.5 * spin * R.constant((1.0, 1.0, 0.0), spin)
        action = torch.cat([push, dz[:, None], turn], -1).clamp(-1.0, 1.0)
        # How far the round peg is turned about itself is nobody's wish, so that turn helps the others.
        paced = self.paced(engine, memory, action, PACE)
        down = torch.where(z < HOLE + 1.5e-3, torch.maximum(paced[:, 2], action[:, 2]), paced[:, 2])
        return torch.cat([paced[:, :2], down[:, None], paced[:, 3:]], -1)


def add_socket(mujoco: Any, spec: Any, clearance: float) -> None:
    """A ring of boxes around the hole, and its bottom, on a mocap body (origin: middle of the bottom)."""
    if not 1e-5 <= clearance <= 5e-3:
        raise _core.Error(f"tasks: peg: clearance is {clearance}; give the gap around the peg in m, 1e-5 to 5e-3")
    inner = RADIUS + clearance
    half = (inner + WALL) * math.tan(math.pi / WALLS) * 1.02
    socket = spec.worldbody.add_body(name="socket", mocap=True, pos=(0.5, 0, 0.025))
    hard: dict[str, Any] = {
        **HARD, "friction": (0.4, 0.005, 1e-4), "contype": WORLD, "conaffinity": OBJECT | 8, "rgba": STEEL,
    }  # fmt: skip
    kind = mujoco.mjtGeom.mjGEOM_BOX
    for k in range(WALLS):
        turn = 2 * math.pi * k / WALLS
        socket.add_geom(
            type=kind, size=(WALL / 2, half, (HOLE + 0.012) / 2), quat=(math.cos(turn / 2), 0, 0, math.sin(turn / 2)),
            pos=((inner + WALL / 2) * math.cos(turn), (inner + WALL / 2) * math.sin(turn), (HOLE - 0.012) / 2), **hard,
        )  # fmt: skip
    socket.add_geom(type=kind, size=(0.02, 0.02, 0.006), pos=(0, 0, -0.006), **hard)
