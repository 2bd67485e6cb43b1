"""Pads of bristles from Python: in MuJoCo, read without the plugin, of the catalogue, wrong ones, those of the docs."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import pytest
from conftest import ROOT, cube
from mujoco_scenes import GRAVITY, MASS, NORMAL, R_WP, after, block, pad_xml, same_bits

import taxel
from taxel.press import press

pytestmark = pytest.mark.usefixtures("warned")

K = 60.0
FOAM = dict(stiffness=K, depth=0.012, friction=(0.8, 0.6), shape=(16, 24))
ALL = "pressure shear slip saturated"
ON_PAD = R_WP.T @ GRAVITY
"""Gravity in the frame of the tilted pad."""


def tilted_model(bodies: str | None = None, sensor: dict | None = None, step=0.002, **keys) -> mujoco.MjModel:
    """The scenes' pad, 12 x 8 cm, off the origin and tilted by 18 degrees, with bristles; a slab lies on it."""
    spec = mujoco.MjSpec.from_string(pad_xml(block() if bodies is None else bodies, keys=None, step=step))
    taxel.soften(spec, "pad", **{**FOAM, **keys})
    taxel.add_sensor(spec, "pad", **{"unit": "N", "output": ALL, **(sensor or {})})
    return spec.compile()


def guided_model(
    mass=0.1, step=0.002, gravity=(0, 0, -9.81), slide=False, half=0.03, floor=0.0, **keys
) -> mujoco.MjModel:
    """A pad of 24 x 24 mm, and a larger plate on a vertical guide (and one along x), 0.2 mm deep in it."""
    spec = mujoco.MjSpec.from_string(f"""<mujoco>
      <option cone="elliptic" timestep="{step}" gravity="{" ".join(map(str, gravity))}"/>
      <worldbody><geom name="pad" type="box" size="0.012 0.012 0.003"/>
        <body name="plate" pos="{floor} 0 0.0128"><joint type="slide" axis="0 0 1"/>
          {'<joint type="slide" axis="1 0 0"/>' if slide else ""}
          <geom name="plate" type="box" size="{half} 0.03 0.01" mass="{mass}"/></body></worldbody></mujoco>""")
    taxel.soften(spec, "pad", **{"stiffness": K, "depth": 0.012, "shape": (6, 6), **keys})
    taxel.add_sensor(spec, "pad", unit="N", output=ALL)
    return spec.compile()


def moved(model: mujoco.MjModel) -> mujoco.MjData:
    """The slab, pressed in and in motion."""
    data = mujoco.MjData(model)
    data.qpos[:3] -= 1.3e-3 * NORMAL
    data.qvel[:] = [0.11, -0.07, -0.05, 0.4, -0.9, 1.7]
    mujoco.mj_forward(model, data)
    return data


# --- in MuJoCo ---


@pytest.mark.parametrize("step", [0.001, 0.005])
@pytest.mark.parametrize(
    ("shape", "place", "turn"),
    [((16, 24), (0.012, -0.007), 0.4), ((23, 17), (-0.02, 0.011), 1.1), ((9, 40), (0, 0), 0)],
)
def test_taxels_sum_to_the_weight_on_a_slope(shape, place, turn, step):
    model = tilted_model(block(p_P=place, turn=turn), shape=shape, step=step, stiffness=K * 384 / np.prod(shape))
    data = after(model, 2.5)
    reading = taxel.Sensor(model, "touch").read(data)
    assert reading.values.shape == shape
    assert reading.values.sum() == pytest.approx(-MASS * ON_PAD[2], rel=1e-4)
    np.testing.assert_allclose(reading.shear.sum(axis=(1, 2)), MASS * ON_PAD[:2], atol=1e-4 * MASS * 9.81)
    np.testing.assert_allclose(reading.force, MASS * ON_PAD, atol=1e-4 * MASS * 9.81)
    assert not reading.slipping.any() and not reading.saturated.any()
    assert 0 < reading.slip.max() < 1
    # It presses where its weight goes through.
    middle = R_WP.T @ (data.body("block").xpos - data.geom("pad").xpos)
    through = middle + ON_PAD / ON_PAD[2] * (reading.center[2] - middle[2])
    np.testing.assert_allclose(reading.center, through, atol=1.5e-4)


