"""Where a recording of the page goes: the one seam between the live view and files."""

from __future__ import annotations

import importlib
import re
import time
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


def open_sink(path: str | Path, title: str) -> Sink:
    """A writer for ``path``, by its ending: .npz here, all others by ``taxel.record``. ``title``: of the scene.

    What cannot be written (name, folder, a library that is missing) is told now, not at the end.
    """
    target = Path(path)
    if target.suffix == ".npz":
        return ArraySink(target, title)
    recordings = _recordings()
    if recordings is None:
        raise ValueError(f"--record {target}: give a file that ends with .npz")
    recordings.check_path(target)
    return RecorderSink(recordings, target, title)


def default_path() -> str:
    """A new file in the folder where the command runs: .mcap where that can be written, else .npz."""
    stem, recordings = time.strftime("taxel_%Y%m%d_%H%M%S"), _recordings()
    if recordings is not None:
        try:
            recordings.check_path(f"{stem}.mcap")
        except (ImportError, ValueError):
            return f"{stem}.npz"
        return f"{stem}.mcap"
    return f"{stem}.npz"


def record(sink: Sink, frame: Frame, geoms: dict[int, str]) -> None:
    """One frame into a sink. ``geoms``: names of those that move, by number; poses are x, y, z, qw, qx, qy, qz."""
    numbers = frame.numbers
    readings = {f"{skin.name}/touch": skin.values for skin in frame.skins}
    readings |= {f"{marker.name}/markers": marker.pixels for marker in frame.markers}
    readings["force"] = np.array([numbers.normal, numbers.tangential])
    readings["center"] = np.array(numbers.center)
    poses = {name: np.concatenate([frame.positions[g], frame.quaternions[g]]) for g, name in geoms.items()}
    sink(frame.time, readings, poses, frame.image)


def _recordings() -> Any:
    """The room ``taxel.record``; None where this taxel has none."""
    try:
        return importlib.import_module("taxel.record")
    except ImportError:
        return None


class RecorderSink:
    """Through ``taxel.record``: channels are known with the first frame; a reset begins the next episode."""

    def __init__(self, recordings: Any, path: Path, title: str) -> None:
        self.recordings, self.path, self.title = recordings, path, title
        self.recorder: Any = None

    def __call__(
        self, time: float, readings: dict[str, np.ndarray], poses: dict[str, np.ndarray], image: np.ndarray | None
    ) -> None:
        kinds = self.recordings
        values: dict[str, Any] = {_plain(name): value for name, value in readings.items()}
        channels: dict[str, Any] = {name: kinds.Array(np.shape(value)) for name, value in values.items()}
        for name, pose in poses.items():
            values[f"geom/{_plain(name)}"], channels[f"geom/{_plain(name)}"] = pose, kinds.Pose()
        if image is not None:
            values["camera"], channels["camera"] = image, kinds.Image(*image.shape[:2])
        if self.recorder is None:
            self.recorder = kinds.open(self.path, channels, task=self.title)
        if self.recorder.rows and time <= self.recorder.last:
            if time == self.recorder.last:
                return  # paused: the same moment once more
            self.recorder.next_episode(self.title)
        self.recorder.write(time, values)

    def close(self) -> None:
        if self.recorder is not None:
            self.recorder.close()


class ArraySink:
    """Without any library: all frames in memory, an .npz of plain arrays at the end. time (T,), NAME/touch (T, ...),
    geom/NAME (T, 7), camera (T, rows, cols, 3), title."""

    def __init__(self, path: Path, title: str) -> None:
        self.path, self.title = path, title
        self.rows: dict[str, list[Any]] = {"time": []}
        if path.exists():
            raise ValueError(f"recording {path}: it is there already; remove it, or give another name")
        with open(path, "wb"):  # a folder that may not be written to is told of at once
            pass

    def __call__(
        self, time: float, readings: dict[str, np.ndarray], poses: dict[str, np.ndarray], image: np.ndarray | None
    ) -> None:
        if self.rows["time"] and time == self.rows["time"][-1]:
            return
        new: dict[str, Any] = {"time": time, **readings, **{f"geom/{name}": value for name, value in poses.items()}}
        if image is not None:
            new["camera"] = image
        for key, value in new.items():
            self.rows.setdefault(key, []).append(np.array(value))

    def close(self) -> None:
        arrays: dict[str, Any] = {key: np.array(rows) for key, rows in self.rows.items()}
        with open(self.path, "wb") as file:
            np.savez_compressed(file, title=self.title, **arrays)


def _plain(name: str) -> str:
    """A name that a channel may have."""
    return re.sub(r"[^A-Za-z0-9_/]", "_", name)
