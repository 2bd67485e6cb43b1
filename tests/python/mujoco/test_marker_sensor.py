"""Marker sensors in MuJoCo from Python: the numbers of a MarkerField, a Reader's own memory, copies, the catalogue."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import taxel

RADIUS, TOP = 0.006, 0.002
PAD = '<geom name="pad" type="box" size="0.010375 0.012625 0.002"/>'
BALL = (
    '<body name="ball" mocap="true" pos="0 0 0.1"><geom name="ball" type="sphere" size="0.006"/></body>'
    '<body name="cube" mocap="true" pos="1 0 0"><geom name="cube" type="box" size="0.003 0.003 0.003"/></body>'
)
GRID = '<config key="shape" value="9 7"/><config key="pitch" value="0.00184375"/>'


def xml(config: str = GRID, world: str = PAD + BALL) -> str:
    if "mode" not in config:
        config += '<config key="mode" value="paper"/>'
    return (
        '<mujoco><extension><plugin plugin="taxel.markers"/></extension><worldbody>'
        f'{world}</worldbody><sensor><plugin name="gel" plugin="taxel.markers" objtype="geom" objname="pad">{config}'
        "</plugin></sensor></mujoco>"
    )


def path(count: int = 60) -> np.ndarray:
    """Positions of the ball: down by 0.8 mm, then 0.6 mm aside."""
    s = np.linspace(0, 1, count)
    down = np.minimum(2 * s, 1)
    aside = np.maximum(2 * s - 1, 0)
    return np.column_stack([6e-4 * aside, -2e-4 * aside, TOP + RADIUS + 2e-4 - 1e-3 * down])


def step(model, data, place) -> None:
    data.mocap_pos[0] = place
    mujoco.mj_step(model, data)


@pytest.mark.parametrize("mode", ["paper", "release", "layer"])
def test_equals_a_marker_field(mode):
    model = taxel.load_model(xml(GRID + f'<config key="mode" value="{mode}"/>'))
    data = mujoco.MjData(model)
    sensor = taxel.MarkerSensor(model, "gel")
    mini = taxel.gelsight_mini_markers(dome=False)
    np.testing.assert_allclose(sensor.markers, mini.markers, atol=1e-12)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(RADIUS), mode=mode)
    for place in path():
        step(model, data, place)
        wanted = field.step(taxel.pose(place))
        np.testing.assert_allclose(sensor(data).reshape(-1, 3), wanted, atol=1e-9)
    assert sensor.shape == (9, 7) and sensor(data).shape == (9, 7, 3)
    assert np.abs(wanted).max() > 0.1
    reading = sensor.read(data)
    assert reading.inside == len(field.state["index"])


def test_markers_below_the_face_of_a_layer():
    keys = '<config key="mode" value="layer"/><config key="marker_depth" value="%s"/>'
    model = taxel.load_model(xml(GRID + keys % "0.0005"))
    data = mujoco.MjData(model)
    sensor = taxel.MarkerSensor(model, "gel")
    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(RADIUS), mode="layer", marker_depth=5e-4)
    for place in path(12):
        step(model, data, place)
        wanted = field.step(taxel.pose(place))
    np.testing.assert_allclose(sensor(data).reshape(-1, 3), wanted, atol=1e-9)
    for wrong, word in (("-0.001", "marker_depth"), ("0.004", "marker_depth is 0.004 m, but the gel is 0.004 m thick")):
        with pytest.raises(taxel.Error, match=word):
            taxel.load_model(xml(GRID + keys % wrong))
    with pytest.raises(taxel.Error, match="marker_depth"):
        taxel.load_model(xml(GRID + keys.replace("layer", "taxel") % "0.001"))


def test_the_own_model_gives_forces_too():
    keys = '<config key="mode" value="taxel"/><config key="output" value="displacement wrench"/>'
    model = taxel.load_model(xml(GRID + keys))
    data = mujoco.MjData(model)
    sensor, outside = taxel.MarkerSensor(model, "gel"), taxel.Reader(model).sensor("gel")
    for place in path():
        step(model, data, place)
        reading = outside.read(data)
        assert np.array_equal(reading.displacement, sensor(data)) and np.array_equal(
            reading.wrench, sensor.wrench(data)
        )
    wrench = sensor.wrench(data)
    # Pushed down and dragged along x; friction 0.5.
    assert wrench[2] < -0.1 and 0 < wrench[0] <= 0.5001 * -wrench[2]
    assert sensor(data).shape == (9, 7, 3) and np.abs(sensor(data)).max() > 1
    plain = taxel.MarkerSensor(taxel.load_model(xml()), "gel")
    with pytest.raises(taxel.Error, match=r"gives no wrench; make it with mode"):
        plain.wrench(data)


def test_a_reader_has_its_own_memory():
    model = taxel.load_model(xml())
    data = mujoco.MjData(model)
    sensor, reader = taxel.MarkerSensor(model, "gel"), taxel.Reader(model)
    outside = reader.sensor("gel")
    for place in path():
        step(model, data, place)
        assert np.array_equal(outside.read(data).displacement, sensor(data))
        assert np.array_equal(outside.read(data).displacement, sensor(data))  # asking twice changes nothing
    mujoco.mj_resetData(model, data)
    step(model, data, path()[30])
    assert np.array_equal(outside(data), sensor(data))  # time went back: both start anew


def test_a_reader_needs_no_plugin_in_the_model():
    plain = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{PAD}{BALL}</worldbody></mujoco>")
    keys = dict(geom="pad", model="marker", mode="paper", shape=(9, 7), pitch=1.84375e-3, objects=["ball"])
    outside = taxel.Reader(plain, sensors={"gel": keys}).sensor("gel")
    model = taxel.load_model(xml())
    data, other = mujoco.MjData(plain), mujoco.MjData(model)
    for place in path():
        step(plain, data, place)
        step(model, other, place)
        assert np.array_equal(outside.read(data).displacement, taxel.MarkerSensor(model, "gel")(other))
    with pytest.raises(taxel.Error, match=r"no geom and no body 'egg'"):
        taxel.Reader(plain, sensors={"gel": {**keys, "objects": "egg"}})


def test_copies_and_pickles_have_the_same_future():
    model = taxel.load_model(xml())
    data = mujoco.MjData(model)
    sensor = taxel.MarkerSensor(model, "gel")
    places = path()
    for place in places[:40]:
        step(model, data, place)
    copies = [copy.copy(data), copy.deepcopy(data), pickle.loads(pickle.dumps(data))]
    for place in places[40:]:
        step(model, data, place)
        for other in copies:
            step(model, other, place)
            assert np.array_equal(sensor(other), sensor(data))


def test_rollouts_give_the_same_numbers():
    from mujoco import rollout

    egg = '<body pos="0 0 0.0081"><freejoint/><geom name="egg" type="sphere" size="0.006" mass="0.2"/></body>'
    pad = PAD.replace("/>", ' solref="0.05 1"/>')
    model = taxel.load_model(xml(GRID, pad + egg))
    data = mujoco.MjData(model)
    data.qvel[0] = 0.01
    mujoco.mj_step(model, data, nstep=20)
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    workers = [mujoco.MjData(model) for _ in range(2)]
    _, sensed = rollout.rollout(model, workers, np.tile(state, (3, 1)), nstep=40)
    by_hand = []
    mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    data.qacc_warmstart[:] = 0
    for _ in range(40):
        mujoco.mj_step(model, data)
        by_hand.append(data.sensordata.copy())
    assert np.abs(by_hand).max() > 1e-3
    np.testing.assert_array_equal(sensed[0], sensed[1])
    np.testing.assert_allclose(sensed[2], by_hand, atol=1e-9)


def test_add_markers_beside_soft_contact():
    spec = mujoco.MjSpec.from_string(
        '<mujoco><option cone="elliptic"/><worldbody>'
        + PAD
        + '<body pos="0 0 0.0079"><freejoint/><geom name="egg" type="sphere" size="0.006" mass="0.2"/></body>'
        "</worldbody></mujoco>"
    )
    taxel.soften(spec, "pad", modulus=2e5, field="backed", friction=0.8)
    taxel.add_markers(spec, "pad", name="gel", mode="paper", shape=(9, 7), objects=["egg"], rate=60)
    model = taxel.mujoco.compile_spec(spec)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=300)
    pixels = taxel.MarkerSensor(model, "gel")(data)
    assert np.abs(pixels).max() > 0.02
    # A straight press dilates: each marker moves away from the middle.
    sensor = taxel.MarkerSensor(model, "gel")
    outward = np.sum(pixels.reshape(-1, 3)[:, :2] * sensor.markers[:, :2], axis=1)
    assert (outward > -1e-9).all()
    with pytest.raises(taxel.Error, match=r"no key 'lamda_s'; did you mean 'lambda_s'"):
        taxel.add_markers(spec, "pad", name="other", shape=(2, 2), lamda_s=1)
    with pytest.raises(taxel.Error, match=r"no geom 'pat'"):
        taxel.add_markers(spec, "pat", shape=(2, 2))
    with pytest.raises(taxel.Error, match=r"already a sensor 'gel'"):
        taxel.add_markers(spec, "pad", name="gel", shape=(2, 2))


def test_wrong_names_are_told():
    model = taxel.load_model(xml())
    with pytest.raises(taxel.Error, match=r"no marker sensor 'gal' in the model; there are: 'gel'"):
        taxel.MarkerSensor(model, "gal")
    with pytest.raises(taxel.Error, match=r"sensor 'gel': mode=\"hydro\" is not layer, taxel, paper or release"):
        taxel.load_model(xml(GRID + '<config key="mode" value="hydro"/>'))


def test_the_catalogue_has_markers():
    spec = mujoco.MjSpec()
    described = taxel.sensors.gelsight_mini(model="marker", friction=0.7)
    assert described.shape == (9, 7) and described.count == 63 and described.unit == "px"
    assert "marker" in taxel.sensors.gelsight_mini().models and "marker" not in taxel.sensors.digit().models
    name = described.add_to(spec)
    body = spec.worldbody.add_body(name="ball", mocap=True, pos=(0, 0, 0.012))
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.006, 0, 0))
    model = spec.compile()
    sensor = taxel.MarkerSensor(model, name)
    mini = taxel.gelsight_mini_markers()  # the same dome, from the middle of its thickness
    np.testing.assert_allclose(sensor.markers - (0, 0, 0.002), mini.markers, atol=2e-8)
    assert sensor.pixel == mini.pixel
    pasted = mujoco.MjModel.from_xml_string(
        f"<mujoco>{described.mjcf()}<worldbody><geom type='sphere' size='0.01' pos='0 0 1' contype='0'/></worldbody>"
        "<worldbody><body mocap='true'><geom name='b' type='sphere' size='0.005'/></body></worldbody></mujoco>"
    )
    assert pasted.sensor_dim[0] == 189
    soft = taxel.sensors.gelsight_mini(model="marker", modulus=1e5)
    assert soft.soft and not described.soft
    for keys, message in (
        (dict(model="jelly"), r"model is 'jelly'; give 'pressure', 'bristle', 'marker' or 'gel'"),
        (dict(model="marker", lambda_t=1), r"no key 'lambda_t'"),
    ):
        with pytest.raises(taxel.Error, match=message):
            taxel.sensors.gelsight_mini(**keys)
    with pytest.raises(taxel.Error, match=r"knows no markers on this sensor"):
        taxel.sensors.digit(model="marker")
    with pytest.raises(taxel.Error, match=r"has markers already"):
        described.replace(model="pressure")


@pytest.mark.parametrize("more", ['<config key="rate" value="100"/>', '<config key="creep" value="0.5"/>'])
def test_rk4_reads_what_euler_reads(more):
    """At constant velocity both integrators give the same poses, so they must give the same frames; the trial steps of
    RK4 lie between them."""
    ball = (
        '<body name="ball" pos="-0.0004 0.0003 0.0079"><freejoint/>'
        '<geom name="ball" type="sphere" size="0.006" mass="1"/></body>'
    )
    pad = '<geom name="pad" type="box" size="0.010375 0.012625 0.002"/>'
    readings = []
    for integrator in ("Euler", "RK4"):
        text = xml(GRID + '<config key="mode" value="taxel"/>' + more, pad + ball)
        option = f'<option gravity="0 0 0" integrator="{integrator}"><flag contact="disable"/></option>'
        model = taxel.load_model(text.replace("<worldbody>", option + "<worldbody>", 1))
        data = mujoco.MjData(model)
        data.qvel[:3] = 0.02, -0.01, -0.01
        frames = []
        for _ in range(25):
            mujoco.mj_step(model, data)
            frames.append(data.sensordata.copy())
        readings.append(np.array(frames))
    assert np.abs(readings[0]).max() > 1
    np.testing.assert_allclose(readings[1], readings[0], rtol=0, atol=1e-6 * np.abs(readings[0]).max())
