"""The catalogue: every sensor compiles, lies where it should, can be changed, attached, and read without an engine."""

import mujoco
import numpy as np
import pytest

import taxel
from taxel.press import press
from taxel.sensors import catalogue
from taxel.sensors._shadow_fingertip import RIGHT_HALF, fingertip_mesh, taxel_places
from taxel.shape import dome_height, domed_pad

NAMES = list(catalogue())
SHAPES = {
    "myrmex": (16, 16),
    "barometer": (5, 5),
    "shadow_fingertip": None,
    "weiss": (14, 6),
    "gelsight_mini": (34, 28),
    "digit": (25, 21),
    "uskin": (4, 4),
    "anyskin": (10, 10),
    "flexitac": (12, 32),
    "tactip": None,
    "pad": (8, 8),
}
FORCES = ("uskin", "tactip")  # read in N


def elliptic() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return spec


def ball_spec() -> mujoco.MjSpec:
    spec = elliptic()
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.5])
    body.add_freejoint()
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.005, 0, 0], mass=0.02)
    return spec


def drawn_points(model: mujoco.MjModel, sensor: taxel.Sensor) -> np.ndarray:
    """Points of a sensor at the origin of the world: its frame to world."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    X_WS = sensor.pose(data)
    np.testing.assert_allclose(X_WS, np.eye(4), atol=1e-6)
    return sensor.layout.points @ X_WS[:3, :3].T + X_WS[:3, 3]


@pytest.mark.parametrize("name", NAMES)
def test_compiles_and_lies_where_its_skin_does(name):
    described = catalogue()[name]()
    assert described.name == name and described.shape == SHAPES[name]
    assert described.unit == ("N" if name in FORCES else "Pa")
    spec = elliptic()
    assert described.add_to(spec) == name
    model = spec.compile()
    sensor = taxel.Sensor(model, name)
    assert sensor.count == described.count == len(described.skin())
    # The same places, although MuJoCo moves and turns a mesh.
    np.testing.assert_allclose(drawn_points(model, sensor), described.skin().layout.points, atol=1e-8)
    low, high = described.bounds
    assert (drawn_points(model, sensor) >= low - 1e-6).all() and (drawn_points(model, sensor) <= high + 1e-6).all()
    assert abs(low[0] + high[0]) < 1e-9 and high[2] > 0  # the middle of the sensing surface is above the origin


@pytest.mark.parametrize("name", NAMES)
def test_has_a_source_for_every_number(name):
    described = catalogue()[name]()
    text = " ".join([*described.source, *described.source.values()])
    if name != "pad":
        for word in ("modulus", "friction", "taxel"):
            assert word in text
    assert all(description.strip() for description in described.source.values())


@pytest.mark.parametrize("name", NAMES)
def test_fragment_opens_and_is_the_same_sensor(name):
    described = catalogue()[name]()
    model = taxel.load_model(f"<mujoco>{described.mjcf('left_thumb')}</mujoco>")
    spec = elliptic()
    described.add_to(spec, name="left_thumb")
    other = spec.compile()
    assert taxel.sensor_names(model) == taxel.sensor_names(other) == ["left_thumb"]
    a, b = taxel.Sensor(model, "left_thumb"), taxel.Sensor(other, "left_thumb")
    for part in ("points", "normals", "axes", "areas"):
        np.testing.assert_array_equal(getattr(a.layout, part), getattr(b.layout, part))


@pytest.mark.parametrize("name", ["myrmex", "digit"])
def test_fragment_presses_like_the_sensor(name, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>{catalogue()[name]().mjcf()}</mujoco>")
    a, b = press(name, "sphere:0.01", force=2), press(path, "sphere:0.01", force=2)
    assert b.force == pytest.approx(a.force, rel=1e-6) and b.depth == pytest.approx(a.depth, rel=1e-4)
    # The ball comes down a nanometre aside, and its facets start elsewhere.
    np.testing.assert_allclose(b.image.ravel(), a.image.ravel(), atol=5e-3 * a.image.max())


def test_meshes_are_closed_and_outward():
    for vertices, triangles in (
        fingertip_mesh(),
        domed_pad((0.02, 0.03), 0.002, 0.001, 0.003),
        *((s.geom.vertices, s.geom.triangles) for s in (f() for f in catalogue().values()) if s.geom.type == "mesh"),
    ):
        assert taxel.check_watertight(vertices, triangles)
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        assert np.sum(a * np.cross(b, c)) > 0
        # Its own mirror image in x.
        mirrored = vertices * (-1, 1, 1)
        assert {tuple(v) for v in np.round(mirrored, 9) + 0.0} == {tuple(v) for v in np.round(vertices, 9) + 0.0}


def test_dome_is_as_high_as_it_says():
    size, rim, dome = (0.02075, 0.02525), 0.00275, 0.00125
    vertices, _ = domed_pad(size, rim, dome, 0.0015)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), (*size, rim + dome), atol=1e-12)
    assert dome_height(0.5 * size[0], 0.003, size, rim, dome) == pytest.approx(rim)
    points = taxel.sensors.gelsight_mini().taxels["points"]
    np.testing.assert_allclose(points[:, 2], dome_height(points[:, 0], points[:, 1], size, rim, dome), atol=1e-8)


def test_fingertip_taxels_are_where_they_were_published():
    points, normals = taxel_places()
    given = 1e-3 * np.array(RIGHT_HALF)
    assert np.linalg.norm(points[:6] - given, axis=1).max() < 0.35e-3
    np.testing.assert_allclose(points[6:], points[:6] * (-1, 1, 1))
    published = np.array(  # normals, in our frame
        [
            (0.374, 0.088, 0.923),
            (0.999, 0.031, 0.033),
            (0.995, 0.088, 0.037),
            (0.366, 0.260, 0.893),
            (0.352, 0.926, 0.138),
            (0.923, 0.380, 0.063),
        ]
    )
    assert np.degrees(np.arccos(np.sum(published * normals[:6], axis=1))).max() < 6.5


@pytest.mark.parametrize("name", ["myrmex", "shadow_fingertip", "gelsight_mini"])
def test_without_an_engine_the_taxels_sum_to_the_contact_force(name):
    described = catalogue()[name]()
    body, skin = described.body(), described.skin()
    assert body.name == name and body.modulus == described.material["modulus"]
    ball = taxel.Body.sphere(0.006)
    X_WB = taxel.pose((0.0013, 0.0008, described.bounds[1, 2] + 0.006 - 0.0008))
    surface = taxel.contact(body, taxel.pose(), ball, X_WB)
    np.testing.assert_allclose(skin.read(surface).force, surface.force_on_A, rtol=1e-9, atol=1e-9)


def test_a_backed_mesh_is_exposed_where_its_file_says():
    """MuJoCo turns the mesh of the gel pad into its axes of inertia; the layer must still lie below the dome."""
    described = taxel.sensors.gelsight_mini()
    result = press(described, "sphere:0.01", force=2)
    assert np.abs(result.center[:2]).max() < 1e-5
    body, ball = described.body(), taxel.Body.sphere(0.01)
    top = described.bounds[1, 2]
    surface = taxel.contact(body, taxel.pose(), ball, taxel.pose((0, 0, top + 0.01 - result.depth)))
    assert surface.force_on_B[2] == pytest.approx(2.0, rel=0.03)
    assert surface.area == pytest.approx(result.area, rel=0.03)


# --- Changes ---


def test_replace_changes_adds_and_removes_keys():
    plain = taxel.sensors.myrmex()
    changed = plain.replace(modulus=5e4, readout="rays", noise=(0, 10), friction=None, name="mine")
    assert changed.material["modulus"] == 5e4 and "friction" not in changed.material
    assert changed.taxels["readout"] == "rays" and changed.chain["noise"] == (0, 10) and changed.name == "mine"
    assert plain.material["modulus"] == 3e4 and plain.name == "myrmex"
    assert taxel.sensors.myrmex(shape=(4, 8)).shape == (4, 8)
    assert taxel.sensors.gelsight_mini(points=[(0, 0, 0.004)], normals=None, radius=1e-3).count == 1


def test_unknown_keys_are_refused_with_a_hint():
    with pytest.raises(taxel.Error, match="myrmex: there is no key 'moduls'; did you mean 'modulus'"):
        taxel.sensors.myrmex(moduls=3)
    with pytest.raises(taxel.Error, match=r"no key 'xyzzy'.*dissipation"):
        taxel.sensors.weiss().replace(xyzzy=3)
    with pytest.raises(taxel.Error, match="pad: there is no key 'siz'"):
        taxel.sensors.pad().add_to(elliptic(), siz=3)
    with pytest.raises(taxel.Error, match="no electronics"):
        taxel.sensors.pad(electronics=True)


def test_electronics_of_the_myrmex_are_inverted_codes():
    described = taxel.sensors.myrmex(electronics=True)
    assert described.unit == "counts"
    result = press(described, "sphere", force=5)
    assert (result.no_load == 4095).all() and result.image.max() == 4095 and 1000 < result.image.min() < 4000
    assert result.taxel_force == pytest.approx(5, rel=1e-4)
    ideal = press("myrmex", "sphere", force=5)
    np.testing.assert_allclose(4095 - result.image, np.round(ideal.image / 3e4 * 4095), atol=1)


def test_electronics_take_changes_too():
    assert taxel.sensors.weiss(electronics=True, bits=8).chain["bits"] == 8
    assert taxel.sensors.barometer(electronics=True).chain == {"rate": 200.0}


def test_pad_is_what_one_asks_for():
    pad = taxel.sensors.pad((0.03, 0.05), (3, 7), modulus=2e5, thickness=0.004, friction=0.1)
    np.testing.assert_allclose(pad.bounds, [(-0.015, -0.025, -0.002), (0.015, 0.025, 0.002)])
    assert pad.shape == (3, 7) and pad.material["friction"] == 0.1 and "3 x 7" in pad.title
    for wrong in ({"size": (0.03, -1)}, {"thickness": 0}, {"size": (0.03,)}):
        with pytest.raises(taxel.Error, match="pad: size"):
            taxel.sensors.pad(**wrong)


# --- In a model ---


def test_two_sensors_of_one_kind_in_one_model():
    spec = ball_spec()
    first = taxel.sensors.pad().add_to(spec, pos=(0.1, 0, 0))
    second = taxel.sensors.pad().add_to(spec, pos=(-0.1, 0, 0), modulus=3e5)
    third = taxel.sensors.digit().add_to(spec, pos=(0, 0.1, 0))
    fourth = taxel.sensors.digit().add_to(spec, pos=(0, -0.1, 0))
    assert (first, second, third, fourth) == ("pad", "pad_2", "digit", "digit_2")
    model = spec.compile()
    data = mujoco.MjData(model)
    read = {name: taxel.Sensor(model, name) for name in taxel.sensor_names(model)}
    assert list(read) == ["pad", "pad_2", "digit", "digit_2"]
    for name, pos in (("pad_2", (-0.1, 0, 0.0025 + 0.005)), ("digit", (0, 0.1, 0.0025 + 0.005))):
        mujoco.mj_resetData(model, data)
        data.qpos[:3] = pos
        mujoco.mj_step(model, data, nstep=10)
        felt = {k: sensor.read(data) for k, sensor in read.items()}
        force = np.linalg.norm(felt[name].force)
        assert force > 0.01 and force == pytest.approx(np.linalg.norm(taxel.wrench(model, data, name)[:3]), rel=1e-6)
        assert all(reading.load == 0 for k, reading in felt.items() if k != name)


def test_on_a_body_turned_and_moved():
    spec = ball_spec()
    finger = spec.worldbody.add_body(name="finger", pos=[0, 0, 1])
    name = taxel.sensors.shadow_fingertip().add_to(spec, body="finger", pos=(0.01, 0, 0), euler=(0, 90, 0))
    other = taxel.sensors.pad().add_to(spec, body=finger, pos=(0, 0.1, 0), quat=(0, 1, 0, 0))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    body = data.body(name)
    np.testing.assert_allclose(body.xpos, (0.01, 0, 1), atol=1e-12)
    np.testing.assert_allclose(body.xmat.reshape(3, 3)[:, 2], (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(data.body(other).xmat.reshape(3, 3)[:, 2], (0, 0, -1), atol=1e-12)


def test_attached_twice_with_a_prefix():
    finger = elliptic()
    link = finger.worldbody.add_body(name="link")
    taxel.sensors.weiss().add_to(finger, body=link, pos=(0, 0, 0.01))
    taxel.sensors.digit().add_to(finger, body=link, pos=(0.1, 0, 0.01))
    hand = ball_spec()
    for prefix, x in (("left_", -0.3), ("right_", 0.3)):
        hand.attach(finger.copy(), prefix=prefix, frame=hand.worldbody.add_frame(pos=[x, 0, 0]))
    model = hand.compile()
    assert sorted(taxel.sensor_names(model)) == ["left_digit", "left_weiss", "right_digit", "right_weiss"]
    assert len(taxel.Reader(model).soft_geoms) == 4
    data = mujoco.MjData(model)
    data.qpos[:3] = (0.3, 0, 0.013 + 0.005)
    mujoco.mj_step(model, data, nstep=10)
    felt = {name: taxel.Sensor(model, name).read(data) for name in taxel.sensor_names(model)}
    wrench = taxel.wrench(model, data, "right_weiss")
    assert wrench[2] < -0.01 and felt["right_weiss"].force[2] == pytest.approx(wrench[2], rel=1e-6)
    assert all(reading.load == 0 for name, reading in felt.items() if name != "right_weiss")


def test_attached_from_the_world():
    """On no body of the model's own: the material must not be lost."""
    child = elliptic()
    taxel.sensors.barometer().add_to(child)
    scene = ball_spec()
    scene.attach(child, prefix="a_", frame=scene.worldbody.add_frame())
    model = scene.compile()
    assert taxel.sensor_names(model) == ["a_barometer"] and taxel.Reader(model).soft_geoms == ["a_barometer"]


