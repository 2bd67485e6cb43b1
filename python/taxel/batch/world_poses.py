"""Poses in the world of an engine's arrays, as poses of objects in the pads' frames."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..common.convert import rigid_pose
from .cuda import CudaArray, device_address, to_device

FRAMES = {"geom": ("geom_xpos", "geom_xmat"), "body": ("xpos", "xmat"), "site": ("site_xpos", "site_xmat")}
_COUNTS = {"geom": "ngeom", "body": "nbody", "site": "nsite"}


def count_of(count: Any, of: str, where: str) -> int:
    """Rows of the arrays: a number, or that of an mjModel."""
    if of not in FRAMES:
        raise _core.Error(f"{where}: of is {of!r}; give one of {', '.join(FRAMES)}")
    rows = _whole(getattr(count, _COUNTS[of], count))
    if rows is None or rows < 1:
        raise _core.Error(f"{where}: count is {count!r}; give the mjModel, or how many rows its arrays have")
    return rows


def _whole(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        return None


def rows_of(given: Sequence[int | str], model: Any, of: str, count: int, wanted: int, where: str) -> list[int]:
    """Rows of pads or objects, from numbers or (with an mjModel) names."""
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != wanted:
        raise _core.Error(f"{where} is {given!r}; give {wanted} rows in 0 to {count - 1}")
    rows = []
    for row in given:
        if isinstance(row, str):
            row = _row_named(row, model, of, where)
        number = _whole(row)
        if number is None or not 0 <= number < count:
            raise _core.Error(f"{where} is {list(given)}; give {wanted} rows in 0 to {count - 1}")
        rows.append(number)
    return rows


def _row_named(name: str, model: Any, of: str, where: str) -> int:
    if not hasattr(model, "ngeom"):
        raise _core.Error(f"{where} has the name {name!r}; names need the mjModel in place of the count")
    try:
        return int(getattr(model, of)(name).id)
    except KeyError as error:
        raise _core.Error(f"{where}: the model has no {of} {name!r}") from error


class Offsets:
    """Poses of n pads or objects in the frames of their rows: the same for all worlds, or one a world."""

    def __init__(self, given: Any, worlds: int, n: int, name: str, where: str, device: str) -> None:
        self.shared = np.tile(np.eye(4), (n, 1, 1))
        """(n, 4, 4)."""
        self.own: Any = None
        """(worlds, n, 4, 4): NumPy, on a GPU in device memory. None: all share."""
        if given is None:
            return
        if device == "cuda" and not isinstance(given, np.ndarray | list | tuple):
            device_address(given, (worlds, n, 4, 4), name, where)
            self.own = given
            return
        try:
            shape = np.shape(given)
        except ValueError:  # pairs of a rotation and a place
            shape = ()
        if shape == (worlds, n, 4, 4):
            poses = np.array(given, float)
            for w, k in np.ndindex(worlds, n):
                rigid_pose(poses[w, k], f"{where}: {name} of world {w}, number {k}")
            self.own = poses if device == "cpu" else to_device(poses)
            return
        if len(given) != n:
            raise _core.Error(f"{where}: {len(given)} {name}; give {n}, or ({worlds}, {n}, 4, 4), one a world")
        self.shared = np.ascontiguousarray([rigid_pose(X, f"{name}[{k}]") for k, X in enumerate(given)], float)

    @property
    def address(self) -> int:
        """Of those that differ from world to world, 0 where none do."""
        if self.own is None:
            return 0
        if isinstance(self.own, CudaArray):
            return self.own.address
        return device_address(self.own, tuple(self.own.shape), "offsets", "attach")

    def in_world(self, X_WG: np.ndarray) -> np.ndarray:
        """(worlds, n, 4, 4): of the pads or objects, from those of their rows."""
        return X_WG @ (self.shared if self.own is None else self.own)


def arrays_of(source: Any, of: str, worlds: int, where: str) -> tuple[Any, Any]:
    """Positions and rotations of an engine's data: mujoco_warp's Data, or a list of mjData, one a world."""
    names = FRAMES[of]
    parts = source if isinstance(source, list | tuple) else [source]
    if not all(hasattr(part, name) for part in parts for name in names):
        raise _core.Error(
            f"{where}: rotation is missing; give positions and rotations, mujoco_warp's Data, or {worlds} mjData"
        )
    if not isinstance(source, list | tuple) and getattr(source, names[0]).ndim == (3 if _plain(source) else 2):
        return getattr(source, names[0]), getattr(source, names[1])
    if len(parts) != worlds:
        raise _core.Error(f"{where}: {len(parts)} mjData; give {worlds}, one a world")
    position, rotation = (np.stack([np.asarray(getattr(part, name)) for part in parts]) for name in names)
    return position, rotation


def _plain(source: Any) -> bool:
    return isinstance(source.geom_xpos, np.ndarray)


def host_array(value: Any, shape: tuple[int, ...], name: str, where: str) -> np.ndarray:
    """float64 from NumPy, torch or warp; rotations also as (worlds, count, 9)."""
    if hasattr(value, "__cuda_array_interface__"):
        raise _core.Error(f"{where}: {name} is on the GPU, the batch on the CPU; use device='cuda' or copy it")
    out = np.asarray(value, float)
    if out.shape != shape and not (len(shape) == 4 and out.shape == (*shape[:2], 9)):
        raise _core.Error(f"{where}: {name} has the shape {out.shape}; give {shape}")
    return out.reshape(shape)


def relative_poses(
    position: np.ndarray, rotation: np.ndarray, pads: list[int], objects: list[int], pad: Offsets, thing: Offsets
) -> np.ndarray:
    """X_PI (worlds, fingers, objects, 4, 4)."""
    X_WP = pad.in_world(_rows(position, rotation, pads))
    X_WI = thing.in_world(_rows(position, rotation, objects))
    R_PW = X_WP[..., :3, :3].swapaxes(-1, -2)
    X_PI = np.zeros((*X_WP.shape[:2], len(objects), 4, 4))
    X_PI[..., :3, :3] = R_PW[:, :, None] @ X_WI[:, None, :, :3, :3]
    between = X_WI[:, None, :, :3, 3] - X_WP[:, :, None, :3, 3]
    X_PI[..., :3, 3] = np.einsum("wfij,wfoj->wfoi", R_PW, between)
    X_PI[..., 3, 3] = 1
    return X_PI


def _rows(position: np.ndarray, rotation: np.ndarray, rows: list[int]) -> np.ndarray:
    X = np.zeros((len(position), len(rows), 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = _tidy(rotation[:, rows]), position[:, rows], 1
    return X


def _tidy(R: np.ndarray) -> np.ndarray:
    """Engines in float32 give rotations to 1e-6: one Newton step towards the nearest. What is none stays as it is, and
    the batch says where."""
    gap = R.swapaxes(-1, -2) @ R - np.eye(3)
    near = np.abs(gap).max(axis=(-1, -2)) < 1e-4
    return np.where(near[..., None, None], R - 0.5 * R @ gap, R)
