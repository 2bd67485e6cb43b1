"""Gels with markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..shape import dome_height, domed_pad

PIXEL = 0.065e-3
"""Of a GelSight Mini's camera on the gel, m."""


@dataclass(frozen=True)
class MarkerPad:
    """A gel with markers. Frame: x and y along the pad, z out of it, origin in the middle of its thickest column."""

    pad: Any
    """taxel.Body (flat), or (vertices, triangles) (domed)."""
    markers: np.ndarray
    """(rows * columns, 3) on the gel, m: row after row along y, columns along x."""
    shape: tuple[int, int]
    """Rows and columns."""
    pixel: float
    """m."""
    size: tuple[float, float, float]
    """m."""


def gelsight_mini_markers(
    dome: bool = True, shape: tuple[int, int] = (9, 7), margin: float = 3e-3, backing: float = 4e-3
) -> MarkerPad:
    """The gel of a GelSight Mini with its grid of markers, as in the HydroShear release.

    20.75 x 25.25 mm, 4 mm thick; with a dome 2.75 mm at the rim. One pitch for both axes, the largest that keeps
    ``margin`` with a free row around the grid: 1.84375 mm for 9 x 7. Flat: a box, which is also the fastest.
    ``backing``: so much (m) is added below a dome's back, so that a deep press is measured from the top, not from the
    back, which is the nearer face below the middle of the gel (mode "taxel" with a flat pad does so by itself). The
    mesh of the release has none: 0.
    """
    (width, height), rim, rise, corner = (20.75e-3, 25.25e-3), 2.75e-3, 1.25e-3, 1.5e-3
    rows, columns = shape
    if rows < 1 or columns < 1 or not 0 <= margin < 0.5 * width:
        raise _core.Error(
            f"gelsight_mini_markers: shape {shape} and margin {margin}; give at least one row and one column, and a "
            "margin in m below half the width of the gel"
        )
    pitch = min((width - 2 * margin) / (columns + 1), (height - 2 * margin) / (rows + 1))
    x, y = np.meshgrid((np.arange(columns) - 0.5 * (columns - 1)) * pitch, (np.arange(rows) - 0.5 * (rows - 1)) * pitch)
    thickness = rim + rise
    size = (width, height, thickness)
    markers = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.5 * thickness)])
    if not dome:
        return MarkerPad(_core.Body.box(size), markers, (rows, columns), PIXEL, size)
    vertices, triangles = domed_pad((width, height), rim + backing, rise, corner)
    vertices = vertices - [0, 0, 0.5 * thickness + backing]
    # From the smooth dome down onto the facets; the slope is below 0.3, so each round leaves a tenth.
    markers[:, 2] = dome_height(x.ravel(), y.ravel(), (width, height), rim, rise) - 0.5 * thickness
    for _ in range(12):
        markers[:, 2] -= _core.signed_distance((vertices, triangles), markers)
    return MarkerPad((vertices, triangles), markers, (rows, columns), PIXEL, size)
