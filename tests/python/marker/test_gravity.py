"""The motion of an object under its weight, from the stiffness of the gel.

- a rectangular patch, off axis: translation and turns against the closed forms of an elastic foundation
- balance: the springs' force and moment are the weight's, on a tilted, scattered patch
- a single point and a line of points: no turn that nothing holds; wrong input
- as `shift` of a field: the markers move the way of the weight, and nothing is remembered
"""

import re

import numpy as np
import pytest

import taxel

STIFF = {"normal_stiffness": 5e7, "shear_stiffness": 2e7}


def patch(a=6e-3, b=4e-3, n=60):
    x, y = (side * ((np.arange(n) + 0.5) / n - 0.5) for side in (a, b))
    X, Y = np.meshgrid(x, y)
    points = np.column_stack([X.ravel() + 1e-3, Y.ravel() - 2e-3, np.full(n * n, 3e-3)])
    return points, a * b / n**2


def test_a_rectangle_is_an_elastic_foundation():
    a, b, h, weight = 6e-3, 4e-3, 15e-3, 2e-4
    points, area = patch(a, b)
    middle = np.array([1e-3, -2e-3, 3e-3])
    # The weight pulls along y, h above the patch and c beside its middle along x.
    c = 2e-3
    X = taxel.gravity_shift((0, -weight, 0), middle + (c, 0, h), points, area, **STIFF)
    turn_x = weight * h / (5e7 * a * b**3 / 12)  # tips over about x
    turn_z = -weight * c / (2e7 * a * b * (a**2 + b**2) / 12)  # drills about z
    np.testing.assert_allclose(
        X @ (*middle, 1) - (*middle, 1), [0, -weight / (2e7 * a * b), 0, 0], rtol=1e-6, atol=1e-14
    )
    assert X[2, 1] == pytest.approx(turn_x, rel=1e-3)
    assert X[1, 0] == pytest.approx(turn_z, rel=1e-3)


def test_the_springs_balance_the_weight():
    rng = np.random.default_rng(3)
    points = rng.uniform(-4e-3, 4e-3, (40, 3)) * (1, 0.6, 0.2) + (2e-3, 1e-3, 4e-3)
    areas = rng.uniform(1e-7, 6e-7, 40)
    weight, center = 1e-3 * np.array([0.02, -0.05, 0.03]), np.array([6e-3, -2e-3, 9e-3])
    X = taxel.gravity_shift(weight, center, points, areas, **STIFF)
    moved = points @ X[:3, :3].T + X[:3, 3] - points
    forces = areas[:, None] * moved * (2e7, 2e7, 5e7)
    np.testing.assert_allclose(forces.sum(0), weight, rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(np.cross(points, forces).sum(0), np.cross(center, weight), rtol=1e-3, atol=1e-10)


def test_what_nothing_holds_does_not_turn():
    point = np.array([[1e-3, 2e-3, 3e-3]])
    X = taxel.gravity_shift((0, -0.1, 0), point[0] + (0, 0, 0.01), point, 1e-6, **STIFF)
    np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=1e-9)
    assert X[1, 3] == pytest.approx(-0.1 / 20)
    np.testing.assert_array_equal(taxel.gravity_shift((0, 1, 0), (0, 0, 0), np.zeros((0, 3)), 1.0, **STIFF), np.eye(4))


def test_a_field_takes_it():
    mini, ball = taxel.gelsight_mini_markers(dome=False), taxel.Body.sphere(8e-3)
    field = taxel.MarkerField(mini.pad, mini.markers, ball)
    for z in np.linspace(11e-3, 9.3e-3, 8):
        field.step(taxel.pose((0, 0, z)))
    X_PI = taxel.pose((0, 0, 9.3e-3))
    plain = field.step(X_PI)
    touching = field.contact_points
    stiffness = {key: field.parameters[key] for key in STIFF}
    X = taxel.gravity_shift((0, -0.3, 0), (0, 0, 9.3e-3), touching, 4e-7, **stiffness)
    pulled = field.step(X_PI, X)
    sag = (touching @ X[:3, :3].T + X[:3, 3] - touching).mean(axis=0)
    assert sag[1] < -1e-5 and X[2, 1] > 0 and np.abs(pulled - plain).max() > 0.2
    assert pulled[:, 1].mean() < plain[:, 1].mean() - 0.1, "px, the way of the weight"
    assert np.abs(field.step(X_PI, sag) - pulled).max() > 0.1, "a turn is more than a shift"
    np.testing.assert_array_equal(field.step(X_PI), plain)


