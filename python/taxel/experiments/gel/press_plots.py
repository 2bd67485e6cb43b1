"""The picture of ``gel-press``: refinement, force from touch on, pressure profile, ringing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

COLORS = {0.25: "#1f5fa8", 0.45: "#c2571a", 0.49: "#0b6e4f"}
BAND = "#e8eef5"


def _presses(axis: Any, rows: list[dict[str, Any]]) -> None:
    axis.axhspan(0.95, 1.05, color=BAND, lw=0)
    axis.axhline(1, color="0.4", lw=0.8)
    seen = set()
    for nu, color in COLORS.items():
        refined = sorted((r["grid"], r["ratio"]) for r in rows if r["case"] == "refined" and r["poisson"] == nu)
        if refined:
            axis.plot(
                *zip(*refined, strict=True), color=color, marker="o", ms=5, label=f"ν = {nu:g}, a/h 0.3, d/R 0.01"
            )
        for r in rows:
            if r["poisson"] != nu or r["case"] not in ("one cell deep", "thin pad"):
                continue
            thin = r["case"] == "thin pad"
            what = "EIP's pad" if thin else f"a/h {r['a_h']:.1f}, one cell deep"
            marker = "s" if thin else "^" if r["a_h"] < 0.2 else "v"
            axis.plot(r["grid"], r["ratio"], marker, color=color, ms=7, mfc="none", mew=1.5)
            if what not in seen:
                seen.add(what)
                axis.plot([], [], marker, color="0.3", mfc="none", mew=1.5, ms=7, label=what)
    axis.set(xlabel="cells in the height", ylabel="force / finite elements", ylim=(0.93, 1.07))
    axis.set_xticks(sorted({round(r["grid"]) for r in rows if r["case"] in ("refined", "one cell deep", "thin pad")}))
    axis.set_title("A sphere on a bonded block", fontsize=10)
    axis.legend(fontsize=7.5, frameon=False, ncols=2, loc="upper center")


def _touch(axis: Any, touch: dict[str, Any]) -> None:
    depth = np.r_[-touch["gaps"], touch["depth"]]
    axis.plot(depth, np.r_[0 * touch["gaps"], touch["force"]], "o", color="#1f5fa8", ms=5, label="gel")
    axis.plot(np.r_[0, touch["depth"]], np.r_[0, touch["reference"]], color="0.25", lw=1, label="finite elements")
    axis.set(xlabel="depth, cells", ylabel="force, N")
    axis.set_title("No force before the touch (ν 0.25)", fontsize=10)
    axis.legend(fontsize=8, frameon=False)


def _profile(axis: Any, profiles: list[dict[str, Any]]) -> None:
    for p in profiles:
        color = COLORS[p["poisson"]]
        r, exact = p["exact"]
        axis.plot(r, exact, color=color, lw=1)
        axis.plot(p["r"], p["p"], "o", color=color, ms=5, label=f"gel, rings of a cell, ν = {p['poisson']:g}")
    axis.plot([], [], color="0.3", lw=1, label="finite elements")
    axis.set(xlabel="radius / contact radius", ylabel="pressure / peak", xlim=(0, 1.35), ylim=(-0.03, 1.12))
    axis.set_title(f"Pressure under the sphere, {profiles[0]['grid']} cells high", fontsize=10)
    axis.legend(fontsize=8, frameon=False)


def _ringing(axis: Any, rows: list[dict[str, Any]]) -> None:
    shown = [r for r in rows if "curve" in r and r["what"].startswith("torsion")]
    for r, color in zip(shown, ("#9db8d9", "#5b8cc4", "#123f73"), strict=False):
        t, v, _ = r["curve"]
        axis.plot(t, v, color=color, label=f"{r['what'].split(',')[1].strip()}: f / exact {r['value']:.3f}")
    t = np.linspace(0, 3, 200)
    axis.plot(t, np.cos(2 * np.pi * t), color="0.25", lw=1, ls="--", label="exact")
    axis.set(xlabel="exact periods", ylabel="velocity along the mode", xlim=(0, 3), ylim=(-1.1, 1.55))
    axis.set_title("A free bar rings in torsion without damping", fontsize=10)
    axis.legend(fontsize=7.5, frameon=False, ncols=2, loc="upper center")


def draw(
    plt: Any, presses: list[dict[str, Any]], touch: dict[str, Any], profiles: list[dict[str, Any]],
    rows: list[dict[str, Any]], path: Path,
) -> Path:  # fmt: skip
    figure, axes = plt.subplots(2, 2, figsize=(10.4, 7.6), layout="constrained")
    _presses(axes[0, 0], presses)
    _touch(axes[0, 1], touch)
    _profile(axes[1, 0], profiles)
    _ringing(axes[1, 1], rows)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25, lw=0.6)
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