def test_a_sensor_without_a_layout_has_one_taxel_a_bristle():
    model = guided_model(mass=0.3, shape=(4, 7), pitch=(0.003, 0.005))
    data = after(model, 2)
    sensor = taxel.Sensor(model, "touch")
    x, y = np.meshgrid(0.003 * (np.arange(7) - 3), 0.005 * (np.arange(4) - 1.5))
    np.testing.assert_allclose(sensor.layout.points, np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel() + 0.003]))
    np.testing.assert_allclose(sensor(data), np.full((4, 7), 0.3 * 9.81 / 28), rtol=1e-6)
    assert data.qpos[0] == pytest.approx(2e-4 - 0.3 * 9.81 / (28 * K), rel=1e-6)  # each a spring


def test_another_layout_groups_the_bristles():
    models = [tilted_model(sensor=keys) for keys in ({}, {"shape": (8, 6)}, {"shape": (8, 6), "unit": "Pa"})]
    one, four, pressures = (taxel.Sensor(m, "touch").read(after(m, 0.5)) for m in models)
    np.testing.assert_allclose(four.values, one.values.reshape(8, 2, 6, 4).sum(axis=(1, 3)), atol=1e-12)
    np.testing.assert_allclose(four.shear, one.shear.reshape(2, 8, 2, 6, 4).sum(axis=(2, 4)), atol=1e-12)
    np.testing.assert_allclose(pressures.values, four.values / (0.12 * 0.08 / 48), rtol=1e-9)


def test_slip_flags_say_when_it_slides():
    mu = (0.5, 0.3)
    for slope, slides in ((0.2, False), (0.7, True)):
        gravity = (9.81 * np.sin(np.arctan(slope)), 0, -9.81 * np.cos(np.arctan(slope)))
        model = guided_model(slide=True, gravity=gravity, friction=mu, half=0.3, floor=-0.2)
        data = mujoco.MjData(model)
        data.qpos[0] = 2e-4 + 0.1 * gravity[2] / (36 * K)
        mujoco.mj_step(model, data, nstep=150)
        reading = taxel.Sensor(model, "touch").read(data)
        assert reading.slipping.all() == slides and reading.slipping.any() == slides
        expected = mu[1] if slides else slope
        assert reading.shear[0].sum() == pytest.approx(expected * reading.values.sum(), rel=5e-3)
        assert reading.values.sum() == pytest.approx(-0.1 * gravity[2], rel=1e-3)
        if slides:
            assert data.qvel[1] == pytest.approx((gravity[0] + mu[1] * gravity[2]) * data.time, rel=0.05)
        else:
            assert abs(data.qvel[1]) < 1e-4


def test_saturated_bristles_are_flagged_and_push_no_harder():
    model = guided_model(mass=10.0, coupling="sense", scale="none", depth=0.002)
    data, sensor = mujoco.MjData(model), taxel.Sensor(model, "touch")
    for depth, beyond in ((0.0019, False), (0.0021, True), (0.0035, True)):
        data.qpos[0] = 2e-4 - depth
        mujoco.mj_forward(model, data)
        reading = sensor.read(data)
        assert reading.saturated.all() == beyond and reading.saturated.any() == beyond
        np.testing.assert_allclose(reading.values, K * min(depth, 0.002), rtol=1e-9)
    tilted = guided_model(coupling="sense", depth=0.002)
    tilted.body("plate").quat[:] = np.cos(0.05), 0, np.sin(0.05), 0  # lower at +x
    data = mujoco.MjData(tilted)
    data.qpos[0] = -0.0013
    mujoco.mj_forward(tilted, data)
    flags = taxel.Sensor(tilted, "touch").read(data).saturated
    assert flags[:, 5].all() and not flags[:, 0].any()


