"""Myrmex: a flat piezo-resistive array of 16 x 16 cells under foam (Bielefeld University)."""

from __future__ import annotations

from typing import Any

from .description import TactileSensor
from .material import Material
from .shape import Shape


def myrmex(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Foam pad of 8 x 8 x 1.8 cm with 16 x 16 taxels. ``electronics``: 12 bit codes, 4095 = no load."""
    foam = Material(
        young=3e4,
        poisson=0.0,
        thickness=0.018,
        friction=0.3,
        damping=0.06,
        source={
            "young, poisson": "the paper's modulus of 3e4 Pa; poisson 0 as foams have, so that both are one number",
            "thickness, friction": "HydroelasticTouch, appendix A",
            "damping": "the paper's dissipation of 20 s/m, at a sixth of the thickness",
        },
    )
    return TactileSensor(
        name="myrmex",
        title="Myrmex, 16 x 16",
        geom=Shape.box(0.08, 0.08, 0.018),
        material={"modulus": foam.modulus(), "dissipation": foam.dissipation, "friction": 0.3, "field": "backed"},
        made_of=foam,
        taxels={"shape": (16, 16)},
        electronics={"unit": "counts", "bits": 12, "inverted": True, "full_scale": 3e4, "rate": 1900.0},
        gel_keys={**foam.gel(), "cell": 3e-3},
        source={
            "size, taxels": "HydroelasticTouch, appendix A: box 8 x 8 x 1.8 cm, 16 x 16 taxels on its upper face",
            "modulus, dissipation, friction": "the same: 3e4 Pa, 20 s/m, 0.3 and 0.3",
            "gel": "poisson 0 as foams have, so that young is the modulus; friction as above",
            "field": "backed layer: the foam is glued to the board. The paper's field falls to the sides too",
            "electronics": "raw codes 0 to 4095 with 4095 = no load: code published with the placing paper of Lach et "
            "al.; 1.9 kHz: C. Schuermann et al., World Haptics 2011. full_scale estimated (not published): the modulus",
        },
    ).replace(electronics=electronics, **changes)
