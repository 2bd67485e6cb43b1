"""EIP presses on the GPU against the CPU: images, poses, chamfer distances, steps; what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_eip_scene import scene
from gpu_scenes import check, needs_gpu

import taxel

pytestmark = needs_gpu

LARGEST = 2e-4
"""Of a difference of images, domains: 0.026 cells. A particle at the object's surface may be stopped a step earlier."""


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (3, {"steps": 90}),
        (3, {"steps": 80, "contact": "mixing"}),
        (3, {"steps": 80, "follow_blend": True, "hand_offset": True, "form": "sum", "chamfer": 0.4}),
        (2, {"steps": 40, "grid": 64, "dt": 4e-3}),
    ],
    ids=["stop", "mixing", "follow blend, offset, sum", "coarse grid"],
)
def test_presses(n, options):
    shapes, which, poses = scene(n)
    cpu = taxel.EipPress(gap=0.26, **options).run(shapes, which, poses)
    gpu = taxel.EipPress(gap=0.26, device="cuda", **options).run(shapes, which, poses)
    np.testing.assert_array_equal(cpu.steps, gpu.steps)
    np.testing.assert_array_equal(cpu.stopped, gpu.stopped)
    check("images", float(np.abs(cpu.images - gpu.images).max()), LARGEST, "domains")
    check("frames", float(np.abs(cpu.X_DP - gpu.X_DP).max()), 1e-12)
    check("chamfer", float(np.abs(cpu.chamfer / gpu.chamfer - 1).max()), 1e-3, "of itself")


def test_a_grid_of_130_is_refused():
    with pytest.raises(taxel.Error, match="multiple of 4"):
        taxel.EipPress(device="cuda", grid=130).run([taxel.Body.sphere(0.05)], [0], [np.eye(4)])
