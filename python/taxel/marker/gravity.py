"""Gravity in the hand: how far an object's weight moves it on the gel that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common import convert

if TYPE_CHECKING:
    from .field import MarkerField


def gravity_shift(
    weight: Any,
    center: Any,
    points: Any,
    areas: Any,
    *,
    normal_stiffness: float,
    shear_stiffness: float,
    opposed: bool = False,
) -> np.ndarray:
    """The motion of an object on the gel under its weight, (4, 4) in the pad's frame: for ``shift=`` of a marker model.

    weight   (3,) N in the pad's frame, the part that this pad carries (of two fingers each carries half)
    center   (3,) where it acts: the object's centre of mass, m
    points   (P, 3) in contact, m; areas (P,) m^2 or one number for all
    opposed  the rest is carried by fingers on the other side: their levers along z balance this pad's, so that the
             weight does not tilt the object (a pad that holds an object alone is tilted by all of the lever)
    normal_stiffness, shear_stiffness  of the gel, Pa/m, along z and along x and y (mode "taxel": the field's own)

    Where an engine holds a grasped object rigidly, nothing sags (HydroShear, appendix B-E: a fixed 0.25 mm along
    gravity, no turn). Here each point is a spring of its area times the stiffness, fixed in the pad, and the six
    equations of balance give translation and turn: t + w x p. Linear: for turns that are small.

        shift = taxel.gravity_shift(R_PW @ (0, 0, -0.5 * m * 9.81), com_P, field.contact_points, area, **stiffness)
        markers = field.step(X_PI, shift)
    """
    force = convert.finite_vector3(weight, "gravity_shift: weight")
    at = convert.finite_vector3(center, "gravity_shift: center")
    p = convert.points(points, "gravity_shift: points")
    if not np.isfinite(p).all():
        raise _core.Error(f"gravity_shift: point {int(np.argmin(np.isfinite(p).all(axis=1)))} is not finite; give m")
    a = _areas(areas, len(p))
    for name, value in (("normal_stiffness", normal_stiffness), ("shear_stiffness", shear_stiffness)):
        if not convert.is_number(value) or not 0 < value < np.inf:
            raise _core.Error(f"gravity_shift: {name} is {value!r}; give a number above 0, Pa/m")
    X = np.eye(4)
    if not len(p):
        return X  # nothing holds it: the models do nothing without contact
    # u = t + w x p_i at each point; the rows of B are d u / d (t, w), about the middle of the patch.
    middle = np.average(p, axis=0, weights=a)
    arm = p - middle
    cross = np.zeros((len(p), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = arm[:, 2], -arm[:, 1], arm[:, 0]
    cross -= np.transpose(cross, (0, 2, 1))
    B = np.concatenate([np.broadcast_to(np.eye(3), (len(p), 3, 3)), cross], axis=2)
    springs = np.array([shear_stiffness, shear_stiffness, normal_stiffness])
    stiffness = np.einsum("p,pki,k,pkj->ij", a, B, springs, B)
    lever = (at - middle) * (1, 1, 0 if opposed else 1)
    load = np.concatenate([force, np.cross(lever, force)])
    # Lengths in units of the patch; of a single point, or points in a line, the motion of least size.
    size = max(float(np.sqrt((arm**2).sum(axis=1).mean())), 1e-9)
    scale = np.array([1, 1, 1, 1 / size, 1 / size, 1 / size])
    motion = scale * np.linalg.lstsq(scale[:, None] * stiffness * scale, scale * load, rcond=1e-10)[0]
    turn = motion[3:]
    angle = float(np.linalg.norm(turn))
    if angle > 0:
        axis = turn / angle
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        X[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)
    X[:3, 3] = motion[:3] + middle - X[:3, :3] @ middle
    return X


def of_field(
    field: MarkerField, weight: Any, center: Any, opposed: bool, normal: float | None, shear: float | None
) -> np.ndarray:
    """``MarkerField.gravity_shift``."""
    force = convert.finite_vector3(weight, "gravity_shift: weight")
    at = convert.finite_vector3(center, "gravity_shift: center")
    given = springs("MarkerField.gravity_shift", normal, shear)
    return _core.gravity_of_field(field._core, field.mode, force, at, bool(opposed), given)


def springs(where: str, normal: Any, shear: Any) -> tuple[float, float] | None:
    """Both stiffnesses, or None where none is given: the gel's own."""
    if normal is None and shear is None:
        return None
    for name, value in (("normal_stiffness", normal), ("shear_stiffness", shear)):
        if not convert.is_number(value) or not 0 < value < np.inf:
            raise _core.Error(f"{where}: {name} is {value!r}; give both stiffnesses above 0, Pa/m, or none")
    return float(normal), float(shear)


def _areas(areas: Any, count: int) -> np.ndarray:
    try:
        a = np.asarray(areas, dtype=float)
    except (TypeError, ValueError):
        a = np.zeros(0)
    a = np.broadcast_to(a, count) if a.ndim == 0 else a
    if a.shape != (count,) or not (np.isfinite(a) & (a > 0)).all():
        given = repr(areas) if np.ndim(areas) == 0 else f"of shape {a.shape}"
        raise _core.Error(
            f"gravity_shift: areas ({given}) are finite and above 0, one number or one a point ({count}), m^2"
        )
    return a
