"""AnySkin, and ReSkin before it: a magnetised elastomer over five magnetometers."""

from __future__ import annotations

from typing import Any

from .description import TactileSensor
from .material import Material
from .shape import Shape

SIZE, THICKNESS, SHAPE = (20e-3, 20e-3), 2e-3, (10, 10)
ARM, GAP = 7e-3, 1e-3
CHIPS = ((0.0, 0.0), (-ARM, 0.0), (ARM, 0.0), (0.0, ARM), (0.0, -ARM))
"""Middle, left, right, up, down: the order of the device."""


def anyskin(**changes: Any) -> TactileSensor:
    """Magnetic skin of 20 x 20 x 2 mm, pressure and shear on 10 x 10 cells; ``taxel.sensors.Magnetometers`` makes of
    them what the five chips below read, in uT."""
    return TactileSensor(
        name="anyskin",
        title="AnySkin, five magnetometers",
        geom=Shape.box(*SIZE, THICKNESS),
        made_of=Material(
            young=2.3e5,
            poisson=0.48,
            thickness=THICKNESS,
            friction=0.8,
            damping=5.0 * THICKNESS / 6,
            source={
                "young": "estimated: Shore 10A silicone, stiffened by the powder. The modulus (below) was estimated by "
                "itself, and is kept",
                "poisson, thickness, friction, damping": "estimated",
            },
        ),
        material={"modulus": 5e5, "dissipation": 5.0, "friction": 0.8, "field": "backed"},
        taxels={"shape": SHAPE},
        chain={"output": "pressure shear"},
        magnetic={
            "chips": tuple((x, y, -0.5 * THICKNESS - GAP) for x, y in CHIPS),
            "remanence": 0.119,
            "shear_modulus": 7.7e4,
        },
        source={
            "taxels": "ours: the cells only carry the deformation to the magnetometers, which are what the device has",
            "chips": "five three-axis magnetometers (MLX90393), one in the middle and four around it: package anyskin "
            "(PyPI, 1.0.0) and the 5X board of R. Bhirangi et al., ReSkin, CoRL 2021. 7 mm apart and 1 mm below the "
            "skin: estimated",
            "size": "estimated: a flat skin of 20 x 20 x 2 mm; AnySkin's own fingertip is a shell over a printed tip",
            "remanence": "as much magnetic powder (MQFP-15-7) as silicone (DragonSkin 10 Slow) by weight: R. Bhirangi "
            "et al., AnySkin, 2024. With 7500 and 1070 kg/m3 the powder has 12.5 % of the volume; with 0.95 T of its "
            "own (estimated) the skin has 0.119 T. Magnetised through its thickness, as by a pulse after curing",
            "modulus": "estimated: Shore 10A silicone, stiffened by the powder, and pressed as a thin layer",
            "shear_modulus": "estimated: a third of a Young's modulus of 0.23 MPa",
            "dissipation, friction": "estimated",
        },
    ).replace(**changes)
