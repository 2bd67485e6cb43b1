"""Readings that hold what MuJoCo holds: whole skins, what is missed, the engine's force in sensing, condim."""

import warnings

import mujoco
import numpy as np
import pytest

import taxel


def compiled(xml: str, soften: dict, sensors: dict | None = None):
    spec = mujoco.MjSpec.from_string(xml)
    for geom, keys in soften.items():
        taxel.soften(spec, geom, name=f"{geom}_skin", **keys)
    for name, keys in (sensors or {}).items():
        keys = dict(keys)
        taxel.add_sensor(spec, keys.pop("geom"), name=name, **keys)
    model = spec.compile()
    return model, mujoco.MjData(model)


# A finger that hangs on a slide and stands on its tip, off its axis: 0.3 kg on the end of a capsule.
TIP = """<mujoco><option cone="elliptic"/><worldbody>
  <geom name="floor" type="box" size="0.1 0.1 0.01" pos="0 0 -0.01"/>
  <body name="finger" pos="0 0 0.0365"><joint type="slide" axis="0 0 1"/>
    <geom name="finger" type="{shape}" size="{size}" quat="0.999 0.03 0.02 0.2" mass="0.3"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("shape", "size"), [("capsule", "0.012 0.025"), ("sphere", "0.037"), ("ellipsoid", ".02 .03 .037")]
)
def test_the_default_grid_has_no_bare_spot(shape, size):
    model, data = compiled(
        TIP.format(shape=shape, size=size), {"finger": dict(modulus=3e5)}, {"touch": dict(geom="finger", shape=(8, 6))}
    )
    mujoco.mj_step(model, data, 1500)
    sensor = taxel.Sensor(model, "touch")
    reading = sensor.read(data)
    assert reading.missed == pytest.approx(0, abs=1e-9)
    down = sensor.pose(data)[:3, :3] @ reading.force
    assert np.linalg.norm(down) == pytest.approx(0.3 * 9.81, rel=1e-3)
    # The image itself: along normals that are not quite vertical.
    assert float((reading.values.ravel() * sensor.layout.areas).sum()) == pytest.approx(2.943, rel=0.15)


def test_what_lies_beyond_a_layout_is_told():
    model, data = compiled(
        TIP.format(shape="capsule", size="0.012 0.025"),
        {"finger": dict(modulus=3e5)},
        {"touch": dict(geom="finger", shape=(5, 6), along=(-0.025, 0.025))},
    )
    mujoco.mj_step(model, data, 1500)
    reading = taxel.Sensor(model, "touch").read(data)
    assert reading.values.sum() == 0
    assert reading.missed == pytest.approx(reading.load, rel=1e-9)
    assert reading.missed == pytest.approx(2.943, rel=0.05)


def test_half_of_a_press_is_missed():
    pad = taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5, field="backed")
    ball = taxel.Body.sphere(0.01)
    X = taxel.pose((0.1, -0.2, 0.3), rpy=(0.3, -0.2, 0.7))
    # The grid ends at x = 0; the ball presses there, and half of it is beyond.
    for readout, tolerance in (("exact", 1e-9), ("rays", 0.06)):
        skin = taxel.Skin(pad, shape=(6, 4), pitch=0.005, center=(-0.01, 0), readout=readout)
        surface = taxel.contact(pad, X, ball, X @ taxel.pose((0, 0.002, 0.0138)))
        reading = skin.read(surface, X)
        assert reading.missed == pytest.approx(0.5 * reading.load, rel=0.02 if readout == "exact" else tolerance)
        whole = taxel.Skin(pad, shape=(6, 8), pitch=0.005, readout=readout).read(surface, X)
        assert whole.missed == pytest.approx(0, abs=tolerance * whole.load)


GRIP = """<mujoco><option cone="{cone}"/><worldbody>
  <body name="left" pos="-0.0298 0 0.1"><joint name="l" type="slide" axis="1 0 0"/>
    <geom name="left" type="box" size="0.01 0.02 0.03" mass="0.1"/></body>
  <body name="right" pos="0.0298 0 0.1"><joint name="r" type="slide" axis="-1 0 0"/>
    <geom name="right" type="box" size="0.01 0.02 0.03" mass="0.1"/></body>
  <body name="can" pos="0 0.002 0.103"><freejoint/>
    <geom name="can" type="{shape}" size="0.02 0.03 0.02" quat="1 0.02 0 0.1" mass="0.2"/></body>