def test_wrong_input():
    points, area = patch(n=4)
    for change, words in (
        ({"points": points[:, :2]}, "points: expected an array of shape (N, 3); got (16, 2)"),
        ({"points": [[0, 0, 0], [0, np.nan, 0]]}, "point 1 is not finite"),
        ({"points": [[0, 0, 0], [0, 0]]}, "points: expected numbers"),
        ({"points": None}, "points: expected numbers"),
        ({"weight": (0, 1)}, "gravity_shift: weight: expected shape (3,); got (2,)"),
        ({"weight": (0, np.nan, 0)}, "gravity_shift: weight: 0 nan 0 is not finite"),
        ({"weight": "down"}, "weight: expected numbers"),
        ({"center": (np.inf, 0, 0)}, "center: inf 0 0 is not finite"),
        ({"areas": [1.0, 2.0]}, "areas (of shape (2,)) are finite and above 0"),
        ({"areas": -1.0}, "areas (-1.0) are finite and above 0"),
        ({"areas": np.nan}, "areas (nan)"),
        ({"areas": "all"}, "areas ('all')"),
        ({"shear_stiffness": 0.0}, "shear_stiffness is 0.0"),
        ({"shear_stiffness": "2e7"}, "shear_stiffness is '2e7'"),
        ({"normal_stiffness": None}, "normal_stiffness is None"),
        ({"normal_stiffness": np.ones(2)}, "normal_stiffness is array([1., 1.])"),
    ):
        keys = {"weight": (0, -1, 0), "center": (0, 0, 0), "points": points, "areas": area} | STIFF | change
        with pytest.raises((ValueError, TypeError), match=re.escape(words)):
            taxel.gravity_shift(**keys)
    weightless = taxel.gravity_shift((0, 0, 0), (0, 0, 1e-2), points, area, **STIFF)
    np.testing.assert_array_equal(weightless, np.eye(4))


MODES = ("layer", "taxel", "paper", "release")
LOAD = (0.004, -0.05, 0.01), (1e-3, -2e-3, 6e-3)


def pressed(mode):
    mini = taxel.gelsight_mini_markers(dome=False)
    kind = taxel.MarkerDistance(taxel.Body.box(mini.size), "nearest") if mode == "release" else mini.pad
    field = taxel.MarkerField(kind, mini.markers, taxel.Body.cylinder(6e-3, 8e-3), mode=mode)
    R = taxel.pose((0, 0, 0), quat=(0.7, 0.7, 0.1, 0))[:3, :3]
    path = np.tile(np.eye(4), (6, 1, 1))
    path[:, :3, :3], path[:, 0, 3], path[:, 2, 3] = R, 1e-3, np.linspace(9e-3, 7.4e-3, 6)
    field.follow(path)
    return field, path


@pytest.mark.parametrize("mode", MODES)
def test_a_field_finds_points_areas_and_stiffness_itself(mode):
    field, path = pressed(mode)
    if mode == "layer":
        points, areas = field.cells[field.pressure > 0], field.pitch**2
        p = field.parameters
        disc = np.sqrt(len(points) * areas / np.pi)
        layer = taxel.Material(young=p["young"], poisson=p["poisson"], thickness=p["thickness"])
        normal = layer.modulus(contact=disc) / p["thickness"]
        g = taxel.sensors.effective_shear(disc / p["thickness"], p["poisson"])
        own = {"normal_stiffness": normal, "shear_stiffness": g * layer.shear_modulus / p["thickness"]}
    else:
        state = field.state["objects"][0] if mode == "taxel" else field.state
        points = np.asarray(field.points)[state["index"]] @ path[-1, :3, :3].T + path[-1, :3, 3]
        # Published modes do not show their areas: those of equal shares are near.
        whole = 2 * np.pi * 6e-3 * (6e-3 + 8e-3)
        every = field.areas if mode == "taxel" else np.full(len(field.points), whole / len(field.points))
        areas = every[state["index"]]
        own = {"normal_stiffness": 1.63e8, "shear_stiffness": 5.7e7}
    assert len(points) > 10
    expected = taxel.gravity_shift(*LOAD, points, areas, **own)
    assert np.abs(expected - np.eye(4)).max() > 2e-4
    off = {"layer": 1e-4, "taxel": 1e-9}.get(mode, 0.3)
    assert np.abs(field.gravity_shift(*LOAD) - expected).max() < off * np.abs(expected - np.eye(4)).max()
    stiff = taxel.gravity_shift(*LOAD, points, areas, **STIFF)
    off = 1e-9 if mode in ("layer", "taxel") else 0.3
    assert np.abs(field.gravity_shift(*LOAD, **STIFF) - stiff).max() < off * np.abs(stiff - np.eye(4)).max()


