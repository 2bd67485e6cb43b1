"""Three scenes stepped side by side in Drake and in MuJoCo with taxel: same bodies, same law, what differs and why.

Drake: discrete MultibodyPlant, hydroelastic contact, its default solver ("lagged"). The difference of every number is
taken apart along a chain of runs in which one thing changes at a time:

    Drake as it comes, coarse mesh, 1 ms -> small stiction tolerance -> no mesh -> no time step
        -> our surfaces with Drake's law -> friction with memory -> rows of the solver -> 1 ms

The arrow in the middle is the test: the same law from two codes. "No mesh" and "no time step" are extrapolated (Drake's
error falls with the square of the mesh size and with the step). Drake's law on our surfaces is taxel.Reader, whose
friction has no memory either, with fine facets and explicit steps of 0.01 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from .contact_scenes import GRAVITY, pad_model

SAMPLE = 1e-3  # s between stored states
LIMIT = 0.02
QUICK_LIMIT = 0.05  # two meshes, coarse facets
STICTION = 1e-4  # m/s, Drake's stiction tolerance here; that of taxel.Reader is the same
DEFAULT_STICTION = 1e-3  # m/s, that of a fresh MultibodyPlant


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


# --- numbers --------------------------------------------------------------------------------------------------------


def measure(scene: Scene, run: Run) -> dict[str, float]:
    """What one would ask of the scene; depth is that of the lowest point below the pad's face."""
    depth = scene.sizes[0] - run.position[:, 2]
    along = run.position[-1, 0] - run.position[0, 0]
    if scene.name == ROLL.name:
        numbers = {"rolled mm": 1e3 * along, "speed mm/s": 1e3 * run.velocity[-1, 0]}
    elif scene.name == BALL.name:
        rebound = run.velocity[int(depth.argmax()) :, 2].max()
        numbers = {
            "deepest mm": 1e3 * depth.max(),
            "rebound mm/s": 1e3 * rebound,
            "rolled mm": 1e3 * abs(along),
            "speed mm/s": 1e3 * abs(run.velocity[-1, 0]),
        }
    else:
        numbers = {"deepest mm": 1e3 * depth.max()}
    numbers |= {"depth at the end mm": 1e3 * depth[-1], "force at the end N": run.force[2]}
    return {key: float(value) for key, value in numbers.items()}


REASONS = {
    "stiction": "Drake's friction is regularised over 1 mm/s of slip; 0.1 mm/s here",
    "mesh": "Drake's mesh is inscribed: less contact at the same depth; the difference shrinks with its hint",
    "step": "Drake's step: the pressure at the end of the step damps like a relaxation of one step",
    "law": "NOT EXPLAINED: same law, other code",
    "memory": "friction with memory: our skin shears before it slides; Drake's slides at once and forgets",
    "rows": "ours: 16 blocks damp further out than the pressure lies, and the bound of friction is one step late",
    "our step": "our step",
}


def take_apart(
    first: float,
    theirs: dict[tuple[float, float], float],
    hints: tuple[float, ...],
    steps: tuple[float, float],
    ours: list[float],
) -> tuple[dict[str, float], float]:
    """The links of the chain, as parts of our number under Drake's law; and Drake's limit.

    first: Drake as it comes; theirs[hint, step]; ours: without memory, with it, rows at the fine step, at the coarse.
    """
    coarse, fine = steps
    h2, h1 = hints[-2:]
    no_mesh = theirs[h1, coarse] + (theirs[h1, coarse] - theirs[h2, coarse]) / ((h2 / h1) ** 2 - 1)
    limit = no_mesh + (theirs[h1, fine] - theirs[h1, coarse]) * coarse / (coarse - fine)
    chain = [first, theirs[hints[0], coarse], no_mesh, limit, *ours]
    scale = abs(ours[0])
    pairs = zip(REASONS, chain[:-1], chain[1:], strict=True)
    return {name: (after - before) / scale for name, before, after in pairs}, limit


def apart(a: Run, b: Run) -> tuple[float, float]:
    """Mean square distance of positions and of velocities, over the greatest displacement and speed of ``b``."""
    reach = np.linalg.norm(b.position - b.position[0], axis=1).max()
    fastest = np.linalg.norm(b.velocity, axis=1).max()

    def spread(x: np.ndarray, y: np.ndarray) -> float:
        return float(np.sqrt(np.mean(np.sum((x - y) ** 2, axis=1))))

    return spread(a.position, b.position) / reach, spread(a.velocity, b.velocity) / fastest


