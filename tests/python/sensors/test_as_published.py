"""Pressure skins as published: the preset, and the authors' sensor files.

- the preset: distance and Laplace fields, rays; forces of a flat press against the closed form of the distance field
- YAML of flat, free and curved sensors: cells, radius, windows; the same readings as the keys given by hand
- wrong files: one line that names sensor, key and way out
"""

import mujoco
import numpy as np
import pytest

import taxel
from taxel.press import press
from taxel.sensors import as_published, read_surface_plugins

FLAT = {
    "type": "mujoco_contact_surface_sensors/FlatTactileSensor", "sensorName": "myrmex", "geomName": "foam",
    "topicName": "tactile", "updateRate": 50.0, "resolution": 0.025, "sampling_resolution": 8,
}  # fmt: skip
CURVED = {
    "type": "mujoco_contact_surface_sensors/CurvedSensor", "sensorName": "tip", "geomName": "finger",
    "topicName": "t", "updateRate": 100, "include_margin": 0.006, "sample_resolution": 1000000.0,
    "taxels": [[0.0, 0.0, 0.00788], [0.00864, -0.004, 0.0]], "normals": [[0, 0, 1], [1, 0, 0]],
}  # fmt: skip


def test_the_distance_field_is_that_of_a_plate_between_two_faces():
    sensor = as_published(taxel.sensors.myrmex())
    body = sensor.body()
    # A rigid block well inside the rim, 1 mm deep: p = E d / (thickness / 2), and rays read that.
    block = taxel.Body.box((0.03, 0.02, 0.02))
    X = taxel.pose((0.004, -0.003, 0.009 + 0.01 - 1e-3), quat=(np.cos(0.2), 0, 0, np.sin(0.2)))
    surface = taxel.contact(body, taxel.pose(), block, X)
    pressure = 3e4 * 1e-3 / 0.009
    assert surface.force_on_B[2] == pytest.approx(pressure * 6e-4, rel=1e-6)
    values = sensor.skin().read(surface, taxel.pose()).values
    assert values.max() == pytest.approx(pressure, rel=1e-6)
    assert values.sum() * 25e-6 == pytest.approx(pressure * 6e-4, rel=0.01)


def test_laplace_and_curved():
    sensor = as_published(taxel.sensors.barometer(), "laplace")
    assert "laplace" in repr(sensor.body())
    curved = as_published(taxel.sensors.shadow_fingertip())
    keys = curved.taxels | curved.rays
    assert keys["aggregate"] == "sum" and keys["radius"] == keys["reach"] == 6e-3
    with pytest.raises(ValueError, match="'laplace'"):
        as_published(taxel.sensors.myrmex(), "poisson")


@pytest.mark.parametrize("name", [n for n in taxel.sensors.catalogue() if n != "shadow_fingertip"])
def test_every_sensor_of_the_catalogue_can_be(name):
    """Some had taxels without a sample, and a reach that ended above a deep press: the taxels then read a third. (The
    fingertip's twelve do not cover it.)"""
    sensor = as_published(taxel.sensors.catalogue()[name]())
    deep = 0.25 * (sensor.bounds[1] - sensor.bounds[0])[2]
    result = press(sensor, "sphere:0.006", depth=min(deep, 1e-3))
    assert result.force > 0
    # The outermost taxels of the uSkin have fewer samples about them, and all are weighted alike.
    assert result.taxel_force == pytest.approx(result.force, rel=0.06)


def test_a_published_field_does_not_follow_the_size_of_contacts():
    """It could not be compiled: layer_poisson, which nobody had written, is for layers."""
    auto, plain = (as_published(taxel.sensors.weiss(**keys)) for keys in ({"contact": "auto"}, {}))
    assert auto.material == plain.material
    assert press(auto, "sphere:0.006", depth=5e-4).force > 0


def test_what_cannot_be_as_published():
    for sensor, words in (
        ("weiss", r"sensor is 'weiss'; give a sensor of the catalogue, such as taxel.sensors.weiss\(\)"),
        (None, "sensor is None"),
        (
            taxel.sensors.gelsight_mini(model="marker"),
            "gelsight_mini is markers, and the authors' sensors read pressure",
        ),
        (taxel.sensors.weiss(model="gel"), "weiss is a gel of particles"),
        (taxel.sensors.weiss(model="bristle"), "weiss has no pressure field"),
    ):
        with pytest.raises(taxel.Error, match=words):
            as_published(sensor)


