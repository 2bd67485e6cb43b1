"""Reading a LeRobot dataset of ours: its finished episodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .. import _core
from .channels import Channel, Image, Row, from_description
from .lerobot_layout import DATA, EPISODES, INFO, SIM_TIME, VIDEO, feature_name, place
from .video import frames


class LeRobotSource:
    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.path = path
        try:
            self._info = json.loads((path / INFO).read_text())
        except FileNotFoundError:
            raise _core.Error(f"{path}: no LeRobot dataset, or none of its episodes was finished") from None
        if "taxel" not in self._info:
            raise _core.Error(f"{path}: no recording of taxel: it says nothing of its channels")
        self.complete = bool(self._info["taxel"]["closed"])
        described = self._info["taxel"]["channels"]
        self.channels: dict[str, Channel] = {name: from_description(words) for name, words in described.items()}
        count = self._info["total_episodes"]
        about = pq.read_table(path / EPISODES.format(chunk_index=0, file_index=0), columns=["tasks"])
        self.tasks = [words[0] for words in about["tasks"].to_pylist()[:count]]

    def rows(self) -> Iterator[Row]:
        import pyarrow.parquet as pq

        for episode in range(self._info["total_episodes"]):
            where = place(episode)
            table = pq.read_table(self.path / DATA.format(**where))
            times = table[SIM_TIME].to_numpy()
            values: dict[str, np.ndarray] = {}
            films: dict[str, Iterator[np.ndarray]] = {}
            for name, channel in self.channels.items():
                key = feature_name(name, channel)
                if isinstance(channel, Image):
                    films[name] = frames(self.path / VIDEO.format(video_key=key, **where))
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
