"""A rigid sphere on a round elastic block bonded at its base: axisymmetric finite elements, small strains, no friction.

Unlike the layer (elastic_layer.py) the block ends at a free side, so a simulation of a block of finite width has a
reference of the same width. Quadratic nine-node elements whose volume change is projected, in each element, on
1, xi, eta: stable and free of locking up to poisson = 0.5 (the Q9/P1 pair with the pressure eliminated).
Contact pressure is piecewise linear on the surface; with w the downward displacement of the surface,

    p >= 0,   integral of hat_k (w + profile - depth) >= 0,   one of the two zero for each node k.

The surface stays a plane for the elasticity; keep depth / height small where the difference matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

GAUSS, GAUSS_WEIGHT = np.array([-math.sqrt(0.6), 0.0, math.sqrt(0.6)]), np.array([5.0, 8.0, 5.0]) / 9.0
MAX_CHANGES = 100
"""Changes of the set of touching nodes before a press gives up; a dozen are usual."""


@dataclass(frozen=True)
class BlockPress:
    """What a press of the sphere to ``depth`` does."""

    depth: float
    force: float
    """N, positive when pressing."""
    contact_radius: float
    """m, where the pressure ends."""
    r: np.ndarray
    """Radii of the surface nodes, m."""
    pressure: np.ndarray
    """At r, Pa."""
    displacement: np.ndarray
    """(n, 2) of the surface at r: outward, upward, m."""


@dataclass(frozen=True)
class AxisymmetricBlock:
    """A cylinder: radius and height in m, Young's modulus in Pa, Poisson's ratio in [0, 0.5)."""

    radius: float
    height: float
    young: float
    poisson: float

    def __post_init__(self) -> None:
        for name in ("radius", "height", "young"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} is {value}; it must be finite and > 0")
        if not 0.0 <= self.poisson < 0.5:
            raise ValueError(f"poisson is {self.poisson}; it must lie in [0, 0.5), 0.499 for a rubber")

    def press(self, sphere_radius: float, depth: float, resolution: int = 16) -> BlockPress:
        """``resolution``: elements across sqrt(sphere_radius * depth). 16 gives forces to some 0.1 %."""
        if not (math.isfinite(sphere_radius) and sphere_radius > 0):
            raise ValueError(f"sphere_radius is {sphere_radius}; it must be finite and > 0")
        if not 0.0 < depth < min(sphere_radius, self.height):
            limit = min(sphere_radius, self.height)
            raise ValueError(f"depth is {depth}; it must lie between 0 and {limit} (the sphere's radius, the height)")
        if resolution < 4:
            raise ValueError(f"resolution is {resolution}; at least 4 elements across the contact are needed")
        scale = min(math.sqrt(sphere_radius * depth), self.radius)
        size = scale / resolution
        # A compressible layer touches up to sqrt(2 R d), an incompressible thin one beyond it.
        fine = min(2.0 * math.sqrt(sphere_radius * depth), self.radius, 0.999 * sphere_radius)
        r_edges = graded(self.radius, fine, size)
        z_edges = self.height - graded(self.height, min(scale, self.height), size)[::-1]
        mesh = _Mesh(r_edges, z_edges)
        solve = mesh.factor(self.young, self.poisson)

        touchable = r_edges <= fine * (1.0 + 1e-12)
        load, gap = mesh.surface(lambda r: sphere_radius - np.sqrt(sphere_radius**2 - r**2) - depth, touchable)
        u_of_p = solve(-load.toarray())
        flexibility = -(load.T @ u_of_p)
        p = complementary(flexibility, gap)
        if p[-1] > 0 and fine < self.radius:
            raise ValueError(f"the contact at depth {depth} is wider than the finely meshed radius {fine}")
        area = np.asarray(load.sum(axis=0)).ravel()
        pressure = np.zeros(len(r_edges))
        pressure[: len(p)] = p
        u = (u_of_p @ p).reshape(-1, 2)[mesh.top[::2]]
        return BlockPress(depth, float(area @ p), contact_edge(r_edges, pressure), r_edges, pressure, u)


def graded(length: float, fine: float, size: float, growth: float = 1.15) -> np.ndarray:
    """Edges from 0: elements of about ``size`` up to ``fine``, then each longer by ``growth``, ending at ``length``."""
    uniform = np.linspace(0.0, fine, max(1, math.ceil(fine / size - 1e-9)) + 1)
    rest = length - fine
    if rest < 1e-9 * length:
        uniform[-1] = length
        return uniform
    first = uniform[1]
    count = max(1, math.ceil(math.log1p(rest / first * (growth - 1.0)) / math.log(growth)))
    steps = growth ** np.arange(count)
    edges = np.concatenate([uniform, fine + rest * np.cumsum(steps) / steps.sum()])
    edges[-1] = length
    return edges


def complementary(A: np.ndarray, g: np.ndarray) -> np.ndarray:
    """p >= 0 with A p + g >= 0 and p (A p + g) = 0, for a positive definite A: primal-dual active sets."""
    touch = g < 0
    for _ in range(MAX_CHANGES):
        p = np.zeros_like(g)
        if touch.any():
            p[touch] = np.linalg.solve(A[np.ix_(touch, touch)], -g[touch])
        slack = A @ p + g
        new = np.where(touch, p > 0, slack < -1e-12 * np.abs(g).max())
        if np.array_equal(new, touch):
            return p
        touch = new
    raise ValueError(f"the set of touching nodes did not settle in {MAX_CHANGES} changes; use another resolution")


def contact_edge(r: np.ndarray, pressure: np.ndarray) -> float:
    """Where p = 0, from p^2 ~ a^2 - r^2 through two nodes near the edge but not at it."""
    last = int(np.flatnonzero(pressure > 0)[-1])
    if last < 5:
        return float(r[last])
    i, j = last - 5, last - 2
    slope = (pressure[j] ** 2 - pressure[i] ** 2) / (r[j] ** 2 - r[i] ** 2)
    edge = math.sqrt(r[j] ** 2 - pressure[j] ** 2 / slope) if slope < 0 else r[last]
    return float(np.clip(edge, r[j], r[min(last + 1, len(r) - 1)]))


def _lagrange(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quadratic shape functions of the nodes -1, 0, 1 at x, and their slopes, (len(x), 3)."""
    value = np.stack([x * (x - 1.0) / 2.0, 1.0 - x**2, x * (x + 1.0) / 2.0], axis=1)
    return value, np.stack([x - 0.5, -2.0 * x, x + 0.5], axis=1)


