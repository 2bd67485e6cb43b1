"""From what people write to the arrays the core reads: poses, points and index lists.

The core takes float64 C-contiguous arrays at once; everything else comes here. Errors name the argument and its shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def pose(p: Any = (0.0, 0.0, 0.0), quat: Any = None, rpy: Any = None, R: Any = None) -> np.ndarray:
    """A pose as a 4x4 matrix: translation ``p`` and at most one of three ways to give the rotation.

    quat: (w, x, y, z), any length but zero; rpy: roll, pitch, yaw in radians about the fixed axes x, y, z
    (R = Rz(yaw) Ry(pitch) Rx(roll)); R: 3x3 matrix.
    """
    if sum(given is not None for given in (quat, rpy, R)) > 1:
        raise TypeError("pose: give at most one of quat, rpy and R")
    X = np.eye(4)
    X[:3, 3] = vector3(p, "p")
    if quat is not None:
        X[:3, :3] = _from_quaternion(quat, "quat")
    elif rpy is not None:
        roll, pitch, yaw = vector3(rpy, "rpy")
        X[:3, :3] = _about("z", yaw) @ _about("y", pitch) @ _about("x", roll)
    elif R is not None:
        X[:3, :3] = _array(R, (3, 3), "R")
    return X


def pose_matrix(value: Any, argument: str) -> np.ndarray:
    """A 4x4 matrix, an (R, p) pair or a (p, quat) pair, as a 4x4 float64 matrix."""
    if isinstance(value, tuple | list) and len(value) == 2:
        first, second = (_floats(part, argument) for part in value)
        if first.shape == (3, 3) and second.shape == (3,):
            return pose(second, R=first)
        if first.shape == (3,) and second.shape == (4,):
            return pose(first, quat=second)
        raise ValueError(
            f"{argument}: a pose pair is (R, p) with shapes (3, 3) and (3,), or (p, quat) with shapes (3,) and (4,); "
            f"got {first.shape} and {second.shape}"
        )
    array = _floats(value, argument)
    if array.shape != (4, 4):
        raise ValueError(f"{argument}: a pose is a 4x4 matrix (see taxel.pose); got shape {array.shape}")
    return array


def pose_matrices(value: Any, argument: str) -> np.ndarray:
    """(N, 4, 4); one pose of any kind counts as N = 1."""
    if isinstance(value, tuple | list) and len(value) == 2 and np.ndim(value[0]) != np.ndim(value[1]):
        return pose_matrix(value, argument)[None]
    array = _floats(value, argument)
    if array.shape == (4, 4):
        return array[None]
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise ValueError(f"{argument}: poses are an array of shape (N, 4, 4), or (4, 4) for one; got {array.shape}")
    return array


def points(value: Any, argument: str) -> np.ndarray:
    array = _floats(value, argument)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{argument}: expected an array of shape (N, 3); got {array.shape}")
    return array


def vector3(value: Any, argument: str) -> np.ndarray:
    return _array(value, (3,), argument)


def triangles(value: Any, argument: str) -> np.ndarray:
    return _indices(value, 3, argument)


def tets(value: Any, argument: str) -> np.ndarray:
    return _indices(value, 4, argument)


def _floats(value: Any, argument: str) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise TypeError
        return np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise TypeError(
            f"{argument}: expected numbers in an array, a list or a tuple; got {type(value).__name__}"
        ) from None


def _array(value: Any, shape: tuple[int, ...], argument: str) -> np.ndarray:
    array = _floats(value, argument)
    if array.shape != shape:
        raise ValueError(f"{argument}: expected shape {shape}; got {array.shape}")
    return array


def _indices(value: Any, columns: int, argument: str) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{argument}: expected whole numbers; got values of type {array.dtype}")
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{argument}: expected an array of shape (N, {columns}); got {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _about(axis: str, angle: float) -> np.ndarray:
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i] = np.sin(angle)
    R[i, j] = -R[j, i]
    return R


def _from_quaternion(value: Any, argument: str) -> np.ndarray:
    q = _array(value, (4,), argument)
    length = np.linalg.norm(q)
    if not length > 0 or not np.isfinite(length):
        raise ValueError(f"{argument}: a quaternion must be finite and not zero; got {q.tolist()}")
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
