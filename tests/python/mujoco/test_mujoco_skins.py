"""Tactile sensors inside MuJoCo, from Python: sensordata, readings on demand, the Reader, copies, batches."""

import copy

import mujoco
import numpy as np
import pytest

import taxel

GRAVITY = 9.81


def spec_of(mass=0.6, step=0.002, coupling="rows", **sensor):
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    stand = spec.worldbody.add_body(name="stand", pos=[0.1, -0.05, 0.2], euler=[0, 0, 25])
    stand.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.04, 0.03, 0.009])
    body = spec.worldbody.add_body(name="object", pos=[0.103, -0.052, 0.2305], euler=[0, 90, 20])
    body.add_freejoint()
    body.add_geom(name="cylinder", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.0225, 0.02, 0], mass=mass)
    keys = dict(modulus=6e4, field="backed", dissipation=10.0, friction=0.6, coupling=coupling)
    taxel.soften(spec, "pad", **keys)
    taxel.add_sensor(spec, "pad", **(dict(shape=(12, 16)) | sensor))
    return spec


def settled(seconds=2.0, **kwargs):
    model = spec_of(**kwargs).compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))
    return model, data


def test_sensordata_is_the_image():
    model, data = settled(output="pressure shear slip truth", unit="N")
    sensor = taxel.Sensor(model, "touch")
    assert taxel.sensor_names(model) == ["touch"]
    assert (sensor.shape, sensor.count, sensor.unit) == ((12, 16), 192, "N")
    assert model.nsensordata == 4 * 192 + 12
    image = sensor(data)
    assert image.sum() == pytest.approx(0.6 * GRAVITY, rel=1e-4)
    np.testing.assert_array_equal(image.ravel(), data.sensor("touch").data[:192])
    reading = sensor.read(data)
    np.testing.assert_array_equal(reading.values, image)
    np.testing.assert_allclose(reading.shear.sum(axis=(1, 2)), 0, atol=1e-3)
    assert reading.truth.load == pytest.approx(reading.load)
    # The pose of the object, seen from the pad.
    R = data.geom("pad").xmat.reshape(3, 3)
    np.testing.assert_allclose(
        reading.truth.position, R.T @ (data.geom("cylinder").xpos - data.geom("pad").xpos), atol=1e-12
    )
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, reading.truth.quaternion)
    np.testing.assert_allclose(turned.reshape(3, 3), R.T @ data.geom("cylinder").xmat.reshape(3, 3), atol=1e-9)
    np.testing.assert_allclose(reading.center, reading.truth.center)


@pytest.mark.parametrize("coupling, step", [("rows", 0.002), ("explicit", 0.0005), ("sense", 0.002)])
def test_sum_is_the_contact_force_in_motion(coupling, step):
    model, data = settled(0.0, coupling=coupling, step=step, output="pressure shear", unit="N")
    sensor = taxel.Sensor(model, "touch")
    data.qvel[:2] = 0.1, -0.05
    checked = 0
    for _ in range(round(0.1 / step)):
        mujoco.mj_step(model, data)
        force = taxel.wrench(model, data, "pad")[:3]
        if np.linalg.norm(force) < 0.5:
            continue
        local = data.geom("pad").xmat.reshape(3, 3).T @ force
        parts = sensor.parts(data)
        # Sensing: the plugin computes touches when asked, at the end of the step; sensordata is from its middle.
        reading = sensor.read(data) if coupling == "sense" else None
        found = reading.force if reading else [*parts["shear"].sum(axis=(1, 2)), -parts["pressure"].sum()]
        np.testing.assert_allclose(found, local, atol=1e-4 * np.linalg.norm(local))
        checked += 1
    assert checked > 10


def test_aggregate_force_reads_newton():
    model, data = settled(aggregate="force")
    sensor = taxel.Sensor(model, "touch")
    assert sensor.unit == "N" and sensor(data).sum() == pytest.approx(0.6 * GRAVITY, rel=1e-4)
    model, data = settled(aggregate="force", unit="Pa")
    sensor = taxel.Sensor(model, "touch")
    assert sensor.unit == "Pa" and sensor(data).sum() * sensor.layout.areas[0] == pytest.approx(0.6 * GRAVITY, rel=1e-4)


