"""How safe is this grasp? The answer of the tactile images: how many times the load may grow before the object slides.

Two parallel fingers press along an axis. Taxel i feels the normal force N_i at the place r_i (in the plane across the
axis), so its friction holds at most mu N_i, in any direction of that plane. When the object slides with the plane
motion t = (v, w), speed v + w x r_i at each taxel, friction takes away the power

    P(t) = sum of mu N_i |v + w x r_i|                        over the taxels of all fingers

and the load (force f and torque m about the axis) feeds f.v + m w. The object holds while P(t) >= f.v + m w for every t
(the limit surface of a soft finger; Goyal, Ruina and Papadopoulos 1991). The margin is the greatest factor on the load
for which that is true:

    margin = min P(t)    over all t with f.v + m w = 1

1: it just slides. For a force through the centre of friction it is mu sum N / |f|; a torque lowers it. It is a
statement about friction in the plane of the pads: an object that is hooked by its shape holds more than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True)
class GraspMargin:
    margin: float
    """Factor on the load at which the object slides; infinite without a load, 0 without a grasp."""
    holding_force: float
    """mu times the sum of the normal forces, N: what friction carries without torque."""
    holding_torque: float
    """Greatest torque about the axis without a force, N m."""
    center: np.ndarray
    """Centre of pressure of all taxels, world frame, m."""
    load: np.ndarray
    """The load in the plane: two components of the force, N, and the torque about the axis at the centre, N m."""


def grasp_margin(
    points: Any, forces: Any, axis: Any, friction: float, load: Any, at: Any, torque: float = 0.0
) -> GraspMargin:
    """Margin of a grasp from what the taxels feel.

    points    (n, 3) places of the taxels, world frame, m; of all fingers together
    forces    (n,) their normal forces, N
    axis      direction along which the fingers press
    friction  coefficient, static
    load      force that the grasp must carry, N (the weight, and m a when it is moved)
    at        where it acts: the object's centre of mass
    torque    about the axis on top of that, N m
    """
    points = np.asarray(points, float).reshape(-1, 3)
    forces = np.asarray(forces, float).ravel()
    if len(points) != len(forces) or not np.isfinite(points).all() or not np.isfinite(forces).all():
        raise _core.Error(
            f"grasp_margin: {len(points)} points and {len(forces)} forces; give one finite force for each point"
        )
    if not (np.isfinite(friction) and friction >= 0):
        raise _core.Error(f"grasp_margin: friction is {friction!r}; give a number from 0")
    length = float(np.linalg.norm(np.asarray(axis, float)))
    if not length > 0:
        raise _core.Error(f"grasp_margin: axis is {axis!r}; give a direction")
    a = np.asarray(axis, float) / length
    plane = _across(a)
    bounds = friction * np.maximum(forces, 0.0)
    total = float(bounds.sum())
    if total == 0:
        middle = points.mean(axis=0) if len(points) else np.zeros(3)
        return GraspMargin(0.0, 0.0, 0.0, middle, np.zeros(3))
    center = (bounds[:, None] * points).sum(axis=0) / total
    r = (points - center) @ plane.T
    f = np.asarray(load, float)
    moment = torque + float(a @ np.cross(np.asarray(at, float) - center, f))
    wrench = np.array([*(plane @ f), moment])
    used = bounds > 0
    return GraspMargin(
        margin=_least_power(r[used], bounds[used], wrench),
        holding_force=total,
        holding_torque=_least_power(r[used], bounds[used], np.array([0.0, 0.0, 1.0])),
        center=center,
        load=wrench,
    )


def _across(a: np.ndarray) -> np.ndarray:
    """(2, 3) two directions that are right-handed with a."""
    first = np.eye(3)[int(np.argmin(np.abs(a)))]
    u = np.cross(first, a)
    u /= np.linalg.norm(u)
    return np.array([u, np.cross(a, u)])


def _least_power(r: np.ndarray, bounds: np.ndarray, wrench: np.ndarray) -> float:
    """min sum b_i |v + w x r_i| with wrench . (v, w) = 1: weighted least squares, weights from the last speeds."""
    if not np.linalg.norm(wrench) > 0:
        return float("inf")
    size = max(float(np.sqrt((bounds * (r**2).sum(axis=1)).sum() / bounds.sum())), 1e-6)
    # Lengths in units of the patch, so that turning and sliding weigh alike.
    A = np.zeros((len(r), 2, 3))
    A[:, 0, 0] = A[:, 1, 1] = 1.0
    A[:, 0, 2], A[:, 1, 2] = -r[:, 1] / size, r[:, 0] / size
    load = wrench / (1.0, 1.0, size)
    weights = bounds.copy()
    best = np.inf
    smooth = 1.0
    for _ in range(400):
        H = np.einsum("i,iab,iac->bc", weights, A, A)
        H += 1e-12 * np.trace(H) * np.eye(3)
        t = np.linalg.solve(H, load)
        t /= load @ t
        speeds = np.linalg.norm(A @ t, axis=1)
        power = float(bounds @ speeds)
        if best - power < 1e-9 * power and smooth < 1e-9:
            return min(best, power)
        best = min(best, power)
        smooth = max(0.7 * smooth, 1e-12)
        weights = bounds / np.hypot(speeds, smooth * np.linalg.norm(t))
    return best