def test_touches_and_wrenches_of_a_pad():
    model = tilted_model()
    data = after(model, 2)
    (touch,) = taxel.touches(model, data)
    assert {touch.name1, touch.name2} == {"pad", "block"}
    on_block, on_pad = (taxel.wrench(model, data, name) for name in ("block", "pad"))
    np.testing.assert_allclose(on_block[:3], -MASS * GRAVITY, atol=1e-4)
    np.testing.assert_allclose(on_block[3:], 0, atol=1e-5)  # about its middle: at rest
    np.testing.assert_allclose(on_pad[:3], -on_block[:3], rtol=1e-12)
    arm = data.geom("block").xpos - data.geom("pad").xpos
    np.testing.assert_allclose(on_pad[3:], -on_block[3:] - np.cross(arm, on_block[:3]), atol=1e-12)
    # Every bristle is a face, along the normal of what it meets.
    up = data.geom("block").xmat.reshape(3, 3)[:, 2]
    np.testing.assert_allclose(touch.surface.normals, np.tile(up, (len(touch.surface.normals), 1)), atol=1e-9)
    assert len(touch.surface.normals) == (taxel.Sensor(model, "touch")(data) > 0).sum()
    assert touch.surface.normal_force == pytest.approx(on_block[:3] @ up, rel=1e-5)


def test_native_contacts_are_gone():
    plain = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    assert after(plain, 0.5).ncon >= 3
    explicit = tilted_model(step=2e-4, coupling="explicit")
    data = after(explicit, 2)
    assert data.ncon == 0
    np.testing.assert_allclose(taxel.wrench(explicit, data, "block")[:3], -MASS * GRAVITY, atol=1e-3)
    np.testing.assert_allclose(data.qfrc_passive[:3], -MASS * GRAVITY, atol=1e-3)


@pytest.mark.parametrize("damping", [K * 0.01, K * 0.001])
def test_step_advice_is_what_explicit_forces_bear(damping):
    mass = 0.1
    largest = taxel.bristle_step_advice(mass, 36, K, damping).largest_explicit_step
    rest = 2e-4 - mass * 9.81 / (36 * K)
    for factor, bears in ((0.98, True), (1.02, False)):
        model = guided_model(mass=mass, step=factor * largest, coupling="explicit", damping=damping)
        data = mujoco.MjData(model)
        data.qpos[0] = rest + 1e-5
        mujoco.mj_step(model, data, nstep=700)
        assert (abs(data.qpos[0] - rest) < 1e-6) == bears
    # Rows do not care.
    model = guided_model(mass=mass, step=0.005, damping=damping)
    assert after(model, 5).qpos[0] == pytest.approx(rest, abs=1e-9)


@pytest.mark.parametrize("sigma1", [0.0, 3.0])
def test_step_advice_is_what_explicit_friction_bears(sigma1):
    mass, keys = 0.1, dict(sigma0=1e3, sigma1=sigma1)
    advice = taxel.bristle_step_advice(mass, 36, K, K * 0.001, **keys)
    assert advice.friction_limits
    for factor, bears in ((0.97, True), (1.03, False)):
        step = factor * advice.largest_explicit_step
        model = guided_model(mass, step, slide=True, coupling="explicit", damping=K * 0.001, friction=5.0, **keys)
        data = mujoco.MjData(model)
        data.qpos[0], data.qvel[1] = 2e-4 - mass * 9.81 / (36 * K), 1e-4
        mujoco.mj_step(model, data, nstep=700)
        assert (abs(data.qvel[1]) < 1e-6) == bears


