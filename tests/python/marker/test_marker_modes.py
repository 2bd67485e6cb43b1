"""Marker fields against the slow NumPy versions of marker_reference.py.

- HydroShear, both modes: random paths in SE(3) with entry, stick, slip, release and re-entry; sphere, box and mesh;
  flat and domed gel; with and without the gravity pass; nearest-voxel distances
- FOTS: four variants, whole pixels; TacSL: forces, unit shear
- what the models are for: shear that stays when motion stops and goes when contact ends
- wrong input
"""

import marker_reference as reference
import numpy as np
import pytest
from conftest import cube

import taxel
from taxel.shape import domed_pad

# Pixels. Both sides compute in double; displacements are below 100 px.
EQUAL = 1e-6
PARAMETERS = {"lambda_d": 17000.0, "lambda_s": 12000.0, "friction": 0.4}


def turn(vector) -> np.ndarray:
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def slanted_block() -> tuple[np.ndarray, np.ndarray]:
    vertices, triangles = cube(1.0)
    shear = np.array([[9e-3, 2e-3, 0], [0, 8e-3, 1e-3], [1e-3, 0, 7e-3]])
    return vertices @ shear.T, triangles


INDENTERS = {
    "sphere": (taxel.Body.sphere(6e-3), reference.sphere(6e-3)),
    "box": (taxel.Body.box((9e-3, 7e-3, 8e-3)), reference.box((9e-3, 7e-3, 8e-3))),
    "mesh": (slanted_block(), reference.mesh(*slanted_block())),
}


def gel(kind: str):
    """(pad, reference distance, markers)."""
    mini = taxel.gelsight_mini_markers(dome=False)
    if kind == "flat":
        return mini.pad, reference.box(mini.size), mini.markers
    vertices, triangles = domed_pad(mini.size[:2], 2.75e-3, 1.25e-3, 1.5e-3, cells=4)
    vertices = vertices - [0, 0, 2e-3]
    markers = mini.markers.copy()
    for _ in range(15):
        markers[:, 2] -= taxel.signed_distance((vertices, triangles), markers)
    return (vertices, triangles), reference.mesh(vertices, triangles), markers


def path(points: np.ndarray, seed: int, steps: int = 14) -> list[np.ndarray]:
    """Twice: from above into the gel, little moves that stick, longer ones that slip, rest, and out again."""
    rng = np.random.default_rng(seed)
    depths = np.concatenate([[-1.5, -0.2], np.linspace(0.3, 1.0, 3), rng.uniform(0.3, 1.1, steps - 7), [0.4, -0.8]])
    depths = np.concatenate([depths, depths]) * 1e-3
    rotation, xy, poses = turn(0.1 * rng.normal(size=3)), rng.uniform(-2e-3, 2e-3, 2), []
    for i, depth in enumerate(depths):
        size = (2e-5, 2e-4)[i % 4 > 1]
        if i % 7 != 5:  # every seventh step rests
            rotation = turn(size * 80 * rng.normal(size=3)) @ rotation
            xy = xy + size * rng.normal(size=2)
            z = 2e-3 - depth - (points @ rotation.T)[:, 2].min()
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = rotation, (*xy, z)
        poses.append(X)
    return poses


def reference_of(mode, field, phi_E, phi_I, markers, stiffness=1.0, area=1.0):
    p, scale = PARAMETERS, 1000 / 0.065
    lambdas = p["lambda_d"], p["lambda_s"], p["friction"]
    if mode == "paper":
        outward = field.normals
        return reference.Paper(phi_E, phi_I, markers, field.points, outward, *lambdas, stiffness, area, scale, scale)
    return reference.Release(phi_E, phi_I, markers, field.points, *lambdas, scale, scale)


SHIFT = np.eye(4)
SHIFT[:3, :3], SHIFT[:3, 3] = turn(np.array([0.004, -0.01, 0.02])), (1e-4, -1.5e-4, -1.2e-4)


