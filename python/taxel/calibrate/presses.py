"""Recordings of presses on a taxel array, as a CSV file.

First the pad, in lines ``# key: value``, then one row a frame. SI units; angles in radians.

    # size: 0.08 0.08            along x (columns) and y (rows), m
    # thickness: 0.018           of the soft layer, m
    # shape: 16 16               rows columns
    press,indenter,radius_m,length_m,width_m,x_m,y_m,yaw_rad,depth_m,force_N,t0,t1,...,t255
    0,none,,,,,,,,,4051,4049,...
    1,sphere,0.02,,,0.005,-0.01,0,0.003,1.52,4050,3987,...
    2,cylinder,0.01,0.04,,0,0,0.7,0.002,,4050,4011,...

Keys of the pad: ``size``, ``thickness``, ``shape`` (needed); ``pitch`` (m; of columns and rows, default: the taxels
fill the face), ``center`` (m; of the grid on the face), ``field`` (backed, columns, distance, laplace; default backed),
``stiffening_start``, ``unit`` (of the readings: counts, Pa, N or any other name), ``bits`` (of the converter),
``saturation`` (lowest and highest reading), ``modulus`` (Pa, where it is known and not to be fitted).

Columns: ``press`` (a name or number; frames of one press share it), ``indenter`` (below), ``x_m``, ``y_m``, ``t0`` to
``tN-1`` (taxel i is in row i // columns and column i % columns; columns run along +x, rows along +y), and ``depth_m``
or ``force_N`` or both, empty where unknown. ``radius_m``, ``length_m``, ``width_m`` where an indenter needs them.
``yaw_rad``, ``pitch_rad``, ``roll_rad`` may be left out.

    none       nothing touches: for offset and noise
    sphere     radius_m
    cylinder   lying, axis along x at yaw 0: radius_m, length_m
    flat       upright cylinder with a flat end (also "flat cylinder"): radius_m
    box        flat face down: length_m along x at yaw 0, width_m along y

The pad's frame has its origin in the middle of the face, z out of it. x_m, y_m: the middle of the indenter's lower
side. The indenter is turned by roll about x, then pitch about y, then yaw about z. depth_m: how far its lowest point is
below the face of the pad at rest; negative above it. force_N: what the load cell reads along z, positive when it
presses.
"""

from __future__ import annotations

import csv
import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Error

KINDS = {
    "sphere": ("radius_m",),
    "cylinder": ("radius_m", "length_m"),
    "flat": ("radius_m",),
    "box": ("length_m", "width_m"),
}
ALIASES = {"flat cylinder": "flat", "flat_cylinder": "flat", "x": "x_m", "y": "y_m", "yaw": "yaw_rad"}
COLUMNS = (
    *("press", "indenter", "radius_m", "length_m", "width_m", "x_m", "y_m"),
    *("yaw_rad", "pitch_rad", "roll_rad", "depth_m", "force_N"),
)
KEYS = (
    *("size", "thickness", "shape", "pitch", "center", "field", "stiffening_start"),
    *("unit", "bits", "saturation", "modulus", "note"),
)
LARGEST = 1.0  # m: anything larger was given in millimetres


@dataclass(frozen=True)
class Pad:
    """The soft layer and the taxels on it."""

    size: tuple[float, float]
    thickness: float
    shape: tuple[int, int]
    pitch: tuple[float, float] | None = None
    center: tuple[float, float] = (0.0, 0.0)
    field: str = "backed"
    stiffening_start: float | None = None
    unit: str = "counts"
    bits: int | None = None
    saturation: tuple[float, float] | None = None
    modulus: float | None = None

    @property
    def taxels(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def body(self) -> dict[str, Any]:
        """What ``taxel.Body.box`` takes, but for the modulus."""
        more = {} if self.stiffening_start is None else {"stiffening_start": self.stiffening_start}
        return {"size": [*self.size, self.thickness], "field": self.field, **more}

    @property
    def skin(self) -> dict[str, Any]:
        """What ``taxel.Skin`` takes."""
        keys: dict[str, Any] = {"shape": list(self.shape)}
        if self.pitch is not None:
            keys["pitch"] = list(self.pitch)
        if any(self.center):
            keys["center"] = list(self.center)
        return keys


@dataclass(frozen=True)
class Indenter:
    kind: str
    radius: float = 0.0
    length: float = 0.0
    width: float = 0.0

    @property
    def title(self) -> str:
        sizes = {
            "sphere": f"radius {1e3 * self.radius:g} mm",
            "cylinder": f"radius {1e3 * self.radius:g} mm, length {1e3 * self.length:g} mm",
            "flat": f"radius {1e3 * self.radius:g} mm",
            "box": f"{1e3 * self.length:g} x {1e3 * self.width:g} mm",
        }
        return f"{self.kind}, {sizes[self.kind]}"


@dataclass(frozen=True)
class Presses:
    """Frames of a recording. ``indenter`` is -1 for no load; missing depths and forces are NaN."""

    pad: Pad
    indenters: list[Indenter]
    press: np.ndarray
    indenter: np.ndarray
    pose: np.ndarray
    """(frames, 5): x, y, yaw, pitch, roll."""
    depth: np.ndarray
    force: np.ndarray
    readings: np.ndarray
    """(frames, taxels), device units."""
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.press)

    @property
    def loaded(self) -> np.ndarray:
        return self.indenter >= 0

    def but(self, **changes: Any) -> Presses:
        return replace(self, **changes)


