"""The channels of a model, recorded while it runs."""

import mujoco
import numpy as np
import pytest

import taxel
import taxel.record as record


@pytest.fixture(scope="module")
def model():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.myrmex().add_to(spec)
    ball = spec.worldbody.add_body(name="the ball", pos=[0.003, -0.004, 0.04])
    ball.add_freejoint()
    ball.add_geom(size=[0.02, 0, 0], mass=0.2)
    arm = spec.worldbody.add_body(name="arm", pos=[0.3, 0, 0.1])
    arm.add_joint(name="hinge", axis=[0, 1, 0])
    arm.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.02], contype=0, conaffinity=0)
    spec.add_actuator(name="motor", target="hinge", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    return spec.compile()


def test_what_is_watched(model, tmp_path):
    data, watch, sensor = mujoco.MjData(model), record.Watch(model), taxel.Sensor(model, "myrmex")
    kinds = {name: (channel.kind, channel.shape) for name, channel in watch.channels.items()}
    assert kinds == {
        "myrmex/frame": ("pose", (7,)),
        "myrmex/touch": ("array", (16, 16)),
        "myrmex/force": ("array", (3,)),
        "the_ball": ("pose", (7,)),
        "state": ("array", (1,)),
        "action": ("array", (1,)),
    }
    assert watch.channels["myrmex/touch"].unit == "Pa" and watch.channels["myrmex/touch"].frame == "myrmex/frame"
    data.ctrl[:] = 0.25
    images = []
    with record.open(tmp_path / "run.h5", watch.channels) as recorder:
        for _ in range(30):
            mujoco.mj_step(model, data, nstep=10)
            recorder.write(data.time, watch(data))
            images.append(sensor.read(data).values)
    found = record.read(tmp_path / "run.h5")
    np.testing.assert_allclose(found.time, 0.02 * np.arange(1, 31))
    np.testing.assert_array_equal(found.values["myrmex/touch"], np.float32(images))
    assert found.values["myrmex/force"][-1, 2] == pytest.approx(-0.2 * 9.81, rel=0.05)
    np.testing.assert_allclose(found.values["the_ball"][-1, :3], data.body("the ball").xpos, atol=1e-4)
    assert found.values["state"][-1, 0] == np.float32(data.joint("hinge").qpos[0]) and found.values["action"][0] == 0.25


def test_a_body_called_as_its_sensor():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.myrmex().add_to(spec)
    body = spec.worldbody.add_body(name="state", pos=[0, 0, 0.2])
    body.add_freejoint()
    body.add_geom(size=[0.01, 0, 0])
    watch = record.Watch(spec.compile(), bodies=["myrmex", "state"])
    assert {"myrmex/touch", "myrmex_body", "state_body"} < set(watch.channels)
    assert record.channels.check_channels(watch.channels)


def test_wrong_bodies(model):
    with pytest.raises(taxel.Error, match="two things would be recorded as 'arm'"):
        record.Watch(model, bodies=["arm", "arm"])
    assert "arm" in record.Watch(model, bodies=["arm"]).channels
    with pytest.raises(taxel.Error, match="there is no body 'leg'"):
        record.Watch(model, bodies=["leg"])
    with pytest.raises(taxel.Error, match="no tactile sensor, no body"):
        record.Watch(mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>"))


@pytest.mark.parametrize("thing", [None, "model.xml", mujoco.MjSpec()])
def test_what_is_no_model(thing):
    with pytest.raises(TypeError, match=f"Watch: model is {type(thing).__name__}; give an MjModel"):
        record.Watch(thing)
