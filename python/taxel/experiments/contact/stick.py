"""The stick side of friction: stiffness, memory, the work of a loop; and torsion.

Push and return: a guided block is pushed along the pad by a force that rises slowly to 0.6 mu N, falls, turns and falls
again; it must move by F / k_t and come back. Loop: a displacement well into sliding and back, twice; the work of one
loop is
4 mu N (x_max - mu N / k_t). Disc: a flat disc spins down under torsional friction 2/3 mu N R.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .plots import lines
from .scenes import CUBE_SIDE, GRAVITY, PAD_THICKNESS, pad_model, run_for

FRICTION = 0.5
HALF = CUBE_SIDE / 2
MODULI = [3e4, 1e5, 1e6, 1e7]


def guided_block(modulus: float, mass: float, armature: float = 0.0) -> str:
    height = HALF - mass * GRAVITY * PAD_THICKNESS / (modulus * CUBE_SIDE**2)
    return (
        f'<body name="object" pos="0 0 {height}"><joint type="slide" axis="1 0 0" armature="{armature}"/>'
        f'<joint type="slide" axis="0 0 1"/><geom name="object" type="box" size="{HALF} {HALF} {HALF}" '
        f'mass="{mass}"/></body>'
    )


def shear_stiffness(modulus: float, ratio: float) -> float:
    return ratio * modulus * CUBE_SIDE**2 / PAD_THICKNESS


def push(modulus: float, step: float, integrator: str, mass: float = 1.0, ratio: float = 0.7) -> np.ndarray:
    """Displacement over F / k_t after pushing, letting go, pushing back, letting go."""
    model = pad_model(
        guided_block(modulus, mass),
        modulus=modulus,
        step=step,
        integrator=integrator,
        config={"shear_stiffness": ratio, "shear_damping": 0.005},
    )
    data = mujoco.MjData(model)
    force = 0.6 * FRICTION * mass * GRAVITY
    displacements = []
    previous = 0.0
    for target in (force, 0.0, -force, 0.0):
        for s in np.linspace(0, 1, 200):
            data.qfrc_applied[0] = previous + s * (target - previous)
            run_for(model, data, 0.01)
        run_for(model, data, 2.0)
        previous = target
        displacements.append(data.qpos[0] * shear_stiffness(modulus, ratio) / force)
    return np.array(displacements)


def loop(modulus: float, step: float, integrator: str) -> tuple[float, float, np.ndarray]:
    """Work of a loop over the exact one, peak force over mu N, the curve."""
    model = pad_model(guided_block(modulus, 1.0, armature=1e6), modulus=modulus, step=step, integrator=integrator)
    data = mujoco.MjData(model)
    bound = FRICTION * GRAVITY
    yield_at = bound / shear_stiffness(modulus, 0.7)
    amplitude, steps = 3 * yield_at, round(1.0 / step)
    run_for(model, data, 0.2)
    work, curve = 0.0, []
    for i in range(2 * steps):
        data.qvel[0] = amplitude * 2 * np.pi * np.cos(2 * np.pi * (i + 0.5) * step)
        before = data.qpos[0]
        mujoco.mj_step(model, data)
        force = data.sensor("pad").data[0]
        if i >= steps:
            work += force * (data.qpos[0] - before)
            curve.append((data.qpos[0] / yield_at, force / bound))
    points = np.array(curve)
    return work / (4 * bound * (amplitude - yield_at)), float(np.abs(points[:, 1]).max()), points


def disc(modulus: float, step: float, integrator: str, radius: float = 0.03, spin: float = 20.0) -> float:
    """Angle until a spinning flat disc stops, over omega^2 I / (2 T), T = 2/3 mu N R."""
    depth = GRAVITY * PAD_THICKNESS / (modulus * np.pi * radius**2)
    body = (
        f'<body name="object" pos="0 0 {0.005 - depth}"><joint type="slide" axis="0 0 1"/>'
        f'<joint type="hinge" axis="0 0 1"/><geom name="object" type="cylinder" size="{radius} 0.005" mass="1"/></body>'
    )
    model = pad_model(body, modulus=modulus, step=step, integrator=integrator, friction=0.3)
    data = mujoco.MjData(model)
    run_for(model, data, 0.5)
    data.qvel[1] = spin
    start = data.qpos[1]
    inertia, torque = radius**2 / 2, 2 / 3 * 0.3 * GRAVITY * radius
    run_for(model, data, 1.5 * spin * inertia / torque)
    return float((data.qpos[1] - start) / (spin**2 * inertia / (2 * torque)))


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    moduli = [1e6] if quick else MODULI
    steps = [2e-3] if quick else [1e-3, 2e-3, 5e-3]
    cases = [(e, m, k) for e in moduli for m, k in ([(1.0, 0.7)] if quick else [(1.0, 0.7), (0.05, 1.5), (1.0, 0.3)])]
    out.print("push and return: displacement over F/k_t; worst deviation from 1, 0, -1, 0 over steps and integrators")
    for modulus, mass, ratio in out.progress(cases, "pushing"):
        worst = 0.0
        for step in steps:
            for integrator in ["implicitfast"] if quick else ["implicitfast", "discrete"]:
                error = float(np.abs(push(modulus, step, integrator, mass, ratio) - [1, 0, -1, 0]).max())
                worst = max(worst, error)
                rows.append(
                    {"test": "push", "modulus": modulus, "mass": mass, "ratio": ratio, "step": step}
                    | {"integrator": integrator, "error": error, "within": bool(error < 0.005)}
                )
        out.print(f"   {modulus:.0e} Pa  {mass:4g} kg  k_t/k {ratio:3g}   {worst:.1e}")

    out.print("\nloop: work over the exact work, peak over mu N")
    for modulus in out.progress(moduli, "looping"):
        text = []
        for step in steps:
            work, peak, points = loop(modulus, step, "implicitfast")
            text.append(f"{step * 1e3:g} ms {work:.4f} {peak:.4f}")
            rows.append(
                {"test": "loop", "modulus": modulus, "step": step, "work": work, "peak": peak}
                | {"within": bool(abs(work - 1) < 0.02 and abs(peak - 1) < 0.02)}
            )
        out.print(f"   {modulus:.0e} Pa  " + "   ".join(text))
    lines(
        folder / "contact_loop.png",
        {f"{moduli[-1]:.0e} Pa, {steps[-1] * 1e3:g} ms": (points[:, 0], points[:, 1])},
        x="displacement / yield",
        y="friction / mu N",
        title="A displacement loop: stick, slide, stick, slide",
    )

    out.print("\nflat disc spinning down: angle over the closed form (half a step of spin is the integrator's own)")
    for modulus in out.progress(moduli[-3:], "spinning"):
        text = []
        for step in steps:
            ratio = disc(modulus, step, "implicitfast")
            text.append(f"{step * 1e3:g} ms {ratio:.4f}")
            # omega h / 2 of 1.53 rad is lost to semi-implicit Euler, as for any braking body.
            allowed = 0.03 + (20.0 * step / 2 / 1.53 if step > 2e-3 else 0.0)
            rows.append(
                {"test": "disc", "modulus": modulus, "step": step, "ratio": ratio}
                | {"within": bool(abs(ratio - 1) < allowed)}
            )
        out.print(f"   {modulus:.0e} Pa  " + "   ".join(text))
    return {"rows": rows}