@pytest.mark.parametrize("mode", MODES)
def test_batches_take_whole_motions(mode):
    field, path = pressed(mode)
    batch = taxel.MarkerBatch(field, 2, 2)
    ways = np.stack([path, path + np.array([[0, 0, 0, 5e-4], [0, 0, 0, -3e-4], [0, 0, 0, 1e-4], [0, 0, 0, 0]])])
    for t in range(len(path)):
        X = ways[[0, 1], t][[[0, 1], [1, 0]]]
        plain = batch.step(X)
    rng = np.random.default_rng(1)
    weight, center = rng.normal(0, 0.2, (2, 2, 3)), rng.normal(0, 3e-3, (2, 2, 3))
    shift = batch.gravity_shift(weight, center)
    sagged, again = batch.step(X, shift), batch.step(X)
    moved = batch.step(X, shift[..., :3, 3])
    for w in range(2):
        for f in range(2):
            one, _ = pressed(mode)
            one.reset()
            one.follow(ways[(w + f) % 2])
            own = one.gravity_shift(weight[w, f], center[w, f])
            np.testing.assert_allclose(shift[w, f], own, rtol=1e-9, atol=1e-15)
            np.testing.assert_array_equal(sagged[w, f], one.step(X[w, f], shift[w, f]))
            one.step(X[w, f])
            np.testing.assert_array_equal(moved[w, f], one.step(X[w, f], shift[w, f, :3, 3]))
    assert np.abs(sagged - moved).max() > 0.01 * np.abs(sagged - plain).max(), "px, the turn counts"
    np.testing.assert_allclose(again, plain, atol=2e-3 * np.abs(plain).max())
    pressing = batch.reset(press=3e-3, X_PI=X, shift=shift)
    assert np.isfinite(pressing).all()


def test_two_opposed_fingers_cancel_their_levers():
    """Against the springs of both pads at once: an object 2 r thick, held off its centre of mass, gravity along the
    pads. Each pad by itself, opposed, has the motion of the whole."""
    field, _ = pressed("taxel")
    state = field.state["objects"][0]
    X_PI = np.array(state["X_PI"]).reshape(4, 4)
    points = np.asarray(field.points)[state["index"]] @ X_PI[:3, :3].T + X_PI[:3, 3]
    areas = field.areas[state["index"]]
    center, weight = points.mean(axis=0) + (4e-3, -7e-3, 9e-3), np.array([0.1, -0.3, 0])
    mirrored = points * (1, 1, -1) + (0, 0, 2 * center[2])
    both, twice = np.concatenate([points, mirrored]), np.concatenate([areas, areas])
    wanted = taxel.gravity_shift(weight, center, both, twice, **STIFF)
    opposed = {"opposed": True, **STIFF}
    X = taxel.gravity_shift(weight / 2, center, points, areas, **opposed)
    moved = points @ X[:3, :3].T + X[:3, 3] - points
    truly = points @ wanted[:3, :3].T + wanted[:3, 3] - points
    assert np.abs(moved[:, :2] - truly[:, :2]).max() < 0.01 * np.abs(truly).max()
    assert np.abs(moved[:, 2]).max() < 0.01 * np.abs(truly).max()
    np.testing.assert_allclose(field.gravity_shift(weight / 2, center, **opposed), X, atol=1e-12)
    alone = taxel.gravity_shift(weight / 2, center, points, areas, **STIFF)
    assert np.abs(points @ alone[:3, :3].T + alone[:3, 3] - points)[:, 2].max() > np.abs(truly).max()


def test_a_patch_that_is_asked_for_too_much_turns_by_a_tenth():
    field, _ = pressed("layer")
    X = field.gravity_shift((0, -5, 0), (0, 0, 0.1))
    assert np.arccos((np.trace(X[:3, :3]) - 1) / 2) == pytest.approx(0.1)
    field.reset()
    np.testing.assert_array_equal(field.gravity_shift((0, -5, 0), (0, 0, 0.1)), np.eye(4))


def test_wrong_shifts_and_loads():
    field, path = pressed("layer")
    batch = field.batch(worlds=2)
    X, eye = np.tile(path[-1], (2, 1, 1, 1)), np.tile(np.eye(4), (2, 1, 1, 1))
    bent = eye.copy()
    bent[1, 0, 0, 0] = 1.1
    for call, words in (
        (lambda: batch.step(X, np.zeros((2, 3))), "shift has the shape (2, 3); give (2, 1, 3), or (2, 1, 4, 4)"),
        (lambda: batch.step(X, bent), "the shift of world 1, finger 0 is not a rotation"),
        (lambda: batch.step(X, np.full((2, 1, 3), np.nan)), "not finite"),
        (lambda: batch.gravity_shift(np.zeros((2, 3)), np.zeros((2, 1, 3))), "weight has the shape (2, 3)"),
        (
            lambda: batch.gravity_shift(np.full((2, 1, 3), np.nan), np.zeros((2, 1, 3))),
            "weight or center is not finite",
        ),
        (lambda: field.gravity_shift((0, 1, 0), (0, 0, 0), normal_stiffness=1e7), "shear_stiffness is None; give"),
        (lambda: field.gravity_shift((0, 1), (0, 0, 0)), "gravity_shift: weight: expected shape (3,)"),
    ):
        with pytest.raises((ValueError, TypeError), match=re.escape(words)):
            call()
    np.testing.assert_array_equal(batch.step(X, eye), batch.step(X))