@pytest.mark.parametrize("shift", [None, SHIFT], ids=["plain", "gravity"])
@pytest.mark.parametrize("name", ["box", "mesh"])
def test_paper_with_two_trackers_equals_the_reference(name, shift):
    """E apart from K, mu of the displacements apart from that of the forces, an area a point (Eqs. 5 to 14)."""
    body, phi_I = INDENTERS[name]
    shape, phi_E, markers = gel("domed")
    points = taxel.MarkerField(shape, markers, body, mode="paper", radius=1.1e-3, seed=3)
    areas = np.random.default_rng(2).uniform(0.2, 2.0, len(points.points))
    known = {"points": points.points, "normals": points.normals}
    own = {"stiffness": 1.7, "area": 0.6, "young": 0.5, "tracking_friction": 1.4}
    field = taxel.MarkerField(shape, markers, body, "paper", **known, areas=areas, **PARAMETERS, **own)
    p, scale = PARAMETERS, 1000 / 0.065
    slow = reference.Paper(
        phi_E, phi_I, markers, points.points, points.normals, p["lambda_d"], p["lambda_s"], p["friction"], 1.7,
        0.6 * areas, scale, scale, E=0.5, mu_hat=1.4,
    )  # fmt: skip
    plain = taxel.MarkerField(shape, markers, body, "paper", **known, **PARAMETERS, stiffness=1.7, area=0.6)
    far = 0.0
    for k, X in enumerate(path(points.points, seed=5)):
        got = field.step(X, shift)
        np.testing.assert_allclose(got, slow.step(X, shift), rtol=0, atol=EQUAL)
        far = max(far, np.abs(got - plain.step(X, shift)).max())
        if k == 9:  # the memory of both trackers goes with the state
            state, other = field.state, field.copy()
            other.reset()
            other.state = state
            field = other
    assert far > 1e-3 and slow.stuck > 50 and slow.slipped > 50


def test_two_trackers_are_one_where_nothing_differs():
    mini = taxel.gelsight_mini_markers(dome=False)
    ball = taxel.Body.sphere(8e-3)
    one = taxel.MarkerField(mini.pad, mini.markers, ball, "paper", stiffness=3.0, friction=0.8)
    same = taxel.MarkerField(
        mini.pad, mini.markers, ball, "paper", stiffness=3.0, friction=0.8, young=3.0, tracking_friction=0.8
    )
    _, poses = pressed_and_dragged("paper")
    for X in poses:
        np.testing.assert_array_equal(one.step(X), same.step(X))
    assert "g" not in same.state


def test_wrong_numbers_of_the_trackers():
    mini, ball = taxel.gelsight_mini_markers(dome=False), taxel.Body.sphere(8e-3)
    for keys, words in (
        ({"young": -1.0}, "young"),
        ({"tracking_friction": -0.1}, "tracking_friction is -0.1"),
        ({"young": 2.0, "stiffness": 0.0}, "stiffness above 0"),
        ({"mode": "release", "young": 2.0}, "young"),
    ):
        with pytest.raises(ValueError, match=words):
            taxel.MarkerField(mini.pad, mini.markers, ball, **{"mode": "paper"} | keys)
    points = 8e-3 * np.array([[0, 0, -1.0], [0, 1, 0]])
    with pytest.raises(ValueError, match="1 areas for 2 points"):
        taxel.MarkerField(mini.pad, mini.markers, ball, "paper", points=points, normals=points / 8e-3, areas=[1.0])


@pytest.mark.parametrize("shift", [None, SHIFT], ids=["plain", "gravity"])
@pytest.mark.parametrize("pad", ["flat", "domed"])
@pytest.mark.parametrize("name", list(INDENTERS))
@pytest.mark.parametrize("mode", ["paper", "release"])
def test_equals_the_reference(mode, name, pad, shift):
    body, phi_I = INDENTERS[name]
    shape, phi_E, markers = gel(pad)
    own = {"stiffness": 1.7, "area": 0.6} if mode == "paper" else {}
    field = taxel.MarkerField(shape, markers, body, mode=mode, radius=1.1e-3, seed=3, **PARAMETERS, **own)
    slow = reference_of(mode, field, phi_E, phi_I, markers, **own)
    left, entered, greatest = 0, 0, 0.0
    for X in path(field.points, seed=len(name) + 10 * (pad == "flat")):
        inside_before = len(field.state["index"])
        got, want = field.step(X, shift), slow.step(X, shift)
        np.testing.assert_allclose(got, want, rtol=0, atol=EQUAL)
        inside = len(field.state["index"])
        left += inside_before > 0 and inside == 0
        entered += inside_before == 0 and inside > 0
        greatest = max(greatest, np.abs(field.shear[:, :2]).max())
    assert entered >= 2 and left >= 2, "the path presses twice"
    assert slow.stuck > 50 and slow.slipped > 50, "the path sticks and slips"
    assert greatest > 0.01, "there is shear to compare"


