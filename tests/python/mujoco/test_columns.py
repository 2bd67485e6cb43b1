"""Skins of columns in MuJoCo: weights on the catalogue's sensors, sums, friction that holds, saved states, a second
contact, round fingers, meshes, and the same depth as the field that they stand for."""

import mujoco
import numpy as np
import pytest

import taxel

G = 9.81


def on_sensor(sensor, shape="sphere", size=(0.008, 0, 0), mass=0.1, **option):
    spec = mujoco.MjSpec()
    spec.option.timestep = option.pop("step", 0.002)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    name = sensor.add_to(spec)
    body = spec.worldbody.add_body(name="object", pos=[0.0007, 0.0013, 0.03])
    body.add_joint(name="down", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    body.add_geom(
        name="object", type=getattr(mujoco.mjtGeom, f"mjGEOM_{shape.upper()}"), size=size, mass=mass, **option
    )
    model = spec.compile()
    return model, mujoco.MjData(model), name


def settle(model, data, seconds=1.0):
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))


@pytest.mark.parametrize("name, mass", [("gelsight_mini", 0.2), ("digit", 0.15), ("shadow_fingertip", 0.05)])
def test_a_weight_is_felt_to_the_last_digit(name, mass):
    model, data, sensor = on_sensor(getattr(taxel.sensors, name)(), mass=mass)
    settle(model, data)
    reading = taxel.Sensor(model, sensor).read(data)
    assert -reading.force[2] == pytest.approx(mass * G, rel=1e-5)
    assert -taxel.wrench(model, data, sensor, "object")[2] == pytest.approx(mass * G, rel=1e-6)
    assert np.count_nonzero(reading.values) >= (3 if name == "shadow_fingertip" else 20)


@pytest.mark.parametrize(
    "shape, size", [("sphere", (0.008, 0, 0)), ("capsule", (0.005, 0.004, 0)), ("box", (0.004, 0.005, 0.004))]
)
def test_it_rests_as_deep_as_on_the_field(shape, size):
    depth = {}
    for field, resolution in (("columns", 0.7e-3), ("backed", 0.8e-3)):
        sensor = taxel.sensors.gelsight_mini(field=field, resolution=resolution)
        model, data, _ = on_sensor(sensor, shape, size, mass=0.1)
        settle(model, data)
        depth[field] = data.qpos[0]
        assert abs(data.qvel[0]) < 1e-6
    first = {"sphere": 0.004 + 0.008, "capsule": 0.004 + 0.009, "box": 0.004 + 0.004}[shape] - 0.03
    assert first - depth["columns"] == pytest.approx(first - depth["backed"], rel=0.02)


DISTANCE = {"field": "distance", "bone": None, "exposed": None, "resolution": 2.2e-3}
"""The fingertip with the field that its columns stand for."""
PLACES = {  # a point of the fingertip's skin, and its outward normal
    "pad": ((0, -0.003, 0.00788), (0, 0, 1)),
    "side": ((0.00864, -0.003, 0), (1, 0, 0)),
    "shoulder": ((0, 0.005, 0.00695), (0, 0.2968, 0.9549)),
    "tip": ((0, 0.01174, 0), (0, 1, 0)),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_fingertip_soft_to_its_middle_pushes_as_its_field(place):
    """At the tip facets are as large as the touch is shallow."""
    columns, field = (taxel.sensors.shadow_fingertip(**changes).body() for changes in ({}, DISTANCE))
    (p, n), ball = PLACES[place], taxel.Body.sphere(0.008)
    for depth in (0.001, 0.002, 0.004):
        X = taxel.pose(np.array(p) + (0.008 - depth) * np.array(n))
        made = [taxel.contact(body, taxel.pose(), ball, X) for body in (columns, field)]
        force = [np.asarray(c.force_on_A) for c in made]
        off = np.linalg.norm(force[0] - force[1]) / np.linalg.norm(force[1])
        assert off < (0.07 if place == "tip" else 0.03), (depth, off)
        assert np.linalg.norm(made[0].center_of_pressure - made[1].center_of_pressure) < 5e-5


@pytest.mark.parametrize("roll", [0.0, 60.0, 90.0])
def test_a_fingertip_holds_what_lies_on_a_slope(roll):
    """A block on a finger that leans by eight degrees, kept from tipping: friction remembers, on every side."""
    lean = np.radians(8)
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [0, G * np.sin(lean), -G * np.cos(lean)]
    tip = taxel.sensors.shadow_fingertip().add_to(spec, euler=(0, -roll, 0))
    body = spec.worldbody.add_body(name="block", pos=[0, -0.004, 0.02])
    for axis in np.eye(3):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(name="block", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.008, 0.006, 0.008), mass=0.05)
    model = spec.compile()
    data = mujoco.MjData(model)
    settle(model, data, 3.0)
    before = data.qpos.copy()
    settle(model, data, 2.0)
    assert np.abs(data.qpos - before).max() < 1e-7
    weight = 0.05 * np.array(model.opt.gravity)
    assert taxel.wrench(model, data, tip, "block")[:3] == pytest.approx(weight, abs=1e-5)
    reading = taxel.Sensor(model, tip).read(data)
    turned = data.xmat[model.geom(tip).bodyid[0]].reshape(3, 3) @ reading.force
    assert turned == pytest.approx(weight, abs=1e-4)


