"""An object pressed into a pad: the dented pad coloured by pressure, the object as glass above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .raster import Camera, Raster, sharp_edges, smooth_normals, split_at_creases

BACKGROUND = np.array([[0.055, 0.067, 0.090], [0.105, 0.125, 0.160]])  # top, bottom
PAD = np.array([0.190, 0.210, 0.250])
PLATE = np.array([0.50, 0.54, 0.60])
GLASS = np.array([0.72, 0.84, 1.00])
GRID_LINE = np.array([0.75, 0.80, 0.90])
PLATE_MARGIN, PLATE_THICKNESS = 0.006, 0.004  # m, round and below the pad
TAXELS = 16  # of the Myrmex sensor, a side


@dataclass(frozen=True)
class Imprint:
    """The pad's top seen from above: height (m) and pressure (Pa) on an n x n grid."""

    heights: np.ndarray
    pressures: np.ndarray
    size: tuple[float, float]
    top: float


class _FromAbove:
    """An orthographic camera in the shape the rasteriser wants: depth 1000 everywhere but for the height."""

    def __init__(self, size: tuple[float, float], top: float) -> None:
        self.size, self.top = size, top
        self.eye = (0.0, 0.0, 1e3)

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        return np.stack(
            [
                (points[:, 0] / self.size[0] + 0.5) * width,
                (points[:, 1] / self.size[1] + 0.5) * height,
                1e3 + self.top - points[:, 2],
            ],
            axis=1,
        )


def imprint(
    vertices: np.ndarray,
    triangles: np.ndarray,
    pressures: np.ndarray,
    size: tuple[float, float],
    top: float,
    n: int = 280,
) -> Imprint:
    """Looks at a contact surface from above."""
    view = Raster(n, n, _FromAbove(size, top))  # type: ignore[arg-type]
    view.width = view.height = n
    heights, values = np.full(n * n, top), np.zeros(n * n)
    if len(triangles):
        fragments = view._fragments(vertices, triangles)
        # The deepest point wins: the pad lies on the object.
        fragments.depth = -fragments.depth
        fragments = view._nearest(fragments, np.full(n * n, np.inf))
        heights[fragments.pixel] = fragments.point[:, 2]
        values[fragments.pixel] = fragments.mix(pressures[:, None], triangles)[:, 0]
    return Imprint(heights.reshape(n, n), values.reshape(n, n), size, top)


def colour_of(pressures: np.ndarray, greatest: float) -> tuple[np.ndarray, np.ndarray]:
    """(colours, glow): the pad's own colour where nothing presses, inferno where something does."""
    from matplotlib import colormaps

    part = np.clip(pressures / greatest, 0, 1)
    hot = colormaps["inferno"](0.22 + 0.76 * part)[..., :3]
    weight = np.clip(part * 12, 0, 1)
    weight = (weight * weight * (3 - 2 * weight))[..., None]
    return (1 - weight) * PAD + weight * hot, 0.8 * weight[..., 0]


def draw_press(
    width: int,
    height: int,
    mark: Imprint,
    pad_thickness: float,
    object_vertices: np.ndarray,
    object_triangles: np.ndarray,
    greatest_pressure: float,
    camera: Camera,
    clear: float = 0.10,
) -> np.ndarray:
    scene = Raster(width, height, camera, BACKGROUND)
    sx, sy = mark.size
    bottom = mark.top - pad_thickness
    _plate(scene, sx, sy, bottom)
    n = mark.heights.shape[0]
    x, y = np.meshgrid((np.arange(n) / (n - 1) - 0.5) * sx, (np.arange(n) / (n - 1) - 0.5) * sy)
    vertices = np.stack([x.ravel(), y.ravel(), mark.heights.ravel()], axis=1)
    triangles = _grid_triangles(n)
    colours, glow = colour_of(mark.pressures.ravel(), greatest_pressure)
    scene.draw(vertices, triangles, colours, smooth_normals(vertices, triangles), glow)
    _sides(scene, mark, vertices.reshape(n, n, 3), bottom)
    _taxel_lines(scene, mark)
    edges = sharp_edges(object_vertices, object_triangles)
    object_vertices, object_triangles = split_at_creases(object_vertices, object_triangles)
    normals = smooth_normals(object_vertices, object_triangles)
    scene.glaze(object_vertices, object_triangles, GLASS, normals, clear=clear, rim=0.80)
    for start, end in edges if len(edges) < 1000 else ():  # a scan has rough spots, not edges
        scene.line(start, end, GLASS, 0.5)
    return scene.image()


def _grid_triangles(n: int) -> np.ndarray:
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    return np.concatenate([np.stack([i, i + 1, i + n + 1], axis=1), np.stack([i, i + n + 1, i + n], axis=1)])


def _box(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _plate(scene: Raster, sx: float, sy: float, bottom: float) -> None:
    margin, thickness = PLATE_MARGIN, PLATE_THICKNESS
    vertices, triangles = _box(
        np.array([-sx / 2 - margin, -sy / 2 - margin, bottom - thickness]),
        np.array([sx / 2 + margin, sy / 2 + margin, bottom]),
    )
    scene.draw(vertices, triangles, PLATE)


def _sides(scene: Raster, mark: Imprint, grid: np.ndarray, bottom: float) -> None:
    """Walls from the rim of the dented top down to the plate."""
    for rim in (grid[0], grid[:, -1], grid[-1][::-1], grid[:, 0][::-1]):
        foot = rim.copy()
        foot[:, 2] = bottom
        n = len(rim)
        i = np.arange(n - 1)
        triangles = np.concatenate([np.stack([i, i + n, i + n + 1], axis=1), np.stack([i, i + n + 1, i + 1], axis=1)])
        scene.draw(np.concatenate([rim, foot]), triangles, PAD)


def _taxel_lines(scene: Raster, mark: Imprint) -> None:
    """The borders of the sensor's cells, where the pad is flat."""
    sx, sy = mark.size
    for k in range(1, TAXELS):
        u = k / TAXELS - 0.5
        scene.line((u * sx, -sy / 2, mark.top), (u * sx, sy / 2, mark.top), GRID_LINE, 0.13)
        scene.line((-sx / 2, u * sy, mark.top), (sx / 2, u * sy, mark.top), GRID_LINE, 0.13)
