"""HydroShear's release in dense torch: a check of ours that shares no code with it, and what it costs. Needs torch."""

from __future__ import annotations

import numpy as np
import torch
from gpu_scenes import rotations, upload

import taxel

COUNT, RADIUS = 4096, 12e-3
"""Points of the ball, and its size, m."""
MINI = taxel.gelsight_mini_markers(dome=False)


def fibonacci_ball(count: int = COUNT, radius: float = RADIUS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = np.arange(count)
    z, a = 1 - (2 * k + 1) / count, 2.399963229728653 * k
    n = np.column_stack([np.sqrt(1 - z * z) * np.cos(a), np.sqrt(1 - z * z) * np.sin(a), z])
    return radius * n, n, np.full(count, 4 * np.pi * radius**2 / count)


def ball_ways(worlds: int, frames: int = 16) -> tuple[torch.Tensor, torch.Tensor]:
    """Balls that slide in the gel: poses (frames, worlds, 2, 4, 4), and a shift (worlds, 2, 3) for the gravity pass."""
    rng = np.random.default_rng(1)
    X = np.tile(np.eye(4), (frames, worlds, 2, 1, 1))
    X[..., :3, :3] = rotations(rng, worlds * 2, 3.0).reshape(1, worlds, 2, 3, 3)
    X[..., 2, 3] = 2e-3 + RADIUS - 1.2e-3
    X[..., :2, 3] = rng.uniform(-2e-3, 2e-3, (worlds, 2, 2)) + np.linspace(0, 1e-3, frames)[:, None, None, None]
    shift = torch.tensor([0.0, -2.5e-4, 0.0], device="cuda").expand(worlds, 2, 3).contiguous()
    return upload(X), shift


def dense_torch(points, markers, lambda_d: float, lambda_s: float, mu: float, half, radius: float):
    """The release's step as its authors write it: every point, every marker, (E, P, N, 3); one finger, gravity pass."""

    def distance(o):  # flat gel: the box
        q = o.abs() - half
        return q.clamp(min=0).norm(dim=-1) + q.amax(-1).clamp(max=0)

    def track(f, o, phi, o_before, phi_before):
        d_in = torch.relu(-phi) - torch.relu(-phi_before)
        alpha = torch.nan_to_num(d_in / (phi_before - phi), nan=0.0, posinf=0.0, neginf=0.0)
        alpha = torch.where(phi_before == phi, (phi < 0).float(), alpha)
        f = f + alpha[..., None] * (o_before - o)
        normal = torch.relu(f[..., 2:])
        flat = f[..., :2].norm(dim=-1, keepdim=True)
        f = torch.cat([f[..., :2] * torch.minimum(mu * normal, flat) / (flat + 1e-8), normal], -1)
        return torch.where((phi < 0)[..., None], f, torch.zeros_like(f))

    def step(X, f, o_before, phi_before, shift):
        p_I = torch.einsum("eji,enj->eni", X[:, :3, :3], markers - X[:, None, :3, 3])
        depth = torch.relu(radius - p_I.norm(dim=-1))
        between = markers[:, None] - markers[None]
        weight = torch.exp(-lambda_d * (between**2).sum(-1))
        dilation = torch.einsum("ej,ijk,ij->eik", depth, between, weight)
        o = torch.einsum("eij,pj->epi", X[:, :3, :3], points) + X[:, None, :3, 3]
        phi = distance(o)
        f = track(f, o, phi, o_before, phi_before)
        later = o + shift
        g = track(f, later, distance(later), o, phi)
        away = markers[None, None] - (o + g)[:, :, None]  # (E, P, N, 3)
        shear = -(
            g[..., 2:, None].transpose(2, 3) * g[:, :, None] * torch.exp(-lambda_s * (away**2).sum(-1, keepdim=True))
        )
        return dilation + shear.sum(1), f, o, phi

    return step


class DenseRelease:
    """Two fingers one after the other, from above the gel."""

    def __init__(self, path: torch.Tensor) -> None:
        points, _, _ = fibonacci_ball()
        half = upload([20.75e-3 / 2, 25.25e-3 / 2, 2e-3])
        self._step = dense_torch(upload(points), upload(MINI.markers), 20000.0, 10800.0, 0.5, half, RADIUS)
        self.above = path[0].clone()
        self.above[..., 2, 3] += 2e-3
        self._state = []
        for f in (0, 1):
            X = self.above[:, f]
            o = torch.einsum("eij,pj->epi", X[:, :3, :3], upload(points)) + X[:, None, :3, 3]
            q = o.abs() - half
            phi = q.clamp(min=0).norm(dim=-1) + q.amax(-1).clamp(max=0)
            self._state.append([torch.zeros_like(o), o, phi])

    def look(self, X: torch.Tensor, shift: torch.Tensor) -> list[torch.Tensor]:
        """A step of both fingers that is not remembered; m at scale 1, (worlds, N, 3) each."""
        return [self._step(X[:, f], *self._state[f], shift[:, f : f + 1])[0] for f in (0, 1)]

    def step(self, X: torch.Tensor, shift: torch.Tensor) -> None:
        for f in (0, 1):
            _, *self._state[f] = self._step(X[:, f], *self._state[f], shift[:, f : f + 1])
