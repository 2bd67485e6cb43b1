"""Finite elements as a judge of the gel: a box of 27-node hexahedra, small strains, glued at its bottom.

``stiffness`` gives the force on a plate that covers the top per unit of its motion: pressed down or moved sideways,
glued to the box or sliding on it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import cg


def _shapes(x: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2]), np.array([x - 0.5, -2 * x, x + 0.5])


def _element(size: np.ndarray, young: float, poisson: float) -> np.ndarray:
    lame, mu = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    law = np.diag([2 * mu] * 3 + [mu] * 3)
    law[:3, :3] += lame
    points, weights = np.sqrt(0.6) * np.array([-1, 0, 1]), np.array([5, 8, 5]) / 9
    K = np.zeros((81, 81))
    for i, j, k in np.ndindex(3, 3, 3):
        (a, da), (b, db), (c, dc) = (_shapes(points[n]) for n in (i, j, k))
        x, y, z = (
            np.einsum("i,j,k", *factors).ravel() * 2 / side
            for factors, side in zip(((da, b, c), (a, db, c), (a, b, dc)), size, strict=True)
        )
        B = np.zeros((6, 81))
        B[0, 0::3], B[1, 1::3], B[2, 2::3] = x, y, z
        B[3, 0::3], B[3, 1::3], B[4, 1::3], B[4, 2::3], B[5, 0::3], B[5, 2::3] = y, x, z, y, z, x
        K += B.T @ law @ B * weights[i] * weights[j] * weights[k] * size.prod() / 8
    return K


def stiffness(size, count, young: float, poisson: float, along, stuck: bool = True) -> float:
    """Of a box of ``size`` in ``count`` elements against a plate that moves by ``along`` (unit vector)."""
    count, along = np.asarray(count), np.asarray(along, float)
    nodes = np.arange((2 * count + 1).prod()).reshape(2 * count + 1)
    first = 2 * np.stack(np.meshgrid(*map(np.arange, count), indexing="ij"), -1).reshape(-1, 1, 3)
    own = nodes[tuple((first + np.array(list(np.ndindex(3, 3, 3)))).transpose(2, 0, 1))]
    dof = (3 * own[..., None] + np.arange(3)).reshape(len(own), 81)
    K = _element(np.asarray(size, float) / count, young, poisson)
    rows, columns = np.repeat(dof, 81, axis=1).ravel(), np.tile(dof, (1, 81)).ravel()
    A = sparse.csr_array((np.tile(K.ravel(), len(own)), (rows, columns)))
    held = np.zeros((nodes.size, 3), bool)
    moved = np.zeros((nodes.size, 3))
    held[nodes[:, :, 0].ravel()] = True
    top = nodes[:, :, -1].ravel()
    held[top] = stuck | (along != 0)
    moved[top] = along
    held, u = held.ravel(), moved.ravel()
    free = ~held
    inner = A[free][:, free]
    u[free], failed = cg(inner, -(A[free] @ u), rtol=1e-6, M=sparse.diags_array(1 / inner.diagonal()))
    assert not failed
    return float(((A @ u).reshape(-1, 3)[top] @ along).sum())
