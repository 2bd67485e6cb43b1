"""The pictures of a moment of a recording, pixel by pixel: taxels, gels, markers, camera images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..record import Array, Channel, Image, Markers, Row
from .panel import FAINT, INK, LINE, ORANGE, Panel, colours, font
from .replay import Replay, Span, drawn_unit

TITLE = 26  # px above a tile
GEL = (30, 34, 42)


class Tile:
    """One channel as a picture of a fixed size, ``height`` px."""

    def __init__(self, replay: Replay, name: str, height: int) -> None:
        self.name, self.channel, self.height = name, replay.channels[name], height
        self.width = max(50, round(height * self._aspect()))
        span = replay.spans[name]
        span = span if span.low <= span.high else Span(0.0, 0.0)  # all NaN
        self.high = max(abs(span.low), abs(span.high)) if self._is_vector() else span.high
        self.low = 0.0 if self._is_vector() else min(0.0, span.low)
        unit = getattr(self.channel, "unit", "px" if isinstance(self.channel, Markers) else "")
        if unit == "counts":
            self.low = span.low
        self.unit, self.factor = drawn_unit(unit)

    def _is_vector(self) -> bool:
        return isinstance(self.channel, Markers) or (isinstance(self.channel, Array) and len(self.channel.shape) == 3)

    def _places(self) -> np.ndarray | None:
        return self.channel.rest if isinstance(self.channel, Markers) else getattr(self.channel, "points", None)

    def _aspect(self) -> float:
        places = self._places()
        if isinstance(self.channel, Markers) or (places is not None and len(self.channel.shape) == 1):
            assert places is not None
            wide, high = np.ptp(self._flat(places), axis=0)
            return float(np.clip(wide / max(high, 1e-12), 0.4, 2.5))
        rows, cols = self.channel.shape[:2]
        return float(np.clip(cols / rows, 0.4, 2.5))

    @staticmethod
    def _flat(places: np.ndarray) -> np.ndarray:
        """Across and up: the two axes along which they spread most, x before y before z."""
        spread = np.argsort(-np.ptp(places, axis=0), kind="stable")[:2]
        return places[:, np.sort(spread)]

    def _range(self) -> str:
        if isinstance(self.channel, Image):
            return ""
        return f"to {self.factor * self.high:.3g} {self.unit}".rstrip()

    @property
    def title_width(self) -> int:
        """Of its name and range, px."""
        return round(font(14, True).getlength(self.name) + 10 + font(12).getlength(self._range()))

    def title(self, panel: Panel, x: int, y: int) -> None:
        panel.text(x, y, self.name, 14, INK, bold=True)
        panel.text(x + 10 + font(14, True).getlength(self.name), y + 2, self._range(), 12, FAINT)

    def draw(self, panel: Panel, x: int, y: int, row: Row) -> None:
        """The picture, ``TITLE`` px below y."""
        value = row.values[self.name]
        y += TITLE
        if isinstance(self.channel, Image):
            panel.paste(_fit(value, self.width, self.height), x, y)
        elif isinstance(self.channel, Markers):
            self._arrows(panel, x, y, value, self.channel)
        elif len(value.shape) == 1:
            self._discs(panel, x, y, value)
        else:
            self._cells(panel, x, y, np.linalg.norm(value, axis=-1) if value.ndim == 3 else value)

    def _share(self, value: np.ndarray) -> np.ndarray:
        size = self.high - self.low if self.high > self.low else 1.0
        return np.clip(np.nan_to_num((value.astype(float) - self.low) / size), 0.0, 1.0)

    def _cells(self, panel: Panel, x: int, y: int, value: np.ndarray) -> None:
        if rows_go_up(self.channel):
            value = value[::-1]
        pixels = _fit(colours(self._share(value)), self.width, self.height)
        rows, cols = value.shape
        if rows * 6 <= self.height and cols * 6 <= self.width:
            pixels = pixels.copy()
            pixels[np.linspace(0, self.height - 1, rows + 1).astype(int)] = LINE
            pixels[:, np.linspace(0, self.width - 1, cols + 1).astype(int)] = LINE
        panel.paste(pixels, x, y)

    def _spots(self, x: int, y: int, places: np.ndarray, margin: float = 12.0) -> tuple[np.ndarray, float]:
        """Pixels of places (n, 2), and pixels a metre."""
        low, size = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1e-9)
        scale = float(min((self.width - 2 * margin) / size[0], (self.height - 2 * margin) / size[1]))
        middle = low + 0.5 * size
        out = (places - middle) * (scale, -scale) + (x + 0.5 * self.width, y + 0.5 * self.height)
        return out, scale

    def _discs(self, panel: Panel, x: int, y: int, value: np.ndarray) -> None:
        places = self._places()
        assert places is not None
        panel.draw.rectangle((x, y, x + self.width - 1, y + self.height - 1), outline=LINE)
        spots, _ = self._spots(x, y, self._flat(places))
        radius = 0.42 * np.sqrt(self.width * self.height / len(spots))
        panel.discs(spots, self._share(value), float(np.clip(radius, 2, 12)), 1.0)

    def _arrows(self, panel: Panel, x: int, y: int, value: np.ndarray, channel: Markers) -> None:
        panel.draw.rectangle((x, y, x + self.width - 1, y + self.height - 1), fill=GEL)
        places = channel.rest[:, :2]
        spots, scale = self._spots(x, y, places, 22.0)
        apart = np.sqrt(self.width * self.height / len(spots))
        longest = max(self.high * channel.pixel * scale, 1e-12)
        factor = min(0.9 * apart / longest, 60.0) * channel.pixel * scale  # as long as the way to the next marker
        tips = spots + value.reshape(-1, 3)[:, :2] * (factor, -factor)
        for (ax, ay), (bx, by) in zip(spots, tips, strict=True):
            panel.draw.ellipse((ax - 1.5, ay - 1.5, ax + 1.5, ay + 1.5), fill=FAINT)
            panel.draw.line((ax, ay, bx, by), fill=ORANGE, width=2)
            panel.draw.ellipse((bx - 2, by - 2, bx + 2, by + 2), fill=ORANGE)


def rows_go_up(channel: Channel) -> bool:
    """Is the first row the lowest? Told by where the taxels are."""
    points = getattr(channel, "points", None)
    if points is None or len(channel.shape) != 2:
        return False
    y = points[:, 1].reshape(channel.shape)
    return bool(y[-1].mean() > y[0].mean())


def _fit(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    from PIL import Image as Picture

    kind: Any = Picture.Resampling
    small = pixels.shape[0] > height
    shown = Picture.fromarray(np.ascontiguousarray(pixels)).resize(
        (width, height), kind.LANCZOS if small else kind.NEAREST
    )
    return np.asarray(shown)
