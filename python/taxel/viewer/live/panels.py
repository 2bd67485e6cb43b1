"""Beside the 3-D scene: the tactile image, the camera's image, and plots over time."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .colours import ramp
from .frame import Frame, MarkerFrame, SkinFrame

SPAN = 10.0  # s of simulated time in the plots
IMAGES, PLOTS = 12.0, 5.0  # updates a second, at most
SIDE = 300  # px, the longer side of a tactile image
WIDE = 2 * SIDE + 20  # px of the picture with both
PLOT_HEIGHT = 112  # px
PAPER = (36, 36, 36)  # the panel's own colour
GRAY = "#8a93a3"
LINES = {"normal": "#fba50a", "tangential": "#54bae2", "x": "#54bae2", "y": "#78ebbe", "sliding": "#e65c30"}


class History:
    """The last ten simulated seconds of what the plots show; starts anew where time goes back."""

    NAMES = ("time", "normal", "tangential", "x", "y", "sliding")

    def __init__(self) -> None:
        self.rows: deque[tuple[float, ...]] = deque()

    def add(self, frame: Frame) -> None:
        n = frame.numbers
        if self.rows and frame.time < self.rows[-1][0]:
            self.rows.clear()
        if self.rows and frame.time == self.rows[-1][0]:
            return
        sliding = 100 * n.sliding
        self.rows.append((frame.time, n.normal, n.tangential, 1e3 * n.center[0], 1e3 * n.center[1], sliding))
        while self.rows[-1][0] - self.rows[0][0] > SPAN:
            self.rows.popleft()

    def columns(self, *names: str) -> tuple[np.ndarray, ...]:
        """Time and these. Before the first known value they are 0: a plot finds no scale where nothing is known."""
        table = np.array(self.rows or [(0.0,) * len(self.NAMES)])
        known = np.isfinite(table)
        table[~np.maximum.accumulate(known, axis=0)] = 0.0
        return tuple(np.ascontiguousarray(table[:, self.NAMES.index(name)]) for name in ("time", *names))


class Panels:
    """The left-hand panel. ``update`` is called with every frame and sends what is due."""

    def __init__(self, server: Any) -> None:
        self.gui, self.history = server.gui, History()
        self._next_image = self._next_plot = 0.0
        panel = server.gui.add_panel()
        with panel.add_tab("Reading"):
            self.words = self.gui.add_markdown("")
            self.picture = self.gui.add_image(np.zeros((8, 8, 3), np.uint8), format="jpeg", jpeg_quality=90)
            self.plots = {
                ("normal", "tangential"): self._plot("force, N", 0.0, 1.0, "normal", "tangential"),
                ("x", "y"): self._plot("centre of pressure, mm", -5.0, 5.0, "x", "y"),
                ("sliding",): self._plot("slip: load on sliding taxels, %", 0.0, 100.0, "sliding"),
            }
        panel.dock_left()
        panel.set_width(360)

    def _plot(self, title: str, low: float, high: float, *names: str) -> Any:
        """Lines over time; the axis always has low and high on it, and more where there is more."""
        axis = {"stroke": GRAY, "grid": {"stroke": "#8a93a330", "width": 1}, "ticks": {"stroke": "#8a93a350"}}
        bounds: Any = {"min": {"pad": 0.05, "soft": low, "mode": 1}, "max": {"pad": 0.1, "soft": high, "mode": 1}}
        series: tuple[Any, ...] = (
            {"label": "s"},
            *({"label": name, "stroke": LINES[name], "width": 2, "spanGaps": False} for name in names),
        )
        return self.gui.add_uplot(
            tuple(np.zeros(1) for _ in series), series, title=title, height=PLOT_HEIGHT,
            legend={"show": len(names) > 1, "live": False}, padding=(6, 16, 10 if len(names) > 1 else 0, 0),
            scales={"x": {"time": False, "auto": True}, "y": {"auto": True, "range": bounds}},
            axes=({**axis, "size": 24}, {**axis, "size": 40}), cursor={"show": False},
        )  # fmt: skip

    def clear(self) -> None:
        """Another world, or its beginning: the plots begin anew."""
        self.history = History()
        self._next_image = self._next_plot = 0.0

    def update(
        self, frame: Frame, now: float, watched: str, shape: tuple[int, int] | None, whole: bool = False
    ) -> None:
        """``now``: a clock, s; ``shape``: rows, columns of a free layout in rows; ``whole``: also what is not due."""
        self.history.add(frame)
        if now >= self._next_image or whole:
            self._next_image = now + 1 / IMAGES
            self._picture(frame, watched, shape)
        if now >= self._next_plot or whole:
            self._next_plot = now + 1 / PLOTS
            self.words.content = words(frame)
            # Markers and gels do not tell who slides.
            self.plots[("sliding",)].visible = bool(np.isfinite(frame.numbers.sliding))
            for names, plot in self.plots.items():
                plot.data = self.history.columns(*names)

    def _picture(self, frame: Frame, watched: str, shape: tuple[int, int] | None) -> None:
        """What the sensor reads, and beside it what its camera sees."""
        skin = next((s for s in frame.skins if s.name == watched), frame.skins[0] if frame.skins else None)
        marker = next((m for m in frame.markers if m.name == watched), None)
        self.picture.visible = skin is not None or marker is not None
        if marker is not None:
            left, label = marker_image(marker), "markers: how far they went"
        elif skin is not None:
            left, label = tactile_image(skin, shape), label_of(skin)
        else:
            return
        if frame.image is not None:
            label += " · camera behind the gel"
        self.picture.image, self.picture.label = side_by_side(left, frame.image), label


def words(frame: Frame) -> str:
    """Numbers of now, as a line of Markdown."""
    n = frame.numbers
    parts = [f"**{n.normal:.2f} N** in", f"{n.tangential:.2f} N along"]
    if n.area:
        parts.append(f"{1e6 * n.area:.0f} mm²")
    if np.isfinite(n.sliding) and n.normal > 1e-3:
        parts.append("sliding" if n.sliding > 0.98 else "holds" if n.sliding < 0.02 else "begins to slip")
    return " · ".join(parts)


def label_of(skin: SkinFrame) -> str:
    """What the colours mean: from no load to the reading that changed most."""
    most = skin.values.ravel()[np.argmax(skin.shares)] if skin.values.size else 0.0
    if skin.unit == "Pa":
        return f"taxels, 0 to {most / 1e3:.3g} kPa"
    return f"taxels, to {most:.4g} {skin.unit}"


def tactile_image(skin: SkinFrame, shape: tuple[int, int] | None = None) -> np.ndarray:
    """(h, w, 3) uint8: a tile a taxel, the upper row first; taxels in no rows as discs, as seen from above."""
    if skin.values.ndim == 2:
        return tiles(skin.shares.reshape(skin.values.shape))
    if shape is not None and shape[0] * shape[1] == skin.values.size:
        return tiles(skin.shares.reshape(shape))
    return discs(skin.points[:, :2], ramp(skin.shares))


def tiles(shares: np.ndarray) -> np.ndarray:
    cell = max(2, SIDE // max(shares.shape))
    colours = np.repeat(np.repeat(ramp(shares)[::-1], cell, axis=0), cell, axis=1)
    if cell >= 6:
        colours[::cell], colours[:, ::cell] = (30, 34, 42), (30, 34, 42)
    return colours


def discs(places: np.ndarray, colours: np.ndarray) -> np.ndarray:
    low, high = places.min(axis=0), places.max(axis=0)
    span = float(max((high - low).max(), 1e-6))
    middle, scale = 0.5 * (low + high), (SIDE - 60) / span
    image = np.full((SIDE, SIDE, 3), (30, 34, 42), np.uint8)
    row, col = np.mgrid[:SIDE, :SIDE]
    radius = 0.32 * SIDE / np.sqrt(len(places))
    for (x, y), colour in zip(places, colours, strict=True):
        c, r = SIDE / 2 + (x - middle[0]) * scale, SIDE / 2 - (y - middle[1]) * scale
        image[(row - r) ** 2 + (col - c) ** 2 <= radius**2] = colour
    return image


def marker_image(marker: MarkerFrame) -> np.ndarray:
    """How far the markers went, as tiles."""
    lengths = np.linalg.norm(marker.pixels[..., :2], axis=-1)
    most = float(lengths.max())
    shares = lengths / most if most > 0 else np.zeros_like(lengths)
    return tiles(shares) if shares.ndim == 2 else discs(marker.places[:, :2], ramp(shares))


def side_by_side(left: np.ndarray, right: np.ndarray | None) -> np.ndarray:
    """Two pictures on one, as high as SIDE; alone, the first has a bar of its colours beside it."""
    page = np.full((SIDE, WIDE, 3), PAPER, np.uint8)
    if right is None:
        bar = np.repeat(ramp(np.linspace(1, 0, SIDE))[:, None], 16, axis=1)
        page[:, WIDE // 2 + SIDE // 2 + 14 : WIDE // 2 + SIDE // 2 + 30] = bar
        _paste(page, left, WIDE // 2)
        return page
    k = max(1, SIDE // right.shape[0])
    enlarged = np.repeat(np.repeat(right, k, axis=0), k, axis=1) if k > 1 else _fitted(right)
    _paste(page, left, SIDE // 2)
    _paste(page, enlarged, WIDE - SIDE // 2)
    return page


def _fitted(picture: np.ndarray) -> np.ndarray:
    """The picture with SIDE rows, by the nearest pixels."""
    rows = (np.arange(SIDE) * picture.shape[0]) // SIDE
    cols = np.arange(int(picture.shape[1] * SIDE / picture.shape[0])) * picture.shape[0] // SIDE
    return picture[rows][:, np.minimum(cols, picture.shape[1] - 1)]


def _paste(page: np.ndarray, picture: np.ndarray, middle: int) -> None:
    """A picture about the middle of the page's rows and a column."""
    rows, cols = min(picture.shape[0], page.shape[0]), min(picture.shape[1], page.shape[1])
    top, left = (page.shape[0] - rows) // 2, max(0, middle - cols // 2)
    cols = min(cols, page.shape[1] - left)
    page[top : top + rows, left : left + cols] = picture[:rows, :cols]
