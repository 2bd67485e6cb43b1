"""Small statistics: estimates with intervals, mean and spread of many estimates, noise behind a converter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_Z = 1.959963985
_T = (math.inf, 12.7062, 4.3027, 3.1824, 2.7764, 2.5706)


def t_quantile(dof: float) -> float:
    """Half width of a two-sided 95 % interval in standard errors."""
    if dof < 1:
        return math.inf
    if dof < 6:
        return _T[int(dof)]
    z, v = _Z, float(dof)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


@dataclass(frozen=True)
class Estimate:
    """A fitted number and its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, error: float, dof: float = math.inf) -> Estimate:
        """From a standard error."""
        half = t_quantile(dof) * error if error > 0 else 0.0
        return cls(float(value), float(value - half), float(value + half))

    @classmethod
    def of_std(cls, value: float, dof: float) -> Estimate:
        """Of a standard deviation from ``dof`` degrees of freedom (normal in its logarithm)."""
        factor = math.exp(_Z / math.sqrt(2 * dof)) if dof >= 1 else math.inf
        return cls(float(value), float(value / factor), float(value * factor))

    @property
    def half(self) -> float:
        return 0.5 * (self.high - self.low)

    def numbers(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


def mean_and_spread(values: np.ndarray, errors: np.ndarray) -> tuple[float, float, float]:
    """(mean, standard error of the mean, spread) of things that differ by more than their errors.

    Random effects: values_i ~ N(mean, spread^2 + errors_i^2). The spread is that of Paule and Mandel, the value at
    which the weighted squares are what they should be; 0 where the errors explain everything.
    """
    values, variances = np.asarray(values, float), np.asarray(errors, float) ** 2

    def excess(spread2: float) -> float:
        w = 1 / (variances + spread2)
        return float((w * (values - (w @ values) / w.sum()) ** 2).sum()) - (len(values) - 1)

    floor = 1e-24 * float(np.mean(values**2)) + 1e-300
    variances = np.maximum(variances, floor)
    low, high = 0.0, float(np.var(values)) * 4 + floor
    if len(values) > 1 and excess(0.0) > 0:
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    else:
        high = 0.0
    w = 1 / (variances + high)
    return float(w @ values / w.sum()), float(1 / math.sqrt(w.sum())), math.sqrt(high)


def clustered_covariance(design: np.ndarray, residuals: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Covariance of least-squares parameters: the larger, parameter by parameter, of two.

    One takes every residual as independent; the other (sandwich) only the clusters, so that an error common to all
    frames of a press counts once.
    """
    n, k = design.shape
    size = np.linalg.norm(design, axis=0)
    size[size == 0] = 1
    design = design / size  # the columns have different units
    inverse = np.linalg.pinv(design.T @ design)
    plain = inverse * float(residuals @ residuals) / max(1, n - k)
    names = np.unique(clusters)
    if len(names) < max(4, k + 2):
        return plain / np.outer(size, size)
    scores = np.array([design[clusters == c].T @ residuals[clusters == c] for c in names])
    robust = inverse @ (scores.T @ scores) @ inverse * len(names) / (len(names) - 1)
    scale = np.sqrt(np.maximum(np.diag(plain), np.diag(robust)) / np.maximum(np.diag(plain), 1e-300))
    return plain * np.outer(scale / size, scale / size)


def find_quantum(readings: np.ndarray) -> float:
    """Step of the converter behind the readings; 0 where none shows."""
    values = np.unique(readings)
    if len(values) < 3 or len(values) > 0.5 * readings.size:
        return 0.0
    steps = np.diff(values)
    step = float(steps.min())
    if step <= 1e-9 * float(np.abs(values).max()):
        return 0.0
    ratios = steps / step
    return step if float(np.abs(ratios - np.round(ratios)).max()) < 1e-3 else 0.0


def noise_behind_converter(variance: float, quantum: float) -> float:
    """Standard deviation of the noise before rounding, from the mean variance after it.

    Far above the step that is variance - quantum^2 / 12. Below half a step most readings do not move at all; then the
    mean over taxels, whose offsets lie anywhere between two codes, still tells.
    """
    if quantum <= 0:
        return math.sqrt(max(0.0, variance))
    v = variance / quantum**2
    if v > 0.6**2 + 1 / 12:
        return quantum * math.sqrt(v - 1 / 12)
    low, high = 0.0, 0.65
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _rounded_variance(middle) < v else (low, middle)
    return quantum * 0.5 * (low + high)


def _rounded_variance(s: float) -> float:
    """Mean over o in [0, 1) of the variance of round(o + s N)."""
    if s <= 0:
        return 0.0
    offsets = (np.arange(32) + 0.5) / 32
    codes = np.arange(-6, 8)
    edges = (np.append(codes, 8)[None] - 0.5 - offsets[:, None]) / (s * math.sqrt(2))
    below = 0.5 * (1 + np.vectorize(math.erf)(edges))
    chance = np.diff(below, axis=1)
    mean = chance @ codes
    return float(np.mean(chance @ codes**2 - mean**2))