class _Mesh:
    """Rectangular nine-node elements between r_edges and z_edges; degrees of freedom (u_r, u_z) per node."""

    def __init__(self, r_edges: np.ndarray, z_edges: np.ndarray) -> None:
        self.r_edges, self.z_edges = r_edges, z_edges
        self.nr, self.nz = 2 * len(r_edges) - 1, 2 * len(z_edges) - 1
        i, j = np.meshgrid(np.arange(len(r_edges) - 1), np.arange(len(z_edges) - 1), indexing="ij")
        self.i, self.j = i.ravel(), j.ravel()
        a, b = np.meshgrid(np.arange(3), np.arange(3), indexing="ij")
        node = (2 * self.i[:, None] + a.ravel()) * self.nz + 2 * self.j[:, None] + b.ravel()
        self.dof = np.stack([2 * node, 2 * node + 1], axis=2).reshape(len(node), 18)
        self.top = np.arange(self.nr) * self.nz + self.nz - 1

    def factor(self, young: float, poisson: float):
        """A function from loads (2 nodes, k) to displacements, base bonded, axis kept straight."""
        shear = young / (2.0 * (1.0 + poisson))
        bulk = young / (3.0 * (1.0 - 2.0 * poisson))
        dr, dz = np.diff(self.r_edges)[self.i], np.diff(self.z_edges)[self.j]
        x, y = (g.ravel() for g in np.meshgrid(GAUSS, GAUSS, indexing="ij"))
        w = np.outer(GAUSS_WEIGHT, GAUSS_WEIGHT).ravel()
        (Nx, Dx), (Ny, Dy) = _lagrange(x), _lagrange(y)
        N, Nr, Nz = (np.einsum("ga,gb->gab", *f).reshape(9, 9) for f in ((Nx, Ny), (Dx, Ny), (Nx, Dy)))

        r = self.r_edges[self.i][:, None] + dr[:, None] * (1.0 + x) / 2.0
        weight = w * 2.0 * math.pi * r * (dr * dz / 4.0)[:, None]
        B = np.zeros((len(dr), 9, 4, 18))  # rr, zz, hoop, sqrt(1/2) rz (engineering): its square counts once
        B[:, :, 0, 0::2] = Nr * (2.0 / dr)[:, None, None]
        B[:, :, 1, 1::2] = Nz * (2.0 / dz)[:, None, None]
        B[:, :, 2, 0::2] = N / r[:, :, None]
        B[:, :, 3, 0::2] = math.sqrt(0.5) * Nz * (2.0 / dz)[:, None, None]
        B[:, :, 3, 1::2] = math.sqrt(0.5) * Nr * (2.0 / dr)[:, None, None]
        volume = B[:, :, :3].sum(axis=2)
        B[:, :, :3] -= volume[:, :, None] / 3.0
        phi = np.stack([np.ones(9), x, y], axis=1)
        mass = np.einsum("eg,gk,gl->ekl", weight, phi, phi)
        moment = np.einsum("eg,gk,egn->ekn", weight, phi, volume)
        K = 2.0 * shear * np.einsum("eg,egsm,egsn->emn", weight, B, B, optimize=True)
        K += bulk * np.einsum("ekm,ekn->emn", moment, np.linalg.solve(mass, moment))

        size = 2 * self.nr * self.nz
        rows, cols = np.repeat(self.dof, 18, axis=1).ravel(), np.tile(self.dof, (1, 18)).ravel()
        full = sparse.coo_matrix((K.ravel(), (rows, cols)), shape=(size, size)).tocsc()
        fixed = np.zeros(size, dtype=bool)
        base = np.arange(self.nr) * self.nz
        fixed[2 * base] = fixed[2 * base + 1] = True
        fixed[2 * np.arange(self.nz)] = True
        free = np.flatnonzero(~fixed)
        lu = splu(full[free][:, free], permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})

        def solve(load: np.ndarray) -> np.ndarray:
            u = np.zeros_like(load)
            u[free] = lu.solve(np.ascontiguousarray(load[free]))
            return u

        return solve

    def surface(self, gap, touchable: np.ndarray) -> tuple[sparse.csc_matrix, np.ndarray]:
        """Upward loads of unit hat pressures at the touchable corner nodes, (dofs, k), and the weighted gaps (k,)."""
        edges = self.r_edges[: int(touchable.sum())]
        count = len(edges)
        dr = np.diff(edges)
        r = edges[:-1, None] + dr[:, None] * (1.0 + GAUSS) / 2.0
        weight = GAUSS_WEIGHT * 2.0 * math.pi * r * dr[:, None] / 2.0
        N, _ = _lagrange(GAUSS)
        hat = np.stack([(1.0 - GAUSS) / 2.0, (1.0 + GAUSS) / 2.0], axis=1)
        entries = np.einsum("eg,ga,gk->eak", weight, N, hat)
        e = np.arange(count - 1)
        nodes = self.top[2 * e[:, None] + np.arange(3)]
        rows = np.repeat(2 * nodes + 1, 2, axis=1).ravel()
        cols = np.tile(e[:, None] + np.arange(2), (1, 3)).ravel()
        load = sparse.coo_matrix((entries.ravel(), (rows, cols)), shape=(2 * self.nr * self.nz, count)).tocsc()
        weighted = np.einsum("eg,gk->ek", weight * gap(r), hat)
        gaps = np.bincount((e[:, None] + np.arange(2)).ravel(), weighted.ravel(), minlength=count)
        return load, gaps
