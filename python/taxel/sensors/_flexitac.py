"""FlexiTac: 12 x 32 piezo-resistive cells between two flexible circuit boards."""

from __future__ import annotations

from typing import Any

from .description import TactileSensor
from .material import Material
from .shape import Shape

SHAPE, PITCH, THICKNESS = (12, 32), 2e-3, 1e-3


def flexitac(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Thin pad of 64 x 24 mm, 12 rows of 32 taxels at 2 mm. ``electronics``: codes of 8 bit, 100 frames a second."""
    rows, cols = SHAPE
    return TactileSensor(
        name="flexitac",
        title="FlexiTac, 12 x 32",
        geom=Shape.box(cols * PITCH, rows * PITCH, THICKNESS),
        made_of=Material.of_modulus(
            2e5,
            0.3,
            THICKNESS,
            friction=0.6,
            damping=5.0 * THICKNESS / 6,
            source={
                "young": "from the modulus below, by the rule",
                "poisson, thickness, friction, damping": "estimated: film, boards and cover",
            },
        ),
        material={"modulus": 2e5, "dissipation": 5.0, "friction": 0.6, "field": "backed"},
        taxels={"shape": SHAPE},
        electronics={"unit": "counts", "bits": 8, "full_scale": 1e5, "rate": 100.0},
        source={
            "taxels": "12 rows of 32: the standard pad of the package flexitac (PyPI, 0.3.1)",
            "pitch": "estimated: 2 mm, so 64 x 24 mm; the package says nothing of it",
            "thickness, modulus": "estimated: 1 mm of film, boards and cover, 2e5 Pa; 50 kPa press it in by a fourth",
            "dissipation, friction": "estimated",
            "electronics": "8 bit samples and about 100 frames a second: the same package (0 to 255). "
            "full_scale is estimated: each pad has a curve of its own; fit yours with taxel calibrate",
        },
    ).replace(electronics=electronics, **changes)
