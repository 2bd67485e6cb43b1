"""Shapes as particles: fillings of a solid, points of its skin, layers from the contact face to the hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _core

Shape = _core.Body | tuple[ArrayLike, ArrayLike]
"""A body or (vertices, triangles)."""

# Options that only one method has.
OPTIONS: dict[str, dict[str, Any]] = {
    "lattice": {},
    "poisson": {"seed": 0},
    "carve": {
        "views": 200,
        "pixels": 300,
        "pinhole": False,
        "distance": 3.0,
        "whole_voxels": False,
        "look_through_holes": False,
    },
}


@dataclass(frozen=True, slots=True)
class Filling:
    """Particles that stand for a solid."""

    points: np.ndarray
    """(N, 3), m, in the shape's frame."""
    volume: float
    """Of one particle, m3."""
    solid_volume: float
    """Of all, m3. Lattice and Poisson-disk: the volume of the shape itself."""

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, slots=True)
class SkinPoints:
    """Points on the surface of a solid."""

    points: np.ndarray
    """(N, 3), m, in the shape's frame."""
    normals: np.ndarray
    """(N, 3), unit, outward."""
    areas: np.ndarray
    """(N,), m2; their sum is the area of the surface."""
    faces: np.ndarray
    """(N,), int32. Box: 0 to 5 for -x, +x, -y, +y, -z, +z; other shapes: -1."""

    def __len__(self) -> int:
        return len(self.points)

    def facing(self, direction: ArrayLike, angle: float = np.pi / 4) -> np.ndarray:
        """Indices of the points whose normal is within ``angle`` (radians) of ``direction``."""
        return _core.points_facing(self.normals, direction, angle)


@dataclass(frozen=True, slots=True)
class LayeredPad:
    """A box of particles in layers."""

    points: np.ndarray
    """(N, 3), layer by layer; in a layer the first in-plane axis is the slower one."""
    layers: np.ndarray
    """(N,), int32: 0 at the contact face to count - 1 at the hand."""
    outward: np.ndarray
    """(3,), out of the contact face."""
    image: tuple[int, int]
    """Rows and columns of a layer."""
    count: int
    """Layers."""
    volume: float
    """Of one particle."""

    def __len__(self) -> int:
        return len(self.points)


def fill_shape(
    shape: Shape, spacing: float, method: Literal["lattice", "poisson", "carve"] = "lattice", **options: Any
) -> Filling:
    """Fills a solid with particles ``spacing`` (m) apart.

    method:
    "lattice": the points of a cubic lattice inside the shape, centred on its bounding box. A box whose sides are whole
    multiples of the spacing is filled exactly, its outer points half a spacing below its faces.
    "poisson": blue noise, no two points nearer than the spacing; 0.71 (deep inside) to 0.8 as many points. Option:
    ``seed``.
    "carve": voxels of that edge that none of many depth images sees empty. The mesh may be open; what no view sees into
    is filled. Options ``views``, ``pixels``, ``pinhole``, ``distance`` (of pinhole cameras, in half diagonals),
    ``whole_voxels`` (every voxel the surface cuts stays), ``look_through_holes`` (believe rays that enter by a hole).

    For "lattice" and "poisson" a mesh must be watertight and face outwards.
    """
    if method not in OPTIONS:
        raise _core.Error(f'method is {method!r}; give "lattice", "poisson" or "carve"')
    allowed = OPTIONS[method]
    for name in options:
        if name not in allowed:
            words = ", ".join(allowed) or "none"
            raise TypeError(f'fill_shape: method "{method}" has no option {name!r}; it has: {words}')
    given = {**allowed, **options}
    if method == "lattice":
        return Filling(*_core.fill_lattice(shape, spacing))
    if method == "poisson":
        return Filling(*_core.fill_poisson(shape, spacing, **given))
    return Filling(*_core.carve_voxels(shape, spacing, **given))


def skin_points(shape: Shape, spacing: float, seed: int = 0) -> SkinPoints:
    """About area / spacing^2 points on the surface of a solid. On a box: lattices of its faces; else blue noise."""
    return SkinPoints(**_core.sample_skin(shape, spacing, seed))


def layers_of(points: ArrayLike, outward: ArrayLike, count: int) -> np.ndarray:
    """(N,) int32: 0 next to the contact face to count - 1 next to the hand.

    outward: the direction out of the contact face. The depth of the points is cut into equal slices; the planes of a
    lattice are kept whole.
    """
    return _core.layers_of(points, outward, count)


def layered_pad(
    size: ArrayLike, counts: tuple[int, int, int], axis: int = 2, sign: int = 1, center: ArrayLike = (0.0, 0.0, 0.0)
) -> LayeredPad:
    """A box cut into counts cells with a particle in each; its contact face is ``sign`` along ``axis`` (0, 1, 2)."""
    return LayeredPad(**_core.layered_pad(size, tuple(counts), axis, sign, center))


def eip_pads(gap: float, center: ArrayLike = (0.5, 0.5, 0.5)) -> tuple[LayeredPad, LayeredPad]:
    """The two sensors of "Elastic Interaction of Particles", their contact faces ``gap`` apart across y.

    Boxes of 0.24 x 0.04 x 0.24 in a unit domain, 61 x 10 x 61 particles each. The first is below and faces +y.
    """
    lower, upper = _core.eip_pads(gap, center)
    return LayeredPad(**lower), LayeredPad(**upper)
