"""Force and torque on the touched face of a gel as six numbers, and its stiffness as a 6 x 6 matrix."""

from __future__ import annotations

import numpy as np


def of_the_face(D: np.ndarray, arms: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """(6, 6): a stiffness or mass D, (3, 3) or (N, 3, 3), shared by points at ``arms`` from the middle by their areas,
    as that of the whole face against motion and turn."""
    x, y, z = arms.T
    o = np.zeros(len(arms))
    turned = np.array([[o, z, -y], [-z, o, x], [y, -x, o]]).transpose(2, 0, 1)  # w -> w x arm
    moves = np.concatenate([np.broadcast_to(np.eye(3), turned.shape), turned], axis=2)
    D = np.broadcast_to(D, turned.shape)
    return np.einsum("n,nji,njk,nkl->il", areas / areas.sum(), moves, D, moves, optimize=True)


def about(load: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Force and torque about another point."""
    return np.concatenate([load[:3], load[3:] - np.cross(point, load[:3])])


def within_friction(load: np.ndarray, out: np.ndarray, friction: float, reach: float) -> np.ndarray:
    """A gel never pulls, never holds more than friction does, and presses within its touched face: ``reach`` from its
    middle."""
    push = max(0.0, float(load[:3] @ out))
    grip = min(friction * push, 1e300)
    across = load[:3] - (load[:3] @ out) * out
    spin = float(load[3:] @ out)
    tilt = load[3:] - spin * out
    return np.concatenate(
        [
            push * out + across * min(1.0, grip / max(float(np.linalg.norm(across)), 1e-300)),
            np.clip(spin, -grip * reach, grip * reach) * out
            + tilt * min(1.0, (push + grip) * reach / max(float(np.linalg.norm(tilt)), 1e-300)),
        ]
    )
