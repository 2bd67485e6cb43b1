"""Icospheres for mesh networks: vertices, faces, neighbours, the next finer one; points on meshes and distances.

A sphere of level k has 10 * 4^k + 2 vertices: 12, 42, 162, 642, 2562. The first vertices of a level are those of the
level below, in order; the new ones are the middles of its edges.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .orientation import need_torch


@dataclass(frozen=True)
class Level:
    vertices: np.ndarray
    """(V, 3), unit."""
    faces: np.ndarray
    """(F, 3), counter-clockwise from outside."""
    edges: np.ndarray
    """(E, 2), each once; their middles are the new vertices of the next level, in this order."""

    def neighbour_mean(self) -> np.ndarray:
        """(V, V): row v has 1/n at each of the n neighbours of v (5 or 6)."""
        A = np.zeros((len(self.vertices),) * 2, dtype=np.float32)
        A[self.edges[:, 0], self.edges[:, 1]] = 1
        A += A.T
        return A / A.sum(axis=1, keepdims=True)

    def neighbours(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(V, 6) each: neighbours, their weights in the mean of a vertex, that of the vertex in the mean of its
        neighbour. A vertex with five has itself as the sixth, with weight 0."""
        count = len(self.vertices)
        around = [[] for _ in range(count)]
        for a, b in self.edges.tolist():
            around[a].append(b)
            around[b].append(a)
        share = 1 / np.array([len(n) for n in around])
        index = np.array([n + [v] * (6 - len(n)) for v, n in enumerate(around)])
        there = np.array([[k < len(n) for k in range(6)] for n in around])
        return index.astype(np.int32), *((w * there).astype(np.float32) for w in (share[:, None], share[index]))

    def middles(self) -> np.ndarray:
        """(E, V): the middles of the edges from the vertices."""
        M = np.zeros((len(self.edges), len(self.vertices)), dtype=np.float32)
        M[np.arange(len(self.edges))[:, None], self.edges] = 0.5
        return M


def _edges(faces: np.ndarray) -> np.ndarray:
    pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


@cache
def icosphere(level: int) -> Level:
    if level == 0:
        g = (1 + 5**0.5) / 2
        v = np.array([(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
                      (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)])  # fmt: skip
        f = np.array([(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4),
                      (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8),
                      (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)])  # fmt: skip
        return Level(v / np.linalg.norm(v, axis=1, keepdims=True), f, _edges(f))
    below = icosphere(level - 1)
    middle = below.vertices[below.edges].mean(axis=1)
    v = np.concatenate([below.vertices, middle / np.linalg.norm(middle, axis=1, keepdims=True)])
    number = {tuple(e): len(below.vertices) + k for k, e in enumerate(below.edges.tolist())}
    f = []
    for a, b, c in below.faces.tolist():
        ab, bc, ca = (number[min(p, q), max(p, q)] for p, q in ((a, b), (b, c), (c, a)))
        f += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    faces = np.array(f)
    return Level(v, faces, _edges(faces))


def sample_surface(vertices: Any, faces: Any, count: int, generator: Any = None) -> Any:
    """(B, count, 3): points spread evenly by area over meshes (B, V, 3) of the same faces (F, 3); differentiable."""
    torch = need_torch()
    corners = vertices.index_select(1, faces.reshape(-1)).unflatten(1, (-1, 3))
    with torch.no_grad():
        area = torch.linalg.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]).norm(dim=-1)
        chosen = torch.multinomial(area + 1e-12, count, replacement=True, generator=generator)
        u, v = torch.rand(2, len(vertices), count, 1, device=vertices.device, generator=generator)
        root = u.sqrt()
        weights = torch.cat([1 - root, root * (1 - v), root * v], dim=-1)
    index = chosen[..., None, None].expand(-1, -1, 3, 3)
    return (torch.gather(corners, 1, index) * weights[..., None]).sum(2)


def squared_distances(a: Any, b: Any) -> Any:
    """(B, N, M) between points a (B, N, 3) and b (B, M, 3), without gradient, to about 1e-6 for points near the origin.

    As one product of matrices, [a, a.a, 1] [-2 b, 1, b.b]^T: on a GPU a kernel for distances would be far slower. TF32
    would be too coarse to tell which point is nearest.
    """
    torch = need_torch()
    with torch.no_grad(), torch.autocast(a.device.type, enabled=False):
        one_a, one_b = torch.ones_like(a[..., :1]), torch.ones_like(b[..., :1])
        left = torch.cat([a, a.square().sum(-1, keepdim=True), one_a], -1)
        right = torch.cat([-2 * b, one_b, b.square().sum(-1, keepdim=True)], -1)
        precision = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        found = torch.bmm(left, right.transpose(1, 2))
        torch.set_float32_matmul_precision(precision)
    return found


def nearest(a: Any, b: Any) -> Any:
    """(B, N): for each point of a (B, N, 3) the number of the closest of b (B, M, 3)."""
    found = kernels(a.device)
    return found.nearest(a.detach(), b.detach()) if found else squared_distances(a, b).argmin(2)


@cache
def kernels(device: Any) -> Any:
    """The module ``mesh_kernels`` on a GPU where Triton can compile, else None."""
    if device.type != "cuda":
        return None
    torch = need_torch()
    try:
        from . import mesh_kernels

        mesh_kernels.nearest(torch.zeros(1, 1, 3, device=device), torch.zeros(1, 1, 3, device=device))
    except Exception as error:  # Triton has many, from no compiler to a GPU that it does not know
        warnings.warn(f"no Triton kernels for meshes ({error}); slower ones are taken", stacklevel=3)
        return None
    return mesh_kernels


def pick(points: Any, index: Any) -> Any:
    """(B, N, 3): of points (B, M, 3) those of numbers (B, N)."""
    return need_torch().gather(points, 1, index[..., None].expand(-1, -1, 3))


def chamfer_parts(a: Any, b: Any) -> tuple[Any, Any]:
    """Squared distances (B, N) of each a to the nearest b, and (B, M) of each b to the nearest a."""
    if a.is_cuda:
        to_b, to_a = nearest(a, b), nearest(b, a)
    else:
        between = squared_distances(a, b)
        to_b, to_a = between.argmin(2), between.argmin(1)
    return (a - pick(b, to_b)).square().sum(-1), (b - pick(a, to_a)).square().sum(-1)


def chamfer(a: Any, b: Any) -> Any:
    """(B,): the sum of the two mean squared distances."""
    to_b, to_a = chamfer_parts(a, b)
    return to_b.mean(1) + to_a.mean(1)
