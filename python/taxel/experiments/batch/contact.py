"""Soft contact in mujoco_warp beside the plugin in MuJoCo, same models: rest, a slope, a slide, a grasp.

Rest: depth, force and the sum of the taxels. Slope: 10 degrees, the drift once it has settled. Slide: 30 degrees, the
way in 0.25 s. Grasp: a peg held by two pads, and how far it slips. The same with pads of bristles (LuGre friction):
rest, slope, a drag from stick to slip, a block held by two Weiss arrays. mujoco_warp works in float32.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report import table
from .scenes import GRAVITY, STEP, Both, ball, block, drag, foam, peg, weiss_grasp

DRAG_LIMIT = 1e-2
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


def _bristle_rest(rows: list[dict[str, Any]], seconds: float) -> None:
    for name, mass, degrees, is_ball in (
        ("box 0.2 kg", 0.2, 0.0, False),
        ("box 0.2 kg, 5 degrees", 0.2, 5.0, False),
        ("ball 0.03 kg", 0.03, 0.0, True),
    ):
        both = Both(foam(mass, degrees, is_ball))
        both.step(round(seconds / STEP))
        ours, plugin = both.place("object")
        top = 0.012 if is_ball else 0.011
        image, wanted = both.image("foam")
        row: dict[str, Any] = {
            "test": "bristle rest",
            "case": name,
            "depth_mm": 1e3 * (top - ours[2]),
            "plugin_mm": 1e3 * (top - plugin[2]),
            "depth_off": abs((top - ours[2]) / (top - plugin[2]) - 1),
            "load_off": abs(float(image.sum() / wanted.sum()) - 1),
            "taxel_off": float(np.abs(image - wanted).max() / wanted.sum()),
        }
        row["within"] = bool(row["depth_off"] < REST_LIMIT and max(row["load_off"], row["taxel_off"]) < TAXEL_LIMIT)
        rows.append(row)


def _bristle_slope(rows: list[dict[str, Any]], seconds: float) -> None:
    both = Both(foam(0.2, 10.0))
    both.step(round(1.0 / STEP), plugin=False)
    before = both.place("object")[0]
    both.step(round(seconds / STEP), plugin=False)
    drift = float(np.linalg.norm((both.place("object")[0] - before)[:2])) / seconds
    rows.append(
        {"test": "bristle slope", "case": "10 degrees", "drift_m_s": drift, "within": bool(drift < DRIFT_LIMIT)}
    )


def _bristle_drag(rows: list[dict[str, Any]], form: str, seconds: float) -> dict[str, Any]:
    """Friction as the taxels feel it, over time: mujoco_warp and plugin."""
    both = Both(drag(form), ctrl=0.0)
    at, count = int(both.model.sensor("foam").adr[0]), 14 * 18
    forces = []
    for k in range(round(seconds / STEP)):
        ctrl = np.array([-2.0, 0.015 * max(0.0, k * STEP - 0.2)])
        both.data.ctrl[:] = ctrl
        both.d.ctrl.assign(ctrl[None].astype(np.float32))
        both.step(1)
        felt = [both.d.sensordata.numpy()[0], both.data.sensordata]
        forces.append([float(np.linalg.norm(x[at + count : at + 3 * count].reshape(2, -1).sum(1))) for x in felt])
    ours, plugin = np.array(forces).T
    off = float(np.sqrt(np.mean((ours - plugin) ** 2)) / plugin.max())
    rows.append(
        {"test": "bristle drag", "case": form, "most_N": float(ours.max()), "plugin_N": float(plugin.max())}
        | {"rms_off": off, "within": bool(off < DRAG_LIMIT)}
    )
    return {"time": np.arange(len(ours)) * STEP, "ours": ours, "plugin": plugin}


def _bristle_grasp(rows: list[dict[str, Any]], seconds: float) -> None:
    both = Both(weiss_grasp(), ctrl=5.0)
    both.d.ctrl.assign(np.full((1, 2), 5.0, np.float32))
    both.step(400)
    ours, plugin = both.place("block")
    image, wanted = both.image("left")
    both.step(round(seconds / STEP), plugin=False)
    slip = float(np.linalg.norm(both.place("block")[0] - ours))
    rows.append(
        {"test": "bristle grasp", "case": f"{seconds:g} s", "slip_mm": 1e3 * slip}
        | {"plugin_off_mm": 1e3 * float(np.linalg.norm(ours - plugin))}
        | {"taxel_off": float(np.abs(image - wanted).max() / wanted.sum()), "within": bool(slip < SLIP_LIMIT)}
    )


def draw_drag(curves: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(9, 3.4), layout="constrained", sharey=True, squeeze=False)
    for ax, (form, curve) in zip(axes[0], curves.items(), strict=True):
        ax.plot(curve["time"], curve["plugin"], color="0.6", lw=4, label="plugin")
        ax.plot(curve["time"], curve["ours"], color="C3", lw=1.2, label="mujoco_warp")
        ax.set(xlabel="time, s", title=f"form {form}")
        ax.grid(alpha=0.3)
    axes[0][0].set_ylabel("friction that the taxels feel, N")
    axes[0][0].legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


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
    _bristle_rest(rows, 0.6 if quick else 2.0)
    _bristle_slope(rows, 0.5 if quick else 10.0)
    forms = ("passive",) if quick else ("passive", "paper")
    drags = {form: _bristle_drag(rows, form, 0.5 if quick else 1.8) for form in forms}
    _bristle_grasp(rows, 0.5 if quick else 10.0)
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
    draw_drag(drags, folder / "batch_bristle_drag.png")
    out.print(f"\npictures: {folder / 'batch_contact.png'}, {folder / 'batch_bristle_drag.png'}")
    return {"rows": rows}
