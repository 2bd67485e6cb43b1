"""MarkerField in mode "taxel" and MarkerBatch as a user meets them.

- state: saved, restored, copied; reset; parameters read and set; what is shared and what is not
- batches: equal to single fields, for any number of threads; no memory of the pattern; reset, zero_tangential and
  numbers by world; a list of fields in a published mode
- gradients: rollout and jacobian against differences; the batch's are the fields'
- twist: a turn about z turns the markers and gives a torque of the same sign
- wrong input: shapes, poses that are none, open meshes, points without normals, areas, parameters, devices; nothing
  has moved then
"""

import numpy as np
import pytest
from test_marker_taxel import DOME, FLAT, TOP, flat_end, given, press_and_drag, quat

import taxel

BALL = taxel.Body.sphere(8e-3)
PATH = press_and_drag(-8e-3, quat((1, 2, 0), 0.3), 0.7e-3)
RADIUS = 1.2e-3


def make(indenter=BALL, pad=FLAT, **options) -> taxel.MarkerField:
    return taxel.MarkerField(
        pad.pad, pad.markers, indenter, **({} if "points" in options else {"radius": RADIUS}), **options
    )


# --- state -----------------------------------------------------------------------------------------------------------


def test_state_is_saved_restored_and_copied():
    field, other = make(creep=0.2), make(creep=0.2)
    for X in PATH[:14]:
        field.step(X, dt=0.01)
    saved, copy = field.state, field.copy()
    other.state = saved
    rest = [np.array([f.step(X, dt=0.02) for X in PATH[14:]]) for f in (field, copy, other)]
    np.testing.assert_array_equal(rest[0], rest[1])
    np.testing.assert_array_equal(rest[0], rest[2])
    field.state = saved
    np.testing.assert_array_equal(np.array([field.step(X, dt=0.02) for X in PATH[14:]]), rest[0])
    copy.parameters = {"friction": 0.1}
    assert field.parameters["friction"] == 0.5 and copy.parameters["friction"] == 0.1
    saved["objects"][0]["f"][:] = 7  # arrays are copies
    assert np.abs(field.state["objects"][0]["f"]).max() < 1
    field.reset()
    assert field.state["objects"][0]["started"] is False and not field.state["late"].any()
    fresh = make(creep=0.2)
    for X in PATH[5:12]:
        np.testing.assert_array_equal(field.step(X, dt=0.01), fresh.step(X, dt=0.01))


def test_zero_tangential_keeps_the_press():
    field = make()
    field.follow(PATH)
    force = field.wrench[2]
    field.zero_tangential()
    pixels = field.step(PATH[-1])
    np.testing.assert_allclose(pixels, field.dilation, rtol=0, atol=1e-12)
    assert np.abs(field.wrench[:2]).max() < 0.1 * abs(force)


def test_parameters_are_set_one_by_one():
    field = make(friction=0.3)
    field.parameters = {"squeeze": 1.0}
    assert field.parameters["friction"] == 0.3 and field.parameters["squeeze"] == 1.0
    assert set(field.parameters) == {*taxel.MARKER_GRADIENTS, "creep", "creep_time"}


def test_twist_turns_markers_and_torque_alike():
    points, *rest = flat_end(4e-3, 800)
    punch = taxel.MarkerField(FLAT.pad, FLAT.markers, taxel.Body.cylinder(4e-3, 8e-3), **given((points, *rest)))
    punch.step(taxel.pose((0, 0, TOP + 1e-4)))
    punch.step(taxel.pose((0, 0, TOP - 0.5e-3)))
    pixels = punch.step(taxel.pose((0, 0, TOP - 0.5e-3), quat=quat((0, 0, 1), 0.05)))
    shear = pixels - punch.dilation
    assert punch.wrench[5] > 1e-4
    at = FLAT.markers
    turning = at[:, 0] * shear[:, 1] - at[:, 1] * shear[:, 0]
    near = np.linalg.norm(at[:, :2], axis=1) < 4e-3
    assert (turning[near & (np.linalg.norm(at[:, :2], axis=1) > 1e-3)] > 0).all()