def test_explicit_bristles_beyond_their_step_say_so(warned):
    mass = 0.1
    largest = taxel.bristle_step_advice(mass, 36, K, 0.0).largest_explicit_step
    model = guided_model(mass=mass, step=0.98 * largest, coupling="explicit", damping=0.0)
    after(model, 0.2)
    assert not warned
    model = guided_model(mass=mass, step=1.02 * largest, coupling="explicit", damping=0.0)
    after(model, 0.2)
    assert len(warned) == 1 and "throw the body off (taxel.bristle_step_advice); shorten the step" in warned[0]


def test_copies_pickles_and_threads_give_the_same_bits():
    model = tilted_model()

    def start(world):
        data = mujoco.MjData(model)
        data.qvel[:] = np.random.default_rng(world).normal(scale=[0.1, 0.1, 0.02, 1, 1, 2])
        return data

    def state(data):
        return np.concatenate([data.qpos, data.qvel, data.sensordata, data.plugin_state])

    whole = [start(i) for i in range(8)]
    for data in whole:
        mujoco.mj_step(model, data, nstep=120)
    assert all(abs(d.sensordata).max() > 1e-3 and d.plugin_state.any() for d in whole)
    threads = [start(i) for i in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda d: mujoco.mj_step(model, d, nstep=120), threads))
    assert all(np.array_equal(state(a), state(b)) for a, b in zip(whole, threads, strict=True))
    for world in (0, 5):
        half, spare = start(world), mujoco.MjData(model)
        mujoco.mj_step(model, half, nstep=60)
        mujoco.mj_copyData(spare, model, half)
        for twin in (copy.copy(half), pickle.loads(pickle.dumps(half)), spare):
            mujoco.mj_step(twin.model, twin, nstep=60)
            assert np.array_equal(state(twin), state(whole[world]))
        mujoco.mj_resetData(model, half)
        half.qvel[:] = start(world).qvel
        mujoco.mj_step(model, half, nstep=120)
        assert np.array_equal(state(half), state(whole[world]))


# --- without the plugin ---


