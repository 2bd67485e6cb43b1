"""Recordings as HDF5 files: a dataset a channel, grown in whole chunks.

    time            (rows,) s                       episode   (rows,) which episode a row belongs to
    channels/NAME   (rows, ...) a channel           tasks     (episodes,) words
    description     the channels as JSON

The file is in HDF5's single-writer mode: others may read while it is written (``h5py.File(path, "r", swmr=True)``), and
a writer that is killed leaves a file that opens the same way.
"""

from __future__ import annotations

import errno
import json
import os
import time as clock
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .channels import Channel, Row, from_description

CHUNK = 256 * 1024  # bytes of a row's widest channel that one chunk holds
MOST_ROWS = 128
PATIENCE = 1.0  # s of wall time, after which rows are written, a chunk or not
SPARE = 512 * 1024  # bytes kept free for what HDF5 writes of its own: a full disk then never meets it half-way
SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK = 48  # bytes of a file's head
TASK = 400  # bytes of a task's words


class Hdf5Sink:
    def __init__(self, path: Path, channels: dict[str, Channel]) -> None:
        import h5py

        self.channels = channels
        widest = max(int(np.prod(c.shape)) * np.dtype(c.dtype).itemsize for c in channels.values())
        self._count = max(1, min(MOST_ROWS, CHUNK // max(widest, 1)))
        self._file = h5py.File(path, "x", libver="latest")
        self._room, self._written = _Room(path), 0
        try:
            self._room.reserve(self._file.id.get_filesize() + SPARE)
            self._datasets = self._layout()
            self._file.swmr_mode = True
        except OSError:
            self.abandon()
            raise
        self._times: list[float] = []
        self._values: dict[str, list[np.ndarray]] = {name: [] for name in channels}
        self._episode, self._since = 0, clock.monotonic()

    def _layout(self) -> dict[str, Any]:
        described = {name: channel.description() for name, channel in self.channels.items()}
        file = self._file
        file.attrs["format"] = "taxel recording, version 1"
        file.attrs["taxel"] = _core.__version__
        file.create_dataset("description", data=np.bytes_(json.dumps(described)))
        self._tasks = file.create_dataset("tasks", (0,), f"S{TASK}", maxshape=(None,), chunks=(16,))
        out = {}
        for name, channel in self.channels.items():
            out[name] = file.create_dataset(
                f"channels/{name}", (0, *channel.shape), channel.dtype, maxshape=(None, *channel.shape),
                chunks=(self._count, *channel.shape), compression="gzip", compression_opts=1, shuffle=True,
            )  # fmt: skip
            out[name].attrs["kind"] = channel.kind
            for key in ("unit", "frame"):
                if getattr(channel, key, ""):
                    out[name].attrs[key] = getattr(channel, key)
        self._index = file.create_dataset("episode", (0,), "int32", maxshape=(None,), chunks=(1024,))
        self._time = file.create_dataset("time", (0,), "float64", maxshape=(None,), chunks=(1024,))
        self._time.attrs["unit"] = "s"
        return out

    def begin(self, episode: int, task: str) -> None:
        self._room.reserve(self._file.id.get_filesize() + SPARE)
        self._episode = episode
        self._tasks.resize(episode + 1, axis=0)
        self._tasks[episode] = task.encode()[:TASK].decode(errors="ignore").encode()

    def append(self, time: float, values: Mapping[str, np.ndarray]) -> None:
        self._times.append(time)
        for name, value in values.items():
            self._values[name].append(value)
        if len(self._times) >= self._count or clock.monotonic() - self._since > PATIENCE:
            self._flush()

    def _flush(self) -> None:
        if not self._times:
            return
        count = len(self._times)
        blocks = {name: np.stack(parts) for name, parts in self._values.items()}
        coming = sum(block.nbytes for block in blocks.values()) + 16 * 1024 * (len(blocks) + 2)
        self._room.reserve(self._file.id.get_filesize() + coming + SPARE)
        end = self._written + count
        for name, block in blocks.items():
            self._grow(self._datasets[name], block, end)
        self._grow(self._index, np.full(count, self._episode), end)
        self._grow(self._time, np.array(self._times), end)  # last: a reader takes as many rows as there are times
        self._file.flush()
        self._times, self._values = [], {name: [] for name in self.channels}
        self._written, self._since = end, clock.monotonic()

    def _grow(self, dataset: Any, block: np.ndarray, end: int) -> None:
        dataset.resize(end, axis=0)
        dataset[self._written : end] = block

    def end(self) -> None:
        self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()
        self._room.close()

    def abandon(self) -> int:
        self._file.close()  # finds its room: it was reserved
        self._room.close()
        return self._written


class _Room:
    """Disk space taken before HDF5 needs it. It cannot be told of a full disk without losing the file."""

    def __init__(self, path: Path) -> None:
        self._fd, self._size = os.open(path, os.O_RDWR), 0

    def reserve(self, size: int) -> None:
        if size <= self._size:
            return
        try:
            os.posix_fallocate(self._fd, self._size, size - self._size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):  # a file system that cannot reserve
                raise
        self._size = size

    def close(self) -> None:
        """Gives back what was not needed. HDF5, which did not see it come, leaves it behind its own end."""
        end = _end(os.pread(self._fd, SUPERBLOCK, 0))
        if end is not None:
            os.ftruncate(self._fd, end)
        os.close(self._fd)


def _end(head: bytes) -> int | None:
    """Where a file ends that begins so; None where it does not say."""
    if head[8] not in (2, 3):  # of the superblock's versions, those with the end of the file there
        return None
    return int.from_bytes(head[28:36], "little")


def _check_end(path: Path) -> None:
    """Error where the end of the file is not there: read in single-writer mode, HDF5 would wait for it for ever."""
    with path.open("rb") as file:
        head = file.read(SUPERBLOCK)
    if not head.startswith(SIGNATURE):
        return  # HDF5 says so
    size = path.stat().st_size
    end = SUPERBLOCK if len(head) < SUPERBLOCK else _end(head)
    if end is not None and size < end:
        whole = f"of at least {end}" if end == SUPERBLOCK else f"of {end}"
        raise _core.Error(
            f"{path}: the file is cut off, {size} bytes {whole} are here; copy it again from where it was made"
        )


class Hdf5Source:
    """Reads a file of ours, closed, cut off, or still being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as file:
            if "description" not in file:
                raise _core.Error(f"{path}: no recording of taxel: it says nothing of its channels")
            described = json.loads(bytes(file["description"][()]).decode())
            self.channels: dict[str, Channel] = {n: from_description(words) for n, words in described.items()}
            self.tasks = [bytes(words).decode() for words in file["tasks"][:]]

    def _open(self) -> Any:
        import h5py

        try:
            try:
                file = h5py.File(self.path, "r")
                self.complete = True
            except (OSError, RuntimeError):  # marked as being written
                _check_end(self.path)
                file = h5py.File(self.path, "r", swmr=True)
                self.complete = False
        except (OSError, RuntimeError) as error:
            raise _core.Error(f"{self.path}: HDF5 cannot read it ({error})") from None
        return file

    def rows(self) -> Iterator[Row]:
        with self._open() as file:
            data = {name: file[f"channels/{name}"] for name in self.channels}
            count = min(len(d) for d in (file["time"], file["episode"], *data.values()))
            step = min(d.chunks[0] for d in data.values())
            for start in range(0, count, step):
                part = slice(start, min(start + step, count))
                times, episodes = file["time"][part], file["episode"][part]
                blocks = {name: d[part] for name, d in data.items()}
                for k, (time, episode) in enumerate(zip(times, episodes, strict=True)):
                    yield Row(int(episode), float(time), {name: np.asarray(block[k]) for name, block in blocks.items()})
