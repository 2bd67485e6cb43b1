"""Recordings as LeRobot datasets, version 3: parquet tables, videos and metadata in a folder.

Every episode has files of its own (the format allows many in one). They, and then the metadata, get their names when
the episode ends, so what a killed writer leaves is a dataset of the episodes that were finished.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .channels import Channel, Image, Row, from_description
from .lerobot_stats import Stats
from .recorder import need
from .video import VideoWriter, frames

VERSION = "v3.0"
FILES = 1000  # in a chunk's folder
TOLERANCE = 1e-4  # s, LeRobot's own
PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
DATA, VIDEO, EPISODES = f"data/{PLACE}.parquet", f"videos/{{video_key}}/{PLACE}.mp4", f"meta/episodes/{PLACE}.parquet"
COLUMNS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64",
           "task_index": "int64"}  # fmt: skip
SIM_TIME = "sim_time"
NAMES = {"pose": ["x", "y", "z", "qw", "qx", "qy", "qz"], "wrench": ["fx", "fy", "fz", "tx", "ty", "tz"],
         "image": ["height", "width", "channels"]}  # fmt: skip


def _column(name: str, kind: str, stored: str) -> dict[str, Any]:
    return {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": stored, "metadata": None}


TASK_INDEX = {
    "index_columns": ["task"],
    "column_indexes": [],
    "columns": [_column("task_index", "int64", "int64"), _column("task", "unicode", "object")],
    "pandas_version": "2.0.0",
}
"""Tells pandas that the words are the index of the tasks: LeRobot asks for them there."""


def feature_name(name: str, channel: Channel) -> str:
    """As LeRobot calls it: what is seen and felt is an observation, ``action`` is the action."""
    if name == "action":
        return name
    return f"observation.{'images.' if isinstance(channel, Image) else ''}{name.replace('/', '.')}"


class LeRobotSink:
    def __init__(self, path: Path, channels: dict[str, Channel]) -> None:
        self.path, self.channels = path, channels
        self._pictures = {name: c for name, c in channels.items() if isinstance(c, Image)}
        if self._pictures:
            need("lerobot", "av")
        path.mkdir(exist_ok=True)
        self._rate = 0.0
        self._tasks: list[str] = []
        self._episodes: list[dict[str, Any]] = []
        self._stats = self._new_stats()
        self._total = 0
        self._videos: dict[str, VideoWriter] = {}

    def _new_stats(self) -> dict[str, Stats]:
        return {name: Stats(name in self._pictures) for name in self.channels}

    def begin(self, episode: int, task: str) -> None:
        self._episode, self._task = episode, task or "no task"
        self._times: list[float] = []
        self._values: dict[str, list[np.ndarray]] = {n: [] for n in self.channels if n not in self._pictures}
        self._first_pictures: dict[str, np.ndarray] = {}
        self._episode_stats = self._new_stats()

    def append(self, time: float, values: Mapping[str, np.ndarray]) -> None:
        count = len(self._times)
        if count == 1 and not self._rate:
            rate = 1 / (time - self._times[0])
            self._rate = round(rate) if abs(rate - round(rate)) < 1e-6 * rate else rate
        if count and abs(time - self._times[0] - count / self._rate) > TOLERANCE:
            raise _core.Error(
                f"{self.path}: row {count} of episode {self._episode} is at {time:g} s; LeRobot wants rows at equal "
                f"steps, {self._rate:g} a second so far. Write at a fixed rate, or record to .mcap or .h5"
            )
        self._times.append(time)
        for name, value in values.items():
            self._episode_stats[name].add(value)
            if name in self._pictures:
                self._film(name, value)
            else:
                self._values[name].append(value)

    def _film(self, name: str, pixels: np.ndarray) -> None:
        if name not in self._videos:
            if not self._rate:  # a video begins with its rate, which two rows tell
                self._first_pictures[name] = pixels
                return
            self._start_video(name)
        self._videos[name].write(pixels)

    def _start_video(self, name: str) -> None:
        image = self._pictures[name]
        target = self.path / VIDEO.format(video_key=feature_name(name, image), **self._place())
        self._videos[name] = VideoWriter(target, image.height, image.width, self._rate)
        if name in self._first_pictures:
            self._videos[name].write(self._first_pictures.pop(name))

    def _place(self) -> dict[str, int]:
        chunk, file = divmod(self._episode, FILES)
        return {"chunk_index": chunk, "file_index": file}

    def end(self) -> None:
        count, place = len(self._times), self._place()
        self._rate = self._rate or 1  # a single row
        for name in self._pictures:
            if name not in self._videos:
                self._start_video(name)
        pixels = {name: video.pixels for name, video in self._videos.items()}
        for video in self._videos.values():
            video.close()
        self._videos = {}
        if self._task not in self._tasks:
            self._tasks.append(self._task)
        _replace(self.path / DATA.format(**place), lambda part: _write_table(part, self._table()))
        about: dict[str, Any] = {
            "episode_index": self._episode, "tasks": [self._task], "length": count,
            "dataset_from_index": self._total, "dataset_to_index": self._total + count,
            "data/chunk_index": place["chunk_index"], "data/file_index": place["file_index"],
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
        }  # fmt: skip
        for name, image in self._pictures.items():
            key = f"videos/{feature_name(name, image)}"
            about |= {f"{key}/chunk_index": place["chunk_index"], f"{key}/file_index": place["file_index"],
                      f"{key}/from_timestamp": 0.0, f"{key}/to_timestamp": count / self._rate}  # fmt: skip
        for name, stats in self._episode_stats.items():
            for word, numbers in stats.numbers().items():
                about[f"stats/{feature_name(name, self.channels[name])}/{word}"] = numbers
        self._episodes.append(about)
        self._total += count
        for name in self.channels:
            self._stats[name].merge(self._episode_stats[name])
        self._write_meta(pixels)

    def _table(self) -> Any:
        import pyarrow as pa

        count = len(self._times)
        frame = np.arange(count)
        columns = {
            "timestamp": frame / self._rate, "frame_index": frame, "episode_index": np.full(count, self._episode),
            "index": frame + self._total, "task_index": np.full(count, self._tasks.index(self._task)),
        }  # fmt: skip
        arrays = {name: pa.array(values.astype(COLUMNS[name])) for name, values in columns.items()}
        arrays[SIM_TIME] = pa.array(self._times)
        for name, values in self._values.items():
            arrays[feature_name(name, self.channels[name])] = _nested(np.stack(values))
        return pa.table(arrays)

    def _features(self, pixels: Mapping[str, str]) -> dict[str, Any]:
        out: dict[str, Any] = {n: {"dtype": kind, "shape": [1], "names": None} for n, kind in COLUMNS.items()}
        out[SIM_TIME] = {"dtype": "float64", "shape": [1], "names": None}
        for name, channel in self.channels.items():
            shape = list(channel.shape) or [1]
            about: dict[str, Any] = {"dtype": channel.dtype, "shape": shape, "names": NAMES.get(channel.kind)}
            if name in self._pictures:
                about["dtype"] = "video"
                about["info"] = {
                    "video.height": shape[0], "video.width": shape[1], "video.codec": "h264",
                    "video.pix_fmt": pixels[name], "video.is_depth_map": False, "video.fps": self._rate,
                    "video.channels": 3, "has_audio": False,
                }  # fmt: skip
            out[feature_name(name, channel)] = about
        return out

    def _write_meta(self, pixels: Mapping[str, str]) -> None:
        import pyarrow as pa

        meta, count = self.path / "meta", len(self._episodes)
        tasks = pa.table({"task_index": list(range(len(self._tasks))), "task": self._tasks})
        tasks = tasks.replace_schema_metadata({"pandas": json.dumps(TASK_INDEX)})
        _replace(meta / "tasks.parquet", lambda part: _write_table(part, tasks))
        table = pa.Table.from_pylist(self._episodes)
        _replace(self.path / EPISODES.format(chunk_index=0, file_index=0), lambda part: _write_table(part, table))
        stats = {feature_name(n, self.channels[n]): s.numbers() for n, s in self._stats.items()}
        _replace(meta / "stats.json", lambda part: part.write_text(json.dumps(stats, indent=1)))
        info = {
            "codebase_version": VERSION, "robot_type": None, "total_episodes": count, "total_frames": self._total,
            "total_tasks": len(self._tasks), "chunks_size": FILES, "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200, "fps": self._rate, "splits": {"train": f"0:{count}"}, "data_path": DATA,
            "video_path": VIDEO if self._pictures else None, "features": self._features(pixels),
            "taxel": {
                "version": _core.__version__,
                "channels": {name: channel.description() for name, channel in self.channels.items()},
            },
        }  # fmt: skip
        _replace(meta / "info.json", lambda part: part.write_text(json.dumps(info, indent=1)))

    def close(self) -> None:
        pass

    def abandon(self) -> int:
        for video in self._videos.values():
            video.abandon()
        for part in self.path.rglob("*.part"):
            with contextlib.suppress(OSError):
                part.unlink()
        return self._total


def _nested(block: np.ndarray) -> Any:
    """(rows, ...) as an Arrow array of lists; single numbers as they are."""
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(block).ravel())
    for size, count in zip(block.shape[:0:-1], np.cumprod(block.shape)[-2::-1], strict=True):
        flat = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * size), flat)
    return flat


def _write_table(path: Path, table: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path)


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """A file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    write(part)
    os.replace(part, path)


