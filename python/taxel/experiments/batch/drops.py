"""Random drops in mujoco_warp: every primitive onto pads soft and stiff, thick and thin, slow and fast.

Judged in every world: nothing is NaN, no middle passes the back of the pad, and the energy (of motion, spin and
height) never rises above that of the start by more than 1 % of what moved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...report import table

G = mujoco.mjtGeom
OBJECTS = {
    "sphere": (G.mjGEOM_SPHERE, (0.015, 0, 0)),
    "box": (G.mjGEOM_BOX, (0.015, 0.02, 0.01)),
    "cylinder": (G.mjGEOM_CYLINDER, (0.012, 0.015, 0)),
    "capsule": (G.mjGEOM_CAPSULE, (0.01, 0.015, 0)),
    "ellipsoid": (G.mjGEOM_ELLIPSOID, (0.015, 0.02, 0.01)),
}
# Step (s), modulus (Pa), thickness (m), mass (kg).
PADS = ((0.001, 1e5, 0.005, 0.1), (0.002, 3e4, 0.018, 0.5), (0.005, 1e6, 0.004, 0.05), (0.002, 3e6, 0.003, 1.0))
# Step (s), stiffness of a bristle (N/m), thickness (m), mass (kg).
FOAMS = ((0.001, 100.0, 0.01, 0.1), (0.002, 58.5, 0.012, 0.2), (0.005, 500.0, 0.008, 0.05))
HALF, SECONDS = 0.05, 0.25


def _model(kind: Any, size: Any, step: float, modulus: float, thickness: float, mass: float, bristles: bool) -> Any:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep = step
    if bristles:
        spec.worldbody.add_geom(name="pad", type=G.mjGEOM_BOX, size=(HALF, HALF, 0.5 * thickness))
        keys = {"stiffness": modulus, "depth": thickness, "friction": (0.6, 0.4), "shape": (24, 24)}
        taxel.soften(spec, "pad", **keys)
    else:
        taxel.sensors.pad(size=(2 * HALF, 2 * HALF), shape=(16, 16), modulus=modulus, thickness=thickness).add_to(spec)
    body = spec.worldbody.add_body(name="object", pos=(0, 0, 0.05))
    body.add_freejoint()
    body.add_geom(type=kind, size=size, mass=mass)
    return spec.compile()


def _start(worlds: int, thickness: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    qpos, qvel = np.zeros((worlds, 7)), np.zeros((worlds, 6))
    turn = rng.normal(size=(worlds, 4))
    qpos[:, 3:] = turn / np.linalg.norm(turn, axis=1)[:, None]
    qpos[:, :2] = rng.uniform(-0.03, 0.03, (worlds, 2))
    qpos[:, 2] = 0.5 * thickness + 0.028 + rng.uniform(0, 0.02, worlds)
    qvel[:, 2] = -(10 ** rng.uniform(-1, np.log10(5), worlds))
    qvel[:, :2] = 0.2 * rng.normal(size=(worlds, 2))
    qvel[:, 3:] = 5 * rng.normal(size=(worlds, 3))
    return qpos, qvel


def drop(
    name: str, pad: tuple[float, float, float, float], worlds: int, seed: int, bristles: bool = False
) -> dict[str, Any]:
    """All worlds of one object and pad; of bristles, the second number of the pad is their stiffness."""
    import mujoco_warp as mjw
    import warp as wp

    import taxel.warp

    wp.config.log_level = wp.LOG_WARNING
    step, modulus, thickness, mass = pad
    model = _model(*OBJECTS[name], step, modulus, thickness, mass, bristles)
    data = mujoco.MjData(model)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=60, njmax=160)
    soft = taxel.warp.attach(model, m, d, blocks=4)
    qpos, qvel = _start(worlds, thickness, np.random.default_rng(seed))
    d.qpos.assign(qpos.astype(np.float32))
    d.qvel.assign(qvel.astype(np.float32))
    body = model.body("object")
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, body.iquat)

    def energy() -> np.ndarray:
        p, v = d.qpos.numpy().astype(float), d.qvel.numpy().astype(float)
        spin = v[:, 3:] @ turn.reshape(3, 3)
        return 0.5 * mass * (v[:, :3] ** 2).sum(1) + 0.5 * (body.inertia * spin**2).sum(1) + mass * 9.81 * p[:, 2]

    first = energy()
    most, lowest = first.copy(), np.full(worlds, np.inf)
    for _ in range(round(SECONDS / step)):
        mjw.step(m, d)
        most = np.fmax(most, energy())
        x, y, z = d.qpos.numpy()[:, :3].T
        lowest = np.where(np.maximum(abs(x), abs(y)) < HALF - 0.01, np.minimum(lowest, z), lowest)
    nan = ~np.isfinite(energy())
    fell = lowest < -0.5 * thickness
    moving = first - mass * 9.81 * qpos[:, 2]
    gain = most - first > 0.01 * moving + 1e-5
    return {
        "object": name,
        "step": step,
        "pad": "bristles" if bristles else "columns",
        "stiffness_N_m" if bristles else "modulus": modulus,
        "thickness": thickness,
        "mass": mass,
        "drops": worlds,
        "nan": int(nan.sum()),
        "fell_through": int(fell.sum()),
        "gained": int(gain.sum()),
        "overflow": soft.overflow(),
        "within": bool(not (nan | fell | gain).any()),
    }


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    worlds = 2 if quick else 50
    cases = [(name, pad, False) for name in OBJECTS for pad in PADS]
    foams = FOAMS[1:2] if quick else FOAMS
    cases += [(name, pad, True) for name in OBJECTS for pad in foams]
    rows = [
        drop(name, pad, worlds, seed, bristles)
        for seed, (name, pad, bristles) in enumerate(out.progress(cases, "dropping"))
    ]
    header = (
        "object",
        "pad",
        "step, ms",
        "modulus, Pa (N/m)",
        "thickness, mm",
        "mass, kg",
        "drops",
        "nan",
        "through",
        "gain",
    )
    cells = [
        (
            r["object"],
            r["pad"],
            f"{1e3 * r['step']:g}",
            f"{r.get('modulus', r.get('stiffness_N_m')):.3g}",
            f"{1e3 * r['thickness']:g}",
            f"{r['mass']:g}",
        )
        + tuple(str(r[k]) for k in ("drops", "nan", "fell_through", "gained"))
        for r in rows
    ]
    out.print(table(header, cells))
    failed = sum(r["nan"] + r["fell_through"] + r["gained"] for r in rows)
    out.print(f"\n{failed} of {sum(r['drops'] for r in rows)} drops failed")
    return {"rows": rows}
