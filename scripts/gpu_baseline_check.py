"""FOTS, TacSL and grey images on a GPU: against the CPU, with torch, in a CUDA graph, and how long they take.

Prints one line a check and exits with 1 when one fails; adds fots_ms, tacsl_ms and image_ms to the rows of
OUT/markers_gpu.json, which gpu_marker_check.py writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from gpu_marker_check import FAILED, graph_ms, paths, report, rotations, time_ms

import taxel
from taxel.image import TactileCamera

VARIANTS = ("fots", "contact_center", "hydroshear_original", "hydroshear_reimpl")
SHAPES = {
    "ball": (taxel.Body.sphere(8e-3), 8e-3),
    "capsule": (taxel.Body.capsule(5e-3, 8e-3), 7e-3),
    "box": (taxel.Body.box((10e-3, 12e-3, 8e-3)), 5e-3),
}
MARKERS = taxel.gelsight_mini_markers(dome=False).markers
SHEAR_SHARE = 0.02  # of tangential stiffness: keeps both branches of the friction law busy


def make_camera(rows: int = 80, cols: int = 60, pixel: float = 0.26e-3) -> TactileCamera:
    """Three coloured lights on a Lambertian gel."""
    n = np.linspace(-1, 1, 21)
    table = np.zeros((21, 21, 6, 3))
    for c, azimuth in enumerate((-1.7, 0.4, 2.5)):
        table[:, :, 0, c] = 90 * (np.cos(azimuth) * n[None, :] + np.sin(azimuth) * n[:, None]) - 25 * n[None, :] ** 2
        table[:, :, 3, c] = -0.2 * table[:, :, 0, c]
    table[10, 10] = 0
    r, c = np.indices((rows, cols)) / rows
    return TactileCamera(np.stack([110 + 25 * c, 120 - 10 * r, 100 + 10 * r], axis=-1), pixel, table)


def upload(x):
    import torch

    return torch.tensor(x, device="cuda", dtype=torch.float32).contiguous()


def poison(array: taxel.CudaArray) -> None:
    import torch

    torch.from_dlpack(array).fill_(77 if array.dtype == np.uint8 else float("nan"))


def ways(name: str, worlds: int, steps: int, seed: int) -> np.ndarray:
    reach = SHAPES[name][1]
    X = paths(np.random.default_rng(seed), 2 * worlds, steps, 2e-3 + reach)
    return X.reshape(steps, worlds, 2, 4, 4).astype(np.float32)


def judge(name: str, error: np.ndarray, limit: float, unit: str, share: float = 1e-2) -> None:
    """error (steps, worlds, fingers): rounding may decide who touches, so a share of the fingers may be off."""
    off = float((error > limit).mean())
    report(f"{name}: CUDA float against CPU double", float(np.quantile(error, 1 - share)), limit, unit)
    report(f"{name}: share of fingers off by more", off, share)


def check_fots(variant: str, name: str, worlds: int = 48, steps: int = 42) -> None:
    import torch

    fots = taxel.Fots(MARKERS, SHAPES[name][0], variant)
    cpu, gpu = fots.batch(worlds, 2), fots.batch(worlds, 2, device="cuda")
    rng, way = np.random.default_rng(4), ways(name, worlds, steps, 11)
    shift = rng.normal(0, 1.5e-4, (worlds, 2, 3)).astype(np.float32)
    scale = rng.uniform(0.8, 1.2, worlds) * float(gpu._rows[0, 3])
    cpu.set_parameters(dilate_scale=scale)
    gpu.set_parameters(dilate_scale=scale)
    error, most = np.zeros((steps, worlds, 2)), 0.0
    for t in range(steps):
        moved = shift if t % 2 else None
        poison(gpu._displacement)
        a = cpu.step(way[t], moved)
        b = gpu.step(upload(way[t]), None if moved is None else upload(moved)).numpy()
        error[t], most = np.abs(a - b).max(axis=(2, 3)), max(most, float(np.abs(a).max()))
        if t == steps // 3:
            mask = rng.random(worlds) < 0.3
            cpu.reset(mask)
            gpu.reset(torch.tensor(mask, device="cuda"))
    judge(f"FOTS {variant}, {name}, of {most:.1f} px", np.nan_to_num(error, nan=1e9), 2e-3, "px", 0.05)


def check_tacsl(name: str, given: bool, worlds: int = 48, steps: int = 42) -> None:
    tacsl = taxel.TacSL(MARKERS, SHAPES[name][0], normal_contact_stiffness=900.0,
                        tangential_stiffness=900.0 * SHEAR_SHARE)  # fmt: skip
    cpu, gpu = tacsl.batch(worlds, 2), tacsl.batch(worlds, 2, device="cuda")
    rng, way = np.random.default_rng(5), ways(name, worlds, steps, 12)
    fields = ("penetration_depth", "tactile_normal_force", "tactile_shear_force")
    error, most = np.zeros((steps, worlds, 2)), [1e-12] * 3
    stiffness = rng.uniform(500, 1500, worlds)
    cpu.set_parameters(normal_contact_stiffness=stiffness)
    gpu.set_parameters(normal_contact_stiffness=stiffness)
    for t in range(steps):
        velocity = (rng.normal(size=(worlds, 2, 6)) * (0.02, 0.02, 0.01, 1, 1, 1)).astype(np.float32) if given else None
        a = cpu.read(way[t], velocity, 0.01)
        for field in fields:
            poison(getattr(gpu._data, field))
        b = gpu.read(upload(way[t]), None if velocity is None else upload(velocity), 0.01)
        for k, field in enumerate(fields):
            x, y = getattr(a, field).reshape(worlds, 2, -1), getattr(b, field).numpy().reshape(worlds, 2, -1)
            most[k] = max(most[k], float(np.abs(x).max()))
            error[t] = np.maximum(error[t], np.nan_to_num(np.abs(x - y), nan=1e9).max(axis=2) / most[k])
    limit = 2e-3 if given else 2e-2  # a velocity is the small difference of two float poses
    judge(f"TacSL, {name}, {'given velocities' if given else 'velocities from poses'}", error, limit, "of the largest",
          0.05)  # fmt: skip
    points = b.tactile_points_pos_w.numpy()
    report("TacSL points", float(np.abs(points - MARKERS).max()), 1e-8, "m")


def check_images(name: str, skin: str, output: str, worlds: int = 16, steps: int = 12) -> None:
    camera, limit = make_camera(), 1.0 if output == "uint8" else 0.5
    options = {"skin": skin, "output": output, "depth": True}
    cpu = camera.batch(SHAPES[name][0], worlds, 2, **options)
    gpu = camera.batch(SHAPES[name][0], worlds, 2, device="cuda", **options)
    error, deep, contrast = np.zeros((steps, worlds, 2)), 0.0, 0.0
    flat = camera.grey(np.zeros(camera.shape), as_float=True)
    for t, X in enumerate(ways(name, worlds, steps, 13)):
        a = cpu.render(X).astype(float)
        poison(gpu._image)
        b = gpu.render(upload(X)).numpy().astype(float)
        # A pixel whose centre lies on an object's wall may be in or out: the 99.9 % quantile of an image.
        error[t] = np.quantile(np.abs(a - b).reshape(worlds, 2, -1), 0.999, axis=2)
        deep = max(deep, float(np.quantile(np.abs(cpu.depth - gpu.depth.numpy()), 0.999)))
        contrast = max(contrast, float(np.abs(a - flat).max()))
    judge(f"image, {name}, {skin}, {output}, contrast {contrast:.0f}", error, limit, "grey levels", 0.05)
    report(f"image, {name}: depth", deep, 1e-6, "m")


def check_world_poses(worlds: int = 32, count: int = 7) -> None:
    rng = np.random.default_rng(3)
    offset = np.eye(4)
    offset[:3, :3], offset[:3, 3] = rotations(rng, 1, 1.0)[0], (1e-3, -2e-3, 5e-3)
    relative = ways("ball", worlds, 12, 14)[3, :, :1].astype(float)
    pad = np.tile(np.eye(4), (worlds, 1, 1))
    pad[:, :3, :3], pad[:, :3, 3] = rotations(rng, worlds, 3.0), rng.normal(0, 0.1, (worlds, 3))
    thing, geom = pad @ relative[:, 0], pad @ np.linalg.inv(offset)
    position, rotation = rng.normal(size=(worlds, count, 3)), rng.normal(size=(worlds, count, 3, 3))
    position[:, 4], rotation[:, 4] = geom[:, :3, 3], geom[:, :3, :3]
    position[:, 2], rotation[:, 2] = thing[:, :3, 3], thing[:, :3, :3]
    p, r, X, ball = upload(position), upload(rotation), upload(relative), SHAPES["ball"][0]
    fots = taxel.Fots(MARKERS, ball).batch(worlds, device="cuda")
    tacsl = taxel.TacSL(MARKERS, ball).batch(worlds, device="cuda")
    image = make_camera().batch(ball, worlds, device="cuda", output="float")
    for name, batch, one, two, limit in (
        ("FOTS, px", fots, lambda: fots.step(X), lambda: fots.step_world(p, r), 0.1),
        ("TacSL, m", tacsl, lambda: tacsl.read(X, dt=1).penetration_depth,
         lambda: tacsl.read_world(p, r, dt=1).penetration_depth, 1e-6),
        ("image, grey levels", image, lambda: image.render(X), lambda: image.render_world(p, r), 2.0),
    ):  # fmt: skip
        batch.attach([4], [2], count, pad_offsets=[offset])
        a = one().numpy()
        if hasattr(batch, "reset"):
            batch.reset()
        error = np.quantile(np.abs(a - two().numpy()), 0.999)
        report(f"poses in the world, 0.1 m away: {name}", float(error), limit)


def check_bytes() -> None:
    """uint8 by DLPack and by the array interface, views of rows, and a graph."""
    import torch

    X = upload(ways("ball", 4, 12, 15)[3])
    batch = make_camera().batch(SHAPES["ball"][0], 4, 2, device="cuda")
    image = batch.render(X)
    wanted = image.numpy()
    a, b = torch.from_dlpack(image), torch.as_tensor(image, device="cuda")
    report("uint8 by DLPack", float((a.cpu().numpy() != wanted).sum() + (a.data_ptr() != image.address)), 0)
    report("uint8 by the array interface", float((b.cpu().numpy() != wanted).sum() + (b.dtype != torch.uint8)), 0)
    report("a view of a row", float((image[2][1].numpy() != wanted[2, 1]).sum()), 0)
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        batch.render(X)
    a.zero_()
    graph.replay()
    torch.cuda.synchronize()
    report("in a CUDA graph", float((a.cpu().numpy() != wanted).sum()), 0, "pixels")


def expect_errors() -> None:
    ball = SHAPES["ball"][0]
    fots = taxel.Fots(MARKERS, ball).batch(2, device="cuda")
    tacsl = taxel.TacSL(MARKERS, ball).batch(2, device="cuda")
    X = np.tile(np.eye(4), (2, 1, 1, 1))
    mesh = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 1e-2, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2],
                                                                                    [1, 2, 3]]))  # fmt: skip
    for name, call in (
        ("host array", lambda: fots.step(X)),
        ("wrong shape", lambda: fots.step(upload(X[:1]))),
        ("no dt", lambda: tacsl.read(upload(X))),
        ("exact mesh", lambda: taxel.Fots(MARKERS, mesh).batch(2, device="cuda")),
        ("17 fingers", lambda: taxel.TacSL(MARKERS, ball).batch(2, 17, device="cuda")),
        ("too many pixels", lambda: make_camera(480, 640).batch(ball, 1, shape=None, device="cuda")),
        ("step_world before attach", lambda: fots.step_world(None, None)),
    ):
        try:
            call()
            report(f"no error for {name}", 1, 0)
        except taxel.Error as error:
            print(f"ok   {name}: {str(error)[:110]}")


def speed_row(worlds: int, frames: int = 16) -> dict[str, float]:
    """ms a step of two fingers, replayed from a graph: 63 markers or points, images of 80 x 60."""
    import torch

    radius, rng = 12e-3, np.random.default_rng(1)
    X = np.tile(np.eye(4), (frames, worlds, 2, 1, 1))
    X[..., :3, :3] = rotations(rng, worlds * 2, 3.0).reshape(1, worlds, 2, 3, 3)
    X[..., 2, 3] = 2e-3 + radius - 1.2e-3
    X[..., :2, 3] = rng.uniform(-2e-3, 2e-3, (worlds, 2, 2)) + np.linspace(0, 1e-3, frames)[:, None, None, None]
    path, ball = upload(X), taxel.Body.sphere(radius)
    fots = taxel.Fots(MARKERS, ball).batch(worlds, 2, device="cuda")
    tacsl = taxel.TacSL(MARKERS, ball).batch(worlds, 2, device="cuda")
    row = {
        "fots_ms": graph_ms(lambda k: fots.step(path[k % frames]), frames),
        "tacsl_ms": graph_ms(lambda k: tacsl.read(path[k % frames], dt=0.01), frames),
        "fots_launched_ms": time_ms(lambda k: fots.step(path[k % frames])),
    }
    for skin, name in (("membrane", "image_ms"), ("rigid", "image_rigid_ms")):
        image = make_camera().batch(ball, worlds, 2, device="cuda", skin=skin)
        row[name] = graph_ms(lambda k, b=image: b.render(path[k % frames]), frames)
        del image
    print(f"     worlds {worlds}, " + ", ".join(f"{k} {v:.4f}" for k, v in row.items()))
    torch.cuda.empty_cache()
    return row


def speed(out: Path, quick: bool) -> None:
    import torch

    file = out / "markers_gpu.json"
    device = {"device": torch.cuda.get_device_name(), "fingers": 2, "markers": len(MARKERS), "rows": []}
    numbers = json.loads(file.read_text()) if file.exists() else device
    numbers["image"] = [80, 60]
    rows = {row["worlds"]: row for row in numbers["rows"]}
    for worlds in (256, 1024) if quick else (256, 512, 1024, 16384):
        rows.setdefault(worlds, {"worlds": worlds}).update(speed_row(worlds))
    numbers["rows"] = [rows[worlds] for worlds in sorted(rows)]
    out.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(numbers, indent=1))


def tiny() -> None:
    """A few steps of everything, for compute-sanitizer; no torch, so that only our kernels are watched."""
    ball, way = SHAPES["ball"][0], ways("ball", 3, 6, 0)
    mask, shift = taxel.to_device([1, 0, 1], np.uint8), taxel.to_device(np.full((3, 2, 3), 1e-4))
    for variant in VARIANTS:
        fots = taxel.Fots(MARKERS, ball, variant).batch(3, 2, device="cuda")
        for X in way:
            pixels = fots.step(taxel.to_device(X), shift)
        fots.reset(mask)
        print(variant, float(np.abs(pixels.numpy()).max()))
    grid = taxel.MarkerDistance(ball, "trilinear", spacing=0.5e-3)
    for body in (ball, grid):
        tacsl = taxel.TacSL(MARKERS, body).batch(3, 2, device="cuda")
        for X in way:
            data = tacsl.read(taxel.to_device(X), dt=0.01)
        tacsl.reset(mask)
        tacsl.read(taxel.to_device(way[2]), taxel.to_device(np.ones((3, 2, 6))))
        print("TacSL", float(data.tactile_normal_force.numpy().max()))
    for skin, output, shape in (("membrane", "uint8", (21, 34)), ("rigid", "float", (35, 20))):
        batch = make_camera().batch(ball, 3, 2, shape=shape, device="cuda", skin=skin, output=output, depth=True)
        print(skin, float(batch.render(taxel.to_device(way[2])).numpy().max()), float(batch.depth.numpy().max()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--tiny", action="store_true", help="for compute-sanitizer")
    parser.add_argument("--quick", action="store_true", help="two sizes")
    options = parser.parse_args()
    if options.tiny:
        tiny()
        return 0
    for name in SHAPES:
        for variant in VARIANTS:
            check_fots(variant, name)
        for given in (True, False):
            check_tacsl(name, given)
        for skin, output in (("rigid", "float"), ("membrane", "float"), ("membrane", "uint8")):
            check_images(name, skin, output)
    check_world_poses()
    check_bytes()
    expect_errors()
    speed(options.out, options.quick)
    print(f"{len(FAILED)} failed" + (": " + "; ".join(FAILED) if FAILED else ""))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
