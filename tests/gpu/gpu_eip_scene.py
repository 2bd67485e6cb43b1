"""Three objects between two pads, each turned anyhow."""

from __future__ import annotations

import numpy as np

import taxel


def scene(n: int) -> tuple[list, list[int], np.ndarray]:
    """Shapes, which of them, and n poses."""
    shapes = [taxel.Body.sphere(0.07), taxel.Body.box((0.12, 0.05, 0.09)), taxel.Body.capsule(0.03, 0.1)]
    rng = np.random.default_rng(3)
    poses = np.tile(np.eye(4), (n, 1, 1))
    for X in poses:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        q *= np.sign(np.diag(r))
        X[:3, :3] = q * np.sign(np.linalg.det(q)) if np.linalg.det(q) > 0 else q[:, [1, 0, 2]]
        X[:3, 3] = 0.5 + rng.uniform(-0.02, 0.02, 3) * [1, 0, 1]
    return shapes, [k % 3 for k in range(n)], poses
