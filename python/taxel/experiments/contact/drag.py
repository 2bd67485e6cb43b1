"""Dragging at constant speed must not lift, sink or lose friction.

A cube and a ball of 1 kg, 5 cm, moved along the pad at a given speed (free in height, guided otherwise). Depth over the
depth at rest, vertical force over m g, and friction over mu N, where N and the friction are summed over the contact
points (on a ball the normals are spread, so the horizontal force has a part that is pressure; it is shown as drag).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .scenes import CUBE_SIDE, GRAVITY, PAD_THICKNESS, pad_model, run_for

LIMIT = 0.005
FRICTION = 0.5
RADIUS = CUBE_SIDE / 2


def static_depth(shape: str, modulus: float) -> float:
    if shape == "cube":
        return GRAVITY * PAD_THICKNESS / (modulus * CUBE_SIDE**2)
    # A ball on a foundation: F = pi R E d^2 / H (small depths; only a starting point).
    return float(np.sqrt(GRAVITY * PAD_THICKNESS / (np.pi * RADIUS * modulus)))


def contact_sums(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[float, float]:
    """Sum of normal forces, sum of friction forces over the contact points."""
    normal = friction = 0.0
    force = np.zeros(6)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        normal += force[0]
        friction += float(np.hypot(force[1], force[2]))
    return normal, friction


def drag(shape: str, modulus: float, speed: float, step: float, integrator: str = "implicitfast") -> dict[str, float]:
    size = f"{RADIUS} {RADIUS} {RADIUS}" if shape == "cube" else f"{RADIUS}"
    kind = "box" if shape == "cube" else "sphere"
    seconds = float(np.clip(0.06 / speed, 0.2, 6.0))  # several times the size of the contact
    # Heavy along x, so that its speed stays; 1 kg in height.
    body = (
        '<body name="object" pos="0 0 0.025"><joint type="slide" axis="1 0 0" armature="1e5"/>'
        f'<joint type="slide" axis="0 0 1"/><geom name="object" type="{kind}" size="{size}" mass="1"/></body>'
    )
    model = pad_model(
        body,
        modulus=modulus,
        step=step,
        friction=FRICTION,
        integrator=integrator,
        pad=(max(0.2, 2 * speed * seconds + 0.2), 0.1),
        dissipation=0.2,  # little: on the flanks of a fast ball damping is a force of its own
        config={"anchors": 1024},
    )
    data = mujoco.MjData(model)
    data.qpos[1] = -static_depth(shape, modulus)
    run_for(model, data, 8.0)
    rest = -data.qpos[1]
    data.qpos[0] = -speed * seconds / 2
    data.qvel[0] = speed
    run_for(model, data, 0.4 * seconds)
    samples = []
    for _ in range(round(0.5 * seconds / step)):
        mujoco.mj_step(model, data)
        pad = data.sensor("pad").data
        samples.append([-data.qpos[1], -pad[2], pad[0], *contact_sums(model, data)])
    depth, force, drag_force, normal, friction = np.mean(samples, axis=0)
    return {
        "depth": depth / rest,
        "force": force / GRAVITY,
        "friction": friction / (FRICTION * normal),
        "drag": drag_force / (FRICTION * GRAVITY),
    }


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows = []
    steps = [0.002] if quick else [0.001, 0.002, 0.005]
    speeds = [0.1] if quick else [0.01, 0.1, 0.5]
    moduli = [1e6] if quick else [1e5, 1e6, 1e7]
    integrators = ["implicitfast"] if quick else ["implicitfast", "discrete"]
    cases = list(itertools.product(("cube", "ball"), moduli, speeds, steps, integrators))
    out.print("shape integrator    modulus  mm/s   ms    depth   force  friction    drag")
    for shape, modulus, speed, step, integrator in out.progress(cases, "dragging"):
        r = drag(shape, modulus, speed, step, integrator)
        within = all(abs(r[k] - 1) < LIMIT for k in ("depth", "force", "friction"))
        rows.append(
            {"shape": shape, "modulus": modulus, "speed": speed, "step": step, "integrator": integrator}
            | r
            | {"within": bool(within)}
        )
        out.print(
            f"{shape:5} {integrator:12} {modulus:8.0e} {speed * 1e3:5g} {step * 1e3:4g} "
            f"{r['depth']:8.4f} {r['force']:7.4f} {r['friction']:8.4f} {r['drag']:8.4f}" + ("" if within else "  <--")
        )
    bad = [r for r in rows if not r["within"]]
    out.print(f"{len(rows) - len(bad)} of {len(rows)} within {LIMIT:.1%}")
    return {"rows": rows}
