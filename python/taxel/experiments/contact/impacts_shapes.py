"""Shapes of the skins and objects of impacts.py: sizes, points of the surface, the middle."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import taxel
from taxel.sensors import Shape, catalogue

from .pairs import FRUSTUM, u_mesh

PRIMITIVES = ("plane", "sphere", "capsule", "cylinder", "ellipsoid", "box")
# A longer list would draw other cases for every seed, and make the runs of the page others.
SENSORS = ("myrmex", "barometer", "shadow_fingertip", "weiss", "gelsight_mini", "digit", "pad")
OBJECTS = (*PRIMITIVES, "convex mesh", "U mesh")


def unit(v: Any) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


@functools.cache
def sensor(name: str) -> taxel.sensors.TactileSensor:
    return catalogue()[name](on_demand=True)


@functools.cache
def sensor_bounds(name: str) -> np.ndarray:
    """Lowest and highest corner in the sensor's frame, m."""
    return sensor(name).bounds


def to_middle(skin: str, field: str) -> bool:
    """Soft to the middle of the body: a distance field, or columns that end there."""
    return field == "distance" or (skin in SENSORS and sensor(skin).material.get("bone") == "middle")


def object_shape(name: str, size: float) -> Shape:
    """With MuJoCo's half lengths; meshes in the body's frame."""
    r = size
    sizes = {
        "sphere": (r,),
        "box": (r, 0.8 * r, 0.6 * r),
        "cylinder": (0.8 * r, 0.7 * r),
        "capsule": (0.5 * r, 0.5 * r),
        "ellipsoid": (r, 0.8 * r, 0.6 * r),
    }
    if name in sizes:
        return Shape(name, sizes[name])
    if name == "convex mesh":
        vertices, triangles = np.array(FRUSTUM), _hull_of_frustum()
    else:
        vertices, triangles = u_mesh()
    return Shape.mesh(vertices * size / 0.03, triangles)


def _hull_of_frustum() -> np.ndarray:
    sides = [(i, (i + 1) % 6, (i + 1) % 6 + 6, i, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    caps = [(6, 6 + i, 7 + i) for i in range(1, 5)] + [(0, i + 1, i) for i in range(1, 5)]
    return np.array([*np.reshape(sides, (-1, 3)), *caps])


def _sphere(rings: int = 17, around: int = 24) -> np.ndarray:
    """Points of the unit sphere; an odd number of rings has the equator."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, rings), 2 * np.pi * np.arange(around) / around)
    x = [np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)]
    return np.stack(x, axis=-1).reshape(-1, 3)


def _cylinder(around: int = 24) -> np.ndarray:
    """Points of a cylinder of radius 1 and half height 1: rim, side and caps."""
    turn = 2 * np.pi * np.arange(around) / around
    rings = [(1.0, z) for z in np.linspace(-1, 1, 9)] + [(r, z) for r in (0, 0.35, 0.7) for z in (-1, 1)]
    return np.concatenate([np.stack([r * np.cos(turn), r * np.sin(turn), 0 * turn + z], axis=-1) for r, z in rings])


def _cube(count: int = 9) -> np.ndarray:
    u, v = (a.ravel() for a in np.meshgrid(*[np.linspace(-1, 1, count)] * 2))
    faces = [np.stack([u, v, 0 * u + side], axis=-1) for side in (-1, 1)]
    return np.concatenate([np.roll(face, k, axis=1) for face in faces for k in range(3)])


@functools.lru_cache(maxsize=64)
def surface_points(name: str, size: tuple[float, ...] | float) -> np.ndarray:
    """Points of a surface, dense enough to say how deep it is in something else: of an object (by its half length), a
    primitive (by MuJoCo's sizes), or a sensor."""
    if isinstance(size, float):
        shape = object_shape(name, size)
    else:
        shape = sensor(name).geom if name in SENSORS else Shape(name, size)
    s = np.array(shape.size)
    if shape.type == "sphere":
        return s[0] * _sphere()
    if shape.type == "ellipsoid":
        return s * _sphere()
    if shape.type == "box":
        return s * _cube()
    if shape.type == "cylinder":
        return s[[0, 0, 1]] * _cylinder()
    if shape.type == "capsule":
        # Balls along the shaft: what lies inside is less deep than the surface.
        return np.concatenate([s[0] * _sphere(9) + [0, 0, z] for z in s[1] * np.linspace(-1, 1, 5)])
    cuts = max(1, int(np.sqrt(400 / len(shape.triangles))))
    grid = [(i, j, cuts - i - j) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    inner = np.einsum("kc,tcx->tkx", np.array(grid) / cuts, shape.vertices[shape.triangles]).reshape(-1, 3)
    return np.concatenate([a[:: -(-len(a) // 400)] for a in (shape.vertices, inner)])


def inner_point(name: str, size: float) -> np.ndarray:
    """The middle of the object: a point well inside it; of the U, which is hollow, one in its bridge."""
    return np.array([0, 0, 0.0125 * size / 0.03]) if name == "U mesh" else np.zeros(3)


def inner_radius(name: str, size: float) -> float:
    """How far the middle is from the surface, at least."""
    factor = {"sphere": 1.0, "capsule": 0.5, "cylinder": 0.7, "box": 0.6, "ellipsoid": 0.6}
    return size * factor.get(name, 0.25 if name == "U mesh" else 0.6)


@functools.cache
def inscribed_radius(skin: str) -> float:
    """Inscribed radius of a sensor's mesh, m."""
    shape = sensor(skin).geom
    low, high = sensor_bounds(skin)
    grid = [np.linspace(a, b, 25)[1:-1] for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    body = (shape.vertices, shape.triangles) if shape.type == "mesh" else shape.body(0.0)
    return float(-taxel.signed_distance(body, points).min())
