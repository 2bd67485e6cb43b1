"""The scenes of ``contact-drake``, and how each of them is run: in MuJoCo with taxel, in Drake, and under Drake's law
on our surfaces."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

import taxel

from .scenes import GRAVITY, pad_model

SAMPLE = 1e-3  # s between stored states
STICTION = 1e-4  # m/s, Drake's stiction tolerance here; that of taxel.Reader is the same


@dataclass(frozen=True)
class Scene:
    """A free sphere or lying cylinder (axis along x) above a soft pad whose upper face is at z = 0."""

    name: str
    shape: str
    sizes: tuple[float, ...]
    """Radius, and length of a cylinder, m."""
    mass: float
    pad: tuple[float, float, float]
    """Full sizes, m."""
    modulus: float
    dissipation: float
    friction: float
    position: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seconds: float = 1.0
    object_modulus: float = 0.0
    """0: rigid."""
    hints: tuple[float, ...] = (0.01, 0.005, 0.0025)
    """Drake's resolution hints from coarse to fine, m."""

    def bodies(self) -> tuple[taxel.Body, taxel.Body]:
        """Pad and object, both about their own middle."""
        return taxel.Body.box(self.pad, self.modulus), getattr(taxel.Body, self.shape)(
            *self.sizes, modulus=self.object_modulus
        )

    def mjcf(self) -> str:
        x, y, z = self.position
        lying = 'euler="0 90 0"' if self.shape == "cylinder" else ""
        size = " ".join(str(s / (1 if k == 0 else 2)) for k, s in enumerate(self.sizes))
        return (
            f'<body name="object" pos="{x} {y} {z!r}" {lying}><freejoint/>'
            f'<geom name="object" type="{self.shape}" size="{size}" mass="{self.mass}"/></body>'
        )


def solve_increasing(f: Callable[[float], float], target: float, low: float, high: float) -> float:
    """x in [low, high] with f(x) = target, f increasing: false position kept inside a shrinking bracket."""
    f_low, f_high = f(low) - target, f(high) - target
    if f_low > 0 or f_high < 0:
        raise ValueError(f"{target:g} is not reached between {low:g} and {high:g}")
    for k in range(60):
        x = low + (high - low) * (0.5 if k % 3 == 2 else f_low / (f_low - f_high))
        value = f(x) - target
        if abs(value) <= 1e-6 * abs(target) or high - low < 1e-12:
            return x
        if value < 0:
            low, f_low = x, value
        else:
            high, f_high = x, value
    return 0.5 * (low + high)


def static_depth(scene: Scene, rim: float = 1.0) -> float:
    """Depth at which the elastic force of a very fine surface carries the weight.

    ``rim``: share of the force that counts on faces whose pressure does not change along the normal. Near the rim of
    the pad the field belongs to the side wall and its gradient lies in the surface. Drake's discrete solvers keep a
    face only where the gradient along the normal is positive: a coin toss there, so half of them.
    """
    pad, body = scene.bodies()
    lying = (0, np.pi / 2, 0) if scene.shape == "cylinder" else (0, 0, 0)
    x, y, _ = scene.position

    def force(depth: float) -> float:
        pose = taxel.pose((x, y, scene.pad[2] / 2 + scene.sizes[0] - depth), rpy=lying)
        surface = taxel.contact(body, pose, pad, taxel.pose(), facets_across=200)
        share = np.where(surface.gradients_B > 1e-3 * scene.modulus / scene.pad[2], 1.0, rim)
        return float((share * surface.areas * surface.face_pressures * surface.normals[:, 2]).sum())

    return solve_increasing(force, scene.mass * GRAVITY, 1e-5, 0.45 * scene.pad[2])


# Drake's example examples/hydroelastic/ball_plate without the dinner plate: ball and floor block with the parameters of
# that example. Its spin of -10 degrees/s is hardly seen; here it is -20 rad/s, so that friction has something to do.
BALL = Scene(
    "ball on plate",
    "sphere",
    (0.05,),
    0.1,
    pad=(0.3, 0.3, 0.05),
    modulus=3e4,
    object_modulus=3e4,
    dissipation=3.0,
    friction=0.3,
    position=(0.1, 0.0, 0.15),
    velocity=(0.0, 0.0, -7.0),
    angular=(0.0, -20.0, 0.0),
    seconds=0.6,
    hints=(0.015, 0.0075, 0.00375),
)
ROLL = Scene(
    "rolling sphere",
    "sphere",
    (0.03,),
    0.3,
    pad=(0.6, 0.12, 0.018),
    modulus=1e5,
    dissipation=5.0,
    friction=0.5,
    position=(-0.15, 0.0, 0.03),
    velocity=(0.2, 0.0, 0.0),
    angular=(0.0, 0.2 / 0.03, 0.0),
)
CYLINDER = Scene(
    "free cylinder",
    "cylinder",
    (0.0225, 0.15),
    0.5,
    pad=(0.08, 0.08, 0.018),
    modulus=3e4,
    dissipation=5.0,
    friction=0.5,
    position=(0.0, 0.0, 0.0225),
    hints=(0.01, 0.005, 0.0025, 0.00125),
)


