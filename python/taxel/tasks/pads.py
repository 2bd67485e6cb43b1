"""Two GelSight Mini pads on the fingers of a gripper: soft columns, or flat and hard for MuJoCo's own contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mujoco import add_sensor, soften
from ..shape import dome_points, domed_pad
from .franka import DARK

NAMES = ("left_pad", "right_pad")
# The gel of the catalogue (taxel.sensors.gelsight_mini), m: size, back to rim, rise of the dome, radius of the corners.
SIZE, RIM, DOME, CORNER_RADIUS = (20.75e-3, 25.25e-3), 2.75e-3, 1.25e-3, 1.5e-3
THICKNESS = RIM + DOME
FLAT = 3e-3
"""Height of the hard pad that stands for the gel under native contact, m: 1 mm below the apex, so that the touch
models, which go by poses alone, see the gel pressed in by that much."""
SKIN = (16, 16)
COLUMN = 1.8e-3
"""m between columns of a gel whose taxels nobody reads: forces are within 2 % of those at the usual 0.7 mm."""
PAD, OBJECT, WORLD, FINGER = 1, 2, 4, 8  # bits of contact: what may touch what
TINT = (0.35, 0.75, 0.85, 0.9)


def add_pads(
    mujoco: Any,
    spec: Any,
    fingers: list[Any],
    back: float,
    drop: float,
    contact: str,
    modulus: float,
    friction: float,
    skin: bool,
) -> None:
    """A pad on each finger, whose frame has z along the approach and y towards +y of the hand.

    back   distance of the pad's back from the middle between the fingers at joint position 0, m
    drop   place of the pad's middle along the finger's z, m
    The pad's own frame (body): origin in the middle of the back, z out of the gel, y against the approach, so that rows
    of markers run from the fingertip upwards on both sides.
    """  # fmt: skip
    if contact == "soft":
        vertices, triangles = domed_pad(SIZE, RIM, DOME, CORNER_RADIUS)
        spec.add_mesh(name="gel", uservert=vertices.ravel(), userface=triangles.ravel())
    for name, body, side in zip(NAMES, fingers, (1.0, -1.0), strict=True):
        # z of the pad = -side y of the finger, y of the pad = -z of the finger
        R = np.array([[-side, 0, 0], [0, 0, -side], [0, -1, 0]], float)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, R.ravel())
        pad = body.add_body(name=name, pos=(0, side * back, drop), quat=quat, gravcomp=1.0)
        look = {"rgba": TINT, "mass": 0.01, "contype": PAD, "conaffinity": 0}
        if contact == "soft":
            pad.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname="gel", **look)
        else:
            pad.add_geom(
                name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=(SIZE[0] / 2, SIZE[1] / 2, FLAT / 2),
                pos=(0, 0, FLAT / 2), friction=(friction, 0.005, 1e-4), solref=(0.02, 1.0),
                solimp=(0.98, 0.99, 1e-3, 0.5, 2.0), priority=1, **look,
            )  # fmt: skip
        pad.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=(SIZE[0] / 2 + 2e-3, SIZE[1] / 2 + 2e-3, 4e-3), pos=(0, 0, -4e-3),
            rgba=DARK, mass=0.02, contype=FINGER, conaffinity=0,
        )  # fmt: skip
    if contact == "soft":
        soften(
            spec, list(NAMES), name="gel", modulus=modulus, dissipation=5.0, friction=friction, field="columns",
            resolution=None if skin else COLUMN,
        )  # fmt: skip
        if skin:
            points, pitch = dome_points(SIZE, RIM, DOME, SKIN)
            for name in NAMES:
                add_sensor(
                    spec, name, name=f"{name}_skin", points=points, normals=np.tile((0.0, 0.0, 1.0), (len(points), 1)),
                    radius=0.75 * max(pitch),
                )  # fmt: skip
