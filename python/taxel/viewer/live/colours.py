"""Colours of the page: readings from dark through red to pale yellow, contact surfaces from blue to white."""

from __future__ import annotations

import numpy as np

STOPS = (0.0, 0.02, 0.2, 0.4, 0.6, 0.8, 1.0)
READING = ((62, 68, 82), (60, 30, 80), (110, 26, 110), (178, 44, 90), (230, 92, 48), (251, 165, 10), (252, 255, 164))
SURFACE = (
    (20, 70, 120),
    (22, 84, 140),
    (26, 110, 172),
    (38, 146, 204),
    (84, 186, 226),
    (110, 200, 235),
    (150, 220, 245),
)
BANDS = 6
"""Colours of a contact surface."""
GLASS, PAD, PLATE = (184, 212, 255), (92, 104, 128), (150, 158, 170)
ARROW, FORCE = (120, 235, 190), (251, 165, 10)


def ramp(shares: np.ndarray, stops: tuple[tuple[int, int, int], ...] = READING) -> np.ndarray:
    """(..., 3) uint8 of shares from 0 to 1."""
    at = np.clip(np.asarray(shares, float), 0, 1)
    return np.stack([np.interp(at, STOPS, [c[k] for c in stops]) for k in range(3)], axis=-1).astype(np.uint8)


def linear(colours: np.ndarray) -> np.ndarray:
    """The same colours without sRGB's curve: viser hands colours of batched meshes to the renderer as they are."""
    return np.round(255 * (np.asarray(colours) / 255) ** 2.2).astype(np.uint8)
