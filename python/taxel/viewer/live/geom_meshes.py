"""Triangles of MuJoCo's geoms, for a scene that is drawn elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...press.guided_press import geom_surface

PLANE = 0.5  # m, half the side of a plane that has no size
FLOOR = 0.35  # brightness of planes: a white floor outshines all that stands on it


def geom_mesh(model: Any, geom: int) -> tuple[np.ndarray, np.ndarray] | None:
    """(vertices, triangles) in the geom's frame; None where there is nothing to draw."""
    import mujoco

    kind = mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        x, y = (float(s) if s > 0 else PLANE for s in model.geom_size[geom][:2])
        corners = np.array([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], float)
        return corners, np.array([(0, 1, 2), (0, 2, 3)])
    if kind == mujoco.mjtGeom.mjGEOM_HFIELD:
        return _height_field(model, int(model.geom_dataid[geom]))
    if kind == mujoco.mjtGeom.mjGEOM_SDF and model.geom_dataid[geom] >= 0:
        kind = mujoco.mjtGeom.mjGEOM_MESH
    if kind not in (
        mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE,
        mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX,
    ):  # fmt: skip
        return None
    return geom_surface(model, geom)


def geom_colour(model: Any, geom: int) -> tuple[tuple[int, int, int], float]:
    """(colour, opacity); that of the material where there is one."""
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom]
    if material >= 0 and np.allclose(rgba, (0.5, 0.5, 0.5, 1.0)):
        rgba = model.mat_rgba[material]
    shade = FLOOR if model.geom_type[geom] == 0 else 1.0  # mjGEOM_PLANE
    r, g, b = (round(255 * shade * float(c)) for c in np.clip(rgba[:3], 0, 1))
    return (r, g, b), float(rgba[3])


def is_drawn(model: Any, geom: int) -> bool:
    """As in MuJoCo's viewers: the first three groups, and nothing that is clear."""
    return bool(model.geom_group[geom] < 3 and geom_colour(model, geom)[1] > 0)


def _height_field(model: Any, field: int) -> tuple[np.ndarray, np.ndarray]:
    rows, cols, first = int(model.hfield_nrow[field]), int(model.hfield_ncol[field]), int(model.hfield_adr[field])
    x, y, high, _ = model.hfield_size[field]
    z = high * model.hfield_data[first : first + rows * cols]
    X, Y = np.meshgrid(np.linspace(-x, x, cols), np.linspace(-y, y, rows))
    corner = (np.arange(rows - 1)[:, None] * cols + np.arange(cols - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + cols + 1])
    upper = np.column_stack([corner, corner + cols + 1, corner + cols])
    return np.column_stack([X.ravel(), Y.ravel(), z]), np.concatenate([lower, upper])
