"""Where the words, numbers and pictures of a command or an experiment go."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, TypeVar

from ..common.files import try_folder
from .progress import Progress

T = TypeVar("T")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the numbers as JSON to FILE; - is standard output")


class Output:
    """Human words go to standard output, or to standard error when the JSON takes its place."""

    alone: TextIO | None = None
    """Standard output, while nothing but the JSON may go there."""

    def __init__(self, json_target: str | None) -> None:
        self.json_target = json_target
        if json_target not in (None, "-"):
            check_writable("--json", json_target)
        self.stream = sys.stderr if json_target == "-" else sys.stdout

    def print(self, text: str = "") -> None:
        print(text, file=self.stream, flush=True)

    def finish(self, numbers: dict[str, Any]) -> None:
        if self.json_target is None:
            return
        text = json.dumps(_plain(numbers), indent=1)
        if self.json_target == "-":
            print(text, file=Output.alone or sys.stdout)
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


@contextmanager
def json_alone(json_target: str | None) -> Iterator[None]:
    """With ``--json -`` all else that is printed, by libraries too (Warp tells what it compiles), goes to standard
    error."""
    if json_target != "-":
        yield
        return
    before, Output.alone = Output.alone, sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        Output.alone = before


def out_folder(path: str) -> Path:
    """The folder of --out, made where it is not there yet; asked for before the work, so that none is lost."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(0, "no right to write there")
        try_folder(folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"--out {path}: not a folder that pictures can go to ({reason}); give another") from None
    return folder


def check_writable(option: str, path: str) -> Path:
    """The file of an option, which can be written: asked before the work."""
    target = Path(path)
    try:
        fits = not target.is_dir() and os.access(target if target.exists() else target.parent, os.W_OK)
        if fits and not target.exists():
            try_folder(target.parent)
    except OSError:
        fits = False
    if not fits:
        raise ValueError(f"{option} {target}: cannot be written; give a file in a folder that you may write to")
    return target


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
