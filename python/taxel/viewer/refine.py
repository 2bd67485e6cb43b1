"""Splits the triangles of a surface until they are small, for pictures that bend it."""

from __future__ import annotations

import numpy as np

SIDES = ((0, 1), (1, 2), (2, 0))


def refine(
    vertices: np.ndarray, triangles: np.ndarray, length: float, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) in which no edge of a ``wanted`` triangle (flags) is longer than ``length``.

    Triangles beside them are split along the shared edges, so no crack opens; also where a crease has been given two
    sets of vertices (``split_at_creases``).
    """
    _, welded = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    welded, wanted = welded.reshape(-1), np.asarray(wanted, bool)
    for _ in range(16):
        vertices, triangles, welded, wanted, changed = _split(vertices, triangles, welded, wanted, length)
        if not changed:
            break
    return vertices, triangles


def _split(vertices, triangles, welded, wanted, length):
    ends = triangles[:, SIDES]  # (n, 3, 2)
    size = np.linalg.norm(vertices[ends[..., 1]] - vertices[ends[..., 0]], axis=-1)
    long = (size > length) & wanted[:, None]
    if not long.any():
        return vertices, triangles, welded, wanted, False
    key = _pair_key(welded[ends], welded.max() + 1)
    place, place_of = np.unique(key, return_inverse=True)  # an edge as a place in space
    place_of = place_of.reshape(key.shape)
    marked = np.zeros(len(place), bool)
    marked[place_of[long]] = True
    marked = marked[place_of]
    # A new vertex on every marked edge; one a side where the edge is a crease.
    own = _pair_key(ends, len(vertices))
    _, first, index = np.unique(own[marked], return_index=True, return_inverse=True)
    middle = np.full(own.shape, -1)
    middle[marked] = len(vertices) + index.reshape(-1)
    halves = ends[marked][first]
    new_welded = welded.max() + 1 + place_of[marked][first]
    vertices = np.concatenate([vertices, 0.5 * (vertices[halves[:, 0]] + vertices[halves[:, 1]])])
    count = marked.sum(axis=1)
    parts, flags = [triangles[count == 0]], [wanted[count == 0]]
    for corners, mids, flag in (_turned(triangles, middle, wanted, marked, n) for n in (1, 2, 3)):
        a, b, c = corners.T
        ab, bc, ca = mids.T
        if flag[0] == 1:
            pieces = ((a, ab, c), (ab, b, c))
        elif flag[0] == 2:
            pieces = ((b, bc, ab), (a, ab, bc), (a, bc, c))
        else:
            pieces = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        parts += [np.column_stack(piece) for piece in pieces]
        flags += [flag[1]] * len(pieces)
    return vertices, np.concatenate(parts), np.concatenate([welded, new_welded]), np.concatenate(flags), True


def _turned(triangles, middle, wanted, marked, count):
    """The triangles with so many marked sides, each turned so that its marked sides come first."""
    chosen = np.flatnonzero(marked.sum(axis=1) == count)
    sides = marked[chosen]
    # First marked side whose predecessor is not marked.
    start = np.argmax(sides & ~np.roll(sides, 1, axis=1), axis=1) if count < 3 else np.zeros(len(chosen), int)
    order = (start[:, None] + np.arange(3)) % 3
    rows = chosen[:, None]
    return triangles[rows, order], middle[rows, order], (count, wanted[chosen])


def _pair_key(pairs: np.ndarray, base: int) -> np.ndarray:
    low, high = pairs.min(axis=-1).astype(np.int64), pairs.max(axis=-1).astype(np.int64)
    return low * np.int64(base) + high
