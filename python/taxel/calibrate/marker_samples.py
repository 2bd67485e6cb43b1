"""Recordings that calibrate marker models: what path an indenter took, and where the markers were at its end.

Frame P of the pad: x along the columns of the photo, y down its rows, z out of the gel (away from the camera), so that
displacements in pixels are along x and y.

Two CSV files, with keys in lines ``# key: value`` above the table:

    tracks.csv   sample, marker, x, y, dx, dy           rest place in m (or x_px, y_px), displacement in px, empty: lost
    poses.csv    sample, kind, step, x, y, z, qw, qx, qy, qz      pose X_PI of the indenter, m

``kind`` may be left out where the names of the samples begin with it (press_0, shear_3). Rest places in pixels need the
keys ``pixel`` (m) and ``origin_px`` (column and row of the pad's origin) in tracks.csv.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._core import Error

KINDS = ("press", "shear", "slip", "twist", "roll")
PIXEL = 0.065e-3
EXAMPLE = "taxel calibrate markers --example writes both files to look at"


@dataclass(frozen=True)
class MarkerSample:
    """One motion of the indenter and the markers at its end."""

    kind: str
    """press, shear (sticks), slip (slides), twist or roll."""
    path: np.ndarray
    """(n, 4, 4): poses X_PI of the indenter in the pad's frame, from outside the gel."""
    displacement: np.ndarray
    """(N, 2) px, at the end of the path; NaN where a marker was lost."""
    name: str = ""

    def __post_init__(self) -> None:
        where = f"sample {self.name!r}" if self.name else "sample"
        if self.kind not in KINDS:
            raise Error(f"{where}: kind is {self.kind!r}; give one of {', '.join(KINDS)}")
        path = np.array(self.path, dtype=float)
        if path.ndim != 3 or path.shape[1:] != (4, 4) or len(path) < 2:
            raise Error(f"{where}: the path has shape {path.shape}; give (n, 4, 4) poses X_PI, n at least 2")
        for step, X in enumerate(path):
            if not np.isfinite(X).all():
                raise Error(f"{where}, step {step}: the pose is not finite; leave such steps out")
            if np.abs(X[:3, :3] @ X[:3, :3].T - np.eye(3)).max() > 1e-6 or np.linalg.det(X[:3, :3]) < 0:
                raise Error(f"{where}, step {step}: not a rotation; give matrices with R R^T = 1 and det 1")
        moved = np.array(self.displacement, dtype=float)
        if moved.ndim != 2 or moved.shape[1] != 2:
            raise Error(f"{where}: displacements have shape {moved.shape}; give (N, 2) px")
        if not np.isfinite(moved).all(axis=1).any():
            raise Error(f"{where}: no marker has a displacement; leave the sample out")
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "displacement", moved)


@dataclass(frozen=True)
class MarkerSamples:
    """Samples of one sensor."""

    samples: tuple[MarkerSample, ...]
    markers: np.ndarray
    """(N, 2): rest places in the pad's frame, m."""
    pixel: float = PIXEL
    """m."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", tuple(self.samples))
        markers = np.array(self.markers, dtype=float)
        if markers.ndim != 2 or markers.shape[1] not in (2, 3) or not np.isfinite(markers).all():
            raise Error(f"markers have shape {markers.shape}; give finite rest places (N, 2) in m")
        object.__setattr__(self, "markers", markers[:, :2])
        if not self.pixel > 0:
            raise Error(f"pixel is {self.pixel}; give its edge on the gel in m, above 0")
        if not self.samples:
            raise Error("there are no samples; at least one press is needed")
        for i, one in enumerate(self.samples):
            if len(one.displacement) != len(markers):
                name = one.name or str(i)
                raise Error(f"sample {name!r} has {len(one.displacement)} markers, but there are {len(markers)}")

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[MarkerSample]:
        return iter(self.samples)

    def of(self, *kinds: str) -> MarkerSamples | None:
        """Those of some kinds; None where there are none."""
        chosen = [s for s in self.samples if s.kind in kinds]
        return MarkerSamples(tuple(chosen), self.markers, self.pixel) if chosen else None

    def count(self) -> dict[str, int]:
        return {k: n for k in KINDS if (n := sum(s.kind == k for s in self.samples))}

    def split(self, share: float) -> tuple[MarkerSamples, MarkerSamples | None]:
        """(for the fit, held out): of each kind the last ``share`` of the samples, of few samples none."""
        if not 0 <= share < 1:
            raise Error(f"held_out is {share}; give a share of the samples from 0 up to, not including, 1")
        kept, out = [], []
        for kind in KINDS:
            group = [s for s in self.samples if s.kind == kind]
            cut = len(group) - int(share * len(group) + 1e-9)
            kept += group[:cut]
            out += group[cut:]
        whole = MarkerSamples(tuple(kept), self.markers, self.pixel)
        return whole, MarkerSamples(tuple(out), self.markers, self.pixel) if out else None


def write_samples(samples: MarkerSamples, tracks: str | Path, poses: str | Path, notes: Sequence[str] = ()) -> None:
    """Writes both files; notes become lines ``# note: ...``."""
    head = [f"# note: {n}" for n in notes]
    lines = [*head, f"# pixel: {samples.pixel:g}", "sample,marker,x,y,dx,dy"]
    motions = [*head, "sample,kind,step,x,y,z,qw,qx,qy,qz"]
    for i, one in enumerate(samples):
        name = one.name or f"{one.kind}_{i}"
        for k, ((x, y), (dx, dy)) in enumerate(zip(samples.markers, one.displacement, strict=True)):
            moved = f"{dx:.4f},{dy:.4f}" if math.isfinite(dx + dy) else ","
            lines.append(f"{name},{k},{x:.9g},{y:.9g},{moved}")
        for step, X in enumerate(one.path):
            numbers = ",".join(f"{v:.12g}" for v in (*X[:3, 3], *_quaternion(X[:3, :3])))
            motions.append(f"{name},{one.kind},{step},{numbers}")
    Path(tracks).write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path(poses).write_text("\n".join(motions) + "\n", encoding="utf-8")


