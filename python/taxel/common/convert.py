"""From what people write to the arrays the core reads: poses, points and index lists.

The core takes float64 C-contiguous arrays at once; everything else comes here. Errors name the argument and its shape:
``taxel.Error`` (a ValueError) for a wrong value or shape, TypeError for something that is no number or path at all.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .._core import Error

ROTATION_TOLERANCE = 1e-6  # as in the core


def pose(p: Any = (0.0, 0.0, 0.0), quat: Any = None, rpy: Any = None, R: Any = None) -> np.ndarray:
    """A pose as a 4x4 matrix: translation ``p`` and at most one of three ways to give the rotation.

    quat: (w, x, y, z), any length but zero; rpy: roll, pitch, yaw in radians about the fixed axes x, y, z
    (R = Rz(yaw) Ry(pitch) Rx(roll)); R: 3x3 rotation matrix.
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
        X[:3, :3] = _rotation(R, "R")
    return X


def pose_matrix(value: Any, argument: str) -> np.ndarray:
    """A 4x4 matrix, an (R, p) pair or a (p, quat) pair, as a 4x4 float64 matrix."""
    if isinstance(value, tuple | list) and len(value) == 2:
        first, second = (_floats(part, argument) for part in value)
        if first.shape == (3, 3) and second.shape == (3,):
            _rotation(first, argument)
            return pose(second, R=first)
        if first.shape == (3,) and second.shape == (4,):
            return pose(first, quat=second)
        raise Error(
            f"{argument}: a pose pair is (R, p) with shapes (3, 3) and (3,), or (p, quat) with shapes (3,) and (4,); "
            f"got {first.shape} and {second.shape}"
        )
    array = _floats(value, argument)
    if array.shape != (4, 4):
        raise Error(f"{argument}: a pose is a 4x4 matrix (see taxel.pose); got shape {array.shape}")
    return array


def rigid_pose(value: Any, argument: str) -> np.ndarray:
    """``pose_matrix`` of a motion without scale or mirror, finite."""
    X = pose_matrix(value, argument)
    if not np.isfinite(X).all():
        raise Error(f"{argument}: the pose is not finite; look for where it comes from (a simulation that blew up?)")
    if not (X[3] == (0, 0, 0, 1)).all():
        raise Error(
            f"{argument}: the last row of a pose matrix is 0 0 0 1; got {' '.join(f'{x:g}' for x in X[3])} "
            "(is the matrix transposed?)"
        )
    _rotation(X[:3, :3], argument)
    return X


def pose_matrices(value: Any, argument: str) -> np.ndarray:
    """(N, 4, 4) of an array, or of a list of poses of any kind; one pose of any kind counts as N = 1."""
    if isinstance(value, tuple | list):
        if len(value) == 0:
            return np.zeros((0, 4, 4))
        if _is_pair(value):
            return pose_matrix(value, argument)[None]
        if _shape(value[0]) != (4,):  # a list of poses; rows of four numbers are one matrix
            try:
                array = np.array(value, dtype=np.float64, order="C")
            except (TypeError, ValueError):
                array = np.zeros(())
            if array.ndim == 3 and array.shape[1:] == (4, 4):
                return array
            return np.array([pose_matrix(item, f"{argument}[{i}]") for i, item in enumerate(value)])
    array = _floats(value, argument)
    if array.shape == (4, 4):
        return array[None]
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise Error(
            f"{argument}: poses are an array of shape (N, 4, 4) or a list of poses, or one (4, 4); got {array.shape}"
        )
    return array


def _is_pair(value: Any) -> bool:
    """Whether value is one pose, (R, p) or (p, quat), rather than a list of two."""
    return len(value) == 2 and (_shape(value[0]), _shape(value[1])) in (((3, 3), (3,)), ((3,), (4,)))


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return np.shape(value)
    except ValueError:  # a ragged list
        return None


def path_text(value: Any, argument: str) -> str:
    """A path as text that the core can open and print."""
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise TypeError(
            f"{argument}: expected a path (text, bytes or os.PathLike); got {type(value).__name__}"
        ) from None
    if "\0" in text:
        raise Error(f"{argument}: {text!r} has a NUL character (byte 0), which no path can have; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Error(f"{argument}: {text!r} is not UTF-8; rename the file") from None
    return text


def points(value: Any, argument: str) -> np.ndarray:
    array = _floats(value, argument)
    if array.ndim != 2 or array.shape[1] != 3:
        raise Error(f"{argument}: expected an array of shape (N, 3); got {array.shape}")
    return array


def vector3(value: Any, argument: str) -> np.ndarray:
    return _array(value, (3,), argument)


def finite_vector3(value: Any, argument: str) -> np.ndarray:
    array = vector3(value, argument)
    if not np.isfinite(array).all():
        raise Error(f"{argument}: {' '.join(f'{x:g}' for x in array)} is not finite; give three finite numbers")
    return array


def is_number(value: Any) -> bool:
    """A real one, of Python or NumPy; True and False are none."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def seconds(where: str, name: str, value: Any) -> float:
    """A time that has passed: finite, 0 or more."""
    if not is_number(value) or not 0 <= value < np.inf:
        raise Error(f"{where}: {name} is {value!r}; give the time since the last step in s, 0 or more")
    return float(value)


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
        raise Error(f"{argument}: expected shape {shape}; got {array.shape}")
    return array


def _rotation(value: Any, argument: str) -> np.ndarray:
    R = _array(value, (3, 3), argument)
    product = R.T @ R
    product.flat[::4] -= 1
    defect = max(product.max(), -product.min())
    if not defect <= ROTATION_TOLERANCE:  # also for NaN
        lengths = np.linalg.norm(R, axis=0)
        what = (
            "it is not finite"
            if not np.isfinite(defect)
            else f"its columns have the lengths {', '.join(f'{x:.7g}' for x in lengths)}"
            if np.abs(lengths - 1).max() > ROTATION_TOLERANCE
            else "its columns are not perpendicular"
        )
        raise Error(f"{argument}: not a rotation: {what} (R^T R is off by {defect:.2g}); {ROTATION_CURE}")
    if np.linalg.det(R) < 0:
        raise Error(f"{argument}: not a rotation: it mirrors (its determinant is -1); {ROTATION_CURE}")
    return R


ROTATION_CURE = "give an orthonormal right-handed matrix, to 1e-6"


def _indices(value: Any, columns: int, argument: str) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{argument}: expected whole numbers; got values of type {array.dtype}")
    if array.ndim != 2 or array.shape[1] != columns:
        raise Error(f"{argument}: expected an array of shape (N, {columns}); got {array.shape}")
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
        raise Error(f"{argument}: a quaternion must be finite and not zero; got {q.tolist()}")
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
