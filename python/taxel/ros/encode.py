"""Messages out of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import Error
from . import messages as ros

_ENCODINGS = {
    ("uint8", 1): "mono8",
    ("uint8", 3): "rgb8",
    ("uint8", 4): "rgba8",
    ("uint16", 1): "mono16",
    ("float32", 1): "32FC1",
    ("float32", 2): "32FC2",
    ("float32", 3): "32FC3",
}


def header(nanoseconds: int, frame: str) -> ros.Header:
    return ros.Header(ros.Time.of(nanoseconds), frame)


def image(head: ros.Header, values: Any) -> ros.Image:
    """(rows, columns) or (rows, columns, channels), the upper row first: uint8, uint16, or floats (32FC1, 32FC3)."""
    pixels = np.asarray(values)
    if pixels.dtype.kind == "f":
        pixels = pixels.astype(np.float32)
    encoding = _ENCODINGS.get((pixels.dtype.name, pixels.shape[2] if pixels.ndim == 3 else 1))
    if pixels.ndim not in (2, 3) or encoding is None:
        raise Error(
            f"an image has the shape {pixels.shape} and the type {pixels.dtype}; give (rows, columns) or (rows, "
            "columns, 3) of uint8, uint16 or floats"
        )
    pixels = np.ascontiguousarray(pixels)
    rows, columns = pixels.shape[:2]
    return ros.Image(head, rows, columns, encoding, 0, pixels.nbytes // max(rows, 1), pixels.tobytes())


def tactile_state(head: ros.Header, name: str, channels: Mapping[str, np.ndarray]) -> ros.TactileState:
    """The first channel has the sensor's name, as the HydroelasticTouch plugin has it; others ``NAME/shear_x``."""
    made = []
    for k, (label, values) in enumerate(channels.items()):
        made.append(ros.ChannelFloat32(name if k == 0 else f"{name}/{label}", _float32(values)))
    return ros.TactileState(head, made)


def _float32(values: np.ndarray) -> list[float]:
    """As Python's floats; what float32 cannot hold becomes infinite instead of an error in the middle of a run."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float32).tolist()


def cloud(head: ros.Header, points: np.ndarray, shape: tuple[int, ...], channels: Mapping[str, np.ndarray]) -> Any:
    """Points with their channels as fields x, y, z, pressure, ...; in rows where the taxels lie in rows."""
    table = np.column_stack([points, *channels.values()]).astype("<f4")
    fields = [ros.PointField(n, 4 * k, ros.FLOAT32, 1) for k, n in enumerate(("x", "y", "z", *channels))]
    rows, columns = shape if len(shape) == 2 else (1, len(points))
    step = 4 * len(fields)
    return ros.PointCloud2(head, rows, columns, fields, False, step, step * columns, table.tobytes(), True)


def wrench(head: ros.Header, values: np.ndarray) -> ros.WrenchStamped:
    force, torque = values[:3].tolist(), values[3:].tolist()
    return ros.WrenchStamped(head, ros.Wrench(ros.Vector3(*force), ros.Vector3(*torque)))


def transform(head: ros.Header, child: str, X: np.ndarray) -> ros.TransformStamped:
    x, y, z = X[:3, 3].tolist()
    return ros.TransformStamped(head, child, ros.Transform(ros.Vector3(x, y, z), _quaternion(X[:3, :3])))


def _quaternion(R: np.ndarray) -> ros.Quaternion:
    import mujoco

    q = np.empty(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).ravel())
    w, x, y, z = q.tolist()
    return ros.Quaternion(x, y, z, w)