def _quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z) with w >= 0; from the largest of the four, so that nothing is divided by a small number."""
    square = np.array([np.trace(R), *np.diag(R)])
    k = int(np.argmax(square))
    anti = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q = np.array([1.0 + square[0], *anti])
    else:
        i = k - 1
        symmetric = R[i] + R[:, i]
        symmetric[i] = 1.0 + 2.0 * R[i, i] - square[0]
        q = np.array([anti[i], *symmetric])
    q /= np.linalg.norm(q)
    return q if q[0] >= 0 else -q


def rotation_of(q: np.ndarray) -> np.ndarray:
    """3 x 3 from a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass(frozen=True)
class _Table:
    path: Path
    names: list[str]
    rows: list[tuple[int, dict[str, str]]]
    keys: dict[str, str]

    def fail(self, line: int, message: str) -> Error:
        return Error(f"{self.path}, line {line}: {message}")

    def number(self, line: int, row: dict[str, str], name: str, empty: bool = False) -> float:
        text = row[name].strip()
        if empty and text.lower() in ("", "nan"):
            return math.nan
        try:
            value = float(text)
        except ValueError:
            raise self.fail(line, f"{name} is {text!r}, which is not a number") from None
        if not math.isfinite(value):
            way = "leave the cell empty for a lost marker" if empty else "leave out steps without a pose"
            raise self.fail(line, f"{name} is {text}; {way}")
        return value

    def whole(self, line: int, row: dict[str, str], name: str) -> int:
        value = self.number(line, row, name)
        if value != round(value) or value < 0:
            raise self.fail(line, f"{name} is {row[name]}; give a whole number of 0 or more")
        return int(value)


