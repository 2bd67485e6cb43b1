"""The scene of the gel benchmark: a spinning elastic cube, the same float32 start for every code.

The domain is the unit cube with cells of dx = 1/128 m (97,336 to 1,000,000 particles) or 1/256 m (8,000,000). n^3
particles fill a cube around the middle, two to a cell and axis. Particle (i, j, k) has the id (i n + j) n + k,

    x_axis = (c/2 - n/4 + (i_axis + 1/2)/2) dx,   c cells per axis (exact in float32, since dx is a power of two),
    v      = omega x (x - (1/2, 1/2, 1/2)),       taken in float64, rounded once to float32,

velocity gradient C = 0 and deformation gradient F = 1. No gravity, no walls. The spin axis is oblique, so that no axis
of the grid is special and momentum and stress have all their components.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

YOUNG = 100.0  # Pa
POISSON = 0.25
DENSITY = 1.0  # kg/m^3
SPIN = (2.0, -3.0, 7.0)  # rad/s
SIZES = (97_336, 512_000, 1_000_000)
LARGE = 8_000_000  # for the GPU


@dataclass(frozen=True)
class Scene:
    side: int  # particles per axis
    cells: int  # per axis of the domain

    @property
    def particles(self) -> int:
        return self.side**3

    @property
    def dx(self) -> float:
        return 1.0 / self.cells

    @property
    def dt(self) -> float:
        """The Courant number c dt/dx is 0.14 at either cell size (c = 10.95 m/s)."""
        return 1e-4 * 128 / self.cells

    @property
    def volume(self) -> float:
        return (self.dx / 2) ** 3

    @property
    def lame(self) -> tuple[float, float]:
        """mu and lambda in Pa."""
        return YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))

    @property
    def node_box(self) -> tuple[int, int]:
        """Nodes [low, high) per axis that the cube can reach however it has turned, with three cells of margin."""
        reach = math.ceil(math.sqrt(3) * self.side / 4) + 3
        return max(self.cells // 2 - reach, 0), min(self.cells // 2 + reach, self.cells)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities, (N, 3) float32 each, by id."""
        axis = (self.cells / 2 - self.side / 4 + (np.arange(self.side) + 0.5) / 2) * self.dx
        x = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
        return x.astype(np.float32), np.cross(SPIN, x - 0.5).astype(np.float32)


def scene(particles: int) -> Scene:
    """The scene of so many particles; ``particles`` is a cube number from 8 to 8,000,000."""
    side = round(particles ** (1 / 3))
    if side**3 != particles or not 8 <= particles <= LARGE:
        raise ValueError(
            f"particles = {particles}: the cube needs n^3 of them, n from 2 to 200; try {max(2, min(200, side)) ** 3}"
        )
    return Scene(side, 128 if particles <= 1_000_000 else 256)


def farthest(a: np.ndarray, b: np.ndarray, dx: float) -> tuple[float, float]:
    """Largest and mean distance in cells between the particles of the same id."""
    gaps = [math.dist(p, q) / dx for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    if any(math.isnan(gap) for gap in gaps):
        return math.nan, math.nan
    return max(gaps), sum(gaps) / len(gaps)