</worldbody><actuator><motor joint="l" gear="12"/><motor joint="r" gear="12"/></actuator></mujoco>"""


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize(
    "keys",
    [dict(modulus=2e4, field="backed", exposed=(1, 0, 0)), dict(stiffness=400, depth=0.006, shape=(6, 4), face="+x")],
)
def test_sensing_reads_what_the_engine_holds(keys, cone):
    xml = GRIP.format(cone=cone, shape="cylinder")
    sensor = dict(geom="left", shape=(6, 4), face="+x", output="pressure shear")
    model, data = compiled(xml, {"left": dict(keys, coupling="sense")}, {"touch": sensor})
    data.ctrl[:] = 1
    mujoco.mj_step(model, data, 400)
    pair = np.zeros(6)
    for i in range(data.ncon):
        con, f = data.contact[i], np.zeros(6)
        if {model.geom(g).name for g in con.geom} == {"left", "can"}:
            mujoco.mj_contactForce(model, data, i, f)
            turned = con.frame.reshape(3, 3).T @ f[:3]
            pair[:3] += turned if model.geom(con.geom[1]).name == "left" else -turned
    assert -pair[0] == pytest.approx(12, rel=0.02)  # what the motors press with
    taxels = taxel.Sensor(model, "touch")
    image = taxels.parts(data)
    areas = taxels.layout.areas.reshape(taxels.shape)
    assert float((image["pressure"] * areas).sum()) == pytest.approx(-pair[0], rel=1e-9)
    # Columns run along y, rows along z of the +x face.
    assert float((image["shear"][0] * areas).sum()) == pytest.approx(pair[1], abs=1e-9)
    assert float((image["shear"][1] * areas).sum()) == pytest.approx(pair[2], rel=1e-9)
    assert taxel.wrench(model, data, "left")[:3] == pytest.approx(pair[:3], abs=1e-9)
    # Both ways to read give the same numbers; sensordata is from before the velocities of the step.
    image = taxels.read(data)
    plain = mujoco.MjSpec.from_string(xml).compile()
    copy = mujoco.MjData(plain)
    copy.ctrl[:] = 1
    mujoco.mj_step(plain, copy, 400)
    reader = taxel.Reader(plain, soft={"left": keys}, sensors={"touch": sensor})
    other = reader.sensor("touch").read(copy)
    assert other.values == pytest.approx(image.values, rel=1e-12, abs=1e-9)
    assert other.shear == pytest.approx(image.shear, rel=1e-12, abs=1e-9)
    assert reader.wrench(copy, "left")[:3] == pytest.approx(pair[:3], abs=1e-9)
    # The shape of the image is the field's; its size is another.
    field = taxel.Reader(plain, soft={"left": keys}, sensors={"touch": sensor}, scale="none").sensor("touch").read(copy)
    assert field.values.sum() < 0.5 * other.values.sum()
    if "modulus" in keys:
        assert field.values / field.values.sum() == pytest.approx(other.values / other.values.sum(), abs=2e-3)


def test_sensing_without_the_solver_is_not_scaled():
    model = mujoco.MjSpec.from_string(GRIP.format(cone="elliptic", shape="sphere")).compile()
    data = mujoco.MjData(model)
    keys = {"left": dict(modulus=2e4, field="backed", exposed=(1, 0, 0))}
    data.qpos[model.joint("l").qposadr[0]] = 0.0012
    mujoco.mj_fwdPosition(model, data)
    scaled = taxel.Reader(model, soft=keys).wrench(data, "left")
    assert scaled[0] < 0
    assert scaled == pytest.approx(taxel.Reader(model, soft=keys, scale="none").wrench(data, "left"), rel=1e-12)
    mujoco.mj_forward(model, data)
    assert taxel.Reader(model, soft=keys).wrench(data, "left")[0] < 2 * scaled[0]
    with pytest.raises(taxel.Error, match=r"scale is .twice."):
        taxel.Reader(model, soft=keys, scale="twice")


def test_a_push_without_overlap_is_missed():
    # A margin holds the ball above the pad.
    xml = """<mujoco><worldbody><geom name="pad" type="box" size="0.05 0.04 0.01" margin="0.003"/>
      <body pos="0.005 0 0.0335"><freejoint/><geom name="ball" size="0.02" mass="0.3"/></body></worldbody></mujoco>"""
    model = mujoco.MjSpec.from_string(xml).compile()
    data = mujoco.MjData(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART
    model.geom("pad").solref[:] = (0.02, 1)
    mujoco.mj_step(model, data, 800)
    reader = taxel.Reader(model, soft={"pad": dict(modulus=1e5)}, sensors={"touch": dict(geom="pad", shape=(4, 6))})
    reading = reader.sensor("touch").read(data)
    assert data.geom("ball").xpos[2] > 0.0305  # apart
    assert reading.values.sum() == 0
    assert reading.missed == pytest.approx(2.943, rel=1e-3)
    assert reading.load == pytest.approx(reading.missed)
    assert reading.center[:2] == pytest.approx(data.geom("ball").xpos[:2], abs=1e-6)


SLOPE = """<mujoco><option cone="elliptic" gravity="1.7 0.4 -9.6"/><worldbody>
  <geom name="pad" type="box" size="0.1 0.1 0.01" {pad}/>
  <body pos="0 0 0.0248"><freejoint/><geom name="block" type="box" size="0.02 0.03 0.015" mass="0.2" {block}/></body>