@pytest.mark.parametrize("mode", ["paper", "release"])
def test_nearest_voxels_equal_the_reference(mode):
    body, phi_I = INDENTERS["sphere"]
    _, phi_E, markers = gel("flat")
    size = np.array(taxel.gelsight_mini_markers().size)
    low, high = -size / 2 - 0.02, size / 2 + 0.02
    pad = taxel.MarkerDistance(taxel.gelsight_mini_markers(dome=False).pad, "nearest", spacing=1e-3, margin=0.02)
    voxels = reference.nearest_voxel(phi_E, low, high, 1e-3)
    probes = np.random.default_rng(0).uniform(-0.04, 0.04, (2000, 3))
    np.testing.assert_allclose(pad(probes), voxels(probes), rtol=0, atol=1e-15)
    field = taxel.MarkerField(pad, markers, body, mode=mode, radius=1.1e-3, **PARAMETERS)
    slow = reference_of(mode, field, voxels, phi_I, markers)
    exact = taxel.MarkerField(gel("flat")[0], markers, body, mode=mode, radius=1.1e-3, **PARAMETERS)
    apart = 0.0
    for X in path(field.points, seed=4):
        got = field.step(X)
        np.testing.assert_allclose(got, slow.step(X), rtol=0, atol=EQUAL)
        apart = max(apart, np.abs(got - exact.step(X)).max())
    assert apart > 0.01, "voxels of 1 mm are no exact distance"


def test_zeroing_the_tangential_part():
    body, phi_I = INDENTERS["sphere"]
    shape, phi_E, markers = gel("flat")
    for mode in ("paper", "release"):
        field = taxel.MarkerField(shape, markers, body, mode=mode, radius=1.1e-3, **PARAMETERS)
        slow = reference_of(mode, field, phi_E, phi_I, markers)
        for i, X in enumerate(path(field.points, seed=8)[:12]):
            np.testing.assert_allclose(field.step(X), slow.step(X), rtol=0, atol=EQUAL)
            if i != 7:
                continue
            field.zero_tangential()
            if mode == "paper":
                n = -field.normals @ X[:3, :3].T
                slow.force = slow.displacement = (slow.force * n).sum(1)[:, None] * n
            else:
                slow.f[:, :2] = 0


def pressed_and_dragged(mode: str) -> tuple[taxel.MarkerField, list[np.ndarray]]:
    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(8e-3), mode=mode, radius=0.75e-3, friction=0.8)
    poses = [taxel.pose((0, 0, 12e-3))]
    poses += [taxel.pose((0, 0, 10e-3 - z)) for z in np.linspace(0, 1e-3, 6)]
    poses += [taxel.pose((x, 0, 9e-3)) for x in np.linspace(0, 2e-4, 6)[1:]]
    return field, poses


@pytest.mark.parametrize("mode", ["paper", "release"])
def test_shear_stays_when_motion_stops_and_goes_with_the_contact(mode):
    field, poses = pressed_and_dragged(mode)
    for X in poses[:7]:
        field.step(X)
    at_rest = np.abs(field.shear[:, :2]).max()
    for X in poses[7:]:
        field.step(X)
    dragged = field.shear.copy()
    middle = dragged[31]
    assert middle[0] > 0.05, "the gel follows the ball"
    assert at_rest < 0.15 * middle[0], "a straight press shears little"
    for _ in range(50):
        field.step(poses[-1])
    # As released, the 1e-8 m in the clip wears 50 of them off 0.2 mm: 0.25 %.
    np.testing.assert_allclose(field.shear, dragged, rtol=0, atol=(1e-9 if mode == "paper" else 5e-3 * middle[0]))
    assert np.all(field.step(poses[0]) == 0)
    assert len(field.state["index"]) == 0
    field.step(poses[6])
    assert np.abs(field.shear[:, :2]).max() < 0.15 * middle[0], "nothing is remembered of before"


