"""Grey images in batches on the CPU against the camera's own single images.

- the depth under a ball is the closed form: off-axis, not square, turned image
- a rigid skin is what ``press`` and ``grey`` give, to 0.01 grey levels; a membrane to 0.7 of them, since ``press``
  stops its relaxation (from coarse to fine grids) at another distance from the solution; both see no shadows
- tilted box and capsule, a mesh on a grid; bytes are rounded floats; nothing touches: the untouched image
- a camera of another size sees the same
- wrong input, devices
"""

import numpy as np
import pytest
from batch_paths import paths
from conftest import cube
from test_tactile_image import planted_table

import taxel
from taxel.image import ImageBatch, Light, TactileCamera

PLANE = 2e-3
OBJECTS = {
    "ball": (taxel.Body.sphere(6e-3), 6e-3),
    "box": (taxel.Body.box((7e-3, 6e-3, 8e-3)), 4.5e-3),
    "capsule": (taxel.Body.capsule(3e-3, 5e-3), 5.5e-3),
}


def camera(rows: int = 80, cols: int = 60, pixel: float = 0.26e-3) -> TactileCamera:
    r, c = np.indices((rows, cols)) / rows
    ground = np.stack([110 + 25 * c, 120 - 10 * r, 100 + 10 * r + 10 * c], axis=-1)
    return TactileCamera(ground, pixel, planted_table(), [Light(0.3, 0.4, 2e-4, (20, 20, 20))], 0.8e-3)


def ball_depth(shape, pixel: float, X: np.ndarray, radius: float, right=(1, 0), down=(0, 1)) -> np.ndarray:
    r, c = np.indices(shape)
    across, along = pixel * (c - 0.5 * (shape[1] - 1)), pixel * (r - 0.5 * (shape[0] - 1))
    x = across * right[0] + along * down[0] - X[0, 3]
    y = across * right[1] + along * down[1] - X[1, 3]
    rest = radius**2 - x**2 - y**2
    return np.where(rest > 0, np.maximum(0, PLANE - X[2, 3] + np.sqrt(np.maximum(rest, 0))), 0)


@pytest.mark.parametrize("axes", [((1, 0), (0, 1)), ((0, -1), (1, 0)), ((-1, 0), (0, 1))])
@pytest.mark.parametrize("shape", [(80, 60), (45, 71)])
def test_depth_is_the_closed_form(shape, axes):
    batch = camera(*shape).batch(
        OBJECTS["ball"][0], 2, 2, shape=None, depth=True, output="float", right=axes[0], down=axes[1]
    )
    assert batch.render(paths(1, 2, 2, 5, 6e-3)[1]).shape == (2, 2, *shape)
    X = np.tile(taxel.pose((1.7e-3, -2.3e-3, 7.2e-3), quat=(0.8, 0.1, -0.5, 0.3)), (2, 2, 1, 1))
    X[1, 0, :3, 3] = 4.4e-3, 3.1e-3, 7.4e-3
    batch.render(X)
    for w, f in ((0, 1), (1, 0)):
        want = ball_depth(shape, 0.26e-3, X[w, f], 6e-3, *axes)
        assert want.max() > 5e-4
        np.testing.assert_allclose(batch.depth[w, f], want, atol=1e-9)


@pytest.mark.parametrize("skin", ["rigid", "membrane"])
@pytest.mark.parametrize("name", list(OBJECTS))
def test_equals_single_images(name, skin):
    body, reach = OBJECTS[name]
    tolerance = 0.01 if skin == "rigid" else 0.7
    one = camera(64, 50, 0.3e-3)
    batch = one.batch(body, 2, 2, shape=None, skin=skin, output="float", depth=True, threads=2)
    levels = one.batch(body, 2, 2, shape=None, skin=skin)
    contrast = 0.0
    for X in paths(2, 2, 2, 9, reach):
        got = batch.render(X)
        assert got.dtype == np.float32 and got.shape == (2, 2, 64, 50)
        whole = levels.render(X)
        assert whole.dtype == np.uint8
        np.testing.assert_array_equal(whole, np.floor(got + np.float32(0.5)).astype(np.uint8))
        depth = batch.depth.reshape(4, 64, 50)
        want = one.grey(one.press(depth, skin), shadows=False, as_float=True).reshape(got.shape)
        np.testing.assert_allclose(got, want, atol=tolerance)
        contrast = max(contrast, np.abs(got - one.grey(np.zeros((64, 50)), as_float=True)).max())
    assert contrast > 10


def test_nothing_touches():
    one = camera()
    X = np.tile(taxel.pose((0, 0, 0.05)), (2, 1, 1, 1))
    grey = one.batch(OBJECTS["box"][0], 2).render(X)
    np.testing.assert_array_equal(grey, np.broadcast_to(one.grey(np.zeros((80, 60))), grey.shape))


