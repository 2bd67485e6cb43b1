"""Shapes for ``marker-shapes``: signed distances, and closed meshes made from them by marching tetrahedra.

The distances are exact or, where parts are blended, a little too small, never too large (`taxel.reference.Distance`).
All shapes stand on the plane z = 0 of their own frame and reach upwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SignedDistance = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A body; ``distance`` takes points (n, 3) in m."""

    name: str
    distance: SignedDistance
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    """A box around it, m."""
    cell: float
    """Of the mesh, m."""

    def mesh(self) -> tuple[np.ndarray, np.ndarray]:
        return march(self.distance, np.array(self.low), np.array(self.high), self.cell)


def torus(ring: float = 5.0e-3, tube: float = 2.0e-3) -> Shape:
    """A ring that lies flat; radii of its middle line and its tube."""

    def distance(p: np.ndarray) -> np.ndarray:
        return np.hypot(np.hypot(p[:, 0], p[:, 1]) - ring, p[:, 2] - tube) - tube

    reach = ring + tube + 1e-3
    return Shape("torus", distance, (-reach, -reach, -1e-3), (reach, reach, 2 * tube + 1e-3), 0.4e-3)


def _extruded(flat: Callable[[np.ndarray], np.ndarray], height: float, round_by: float) -> SignedDistance:
    """A plane figure of signed distance ``flat``, from z = 0 to height, its edges rounded."""

    def distance(p: np.ndarray) -> np.ndarray:
        side = flat(p[:, :2]) + round_by
        end = np.abs(p[:, 2] - 0.5 * height) - 0.5 * height + round_by
        return np.minimum(np.maximum(side, end), 0) + np.hypot(np.maximum(side, 0), np.maximum(end, 0)) - round_by

    return distance


def cross(length: float = 13e-3, width: float = 3.6e-3, height: float = 6e-3, round_by: float = 0.9e-3) -> Shape:
    """Two bars."""

    def bar(p: np.ndarray, half: tuple[float, float]) -> np.ndarray:
        q = np.abs(p) - half
        return np.minimum(q.max(axis=1), 0) + np.linalg.norm(np.maximum(q, 0), axis=1)

    def flat(p: np.ndarray) -> np.ndarray:
        a, b = 0.5 * length, 0.5 * width
        return np.minimum(bar(p, (a, b)), bar(p, (b, a)))

    reach = 0.5 * length + 1e-3
    box = (-reach, -reach, -1e-3), (reach, reach, height + 1e-3)
    return Shape("cross", _extruded(flat, height, round_by), *box, 0.4e-3)


def star(tip: float = 7.6e-3, waist: float = 3.2e-3, height: float = 6e-3, round_by: float = 0.7e-3) -> Shape:
    """Five tips; distances of tips and of the corners between them from the middle."""
    turn = np.pi / 2 + np.arange(10) * np.pi / 5
    corners = np.where(np.arange(10) % 2 == 0, tip, waist)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])

    def flat(p: np.ndarray) -> np.ndarray:
        near = np.full(len(p), np.inf)
        inside = np.zeros(len(p), dtype=bool)
        for a, b in itertools.pairwise([*corners, corners[0]]):
            along = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            near = np.minimum(near, np.linalg.norm(p - a - along[:, None] * (b - a), axis=1))
            crosses = (a[1] > p[:, 1]) != (b[1] > p[:, 1])
            with np.errstate(divide="ignore", invalid="ignore"):
                left = p[:, 0] < (b[0] - a[0]) * (p[:, 1] - a[1]) / (b[1] - a[1]) + a[0]
            inside ^= crosses & left
        return np.where(inside, -near, near)

    reach = tip + 1e-3
    box = (-reach, -reach, -1e-3), (reach, reach, height + 1e-3)
    return Shape("star", _extruded(flat, height, round_by), *box, 0.4e-3)


def _capsule(a: tuple[float, ...], b: tuple[float, ...], radius: float) -> SignedDistance:
    start, way = np.array(a), np.subtract(b, a)

    def distance(p: np.ndarray) -> np.ndarray:
        along = np.clip((p - start) @ way / (way @ way), 0, 1)
        return np.linalg.norm(p - start - along[:, None] * way, axis=1) - radius

    return distance


