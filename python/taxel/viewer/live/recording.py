"""Where a recording of the page goes: the one seam between the live view and files."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ... import _core
from .frame import Frame


@dataclass(frozen=True)
class Reading:
    """Numbers of a sensor, and what they are."""

    values: np.ndarray
    unit: str = ""
    points: np.ndarray | None = None
    """(n, 3) where they are read, m, in the frame whose pose is called ``frame``."""
    frame: str = "world"
    pixel: float | None = None
    """m; of markers alone."""


class Sink(Protocol):
    """Takes one frame after the other; ``close`` finishes the file. Both raise OSError where the disk is full."""

    def __call__(
        self, time: float, readings: Mapping[str, Reading], poses: Mapping[str, np.ndarray], image: np.ndarray | None
    ) -> None: ...

    def close(self) -> bool:
        """False where there was nothing to write: then there is no file."""
        ...

    def abandon(self) -> None:
        """Ends it before the first frame; no file is left."""
        ...


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
    if target.suffix and target.suffix.lower() not in (".mcap", ".h5", ".hdf5"):
        raise _core.Error(
            f"--record {target}: give a file that ends with .npz, .mcap or .h5, or the name of a folder (LeRobot) "
            "without a suffix"
        )
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
    numbers, readings = frame.numbers, {}
    poses = {f"geom/{name}": np.concatenate([frame.positions[g], frame.quaternions[g]]) for g, name in geoms.items()}
    frames = {skin.name: skin.frame for skin in frame.skins} | {m.name: m.frame for m in frame.markers}
    poses |= {f"{name}/frame": pose for name, pose in frames.items() if pose is not None}
    for skin in frame.skins:
        readings[f"{skin.name}/touch"] = Reading(skin.values, skin.unit, skin.rest, _frame_of(skin.name, poses))
    for marker in frame.markers:
        pixel, where = marker.pixel or None, _frame_of(marker.name, poses)
        readings[f"{marker.name}/markers"] = Reading(marker.pixels, "px", marker.rest, where, pixel)
    readings["force"] = Reading(np.array([numbers.normal, numbers.tangential]), "N")
    readings["center"] = Reading(np.array(numbers.center), "m")
    sink(frame.time, readings, poses, frame.image)


def _frame_of(name: str, poses: Mapping[str, np.ndarray]) -> str:
    return f"{name}/frame" if f"{name}/frame" in poses else "world"


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
        self, time: float, readings: Mapping[str, Reading], poses: Mapping[str, np.ndarray], image: np.ndarray | None
    ) -> None:
        values: dict[str, Any] = {_plain(name): pose for name, pose in poses.items()}
        values |= {_plain(name): reading.values for name, reading in readings.items()}
        if image is not None:
            values["camera"] = image
        if self.recorder is None:
            channels = self._channels(readings, poses, image)
            self.recorder = self.recordings.open(self.path, channels, task=self.title)
        if self.recorder.rows and time <= self.recorder.last:
            if time == self.recorder.last:
                return  # paused: the same moment once more
            self.recorder.next_episode(self.title)
        self.recorder.write(time, values)

    def _channels(
        self, readings: Mapping[str, Reading], poses: Mapping[str, np.ndarray], image: np.ndarray | None
    ) -> dict[str, Any]:
        kinds = self.recordings
        found: dict[str, Any] = {_plain(name): kinds.Pose() for name in poses}
        for name, reading in readings.items():
            size, frame = np.shape(reading.values), _plain(reading.frame)
            if reading.pixel is not None:
                found[_plain(name)] = kinds.Markers(size[:-1], reading.points, reading.pixel, frame)
            else:
                found[_plain(name)] = kinds.Array(size, reading.unit, reading.points, frame)
        if image is not None:
            found["camera"] = kinds.Image(*image.shape[:2])
        return found

    def close(self) -> bool:
        if self.recorder is None:
            return False
        self.recorder.close()
        return True

    def abandon(self) -> None:
        """There is no file before the first frame."""


class ArraySink:
    """Without any library: all frames in memory, an .npz of plain arrays at the end. time (T,), NAME/touch (T, ...),
    NAME/frame and geom/NAME (T, 7), camera (T, rows, cols, 3), title."""

    def __init__(self, path: Path, title: str) -> None:
        self.path, self.title = path, title
        self.rows: dict[str, list[Any]] = {"time": []}
        if path.exists():
            raise ValueError(f"recording {path}: it is there already; remove it, or give another name")
        with open(path, "wb"):  # a folder that may not be written to is told of at once
            pass

    def __call__(
        self, time: float, readings: Mapping[str, Reading], poses: Mapping[str, np.ndarray], image: np.ndarray | None
    ) -> None:
        if self.rows["time"] and time == self.rows["time"][-1]:
            return
        new: dict[str, Any] = {"time": time, **{name: reading.values for name, reading in readings.items()}, **poses}
        if image is not None:
            new["camera"] = image
        for key, value in new.items():
            self.rows.setdefault(key, []).append(np.array(value))

    def close(self) -> bool:
        if not self.rows["time"]:
            self.abandon()
            return False
        arrays: dict[str, Any] = {key: np.array(rows) for key, rows in self.rows.items()}
        with open(self.path, "wb") as file:
            np.savez_compressed(file, title=self.title, **arrays)
        return True

    def abandon(self) -> None:
        self.path.unlink(missing_ok=True)


def _plain(name: str) -> str:
    """A name that a channel may have."""
    return re.sub(r"[^A-Za-z0-9_/]", "_", name)
