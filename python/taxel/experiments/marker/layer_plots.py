"""Pictures of ``marker-layer``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .arrows import INK, TRUE, arrow_stretch, arrows, gel, save, scale_bar
from .motion_laws import mindlin_law

_TITLES = {"layer": 'mode "layer"', "taxel": 'mode "taxel"'}
_COLOR = {"layer": "#0b6e4f", "taxel": "#c1440e"}


def draw_motions(plt: Any, found: list[dict[str, Any]], markers: np.ndarray, path: Path) -> Path:
    """A press, a slip and a twist of the ellipsoid: the slow layer in grey, each mode over it."""
    chosen = [r for r in found if r["object"] == "ellipsoid" and r["motion"] in ("press", "slip", "twist")]
    figure, axes = plt.subplots(2, len(chosen), figsize=(9.6, 8.2), layout="constrained")
    places = 1e3 * markers[:, :2]
    for column, row in enumerate(chosen):
        stretch = arrow_stretch([row["true"]])
        for axis, mode in zip(axes[:, column], ("layer", "taxel"), strict=True):
            gel(axis, (8.6, 11.6))
            arrows(axis, places, row["true"], stretch, TRUE, 0.013)
            arrows(axis, places, row[mode]["field"], stretch, _COLOR[mode], 0.006)
            scale_bar(axis, stretch, 1.0 if stretch > 5 else 5.0)
            words = (
                f"error {100 * row[mode]['error']:.1f} % of the motion\nforce off {100 * row[mode]['force_off']:.1f} %"
            )
            axis.text(0.03, 0.975, words, transform=axis.transAxes, va="top", fontsize=8.5, color=INK,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5})  # fmt: skip
            if column == 0:
                axis.set_ylabel(_TITLES[mode], fontsize=11, color=_COLOR[mode])
        axes[0, column].set_title(row["motion"], fontsize=11)
    figure.suptitle("A tilted ellipsoid on a gel of 4 mm. Grey: the slow elastic layer", fontsize=12)
    save(figure, path)
    plt.close(figure)
    return path


def draw_stick(plt: Any, curve: list[dict[str, float]], path: Path) -> Path:
    figure, axis = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    q = np.linspace(0, 1, 200)
    axis.plot(q, mindlin_law(q), color=INK, lw=1.4, label="Cattaneo and Mindlin, power 1/3")
    axis.plot(q, (1 - q) ** 0.25, color=TRUE, lw=1.4, ls="--", label="springs without coupling, power 1/4")
    axis.plot([r["q"] for r in curve], [r["ratio"] for r in curve], "o", ms=5, color=_COLOR["layer"],
              label='mode "layer"')  # fmt: skip
    axis.set(xlabel="tangential load over its bound, Q / mu P", ylabel="sticking radius over contact radius, c / a",
             xlim=(0, 1), ylim=(0, 1.03))  # fmt: skip
    axis.legend(frameon=False, loc="lower left", fontsize=9)
    axis.spines[["top", "right"]].set_visible(False)
    save(figure, path)
    plt.close(figure)
    return path
