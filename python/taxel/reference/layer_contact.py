"""A rigid indenter moved along a path against an elastic layer, with Coulomb friction that remembers the path.

Quasi-static and linear: the layer's surface stays a plane for the elasticity, tractions act at the cells of the grid,
the normal is z of the pad. Per increment from one pose to the next, in every cell,

    normal      p = -traction_z >= 0,   u_z <= height of the indenter,   p > 0 only where they are equal
    friction    |traction_xy| <= mu p;  slip = (motion of the indenter's point there) - (motion of the gel)
                is zero where the bound is not reached and has the direction of traction_xy where it is

Both sides feel each other through the full 3 x 3 compliance. A cell that opens loses its tangential traction; a cell
that closes within the increment sticks from where the gel was when it closed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .elastic_layer import LayerGrid
from .indenters import Indenter, check_pose
from .layer_solvers import solve_normal, solve_tangential

OPEN, STICK, SLIP = 0, 1, 2
AT_BOUND = 0.99
"""Share of Coulomb's bound from which a cell counts as slipping; the solver leaves tractions off by some 0.2 %."""


@dataclass(frozen=True)
class ContactState:
    """After one pose; arrays of the pad's grid."""

    X_PI: np.ndarray
    traction: np.ndarray
    """(3, nx, ny) on the gel, Pa."""
    displacement: np.ndarray
    """(3, nx, ny) of the surface, m."""
    status: np.ndarray
    """(nx, ny) of OPEN, STICK, SLIP in the last increment."""
    force: np.ndarray
    """On the gel, N; a press has force[2] < 0."""
    torque: np.ndarray
    """On the gel about the pad's origin, N m."""
    dissipated: float
    """Frictional work since the start, J."""
    contact_area: float
    """m2, whole cells."""
    substeps: int
    """Increments taken since the pose before."""

    @property
    def slip_fraction(self) -> float:
        """Of the cells in contact; 0 without contact."""
        return int(np.count_nonzero(self.status == SLIP)) / max(int(np.count_nonzero(self.status)), 1)


