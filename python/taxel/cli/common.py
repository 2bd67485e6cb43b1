"""What the commands share: the JSON option, tables, progress and small geometry."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the numbers as JSON to FILE; - is standard output")


class Output:
    """Human words go to standard output, or to standard error when the JSON takes its place."""

    def __init__(self, json_target: str | None) -> None:
        self.json_target = json_target
        if json_target not in (None, "-"):
            target = Path(json_target)
            if target.is_dir() or not os.access(target if target.exists() else target.parent, os.W_OK):
                raise ValueError(f"--json {target}: cannot be written; give a file in a folder that you may write to")
        self.stream = sys.stderr if json_target == "-" else sys.stdout

    def print(self, text: str = "") -> None:
        print(text, file=self.stream, flush=True)

    def finish(self, numbers: dict[str, Any]) -> None:
        if self.json_target is None:
            return
        text = json.dumps(_plain(numbers), indent=1)
        if self.json_target == "-":
            print(text)
        else:
            Path(self.json_target).write_text(text + "\n")

    def progress(self, items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
        """Passes the items on; shows how far it is once two seconds have gone by."""
        if total is None:
            total = len(items)  # type: ignore[arg-type]
        show = Progress(label, total)
        for k, item in enumerate(items):
            show(k)
            yield item
        show.done()


class Progress:
    """One line on standard error, from two seconds on; silent where that is not a terminal, but for a line a minute."""

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total = label, total
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
        print(f"{start}{self.label} [{bar}] {count}/{self.total}", end=end, file=sys.stderr, flush=True)
        self.shown = True

    def done(self) -> None:
        if self.shown and self.live:
            print("\r" + " " * (len(self.label) + 50) + "\r", end="", file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Aligned columns; the first ``left`` of them to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(header), "  ".join("-" * w for w in widths), *(line(row) for row in rows)])


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def solve_increasing(f: Callable[[float], float], target: float, low: float, high: float) -> float:
    """x in [low, high] with f(x) = target, f increasing: false position kept inside a shrinking bracket."""
    f_low, f_high = f(low) - target, f(high) - target
    if f_low > 0 or f_high < 0:
        raise ValueError(f"{target:g} is not reached between {low:g} and {high:g}")
    for k in range(60):
        x = low + (high - low) * (0.5 if k % 3 == 2 else f_low / (f_low - f_high))
        value = f(x) - target
        if abs(value) <= 1e-6 * abs(target) or high - low < 1e-12:
            return x
        if value < 0:
            low, f_low = x, value
        else:
            high, f_high = x, value
    return 0.5 * (low + high)


def out_folder(path: str) -> Path:
    """The folder of --out, made where it is not there yet; asked for before the work, so that none is lost."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(0, "no right to write there")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"--out {path}: not a folder that pictures can go to ({reason}); give another") from None
    return folder


def check_writable(option: str, path: str) -> Path:
    """The file of an option, which can be written: asked before the work."""
    target = Path(path)
    if target.is_dir() or not os.access(target if target.exists() else target.parent, os.W_OK):
        raise ValueError(f"{option} {target}: cannot be written; give a file in a folder that you may write to")
    return target


def check_model(name: str, model: str) -> None:
    """Error where the catalogue's sensor has no such model; names it does not know are left to others."""
    from ..sensors import catalogue

    factory = catalogue().get(name)
    if factory is None or model in (models := factory().models):
        return
    more = ""
    if model == "bristle":
        more = f'; with a thickness of yours it is made in Python: taxel.sensors.{name}(thickness=..., model="bristle")'
    raise ValueError(f"--model {model}: {name} is known as {' or '.join(models)} only{more}")


def need_matplotlib() -> Any:
    """matplotlib.pyplot, drawing to files only."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib; run: pip install 'taxel[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    return value