def _read(path: str | Path, needed: Sequence[str]) -> _Table:
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise Error(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: cannot be read as text ({error}); give a CSV file") from None
    keys, lines = {}, []
    for number, line in enumerate(text, start=1):
        if line.lstrip().startswith("#"):
            key, _, value = line.strip()[1:].partition(":")
            keys[key.strip().lower()] = value.strip()
        elif line.strip():
            lines.append((number, next(csv.reader([line]))))
    if len(lines) < 2:
        raise Error(f"{path}: there is no table with rows; {EXAMPLE}")
    names = [n.strip() for n in lines[0][1]]
    missing = [n for n in needed if n not in names]
    if missing:
        raise Error(
            f"{path}: the column {', '.join(missing)} is missing; there are {', '.join(names)}. It needs "
            f"{', '.join(needed)}; {EXAMPLE}"
        )
    rows = []
    for number, cells in lines[1:]:
        if len(cells) != len(names):
            raise Error(f"{path}, line {number}: {len(cells)} cells, but the table has {len(names)} columns")
        rows.append((number, dict(zip(names, cells, strict=True))))
    return _Table(path, names, rows, keys)


def read_samples(
    tracks: str | Path, poses: str | Path, *, pixel: float | None = None, origin_px: Sequence[float] | None = None
) -> MarkerSamples:
    """From both files; ``pixel`` (m) and ``origin_px`` count before the keys in tracks.csv."""
    paths, kinds = read_poses(poses)
    table = _read(tracks, ("sample", "marker", "dx", "dy"))
    pixel = pixel if pixel is not None else _key(table, "pixel", 1, PIXEL)[0]
    in_pixels = "x" not in table.names
    columns = ("x_px", "y_px") if in_pixels else ("x", "y")
    if not set(columns) <= set(table.names):
        raise Error(f"{table.path}: the rest places are missing; give the columns x, y (m) or x_px, y_px")
    found: dict[str, dict[int, tuple[float, ...]]] = {}
    for line, row in table.rows:
        name, k = row["sample"].strip(), table.whole(line, row, "marker")
        if name not in paths:
            raise table.fail(line, f"sample {name!r} has no poses in {poses}; there are {_some(paths)}")
        if k in found.setdefault(name, {}):
            raise table.fail(line, f"marker {k} of sample {name!r} is there twice")
        place = [table.number(line, row, c) for c in columns]
        found[name][k] = (*place, *(table.number(line, row, c, empty=True) for c in ("dx", "dy")))
    for name in paths:
        if name not in found:
            raise Error(f"{poses}: sample {name!r} has poses but no rows in {tracks}; leave it out, or add its markers")
    first = next(iter(found))
    order = sorted(found[first])
    places = np.array([found[first][k][:2] for k in order])
    samples = []
    for name, rows in found.items():
        if sorted(rows) != order:
            raise Error(
                f"{table.path}: sample {name!r} has {len(rows)} markers, but {first!r} has {len(order)}, or other "
                "numbers; give each sample the same markers, with dx and dy empty where one was lost"
            )
        values = np.array([rows[k] for k in order])
        off = np.abs(values[:, :2] - places).max()
        if off > (0.5 if in_pixels else 0.5 * pixel):
            raise Error(f"{table.path}: sample {name!r}: the rest places differ from those of {first!r} by {off:.3g}")
        samples.append(MarkerSample(kinds[name], paths[name], values[:, 2:], name))
    if in_pixels:
        origin = np.asarray(origin_px if origin_px is not None else _key(table, "origin_px", 2, None), dtype=float)
        places = (places - origin) * pixel
    elif np.abs(places).max() > 1.0:
        raise Error(
            f"{table.path}: a marker is {np.abs(places).max():g} m from the middle of the pad; name the columns x_px "
            "and y_px where these are pixels"
        )
    return MarkerSamples(tuple(samples), places, float(pixel))


def read_poses(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Path (n, 4, 4) and kind of each sample."""
    table = _read(path, ("sample", "step", "x", "y", "z", "qw", "qx", "qy", "qz"))
    steps: dict[str, dict[int, np.ndarray]] = {}
    kinds: dict[str, str] = {}
    for line, row in table.rows:
        name, step = row["sample"].strip(), table.whole(line, row, "step")
        kind = row["kind"].strip() if "kind" in table.names else next((k for k in KINDS if name.startswith(k)), "")
        if kind not in KINDS:
            said = f"kind is {kind!r}" if kind else f"the name {name!r} does not begin with a kind"
            raise table.fail(line, f"{said}; give one of {', '.join(KINDS)} in a column kind")
        if kinds.setdefault(name, kind) != kind:
            raise table.fail(line, f"sample {name!r} is {kinds[name]} and {kind}; give it one kind")
        if step in steps.setdefault(name, {}):
            raise table.fail(line, f"step {step} of sample {name!r} is there twice")
        X = np.eye(4)
        X[:3, 3] = [table.number(line, row, c) for c in ("x", "y", "z")]
        q = np.array([table.number(line, row, c) for c in ("qw", "qx", "qy", "qz")])
        size = float(np.linalg.norm(q))
        if abs(size - 1) > 1e-2:
            raise table.fail(line, f"the quaternion has length {size:.4g}; give a unit one, w first")
        X[:3, :3] = rotation_of(q / size)
        if np.abs(X[:3, 3]).max() > 1.0:
            raise table.fail(line, f"the indenter is {np.abs(X[:3, 3]).max():g} m away; positions are in m")
        steps[name][step] = X
    for name, found in steps.items():
        if len(found) < 2:
            raise Error(f"{table.path}: sample {name!r} has one pose; give its path, from outside the gel")
    return {name: np.stack([found[k] for k in sorted(found)]) for name, found in steps.items()}, kinds


def _key(table: _Table, key: str, count: int, default: float | None) -> list[float]:
    text = table.keys.get(key)
    if text is None:
        if default is None:
            raise Error(f"{table.path}: rest places in pixels need a line '# {key}: COLUMN ROW' above the table")
        return [default] * count
    try:
        values = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise Error(f"{table.path}: the key {key} is {text!r}; give {count} number{'s' if count > 1 else ''}")
    return values


def _some(names: dict) -> str:
    shown = list(names)[:6]
    return ", ".join(shown) + (" ..." if len(names) > 6 else "")
