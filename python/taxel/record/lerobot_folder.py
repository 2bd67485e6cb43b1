"""Recordings as LeRobot datasets, version 3: parquet tables, videos and metadata in a folder.

Every episode has files of its own (the format allows many in one). They, and then the metadata, get their names when
the episode ends, so what a killed writer leaves is a dataset of the episodes that were finished.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .channels import Channel, Image
from .lerobot_layout import (
    COLUMNS,
    DATA,
    EPISODES,
    FILES,
    INFO,
    SIM_TIME,
    STATS,
    TASKS,
    TOLERANCE,
    VERSION,
    VIDEO,
    Staged,
    feature_name,
    features,
    nested,
    place,
    task_table,
)
from .lerobot_stats import Stats
from .recorder import need
from .video import VideoWriter


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
        self._pixels: dict[str, str] = {}

    @property
    def rate(self) -> float:
        """Rows a second; 1 as long as no episode had two."""
        return self._rate or 1

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
        target = self.path / VIDEO.format(video_key=feature_name(name, image), **place(self._episode))
        self._videos[name] = VideoWriter(target, image.height, image.width, self.rate)
        if name in self._first_pictures:
            self._videos[name].write(self._first_pictures.pop(name))

    def end(self) -> None:
        import pyarrow as pa

        for name in self._pictures:
            if name not in self._videos:
                self._start_video(name)
        if self._task not in self._tasks:
            self._tasks.append(self._task)
        staged = Staged()
        self._pixels = {name: video.pixels for name, video in self._videos.items()}
        for video in self._videos.values():
            staged.add(video.path, lambda _, video=video: video.finish())  # type: ignore[misc]
        staged.table(self.path / DATA.format(**place(self._episode)), self._table())
        self._episodes.append(self._about())
        for name in self.channels:
            self._stats[name].merge(self._episode_stats[name])
        staged.table(self.path / TASKS, task_table(self._tasks))
        where = self.path / EPISODES.format(chunk_index=0, file_index=0)
        staged.table(where, pa.Table.from_pylist(self._episodes))
        stats = {feature_name(n, self.channels[n]): s.numbers() for n, s in self._stats.items()}
        staged.json(self.path / STATS, stats)
        total = self._total + len(self._times)
        staged.json(self.path / INFO, self._info(total, closed=False))  # last: its counts say what there is
        staged.commit()
        self._total, self._videos = total, {}

    def _about(self) -> dict[str, Any]:
        """The episode's row in the table of episodes."""
        count, where = len(self._times), place(self._episode)
        about: dict[str, Any] = {
            "episode_index": self._episode, "tasks": [self._task], "length": count,
            "dataset_from_index": self._total, "dataset_to_index": self._total + count,
            **{f"data/{key}": number for key, number in where.items()},
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
        }  # fmt: skip
        for name, image in self._pictures.items():
            key = f"videos/{feature_name(name, image)}"
            about |= {f"{key}/{word}": number for word, number in where.items()}
            about |= {f"{key}/from_timestamp": 0.0, f"{key}/to_timestamp": count / self.rate}
        for name, stats in self._episode_stats.items():
            for word, numbers in stats.numbers().items():
                about[f"stats/{feature_name(name, self.channels[name])}/{word}"] = numbers
        return about

    def _table(self) -> Any:
        import pyarrow as pa

        count = len(self._times)
        frame = np.arange(count)
        columns = {
            "timestamp": frame / self.rate, "frame_index": frame, "episode_index": np.full(count, self._episode),
            "index": frame + self._total, "task_index": np.full(count, self._tasks.index(self._task)),
        }  # fmt: skip
        arrays = {name: pa.array(values.astype(COLUMNS[name])) for name, values in columns.items()}
        arrays[SIM_TIME] = pa.array(self._times)
        for name, values in self._values.items():
            arrays[feature_name(name, self.channels[name])] = nested(np.stack(values))
        return pa.table(arrays)

    def _info(self, total: int, closed: bool) -> dict[str, Any]:
        count = len(self._episodes)
        return {
            "codebase_version": VERSION, "robot_type": None, "total_episodes": count, "total_frames": total,
            "total_tasks": len(self._tasks), "chunks_size": FILES, "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200, "fps": self.rate, "splits": {"train": f"0:{count}"}, "data_path": DATA,
            "video_path": VIDEO if self._pictures else None,
            "features": features(self.channels, self.rate, self._pixels),
            "taxel": {
                "version": _core.__version__,
                "closed": closed,
                "channels": {name: channel.description() for name, channel in self.channels.items()},
            },
        }  # fmt: skip

    def close(self) -> None:
        if self._episodes:
            staged = Staged()
            staged.json(self.path / INFO, self._info(self._total, closed=True))
            staged.commit()

    def abandon(self) -> int:
        for video in self._videos.values():
            video.abandon()
        for part in self.path.rglob("*.part"):
            with contextlib.suppress(OSError):
                part.unlink()
        return self._total
