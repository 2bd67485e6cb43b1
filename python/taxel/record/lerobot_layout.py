"""Names and files of a LeRobot dataset, version 3."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .channels import Channel, Image

VERSION = "v3.0"
FILES = 1000  # in a chunk's folder
TOLERANCE = 1e-4  # s, LeRobot's own
PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
DATA, VIDEO, EPISODES = f"data/{PLACE}.parquet", f"videos/{{video_key}}/{PLACE}.mp4", f"meta/episodes/{PLACE}.parquet"
INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
COLUMNS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64",
           "task_index": "int64"}  # fmt: skip
SIM_TIME = "sim_time"
NAMES = {"pose": ["x", "y", "z", "qw", "qx", "qy", "qz"], "wrench": ["fx", "fy", "fz", "tx", "ty", "tz"],
         "image": ["height", "width", "channels"]}  # fmt: skip


def feature_name(name: str, channel: Channel) -> str:
    """As LeRobot calls it: what is seen and felt is an observation, ``action`` is the action."""
    if name == "action":
        return name
    return f"observation.{'images.' if isinstance(channel, Image) else ''}{name.replace('/', '.')}"


def place(episode: int) -> dict[str, int]:
    """Where the files of an episode are."""
    chunk, file = divmod(episode, FILES)
    return {"chunk_index": chunk, "file_index": file}


def features(channels: Mapping[str, Channel], rate: float, pixels: Mapping[str, str]) -> dict[str, Any]:
    """What info.json says of the columns and videos; ``pixels`` is how the videos have theirs."""
    out: dict[str, Any] = {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in COLUMNS.items()}
    out[SIM_TIME] = {"dtype": "float64", "shape": [1], "names": None}
    for name, channel in channels.items():
        shape = list(channel.shape) or [1]
        about: dict[str, Any] = {"dtype": channel.dtype, "shape": shape, "names": NAMES.get(channel.kind)}
        if isinstance(channel, Image):
            about["dtype"] = "video"
            about["info"] = {
                "video.height": channel.height, "video.width": channel.width, "video.codec": "h264",
                "video.pix_fmt": pixels[name], "video.is_depth_map": False, "video.fps": rate, "video.channels": 3,
                "has_audio": False,
            }  # fmt: skip
        out[feature_name(name, channel)] = about
    return out


def task_table(tasks: list[str]) -> Any:
    """Tells pandas that the words are the index: LeRobot asks for tasks there."""
    import pyarrow as pa

    def column(name: str, kind: str, stored: str) -> dict[str, Any]:
        return {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": stored, "metadata": None}

    columns = [column("task_index", "int64", "int64"), column("task", "unicode", "object")]
    index = {"index_columns": ["task"], "column_indexes": [], "columns": columns, "pandas_version": "2.0.0"}
    table = pa.table({"task_index": list(range(len(tasks))), "task": tasks})
    return table.replace_schema_metadata({"pandas": json.dumps(index)})


def nested(block: np.ndarray) -> Any:
    """(rows, ...) as an Arrow array of lists; single numbers as they are."""
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(block).ravel())
    for size, count in zip(block.shape[:0:-1], np.cumprod(block.shape)[-2::-1], strict=True):
        flat = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * size), flat)
    return flat


def part_of(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_suffix(".part")


class Staged:
    """Files that come into the folder together: all are written first, then they get their names, in order."""

    def __init__(self) -> None:
        self._paths: list[Path] = []

    def add(self, path: Path, write: Callable[[Path], object]) -> None:
        """``write`` gets the name to write to."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._paths.append(path)
        write(part_of(path))

    def table(self, path: Path, table: Any) -> None:
        import pyarrow.parquet as pq

        self.add(path, lambda part: pq.write_table(table, part))

    def json(self, path: Path, content: dict[str, Any]) -> None:
        self.add(path, lambda part: part.write_text(json.dumps(content, indent=1)))

    def commit(self) -> None:
        for path in self._paths:
            os.replace(part_of(path), path)
        self._paths = []
