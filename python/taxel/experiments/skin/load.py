"""Does the reading follow the load?

A sphere and a cylinder, guided so that they cannot turn, rest on a tactile pad, by their weight alone and pushed
sideways with a fifth of it. Several tactile sensors sit on the same pad: grids of 8 x 8 to 64 x 64 integrated exactly,
and rays, few and many; one pad of one modulus for all masses. Sum of all taxels over the true load, normal and shear,
as the mean of the last half second (a ball on 16 blocks never quite stops: it trembles by less than a micrometre and
1e-4 of its weight).

What is checked: the exact read-out shares the solver's own contact force out among the taxels, so its sum equals that
force in every single step by construction. That it equals the weight says that the solver found the balance and that
the sharing loses nothing; it is no independent proof of the pressures themselves. Rays know nothing of the sum.

Peers, for comparison: MuJoCo's own ``tactile`` reads depth, not force; Genesis 1.4.5 reads 86.5 N for every mass from
0.1 to 5 kg (its taxels are penetration times a gain).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

GRAVITY = 9.81
EXACT_LIMIT, RAYS_LIMIT = 1e-4, 1e-2
PUSH = 0.2  # of the weight
PAD = (0.08, 0.08, 0.018)
MODULUS = 4e4
"""Of the pad, Pa, whatever the mass: the ball sinks in by 2.1 mm at 0.1 kg and by 15.2 of the 18 mm at 5 kg."""
SETTLE, HEAVY, HEAVY_SETTLE = 2.5, 5.0, 6.0
"""s, kg, s: 5 kg, pushed, swing sideways on the pad with a period of 3.5 s and need longer to come to rest."""
SENSORS = {
    "exact 8x8": dict(shape=(8, 8)),
    "exact 16x16": dict(shape=(16, 16)),
    "exact 24x40": dict(shape=(24, 40)),
    "exact 64x64": dict(shape=(64, 64)),
    "rays 8x8, 10 a side": dict(shape=(8, 8), readout="rays", samples=10),
    "rays 16x16, 5 a side": dict(shape=(16, 16), readout="rays", samples=5),
    "rays 16x16, 20 a side": dict(shape=(16, 16), readout="rays", samples=20),
    "rays 64x64, 2 a side": dict(shape=(64, 64), readout="rays", samples=2),
}
SHAPES = {
    "sphere": dict(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.03, 0, 0]),
    "cylinder": dict(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.0225, 0.03, 0]),
}


def scene(shape: str, mass: float, step: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    world = spec.worldbody
    # The pad is turned in the world, so that a wrong frame shows.
    frame = world.add_body(name="frame", euler=[0, 0, 30])
    frame.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[x / 2 for x in PAD])
    lying = shape == "cylinder"
    body = world.add_body(name="object", pos=[0.003, -0.002, PAD[2] / 2 + SHAPES[shape]["size"][0]])
    for axis in np.eye(3):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(name="object", mass=mass, euler=[0, 90, 0] if lying else [0, 0, 0], **SHAPES[shape])
    taxel.soften(spec, "pad", modulus=MODULUS, field="backed", dissipation=5.0, friction=0.6)
    for k, keys in enumerate(SENSORS.values()):
        taxel.add_sensor(spec, "pad", name=f"s{k}", output="pressure shear", unit="N", show_taxels=False, **keys)
    return spec.compile()


def rest(shape: str, mass: float, step: float, pushed: bool) -> list[dict[str, Any]]:
    model = scene(shape, mass, step)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(1.0 / step))
    weight, settle = mass * GRAVITY, HEAVY_SETTLE if mass >= HEAVY else SETTLE
    push = PUSH * weight * np.array([np.cos(0.4), np.sin(0.4)]) if pushed else np.zeros(2)
    for share in np.linspace(0, 1, 50):  # slowly, or it would overshoot and slip
        data.xfrc_applied[2, :2] = share * push
        mujoco.mj_step(model, data, nstep=max(1, round(0.01 / step)))
    mujoco.mj_step(model, data, nstep=round(settle / step))
    sensors = [taxel.Sensor(model, f"s{k}") for k in range(len(SENSORS))]
    sums = np.zeros((len(SENSORS), 3))
    contact, flicker = np.zeros(6), 0.0
    steps = round(0.5 / step)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        true = taxel.wrench(model, data, "pad")
        contact += true / steps
        for k, sensor in enumerate(sensors):
            parts = sensor.parts(data)
            sums[k] += [parts["pressure"].sum() / steps, *(parts["shear"].sum(axis=(1, 2)) / steps)]
            if k == 1:
                flicker = max(flicker, abs(parts["pressure"].sum() + true[2]) / weight)
    turn = np.radians(30)
    back = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    rows = []
    for k, name in enumerate(SENSORS):
        normal, shear = sums[k, 0], back @ sums[k, 1:]
        rows.append(
            {
                "shape": shape,
                "mass": mass,
                "step": step,
                "pushed": pushed,
                "sensor": name,
                "load": weight,
                "sum": float(normal),
                "normal_error": float(normal / weight - 1),
                "push": float(np.linalg.norm(push)),
                "shear": shear,
                # On the scale of the push, or of the weight where there is none.
                "shear_error": float(np.linalg.norm(shear - push) / (PUSH * weight)),
                "depth": float(PAD[2] / 2 + SHAPES[shape]["size"][0] - data.body("object").xpos[2]),
                "lit": int((sensors[k].parts(data)["pressure"] > 0).sum()),
                "against_contact": flicker,
            }
        )
    return rows


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    masses = [0.5] if quick else [0.1, 0.5, 1, 2, 5]
    steps = [0.002] if quick else [0.001, 0.002, 0.005]
    cases = list(itertools.product(SHAPES, masses, steps, (False, True)))
    rows = []
    for shape, mass, step, pushed in out.progress(cases, "load"):
        rows += rest(shape, mass, step, pushed)
    out.print("shape     kg    ms  push N  sensor                  load N     sum N   normal     shear   lit  depth mm")
    for r in rows:
        limit = EXACT_LIMIT if r["sensor"].startswith("exact") else RAYS_LIMIT
        r["within"] = bool(abs(r["normal_error"]) < limit and r["shear_error"] < limit)
        if not quick and r["step"] != 0.002 and r["within"]:
            continue  # the table shows one time step; the JSON has all
        out.print(
            f"{r['shape']:8} {r['mass']:4g} {1e3 * r['step']:4g} {r['push']:7.3f}  {r['sensor']:22} {r['load']:8.4f} "
            f"{r['sum']:9.5f} {r['normal_error']:+9.1e} {r['shear_error']:8.1e} {r['lit']:5} {1e3 * r['depth']:9.3f}"
            + ("" if r["within"] else "  <--")
        )
    good = sum(r["within"] for r in rows)
    worst = {
        kind: [
            max(abs(r[key]) for r in rows if r["sensor"].startswith(kind)) for key in ("normal_error", "shear_error")
        ]
        for kind in ("exact", "rays")
    }
    out.print(
        f"{good} of {len(rows)} within {EXACT_LIMIT:g} (exact) and {RAYS_LIMIT:g} (rays); worst normal and shear: "
        f"exact {worst['exact'][0]:.1e}, {worst['exact'][1]:.1e}; rays {worst['rays'][0]:.1e}, {worst['rays'][1]:.1e}"
    )
    out.print(
        "exact sum against MuJoCo's contact force, which it shares out, single steps: "
        f"{max(r['against_contact'] for r in rows):.1e} of the weight"
    )
    out.print("Genesis 1.4.5, same kind of scene: 86.5 N for 0.1, 0.5, 1, 2 and 5 kg (0.98 to 49.05 N)")
    return {"experiment": "skin-load", "modulus": MODULUS, "rows": rows, "worst": worst}
