"""Weiss Robotics: a flat resistive array of 14 x 6 cells under foam, as on Schunk grippers."""

from __future__ import annotations

from typing import Any

from .description import TactileSensor
from .material import Material
from .shape import Shape

PITCH = 3.4e-3
ROWS, COLS = 14, 6


def weiss(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Foam pad of 20.4 x 47.6 x 6 mm with 14 x 6 taxels at 3.4 mm. ``electronics``: 12 bit codes."""
    foam = Material(
        young=2.36e4,
        poisson=0.0,
        thickness=0.006,
        friction=(0.435, 0.23),
        damping=1e-3,
        source={
            "young, poisson": "the paper's press (modulus below); poisson 0 as foams have, so that both are one number",
            "thickness, friction": "the paper",
            "damping": "the paper's damping over stiffness of a texel",
        },
    )
    return TactileSensor(
        name="weiss",
        title="Weiss Robotics, 14 x 6",
        geom=Shape.box(COLS * PITCH, ROWS * PITCH, 0.006),
        material={
            "modulus": foam.modulus(),
            "dissipation": foam.dissipation,
            "friction": foam.friction,
            "field": "backed",
        },
        made_of=foam,
        taxels={"shape": (ROWS, COLS)},
        electronics={"unit": "counts", "bits": 12, "full_scale": 1.2e5},
        gel_keys={**foam.gel(), "cell": 1.2e-3},
        source={
            "taxels": "14 rows by 6 columns: OpenGRASP paper, section 5. Pitch 3.4 mm: Weiss Robotics WTS 0614-34",
            "size": "rows and columns times the pitch, 9.71 cm2. The paper says 12.5 cm2 for its 84 texels, which is a "
            "pitch of 3.86 mm, or the rim counted in; pitch=3.86e-3 needs a larger box. Foam 6 mm: the paper",
            "modulus": "9810 Pa at 2.5 mm of 6 mm, from which the paper has its 58.5 N/m a texel. By its own weights "
            "(304.15 g on 804.25 mm2) it would be 3710 Pa, hence a modulus of 8.9e3 Pa. Their foam is "
            "softer than that of the product",
            "gel": "poisson 0 as foams have, so that young is the modulus; static friction",
            "dissipation": "estimated: their damping over stiffness, 1e-3 s, at a depth of 1 mm",
            "friction": "the paper's XML: static 0.435, dynamic 0.23",
            "electronics": "12 bit: codes of the Schunk and Weiss drivers, 0 = no load. full_scale estimated, 120 kPa",
        },
    ).replace(electronics=electronics, **changes)
