"""Tactile fingertip of the Shadow Dexterous Hand: 12 piezo-resistive taxels on a curved surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from .description import TactileSensor
from .material import Material
from .shape import Shape

# The surface: an elliptic cylinder (half axes across the finger and out of the pad) that ends in half an ellipsoid.
HALF_WIDTH, HALF_HEIGHT, TIP_LENGTH = 8.64e-3, 7.88e-3, 12.72e-3
BASE, SHOULDER = -14.26e-3, -0.98e-3  # y where the finger is cut off, and where the tip begins

# Published places of the taxels on the right half, mm, in our frame: x across, y towards the tip, z out of the pad.
# The left half mirrors them.
RIGHT_HALF = (
    (4.152, -4.604, 7.252),  # pad, lower row
    (8.619, -6.084, 0.638),  # side
    (8.302, 0.201, 0.360),  # side
    (3.542, 4.607, 6.107),  # pad, upper row
    (2.670, 11.036, 0.544),  # tip
    (7.138, 6.636, 0.122),  # side, at the tip
)


def shadow_fingertip(**changes: Any) -> TactileSensor:
    """Fingertip of 17 x 26 mm with 12 taxels on pad, sides and tip. Frame: y towards the tip, z out of the pad, origin
    inside, below the middle of the pad."""
    points, normals = taxel_places()
    return TactileSensor(
        name="shadow_fingertip",
        title="Shadow Hand fingertip, 12 taxels",
        geom=Shape.mesh(*fingertip_mesh()),
        made_of=Material(
            young=1.5e5,
            poisson=0.45,
            thickness=HALF_HEIGHT,
            friction=0.3,
            damping=5.0 * HALF_HEIGHT / 6,
            source={
                "young, poisson": "estimated: soft rubber. The published modulus (below) is softer, and kept",
                "thickness": "the radius of the ball inside it, over which the pressure rises by the modulus",
                "friction": "estimated",
                "damping": "the configuration's 5 s/m, at a sixth of the thickness",
            },
        ),
        material={
            "modulus": 5e4,
            "dissipation": 5.0,
            "friction": 0.3,
            "field": "columns",
            "bone": "middle",
            "exposed": (0, 1, 0),
            "resolution": 1.2e-3,
        },
        taxels={"points": points, "normals": normals, "radius": 6e-3},
        rays={"sample_density": 1e6, "window": "quadratic"},
        source={
            "sensor": "R. Koiva et al., A highly sensitive 3D-shaped tactile sensor, AIM 2013; simulated in F. "
            "Patzelt, D. Leins, R. Haschke, Curved tactile sensor simulation with hydroelastic contacts, 2023",
            "taxels": "places, and the receptive radius of 6 mm: configuration of that simulation; each place is moved "
            "onto our surface, by 0.3 mm at most",
            "shape": "estimated: elliptic cylinder and half an ellipsoid, fitted to those places and their normals "
            "(within 6 degrees); that it is cut off 26 mm from the tip is our choice",
            "modulus, dissipation": "the same configuration: 5e4 Pa, 5 s/m. Its field rises from the surface to the "
            "middle of the finger, as that of our columns does. Soft: meant for loads up to 2 N",
            "rays": "the same: 1e6 a m2, weighted by (r - d)^2, normals within 45 degrees",
            "friction": "estimated; the configuration says 0",
        },
    ).replace(**changes)


def fingertip_mesh(around: int = 48, along: int = 9, tip: int = 12, rings: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles): rings of ``around`` vertices over the cut face, along the cylinder and over the tip."""
    latitude = np.linspace(0, np.pi / 2, tip + 1)[1:-1]
    stations = [
        *((BASE, k / rings) for k in range(1, rings)),
        *((y, 1.0) for y in np.linspace(BASE, SHOULDER, along)),
        *((SHOULDER + TIP_LENGTH * np.sin(a), np.cos(a)) for a in latitude),
    ]
    angle = 2 * np.pi * np.arange(around) / around
    x, z = HALF_WIDTH * np.cos(angle), HALF_HEIGHT * np.sin(angle)
    circles = [np.column_stack([scale * x, np.full(around, y), scale * z]) for y, scale in stations]
    vertices = np.concatenate([[(0, BASE, 0)], *circles, [(0, SHOULDER + TIP_LENGTH, 0)]])
    k = np.arange(around)
    after = np.roll(k, -1)
    triangles = [np.column_stack([np.zeros_like(k), 1 + k, 1 + after])]
    for ring in range(len(stations) - 1):
        a, b = 1 + ring * around, 1 + (ring + 1) * around
        triangles += [np.column_stack([a + k, b + k, b + after]), np.column_stack([a + k, b + after, a + after])]
    last = 1 + (len(stations) - 1) * around
    triangles.append(np.column_stack([np.full_like(k, len(vertices) - 1), last + after, last + k]))
    return vertices, np.concatenate(triangles)


def taxel_places() -> tuple[np.ndarray, np.ndarray]:
    """(points, normals) of the 12 taxels on the surface: the right half from base to tip, then the left half."""
    right = 1e-3 * np.array(RIGHT_HALF)
    given = np.concatenate([right, right * (-1, 1, 1)])
    # The surface is {g = 1} of a quadratic form about a point of the axis: scale the place onto it.
    foot = np.array([(0, min(y, SHOULDER), 0) for y in given[:, 1]])
    form = 1 / np.square((HALF_WIDTH, TIP_LENGTH, HALF_HEIGHT))
    out = given - foot
    points = foot + out / np.sqrt(np.sum(form * out * out, axis=1, keepdims=True))
    normals = form * (points - foot)
    return np.round(points, 8), np.round(normals / np.linalg.norm(normals, axis=1, keepdims=True), 8)
