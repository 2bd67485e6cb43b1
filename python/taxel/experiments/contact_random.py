"""A thousand random drops on soft ground: nothing may become NaN, fall through or gain energy.

Shape, softness, modulus, mass, friction, time step, integrator, solver, pose, spin and height are drawn for each drop
from a generator of its own, whose seed is the number of the drop, so that one of them can be run again:

    from taxel.experiments import contact_random
    print(contact_random.drop(contact_random.draw(137)))

A pad of 10 mm lies on a rigid plane, as a real one is glued to something: a corner that falls on a very soft pad goes
through it by right, and MuJoCo's own contact then holds it. The mass is one that the ground can carry at rest,
m g < E r^2 / 2; a body that at the end lies on the plane, or whose middle was ever below it, has fallen through.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.experiments.contact_pairs import FRUSTUM, u_mesh
from taxel.experiments.contact_scenes import GRAVITY

DROPS, QUICK_DROPS = 1000, 40
SECONDS = 2.0
PAD_THICKNESS = 0.01
PAD_HALF = 0.5
ENERGY_LIMIT = 0.01
"""Gain of kinetic and potential energy that counts as a failure, in units of m g x 5 cm."""
SHAPES = ("sphere", "box", "cylinder", "capsule", "ellipsoid", "convex mesh", "U mesh")
INTEGRATORS = ("Euler", "implicitfast", "implicit", "discrete")
SOLVERS = ("Newton", "CG", "PGS")
GROUNDS = ("backed pad", "distance pad", "soft plane")


@dataclass(frozen=True)
class Drop:
    seed: int
    shape: str
    soft: bool
    """The dropped body is soft as well."""
    ground: str
    modulus: float
    mass: float
    friction: float
    step: float
    integrator: str
    solver: str
    size: float
    height: float
    quat: tuple[float, ...]
    velocity: tuple[float, ...]
    """Linear along x and y, then spin in rad/s."""

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {'soft' if self.soft else 'rigid'} {self.shape} of {2e2 * self.size:.1f} cm on "
            f"{self.ground}, {self.modulus:.2e} Pa, {self.mass:.3f} kg, friction {self.friction:.2f}, "
            f"{1e3 * self.step:g} ms, {self.integrator}, {self.solver}, from {1e3 * self.height:.1f} mm"
        )


def draw(seed: int) -> Drop:
    """The drop of that number: a counter-based generator, so that no drop depends on those before it."""
    rng = np.random.Generator(np.random.Philox(key=seed))

    def log_uniform(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    quat = rng.normal(size=4)
    spin = rng.normal(size=3)
    spin *= rng.uniform(0, 10) / np.linalg.norm(spin)
    modulus, size = log_uniform(3e4, 1e7), float(rng.uniform(0.015, 0.03))
    return Drop(
        seed=seed,
        shape=str(rng.choice(SHAPES)),
        soft=bool(rng.random() < 0.25),
        ground=str(rng.choice(GROUNDS)),
        modulus=modulus,
        mass=log_uniform(0.05, min(2.0, 0.5 * modulus * size**2 / GRAVITY)),
        friction=float(rng.uniform(0.1, 1.0)),
        step=float(rng.choice([0.001, 0.002, 0.005])),
        integrator=str(rng.choice(INTEGRATORS)),
        solver=str(rng.choice(SOLVERS)),
        size=size,
        height=float(rng.uniform(0.0, 0.05)),
        quat=tuple(quat / np.linalg.norm(quat)),
        velocity=(*rng.uniform(-0.2, 0.2, size=2), *spin),
    )


def _geom(drop: Drop) -> tuple[str, str]:
    """Geom and asset of the dropped body."""
    r = drop.size
    sizes = {
        "sphere": (r,),
        "box": (r, 0.8 * r, 0.6 * r),
        "cylinder": (0.8 * r, 0.7 * r),
        "capsule": (0.6 * r, 0.7 * r),
        "ellipsoid": (r, 0.8 * r, 0.6 * r),
    }
    if drop.shape in sizes:
        return f'type="{drop.shape}" size="{" ".join(f"{s:.6g}" for s in sizes[drop.shape])}"', ""
    scale = " ".join([f"{drop.size / 0.025:.6g}"] * 3)
    if drop.shape == "convex mesh":
        asset = f'<mesh name="shape" scale="{scale}" vertex="{FRUSTUM}"/>'
    else:
        vertices, triangles = u_mesh()
        points, faces = (" ".join(f"{x:g}" for x in a.ravel()) for a in (vertices, triangles))
        asset = f'<mesh name="shape" inertia="exact" scale="{scale}" vertex="{points}" face="{faces}"/>'
    return 'type="mesh" mesh="shape"', asset


def scene(drop: Drop, height: float) -> str:
    """MJCF: the ground's upper face at z = 0, the body's frame at ``height``."""
    geom, asset = _geom(drop)
    keys, back = {"modulus": drop.modulus, "dissipation": 1.0}, ""
    if drop.ground == "soft plane":
        keys["thickness"] = PAD_THICKNESS
        ground = f'type="plane" size="{PAD_HALF} {PAD_HALF} 0.1"'
    else:
        keys["field"] = drop.ground.split()[0]
        ground = f'type="box" size="{PAD_HALF} {PAD_HALF} {PAD_THICKNESS / 2}" pos="0 0 {-PAD_THICKNESS / 2}"'
        back = f'<geom name="back" type="plane" size="1 1 0.1" pos="0 0 {-PAD_THICKNESS}"/>'

    def instance(name: str, keys: dict[str, object]) -> str:
        config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
        return f'<instance name="{name}">{config}</instance>'

    instances = instance("ground_skin", keys)
    tuples = '<tuple name="ground_skin"><element objtype="geom" objname="ground"/></tuple>'
    if drop.soft:
        instances += instance("object_skin", {"modulus": 2 * drop.modulus, "dissipation": 1.0})
        tuples += '<tuple name="object_skin"><element objtype="geom" objname="object"/></tuple>'
    return f"""<mujoco>
      <option cone="elliptic" timestep="{drop.step}" integrator="{drop.integrator}" solver="{drop.solver}"/>
      <extension><plugin plugin="taxel">{instances}</plugin></extension>
      <custom>{tuples}</custom>
      <asset>{asset}</asset>
      <default><geom friction="{drop.friction} 0 0"/></default>
      <worldbody>
        <geom name="ground" {ground}/>
        {back}
        <body name="object" pos="0 0 {height}" quat="{" ".join(map(str, drop.quat))}">
          <freejoint/>
          <geom name="object" {geom} mass="{drop.mass}"/>
        </body>
      </worldbody>
    </mujoco>"""


def lowest_point(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Of the dropped body, m."""
    geom = data.geom("object")
    R, p, size, kind = geom.xmat.reshape(3, 3), geom.xpos, model.geom("object").size, model.geom("object").type[0]
    down = -R[2]
    kinds = mujoco.mjtGeom
    if kind == kinds.mjGEOM_SPHERE:
        reach = size[0]
    elif kind == kinds.mjGEOM_BOX:
        reach = np.abs(down) @ size
    elif kind == kinds.mjGEOM_CYLINDER:
        reach = size[0] * np.hypot(down[0], down[1]) + size[1] * abs(down[2])
    elif kind == kinds.mjGEOM_CAPSULE:
        reach = size[0] + size[1] * abs(down[2])
    elif kind == kinds.mjGEOM_ELLIPSOID:
        reach = np.linalg.norm(down * size)
    else:
        reach = (model.mesh_vert @ down).max()
    return float(p[2] - reach)


