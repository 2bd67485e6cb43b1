"""Displacements anywhere on the contact face of a gel: a linear fit to the contact points around, made once."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..common.scipy import need_scipy
from .gel import Gel, one_gel

NEAR = 9
"""Contact points in a fit."""


class FaceFit:
    """``fit()`` gives the displacements (..., 3) of points (..., 3) at rest on the contact face, m, frame P.

    Of each point the weights of its nearest contact points: least squares with a linear field, the nearer the heavier.
    """

    def __init__(self, gel: Gel, points: Any) -> None:
        need_scipy("the face of a gel")
        from scipy.sparse import csr_array
        from scipy.spatial import cKDTree

        where = np.asarray(points, float)
        if where.shape[-1:] != (3,) or not np.isfinite(where).all():
            raise _core.Error(f"points of the contact face have the shape {where.shape}; give finite (..., 3), m")
        one_gel(gel, "The face")
        if not len(gel.contact_points):
            raise _core.Error("the gel has no contact points to follow; make it from a shape, or give skin")
        self.shape, flat, near = where.shape, where.reshape(-1, 3), min(NEAR, len(gel.contact_points))
        distance, index = cKDTree(gel.contact_points).query(flat, np.arange(1, near + 1))
        far = int(np.argmax(distance[:, 0]))
        if distance[far, 0] > 2 * gel.cell:
            raise _core.Error(
                f"point {far} at {flat[far]} is {distance[far, 0]:.3g} m from the contact face of the gel; give points "
                "on it, in the pad's frame"
            )
        # Slopes along the face only: across it the points of a face have next to no spread.
        u, v = face_axes(gel.contact_normals[index[:, 0]])
        apart = gel.contact_points[index] - flat[:, None]
        along = [np.einsum("mnk,mk->mn", apart, axis) for axis in (u, v)]
        a = np.stack([np.ones_like(along[0]), *along], axis=2)
        aw = a * np.exp(-((distance / gel.cell) ** 2))[..., None]
        # A little ridge, so that a pixel beside the rim is not extrapolated wildly.
        system = np.einsum("mni,mnj->mij", aw, a) + np.diag([0, 1, 1]) * 1e-2 * gel.cell**2
        first = np.zeros((len(flat), 3, 1))
        first[:, 0] = 1
        weights = np.einsum("mni,mi->mn", aw, np.linalg.solve(system, first)[..., 0])
        rows = np.repeat(np.arange(len(flat)), near)
        self._weights = csr_array((weights.ravel(), (rows, index.ravel())), shape=(len(flat), len(gel.contact_points)))
        self.gel = gel

    def __call__(self) -> np.ndarray:
        return (self._weights @ self.gel.displacements).reshape(self.shape)


def face_axes(normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors across each normal: (N, 3) each. At a face of a box they lie along its edges."""
    helper = np.where(np.abs(normals[:, [0]]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    u = np.cross(normals, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return u, np.cross(normals, u)


def face_grid(gel: Gel, pitch: float | None = None) -> np.ndarray:
    """(H, W, 3): a grid over the contact face at rest, its points ``pitch`` (half a cell) apart, as high as the face.

    Rows and columns run along the first and the second axis of P that is not the main one of ``out``, as in
    ``Gel.image``. Where the outline has round corners, points there lie beside it.
    """
    need_scipy("the face of a gel")
    from scipy.spatial import cKDTree

    if gel.out is None:
        raise _core.Error("the gel has no contact face: it was made with out=None; use skin_positions")
    axis = int(np.argmax(np.abs(gel.out)))
    flat = [k for k in range(3) if k != axis]
    low, high = gel.contact_points.min(axis=0), gel.contact_points.max(axis=0)
    pitch = gel.cell / 2 if pitch is None else pitch
    counts = [max(2, round((high - low)[k] / pitch)) for k in flat]
    lines = [low[k] + (np.arange(n) + 0.5) / n * (high - low)[k] for k, n in zip(flat, counts, strict=True)]
    grid = np.zeros((*counts, 3))
    grid[..., flat[0]], grid[..., flat[1]] = np.meshgrid(*lines, indexing="ij")
    near = min(4, len(gel.contact_points))
    distance, index = cKDTree(gel.contact_points[:, flat]).query(grid[..., flat], np.arange(1, near + 1))
    weights = 1 / (distance + 1e-3 * gel.cell)
    heights = (weights * gel.contact_points[index, axis]).sum(axis=-1) / weights.sum(axis=-1)
    grid[..., axis] = heights
    return grid
