"""Does friction hold? A cube on an incline, below and above the angle of friction.

Held: 10 degrees, friction 0.3: the drift once the first 10 s have settled. Regularised friction creeps for ever (Drake:
4e-7 to 7e-5 m/s); friction with memory must not. Sliding: 20 degrees, a block that is guided so that it cannot pitch:
acceleration g (sin a - mu cos a). A free cube pitches forward and its contact normal with it; it is compared with the
same law as explicit forces at a very small step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .scenes import CUBE_SIDE, GRAVITY, cube, pad_model, run_for, tilted_gravity

MODULI = [3e4, 1e5, 1e6, 1e7]
DRIFT_LIMIT, SLIDE_LIMIT = 1e-7, 0.01
FRICTION = 0.3


def drift(modulus: float, integrator: str, seconds: float) -> tuple[float, float]:
    model = pad_model(
        cube(1.0), modulus=modulus, step=0.002, friction=FRICTION, integrator=integrator, gravity=tilted_gravity(10)
    )
    data = mujoco.MjData(model)
    run_for(model, data, 10.0)
    start = data.qpos[:3].copy()
    run_for(model, data, seconds - 10.0)
    speed = float(np.linalg.norm(data.qpos[:3] - start)) / (seconds - 10.0)
    return speed, float(data.sensor("pad").data[0] / (GRAVITY * np.sin(np.radians(10))) - 1)


def guided(modulus: float) -> str:
    half = CUBE_SIDE / 2
    depth = GRAVITY * np.cos(np.radians(20)) * 0.01 / (modulus * CUBE_SIDE**2)
    return (
        f'<body name="object" pos="-1 0 {half - depth}"><joint type="slide" axis="1 0 0"/>'
        f'<joint type="slide" axis="0 0 1"/><geom name="object" type="box" size="{half} {half} {half}" '
        f'mass="1"/></body>'
    )


def acceleration(modulus: float, step: float, integrator: str) -> float:
    """Over the exact one."""
    model = pad_model(
        guided(modulus),
        modulus=modulus,
        step=step,
        friction=FRICTION,
        integrator=integrator,
        pad=(3.0, 0.1),
        gravity=tilted_gravity(20),
        dissipation=20.0,
    )
    data = mujoco.MjData(model)
    run_for(model, data, 0.3)
    before = data.qvel[0]
    run_for(model, data, 0.5)
    a = np.radians(20)
    return float((data.qvel[0] - before) / 0.5 / (GRAVITY * (np.sin(a) - FRICTION * np.cos(a))))


def free_slide(modulus: float, step: float, coupling: str) -> float:
    """Distance in 0.4 s of a free cube, m."""
    half = CUBE_SIDE / 2
    depth = GRAVITY * np.cos(np.radians(20)) * 0.01 / (modulus * CUBE_SIDE**2)
    model = pad_model(
        cube(1.0, half - depth, ""),
        modulus=modulus,
        step=step,
        friction=0.2,
        pad=(1.0, 0.1),
        gravity=tilted_gravity(20),
        coupling=coupling,
        config={"anchors": 1024},
    )
    data = mujoco.MjData(model)
    data.qpos[0] = -0.3
    run_for(model, data, 0.4)
    return float(data.qpos[0] + 0.3)


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows = []
    seconds = 14.0 if quick else 60.0
    integrators = ["implicitfast"] if quick else ["implicitfast", "discrete", "Euler", "implicit"]
    out.print(f"10 degrees, friction {FRICTION}, 2 ms, {seconds:g} s: drift after 10 s, m/s")
    out.print(f"{'modulus':>8} " + " ".join(f"{i:>13}" for i in integrators))
    for modulus in out.progress(MODULI, "holding"):
        line = []
        for integrator in integrators:
            speed, error = drift(modulus, integrator, seconds)
            line.append(f"{speed:13.1e}")
            rows.append(
                {"test": "hold", "modulus": modulus, "integrator": integrator, "drift_m_s": speed}
                | {"friction_error": error, "within": bool(speed < DRIFT_LIMIT)}
            )
        out.print(f"{modulus:8.0e} " + " ".join(line))
    out.print("Drake 1.5 at the same place: SAP 4e-7 to 2e-6, its default 7e-5 m/s")

    steps = [0.002] if quick else [0.001, 0.002, 0.005]
    out.print("\n20 degrees, guided block: acceleration over g (sin a - mu cos a)")
    for modulus in out.progress(MODULI, "sliding"):
        line = []
        for integrator in ["implicitfast"] if quick else ["implicitfast", "discrete"]:
            for step in steps:
                ratio = acceleration(modulus, step, integrator)
                line.append(f"{integrator} {step * 1e3:g} ms {ratio:.4f}")
                rows.append(
                    {"test": "slide", "modulus": modulus, "step": step, "integrator": integrator, "ratio": ratio}
                    | {"within": bool(abs(ratio - 1) < SLIDE_LIMIT)}
                )
        out.print(f"{modulus:8.0e} " + "  ".join(line))

    out.print("\n20 degrees, friction 0.2, free cube: distance in 0.4 s over that of explicit forces at 20 us")
    for modulus in [1e6] if quick else [1e5, 1e6, 1e7]:
        reference = free_slide(modulus, 2e-5, "explicit")
        line = []
        for step in steps:
            ratio = free_slide(modulus, step, "rows") / reference
            line.append(f"{step * 1e3:g} ms {ratio:.4f}")
            # Semi-implicit Euler runs ahead by half a step: a t h / 2.
            allowed = SLIDE_LIMIT + step / 0.4
            rows.append(
                {"test": "free slide", "modulus": modulus, "step": step, "ratio": ratio}
                | {"within": bool(abs(ratio - 1) < allowed)}
            )
        out.print(f"{modulus:8.0e} reference {reference * 1e3:.1f} mm  " + "  ".join(line))
    return {"rows": rows}