def test_reader_gives_the_numbers_of_the_plugin():
    model, data = settled(coupling="sense", output="pressure shear slip")
    plugin = taxel.Sensor(model, "touch").read(data)
    reader = taxel.Reader(model, sensors={"other": dict(geom="pad", shape=(6, 8))})
    same = reader.sensor("touch").read(data)
    np.testing.assert_array_equal(same.values, plugin.values)
    np.testing.assert_array_equal(same.shear, plugin.shear)
    coarse = reader.sensor("other").read(data)
    blocks = plugin.values.reshape(6, 2, 8, 2).mean(axis=(1, 3))
    # What damping adds is spread by the cells' middles, so coarse and fine differ a little where it varies.
    np.testing.assert_allclose(coarse.values, blocks, atol=2e-3 * blocks.max())
    assert coarse.values.sum() == pytest.approx(blocks.sum(), rel=1e-9)
    with pytest.raises(taxel.Error, match="there are: 'touch', 'other'"):
        reader.sensor("none")
    with pytest.raises(taxel.Error, match='did you mean "output"'):
        taxel.Reader(model, sensors={"s": dict(geom="pad", shape=(6, 8), ouptut="slip")})
    with pytest.raises(taxel.Error, match="no geom"):
        taxel.Reader(model, sensors={"s": dict(geom="pads", shape=(6, 8))})
    with pytest.raises(taxel.Error, match="needs its geom"):
        taxel.Reader(model, sensors={"s": dict(shape=(6, 8))})


def test_rate_pause_and_demand():
    model, data = settled(0.5, rate=100)
    sensor = taxel.Sensor(model, "touch")
    data.xfrc_applied[2, 2] = -2  # the load grows, the image in between does not
    seen = []
    for _ in range(20):
        mujoco.mj_step(model, data)
        seen.append(sensor(data).sum())
    assert 3 <= len(set(seen)) <= 5  # 20 steps of 2 ms at 100 Hz
    assert sensor.pause(data) is False
    before = sensor(data)
    mujoco.mj_step(model, data, nstep=50)
    np.testing.assert_array_equal(sensor(data), before)
    assert sensor.pause(data, False) is True
    mujoco.mj_step(model, data, nstep=10)
    assert not np.array_equal(sensor(data), before)

    model, data = settled(0.5, on_demand=True)
    sensor = taxel.Sensor(model, "touch")
    assert sensor.on_demand and not sensor(data).any()
    assert sensor.read(data).values.any() and not sensor(data).any()


def test_history_is_part_of_the_state():
    noisy = dict(noise=(0, 50), hysteresis=(0.05, 2e4), creep=(0.1, 0.3), delay=0.02, seed=4)
    model, data = settled(0.3, **noisy)
    twin = copy.copy(data)
    sensor = taxel.Sensor(model, "touch")
    for _ in range(50):
        mujoco.mj_step(model, data)
        mujoco.mj_step(model, twin)
        np.testing.assert_array_equal(sensor(data), sensor(twin))
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    other = mujoco.MjData(model)
    mujoco.mj_setState(model, other, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    for d in (data, other):
        mujoco.mj_step(model, d, nstep=30)
    np.testing.assert_array_equal(sensor(data), sensor(other))
    mujoco.mj_resetData(model, data)
    fresh = mujoco.MjData(model)
    for d in (data, fresh):
        mujoco.mj_step(model, d, nstep=100)
    np.testing.assert_array_equal(sensor(data), sensor(fresh))


def test_two_pads_have_their_own_noise_and_state():
    spec = spec_of(noise=(0, 10.0))
    taxel.add_sensor(spec, "pad", name="second", shape=(12, 16), noise=(0, 10.0))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=5)
    one, two = (taxel.Sensor(model, n)(data) for n in ("touch", "second"))
    assert not np.array_equal(one, two) and one.std() == pytest.approx(two.std(), rel=0.5)


