"""Gradients of marker fields: modes "layer" and "taxel" (MarkerField.rollout, jacobian, pose_jacobian)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from .field import MarkerField

Pullback = Callable[[Any], tuple[np.ndarray, dict[str, float]]]

DIFFERENTIABLE = (
    "lambda_d", "lambda_s", "friction", "normal_stiffness", "shear_stiffness", "squeeze", "dilate_scale", "shear_scale",
)  # fmt: skip
"""Parameters of mode "taxel" that have a gradient."""
LAYER_GRADIENTS = ("friction", "young", "poisson", "thickness", "pixel", "marker_depth")
"""Parameters of mode "layer" that have a gradient: all."""


def rollout(field: MarkerField, path: Any) -> tuple[np.ndarray, Pullback]:
    path, objects, count = _path(field, "rollout", path), field.object_count or 1, len(field.markers)
    names = LAYER_GRADIENTS if field.mode == "layer" else DIFFERENTIABLE
    tape = _core.make_layer_tape(field._core) if field.mode == "layer" else field._core.tape()
    pixels = np.asarray(tape.follow(path.reshape(-1, 4, 4), objects, count))

    def pullback(cotangents: Any) -> tuple[np.ndarray, dict[str, float]]:
        seeds = np.ascontiguousarray(cotangents, float)
        if seeds.shape != pixels.shape:
            raise _core.Error(f"rollout: cotangents have the shape {seeds.shape}; give {pixels.shape}")
        poses, numbers = tape.backward(seeds.reshape(-1, 3), objects, count)
        return poses.reshape(path.shape), dict(zip(names, map(float, numbers), strict=True))

    return pixels, pullback


def jacobian(field: MarkerField, path: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    path = _path(field, "jacobian", path)
    if field.mode == "layer":
        pixels, tape = _layer_tape(field, "jacobian", path)
        return pixels, dict(zip(LAYER_GRADIENTS, tape.jacobian()[0], strict=True))
    pixels, columns = field._core.jacobian(path.reshape(-1, 4, 4))
    return pixels, dict(zip(DIFFERENTIABLE, columns, strict=True))


def pose_jacobian(field: MarkerField, path: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    field._layer_only("pose_jacobian")
    pixels, tape = _layer_tape(field, "pose_jacobian", _path(field, "pose_jacobian", path))
    _, markers, _, wrench = tape.jacobian()
    by = {"markers": markers.transpose(2, 3, 0, 1), "wrench": wrench.transpose(2, 0, 1)}
    if field.object_count is None:
        by = {"markers": by["markers"][:, :, 0], "wrench": by["wrench"][:, 0]}
    return pixels, {name: np.ascontiguousarray(rows) for name, rows in by.items()}


def _layer_tape(field: MarkerField, where: str, path: np.ndarray) -> tuple[np.ndarray, Any]:
    if not len(path):
        raise _core.Error(f"MarkerField.{where}: the path is empty; give at least one pose")
    tape = _core.make_layer_tape(field._core)
    pixels = np.asarray(tape.follow(path.reshape(-1, 4, 4), field.object_count or 1, len(field.markers)))
    return pixels[-1].copy(), tape


def _path(field: MarkerField, where: str, path: Any) -> np.ndarray:
    if field.mode not in ("layer", "taxel"):
        raise _core.Error(
            f"MarkerField.{where}: mode {field.mode!r} is kept as published, without a gradient; use mode 'layer' or "
            "'taxel'"
        )
    path = np.ascontiguousarray(path, float)
    wanted = (4, 4) if field.object_count is None else (field.object_count, 4, 4)
    if path.shape[1:] != wanted:
        raise _core.Error(f"MarkerField.{where}: path has the shape {path.shape}; give (T, {str(wanted)[1:]}")
    return path
