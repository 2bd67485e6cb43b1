"""Barometer array: 5 x 5 pressure chips (Bosch BMP388) cast in silicone."""

from __future__ import annotations

from typing import Any

from .description import TactileSensor
from .material import Material
from .shape import Shape


def barometer(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Silicone block of 11 x 11 x 4 mm with 5 x 5 taxels at 2.2 mm. ``electronics``: 200 readings a second."""
    return TactileSensor(
        name="barometer",
        title="Barometer array, 5 x 5 BMP388",
        geom=Shape.box(0.011, 0.011, 0.004),
        made_of=Material.of_modulus(
            1e6,
            0.48,
            0.004,
            friction=0.3,
            damping=5.0 * 0.004 / 6,
            source={
                "young": "from the modulus below, by the rule",
                "poisson": "estimated: cast silicone",
                "thickness, friction, damping": "the demo world (below)",
            },
        ),
        material={"modulus": 1e6, "dissipation": 5.0, "friction": 0.3, "field": "backed"},
        taxels={"shape": (5, 5)},
        electronics={"rate": 200.0},
        source={
            "taxels": "5 x 5 chips at 2.2 mm: MuJoCo workshop paper, section II; R. Koiva et al., RoboTac 2019",
            "size": "half sizes of the authors' demo world, which is 10 times as large: 0.055 0.055 0.02 m",
            "modulus": "chosen (not published in SI): 0.35 N on the papers' probe tip of 2 mm is 111 kPa, and the tip "
            "then sinks in by 0.45 mm; cast silicone of Shore A 20 to 30 has about as much. The demo world says 8e7 Pa "
            "and its description 5e4 Pa, both at 10 times the size",
            "dissipation, friction": "the demo world: 5 s/m, 0.3 and 0.3",
            "electronics": "200 Hz: highest output data rate in the data sheet of the BMP388. Its noise and range are "
            "those of air; what silicone makes of them is not published",
        },
    ).replace(electronics=electronics, **changes)
