"""Presses as one picture: the 3-D view and the tactile image of each, and its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .press_picture import BACKGROUND, draw_press, frame
from .tactile_image import draw_tactile, shares

if TYPE_CHECKING:
    from ..press import Press

DPI = 100
ASPECT = 1.08  # of a 3-D view


def view(press: Press, height: int) -> np.ndarray:
    """The 3-D view, pixels."""
    return draw_press(round(ASPECT * height), height, press.scene, shares(press), frame([press.scene], ASPECT))


class _Sheet:
    """A figure whose parts are placed in pixels, origin top left."""

    def __init__(self, plt: Any, width: int, height: int) -> None:
        self.plt, self.width, self.height = plt, width, height
        self.figure = plt.figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=BACKGROUND[1])

    def axes(self, x: float, y: float, width: float, height: float) -> Any:
        bottom = self.height - y - height
        return self.figure.add_axes((x / self.width, bottom / self.height, width / self.width, height / self.height))

    def backdrop(self, height: int) -> None:
        """The background of the views, all over the sheet down to a height."""
        down = np.linspace(0, 1, height)[:, None, None]
        shade = (1 - down) * BACKGROUND[0] + down * BACKGROUND[1]
        self.picture(np.broadcast_to(shade, (height, self.width, 3)), 0, 0)

    def picture(self, pixels: np.ndarray, x: float, y: float) -> None:
        axes = self.axes(x, y, pixels.shape[1], pixels.shape[0])
        axes.imshow(pixels, interpolation="nearest", aspect="auto")
        axes.axis("off")

    def text(self, x: float, y: float, text: str, size: float, colour: str, weight: str = "normal") -> None:
        self.figure.text(
            x / self.width, 1 - y / self.height, text, color=colour, size=size, weight=weight, ha="center", va="center"
        )

    def save(self, path: Path) -> Path:
        self.figure.savefig(path, dpi=DPI, facecolor=self.figure.get_facecolor())
        self.plt.close(self.figure)
        return path


def _tactile(sheet: _Sheet, press: Press, x: float, y: float, width: float, height: float, unit: float) -> None:
    """The tactile image and its bar within a rectangle."""
    left, below, bar, gap, ticks = 86 * unit, 72 * unit, 24 * unit, 24 * unit, 128 * unit
    room = width - left - gap - bar - ticks, height - below - 10 * unit
    axes = sheet.axes(x + left, y + 10 * unit, *room)
    axes.set_anchor("C")
    draw_tactile(axes, press, sheet.axes(x + left + room[0] + gap, y + 10 * unit, bar, room[1]), 72 / DPI * unit)


def _caption(sheet: _Sheet, press: Press, x: float, y: float, unit: float) -> None:
    point = 72 / DPI * unit
    sheet.text(x, y + 28 * unit, press.title, 40 * point, "#f2f4f8", "bold")
    words = f"{press.object}, {press.force:.3g} N, {1e3 * press.depth:.2f} mm deep, {_area(press.area)}"
    sheet.text(x, y + 78 * unit, words, 32 * point, "#c3cad6")


def _area(area: float) -> str:
    return f"{1e4 * area:.2f} cm²" if area >= 1e-4 else f"{1e6 * area:.1f} mm²"


def image_figure(plt: Any, path: Path, press: Press, height: int) -> Path:
    """The tactile image alone."""
    unit = height / 760
    sheet = _Sheet(plt, round(1.15 * height), height)
    _tactile(sheet, press, 0, 10 * unit, sheet.width, height - 10 * unit, unit)
    return sheet.save(path)


def view_figure(plt: Any, path: Path, pixels: np.ndarray) -> Path:
    """The 3-D view alone."""
    sheet = _Sheet(plt, pixels.shape[1], pixels.shape[0])
    sheet.picture(pixels, 0, 0)
    return sheet.save(path)


def press_figure(plt: Any, path: Path, press: Press, pixels: np.ndarray) -> Path:
    """View and tactile image side by side, the numbers below."""
    height, width = pixels.shape[:2]
    unit = height / 760
    sheet = _Sheet(plt, 2 * width, height + round(120 * unit))
    sheet.backdrop(height)
    sheet.picture(pixels, 0, 0)
    _tactile(sheet, press, width, 30 * unit, width, height - 40 * unit, unit)
    _caption(sheet, press, width, height, unit)
    return sheet.save(path)


def row_figure(plt: Any, path: Path, presses: list[Press], pictures: list[np.ndarray]) -> Path:
    """Several presses: a column each, the view above, its numbers, the tactile image below."""
    height, width = pictures[0].shape[:2]
    unit = height / 760
    caption, tactile = round(116 * unit), round(0.86 * height)
    sheet = _Sheet(plt, len(presses) * width, height + caption + tactile)
    for k, (press, pixels) in enumerate(zip(presses, pictures, strict=True)):
        sheet.picture(pixels, k * width, 0)
        _caption(sheet, press, (k + 0.5) * width, height, unit)
        _tactile(sheet, press, k * width, height + caption, width, tactile, unit)
    return sheet.save(path)
