"""Scenes for mujoco_warp's CPU device, few and large: each kind of geom costs seconds of compilation."""

from __future__ import annotations

import math

import mujoco
import numpy as np

import taxel

G = mujoco.mjtGeom
STEP = 0.002

# Of each: geom type, size, height of its middle above the pad, orientation, tilt of gravity is that of the pad.
OBJECTS = {
    "ball": (G.mjGEOM_SPHERE, (0.012, 0, 0), 0.0115, (1, 0, 0, 0)),
    "box": (G.mjGEOM_BOX, (0.012, 0.009, 0.008), 0.0078, (0.9, 0.0, 0.0, 0.3)),
    "tilted_box": (G.mjGEOM_BOX, (0.012, 0.009, 0.008), 0.0083, (0.99, 0.04, 0.03, 0.1)),
    "cylinder": (G.mjGEOM_CYLINDER, (0.008, 0.012, 0), 0.0075, (0.7, 0.71, 0.02, 0.1)),
    "upright_cylinder": (G.mjGEOM_CYLINDER, (0.008, 0.012, 0), 0.0117, (1, 0.001, 0.002, 0)),
    "capsule": (G.mjGEOM_CAPSULE, (0.007, 0.008, 0), 0.0066, (0.7, 0.02, 0.71, 0.1)),
    "ellipsoid": (G.mjGEOM_ELLIPSOID, (0.01, 0.014, 0.008), 0.0077, (0.98, 0.1, -0.1, 0.1)),
    "blob": (G.mjGEOM_MESH, (1, 1, 1), 0.0095, (1, 0, 0, 0)),
}


def blob(radius: float = 0.01, rings: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """A closed mesh, longer along x."""
    theta, phi = np.meshgrid(
        np.linspace(0, math.pi, rings + 1)[1:-1], np.linspace(0, 2 * math.pi, 2 * rings, endpoint=False), indexing="ij"
    )
    grid = np.stack([1.3 * np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)
    vertices = radius * np.concatenate([[[0, 0, 1]], grid.reshape(-1, 3), [[0, 0, -1]]])
    n, last = 2 * rings, len(vertices) - 1
    faces = []
    for j in range(n):
        k = (j + 1) % n
        faces += [(0, 1 + j, 1 + k), (last, last - n + k, last - n + j)]
        for i in range(rings - 2):
            a, b = 1 + i * n + j, 1 + i * n + k
            faces += [(a, a + n, b), (b, a + n, b + n)]
    return vertices, np.array(faces)


def zoo(field: str = "backed") -> mujoco.MjModel:
    """Eight pads in a row, each with an object on it; and a GelSight Mini with a ball."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = STEP
    vertices, faces = blob()
    spec.add_mesh(name="blob", uservert=vertices.ravel(), userface=faces.ravel())
    sensor = taxel.sensors.pad(size=(0.04, 0.032), shape=(10, 8), modulus=1e5, thickness=0.006)
    if field == "columns":
        sensor = sensor.replace(field="columns")  # laid by the taxels
    for i, (name, (kind, size, height, quat)) in enumerate(OBJECTS.items()):
        x = 0.1 * i
        sensor.add_to(spec, name=f"pad_{name}", pos=(x, 0, 0))
        body = spec.worldbody.add_body(name=name, pos=(x + 0.0013, -0.0021, 0.003 + height), quat=quat)
        body.add_freejoint()
        geom = body.add_geom(name=name, type=kind, size=size, mass=0.05)
        if kind == G.mjGEOM_MESH:
            geom.meshname = "blob"
    taxel.sensors.gelsight_mini().add_to(spec, name="mini", pos=(0, 0.1, 0))
    body = spec.worldbody.add_body(name="mini_ball", pos=(0.001, 0.102, 0.004 + 0.008 - 0.0005))
    body.add_freejoint()
    body.add_geom(name="mini_ball", size=(0.008, 0, 0), mass=0.02)
    return spec.compile()


def slope(degrees: float = 10.0, **chain) -> mujoco.MjModel:
    """A box of 1 kg on a Myrmex that leans."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = STEP
    angle = math.radians(degrees)
    spec.option.gravity = (9.81 * math.sin(angle), 0, -9.81 * math.cos(angle))
    taxel.sensors.myrmex(**chain).add_to(spec)
    body = spec.worldbody.add_body(name="box", pos=(0.003, -0.004, 0.0185))
    body.add_freejoint()
    body.add_geom(name="box", type=G.mjGEOM_BOX, size=(0.02, 0.015, 0.01), mass=1.0)
    return spec.compile()
