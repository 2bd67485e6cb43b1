"""What the page shows of one moment: plain arrays, made by the world, read by scene, panels and recordings."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class SkinFrame:
    """A tactile sensor. World frame."""

    name: str
    unit: str
    values: np.ndarray
    """(rows, cols) or (n,), in ``unit``."""
    shares: np.ndarray
    """(n,) how far each taxel is from no load, 0 to 1 of the one that changed most."""
    points: np.ndarray
    """(n, 3) where the taxels are, those that are pressed on the contact surface, m."""
    rest: np.ndarray | None = None
    """(n, 3) where they are when nothing presses, in the sensor's frame, m."""
    frame: np.ndarray | None = None
    """(7,) pose of that frame: x y z, quaternion w x y z."""


@dataclass(frozen=True)
class MarkerFrame:
    """Printed markers. World frame."""

    name: str
    places: np.ndarray
    """(n, 3) at rest, m."""
    moved: np.ndarray
    """(n, 3) displacements, m."""
    pixels: np.ndarray
    """The sensor's own reading: (rows, cols, 3) or (n, 3), px."""
    rest: np.ndarray | None = None
    """(n, 3) at rest, in the sensor's frame, m."""
    pixel: float = 0.0
    """m."""
    frame: np.ndarray | None = None
    """(7,) pose of that frame: x y z, quaternion w x y z."""


@dataclass(frozen=True)
class Contact:
    """All contact surfaces, world frame."""

    vertices: np.ndarray
    triangles: np.ndarray
    pressures: np.ndarray
    """Of the vertices, Pa."""


@dataclass(frozen=True)
class Numbers:
    """What the plots show, of the sensor that is looked at."""

    normal: float = 0.0
    """Force into the sensor, N."""
    tangential: float = 0.0
    """Force along it, N."""
    center: tuple[float, float] = (float("nan"), float("nan"))
    """Centre of pressure in the sensor's frame, m; NaN where nothing touches."""
    sliding: float = float("nan")
    """Share of the load on taxels that slide; NaN where the model does not tell."""
    area: float = 0.0
    """Of contact, m2."""


@dataclass(frozen=True)
class Frame:
    time: float
    """Of the simulation, s."""
    positions: np.ndarray
    """(ngeom, 3) of the geoms, m."""
    quaternions: np.ndarray
    """(ngeom, 4), w first."""
    held: tuple[np.ndarray, np.ndarray] | None
    """Position and quaternion of the body in the hand."""
    skins: list[SkinFrame] = field(default_factory=list)
    markers: list[MarkerFrame] = field(default_factory=list)
    contact: Contact | None = None
    image: np.ndarray | None = None
    """(rows, cols, 3) uint8 of the camera behind the gel."""
    numbers: Numbers = field(default_factory=Numbers)
