"""FOTS, TacSL and grey images on a GPU: against the CPU, with poses in the world, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import TETRAHEDRON, check, in_world, make_camera, needs_gpu, paths, poison, upload

import taxel

pytestmark = needs_gpu

VARIANTS = ("fots", "contact_center", "hydroshear_original", "hydroshear_reimpl")
SHAPES = {
    "ball": (taxel.Body.sphere(8e-3), 8e-3),
    "capsule": (taxel.Body.capsule(5e-3, 8e-3), 7e-3),
    "box": (taxel.Body.box((10e-3, 12e-3, 8e-3)), 5e-3),
}
MARKERS = taxel.gelsight_mini_markers(dome=False).markers
SHEAR_SHARE = 0.02  # of tangential stiffness: keeps both branches of the friction law busy


def ways(name: str, worlds: int, steps: int, seed: int) -> np.ndarray:
    reach = SHAPES[name][1]
    X = paths(np.random.default_rng(seed), 2 * worlds, steps, 2e-3 + reach)
    return X.reshape(steps, worlds, 2, 4, 4).astype(np.float32)


def judge(name: str, error: np.ndarray, limit: float, unit: str, share: float = 1e-2) -> None:
    """error (steps, worlds, fingers): rounding may decide who touches, so a share of the fingers may be off."""
    off = float((error > limit).mean())
    check(name, float(np.quantile(error, 1 - share)), limit, unit)
    check(f"{name}: share of fingers off by more", off, share)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_fots(variant, name, worlds=48, steps=42):
    torch = pytest.importorskip("torch")
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


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("given", [True, False])
def test_tacsl(name, given, worlds=48, steps=42):
    pytest.importorskip("torch")
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
    check("TacSL points", float(np.abs(points - MARKERS).max()), 1e-8, "m")


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("skin", "output"), [("rigid", "float"), ("membrane", "float"), ("membrane", "uint8")])
def test_images(name, skin, output, worlds=16, steps=12):
    pytest.importorskip("torch")
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
    check(f"image, {name}: depth", deep, 1e-6, "m")


def test_poses_in_the_world(worlds=32, count=7):
    """0.1 m away."""
    pytest.importorskip("torch")
    relative = ways("ball", worlds, 12, 14)[3, :, :1].astype(float)
    position, rotation, offset = in_world(relative[:, 0], np.random.default_rng(3), count, 0.1)
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
        assert np.abs(a).max() > 0
        if hasattr(batch, "reset"):
            batch.reset()
        check(name, float(np.quantile(np.abs(a - two().numpy()), 0.999)), limit)


BALL = SHAPES["ball"][0]
STILL = np.tile(np.eye(4), (2, 1, 1, 1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: taxel.Fots(MARKERS, BALL).batch(2, device="cuda").step(STILL), "on the host"),
        (lambda: taxel.Fots(MARKERS, BALL).batch(2, device="cuda").step(upload(STILL[:1])), "shape"),
        (lambda: taxel.TacSL(MARKERS, BALL).batch(2, device="cuda").read(upload(STILL)), "dt"),
        (lambda: taxel.Fots(MARKERS, TETRAHEDRON).batch(2, device="cuda"), "trilinear"),
        (lambda: taxel.TacSL(MARKERS, BALL).batch(2, 17, device="cuda"), "17 fingers"),
        (lambda: make_camera(480, 640).batch(BALL, 1, shape=None, device="cuda"), "pixels"),
        (lambda: taxel.Fots(MARKERS, BALL).batch(2, device="cuda").step_world(None, None), "attach"),
    ],
    ids=["host array", "wrong shape", "no dt", "exact mesh", "17 fingers", "too many pixels", "before attach"],
)
def test_refused(call, words):
    pytest.importorskip("torch")
    with pytest.raises(taxel.Error, match=words):
        call()
