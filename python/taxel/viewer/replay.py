"""What of a recording is drawn: curves of all its rows, pictures of some of them. The recording may be long."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..record import Array, Channel, Image, Markers, Pose, Row, Scalar, Source, Wrench

MOST_FRAMES = 160
MOST_LINES = 8  # numbers of an array that are drawn as curves
UNITS = {"Pa": ("kPa", 1e-3), "m": ("mm", 1e3)}


def drawn_unit(unit: str) -> tuple[str, float]:
    """Unit and factor for a picture."""
    return UNITS.get(unit, (unit, 1.0))


def is_tile(channel: Channel) -> bool:
    """Drawn as a picture a moment; the others as curves, where they are few numbers."""
    if isinstance(channel, Array):
        return len(channel.shape) == 2 or channel.points is not None or channel.shape[-1:] == (3,) != channel.shape
    return isinstance(channel, Image | Markers)


def curve_of(name: str, channel: Channel) -> tuple[str, tuple[str, ...]] | None:
    """Axis label and names of the lines; None where it is not drawn as curves."""
    if isinstance(channel, Scalar):
        return _label(name, channel.unit), ("",)
    if isinstance(channel, Wrench):
        return f"{name}: force, N", ("x", "y", "z")
    if isinstance(channel, Pose):
        return f"{name} moved, mm", ("x", "y", "z")
    if (
        isinstance(channel, Array)
        and channel.shape[0] <= MOST_LINES
        and len(channel.shape) == 1
        and not is_tile(channel)
    ):
        count = channel.shape[0]
        vector = count == 3 and channel.unit
        return _label(name, channel.unit), ("x", "y", "z") if vector else tuple(str(k) for k in range(count))
    return None


def _label(name: str, unit: str) -> str:
    return f"{name}, {drawn_unit(unit)[0]}" if unit else name


@dataclass
class Span:
    """Least and greatest of a channel's numbers, NaN aside."""

    low: float = math.inf
    high: float = -math.inf

    def add(self, value: np.ndarray) -> None:
        finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
        if finite.size:
            self.low, self.high = min(self.low, float(finite.min())), max(self.high, float(finite.max()))


@dataclass
class Replay:
    """A recording as it is drawn."""

    channels: dict[str, Channel]
    time: list[float] = field(default_factory=list)
    """Of all rows, s; episodes follow each other."""
    episodes: list[dict[str, Any]] = field(default_factory=list)
    """Task, rows, first and last time of each."""
    curves: dict[str, list[np.ndarray]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    frames: list[tuple[float, Row]] = field(default_factory=list)
    """Some rows, evenly apart, with the time as in ``time``."""

    @property
    def tiles(self) -> dict[str, Channel]:
        return {name: channel for name, channel in self.channels.items() if is_tile(channel)}

    def lines(self, name: str) -> np.ndarray:
        """(rows, lines) of a curve, in the unit it is drawn in."""
        channel, values = self.channels[name], np.array(self.curves[name])
        if isinstance(channel, Pose):  # since the episode began
            counts = [about["rows"] for about in self.episodes]
            firsts = np.cumsum([0, *counts[:-1]])
            return 1e3 * (values - np.repeat(values[firsts], counts, axis=0))
        return drawn_unit(getattr(channel, "unit", ""))[1] * values


def collect(source: Source, episode: int | None = None) -> Replay:
    """Walks through a recording once. Of its pictures it keeps few at a time, so memory does not grow with it."""
    out = Replay(dict(source.channels))
    out.curves = {name: [] for name, channel in out.channels.items() if curve_of(name, channel)}
    out.spans = {name: Span() for name in out.channels}
    stride, shift, last, before = 1, 0.0, 0.0, -1
    for row in source.rows():
        if episode is not None and row.episode != episode:
            continue
        if row.episode != before:
            shift = 0.0 if before < 0 else last - row.time + 1e-3
            out.episodes.append({"episode": row.episode, "rows": 0, "start_s": row.time, "end_s": row.time})
            before = row.episode
        last = row.time + shift
        out.episodes[-1]["rows"] += 1
        out.episodes[-1]["end_s"] = row.time
        for name, value in row.values.items():
            out.spans[name].add(value)
        for name, kept in out.curves.items():
            kept.append(np.atleast_1d(row.values[name]).ravel()[: 3 if _vector(out.channels[name]) else None])
        if len(out.time) % stride == 0:
            out.frames.append((last, row))
            if len(out.frames) > 2 * MOST_FRAMES:
                out.frames, stride = out.frames[::2], 2 * stride
        out.time.append(last)
    for about in out.episodes:
        about["task"] = source.tasks[about["episode"]] if about["episode"] < len(source.tasks) else ""
    if not out.time:
        which = "" if episode is None else f" of episode {episode}"
        raise _core.Error(f"{source.path}: there are no rows{which} in this recording")
    if len(out.frames) > MOST_FRAMES:
        out.frames = out.frames[::2]
    return out


def _vector(channel: Channel) -> bool:
    """Its first three numbers are drawn."""
    return isinstance(channel, Wrench | Pose)
