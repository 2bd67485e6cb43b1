"""Stiffness of a foam from weights put on it: compression over load (the soft-contact paper's section 3.4.1, Fig. 6).

Loads are set and compressions measured, so the compressions carry the errors and are what is fitted,

    through zero    compression = c pressure
    dead band       compression = d0 + c pressure
    curve           compression rises with the pressure (isotonic least squares), no shape assumed

with c the compliance of the foam, m/Pa. The stiffness of a bristle follows by Eq. 18, area / (points c); the modulus of
the hydroelastic model, pressure = modulus compression / thickness, is thickness / c. A layer of that model takes the
curve as its law (foam_law.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Error
from ..bristle import bristle_damping
from .columns import GRAVITY, read_columns
from .foam_law import fit_bends, law_pairs
from .report import Row, config_lines, digits, row, table
from .statistics import Estimate

COLUMNS = {
    "weight_g": ("force", 1e-3 * GRAVITY),
    "weight_kg": ("force", GRAVITY),
    "force_N": ("force", 1.0),
    "compression_mm": ("compression", 1e-3),
    "compression_m": ("compression", 1.0),
}
KEYS = ("weight_area", "area", "points", "thickness")
EXAMPLE = "taxel calibrate foam --example FILE"
FITS = ("zero", "dead-band", "curve")
FIELDS = ("backed", "columns")
# What a layer's law has at the end of a dead band, of the largest pressure: it must rise.
SLACK = 1e-3


@dataclass(frozen=True)
class FoamData:
    """Loads on a foam; SI units."""

    force: np.ndarray
    compression: np.ndarray
    weight_area: float
    """Under the weight, m2."""
    area: float | None = None
    """Of the pad, m2."""
    points: int | None = None
    """Of the pad."""
    thickness: float | None = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.force)

    @property
    def pressure(self) -> np.ndarray:
        return self.force / self.weight_area


def read_foam(
    path: str | Path,
    *,
    weight_area: float | None = None,
    area: float | None = None,
    points: int | None = None,
    thickness: float | None = None,
) -> FoamData:
    """Reads a CSV file with the columns weight_g (or weight_kg, force_N) and compression_mm (or compression_m).

    weight_area: of the foam under the weight, m2; area and points: of the pad that is to be simulated, m2; thickness:
    of the foam, m. In the file: ``# weight_area: 804.25e-6``, and so on; what is given here counts before that.
    """
    data = read_columns(path, COLUMNS, KEYS, EXAMPLE)
    for quantity, names in (("force", "weight_g (or force_N)"), ("compression", "compression_mm")):
        if quantity not in data.columns:
            raise data.fail(f"the column {names} is missing; the columns are weight_g and compression_mm")
    under = data.number("weight_area", weight_area, "the area under the weight in m2")
    if under is None:
        raise data.fail(
            "the area under the weight is missing; add the line '# weight_area: 804.25e-6' or --weight-area"
        )
    whole = data.number("area", area, "the area of the pad in m2")
    count = data.number("points", points, "the number of points of the pad", whole=True)
    thick = data.number("thickness", thickness, "the thickness of the foam in m")
    for name, value in (("weight_area", under), ("area", whole)):
        if value is not None and value > 1:
            raise data.fail(f"{name} is {value:g} m2; if this was mm2, multiply by 1e-6")
    if thick is not None and thick > 1:
        raise data.fail(f"thickness is {thick:g} m; if this was millimetres, divide by 1000")
    force, compression = data.columns["force"], data.columns["compression"]
    for quantity, values, cure in (
        ("the load", force, "a weight presses: give its amount"),
        ("compression", compression, "it counts from the untouched foam: shift the zero"),
    ):
        for i in np.flatnonzero(np.isnan(values)):
            raise data.fail(f"{quantity} is empty; complete the row or leave it out", i)
        for i in np.flatnonzero(values < 0):
            raise data.fail(f"{quantity} is negative; {cure}", i)
    if thick is not None:
        for i in np.flatnonzero(compression >= thick):
            raise data.fail(f"compression is {compression[i]:g} m, but the foam is {thick:g} m thick", i)
    notes, loaded = list(data.notes), force > 0
    if not loaded.all():
        notes.append(f"{int((~loaded).sum())} rows without load are left out")
    return FoamData(
        *(force[loaded], compression[loaded], under, whole),
        points=int(count) if count else None,
        thickness=thick,
        notes=notes,
    )


@dataclass(frozen=True)
class FoamFit:
    data: FoamData
    zero: Estimate
    """Pressure per compression of the line through zero, Pa/m."""
    line: Estimate
    """That of the line with a dead band, Pa/m."""
    dead_band: Estimate
    """m; negative where the foam is loaded already at zero."""
    bend: Estimate
    """How much of the compression at the largest load a straight line with dead band lacks; negative: it stiffens."""
    curve: np.ndarray
    """(n, 2): compression, m, and pressure, Pa; both rise."""
    bends: np.ndarray
    """The curve as the law of a layer has it: bent lines of least squares, compression, m, and pressure, Pa."""
    residuals: dict[str, float]
    """m, standard deviation of the compressions about each fit."""
    notes: list[str]

    @property
    def share(self) -> float | None:
        """m2 of the pad that one point carries."""
        d = self.data
        return d.area / d.points if d.area and d.points else None

    def keys(self, fit: str = "zero") -> dict[str, Any]:
        """Of a pad of bristles. The damping is the paper's rule, 1 % of the stiffness; weights do not tell it."""
        if fit not in FITS:
            raise Error(f"fit is {fit!r}; give {', '.join(FITS)}")
        if self.share is None:
            raise Error("keys are those of one point; give the pad's --area (m2) and --points")
        slope = self.zero.value if fit == "zero" else self.line.value
        keys: dict[str, Any]
        if fit == "curve":
            keys = {"curve": [digits(x) for d, p in self.curve for x in (d, p * self.share)]}
        else:
            keys = {"stiffness": digits(slope * self.share)}
        keys["damping"] = digits(bristle_damping(slope * self.share))
        if fit == "dead-band" and self.dead_band.value > 0:
            keys["dead_band"] = digits(self.dead_band.value)
        if self.data.thickness:
            keys["depth"] = digits(2 * self.data.thickness)
        return keys

    def layer_keys(self, field: str = "columns", fit: str = "curve") -> dict[str, Any]:
        """Of a pressure field on a layer as thick as the foam, ``field="columns"`` or ``"backed"``: modulus, thickness,
        and with the fits "curve" and "dead-band" the ``law``. Options of a ``taxel.Body``, keys of ``taxel.soften``."""
        if field not in FIELDS:
            raise Error(f"field is {field!r}; a law is of a layer: give {' or '.join(FIELDS)}")
        if fit not in FITS:
            raise Error(f"fit is {fit!r}; give {', '.join(FITS)}")
        thick = self.data.thickness
        if not thick:
            raise Error("a layer needs the thickness of the foam; give --thickness (m), or '# thickness:' in the file")
        slope = self.zero.value if fit != "dead-band" else self.line.value
        modulus = digits(slope * thick)
        keys: dict[str, Any] = {"field": field, "thickness": digits(thick), "modulus": modulus}
        points = self.bends
        if fit == "dead-band" and self.dead_band.value > 0:
            largest, dead = float(self.data.pressure.max()), self.dead_band.value
            points = np.array([(dead, SLACK * largest), (dead + largest / slope, largest)])
        elif fit != "curve":
            return keys
        keys["law"] = [digits(x) for pair in law_pairs(points, thick, modulus) for x in pair]
        return keys

    def mjcf(self, fit: str = "zero", field: str | None = None) -> str:
        """Keys as MJCF: of bristles, or of a layer with this field."""
        return config_lines(self.layer_keys(field, fit) if field else self.keys(fit))

    def rows(self) -> list[Row]:
        thick, share = self.data.thickness, self.share
        rows: list[Row] = []
        for title, slope, name in (("zero", self.zero, "line through zero"), ("line", self.line, "line, dead band")):
            rows.append(row(name, slope, "kPa/mm", 1e-6, f"residual {1e3 * self.residuals[title]:.2g} mm"))
            if title == "line":
                rows.append(row("  dead band", self.dead_band, "mm", 1e3))
            if share:
                rows.append(row("  stiffness", slope, "N/m", share, "of one point (Eq. 18)"))
            if thick:
                rows.append(row("  modulus", slope, "Pa", thick, "of the hydroelastic model"))
        rest = f"residual {1e3 * self.residuals['curve']:.2g} mm"
        rows.append(("curve", f"{len(self.curve)} points", "", rest))
        if thick:
            rest = f"residual {1e3 * self.residuals['law']:.2g} mm, measured to {self.bends[-1, 0] / thick:.0%}"
            rows.append(("  law of a layer", f"{len(self.bends)} bends", "", rest))
        rows.append(row("bend", self.bend, "%", 100, "of the compression at the largest load"))
        return rows

    def report(self) -> str:
        d = self.data
        head = f"{len(d)} loads, {d.force.min():.3g} to {d.force.max():.3g} N on {1e6 * d.weight_area:.5g} mm2"
        if self.share and d.area is not None:
            head += f"; pad of {1e6 * d.area:.5g} mm2 with {d.points} points"
        return "\n".join([head, "", table(self.rows()), "", *(f"note: {n}" for n in self.notes)]).rstrip()

    def numbers(self) -> dict[str, Any]:
        def of_point(one: Estimate, factor: float | None) -> dict[str, float] | None:
            return None if factor is None else {k: factor * v for k, v in one.numbers().items()}

        return {
            "rows": len(self.data),
            "weight_area": self.data.weight_area,
            "area": self.data.area,
            "points": self.data.points,
            "thickness": self.data.thickness,
            "pressure_per_compression": {"zero": self.zero.numbers(), "dead_band": self.line.numbers()},
            "stiffness": {k: of_point(e, self.share) for k, e in (("zero", self.zero), ("dead_band", self.line))},
            "modulus": {
                k: of_point(e, self.data.thickness) for k, e in (("zero", self.zero), ("dead_band", self.line))
            },
            "dead_band": self.dead_band.numbers(),
            "bend": self.bend.numbers(),
            "curve": self.curve,
            "law": {fit: self.layer_keys(fit=fit) for fit in FITS} if self.data.thickness else None,
            "residuals": self.residuals,
            "notes": self.notes,
            "keys": {fit: self.keys(fit) for fit in FITS} if self.share else None,
        }


