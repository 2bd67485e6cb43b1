"""A recording beside work that must not suffer from it: a full disk ends the recording, never the work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .channels import Channel
from .recorder import Recorder, RecordingStopped, check_path, open


class Tape:
    """What ``--record FILE`` is for a command.

    tape = Tape(path)                          # checks name and libraries at once, before the work
    tape.start(channels, "press a ball")       # once the work knows its channels
    tape.write(data.time, values)              # each row
    tape.close()
    print(tape.words()); tape.check()          # check raises what stopped it, if anything did
    """

    def __init__(self, path: str | Path) -> None:
        self.path, _ = check_path(path)
        self.stopped: RecordingStopped | None = None
        self._recorder: Recorder | None = None

    def start(self, channels: Mapping[str, Channel], task: str = "") -> None:
        """Begins; a second time it is the next episode of the same channels."""
        try:
            if self._recorder is None:
                self._recorder = open(self.path, channels, task=task)
            elif self.stopped is None:
                self._recorder.next_episode(task)
        except RecordingStopped as error:
            self.stopped = error

    def write(self, time: float, values: Mapping[str, Any]) -> None:
        if self._recorder is None or self.stopped is not None:
            return
        try:
            self._recorder.write(time, values)
        except RecordingStopped as error:
            self.stopped = error

    def close(self) -> None:
        if self._recorder is None or self.stopped is not None:
            return
        try:
            self._recorder.close()
        except RecordingStopped as error:
            self.stopped = error

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def rows(self) -> int:
        """How many were written."""
        return 0 if self._recorder is None else self._recorder.rows

    def words(self) -> str:
        """What was recorded, in a line."""
        recorder = self._recorder
        if recorder is None or recorder.first is None:
            return f"recording: nothing was written to {self.path}"
        episodes = f" in {recorder.episode + 1} episodes" if recorder.episode else ""
        return f"recording: {self.path}, {recorder.rows} rows{episodes}, {len(recorder.channels)} channels"
