"""Recordings as CSV files of named columns, with keys in lines ``# key: value`` above them."""

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .._core import Error

GRAVITY = 9.81  # m/s2: what makes newtons of grams; the paper's, and MuJoCo's


@dataclass(frozen=True)
class Columns:
    """Numbers of a file by quantity, NaN where a cell is empty."""

    path: str
    columns: dict[str, np.ndarray]
    lines: np.ndarray
    """Of the file, counted from 1."""
    keys: dict[str, str]
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lines)

    def fail(self, message: str, row: int | np.integer | None = None) -> Error:
        line = "" if row is None else f", line {self.lines[row]}"
        return Error(f"{self.path}{line}: {message}")

    def number(self, key: str, given: float | None, what: str, whole: bool = False) -> float | None:
        """A number greater than 0 from the option of this name, else from the file, else None."""
        name = f"--{key.replace('_', '-')}" if given is not None else f"the key {key}"
        text = given if given is not None else self.keys.get(key)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value > 0) or (whole and value != round(value)):
            raise self.fail(f"{name} is {text}; give {what}, {'a whole number of 1 or more' if whole else 'above 0'}")
        return value


def read_columns(
    path: str | Path, known: Mapping[str, tuple[str, float]], keys: Iterable[str], example: str
) -> Columns:
    """Reads a file. ``known``: column name -> (quantity, factor to SI); ``example``: the command that writes one."""
    path, keys = Path(path), tuple(keys)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise Error(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Error(f"{path}: cannot be read as text ({error}); give a CSV file") from None
    found: dict[str, str] = {}
    table: list[tuple[int, str]] = []
    notes: list[str] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("#"):
            key, colon, value = text[1:].partition(":")
            key = key.strip().lower()
            if colon and key in keys:
                found[key] = value.strip().strip(",;")
            elif colon and key != "note" and (near := difflib.get_close_matches(key, keys, 1)):
                notes.append(f"header key {key!r} is not used; did you mean {near[0]!r}?")
        elif text.strip(",;\t "):
            table.append((number, line))
    if not table:
        raise Error(f"{path}: there is no table; {example} writes one to look at")
    delimiter = max(",;\t", key=table[0][1].count)
    rows = [(number, next(csv.reader([line], delimiter=delimiter))) for number, line in table]
    names = [name.strip() for name in rows[0][1]]
    at: dict[str, int] = {}
    for i, name in enumerate(names):
        if name not in known:
            notes.append(f"column {name!r} is not used")
        elif known[name][0] in at:
            other = names[at[known[name][0]]]
            raise Error(f"{path}: the columns {other!r} and {name!r} give the same; leave one out")
        else:
            at[known[name][0]] = i
    if not at:
        raise Error(
            f"{path}, line {rows[0][0]}: none of the columns is known; the first row names them: {', '.join(known)}"
        )
    values: dict[str, list[float]] = {quantity: [] for quantity in at}
    for number, cells in rows[1:]:
        if len(cells) != len(names):
            raise Error(f"{path}, line {number}: {len(cells)} cells, but the table has {len(names)} columns")
        for quantity, i in at.items():
            values[quantity].append(known[names[i]][1] * _cell(path, number, names[i], cells[i].strip()))
    if len(rows) == 1:
        raise Error(f"{path}: the table has no rows below its header; {example} writes one to look at")
    return Columns(
        path=str(path),
        columns={quantity: np.array(v) for quantity, v in values.items()},
        lines=np.array([number for number, _ in rows[1:]]),
        keys=found,
        notes=notes,
    )


def _cell(path: Path, line: int, name: str, text: str) -> float:
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise Error(f"{path}, line {line}: {name} is {text!r}, which is not a number") from None
    if not math.isfinite(value):
        raise Error(f"{path}, line {line}: {name} is {text}; leave out rows without a finite value")
    return value
