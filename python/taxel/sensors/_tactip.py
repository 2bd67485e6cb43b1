"""TacTip: a camera looks at 127 pins on the inside of a soft dome."""

from __future__ import annotations

from typing import Any

import numpy as np

from .description import TactileSensor
from .material import Material
from .shape import Shape

RADIUS, RINGS, SPACING = 20e-3, 6, 2.4e-3
TOP, RIM = 8e-3, 2e-3
"""Height of the dome and of the wall around it above the flat back: how much gel there is."""

PIXEL = 1e-4
MODULUS = 1e5


def _gel() -> Material:
    return Material.of_modulus(
        MODULUS,
        0.48,
        TOP,
        friction=0.8,
        damping=5.0 * TOP / 6,
        source={
            "young": "from the modulus below, by the rule",
            "poisson": "estimated: a silicone gel",
            "thickness": "estimated: below the top of the dome",
            "friction, damping": "estimated",
        },
    )


def _layer_keys() -> dict[str, float]:
    """The marker model of a gel of 4 mm (docs/theory/layer-reference.md), as large as this one and as stiff.

    A layer s times as thick does the same s times as large: lambdas fall with s^2, and displacements per depth and
    distance with s. Pixels here are 0.1 mm, there 0.065 mm. Stiffness: that of the material.
    """
    s, pixels = TOP / 4e-3, 0.065e-3 / PIXEL
    return {
        "lambda_d": 37100 / s**2,
        "lambda_s": 135500 / s**2,
        "dilate_scale": 1.1e7 / s * pixels,
        "shear_scale": 28900 * pixels,
        **_gel().markers(),
    }


def tactip(*, electronics: bool = False, **changes: Any) -> TactileSensor:
    """Cap of a dome of 40 mm diameter with 127 pins at 2.4 mm, read as taxels. Origin in the middle of its flat back.

    ``model="marker"``: how the pins move, in pixels of 0.1 mm, as the camera sees them.
    """
    pins, gel = pin_places(), _gel()
    return TactileSensor(
        name="tactip",
        title="TacTip, 127 pins",
        geom=Shape.mesh(*dome_mesh()),
        material={
            "modulus": MODULUS,
            "dissipation": 5.0,
            "friction": 0.8,
            "field": "columns",
            "resolution": 1.2e-3,
        },
        made_of=gel,
        taxels={"points": pins, "normals": np.tile((0.0, 0.0, 1.0), (len(pins), 1)), "aggregate": "force"},
        rays={"sample_density": 4e6, "radius": 0.75 * SPACING},
        electronics={"rate": 30.0},
        marker_keys={
            "mode": "taxel",
            "points": pins,
            "pixel": PIXEL,
            **_layer_keys(),
            "distance": "trilinear",
            "spacing": 0.5e-3,
            "backing": 8e-3,
        },
        source={
            "size, pins": "B. Ward-Cherrier et al., The TacTip family, Soft Robotics 5(2), 2018: a dome of 40 mm, 127 "
            "pins at 2.4 mm; six hexagonal rings about one pin give exactly as many, at 2.4 mm along the arc out to 41 "
            "degrees. The places themselves are ours",
            "taxels": "a pin reads the force on the skin that is nearest to it: what the pins would carry. The device "
            "itself only sees them move",
            "markers": "the pins move as points of the surface of an elastic layer do: that of the GelSight Mini, "
            f"{TOP / 4e-3:g} times as thick. "
            "That their heads lie on stalks, which turn with the skin and so amplify the motion, is left out; 0.1 mm a "
            "pixel is estimated",
            "thickness": f"estimated: {1e3 * TOP:g} mm of gel below the top of the dome, {1e3 * RIM:g} mm at the rim",
            "modulus": "estimated: the printed skin (Tango Black+) over a silicone gel (RTV27905); 2 N of a ball of "
            "24 mm sink in by 2.6 mm",
            "dissipation, friction": "estimated",
            "electronics": "30 frames a second: estimated, a usual web camera",
        },
    ).replace(electronics=electronics, **changes)


def dome_mesh(around: int = 48, rings: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the cap, closed by a flat back at z = 0; top at z = TOP."""
    most = np.arccos(1 - (TOP - RIM) / RADIUS)
    polar = np.linspace(0, most, rings + 1)[1:]
    turn = 2 * np.pi * np.arange(around) / around
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    levels = [(RADIUS * np.sin(a), TOP - RADIUS * (1 - np.cos(a))) for a in polar]
    widest = levels[-1][0]
    levels += [(widest * k / 4, 0.0) for k in (4, 3, 2, 1)]
    circles = [np.column_stack([r * circle, np.full(around, z)]) for r, z in levels]
    vertices = np.concatenate([[(0, 0, TOP)], *circles, [(0, 0, 0)]])
    k = np.arange(around)
    after = np.roll(k, -1)
    triangles = [np.column_stack([np.zeros_like(k), 1 + k, 1 + after])]
    for ring in range(len(circles) - 1):
        a, b = 1 + ring * around, 1 + (ring + 1) * around
        triangles += [np.column_stack([a + k, b + k, b + after]), np.column_stack([a + k, b + after, a + after])]
    last = 1 + (len(circles) - 1) * around
    triangles.append(np.column_stack([last + k, np.full_like(k, len(vertices) - 1), last + after]))
    return np.round(vertices, 9), np.concatenate(triangles).astype(np.int32)


def pin_places() -> np.ndarray:
    """(127, 3): six hexagonal rings about the top, SPACING apart along the arc; ring by ring."""
    flat = [(0.0, 0.0)]
    corners = np.exp(1j * np.pi / 3 * np.arange(6))
    for ring in range(1, RINGS + 1):
        for a, b in zip(corners, np.roll(corners, -1), strict=True):
            flat += [((z := ring * a + k * (b - a)).real, z.imag) for k in range(ring)]
    flat_mm = SPACING * np.array(flat)
    arc = np.linalg.norm(flat_mm, axis=1)
    away = np.divide(flat_mm, arc[:, None], out=np.zeros_like(flat_mm), where=arc[:, None] > 0)
    polar = arc / RADIUS
    z = TOP - RADIUS * (1 - np.cos(polar))
    return np.round(np.column_stack([RADIUS * np.sin(polar)[:, None] * away, z]), 8)
