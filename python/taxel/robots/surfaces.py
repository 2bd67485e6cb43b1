"""Closed surfaces for the drawings: lofts through rings, rounded boxes, half ellipsoids.

Every function returns (vertices (n, 3) in m, triangles (m, 3)); closed, normals outwards.
"""

from __future__ import annotations

import numpy as np

from .. import _core

Surface = tuple[np.ndarray, np.ndarray]


def loft(rings: np.ndarray) -> Surface:
    """A skin through rings (k, n, 3), closed by a fan at either end.

    Seen from the last ring the points of each go round counter-clockwise; neighbouring rings correspond point by point.
    """
    rings = np.asarray(rings, float)
    if rings.ndim != 3 or rings.shape[0] < 2 or rings.shape[1] < 3 or rings.shape[2] != 3:
        raise _core.Error(f"loft: rings have the shape {rings.shape}; give (2 or more rings, 3 or more points, 3)")
    k, n, _ = rings.shape
    vertices = np.concatenate([rings.reshape(-1, 3), [rings[0].mean(axis=0), rings[-1].mean(axis=0)]])
    here, there = np.arange(n), np.roll(np.arange(n), -1)
    triangles = [np.column_stack([np.full(n, k * n), there, here])]
    for ring in range(k - 1):
        a, b = ring * n, (ring + 1) * n
        triangles += [
            np.column_stack([a + here, a + there, b + there]),
            np.column_stack([a + here, b + there, b + here]),
        ]
    last = (k - 1) * n
    triangles.append(np.column_stack([np.full(n, k * n + 1), last + here, last + there]))
    return vertices, np.concatenate(triangles).astype(np.int32)


def smooth_profile(knots: np.ndarray, step: float) -> np.ndarray:
    """Points along a curve through knots (n, d), about ``step`` apart: centripetal Catmull-Rom, which keeps corners
    that are given as two close knots."""
    knots = np.asarray(knots, float)
    padded = np.concatenate([[2 * knots[0] - knots[1]], knots, [2 * knots[-1] - knots[-2]]])
    out = [knots[:1]]
    for p0, p1, p2, p3 in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        t = np.cumsum(
            [0.0, *(max(float(np.linalg.norm(b - a)), 1e-12) ** 0.5 for a, b in ((p0, p1), (p1, p2), (p2, p3)))]
        )
        count = max(1, round(float(np.linalg.norm(p2 - p1)) / step))
        for s in np.linspace(t[1], t[2], count + 1)[1:]:
            a = [
                (t[i + 1] - s) / (t[i + 1] - t[i]) * p + (s - t[i]) / (t[i + 1] - t[i]) * q
                for i, (p, q) in enumerate(((p0, p1), (p1, p2), (p2, p3)))
            ]
            b = [((t[i + 2] - s) * a[i] + (s - t[i]) * a[i + 1]) / (t[i + 2] - t[i]) for i in range(2)]
            out.append(((t[2] - s) * b[0] + (s - t[1]) * b[1])[None] / (t[2] - t[1]))
    return np.concatenate(out)


def revolved(profile: np.ndarray, around: int = 48) -> Surface:
    """A body of revolution about z from a profile (k, 2) of radius and height, from below to above."""
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    profile = np.asarray(profile, float)
    if (profile[:, 0] <= 0).any():
        raise _core.Error("revolved: a radius is not positive; the ends are closed by themselves")
    return loft(np.stack([np.column_stack([r * circle, np.full(around, z)]) for r, z in profile]))


def superellipse(half_x: float, half_y: float, power: float, around: int) -> np.ndarray:
    """(around, 2) points of |x/a|^p + |y/b|^p = 1 at equal arc lengths, counter-clockwise from +x."""
    fine = np.linspace(0, 2 * np.pi, 64 * around + 1)
    c, s = np.cos(fine), np.sin(fine)
    x = half_x * np.sign(c) * np.abs(c) ** (2 / power)
    y = half_y * np.sign(s) * np.abs(s) ** (2 / power)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    at = length[-1] * np.arange(around) / around
    return np.column_stack([np.interp(at, length, x), np.interp(at, length, y)])


