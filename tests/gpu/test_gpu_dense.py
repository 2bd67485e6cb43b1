"""Mode release against its formula in dense torch, over all points and markers."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, needs_gpu

import taxel

pytestmark = needs_gpu


@pytest.mark.parametrize("worlds", [64, 256])
def test_release_is_dense_torch(worlds):
    pytest.importorskip("torch")
    from gpu_dense_torch import MINI, RADIUS, DenseRelease, ball_ways, fibonacci_ball

    points, normals, _ = fibonacci_ball()
    ball = taxel.Body.sphere(RADIUS)
    field = taxel.MarkerField(MINI.pad, MINI.markers, ball, mode="release", points=points, normals=normals)
    path, shift = ball_ways(worlds)
    batch, dense = field.batch(worlds, 2, device="cuda"), DenseRelease(path)
    batch.step(dense.above)
    batch.step(path[0])
    dense.step(path[0], shift)
    ours = batch.step(path[-1], shift).numpy()
    for f, pixels in enumerate(dense.look(path[-1], shift)):
        assert np.abs(ours[:, f]).max() > 1
        check(f"finger {f}", float(np.abs(1000 / 0.065 * pixels.cpu().numpy() - ours[:, f]).max()), 2e-3, "px")