@pytest.mark.parametrize(
    "pad", [FLAT, DOME], ids=["flat", "domed"],
)  # fmt: skip
def test_entry_does_not_depend_on_how_far_above_it_began(pad):
    """One oblique step from 0.5 and from 1.5 mm above: the part inside the gel is the same."""
    shears = []
    for above in (0.5e-3, 1.5e-3):
        field = make(pad=pad, friction=5.0)
        field.step(taxel.pose((-0.4 * (above + 0.5e-3), 0, TOP + 8e-3 + above)))
        shears.append(field.step(taxel.pose((0, 0, TOP + 7.5e-3))) - field.dilation)
    np.testing.assert_allclose(shears[0], shears[1], rtol=0, atol=0.01 * np.abs(shears[0]).max())


# --- batches ---------------------------------------------------------------------------------------------------------


def worlds_path(worlds: int, fingers: int, steps=PATH) -> np.ndarray:
    """(T, worlds, fingers, 4, 4): each copy a little lower and to the side."""
    out = np.tile(steps[:, None, None], (1, worlds, fingers, 1, 1))
    copy = np.arange(worlds * fingers).reshape(worlds, fingers)
    out[..., 0, 3] += 2e-4 * copy
    out[..., 2, 3] -= 2e-5 * copy
    return out


@pytest.mark.parametrize("threads", [1, 3])
def test_batch_equals_single_fields(threads):
    field = make(creep=0.1)
    batch = field.batch(3, 2, threads=threads, wrench=True, marker_forces=True)
    path = worlds_path(3, 2)
    shift = np.linspace(-2e-4, 2e-4, 18).reshape(3, 2, 3)
    got = [(batch.step(X, shift, dt=0.01), batch.wrench, batch.marker_forces) for X in path]
    for w in range(3):
        for f in range(2):
            one = make(creep=0.1).with_marker_forces()
            for t, X in enumerate(path[:, w, f]):
                np.testing.assert_array_equal(got[t][0][w, f], one.step(X, shift[w, f], dt=0.01))
                np.testing.assert_array_equal(got[t][1][w, f], one.wrench)
                np.testing.assert_array_equal(got[t][2][w, f], one.marker_forces)


@pytest.mark.parametrize("mode", ["taxel", "paper", "release"])
def test_batch_does_not_take_over_memory(mode):
    used = make(mode=mode)
    used.follow(PATH)
    batch, fresh = used.batch(2), make(mode=mode).batch(2)
    X = worlds_path(2, 1)[-1]
    np.testing.assert_array_equal(batch.step(X), fresh.step(X))
    assert np.abs(used.step(PATH[-1])).max() > 0


def test_worlds_are_reset_and_randomised_one_by_one():
    batch, path = make().batch(4), worlds_path(4, 1)
    friction = np.array([0.1, 0.5, 0.5, 0.9])
    batch.set_parameters(friction=friction, shear_scale=20000.0)
    for X in path[:14]:
        batch.step(X)
    batch.reset([False, True, False, False])
    batch.zero_tangential(np.array([0, 0, 1, 0], np.uint8))
    got = [batch.step(X) for X in path[14:]]
    for w in range(4):
        one = make(friction=friction[w], shear_scale=20000.0)
        one.follow(path[:14, w, 0])
        if w == 1:
            one.reset()
        if w == 2:
            one.zero_tangential()
        np.testing.assert_array_equal([g[w, 0] for g in got], one.follow(path[14:, w, 0]))


def test_refused_parameters_change_no_world():
    batch, other, X = make().batch(3), make().batch(3), worlds_path(3, 1)
    with pytest.raises(taxel.Error, match="creep"):
        batch.set_parameters(creep=[0.5, 0.2, 2.0])
    for name, value in (
        ("lambda_d", 0.0),
        ("friction", [0.1, -1, 0.2]),
        ("squeeze", np.nan),
        ("creep_time", [1, 0, 1]),
    ):
        with pytest.raises(taxel.Error, match=name):
            batch.set_parameters(**{name: value})
    for wrong in ([1.0, 2.0], np.ones((3, 2)), "much"):
        with pytest.raises(taxel.Error, match="friction"):
            batch.set_parameters(friction=wrong)
    with pytest.raises(taxel.Error, match="unknown parameter 'mu'"):
        batch.set_parameters(mu=0.5)
    for k in (8, 9, 17):
        np.testing.assert_array_equal(batch.step(X[k]), other.step(X[k]))


