"""How long the parts of a step take."""

from __future__ import annotations

import time
from typing import Any

import torch


class Clock:
    """Seconds by part. On a GPU by events, which are read when ``seconds`` is asked for."""

    def __init__(self, cuda: bool) -> None:
        self._cuda, self._sums, self._events = cuda, {"physics": 0.0, "touch": 0.0}, []  # type: ignore[var-annotated]

    def mark(self) -> Any:
        if not self._cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def add(self, part: str, start: Any) -> Any:
        now = self.mark()
        if self._cuda:
            self._events.append((part, start, now))
        else:
            self._sums[part] = self._sums.get(part, 0.0) + now - start
        return now

    def seconds(self) -> dict[str, float]:
        if self._events:
            torch.cuda.synchronize()
            for part, start, end in self._events:
                self._sums[part] += 1e-3 * start.elapsed_time(end)
            self._events.clear()
        return dict(self._sums)
