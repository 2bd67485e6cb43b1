"""What our batches and skins read, under the names of Isaac Lab's visuo-tactile sensor (TacSL).

    forces = taxel.TacSL(points, nut).batch(worlds=64, fingers=2)
    data = taxel.isaac_lab_data(forces.read(X_PI, dt=1 / 60), finger=1, X_WP=X_WP)
    data.tactile_normal_force  # (64, N), as a policy made for Isaac Lab reads it

Names and shapes: ``VisuoTactileSensorData`` of isaaclab_contrib, releases 2.3.2 and 3.0. Arrays are views where they
can be: NumPy's of a batch on the CPU, torch's of one on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..common.convert import pose_matrix
from ..skin import Reading
from .baseline_batch import TacSLBatchData
from .marker_batch import MarkerBatch

QUATERNIONS = ("wxyz", "xyzw")


@dataclass(frozen=True)
class VisuoTactileData:
    """One sensor in all environments; what the source does not know is None, as in Isaac Lab."""

    tactile_depth_image: Any = None
    """(num_instances, height, width, 1)."""
    tactile_rgb_image: Any = None
    """(num_instances, height, width, 3)."""
    tactile_points_pos_w: Any = None
    """(num_instances, N, 3), m; in the pads' frames where X_WP was left out."""
    tactile_points_quat_w: Any = None
    """(num_instances, N, 4): that of the pad."""
    penetration_depth: Any = None
    """(num_instances, N), m; of TacSL alone."""
    tactile_normal_force: Any = None
    """(num_instances, N), N: on the gel along -z of the pad (of a skin: into each taxel), above 0 when pressed."""
    tactile_shear_force: Any = None
    """(num_instances, N, 2), N: on the gel along x and y of the pad (of a skin: along the taxel's axes)."""


def isaac_lab_data(
    source: TacSLBatchData | MarkerBatch | Sequence[Reading],
    finger: int = 0,
    *,
    X_WP: Any = None,
    image: Any = None,
    depth: Any = None,
    unit: str = "Pa",
    quaternion: str = "wxyz",
    half_turn: bool = False,
) -> VisuoTactileData:
    """A view on what was read last, by Isaac Lab's names.

    source      what ``TacSLBatch.read`` gave; a ``MarkerBatch`` with ``marker_forces=True`` after a step; or a list of
                readings of one skin, one a world (``Sensor.read``, ``Skin.read(..., forces=True)``)
    finger      which finger of the batch: Isaac Lab has a sensor a finger
    X_WP        (worlds, 4, 4): poses of that finger's pads in the world. Left out: points stay in the pads' frames
    image       what ``ImageBatch.render`` gave, (worlds, fingers, height, width), grey on all three channels; or
                (worlds, fingers, height, width, 3).  depth: ``ImageBatch.depth``, with the same axes
    unit        of a sensor's readings (``Sensor.unit``): "Pa", which the taxels' areas turn into forces, or "N"
    quaternion  "wxyz" (Isaac Lab 2), or "xyzw" (3)
    half_turn   Isaac Lab turns its tactile frame by pi about z of the elastomer: x and y of the shear change sign, and
                the quaternions turn along
    """
    if quaternion not in QUATERNIONS:
        raise _core.Error(f"isaac_lab_data: quaternion is {quaternion!r}; give 'wxyz' or 'xyzw'")
    if unit not in ("Pa", "N"):
        raise _core.Error(f"isaac_lab_data: unit is {unit!r}; forces can be made of 'Pa' and 'N' alone")
    points, penetration, normal, shear = _forces(source, finger, unit)
    worlds = len(normal)
    position, orientation = _places(points, X_WP, worlds, half_turn)
    if quaternion == "xyzw":
        orientation = np.roll(orientation, -1, axis=-1)
    turned = -shear if half_turn else shear
    pictures = None if image is None else _pictures(_of_finger(image, finger, worlds, "image"), 3, "image")
    depths = None if depth is None else _pictures(_of_finger(depth, finger, worlds, "depth"), 1, "depth")
    like = normal if not isinstance(normal, np.ndarray) else None
    return VisuoTactileData(
        tactile_depth_image=depths,
        tactile_rgb_image=pictures,
        tactile_points_pos_w=_beside(position, like),
        tactile_points_quat_w=_beside(orientation, like),
        penetration_depth=penetration,
        tactile_normal_force=normal,
        tactile_shear_force=turned,
    )