def test_stiffness_and_area_of_the_paper_are_factors():
    path = worlds_path(1, 1)[:, 0]
    batch = make(mode="paper", area=0.5).batch(1)
    batch.set_parameters(stiffness=2.0)
    got = [batch.step(X[None])[0, 0] for X in path]
    np.testing.assert_array_equal(got, make(mode="paper", area=0.5, stiffness=2.0).follow(path[:, 0]))


def test_batch_refuses_transposed_poses():
    with pytest.raises(taxel.Error, match="transposed"):
        make().batch(1).step(PATH[-1].T[None, None])


# --- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pad", [FLAT, DOME], ids=["flat", "domed"])
def test_rollout_and_jacobian_against_differences(pad):
    field, path = make(pad=pad), PATH[5:]
    pixels, pullback = field.rollout(path)
    np.testing.assert_array_equal(pixels, field.copy().follow(path))
    seeds = np.random.default_rng(1).normal(size=pixels.shape)
    poses, numbers = pullback(seeds)
    loss = lambda p, f=field: float((f.copy().follow(p) * seeds).sum())  # noqa: E731
    for t, axis in ((2, 0), (4, 2), (len(path) - 1, 1)):
        up, low = path.copy(), path.copy()
        up[t, axis, 3] += 1e-9
        low[t, axis, 3] -= 1e-9
        slope = (loss(up) - loss(low)) / 2e-9
        assert abs(poses[t, axis, 3] - slope) < 1e-4 * np.abs(poses[..., 3]).max()
    assert not poses[:, 3].any() and poses.shape == path.shape
    end, columns = field.jacobian(path)
    np.testing.assert_allclose(end, pixels[-1], rtol=0, atol=1e-10)
    last = np.zeros_like(seeds)
    last[-1] = seeds[-1]
    of_last = pullback(last)[1]
    for name, value in field.parameters.items():
        if name not in columns:
            continue
        change = field.copy(), field.copy()
        change[0].parameters, change[1].parameters = {name: value * (1 + 1e-6)}, {name: value * (1 - 1e-6)}
        slope = (loss(path, change[0]) - loss(path, change[1])) / 2e-6
        assert abs(value * numbers[name] - slope) < 1e-4 * max(1.0, abs(slope)), name
        assert abs((columns[name] * seeds[-1]).sum() - of_last[name]) < 1e-9 * max(abs(of_last[name]), 1 / value), name
    assert not field.state["objects"][0]["started"], "the field stays where it is"


def test_gradients_of_the_batch_are_those_of_the_fields():
    field, path = make([BALL, taxel.Body.cylinder(2e-3, 6e-3)]), worlds_path(2, 2)[7:14]
    path = np.stack([path, path], 3)
    path[..., 1, :2, 3] += [5e-3, -6e-3]
    path[..., 1, 2, 3] -= 5.2e-3
    batch = field.batch(2, 2, threads=3)
    batch.set_parameters(friction=[0.2, 0.7])
    batch.step(path[0])
    pixels, pullback = batch.rollout(path[1:])
    seeds = np.random.default_rng(2).normal(size=pixels.shape)
    poses, numbers = pullback(seeds)
    assert poses.shape == path[1:].shape and numbers.shape == (2, 2, len(taxel.MARKER_GRADIENTS))
    for w in range(2):
        for f in range(2):
            one = field.copy()
            one.parameters = {"friction": (0.2, 0.7)[w]}
            one.step(path[0, w, f])
            own, back = one.rollout(path[1:, w, f])
            np.testing.assert_array_equal(pixels[:, w, f], own)
            X, p = back(seeds[:, w, f])
            np.testing.assert_array_equal(poses[:, w, f], X)
            np.testing.assert_array_equal(numbers[w, f], list(p.values()))
    np.testing.assert_array_equal(batch.step(path[1]), pixels[0])  # it stayed where it was


# --- wrong input -----------------------------------------------------------------------------------------------------

NAN = PATH[-1].copy()
NAN[1, 3] = np.nan
SHEARED = PATH[-1].copy()
SHEARED[0, 1] += 0.1
PATTERN = make()
POINTS = dict(points=PATTERN.points, normals=PATTERN.normals, areas=PATTERN.areas)
OPEN = (DOME.pad[0], DOME.pad[1][:-1])

