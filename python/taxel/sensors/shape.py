"""The form of a sensor's soft geom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True, eq=False)
class Shape:
    """The soft geom: a MuJoCo primitive with MuJoCo's sizes (half lengths, m), or a closed mesh in its own frame."""

    type: str
    size: tuple[float, ...] = ()
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None

    @staticmethod
    def box(*lengths: float) -> Shape:
        """A box by its full edge lengths, centred."""
        return Shape("box", tuple(0.5 * length for length in lengths))

    @staticmethod
    def mesh(vertices: np.ndarray, triangles: np.ndarray) -> Shape:
        return Shape("mesh", (), np.ascontiguousarray(vertices, float), np.ascontiguousarray(triangles, np.int32))

    def mesh_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and triangles of a mesh."""
        assert self.vertices is not None and self.triangles is not None
        return self.vertices, self.triangles

    def body(self, modulus: float, **options: Any) -> _core.Body:
        s = self.size
        if self.type == "mesh":
            return _core.Body.mesh(*self.mesh_arrays(), modulus, **options)
        if self.type == "box":
            return _core.Body.box([2 * x for x in s], modulus, **options)
        if self.type in ("cylinder", "capsule"):
            return getattr(_core.Body, self.type)(s[0], 2 * s[1], modulus, **options)
        if self.type == "sphere":
            return _core.Body.sphere(s[0], modulus, **options)
        if self.type == "ellipsoid":
            return _core.Body.ellipsoid(s, modulus, **options)
        raise _core.Error(f"geom type {self.type!r}; a sensor is a box, sphere, capsule, cylinder, ellipsoid or mesh")
