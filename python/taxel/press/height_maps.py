"""Heights of surfaces over a grid, seen along the vertical: where a gel is, where an object above it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import taxel

from .objects import PressedObject

CLOSE = 1e-9  # m; a ray that is as near as this has arrived


@dataclass(frozen=True)
class Grid:
    """Middles of equal pixels about (0, 0); row 0 is the uppermost (highest y), as in an image."""

    rows: int
    cols: int
    pixel: float

    @property
    def x(self) -> np.ndarray:
        return (np.arange(self.cols) - 0.5 * (self.cols - 1)) * self.pixel

    @property
    def y(self) -> np.ndarray:
        return (0.5 * (self.rows - 1) - np.arange(self.rows)) * self.pixel

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top, m."""
        w, h = 0.5 * self.cols * self.pixel, 0.5 * self.rows * self.pixel
        return -w, w, -h, h

    def places(self, points: np.ndarray) -> np.ndarray:
        """Column and row (n, 2) of points, px."""
        return np.column_stack(
            [points[:, 0] / self.pixel + 0.5 * (self.cols - 1), 0.5 * (self.rows - 1) - points[:, 1] / self.pixel]
        )


def mesh_heights(vertices: np.ndarray, triangles: np.ndarray, grid: Grid, lowest: bool = False) -> np.ndarray:
    """Highest (or lowest) z of a triangle surface over each pixel; NaN where there is none."""
    flat = grid.places(vertices)
    out = np.full((grid.rows, grid.cols), np.nan)
    better = np.fmin if lowest else np.fmax
    corners, z = flat[triangles], vertices[triangles, 2]
    low = np.maximum(np.ceil(corners.min(axis=1)).astype(int), 0)
    high = np.minimum(np.floor(corners.max(axis=1)).astype(int), [grid.cols - 1, grid.rows - 1])
    (ax, ay), (bx, by), (cx, cy) = (corners[:, k].T for k in range(3))
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    for t in np.flatnonzero((high >= low).all(axis=1) & (np.abs(area) > 1e-12)):
        part = slice(low[t, 1], high[t, 1] + 1), slice(low[t, 0], high[t, 0] + 1)
        row, col = np.mgrid[part]
        wa = ((bx[t] - col) * (cy[t] - row) - (by[t] - row) * (cx[t] - col)) / area[t]
        wb = ((cx[t] - col) * (ay[t] - row) - (cy[t] - row) * (ax[t] - col)) / area[t]
        wc = 1 - wa - wb
        inside = (wa > -1e-9) & (wb > -1e-9) & (wc > -1e-9)
        height = np.where(inside, wa * z[t, 0] + wb * z[t, 1] + wc * z[t, 2], np.nan)
        out[part] = better(out[part], height)
    return out


def underside(thing: PressedObject, R: np.ndarray, p: np.ndarray, grid: Grid, ceiling: np.ndarray) -> np.ndarray:
    """z at which the object (its geom at R, p) begins above each pixel; NaN where that is not below ``ceiling``."""
    if thing.shape.type == "mesh":
        vertices, triangles = thing.shape.mesh_arrays()
        vertices = vertices @ R.T + p
        near = vertices[triangles, 2].min(axis=1) < np.nanmax(ceiling)
        heights = mesh_heights(vertices, triangles[near], grid, lowest=True)
        return np.where(heights < ceiling, heights, np.nan)
    body = thing.shape.body(0.0)
    x, y = (k.ravel() for k in np.meshgrid(grid.x, grid.y))
    top = np.broadcast_to(ceiling, (grid.rows, grid.cols)).ravel()
    z = np.full(x.size, float(p[2] - thing._reach(R)) - 1e-6)
    going = np.flatnonzero(np.isfinite(top))
    arrived = np.zeros(x.size, bool)
    for _ in range(400):  # the distance itself is a step that never goes too far
        if not len(going):
            break
        points = np.column_stack([x[going], y[going], z[going]])
        step = taxel.signed_distance(body, (points - p) @ R)
        z[going] += step
        arrived[going] = step < CLOSE
        going = going[(step >= CLOSE) & (z[going] < top[going])]
    return np.where(arrived & (z < top), z, np.nan).reshape(grid.rows, grid.cols)