def test_state_and_copies_go_on_alike():
    field, poses = pressed_and_dragged("paper")
    for X in poses[:8]:
        field.step(X)
    copy, other = field.copy(), pressed_and_dragged("paper")[0]
    other.state = field.state
    for X in poses[8:]:
        want = field.step(X)
        assert np.array_equal(copy.step(X), want) and np.array_equal(other.step(X), want)
    copy.reset()
    assert not copy.state["started"] and field.state["started"]
    assert np.any(copy.step(poses[-1]) != field.step(poses[-1]))


@pytest.mark.parametrize(
    "variant, whole",
    [
        ("fots", False),
        ("fots", True),
        ("contact_center", False),
        ("contact_center", True),
        ("hydroshear_original", False),
        ("hydroshear_reimpl", False),
    ],
)
@pytest.mark.parametrize("name", list(INDENTERS))
def test_fots_equals_the_reference(variant, name, whole):
    body, phi_I = INDENTERS[name]
    markers, pixel = gel("domed")[2], 0.065e-3
    origin = (-0.01, -0.012, 0.0)
    fast = taxel.Fots(markers, body, variant, pixel=pixel, whole_pixels=whole, image_origin=origin)
    slow = reference.Fots(markers, phi_I, variant, pixel, whole, origin)
    points = taxel.MarkerField(gel("flat")[0], markers, body, radius=1.1e-3).points
    parts = set()
    for X in path(points, seed=5):
        got = fast.step(X)
        np.testing.assert_allclose(got, slow.step(X), rtol=0, atol=EQUAL)
        parts.add(bool(np.abs(got).max() > 0.1))
    assert parts == {True, False}


def test_fots_twists_about_the_start_as_since_april_2024():
    body, phi_I = INDENTERS["box"]
    markers = gel("flat")[2]
    far = 0
    for variant in ("fots", "contact_center"):
        then = taxel.Fots(markers, body, variant)
        fast = taxel.Fots(markers, body, variant, twist_about="start")
        slow = reference.Fots(markers, phi_I, variant, 0.065e-3, twist_about="start")
        for k in range(10):
            X = taxel.pose((2e-4 * k, -1e-4 * k, 5.5e-3), R=turn(np.array([0.01, 0.02, 0.06 * k])))
            got = fast.step(X)
            np.testing.assert_allclose(got, slow.step(X), rtol=0, atol=EQUAL)
            far = max(far, np.abs(got - then.step(X)).max())
    assert far > 1, "px between the two"
    with pytest.raises(ValueError, match="twists about the start"):
        taxel.Fots(markers, body, "hydroshear_reimpl", twist_about="now")
    with pytest.raises(ValueError, match="twist_about"):
        taxel.Fots(markers, body, twist_about="middle")


def test_fots_markers_on_whole_pixels_stay_where_they_are():
    """FOTS has its markers at whole pixels, 11 x 9 from (26, 15) with steps (29, 26): truncation must not move them."""
    pixel, origin = 0.0511e-3, np.array([-8.1e-3, -6.3e-3, 0.0])
    columns, rows = np.meshgrid(26 + 29 * np.arange(11), 15 + 26 * np.arange(9))
    places = np.column_stack([columns.ravel(), rows.ravel(), 0 * rows.ravel()]).astype(float)
    markers = origin + pixel * places
    computed = (markers - origin) / pixel
    assert (np.trunc(computed) != places).any(), "plain truncation would move some"
    body = INDENTERS["box"][0]
    size = dict(pixel=pixel, image_origin=origin, center=(4 * pixel, -7 * pixel, 0))
    whole = taxel.Fots(markers, body, whole_pixels=True, **size)
    free = taxel.Fots(markers, body, whole_pixels=False, **size)
    # The tracked point starts at a whole pixel, too, and goes on by whole ones: nothing is left to cut off.
    start = origin + pixel * np.array([141.0, 123.0, 0.0])
    for k in range(5):
        X = taxel.pose(start + pixel * np.array([3.0 * k, -2.0 * k, 0]) + (0, 0, 2.5e-3))
        np.testing.assert_allclose(whole.step(X), free.step(X), rtol=0, atol=1e-9)
    assert np.abs(whole.step(X)).max() > 1