</worldbody>{contact}</mujoco>"""


@pytest.mark.parametrize("coupling", ["rows", "explicit"])
@pytest.mark.parametrize(
    "keys",
    [dict(modulus=2e5, friction=0.9), dict(stiffness=800, depth=0.005, shape=(20, 20), friction=0.9, viscosity=0.5)],
)
@pytest.mark.parametrize(
    ("pad", "block", "contact", "slides"),
    [
        ('condim="1"', 'condim="1"', "", True),
        ('condim="1"', "", "", False),  # the greater of the two
        ('condim="1" priority="1"', "", "", True),
        ('condim="1"', 'condim="1"', '<contact><pair geom1="pad" geom2="block" friction="0.9 0.9"/></contact>', False),
        ("", "", '<contact><pair geom1="pad" geom2="block" condim="1"/></contact>', True),
    ],
)
def test_condim_one_is_frictionless(pad, block, contact, slides, keys, coupling):
    step = 1e-4 if coupling == "explicit" else 2e-3
    xml = SLOPE.format(pad=pad, block=block, contact=contact)
    model, data = compiled(xml, {"pad": dict(keys, coupling=coupling)})
    model.opt.timestep = step
    mujoco.mj_step(model, data, round(0.1 / step))
    if slides:
        assert data.qvel[:2] == pytest.approx([0.17, 0.04], rel=0.02)
        assert taxel.wrench(model, data, "pad", "block")[:2] == pytest.approx([0, 0], abs=0.01)  # it tilts a little
        assert all(data.contact[i].dim == 1 for i in range(data.ncon))
    else:
        assert np.linalg.norm(data.qvel[:2]) < 0.03


def test_a_pair_of_ours_comes_after_condim():
    xml = SLOPE.format(pad='condim="1"', block='condim="1"', contact="")
    spec = mujoco.MjSpec.from_string(xml)
    taxel.soften(spec, "pad", modulus=2e5)
    taxel.soften(spec, ["pad", "block"], name="grip", pair=True, friction=0.9)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 50)
    assert np.linalg.norm(data.qvel[:2]) < 0.03


def test_rolling_friction_that_does_not_act_is_told():
    with pytest.warns(UserWarning, match="'pad' with geom 'block' has condim 6, .*rolling"):
        compiled(SLOPE.format(pad='condim="6"', block="", contact=""), {"pad": dict(modulus=2.1e5)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(SLOPE.format(pad='condim="4"', block="", contact=""), {"pad": dict(modulus=2.2e5)})
        compiled(SLOPE.format(pad='condim="6"', block="", contact=""), {"pad": dict(modulus=2.3e5, coupling="sense")})


# --- hits ---


def test_no_hit_reads_more_than_what_acts():
    """A ball thrown at the side of a wall whose taxels are on top, with friction: blocks of the patch lose their normal
    force while they still rub. A reading is no greater than the force that acts."""
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic" timestep="0.001" gravity="0 0 0"/><worldbody>
        <geom name="wall" type="box" size="0.2 0.01 0.05"/>
        <body><freejoint/><geom name="ball" size="0.015" mass="0.2"/></body></worldbody></mujoco>"""
    )
    taxel.soften(spec, "wall", modulus=3e5)
    taxel.add_sensor(spec, "wall", shape=(6, 6))
    model = spec.compile()
    data, sensor, rng, seen = mujoco.MjData(model), taxel.Sensor(model, "touch"), np.random.default_rng(0), 0
    for _ in range(40):
        mujoco.mj_resetData(model, data)
        way = rng.normal(size=3) * (1, -1, 1)
        way[1] = -abs(way[1])
        velocity = 5 * way / np.linalg.norm(way)
        data.qpos[:3] = (rng.uniform(-0.1, 0.1), 0.027, rng.uniform(0.03, 0.06)) - 0.003 * velocity
        data.qvel[:3] = velocity
        for _ in range(25):
            mujoco.mj_step(model, data)
            acts = np.linalg.norm(taxel.wrench(model, data, "wall")[:3])
            if acts > 0.05:
                seen += 1
                assert np.linalg.norm(sensor.read(data).force) < 1.05 * acts
    assert seen > 200