def calibrate_foam(data: FoamData, *, curve_points: int = 8) -> FoamFit:
    """Fits both lines and the curve. ``curve_points``: at most so many points of the curve."""
    if curve_points < 1:
        raise Error(f"curve_points is {curve_points}; give 1 or more")
    distinct = len(np.unique(data.force))
    if len(data) < 3 or distinct < 3:
        raise Error(f"{len(data)} loads, {distinct} of them different; a line needs at least 3: weigh more")
    p, x = data.pressure, data.compression
    if not x.max() > 0:
        raise Error("every compression is 0; the foam is too stiff for the gauge, or the column is wrong")
    if (p - p.mean()) @ (x - x.mean()) <= 0:
        raise Error("the compression does not rise with the load; look at the columns, and at the order of the rows")
    notes = list(data.notes)
    zero, rest0 = _straight(p[:, None], x)
    line, rest1 = _straight(np.column_stack([p, np.ones_like(p)]), x)
    bent, _ = _straight(np.column_stack([p, np.ones_like(p), (p / p.max()) ** 2]), x)
    curve, rest2 = _isotonic(p, x, curve_points)
    bends = fit_bends(p, x, curve_points)
    dead_band = line[1]
    bend = Estimate(*(e / x.max() for e in (bent[2].value, bent[2].low, bent[2].high)))
    if dead_band.high < 0:
        notes.append(
            "the line meets zero load at a negative compression: the foam was pressed already at zero, or stiffens"
        )
    elif dead_band.low > 0:
        notes.append(
            f"the dead band is real ({1e3 * dead_band.low:.2g} mm or more); --fit dead-band keeps it, the line through "
            "zero spreads it over the range"
        )
    if len(data) > 4 and not bend.low <= 0 <= bend.high and abs(bend.value) > 0.02:
        what = "stiffens" if bend.value < 0 else "softens"
        notes.append(f"the foam {what} under load; --fit curve follows it")
    residuals = {"zero": _std(rest0, 1), "line": _std(rest1, 2), "curve": _std(rest2, 0)}
    residuals["law"] = _std(x - _along(bends, p), len(bends))
    return FoamFit(
        *(data, _inverse(zero[0]), _inverse(line[0]), dead_band, bend, curve, bends),
        residuals=residuals,
        notes=notes,
    )