def test_fots_turns_about_a_given_point():
    body, phi_I = INDENTERS["box"]
    markers = gel("flat")[2]
    center = (1e-3, -2e-3, -3e-3)
    for variant in ("fots", "hydroshear_reimpl"):
        fast = taxel.Fots(markers, body, variant, center=center)
        slow = reference.Fots(markers, phi_I, variant, 0.065e-3, center=center)
        for angle in np.linspace(0, 4.0, 12):  # beyond half a turn: a quaternion changes its sign
            X = taxel.pose((0, 0, 5.5e-3), R=turn(np.array([0, 0, angle + 1e-9])))
            np.testing.assert_allclose(fast.step(X), slow.step(X), rtol=0, atol=EQUAL)


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("name", list(INDENTERS))
def test_tacsl_equals_the_reference(name, unit):
    body, phi_I = INDENTERS[name]
    markers = gel("domed")[2]
    rng = np.random.default_rng(7)
    sensor = taxel.TacSL(
        markers,
        body,
        normal_contact_stiffness=900.0,
        tangential_stiffness=3.0,
        friction_coefficient=0.7,
        unit_shear=unit,
    )
    points = taxel.MarkerField(gel("flat")[0], markers, body, radius=1.1e-3).points
    stuck = slid = 0
    for X_PI in path(points, seed=6):
        X_WP = taxel.pose(rng.normal(size=3), R=turn(rng.normal(size=3)))
        v = rng.normal(size=(4, 3)) * np.array([0.05, 1.0, 0.05, 1.0])[:, None]
        data = sensor.read(
            X_WP,
            X_WP @ X_PI,
            pad_velocity=v[0],
            pad_angular_velocity=v[1],
            object_velocity=v[2],
            object_angular_velocity=v[3],
        )
        depth, normal, shear = reference.tacsl(
            markers, phi_I, X_WP, X_WP @ X_PI, (v[0], v[1]), (v[2], v[3]), 900.0, 3.0, 0.7, unit
        )
        np.testing.assert_allclose(data.penetration_depth, depth, rtol=0, atol=1e-14)
        # The reference differentiates numerically: 1e-7 of a normal, times forces of 1 N.
        np.testing.assert_allclose(data.tactile_normal_force, normal, rtol=0, atol=3e-6)
        np.testing.assert_allclose(data.tactile_shear_force, shear, rtol=0, atol=3e-5 if unit else 3e-6)
        np.testing.assert_allclose(data.tactile_points_pos_w, markers @ X_WP[:3, :3].T + X_WP[:3, 3], atol=1e-15)
        np.testing.assert_allclose(
            np.abs(data.tactile_points_quat_w @ reference.quaternion(X_WP[:3, :3])), 1, atol=1e-12
        )
        stuck += int((depth > 0).sum())
        slid += int((normal > 0).sum())
    assert stuck > 30 and slid > 30


def test_tacsl_forgets_as_soon_as_motion_stops():
    sensor = taxel.TacSL([[0, 0, 0]], taxel.Body.box((0.02, 0.02, 0.01)))
    X_WI = taxel.pose((0, 0, 4.5e-3))
    moving = sensor.read(np.eye(4), X_WI, object_velocity=(0.002, 0, 0))
    assert moving.tactile_normal_force[0] == pytest.approx(5e-4)
    assert moving.tactile_shear_force[0] == pytest.approx((0.1 * 0.002, 0))  # dragged along
    assert np.all(sensor.read(np.eye(4), X_WI).tactile_shear_force == 0)


def test_the_gel_of_a_gelsight_mini():
    flat, domed = taxel.gelsight_mini_markers(dome=False), taxel.gelsight_mini_markers()
    for mini in (flat, domed):
        grid = mini.markers.reshape(9, 7, 3)
        assert np.diff(grid[:, :, 0], axis=1) == pytest.approx(1.84375e-3)
        assert np.diff(grid[:, :, 1], axis=0) == pytest.approx(1.84375e-3)
        assert np.abs(taxel.MarkerDistance(mini.pad)(mini.markers)).max() < 1e-9
    assert domed.markers[:, 2].max() == pytest.approx(2e-3, abs=1e-6)
    assert domed.markers[:, 2].min() < 1.5e-3