def scenes() -> list[Scene]:
    """The sphere starts at the depth it rests at, so that nothing but rolling happens."""
    x, y, radius = ROLL.position
    return [BALL, replace(ROLL, position=(x, y, radius - static_depth(ROLL))), CYLINDER]


@dataclass
class Run:
    """States every millisecond, world frame."""

    position: np.ndarray
    velocity: np.ndarray
    force: np.ndarray
    """On the object at the end, N."""


# --- ours -----------------------------------------------------------------------------------------------------------


def model(scene: Scene, step: float, **settings: Any) -> mujoco.MjModel:
    """The scene in MuJoCo; ``settings`` as in ``pad_model`` (coupling, blocks, ...)."""
    return pad_model(
        scene.mjcf(),
        modulus=scene.modulus,
        step=step,
        field="distance",
        pad=scene.pad[:2],
        thickness=scene.pad[2],
        friction=scene.friction,
        dissipation=scene.dissipation,
        extra=_soft(scene, "object", scene.object_modulus) if scene.object_modulus else "",
        **settings,
    )


def _soft(scene: Scene, geom: str, modulus: float, **keys: Any) -> str:
    """MJCF of a material for one geom."""
    keys |= {"modulus": modulus, "dissipation": scene.dissipation, "friction": scene.friction}
    entries = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    return (
        f'<extension><plugin plugin="taxel"><instance name="soft {geom}">{entries}</instance></plugin></extension>'
        f'<custom><tuple name="soft {geom}"><element objtype="geom" objname="{geom}"/></tuple></custom>'
    )


def _start(scene: Scene, m: mujoco.MjModel) -> mujoco.MjData:
    d = mujoco.MjData(m)
    d.qvel[:3], d.qvel[3:6] = scene.velocity, scene.angular  # only spheres spin, and those start unturned
    return d


def _record(scene: Scene, m: mujoco.MjModel, d: mujoco.MjData, advance: Callable[[], None]) -> tuple[np.ndarray, ...]:
    every = round(SAMPLE / m.opt.timestep)
    states = [np.concatenate([d.qpos[:3], d.qvel[:3]])]
    for _ in range(round(scene.seconds / SAMPLE)):
        for _ in range(every):
            advance()
        states.append(np.concatenate([d.qpos[:3], d.qvel[:3]]))
    return tuple(np.split(np.array(states), 2, axis=1))


def run_ours(scene: Scene, step: float, **settings: Any) -> Run:
    m = model(scene, step, **settings)
    d = _start(scene, m)
    states = _record(scene, m, d, lambda: mujoco.mj_step(m, d))
    return Run(*states, -d.sensor("pad").data[:3])


