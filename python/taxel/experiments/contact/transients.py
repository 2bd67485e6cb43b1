"""What the time step costs when things change fast: braking, a tilted landing, a spinning block, a drop.

Each is run with rows at several steps and with the same law as explicit forces at 20 us, which is converged. Stopping
distance must be right within v0 h / 2 (what MuJoCo's semi-implicit Euler loses by itself) plus 1 %, the place of the
landing within 5 % at 1 ms, the peak force of the drop within 5 % at 0.25 ms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .plots import lines
from .scenes import CUBE_SIDE, GRAVITY, cube, pad_model, run_for

REFERENCE_STEP = 2e-5
STEPS = [1e-4, 2.5e-4, 5e-4, 1e-3, 2e-3, 5e-3]
HALF = CUBE_SIDE / 2
SPEED = 0.5


def _rest_height(modulus: float) -> float:
    return HALF - GRAVITY * 0.01 / (modulus * CUBE_SIDE**2)


def braking(modulus: float, step: float, coupling: str, integrator: str = "implicitfast") -> np.ndarray:
    """Stopping distance of a free cube from 0.5 m/s, mm."""
    model = pad_model(
        cube(1.0, _rest_height(modulus)),
        modulus=modulus,
        step=step,
        pad=(0.4, 0.2),
        coupling=coupling,
        integrator=integrator,
    )
    data = mujoco.MjData(model)
    data.qvel[0] = SPEED
    run_for(model, data, 0.2)
    return np.array([data.qpos[0] * 1e3])


def landing(modulus: float, step: float, coupling: str, integrator: str = "implicitfast") -> np.ndarray:
    """A cube tilted by 8 degrees about a skew axis lands with 0.3 m/s sideways; where it stops: x, y in mm, yaw."""
    model = pad_model(
        cube(1.0, 0.0306),
        modulus=modulus,
        step=step,
        pad=(0.4, 0.4),
        dissipation=20.0,
        coupling=coupling,
        integrator=integrator,
    )
    data = mujoco.MjData(model)
    a = np.radians(8) / 2
    data.qpos[3:7] = [np.cos(a), 0.8 * np.sin(a), 0.6 * np.sin(a), 0.0]
    data.qvel[0] = 0.3
    run_for(model, data, 0.5)
    q = data.qpos[3:7]
    return np.array([data.qpos[0] * 1e3, data.qpos[1] * 1e3, np.degrees(2 * np.arctan2(q[3], q[0]))])


def spinning(modulus: float, step: float, coupling: str, integrator: str = "implicitfast") -> np.ndarray:
    """A cube that spins at 20 rad/s and slides at 0.1 m/s; angle until it stops, degrees, and distance, mm."""
    model = pad_model(
        cube(1.0, _rest_height(modulus)), modulus=modulus, step=step, coupling=coupling, integrator=integrator
    )
    data = mujoco.MjData(model)
    data.qvel[0], data.qvel[5] = 0.1, 20.0
    angle = 0.0
    for _ in range(round(0.3 / step)):
        mujoco.mj_step(model, data)
        angle += data.qvel[5] * step
    return np.array([np.degrees(angle), data.qpos[0] * 1e3])


def drop(modulus: float, step: float, coupling: str, integrator: str = "implicitfast") -> np.ndarray:
    """1 mm of fall: peak force N, depth mm, rebound mm."""
    model = pad_model(cube(1.0, HALF + 1e-3), modulus=modulus, step=step, coupling=coupling, integrator=integrator)
    data = mujoco.MjData(model)
    force, height = [], []
    for _ in range(round(0.1 / step)):
        mujoco.mj_step(model, data)
        force.append(-data.sensor("pad").data[2])
        height.append(data.qpos[2])
    lowest = int(np.argmin(height))
    return np.array([max(force), (HALF - height[lowest]) * 1e3, (max(height[lowest:]) - HALF) * 1e3])


EXPERIMENTS = {
    "braking": (braking, [1e5, 1e6, 1e7]),
    "landing": (landing, [1e5, 1e6, 1e7]),
    "spinning": (spinning, [1e5, 1e6]),
    "drop": (drop, [1e6]),
}


def judge(name: str, step: float, value: np.ndarray, reference: np.ndarray) -> bool | None:
    if name == "braking":
        return bool(abs(value[0] - reference[0]) <= SPEED * step / 2 * 1e3 + 0.01 * reference[0])
    if name == "landing" and step <= 1e-3:
        return bool(np.linalg.norm(value[:2] - reference[:2]) <= 0.05 * np.linalg.norm(reference[:2]))
    if name == "drop" and step <= 2.5e-4:
        return bool(abs(value[0] / reference[0] - 1) <= 0.05)
    return None


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    steps = [2.5e-4, 1e-3, 5e-3] if quick else STEPS
    labels = {
        "braking": "stopping distance, mm",
        "landing": "x, y in mm, yaw in degrees",
        "spinning": "angle in degrees, distance in mm",
        "drop": "peak force N, depth mm, rebound mm",
    }
    cases = [(n, f, e) for n, (f, moduli) in EXPERIMENTS.items() for e in (moduli[1:2] or moduli if quick else moduli)]
    for name, function, modulus in out.progress(cases, "transients"):
        reference = function(modulus, REFERENCE_STEP, "explicit")
        out.print(f"\n{name} at {modulus:.0e} Pa: {labels[name]};  converged: {np.round(reference, 3)}")
        errors: dict[str, tuple[list[float], list[float]]] = {}
        for integrator in ["implicitfast"] if quick else ["implicitfast", "discrete"]:
            xs, ys = [], []
            for step in steps:
                value = function(modulus, step, "rows", integrator)
                within = judge(name, step, value, reference)
                row = {"test": name, "modulus": modulus, "step": step, "integrator": integrator}
                row |= {"value": value.tolist(), "reference": reference.tolist()}
                if within is not None and integrator == "implicitfast":
                    row["within"] = within
                rows.append(row)
                mark = "" if row.get("within", True) else "  <--"
                out.print(f"   {integrator:12} {step * 1e3:5g} ms  {np.round(value, 3)}{mark}")
                xs.append(step * 1e3)
                ys.append(max(abs(value[0] / reference[0] - 1), 1e-5))
            errors[integrator] = (xs, ys)
        lines(
            folder / f"contact_{name}_{modulus:.0e}.png".replace("+", ""),
            errors,
            x="time step, ms",
            y=f"relative error of the {labels[name].split(',')[0]}",
            title=f"{name} at {modulus:.0e} Pa: rows against explicit forces at 20 us",
            log="xy",
            reference={"1 %": 0.01},
        )
    out.print(
        "\nAt rest and in steady sliding the step does not matter. Impacts shorter than a few steps are damped: halve\n"
        "the step until the peak no longer changes, or give the skin its real dissipation, which then damps instead."
    )
    return {"rows": rows}
