"""A panel beside a picture of the scene: tactile images, bars and words, fast enough for every frame of a film."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

PAPER, INK, FAINT, LINE = (250, 251, 252), (38, 44, 52), (120, 128, 138), (196, 202, 209)
BLUE, ORANGE, GREEN, RED = (31, 98, 168), (222, 122, 22), (46, 139, 87), (196, 52, 44)


@cache
def _ramp() -> np.ndarray:
    """256 colours from the paper's grey through amber to a dark red: (256, 3)."""
    stops = [0.0, 0.02, 0.25, 0.5, 0.75, 1.0]
    colours = [(233, 236, 240), (253, 240, 205), (250, 196, 95), (238, 122, 42), (196, 40, 40), (96, 10, 40)]
    at = np.linspace(0, 1, 256)
    return np.column_stack([np.interp(at, stops, [c[k] for c in colours]) for k in range(3)]).astype(np.uint8)


def colours(share: np.ndarray) -> np.ndarray:
    """8-bit colours of readings from 0 to 1."""
    return _ramp()[np.clip(np.round(255 * np.asarray(share)), 0, 255).astype(int)]


def colour_map() -> Any:
    """The same colours for matplotlib."""
    from matplotlib.colors import ListedColormap

    return ListedColormap(_ramp() / 255.0, name="taxels")


@cache
def font(size: int, bold: bool = False) -> Any:
    from pathlib import Path

    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)


class Panel:
    """A sheet of pixels, origin top left."""

    def __init__(self, width: int, height: int) -> None:
        from PIL import Image, ImageDraw

        self.picture = Image.new("RGB", (width, height), PAPER)
        self.draw = ImageDraw.Draw(self.picture)
        self.width, self.height = width, height

    def pixels(self) -> np.ndarray:
        return np.asarray(self.picture)

    def paste(self, pixels: np.ndarray, x: int, y: int) -> None:
        from PIL import Image

        self.picture.paste(Image.fromarray(np.ascontiguousarray(pixels)), (x, y))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: int = 14,
        colour: tuple[int, int, int] = INK,
        *,
        bold: bool = False,
        anchor: str = "la",
    ) -> None:
        self.draw.text((x, y), words, fill=colour, font=font(size, bold), anchor=anchor)

    def grid(self, values: np.ndarray, x: int, y: int, cell: int, greatest: float) -> None:
        """A tactile array, first row on top; cells of ``cell`` pixels with thin lines between."""
        rows, cols = values.shape
        tiles = colours(values / greatest if greatest > 0 else 0 * values)
        self.draw.rectangle((x - 1, y - 1, x + cols * cell, y + rows * cell), fill=LINE)
        for r in range(rows):
            for c in range(cols):
                left, top = x + c * cell, y + r * cell
                self.draw.rectangle((left, top, left + cell - 2, top + cell - 2), fill=tuple(map(int, tiles[r, c])))

    def discs(self, places: np.ndarray, values: np.ndarray, radius: float, greatest: float) -> None:
        """Tactile points at pixel places (n, 2)."""
        tiles = colours(values / greatest if greatest > 0 else 0 * values)
        for (px, py), tile in zip(places, tiles, strict=True):
            box = (px - radius, py - radius, px + radius, py + radius)
            self.draw.ellipse(box, fill=tuple(map(int, tile)), outline=LINE)

    def bar(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        share: float,
        colour: tuple[int, int, int],
        mark: float | None = None,
    ) -> None:
        """A horizontal bar from 0 to 1, with a mark for what is wanted."""
        self.draw.rectangle((x, y, x + width, y + height), fill=(233, 236, 240))
        if share > 0:
            self.draw.rectangle((x, y, x + round(width * min(1.0, share)), y + height), fill=colour)
        if mark is not None:
            at = x + round(width * min(1.0, mark))
            self.draw.line((at, y - 3, at, y + height + 3), fill=INK, width=2)

    def curve(
        self,
        box: tuple[int, int, int, int],
        times: Any,
        series: list[tuple[Any, tuple[int, int, int]]],
        span: tuple[float, float],
        greatest: float,
    ) -> None:
        """Lines over time in a box (x, y, width, height)."""
        x, y, width, height = box
        self.draw.rectangle((x, y, x + width, y + height), outline=LINE)
        for values, colour in series:
            if len(times) > 1:
                px = x + (np.asarray(times) - span[0]) / (span[1] - span[0]) * width
                py = y + height - np.clip(np.asarray(values) / greatest, 0, 1) * height
                self.draw.line(list(map(tuple, np.column_stack([px, py]))), fill=colour, width=2)
