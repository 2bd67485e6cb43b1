"""Means and spreads of a LeRobot dataset's features, summed up as episodes come."""

from __future__ import annotations

from typing import Any

import numpy as np

EVERY = 4  # of a picture's rows and columns


class Stats:
    """Of one feature: least, greatest, mean, standard deviation, count. Pictures by colour, from 0 to 1.

    Numbers that are not finite are left out: JSON has no word for them. Where there is no other, all are 0.
    """

    def __init__(self, picture: bool) -> None:
        self.picture, self.count = picture, 0
        self.least: Any = np.inf
        self.greatest: Any = -np.inf
        self.sum: Any = 0.0
        self.squares: Any = 0.0
        self._samples: Any = 0

    def add(self, value: np.ndarray) -> None:
        """One row's value; a number alone is one of length 1, as LeRobot has it."""
        x = np.atleast_1d(value).astype(float)
        axes: tuple[int, ...] = ()
        if self.picture:
            x, axes = x[::EVERY, ::EVERY] / 255.0, (0, 1)
        known = np.isfinite(x)
        self.least = np.minimum(self.least, np.where(known, x, np.inf).min(axis=axes))
        self.greatest = np.maximum(self.greatest, np.where(known, x, -np.inf).max(axis=axes))
        x = np.where(known, x, 0.0)
        with np.errstate(over="ignore"):
            self.sum, self.squares = self.sum + x.sum(axis=axes), self.squares + (x * x).sum(axis=axes)
        self._samples = self._samples + known.sum(axis=axes)
        self.count += 1

    def merge(self, other: Stats) -> None:
        self.least, self.greatest = np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest)
        self.sum, self.squares = self.sum + other.sum, self.squares + other.squares
        self.count, self._samples = self.count + other.count, self._samples + other._samples

    def numbers(self) -> dict[str, Any]:
        samples = np.maximum(self._samples, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = self.sum / samples
            std = np.sqrt(np.maximum(self.squares / samples - mean * mean, 0.0))
        out = {"min": self.least, "max": self.greatest, "mean": mean, "std": std}
        shape = (3, 1, 1) if self.picture else np.shape(mean)
        plain = {key: np.nan_to_num(np.where(self._samples == 0, 0.0, value)) for key, value in out.items()}
        return {**{key: np.reshape(value, shape).tolist() for key, value in plain.items()}, "count": [self.count]}
