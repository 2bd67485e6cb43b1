"""A straight line a taxel, reading over pressure, by least squares; all taxels at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FEW = 5  # frames without load from which on they give the offset by themselves


@dataclass(frozen=True)
class Offsets:
    """What is known of the offsets before the lines; NaN where the line has to find it."""

    value: np.ndarray
    error: np.ndarray
    hidden: np.ndarray
    """Taxels whose reading without load is an end of the range: the true one lies beyond it."""


def find_offsets(p: np.ndarray, y: np.ndarray, loaded: np.ndarray, low: float, high: float) -> Offsets:
    """Means of the frames without load, where there are enough of them."""
    free = p == 0
    at_end = (y <= low) | (y >= high)
    hidden = (at_end & free).sum(axis=0) > 0.02 * np.maximum(free.sum(axis=0), 1)
    hidden &= np.ptp(y, axis=0) > 0
    still = y[~loaded]
    if len(still) < FEW:
        return Offsets(np.full(y.shape[1], np.nan), np.full(y.shape[1], np.nan), hidden)
    error = still.std(axis=0, ddof=1) / math.sqrt(len(still))
    return Offsets(np.where(hidden, np.nan, still.mean(axis=0)), np.where(hidden, np.nan, error), hidden)


def common_offset(lines: Lines, offsets: Offsets) -> Offsets:
    """One offset for all taxels whose own is hidden: the median of their intercepts, weighted."""
    some = offsets.hidden & np.isfinite(lines.slope) & (lines.n >= 3)
    if not some.any():
        return offsets
    weight = 1 / np.maximum(lines.intercept_error[some], 1e-12) ** 2
    order = np.argsort(lines.intercept[some])
    sums = np.cumsum(weight[order])
    value, error = offsets.value.copy(), offsets.error.copy()
    value[offsets.hidden] = lines.intercept[some][order][np.searchsorted(sums, 0.5 * sums[-1])]
    error[offsets.hidden] = 1 / math.sqrt(float(sums[-1]))
    return Offsets(value, error, offsets.hidden)


class Lines:
    """y = intercept + slope p, over the readings that count; the intercept as given where ``offsets`` knows it."""

    def __init__(self, p: np.ndarray, y: np.ndarray, keep: np.ndarray, offsets: Offsets) -> None:
        self.n = keep.sum(axis=0)
        safe = np.maximum(self.n, 1)
        self.mean_p, mean_y = (np.where(keep, a, 0).sum(axis=0) / safe for a in (p, y))
        self.mean_y = np.where(self.n > 0, mean_y, y.mean(axis=0))
        self.fixed = np.isfinite(offsets.value)
        given = np.nan_to_num(offsets.value)
        dp = np.where(keep, p - np.where(self.fixed, 0, self.mean_p), 0)
        dy = np.where(keep, y - np.where(self.fixed, given, self.mean_y), 0)
        self.sxx = (dp * dp).sum(axis=0)
        enough = (self.sxx > 0) & (self.n >= np.where(self.fixed, 1, 2))
        divisor = np.where(enough, self.sxx, 1)
        self.slope = np.where(enough, (dp * dy).sum(axis=0) / divisor, np.nan)
        """NaN where nothing presses."""
        slope = np.nan_to_num(self.slope)
        self.intercept = np.where(self.fixed, given, self.mean_y - slope * self.mean_p)
        self.rss = (np.where(keep, y - self.intercept - slope * p, 0) ** 2).sum(axis=0)
        self.dof = np.maximum(self.n - np.where(self.fixed, 1, 2), 0)
        # Ten frames' worth of the mean of all taxels steady the variance of those with few frames.
        pooled = float(self.rss.sum() / max(1, self.dof.sum()))
        self.variance = (self.rss + 10 * pooled) / (self.dof + 10)
        lever = np.where(self.fixed, np.where(keep, p, 0).sum(axis=0) / divisor * np.nan_to_num(offsets.error), 0)
        error = np.sqrt(self.variance / divisor + lever**2)
        self.slope_error = np.where(enough, error, np.inf)
        self.intercept_error = np.where(
            self.fixed,
            np.nan_to_num(offsets.error),
            np.sqrt(self.variance / safe + np.where(enough, self.mean_p * error, 0) ** 2),
        )

    @property
    def typical_variance(self) -> float:
        some = self.dof > 0
        return float(np.median(self.variance[some])) if some.any() else 0.0

    def predict(self, p: np.ndarray, typical: float, sure: np.ndarray) -> np.ndarray:
        """Readings at p; a taxel that is not sure of its slope takes the typical one."""
        slope = np.where(sure, np.nan_to_num(self.slope), typical)
        base = np.where(self.fixed | sure, self.intercept, self.mean_y - slope * self.mean_p)
        return base + slope * p
