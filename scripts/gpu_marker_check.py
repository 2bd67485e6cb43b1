"""Marker fields on a GPU: against the CPU, with torch, JAX and CuPy, in a CUDA graph, and how long they take.

Prints one line a check and exits with 1 when one fails; writes benchmarks' numbers to OUT/markers_gpu.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import taxel

FAILED: list[str] = []


def report(name: str, value: float, limit: float, unit: str = "") -> None:
    good = bool(value <= limit)
    print(f"{'ok  ' if good else 'FAIL'} {name}: {value:.3g} {unit} (at most {limit:g})")
    if not good:
        FAILED.append(name)


def rotations(rng: np.random.Generator, n: int, most: float) -> np.ndarray:
    """Turns of up to ``most`` radians about any axis, (n, 3, 3)."""
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(0, most, n)[:, None, None]
    K = np.zeros((n, 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    K -= K.transpose(0, 2, 1)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def paths(rng: np.random.Generator, copies: int, steps: int, height: float) -> np.ndarray:
    """Random ways in SE(3): pressed in, dragged, turned, lifted out and pressed in again; (steps, copies, 4, 4)."""
    X = np.tile(np.eye(4), (steps, copies, 1, 1))
    phase = np.linspace(0, 1, steps)[:, None]
    deep = rng.uniform(0.3e-3, 1.4e-3, copies) * np.sin(2 * np.pi * phase) ** 2 - 0.1e-3  # in, out, in again
    place, way = rng.uniform(-3e-3, 3e-3, (2, copies)), rng.normal(0, 1.5e-3, (2, copies))
    X[..., 0, 3], X[..., 1, 3] = place[0] + phase * way[0], place[1] + phase * way[1]
    X[..., 2, 3] = height - deep
    start, turn = rotations(rng, copies, 3.0), rng.uniform(-0.3, 0.3, (copies, 3))
    for t in range(steps):
        R = np.stack([np.eye(3)] * copies)
        for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
            a = phase[t, 0] * turn[:, k]
            P = np.stack([np.eye(3)] * copies)
            P[:, i, i] = P[:, j, j] = np.cos(a)
            P[:, i, j], P[:, j, i] = -np.sin(a), np.sin(a)
            R = P @ R
        X[t, :, :3, :3] = R @ start
    return X


def to_torch(array: taxel.CudaArray):
    import torch

    return torch.from_dlpack(array)


def make_field(mode: str, dome: bool = False, radius: float = 0.75e-3, **more) -> tuple[taxel.MarkerField, float]:
    mini = taxel.gelsight_mini_markers(dome=dome, backing=6e-3 if mode == "taxel" else 0.0)
    pad = mini.pad
    if dome and mode != "taxel":
        pad = taxel.MarkerDistance(pad, "trilinear", spacing=0.25e-3)
    ball = taxel.Body.sphere(17.5e-3)
    return taxel.MarkerField(pad, mini.markers, ball, mode=mode, radius=radius, **more), 2e-3 + 17.5e-3


def compare(mode: str, dome: bool, worlds: int, steps: int, shift: bool, **more) -> None:
    import torch

    field, height = make_field(mode, dome, radius=1.2e-3, **more)
    options = {"wrench": True, "marker_forces": True} if mode == "taxel" else {}
    cpu, gpu = field.batch(worlds, 2, **options), field.batch(worlds, 2, device="cuda", **options)
    rng = np.random.default_rng(len(mode) + steps)
    path = paths(rng, 2 * worlds, steps, height).reshape(steps, worlds, 2, 4, 4).astype(np.float32)
    moved = rng.normal(0, 1.5e-4, (worlds, 2, 3)).astype(np.float32) if shift else None
    for name, low, high in (("friction", 0.3, 0.8), ("lambda_s", 9e3, 1.3e5), ("shear_scale", 1e4, 3e4)):
        values = rng.uniform(low, high, worlds)
        cpu.set_parameters(**{name: values})
        gpu.set_parameters(**{name: values})
    worst, most, flips, force = 0.0, 0.0, 0, 0.0
    on_gpu, moved_gpu = torch.tensor(path, device="cuda"), None if moved is None else torch.tensor(moved, device="cuda")
    for t in range(steps):
        a = cpu.step(path[t], moved, dt=0.01)
        to_torch(gpu._displacement).fill_(float("nan"))
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
    name = f"{mode}{', dome' if dome else ''}{', gravity' if shift else ''}{', ' + str(more) if more else ''}"
    report(f"{name}: CUDA float against CPU double, of {most:.1f} px", worst, 1e-3, "px")
    report(
        f"{name}: steps of a finger off by more than 1e-3 px, of {steps * worlds * 2}", flips, 2e-3 * steps * worlds * 2
    )
    if mode == "taxel":
        report(f"{name}: forces", force, 2e-4, "of the largest")


def check_determinism() -> None:
    import torch

    field, height = make_field("taxel")
    path = torch.tensor(paths(np.random.default_rng(0), 128, 20, height).reshape(20, 64, 2, 4, 4), device="cuda",
                        dtype=torch.float32)  # fmt: skip
    results = []
    for _ in range(2):
        batch = field.batch(64, 2, device="cuda")
        results.append(np.stack([batch.step(X).numpy() for X in path]))
    report("two runs differ in", float((results[0] != results[1]).sum()), 0, "numbers")


def check_gradients(steps: int = 6, worlds: int = 3) -> None:
    import torch

    field, height = make_field("taxel", radius=1.2e-3)
    rng = np.random.default_rng(5)
    path = paths(rng, 2 * worlds, 24, height).reshape(24, worlds, 2, 4, 4)[2 : 2 + steps].astype(np.float32)
    cpu, gpu = field.batch(worlds, 2), field.batch(worlds, 2, device="cuda")
    pixels, back = cpu.rollout(path)
    seeds = rng.normal(size=pixels.shape)
    poses, parameters = back(seeds)
    on_gpu = torch.tensor(path, device="cuda")
    out, back_gpu = gpu.rollout(on_gpu)
    poses_gpu, parameters_gpu = back_gpu(torch.tensor(seeds, device="cuda", dtype=torch.float32))
    report("rollout, px", float(np.abs(out.numpy() - pixels).max()), 1e-3)
    a, b = poses[..., :3, :].reshape(steps, worlds, 2, 1, 3, 4), poses_gpu.numpy()
    report("gradient of poses, CUDA against CPU", float(np.abs(a - b).max() / np.abs(a).max()), 1e-3, "of the largest")
    a, b = parameters, parameters_gpu.numpy()[..., :8]
    report("gradient of parameters", float((np.abs(a - b) / np.abs(a).max(axis=(0, 1))).max()), 1e-3, "of the largest")


def check_world_poses() -> None:
    import torch

    field, height = make_field("taxel", radius=1.2e-3)
    worlds, count, rng = 32, 7, np.random.default_rng(3)
    relative = paths(rng, 2 * worlds, 6, height).reshape(6, worlds, 2, 4, 4)
    a, b = field.batch(worlds, 1, device="cuda"), field.batch(worlds, 1, device="cuda")
    offset = np.eye(4)
    offset[:3, :3], offset[:3, 3] = rotations(rng, 1, 1.0)[0], (1e-3, -2e-3, 5e-3)
    b.attach([4], [2], count, pad_offsets=[offset])
    worst = 0.0
    for t in range(6):
        pad = np.tile(np.eye(4), (worlds, 1, 1))
        pad[:, :3, :3], pad[:, :3, 3] = rotations(rng, worlds, 3.0), rng.normal(0, 0.3, (worlds, 3))
        thing = pad @ relative[t, :, 0]
        geom = pad @ np.linalg.inv(offset)
        position, rotation = rng.normal(size=(worlds, count, 3)), rng.normal(size=(worlds, count, 3, 3))
        position[:, 4], rotation[:, 4] = geom[:, :3, 3], geom[:, :3, :3]
        position[:, 2], rotation[:, 2] = thing[:, :3, 3], thing[:, :3, :3]
        up = lambda x: torch.tensor(x, device="cuda", dtype=torch.float32).contiguous()  # noqa: E731
        one = a.step(up(relative[t, :, :1])).numpy()
        two = b.step_world(up(position), up(rotation)).numpy()
        worst = max(worst, float(np.abs(one - two).max()))
    report("poses in the world (float32, 0.3 m away) against relative poses", worst, 0.1, "px")


def check_nan() -> None:
    """A pose that is not finite: NaN for its pad, and the memory stays as it was."""
    import torch

    field, height = make_field("taxel", radius=1.2e-3)
    path = paths(np.random.default_rng(2), 16, 8, height).reshape(8, 8, 2, 4, 4).astype(np.float32)
    bad = field.batch(8, 2, device="cuda", wrench=True)
    wrong = path.copy()
    wrong[3, 5, 1, 0, 3], wrong[4, 2, 0, 1, 1] = np.nan, np.inf
    counted = 0
    for t in range(8):
        if t in (3, 4):
            seen = bad.step(torch.tensor(wrong[t], device="cuda")).numpy()
            lost = (5, 1) if t == 3 else (2, 0)
            counted += int(np.isnan(seen[lost]).all() and np.isfinite(np.delete(seen, lost[0], 0)).all())
            counted += int(np.isnan(bad.wrench.numpy()[lost]).all())
            continue
        bad.step(torch.tensor(path[t], device="cuda"))
    pairs = [(5, 1)]  # missed one pose (t = 3) and saw the other: compare with a batch that did the same
    again = field.batch(8, 2, device="cuda")
    for t in (0, 1, 2, 4, 5, 6, 7):
        again.step(torch.tensor(path[t], device="cuda"))
    worst = max(float(np.abs(again._displacement.numpy()[k] - bad._displacement.numpy()[k]).max()) for k in pairs)
    report("poses that are not finite: results that are not NaN", 4 - counted, 0)
    report("after them, against a batch that never saw them", worst, 0, "px")


def check_frameworks() -> None:
    import torch

    field, height = make_field("taxel", radius=1.2e-3)
    batch = field.batch(16, 2, device="cuda")
    X = paths(np.random.default_rng(9), 32, 5, height).reshape(5, 16, 2, 4, 4).astype(np.float32)
    batch.step(torch.tensor(X[0], device="cuda"))
    wanted = batch.step(torch.tensor(X[2], device="cuda")).numpy()
    view = torch.from_dlpack(batch._displacement)
    report("torch sees the same memory", float(view.data_ptr() != batch._displacement.address), 0)

    def again(first, second) -> np.ndarray:
        batch.reset()
        batch.step(first)
        return batch.step(second).numpy()

    try:
        import cupy

        got = again(cupy.asarray(X[0]), cupy.asarray(X[2]))
        same = cupy.asarray(batch._displacement).data.ptr == batch._displacement.address
        report("CuPy in and out", float(np.abs(got - wanted).max()) + (not same), 0)
    except ImportError:
        print("     CuPy is not here")
    try:
        import jax

        got = again(jax.numpy.asarray(X[0]).block_until_ready(), jax.numpy.asarray(X[2]).block_until_ready())
        out = np.asarray(jax.dlpack.from_dlpack(batch._displacement))
        report("JAX in and out", float(np.abs(got - wanted).max() + np.abs(out - wanted).max()), 0)
    except ImportError:
        print("     JAX is not here")
    try:
        import warp

        got = again(
            warp.array(X[0], dtype=warp.mat44, device="cuda"), warp.array(X[2], dtype=warp.mat44, device="cuda")
        )
        report("warp in", float(np.abs(got - wanted).max()), 0)
    except ImportError:
        print("     warp is not here")
    for name, call in (
        ("host array", lambda: batch.step(X[0])),
        ("wrong shape", lambda: batch.step(torch.tensor(X[0, :3], device="cuda"))),
        ("double", lambda: batch.step(torch.tensor(X[0], device="cuda").double())),
        ("strided", lambda: batch.step(torch.tensor(X[0], device="cuda").transpose(2, 3))),
        ("tensor on the host", lambda: batch.step(torch.tensor(X[0]))),
        ("exact mesh", lambda: make_mesh_batch()),
    ):
        try:
            call()
            report(f"no error for {name}", 1, 0)
        except taxel.Error as error:
            print(f"ok   {name}: {str(error)[:110]}")
    captured = torch.tensor(X[0], device="cuda")
    stream = torch.cuda.Stream()
    batch.reset()
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        batch.step(captured)
    batch.reset()
    for t in (0, 2):
        captured.copy_(torch.tensor(X[t], device="cuda"))
        graph.replay()
    torch.cuda.synchronize()
    report("in a CUDA graph", float(np.abs(batch._displacement.numpy() - wanted).max()), 0, "px")


def make_mesh_batch() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 1e-2
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mini = taxel.gelsight_mini_markers(dome=False)
    taxel.MarkerField(mini.pad, mini.markers, (vertices, triangles), mode="paper").batch(2, device="cuda")


def dense_torch(points, markers, lambda_d: float, lambda_s: float, mu: float, half, radius: float):
    """The release's step as its authors write it: every point, every marker, (E, P, N, 3); one finger, gravity pass."""
    import torch

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


