"""XELA uSkin: 4 x 4 Hall sensors under soft silicone, each with a magnet above it; three axes a taxel."""

from __future__ import annotations

from typing import Any

import numpy as np

from .description import TactileSensor
from .material import Material
from .shape import Shape

SIZE, SOFT, PITCH = (26e-3, 27e-3), 3e-3, 4.7e-3


def uskin(**changes: Any) -> TactileSensor:
    """Soft patch of 26 x 27 x 3 mm with 4 x 4 taxels at 4.7 mm that read force (N) along z, x and y.

    ``Sensor.read``: ``values`` (16,) along z, ``shear`` (2, 16) along x and y, ``TactileSensor.image`` gives (4, 4).
    """
    place = (np.arange(4) - 1.5) * PITCH
    x, y = (k.ravel() for k in np.meshgrid(place, place))
    points = np.column_stack([x, y, np.full(16, 0.5 * SOFT)])
    return TactileSensor(
        name="uskin",
        title="XELA uSkin, 4 x 4, three axes",
        geom=Shape.box(*SIZE, SOFT),
        made_of=Material.of_modulus(
            3e5,
            0.48,
            SOFT,
            friction=0.8,
            damping=5.0 * SOFT / 6,
            source={
                "young": "from the modulus below, by the rule",
                "poisson, friction, damping": "estimated: silicone",
                "thickness": "estimated: 3 mm of the module's 4 mm",
            },
        ),
        material={"modulus": 3e5, "dissipation": 5.0, "friction": 0.8, "field": "backed"},
        taxels={
            "points": np.round(points, 8),
            "normals": np.tile((0.0, 0.0, 1.0), (16, 1)),
            "aggregate": "force",
        },
        chain={"output": "pressure shear"},
        image_shape=(4, 4),
        source={
            "size, taxels": "T. P. Tomo et al., A modular, distributed, soft, 3-axis sensor system for robot hands, "
            "Humanoids 2016: modules of 26 x 27 mm, 16 tri-axial taxels at 4.7 mm, 4 mm high with the board; made for "
            "the phalanges of the Allegro hand. XELA sells 4 x 4 modules of this kind (XR1944, uSPa 44)",
            "thickness": "estimated: 3 mm of the module's 4 mm are soft, the rest is its board",
            "three axes": "the silicone spreads a force over neighbours, which the exact cells do not (spread= does); "
            "what touches the rim is read by the nearest taxel",
            "modulus": "estimated: a taxel that is pressed flat over its 22 mm2 by the 3 N that XELA allows one "
            "(manual of the XR1944, July 2020) then sinks in by 1.4 mm, half of the silicone",
            "dissipation, friction": "estimated: silicone",
            "electronics": "left out: the device sends raw magnetic counts, and its maker does not calibrate them (the "
            "same manual)",
        },
    ).replace(**changes)
