"""Reading a recording back, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from .. import _core
from .channels import Channel, Row
from .recorder import FORMATS, need


class Source(Protocol):
    """A recording on disk.

    complete   False where its writer was stopped or is still at work; known once all rows were read
    tasks      words of each episode
    """

    path: Path
    channels: dict[str, Channel]
    complete: bool
    tasks: list[str]

    def rows(self) -> Iterator[Row]:
        """One after the other; little memory, however long the recording."""


@dataclass(frozen=True)
class Recording:
    """A whole recording in memory."""

    channels: dict[str, Channel]
    time: np.ndarray
    """(rows,) the simulation's, s."""
    episode: np.ndarray
    """(rows,)"""
    values: dict[str, np.ndarray]
    """(rows, ...) by channel."""
    tasks: list[str]
    complete: bool
    """False where the writer was stopped: what is here was written before."""


def source(path: str | Path) -> Source:
    """A recording to walk through: ``for row in taxel.record.source("run.mcap").rows(): ...``."""
    target = Path(path)
    if not target.exists():
        raise _core.Error(f"there is no recording {str(path)!r}")
    kind = "lerobot" if target.is_dir() else _kind(target)
    need(kind)
    if kind == "mcap":
        from .mcap_file import McapSource

        return McapSource(target)
    if kind == "hdf5":
        from .hdf5_file import Hdf5Source

        return Hdf5Source(target)
    from .lerobot_source import LeRobotSource

    return LeRobotSource(target)


def read(path: str | Path) -> Recording:
    """All of a recording: ``taxel.record.read("run.h5").values["touch"]``."""
    found = source(path)
    times, episodes = [], []
    values: dict[str, list[np.ndarray]] = {name: [] for name in found.channels}
    for row in found.rows():
        times.append(row.time)
        episodes.append(row.episode)
        for name, value in row.values.items():
            values[name].append(value)
    stacked = {
        name: np.stack(values[name]) if times else np.empty((0, *channel.shape), channel.dtype)
        for name, channel in found.channels.items()
    }
    return Recording(found.channels, np.array(times), np.array(episodes, int), stacked, found.tasks, found.complete)


def _kind(path: Path) -> str:
    """By what the file begins with; its name may have been changed."""
    with path.open("rb") as file:
        start = file.read(8)
    if start[1:5] == b"MCAP":
        return "mcap"
    if start[1:4] == b"HDF":
        return "hdf5"
    endings = ", ".join(suffix for suffix in FORMATS if suffix)
    raise _core.Error(f"{path}: no recording; give a file of {endings}, or the folder of a LeRobot dataset")