def animal() -> Shape:
    """A cow, roughly: barrel, four legs, neck, head, horns, tail, 19 mm long. It stands on its feet."""
    mm, foot = 1e-3, 1.5
    parts = [_capsule((0, -5 * mm, 10 * mm), (0, 4.5 * mm, 10 * mm), 3.6 * mm)]
    for x, y in itertools.product((-1, 1), (-4.6, 4.2)):
        at, hip = (3.2 * x * mm, y * mm, foot * mm), (2.2 * x * mm, 0.9 * y * mm, 9 * mm)
        parts.append(_capsule(at, hip, foot * mm))
    parts.append(_capsule((0, 5 * mm, 11.5 * mm), (0, 8 * mm, 14.5 * mm), 1.9 * mm))
    parts.append(_capsule((0, 8 * mm, 14.8 * mm), (0, 10.6 * mm, 13.4 * mm), 1.7 * mm))
    for x in (-1, 1):
        parts.append(_capsule((0.9 * x * mm, 7.7 * mm, 16 * mm), (2 * x * mm, 7.4 * mm, 17.8 * mm), 0.6 * mm))
    parts.append(_capsule((0, -8 * mm, 11 * mm), (0, -9.6 * mm, 6.5 * mm), 0.6 * mm))

    def distance(p: np.ndarray) -> np.ndarray:
        blend = 0.8 * mm
        total = parts[0](p)
        for part in parts[1:]:  # a blend that fills the corners: never more than the smaller of the two
            d = part(p)
            h = np.maximum(blend - np.abs(total - d), 0) / blend
            total = np.minimum(total, d) - 0.25 * blend * h**2
        return total

    return Shape("animal", distance, (-6 * mm, -11.5 * mm, -mm), (6 * mm, 13.5 * mm, 19.5 * mm), 0.5 * mm)


SHAPES = (torus, cross, star, animal)

# A cube's six tetrahedra about the diagonal from corner 0 to 7; corner k is (k & 1, k >> 1 & 1, k >> 2 & 1).
_TETRAHEDRA = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))


def march(distance: SignedDistance, low: np.ndarray, high: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray]:
    """The surface distance = 0 as a closed mesh (vertices, triangles), outward. The box must hold the whole shape."""
    shape = np.ceil((high - low) / cell).astype(int) + 1
    axes = [low[k] + cell * np.arange(shape[k]) for k in range(3)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    value = distance(nodes)
    nearest = 0.03 * cell  # no vertex closer to a node than this: no slivers
    value = np.where(np.abs(value) < nearest, np.where(value < 0, -nearest, nearest), value)
    index = np.arange(len(nodes)).reshape(shape)
    if (value.reshape(shape)[[0, -1]] < 0).any() or (value.reshape(shape)[:, [0, -1]] < 0).any() or (
        value.reshape(shape)[:, :, [0, -1]] < 0).any():  # fmt: skip
        raise ValueError("the shape reaches the edge of its box; give a larger box")
    corner = [index[k & 1 : shape[0] - 1 + (k & 1), k >> 1 & 1 : shape[1] - 1 + (k >> 1 & 1),
                    k >> 2 : shape[2] - 1 + (k >> 2)].ravel() for k in range(8)]  # fmt: skip
    tetrahedra = np.concatenate([np.column_stack([corner[k] for k in tet]) for tet in _TETRAHEDRA])
    inside = value[tetrahedra] < 0
    count = inside.sum(axis=1)
    edges: list[np.ndarray] = []  # (m, 3, 2) node pairs: one triangle a row
    for many, flip in ((1, False), (3, True)):
        some = tetrahedra[count == many]
        alone = (inside[count == many] != flip).argmax(axis=1)
        others = np.array([[j for j in range(4) if j != k] for k in range(4)])[alone]
        apex, base = some[np.arange(len(some)), alone], np.take_along_axis(some, others, axis=1)
        edges.append(np.stack([np.stack([apex, base[:, k]], axis=1) for k in range(3)], axis=1))
    some, within = tetrahedra[count == 2], inside[count == 2]
    order = np.argsort(~within, axis=1, kind="stable")
    a, b, c, d = np.take_along_axis(some, order, axis=1).T  # a, b inside
    quad = [np.stack(pair, axis=1) for pair in ((a, c), (a, d), (b, d), (b, c))]
    edges += [np.stack([quad[0], quad[1], quad[2]], axis=1), np.stack([quad[0], quad[2], quad[3]], axis=1)]
    pairs = np.sort(np.concatenate(edges).reshape(-1, 2), axis=1)
    unique, back = np.unique(pairs, axis=0, return_inverse=True)
    at = (value[unique[:, 0]] / (value[unique[:, 0]] - value[unique[:, 1]]))[:, None]
    vertices = (1 - at) * nodes[unique[:, 0]] + at * nodes[unique[:, 1]]
    triangles = back.reshape(-1, 3)
    # Outward: towards the node of each triangle's edges that lies outside.
    first = pairs.reshape(-1, 3, 2)
    out = np.where(value[first[:, :, 0]] > 0, first[:, :, 0], first[:, :, 1])
    towards = nodes[out].mean(axis=1) - nodes[np.where(value[first[:, :, 0]] > 0, first[:, :, 1], first[:, :, 0])].mean(
        axis=1
    )
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    wrong = (np.cross(q - p, r - p) * towards).sum(axis=1) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return vertices, np.ascontiguousarray(triangles)