WRONG_FIELDS = {
    "unknown parameter 'mu'": lambda: make(mu=0.5),
    "friction": lambda: make(friction=-0.1),
    "creep": lambda: make(creep=1.2),
    "lambda_s": lambda: make(lambda_s=0.0),
    "substeps": lambda: make(substeps=0),
    "mode": lambda: make(mode="hydroshear"),
    "pad.*watertight": lambda: taxel.MarkerField(OPEN, DOME.markers, BALL),
    "indenter.*watertight": lambda: make(OPEN),
    "inwards": lambda: taxel.MarkerField((DOME.pad[0], DOME.pad[1][:, ::-1]), DOME.markers, BALL),
    "half space": lambda: make(taxel.Body.half_space()),
    "nearest-voxel": lambda: taxel.MarkerField(taxel.MarkerDistance(FLAT.pad, "nearest"), FLAT.markers, BALL),
    "no object": lambda: make([]),
    "no marker": lambda: taxel.MarkerField(FLAT.pad, np.zeros((0, 3)), BALL),
    r"markers.*\(N, 3\)": lambda: taxel.MarkerField(FLAT.pad, FLAT.markers[:, :2], BALL),
    "marker 0 is not finite": lambda: taxel.MarkerField(FLAT.pad, FLAT.markers * np.nan, BALL),
    "normal": lambda: make(points=POINTS["points"]),
    "normals or areas without points": lambda: make(areas=POINTS["areas"]),
    "radius and seed": lambda: make(**POINTS, seed=1),
    "unit vectors": lambda: make(**{**POINTS, "normals": 2 * POINTS["normals"]}),
    "0 or more": lambda: make(**{**POINTS, "areas": -POINTS["areas"]}),
    "sum to 0": lambda: make(**{**POINTS, "areas": 0 * POINTS["areas"]}),
    "areas; mode": lambda: make(**{**POINTS, "areas": POINTS["areas"][1:]}),
    r"areas are \(P,\)": lambda: make(**{**POINTS, "areas": POINTS["areas"][:, None]}),
    "list of 2 arrays": lambda: make([BALL, BALL], **POINTS),
    "give points too": lambda: make(taxel.MarkerDistance(BALL)),
}


@pytest.mark.parametrize("message", list(WRONG_FIELDS))
def test_wrong_fields(message):
    with pytest.raises(taxel.Error, match=message):
        WRONG_FIELDS[message]()


def test_wrong_steps_move_nothing():
    field = make()
    field.follow(PATH[:12])
    before = field.state["objects"][0]
    for X in (NAN, SHEARED, PATH[-1].T, PATH[-1][:3], [PATH[-1], PATH[-1]]):
        with pytest.raises(taxel.Error, match="X_PI"):
            field.step(X)
    for shift in ((0, np.nan, 0), (0, 1), NAN):
        with pytest.raises(taxel.Error, match="shift"):
            field.step(PATH[-1], shift)
    with pytest.raises(taxel.Error, match="dt"):
        field.step(PATH[-1], dt=-1.0)
    after = field.state["objects"][0]
    np.testing.assert_array_equal(before["f"], after["f"])
    np.testing.assert_array_equal(before["X_PI"], after["X_PI"])
    two = make([BALL, BALL])
    with pytest.raises(taxel.Error, match="1 poses for 2 objects"):
        two.step([PATH[-1]])
    with pytest.raises(taxel.Error, match="finite"):
        two.step([PATH[-1], NAN])
    assert not two.state["objects"][0]["started"]


def test_wrong_gradients():
    for mode in ("paper", "release"):
        with pytest.raises(taxel.Error, match="rollout"):
            make(mode=mode).rollout(PATH)
        with pytest.raises(taxel.Error, match="rollout"):
            make(mode=mode).batch(1).rollout(PATH[:, None, None])
    with pytest.raises(taxel.Error, match="creep"):
        make(creep=0.1).rollout(PATH)
    with pytest.raises(taxel.Error, match="substeps"):
        make(substeps=2).jacobian(PATH)
    field = make()
    for path in (PATH[0], PATH[:, None]):
        with pytest.raises(taxel.Error, match="path"):
            field.rollout(path)
    with pytest.raises(taxel.Error, match="finite"):
        field.rollout([NAN])
    pixels, pullback = field.rollout(PATH[:3])
    with pytest.raises(taxel.Error, match="cotangents"):
        pullback(pixels[0])


