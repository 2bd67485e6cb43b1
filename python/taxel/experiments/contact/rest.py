"""A block at rest on a soft pad: depth and force against the closed form, at the time steps people use.

A cube of 5 cm rests on a pad of 10 mm. Depth = m g H / (E A), where H is the full thickness for a backed layer and half
of it for the field of a free body. Force = m g. Every supported integrator, and a load that would crush the foam.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .scenes import CUBE_SIDE, GRAVITY, PAD_THICKNESS, cube, pad_model, run_for

LOADS = [(1e6, 0.1), (1e6, 1.0), (1e6, 10.0), (3e4, 0.1), (3e4, 1.0), (1e7, 0.05), (1e7, 1.0)]
INTEGRATORS = ["Euler", "implicitfast", "implicit", "discrete"]
DEPTH_LIMIT, FORCE_LIMIT = 1e-3, 1e-6


def exact_depth(modulus: float, mass: float, field: str) -> float:
    height = PAD_THICKNESS if field == "backed" else PAD_THICKNESS / 2
    return mass * GRAVITY * height / (modulus * CUBE_SIDE**2)


def rest(modulus: float, mass: float, step: float, integrator: str, field: str, seconds: float) -> dict[str, Any]:
    model = pad_model(cube(mass), modulus=modulus, step=step, integrator=integrator, field=field, dissipation=20.0)
    data = mujoco.MjData(model)
    run_for(model, data, seconds)
    depth = CUBE_SIDE / 2 - data.qpos[2]
    force = -data.sensor("pad").data[2]
    return {
        "depth_error": depth / exact_depth(modulus, mass, field) - 1,
        "force_error": force / (mass * GRAVITY) - 1,
        "speed": float(np.abs(data.qvel).max()),
        "depth_m": depth,
    }


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    fields = ["backed", "distance"]
    steps = [0.002] if quick else [0.001, 0.002, 0.005]
    loads = LOADS[:2] + LOADS[4:6] if quick else LOADS
    cases = [(f, e, m) for f in fields for e, m in loads]
    rows = []
    out.print(f"{'field':9} {'modulus':>8} {'mass':>6}  {'depth':>10}   worst error over steps and integrators")
    out.print(f"{'':9} {'Pa':>8} {'kg':>6}  {'um':>10}   {'depth':>9} {'force':>9}  at")
    for field, modulus, mass in out.progress(cases, "resting"):
        worst = {"depth_error": 0.0, "force_error": 0.0}
        at = ""
        for step in steps:
            for integrator in INTEGRATORS:
                r = rest(modulus, mass, step, integrator, field, 4.0 if quick else 10.0)
                within = abs(r["depth_error"]) < DEPTH_LIMIT and abs(r["force_error"]) < FORCE_LIMIT
                rows.append(
                    {"field": field, "modulus": modulus, "mass": mass, "step": step, "integrator": integrator, **r}
                    | {"within": bool(within)}
                )
                if abs(r["depth_error"]) > abs(worst["depth_error"]):
                    at = f"{integrator}, {step * 1e3:g} ms"
                for key in worst:
                    if abs(r[key]) > abs(worst[key]):
                        worst[key] = r[key]
        out.print(
            f"{field:9} {modulus:8.0e} {mass:6.2f}  {exact_depth(modulus, mass, field) * 1e6:10.3f}   "
            f"{worst['depth_error']:9.1e} {worst['force_error']:9.1e}  {at}"
        )
    rows.append(crush(out, quick))
    bad = [r for r in rows if not r["within"]]
    out.print(f"{len(rows) - len(bad)} of {len(rows)} within {DEPTH_LIMIT:.1%} of depth and {FORCE_LIMIT:g} of force")
    return {"rows": rows}


def crush(out, quick: bool) -> dict[str, Any]:
    """98 N on a foam whose linear law ends at 75 N: it must hold."""
    model = pad_model(cube(10.0), modulus=3e4, step=0.002, dissipation=20.0)
    data = mujoco.MjData(model)
    run_for(model, data, 4.0 if quick else 10.0)
    depth = CUBE_SIDE / 2 - data.qpos[2]
    force = -data.sensor("pad").data[2]
    error = force / (10 * GRAVITY) - 1
    out.print(f"10 kg on 3e4 Pa, 10 mm backed: rests at {depth * 1e3:.3f} mm, force error {error:.1e}")
    return {
        "field": "backed, crushed",
        "modulus": 3e4,
        "mass": 10.0,
        "depth_m": depth,
        "force_error": error,
        "within": bool(depth < PAD_THICKNESS and abs(error) < FORCE_LIMIT),
    }
