"""Pictures of ``marker-motions``: arrows, bars, why models differ, the two laws."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ...calibrate import MarkerSamples
from ...reference.motions import KINDS
from . import motion_laws as laws
from .arrows import INK, TOUCH, TRUE, arrow_stretch, arrows, gel, save, scale_bar, score
from .motion_models import cosine_similarity, rmse

COLORS = {
    "taxel": "#0b6e4f",
    "taxel_default": "#58a887",
    "paper": "#1f5fa8",
    "release": "#6f9fd8",
    "contact_center": "#c2571a",
    "fots": "#e39a5f",
    "tacsl": "#8b3a8f",
}
SHOWN = ("taxel", "paper", "contact_center", "fots", "tacsl")
"""The release draws as the paper does."""
SHORT = {
    "taxel": "taxel",
    "taxel_default": "taxel, defaults",
    "paper": "HydroShear (paper)",
    "release": "HydroShear (release)",
    "contact_center": "FOTS, contact centre",
    "fots": "FOTS",
    "tacsl": "TacSL",
}
_TITLES = {"dilation": "Dilation", "shear": "Shear", "twist": "Twist", "roll": "Roll"}


def _median(samples: MarkerSamples, ends: list[dict[str, Any]], kind: str) -> int:
    """The sample of a motion that moves markers by the median amount."""
    chosen = [k for k, e in enumerate(ends) if e["motion"] == kind]
    chosen.sort(key=lambda k: float((samples.samples[k].displacement ** 2).sum()))
    return chosen[len(chosen) // 2]


def _words(drawn: dict[str, float]) -> str:
    text = f"{1e3 * drawn['depth']:.2f} mm deep"
    if "distance" in drawn:
        text += f", {1e3 * drawn['distance']:.2f} mm along"
    elif "angle" in drawn:
        text += f", {abs(math.degrees(drawn['angle'])):.1f}°"
    return text


def _contact(axis: Any, path: np.ndarray, end: dict[str, Any]) -> None:
    turn, radius = np.linspace(0, 2 * math.pi, 90), 1e3 * math.sqrt(end["contact_area"] / math.pi)
    x, y = 1e3 * path[-1][:2, 3]
    axis.fill(x + radius * np.cos(turn), y + radius * np.sin(turn), color=TOUCH, alpha=0.7, lw=0, zorder=0)


def draw_fields(
    plt: Any, rows: dict, predictions: dict, samples: MarkerSamples, ends: list[dict[str, Any]], path: Path
) -> Path:
    """One sample of each motion: the reference alone, then each model over it."""
    places = 1e3 * samples.markers
    figure, axes = plt.subplots(4, 1 + len(SHOWN), figsize=(13.2, 11.2), layout="constrained")
    for line, kind in zip(axes, KINDS, strict=True):
        k = _median(samples, ends, kind)
        one = samples.samples[k]
        stretch = arrow_stretch([one.displacement])
        for axis, key in zip(line, ("reference", *SHOWN), strict=True):
            gel(axis, (8.6, 10.4))
            _contact(axis, one.path, ends[k])
            if key == "reference":
                arrows(axis, places, one.displacement, stretch, INK)
                size = float(np.linalg.norm(one.displacement, axis=1).max())
                scale_bar(axis, stretch, 10 if size > 12 else 5)
                axis.set_ylabel(f"{_TITLES[kind]}\n{_words(ends[k]['drawn'])}", fontsize=10)
                axis.text(0.03, 0.975, f"arrows × {stretch:g}", transform=axis.transAxes, va="top", fontsize=8)
            else:
                moved = predictions[key][k]
                arrows(axis, places, one.displacement, stretch, TRUE, 0.0095)
                arrows(axis, places, moved, stretch, COLORS[key], 0.0065)
                score(axis, rmse(moved, one.displacement), cosine_similarity(moved, one.displacement))
    for axis, key in zip(axes[0], ("reference", *SHOWN), strict=True):
        axis.set_title("reference" if key == "reference" else SHORT[key], fontsize=11,
                       color=COLORS.get(key, INK), weight="bold")  # fmt: skip
    figure.supxlabel(
        "Black and grey: elastic layer with friction, markers on its surface. Colour: the model. Orange: contact.\n"
        "RMSE and CS of the sample drawn. HydroShear, FOTS and TacSL fitted as published; taxel to the same presses, "
        "shears and slips.",
        fontsize=9,
    )
    save(figure, path, 88)
    plt.close(figure)
    return path


def draw_bars(plt: Any, rows: dict, paper: dict, path: Path) -> Path:
    """RMSE of each model and motion; diamonds: what the paper measured on a real sensor."""
    shown = ("tacsl", "fots", "contact_center", "release", "paper", "taxel_default", "taxel")
    theirs = {"tacsl": "TacSL", "fots": "FOTS", "paper": "HydroShear"}
    figure, axis = plt.subplots(figsize=(11, 4.9), layout="constrained")
    width, top = 0.115, 7.4
    for j, key in enumerate(shown):
        x = np.arange(len(KINDS)) + (j - 0.5 * (len(shown) - 1)) * width
        values = [rows[key]["scores"][kind]["rmse"] for kind in KINDS]
        spread = [rows[key]["scores"][kind]["spread"] for kind in KINDS]
        cut = np.minimum(values, top)
        axis.bar(x, cut, 0.9 * width, color=COLORS[key], label=SHORT[key], zorder=2)
        for xi, v, s in zip(x, values, spread, strict=True):
            if v < top:
                axis.plot([xi, xi], [max(v - s, 0), min(v + s, top)], color=INK, lw=0.9, zorder=3)
            text = f"{v:.2f}" if v < top else f"{v:.1f} ↑"
            if v > 1.3:
                axis.text(xi, 0.12, text, ha="center", fontsize=7.5, color="white", rotation=90, weight="bold")
            else:
                axis.text(xi, v + s + 0.1, text, ha="center", fontsize=7.5, color=INK, rotation=90, weight="bold")
        if key in theirs:
            axis.plot(x, [pair[0] for pair in paper[theirs[key]]], "D", ms=5, mfc="white", mec=INK, mew=1.1, zorder=4,
                      label="paper's Table I (real sensor, other samples)" if key == "paper" else None)  # fmt: skip
    axis.set_xticks(range(len(KINDS)), [_TITLES[k] for k in KINDS], fontsize=11)
    axis.set(ylabel="RMSE per taxel, px", ylim=(0, top + 0.4), xlim=(-0.5, len(KINDS) - 0.5))
    axis.set_title("Marker fields against the elastic layer; lines: spread over samples", fontsize=11)
    axis.grid(axis="y", alpha=0.3, zorder=0)
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(fontsize=8.5, ncols=4, loc="outside lower center", frameon=False)
    save(figure, path, 100)
    plt.close(figure)
    return path


def draw_why(plt: Any, predictions: dict, samples: MarkerSamples, ends: list[dict[str, Any]], path: Path) -> Path:
    """What is left of a twist, how it falls off from the centre, and how much of a slide comes through."""
    figure, axes = plt.subplots(1, 4, figsize=(15, 4.6), layout="constrained", width_ratios=(0.82, 0.82, 1.1, 1.1))
    k = _median(samples, ends, "twist")
    one, places = samples.samples[k], 1e3 * samples.markers
    left = {key: predictions[key][k] - one.displacement for key in ("paper", "taxel")}
    stretch = arrow_stretch(list(left.values()))
    for axis, key in zip(axes, left, strict=False):
        gel(axis, (8.6, 10.4))
        _contact(axis, one.path, ends[k])
        arrows(axis, places, left[key], stretch, COLORS[key])
        scale_bar(axis, stretch, 5)
        axis.set_title(f"{SHORT[key]} − reference\ntwist of {_words(ends[k]['drawn'])}", fontsize=10, color=COLORS[key])
    centre = one.path[-1][:2, 3]
    r = samples.markers - centre
    distance = np.linalg.norm(r, axis=1)
    around = np.column_stack([-r[:, 1], r[:, 0]]) / distance[:, None] * np.sign(ends[k]["drawn"]["angle"])
    order = np.argsort(distance)
    axes[2].plot(1e3 * distance[order], (one.displacement * around).sum(axis=1)[order], "o", color=INK, ms=3.5,
                 label="reference")  # fmt: skip
    for key in ("taxel", "paper", "contact_center"):
        axes[2].plot(1e3 * distance[order], (predictions[key][k] * around).sum(axis=1)[order], ".", ms=5,
                     color=COLORS[key], label=SHORT[key])  # fmt: skip
    axes[2].set(xlabel="marker's distance from the centre, mm", ylabel="motion around the centre, px")
    axes[2].set_title("The same twist, marker by marker", fontsize=10)
    slides = [k for k, e in enumerate(ends) if e["motion"] == "shear"]
    for key in ("taxel", "paper", "contact_center"):
        points = []
        for k in slides:
            way = ends[k]["drawn"]["direction"]
            true, moved = (f @ [math.cos(way), math.sin(way)] for f in (samples.samples[k].displacement,
                                                                         predictions[key][k]))  # fmt: skip
            points.append((1e3 * ends[k]["drawn"]["distance"], moved @ true / (true @ true)))
        axes[3].plot(*np.array(points).T, "o", color=COLORS[key], ms=5, label=SHORT[key])
    axes[3].axhline(1, color=INK, lw=0.8)
    axes[3].set(xlabel="slide, mm", ylabel="motion along the slide, model / reference", ylim=(0, None))
    axes[3].set_title("Slides: stick, then slip", fontsize=10)
    for axis in axes[2:]:
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    save(figure, path, 88)
    plt.close(figure)
    return path


def draw_laws(plt: Any, curves: dict[str, Any], path: Path) -> Path:
    """Sticking radius, and the drag."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    q = np.linspace(0, 1, 300)
    axes[0].plot(q, laws.local_law(q), color=COLORS["taxel"], lw=1.5, label="springs: (1 − Q/μP)$^{1/4}$")
    axes[0].plot(q, laws.mindlin_law(q), color=INK, lw=1.2, ls="--", label="half space (Mindlin): (1 − Q/μP)$^{1/3}$")
    for name, label, style in (
        ("stick", "taxel, contact points", {"marker": "o", "color": COLORS["taxel"], "ms": 5}),
        ("layer", "elastic layer of 4 mm, cells", {"marker": "s", "color": TRUE, "ms": 5, "mec": INK, "mew": 0.6}),
    ):
        axes[0].plot(*np.array([(r["q"], r["ratio"]) for r in curves[name]]).T, ls="", label=label, **style)
    axes[0].set(xlabel="Q / μP", ylabel="sticking radius / contact radius", ylim=(0, 1.05), xlim=(0, 1.02))
    axes[0].set_title("A ball under a tangential load", fontsize=11)
    ours = [r for r in curves["runs"] if r["mode"] == "taxel"]
    axes[1].plot(1e3 * ours[0]["way"], ours[0]["load"], color=COLORS["taxel"], lw=2)
    axes[1].axhline(1, color=INK, lw=0.8, ls="--")
    axes[1].set(xlabel="drag, mm", ylabel="Q / μP", ylim=(0, 1.1), title="taxel: the load rises and stays")
    axes[1].title.set_fontsize(11)
    styles = {(0, 1): ("-", 3.5, 0.45), (0, 2): ("--", 1.6, 1.0), (1, 1): (":", 2.2, 1.0), (1, 2): ("-.", 1.2, 1.0)}
    fewest = min(r["points"] for r in curves["runs"])
    for r in curves["runs"]:
        line, width, alpha = styles[int(r["points"] > fewest), r["refine"]]
        axes[2].plot(1e3 * r["way"], r["rms"] / curves["runs"][0 if r["mode"] == "taxel" else 4]["rms"].max(), ls=line,
                     lw=width, color=COLORS[r["mode"]], alpha=alpha,
                     label=f"{SHORT[r['mode']]}: {r['points']} points, {r['markers']} markers")  # fmt: skip
    axes[2].set(xlabel="drag, mm", ylabel="rms of the 63 markers / its greatest, first run", ylim=(0, 7.2))
    axes[2].set_title("More points, more markers, same places", fontsize=11)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(fontsize=8.5, loc="lower left")
    axes[2].legend(fontsize=7.5, loc="upper right")
    save(figure, path, 88)
    plt.close(figure)
    return path