def run_memoryless(scene: Scene, step: float = 1e-5, facets: int = 40) -> Run:
    """Our surfaces under Drake's law: Hunt-Crossley and friction of the present slip alone, explicit, tiny steps."""
    taxel.load()
    half = np.array(scene.pad) / 2
    material = _soft(scene, "pad", scene.modulus, coupling="sense", facets=facets)
    if scene.object_modulus:
        material += _soft(scene, "object", scene.object_modulus)
    m = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{step}" integrator="implicitfast" cone="elliptic">
        <flag contact="disable"/></option>{material}
        <worldbody><geom name="pad" type="box" size="{half[0]} {half[1]} {half[2]}" pos="0 0 {-half[2]}"/>
        {scene.mjcf()}</worldbody><default><geom friction="{scene.friction} 0 0"/></default></mujoco>"""
    )
    reader = taxel.Reader(m, scale="none")
    d = _start(scene, m)
    body = m.body("object").id
    wrench = np.zeros(6)

    def advance() -> None:
        mujoco.mj_step1(m, d)
        wrench[:] = 0
        for touch in reader(d):
            wrench[:] += touch.wrench_on("object", d.xipos[body])
        d.xfrc_applied[body] = wrench
        mujoco.mj_step2(m, d)

    states = _record(scene, m, d, advance)
    return Run(*states, wrench[:3].copy())


# --- Drake ----------------------------------------------------------------------------------------------------------


class DrakePlant:
    """The same scene in Drake, at the start; ``advance`` steps it."""

    def __init__(
        self,
        scene: Scene,
        hint: float,
        step: float,
        solver: str = "lagged",
        stiction: float = STICTION,
        record: bool = True,
    ) -> None:
        import pydrake.geometry as geometry
        import pydrake.math as drake_math
        from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
        from pydrake.multibody.tree import SpatialInertia, UnitInertia
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder
        from pydrake.systems.primitives import LogVectorOutput

        builder = DiagramBuilder()
        config = MultibodyPlantConfig(
            time_step=step,
            contact_model="hydroelastic",
            contact_surface_representation="polygon",
            discrete_contact_approximation=solver,
            stiction_tolerance=stiction,
        )
        self.plant, _ = AddMultibodyPlant(config, builder)
        if scene.shape == "sphere":
            inertia, shape = UnitInertia.SolidSphere(*scene.sizes), geometry.Sphere(*scene.sizes)
            turn = drake_math.RollPitchYaw(0, 0, 0)
        else:
            inertia = UnitInertia.SolidCylinder(*scene.sizes, np.array([0.0, 0.0, 1.0]))
            shape, turn = geometry.Cylinder(*scene.sizes), drake_math.RollPitchYaw(0, np.pi / 2, 0)
        body = self.plant.AddRigidBody("object", SpatialInertia(scene.mass, np.zeros(3), inertia))

        def properties(modulus: float) -> Any:
            p = geometry.ProximityProperties()
            geometry.AddContactMaterial(scene.dissipation, None, CoulombFriction(scene.friction, scene.friction), p)
            if modulus:
                geometry.AddCompliantHydroelasticProperties(hint, modulus, p)
            else:
                geometry.AddRigidHydroelasticProperties(hint, p)
            return p

        self.plant.RegisterCollisionGeometry(
            body, drake_math.RigidTransform(), shape, "object", properties(scene.object_modulus)
        )
        self.plant.RegisterCollisionGeometry(
            self.plant.world_body(),
            drake_math.RigidTransform([0, 0, -scene.pad[2] / 2]),
            geometry.Box(*scene.pad),
            "pad",
            properties(scene.modulus),
        )
        self.plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
        self.plant.Finalize()
        self.log = LogVectorOutput(self.plant.get_state_output_port(), builder, SAMPLE) if record else None
        self.simulator = Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.plant.SetFreeBodyPose(self.context, body, drake_math.RigidTransform(turn, scene.position))
        self.plant.SetVelocities(self.context, np.concatenate([scene.angular, scene.velocity]))
        self.simulator.Initialize()

    def advance(self, seconds: float) -> float:
        """CPU seconds it took."""
        until = self.simulator.get_context().get_time() + seconds
        start = time.thread_time()
        self.simulator.AdvanceTo(until)
        return time.thread_time() - start

    @property
    def height(self) -> float:
        return float(self.plant.GetPositions(self.context)[6])

    def _contacts(self) -> list[Any]:
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        return [results.hydroelastic_contact_info(i) for i in range(results.num_hydroelastic_contacts())]

    def force(self) -> np.ndarray:
        """On the object, N. Drake says which geometry the force is on only by its id; it pushes the object up."""
        total = sum((c.F_Ac_W().translational() for c in self._contacts()), start=np.zeros(3))
        return total if total[2] >= 0 else -total

    @property
    def faces(self) -> int:
        return sum(c.contact_surface().num_faces() for c in self._contacts())


def run_drake(scene: Scene, hint: float, step: float, stiction: float = STICTION) -> Run:
    plant = DrakePlant(scene, hint, step, stiction=stiction)
    plant.advance(scene.seconds)
    states = plant.log.FindLog(plant.simulator.get_context()).data()
    return Run(states[4:7].T.copy(), states[10:13].T.copy(), plant.force())


def drake_version() -> str:
    try:
        import pydrake.multibody.plant  # noqa: F401
    except ImportError:
        raise ValueError("Drake is not installed; run: pip install drake") from None
    from importlib.metadata import version

    return version("drake")
