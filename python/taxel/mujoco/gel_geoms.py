"""Geoms of a MuJoCo model as shapes of the gel, and whether MuJoCo's own contact acts between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from . import engine


def geom_id(model: Any, geom: str | int, where: str) -> int:
    mujoco = engine.need_mujoco()
    if isinstance(geom, str):
        found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
        if found < 0:
            names = ", ".join(repr(model.geom(k).name) for k in range(model.ngeom) if model.geom(k).name) or "none"
            raise _core.Error(f"{where}: there is no geom {geom!r} in the model; there are {names}")
        return found
    if isinstance(geom, bool) or not isinstance(geom, int | np.integer) or not 0 <= geom < model.ngeom:
        raise _core.Error(f"{where}: geom is {geom!r}; give a name, or a number from 0 to {model.ngeom - 1}")
    return int(geom)


def geom_title(model: Any, geom: int) -> str:
    return repr(model.geom(geom).name) if model.geom(geom).name else f"number {geom}"


def geom_shape(model: Any, geom: int, where: str) -> tuple[Any, np.ndarray]:
    """The shape in a frame P, and X_GP. P is the geom's frame; of a mesh that of its file, because MuJoCo moves meshes
    to their middle and turns them to their axes."""
    mujoco = engine.need_mujoco()
    kind, size, X_GP = model.geom_type[geom], model.geom_size[geom], np.eye(4)
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_BOX:
        return _core.Body.box(2 * size), X_GP
    if kind == types.mjGEOM_SPHERE:
        return _core.Body.sphere(size[0]), X_GP
    if kind == types.mjGEOM_CYLINDER:
        return _core.Body.cylinder(size[0], 2 * size[1]), X_GP
    if kind == types.mjGEOM_CAPSULE:
        return _core.Body.capsule(size[0], 2 * size[1]), X_GP
    if kind == types.mjGEOM_ELLIPSOID:
        return _core.Body.ellipsoid(size), X_GP
    if kind == types.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        vertices = np.array(model.mesh_vert[first : first + count], float)
        triangles = np.array(model.mesh_face[face : face + faces], np.int32)
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.mesh_quat[mesh])
        R_FG, p_FG = R.reshape(3, 3), model.mesh_pos[mesh]
        X_GP[:3, :3], X_GP[:3, 3] = R_FG.T, -R_FG.T @ p_FG
        return (vertices @ R_FG.T + p_FG, triangles), X_GP
    raise _core.Error(
        f"{where}: geom {geom_title(model, geom)} is a {types(kind).name[7:].lower()}; give a box, sphere, cylinder, "
        "capsule, ellipsoid or mesh"
    )


def geom_friction(model: Any, a: int, b: int) -> float:
    """Sliding friction as MuJoCo mixes it: of the geom with the higher priority, else the greater one."""
    priority = model.geom_priority
    if priority[a] != priority[b]:
        return float(model.geom_friction[a if priority[a] > priority[b] else b, 0])
    return float(max(model.geom_friction[a, 0], model.geom_friction[b, 0]))


def own_contact(model: Any, a: int, b: int) -> str | None:
    """What of the model lets MuJoCo (or taxel's plugin) press two geoms apart; None: nothing."""
    mujoco = engine.need_mujoco()
    pairs = zip(model.pair_geom1, model.pair_geom2, strict=True)
    if any({int(p), int(q)} == {a, b} for p, q in pairs):
        return "a <pair> of <contact> names the two"
    for k in range(model.ntuple):
        first, count = model.tuple_adr[k], model.tuple_size[k]
        members = zip(model.tuple_objtype[first : first + count], model.tuple_objid[first : first + count], strict=True)
        if any(kind == mujoco.mjtObj.mjOBJ_GEOM and int(i) in (a, b) for kind, i in members) and model.nplugin:
            return f"one of them is soft (taxel's material {model.tuple(k).name!r})"
    bodies = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
    welds = [int(model.body_weldid[i]) for i in bodies]
    if welds[0] == welds[1]:
        return None
    low, high = min(bodies), max(bodies)
    if ((low << 16) + high) in {int(s) for s in model.exclude_signature}:
        return None
    touch = model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]
    return "their contype and conaffinity match" if touch else None
