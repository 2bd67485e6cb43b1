"""Touches and wrenches of the last step."""

from __future__ import annotations

import gc

import mujoco
import numpy as np
import pytest
from mujoco_scenes import ELLIPTIC, GRAVITY, MASS, NORMAL, R_WP, after, block, pad_model, same_bits

import taxel

pytestmark = pytest.mark.usefixtures("warned")


@pytest.fixture(scope="module")
def resting():
    """Two slabs at rest on the tilted pad, and what touches. Not to be changed by the tests."""
    bodies = block("near", (-0.03, 0.012), mass=0.2) + block("far", (0.025, -0.01), turn=-0.3)
    model = pad_model(bodies)
    data = after(model, 1.5)
    return model, data, {t.name1 if t.name2 == "pad" else t.name2: t for t in taxel.touches(model, data)}


def test_force_at_rest_is_the_weight(resting):
    _, data, found = resting
    for name, mass in (("near", 0.2), ("far", MASS)):
        w = found[name].wrench_on(name, about=data.body(name).xipos)
        # At rest to 1e-4 of the weight, and no torque about the centre of mass: it would turn.
        np.testing.assert_allclose(w[:3], -mass * GRAVITY, atol=1e-4 * mass * 9.81)
        np.testing.assert_allclose(w[3:], 0, atol=1e-4 * mass * 9.81 * 0.02)
        # The surface bears the part along the normal, friction the rest (and a little on the side walls).
        pressed = found[name].surface.force_on_A if found[name].name2 == name else found[name].surface.force_on_B
        assert pressed @ NORMAL == pytest.approx(-mass * GRAVITY @ NORMAL, rel=5e-3)


def test_both_sides_are_opposite_about_any_point(resting):
    _, _, found = resting
    touch, about = found["far"], (0.3, -1.2, 0.7)
    one, two = touch.wrench_on("far", about), touch.wrench_on("pad", about)
    assert np.array_equal(one, -two)
    f, t = touch.wrench_on("far")[:3], touch.wrench_on("far")[3:]
    np.testing.assert_allclose(one, np.concatenate([f, t - np.cross(about, f)]), rtol=1e-12)
    # By number as by name; fields of the touch speak of the second geom.
    assert np.array_equal(touch.wrench_on(touch.geom2), touch.wrench_on(touch.name2))
    assert np.array_equal(touch.wrench_on(touch.geom2), np.concatenate([touch.force, touch.torque]))
    assert np.array_equal(touch.wrench_on(np.int32(touch.geom1)), -touch.wrench_on(touch.geom2))
    with pytest.raises(taxel.Error, match=r"'near' is not one of the touching geoms"):
        touch.wrench_on("near")


def test_normals_point_into_the_second_geom(resting):
    _, _, found = resting
    for name, touch in found.items():
        s = touch.surface
        force = (s.face_pressures * s.areas) @ s.normals
        np.testing.assert_allclose(force, s.force_on_A, atol=1e-9)
        assert (force @ NORMAL > 0) == (touch.name2 == name)


def test_wrench_of_a_geom(resting):
    model, data, found = resting
    pad = model.geom("pad").id
    total = sum(t.wrench_on("pad", data.geom_xpos[pad]) for t in found.values())
    np.testing.assert_allclose(taxel.wrench(model, data, "pad"), total, rtol=1e-12)
    np.testing.assert_allclose(total[:3], (0.2 + MASS) * GRAVITY, atol=1e-3)
    for name, touch in found.items():
        of_pad = touch.wrench_on("pad", data.geom_xpos[pad])
        assert np.array_equal(taxel.wrench(model, data, "pad", name), of_pad)
        of_block = touch.wrench_on(name, data.geom(name).xpos)
        assert np.array_equal(taxel.wrench(model, data, name), of_block)
    with pytest.raises(KeyError, match=r"pda.*'far', 'near', 'pad'"):
        taxel.wrench(model, data, "pda")


def test_geoms_go_by_number_too(resting):
    model, data, _ = resting
    pad, far = model.geom("pad").id, model.geom("far").id
    assert np.array_equal(taxel.wrench(model, data, pad), taxel.wrench(model, data, "pad"))
    assert np.array_equal(taxel.wrench(model, data, pad, np.int32(far)), taxel.wrench(model, data, "pad", "far"))
    reader = taxel.Reader(model)
    assert np.array_equal(reader.wrench(data, far), reader.wrench(data, "far"))
    with pytest.raises(IndexError, match="99"):
        taxel.wrench(model, data, 99)


