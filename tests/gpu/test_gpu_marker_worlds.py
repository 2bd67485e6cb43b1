"""Marker batches on a GPU as an environment drives them, against the CPU: masked steps, presses from outside, turned
points, offsets and masks of any kind, all inside a CUDA graph."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import check, in_world, make_field, needs_gpu, paths, poison, rotations, upload

pytestmark = needs_gpu
WORLDS = 24
MASK = np.arange(WORLDS) % 3 == 0


def turns(seed: int) -> np.ndarray:
    out = np.tile(np.eye(4), (WORLDS, 1, 1, 1))
    out[:, 0, :3, :3] = rotations(np.random.default_rng(seed), WORLDS, 3.0)
    return out


def worst(a, b) -> float:
    return float(np.quantile(np.abs(a - b).max(axis=(2, 3)), 0.98))


@pytest.mark.parametrize("mode", ["taxel", "paper", "release"])
def test_masked_steps_presses_and_turns(mode):
    torch = pytest.importorskip("torch")
    field, height = make_field(mode, radius=1.2e-3)
    cpu, gpu = field.batch(WORLDS, 2), field.batch(WORLDS, 2, device="cuda")
    path = paths(np.random.default_rng(4), 2 * WORLDS, 8, height).reshape(8, WORLDS, 2, 4, 4).astype(np.float32)
    cpu.turn_points(turns(1))
    gpu.turn_points(upload(turns(1)))
    for t in range(4):
        check("all", worst(cpu.step(path[t]), gpu.step(upload(path[t])).numpy()), 1e-3, "px")
    before = gpu.displacement.numpy()
    seen = path[4].copy()
    seen[~MASK] = np.nan
    got = gpu.step(upload(seen), mask=torch.tensor(MASK, device="cuda")).numpy()
    np.testing.assert_array_equal(got[~MASK], before[~MASK])
    seen[..., 3, :] = (0, 0, 0, 1)
    check("masked", worst(cpu.step(seen, mask=MASK), got), 1e-3, "px")
    want = cpu.reset(MASK, press=3e-3, X_PI=path[5])
    got = gpu.reset(torch.tensor(MASK, device="cuda"), press=3e-3, X_PI=upload(path[5])).numpy()
    check("pressed", worst(want, got), 1e-3, "px")
    np.testing.assert_array_equal(got[~MASK], before[~MASK])


def test_masks_of_any_kind():
    torch = pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    batch = field.batch(WORLDS, 2, device="cuda")
    path = upload(paths(np.random.default_rng(4), 2 * WORLDS, 8, height).reshape(8, WORLDS, 2, 4, 4))
    kinds = [
        torch.bool,
        torch.uint8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
    ]
    masks = [torch.tensor(MASK, device="cuda").to(kind) for kind in kinds] + [MASK, MASK.astype(int).tolist()]
    masks[6][~torch.tensor(MASK, device="cuda")] = -0.0
    results = []
    for mask in masks:
        batch.reset()
        batch.step(path[2])
        results.append(batch.step(path[3], mask=mask).numpy())
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_offsets_of_each_world_are_read_in_every_step():
    pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    rng = np.random.default_rng(3)
    relative = paths(rng, 2 * WORLDS, 4, height).reshape(4, WORLDS, 2, 4, 4)[2, :, 0]
    position, rotation, offset = in_world(relative, rng, 7, 0.05)
    cpu, gpu = field.batch(WORLDS, 1), field.batch(WORLDS, 1, device="cuda")
    own = np.tile(offset, (WORLDS, 1, 1, 1))
    on_gpu = upload(own)
    cpu.attach([4], [2], 7, pad_offsets=own)
    gpu.attach([4], [2], 7, pad_offsets=on_gpu)
    arrays = upload(position), upload(rotation)
    check("own", worst(cpu.step_world(position, rotation), gpu.step_world(*arrays).numpy()), 0.05, "px")
    own[:, 0, :2, 3] += rng.normal(0, 2e-4, (WORLDS, 2))
    on_gpu.copy_(upload(own))
    cpu.attach([4], [2], 7, pad_offsets=own)
    check("moved", worst(cpu.step_world(position, rotation), gpu.step_world(*arrays).numpy()), 0.05, "px")


def test_all_of_it_in_a_graph():
    torch = pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    path = upload(paths(np.random.default_rng(9), 2 * WORLDS, 6, height).reshape(6, WORLDS, 2, 4, 4))
    mask, turn = torch.tensor(MASK, device="cuda").float(), upload(turns(2))
    batch, other = field.batch(WORLDS, 2, device="cuda"), field.batch(WORLDS, 2, device="cuda")
    X = path[1].clone()

    def work(b):
        b.turn_points(turn, mask)
        b.reset(mask, press=3e-3, X_PI=X)
        b.step(X)

    for b in (batch, other):
        work(b)
        b.reset()
    torch.cuda.synchronize()
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph, stream=stream):
        work(batch)
    batch.reset()
    poison(batch.displacement)
    for t in (2, 3):
        X.copy_(path[t])
        graph.replay()
        torch.cuda.synchronize()
        work(other)
        np.testing.assert_array_equal(batch.displacement.numpy(), other.displacement.numpy())
