"""Soft contact of many worlds inside mujoco_warp on the GPU: against the CPU device, in a graph, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, needs_gpu

pytestmark = needs_gpu


def held(device: str, worlds: int, graph: bool = False, steps: int = 200):
    """A peg that two pads hold: poses and readings at the end."""
    pytest.importorskip("mujoco_warp")
    import mujoco_warp as mjw
    import warp as wp

    from taxel.experiments.batch.scenes import Both, peg

    with wp.ScopedDevice(device):
        both = Both(peg(), worlds=worlds, ctrl=10.0, device=device, blocks=4)
        m, d = both.m, both.d
        m.opt.deterministic = 7
        d.ctrl.assign(np.full((worlds, 2), 10.0, np.float32))
        mjw.step(m, d)
        if graph:
            with wp.ScopedCapture() as capture:
                mjw.step(m, d)
        for _ in range(steps - 1):
            wp.capture_launch(capture.graph) if graph else mjw.step(m, d)
        wp.synchronize()
        assert both.soft.overflow() == 0
        return d.qpos.numpy(), both.soft["left"].pressure.numpy(), both.soft.force.numpy()


def test_the_gpu_holds_a_peg_as_the_cpu_does():
    cpu, gpu = held("cpu", 2), held("cuda:0", 256)
    check("place of the peg", float(np.abs(gpu[0] - cpu[0][:1]).max()), 2e-5, "m")
    check("sum of the taxels", float(np.abs(gpu[1].sum(1) / cpu[1][0].sum() - 1).max()), 1e-3, "")


def test_a_graph_gives_what_launches_give():
    plain, graph = held("cuda:0", 64), held("cuda:0", 64, graph=True)
    for a, b in zip(plain, graph, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_two_runs_have_the_same_bits():
    first, second = held("cuda:0", 128, graph=True), held("cuda:0", 128, graph=True)
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


def test_hits_in_a_thousand_worlds(worlds=1024):
    pytest.importorskip("mujoco_warp")
    import mujoco
    import mujoco_warp as mjw

    import taxel
    import taxel.warp

    step, thickness, mass = 0.002, 0.004, 0.3
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = step
    taxel.sensors.pad(size=(0.1, 0.1), shape=(16, 16), modulus=5e5, thickness=thickness).add_to(spec)
    body = spec.worldbody.add_body(name="box", pos=(0, 0, 0.1))
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.015, 0.02, 0.01), mass=mass)
    model = spec.compile()
    data = mujoco.MjData(model)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=48, njmax=128)
    soft = taxel.warp.attach(model, m, d, blocks=4)
    rng = np.random.default_rng(7)
    qpos, qvel = np.tile(data.qpos, (worlds, 1)), np.zeros((worlds, 6))
    qpos[:, 3:] = rng.normal(size=(worlds, 4))
    qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1)[:, None]
    qpos[:, :2] = rng.uniform(-0.02, 0.02, (worlds, 2))
    qpos[:, 2] = 0.5 * thickness + 0.028
    qvel[:, 2] = -np.geomspace(0.1, 5, worlds)
    qvel[:, 3:] = 5 * rng.normal(size=(worlds, 3))
    d.qpos.assign(qpos.astype(np.float32))
    d.qvel.assign(qvel.astype(np.float32))
    speed = np.linalg.norm(qvel[:, :3], axis=1)
    for _ in range(150):
        mjw.step(m, d)
    after, v = d.qpos.numpy(), np.linalg.norm(d.qvel.numpy()[:, :3], axis=1)
    assert np.isfinite(after).all() and soft.overflow() == 0
    over = np.abs(after[:, :2]).max(1) < 0.045
    assert (after[over, 2] > -0.5 * thickness).all()
    # What came down gives back no more than it brought, with its spin and its height.
    assert (v <= np.sqrt(speed**2 + 0.02**2 * 75 + 2 * 9.81 * 0.1)).all()
