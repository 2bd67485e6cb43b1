"""What several commands ask of their options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from ..record import Tape
    from ..report import Output


def add_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record", metavar="FILE", help="write the run to FILE: .mcap (Foxglove), .h5, or a folder (LeRobot dataset)"
    )


@contextmanager
def recording(path: str | None) -> Iterator[Tape | None]:
    """The tape of --record, or None; name and libraries are checked before the work, and it is closed after it."""
    if path is None:
        yield None
        return
    from ..record import Tape

    with Tape(path) as tape:
        yield tape


@contextmanager
def new_folder(path: str) -> Iterator[Path]:
    """The folder of --out, made before the work; where that fails, folders it made and left empty are gone again."""
    from ..report import out_folder

    target = Path(path)
    missing = [p for p in (target, *target.parents) if not p.exists()]
    folder = out_folder(path)
    try:
        yield folder
    except BaseException:
        for made in missing:  # the innermost first
            try:
                made.rmdir()
            except OSError:  # not empty, or gone
                break
        raise


def with_recording(numbers: dict[str, Any], tape: Tape | None, out: Output) -> dict[str, Any]:
    """What --json says of the tape; in words on ``out``. What stopped it costs no result: it is said on the side."""
    if tape is None:
        return numbers
    out.print(tape.words())
    if tape.stopped is not None:
        print(f"taxel: warning: {tape.stopped}", file=sys.stderr)
    about: dict[str, Any] = {"file": tape.path, "rows": tape.rows, "complete": tape.stopped is None}
    return {**numbers, "recording": about}


def recorded(tape: Tape | None) -> int:
    """What the command returns: 1 where the recording is not whole."""
    return int(tape is not None and tape.stopped is not None)


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
