"""Marker mode layer on a GPU, against the CPU: along paths with resets, masks, presses and numbers of each world; flat
and domed gels; objects in closed form and on a lattice, two at a time; poses in the world, poses that are not finite;
twice the same bits; all of it in a CUDA graph. scripts/gpu_layer_speed.py has the times."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import TETRAHEDRON, check, in_world, needs_gpu, paths, poison, upload

import taxel

pytestmark = needs_gpu
FLAT = taxel.gelsight_mini_markers(dome=False)
WORLDS = 24
MASK = np.arange(WORLDS) % 3 == 0


def layer_field(kind: str = "ball") -> tuple[taxel.MarkerField, float]:
    """A field, and the height of its objects where they touch."""
    mini = taxel.gelsight_mini_markers() if kind == "dome" else FLAT
    top = float(mini.markers[:, 2].max())
    objects = {
        "ball": (taxel.Body.sphere(8e-3), 8e-3),
        "large ball": (taxel.Body.sphere(17.5e-3), 17.5e-3),  # pressed deep, it touches more cells than a window holds
        "dome": (taxel.Body.sphere(8e-3), 8e-3),
        "ellipsoid": (taxel.Body.ellipsoid((6e-3, 8e-3, 7e-3)), 7e-3),
        "box": (taxel.Body.box((8e-3, 7e-3, 9e-3)), 4.5e-3),
        "lattice": (taxel.MarkerDistance(taxel.Body.sphere(8e-3), "trilinear", spacing=0.4e-3), 8e-3),
    }
    thing, away = objects[kind]
    return taxel.MarkerField(mini.pad, mini.markers, thing, mode="layer"), top + away


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """Of 98 % of the fingers: one whose last cell just touches or just does not may be further off."""
    return float(np.quantile(np.abs(a - b).reshape(a.shape[0] * a.shape[1], -1).max(axis=1), 0.98))


@pytest.mark.parametrize("kind", ["ball", "large ball", "dome", "ellipsoid", "box", "lattice"])
def test_the_gpu_is_the_cpu(kind):
    torch = pytest.importorskip("torch")
    steps = 20
    field, height = layer_field(kind)
    options = {"wrench": True, "marker_forces": True}
    cpu, gpu = field.batch(WORLDS, 2, **options), field.batch(WORLDS, 2, device="cuda", **options)
    rng = np.random.default_rng(steps)
    path = paths(rng, 2 * WORLDS, steps, height).reshape(steps, WORLDS, 2, 4, 4).astype(np.float32)
    if kind == "box":
        path[..., :3, :3] = np.eye(3)
    shift = rng.normal(0, 1e-4, (WORLDS, 2, 3)).astype(np.float32)
    turned = np.array([[taxel.pose(p, quat=(1, 0.002, -0.003, 0.004)) for p in row] for row in shift], np.float32)
    for name, low, high in (("friction", 0.3, 0.8), ("young", 1e5, 3e5), ("pixel", 5e-5, 8e-5)):
        values = rng.uniform(low, high, WORLDS).astype(np.float32)
        cpu.set_parameters(**{name: values})
        gpu.set_parameters(**{name: values})
    motion = force = worst = worst_force = 0.0
    for t in range(steps):
        passing = (None, shift, None, shift if kind == "box" else turned)[t % 4]
        a = cpu.step(path[t], passing)
        poison(gpu._displacement)
        b = gpu.step(upload(path[t]), None if passing is None else upload(passing)).numpy()
        motion, worst = max(motion, float(np.abs(a).max())), max(worst, apart(a, b))
        force = max(force, float(np.abs(cpu.wrench[..., :3]).max()))
        for one, other in ((cpu.wrench, gpu.wrench), (cpu.marker_forces, gpu.marker_forces)):
            worst_force = max(worst_force, apart(one, other.numpy()))
        if t == steps // 3:
            mask = rng.random(WORLDS) < 0.3
            cpu.reset(mask)
            gpu.reset(torch.tensor(mask, device="cuda"))
        if t == steps // 2:
            cpu.zero_tangential()
            gpu.zero_tangential()
    check(f"of {motion:.1f} px", worst / motion, 1e-3, "of the motion")
    check(f"of {force:.2f} N", worst_force / force, 1e-3, "of the force")
    assert gpu.overflows == 0


def test_two_objects_share_a_gel():
    pytest.importorskip("torch")
    field = taxel.MarkerField(
        FLAT.pad, FLAT.markers, [taxel.Body.sphere(5e-3), taxel.Body.box((6e-3, 6e-3, 6e-3))], mode="layer"
    )
    rng, top = np.random.default_rng(3), float(FLAT.markers[0, 2])
    path = np.stack([paths(rng, 4, 12, top + h).reshape(12, 2, 2, 4, 4) for h in (5e-3, 3e-3)], axis=3)
    path[..., 0, 1, 3] -= 4e-3
    path[..., 1, :3, :3] = np.eye(3)
    path = path.astype(np.float32)
    cpu, gpu = field.batch(2, 2), field.batch(2, 2, device="cuda")
    for X in path:
        a, b = cpu.step(X), gpu.step(upload(X)).numpy()
        check("two", apart(a, b) / max(1.0, float(np.abs(a).max())), 1e-3, "of the motion")


def test_masked_steps_and_presses():
    torch = pytest.importorskip("torch")
    field, height = layer_field()
    cpu, gpu = field.batch(WORLDS, 2), field.batch(WORLDS, 2, device="cuda")
    path = paths(np.random.default_rng(4), 2 * WORLDS, 8, height).reshape(8, WORLDS, 2, 4, 4).astype(np.float32)
    for t in range(4):
        check("all", apart(cpu.step(path[t]), gpu.step(upload(path[t])).numpy()), 0.02, "px")
    before = gpu.displacement.numpy()
    seen = path[4].copy()
    seen[~MASK] = np.nan
    got = gpu.step(upload(seen), mask=torch.tensor(MASK, device="cuda")).numpy()
    np.testing.assert_array_equal(got[~MASK], before[~MASK])
    seen[..., 3, :] = (0, 0, 0, 1)
    check("masked", apart(cpu.step(seen, mask=MASK), got), 0.02, "px")
    want = cpu.reset(MASK, press=3e-3, X_PI=path[5])
    got = gpu.reset(torch.tensor(MASK, device="cuda"), press=3e-3, X_PI=upload(path[5])).numpy()
    check("pressed", apart(want, got), 0.02, "px")
    np.testing.assert_array_equal(got[~MASK], before[~MASK])


def test_poses_in_the_world():
    pytest.importorskip("torch")
    field, height = layer_field()
    rng = np.random.default_rng(3)
    relative = paths(rng, WORLDS, 6, height)
    cpu, gpu = field.batch(WORLDS, 1), field.batch(WORLDS, 1, device="cuda")
    for t in range(6):
        position, rotation, offset = in_world(relative[t], rng, 7, 0.05)
        position, rotation = position.astype(np.float32), rotation.astype(np.float32)
        if t == 0:
            cpu.attach([4], [2], 7, pad_offsets=[offset])
            gpu.attach([4], [2], 7, pad_offsets=[offset])
        a = cpu.step_world(position, rotation)
        check("in the world", apart(a, gpu.step_world(upload(position), upload(rotation)).numpy()), 0.1, "px")


def test_a_pose_that_is_not_finite_gives_nan_and_leaves_the_memory():
    pytest.importorskip("torch")
    field, height = layer_field()
    path = paths(np.random.default_rng(2), 16, 8, height).reshape(8, 8, 2, 4, 4).astype(np.float32)
    bad, good = field.batch(8, 2, device="cuda", wrench=True), field.batch(8, 2, device="cuda", wrench=True)
    for t in range(8):
        if t == 3:
            wrong = path[t].copy()
            wrong[5, 1, 0, 3] = np.nan
            seen = bad.step(upload(wrong)).numpy()
            assert np.isnan(seen[5, 1]).all() and np.isfinite(np.delete(seen, 5, 0)).all()
            assert np.isnan(bad.wrench.numpy()[5, 1]).all()
            good.step(upload(path[t]), mask=np.arange(8) != 5)
            continue
        a, b = bad.step(upload(path[t])).numpy(), good.step(upload(path[t])).numpy()
        np.testing.assert_array_equal(a[:5], b[:5])
        np.testing.assert_array_equal(a[5, 1], b[5, 1])


def test_twice_the_same_bits_also_in_a_graph():
    torch = pytest.importorskip("torch")
    field, height = layer_field()
    path = upload(paths(np.random.default_rng(9), 2 * WORLDS, 6, height).reshape(6, WORLDS, 2, 4, 4))
    mask = torch.tensor(MASK, device="cuda").float()
    batch, other = field.batch(WORLDS, 2, device="cuda"), field.batch(WORLDS, 2, device="cuda")
    X = path[1].clone()

    def work(b):
        b.step(X)
        b.zero_tangential(mask)
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


def test_numbers_from_device_memory_and_what_is_refused():
    pytest.importorskip("torch")
    field, height = layer_field()
    batch = field.batch(4, 1, device="cuda", wrench=True)
    assert batch.parameter_names == ("friction", "young", "pixel")
    X = upload(np.tile(taxel.pose((0, 0, height - 5e-4)), (4, 1, 1, 1)))
    batch.step(X)
    once = batch.wrench.numpy()
    batch.set_parameter_rows(upload([[0.5, 4e5, 6.5e-5]] * 4))
    batch.reset()
    batch.step(X)
    np.testing.assert_allclose(batch.wrench.numpy()[:, 0, 2], 2 * once[:, 0, 2], rtol=1e-5)  # young was 2e5
    with pytest.raises(taxel.Error, match="thickness is that of all worlds on a GPU"):
        batch.set_parameters(thickness=3e-3)
    mesh = taxel.MarkerField(FLAT.pad, FLAT.markers, taxel.Body.mesh(*TETRAHEDRON), mode="layer")
    with pytest.raises(taxel.Error, match=r"object 0 is a mesh.*trilinear"):
        mesh.batch(4, 1, device="cuda")
