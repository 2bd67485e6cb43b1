"""Shapes: meshes and their files, signed distance, samples of a surface, the mesher and its cache."""

from .._core import check_watertight, mesh_interior, read_mesh, refine_for_depth, sample_surface, signed_distance
from .cache import mesh_cache
from .dome import dome_height, dome_points, domed_pad

__all__ = [
    "check_watertight",
    "dome_height",
    "dome_points",
    "domed_pad",
    "mesh_cache",
    "mesh_interior",
    "read_mesh",
    "refine_for_depth",
    "sample_surface",
    "signed_distance",
]