def test_wrong_places_and_names_are_refused():
    spec = elliptic()
    pad = taxel.sensors.pad()
    pad.add_to(spec, name="mine")
    for wrong, words in (
        ({"name": "mine"}, "already has something named 'mine'"),
        ({"name": "my pad"}, "one word"),
        ({"body": "nowhere"}, "no body 'nowhere'"),
        ({"pos": (0, 0)}, "pos is"),
        ({"pos": (0, 0, np.nan)}, "pos is"),
        ({"quat": (0, 0, 0, 0)}, "quat is"),
        ({"quat": (1, 0, 0, 0), "euler": (0, 0, 0)}, "not both"),
    ):
        with pytest.raises(taxel.Error, match=words):
            pad.add_to(spec, **wrong)


def test_a_wrong_value_is_named_by_the_model():
    spec = elliptic()
    taxel.sensors.pad().add_to(spec, readout="guess")
    with pytest.raises(ValueError, match="readout"):
        spec.compile()


def test_the_cone_is_set_with_a_warning_that_points_here():
    with pytest.warns(UserWarning, match="elliptic") as caught:
        taxel.sensors.pad().add_to(mujoco.MjSpec())
    assert caught[0].filename == __file__


def test_images_of_free_layouts():
    mini = taxel.sensors.gelsight_mini()
    assert mini.image(np.arange(mini.count)).shape == (34, 28)
    assert mini.image(mini.taxels["points"][:, 0])[0].tolist() == sorted(mini.taxels["points"][:28, 0])
    tip = taxel.sensors.shadow_fingertip()
    assert tip.image(np.arange(12)).shape == (12,)
