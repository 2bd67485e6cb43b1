"""GelSight Mini: a camera behind a domed gel pad, read as a dense grid of taxels or by its printed markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shape import dome_points, domed_pad
from .description import TactileSensor
from .material import Material
from .shape import Shape

SIZE, RIM, DOME, CORNER_RADIUS = (20.75e-3, 25.25e-3), 2.75e-3, 1.25e-3, 1.5e-3
SHAPE = (34, 28)


def gelsight_silicone(thickness: float) -> Material:
    """The gel of camera sensors."""
    return Material(
        young=1.5e5,
        poisson=0.48,
        thickness=thickness,
        friction=0.8,
        damping=5.0 * thickness / 6,
        source={
            "young, poisson": "estimated: a silicone of 0.15 MPa, nearly incompressible",
            "thickness": "of the pad in its middle",
            "friction": "estimated; HydroShear uses 0.5 to 2",
            "damping": "estimated: 5 s/m at a sixth of the thickness",
        },
    )


def gelsight_mini(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Gel pad of 20.75 x 25.25 mm, 4 mm thick in the middle, 34 x 28 taxels. Origin in the middle of the back.

    ``model="marker"``: 9 x 7 markers, read in pixels of 0.065 mm. ``model="gel"``: an elastic gel of particles.
    """
    points, pitch = dome_points(SIZE, RIM, DOME, SHAPE)
    gel = gelsight_silicone(RIM + DOME)
    return TactileSensor(
        name="gelsight_mini",
        title="GelSight Mini gel pad",
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
        electronics={"rate": 25.0},
        image_shape=SHAPE,
        marker_keys={
            "mode": "taxel",
            "shape": (9, 7),
            "pitch": 1.84375e-3,
            "pixel": 0.065e-3,
            "distance": "trilinear",
            "spacing": 0.25e-3,
            "backing": 4e-3,
            **gel.markers(),
        },
        made_of=gel,
        even=True,
        gel_keys={**gel.gel(), "cell": 0.8e-3},
        source={
            "size": "gel mesh of the HydroShear release: 20.75 x 25.25 mm, corner radius 1.5 mm, back to rim 2.75 mm, "
            "dome 1.25 mm. The data sheet says 4.25 mm +- 0.2 thick; the form of the dome (two parabolas) is estimated",
            "taxels": "our choice: 34 x 28 at 0.74 mm over the whole pad, normals along z as the camera looks. The "
            "camera itself sees 18.6 x 14.3 mm (data sheet)",
            "markers": "9 x 7 at 1.84375 mm on the dome, 0.065 mm a pixel: code of the HydroShear release. Lambdas "
            "and scales: an elastic layer of 4 mm (docs/theory/layer-reference.md), not a real Mini",
            "modulus": "from the material (docs/theory/material.md), as the stiffnesses of the markers are",
            "dissipation": "estimated",
            "friction": "estimated; HydroShear uses 0.5 to 2",
            "electronics": "25 frames a second: data sheet",
        },
    ).replace(electronics=electronics, **changes)