def slope(field):
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic" timestep="0.002" gravity="1.7035 0 -9.6610"/><worldbody>
        <geom name="pad" type="box" size="0.04 0.04 0.005"/>
        <body name="cube" pos="0.0013 0.0021 0.0148"><freejoint/>
          <geom name="cube" type="box" size="0.01 0.01 0.01" mass="0.3"/></body>
        </worldbody></mujoco>"""
    )
    taxel.soften(spec, "pad", modulus=1e5, field=field, friction=0.6, dissipation=50)
    model = spec.compile()
    return model, mujoco.MjData(model)


def test_nothing_creeps_on_ten_degrees():
    model, data = slope("columns")
    settle(model, data, 4.0)
    before = data.qpos[:3].copy()
    settle(model, data, 2.0)
    assert np.abs(data.qpos[:3] - before).max() < 2e-8
    assert taxel.wrench(model, data, "pad", "cube")[:3] == pytest.approx([0.3 * 1.7035, 0, -0.3 * 9.661], abs=1e-5)


def test_a_state_is_restored_to_the_bit():
    model, data = slope("columns")
    settle(model, data, 0.3)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    settle(model, data, 0.2)
    later = data.qpos.copy()
    other = mujoco.MjData(model)
    mujoco.mj_setState(model, other, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    settle(model, other, 0.2)
    assert np.array_equal(other.qpos, later)


@pytest.mark.parametrize("shape", ["sphere", "capsule", "cylinder", "ellipsoid"])
def test_a_round_finger_does_not_throw(shape):
    size = {"sphere": "0.01", "capsule": "0.01 0.02", "cylinder": "0.01 0.02", "ellipsoid": "0.01 0.012 0.015"}[shape]
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option cone="elliptic" timestep="0.002"/><worldbody>
        <geom name="finger" type="{shape}" size="{size}" euler="90 0 20"/>
        <body pos="0.0004 0.0003 0.045"><freejoint/><geom name="ball" type="sphere" size="0.01" mass="0.2"/></body>
        </worldbody></mujoco>"""
    )
    taxel.soften(spec, "finger", modulus=3e5, field="columns", thickness=0.003, dissipation=5)
    model = spec.compile()
    data = mujoco.MjData(model)
    most = 0.0
    for _ in range(400):
        mujoco.mj_step(model, data)
        if data.time > 0.1:
            most = max(most, np.linalg.norm(data.qvel[:3]))
        if data.qpos[2] < -0.05:
            break
    assert np.isfinite(data.qpos).all()
    assert most < 1.5  # it fell by 25 mm, and rolls off


def test_a_fine_mesh_costs_no_more_faces_than_the_shape():
    sensor = taxel.sensors.gelsight_mini()
    ball = taxel.Body.sphere(0.008)
    mesh = taxel.Body.mesh(*taxel.Body.sphere(0.008, resolution=0.0004).surface())
    X = taxel.pose((0.001, 0.002, 0.0112))
    exact = taxel.contact(sensor.body(), taxel.pose(), ball, X)
    found = taxel.contact(sensor.body(), taxel.pose(), mesh, X)
    assert found.num_faces < 1.2 * exact.num_faces
    assert found.normal_force == pytest.approx(exact.normal_force, rel=0.01)


