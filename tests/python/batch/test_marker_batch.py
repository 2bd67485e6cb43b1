"""Marker batches as an environment drives them, on the CPU: tilted, off-axis, two fingers.

- a masked step moves these worlds alone, as single fields move; the others keep their bits
- a reset that presses in from outside: the same as the steps by hand; published modes then feel shear
- poses in the world from arrays, warp and mjData, with offsets that differ from world to world
- masks of any kind; lists of worlds are refused
- turned points: as a turned pose; a turn that changes the object is refused; the leak of a fixed sample
- state and results unchanged on error

tests/gpu/test_gpu_marker_worlds.py holds the GPU against these batches.
"""

import mujoco
import numpy as np
import pytest
from batch_paths import paths, turn
from marker_worlds import axial_fit, grasped_pegs, in_world, peg_field, random_turns

import taxel

MINI = taxel.gelsight_mini_markers(dome=False)
BALL, REACH = taxel.Body.sphere(8e-3), 8e-3
WORLDS, FINGERS, STEPS = 3, 2, 9
MODES = ("taxel", "paper", "release")


def make(mode="taxel", body=BALL, **more):
    return taxel.MarkerField(MINI.pad, MINI.markers, body, mode, radius=1.5e-3, **more)


@pytest.mark.parametrize("mode", MODES)
def test_a_masked_step_is_that_of_single_fields(mode):
    forces = {"wrench": True, "marker_forces": True} if mode == "taxel" else {}
    batch = make(mode).batch(WORLDS, FINGERS, threads=2, **forces)
    one = [[make(mode) for _ in range(FINGERS)] for _ in range(WORLDS)]
    want, rng, still, most = np.zeros(batch.displacement.shape), np.random.default_rng(5), 0, 0.0
    for t, X in enumerate(paths(3, WORLDS, FINGERS, STEPS, REACH)):
        mask = rng.random(WORLDS) < 0.6 if t else np.ones(WORLDS, bool)
        before, seen = batch.displacement, X.copy()
        seen[~mask] = np.nan
        seen[..., 3, :] = (0, 0, 0, 1)
        wrench = batch.wrench if forces and t else None
        got = batch.step(seen, mask=mask)
        for w in np.flatnonzero(mask):
            for f in range(FINGERS):
                want[w, f] = one[w][f].step(X[w, f])
        np.testing.assert_array_equal(got, want)
        assert got is batch.displacement and got is not before
        if forces and t:
            np.testing.assert_array_equal(batch.wrench[~mask], wrench[~mask])
        still += int((~mask).sum())
        most = max(most, np.abs(got).max())
    assert still > 3 and most > 0.1


@pytest.mark.parametrize("mode", MODES)
def test_a_press_is_the_steps_by_hand(mode):
    batch, other = (make(mode).batch(WORLDS, FINGERS) for _ in range(2))
    deep = paths(4, WORLDS, FINGERS, 9, REACH)[2]
    mask = np.array([1, 0, 1], bool)
    for b in (batch, other):
        b.step(deep)
    before = batch.displacement
    got = batch.reset(mask, press=2e-3, X_PI=deep, steps=5)
    np.testing.assert_array_equal(got[1], before[1])
    other.reset(mask)
    for k in range(5, -1, -1):
        X = deep.copy()
        X[..., 2, 3] += 2e-3 * k / 5 if k else 0
        want = other.step(X, mask=mask)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", MODES[1:])
def test_published_modes_feel_shear_after_a_press(mode):
    """What a first step into the contact lacks."""
    X = np.tile(taxel.pose((1e-3, -5e-4, 2e-3 + REACH - 6e-4), rpy=(0.2, -0.1, 0.5)), (1, 1, 1, 1))
    moved = X.copy()
    moved[..., 0, 3] += 3e-4
    spread = make(mode, shear_scale=0.0).batch(1).step(moved)  # dilation alone
    pressed, bare = make(mode).batch(1), make(mode).batch(1)
    pressed.reset(press=2e-3, X_PI=X)
    bare.step(X)
    shear = [(batch.step(moved) - spread)[..., 0].mean() for batch in (pressed, bare)]
    assert shear[0] > 1e-3 and abs(shear[1]) < 0.1 * shear[0]


