"""An object pressed into a sensor: the dented skin, its taxels coloured by what they read, the object as glass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .raster import Camera, Raster, sharp_edges, smooth_normals, split_at_creases
from .refine import refine

if TYPE_CHECKING:
    from ..press import PressScene

BACKGROUND = np.array([[0.055, 0.067, 0.090], [0.105, 0.125, 0.160]])  # top, bottom
PAD = np.array([0.190, 0.210, 0.250])
PLATE = np.array([0.50, 0.54, 0.60])
GLASS = np.array([0.72, 0.84, 1.00])
BORDER = np.array([0.42, 0.46, 0.54])
FINE = 240  # facets along the longest side of the skin
VIEW = np.array((0.105, -0.205, 0.200))  # from the middle of the scene to the eye


@dataclass(frozen=True)
class Imprint:
    """Height of a contact surface seen from above, on a grid; NaN where there is none."""

    heights: np.ndarray
    low: np.ndarray
    size: np.ndarray

    def at(self, xy: np.ndarray) -> np.ndarray:
        n = len(self.heights)
        cell = np.floor((xy - self.low) / self.size * n).astype(int)
        inside = ((cell >= 0) & (cell < n)).all(axis=1)
        out = np.full(len(xy), np.nan)
        out[inside] = self.heights[cell[inside, 1], cell[inside, 0]]
        return out


class _FromAbove:
    """An orthographic camera in the shape the rasteriser wants: depth 1000 everywhere but for the height."""

    def __init__(self, low: np.ndarray, size: np.ndarray) -> None:
        self.low, self.size = low, size
        self.eye = (0.0, 0.0, 1e3)

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        flat = (points[:, :2] - self.low) / self.size * (width, height)
        return np.column_stack([flat, 1e3 - points[:, 2]])


def imprint(vertices: np.ndarray, triangles: np.ndarray, n: int = 320) -> Imprint:
    """Looks at a contact surface from above; the deepest point wins, because the skin lies on the object."""
    low, high = vertices[:, :2].min(axis=0), vertices[:, :2].max(axis=0)
    size = np.maximum(high - low, 1e-9) * (1 + 1e-6)
    view = Raster(n, n, _FromAbove(low, size))  # type: ignore[arg-type]
    view.width = view.height = n
    heights = np.full(n * n, np.nan)
    fragments = view._fragments(vertices, triangles)
    fragments.depth = -fragments.depth
    fragments = view._nearest(fragments, np.full(n * n, np.inf))
    heights[fragments.pixel] = fragments.point[:, 2]
    return Imprint(_closed(heights.reshape(n, n)), low, size)


def _closed(heights: np.ndarray, widest: int = 5) -> np.ndarray:
    """Gaps of a few pixels filled from both sides: faces of columns on a bent skin do not quite meet."""
    out = heights.copy()
    for axis in (0, 1):
        sides = []
        for way in (1, -1):
            nearest = np.full_like(heights, np.nan)
            for k in range(widest, 0, -1):
                moved = np.full_like(heights, np.nan)
                to, of = [slice(None)] * 2, [slice(None)] * 2
                to[axis], of[axis] = (slice(k, None), slice(None, -k))[::way]
                moved[tuple(to)] = heights[tuple(of)]
                nearest = np.where(np.isnan(moved), nearest, moved)
            sides.append(nearest)
        out = np.where(np.isnan(out), 0.5 * (sides[0] + sides[1]), out)
    return out


def colour_of(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(colours, glow) of readings from 0 to 1: the pad's own colour where nothing presses, inferno where it does."""
    from matplotlib import colormaps

    part = np.clip(shares, 0, 1)
    hot = colormaps["inferno"](0.22 + 0.76 * part)[..., :3]
    weight = np.clip(part * 12, 0, 1)
    weight = (weight * weight * (3 - 2 * weight))[..., None]
    return (1 - weight) * PAD + weight * hot, 0.8 * weight[..., 0]


def draw_press(
    width: int, height: int, scene: PressScene, shares: np.ndarray, camera: Camera, clear: float = 0.10
) -> np.ndarray:
    """``shares``: reading of each taxel from 0 (no load) to 1."""
    picture = Raster(width, height, camera, BACKGROUND)
    if _is_flat_below(scene):
        picture.draw(*_plate(scene.sensor_vertices), PLATE)
    flat, triangles = _fine_skin(scene)
    dented = flat.copy()
    mark = imprint(scene.contact_vertices, scene.contact_triangles).at(flat[:, :2])
    dented[:, 2] = np.fmin(flat[:, 2], mark)
    colours, glow = _tiles(flat, smooth_normals(flat, triangles), scene, shares)
    picture.draw(dented, triangles, colours, smooth_normals(dented, triangles), glow)
    _glass(picture, scene.object_vertices, scene.object_triangles, clear)
    return picture.image()


