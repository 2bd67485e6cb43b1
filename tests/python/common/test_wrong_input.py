"""Wrong input that used to be answered: each is an error that says what and where, and nothing has moved."""

import math

import mujoco
import numpy as np
import pytest
from conftest import cube

import taxel

NAN = math.nan


def scaled(X, factor=2.0):
    out = X.copy()
    out[:3, :3] *= factor
    return out


def mirrored(X):
    out = X.copy()
    out[:3, 0] *= -1
    return out


def not_finite(X):
    out = X.copy()
    out[1, 3] = NAN
    return out


BAD = {"scaled": scaled, "mirrored": mirrored, "nan": not_finite}


@pytest.mark.parametrize("spoil", BAD.values(), ids=BAD)
def test_poses_of_a_skin(tilted, spoil):
    pad = taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5, field="backed")
    surface = taxel.contact(pad, tilted, taxel.Body.sphere(0.01), tilted @ taxel.pose((0.002, 0, 0.0138)))
    skin = taxel.Skin(pad, shape=(3, 4))
    with pytest.raises(taxel.Error, match=r"not finite|not a rotation"):
        skin.read(surface, spoil(tilted))
    assert skin.read(surface, tilted).missed == 0


@pytest.mark.parametrize("spoil", BAD.values(), ids=BAD)
def test_poses_of_a_gel(spoil):
    gel = taxel.Gel(taxel.Body.box((0.008, 0.006, 0.004)), cell=0.001, poisson=0.3)
    X = taxel.pose((0.001, 0, 0.0061), rpy=(0.1, 0.2, 0.3))
    with pytest.raises(taxel.Error, match=r"not finite|not a rotation"):
        gel.add(taxel.Body.sphere(0.004), spoil(X))
    gel.add(taxel.Body.sphere(0.004), X)
    before = gel.positions.copy()
    for call in (
        lambda: gel.move(spoil(X)),
        lambda: gel.advance(3, spoil(X)),
        lambda: gel.advance(3, X, spoil(taxel.pose())),
        lambda: gel.move(X, spoil(taxel.pose())),
    ):
        with pytest.raises(taxel.Error, match=r"not finite|not a rotation"):
            call()
    assert (gel.positions == before).all()


def test_a_signal_chain_forgets_nothing_and_learns_nothing():
    pad = taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5, field="backed")
    layout = taxel.Skin(pad, shape=(2, 3)).layout
    keys = dict(hysteresis=(0.1, 1e4), creep=(0.2, 0.5), delay=0.003, noise=(0, 5))
    chain, twin = (taxel.SignalChain(layout, 0.001, description=keys) for _ in range(2))
    load = np.linspace(100, 5000, 6).reshape(2, 3)
    for k in range(10):
        chain(1e-3 * k, load), twin(1e-3 * k, load)
    state = chain.state.copy()
    bad = load.copy()
    bad[1, 1] = NAN
    for time, pressures, words in [
        (0.01, bad, "taxel 4 is nan"),
        (0.01, np.full((2, 3), np.inf), "taxel 0 is inf"),
        (NAN, load, "the time is nan"),
        (0.004, load, "time runs back, from 0.009 to 0.004"),
    ]:
        with pytest.raises(taxel.Error, match=words):
            chain(time, pressures)
        assert (chain.state == state).all()
    assert (chain(0.01, load) == twin(0.01, load)).all()
    chain.reset()
    chain(0.0, load)


def test_points_that_are_nowhere():
    points = np.zeros((3, 3))
    points[2, 1] = NAN
    box = taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5)
    for call in (
        lambda: box.pressure_at(points),
        lambda: taxel.signed_distance(box, points),
        lambda: taxel.signed_distance(cube(), points),
    ):
        with pytest.raises(taxel.Error, match=r"points\[2\] is not finite"):
            call()


def test_a_layer_has_a_thickness():
    for make in (
        lambda: taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5, field="backed", thickness=1e-12),
        lambda: taxel.Body.sphere(0.01, modulus=1e5, field="backed", thickness=1e-9),
        lambda: taxel.Body.half_space(modulus=1e5, thickness=1e-12),
    ):
        with pytest.raises(taxel.Error, match="at least 1e-06 m thick"):
            make()


def test_poses_of_a_reader():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom name="pad" type="box" size="0.05 0.04 0.01"/>
      <body pos="0 0 0.038"><freejoint/><geom name="ball" size="0.03" mass="0.3"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    reader = taxel.Reader(model, soft={"pad": dict(modulus=1e5)}, sensors={"touch": dict(geom="pad", shape=(4, 5))})
    assert reader(data)
    for spoil in (NAN, np.inf, 2.0):
        data.geom("ball").xmat[0] = spoil
        for call in (reader, reader.sensor("touch").read):
            with pytest.raises(taxel.Error, match="the pose of geom 'ball' is not"):
                call(data)
        mujoco.mj_forward(model, data)
    assert reader(data)


def test_a_plugin_sensor_at_a_pose_that_is_none(warned):
    spec = mujoco.MjSpec.from_string("""<mujoco><worldbody><geom name="floor" type="box" size="0.05 0.04 0.01"/>
      <body pos="0 0 0.038"><freejoint/><geom name="ball" size="0.03" mass="0.3"/></body></worldbody></mujoco>""")
    taxel.soften(spec, "ball", modulus=1e5)
    taxel.add_sensor(spec, "ball", name="touch", shape=(4, 5))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 5)
    assert np.isfinite(data.sensordata).all()
    data.qpos[0] = NAN
    mujoco.mj_forward(model, data)
    assert np.isnan(data.sensordata).all()
    assert any("sensor 'touch' reads NaN" in line for line in warned)
    with pytest.raises(taxel.Error, match="not finite"):
        taxel.Sensor(model, "touch").read(data)


def press(mesh, **options):
    pad = taxel.Body.box((0.1, 0.08, 0.02), modulus=1e5, field="backed")
    return taxel.contact(pad, taxel.pose(), mesh, taxel.pose((0.004, 0.01, 0.033), rpy=(0.2, 0.1, 0.4)))


def test_rigid_meshes_that_face_inwards_or_are_listed_twice():
    vertices, triangles = cube(0.05)
    right = press(taxel.Body.mesh(vertices, triangles))
    assert right.normal_force > 1
    with pytest.warns(UserWarning, match="body 'die': 1 closed part.* 12 triangles, faced inwards"):
        turned = taxel.Body.mesh(vertices, triangles[:, ::-1], name="die")
    assert press(turned).normal_force == pytest.approx(right.normal_force, rel=1e-12)
    with pytest.warns(UserWarning, match="body 'die': 12 triangles of the mesh are listed twice"):
        twice = taxel.Body.mesh(vertices, np.concatenate([triangles, np.roll(triangles, 1, axis=1)]), name="die")
    assert press(twice).normal_force == pytest.approx(right.normal_force, rel=1e-12)
    # Vertices of its own for every triangle: still the same places.
    loose = vertices[triangles].reshape(-1, 3)
    with pytest.warns(UserWarning, match="faced inwards"):
        taxel.Body.mesh(loose, np.arange(36).reshape(-1, 3)[:, ::-1])