def test_a_press_that_begins_inside_changes_nothing():
    batch, other = (make().batch(WORLDS, FINGERS) for _ in range(2))
    X = paths(4, WORLDS, FINGERS, 9, REACH)
    for b in (batch, other):
        b.step(X[1])
        b.step(X[2])
    held = batch.displacement
    with pytest.raises(taxel.Error, match=r"world \d, finger \d still touches at a distance of 0.05"):
        batch.reset(press=5e-5, X_PI=X[2])
    assert batch.displacement is held
    np.testing.assert_array_equal(batch.step(X[3]), other.step(X[3]))
    for wrong, words in (
        ({"press": 1e-3}, "needs poses"),
        ({"press": -1.0, "X_PI": X[2]}, "press is -1.0"),
        ({"press": 1e-3, "X_PI": X[2], "steps": 0}, "steps of a press is 0"),
        ({"X_PI": X[2]}, "give press="),
        ({"press": 1e-3, "position": X}, r"attach\(...\) first"),
    ):
        with pytest.raises(taxel.Error, match=words):
            batch.reset(**wrong)


def test_an_error_names_world_and_finger_and_moves_none():
    batch, other = (make().batch(WORLDS, FINGERS) for _ in range(2))
    X = paths(4, WORLDS, FINGERS, 9, REACH)
    batch.step(X[2]), other.step(X[2])
    held, bad = batch.displacement, X[3].copy()
    bad[1, 1, 0, 0] = 3
    with pytest.raises(taxel.Error, match="world 1, finger 1"):
        batch.step(bad, mask=[0, 1, 1])
    assert batch.displacement is held
    np.testing.assert_array_equal(batch.step(X[3]), other.step(X[3]))
    batch.step(bad, mask=[1, 0, 1])


def test_poses_in_the_world_with_offsets_of_each_world():
    X = paths(7, WORLDS, FINGERS, 7, REACH)
    own, world = make().batch(WORLDS, FINGERS), make().batch(WORLDS, FINGERS)
    pad_offsets, object_offsets, arrays = in_world(X, 11)
    world.attach([4, 1], [2], 6, pad_offsets=pad_offsets, object_offsets=object_offsets)
    for t in range(7):
        want = own.step(X[t])
        np.testing.assert_allclose(world.step_world(*arrays[t]), want, rtol=0, atol=1e-9 * max(1, np.abs(want).max()))
    got = world.reset([0, 1, 0], press=2e-3, position=arrays[2][0], rotation=arrays[2][1])
    np.testing.assert_allclose(got, own.reset([0, 1, 0], press=2e-3, X_PI=X[2]), rtol=0, atol=1e-8)
    bad = arrays[3][1].copy()
    bad[2, 4] *= 1.1
    with pytest.raises(taxel.Error, match="X_PI of world 2, finger 0"):
        world.step_world(arrays[3][0], bad)


def test_arrays_of_warp_in_float32():
    wp = pytest.importorskip("warp")
    X = paths(7, WORLDS, FINGERS, 7, REACH)
    own, world = make().batch(WORLDS, FINGERS), make().batch(WORLDS, FINGERS)
    pads, things, arrays = in_world(X, 11, away=0.05)
    world.attach([4, 1], [2], 6, pad_offsets=pads, object_offsets=things)
    for t in range(3):
        want = own.step(X[t])
        p, R = arrays[t]
        got = world.step_world(wp.array(p, dtype=wp.vec3, device="cpu"), wp.array(R, dtype=wp.mat33, device="cpu"))
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-3)
    assert np.abs(want).max() > 0.5