def compare(out: Any, scene: Scene, quick: bool) -> tuple[list[dict[str, Any]], dict[str, Run]]:
    hints = scene.hints[: 2 if quick else None]
    steps = (1e-3, 1e-4)
    finest = hints[-1]
    settings = [(hint, steps[0]) for hint in hints] + [(finest, steps[1])]
    theirs = {s: run_drake(scene, *s) for s in out.progress(settings, f"Drake, {scene.name}")}
    first = run_drake(scene, hints[0], steps[0], DEFAULT_STICTION)
    ours = {
        "memoryless": run_memoryless(scene, *((2e-5, 20) if quick else (1e-5, 40))),
        "explicit": run_ours(scene, steps[1], coupling="explicit"),
        "rows, fine step": run_ours(scene, steps[1]),
        "rows": run_ours(scene, steps[0]),
    }
    numbers = {s: measure(scene, r) for s, r in theirs.items()}
    start = measure(scene, first)
    own = [measure(scene, r) for r in ours.values()]
    rows = []
    for key in own[0]:
        values = {s: n[key] for s, n in numbers.items()}
        links, limit = take_apart(start[key], values, hints, steps, [n[key] for n in own])
        rows.append(
            {
                "scene": scene.name,
                "quantity": key,
                "drake_as_it_comes": start[key],
                "drake": [{"hint": h, "step": s, "value": v} for (h, s), v in values.items()],
                "drake_limit": limit,
                **{
                    f"ours_{name.replace(', ', '_').replace(' ', '_')}": n[key]
                    for name, n in zip(ours, own, strict=True)
                },
                "links": links,
                "reasons": [REASONS[name] for name, part in links.items() if abs(part) > LIMIT],
                "within": abs(links["law"]) < (QUICK_LIMIT if quick else LIMIT),
            }
        )
    over_time = [
        *((f"Drake, 1 ms, {1e3 * h:g} mm", theirs[h, steps[0]], ours["rows"]) for h in hints),
        (f"Drake, {1e3 * steps[1]:g} ms, {1e3 * finest:g} mm", theirs[finest, steps[1]], ours["rows, fine step"]),
        ("the same, our surfaces with Drake's law", theirs[finest, steps[1]], ours["memoryless"]),
    ]
    for name, a, b in over_time:
        position, speed = apart(a, b)
        rows.append({"scene": scene.name, "over_time": name, "position": position, "speed": speed})
    curves = {f"Drake, {1e3 * h:g} mm, {1e3 * s:g} ms": r for (h, s), r in theirs.items()}
    curves |= {
        f"taxel, {1e3 * steps[0]:g} ms": ours["rows"],
        f"taxel, {1e3 * steps[1]:g} ms": ours["rows, fine step"],
        "taxel with Drake's friction": ours["memoryless"],
    }
    return rows, curves


def show(out: Any, scene: Scene, rows: list[dict[str, Any]]) -> None:
    from taxel.report import table

    mine = [r for r in rows if "quantity" in r]
    settings = [(v["hint"], v["step"]) for v in mine[0]["drake"]]
    out.print(f"\n{scene.name}: {scene.mass:g} kg, modulus {scene.modulus:g} Pa, dissipation {scene.dissipation:g} s/m")
    out.print(
        table(
            (
                "",
                *(f"Drake {1e3 * h:g} mm {1e3 * s:g} ms" for h, s in settings),
                "its limit",
                "ours, its law",
                "explicit",
                "rows, fine",
                "rows 1 ms",
            ),
            [
                (
                    r["quantity"],
                    *(f"{v['value']:.4g}" for v in r["drake"]),
                    *(
                        f"{r[key]:.4g}"
                        for key in (
                            "drake_limit",
                            "ours_memoryless",
                            "ours_explicit",
                            "ours_rows_fine_step",
                            "ours_rows",
                        )
                    ),
                )
                for r in mine
            ],
        )
    )
    out.print("Where the difference comes from, % (over 2 % with its reason below):")
    out.print(
        table(
            ("", *REASONS, "in all", ""),
            [
                (
                    r["quantity"],
                    *(f"{100 * part:+.2f}" for part in r["links"].values()),
                    f"{100 * sum(r['links'].values()):+.2f}",
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in mine
            ],
        )
    )
    for name, reason in REASONS.items():
        big = [r["quantity"] for r in mine if abs(r["links"][name]) > LIMIT]
        if big:
            out.print(f"  {name}: {reason} ({', '.join(big)})")
    out.print(
        table(
            ("over time, root mean square", "position %", "velocity %"),
            [
                (r["over_time"], f"{100 * r['position']:.2f}", f"{100 * r['speed']:.2f}")
                for r in rows
                if "over_time" in r
            ],
        )
    )


def draw(scene: Scene, curves: dict[str, Run], path: Path) -> None:
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for name, run in curves.items():
        t = SAMPLE * np.arange(len(run.position))
        style = {"lw": 1.6} if name.startswith("taxel") else {"lw": 1.0, "ls": "--"}
        left.plot(t, 1e3 * (scene.sizes[0] - run.position[:, 2]), label=name, **style)
        if scene.shape == "sphere":
            right.plot(t, 1e3 * (run.position[:, 0] - run.position[0, 0]), **style)
        else:
            right.plot(t, 1e3 * run.velocity[:, 2], **style)
    left.set(xlabel="time, s", ylabel="depth, mm", title=scene.name)
    if scene.name == BALL.name:
        left.set_ylim(-5, None)
    right.set(xlabel="time, s", ylabel="rolled, mm" if scene.shape == "sphere" else "vertical speed, mm/s")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    version = drake_version()
    rows = []
    for scene in scenes():
        fresh, curves = compare(out, scene, quick)
        show(out, scene, fresh)
        picture = folder / f"contact_drake_{scene.name.replace(' ', '_')}.png"
        draw(scene, curves, picture)
        out.print(f"picture: {picture}")
        rows += fresh
    depth, half = (1e3 * static_depth(CYLINDER, rim) for rim in (1.0, 0.5))
    out.print(
        f"\nStatics of the cylinder: {depth:.4f} mm. Drake's discrete solvers leave out faces whose pressure does not "
        f"rise along the normal, half of those at the pad's rim: {half:.4f} mm is what its depth at rest tends to."
    )
    return {"experiment": "contact-drake", "drake": version, "rows": rows}