def test_geoms_without_names_go_by_number():
    model = pad_model(block().replace('<geom name="block"', "<geom"))
    data = after(model, 1.0)
    (touch,) = taxel.touches(model, data)
    nameless = touch.geom1 if touch.name1 == "" else touch.geom2
    force = taxel.wrench(model, data, nameless)[:3]
    np.testing.assert_allclose(force, -MASS * GRAVITY, atol=1e-3 * MASS * 9.81)
    with pytest.raises(taxel.Error, match=f"without a name is given by its number: .*{nameless}"):
        touch.wrench_on("")


def test_a_point_has_three_numbers(resting):
    _, _, found = resting
    with pytest.raises(taxel.Error, match=r"about is \(0, 1\); give a point of three numbers"):
        found["far"].wrench_on("far", about=(0, 1))


def test_no_touch_is_no_wrench(resting):
    model, data, _ = resting
    assert np.array_equal(taxel.wrench(model, data, "near", "far"), np.zeros(6))


def test_a_typo_in_the_second_geom_is_an_error(resting):
    model, data, _ = resting
    with pytest.raises((KeyError, taxel.Error), match="fra"):
        taxel.wrench(model, data, "pad", "fra")


def test_touches_are_ordered_by_geom():
    # Declared in another order than they lie; the pad is geom 0 and, among boxes, the first of each pair.
    bodies = "".join(block(f"b{i}", (x, 0.0), turn=1.5, mass=0.1) for i, x in enumerate((0.04, -0.04, 0.0)))
    model = pad_model(bodies)
    data = after(model, 0.2)
    assert [(t.name1, t.name2) for t in taxel.touches(model, data)] == [("pad", f"b{i}") for i in range(3)]


def test_surfaces_are_owned():
    model = pad_model()
    data = after(model, 0.1)
    (touch,) = taxel.touches(model, data)
    arrays = {n: getattr(touch.surface, n) for n in ("vertices", "pressures", "normals", "centroids")}
    kept = {n: a.copy() for n, a in arrays.items()}
    force = touch.force.copy()
    data.qvel[:3] = R_WP @ (0.3, 0, 0.5)
    mujoco.mj_step(model, data, nstep=50)
    assert taxel.touches(model, data) == []  # it flew off
    del model, data
    gc.collect()
    junk = [np.full(5000, 7.0) for _ in range(200)]
    assert all(np.array_equal(kept[n], arrays[n]) for n in kept) and len(junk) == 200
    assert np.array_equal(force, touch.force)


def test_touches_follow_forward_reset_and_copy():
    model = pad_model()
    data = mujoco.MjData(model)
    assert taxel.touches(model, data) == []  # nothing was computed yet
    mujoco.mj_forward(model, data)
    (first,) = taxel.touches(model, data)
    assert same_bits([first], taxel.touches(model, data))  # reading changes nothing
    data.qpos[:3] -= 1e-3 * NORMAL
    mujoco.mj_forward(model, data)
    assert taxel.touches(model, data)[0].surface.normal_force > 2 * first.surface.normal_force
    mujoco.mj_resetData(model, data)
    assert taxel.touches(model, data) == []
    mujoco.mj_forward(model, data)
    assert same_bits([first], taxel.touches(model, data))


def test_touches_between_the_halves_of_a_step_change_nothing():
    sensor = '<sensor><plugin name="pad" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>'
    model = pad_model(block(p_P=(-0.02, 0.005), depth=-0.001), extra=sensor)
    one, two = mujoco.MjData(model), mujoco.MjData(model)
    one.qvel[:] = two.qvel[:] = [*(R_WP @ (0.3, -0.2, -0.2)), 1, -2, 3]
    for _ in range(40):
        mujoco.mj_step(model, one)
        mujoco.mj_step1(model, two)
        taxel.touches(model, two)
        mujoco.mj_step2(model, two)
        assert np.array_equal(one.sensordata, two.sensordata)
        assert np.array_equal(one.qpos, two.qpos)


def test_touches_need_an_instance():
    taxel.load()
    model = mujoco.MjModel.from_xml_string(ELLIPTIC)
    data = after(model, 0.1)
    with pytest.raises(taxel.Error, match=r"no instance of the plugin taxel; .*taxel\.load_model.*taxel\.Reader"):
        taxel.touches(model, data)
    with pytest.raises(taxel.Error, match="no instance of the plugin taxel"):
        taxel.rebuild(model, data)


@pytest.mark.parametrize("call", [taxel.touches, taxel.rebuild, lambda m, d: taxel.wrench(m, d, "pad")])
def test_models_and_data_are_not_mixed_up(call):
    model = pad_model()
    data = mujoco.MjData(model)
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    with pytest.raises(TypeError, match=r"model is MjData; give a mujoco\.MjModel"):
        call(data, data)
    with pytest.raises(TypeError, match=r"model is MjSpec; compile it first: model = spec.compile\(\)"):
        call(spec, data)
