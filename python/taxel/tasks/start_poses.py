"""Start poses of the arm: a bank solved once, from which resets draw without any search."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import _core
from . import franka

COUNT = 1024
ROOM = 0.25  # rad to the limits of the joints, so that an episode has where to go


@lru_cache(maxsize=16)
def bank(
    middle: tuple[float, float, float], spread: tuple[float, float, float], turns: tuple[float, float, float],
    facing: tuple[float, ...], home: tuple[float, ...],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Joint angles (COUNT, 7) and tool poses (COUNT, 4, 4) at the middle +- spread (m), turned by +- turns (rad, about
    x, then y, then z of the world) from the rotation ``facing`` (9 numbers); both uniform, the same in every run.

    home  the posture they are near
    """
    rng = np.random.default_rng(20261118)
    u = rng.uniform(-1, 1, (COUNT, 6))
    target = np.tile(np.eye(4), (COUNT, 1, 1))
    target[:, :3, 3] = np.array(middle) + u[:, :3] * spread
    R = np.tile(np.reshape(facing, (3, 3)), (COUNT, 1, 1))
    for axis in range(3):
        c, s = np.cos(u[:, 3 + axis] * turns[axis]), np.sin(u[:, 3 + axis] * turns[axis])
        i, j = (axis + 1) % 3, (axis + 2) % 3
        T = np.tile(np.eye(3), (COUNT, 1, 1))
        T[:, i, i], T[:, i, j], T[:, j, i], T[:, j, j] = c, -s, s, c
        R = T @ R
    target[:, :3, :3] = R
    q, left = franka.inverse(target, home, 40)
    low, high = np.array(franka.LIMITS).T
    room = np.minimum(q - low, high - q).min(1)
    good = (left < 1e-5) & (room > ROOM)
    if good.mean() < 0.7:
        raise _core.Error(f"tasks: the arm reaches only {good.mean():.0%} of its start poses around {middle}")
    q = q[np.resize(np.flatnonzero(good), COUNT)]
    return q, franka.forward(q)[0]