class LayerContact:
    """One indenter on one layer; ``move`` it from pose to pose.

    friction    Coulomb's coefficient
    step        longest motion (m) of the indenter's surface in one increment; a move is cut into as many as it needs
    tolerance   of displacements, relative to the deepest overlap
    sweeps      rounds of normal and tangential solves in an increment; fewer when pressures stop changing
    """

    def __init__(
        self,
        grid: LayerGrid,
        indenter: Indenter,
        friction: float,
        step: float = 1e-4,
        tolerance: float = 1e-4,
        sweeps: int = 4,
    ) -> None:
        if not (math.isfinite(friction) and friction >= 0):
            raise ValueError(f"friction is {friction}; it must be finite and >= 0")
        for name, value in (("step", step), ("tolerance", tolerance)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} is {value}; it must be finite and > 0")
        if sweeps < 1:
            raise ValueError(f"sweeps is {sweeps}; at least 1 is needed")
        self.grid, self.indenter, self.friction = grid, indenter, float(friction)
        self.step, self.tolerance, self.sweeps = float(step), float(tolerance), int(sweeps)
        self._x, self._y = np.meshgrid(grid.x, grid.y, indexing="ij")
        self.reset()

    def reset(self) -> None:
        """Untouched gel, no pose yet."""
        zero = np.zeros((3, *self.grid.shape))
        self._X: np.ndarray | None = None
        self._traction, self._u = zero, zero.copy()
        self._gap = np.full(self.grid.shape, np.inf)
        self._status = np.zeros(self.grid.shape, dtype=np.int8)
        self._dissipated = 0.0

    def move(self, X_PI: np.ndarray) -> ContactState:
        """To the next pose, in increments.

        The first pose of a path may touch: the indenter then comes down to it along z, from where it just touches.
        """
        X_PI = check_pose(X_PI)
        if self._X is None:
            self._X = X_PI.copy()
            overlap = -self._height(X_PI).min()
            if overlap > 0:
                self._X[2, 3] += overlap
            self._gap = self._height(self._X)
        start = self._X
        count = self._increments(start, X_PI)
        for i in range(1, count + 1):
            self._increment(interpolate(start, X_PI, i / count))
        return self._state(count)

    def path(self, poses: Sequence[np.ndarray]) -> list[ContactState]:
        """A fresh gel, taken along the poses; one state for each."""
        self.reset()
        return [self.move(X) for X in poses]

    def _height(self, X: np.ndarray) -> np.ndarray:
        return self.indenter.height(self._x, self._y, X)

    def _increments(self, X0: np.ndarray, X1: np.ndarray) -> int:
        if np.array_equal(X0, X1):
            return 1
        near = np.minimum(self._height(X0), self._height(X1)) < 0
        if not near.any():
            return 1
        motion = self._motion(X0, X1, np.zeros(self.grid.shape))
        return max(1, math.ceil(np.sqrt((motion[:, near] ** 2).sum(axis=0).max()) / self.step - 1e-9))

    def _motion(self, X0: np.ndarray, X1: np.ndarray, z: np.ndarray) -> np.ndarray:
        """How the indenter's points at the gel's points (at height z) move from X0 to X1, (3, nx, ny)."""
        point = np.stack([self._x + self._u[0], self._y + self._u[1], z])
        change = X1 @ np.linalg.inv(X0) - np.eye(4)
        return np.einsum("ij,jxy->ixy", change[:3, :3], point) + change[:3, 3, None, None]

    def _increment(self, X: np.ndarray) -> None:
        grid, mu = self.grid, self.friction
        height = self._height(X)
        if height.min() >= 0 and not self._status.any():
            self._X, self._gap = X, height
            return
        assert self._X is not None  # move() has begun
        was_open = self._status == OPEN
        u_before, t = self._u, self._traction[:2]
        p = -self._traction[2]
        level = np.where(was_open & np.isfinite(height), height, u_before[2])
        motion = self._motion(self._X, X, level)[:2]
        # The part of the increment during which a cell that was open is closed, from its gap before and after.
        after = height - u_before[2]
        with np.errstate(invalid="ignore", divide="ignore"):
            closed = np.where(was_open & (after < 0), -after / np.maximum(self._gap - after, 1e-300), 1.0)
        closed = np.clip(np.nan_to_num(closed, nan=1.0), 0.0, 1.0)
        slack = self.tolerance * max(-height.min(), 0.0)

        anchor = u_before[:2]
        for sweep in range(self.sweeps):
            lift = grid.normal_of_tangential(t) if t.any() else np.zeros(grid.shape)
            old = p
            p = solve_normal(grid.normal, lift - height, p, self.tolerance)
            spread = grid.tangential_of_normal(-p)
            if mu == 0 or not p.any():
                t = np.zeros_like(t)
            else:
                fresh = was_open & (p > 0)
                if sweep == 0:  # where the gel goes without the cells that close only now
                    bound = np.where(was_open, 0.0, mu * p)
                    t = solve_tangential(grid.tangential, anchor + motion - spread, bound, t, slack)
                    free = grid.tangential(t) + spread
                    anchor = np.where(fresh, u_before[:2] + (1.0 - closed) * (free - u_before[:2]), u_before[:2])
                    motion = np.where(fresh, closed, 1.0) * motion
                t = solve_tangential(grid.tangential, anchor + motion - spread, mu * p, t, slack)
            if sweep and np.abs(p - old).max() <= 1e-3 * max(p.max(), 1e-300):
                break

        if p[0].any() or p[-1].any() or p[:, 0].any() or p[:, -1].any():
            raise ValueError(
                f"the contact reaches the edge of the grid ({grid.shape} cells of {grid.cell} m) at the pose\n{X}\n"
                "use more or larger cells, or keep the indenter nearer to the middle"
            )
        u_xy = grid.tangential(t) + spread
        u_z = grid.normal(-p) + grid.normal_of_tangential(t)
        slip = np.where(p > 0, anchor + motion - u_xy, 0.0)
        self._dissipated += float((t * slip).sum()) * grid.cell_area
        size, bound = np.hypot(*t), mu * p
        self._status = np.where(p > 0, np.where(size >= AT_BOUND * bound, SLIP, STICK), OPEN).astype(np.int8)
        self._traction, self._u = np.stack([*t, -p]), np.stack([*u_xy, u_z])
        self._gap = np.maximum(height - u_z, 0.0)
        self._X = X

    def _state(self, substeps: int) -> ContactState:
        force = self._traction.sum(axis=(1, 2)) * self.grid.cell_area
        fx, fy, fz = self._traction * self.grid.cell_area
        z = self._u[2]
        torque = np.array(
            [(self._y * fz - z * fy).sum(), (z * fx - self._x * fz).sum(), (self._x * fy - self._y * fx).sum()]
        )
        assert self._X is not None
        return ContactState(
            X_PI=self._X.copy(),
            traction=self._traction.copy(),
            displacement=self._u.copy(),
            status=self._status.copy(),
            force=force,
            torque=torque,
            dissipated=self._dissipated,
            contact_area=np.count_nonzero(self._status) * self.grid.cell_area,
            substeps=substeps,
        )


def interpolate(X0: np.ndarray, X1: np.ndarray, fraction: float) -> np.ndarray:
    """Between two poses: origin on a straight line, rotation at constant speed."""
    if fraction >= 1:
        return X1.copy()
    X = X0.copy()
    X[:3, 3] += fraction * (X1[:3, 3] - X0[:3, 3])
    X[:3, :3] = rotation(fraction * rotation_vector(X1[:3, :3] @ X0[:3, :3].T)) @ X0[:3, :3]
    return X


def rotation(vector: Sequence[float] | np.ndarray) -> np.ndarray:
    """3 x 3, from axis times angle (rad)."""
    x, y, z = np.asarray(vector, dtype=float)
    angle = float(np.linalg.norm((x, y, z)))
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = np.sinc(angle / (2.0 * math.pi))
    return np.eye(3) + np.sinc(angle / math.pi) * K + 0.5 * half**2 * K @ K


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Axis times angle; the inverse of ``rotation`` for angles below pi."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(axis))
    angle = math.atan2(sine, 0.5 * (np.trace(R) - 1.0))
    if angle > 3.0:
        raise ValueError(f"a move turns the indenter by {angle:.3g} rad; give poses less than 3 rad apart")
    return axis * (angle / sine if sine > 1e-12 else 1.0)