def test_reader_equals_sensing_only_mode():
    sensing = tilted_model(coupling="sense")
    plain = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    reader = taxel.Reader(plain, soft={"pad": FOAM}, sensors={"touch": dict(geom="pad", unit="N", output=ALL)})
    assert reader.soft_geoms == ["pad"]
    there, here = moved(sensing), moved(plain)
    expected = taxel.touches(sensing, there)
    assert same_bits(reader(here), expected)
    assert same_bits(taxel.Reader(sensing)(there), expected)
    sensing = tilted_model(coupling="sense", scale="none")
    reader = taxel.Reader(plain, {"pad": FOAM}, {"touch": dict(geom="pad", unit="N", output=ALL)}, scale="none")
    there = moved(sensing)
    one, other = reader.sensor("touch").read(here), taxel.Sensor(sensing, "touch").read(there)
    for name in ("values", "shear", "slip", "saturated", "force", "center"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    # Damping and friction are in it: sliding everywhere, against the motion.
    force = reader.wrench(here, "block")[:3]
    np.testing.assert_allclose(one.force, -R_WP.T @ force, atol=1e-12)
    assert np.linalg.norm(force - force @ NORMAL * NORMAL) > 0.3 * force @ NORMAL
    assert force[:2] @ (0.11, -0.07) < 0 and one.slipping[one.values > 0].all()


def test_pad_equals_mujoco():
    model = tilted_model(coupling="sense", scale="none", friction=0.0)
    data = moved(model)
    poses = [taxel.pose(data.geom(n).xpos, R=data.geom(n).xmat.reshape(3, 3)) for n in ("pad", "block")]
    pad = taxel.BristlePad(taxel.Body.box((0.12, 0.08, 0.02)), **{**FOAM, "friction": 0.0})
    v = np.empty(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_GEOM, model.geom("block").id, v, 0)
    slab = taxel.Body.box((0.05, 0.03, 0.016))
    got = pad.press(slab, *poses, velocity=v[3:], angular_velocity=v[:3], dt=1e-3)
    expected = taxel.wrench(model, data, "block")
    np.testing.assert_allclose([*got.force, *got.torque], expected, atol=1e-9)
    assert np.linalg.norm(expected[:3]) > 5


# --- the catalogue ---


@pytest.mark.parametrize("name", taxel.sensors.catalogue())
def test_every_sensor_of_the_catalogue_has_bristles_or_says_why_not(name):
    make = taxel.sensors.catalogue()[name]
    try:
        sensor = make(model="bristle")
    except taxel.Error as e:
        assert name not in ("weiss", "myrmex", "barometer", "pad")
        why = "stand for equal areas" if name == "uskin" else "need the thickness of the soft layer; give thickness="
        assert f"{name}: bristles {why}" in str(e)
        return
    soft = make()
    area, thickness = np.mean(soft.skin().layout.areas), sensor.material["thickness"]
    assert sensor.material["stiffness"] == pytest.approx(soft.material["modulus"] * area / thickness)
    assert sensor.material["friction"] == soft.material["friction"] and "modulus" not in sensor.material
    assert (sensor.shape, sensor.count, sensor.unit) == (soft.shape, soft.count, soft.unit)
    # A plate on all of it, 5 % of the layer deep: within 5 % of the pressure field.
    low, high = sensor.bounds
    plate = f"box:{1.5 * (high - low)[0]},{1.5 * (high - low)[1]},0.01"
    one, two = (press(make(), plate, depth=0.05 * thickness, model=m) for m in ("pressure", "bristle"))
    assert two.force == pytest.approx(one.force, rel=0.05)
    assert two.taxel_force == pytest.approx(two.force, rel=1e-6) and two.image.shape == one.image.shape
    np.testing.assert_allclose(two.image, one.image, atol=0.05 * one.image.max())


def test_overrides_come_before_the_stiffness():
    make = taxel.sensors.weiss
    for changes in (dict(modulus=5e4), dict(shape=(7, 3)), dict(thickness=0.003)):
        soft = make(**changes)
        area, thickness = (
            np.mean(make(**{**changes, "thickness": None}).skin().layout.areas),
            changes.get("thickness", 0.006),
        )
        expected = soft.material["modulus"] * area / thickness
        got = make(model="bristle", **changes).material
        assert got["stiffness"] == pytest.approx(expected) and "modulus" not in got
    assert make(model="bristle", stiffness=100.0, sigma0=3.0).material["stiffness"] == 100.0
    for name in ("gelsight_mini", "shadow_fingertip"):
        result = press(name, "sphere", force=1.0, model="bristle", thickness=0.004)
        assert result.force == pytest.approx(1.0, rel=1e-4) == result.taxel_force


def test_friction_of_a_pressed_object_counts():
    """A tilted box on its guide slides over the pad while it sinks: friction carries part of the load."""
    depths = [press("weiss", "box", force=3, pitch=10, model="bristle", friction=mu).depth for mu in (0.0, 0.1, 3.0)]
    assert depths[0] > depths[1] > depths[2]


def test_mjcf_of_a_sensor_reads_the_same():
    sensor = taxel.sensors.weiss(model="bristle", unit="N")
    ball = '<body pos="0.002 -0.003 0.021"><freejoint/><geom name="ball" size="0.02" mass="0.1"/></body>'
    text = f"<mujoco>{sensor.mjcf()}</mujoco>".replace("</worldbody>", f"{ball}</worldbody>")
    spec = mujoco.MjSpec.from_string(f'<mujoco><option cone="elliptic"/><worldbody>{ball}</worldbody></mujoco>')
    sensor.add_to(spec)
    written, built = taxel.load_model(text), spec.compile()
    one, two = after(written, 0.4), after(built, 0.4)
    assert np.array_equal(one.sensordata, two.sensordata) and one.sensordata.sum() == pytest.approx(0.981, rel=0.05)
    stiff = taxel.sensors.weiss(model="bristle").replace(stiffness=500.0, sigma0=100.0, unit="N")
    assert (stiff.material["stiffness"], stiff.material["sigma0"], stiff.unit) == (500.0, 100.0, "N")
    assert '<config key="stiffness" value="500.0"/>' in stiff.mjcf()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: taxel.sensors.weiss(model="bristles"),
            "weiss: model is 'bristles'; give 'pressure', 'bristle', 'marker' or 'gel'",
        ),
        (lambda: taxel.sensors.weiss(model="bristle").replace(stifness=1), "did you mean 'stiffness'?"),
        (lambda: taxel.sensors.weiss(model="bristle").replace(model="pressure"), "has bristles already"),
        (lambda: taxel.sensors.weiss(model="bristle").with_bristles(), "has bristles already"),
        (lambda: taxel.sensors.weiss(model="bristle").skin(), "has bristles, which are no body with a pressure field"),
        (lambda: press("weiss", "box", model="bristle", readout="rays"), 'readout="rays" samples a contact surface'),
        (lambda: press("weiss", "sphere", model="bristle", soft=1e5), "bristles meet rigid geoms: make it rigid"),
    ],
)
def test_wrong_sensors_are_named(call, message):
    with pytest.raises(taxel.Error) as e:
        call()
    assert message in str(e.value)


