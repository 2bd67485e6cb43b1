"""HydroShear's step as its authors write it: every point and every marker, (worlds, P, N, 3), in NumPy and in torch.

One gel (a flat box), a ball, mode "release" with its defaults; what ``marker-speed`` measures taxel against.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LAMBDA_D, LAMBDA_S, FRICTION, SCALE = 20000.0, 10800.0, 0.5, 1000 / 0.065


@dataclass
class DenseNumpy:
    """One world and finger, float64."""

    points: np.ndarray
    markers: np.ndarray
    half: np.ndarray
    """Half sizes of the gel, m."""
    radius: float
    """Of the ball, m."""

    def __post_init__(self) -> None:
        self._before: tuple[np.ndarray, np.ndarray] | None = None
        self._f = np.zeros_like(self.points)
        between = self.markers[:, None] - self.markers[None]
        self._between, self._weight = between, np.exp(-LAMBDA_D * (between**2).sum(-1))

    def _distance(self, o: np.ndarray) -> np.ndarray:
        q = np.abs(o) - self.half
        return np.linalg.norm(np.maximum(q, 0), axis=-1) + np.minimum(q.max(-1), 0)

    def step(self, X: np.ndarray) -> np.ndarray:
        """(N, 3) px."""
        depth = np.maximum(self.radius - np.linalg.norm((self.markers - X[:3, 3]) @ X[:3, :3], axis=-1), 0)
        dilation = np.einsum("j,ijk,ij->ik", depth, self._between, self._weight)
        o = self.points @ X[:3, :3].T + X[:3, 3]
        phi = self._distance(o)
        o_before, phi_before = self._before if self._before is not None else (o, phi)
        entered = np.maximum(-phi, 0) - np.maximum(-phi_before, 0)
        same = phi_before == phi
        alpha = np.where(same, phi < 0, entered / np.where(same, 1.0, phi_before - phi))
        f = self._f + alpha[:, None] * (o_before - o)
        normal = np.maximum(f[:, 2:], 0)
        flat = np.linalg.norm(f[:, :2], axis=-1, keepdims=True)
        f = np.concatenate([f[:, :2] * np.minimum(FRICTION * normal, flat) / (flat + 1e-8), normal], axis=-1)
        f[phi >= 0] = 0
        self._f, self._before = f, (o, phi)
        away = self.markers[None] - (o + f)[:, None]
        shear = -(f[:, None, 2:] * f[:, None] * np.exp(-LAMBDA_S * (away**2).sum(-1, keepdims=True))).sum(0)
        return SCALE * (dilation + shear)


class DenseTorch:
    """Many worlds of one finger, float32, with or without the gravity pass."""

    def __init__(
        self, points: np.ndarray, markers: np.ndarray, half: np.ndarray, radius: float, device: str = "cpu"
    ) -> None:
        import torch

        self.torch, self.radius = torch, radius
        self.points, self.markers, self.half = (
            torch.tensor(np.asarray(x), device=device, dtype=torch.float32) for x in (points, markers, half)
        )
        self.between = self.markers[:, None] - self.markers[None]
        self.weight = torch.exp(-LAMBDA_D * (self.between**2).sum(-1))
        self.state: Any = None

    def _distance(self, o: Any) -> Any:
        q = o.abs() - self.half
        return q.clamp(min=0).norm(dim=-1) + q.amax(-1).clamp(max=0)

    def _track(self, f: Any, o: Any, phi: Any, o_before: Any, phi_before: Any) -> Any:
        torch = self.torch
        entered = torch.relu(-phi) - torch.relu(-phi_before)
        same = phi_before == phi
        alpha = torch.where(same, (phi < 0).float(), entered / torch.where(same, 1.0, phi_before - phi))
        f = f + alpha[..., None] * (o_before - o)
        normal = torch.relu(f[..., 2:])
        flat = f[..., :2].norm(dim=-1, keepdim=True)
        f = torch.cat([f[..., :2] * torch.minimum(FRICTION * normal, flat) / (flat + 1e-8), normal], -1)
        return torch.where((phi < 0)[..., None], f, torch.zeros_like(f))

    def step(self, X: Any, shift: Any = None) -> Any:
        """X (worlds, 4, 4), shift (worlds, 3) or None; (worlds, N, 3) px."""
        torch = self.torch
        p_I = torch.einsum("eji,enj->eni", X[:, :3, :3], self.markers - X[:, None, :3, 3])
        depth = torch.relu(self.radius - p_I.norm(dim=-1))
        dilation = torch.einsum("ej,ijk,ij->eik", depth, self.between, self.weight)
        o = torch.einsum("eij,pj->epi", X[:, :3, :3], self.points) + X[:, None, :3, 3]
        phi = self._distance(o)
        f, o_before, phi_before = self.state if self.state is not None else (torch.zeros_like(o), o, phi)
        f = self._track(f, o, phi, o_before, phi_before)
        self.state = f, o, phi
        if shift is not None:
            later = o + shift[:, None]
            f = self._track(f, later, self._distance(later), o, phi)
        away = self.markers[None, None] - (o + f)[:, :, None]
        shear = -(f[..., None, 2:] * f[:, :, None] * torch.exp(-LAMBDA_S * (away**2).sum(-1, keepdim=True)))
        return SCALE * (dilation + shear.sum(1))


def find_torch() -> Any:
    """The module, or None."""
    try:
        import torch
    except ImportError:
        return None
    return torch
