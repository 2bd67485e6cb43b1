"""Small vectors and constants that the kernels share."""

# Kernels are compiled from their source: their annotations must be types, not text, so that
# ``from __future__ import annotations`` stays out of all files of kernels.
import warp as wp

vec5 = wp.types.vector(length=5, dtype=wp.float32)
vec6 = wp.types.vector(length=6, dtype=wp.float32)
vec16 = wp.types.vector(length=16, dtype=wp.float32)
mat83 = wp.types.matrix(shape=(8, 3), dtype=wp.float32)

HUGE = wp.constant(1.0e30)
"""Farther than anything, m."""

# Kinds of what a column meets: numbers of MuJoCo's geom types.
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = (wp.constant(k) for k in (0, 2, 3, 4, 5, 6, 7))
