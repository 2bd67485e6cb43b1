"""Least squares for the Stribeck curve.

    F(v) = load (mu_d + (mu_s - mu_d) exp(-(v / x0)^2)) + c_t v,   mu_s >= mu_d >= 0, c_t >= 0

At a given x0 the curve is linear in mu_s - mu_d, mu_d and c_t, and these, none negative, are exact least squares. So
the fit is a search for x0 alone: over the whole range of speeds first, which needs no start and finds the deepest of
several minima, then by golden section.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .statistics import t_quantile

PER_DECADE = 40  # values of x0 that are looked at
REACH = 3.0  # x0 is looked for from the slowest speed / 3 to the fastest x 3; beyond, the drop is a straight line


@dataclass(frozen=True)
class Solution:
    x0: float | None
    """None: one coefficient, no drop."""
    mu_s: float
    mu_d: float
    c_t: float
    squares: float
    """Sum of the squared residuals."""


class StribeckCurve:
    """Rows of sliding, and the curves through them. ``c_t``: held at this value where it is given."""

    def __init__(self, v: np.ndarray, load: np.ndarray, friction: np.ndarray, c_t: float | None = None) -> None:
        self.v, self.load, self.friction, self.c_t = v, load, friction, c_t
        low, high = float(v.min()) / REACH, float(v.max()) * REACH
        self.grid = np.geomspace(low, high, int(min(400, max(60, PER_DECADE * math.log10(high / low)))))
        self._squares: np.ndarray | None = None

    def _drop(self, x0: float | None) -> np.ndarray:
        return np.zeros_like(self.v) if x0 is None else np.exp(-((self.v / x0) ** 2))

    def solve(self, x0: float | None) -> Solution:
        """The best curve with this x0."""
        columns = [self.load] if x0 is None else [self.load, self.load * self._drop(x0)]
        wanted = self.friction
        if self.c_t is None:
            columns.insert(1, self.v)
        else:
            wanted = wanted - self.c_t * self.v
        found, squares = least_squares_above_zero(np.column_stack(columns), wanted)
        mu_d = float(found[0])
        c_t = float(found[1]) if self.c_t is None else self.c_t
        return Solution(x0, mu_d + (0.0 if x0 is None else float(found[-1])), mu_d, c_t, squares)

    def curve(self, s: Solution) -> np.ndarray:
        return self.load * (s.mu_d + (s.mu_s - s.mu_d) * self._drop(s.x0)) + s.c_t * self.v

    def squares(self) -> np.ndarray:
        """Over the grid of x0."""
        if self._squares is None:
            self._squares = np.array([self.solve(x).squares for x in self.grid])
        return self._squares

    def best(self) -> Solution:
        k = int(np.argmin(self.squares()))
        low, high = self.grid[max(0, k - 1)], self.grid[min(len(self.grid) - 1, k + 1)]
        x0 = math.exp(golden_section(lambda u: self.solve(math.exp(u)).squares, math.log(low), math.log(high)))
        return min(self.solve(x0), self.solve(float(self.grid[k])), key=lambda s: s.squares)

    def improves(self, found: Solution, flat: Solution, limit: float) -> bool:
        """Whether the squares fall by more than ``limit`` times the variance (and more than rounding makes)."""
        dof = max(1, len(self.v) - (4 if self.c_t is None else 3))
        rounding = 1e-24 * float(self.friction @ self.friction)
        return flat.squares - found.squares > limit * found.squares / dof + rounding

    def errors(self, s: Solution, x0_fitted: bool) -> tuple[dict[str, float], int]:
        """Standard errors of mu_s, mu_d and c_t, those at a limit left out, and the degrees of freedom."""
        drop = self._drop(s.x0)
        slopes = {"mu_d": self.load * (1 - drop)}
        if s.x0 is not None:
            slopes["mu_s"] = self.load * drop
            if x0_fitted and s.mu_s > s.mu_d:
                slopes["x0"] = self.load * (s.mu_s - s.mu_d) * drop * 2 * self.v**2 / s.x0**3
        if self.c_t is None and s.c_t > 0:
            slopes["c_t"] = self.v
        if s.mu_d == 0:
            slopes.pop("mu_d")
        dof = max(1, len(self.v) - len(slopes))
        if not slopes:
            return {}, dof
        J = np.column_stack(list(slopes.values()))
        size = np.linalg.norm(J, axis=0)
        size[size == 0] = 1.0
        covariance = np.linalg.pinv((J / size).T @ (J / size), rcond=1e-14, hermitian=True)
        variance = s.squares / dof
        return {n: math.sqrt(max(0.0, covariance[i, i]) * variance) / size[i] for i, n in enumerate(slopes)}, dof

    def interval(self, s: Solution, dof: int) -> tuple[float, float]:
        """95 % interval of x0: where the squares are not much more than the least. 0, infinity: beyond the speeds."""
        x0, limit = float(s.x0 or 0), s.squares * (1 + t_quantile(dof) ** 2 / dof)
        inside = np.flatnonzero(self.squares() <= limit)
        at = int(np.searchsorted(self.grid, x0))
        first = min([at, *inside.tolist()])
        last = max([at - 1, *inside.tolist()])
        low = 0.0 if first == 0 else self._crossing(min(x0, self.grid[first]), self.grid[first - 1], limit)
        beyond = last + 1 >= len(self.grid)
        high = math.inf if beyond else self._crossing(max(x0, self.grid[last]), self.grid[last + 1], limit)
        return low, high

    def _crossing(self, inside: float, outside: float, limit: float) -> float:
        for _ in range(50):
            middle = math.sqrt(inside * outside)
            inside, outside = (middle, outside) if self.solve(middle).squares <= limit else (inside, middle)
        return float(inside)


def least_squares_above_zero(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """x >= 0 that makes |A x - b| least, and its square; for the few columns that we have, by trying which are 0."""
    count = A.shape[1]
    size = np.linalg.norm(A, axis=0)
    size[size == 0] = 1.0
    best, least = np.zeros(count), float(b @ b)
    for used in range(count, 0, -1):
        for columns in map(list, itertools.combinations(range(count), used)):
            x = np.linalg.lstsq(A[:, columns] / size[columns], b, rcond=1e-12)[0] / size[columns]
            if (x < 0).any():
                continue
            rest = A[:, columns] @ x - b
            if float(rest @ rest) < least:
                least = float(rest @ rest)
                best = np.zeros(count)
                best[columns] = x
        if used == count and best.all():
            break  # nothing can be better than the free minimum
    return best, least


def golden_section(f: Callable[[float], float], low: float, high: float) -> float:
    ratio = 0.5 * (math.sqrt(5) - 1)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(60):
        if fa <= fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return 0.5 * (low + high)
