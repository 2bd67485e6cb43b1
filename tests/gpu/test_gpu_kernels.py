"""A few steps of every kernel, without torch: what compute-sanitizer watches (scripts/gpu_check.sh)."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import make_camera, make_field, needs_gpu, paths

import taxel

pytestmark = needs_gpu

MARKERS = taxel.gelsight_mini_markers(dome=False).markers
BALL = taxel.Body.sphere(8e-3)


@pytest.mark.parametrize("mode", ["taxel", "paper", "release"])
def test_markers(mode):
    field, height = make_field(mode, radius=2e-3)
    options = {"wrench": True, "marker_forces": True} if mode == "taxel" else {}
    batch = field.batch(3, 2, device="cuda", **options)
    path = paths(np.random.default_rng(0), 6, 7, height).reshape(7, 3, 2, 4, 4)[:6]  # ends in contact
    shift = taxel.to_device(np.full((3, 2, 3), 1e-4))
    for X in path:
        batch.step(taxel.to_device(X), shift, dt=0.01)
    assert np.abs(batch._displacement.numpy()).max() > 0
    batch.zero_tangential()
    batch.reset()
    if mode == "taxel":
        _, back = batch.rollout(taxel.to_device(path))
        poses, _ = back(taxel.to_device(np.ones((6, 3, 2, 63, 3))))
        assert np.abs(poses.numpy()).max() > 0


@pytest.mark.parametrize("dome", [False, True])
def test_layer(dome):
    mini = taxel.gelsight_mini_markers(dome=dome)
    field = taxel.MarkerField(mini.pad, mini.markers, BALL, mode="layer")
    batch = field.batch(3, 2, device="cuda", wrench=True, marker_forces=True)
    height = float(mini.markers[:, 2].max()) + 8e-3
    shift = taxel.to_device(np.full((3, 2, 3), 1e-4))
    for X in paths(np.random.default_rng(0), 6, 5, height).reshape(5, 3, 2, 4, 4)[:4]:
        batch.step(taxel.to_device(X), shift)
    assert np.abs(batch._displacement.numpy()).max() > 0
    plate = np.tile(taxel.pose((0, 0, height - 8.5e-3)), (3, 2, 1, 1))  # more cells than shared memory has room for
    wide = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.half_space(), mode="layer").batch(3, 2, device="cuda")
    plate[..., 1, 1] = plate[..., 2, 2] = -1
    assert np.abs(wide.step(taxel.to_device(plate)).numpy()).max() > 0
    batch.zero_tangential()
    batch.reset(taxel.to_device([1, 0, 1], np.uint8))
    assert batch.overflows == 0


def way() -> np.ndarray:
    X = paths(np.random.default_rng(0), 6, 6, 10e-3)
    return X.reshape(6, 3, 2, 4, 4).astype(np.float32)


@pytest.mark.parametrize("variant", ["fots", "contact_center", "hydroshear_original", "hydroshear_reimpl"])
def test_fots(variant):
    fots = taxel.Fots(MARKERS, BALL, variant).batch(3, 2, device="cuda")
    shift = taxel.to_device(np.full((3, 2, 3), 1e-4))
    most = 0.0
    for X in way():
        most = max(most, float(np.abs(fots.step(taxel.to_device(X), shift).numpy()).max()))
    assert most > 0
    fots.reset(taxel.to_device([1, 0, 1], np.uint8))


@pytest.mark.parametrize("grid", [False, True])
def test_tacsl(grid):
    body = taxel.MarkerDistance(BALL, "trilinear", spacing=0.5e-3) if grid else BALL
    tacsl = taxel.TacSL(MARKERS, body).batch(3, 2, device="cuda")
    most = 0.0
    for X in way():
        most = max(most, float(tacsl.read(taxel.to_device(X), dt=0.01).tactile_normal_force.numpy().max()))
    assert most > 0
    tacsl.reset(taxel.to_device([1, 0, 1], np.uint8))
    tacsl.read(taxel.to_device(way()[2]), taxel.to_device(np.ones((3, 2, 6)))).tactile_shear_force.numpy()


@pytest.mark.parametrize(("skin", "output", "shape"), [("membrane", "uint8", (21, 34)), ("rigid", "float", (35, 20))])
def test_images(skin, output, shape):
    batch = make_camera().batch(BALL, 3, 2, shape=shape, device="cuda", skin=skin, output=output, depth=True)
    assert np.ptp(batch.render(taxel.to_device(way()[1])).numpy().astype(float)) > 0
    assert batch.depth.numpy().max() > 0