# --- wrong models ---


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"modulus": 1e5}, "plugin instance 'skin' gives modulus and stiffness; a pad has a pressure field"),
        ({"dissipation": 5}, "gives dissipation and stiffness; a pad has a pressure field"),
        ({"depth": None}, "plugin instance 'skin': bristles need depth="),
        ({"stiffness": -3}, 'stiffness="-3" is not a stiffness of one bristle in N/m above 0'),
        ({"stiffness": "60N/m"}, 'stiffness="60N/m" is not a list of numbers'),
        ({"friction": (0.2, 0.4)}, 'friction="0.2 0.4" is not one coefficient, or static and dynamic friction'),
        ({"curve": (0.001, 0.1)}, "gives stiffness and curve; a bristle has one of them"),
        ({"stiffness": None, "curve": (0.002, 0.1, 0.001, 0.2)}, 'curve="0.002 0.1 0.001 0.2" is not pairs of'),
        ({"dead_band": 0.02}, "dead_band is 0.02 m and the probes are 0.012 m long (depth)"),
        ({"depth": 12}, 'depth="12" is not a length in m, 1e-6 to 1'),
        ({"form": "printed"}, 'form="printed" is not passive or paper'),
        ({"pitch": 0.02}, "the grid does not fit"),
    ],
)
def test_wrong_keys_do_not_compile_and_are_named(keys, message):
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    taxel.soften(spec, "pad", **{**FOAM, **keys})
    with pytest.raises(ValueError) as e:
        spec.compile()
    assert message in str(e.value)


def test_soften_asks_where_the_bristles_are():
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    with pytest.raises(taxel.Error, match=r"say where the bristles are, for example shape=\(14, 6\)"):
        taxel.soften(spec, "pad", stiffness=K, depth=0.01)
    with pytest.raises(taxel.Error, match="or stiffness=, depth= and shape= of bristles"):
        taxel.soften(spec, "pad", depth=0.01, shape=(4, 4))
    with pytest.raises(taxel.Error, match="soften: there is no key 'sigma_0'; did you mean 'sigma0'"):
        taxel.soften(spec, "pad", **FOAM, sigma_0=1.0)


def test_bristles_meet_rigid_geoms():
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    taxel.soften(spec, "pad", **FOAM)
    taxel.soften(spec, "block", name="soft", modulus=1e5)
    with pytest.raises(ValueError, match="geom 'pad' has bristles and geom 'block' is soft, and they may touch"):
        spec.compile()
    plain = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    with pytest.raises(taxel.Error, match="bristles meet rigid geoms"):
        taxel.Reader(plain, soft={"pad": FOAM, "block": dict(modulus=1e5)})


