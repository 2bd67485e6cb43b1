"""A thousand random drops on soft ground: nothing may become NaN, fall through or gain energy.

Shape, softness, modulus, mass, friction, time step, integrator, solver, pose, spin and height are drawn for each drop
from a generator of its own, whose seed is the number of the drop, so that one of them can be run again:

    from taxel.experiments import contact_random
    print(contact_random.drop(contact_random.draw(137)))

The ground is a backed pad of 10 mm, a block of 30 mm with the distance field, or a soft plane. Pad and block lie on a
rigid plane, as real ones are glued to something: a corner that falls on a very soft pad goes through it by right, and
MuJoCo's own contact then holds it. The mass is one that the ground can carry at rest: m g < E r^2 / 2 (a fifth of
that on the block, whose pressure never exceeds E). A body that at the end lies on the plane, or whose middle was ever
below it, has fallen through.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from .pairs import FRUSTUM, u_mesh
from .scenes import GRAVITY

DROPS, QUICK_DROPS = 1000, 40
SECONDS, QUICK_SECONDS = 2.0, 1.0
GROUNDS = {"backed pad": 0.01, "distance block": 0.03, "soft plane": 0.01}
"""Thickness in m; of the plane that over which the pressure rises to the modulus."""
GROUND_HALF = 0.5
ENERGY_LIMIT = 0.01
"""Gain of kinetic and potential energy that counts as a failure, in units of m g x 5 cm."""
SHAPES = ("sphere", "box", "cylinder", "capsule", "ellipsoid", "convex mesh", "U mesh")
INTEGRATORS = ("Euler", "implicitfast", "implicit", "discrete")
SOLVERS = ("Newton", "CG", "PGS")


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

    @property
    def thickness(self) -> float:
        return GROUNDS[self.ground]

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
    modulus, size, ground = log_uniform(3e4, 1e7), float(rng.uniform(0.015, 0.03)), str(rng.choice(list(GROUNDS)))
    bearable = (0.1 if ground == "distance block" else 0.5) * modulus * size**2 / GRAVITY
    return Drop(
        seed=seed,
        shape=str(rng.choice(SHAPES)),
        soft=bool(rng.random() < 0.25),
        ground=ground,
        modulus=modulus,
        mass=log_uniform(0.05, np.clip(bearable, 0.06, 2.0)),
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
        points = " ".join(f"{x:g}" for x in np.ravel(FRUSTUM))
        asset = f'<mesh name="shape" scale="{scale}" vertex="{points}"/>'
    else:
        points, faces = (" ".join(f"{x:g}" for x in a.ravel()) for a in u_mesh())
        asset = f'<mesh name="shape" inertia="exact" scale="{scale}" vertex="{points}" face="{faces}"/>'
    return 'type="mesh" mesh="shape"', asset


def scene(drop: Drop, height: float) -> str:
    """MJCF: the ground's upper face at z = 0, the body's frame at ``height``."""
    geom, asset = _geom(drop)
    keys, back = {"modulus": drop.modulus, "dissipation": 1.0}, ""
    half, thickness = GROUND_HALF, drop.thickness
    if drop.ground == "soft plane":
        keys["thickness"] = thickness
        ground = f'type="plane" size="{half} {half} 0.1"'
    else:
        keys["field"] = drop.ground.split()[0]
        ground = f'type="box" size="{half} {half} {thickness / 2}" pos="0 0 {-thickness / 2}"'
        back = f'<geom name="back" type="plane" size="1 1 0.1" pos="0 0 {-thickness}"/>'

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
    rebound = -np.inf
    steps = round(seconds / case.step)
    started = time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
        now = energy(model, data)
        if not np.isfinite(now):
            break
        if now > highest:
            highest, highest_at = now, float(data.time)
        if deepest < 0:
            rebound = max(rebound, now)
        lowest_middle = min(lowest_middle, float(data.body("object").xipos[2]))
        deepest = min(deepest, lowest_point(model, data))
    milliseconds = 1e3 * (time.perf_counter() - started) / steps
    mujoco.mj_kinematics(model, data)
    finite = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
    reset = any(data.warning[w].number for w in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQACC))
    unit = case.mass * GRAVITY * 0.05
    gain = (highest - start) / unit
    failures, back = [], case.ground != "soft plane"
    if not finite or reset:
        failures.append("not finite")
    if lowest_middle < -case.thickness:
        failures.append(f"fell through: middle at {1e3 * lowest_middle:.1f} mm")
    elif finite and back and lowest_point(model, data) < -case.thickness:
        failures.append(f"lies on the back, lowest point at {1e3 * lowest_point(model, data):.1f} mm")
    if gain > ENERGY_LIMIT:
        failures.append(f"gained {gain:.3f} m g 5 cm by {highest_at:.3f} s")
    if not reset and any(w.number for w in data.warning):
        failures.append("warning of MuJoCo")
    return {
        **asdict(case),
        "deepest": float(deepest),
        "energy_gain": float(gain),
        "energy_after_touch": float((rebound - start) / unit),
        "speed_at_end": float(np.linalg.norm(data.qvel[:3])) if finite else float("inf"),
        "spin_at_end": float(np.linalg.norm(data.qvel[3:])) if finite else float("inf"),
        "ms_per_step": milliseconds,
        "failures": failures,
        "within": not failures,
    }


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for ground, colour in zip(GROUNDS, ("tab:blue", "tab:orange", "tab:green"), strict=True):
        chosen = [r for r in rows if r["ground"] == ground]
        x, bad = np.array([r["modulus"] for r in chosen]), np.array([not r["within"] for r in chosen], bool)
        for axis, y in (
            (left, np.array([r["energy_after_touch"] for r in chosen])),
            (right, np.array([-1e3 * r["deepest"] for r in chosen])),
        ):
            axis.plot(x[~bad], y[~bad], ".", color=colour, label=ground, markersize=4)
            axis.plot(x[bad], y[bad], "x", color=colour, markersize=8)
    left.axhline(ENERGY_LIMIT, color="0.5", linewidth=0.8)
    left.set_ylabel("highest energy after touch - start, m g 5 cm")
    right.set_yscale("log")
    right.set_ylabel("deepest point, mm")
    for axis in (left, right):
        axis.set_xscale("log")
        axis.set_xlabel("modulus, Pa")
    right.legend(title="x: failed")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def run(out: Any, folder: Path, quick: bool = False, seeds: range | list[int] | None = None) -> dict[str, Any]:
    """``seeds``: the drops to run, instead of all of them."""
    from taxel.report import table

    cases = [draw(seed) for seed in (range(QUICK_DROPS if quick else DROPS) if seeds is None else seeds)]
    rows = []
    for case in out.progress(cases, "drops"):
        rows.append(drop(case, QUICK_SECONDS if quick else SECONDS))
        if rows[-1]["failures"]:
            out.print(f"{case}: {'; '.join(rows[-1]['failures'])}")

    def line(name: str, chosen: list[dict[str, Any]]) -> tuple[str, ...]:
        kinds = [" ".join(r["failures"]) for r in chosen]
        return (
            name,
            str(len(chosen)),
            str(sum("not finite" in k for k in kinds)),
            str(sum("fell through" in k or "lies on" in k for k in kinds)),
            str(sum("gained" in k for k in kinds)),
            str(sum("warning" in k for k in kinds)),
            f"{max(r['energy_gain'] for r in chosen):+.4f}",
            f"{np.median([r['ms_per_step'] for r in chosen]):.2f}",
        )

    lines = [line("all", rows)]
    for key in ("ground", "soft", "shape", "integrator", "solver", "step"):
        for value in sorted({r[key] for r in rows}, key=str):
            lines.append(line(f"{key} {value}", [r for r in rows if r[key] == value]))
    header = ("drops", "count", "not finite", "through", "gained", "warned", "greatest gain", "ms/step")
    out.print(table(header, lines))
    path = folder / "contact-random.png"
    picture(rows, path)
    out.print(f"wrote {path}")
    return {"experiment": "contact-random", "energy_limit": ENERGY_LIMIT, "rows": rows}
