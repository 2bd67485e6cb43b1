"""Sensors: those of the plugin, and MuJoCo's own beside it."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import GRAVITY, MASS, NORMAL, after, block, pad_model

import taxel

pytestmark = pytest.mark.usefixtures("warned")

SENSORS = """<sensor>
    <plugin name="all" plugin="taxel" instance="skin" objtype="geom" objname="pad"/>
    <plugin name="one" plugin="taxel" instance="skin" objtype="geom" objname="pad" reftype="geom" refname="far"/>
    <plugin name="far" plugin="taxel" instance="skin" objtype="geom" objname="far"/>
    <touch name="touch" site="patch"/>
    <contact name="net" geom1="far" geom2="pad" reduce="netforce" data="force"/>
    <contact name="found" geom1="far" geom2="pad" data="found"/>
  </sensor>"""


@pytest.mark.parametrize("coupling", ["rows", "explicit"])
def test_wrench_sensors_speak_in_the_frame_of_the_geom(coupling):
    bodies = block("near", (-0.03, 0.012), mass=0.2) + block("far", (0.025, -0.01), turn=-0.3)
    sensors = SENSORS[: SENSORS.index("<touch")] + "</sensor>"
    model = pad_model(bodies, coupling=coupling, extra=sensors, step=0.002 if coupling == "rows" else 2e-4)
    data = after(model, 0.6)
    for sensor, geom, pulls in (
        ("all", "pad", [("near", 0.2), ("far", MASS)]),
        ("one", "pad", [("far", MASS)]),
        ("far", "far", [("far", -MASS)]),
    ):
        X = taxel.pose(data.geom(geom).xpos, R=data.geom(geom).xmat.reshape(3, 3))
        # At rest the contact carries the weight, as if it hung at the centre of mass.
        force = sum(m * GRAVITY for _, m in pulls)
        torque = sum(np.cross(data.body(b).xipos - X[:3, 3], m * GRAVITY) for b, m in pulls)
        reading = data.sensor(sensor).data
        np.testing.assert_allclose(reading[:3], X[:3, :3].T @ force, atol=2e-3 * 9.81 * MASS)
        np.testing.assert_allclose(reading[3:], X[:3, :3].T @ torque, atol=2e-3 * 9.81 * MASS * 0.03)
        R6 = np.kron(np.eye(2), X[:3, :3])
        other = "far" if sensor == "one" else None
        np.testing.assert_allclose(R6 @ reading, taxel.wrench(model, data, geom, other), rtol=1e-9, atol=1e-12)


def test_native_sensors_read_right():
    bodies = block("near", (-0.03, 0.012), mass=0.2) + block("far", (0.025, -0.01), turn=-0.3)
    # The zone of a touch sensor counts the contacts of its own body.
    bodies = bodies.replace('mass="0.3"/>', 'mass="0.3"/><site name="patch" type="box" size="0.03 0.03 0.02"/>')
    model = pad_model(bodies, extra=SENSORS)
    data = after(model, 1.0)
    # It adds up the sizes of the normal forces, and blocks are tilted a little.
    assert data.sensor("touch").data[0] == pytest.approx(-MASS * GRAVITY @ NORMAL, rel=5e-3)
    # From the first geom on the second.
    np.testing.assert_allclose(data.sensor("net").data, MASS * GRAVITY, atol=2e-3 * MASS * 9.81)
    contacts = [c for c in data.contact if set(c.geom) == {model.geom("far").id, model.geom("pad").id}]
    assert data.sensor("found").data[0] == len(contacts) > 0
    # The contacts as they stand in mjData add up to the same force.
    total, force = np.zeros(3), np.empty(6)
    for i, c in enumerate(data.contact):
        if model.geom("far").id in c.geom:
            mujoco.mj_contactForce(model, data, i, force)
            total += c.frame.reshape(3, 3).T @ force[:3] * (1 if c.geom[1] == model.geom("far").id else -1)
    np.testing.assert_allclose(total, -MASS * GRAVITY, atol=2e-3 * MASS * 9.81)


def test_a_sensor_needs_a_geom():
    sensor = '<sensor><plugin name="s" plugin="taxel" instance="skin" objtype="body" objname="block"/></sensor>'
    with pytest.raises(ValueError, match="sensor 's' must name a geom"):
        pad_model(extra=sensor)