@pytest.mark.parametrize("X", [NAN, SHEARED], ids=["nan", "sheared"])
def test_jacobian_looks_at_its_poses(X):
    with pytest.raises(taxel.Error, match=r"finite|rotation"):
        make().jacobian(np.stack([PATH[-1], X]))


def test_wrong_states():
    field, other = make(), make(taxel.Body.sphere(4e-3))
    field.follow(PATH)
    for change in (lambda s: s.update(late=s["late"][1:]), lambda s: s["objects"][0]["f"].fill(np.nan),
                   lambda s: s["objects"][0].update(phi=-s["objects"][0]["phi"]), lambda s: s.pop("late"),
                   lambda s: s["objects"].append(s["objects"][0])):  # fmt: skip
        state = field.state
        change(state)
        with pytest.raises(taxel.Error, match="state"):
            field.state = state
    with pytest.raises(taxel.Error, match="state"):
        other.state = field.state
    with pytest.raises(taxel.Error, match="state"):
        field.state = make(mode="paper").state


def test_what_belongs_to_other_modes():
    paper, own = make(mode="paper"), make()
    for name in ("wrench", "areas", "parameters", "contact_points", "contact_forces", "marker_forces"):
        with pytest.raises(taxel.Error, match="mode 'taxel'"):
            getattr(paper, name)
    with pytest.raises(taxel.Error, match=r"field\.dilation"):
        _ = own.shear
    for bad in (lambda: make([BALL], mode="paper"), lambda: make(mode="paper", substeps=2)):
        with pytest.raises(taxel.Error, match="mode 'taxel'"):
            bad()


def test_wrong_batches():
    field, paper = make(), make(mode="paper")
    for bad, message in ((lambda: field.batch(0), "worlds"), (lambda: field.batch(1, 0), "fingers"),
                         (lambda: field.batch(1, threads=-1), "threads"),
                         (lambda: field.batch(1, device="gpu"), "'cuda'"),
                         (lambda: taxel.MarkerBatch([field, field], 1), "one field"),
                         (lambda: taxel.MarkerBatch([], 1), "at least one"),
                         (lambda: paper.batch(1, wrench=True), "forces")):  # fmt: skip
        with pytest.raises(taxel.Error, match=message):
            bad()
    if not taxel.cuda_available():
        with pytest.raises(taxel.Error, match="CUDA"):
            field.batch(1, device="cuda")
    with pytest.raises(taxel.Error, match="threads"):
        field.batch(1, device="cuda", threads=2)
    batch, X = field.batch(2, 2), worlds_path(2, 2)[-1]
    with pytest.raises(taxel.Error, match="before the first step"):
        _ = field.batch(1, wrench=True).wrench
    with pytest.raises(taxel.Error, match="wrench=True"):
        _ = batch.wrench
    for call, message in ((lambda: batch.attach(1, 2, 3), "pads is 1; give 2 rows"),
                          (lambda: batch.step_world(1, 2), "attach"),
                          (lambda: batch.set_parameter_rows(1), "cuda")):  # fmt: skip
        with pytest.raises(taxel.Error, match=message):
            call()
    with pytest.raises(taxel.Error, match=r"X_PI has the shape \(2, 4, 4\)"):
        batch.step(X[0])
    X = X.copy()
    X[1, 0, 2, 3] = np.nan
    with pytest.raises(taxel.Error, match="world 1, finger 0"):
        batch.step(X)
    with pytest.raises(taxel.Error, match="shift"):
        batch.step(worlds_path(2, 2)[-1], (0, 0, 1e-4))
    with pytest.raises(taxel.Error, match="mask"):
        batch.reset([True])


def test_millimetres_are_noticed():
    mini = taxel.gelsight_mini_markers(dome=False)
    ball = taxel.Body.sphere(8e-3)
    with pytest.raises(taxel.Error, match=r"marker 0 at .* 5 mm away from the pad"):
        taxel.MarkerField(mini.pad, 1e3 * mini.markers, ball)
    for mode in ("taxel", "paper"):
        with pytest.raises(taxel.Error, match=r"0\.75 m between points of an object of 0\.016 m"):
            taxel.MarkerField(mini.pad, mini.markers, ball, mode, radius=0.75)