def test_a_flat_sensor_of_a_file_reads_as_one_by_hand(tmp_path):
    pytest.importorskip("yaml")
    path = tmp_path / "sensors.yaml"
    path.write_text("MujocoPlugins:\n  - type: a\n    SurfacePlugins:\n      - " + "\n        ".join(
        f"{key}: {value}" for key, value in FLAT.items()) + "\n")  # fmt: skip
    (found,) = read_surface_plugins(path)
    assert found.kind == "FlatTactileSensor" and found.rate == 50 and found.aside == {"topicName": "tactile"}
    size = (0.41, 0.30, 0.04)  # 16.4 and 12 cells: theirs are floor(x + 0.1)
    keys = found.keys(size)
    assert keys["shape"] == (12, 16) and keys["reach"] == 0.02
    body = taxel.Body.box(size, modulus=5e4)
    by_hand = taxel.Skin(body, shape=(12, 16), pitch=0.025, readout="rays", samples=8, reach=0.02, source="elastic")
    ball = taxel.Body.sphere(0.1)
    surface = taxel.contact(body, taxel.pose(), ball, taxel.pose((0.07, -0.03, 0.11)))
    values = taxel.Skin(body, **keys).read(surface, taxel.pose()).values
    assert values.max() > 1e3
    np.testing.assert_array_equal(values, by_hand.read(surface, taxel.pose()).values)


def test_a_file_on_a_model():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(name="foam", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.2, 0.15, 0.02])
    ball = spec.worldbody.add_body(pos=[0.03, 0.02, 0.115])
    ball.add_freejoint()
    ball.add_geom(size=[0.1, 0, 0], mass=1.0)
    taxel.soften(spec, "foam", modulus=5e4, dissipation=5.0)
    (found,) = read_surface_plugins(FLAT)
    assert found.add_to(spec) == "myrmex"
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=30)
    image = taxel.Sensor(model, "myrmex")(data)
    assert image.shape == (12, 16) and image.max() > 0
    with pytest.raises(ValueError, match="there is no geom 'pad'"):
        found.add_to(spec, "pad")


def test_free_and_curved_sensors_of_a_file():
    (found,) = read_surface_plugins({"SurfacePlugins": [CURVED]})
    keys = found.keys()
    assert keys["angle"] == 45 and keys["sample_density"] == 1e6 and len(keys["points"]) == 2
    body = taxel.sensors.shadow_fingertip().body()
    assert len(taxel.Skin(body, **keys)) == 2
    free = {k: v for k, v in CURVED.items() if k != "normals"}
    free |= {"type": "TaxelSensor", "method": "weighted", "sample_resolution": 0.0006}
    (other,) = read_surface_plugins(free)
    assert other.keys()["sample_spacing"] == 0.0006 and any("falls through" in note for note in other.notes)
    assert len(taxel.Skin(body, **other.keys())) == 2


@pytest.mark.parametrize(
    "change, words",
    [
        ({"resolution": -1}, "resolution is -1"),
        ({"resolutoin": 0.1}, "resolutoin"),
        ({"windowing": "hann"}, "windowing is 'hann'"),
        ({"type": "RoundSensor"}, "type is 'RoundSensor'"),
        ({"sampling_resolution": 2.5}, "whole number"),
        ({"updateRate": None}, "updateRate is None"),
    ],
)
def test_wrong_flat_sensors(change, words):
    with pytest.raises(ValueError, match=words) as error:
        read_surface_plugins(FLAT | change)
    assert "myrmex" in str(error.value)


def test_wrong_curved_sensors(tmp_path):
    for change, words in (
        ({"sample_resolution": 0.0005}, "reads nothing"),
        ({"normals": [[0, 0, 1]]}, "1 normals for 2 taxels"),
        ({"taxels": [[0, 0]]}, "no list of"),
        ({"type": "TaxelSensor", "normals": None}, "normals"),
    ):
        with pytest.raises(ValueError, match=words):
            read_surface_plugins(CURVED | change)
    with pytest.raises(ValueError, match="not offered"):
        read_surface_plugins({k: v for k, v in CURVED.items() if k != "normals"} | {"type": "TaxelSensor"})
    (tmp_path / "latin.yaml").write_bytes("sensorName: Fühler".encode("latin-1"))
    with pytest.raises(taxel.Error, match=r"latin\.yaml: byte 13 is no UTF-8"):
        read_surface_plugins(tmp_path / "latin.yaml")
    with pytest.raises(taxel.Error, match=r"is a folder; give the \.yaml file in it"):
        read_surface_plugins(tmp_path)
    with pytest.raises(ValueError, match="no such file"):
        read_surface_plugins(tmp_path / "none.yaml")
    with pytest.raises(ValueError, match="no sensor in it"):
        read_surface_plugins({})
