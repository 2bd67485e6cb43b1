"""The image of the camera behind a gel, quick enough for every frame."""

from __future__ import annotations

import numpy as np

import taxel

from ...image import synthetic_camera
from ...press.height_maps import Grid, mesh_heights
from ...press.objects import PressedObject
from ...sensors import TactileSensor

CAMERAS = {"gelsight_mini": (18.6e-3, 14.3e-3), "digit": (19e-3, 16e-3)}
"""Sensors with a camera, and what it sees of the gel: along y and along x, m (data sheets)."""
ROWS = 160
DOT = 0.24e-3  # radius of a printed dot, m
SEEN = 3.0  # times longer than life, motions of dots


class GelCamera:
    """What the camera of a sensor sees of one rigid object; colours of a made-up lighting (``synthetic_camera``).

    Rows run against y, as one looks from outside onto the gel.
    """

    def __init__(self, sensor: TactileSensor, thing: PressedObject) -> None:
        high, wide = CAMERAS[sensor.name]
        self.pixel = high / ROWS
        self.grid = Grid(ROWS, round(wide / self.pixel), self.pixel)
        self.top = float(sensor.bounds[1][2])
        thick = self.top - float(sensor.bounds[0][2])
        self.rest = np.nan_to_num(mesh_heights(*sensor.surface(), self.grid), nan=-1.0)
        self.camera = synthetic_camera((self.grid.rows, self.grid.cols), self.pixel)
        shape = thing.shape.body(0.0) if thing.shape.type != "mesh" else thing.shape.mesh_arrays()
        distance = taxel.MarkerDistance(shape)
        if not distance.has_formula:
            distance = taxel.MarkerDistance(shape, "trilinear", spacing=_spacing(thing), margin=2 * thick)
        self._depths = self.camera.batch(
            distance, 1, shape=None, depth=True, skin="rigid", threads=1, center=(0.0, 0.0, self.top),
            down=(0.0, -1.0), max_depth=thick,
        )  # fmt: skip

    @staticmethod
    def has(sensor: TactileSensor) -> bool:
        return sensor.name in CAMERAS

    def __call__(self, X_SO: np.ndarray, markers: tuple[np.ndarray, np.ndarray] | None = None) -> np.ndarray:
        """(rows, cols, 3) uint8 with the object's geom at X_SO in the sensor's frame; ``markers``: places and
        displacements (n, 3), m."""
        self._depths.render(X_SO[None, None])
        below = np.asarray(self._depths.depth)[0, 0]
        deep = np.where(below > 0, np.maximum(self.rest - (self.top - below), 0.0), 0.0)
        height = self.camera.press(deep)
        if markers is None:
            return self.camera.render(height)
        places = self.grid.places(markers[0] + SEEN * markers[1] * (1, 1, 0))
        return self.camera.render(height, markers=places, marker_radius=DOT / self.pixel)


def _spacing(thing: PressedObject) -> float:
    """Of the lattice of distances: about a million nodes over a large mesh, 0.25 mm on a small one."""
    vertices, _ = thing.shape.mesh_arrays()
    volume = float(np.prod(np.ptp(vertices, axis=0) + 8e-3))
    return max(0.25e-3, (volume / 1e6) ** (1 / 3))
