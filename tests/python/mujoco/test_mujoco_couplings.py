"""The three couplings: rows, explicit forces, sensing only."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import CS, ELLIPTIC, GRAVITY, MASS, NORMAL, after, block, in_P, pad_model, pad_xml

import taxel

pytestmark = pytest.mark.usefixtures("warned")


def test_rows_and_explicit_forces_rest_at_the_same_depth():
    depths, places = [], []
    for coupling, step in (("rows", 0.002), ("explicit", 1e-4)):
        model = pad_model(coupling=coupling, step=step)
        data = after(model, 0.6)
        assert (data.ncon > 0) == (coupling == "rows")  # explicit forces stand in qfrc_passive
        (touch,) = taxel.touches(model, data)
        np.testing.assert_allclose(touch.wrench_on("block")[:3], -MASS * GRAVITY, atol=2e-3 * MASS * 9.81)
        depths.append(0.008 - in_P(data, "block")[2])
        places.append(in_P(data, "block")[:2])
    # p = E d / H over the slab's face bears the weight's normal part.
    expected = -MASS * GRAVITY @ NORMAL * 0.02 / (2e5 * 0.05 * 0.03)
    assert depths[0] == pytest.approx(depths[1], rel=1e-4)
    assert depths[0] == pytest.approx(expected, rel=1e-3)
    np.testing.assert_allclose(places[0], places[1], atol=5e-6)


def test_sensing_leaves_the_physics_alone():
    bodies = block("a", (-0.03, 0.0), turn=1.2) + block("b", (0.03, 0.01), depth=-0.002)
    sensing = pad_model(bodies, coupling="sense")
    plain = mujoco.MjModel.from_xml_string(pad_xml(bodies, keys=None))
    one, two = mujoco.MjData(sensing), mujoco.MjData(plain)
    seen = 0
    for _ in range(150):
        mujoco.mj_step(sensing, one)
        mujoco.mj_step(plain, two)
        seen += len(taxel.touches(sensing, one))
        assert np.array_equal(one.qpos, two.qpos) and np.array_equal(one.qvel, two.qvel)
        assert one.ncon == two.ncon
    assert seen > 250


def test_published_switch_to_sensing_only():
    text = CS.replace("</custom>", '<numeric name="cs::ApplyContactSurfaceForces" data="0"/></custom>')
    model, native = taxel.load_model(text), mujoco.MjModel.from_xml_string(ELLIPTIC)
    assert np.array_equal(after(model, 0.2).qpos, after(native, 0.2).qpos)
    assert not np.array_equal(after(taxel.load_model(CS), 0.2).qpos, after(native, 0.2).qpos)