def test_a_mesh_on_a_grid_is_its_box():
    one, X = camera(), paths(5, 2, 1, 9, 4.5e-3)[2]
    mesh = taxel.MarkerDistance(cube(8e-3), "trilinear", spacing=0.1e-3, margin=0.5e-3)
    a, b = (one.batch(body, 2, depth=True) for body in (mesh, taxel.Body.box((8e-3, 8e-3, 8e-3))))
    a.render(X)
    b.render(X)
    assert b.depth.max() > 3e-4
    assert np.quantile(np.abs(a.depth - b.depth), 0.99) < 5e-5  # a wall may be a pixel away


def test_another_size_sees_the_same():
    fine = camera(320, 240, 0.065e-3)
    coarse = fine.resized((80, 60))
    assert coarse.shape == (80, 60) and coarse.pixel == pytest.approx(0.26e-3)
    np.testing.assert_allclose(coarse.background, fine.background.reshape(80, 4, 60, 4, 3).mean(axis=(1, 3)), atol=1e-4)
    X = np.tile(taxel.pose((1e-3, -2e-3, 7.1e-3)), (1, 1, 1, 1))
    ball = OBJECTS["ball"][0]
    small = fine.batch(ball, 1, output="float").render(X)[0, 0]
    large = fine.batch(ball, 1, shape=None, output="float").render(X)[0, 0]
    mean = large.reshape(80, 4, 60, 4).mean(axis=(1, 3))
    assert np.abs(large - fine.grey(np.zeros((320, 240)), as_float=True)).max() > 10
    assert np.abs(small - mean).mean() < 0.2 and np.abs(small - mean).max() < 4
    # Cut to a square from the middle, 1.5 old pixels each: places keep their colours.
    square = fine.resized((160, 160))
    assert square.pixel == pytest.approx(0.065e-3 * 1.5)
    rows = 40.25 + 1.5 * np.arange(160)[:, None]
    np.testing.assert_allclose(square.background[:, :, 1] + 10 * rows / 320, np.full((160, 160), 120.0), atol=0.02)
    height = np.full((160, 160), 0.0, np.float32) + 1e-4 * np.arange(160, dtype=np.float32)
    same = np.full((320, 240), 0.0, np.float32) + 1e-4 / 1.5 * np.arange(240, dtype=np.float32)
    a = square.render(height, shadows=False, as_float=True) - square.background
    b = fine.render(same, shadows=False, as_float=True) - fine.background
    # New pixel (r, c) has its middle at old row 40 + 1.5 (r + 0.5) - 0.5.
    np.testing.assert_allclose(a[1::2, 1::2], 0.5 * (b[41:280:3, 1:240:3] + b[42:281:3, 2:240:3]), atol=0.05)


def test_wrong_input_is_named():
    one, ball = camera(), OBJECTS["ball"][0]
    batch, X = one.batch(ball, 2, 2), paths(1, 2, 2, 3, 6e-3)[1]
    bad = X.copy()
    bad[1, 0, 0, 3] = np.nan
    with pytest.raises(taxel.Error, match="X_PI number 2"):
        batch.render(bad)
    with pytest.raises(taxel.Error, match=r"ImageBatch: X_PI has the shape \(2, 4, 4\); give \(2, 2, 4, 4\)"):
        batch.render(X[0])
    with pytest.raises(taxel.Error, match="depth was not asked for; make the batch with depth=True"):
        _ = batch.depth
    with pytest.raises(taxel.Error, match="depth before the first"):
        _ = one.batch(ball, 1, depth=True).depth
    for options, words in (
        ({"skin": "pyramid"}, "skin is 'pyramid'; give 'membrane' or 'rigid'"),
        ({"output": "float64"}, "output is 'float64'"),
        ({"right": (1.0, 1.0)}, "unit vectors"),
        ({"right": (1.0, 0.0), "down": (1.0, 0.0)}, "right angles"),
        ({"max_depth": 0.0}, "max_depth above 0"),
        ({"shape": (2, 60)}, "at least 3 rows"),
        ({"device": "tpu"}, "give 'cpu' or 'cuda'"),
        ({"device": "cuda", "threads": 2}, "threads belong to device 'cpu'"),
    ):
        with pytest.raises(taxel.Error, match=words):
            one.batch(ball, 1, **options)
    with pytest.raises(taxel.Error, match="whole number of 1 or more"):
        ImageBatch(one, ball, 0)
    with pytest.raises(taxel.Error, match=r"the object has an exact distance .*trilinear"):
        one.batch(cube(8e-3), 1)
    with pytest.raises(taxel.Error, match=r"ImageBatch.render_world: say which rows are pads and objects with attach"):
        batch.render_world(None, None)


@pytest.mark.skipif(taxel.cuda_available(), reason="there is a GPU")
def test_no_gpu_says_so():
    with pytest.raises(taxel.Error, match=r"CUDA: .*use device 'cpu'"):
        camera().batch(OBJECTS["ball"][0], 1, device="cuda")
