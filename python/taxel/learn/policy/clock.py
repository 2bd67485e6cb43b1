"""Where the time of a run goes: physics and touch (told by the task), policy and update (measured here)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

PARTS = ("physics", "touch", "policy", "update")


class Clock:
    """Seconds by part. On a GPU, policy and update are timed by its own events, which wait for nothing."""

    def __init__(self, env: Any, device: Any) -> None:
        self.env, self.cuda = env, torch.device(device).type == "cuda"
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.events: list[tuple[str, Any, Any]] = []
        self.told = self._env_timing()
        self.began = time.perf_counter()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        if self.cuda:
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            yield
            last.record()
            self.events.append((name, first, last))
        else:
            start = time.perf_counter()
            yield
            self.seconds[name] += time.perf_counter() - start

    def take(self) -> tuple[float, dict[str, float]]:
        """Seconds since the last call, and the share of each part in them."""
        if self.cuda:
            torch.cuda.synchronize()
            for name, first, last in self.events:
                self.seconds[name] += first.elapsed_time(last) / 1e3
            self.events.clear()
        now, told = time.perf_counter(), self._env_timing()
        for name in ("physics", "touch"):
            self.seconds[name] += told.get(name, 0.0) - self.told.get(name, 0.0)
        wall = max(now - self.began, 1e-9)
        shares = {name: spent / wall for name, spent in self.seconds.items()}
        self.seconds, self.told, self.began = dict.fromkeys(PARTS, 0.0), told, now
        return wall, shares

    def _env_timing(self) -> dict[str, float]:
        return {k: float(v) for k, v in (getattr(self.env, "timing", None) or {}).items()}
