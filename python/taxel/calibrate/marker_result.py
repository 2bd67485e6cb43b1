"""What the calibration of a marker model found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .marker_samples import MarkerSamples
from .report import digits, row, table
from .statistics import Estimate


@dataclass(frozen=True)
class CostCurve:
    """What one parameter of the sequence does to the residuals of its samples."""

    parameter: str
    kinds: tuple[str, ...]
    values: np.ndarray
    rms: np.ndarray
    """px a marker."""
    best: float
    unit: str = ""


@dataclass(frozen=True)
class SampleResidual:
    """Root mean square of |predicted - measured| over the markers of a sample, px."""

    name: str
    kind: str
    before: float
    after: float
    held_out: bool


@dataclass(frozen=True)
class MarkerCalibration:
    """Parameters of a marker model, how sure they are, and what they leave."""

    model: str
    fit: str
    values: dict[str, float]
    """All parameters; those of `estimates` are fitted."""
    estimates: dict[str, Estimate]
    correlation: np.ndarray
    """Between the logarithms of the fitted parameters."""
    units: dict[str, str]
    curves: tuple[CostCurve, ...]
    samples: MarkerSamples
    predictions: tuple[np.ndarray, ...]
    """(N, 2) px a sample."""
    residuals: tuple[SampleResidual, ...]
    notes: tuple[str, ...]

    def rms(self, which: str = "after", kind: str | None = None, held_out: bool | None = None) -> float:
        """Over samples, px a marker; NaN where there are none. which: ``before`` or ``after`` the fit."""
        squares = [
            getattr(r, which) ** 2 for r in self.residuals if kind in (None, r.kind) and held_out in (None, r.held_out)
        ]
        return float(np.sqrt(np.mean(squares))) if squares else float("nan")

    def keys(self) -> dict[str, Any]:
        """The parameters, for the constructor of the model; of a MarkerField also its mode."""
        mode = {"mode": self.model} if self.model in ("taxel", "paper", "release") else {}
        return {**mode, **{name: digits(value) for name, value in self.values.items()}}

    def report(self) -> str:
        rows = [row(name, one, self.units[name]) for name, one in self.estimates.items()]
        for name, value in self.values.items():
            if name not in self.estimates:
                rows.append((name, f"{value:.6g} {self.units[name]}".rstrip(), "-", "kept"))
        lines = [f"model {self.model}, {self.fit} fit of {len(self.samples)} samples", "", table(rows), ""]
        head = ("residual [px a marker]", "samples", "start", "fitted", "held out")
        body = [head]
        for kind, count in (*self.samples.count().items(), (None, len(self.samples))):
            body.append(
                (
                    kind or "all",
                    str(count),
                    f"{self.rms('before', kind):.3f}",
                    f"{self.rms('after', kind, False):.3f}",
                    "-" if np.isnan(held := self.rms("after", kind, True)) else f"{held:.3f}",
                )
            )
        widths = [max(len(r[i]) for r in body) for i in range(len(head))]
        for i, cells in enumerate(body):
            lines.append(
                cells[0].ljust(widths[0]) + "".join(f"  {c:>{w}}" for c, w in zip(cells[1:], widths[1:], strict=True))
            )
            if i == 0:
                lines.append("  ".join("-" * w for w in widths))
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def numbers(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "fit": self.fit,
            "parameters": self.keys(),
            "fitted": {name: one.numbers() | {"unit": self.units[name]} for name, one in self.estimates.items()},
            "correlation": self.correlation,
            "rms_px": {
                kind or "all": {
                    "start": self.rms("before", kind),
                    "fitted": self.rms("after", kind, False),
                    "held_out": self.rms("after", kind, True),
                }
                for kind in (*self.samples.count(), None)
            },
            "samples": [
                {"name": r.name, "kind": r.kind, "start": r.before, "fitted": r.after, "held_out": r.held_out}
                for r in self.residuals
            ],
            "curves": [
                {"parameter": c.parameter, "kinds": c.kinds, "values": c.values, "rms_px": c.rms, "best": c.best}
                for c in self.curves
            ],
            "notes": self.notes,
        }
