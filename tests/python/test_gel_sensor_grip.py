"""A hard grip between two gels: explicit forces would throw the can away."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import taxel

RADIUS, GRIP = 0.012, 20.0
FINGER = """<body name="{name}" pos="{x} 0 0.02"><joint name="{name}" type="slide" axis="{way} 0 0" damping="1"/>
  <geom type="box" size="0.004 0.008 0.01" pos="{back} 0 0" mass="0.1" contype="0" conaffinity="0"/>
  <geom name="pad_{name}" type="box" size="0.008 0.01 0.002" zaxis="{way} 0 0" mass="0.002" contype="0"
    conaffinity="0"/>
</body>"""


def grip(step: float, **keys):
    """Two fingers close on a can of 50 g until each pushes with 20 N, and hold it against its weight."""
    x = RADIUS + 0.0022
    fingers = FINGER.format(name="l", x=-x, way=1, back=-0.006) + FINGER.format(name="r", x=x, way=-1, back=0.006)
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{step}" integrator="implicitfast"/><worldbody>{fingers}
        <body pos="0 0.0005 0.021"><freejoint/><geom name="can" type="cylinder" size="{RADIUS} 0.02" mass="0.05"
          contype="0" conaffinity="0"/></body></worldbody>
        <actuator><motor joint="l"/><motor joint="r"/></actuator></mujoco>"""
    )
    data = mujoco.MjData(model)
    pads = [taxel.GelSensor(model, f"pad_{s}", "can", cell=2e-3, young=1e5, friction=0.8, two_way=True, **keys)
            for s in "lr"]  # fmt: skip
    model.opt.gravity[:] = 0
    speeds = []
    while data.time < 0.26:
        data.ctrl[:] = GRIP * min(1.0, data.time / 0.12)
        model.opt.gravity[2] = -9.81 if data.time > 0.16 else 0.0
        for pad in pads:
            pad.update(data)
        mujoco.mj_step(model, data)
        speeds.append(np.abs(data.qvel[2:5]).max())
    return data, pads, np.array(speeds)


@pytest.mark.parametrize(("step", "quiet"), [(0.002, 0.02), (0.005, 0.3)])
def test_a_grip_of_20_newtons_holds(step, quiet):
    data, pads, speeds = grip(step)
    late = speeds[-int(0.04 / step) :]
    assert late.max() < quiet, f"the can moves with {late.max():.3g} m/s"
    for pad, way in zip(pads, (1, -1), strict=True):
        assert pad.wrench.objects[0][0] == pytest.approx(way * GRIP, rel=0.1)
    np.testing.assert_allclose(data.qpos[2:5], [0, 0.0005, 0.021], atol=1.5e-3)


def test_forces_that_are_held_over_a_step_throw_it_off():
    """What the grip above would be without: the reason for all this."""
    try:
        _, _, speeds = grip(0.002, lag_damping=0.0)
    except taxel.Error as error:
        assert "GelSensor: the gel of 'pad_" in str(error) and "steps=" in str(error)
    else:
        assert speeds[-20:].max() > 0.1


def test_a_gel_pressed_flat_takes_shorter_steps_and_the_same_forces():
    pad = taxel.Body.box((0.012, 0.014, 0.006))
    ball = taxel.Body.sphere(0.008)

    def press(share: int) -> tuple[np.ndarray, float]:
        gel = taxel.Gel(pad, cell=2e-3, young=1e5)
        gel.add(ball, taxel.pose((0, 0, 0.0111)), friction=0.5)
        gel.advance(60, taxel.pose((0.0003, 0, 0.0104)))
        full = gel.dt
        gel.set_step(full / share)
        assert gel.dt == pytest.approx(full / share)
        gel.advance(40 * share, taxel.pose((0.0006, 0, 0.0102)))
        gel.advance(60 * share)
        return gel.force(0), gel.time

    (one, t1), (three, t3) = press(1), press(3)
    assert t3 == pytest.approx(t1)
    np.testing.assert_allclose(three, one, rtol=0.02, atol=0.02 * np.linalg.norm(one))


def test_a_restored_gel_has_its_step_back():
    gel = taxel.Gel(taxel.Body.box((0.012, 0.014, 0.006)), cell=2e-3, young=1e5)
    full, saved = gel.dt, gel.save()
    gel.set_step(full / 2)
    gel.restore(saved)
    assert gel.dt == full
    with pytest.raises(taxel.Error, match="it must lie in 0 to"):
        gel.set_step(1.0)
