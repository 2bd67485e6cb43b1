"""One way to record, whatever the format: rows of channels with the simulation's time."""

from __future__ import annotations

import errno
import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import _core
from ..common.files import try_folder
from .channels import Channel, check_channels

FORMATS = {".mcap": "mcap", ".h5": "hdf5", ".hdf5": "hdf5", "": "lerobot"}
NEEDS = {"mcap": ("mcap", "google.protobuf"), "hdf5": ("h5py",), "lerobot": ("pyarrow",)}
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RecordingStopped(OSError):
    """The disk took no more. What was written before can be read."""


class Sink(Protocol):
    """What a format does. Rows come checked, one episode after the other."""

    def begin(self, episode: int, task: str) -> None: ...
    def append(self, time: float, values: Mapping[str, np.ndarray]) -> None: ...
    def end(self) -> None:
        """The episode is over."""

    def close(self) -> None: ...
    def abandon(self) -> int:
        """After a failed write: lets go of the file; how many rows can be read from it."""


class Recorder:
    """Writes a recording; made by ``taxel.record.open``.

    Each row has a value for every channel. Threads may share a recorder. Leaving the ``with`` block by an error or
    Ctrl-C closes the file as well: what was written stays.
    """

    def __init__(self, path: Path, channels: dict[str, Channel], sink: Sink, task: str) -> None:
        self.path, self.channels = path, channels
        self.rows = self.episode = 0
        self.first: float | None = None
        self.last = -math.inf
        self._sink, self._lock, self._closed = sink, threading.Lock(), False
        self._rows_of_episode = 0
        self._try(sink.begin, 0, task)

    def write(self, time: float, values: Mapping[str, Any]) -> None:
        """One row. ``time`` is the simulation's (``data.time``), s, and grows within an episode."""
        with self._lock:
            self._check_open()
            try:
                now = float(time)
            except (TypeError, ValueError):
                now = math.nan
            if not math.isfinite(now):
                raise _core.Error(f"{self.path}: the time of row {self.rows} is {time!r}; give seconds")
            if self._rows_of_episode and now <= self.last:
                raise _core.Error(
                    f"{self.path}: the time of row {self.rows} is {now:g} s, after one at {self.last:g} s; "
                    "call next_episode() where the simulation was reset"
                )
            row = self._convert(values)
            self._try(self._sink.append, now, row)
            self.first = now if self.first is None else self.first
            self.last = now
            self.rows += 1
            self._rows_of_episode += 1

    def next_episode(self, task: str = "") -> None:
        """Ends the episode; the next row begins another, and its time may start anew. Without rows nothing happens."""
        with self._lock:
            self._check_open()
            if not self._rows_of_episode:
                return
            self._try(self._sink.end)
            self.episode += 1
            self._rows_of_episode = 0
            self._try(self._sink.begin, self.episode, task)

    def close(self) -> None:
        """Writes what is left; a second time does nothing."""
        with self._lock:
            if self._closed:
                return
            if self._rows_of_episode:
                self._try(self._sink.end)
            self._try(self._sink.close)
            self._closed = True

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise _core.Error(f"{self.path}: this recording is closed; open another")

    def _convert(self, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
        if not isinstance(values, Mapping):
            raise TypeError(
                f"{self.path}: values of row {self.rows} are {type(values).__name__}; give a dict with a value for "
                f"each channel ({', '.join(self.channels)})"
            )
        if values.keys() != self.channels.keys():
            missing = ", ".join(sorted(self.channels.keys() - values.keys()))
            more = ", ".join(sorted(values.keys() - self.channels.keys()))
            what = f"{missing}: not in row {self.rows}" if missing else f"{more}: no channel of this recording"
            raise _core.Error(f"{self.path}: {what}; a row has all channels ({', '.join(self.channels)}) and no other")
        row = {}
        for name, channel in self.channels.items():
            try:
                row[name] = channel.convert(values[name])
            except (TypeError, ValueError) as error:
                raise _core.Error(f"{self.path}: channel {name!r}, row {self.rows}: {error}") from None
        return row

    def _try(self, step: Any, *arguments: Any) -> None:
        try:
            step(*arguments)
        except OSError as error:
            self._closed = True
            kept = self._sink.abandon()
            reason = "the disk is full" if error.errno in FULL else error.strerror or str(error)
            saved = f"{kept} rows can be read from it" if kept else "nothing can be read from it"
            stopped = RecordingStopped(
                f"recording {self.path} stopped after {self.rows} rows: {reason}; {saved}. "
                "Make room, or record to another disk"
            )
            stopped.errno = error.errno
            raise stopped from error


def check_path(path: str | Path, format: str | None = None) -> tuple[Path, str]:
    """Path and format of a recording to be made; asked before the work, so that none is lost."""
    if not str(path):
        raise _core.Error("recording: the name is empty; give a file (.mcap, .h5), or a folder (LeRobot)")
    target, known = Path(path), sorted(set(FORMATS.values()))
    if format is None:
        if target.suffix.lower() not in FORMATS:
            raise _core.Error(
                f"recording {path}: a file that ends with {target.suffix} is none of ours; give .mcap, .h5, or the "
                "name of a folder (LeRobot) without a suffix"
            )
        format = FORMATS[target.suffix.lower()]
    if format not in known:
        raise _core.Error(f"recording {path}: format is {format!r}; give one of {', '.join(known)}")
    need(format)
    if format == "lerobot":
        taken = target.exists() and (not target.is_dir() or any(target.iterdir()))
    else:
        taken = target.exists()
    if taken:
        raise _core.Error(f"recording {path}: it is there already; remove it, or give another name")
    if not target.parent.is_dir():
        raise _core.Error(f"recording {path}: there is no folder {target.parent}; make it, or give another name")
    folder = target if target.is_dir() else target.parent
    try:
        try_folder(folder)
    except OSError as error:
        if error.errno not in FULL:  # a full disk is met, and said, when it is written
            reason = error.strerror or str(error)
            raise _core.Error(f"recording {path}: no file can be made in {folder} ({reason}); give another") from None
    return target, format


def need(format: str, *more: str) -> None:
    """ImportError with the way out where a library of the format is not there."""
    import importlib

    for module in (*NEEDS[format], *more):
        try:
            importlib.import_module(module)
        except ImportError:
            name = {"google.protobuf": "protobuf"}.get(module, module)
            raise ImportError(f"recordings as {format} need {name}; run: pip install 'taxel[record]'") from None


def open(path: str | Path, channels: Mapping[str, Channel], *, task: str = "", format: str | None = None) -> Recorder:
    """Begins a recording.

        channels = {"touch": taxel.record.Array((16, 16), "Pa"), "force": taxel.record.Scalar("N")}
        with taxel.record.open("press.mcap", channels) as recorder:
            recorder.write(data.time, {"touch": sensor(data), "force": 4.9})

    path     ``.mcap`` (Foxglove), ``.h5`` or ``.hdf5``, or a folder (LeRobot dataset, v3); must not be there yet
    task     what happens, in words: of the first episode
    format   "mcap", "hdf5" or "lerobot", where the path does not say it
    """
    known = check_channels(channels)
    target, kind = check_path(path, format)
    return Recorder(target, known, _sink(target, kind, known), task)


def _sink(path: Path, format: str, channels: dict[str, Channel]) -> Sink:
    try:
        if format == "mcap":
            from .mcap_file import McapSink

            return McapSink(path, channels)
        if format == "hdf5":
            from .hdf5_file import Hdf5Sink

            return Hdf5Sink(path, channels)
        from .lerobot_folder import LeRobotSink

        return LeRobotSink(path, channels)
    except OSError as error:
        if not isinstance(error, FileExistsError) and path.is_file():
            path.unlink()  # ours, and empty
        reason = "the disk is full" if error.errno in FULL else error.strerror or str(error)
        raise RecordingStopped(f"recording {path} cannot be written ({reason}); give another name") from error
