"""Turns as quaternions (w first) in torch, of any number of worlds at once. Nothing here waits for a device."""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

import numpy as np
import torch

Tensor: TypeAlias = torch.Tensor


def multiply(a: Tensor, b: Tensor) -> Tensor:
    aw, ax, ay, az = a.unbind(-1)
    bw, bx, by, bz = b.unbind(-1)
    return torch.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        -1,
    )


def conjugate(q: Tensor) -> Tensor:
    return torch.cat([q[..., :1], -q[..., 1:]], -1)


def rotate(q: Tensor, v: Tensor) -> Tensor:
    u, w = q[..., 1:], q[..., :1]
    t = 2.0 * torch.linalg.cross(u, v)
    return v + w * t + torch.linalg.cross(u, t)


def rotate_back(q: Tensor, v: Tensor) -> Tensor:
    return rotate(conjugate(q), v)


def upper(q: Tensor) -> Tensor:
    """The one of q and -q, which are the same turn, with w >= 0, of length 1."""
    q = q / q.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    return torch.where(q[..., :1] < 0, -q, q)


def turn(v: Tensor) -> Tensor:
    """The turn about v by its length, rad."""
    angle = v.norm(dim=-1, keepdim=True)
    half = 0.5 * angle
    factor = torch.where(angle > 1e-6, torch.sin(half) / angle.clamp(min=1e-6), torch.full_like(angle, 0.5))
    return torch.cat([torch.cos(half), factor * v], -1)


def angle_axis(q: Tensor) -> Tensor:
    """The inverse of ``turn``, at most half a turn."""
    q = upper(q)
    v, w = q[..., 1:], q[..., :1]
    n = v.norm(dim=-1, keepdim=True)
    factor = torch.where(n > 1e-6, 2.0 * torch.atan2(n, w) / n.clamp(min=1e-6), 2.0 * torch.ones_like(n))
    return factor * v


def about(axis: int, angle: Tensor) -> Tensor:
    """Turns by angle (...,) about a coordinate axis."""
    v = torch.zeros(*angle.shape, 3, dtype=angle.dtype, device=angle.device)
    v[..., axis] = angle
    return turn(v)


def matrix(q: Tensor) -> Tensor:
    w, x, y, z = (q / q.norm(dim=-1, keepdim=True).clamp(min=1e-12)).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, -1).reshape(*q.shape[:-1], 3, 3)


def relative(p: Tensor, q: Tensor, p_of: Tensor, q_of: Tensor) -> tuple[Tensor, Tensor]:
    """The pose (p_of, q_of) in the frame (p, q)."""
    return rotate_back(q, p_of - p), multiply(conjugate(q), q_of)


def pose_matrix(p: Tensor, q: Tensor) -> Tensor:
    """(..., 4, 4)."""
    X = torch.zeros(*p.shape[:-1], 4, 4, dtype=p.dtype, device=p.device)
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = matrix(q), p, 1.0
    return X


def constant(values: Any, like: Tensor) -> Tensor:
    """The same tensor each time, made once: a copy from the host waits, and cannot stand in a CUDA graph. Not to be
    written to."""
    array = np.asarray(values, np.float64)
    return _held(array.tobytes(), array.shape, "float64", like.dtype, like.device)


def rows(numbers: list[int], like: Tensor) -> Tensor:
    """Row numbers to index with, held as ``constant`` holds its."""
    array = np.asarray(numbers, np.int64)
    return _held(array.tobytes(), array.shape, "int64", torch.int64, like.device)


@functools.cache
def _held(data: bytes, shape: tuple[int, ...], kind: str, dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.as_tensor(np.frombuffer(data, kind).reshape(shape).copy(), dtype=dtype, device=device)
