"""What the four tasks' scenes share: options of the engine, the gripper, the table, and numbers of the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..mujoco import configure, need_mujoco
from . import franka
from .pads import NAMES, OBJECT, THICKNESS, WORLD, add_pads

STEPS, RATE = 256, 60.0  # of an episode; Hz
WOOD, STEEL, RED = (0.80, 0.66, 0.46, 1), (0.62, 0.64, 0.68, 1), (0.82, 0.29, 0.24, 1)
GREY_BIN = (0.45, 0.55, 0.65, 1)
WOOD_DARK = (0.55, 0.40, 0.27, 1)
# Rigid contact: as stiff as two substeps of 1/120 s bear.
HARD: dict[str, Any] = {"solref": (0.0167, 1.0), "solimp": (0.98, 0.998, 1e-3, 0.5, 2.0)}
NATIVE_IMPRATIO = 100.0
"""With MuJoCo's own contact: a peg in the grasp creeps 2 mm/s at 1, 0.02 mm/s at 100."""


@dataclass
class Scene:
    """A compiled scene and where a task finds its parts."""

    model: Any
    contact: str
    object: int
    """Body that is held."""
    tool: int
    """Body whose frame is the middle between the fingertips (z along the approach)."""
    pads: list[int]
    fingers: list[int]
    """Places of the finger joints in qpos; ``finger_dofs`` in qvel."""
    finger_dofs: list[int]
    groups: list[tuple[str, np.ndarray]]
    """Name of each sum of contact forces, and which (geom, geom) it is made of: +1 where it acts on the second."""
    extra: dict[str, Any] = field(default_factory=dict)
    qpos: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """What all worlds start from."""

    def below(self) -> np.ndarray:
        """(nbody, nbody): 1 where the second body is the first or carries it. ``body_mass`` times it is
        ``body_subtreemass``, which MuJoCo makes once, and by which its integrator implicitfast turns bodies: a world
        with masses of its own needs its own (stale ones threw a held peg of twice the mass out of the hand)."""
        parent, n = self.model.body_parentid, self.model.nbody
        out = np.eye(n)
        for body in range(n - 1, 0, -1):  # parents come before their children
            out[:, parent[body]] += out[:, body]
        return out


def new_spec(contact: str, substeps: int) -> tuple[Any, Any]:
    mujoco = need_mujoco()
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = 1.0 / (RATE * substeps)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.iterations, spec.option.ls_iterations, spec.option.tolerance = 20, 40, 1e-8
    spec.option.impratio = NATIVE_IMPRATIO if contact == "native" else 1.0
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 960, 720
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = (0.35, 0.35, 0.35), (0.45, 0.45, 0.45)
    spec.visual.quality.shadowsize = 2048
    spec.visual.map.znear, spec.visual.map.zfar = 0.005, 20
    spec.stat.extent, spec.stat.center = 1.0, (0.4, 0.0, 0.2)
    spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.95, 0.96, 0.98), rgb2=(0.75, 0.80, 0.86), width=64, height=384,
    )  # fmt: skip
    spec.worldbody.add_light(pos=(0.2, -0.8, 1.8), dir=(0.2, 0.5, -1), diffuse=(0.6, 0.6, 0.6))
    return mujoco, spec


def add_table(mujoco: Any, spec: Any) -> None:
    spec.worldbody.add_geom(
        name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1.5, 1.5, 0.05), rgba=(0.86, 0.87, 0.88, 1),
        contype=WORLD, conaffinity=OBJECT | 8, **HARD,
    )  # fmt: skip


def add_gripper(
    mujoco: Any, spec: Any, hand: Any, tip: float, contact: str, modulus: float, friction: float, skin: bool
) -> None:
    """Two fingers that slide along y of the hand, with pads; joint position = half the opening between the apexes.

    They move together, as a hand's do (an equality), and are driven by forces from outside.
    """
    fingers = []
    tool = hand.add_body(name="tool", pos=(0, 0, tip), gravcomp=1.0)
    tool.mass, tool.inertia, tool.explicitinertial = 1e-3, (1e-7, 1e-7, 1e-7), True
    for name, side in (("left_finger", 1.0), ("right_finger", -1.0)):
        finger = hand.add_body(name=name, pos=(0, 0, tip), gravcomp=1.0)
        finger.add_joint(
            name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, side, 0), range=(0, 0.045), limited=True,
            armature=0.2, damping=5.0,
        )  # fmt: skip
        finger.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.009, 0.006, 0.025), pos=(0, side * (THICKNESS + 0.012), -0.032),
            rgba=franka.DARK, contype=0, conaffinity=0, mass=0.015,
        )  # fmt: skip
        fingers.append(finger)
    add_pads(mujoco, spec, fingers, THICKNESS, 0.0, contact, modulus, friction, skin)
    same = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, name1="left_finger", name2="right_finger", objtype=mujoco.mjtObj.mjOBJ_JOINT,
        solref=(0.0167, 1.0), solimp=(0.99, 0.999, 1e-3, 0.5, 2.0),
    )  # fmt: skip
    same.data[:5] = [0, 1, 0, 0, 0]
    if contact == "soft":
        configure(spec, blocks=4)


def finish(spec: Any, contact: str, groups: list[tuple[str, str, list[str]]], **extra: Any) -> Scene:
    """Compiles. groups: name, body whose geoms it acts on (or "" for the gripper), and the bodies that push."""
    model = spec.compile()
    body_of = model.geom_bodyid
    tables = []
    for name, on, by in groups:
        table = np.zeros((model.ngeom, model.ngeom), np.int8)
        held = {model.body(on).id} if on else {model.body(n).id for n in NAMES}
        pushers = {model.body(n).id for n in by}
        one = np.isin(body_of, list(held))
        other = np.isin(body_of, list(pushers))
        table[np.ix_(other, one)] = 1
        table[np.ix_(one, other)] = -1
        tables.append((name, table))
    joints = [model.joint(n) for n in ("left_finger", "right_finger")]
    return Scene(
        model, contact, model.body("object").id, model.body("tool").id, [model.body(n).id for n in NAMES],
        [int(j.qposadr[0]) for j in joints], [int(j.dofadr[0]) for j in joints], tables, extra, model.qpos0.copy(),
    )  # fmt: skip