def _straight(design: np.ndarray, x: np.ndarray) -> tuple[list[Estimate], np.ndarray]:
    """Least squares: the estimates, and what is left."""
    size = np.linalg.norm(design, axis=0)
    found = np.linalg.lstsq(design / size, x, rcond=None)[0] / size
    rest = x - design @ found
    dof = len(x) - design.shape[1]
    inverse = np.linalg.pinv((design / size).T @ (design / size))
    error = np.sqrt(np.maximum(np.diag(inverse), 0) * float(rest @ rest) / max(1, dof)) / size
    return [Estimate.of(v, e, dof) for v, e in zip(found, error, strict=True)], rest


def _inverse(one: Estimate) -> Estimate:
    """Of 1 / x; an interval of x that reaches 0 leaves it open above."""
    return Estimate(1 / one.value, 1 / one.high, 1 / one.low if one.low > 0 else math.inf)


def _std(rest: np.ndarray, parameters: int) -> float:
    return math.sqrt(float(rest @ rest) / max(1, len(rest) - parameters))


def _isotonic(p: np.ndarray, x: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(compression, pressure) pairs that rise in both, at most ``most``, and what they leave of x.

    Pool adjacent violators: compressions at rising loads, averaged where they fall. Then neighbours are averaged until
    there are few enough. Straight between the points, from zero.
    """
    blocks: list[tuple[float, float, float]] = []  # sums of compression and pressure, count
    for pressure in np.unique(p):
        same = x[p == pressure]
        blocks.append((float(same.sum()), pressure * len(same), float(len(same))))
        while len(blocks) > 1 and blocks[-1][0] / blocks[-1][2] <= blocks[-2][0] / blocks[-2][2]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append(tuple(a + b for a, b in zip(before, last, strict=True)))  # type: ignore[arg-type]
    blocks = [b for b in blocks if b[0] > 0]
    groups = np.array_split(np.array(blocks), min(most, len(blocks)))
    points = np.array([(g[:, 0].sum() / g[:, 2].sum(), g[:, 1].sum() / g[:, 2].sum()) for g in groups])
    return points, x - _along(points, p)


def _along(points: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Compression at a pressure: straight between the points, from zero, on with the last slope."""
    d, q = np.vstack([(0.0, 0.0), points]).T
    slope = (d[-1] - d[-2]) / (q[-1] - q[-2])
    return np.where(p > q[-1], d[-1] + slope * (p - q[-1]), np.interp(p, q, d))