def test_columns_and_taxels_tell_the_same_image():
    """A taxel that holds whole columns adds them up; rays at the taxels' places see the same pressures."""
    model, data, sensor = on_sensor(taxel.sensors.gelsight_mini(modulus=2e5), mass=0.2)
    settle(model, data)
    image = taxel.sensors.gelsight_mini().image(taxel.Sensor(model, sensor)(data))
    rows, cols = np.nonzero(image > 0.02 * image.max())
    assert 8 <= np.ptp(rows) <= 14 and 8 <= np.ptp(cols) <= 14
    peak = np.unravel_index(image.argmax(), image.shape)
    assert abs(peak[0] - 18.5) <= 1.5 and abs(peak[1] - 14.5) <= 1.5
    around = image[peak[0] - 3 : peak[0] + 4, peak[1] - 3 : peak[1] + 4]
    assert around.min() > 0.4 * image.max()  # no hole, no stripe


def test_wrong_words_are_refused():
    with pytest.raises(taxel.Error, match='give "distance", "backed", "laplace" or "columns"'):
        taxel.Body.sphere(0.01, modulus=1e5, field="pillars")
    with pytest.raises(taxel.Error, match="columns, more than 100000"):
        taxel.Body.sphere(0.01, modulus=1e5, field="columns", thickness=0.003, resolution=1e-5)
    with pytest.raises(taxel.Error, match="needs its thickness"):
        taxel.Body.sphere(0.01, modulus=1e5, field="columns")
    body = taxel.Body.box((0.02, 0.02, 0.004), modulus=1e5, field="columns")
    assert body.pressure_at(np.array([[0.001, 0.002, 0.001]]))[0] == pytest.approx(1e5 * 0.25)


LAW = [(0.2, 0.1), (0.5, 0.6), (0.9, 3.0)]


@pytest.mark.parametrize("field", ["columns", "backed"])
def test_a_measured_law_is_followed(field):
    """A flat punch on a layer: the pressure over the compression is the table's."""
    pad = taxel.Body.box((0.03, 0.02, 0.004), modulus=1e5, field=field, law=LAW)
    punch = taxel.Body.box((0.007, 0.005, 0.01))
    for compression, expected in [(0.1, 0.05), (0.2, 0.1), (0.35, 0.35), (0.5, 0.6), (0.7, 1.8)]:
        found = taxel.contact(pad, taxel.pose(), punch, taxel.pose((0.001, 0.002, 0.002 + 0.005 - 0.004 * compression)))
        assert -found.force_on_A[2] == pytest.approx(expected * 1e5 * 35e-6, rel=1e-9)


def test_a_measured_law_in_a_model():
    sensor = taxel.sensors.gelsight_mini(law=np.array(LAW))
    model, data, name = on_sensor(sensor, "box", (0.004, 0.005, 0.004), mass=0.3)
    settle(model, data)
    assert -taxel.Sensor(model, name).read(data).force[2] == pytest.approx(0.3 * G, rel=1e-5)
    plain, plain_data, _ = on_sensor(taxel.sensors.gelsight_mini(), "box", (0.004, 0.005, 0.004), mass=0.3)
    settle(plain, plain_data)
    assert data.qpos[0] < plain_data.qpos[0] - 1e-4  # half as stiff at first


@pytest.mark.parametrize(
    "law", [[0.2], [0.2, 0.1, 0.1, 0.2], [0.2, 0.1, 0.3, 0.1], [0.2, 0.1, 1.2, 3], [0, 0.1], list(range(1, 25))]
)
def test_a_wrong_law_is_refused(law):
    with pytest.raises(taxel.Error, match="pairs of compression and pressure"):
        taxel.Body.box((0.03, 0.02, 0.004), modulus=1e5, field="columns", law=law)
    spec = mujoco.MjSpec.from_string(
        '<mujoco><option cone="elliptic"/><worldbody><geom name="g" size="0.01"/></worldbody></mujoco>'
    )
    taxel.soften(spec, "g", modulus=1e5, field="columns", thickness=0.003, law=law)
    with pytest.raises(ValueError, match="pairs of compression and pressure"):
        spec.compile()
    with pytest.raises(taxel.Error, match="a law is for a layer"):
        taxel.Body.sphere(0.01, modulus=1e5, law=[0.2, 0.1])


def test_columns_that_meet_are_warned_of():
    with pytest.warns(UserWarning, match="under a bend that leaves room for"):
        taxel.Body.sphere(0.01, modulus=1e5, field="columns", thickness=0.009)
