"""Soft contact in mujoco_warp beside the plugin in MuJoCo, same models: rest, a slope, a slide, a grasp.

Rest: depth, force and the sum of the taxels. Slope: 10 degrees, the drift once it has settled. Slide: 30 degrees, the
way in 0.25 s. Grasp: a peg held by two pads, and how far it slips. mujoco_warp works in float32.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report import table
from .scenes import GRAVITY, STEP, Both, ball, block, peg

REST_LIMIT, TAXEL_LIMIT, DRIFT_LIMIT, SLIP_LIMIT = 1e-3, 1e-4, 1e-6, 1e-5


def _rest(rows: list[dict[str, Any]], seconds: float, images: dict[str, Any], progress) -> None:
    scenes = [("box 0.1 kg", block(0.1), "box", "pad", 0.1, 0.019), ("box 1 kg", block(1.0), "box", "pad", 1.0, 0.019)]
    scenes.append(("ball 0.2 kg", ball(), "ball", "myrmex", 0.2, 0.029))
    for name, model, body, sensor, mass, touch in progress(scenes, "resting"):
        both = Both(model)
        both.step(round(seconds / STEP))
        ours, plugin = both.place(body)
        image, wanted = both.image(sensor)
        depth, wanted_depth = touch - ours[2], touch - plugin[2]
        load = float(image.sum() * 25e-6)
        row = {
            "test": "rest",
            "case": name,
            "depth_mm": 1e3 * depth,
            "plugin_mm": 1e3 * wanted_depth,
            "depth_off": abs(depth / wanted_depth - 1),
            "load_off": abs(load / (mass * GRAVITY) - 1),
        }
        # Round bodies rest on columns of 5 mm here, and on polygons under the plugin.
        row["within"] = bool(
            row["depth_off"] < (REST_LIMIT if body == "box" else 5e-3) and row["load_off"] < TAXEL_LIMIT
        )
        rows.append(row)
        images[name] = image, wanted


def _slope(rows: list[dict[str, Any]], seconds: float) -> None:
    both = Both(block(1.0, 10.0))
    both.step(round(2.0 / STEP), plugin=False)
    before = both.place("box")[0]
    both.step(round(seconds / STEP), plugin=False)
    drift = float(np.linalg.norm((both.place("box")[0] - before)[:2])) / seconds
    rows.append({"test": "slope", "case": "10 degrees", "drift_m_s": drift, "within": bool(drift < DRIFT_LIMIT)})


def _slide(rows: list[dict[str, Any]]) -> None:
    both = Both(block(1.0, 30.0, modulus=1e6, length=0.4))
    start = both.place("box")[0][0]
    both.step(round(0.25 / STEP))
    ours, plugin = (p[0] - start for p in both.place("box"))
    off = abs(ours / plugin - 1)
    rows.append(
        {"test": "slide", "case": "30 degrees", "way_mm": 1e3 * ours, "plugin_mm": 1e3 * plugin, "off": off}
        | {"within": bool(off < 0.01)}
    )


def _grasp(rows: list[dict[str, Any]], seconds: float) -> list[tuple[float, float]]:
    both = Both(peg(), ctrl=10.0, blocks=4)
    both.d.ctrl.assign(np.full((1, 2), 10.0, np.float32))
    both.step(250)
    ours, plugin = both.place("peg")
    curve = [(0.5, 0.0)]
    for _ in range(8):
        both.step(round(seconds / 8 / STEP), plugin=False)
        curve.append((curve[-1][0] + seconds / 8, float(np.linalg.norm(both.place("peg")[0][1:] - ours[1:]))))
    slip = max(s for _, s in curve)
    rows.append(
        {"test": "grasp", "case": f"{seconds:g} s", "slip_mm": 1e3 * slip}
        | {"plugin_off_mm": 1e3 * float(np.linalg.norm(ours - plugin)), "within": bool(slip < SLIP_LIMIT)}
    )
    return curve


def draw(images: dict[str, Any], curve: list[tuple[float, float]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(10, 6.2), layout="constrained")
    shown = [k for k in images if k != "box 0.1 kg"]
    for column, name in enumerate(shown):
        top = max(float(i.max()) for i in images[name])
        for ax, image, title in zip(axes[:, column], images[name], ("mujoco_warp", "plugin"), strict=True):
            drawn = ax.imshow(1e-3 * image, origin="lower", vmin=0, vmax=1e-3 * top, cmap="viridis")
            ax.set_title(f"{name}: {title}", fontsize=10)
            ax.set_xticks([])
            ax.set_yticks([])
        figure.colorbar(drawn, ax=axes[:, column], label="kPa", shrink=0.8)
    off = images[shown[-1]][0] - images[shown[-1]][1]
    top = max(float(abs(off).max()), 1e-9)
    drawn = axes[0, 2].imshow(1e-3 * off, origin="lower", cmap="RdBu", vmin=-1e-3 * top, vmax=1e-3 * top)
    axes[0, 2].set_title(f"{shown[-1]}: difference", fontsize=10)
    axes[0, 2].set_xticks([])
    axes[0, 2].set_yticks([])
    figure.colorbar(drawn, ax=axes[0, 2], label="kPa", shrink=0.8)
    t, s = np.array(curve).T
    axes[1, 2].plot(t, 1e6 * s, marker="o")
    axes[1, 2].set(xlabel="time, s", ylabel="slip of the peg, um")
    axes[1, 2].set_title("a peg held by two pads of 16 x 16", fontsize=10)
    axes[1, 2].grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    images: dict[str, Any] = {}
    _rest(rows, 0.6 if quick else 2.0, images, out.progress)
    _slope(rows, 1.0 if quick else 10.0)
    _slide(rows)
    curve = _grasp(rows, 0.8 if quick else 60.0)
    cells = [
        (
            row["test"],
            row["case"],
            "  ".join(f"{k} {v:.3g}" for k, v in row.items() if isinstance(v, float)),
            "" if row["within"] else "MISSED",
        )
        for row in rows
    ]
    out.print(table(("test", "case", "measured", ""), cells, left=4))
    draw(images, curve, folder / "batch_contact.png")
    out.print(f"\npicture: {folder / 'batch_contact.png'}")
    return {"rows": rows}
