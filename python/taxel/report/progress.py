"""How far work is: a bar for what is counted, a line on the terminal while the core is at long work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .. import _core

PATIENCE = 2.0
"""Seconds without a word."""


class Progress:
    """One line on standard error, from two seconds on; silent where that is not a terminal, but for a line a minute.

    unit   what is counted: then the line says how many a second, and how long it takes still
    first  so many were there before, and do not count for that
    """

    def __init__(self, label: str, total: int, unit: str = "", first: int = 0) -> None:
        self.label, self.total, self.unit, self.first = label, total, unit, first
        self.width = 0
        self.start = self.last = time.monotonic()
        self.shown = False
        self.live = sys.stderr.isatty()

    def __call__(self, count: int) -> None:
        now = time.monotonic()
        if now - self.start < 2 or now - self.last < (0.2 if self.live else 60):
            return
        self.last = now
        width = 24
        filled = width * count // max(1, self.total)
        bar = "#" * filled + "." * (width - filled)
        end = "" if self.live else "\n"
        start = "\r" if self.live else ""
        line = f"{self.label} [{bar}] {count}/{self.total}" + self._pace(count, now - self.start)
        print(f"{start}{line:<{self.width if self.live else 0}}", end=end, file=sys.stderr, flush=True)
        self.width, self.shown = len(line), True

    def _pace(self, count: int, seconds: float) -> str:
        if not self.unit or count <= self.first:
            return ""
        rate = (count - self.first) / seconds
        return f", {rate:,.0f} {self.unit}/s, {duration((self.total - count) / rate)} left"

    def done(self) -> None:
        if self.shown and self.live:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """In words: 7 s, 3 min 20 s, 5 h 2 min, 12 days."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min" if whole < 172800 else f"{whole // 86400} days"


class Line:
    """``label ... 7 s`` on standard error from two seconds on, gone at the end; nothing where that is no terminal."""

    def __init__(self, label: str) -> None:
        self.label, self.start, self.last = label, time.monotonic(), -1
        self.live = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, seconds: float | None = None) -> None:
        spent = time.monotonic() - self.start if seconds is None else seconds
        if not self.live or spent < PATIENCE or int(spent) == self.last:
            return
        self.last = int(spent)
        print(f"\r{self.label} ... {self.last} s", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        if self.last >= 0:
            print("\r" + " " * (len(self.label) + 12) + "\r", end="", file=sys.stderr, flush=True)


_watched = False  # a line is shown already


@contextmanager
def watching(label: str) -> Iterator[None]:
    """The line for work of any kind, also Python's own: a thread writes it, as far as the work lets it."""
    global _watched
    line = Line(label)
    if _watched or not line.live:
        yield
        return
    over = threading.Event()

    def tick() -> None:
        while not over.wait(0.5):
            line()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    _watched = True
    try:
        yield
    finally:
        _watched = False
        over.set()
        thread.join()
        line.done()


@contextmanager
def working(label: str, progress: Callable[[float], object] | bool | None = None) -> Iterator[None]:
    """Says that the work inside goes on, some times a second: ``progress(seconds)``, or a line on a terminal (None,
    True), or nothing (False). The core asks for it on the main thread alone, the one that Ctrl-C stops; what
    ``progress`` raises stops the work as well."""
    mute = progress is False or (_watched and not callable(progress))
    if mute or threading.current_thread() is not threading.main_thread():
        yield
        return
    start = time.monotonic()
    line = None if callable(progress) else Line(label)
    if line is not None and not line.live:
        yield
        return
    tell = progress if callable(progress) else None
    before = _core.set_tick(line if tell is None else lambda: tell(time.monotonic() - start))
    try:
        yield
    finally:
        _core.set_tick(before)
        if line is not None:
            line.done()
