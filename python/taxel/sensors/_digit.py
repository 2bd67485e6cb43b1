"""DIGIT: a camera behind a small gel pad, read here as a dense grid of taxels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shape import dome_points, domed_pad
from ._gelsight_mini import gelsight_silicone
from .description import TactileSensor
from .shape import Shape

SIZE, RIM, DOME, CORNER_RADIUS = (16e-3, 19e-3), 1.8e-3, 0.7e-3, 2e-3
SHAPE = (25, 21)


def digit(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Gel pad of 16 x 19 mm, 2.5 mm thick in the middle, 25 x 21 taxels. Origin in the middle of the back."""
    points, pitch = dome_points(SIZE, RIM, DOME, SHAPE)
    gel = gelsight_silicone(RIM + DOME)
    return TactileSensor(
        name="digit",
        title="DIGIT gel pad",
        geom=Shape.mesh(*domed_pad(SIZE, RIM, DOME, CORNER_RADIUS)),
        material={
            "modulus": gel.modulus(),
            "dissipation": gel.dissipation,
            "shear_stiffness": gel.shear_ratio(),
            "friction": gel.friction,
            "field": "columns",
        },
        taxels={"points": points, "normals": np.tile((0.0, 0.0, 1.0), (len(points), 1)), "radius": 0.75 * pitch[0]},
        rays={"sample_density": 4e7},
        electronics={"rate": 60.0},
        image_shape=SHAPE,
        made_of=gel,
        source={
            "size": "sensing field 19 x 16 mm: M. Lambeta et al., DIGIT, RA-L 2020, table I (the whole device is "
            "20 x 27 x 18 mm). Thickness, dome and corners are estimated",
            "taxels": "our choice: 25 x 21 at 0.76 mm over the sensing field, normals along z as the camera looks",
            "modulus": "from the material, estimated as that of the GelSight Mini; the paper offers three elastomers",
            "dissipation, friction": "estimated",
            "electronics": "60 frames a second: the same table",
        },
    ).replace(electronics=electronics, **changes)
