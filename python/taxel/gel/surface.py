"""The surface of a gel as it is now, for pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..common.scipy import need_scipy
from .face import FaceFit, face_grid
from .gel import Gel, one_gel

METHODS = ("mesh", "poisson")


def gel_surface(gel: Gel, method: str = "mesh", *, depth: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the deformed gel, closed, frame P.

    "mesh"     a grid over the contact face, moved as the gel says; sides and back are those of its outline. Needs SciPy
               only
    "poisson"  screened Poisson reconstruction of points on the whole skin with Open3D (``pip install open3d-cpu``), as
               the authors of "Elastic Interaction of Particles" draw theirs; ``depth`` of its octree
    """
    if method not in METHODS:
        raise _core.Error(f"gel_surface: method is {method!r}; give one of {', '.join(METHODS)}")
    one_gel(gel, "gel_surface")
    if not len(gel.contact_points):
        raise _core.Error("gel_surface: the gel has no contact points; make it from a shape")
    if gel.out is None:
        raise _core.Error("gel_surface: the gel has no contact face: it was made with out=None; use skin_positions")
    if method == "mesh":
        return _grid_surface(gel)
    return poisson_surface(*skin_cloud(gel), depth=depth)


def poisson_surface(points: Any, normals: Any, *, depth: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles): screened Poisson reconstruction of points (N, 3) with outward normals (N, 3)."""
    if not (isinstance(depth, int | np.integer) and 3 <= depth <= 12):
        raise _core.Error(f"poisson_surface: depth is {depth!r}; give a whole number from 3 to 12")
    places, directions = (np.ascontiguousarray(a, float) for a in (points, normals))
    if places.shape != directions.shape or places.ndim != 2 or places.shape[1] != 3 or len(places) < 10:
        raise _core.Error(f"poisson_surface: points {places.shape} and normals {directions.shape}; give (N, 3) each")
    try:
        import open3d
    except ImportError as error:
        raise ImportError(
            f"screened Poisson reconstruction needs Open3D ({error}); run: pip install open3d-cpu (Debian: apt install "
            "libusb-1.0-0 libgomp1, too), or use gel_surface(gel), which needs no library"
        ) from error
    cloud = open3d.geometry.PointCloud()
    cloud.points, cloud.normals = (open3d.utility.Vector3dVector(a) for a in (places, directions))
    found, _ = open3d.geometry.TriangleMesh.create_from_point_cloud_poisson(cloud, depth=int(depth), n_threads=1)
    return np.asarray(found.vertices).copy(), np.asarray(found.triangles).astype(np.int32)


def skin_cloud(gel: Gel) -> tuple[np.ndarray, np.ndarray]:
    """Points of the whole skin as it is now, and their outward normals: the contact and the held points, and at the
    sides particles that have no neighbour there."""
    need_scipy("the skin of a gel")
    from scipy.spatial import cKDTree

    assert gel.out is not None  # gel_surface asked
    spacing = gel.volume ** (1 / 3)
    tree, F = cKDTree(gel.start), gel.deformations
    skin = gel.skin_positions
    front, count = skin[: len(gel.contact_points)], len(gel.contact_points)
    # Normals turn with F^-T (Nanson).
    turned = np.linalg.inv(F[tree.query(gel.contact_points)[1]]).transpose(0, 2, 1)
    front_normals = np.einsum("nij,nj->ni", turned, gel.contact_normals)
    axes = [k for k in range(3) if k != int(np.argmax(np.abs(gel.out)))]
    missing = np.zeros_like(gel.start)
    for k in axes:
        for sign in (-1.0, 1.0):
            step = np.zeros(3)
            step[k] = sign * spacing
            missing[tree.query(gel.start + step)[0] > 0.7 * spacing, k] += sign
    side = np.flatnonzero(np.abs(missing).sum(axis=1) > 0)
    lean = np.einsum("nij,nj->ni", np.linalg.inv(F[side]).transpose(0, 2, 1), missing[side])
    back = np.tile(-gel.out @ gel._hand[:3, :3].T, (len(skin) - count, 1))
    out = missing[side] / np.linalg.norm(missing[side], axis=1, keepdims=True)
    points = np.vstack([front, skin[count:], gel.positions[side] + 0.5 * spacing * out])
    normals = np.vstack([front_normals, back, lean])
    return points, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _grid_surface(gel: Gel) -> tuple[np.ndarray, np.ndarray]:
    assert gel.out is not None  # gel_surface asked
    rest = face_grid(gel) if gel.image_shape is None else gel.contact_points.reshape(*gel.image_shape, 3)
    u = FaceFit(gel, rest)() if gel.image_shape is None else gel.image
    axis = int(np.argmax(np.abs(gel.out)))
    first, second = (k for k in range(3) if k != axis)
    rest = rest.copy()
    # The outermost points lie half a spacing inside; the drawn face ends at the edge.
    for k, along in ((first, 0), (second, 1)):
        edge = np.moveaxis(rest, along, 0)
        step = edge[1, ..., k] - edge[0, ..., k]
        edge[0, ..., k] -= 0.5 * step
        edge[-1, ..., k] += 0.5 * step
    bottom = rest.copy()
    bottom[..., axis] = (gel.start @ gel.out).min() * gel.out[axis] - 0.5 * gel.volume ** (1 / 3) * gel.out[axis]
    H, W = rest.shape[:2]
    vertices = np.vstack([(rest + u).reshape(-1, 3), bottom.reshape(-1, 3)])
    vertices = vertices @ gel._hand[:3, :3].T + gel._hand[:3, 3]
    index = np.arange(H * W).reshape(H, W)
    a, b, c, d = (q.ravel() for q in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    top = np.vstack([np.c_[a, b, c], np.c_[a, c, d]])
    loop = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    after, low = np.roll(loop, -1), H * W
    walls = np.vstack([np.c_[loop + low, after + low, after], np.c_[loop + low, after, loop]])
    triangles = np.vstack([top, top[:, ::-1] + low, walls]).astype(np.int32)
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    inside_out = np.einsum("ij,ij->", p, np.cross(q, r)) < 0
    return vertices, triangles[:, ::-1].copy() if inside_out else triangles
