"""Example recordings for ``taxel calibrate friction`` and ``foam``: curves of the soft-contact paper.

The paper prints parameters and draws its measurements, but gives no table of them. So these are points drawn from the
printed parameters, with noise of our own; none of them was measured.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .columns import GRAVITY

# Section 3.4.2: the curve fitted by hand, of one texel.
LOAD, STATIC, DYNAMIC, STRIBECK_SPEED, VISCOSITY = 0.08, 0.435, 0.23, 0.3, 0.01
FRICTION_NOISE = 5e-4  # N; ours
# Section 3.4.1: one point of the line, the foam, and the pad.
WEIGHT, COMPRESSION, WEIGHT_AREA, THICKNESS, AREA, POINTS = 0.30415, 2.5e-3, 804.25e-6, 6e-3, 0.00125, 84
DEAD_BAND = 0.15e-3  # m; ours: the paper says that there is one, and draws it
COMPRESSION_NOISE = 0.03e-3  # m; ours

DRAWN = (
    "drawn from the parameters that the paper prints, with noise added; not its measurements, which it does not list"
)


def write_friction_example(path: str | Path, seed: int = 0) -> str:
    """Writes the file; what is planted, in a line."""
    rng = np.random.default_rng(seed)
    speed = np.round(np.geomspace(0.01, 1.0, 60), 5)
    mu = DYNAMIC + (STATIC - DYNAMIC) * np.exp(-((speed / STRIBECK_SPEED) ** 2))
    friction = LOAD * mu + VISCOSITY * speed + FRICTION_NOISE * rng.standard_normal(len(speed))
    rows = [f"{v:g},{f:.6f},{LOAD:g}" for v, f in zip(speed, friction, strict=True)]
    head = [f"# note: friction of one texel; {DRAWN}", "speed_m_s,friction_N,load_N"]
    Path(path).write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    return (
        f"static friction {STATIC:g}, dynamic {DYNAMIC:g}, Stribeck speed {STRIBECK_SPEED:g} m/s, viscosity "
        f"{VISCOSITY:g} N s/m at {LOAD:g} N; noise {FRICTION_NOISE:g} N ({DRAWN})"
    )


def write_foam_example(path: str | Path, seed: int = 0) -> str:
    """Writes the file; what is planted, in a line."""
    rng = np.random.default_rng(seed)
    weight = np.arange(25.0, 426.0, 25.0)
    slope = (COMPRESSION - DEAD_BAND) / (1e3 * WEIGHT)  # m/g
    compression = DEAD_BAND + slope * weight + COMPRESSION_NOISE * rng.standard_normal(len(weight))
    head = [
        f"# note: foam under weights; {DRAWN}",
        f"# weight_area: {WEIGHT_AREA:g}",
        f"# thickness: {THICKNESS:g}",
        f"# area: {AREA:g}",
        f"# points: {POINTS}",
        "weight_g,compression_mm",
    ]
    rows = [f"{w:g},{1e3 * x:.4f}" for w, x in zip(weight, compression, strict=True)]
    Path(path).write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    pressure = WEIGHT * GRAVITY / WEIGHT_AREA
    return (
        f"{1e3 * WEIGHT:g} g at {1e3 * COMPRESSION:g} mm on {1e6 * WEIGHT_AREA:g} mm2, that is {pressure:.0f} Pa (the "
        f"paper prints 9810), dead band {1e3 * DEAD_BAND:g} mm, noise {1e3 * COMPRESSION_NOISE:g} mm ({DRAWN})"
    )