def test_worlds_of_mujoco_by_name():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
      <body name="thing" pos="0.2 0.1 0.3"><freejoint/><geom name="ball" type="sphere" size="0.008"/></body>
      <body pos="0.2 0.1 0.2905" euler="0 0 30"><geom name="gel" type="box" size=".01 .01 .002" contype="0"/></body>
    </worldbody></mujoco>""")
    datas = [mujoco.MjData(model) for _ in range(2)]
    datas[1].qpos[:2] += 1e-3, 2e-3
    for d in datas:
        mujoco.mj_kinematics(model, d)
    X = np.array([[np.linalg.inv(taxel.pose((0.2, 0.1, 0.2905), R=turn((0, 0, np.radians(30)))))
                   @ taxel.pose(d.geom("ball").xpos)] for d in datas])  # fmt: skip
    want = make().batch(2).step(X)
    assert np.abs(want).max() > 0.5
    batch = make().batch(2)
    for of, names in (("geom", (["gel"], ["ball"])), ("body", ([2], ["thing"]))):
        batch.attach(*names, model, of=of)
        batch.reset()
        np.testing.assert_allclose(batch.step_world(datas), want, atol=1e-8)
    batch.attach(["gel"], ["ball"], model)
    for wrong, words in (
        (lambda: batch.step_world(datas[:1]), "1 mjData; give 2"),
        (lambda: batch.step_world(np.zeros((2, 2, 3))), "rotation is missing"),
        (lambda: batch.step_world(np.zeros((2, 3, 3)), np.zeros((2, 3, 3, 3))), r"position has the shape \(2, 3, 3\)"),
        (lambda: batch.attach(["jel"], ["ball"], model), "no geom 'jel'"),
        (lambda: batch.attach(["gel"], ["ball"], 2), "names need the mjModel"),
        (lambda: batch.attach([0], [2], 2), r"objects is \[2\]; give 1 rows in 0 to 1"),
        (lambda: batch.attach([0], [1], 2, of="joint"), "of is 'joint'"),
        (lambda: batch.attach([0], [1], 2, pad_offsets=np.tile(2 * np.eye(4), (2, 1, 1, 1))), "pad_offsets of world 0"),
        (lambda: make().batch(2).step_world(datas), r"attach\(...\) first"),
    ):
        with pytest.raises((taxel.Error, KeyError), match=words):
            wrong()
    np.testing.assert_allclose(batch.step_world(datas), want, atol=1e-8)  # a refused attach changes nothing


def kinds_of_masks():
    numbers = [1, 0, 1]
    yield from (np.array(numbers, k) for k in (bool, np.uint8, np.int8, np.int64, np.float16, np.float32, float))
    yield from (numbers, tuple(map(bool, numbers)))


def test_masks_of_any_kind():
    torch, wp = pytest.importorskip("torch"), pytest.importorskip("warp")
    masks = list(kinds_of_masks())
    masks += [torch.tensor([1, 0, 1], dtype=k) for k in (torch.bool, torch.int64, torch.float32, torch.bfloat16)]
    masks += [wp.array([1, 0, 1], dtype=k, device="cpu") for k in (wp.bool, wp.uint8, wp.int32, wp.float32)]
    X = paths(4, WORLDS, FINGERS, 9, REACH)
    batch = make().batch(WORLDS, FINGERS)
    batch.step(X[1])
    batch.step(X[2])
    want = batch.reset(np.array([1, 0, 1], bool), press=2e-3, X_PI=X[2])
    for mask in masks:
        np.testing.assert_array_equal(batch.reset(mask, press=2e-3, X_PI=X[2]), want)


def test_rows_and_their_count_are_whole_numbers():
    batch = make().batch(WORLDS, FINGERS)
    torch = pytest.importorskip("torch")
    pads, objects = list(range(FINGERS)), [FINGERS]
    for count in (FINGERS + 1, np.int32(FINGERS + 1), torch.tensor(FINGERS + 1)):
        batch.attach(torch.tensor(pads), np.array(objects), count)
    for count in (mujoco_data(), None, 3.5, True, 0):
        with pytest.raises(taxel.Error, match=r"attach: count is .*; give the mjModel, or how many rows"):
            batch.attach(pads, objects, count)
    for wrong in ([float(p) for p in pads], [True] * FINGERS, [None] * FINGERS):
        with pytest.raises(taxel.Error, match=f"attach: pads is .*; give {FINGERS} rows in 0 to {FINGERS}"):
            batch.attach(wrong, objects, FINGERS + 1)
    with pytest.raises(taxel.Error, match="press is True; give the distance"):
        batch.reset(press=True, X_PI=paths(4, WORLDS, FINGERS, 9, REACH)[2])


def mujoco_data():
    mujoco = pytest.importorskip("mujoco")
    return mujoco.MjData(mujoco.MjModel.from_xml_string("<mujoco/>"))


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        ([0, 2], r"the shape \(2,\).*Of a list of worlds"),
        ([0, 1, 2], "numbers other than 0 and 1.*Of a list of worlds"),
        (np.array([0.5, 0, 1]), "numbers other than 0 and 1"),
        (np.array([np.nan, 0, 1]), "numbers other than 0 and 1"),
        (np.ones((3, 1), bool), r"the shape \(3, 1\)"),
        (["a", "b", "c"], "mask is of <U1"),
        (True, r"the shape \(\)"),
    ],
)
def test_what_is_no_mask(mask, words):
    batch = make().batch(WORLDS, FINGERS)
    X = paths(4, WORLDS, FINGERS, 9, REACH)[2]
    for call in (lambda: batch.reset(mask), lambda: batch.step(X, mask=mask), lambda: batch.zero_tangential(mask)):
        with pytest.raises(taxel.Error, match=words):
            call()


@pytest.mark.parametrize("mode", MODES)
def test_turned_points_are_a_turned_pose(mode):
    turns = random_turns(3, WORLDS, axis=None)
    batch, other = make(mode).batch(WORLDS, FINGERS), make(mode).batch(WORLDS, FINGERS)
    batch.turn_points(turns)
    for X in paths(3, WORLDS, FINGERS, 5, REACH):
        got, want = batch.step(X), other.step(X @ turns[:, None])
        np.testing.assert_allclose(got, want, atol=1e-9)
    before, again = batch.displacement, random_turns(4, WORLDS, axis=None)
    batch.turn_points(again, mask=[0, 1, 0])  # forgets world 1 alone
    got = batch.step(X)
    np.testing.assert_array_equal(got[[0, 2]], before[[0, 2]])
    other.reset([0, 1, 0])
    np.testing.assert_allclose(got[1], other.step(X @ again[:, None])[1], atol=1e-9)
    if mode == "taxel":
        with pytest.raises(taxel.Error, match="points are turned"):
            batch.rollout(X[None])
    batch.turn_points(None)
    np.testing.assert_array_equal(batch.step(X), make(mode).batch(WORLDS, FINGERS).step(X))


def test_a_turn_must_leave_the_object_as_it_is():
    box = taxel.Body.box((11e-3, 12e-3, 9e-3))
    batch = make(body=box).batch(2)
    half = taxel.pose(rpy=(np.pi, 0, 0))
    batch.turn_points([np.eye(4), half])
    with pytest.raises(taxel.Error, match=r"pose of world 1, object 0 moves points .* mm off the object"):
        batch.turn_points([half, taxel.pose(rpy=(0, 0, 0.3))])
    with pytest.raises(taxel.Error, match=r"\(3, 4, 4\); give \(2, 1, 4, 4\)"):
        batch.turn_points(np.tile(np.eye(4), (3, 1, 1)))
    with pytest.raises(taxel.Error, match="pose of world 1, object 0"):
        batch.turn_points([half, 2 * np.eye(4)])


def test_fixed_points_leak_what_no_sensor_feels():
    """A smooth round peg, shifted along its own axis: without the pattern of its points no marker knows how far."""
    field, worlds, rng = peg_field(), 640, np.random.default_rng(2)
    X, axial, across = grasped_pegs(rng, worlds)
    fixed = field.batch(worlds, 1)
    seen = fixed.reset(press=2e-3, X_PI=X, steps=2)
    spread = axial.std()
    assert axial_fit(seen, axial) < 0.2 * spread  # the fingerprint
    turned = field.batch(worlds, 1)
    turned.turn_points(random_turns(9, worlds, axis=2))
    seen = turned.reset(press=2e-3, X_PI=X, steps=2)
    noisy = seen + rng.normal(0, 0.1, seen.shape)
    assert axial_fit(noisy, axial) > 0.9 * spread
    assert axial_fit(noisy, across) < 0.3 * across.std()  # what a sensor does feel is still there