def test_a_sliver_on_the_skin_is_no_lever():
    """A slab tumbles over the rim of a pad, most of its contact beside the taxels: the few that feel it do not carry it
    all, a thousandfold, to balance what is far away."""
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic" timestep="0.001" gravity="0 0 0"/><worldbody>
        <geom name="pad" type="box" size="0.04 0.03 0.01" euler="20 10 5"/>
        <body><freejoint/><geom type="box" size="0.012 0.01 0.008" mass="0.2"/></body></worldbody></mujoco>"""
    )
    taxel.soften(spec, "pad", modulus=3e5)
    taxel.add_sensor(spec, "pad", shape=(6, 6))
    model = spec.compile()
    data, sensor, rng, worst = mujoco.MjData(model), taxel.Sensor(model, "touch"), np.random.default_rng(0), 0.0
    mujoco.mj_forward(model, data)
    R = data.geom("pad").xmat.reshape(3, 3).copy()
    up = R[:, 2]
    for _ in range(120):
        mujoco.mj_resetData(model, data)
        velocity = rng.normal(size=3)
        velocity -= up * (velocity @ up)
        velocity = velocity / np.linalg.norm(velocity) * 3 - up * rng.uniform(0.3, 2)
        quat = rng.normal(size=4)
        data.qpos[3:7] = quat / np.linalg.norm(quat)
        aside = R @ np.array([rng.uniform(-0.015, 0.015), rng.uniform(-0.01, 0.01), 0])
        data.qpos[:3], data.qvel[:3] = up * 0.028 - velocity * 0.004 + aside, velocity
        for _ in range(40):
            mujoco.mj_step(model, data)
            acts = np.linalg.norm(taxel.wrench(model, data, "pad")[:3])
            if acts > 0.05:
                worst = max(worst, np.linalg.norm(sensor.read(data).force) / acts)
    assert worst < 15  # where pushes from several sides cancel, one of them may be greater than the sum