def _forces(source: Any, finger: int, unit: str) -> tuple[np.ndarray, Any, Any, Any]:
    """Points (N, 3) in the pad's frame, depth or None, normal force (W, N), shear (W, N, 2)."""
    if isinstance(source, TacSLBatchData):
        data = source
        rows = (data.penetration_depth, data.tactile_normal_force, data.tactile_shear_force)
        depth, normal, shear = (_of_finger(a, finger, None, "source") for a in rows)
        points = np.asarray(data.tactile_points_pos_w)[0, finger]
        return points, depth, normal, shear
    if isinstance(source, MarkerBatch):
        forces = _of_finger(source.marker_forces, finger, None, "source")
        return np.asarray(source.markers), None, -forces[..., 2], forces[..., :2]
    readings = list(source) if isinstance(source, Sequence) else []
    if not readings or not all(isinstance(r, Reading) for r in readings):
        raise _core.Error(
            f"isaac_lab_data: source is {type(source).__name__}; give what TacSLBatch.read gave, a MarkerBatch with "
            "marker_forces=True, or a list of readings, one a world"
        )
    if finger:
        raise _core.Error(f"isaac_lab_data: finger is {finger}, but readings are of one skin; give those of yours")
    return _of_readings(readings, unit)


def _of_readings(readings: list[Reading], unit: str) -> tuple[np.ndarray, None, np.ndarray, np.ndarray]:
    layout = readings[0].layout
    if any(len(r.layout) != len(layout) for r in readings):
        raise _core.Error("isaac_lab_data: the readings are of skins with different numbers of taxels")
    normals, shears = [], []
    for reading in readings:
        if reading.forces is not None:
            per_taxel = reading.forces.reshape(-1, 3)
            normals.append(per_taxel[:, 2])
            shears.append(per_taxel[:, :2])
        elif reading.shear is None:
            raise _core.Error(
                'isaac_lab_data: a reading has no shear; make the sensor with output="pressure shear", or read '
                "the skin with forces=True"
            )
        else:
            share = 1.0 if unit == "N" else layout.areas
            normals.append(reading.values.ravel() * share)
            shears.append((reading.shear.reshape(2, -1) * share).T)
    return layout.points, None, np.stack(normals), np.stack(shears)


def _of_finger(array: Any, finger: int, worlds: int | None, name: str) -> Any:
    """[:, finger] of an array of NumPy, or of one on a GPU through torch."""
    if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
        try:
            import torch
        except ImportError:
            raise ImportError(
                "isaac_lab_data: arrays on a GPU are viewed through torch; run: pip install torch==2.13.0"
            ) from None
        library: Any = torch  # whose types do not tell from_dlpack
        array = array if isinstance(array, torch.Tensor) else library.from_dlpack(array)
    elif not isinstance(array, np.ndarray):
        array = np.asarray(array)
    if array.ndim < 2 or not 0 <= finger < array.shape[1] or (worlds is not None and array.shape[0] != worlds):
        wanted = "worlds" if worlds is None else str(worlds)
        raise _core.Error(
            f"isaac_lab_data: {name} has the shape {tuple(array.shape)} and finger is {finger}; the first axes are "
            f"({wanted}, fingers)"
        )
    return array[:, finger]


def _pictures(array: Any, channels: int, name: str) -> Any:
    """(worlds, height, width, channels): grey pictures on every channel."""
    if array.ndim == 3:
        flat = array[..., None]
        if channels == 1:
            return flat
        shape = (*array.shape, channels)
        return np.broadcast_to(flat, shape) if isinstance(array, np.ndarray) else flat.expand(shape)
    if array.ndim == 4 and array.shape[-1] == channels:
        return array
    raise _core.Error(
        f"isaac_lab_data: {name} of a finger has the shape {tuple(array.shape)}; give (worlds, fingers, height, width) "
        f"or with {channels} channels behind"
    )


def _places(points: np.ndarray, X_WP: Any, worlds: int, half_turn: bool) -> tuple[np.ndarray, np.ndarray]:
    count = len(points)
    local = np.array([0.0, 0.0, 0.0, 1.0] if half_turn else [1.0, 0.0, 0.0, 0.0])
    if X_WP is None:
        return np.broadcast_to(points, (worlds, count, 3)), np.broadcast_to(local, (worlds, count, 4))
    poses = np.asarray(X_WP, float)
    if poses.shape != (worlds, 4, 4):
        raise _core.Error(f"isaac_lab_data: X_WP has the shape {poses.shape}; give ({worlds}, 4, 4)")
    poses = np.stack([pose_matrix(X, f"X_WP[{k}]") for k, X in enumerate(poses)])
    position = np.einsum("wij,nj->wni", poses[:, :3, :3], points) + poses[:, None, :3, 3]
    quats = np.stack([_product(_quaternion(X[:3, :3]), local) for X in poses])
    return position, np.broadcast_to(quats[:, None], (worlds, count, 4))


def _quaternion(R: np.ndarray) -> np.ndarray:
    """w x y z with w >= 0: the eigenvector of the greatest eigenvalue of Bar-Itzhack's matrix."""
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    K = np.empty((4, 4))
    K[0, 0], K[0, 1:], K[1:, 0] = np.trace(R), skew, skew
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0 else -q


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two quaternions, w first."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def _beside(array: np.ndarray, like: Any) -> Any:
    """The array as it is; where the forces are torch's, as torch's on their device."""
    if like is None:
        return array
    import torch

    return torch.as_tensor(np.ascontiguousarray(array), dtype=like.dtype, device=like.device)
