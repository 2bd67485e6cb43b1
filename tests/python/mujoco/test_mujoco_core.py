"""A skin has a bone: hard hits, deep presses and thin layers neither throw a body out nor let it through.

The scenes of the first tests are those in which a capsule left at 1,082 m/s, a ball at 244 m/s, and bodies fell
through catalogue sensors.
"""

import mujoco
import numpy as np
import pytest

import taxel


def _finger(step, integrator, thickness, coupling="rows", mass=0.2, drop=0.035, modulus=3e5):
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{step}" integrator="{integrator}" cone="elliptic"/><worldbody>
        <geom name="finger" type="capsule" size="0.007 0.03" euler="90 0 0"/>
        <body name="object" pos="0 0 {0.014 + drop}"><freejoint/>
          <geom type="capsule" size="0.007 0.03" euler="0 90 0" mass="{mass}"/></body></worldbody></mujoco>"""
    )
    taxel.soften(spec, "finger", modulus=modulus, dissipation=5, field="backed", thickness=thickness)
    spec.add_plugin(name="options", plugin_name="taxel").config = {"coupling": coupling}
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit", "discrete"])
@pytest.mark.parametrize(("step", "thickness"), [(0.005, 0.003), (0.002, 0.003), (0.001, 0.001), (0.0005, 0.001)])
def test_a_hard_hit_on_a_round_finger_leaves_no_faster_than_it_came(integrator, step, thickness):
    model, data = _finger(step, integrator, thickness)
    came, fastest, lowest = np.sqrt(2 * 9.81 * 0.035), 0.0, 1.0
    for _ in range(round(0.3 / step)):
        mujoco.mj_step(model, data)
        fastest = max(fastest, np.linalg.norm(data.qvel[:3]))
        lowest = min(lowest, data.qpos[2])
    assert fastest <= came + 9.81 * step
    # The two cross at a right angle, so that the middle tells how deep they are: never past the core, but for what
    # the step in which they meet carries them there.
    assert lowest > 0.014 - max(0.985 * thickness, came * step)


def test_explicit_coupling_is_softened_to_what_a_step_carries_and_says_so(capfd):
    for step in (0.005, 0.0002):
        model, data = _finger(step, "implicitfast", 0.003, "explicit", modulus=1e7)
        fastest = 0.0
        for _ in range(round(0.2 / step)):
            mujoco.mj_step(model, data)
            fastest = max(fastest, np.linalg.norm(data.qvel[:3]))
        assert fastest < 1.05 * np.sqrt(2 * 9.81 * 0.035)
    assert "stiffer than a step of 0.005 s can carry" in capfd.readouterr().err


def test_a_ball_pressed_hard_on_a_thin_shell_stays_where_it_is():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option timestep="0.002" cone="elliptic"/><worldbody>
        <geom name="finger" type="capsule" size="0.007 0.03" euler="90 0 0"/>
        <body name="object" pos="0 0 0.0148"><joint type="slide" axis="0 0 1"/>
          <geom type="sphere" size="0.008" mass="0.05"/></body></worldbody></mujoco>"""
    )
    taxel.soften(spec, "finger", modulus=3e5, field="backed", thickness=0.003, dissipation=5)
    model = spec.compile()
    data = mujoco.MjData(model)
    rest = []
    for load in (1.0, 18.9, 60.0, 200.0):
        for i in range(400):
            data.xfrc_applied[1, 2] = -load * min(1.0, i / 200)
            mujoco.mj_step(model, data)
            assert abs(data.qvel[0]) < 0.5
        rest.append(0.015 - (0.0148 + data.qpos[0]))
        assert data.qfrc_constraint[0] == pytest.approx(load + 0.05 * 9.81, rel=1e-3)
    assert np.all(np.diff(rest[:2]) > 0)
    # From where the layer is flat no load gets on.
    assert rest[3] == pytest.approx(0.975 * 0.003, abs=6e-5)  # facets of the two round surfaces


@pytest.mark.parametrize(
    ("name", "speed"), [("weiss", 1.0), ("digit", 1.0), ("gelsight_mini", 1.0), ("shadow_fingertip", 1.0)]
)
def test_half_a_kilogram_does_not_get_through_a_sensor(name, speed):
    sensor = getattr(taxel.sensors, name)()
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    sensor.add_to(spec, body=spec.worldbody, name="skin")
    top = float(sensor.bounds[1][2])
    body = spec.worldbody.add_body(name="object", pos=[0.001, 0.0005, top + 0.0105])
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=0.5)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[0] = -speed
    deepest = 0.0
    for _ in range(150):
        mujoco.mj_step(model, data)
        deepest = max(deepest, -(0.0005 + data.qpos[0]))
    thick = top - float(sensor.bounds[0][2])
    assert deepest < (0.5 if name == "shadow_fingertip" else 1.0) * thick
    assert abs(data.qvel[0]) < speed


def test_a_soft_ball_that_is_half_in_is_still_carried():
    radius = 0.03
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="0.002" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
        <body pos="0 0 {radius}"><freejoint/><geom name="ball" type="sphere" size="{radius}" mass="1"/></body>
        </worldbody></mujoco>"""
    )
    taxel.soften(spec, "ball", modulus=3e4)
    model = spec.compile()
    data = mujoco.MjData(model)
    forces = []
    for height in (0.02, 0.015, 0.01, 0.007, 0.003, 0.0):
        mujoco.mj_resetData(model, data)
        data.qpos[2] = height
        mujoco.mj_forward(model, data)
        forces.append(data.qfrc_constraint[2])
    assert np.all(np.diff(forces[:4]) > 0)
    assert min(forces) > 0.9 * forces[0]
    for load in (100.0, 1000.0):  # far beyond what the ball bears
        mujoco.mj_resetData(model, data)
        for i in range(600):
            data.xfrc_applied[1, 2] = -load * min(1.0, i / 300)
            mujoco.mj_step(model, data)
        assert data.qpos[2] > 0.19 * radius
        assert data.qfrc_constraint[2] == pytest.approx(load + 9.81, rel=0.01)


def test_the_taxels_share_what_the_core_holds():
    sensor = taxel.sensors.myrmex()
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    sensor.add_to(spec, body=spec.worldbody, name="skin")
    top = float(sensor.bounds[1][2])
    body = spec.worldbody.add_body(pos=[0.004, -0.003, top + 0.0101])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.015, 0.01], mass=30.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(1500):
        mujoco.mj_step(model, data)
    reading = taxel.Sensor(model, "skin").read(data)
    weight = 30 * 9.81
    assert reading.force[2] == pytest.approx(-weight, rel=2e-3) or reading.force[2] == pytest.approx(weight, rel=2e-3)


def test_the_side_of_a_pad_is_solid():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option timestep="0.001" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
        <body pos="0 0 0.021" euler="90 0 0"><freejoint/>
          <geom name="pad" type="box" size="0.015 0.02 0.003" mass="0.1"/></body></worldbody></mujoco>"""
    )
    taxel.soften(spec, "pad", modulus=1e5, field="backed")
    model = spec.compile()
    data = mujoco.MjData(model)
    lowest = 1.0
    for _ in range(400):
        mujoco.mj_step(model, data)
        lowest = min(lowest, data.qpos[2])
    assert lowest > 0.0
    assert np.isfinite(data.qpos).all()
