"""What magnetometers read, drawn over a tactile image: an arrow along the skin and the part along z as a number."""

from __future__ import annotations

from typing import Any

import numpy as np

COLOUR = "#7dffb0"
LONGEST = 0.22
"""Of the picture's width."""


def draw_chips(axes: Any, chips: np.ndarray, microtesla: np.ndarray, point: float) -> None:
    """Chips (C, 3) m as dots; the field's change along x and y as arrows of one scale, that along z beside them."""
    left, right = axes.get_xlim()
    most = float(np.abs(microtesla[:, :2]).max())
    scale = LONGEST * abs(right - left) / most if most else 0.0
    for (x, y, _), (bx, by, bz) in zip(1e3 * chips, microtesla, strict=True):
        tip = (x + scale * bx, y + scale * by)
        axes.annotate(
            "", xy=tip, xytext=(x, y), arrowprops={"arrowstyle": "-|>", "color": COLOUR, "lw": 4 * point}, zorder=7
        )
        axes.plot(x, y, "o", color=COLOUR, ms=11 * point, zorder=7)
        words = f"{bz:+.0f}" if abs(bz) >= 10 else f"{bz:+.1f}"
        axes.annotate(
            words, (x, y), (0, -26 * point), textcoords="offset points", ha="center", va="center", color=COLOUR,
            size=24 * point, zorder=8, bbox={"facecolor": "#1b1f27", "alpha": 0.7, "lw": 0, "pad": 1.5 * point},
        )  # fmt: skip
    words = f"magnetometers: longest arrow {most:.0f} µT; z as number, µT"
    axes.text(0.5, 0.965, words, transform=axes.transAxes, ha="center", va="center", color=COLOUR, size=20 * point)