def test_pictures_do_not_change_the_readings():
    model, data = settled(0.3, noise=(0, 50), creep=(0.1, 0.3))
    twin = copy.copy(data)
    scene = mujoco.MjvScene(model, maxgeom=4000)
    camera, option = mujoco.MjvCamera(), mujoco.MjvOption()
    for _ in range(10):
        mujoco.mj_step(model, data)
        mujoco.mj_step(model, twin)
        mujoco.mjv_updateScene(model, data, option, None, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
        assert scene.ngeom >= 192 + 2
    np.testing.assert_array_equal(data.sensordata, twin.sensordata)


def test_mesh_points_are_in_the_frame_of_the_file():
    # Off centre and turned, so that MuJoCo moves and turns the mesh into its inertia frame.
    vertices, triangles = taxel.Body.box((0.06, 0.02, 0.03)).surface()
    X = taxel.pose((0.02, 0.05, -0.01), rpy=(0.3, 0.2, 0.5))
    vertices = vertices @ X[:3, :3].T + X[:3, 3]
    top = [X @ [x, 0, 0.015, 1] for x in (-0.02, 0, 0.02)]
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [0, 0, 0]
    spec.add_mesh(name="tip", uservert=vertices.ravel(), userface=triangles.ravel())
    spec.worldbody.add_geom(name="tip", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="tip")
    # A ball over the third point.
    place = X @ [0.02, 0, 0.015 + 0.006 - 0.001, 1]
    ball = spec.worldbody.add_body(name="ball", pos=place[:3])
    ball.add_freejoint()
    ball.add_geom(name="ball", size=[0.006, 0, 0], mass=0.01)
    taxel.soften(spec, "tip", modulus=1e5)
    taxel.add_sensor(spec, "tip", points=[p[:3] for p in top], output="pressure truth", radius=0.01)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    reading = taxel.Sensor(model, "touch").read(data)
    assert reading.values[2] > 0 and not reading.values[:2].any()
    np.testing.assert_allclose(reading.truth.position, place[:3], atol=1e-6)


@pytest.mark.parametrize(
    "sensor, words",
    [
        (dict(shape=(12, 16), output="presure"), "output"),
        (dict(shape=(12, 16), unit="counts"), "full_scale"),
        (dict(shape=(12, 16), noise=3), "noise"),
        (dict(shape=(12, 16), window="gauss"), 'readout="rays"'),
        (dict(shape=None, layout="vertices"), "no vertices"),
        (dict(shape=None, sites="none_"), "no site"),
        (dict(shape=(12, 16), pitch=0.01), "does not fit"),
        (dict(shape=None, noise=(0, 1)), "no layout"),
    ],
)
def test_wrong_sensors_do_not_compile(sensor, words):
    with pytest.raises(ValueError) as error:
        spec_of(**sensor).compile()
    assert words in str(error.value)
    assert "sensor 'touch'" in str(error.value) or "touch_skin" in str(error.value)


def test_wrong_names():
    spec = spec_of()
    with pytest.raises(taxel.Error, match="did you mean 'shape'"):
        taxel.add_sensor(spec, "pad", name="b", shap=(4, 4))
    with pytest.raises(taxel.Error, match=r"taxel\.soften"):
        taxel.add_sensor(spec, "pad", name="b", shape=(4, 4), modulus=1e5)
    with pytest.raises(TypeError, match="soft maps names"):
        taxel.Reader(spec.compile(), soft={"pad": 3e4})
    with pytest.raises(taxel.Error, match="no geom 'pads'"):
        taxel.add_sensor(spec, "pads", name="b", shape=(4, 4))
    with pytest.raises(taxel.Error, match="already a sensor 'touch'"):
        taxel.add_sensor(spec, "pad", shape=(4, 4))
    model = spec.compile()
    with pytest.raises(taxel.Error, match="there are: 'touch'"):
        taxel.Sensor(model, "tuch")


def test_the_taxels_of_a_backed_box_are_on_the_face_of_its_layer():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><worldbody>
        <geom name="pad" type="box" size="0.02 0.002 0.03" euler="90 0 0"/>
        <body pos="0.003 0.002 0.0121"><freejoint/><geom type="box" size="0.01 0.008 0.01" mass="0.3"/></body>
        </worldbody></mujoco>"""
    )
    taxel.soften(spec, "pad", modulus=1e5, field="backed", exposed=(0, 1, 0))
    taxel.add_sensor(spec, "pad", shape=(4, 6))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=800)
    sensor = taxel.Sensor(model, "touch")
    reading = sensor.read(data)
    areas = sensor.layout.areas.reshape(reading.values.shape)
    assert (reading.values * areas).sum() == pytest.approx(0.3 * 9.81, rel=1e-4)
