"""The LuGre law of a bristle by scipy's stiff solver: independent of the core, for ``lugre_curve``.

    dz/dt = v - sigma0 |v| / g(v) z,   g = load (mu_d + (mu_s - mu_d) exp(-(v / x0)^2))
    paper:    force = sigma0 z + sigma1 dz/dt + c_t v
    passive:  dz/dt in the force only where it brakes; the force cut to mu_s load

in one dimension and at a constant load, where this is all there is to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import taxel


@dataclass(frozen=True)
class Bristle:
    sigma0: float
    sigma1: float
    viscosity: float
    mu_s: float
    mu_d: float
    x0: float
    load: float

    @property
    def cone(self) -> float:
        return self.mu_s * self.load

    @property
    def breakaway(self) -> float:
        """Deflection at which it breaks away, m."""
        return self.cone / self.sigma0

    def law(self, form: str) -> taxel.LuGre:
        return taxel.LuGre(
            self.sigma0, self.sigma1, self.viscosity, (self.mu_s, self.mu_d), stribeck_speed=self.x0, form=form
        )

    def dry(self, v):
        """g(v), N."""
        return self.load * (self.mu_d + (self.mu_s - self.mu_d) * np.exp(-((v / self.x0) ** 2)))

    def rate(self, z, v):
        return v - self.sigma0 * np.abs(v) / self.dry(v) * z

    def force(self, z, v, form: str):
        rate = self.rate(z, v)
        if form == "paper":
            return self.sigma0 * z + self.sigma1 * rate + self.viscosity * v
        brakes = np.where(rate * v > 0, rate, 0.0)
        return np.clip(self.sigma0 * z + self.sigma1 * brakes + self.viscosity * v, -self.cone, self.cone)


FOAM = Bristle(1.0, 0.1, 0.01, 0.435, 0.23, 0.3, 0.08)
"""Section 3.4.2 of the paper: soft, and slow to break away."""
RUBBER = Bristle(1e4, 20.0, 0.0, 0.6, 0.4, 0.01, 5.0)
"""A stiff contact, as of a finger on a table, which sticks and slips."""


def _solve(right, times: np.ndarray, start: np.ndarray, scale: np.ndarray, rtol: float) -> np.ndarray:
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise taxel.Error('lugre-curve needs scipy for its reference; run: pip install "taxel[demo]"') from None
    solution = solve_ivp(right, (times[0], times[-1]), start, "Radau", times, rtol=rtol, atol=0.1 * rtol * scale)
    if not solution.success:
        raise taxel.Error(f"lugre-curve: the reference solver stopped: {solution.message}")
    return solution.y


def driven(b: Bristle, velocity: Callable, times: np.ndarray, form: str, turns=()) -> tuple[np.ndarray, np.ndarray]:
    """(mean force over each interval of ``times``, deflection at its end) for a given motion; it rests before.

    turns: times at which the velocity changes sign; the solver starts anew there.
    """
    z, force = np.zeros(len(times)), np.zeros(len(times))
    edges = np.searchsorted(times, [*turns, times[-1]])
    first = 0
    for last in edges:
        piece = times[first : last + 1]
        y = _solve(
            lambda t, y: np.array([b.rate(y[0], velocity(t)), b.force(y[0], velocity(t), form)]),
            piece,
            np.array([z[first], 0.0]),
            np.array([b.breakaway, b.cone * (piece[-1] - piece[0])]),
            1e-11,
        )
        z[first : last + 1] = y[0]
        force[first : last + 1] = force[first] + y[1]
        first = last
    return np.diff(force) / np.diff(times), z[1:]


def steady(b: Bristle, speed: float, form: str) -> float:
    """Force after 60 break-away lengths at one speed."""
    end = 60 * b.breakaway / speed
    z = _solve(lambda t, y: b.rate(y, speed), np.array([0, end]), np.zeros(1), np.array([b.breakaway]), 1e-11)
    return float(b.force(z[0, -1], speed, form))


def pulled(b: Bristle, mass: float, spring: float, speed: float, times: np.ndarray, form: str) -> np.ndarray:
    """(4, n): position, velocity, deflection and friction of a mass on a bristle, pulled by a spring from rest."""

    def right(t: float, y: np.ndarray) -> np.ndarray:
        x, v, z = y
        return np.array([v, (spring * (speed * t - x) - b.force(z, v, form)) / mass, b.rate(z, v)])

    scale = np.array([b.cone / spring, b.cone / np.sqrt(spring * mass), b.breakaway])
    y = _solve(right, times, np.zeros(3), scale, 1e-9)
    return np.vstack([y, b.force(y[2], y[1], form)])