def rounded_rectangle(length_x: float, length_y: float, radius: float, corner: int = 5) -> np.ndarray:
    """(4 corner, 2) points, counter-clockwise."""
    turn = np.linspace(0, np.pi / 2, corner)
    out = []
    for quarter, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        angle = turn + quarter * np.pi / 2
        middle = np.array([sx * (0.5 * length_x - radius), sy * (0.5 * length_y - radius)])
        out.append(middle + radius * np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate(out)


def rounded_box(lengths: tuple[float, float, float], radius: float, bevel: float) -> Surface:
    """A block with round vertical edges and bevelled rims, centred."""
    x, y, z = lengths
    if not 0 < 2 * bevel <= 2 * radius < min(x, y) or 2 * bevel >= z:
        raise _core.Error(f"rounded_box {lengths}: radius {radius:g} and bevel {bevel:g} do not fit")
    rings = []
    for inset, height in ((bevel, -0.5 * z), (0, bevel - 0.5 * z), (0, 0.5 * z - bevel), (bevel, 0.5 * z)):
        flat = rounded_rectangle(x - 2 * inset, y - 2 * inset, radius - 0.7 * inset)
        rings.append(np.column_stack([flat, np.full(len(flat), height)]))
    return loft(np.stack(rings))


def half_ellipsoid(semi_axes: tuple[float, float, float], rings: int, power: float = 2.0) -> Surface:
    """The part z >= 0 of |x/a|^p + |y/b|^p + |z/c|^p = 1, closed by a flat back; evenly meshed.

    Round the top lie rings of 6, 12, 18, ... vertices at equal distances, so the curved side has 1 + 3 k (k + 1)
    vertices, which come first, from the top down to the rim. The back has as many but the rim's.
    """
    a, b, c = (float(x) for x in semi_axes)
    if rings < 2 or not min(a, b, c) > 0 or not power >= 2:
        raise _core.Error(
            f"half_ellipsoid: semi-axes {semi_axes}, {rings} rings, power {power:g}; give three positive semi-axes, "
            "2 or more rings and a power of 2 or more"
        )
    # Heights of the rings: equal steps along a meridian of the mean radius.
    turn = np.linspace(0, np.pi / 2, 2001)
    radius, height = np.sin(turn) ** (2 / power), np.cos(turn) ** (2 / power)
    length = np.concatenate([[0.0], np.cumsum(np.hypot(0.5 * (a + b) * np.diff(radius), c * np.diff(height)))])
    at = length[-1] * np.arange(rings + 1) / rings
    radius, height = np.interp(at, length, radius), np.interp(at, length, height)
    height[-1] = 0.0
    front, back = [np.array([[0.0, 0.0, c]])], [np.zeros((1, 3))]
    for k in range(1, rings + 1):
        flat = superellipse(a * radius[k], b * radius[k], power, 6 * k)
        front.append(np.column_stack([flat, np.full(6 * k, c * height[k])]))
        flat = superellipse(a * k / rings, b * k / rings, power, 6 * k)
        back.append(np.column_stack([flat, np.zeros(6 * k)]))
    triangles = hexagonal_disc(rings)
    count = 1 + 3 * rings * (rings + 1)
    inner = count - 6 * rings
    below = np.concatenate([count + np.arange(inner), np.arange(inner, count)])
    vertices = np.concatenate([*front, *back[:-1]])
    return vertices, np.concatenate([triangles, below[triangles[:, ::-1]]]).astype(np.int32)


def hexagonal_disc(rings: int) -> np.ndarray:
    """Triangles of a vertex with rings of 6, 12, 18, ... round it, numbered from the middle, counter-clockwise."""
    out = []
    start = 1
    for k in range(1, rings + 1):
        inner, n, m = start - 6 * (k - 1) if k > 1 else 0, 6 * k, max(1, 6 * (k - 1))
        for side in range(6):
            for i in range(k):
                outer = start + (side * k + i) % n, start + (side * k + i + 1) % n
                near = inner + (side * (k - 1) + i) % m
                out.append((near, *outer))
                if i + 1 < k:
                    out.append((near, outer[1], inner + (side * (k - 1) + i + 1) % m))
        start += n
    return np.array(out, np.int32)


def volume(surface: Surface) -> float:
    """Enclosed volume, m3; positive where the normals point outwards."""
    vertices, triangles = surface
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def obj_text(surface: Surface, comment: str) -> str:
    """The surface as a Wavefront file, to a tenth of a micrometre."""
    vertices, triangles = surface
    lines = [f"# {comment}"]
    lines += ["v " + " ".join(f"{x + 0.0:.7f}".replace("-0.0000000", "0.0000000") for x in v) for v in vertices]
    lines += ["f " + " ".join(str(k + 1) for k in t) for t in triangles]
    return "\n".join(lines) + "\n"
