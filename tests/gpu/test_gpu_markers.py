"""Marker fields on a GPU: against the CPU in all modes, twice the same bits, gradients, poses in the world, poses that
are not finite."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, in_world, make_field, needs_gpu, paths, poison, upload

import taxel

pytestmark = needs_gpu

CASES = [(mode, False, 48, 40, shift, {}) for mode in ("taxel", "paper", "release") for shift in (False, True)] + [
    ("taxel", True, 24, 40, True, {}),
    ("paper", True, 24, 40, True, {}),
    ("taxel", False, 24, 20, True, {"substeps": 4}),
    ("taxel", False, 24, 20, False, {"creep": 0.4, "creep_time": 0.05}),
]


@pytest.mark.parametrize(("mode", "dome", "worlds", "steps", "shift", "more"), CASES)
def test_float_on_the_gpu_is_double_on_the_cpu(mode, dome, worlds, steps, shift, more):
    torch = pytest.importorskip("torch")
    field, height = make_field(mode, dome, radius=1.2e-3, **more)
    options = {"wrench": True, "marker_forces": True} if mode == "taxel" else {}
    cpu, gpu = field.batch(worlds, 2, **options), field.batch(worlds, 2, device="cuda", **options)
    rng = np.random.default_rng(len(mode) + steps)
    path = paths(rng, 2 * worlds, steps, height).reshape(steps, worlds, 2, 4, 4).astype(np.float32)
    moved = rng.normal(0, 1.5e-4, (worlds, 2, 3)).astype(np.float32) if shift else None
    if shift and mode == "taxel":  # whole motions
        moved = np.array([[taxel.pose(p, quat=(1, 0.002, -0.003, 0.004)) for p in row] for row in moved], np.float32)
    for name, low, high in (("friction", 0.3, 0.8), ("lambda_s", 9e3, 1.3e5), ("shear_scale", 1e4, 3e4)):
        values = rng.uniform(low, high, worlds)
        cpu.set_parameters(**{name: values})
        gpu.set_parameters(**{name: values})
    worst, most, flips, force = 0.0, 0.0, 0, 0.0
    on_gpu, moved_gpu = upload(path), None if moved is None else upload(moved)
    for t in range(steps):
        a = cpu.step(path[t], moved, dt=0.01)
        poison(gpu._displacement)
        b = gpu.step(on_gpu[t], moved_gpu, dt=0.01).numpy()
        error = np.abs(a - b).max(axis=(2, 3))
        flips += int((error > 1e-3).sum())
        worst, most = max(worst, float(np.median(error)), float(np.quantile(error, 0.999))), max(most, np.abs(a).max())
        if mode == "taxel":
            w, v = cpu.wrench, gpu.wrench.numpy()
            force = max(force, float(np.abs(w - v).max() / max(1e-9, np.abs(w).max())))
            f, g = cpu.marker_forces, gpu.marker_forces.numpy()
            force = max(force, float(np.abs(f - g).max() / max(1e-9, np.abs(f).max())))
        if t == steps // 3:
            mask = rng.random(worlds) < 0.3
            cpu.reset(mask)
            gpu.reset(torch.tensor(mask, device="cuda"))
        if t == steps // 2:
            cpu.zero_tangential()
            gpu.zero_tangential()
    check(f"of {most:.1f} px", worst, 1e-3, "px")
    check(f"steps of a finger off by more, of {steps * worlds * 2}", flips, 2e-3 * steps * worlds * 2)
    if mode == "taxel":
        check("forces", force, 2e-4, "of the largest")


def test_two_runs_have_the_same_bits():
    pytest.importorskip("torch")
    field, height = make_field("taxel")
    path = upload(paths(np.random.default_rng(0), 128, 20, height).reshape(20, 64, 2, 4, 4))
    results = []
    for _ in range(2):
        batch = field.batch(64, 2, device="cuda")
        results.append(np.stack([batch.step(X).numpy() for X in path]))
    np.testing.assert_array_equal(results[0], results[1])


def test_gradients(steps=6, worlds=3):
    pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    rng = np.random.default_rng(5)
    path = paths(rng, 2 * worlds, 24, height).reshape(24, worlds, 2, 4, 4)[2 : 2 + steps].astype(np.float32)
    cpu, gpu = field.batch(worlds, 2), field.batch(worlds, 2, device="cuda")
    pixels, back = cpu.rollout(path)
    seeds = rng.normal(size=pixels.shape)
    poses, parameters = back(seeds)
    out, back_gpu = gpu.rollout(upload(path))
    poses_gpu, parameters_gpu = back_gpu(upload(seeds))
    check("rollout", float(np.abs(out.numpy() - pixels).max()), 1e-3, "px")
    a, b = poses[..., :3, :].reshape(steps, worlds, 2, 1, 3, 4), poses_gpu.numpy()
    check("gradient of poses", float(np.abs(a - b).max() / np.abs(a).max()), 1e-3, "of the largest")
    a, b = parameters, parameters_gpu.numpy()[..., :8]
    check("gradient of parameters", float((np.abs(a - b) / np.abs(a).max(axis=(0, 1))).max()), 1e-3, "of the largest")
    again = [array.numpy() for array in back_gpu(upload(seeds))]  # the rollout can be asked again
    np.testing.assert_array_equal(again[0], poses_gpu.numpy())
    np.testing.assert_array_equal(again[1], parameters_gpu.numpy())


def test_a_rollout_of_no_steps():
    pytest.importorskip("torch")
    batch = make_field("taxel", radius=2e-3)[0].batch(2, 2, device="cuda")
    pixels, back = batch.rollout(upload(np.zeros((0, 2, 2, 4, 4))))
    assert pixels.shape == (0, 2, 2, 63, 3)
    poses, parameters = back(upload(np.zeros(pixels.shape)))
    assert poses.shape == (0, 2, 2, 1, 3, 4)
    np.testing.assert_array_equal(parameters.numpy(), 0)


def test_poses_in_the_world():
    """float32, 0.3 m away."""
    pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    worlds, count, rng = 32, 7, np.random.default_rng(3)
    relative = paths(rng, 2 * worlds, 6, height).reshape(6, worlds, 2, 4, 4)
    a, b = field.batch(worlds, 1, device="cuda"), field.batch(worlds, 1, device="cuda")
    worst = 0.0
    for t in range(6):
        position, rotation, offset = in_world(relative[t, :, 0], rng, count, 0.3)
        if t == 0:
            b.attach([4], [2], count, pad_offsets=[offset])
        one = a.step(upload(relative[t, :, :1])).numpy()
        two = b.step_world(upload(position), upload(rotation)).numpy()
        worst = max(worst, float(np.abs(one - two).max()))
    check("against relative poses", worst, 0.1, "px")


def test_a_pose_that_is_not_finite_gives_nan_and_leaves_the_memory():
    pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    path = paths(np.random.default_rng(2), 16, 8, height).reshape(8, 8, 2, 4, 4).astype(np.float32)
    bad = field.batch(8, 2, device="cuda", wrench=True)
    wrong = path.copy()
    wrong[3, 5, 1, 0, 3], wrong[4, 2, 0, 1, 1] = np.nan, np.inf
    for t in range(8):
        if t not in (3, 4):
            bad.step(upload(path[t]))
            continue
        seen = bad.step(upload(wrong[t])).numpy()
        lost = (5, 1) if t == 3 else (2, 0)
        assert np.isnan(seen[lost]).all()
        assert np.isfinite(np.delete(seen, lost[0], 0)).all()
        assert np.isnan(bad.wrench.numpy()[lost]).all()
    again = field.batch(8, 2, device="cuda")  # one that never saw the pose of t = 3
    for t in (0, 1, 2, 4, 5, 6, 7):
        again.step(upload(path[t]))
    np.testing.assert_array_equal(again._displacement.numpy()[5, 1], bad._displacement.numpy()[5, 1])