def read_presses(path: str | Path, sensor: Mapping[str, str] | None = None) -> Presses:
    """Reads a recording. ``sensor``: keys of the pad that count before those of the file."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise Error(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: cannot be read ({error})") from None
    keys: dict[str, str] = {}
    table: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("#"):
            key, colon, value = text[1:].partition(":")
            if colon:
                keys[key.strip().lower()] = value.strip().strip(",;")
        elif text.strip(",;\t"):
            table.append((number, line))
    try:
        notes: list[str] = []
        pad = make_pad({**keys, **(sensor or {})}, notes)
        return _Table(pad, table, notes).presses()
    except Error as error:
        raise Error(f"{path}: {error}") from None


def make_pad(keys: Mapping[str, str], notes: list[str]) -> Pad:
    """The pad from the text of its keys."""
    example = {"size": "0.08 0.08", "thickness": "0.018", "shape": "16 16"}
    given = {key: value for key, value in keys.items() if key in KEYS}
    for key in keys:
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            notes.append(f"header key {key!r} is not used" + (f"; did you mean {near[0]!r}?" if near else ""))

    def numbers(key: str, counts: tuple[int, ...], least: float = -math.inf) -> tuple[float, ...] | None:
        if key not in given:
            return None
        try:
            found = tuple(float(part) for part in given[key].replace(",", " ").split())
        except ValueError:
            found = ()
        if len(found) not in counts or not all(math.isfinite(x) and x > least for x in found):
            wanted = " or ".join(str(c) for c in counts)
            raise Error(
                f"{key} is {given[key]!r}; give {wanted} number{'s' * (counts != (1,))}"
                + (" greater than 0" if least == 0 else "")
            )
        return found

    def needed(key: str, counts: tuple[int, ...]) -> tuple[float, ...]:
        found = numbers(key, counts, 0)
        if found is None:
            raise Error(
                f'the pad has no {key}; add the line "# {key}: {example[key]}" above the table, '
                f'or give --sensor "{key}={example[key]}"'
            )
        return found

    size = needed("size", (2, 3))
    thickness = size[2] if len(size) == 3 and "thickness" not in given else needed("thickness", (1,))[0]
    shape = needed("shape", (2,))
    pitch, center = numbers("pitch", (1, 2), 0), numbers("center", (2,))
    for key, lengths in (("size", size), ("thickness", (thickness,)), ("pitch", pitch or ())):
        if max(lengths, default=0) > LARGEST:
            raise Error(f"{key} is {max(lengths):g} m; if this was millimetres, divide by 1000")
    if any(x != round(x) for x in shape):
        raise Error(f"shape is {given['shape']!r}; give two whole numbers: rows columns")
    name = given.get("field", "backed")
    if name not in ("backed", "columns", "distance", "laplace"):
        raise Error(f"field is {name!r}; give backed, columns, distance or laplace")
    stiffening, bits, modulus = (
        (numbers(key, (1,), 0) or (None,))[0] for key in ("stiffening_start", "bits", "modulus")
    )
    if bits is not None and (bits != round(bits) or bits > 24):
        raise Error(f"bits is {given['bits']!r}; give a whole number from 1 to 24")
    saturation = numbers("saturation", (2,))
    if saturation is not None and saturation[0] >= saturation[1]:
        raise Error(f"saturation is {given['saturation']!r}; give the lowest and the highest reading")
    return Pad(
        size=(size[0], size[1]),
        thickness=thickness,
        shape=(round(shape[0]), round(shape[1])),
        pitch=None if pitch is None else (pitch[0], pitch[-1]),
        center=center or (0.0, 0.0),  # type: ignore[arg-type]
        field=name,
        stiffening_start=stiffening,
        unit=given.get("unit", "counts" if bits else "units"),
        bits=None if bits is None else round(bits),
        saturation=saturation,  # type: ignore[arg-type]
        modulus=modulus,
    )


class _Table:
    """The rows under the header, with messages that name line and column."""

    def __init__(self, pad: Pad, lines: list[tuple[int, str]], notes: list[str]) -> None:
        if not lines:
            raise Error("there is no table; taxel calibrate array --example FILE writes one to look at")
        self.pad, self.notes = pad, notes
        self.delimiter = max(",;\t", key=lines[0][1].count)
        names = [ALIASES.get(name.strip(), name.strip()) for name in self.split(lines[0][1])]
        self.rows = [(number, self.split(line)) for number, line in lines[1:]]
        self.at = {name: i for i, name in enumerate(names)}
        if len(self.at) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise Error(f"the column {twice!r} is there twice")
        self.check_columns(names)
        for number, row in self.rows:
            if len(row) != len(names):
                raise Error(f"line {number}: {len(row)} cells, but the table has {len(names)} columns")

    def split(self, line: str) -> list[str]:
        return next(csv.reader([line], delimiter=self.delimiter))

    def check_columns(self, names: list[str]) -> None:
        for name in names:
            if name.endswith("_mm"):
                metres = name[:-1]
                raise Error(f"the column {name!r} is in millimetres; divide by 1000 and name it {metres!r}")
        for name in ("press", "indenter", "x_m", "y_m"):
            if name not in self.at:
                raise Error(f"the column {name!r} is missing; there are: {', '.join(names[:12])}")
        if "depth_m" not in self.at and "force_N" not in self.at:
            raise Error("the columns 'depth_m' and 'force_N' are missing; at least one is needed, both for the modulus")
        taxels = [name for name in names if re.fullmatch(r"t\d+", name)]
        rows, cols = self.pad.shape
        if len(taxels) != self.pad.taxels:
            raise Error(
                f"{len(taxels)} columns of readings (t0, t1, ...), but {rows} rows x {cols} columns are "
                f"{self.pad.taxels} taxels; correct the shape or the table"
            )
        self.taxels = [f"t{i}" for i in range(self.pad.taxels)]
        for name in self.taxels:
            if name not in self.at:
                raise Error(f"the column {name!r} is missing; the readings are t0 to t{self.pad.taxels - 1}")
        for name in names:
            if name not in COLUMNS and name not in taxels:
                self.notes.append(f"column {name!r} is not used")

    def number(self, line: int, row: list[str], name: str, default: float | None = None) -> float:
        text = row[self.at[name]].strip() if name in self.at else ""
        if not text:
            if default is None:
                raise Error(f"line {line}: {name} is empty")
            return default
        try:
            value = float(text)
        except ValueError:
            raise Error(f"line {line}: {name} is {text!r}, which is not a number") from None
        if not math.isfinite(value):
            raise Error(f"line {line}: {name} is {text}; leave out frames without a finite value")
        return value

    def indenter(self, line: int, row: list[str]) -> Indenter | None:
        kind = row[self.at["indenter"]].strip().lower()
        kind = ALIASES.get(kind, kind)
        if kind == "none":
            return None
        if kind not in KINDS:
            raise Error(f"line {line}: indenter is {kind!r}; give none, {', '.join(KINDS)}")
        sizes = {}
        for name in KINDS[kind]:
            if name not in self.at:
                raise Error(f"line {line}: the column {name!r} is missing; a {kind} needs {' and '.join(KINDS[kind])}")
            value = self.number(line, row, name)
            if value <= 0:
                raise Error(f"line {line}: {name} is {value:g}; give a length greater than 0")
            if value > LARGEST:
                raise Error(f"line {line}: {name} is {value:g} m; if this was millimetres, divide by 1000")
            sizes[name[:-2]] = value
        return Indenter(kind, **sizes)

    def check_place(self, line: int, x: float, y: float, depth: float, indenter: Indenter) -> None:
        reach = math.hypot(max(indenter.radius, 0.5 * indenter.length), 0.5 * indenter.width)
        for name, value, size in (("x_m", x, self.pad.size[0]), ("y_m", y, self.pad.size[1])):
            if abs(value) > 0.5 * size + reach:
                cure = (
                    "if this was millimetres, divide by 1000"
                    if abs(value) > 4 * (0.5 * size + reach)
                    else "x and y count from the middle of the pad"
                )
                raise Error(f"line {line}: {name} is {value:g} m, but the pad ends at {0.5 * size:g} m; {cure}")
        t = self.pad.thickness
        if abs(depth) >= t:
            if abs(depth) / 1000 < t and abs(depth) > 2 * t:
                raise Error(f"line {line}: depth_m is {depth:g} m; if this was millimetres, divide by 1000")
            if depth > 0:
                raise Error(f"line {line}: depth_m is {depth:g} m, beyond the pad, which is {t:g} m thick")

    def presses(self) -> Presses:
        indenters: list[Indenter] = []
        frames, readings, names = [], [], []
        for line, row in self.rows:
            one = self.indenter(line, row)
            if one is not None and one not in indenters:
                indenters.append(one)
            need = None if one is not None else 0.0
            x, y = (self.number(line, row, name, need) for name in ("x_m", "y_m"))
            turns = [self.number(line, row, name, 0.0) for name in ("yaw_rad", "pitch_rad", "roll_rad")]
            if max(map(abs, turns)) > 2 * math.pi + 1e-6 or max(map(abs, turns[1:])) > 0.5 * math.pi:
                angle = max(turns, key=abs)
                raise Error(f"line {line}: an angle of {angle:g} rad; if this was degrees, multiply by pi/180")
            depth = self.optional(line, row, "depth_m")
            force = self.optional(line, row, "force_N")
            if one is not None:
                if math.isnan(depth) and math.isnan(force):
                    raise Error(f"line {line}: depth_m and force_N are both empty; a press needs one of them")
                self.check_place(line, x, y, 0.0 if math.isnan(depth) else depth, one)
            frames.append((-1 if one is None else indenters.index(one), x, y, *turns, depth, force))
            readings.append(self.readings(line, row))
            names.append(row[self.at["press"]].strip())
        table = np.array(frames, float).reshape(len(frames), 8)
        return Presses(
            pad=self.pad,
            indenters=indenters,
            press=np.array(names, dtype=str),
            indenter=table[:, 0].astype(int),
            pose=table[:, 1:6],
            depth=table[:, 6],
            force=table[:, 7],
            readings=np.array(readings, float).reshape(len(frames), self.pad.taxels),
            notes=self.notes,
        )

    def optional(self, line: int, row: list[str], name: str) -> float:
        if name not in self.at or not row[self.at[name]].strip():
            return math.nan
        return self.number(line, row, name)

    def readings(self, line: int, row: list[str]) -> list[float]:
        try:
            values = [float(row[self.at[name]]) for name in self.taxels]
            if all(map(math.isfinite, values)):
                return values
        except ValueError:
            pass
        return [self.number(line, row, name) for name in self.taxels]  # says which


def write_presses(path: str | Path, presses: Presses) -> None:
    """Writes a recording in the format above."""
    pad = presses.pad
    head = {
        "size": pad.size,
        "thickness": (pad.thickness,),
        "shape": pad.shape,
        "pitch": pad.pitch,
        "center": pad.center if any(pad.center) else None,
        "field": pad.field,
        "stiffening_start": None if pad.stiffening_start is None else (pad.stiffening_start,),
        "unit": pad.unit,
        "bits": None if pad.bits is None else (pad.bits,),
        "saturation": pad.saturation,
        "modulus": None if pad.modulus is None else (pad.modulus,),
    }
    names = [*COLUMNS, *(f"t{i}" for i in range(pad.taxels))]
    with open(path, "w", newline="", encoding="utf-8") as stream:
        for key, value in head.items():
            if value is not None:
                text = value if isinstance(value, str) else " ".join(f"{x:.10g}" for x in value)
                stream.write(f"# {key}: {text}\n")
        for note in presses.notes:
            stream.write(f"# note: {note}\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for k in range(len(presses)):
            if presses.indenter[k] < 0:
                front = [presses.press[k], "none", *[""] * 9, _cell(presses.force[k])]
            else:
                one = presses.indenters[presses.indenter[k]]
                sizes = [_cell(s) if s else "" for s in (one.radius, one.length, one.width)]
                measured = [_cell(presses.depth[k]), _cell(presses.force[k])]
                front = [presses.press[k], one.kind, *sizes, *map(_cell, presses.pose[k]), *measured]
            writer.writerow([*front, *(f"{x:.8g}" for x in presses.readings[k])])


def _cell(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.8g}"
