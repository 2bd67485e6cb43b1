"""Marker fields on the arrays of mujoco_warp, without a copy, against the CPU on the same poses."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, needs_gpu

pytestmark = needs_gpu


def test_poses_of_mujoco_warp(worlds=256, steps=25):
    pytest.importorskip("mujoco_warp")
    import warp
    from gpu_warp_scene import Balls

    balls = Balls(worlds)
    cpu = balls.field.batch(worlds, 2, wrench=True)
    worst, most, force = 0.0, 0.0, 0.0
    for _ in range(steps):
        balls.step(warp.get_stream())
        pixels = balls.batch._displacement.numpy(warp.get_stream())
        wanted = cpu.step(balls.relative())
        worst, most = max(worst, float(np.abs(pixels - wanted).max())), max(most, float(np.abs(wanted).max()))
        force = max(force, float(np.abs(cpu.wrench).max()))
    assert most > 1
    check(f"of {most:.1f} px, up to {force:.1f} N", worst, 0.05, "px")
