"""Closed meshes of gel pads: a rounded rectangle with a flat back and a domed top."""

from __future__ import annotations

import numpy as np


def dome_height(x: np.ndarray, y: np.ndarray, size: tuple[float, float], rim: float, dome: float) -> np.ndarray:
    """z of the top: ``rim`` along the four sides, ``rim + dome`` in the middle, a parabola along each axis."""
    u, v = np.asarray(x) / (0.5 * size[0]), np.asarray(y) / (0.5 * size[1])
    return rim + dome * (1 - u * u) * (1 - v * v)


def domed_pad(
    size: tuple[float, float], rim: float, dome: float, corner_radius: float, cells: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles): back at z = 0, walls up to ``rim``, the dome above; ``cells`` (even) facets a side.

    The concentric squares of a square grid become concentric rounded rectangles, so no facet is thin. Diagonals run
    outwards from the middle: the mesh is its own mirror image in x and in y.
    """
    n = cells + 1
    x, y = _rounded_grid(size, corner_radius, n)
    top = np.column_stack([x, y, dome_height(x, y, size, rim, dome)])
    back = np.column_stack([x, y, np.zeros_like(x)])
    row, col = (k.ravel() for k in np.divmod(np.arange(cells * cells), cells))
    a, b, c, d = (row * n + col, row * n + col + 1, (row + 1) * n + col + 1, (row + 1) * n + col)
    rising = ((row < cells // 2) == (col < cells // 2))[:, None]
    quads = np.where(rising, np.column_stack([a, b, c, a, c, d]), np.column_stack([a, b, d, b, c, d]))
    upper = quads.reshape(-1, 3)
    rim_loop = _outline(n)
    following, below = np.roll(rim_loop, -1), n * n
    walls = np.concatenate(
        [
            np.column_stack([rim_loop + below, following + below, following]),
            np.column_stack([rim_loop + below, following, rim_loop]),
        ]
    )
    return np.concatenate([top, back]), np.concatenate([upper, upper[:, ::-1] + below, walls])


def dome_points(
    size: tuple[float, float], rim: float, dome: float, shape: tuple[int, int]
) -> tuple[np.ndarray, tuple[float, float]]:
    """Middles of rows x columns equal cells on the dome, row by row from the lower left, and the two pitches."""
    rows, cols = shape
    pitch = size[0] / cols, size[1] / rows
    x = (np.arange(cols) - 0.5 * (cols - 1)) * pitch[0]
    y = (np.arange(rows) - 0.5 * (rows - 1)) * pitch[1]
    x, y = (k.ravel() for k in np.meshgrid(x, y))
    points = np.column_stack([x, y, dome_height(x, y, size, rim, dome)])
    return np.round(points, 8), pitch


def _rounded_grid(size: tuple[float, float], radius: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    half = 0.5 * np.asarray(size, float)
    v, u = (k.ravel() for k in np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij"))
    scale = np.maximum(np.abs(u), np.abs(v))
    outline = np.column_stack([u, v]) / np.where(scale > 0, scale, 1)[:, None] * half
    beyond = np.abs(outline) - (half - radius)
    in_corner = np.all(beyond > 0, axis=1)
    onto_arc = (half - radius) + radius * beyond / np.linalg.norm(beyond, axis=1, keepdims=True)
    outline[in_corner] = (np.sign(outline) * onto_arc)[in_corner]
    x, y = (scale[:, None] * outline).T
    return x, y


def _outline(n: int) -> np.ndarray:
    """Numbers of the rim of an n x n grid, counter-clockwise."""
    k = np.arange(n - 1)
    return np.concatenate([k, k * n + n - 1, n * n - 1 - k, (n - 1 - k) * n])
