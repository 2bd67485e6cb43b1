"""Rigid indenters as seen from the layer: the height of their lower surface above the cells of the pad.

An indenter is any object with ``height(x, y, X_PI) -> z``: x, y are arrays (m, pad's frame P), X_PI is the 4 x 4 pose
of the indenter's frame I in P, and z is the height of its lowest point over each (x, y), infinite where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Indenter(Protocol):
    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray: ...


def check_pose(X: np.ndarray) -> np.ndarray:
    """A 4 x 4 rigid pose, or a ValueError that says what is wrong with it."""
    X = np.asarray(X, dtype=float)
    if X.shape != (4, 4) or not np.all(np.isfinite(X)):
        raise ValueError(f"a pose must be a finite 4 x 4 matrix; got shape {X.shape} with values {X.ravel()[:4]}...")
    R = X[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0 or np.any(X[3] != (0, 0, 0, 1)):
        raise ValueError(f"the pose\n{X}\nis not rigid; its upper left 3 x 3 must be a rotation, its last row 0 0 0 1")
    return X


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value} m; it must be finite and > 0")


@dataclass(frozen=True)
class Sphere:
    """Centre at the origin of its frame."""

    radius: float

    def __post_init__(self) -> None:
        _positive("radius", self.radius)

    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray:
        cx, cy, cz = X_PI[:3, 3]
        inside = self.radius**2 - (x - cx) ** 2 - (y - cy) ** 2
        return np.where(inside > 0, cz - np.sqrt(np.maximum(inside, 0.0)), np.inf)


@dataclass(frozen=True)
class Paraboloid:
    """z = (x^2 + y^2) / (2 radius) in its frame, axis along z whatever the pose: the shape Hertz's theory assumes."""

    radius: float

    def __post_init__(self) -> None:
        _positive("radius", self.radius)

    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray:
        cx, cy, cz = X_PI[:3, 3]
        return cz + ((x - cx) ** 2 + (y - cy) ** 2) / (2.0 * self.radius)


@dataclass(frozen=True)
class Distance:
    """Any body with a signed distance, negative inside: ``distance(points_I (n, 3)) -> (n,)``, in its own frame.

    The body lies within ``bound`` (m) of its origin. Heights are found by sphere tracing from below, so the distance
    may be too small but never too large.
    """

    distance: Callable[[np.ndarray], np.ndarray]
    bound: float

    def __post_init__(self) -> None:
        _positive("bound", self.bound)

    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray:
        R, c = X_PI[:3, :3], X_PI[:3, 3]
        near = np.hypot(x - c[0], y - c[1]) < self.bound
        z = np.full(np.broadcast(x, y).shape, c[2] - self.bound)
        z[~near] = np.inf
        todo = near.copy()
        for _ in range(400):
            points = np.stack([np.broadcast_to(x, z.shape)[todo], np.broadcast_to(y, z.shape)[todo], z[todo]], axis=1)
            d = np.asarray(self.distance((points - c) @ R), dtype=float)
            z[todo] += np.maximum(d, 0.0)
            going = (d > 1e-9 * self.bound) & (z[todo] < c[2] + self.bound)
            missed = z[todo] >= c[2] + self.bound
            index = np.flatnonzero(todo)
            z.flat[index[missed]] = np.inf
            todo.flat[index[~going]] = False
            if not todo.any():
                break
        return z


def cylinder(radius: float, half_length: float) -> Distance:
    """Axis along z of its frame, flat ends."""
    _positive("radius", radius)
    _positive("half_length", half_length)

    def distance(points: np.ndarray) -> np.ndarray:
        side = np.hypot(points[:, 0], points[:, 1]) - radius
        end = np.abs(points[:, 2]) - half_length
        return np.minimum(np.maximum(side, end), 0.0) + np.hypot(np.maximum(side, 0.0), np.maximum(end, 0.0))

    return Distance(distance, math.hypot(radius, half_length))


@dataclass(frozen=True)
class HeightMap:
    """A surface z = f(x, y) in the indenter's frame, its material above it; the pose may be tilted a little.

    f takes and returns arrays and may be infinite where there is nothing.
    """

    f: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray:
        R, c = X_PI[:3, :3], X_PI[:3, 3]
        if R[2, 2] < 0.7:
            raise ValueError(f"the height map is tilted too far (z axis {R[:, 2]}); describe the body by its Distance")
        dx, dy = np.broadcast_arrays(x - c[0], y - c[1])
        z = np.zeros(dx.shape)
        for _ in range(60):
            q = np.stack([dx, dy, z], axis=-1) @ R
            error = np.asarray(self.f(q[..., 0], q[..., 1]), dtype=float) - q[..., 2]
            nothing = ~np.isfinite(error)
            step = np.where(nothing, 0.0, error)
            z += step  # contracts while slope times tilt stays below 1
            if np.abs(step).max() < 1e-10:
                return np.where(nothing, np.inf, z + c[2])
        raise ValueError("the height map is too steep for this tilt; describe the body by its Distance instead")
