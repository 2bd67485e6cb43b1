"""Which way a finger bends: the palmar side of its links, from the joints alone.

A finger's last flexion joint moves its tip along axis x (tip - anchor): with the hand at qpos0 that is the palmar
direction of all its links, whatever the frames of the model. A flexion joint is a hinge whose range is lopsided: one
bound beyond 0.9 rad, and twice as far out as the other (spreading joints are not).
"""

from __future__ import annotations

from typing import Any

import numpy as np

FARTHEST, LOPSIDED = 0.9, 2.0


def flexion_sign(low: float, high: float) -> int:
    """1 or -1 for a flexion joint, the sign in which it bends; 0 for any other."""
    near, far = sorted((abs(low), abs(high)))
    if far < FARTHEST or far < LOPSIDED * near:
        return 0
    return 1 if abs(high) == far else -1


def palmar_direction(mujoco: Any, model: Any, data: Any, bodies: list[int]) -> np.ndarray | None:
    """Unit vector in the world for a finger given by its links from base to tip; None where nothing bends.

    ``data``: at qpos0, after ``mj_kinematics``.
    """
    tip = _tip(model, data, bodies)
    for body in reversed(bodies):
        first = model.body_jntadr[body]
        for joint in reversed(range(first, first + model.body_jntnum[body])):
            if model.jnt_type[joint] != int(mujoco.mjtJoint.mjJNT_HINGE) or not model.jnt_limited[joint]:
                continue
            sign = flexion_sign(*model.jnt_range[joint])
            way = sign * np.cross(data.xaxis[joint], tip - data.xanchor[joint])
            if np.linalg.norm(way) > 1e-6:
                return way / np.linalg.norm(way)
    return None


def _tip(model: Any, data: Any, bodies: list[int]) -> np.ndarray:
    """Middle of the last geom of the last link that has one; else where that link is."""
    for body in reversed(bodies):
        if model.body_geomnum[body]:
            return data.geom_xpos[model.body_geomadr[body] + model.body_geomnum[body] - 1]
    return data.xpos[bodies[-1]]


def nearest_face(R_WG: np.ndarray, way: np.ndarray) -> tuple[str, np.ndarray]:
    """The face of a box that looks along ``way``: its name ("-y") and its outward normal in the box's frame."""
    along = R_WG.T @ way
    k = int(np.argmax(np.abs(along)))
    normal = np.zeros(3)
    normal[k] = np.sign(along[k])
    return ("+" if normal[k] > 0 else "-") + "xyz"[k], normal
