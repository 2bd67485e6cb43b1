"""Where a recording of the page goes: the one seam between the live view and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .frame import Frame


class Sink(Protocol):
    """Takes one frame after the other; ``close`` finishes the file. Both raise OSError where the disk is full."""

    def __call__(
        self, time: float, readings: dict[str, np.ndarray], poses: dict[str, np.ndarray], image: np.ndarray | None
    ) -> None: ...

    def close(self) -> None: ...


def open_sink(path: str | Path, title: str, names: list[str]) -> Sink:
    """A writer for ``path``: by its ending .npz here.

    title   of the scene; names: of the model's geoms, as the poses have them
    """
    target = Path(path)
    if target.suffix != ".npz":
        raise ValueError(f"--record {target}: give a file that ends with .npz")
    return ArraySink(target, title)


class ArraySink:
    """All frames in memory, an .npz of plain arrays at the end: time (T,), poses (T, 7), readings (T, ...), image."""

    def __init__(self, path: Path, title: str) -> None:
        self.path, self.title = path, title
        self.rows: dict[str, list[Any]] = {"time": []}
        with open(path, "wb"):  # a folder that may not be written to is told of at once
            pass

    def __call__(
        self, time: float, readings: dict[str, np.ndarray], poses: dict[str, np.ndarray], image: np.ndarray | None
    ) -> None:
        new: dict[str, Any] = {"time": time}
        new |= {f"reading/{name}": value for name, value in readings.items()}
        new |= {f"pose/{name}": value for name, value in poses.items()}
        if image is not None:
            new["image"] = image
        for key, value in new.items():
            self.rows.setdefault(key, []).append(np.array(value))

    def close(self) -> None:
        arrays: dict[str, Any] = {key.replace("/", "."): np.array(rows) for key, rows in self.rows.items()}
        np.savez_compressed(self.path, title=self.title, **arrays)


def record(sink: Sink, frame: Frame, geoms: dict[int, str]) -> None:
    """One frame into a sink. ``geoms``: names of those that move, by number; poses are x, y, z, qw, qx, qy, qz."""
    numbers = frame.numbers
    readings = {skin.name: skin.values for skin in frame.skins}
    readings |= {f"{marker.name}.markers": marker.pixels for marker in frame.markers}
    readings["force"] = np.array([numbers.normal, numbers.tangential])
    readings["center"] = np.array(numbers.center)
    poses = {name: np.concatenate([frame.positions[g], frame.quaternions[g]]) for g, name in geoms.items()}
    sink(frame.time, readings, poses, frame.image)
