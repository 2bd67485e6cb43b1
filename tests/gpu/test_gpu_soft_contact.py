"""Soft contact of many worlds inside mujoco_warp on the GPU: against the CPU device, in a graph, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, needs_gpu

pytestmark = needs_gpu


def held(device: str, worlds: int, graph: bool = False, steps: int = 200, bristles: bool = False):
    """A peg that two pads hold, or a block between two Weiss arrays of bristles: poses and readings at the end."""
    pytest.importorskip("mujoco_warp")
    import mujoco_warp as mjw
    import warp as wp

    from taxel.experiments.batch.scenes import Both, peg, weiss_grasp

    with wp.ScopedDevice(device):
        press = 5.0 if bristles else 10.0
        both = Both(weiss_grasp() if bristles else peg(), worlds=worlds, ctrl=press, device=device, blocks=4)
        m, d = both.m, both.d
        m.opt.deterministic = 7
        d.ctrl.assign(np.full((worlds, 2), press, np.float32))
        mjw.step(m, d)
        if graph:
            with wp.ScopedCapture() as capture:
                mjw.step(m, d)
        for _ in range(steps - 1):
            wp.capture_launch(capture.graph) if graph else mjw.step(m, d)
        wp.synchronize()
        assert both.soft.overflow() == 0
        return d.qpos.numpy(), both.soft["left"].pressure.numpy(), both.soft.force.numpy()


@pytest.mark.parametrize("bristles", [False, True])
def test_the_gpu_holds_an_object_as_the_cpu_does(bristles):
    cpu, gpu = held("cpu", 2, bristles=bristles), held("cuda:0", 256, bristles=bristles)
    check("place of the peg", float(np.abs(gpu[0] - cpu[0][:1]).max()), 2e-5, "m")
    check("sum of the taxels", float(np.abs(gpu[1].sum(1) / cpu[1][0].sum() - 1).max()), 1e-3, "")


def test_a_graph_gives_what_launches_give():
    plain, graph = held("cuda:0", 64), held("cuda:0", 64, graph=True)
    for a, b in zip(plain, graph, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bristles", [False, True])
def test_two_runs_have_the_same_bits(bristles):
    first, second = (held("cuda:0", 128, graph=True, bristles=bristles) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("bristles", [False, True])
@pytest.mark.parametrize("name", ["box", "capsule"])
def test_hits_in_a_thousand_worlds(name, bristles):
    """No NaN, no fall-through, no energy from nothing, in each of them."""
    pytest.importorskip("mujoco_warp")
    from taxel.experiments.batch.drops import FOAMS, PADS, drop

    row = drop(name, (FOAMS if bristles else PADS)[1], worlds=1024, seed=7, bristles=bristles)
    assert row["within"] and row["overflow"] == 0, row
