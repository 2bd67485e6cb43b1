"""Recordings as MCAP files, which Foxglove opens.

A chunk is whole rows, compressed, written at once and needed by no later one. A writer that is killed leaves a file
without its index: it opens up to the last chunk.
"""

from __future__ import annotations

import json
import os
import struct
import time as clock
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from . import foxglove
from .channels import Channel, Row, from_description

CHUNK = 256 * 1024  # bytes of messages, after which a chunk is written
PATIENCE = 1.0  # s of wall time, after which it is written, full or not
EPISODE = "/episode"
GAP = 1.0  # s between two episodes in the file: their times may not overlap there


class McapSink:
    def __init__(self, path: Path, channels: dict[str, Channel]) -> None:
        from mcap.writer import Writer

        self.channels = channels
        self._file = _File(path)
        self._writer = Writer(self._file, chunk_size=1 << 40)  # chunks end where we say
        self._writer.start("taxel", f"taxel {_core.__version__}")
        described = {name: channel.description() for name, channel in channels.items()}
        self._writer.add_metadata("taxel", {"channels": json.dumps(described)})
        self._ids = {
            name: [self._register(topic, kind) for topic, kind in foxglove.topics(name, channel).items()]
            for name, channel in channels.items()
        }
        self._episode = self._register(EPISODE, "taxel.Episode")
        self._shift, self._last, self._first_row = 0.0, 0.0, True
        self._about: tuple[int, str] = (0, "")
        self._rows = self._safe_rows = self._waiting = 0
        self._flushed_at = clock.monotonic()

    def _register(self, topic: str, kind: str) -> int:
        known = self._writer.register_schema(kind, "protobuf", foxglove.schema(kind))
        return self._writer.register_channel(topic, "protobuf", known)

    def _add(self, channel: int, nanoseconds: int, data: bytes) -> None:
        self._writer.add_message(channel, nanoseconds, data, nanoseconds)
        self._waiting += len(data)

    def begin(self, episode: int, task: str) -> None:
        self._about, self._first_row = (episode, task), True

    def append(self, time: float, values: Mapping[str, np.ndarray]) -> None:
        if self._first_row:
            index, task = self._about
            # Times of the file grow from episode to episode and are never below 0.
            if index or time < 0:
                self._shift = (self._last + GAP if index else 0.0) - time
            at = round(1e9 * (time + self._shift))
            stamp = {"seconds": at // 1_000_000_000, "nanos": at % 1_000_000_000}
            message = foxglove.message_class("taxel.Episode")(
                timestamp=stamp, index=index, task=task, start=self._shift
            )
            self._add(self._episode, at, message.SerializeToString())
            self._first_row = False
        self._last = time + self._shift
        at = round(1e9 * self._last)
        for name, channel in self.channels.items():
            found = foxglove.messages(name, channel, values[name], at)
            for topic, message in zip(self._ids[name], found, strict=True):
                self._add(topic, at, message.SerializeToString())
        self._rows += 1
        if self._waiting >= CHUNK or clock.monotonic() - self._flushed_at > PATIENCE:
            self._flush()

    def _flush(self) -> None:
        self._writer.flush()
        self._safe_rows, self._waiting, self._flushed_at = self._rows, 0, clock.monotonic()

    def end(self) -> None:
        self._flush()

    def close(self) -> None:
        self._writer.finish()
        self._file.close()

    def abandon(self) -> int:
        self._file.back_to_the_last_record()
        return self._safe_rows


class _File:
    """A file without a buffer: what ``write`` took has left the process. A write that fails leaves no half record."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._place = 0

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        self._place += len(data)
        return len(data)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        pass

    def back_to_the_last_record(self) -> None:
        os.ftruncate(self._fd, self._place)
        self.close()

    def close(self) -> None:
        os.close(self._fd)


class McapSource:
    """Reads a file of ours, whole or cut off."""

    def __init__(self, path: Path) -> None:
        self.path, self.complete = path, False
        self.tasks: list[str] = []
        self.channels: dict[str, Channel] = {}
        for record in self._records(head=True):
            if type(record).__name__ == "Metadata" and record.name == "taxel":
                described = json.loads(record.metadata["channels"])
                self.channels = {name: from_description(words) for name, words in described.items()}
                break
        if not self.channels:
            raise _core.Error(f"{path}: no recording of taxel: it says nothing of its channels")

    def _records(self, head: bool = False) -> Iterator[Any]:
        from mcap.exceptions import InvalidMagic, McapError
        from mcap.stream_reader import StreamReader

        size = os.path.getsize(self.path)
        with self.path.open("rb") as stream:
            try:
                # No record is longer than the file: a broken length does not ask for memory.
                for record in StreamReader(stream, validate_crcs=True, record_size_limit=max(size, 1)).records:
                    yield record
                    self.complete |= type(record).__name__ == "Footer"
            except InvalidMagic:
                if head:
                    raise _core.Error(f"{self.path}: no MCAP file (it does not begin like one)") from None
            except (McapError, ValueError, EOFError, struct.error):  # cut off: all that was whole has been given
                return
            except Exception as error:  # zstandard's own, of a broken chunk
                if type(error).__name__ != "ZstdError":
                    raise

    def rows(self) -> Iterator[Row]:
        topics = {f"/{name}": name for name in self.channels}
        names: dict[int, str] = {}
        episode, start, now = 0, 0.0, -1
        values: dict[str, np.ndarray] = {}
        self.tasks, self.complete = [], False
        for record in self._records():
            kind = type(record).__name__
            if kind == "Channel":
                names[record.id] = record.topic
            if kind != "Message":
                continue
            topic = names[record.channel_id]
            if topic == EPISODE:
                message = foxglove.message_class("taxel.Episode")()
                message.ParseFromString(record.data)
                episode, start = message.index, message.start
                self.tasks.append(message.task)
            if topic not in topics:
                continue
            if record.log_time != now:
                now, values = record.log_time, {}
            name = topics[topic]
            values[name] = foxglove.value_of(self.channels[name], record.data)
            if len(values) == len(self.channels):
                yield Row(episode, round(1e-9 * now - start, 9), values)
