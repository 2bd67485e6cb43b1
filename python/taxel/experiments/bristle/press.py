"""One press, two models: a pressure field and bristles under the same taxels.

The map. A backed layer of thickness H answers the depth d with the pressure E d / H; a bristle that stands for the area
A of the pad with the force k d. They agree where

    k = E A / H   (taxel.bristle_stiffness_of_modulus).

Force and centre of pressure over the depth, by statics (poses in, readings out): a plate over the whole pad, the same
plate tilted, a block off centre, a ball and a lying cylinder; and how the difference falls with more bristles, which
sample what the field integrates. On a slanting surface a difference stays: the paper measures the penetration along the
body's normal and pushes along it, so a bristle under a surface that leans by the angle a carries k d cos^2 a of the
load where the field carries k d. A ball of 20 mm, 2.5 mm deep, is carried with 8 % less.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

ROWS, COLS, PITCH, THICKNESS, MODULUS = 14, 6, 3.4e-3, 0.006, 2.36e4
SIZE = (COLS * PITCH, ROWS * PITCH)
BAR = 0.05


def objects() -> dict[str, tuple[str, list[float], list[float], list[float], str]]:
    """Type, MuJoCo's size, place (x, y), turn (degrees about x, y, z), and what it is."""
    return {
        "plate": ("box", [0.03, 0.04, 0.01], [0, 0], [0, 0, 0], "flat, over the whole pad"),
        "tilted plate": ("box", [0.03, 0.04, 0.01], [0, 0], [1.5, 2.0, 0], "by 1.5 and 2 degrees"),
        "block": ("box", [0.0065, 0.01, 0.01], [0.001, 0.004], [0, 0, 0], "13 x 20 mm, off centre"),
        "turned block": ("box", [0.007, 0.011, 0.01], [0.001, 0.004], [0, 0, 25], "by 25 degrees"),
        "ball": ("sphere", [0.02, 0, 0], [0.0012, -0.0031], [0, 0, 0], "radius 20 mm"),
        "cylinder": ("cylinder", [0.015, 0.02, 0], [0.0, 0.002], [0, 90, 30], "radius 15 mm, lying"),
    }


def model_with(kind: str, size: list[float], turn: list[float]) -> Any:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(
        name="pad",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[SIZE[0] / 2, SIZE[1] / 2, THICKNESS / 2],
        pos=[0, 0, -THICKNESS / 2],
    )
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.radians(turn), "xyz")
    body = spec.worldbody.add_body(name="thing", mocap=True, quat=quat)
    body.add_geom(name="thing", type=getattr(mujoco.mjtGeom, "mjGEOM_" + kind.upper()), size=size)
    return spec.compile()


def lowest(kind: str, size: list[float], turn: list[float]) -> float:
    """How far its lowest point lies below its middle."""
    R = np.zeros(9)
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.radians(turn), "xyz")
    mujoco.mju_quat2Mat(R, quat)
    down = R.reshape(3, 3)[2]
    if kind == "box":
        # The plate is larger than the pad: what counts is the lowest point over it.
        return float(abs(down) @ size)
    if kind == "sphere":
        return size[0]
    return float(size[1] * abs(down[2]) + size[0] * np.hypot(down[0], down[1]))


def measure(reader: Any, model: Any, data: Any, place: list[float], height: float) -> tuple[float, np.ndarray]:
    data.mocap_pos[0] = [*place, height]
    mujoco.mj_forward(model, data)
    touches = reader(data)
    if not touches:
        return 0.0, np.full(2, np.nan)
    touch = touches[0]
    return abs(float(touch.wrench_on("pad")[2])), np.array(touch.surface.center_of_pressure[:2])