def frame(scenes: list[PressScene], aspect: float) -> Camera:
    """A camera whose picture (width / height = aspect) shows each sensor whole, and of the object what is near it."""
    points = np.concatenate([_outline(scene) for scene in scenes])
    direction = VIEW / np.linalg.norm(VIEW)
    distance = 5 * float(np.linalg.norm(np.ptp(points, axis=0)))
    target = 0.5 * (points.min(axis=0) + points.max(axis=0))
    for _ in range(4):  # perspective: moving the target changes the outline a little
        eye = target + distance * direction
        camera = Camera(tuple(eye), tuple(target))
        right, up, ahead = camera.axes @ (points - eye).T
        x, y = right / ahead, up / ahead
        middle = 0.5 * np.array([x.min() + x.max(), y.min() + y.max()])
        target = target + distance * (middle[0] * camera.axes[0] + middle[1] * camera.axes[1])
    border = 1.08
    size = border * max(np.ptp(y), np.ptp(x) / aspect)
    return Camera(tuple(eye), camera.target, float(np.degrees(2 * np.arctan(0.5 * size))))


def _outline(scene: PressScene) -> np.ndarray:
    """Points that must be in the picture: the sensor, and the object as far as it is near it."""
    low, high = scene.sensor_vertices.min(axis=0), scene.sensor_vertices.max(axis=0)
    span = float(np.max(high - low))
    reach = np.array([0.4, 0.4, 0.0]) * span
    above = high + reach + (0, 0, 0.55 * span)
    parts = [scene.sensor_vertices, np.clip(scene.object_vertices, low - reach, above)]
    if _is_flat_below(scene):
        parts.append(_plate(scene.sensor_vertices)[0])
    return np.concatenate(parts)


def _fine_skin(scene: PressScene) -> tuple[np.ndarray, np.ndarray]:
    vertices, triangles = split_at_creases(scene.sensor_vertices, scene.sensor_triangles, 40)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    upwards = normal[:, 2] > -0.1 * np.linalg.norm(normal, axis=1)
    walls = np.abs(normal[:, 2]) < 0.02 * np.linalg.norm(normal, axis=1)
    length = float(np.ptp(vertices, axis=0).max()) / FINE
    return refine(vertices, triangles, length, upwards & ~walls)


def _tiles(
    points: np.ndarray, normals: np.ndarray, scene: PressScene, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(colours, glow) of points on the skin: of the nearest taxel that looks the same way, a thin line between two."""
    centers, areas = scene.taxel_points, scene.taxel_areas
    side = np.sqrt(areas)
    owner, gap, near = np.empty(len(points), int), np.empty(len(points)), np.empty(len(points))
    middle = centers.mean(axis=0)
    c, p, n = ((a).astype(np.float32) for a in (centers - middle, points - middle, normals))
    norm2, towards = np.sum(c * c, axis=1), scene.taxel_normals.astype(np.float32).T
    for start in range(0, len(points), 2048):
        some = slice(start, start + 2048)
        d2 = norm2 - 2 * p[some] @ c.T + np.sum(p[some] ** 2, axis=1)[:, None]
        d2[n[some] @ towards < 0.2] = 1e3
        owner[some] = d2.argmin(axis=1)
        row = np.arange(len(d2))
        first = d2[row, owner[some]].copy()
        d2[row, owner[some]] = 2e3
        near[some] = np.sqrt(np.maximum(first, 0))
        gap[some] = np.sqrt(np.maximum(d2.min(axis=1), 0)) - near[some]
    covered = near < 0.85 * side[owner]
    colours, glow = colour_of(np.where(covered, shares.ravel()[owner], 0.0))
    if np.ptp(points, axis=0).max() / FINE < np.median(side) / 9:  # else a line would be as wide as the tile
        line = covered & (gap < 0.07 * side[owner])
        colours[line] = 0.65 * colours[line] + 0.35 * BORDER
    return colours, glow


def _glass(picture: Raster, vertices: np.ndarray, triangles: np.ndarray, clear: float) -> None:
    edges = sharp_edges(vertices, triangles)
    vertices, triangles = split_at_creases(vertices, triangles)
    picture.glaze(vertices, triangles, GLASS, smooth_normals(vertices, triangles), clear=clear, rim=0.80)
    for start, end in edges if len(edges) < 1000 else ():  # a scan has rough spots, not edges
        picture.line(start, end, GLASS, 0.5)


def _is_flat_below(scene: PressScene) -> bool:
    """Most of what looks down lies in one plane: the sensor stands on a plate."""
    a, b, c = (scene.sensor_vertices[scene.sensor_triangles[:, k]] for k in range(3))
    normal = 0.5 * np.cross(b - a, c - a)
    down = np.maximum(-normal[:, 2], 0)
    bottom = scene.sensor_vertices[:, 2].min()
    low = np.maximum(np.maximum(a[:, 2], b[:, 2]), c[:, 2]) < bottom + 1e-3 * np.ptp(scene.sensor_vertices[:, 2])
    return float(down[low].sum()) > 0.9 * float(down.sum())


def _box(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _plate(sensor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = sensor.min(axis=0), sensor.max(axis=0)
    span = float(np.max(high - low))
    margin, thickness = 0.075 * span, 0.05 * span
    return _box(low - (margin, margin, thickness), np.array([*(high[:2] + margin), low[2]]))
