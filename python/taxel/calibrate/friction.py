"""Friction of a pad from a recording of steady sliding: friction force over speed.

The curve is Eq. 13 of the soft-contact paper in steady sliding,

    F(v) = load (mu_d + (mu_s - mu_d) exp(-(v / x0)^2)) + c_t v,   mu_s >= mu_d >= 0, c_t >= 0,

fitted by least squares (``stribeck.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Error
from .columns import GRAVITY, read_columns
from .report import Row, config_lines, digits, row, table
from .statistics import Estimate
from .stribeck import StribeckCurve

COLUMNS = {
    "speed_m_s": ("speed", 1.0),
    "speed_mm_s": ("speed", 1e-3),
    "friction_N": ("friction", 1.0),
    "load_N": ("load", 1.0),
    "load_g": ("load", 1e-3 * GRAVITY),
}
EXAMPLE = "taxel calibrate friction --example FILE"
MOST_ROWS = 4000  # more are averaged over neighbouring speeds
DROP = 8.0  # F value (2 more parameters) above which mu_s > mu_d; chance finds it in one of 3000 straight lines
POOR = 0.25  # an interval wider than this part of the static friction says nothing


@dataclass(frozen=True)
class FrictionData:
    """Steady sliding, of one point where ``points`` is given, else of the whole; speeds and frictions above 0."""

    speed: np.ndarray
    friction: np.ndarray
    load: np.ndarray
    points: int | None = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.speed)


def read_friction(
    path: str | Path, *, load: float | None = None, points: int | None = None, slowest: float = 0.0
) -> FrictionData:
    """Reads a CSV file with the columns speed_m_s (or speed_mm_s), friction_N and load_N (or load_g).

    load: N, where the file has no such column (also ``# load: 5.77`` in the file). points: among which friction and
    load are shared out (also ``# points: 84``). slowest: m/s; slower rows are left out.
    """
    data = read_columns(path, COLUMNS, ("load", "points"), EXAMPLE)
    for quantity, name in (("speed", "speed_m_s"), ("friction", "friction_N")):
        if quantity not in data.columns:
            raise data.fail(f"the column {name!r} is missing; the columns are speed_m_s, friction_N and load_N")
    one_load = data.number("load", load, "the load in N that presses")
    if one_load is None and "load" not in data.columns:
        raise data.fail("the column 'load_N' is missing; add it, or give the load with --load N")
    speed, friction = data.columns["speed"], data.columns["friction"]
    loads = np.full(len(data), one_load) if one_load is not None else data.columns["load"]
    notes = list(data.notes)
    if one_load is not None and "load" in data.columns:
        notes.append(f"the load is {one_load:g} N everywhere, as given; the column is not used")
    for quantity, values in (("speed", speed), ("friction", friction), ("load", loads)):
        for i in np.flatnonzero(np.isnan(values)):
            raise data.fail(f"{quantity} is empty; complete the row or leave it out", i)
    for i in np.flatnonzero(loads <= 0):
        raise data.fail(f"load is {loads[i]:g} N; a pad that slides is pressed: give a load above 0", i)
    friction = np.where(speed < 0, -friction, friction)
    if (friction < 0).mean() > 0.5:
        raise data.fail("friction_N has the sign against speed_m_s in most rows; turn the sign of one column")
    speed = np.abs(speed)
    if speed.max() > 100:
        raise data.fail(f"a speed of {speed.max():g} m/s; if this was mm/s, name the column speed_mm_s")
    moving = (speed > 0) & (speed >= slowest)
    still = int((speed == 0).sum())
    if still:
        notes.append(f"{still} rows at speed 0 are left out: a pad at rest holds with any force up to static friction")
    if (slow := int((~moving).sum()) - still) > 0:
        notes.append(f"{slow} rows slower than {slowest:g} m/s are left out")
    count = data.number("points", points, "the number of points that share the load", whole=True)
    share = 1 / count if count else 1.0
    return FrictionData(
        speed=speed[moving],
        friction=share * friction[moving],
        load=share * loads[moving],
        points=int(count) if count else None,
        notes=notes,
    )


@dataclass(frozen=True)
class FrictionFit:
    data: FrictionData
    static: Estimate
    dynamic: Estimate
    stribeck_speed: Estimate | None
    """m/s; None where the data show no drop from static to dynamic friction."""
    viscosity: Estimate
    """N s/m, of one point where ``data.points`` is given."""
    residual: float
    """N, standard deviation about the curve."""
    undetermined: dict[str, str]
    """Parameters that the data do not tell, each with what would."""
    notes: list[str]

    def curve(self, speed: Any, load: Any) -> np.ndarray:
        """Friction in steady sliding, N."""
        v = np.asarray(speed, float)
        drop = np.exp(-((v / self.stribeck_speed.value) ** 2)) if self.stribeck_speed else np.zeros_like(v)
        mu = self.dynamic.value + (self.static.value - self.dynamic.value) * drop
        return load * mu + self.viscosity.value * v

    def keys(self) -> dict[str, Any]:
        """Of a pad of bristles; what the data do not tell is not among them."""
        keys: dict[str, Any] = {"friction": [digits(self.static.value), digits(self.dynamic.value)]}
        if self.stribeck_speed:
            keys["stribeck_speed"] = digits(self.stribeck_speed.value)
        keys["viscosity"] = digits(self.viscosity.value)
        return keys

    def mjcf(self) -> str:
        return config_lines(self.keys())

    def rows(self) -> list[Row]:
        of = "of one point" if self.data.points else "as recorded; --points N shares it out"
        rows = [row("static friction", self.static), row("dynamic friction", self.dynamic)]
        if self.stribeck_speed:
            rows.append(row("Stribeck speed", self.stribeck_speed, "m/s"))
        rows.append(row("viscosity", self.viscosity, "N s/m", remark=of))
        part = 100 * self.residual / float(np.abs(self.data.friction).max())
        rows.append(("residual", f"{self.residual:.3g} N", "", f"{part:.2g} % of the largest friction"))
        return rows

    def report(self) -> str:
        d = self.data
        head = f"{len(d)} rows, {d.speed.min():.3g} to {d.speed.max():.3g} m/s, load {_range(d.load)} N"
        if d.points:
            head += f", of one of {d.points} points"
        notes = [f"not determined: {name}: {cure}" for name, cure in self.undetermined.items()]
        return "\n".join([head, "", table(self.rows()), "", *notes, *(f"note: {n}" for n in self.notes)]).rstrip()

    def numbers(self) -> dict[str, Any]:
        return {
            "rows": len(self.data),
            "points": self.data.points,
            "static_friction": self.static.numbers(),
            "dynamic_friction": self.dynamic.numbers(),
            "stribeck_speed": self.stribeck_speed.numbers() if self.stribeck_speed else None,
            "viscosity": self.viscosity.numbers(),
            "residual": self.residual,
            "undetermined": self.undetermined,
            "notes": self.notes,
            "keys": self.keys(),
        }


def calibrate_friction(
    data: FrictionData, *, stribeck_speed: float | None = None, viscosity: float | None = None
) -> FrictionFit:
    """Fits mu_s, mu_d, x0 and c_t. ``stribeck_speed``, ``viscosity``: take this one (as the keys, of one point)."""
    if stribeck_speed is not None and not (math.isfinite(stribeck_speed) and stribeck_speed > 0):
        raise Error(f"the Stribeck speed is {stribeck_speed:g}; give a speed above 0 (m/s)")
    if viscosity is not None and not (math.isfinite(viscosity) and viscosity >= 0):
        raise Error(f"the viscosity is {viscosity:g}; give 0 or more (N s/m)")
    parameters = 2 + (stribeck_speed is None) + (viscosity is None)
    distinct = len(np.unique(data.speed))
    if len(data) <= parameters or distinct < parameters:
        raise Error(
            f"{len(data)} rows of sliding with {distinct} different speeds; {parameters} parameters need at least "
            f"{parameters + 1} rows and {parameters} speeds: record more"
        )
    notes = list(data.notes)
    v, load, friction = _averaged(data, notes)
    fit = StribeckCurve(v, load, friction, viscosity)
    found = fit.best() if stribeck_speed is None else fit.solve(stribeck_speed)
    flat = fit.solve(None)
    if stribeck_speed is None and not fit.improves(found, flat, 2 * DROP):
        found = flat
    errors, dof = fit.errors(found, x0_fitted=stribeck_speed is None)

    def estimate(name: str) -> Estimate:
        one = Estimate.of(getattr(found, name), errors.get(name, 0.0), dof)
        return replace(one, low=max(0.0, one.low))

    dynamic, c_t = estimate("mu_d"), estimate("c_t")
    static = dynamic if found.x0 is None else estimate("mu_s")
    x0 = None
    if found.x0 is not None:
        interval = fit.interval(found, dof) if stribeck_speed is None else (found.x0, found.x0)
        x0 = Estimate(found.x0, *interval)
    if found.mu_d == 0:
        notes.append("dynamic friction is at its limit, 0")
    if found.c_t == 0 and viscosity is None:
        notes.append("viscosity is at its limit, 0: friction does not rise with speed")
    _note_outliers(notes, friction - fit.curve(found), v)
    out = FrictionFit(data, static, dynamic, x0, c_t, 0.0, {}, notes)
    rest = data.friction - out.curve(data.speed, data.load)
    out = replace(out, residual=math.sqrt(float(rest @ rest) / (dof + len(data) - len(v))))
    _look(out, held=viscosity is not None, given=stribeck_speed is not None)
    return out


def _look(fit: FrictionFit, held: bool, given: bool) -> None:
    """What the data do not tell, and what is known only by extrapolation."""
    slowest, fastest = float(fit.data.speed.min()), float(fit.data.speed.max())
    slower, faster = f"record speeds below {slowest:.3g} m/s", f"record speeds above {fastest:.3g} m/s"
    if fit.stribeck_speed is None:
        fit.undetermined["Stribeck speed"] = (
            f"friction does not drop from a static to a dynamic value, so both are one; {slower}, or, where it falls "
            f"only later, above {fastest:.3g} m/s"
        )
        return
    x0, wide = fit.stribeck_speed, POOR * max(fit.static.value, 1e-300)
    mean_load = float(fit.data.load.mean())
    if not given and x0.low == 0:
        fit.undetermined["Stribeck speed"] = f"it may be any speed below {x0.high:.3g} m/s; {slower}"
    elif not given and math.isinf(x0.high):
        fit.undetermined["Stribeck speed"] = f"it may be any speed above {x0.low:.3g} m/s; {faster}"
    if fit.static.high - fit.static.value > wide:
        fit.undetermined["static friction"] = slower
    if fit.dynamic.high - fit.dynamic.value > wide:
        fit.undetermined["dynamic friction"] = f"{faster}" + ("" if held else ", or give --viscosity")
    if not held and (fit.viscosity.high - fit.viscosity.value) * fastest > wide * mean_load:
        fit.undetermined["viscosity"] = f"{faster}, or give --viscosity"
    if slowest > x0.value:
        fit.notes.append(f"static friction is extrapolated: the slowest row, {slowest:.3g} m/s, is above x0")
    if fastest < 1.5 * x0.value:
        fit.notes.append(f"dynamic friction is extrapolated: the fastest row, {fastest:.3g} m/s, is below 1.5 x0")


def _averaged(data: FrictionData, notes: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed, load, friction by rising speed; long recordings averaged over neighbouring speeds."""
    order = np.argsort(data.speed, kind="stable")
    columns = (data.speed[order], data.load[order], data.friction[order])
    if len(data) <= MOST_ROWS:
        return columns
    starts = np.linspace(0, len(data), MOST_ROWS + 1).astype(int)
    counts = np.diff(starts)
    notes.append(f"{len(data)} rows are averaged to {MOST_ROWS}, over neighbouring speeds")
    return tuple(np.add.reduceat(c, starts[:-1]) / counts for c in columns)  # type: ignore[return-value]


def _note_outliers(notes: list[str], rest: np.ndarray, v: np.ndarray) -> None:
    scale = 1.4826 * float(np.median(np.abs(rest - np.median(rest))))
    far = np.flatnonzero(np.abs(rest) > 5 * scale) if scale > 0 and len(rest) >= 12 else np.arange(0)
    if len(far):
        shown = ", ".join(f"{v[i]:.3g}" for i in far[:6]) + (", ..." if len(far) > 6 else "")
        notes.append(f"{len(far)} rows are far off the curve, at {shown} m/s; leave them out if they are no sliding")


def _range(values: np.ndarray) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.4g}" if high - low < 1e-9 * high else f"{low:.4g} to {high:.4g}"
