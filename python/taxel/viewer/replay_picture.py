"""A recording as one picture (some moments, all curves) and as a film."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from .gif import write_gif
from .panel import BLUE, FAINT, GREEN, INK, LINE, ORANGE, RED, Panel
from .replay import Replay, curve_of
from .replay_tiles import TITLE, Tile

COLOURS = (BLUE, ORANGE, GREEN, RED, (120, 86, 170), (90, 90, 90), (0, 150, 160), (200, 90, 140))
MARGIN, GAP, HEAD = 20, 18, 44
FILM_TILE, FILM_CURVE = 200, 84
MOMENTS, SMALL = 5, 150
LEAST_SECONDS, MOST_SECONDS = 4.0, 20.0  # that a film plays
MOST_TILES, MOST_CURVES = 6, 6


class Curves:
    """Boxes with the lines of a recording over time."""

    def __init__(self, replay: Replay, width: int) -> None:
        self.replay, self.width = replay, width
        names = [name for name, channel in replay.channels.items() if curve_of(name, channel)]
        names = [n for n in names if replay.channels[n].kind != "pose" or np.ptp(replay.lines(n), axis=0).max() > 1e-6]
        self.names = sorted(names, key=self._rank)[:MOST_CURVES]
        self.times = np.array(replay.time)
        start, end = float(self.times[0]), float(self.times[-1])
        self.span = start, max(end, start + 1e-9 * max(1.0, abs(start)))  # also of a single row

    def _rank(self, name: str) -> int:
        """What is felt comes first; joints, bodies and sensors' frames where there is room."""
        channel = self.replay.channels[name]
        if channel.kind == "pose":
            return 4 if "/" in name else 3
        return 0 if channel.kind == "wrench" else 1 if getattr(channel, "unit", "") else 2

    @property
    def height(self) -> int:
        return math.ceil(len(self.names) / 2) * (FILM_CURVE + TITLE + 10) + (18 if self.names else 0)

    def _boxes(self, x: int, y: int) -> list[tuple[str, int, int]]:
        wide = (self.width - GAP) // 2
        return [
            (name, x + (k % 2) * (wide + GAP), y + (k // 2) * (FILM_CURVE + TITLE + 10))
            for k, name in enumerate(self.names)
        ]

    def _place(self, x: int, time: float) -> float:
        start, end = self.span
        return x + (time - start) / (end - start) * ((self.width - GAP) // 2)

    def draw(self, panel: Panel, x: int, y: int) -> None:
        for name, left, top in self._boxes(x, y):
            self._box(panel, left, top, (self.width - GAP) // 2, name)

    def cursor(self, panel: Panel, x: int, y: int, now: float) -> None:
        """The line that says where a film is, over curves that stand still."""
        for _, left, top in self._boxes(x, y):
            at = self._place(left, now)
            panel.draw.line((at, top + TITLE - 6, at, top + TITLE - 6 + FILM_CURVE), fill=INK, width=1)

    def _box(self, panel: Panel, x: int, y: int, wide: int, name: str) -> None:
        words, lines = curve_of(name, self.replay.channels[name]) or ("", ())
        values = self.replay.lines(name)
        finite = values[np.isfinite(values)]
        low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
        high = high if high > low else low + 1.0
        if min(high, -low) < 0.01 * (high - low):  # a whiff of noise beyond 0
            low, high = (low, 0.0) if high < -low else (0.0, high)
        panel.text(x, y, words, 13, INK, bold=True)
        at = x + wide
        for k in reversed(range(len(lines))):
            if lines[k]:
                panel.text(at, y, lines[k], 13, COLOURS[k % len(COLOURS)], bold=True, anchor="ra")
                at -= 16
        y += TITLE - 6
        every = slice(None, None, max(1, len(self.times) // wide))
        share = np.nan_to_num((values[every] - low) / (high - low), posinf=1.0, neginf=0.0)
        shown = [(share[:, k], COLOURS[k % len(COLOURS)]) for k in range(values.shape[1])]
        if low < 0 < high:
            zero = y + FILM_CURVE * high / (high - low)
            panel.draw.line((x, zero, x + wide, zero), fill=LINE)
        panel.curve((x, y, wide, FILM_CURVE), self.times[every], shown, self.span, 1.0)
        panel.text(x + 3, y + 2, f"{high:.3g}", 11, FAINT)
        panel.text(x + 3, y + FILM_CURVE - 14, f"{low:.3g}", 11, FAINT)
        for row in np.cumsum([about["rows"] for about in self.replay.episodes])[:-1]:  # where an episode ends
            end = self._place(x, float(self.times[row]))
            panel.draw.line((end, y, end, y + FILM_CURVE), fill=FAINT)


def film(path: Path, replay: Replay, title: str) -> tuple[Path, float]:
    """An animated GIF; also how many times faster than the simulation it plays."""
    tiles = [Tile(replay, name, FILM_TILE) for name in list(replay.tiles)[:MOST_TILES]]
    widths = [max(tile.width, tile.title_width) for tile in tiles]
    wide = max(520, sum(widths) + GAP * (len(tiles) - 1))
    curves = Curves(replay, wide)
    below = HEAD + (FILM_TILE + TITLE + GAP if tiles else 0)
    frames = []
    still = Panel(wide + 2 * MARGIN, below + curves.height + MARGIN)
    still.text(MARGIN, 14, title, 16, INK, bold=True)
    curves.draw(still, MARGIN, below)
    places = [MARGIN + sum(widths[:k]) + GAP * k for k in range(len(tiles))]
    for tile, x in zip(tiles, places, strict=True):
        tile.title(still, x, HEAD)
    for now, row in replay.frames:
        panel = Panel(still.width, still.height)
        panel.picture.paste(still.picture)
        panel.text(still.width - MARGIN, 16, f"{row.time:.3f} s", 14, FAINT, anchor="ra")
        for tile, x in zip(tiles, places, strict=True):
            tile.draw(panel, x, HEAD, row)
        curves.cursor(panel, MARGIN, below, now)
        frames.append(panel.pixels())
    lasts = replay.time[-1] - replay.time[0]
    seconds = float(np.clip(lasts, LEAST_SECONDS, MOST_SECONDS))
    write_gif(path, frames, max(1.0, min(50.0, len(frames) / seconds)))
    return path, lasts / seconds


def picture(path: Path, replay: Replay, title: str, words: str) -> Path:
    """Some moments from left to right, each channel a line of them; the curves below."""
    count = min(MOMENTS, len(replay.frames))
    picked = [replay.frames[k] for k in np.linspace(0, len(replay.frames) - 1, count).round().astype(int)]
    tiles = [Tile(replay, name, SMALL) for name in list(replay.tiles)[:MOST_TILES]]
    column = max([tile.width for tile in tiles], default=0) + GAP
    wide = max(720, count * column - GAP if tiles else 0)
    curves = Curves(replay, wide)
    below = HEAD + 26 + (22 + len(tiles) * (SMALL + TITLE + 8) if tiles else 0)
    panel = Panel(wide + 2 * MARGIN, below + curves.height + MARGIN)
    panel.text(MARGIN, 14, title, 17, INK, bold=True)
    panel.text(MARGIN, 40, words, 13, FAINT)
    for k, (_, row) in enumerate(picked if tiles else []):
        x = MARGIN + k * (wide + GAP) // count
        panel.text(x, HEAD + 24, f"{row.time:.3f} s", 14, FAINT, bold=True)
        for line, tile in enumerate(tiles):
            if k == 0:
                tile.title(panel, x, HEAD + 48 + line * (SMALL + TITLE + 8))
            tile.draw(panel, x, HEAD + 48 + line * (SMALL + TITLE + 8), row)
    curves.draw(panel, MARGIN, below + 10)
    if curves.names:
        foot = panel.height - 20
        panel.text(MARGIN, foot, f"{curves.span[0]:.3g} s", 12, FAINT)
        panel.text(MARGIN + wide, foot, f"{curves.span[1]:.3g} s", 12, FAINT, anchor="ra")
    panel.picture.save(path)
    return path
