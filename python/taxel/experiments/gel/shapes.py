"""Closed meshes that elastic pads are pressed on: a torus and a spur gear. Their axis is y, that of the press."""

from __future__ import annotations

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
"""Vertices (V, 3) and triangles (T, 3), counter-clockwise from outside."""


def torus(ring: float = 0.055, tube: float = 0.025, around: int = 96, across: int = 48) -> Mesh:
    """Radii of its middle line and of its tube."""
    a, b = np.meshgrid(_turn(around), _turn(across), indexing="ij")
    out = ring + tube * np.cos(b)
    vertices = np.stack([out * np.cos(a), tube * np.sin(b), out * np.sin(a)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")

    def corner(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return (i % around) * across + j % across

    p, q, r, s = corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)
    halves = [np.stack(t, axis=-1).reshape(-1, 3) for t in ((p, q, r), (p, r, s))]
    return vertices, np.concatenate(halves)


def gear(
    teeth: int = 12,
    tip: float = 0.08,
    root: float = 0.062,
    bore: float = 0.025,
    width: float = 0.06,
    parts: int = 24,
) -> Mesh:
    """A spur gear with trapezoidal teeth and a bore; radii, and its width along y. ``parts``: steps around a tooth."""
    # Where a tooth rises and falls, in shares of the pitch: gap, flank, land, flank.
    at = (np.arange(teeth * parts) + 0.5) / parts % 1.0
    height = np.clip(np.minimum((at - 0.2) / 0.15, (0.95 - at) / 0.15), 0, 1)
    turn = _turn(teeth * parts)
    n = len(turn)
    rings = [
        np.column_stack([r * np.cos(turn), np.full(n, y), r * np.sin(turn)])
        for r, y in (
            (root + (tip - root) * height, -width / 2),
            (root + (tip - root) * height, width / 2),
            (np.full(n, bore), width / 2),
            (np.full(n, bore), -width / 2),
        )
    ]
    i = np.arange(n)
    k = (i + 1) % n
    triangles = []
    for a in range(4):
        b = (a + 1) % 4
        triangles += [
            np.column_stack([a * n + i, b * n + i, b * n + k]),
            np.column_stack([a * n + i, b * n + k, a * n + k]),
        ]
    return np.concatenate(rings), np.concatenate(triangles)


def _turn(n: int) -> np.ndarray:
    return np.arange(n) * 2 * np.pi / n


def volume(mesh: Mesh) -> float:
    """Above 0 where triangles turn counter-clockwise."""
    a, b, c = (mesh[0][mesh[1][:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