def test_wrong_input_is_named():
    mini = taxel.gelsight_mini_markers(dome=False)
    ball = taxel.Body.sphere(5e-3)

    def field(pad=mini.pad, markers=mini.markers, indenter=ball, mode="paper", **more):
        return taxel.MarkerField(pad, markers, indenter, mode, **more)

    vertices, triangles = cube(0.01)
    cases = [
        (lambda: field(mode="fots"), "mode is 'fots'"),
        (lambda: field(lambda_x=1.0), "unknown parameter 'lambda_x'"),
        (lambda: field(mode="release", stiffness=1.0), "unknown parameter 'stiffness'"),
        (lambda: field(friction=-1.0), "friction is -1"),
        (lambda: field(lambda_s=0.0), "lambda_s is 0"),
        (lambda: field(markers=np.zeros((3, 2))), r"markers: expected an array of shape \(N, 3\); got \(3, 2\)"),
        (lambda: field(markers=np.zeros((0, 3))), "no marker"),
        (lambda: field(markers=np.full((1, 3), np.nan)), "marker 0 is not finite"),
        (lambda: field(points=np.zeros((4, 3))), "one outward normal a point; got 0 for 4"),
        (lambda: field(points=np.zeros((1, 3)), normals=[[0, 0, 2.0]]), "has the length 2"),
        (lambda: field(normals=np.zeros((4, 3))), "normals or areas without points"),
        (lambda: field(points=np.zeros((1, 3)), normals=[[0, 0, 1.0]], radius=1e-3), "points are given"),
        (lambda: field(indenter=(vertices, triangles[1:])), "closed"),
        (lambda: field(pad=(vertices, triangles[1:])), "closed"),
        (lambda: field(indenter=(vertices, triangles[:, ::-1])), "inwards"),
        (lambda: field(indenter=taxel.MarkerDistance(ball)), "no surface to sample"),
        (lambda: field().step(np.full((4, 4), np.nan)), "last row"),
        (lambda: field().step(taxel.pose((np.nan, 0, 0))), "X_PI is not finite"),
        (lambda: field().step(np.diag([1, 1, -1, 1.0])), "X_PI is not a rotation"),
        (lambda: field().step(np.eye(4), shift=(np.inf, 0, 0)), "shift is not finite"),
        (lambda: taxel.MarkerDistance(ball, "cubic"), "kind is 'cubic'"),
        (lambda: taxel.MarkerDistance(ball, "trilinear"), "needs a spacing"),
        (lambda: taxel.MarkerDistance(ball, "trilinear", spacing=-1.0), "spacing is -1"),
        (lambda: taxel.MarkerDistance(ball, spacing=1e-3), "no spacing"),
        (lambda: taxel.MarkerDistance(ball, "nearest", spacing=1e-6), "more than"),
        (lambda: taxel.Fots(mini.markers, ball, "fotz"), "variant is 'fotz'"),
        (lambda: taxel.Fots(mini.markers, ball, lambda_d=-1.0), "lambda_d is -1"),
        (lambda: taxel.Fots(mini.markers, ball, "hydroshear_reimpl", whole_pixels=True), "do not truncate"),
        (lambda: taxel.Fots(mini.markers, ball).step(taxel.pose((0, np.nan, 0))), "X_PI is not finite"),
        (lambda: taxel.TacSL(mini.markers, ball, friction_coefficient=-1.0), "friction_coefficient is -1"),
        (lambda: taxel.TacSL([[0, 0, 0]], ball).read(np.eye(4), np.eye(4), pad_velocity=(np.nan, 0, 0)), "velocity"),
        (lambda: taxel.gelsight_mini_markers(margin=0.02), "margin"),
    ]
    for call, words in cases:
        with pytest.raises(taxel.Error, match=words):
            call()
    state = field().state
    with pytest.raises(taxel.Error, match="a state has"):
        field().state = {"f": 1}
    with pytest.raises(taxel.Error, match="not one of this field"):
        field().state = {**state, "started": True, "index": [10**6], "f": np.zeros((1, 3)), "phi": [-1e-4]}


@pytest.mark.parametrize("mode", ["layer", "taxel", "paper", "release"])
def test_time_does_not_run_backwards(mode):
    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(6e-3), mode)
    for dt in (-1, float("nan"), float("inf"), "1", None):
        with pytest.raises(
            taxel.Error, match=r"marker field: dt is .*; give the time since the last step in s, 0 or more"
        ):
            field.step(taxel.pose((0, 0, 7.5e-3)), dt=dt)