def compare(name: str, depths: np.ndarray, dense: int) -> dict[str, Any]:
    kind, size, place, turn, what = objects()[name]
    model = model_with(kind, size, turn)
    data = mujoco.MjData(model)
    rows, cols = ROWS * dense, COLS * dense
    area = SIZE[0] * SIZE[1] / (rows * cols)
    field = taxel.Reader(model, soft={"pad": {"modulus": MODULUS, "field": "backed", "dissipation": 0}}, scale="none")
    bristles = {
        "stiffness": taxel.bristle_stiffness_of_modulus(MODULUS, area, THICKNESS),
        "thickness": THICKNESS,
        "friction": 0,
        "shape": (rows, cols),
    }
    points = taxel.Reader(model, soft={"pad": bristles}, scale="none")
    # Depths count from the first touch with the field.
    low = lowest(kind, size, turn)
    touch, step = low, 1e-4
    while measure(field, model, data, place, touch)[0] == 0:
        touch -= step
    high = touch + step
    for _ in range(40):
        middle = 0.5 * (touch + high)
        touch, high = (touch, middle) if measure(field, model, data, place, middle)[0] == 0 else (middle, high)
    both = [[measure(r, model, data, place, touch - d) for d in depths] for r in (field, points)]
    force = np.array([[f for f, _ in line] for line in both])
    center = np.array([[c for _, c in line] for line in both])
    deep = depths >= 0.2 * depths[-1]
    return {
        "case": name,
        "what": what,
        "points": rows * cols,
        "depth_m": depths,
        "field_N": force[0],
        "bristle_N": force[1],
        "field_center_m": center[0],
        "bristle_center_m": center[1],
        "force_difference": float(np.max(np.abs(force[1] / force[0] - 1)[deep])),
        "center_difference_m": float(np.nanmax(np.linalg.norm(center[1] - center[0], axis=1)[deep])),
    }


def plot(folder: Path, rows: list[dict[str, Any]]) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained")
    base = [r for r in rows if r["points"] == ROWS * COLS]
    for k, r in enumerate(base):
        colour = f"C{k}"
        depth = 1e3 * r["depth_m"]
        axes[0].plot(depth, r["field_N"], color=colour, label=r["case"])
        axes[0].plot(depth[::2], r["bristle_N"][::2], "o", color=colour, markersize=3.5)
        along = 1e3 * r["field_center_m"][:, 1], 1e3 * r["bristle_center_m"][:, 1]
        axes[1].plot(depth, along[0], color=colour)
        axes[1].plot(depth[::2], along[1][::2], "o", color=colour, markersize=3.5)
    axes[0].plot([], [], "k-", label="pressure field")
    axes[0].plot([], [], "ko", markersize=3.5, label="bristles, 14 x 6")
    axes[0].set(xlabel="depth, mm", ylabel="force, N", title="k = E A / H: one stiffness", ylim=(0, None))
    axes[0].legend(fontsize=7)
    axes[1].set(xlabel="depth, mm", ylabel="centre of pressure along the pad, mm", title="where it presses")
    for name in dict.fromkeys(r["case"] for r in rows):
        chosen = [r for r in rows if r["case"] == name]
        number = [r["points"] for r in chosen]
        axes[2].loglog(number, [max(r["force_difference"], 1e-6) for r in chosen], "o-", label=name)
    axes[2].axhline(BAR, color="0.6", linestyle=":")
    axes[2].set(xlabel="bristles", ylabel="greatest difference of the force", title="more bristles, less difference")
    for ax in axes:
        ax.grid(alpha=0.3)
    path = folder / "bristle_press.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    taxel.load()
    depths = np.linspace(1e-4, 2.5e-3, 7 if quick else 25)
    cases = [(name, dense) for name in objects() for dense in ((1, 2) if quick else (1, 2, 4, 8))]
    rows = [compare(name, depths, dense) for name, dense in out.progress(cases, "bristle-press")]
    for r in rows:
        # The flat press has a bar; of the others, that more bristles come nearer.
        if r["case"] == "plate":
            r["within"] = bool(r["force_difference"] < BAR and r["center_difference_m"] < 1e-4)
    out.print("object          bristles   force differs by at most   centre of pressure by mm   (depth 0.5 to 2.5 mm)")
    for r in rows:
        out.print(
            f"{r['case']:14} {r['points']:7}   {r['force_difference']:14.3%} {1e3 * r['center_difference_m']:24.3f}"
            + ("" if r.get("within", True) else "  <--")
        )
    path = plot(folder, rows)
    out.print(f"picture: {path}")
    return {"rows": rows, "stiffness_N_m": MODULUS * PITCH**2 / THICKNESS, "pictures": [path]}
