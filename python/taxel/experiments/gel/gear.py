"""A gear pressed further and further: the chamfer distance over time (Elastic Interaction of Particles, Fig. 6).

Two poses, since the authors stop a "vertical" and a "horizontal" gear at different thresholds without saying which is
which: flat, its axis along the press, and on edge, its axis across it. Both run past both thresholds; where each stops
is read off the same run. Lengths are sides of the unit domain D.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...gel.eip import rest_points
from ...report import need_matplotlib, table
from .shapes import gear
from .views import DEPTH, INK, chamfers, network_input, save, show

THRESHOLDS = (1e-4, 1.8e-4, 2e-4)
"""Mean form, from the authors' code: their torus, and their gear in two poses."""
END = 2.3e-4
EVERY = 4
TURN = math.radians(7)
COLORS = {"flat": "#1f5fa8", "on edge": "#c2571a"}


def poses() -> dict[str, np.ndarray]:
    """Both turned a little about the gear's axis, so that no tooth lies along an axis of the pads."""
    c, s = math.cos(TURN), math.sin(TURN)
    about = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    lay = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    found = {}
    for name, R in (("flat", about), ("on edge", lay @ about)):
        found[name] = taxel.pose((0.5, 0.5, 0.5))
        found[name][:3, :3] = R
    return found


