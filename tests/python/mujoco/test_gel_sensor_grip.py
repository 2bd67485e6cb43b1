"""A hard grip between two gels: explicit forces would throw the can away."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import taxel
from taxel.gel.face_load import about, of_the_face, within_friction

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


def test_loads_stay_within_friction_and_the_face():
    out = np.array([0.0, 0.6, 0.8])
    pulled = within_friction(np.array([1.0, -3.0, -4.0, 1.0, 2.0, 3.0]), out, 0.5, 0.01)
    assert not pulled.any()
    load = within_friction(np.array([30.0, 6.0, 8.0, 1.0, 2.0, -3.0]), out, 0.5, 0.01)
    np.testing.assert_allclose(load[:3], 10 * out + [5, 0, 0])
    assert load[3:] @ out == pytest.approx(-0.05)  # grip x reach
    assert np.linalg.norm(load[3:] + 0.05 * out) == pytest.approx(0.15)
    small = np.array([1.0, 6.0, 8.0, 0.001, 0.0, 0.0])
    np.testing.assert_allclose(within_friction(small, out, 0.5, 0.01), small)


def test_the_stiffness_of_a_face_is_that_of_its_points():
    rng = np.random.default_rng(3)
    arms, areas = rng.normal(size=(7, 3)), rng.uniform(1, 2, 7)
    D = np.array([a @ a.T for a in rng.normal(size=(7, 3, 3))])
    v, w = rng.normal(size=3), rng.normal(size=3)
    forces = [a / areas.sum() * d @ (v + np.cross(w, r)) for a, d, r in zip(areas, D, arms, strict=True)]
    whole = of_the_face(D, arms, areas) @ np.concatenate([v, w])
    np.testing.assert_allclose(whole[:3], np.sum(forces, axis=0))
    np.testing.assert_allclose(whole[3:], np.sum(np.cross(arms, forces), axis=0))
    load = np.concatenate([np.sum(forces, axis=0), np.zeros(3)])
    np.testing.assert_allclose(about(about(load, arms[0]), -arms[0]), load, atol=1e-12)
