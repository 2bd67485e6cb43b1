"""What bristles cost: 84 of them against a mesh of 5,040 triangles, beside brute force; up to 10,000; and in MuJoCo.

Core: probes alone, with the tree and triangle by triangle (as the paper did), and a whole step with springs and LuGre;
CPU time of one thread, least of some rounds. MuJoCo: whole steps of the mesh resting on the pad, with bristles, with a
pressure field and with MuJoCo's own point contact (on the convex hull), in turns in one process.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

RADIUS, PITCH, SHAPE, DEPTH, STEP = 0.025, 3.4e-3, (14, 6), 0.012, 2e-3
POINTS = (84, 300, 1000, 3000, 10000)
FLOOR = (
    "Floor of the probes: one visits 3.6 nodes of 224 bytes and 0.84 leaves of 320 bytes, about 1.1 kB and 800 flops "
    "(counted). For 84 that is 90 kB, 1.1 us from the second-level cache at 32 bytes a cycle, and 67 kflop, about "
    "3.9 us at the throughput of their instructions. The rest is the way from node to node, and branches."
)
HEADER = ("", "us", "")
CURVE_HEADER = ("bristles", "pressed", "probes us", "step us", "step, ns a bristle")


def bumpy_ball(rings: int = 35, around: int = 72, radius: float = RADIUS) -> tuple[np.ndarray, np.ndarray]:
    """2 around rings triangles on a sphere with bumps of 2 %: closed, not convex."""
    polar = np.pi * (1 + np.arange(rings)) / (rings + 1)
    turn = 2 * np.pi * np.arange(around) / around
    ring = [np.sin(polar)[:, None] * np.cos(turn), np.sin(polar)[:, None] * np.sin(turn)]
    middle = np.stack([*ring, np.broadcast_to(np.cos(polar)[:, None], (rings, around))], axis=2).reshape(-1, 3)
    n = np.vstack([middle, [0, 0, 1], [0, 0, -1]])
    at = np.arange(rings * around).reshape(rings, around)
    after = np.roll(at, -1, axis=1)
    faces = [
        np.stack([at[:-1], at[1:], after[1:]], axis=2).reshape(-1, 3),
        np.stack([at[:-1], after[1:], after[:-1]], axis=2).reshape(-1, 3),
        np.column_stack([np.full(around, len(n) - 2), at[0], after[0]]),
        np.column_stack([np.full(around, len(n) - 1), after[-1], at[-1]]),
    ]
    bump = np.sin(7 * n[:, 0]) * np.sin(9 * n[:, 1] + 1) * np.sin(8 * n[:, 2] + 2)
    return radius * (1 + 0.02 * bump)[:, None] * n, np.vstack(faces)


def pad_of(points: int) -> taxel.BristlePad:
    size = (SHAPE[1] * PITCH, SHAPE[0] * PITCH)
    pitch = np.sqrt(size[0] * size[1] / points)
    shape = (round(size[1] / pitch), round(size[0] / pitch))
    return taxel.BristlePad(
        taxel.Body.box((*size, 0.006)), stiffness=58.5, depth=DEPTH, friction=(0.435, 0.23), shape=shape
    )


def core(quick: bool, progress: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    ball = taxel.Body.mesh(*bumpy_ball())
    turned = taxel.pose((0.0004, -0.0003, 0.003 + RADIUS - 0.002), (0.9, 0.3, -0.2, 0.25))
    rounds = 5 if quick else 15
    first: dict[str, Any] = {}
    curve = []
    for points in progress(POINTS[:3] if quick else POINTS, "bench bristle"):
        pad = pad_of(points)
        got = pad._core.time(ball, taxel.pose(), turned, (0.01, 0.02, 0.005), 1e-3, rounds, points == POINTS[0])
        first = first or {"points": len(pad), "triangles": 5040, **got}
        curve.append({"points": len(pad), **{key: got[key] for key in ("hits", "probe", "step")}})
    return first, curve


def resting(kind: str) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    size = [SHAPE[1] * PITCH / 2, SHAPE[0] * PITCH / 2, 0.003]
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=size)
    vertices, faces = bumpy_ball()
    spec.add_mesh(name="ball", uservert=vertices.ravel(), userface=faces.astype(np.int32).ravel())
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.003 + RADIUS])
    # It may sink and shift, not roll away.
    for axis in np.eye(3):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="ball", mass=0.15)
    if kind == "field":
        taxel.soften(spec, "pad", modulus=2.36e4, field="backed", friction=(0.435, 0.23))
    elif kind.startswith("bristles"):
        taxel.soften(spec, "pad", stiffness=58.5, depth=DEPTH, friction=(0.435, 0.23), shape=SHAPE)
    if kind in ("bristles, read", "field"):
        taxel.add_sensor(spec, "pad", shape=SHAPE, unit="N")
    return spec.compile()


def in_mujoco(quick: bool, progress: Any) -> list[dict[str, Any]]:
    names = {
        "MuJoCo's point contact": "native",
        "bristles": "bristles",
        "bristles, 14 x 6 taxels read": "bristles, read",
        "pressure field, 14 x 6 taxels read": "field",
    }
    runs = []
    for name, kind in names.items():
        model = resting(kind)
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=500)
        runs.append((name, model, data, []))
    for _ in progress(range(5 if quick else 25), "bench bristle, MuJoCo"):
        for _, model, data, times in runs:
            start = time.thread_time()
            mujoco.mj_step(model, data, nstep=200)
            times.append((time.thread_time() - start) / 200)
    return [
        {"case": name, "microseconds": 1e6 * float(np.median(times)), "real_time": STEP / float(np.median(times))}
        for name, _, _, times in runs
    ]


def measure(quick: bool, progress: Any) -> dict[str, Any]:
    taxel.load()
    first, curve = core(quick, progress)
    return {"rows": [first], "curve": curve, "mujoco": in_mujoco(quick, progress)}


def cells(numbers: dict[str, Any]) -> list[tuple[str, ...]]:
    first = numbers["rows"][0]
    rows = [
        ("84 probes, 5,040 triangles: tree", f"{1e6 * first['probe']:.1f}", f"{first['hits']} meet it"),
        (
            "the same, triangle by triangle",
            f"{1e6 * first['brute_force']:.0f}",
            f"{first['brute_force'] / first['probe']:.0f} x the tree",
        ),
        ("a whole step: probes, springs, LuGre", f"{1e6 * first['step']:.1f}", "bar: 20"),
    ]
    return rows + [
        (f"MuJoCo step: {r['case']}", f"{r['microseconds']:.1f}", f"{r['real_time']:.0f} x real time")
        for r in numbers["mujoco"]
    ]


def curve_cells(numbers: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            str(c["points"]),
            str(c["hits"]),
            f"{1e6 * c['probe']:.1f}",
            f"{1e6 * c['step']:.1f}",
            f"{1e9 * c['step'] / c['points']:.0f}",
        )
        for c in numbers["curve"]
    ]


def draw_curve(numbers: dict[str, Any], path: Path) -> bool:
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    points = [c["points"] for c in numbers["curve"]]
    figure, ax = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
    ax.loglog(points, [1e6 * c["step"] for c in numbers["curve"]], "o-", label="whole step")
    ax.loglog(points, [1e6 * c["probe"] for c in numbers["curve"]], "s--", label="probes, tree")
    first = numbers["rows"][0]
    ax.loglog([first["points"]], [1e6 * first["brute_force"]], "k^", label="probes, triangle by triangle")
    ax.axhline(20, color="0.6", linestyle=":")
    ax.set(xlabel="bristles", ylabel="us, one core", title="against 5,040 triangles")
    ax.grid(alpha=0.3, which="both")
    ax.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return True