def press(out: Any, name: str, X_DO: np.ndarray, end: float = END) -> dict[str, Any]:
    """Images of pad 0 every EVERY steps from the first touch on, and both forms of the chamfer distance."""
    series = taxel.EipPress(chamfer=end, check_every=EVERY).series(gear(), X_DO)
    steps, mean_form, sum_form, own, images = [], [], [], [], []
    for _ in out.progress(range(256 // EVERY), f"gear, {name}"):
        going = series.step(EVERY)
        image = series.layer_image(0, 0)
        if np.ptp(image[4:-4, 4:-4, 2]) > 5e-4:  # touched
            mean, total = chamfers(image, rest_points())
            steps.append(series.steps)
            mean_form.append(mean)
            sum_form.append(total)
            own.append(series.chamfer(0))
            images.append(image)
        if not going:
            break
    return {
        "pose": name,
        "steps": np.array(steps),
        "mean": np.array(mean_form),
        "sum": np.array(sum_form),
        "core": np.array(own),
        "images": np.array(images),
    }


def stop(run: dict[str, Any], threshold: float) -> int | None:
    """The step at which the press would have ended; None: never."""
    above = np.flatnonzero(run["mean"] > threshold)
    return int(run["steps"][above[0]]) if len(above) else None


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    plt = need_matplotlib()
    runs = [press(out, name, X) for name, X in list(poses().items())[: 1 if quick else 2]]
    rows: list[dict[str, Any]] = []
    for r in runs:
        chosen = _chosen(r)
        out.print(f"\ngear {r['pose']}: touched from step {r['steps'][0]} on")
        out.print(table(
            ("step", "l mean, 1e-5", "l sum", "deepest, 1e-3 D", "in plane, 1e-3 D"),
            [(str(r["steps"][k]), f"{1e5 * r['mean'][k]:.2f}", f"{r['sum'][k]:.4f}",
              f"{-1e3 * r['images'][k, ..., 2].min():.2f}",
              f"{1e3 * np.linalg.norm(r['images'][k, ..., :2], axis=-1).max():.2f}") for k in chosen],
        ))  # fmt: skip
        stops = {f"{t:g}": stop(r, t) for t in THRESHOLDS}
        out.print("   stops: " + ", ".join(f"at l > {t} after {n} steps" for t, n in stops.items()))
        rises = bool((np.diff(r["mean"]) > 0).all())
        agreement = float(np.abs(r["core"] / r["mean"] - 1)[r["mean"] > 1e-6].max())
        out.print(f"   l rises at every look: {rises}; the press's own l is the same to {agreement:.1e}")
        rows.append({
            "test": "series", "pose": r["pose"], "steps": r["steps"], "mean": r["mean"], "sum": r["sum"],
            "stops": stops, "agreement": agreement, "within": rises and agreement < 0.005,
        })  # fmt: skip
    picture = draw(plt, runs, folder / "gel_gear.png")
    out.print(f"picture: {picture}")
    return {
        "experiment": "gel-gear",
        "quick": quick,
        "thresholds": list(THRESHOLDS),
        "points": int(rest_points().size / 3),
        "rows": rows,
        "pictures": [picture],
    }


def _chosen(r: dict[str, Any], count: int = 6) -> np.ndarray:
    return np.unique(np.linspace(0, len(r["steps"]) - 1, count).round().astype(int))


def draw(plt: Any, runs: list[dict[str, Any]], path: Path) -> str:
    first = runs[0]
    chosen = _chosen(first)
    deepest = -1e3 * float(first["images"][..., 2].min())
    widest = float(np.abs(first["images"][chosen][..., :2]).max())
    figure = plt.figure(figsize=(13, 10.2))
    top = figure.add_gridspec(3, len(chosen), left=0.115, right=0.90, bottom=0.385, top=0.935, wspace=0.06, hspace=0.07)
    labels = (
        "tactile pattern\n" + DEPTH,
        "network input\nof the authors:\nin-plane motion,\nmin to max\n(red $x$, green $y$)",
        "raw image\nof taxel:\n$u_x, u_y, u_z$\nas red, green, blue,\none scale for all",
    )
    for col, k in enumerate(chosen):
        image = first["images"][k].astype(float)
        axes = [figure.add_subplot(top[row, col]) for row in range(3)]
        shown = show(axes[0], 1e3 * image[..., 2], cmap="viridis", vmin=-deepest, vmax=0)
        two = network_input(image)
        show(axes[1], np.dstack([two, np.zeros(two.shape[:2])]))
        raw = np.dstack([0.5 + 0.5 * image[..., :2] / widest, 1 + 1e3 * image[..., 2] / deepest])
        show(axes[2], np.clip(raw, 0, 1))
        axes[0].set_title(f"step {first['steps'][k]}  ({1e5 * first['mean'][k]:.2f})", fontsize=11)
        if col == 0:
            for axis, label in zip(axes, labels, strict=True):
                axis.text(-0.08, 0.5, label, transform=axis.transAxes, ha="right", va="center", fontsize=9)
    box = figure.add_axes((0.91, axes[0].get_position().y0, 0.011, axes[0].get_position().height))
    figure.colorbar(shown, cax=box).set_label(DEPTH)
    figure.suptitle(
        f"Gear {first['pose']}, pad 0 (0.24 D wide); in brackets the chamfer distance $l$, mean form, $10^{{-5}}$",
        fontsize=12, y=0.985,
    )  # fmt: skip
    curve = figure.add_axes((0.115, 0.065, 0.785, 0.26))
    for r in runs:
        curve.plot(r["steps"], 1e5 * r["mean"], "o-", ms=3.5, color=COLORS[r["pose"]], label=f"gear {r['pose']}")
        for t in THRESHOLDS:
            n = stop(r, t)
            if n is not None:
                at = float(r["mean"][list(r["steps"]).index(n)])
                curve.plot(n, 1e5 * at, "o", ms=10, mfc="none", mew=1.6, color=COLORS[r["pose"]])
    left = min(int(r["steps"][0]) for r in runs) - 3
    for t, name in zip(THRESHOLDS, ("torus", "gear, one pose", "gear, the other"), strict=True):
        curve.axhline(1e5 * t, color="0.45", lw=0.9, ls="--", zorder=0)
        below = t == THRESHOLDS[1]
        curve.text(left + 0.5, 1e5 * t + (-0.25 if below else 0.25), f"{1e5 * t:g}: {name}", fontsize=8.5, color=INK,
                   va="top" if below else "bottom")  # fmt: skip
    points = rest_points().size // 3
    curve.set(xlabel="step", ylabel=r"$l$, mean form, $10^{-5}$ D$^2$", xlim=(left, None), ylim=(0, None))
    twin = curve.secondary_yaxis("right", functions=(lambda v: 1e-5 * points * v, lambda v: 1e5 * v / points))
    twin.set_ylabel("$l$, sum form (Eq. 12), D$^2$")
    curve.set_title("Chamfer distance over time; dashed: thresholds of the authors' code, rings: where they stop",
                    fontsize=11)  # fmt: skip
    curve.grid(alpha=0.3)
    curve.legend(loc="lower right", fontsize=9)
    return save(plt, figure, path)