def energy(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Kinetic and potential energy of the state: mjData's own is that of the last step's beginning."""
    body = model.body("object").id
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, data.qpos[3:7])
    R = R.reshape(3, 3)
    to_middle = R @ model.body_ipos[body]
    v = data.qvel[:3] + np.cross(R @ data.qvel[3:], to_middle)
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, model.body_iquat[body])
    spin = axes.reshape(3, 3).T @ data.qvel[3:]
    mass, inertia = model.body_mass[body], model.body_inertia[body]
    return float(0.5 * mass * v @ v + 0.5 * inertia @ spin**2 + mass * GRAVITY * (data.qpos[2] + to_middle[2]))


def drop(case: Drop, seconds: float = SECONDS) -> dict[str, Any]:
    """Runs one drop and says what was wrong with it, if anything."""
    taxel.load()
    model = mujoco.MjModel.from_xml_string(scene(case, 0.0))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    data.qpos[2] = case.height - lowest_point(model, data)
    data.qvel[[0, 1]] = case.velocity[:2]
    data.qvel[3:] = case.velocity[2:]
    start, highest, highest_at, lowest_middle, deepest = energy(model, data), -np.inf, 0.0, np.inf, np.inf
    steps = round(seconds / case.step)
    started = time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
        now = energy(model, data)
        if not np.isfinite(now):
            break
        if now > highest:
            highest, highest_at = now, float(data.time)
        lowest_middle = min(lowest_middle, float(data.body("object").xipos[2]))
        deepest = min(deepest, lowest_point(model, data))
    milliseconds = 1e3 * (time.perf_counter() - started) / steps
    mujoco.mj_kinematics(model, data)
    finite = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
    reset = any(data.warning[w].number for w in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQACC))
    gain = (highest - start) / (case.mass * GRAVITY * 0.05)
    failures = []
    if not finite or reset:
        failures.append("not finite")
    if lowest_middle < -PAD_THICKNESS:
        failures.append(f"fell through: middle at {1e3 * lowest_middle:.1f} mm")
    elif finite and lowest_point(model, data) < -PAD_THICKNESS:
        failures.append(f"lies on the back of the pad, lowest point at {1e3 * lowest_point(model, data):.1f} mm")
    if gain > ENERGY_LIMIT:
        failures.append(f"gained {gain:.3f} m g 5 cm by {highest_at:.3f} s")
    if not reset and any(w.number for w in data.warning):
        failures.append("warning of MuJoCo")
    return {
        **asdict(case),
        "deepest": float(deepest),
        "energy_gain": float(gain),
        "speed_at_end": float(np.linalg.norm(data.qvel[:3])) if finite else float("inf"),
        "spin_at_end": float(np.linalg.norm(data.qvel[3:])) if finite else float("inf"),
        "ms_per_step": milliseconds,
        "failures": failures,
        "within": not failures,
    }
