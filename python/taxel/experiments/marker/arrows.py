"""Arrows of marker fields on the outline of a gel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...reference.motions import GEL_SIZE, PIXEL

INK, TRUE, GEL, TOUCH = "#1b1b1b", "#b3b3b3", "#f5f7fa", "#f6d9b8"
MM_PER_PX = 1e3 * PIXEL


def arrow_stretch(fields: list[np.ndarray], pitch: float = 1.84) -> float:
    """How much longer than life arrows (px) are drawn: their 98th percentile about 1.3 pitches (mm), in even steps."""
    longest = float(np.quantile(np.concatenate([np.linalg.norm(f[:, :2], axis=1) for f in fields]), 0.98))
    if not longest > 0:
        return 1.0
    wanted = 1.3 * pitch / (MM_PER_PX * longest)
    steps = np.array([0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 50, 100, 1000])
    return float(steps[np.abs(np.log(steps / wanted)).argmin()])


def gel(axis: Any, reach: tuple[float, float] | None = None) -> None:
    """An empty gel, mm; x to the right, y up."""
    half = [500.0 * s for s in GEL_SIZE] if reach is None else list(reach)
    axis.set_facecolor(GEL)
    axis.set(xlim=(-half[0], half[0]), ylim=(-half[1], half[1]), aspect="equal", xticks=[], yticks=[])
    for side in axis.spines.values():
        side.set(color="#9aa5b1", linewidth=0.8)


def arrows(axis: Any, places: np.ndarray, moved: np.ndarray, stretch: float, color: str, width: float = 0.0075) -> Any:
    """places (N, 2) mm, moved (N, 2) px."""
    return axis.quiver(
        *places[:, :2].T,
        *(stretch * MM_PER_PX * moved[:, :2].T),
        angles="xy",
        scale_units="xy",
        scale=1,
        color=color,
        width=width,
        headwidth=3.8,
        headlength=4.4,
        headaxislength=4.0,
        minlength=0.4,
    )


def scale_bar(axis: Any, stretch: float, pixels: float) -> None:
    """A bar that long on the drawing of arrows, in the lower right corner."""
    length = stretch * MM_PER_PX * pixels
    x1, y0 = axis.get_xlim()[1] - 0.8, axis.get_ylim()[0] + 0.9
    axis.plot([x1 - length, x1], [y0, y0], color=INK, lw=2, solid_capstyle="butt")
    axis.text(x1 - 0.5 * length, y0 + 0.35, f"{pixels:g} px", ha="center", va="bottom", fontsize=7.5, color=INK)


def score(axis: Any, rmse: float, cs: float) -> None:
    axis.text(
        0.03, 0.975, f"{rmse:.2f} px   CS {cs:.2f}", transform=axis.transAxes, va="top", fontsize=8, color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5},
    )  # fmt: skip


def save(figure: Any, path: Path, dpi: int = 100) -> Path:
    """As a PNG of 128 colours, a third as large."""
    from PIL import Image

    figure.savefig(path, dpi=dpi)
    with Image.open(path) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    return path