class LeRobotSource:
    """Reads a dataset of ours: its finished episodes."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.path, self.complete = path, True
        try:
            self._info = json.loads((path / "meta/info.json").read_text())
        except FileNotFoundError:
            raise _core.Error(f"{path}: no LeRobot dataset, or none of its episodes was finished") from None
        if "taxel" not in self._info:
            raise _core.Error(f"{path}: no recording of taxel: it says nothing of its channels")
        described = self._info["taxel"]["channels"]
        self.channels: dict[str, Channel] = {name: from_description(words) for name, words in described.items()}
        count = self._info["total_episodes"]
        about = pq.read_table(path / EPISODES.format(chunk_index=0, file_index=0), columns=["tasks"])
        self.tasks = [words[0] for words in about["tasks"].to_pylist()[:count]]
        self.complete = not any(path.rglob("*.part"))

    def rows(self) -> Iterator[Row]:
        import pyarrow.parquet as pq

        for episode in range(self._info["total_episodes"]):
            chunk, file = divmod(episode, self._info["chunks_size"])
            place = {"chunk_index": chunk, "file_index": file}
            table = pq.read_table(self.path / self._info["data_path"].format(**place))
            times = table[SIM_TIME].to_numpy()
            values: dict[str, np.ndarray] = {}
            films: dict[str, Iterator[np.ndarray]] = {}
            for name, channel in self.channels.items():
                key = feature_name(name, channel)
                if isinstance(channel, Image):
                    films[name] = frames(self.path / self._info["video_path"].format(video_key=key, **place))
                else:
                    flat = table[key].combine_chunks()
                    while hasattr(flat, "flatten") and flat.type.num_fields:
                        flat = flat.flatten()
                    values[name] = flat.to_numpy(zero_copy_only=False).reshape(len(times), *channel.shape)
            for k, time in enumerate(times):
                row = {
                    name: next(films[name]) if name in films else np.asarray(values[name][k]) for name in self.channels
                }
                yield Row(episode, float(time), row)