def time_ms(call, repeats: int = 30) -> float:
    """Median of single runs by CUDA events, after warming up."""
    import torch

    for _ in range(5):
        call(0)
    times = []
    for k in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call(k)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(np.median(times))


def graph_ms(call, frames: int, repeats: int = 30) -> float:
    """Milliseconds a step when ``frames`` steps are replayed as one CUDA graph."""
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for k in range(frames):
            call(k)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for k in range(frames):
            call(k)
    return time_ms(lambda k: graph.replay(), repeats) / frames


def fibonacci_ball(count: int, radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = np.arange(count)
    z, a = 1 - (2 * k + 1) / count, 2.399963229728653 * k
    n = np.column_stack([np.sqrt(1 - z * z) * np.cos(a), np.sqrt(1 - z * z) * np.sin(a), z])
    return radius * n, n, np.full(count, 4 * np.pi * radius**2 / count)


def speed(quick: bool) -> dict:
    import torch

    count, frames, radius = 4096, 16, 12e-3
    mini = taxel.gelsight_mini_markers(dome=False)
    points, normals, areas = fibonacci_ball(count, radius)
    ball = taxel.Body.sphere(radius)
    sizes = (256, 1024) if quick else (256, 512, 1024, 4096, 16384)
    rows = [speed_row(worlds, count, frames, radius, mini, points, normals, areas, ball) for worlds in sizes]
    return {"device": torch.cuda.get_device_name(), "points": count, "markers": 63, "fingers": 2, "rows": rows}


def speed_row(worlds: int, count: int, frames: int, radius: float, mini, points, normals, areas, ball) -> dict:
    import torch

    rng = np.random.default_rng(1)
    X = np.tile(np.eye(4), (frames, worlds, 2, 1, 1))
    X[..., :3, :3] = rotations(rng, worlds * 2, 3.0).reshape(1, worlds, 2, 3, 3)
    X[..., 2, 3] = 2e-3 + radius - 1.2e-3
    X[..., :2, 3] = rng.uniform(-2e-3, 2e-3, (worlds, 2, 2)) + np.linspace(0, 1e-3, frames)[:, None, None, None]
    path = torch.tensor(X, device="cuda", dtype=torch.float32)
    shift = torch.tensor([0.0, -2.5e-4, 0.0], device="cuda").expand(worlds, 2, 3).contiguous()
    row = {"worlds": worlds}
    for mode in ("taxel", "release", "paper"):
        extra = {"areas": areas} if mode == "taxel" else {}
        field = taxel.MarkerField(mini.pad, mini.markers, ball, mode=mode, points=points, normals=normals, **extra)
        batch = field.batch(worlds, 2, device="cuda")
        press_in(batch, path[0])
        row[f"{mode}_launched_ms"] = time_ms(lambda k, b=batch: b.step(path[k % frames], shift))
        row[f"{mode}_ms"] = graph_ms(lambda k, b=batch: b.step(path[k % frames], shift), frames)
        row[f"{mode}_no_gravity_ms"] = graph_ms(lambda k, b=batch: b.step(path[k % frames]), frames)
        if mode == "taxel":
            full = field.batch(worlds, 2, device="cuda", wrench=True, marker_forces=True)
            press_in(full, path[0])
            row["taxel_forces_ms"] = graph_ms(lambda k, b=full: b.step(path[k % frames], shift), frames)
            del full
        if mode == "release" and worlds <= 1024:
            row["dense_torch_ms"] = time_dense(batch, field, path, shift, points, mini.markers, radius)
        del batch
    state = worlds * 2 * (count * 12 * 2 + 63 * 12)
    row["floor_ms"] = state / 4.3e12 * 1e3  # every stretch read and written once, at the copy speed of the card
    active = 0.05 * count
    row["active_floor_ms"] = worlds * 2 * (active * 24 + 63 * 12 + 2 * 64) / 4.3e12 * 1e3
    print("     " + ", ".join(f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
    torch.cuda.empty_cache()
    return row


def press_in(batch, X) -> None:
    """From above the gel, so that normal displacements are tracked and friction has something to hold on to."""
    for up in (2e-3, 1e-3, 5e-4, 0.0):
        higher = X.clone()
        higher[..., 2, 3] += up
        batch.step(higher)


def time_dense(batch, field, path, shift, points, markers, radius: float) -> float:
    """Two fingers one after the other; checked against the batch first."""
    import torch

    worlds = path.shape[1]
    up = lambda x: torch.tensor(x, device="cuda", dtype=torch.float32)  # noqa: E731
    half = up([20.75e-3 / 2, 25.25e-3 / 2, 2e-3])
    step = dense_torch(up(points), up(markers), 20000.0, 10800.0, 0.5, half, radius)
    batch.reset()
    state = [None, None]
    above = path[0].clone()
    above[..., 2, 3] += 2e-3
    for f in (0, 1):
        X = above[:, f]
        o = torch.einsum("eij,pj->epi", X[:, :3, :3], up(points)) + X[:, None, :3, 3]
        q = o.abs() - half
        phi = q.clamp(min=0).norm(dim=-1) + q.amax(-1).clamp(max=0)
        state[f] = [torch.zeros_like(o), o, phi]
    batch.step(above)
    batch.step(path[0])
    ours = batch.step(path[-1], shift).numpy()
    worst = 0.0
    for f in (0, 1):
        _, *state[f] = step(path[0, :, f], *state[f], shift[:, f : f + 1])
        pixels, *_ = step(path[-1, :, f], *state[f], shift[:, f : f + 1])
        worst = max(worst, float(np.abs(1000 / 0.065 * pixels.cpu().numpy() - ours[:, f]).max()))
    report(f"dense torch, {worlds} worlds", worst, 2e-3, "px")

    def both(k):
        for f in (0, 1):
            step(path[k % len(path), :, f], *state[f], shift[:, f : f + 1])

    return time_ms(both, 10)


def tiny() -> None:
    """A few steps of everything, for compute-sanitizer; no torch, so that only our kernels are watched."""
    for mode in ("taxel", "paper", "release"):
        field, height = make_field(mode, radius=2e-3)
        options = {"wrench": True, "marker_forces": True} if mode == "taxel" else {}
        batch = field.batch(3, 2, device="cuda", **options)
        path = paths(np.random.default_rng(0), 6, 7, height).reshape(7, 3, 2, 4, 4)[:6]  # ends in contact
        shift = taxel.to_device(np.full((3, 2, 3), 1e-4))
        for X in path:
            batch.step(taxel.to_device(X), shift, dt=0.01)
        batch.zero_tangential()
        batch.reset()
        if mode == "taxel":
            _, back = batch.rollout(taxel.to_device(path))
            back(taxel.to_device(np.ones((6, 3, 2, 63, 3))))[0].numpy()
        print(mode, float(np.abs(batch._displacement.numpy()).max()))


def checks() -> None:
    for mode in ("taxel", "paper", "release"):
        for shift in (False, True):
            compare(mode, False, 48, 40, shift)
    compare("taxel", True, 24, 40, True)
    compare("paper", True, 24, 40, True)
    compare("taxel", False, 24, 20, True, substeps=4)
    compare("taxel", False, 24, 20, False, creep=0.4, creep_time=0.05)
    check_determinism()
    check_gradients()
    check_world_poses()
    check_nan()
    check_frameworks()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--tiny", action="store_true", help="for compute-sanitizer")
    parser.add_argument("--quick", action="store_true", help="two sizes")
    parser.add_argument("--speed-only", action="store_true", help="no checks")
    options = parser.parse_args()
    if options.tiny:
        tiny()
        return 0
    if not options.speed_only:
        checks()
    numbers = speed(options.quick)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "markers_gpu.json").write_text(json.dumps(numbers, indent=1))
    print(f"{len(FAILED)} failed" + (": " + "; ".join(FAILED) if FAILED else ""))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