def test_a_sensor_on_vertices_is_told_how_many():
    def compiled(**keys):
        vertices, triangles = cube(0.04)
        spec = mujoco.MjSpec.from_string('<mujoco><option cone="elliptic"/></mujoco>')
        spec.add_mesh(name="cube", uservert=vertices.ravel(), userface=triangles.ravel())
        spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="cube")
        ball = spec.worldbody.add_body(pos=[0, 0, 0.2])
        ball.add_freejoint()
        ball.add_geom(name="ball", size=[0.03, 0, 0])
        taxel.soften(spec, "pad", stiffness=K, depth=0.005, layout="vertices", **keys)
        taxel.add_sensor(spec, "pad")
        return spec.compile()

    with pytest.raises(ValueError, match="sensor 'touch': layout=\"vertices\" needs taxels="):
        compiled()
    with pytest.raises(ValueError, match='taxels="7" but layout="vertices" on body \'pad\' has 8; write taxels="8"'):
        compiled(taxels=7)
    assert compiled(taxels=8).nsensordata == 8
    with pytest.raises(ValueError, match='no vertex of the mesh faces direction="0 0 1" within 1 degrees'):
        compiled(taxels=8, direction=(0, 0, 1), within=1)


# --- the docs ---


def blocks(page: str, language: str = "python") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)


def numbers(text: str) -> list[str]:
    return re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?!\w)", text)


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("guide/bristles.md", 0),
        ("guide/bristles.md", 1),
        ("guide/bristles.md", 2),
        ("papers/bristle-friction.md", 0),
        ("guide/grasping.md", 0),
        ("guide/grasping.md", 1),
    ],
)
def test_blocks_of_the_docs_print_what_they_say(page, number):
    """Each number in the comment behind a print is what is printed, to its last digit."""
    code = blocks(page)[number]
    printed: dict[int, list] = {}
    exec(compile(code, page, "exec"), {"print": lambda *a: printed.setdefault(sys._getframe(1).f_lineno, []).extend(a)})
    assert printed
    for line, values in printed.items():
        said = code.splitlines()[line - 1].partition("  # ")[2]
        if isinstance(values[0], bool | np.bool_):
            assert said.startswith(str(values[0]))
            continue
        told = numbers(said)
        told = told * len(values) if "both" in said else told
        assert len(told) >= len(values) > 0
        for value, text in zip(values, told, strict=False):
            assert value == pytest.approx(float(text), abs=0.51 * 10.0 ** -len(text.partition(".")[2])), said


def test_mjcf_and_reader_of_the_docs_run():
    (text,) = blocks("guide/bristles.md", "xml")
    model = taxel.load_model(text)
    data = after(model, 3)
    reading = taxel.Sensor(model, "touch").read(data)
    assert reading.values.sum() == pytest.approx(0.2 * 9.81, rel=1e-6)
    snippet = re.search(r"`(taxel\.Reader\(.*?\))`", (ROOT / "docs" / "guide" / "bristles.md").read_text())[1]
    reader = eval(snippet, {"taxel": taxel, "model": model})
    assert reader.sensor("touch").read(data).values.sum() == pytest.approx(reading.values.sum(), rel=1e-4)


def test_no_load_goes_through_the_bristles():
    """What the bristles cannot hold stands on the core behind them, and the reading still says all of it."""
    for force in (500, 5000):
        pressed = press("weiss", "box", model="bristle", force=force)
        assert pressed.force == pytest.approx(force, rel=1e-3)
        assert pressed.taxel_force == pytest.approx(force, rel=1e-3)
        assert pressed.core_force > 0.9 * force
        assert pressed.depth < 0.012
