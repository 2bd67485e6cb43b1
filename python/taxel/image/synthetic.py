"""A camera that was never built: the colours of three lamps on a matt gel, for pictures without photos of a sensor."""

from __future__ import annotations

import math

import numpy as np

from .camera import Light, TactileCamera

# Where the lamps stand (from right towards down, degrees), and what they add to red, green and blue.
LAMPS = ((180.0, (1.00, 0.16, 0.10)), (-60.0, (0.10, 0.95, 0.24)), (60.0, (0.14, 0.24, 1.00)))
SHADE, DIM = 120.0, 35.0  # grey levels at a slope of 45 degrees: towards a lamp; in any direction
FADE = 0.32  # how much a lamp loses across the image


def synthetic_camera(
    shape: tuple[int, int] = (320, 240), pixel: float = 0.065e-3, *, decay_length: float = 0.6e-3, nodes: int = 33
) -> TactileCamera:
    """A `TactileCamera` with made-up, plausible colours: red from the left, green and blue from the right.

    Slopes and their directions are told apart as by a real GelSight; the grey levels are nobody's. Calibrate your own
    camera with `calibrate_image` for those.
    """
    n = np.linspace(-1, 1, nodes)
    nx, ny = n[None, :], n[:, None]
    table = np.zeros((nodes, nodes, 6, 3), np.float32)
    rows, cols = shape
    x, y = np.meshgrid(np.linspace(-1, 1, cols), np.linspace(-1, 1, rows))
    background = np.zeros((rows, cols, 3), np.float32)
    lights = []
    for degrees, tint in LAMPS:
        azimuth = math.radians(degrees)
        c, s = math.cos(azimuth), math.sin(azimuth)
        shade = SHADE * (c * nx + s * ny) - DIM * (nx * nx + ny * ny)
        near = 1 + FADE * (c * x + s * y)  # brighter on the lamp's own side
        for k, part in enumerate(tint):
            table[:, :, 0, k] += part * shade
            table[:, :, 1, k] += part * FADE * c * shade
            table[:, :, 2, k] += part * FADE * s * shade
            background[..., k] += 98 * part * near
        lights.append(Light(azimuth, 0.35, 6e-5, (22 * tint[0], 22 * tint[1], 22 * tint[2])))
    edge = 1 - 0.22 * (x * x + y * y)
    lit = (background + 22) * edge[..., None]
    return TactileCamera(lit, pixel, table, lights, decay_length)
