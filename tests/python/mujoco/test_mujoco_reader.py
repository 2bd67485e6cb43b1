"""The reader: surfaces and wrenches of models that know nothing of the plugin."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest
from mujoco_scenes import CS, NORMAL, R_WP, SPEC, block, pad_model, pad_xml, run_alone, same_bits

import taxel

pytestmark = pytest.mark.usefixtures("warned")

MATERIAL = dict(modulus=2e5, field="backed", dissipation=5, friction=(0.8, 0.5))


def pressed_and_moving(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    data.qpos[:3] -= 1.3e-3 * NORMAL
    data.qvel[:] = [0.11, -0.07, -0.05, 0.4, -0.9, 1.7]
    mujoco.mj_forward(model, data)
    return data


def test_reader_equals_sensing_only_mode():
    sensing = pad_model(coupling="sense", friction="0.8 0.5")
    plain = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    expected = taxel.touches(sensing, pressed_and_moving(sensing))
    data = pressed_and_moving(plain)
    found = taxel.Reader(plain, {"pad": MATERIAL})(data)
    assert same_bits(found, expected)
    assert same_bits(taxel.Reader(sensing)(data), expected)  # what the model declares
    field = pad_model(coupling="sense", friction="0.8 0.5", scale="none")
    expected = taxel.touches(field, pressed_and_moving(field))
    found = taxel.Reader(plain, {"pad": MATERIAL}, scale="none")(data)
    assert same_bits(found, expected)
    assert same_bits(taxel.Reader(field)(data), expected)
    # With velocities: friction and damping are in the force and not in the surface.
    (touch,) = found
    assert np.linalg.norm(np.cross(touch.force, NORMAL)) > 0.3 * abs(touch.force @ NORMAL)
    assert abs(touch.force @ NORMAL) > 1.05 * touch.surface.normal_force


def test_reader_equals_sensing_only_mode_while_it_runs():
    model = pad_model(coupling="sense", friction="0.8 0.5")
    data = pressed_and_moving(model)
    reader = taxel.Reader(model)
    for _ in range(30):
        mujoco.mj_step(model, data)
        assert same_bits(reader(data), taxel.touches(model, data))


def test_reader_friction_opposes_the_sliding():
    plain = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    data = mujoco.MjData(plain)
    slide = R_WP @ (0.2, -0.1, 0)
    data.qpos[:3] += 1.5e-4 * NORMAL  # so flat that the side walls do not count
    data.qvel[:3] = slide
    mujoco.mj_forward(plain, data)
    # The slab has 0.9 of its own: 2 a b / (a + b) with the pad's dynamic friction.
    mu = 2 * 0.9 * 0.5 / (0.9 + 0.5)
    force = taxel.Reader(plain, {"pad": MATERIAL}, scale="none").wrench(data, "block", "pad")[:3]
    normal = force @ NORMAL
    np.testing.assert_allclose(
        force - normal * NORMAL, -mu * normal * slide / np.linalg.norm(slide), atol=1e-2 * mu * normal
    )


def test_reader_leaves_a_plain_model_alone():
    """In a process where the plugin was never loaded."""
    code = """
        import mujoco, numpy as np, taxel
        def run(read):
            model = mujoco.MjModel.from_xml_string(xml)
            data = mujoco.MjData(model)
            data.qvel[:] = [0.1, 0.05, 0, 1, -2, 3]
            reader = taxel.Reader(model, soft={"pad": dict(modulus=1e6)}) if read else None
            seen = 0
            for _ in range(200):
                mujoco.mj_step(model, data)
                if read:
                    seen += len(reader(data))
            return data, seen
        (a, seen), (b, _) = run(True), run(False)
        assert seen > 100, seen
        assert np.array_equal(a.qpos, b.qpos) and np.array_equal(a.qvel, b.qvel)
        assert a.ncon == b.ncon > 0 and all(c.dim == 3 for c in a.contact)
        assert taxel.mujoco.engine._plugin is None
    """
    run_alone(code, pad_xml(block(), keys=None))


def test_reader_with_several_soft_geoms():
    bodies = block("a", (-0.03, 0.0), turn=1.2) + block("b", (0.03, 0.01), turn=-0.2)
    model = mujoco.MjModel.from_xml_string(pad_xml(bodies, keys=None))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    reader = taxel.Reader(model, {"b": dict(modulus=1e6), "pad": MATERIAL})
    assert reader.soft_geoms == ["pad", "b"]
    found = reader(data)
    assert [(t.name1, t.name2) for t in found] == [("pad", "a"), ("pad", "b")]
    # The soft slab gives way too: less force at the same overlap. Each number agrees with the contact query.
    pad = taxel.Body.box((0.12, 0.08, 0.02), 2e5, field="backed")
    for touch, modulus in zip(found, (0.0, 1e6), strict=True):
        slab = taxel.Body.box((0.05, 0.03, 0.016), modulus)
        poses = [taxel.pose(data.geom(n).xpos, R=data.geom(n).xmat.reshape(3, 3)) for n in (touch.name2, "pad")]
        expected = taxel.contact(slab, poses[0], pad, poses[1])
        np.testing.assert_allclose(touch.surface.force_on_A, expected.force_on_A, rtol=1e-9)
        assert touch.surface.area == pytest.approx(expected.area, rel=1e-9)
    assert found[1].surface.normal_force < found[0].surface.normal_force
    both = reader.wrench(data, "pad")
    np.testing.assert_allclose(both, reader.wrench(data, "pad", "a") + reader.wrench(data, "pad", "b"), rtol=1e-12)


def test_reader_of_a_published_world():
    model = mujoco.MjModel.from_xml_string(CS)  # no plugin in it
    assert model.nplugin == 0
    reader = taxel.Reader(model)
    assert reader.soft_geoms == ["pad"]
    data = mujoco.MjData(model)
    data.qpos[2] = 0.038
    mujoco.mj_forward(model, data)
    (touch,) = reader(data)
    # What is given comes instead of the entry: the pressure is proportional to the modulus.
    (stiff,) = taxel.Reader(model, {"pad": dict(modulus=4e5)})(data)
    assert stiff.surface.max_pressure == pytest.approx(4 * touch.surface.max_pressure, rel=1e-9)


def test_reader_errors():
    model = mujoco.MjModel.from_xml_string(SPEC)
    for soft, message in (
        (None, r"no geom of the model is soft; pass soft="),
        ({}, r"no geom of the model is soft"),
        ({"pda": {"modulus": 1e5}}, "no geom 'pda'"),
        ({"pad": {"modulus": 1e5, "modulsu": 1}}, "material 'pad': there is no parameter \"modulsu\""),
        ({"pad": {"modulus": 1e5, "coupling": "rows"}}, 'no parameter "coupling"'),
        ({"pad": {"modulus": 1e5, "field": "spring"}}, 'field="spring" is not distance, backed, laplace or columns'),
        ({"pad": {"friction": 1}}, "modulus"),
    ):
        with pytest.raises(taxel.Error, match=message):
            taxel.Reader(model, soft)


@pytest.mark.parametrize("kind", [taxel.Reader, lambda m: taxel.Sensor(m, "touch"), lambda m: taxel.MarkerSensor(m, 0)])
def test_only_a_compiled_model_is_read(kind):
    model = taxel.load_model(CS)
    for wrong in (mujoco.MjData(model), mujoco.MjSpec.from_string(SPEC), SPEC, None):
        # By its address, data would be read as if it were a model.
        with pytest.raises(TypeError, match=f"model is {type(wrong).__name__}; "):
            kind(wrong)
    with pytest.raises(TypeError, match="Reader: 0 is int; give the name of a geom"):
        taxel.Reader(model, {0: {"modulus": 1e5}})


def test_reader_without_modulus_is_told_in_its_own_words():
    with pytest.raises(taxel.Error) as e:
        taxel.Reader(mujoco.MjModel.from_xml_string(SPEC), {"pad": {"friction": 0.5}})
    assert "tuple" not in str(e.value) and "<config" not in str(e.value)


def test_reader_before_forward_says_so():
    model = mujoco.MjModel.from_xml_string(SPEC)
    with pytest.raises(taxel.Error, match="mj_forward"):
        taxel.Reader(model, {"pad": {"modulus": 1e5}})(mujoco.MjData(model))


def test_reader_refuses_the_data_of_another_model():
    model = mujoco.MjModel.from_xml_string(SPEC)
    reader = taxel.Reader(model, {"pad": {"modulus": 1e5}})
    other = mujoco.MjModel.from_xml_string(SPEC.replace("<worldbody>", '<worldbody><geom size="1" pos="9 9 9"/>'))
    data = mujoco.MjData(other)
    mujoco.mj_forward(other, data)
    with pytest.raises(taxel.Error, match="another model"):
        reader(data)


def test_reader_of_a_changed_shape_says_what_to_do(warned):
    model = mujoco.MjModel.from_xml_string(SPEC)
    reader = taxel.Reader(model, {"pad": {"modulus": 1e5}})
    data = mujoco.MjData(model)
    data.qpos[2] = 0.038
    mujoco.mj_forward(model, data)
    assert len(reader(data)) == 1
    model.geom("ball").size[0] = 0.035
    assert reader(data) == []
    assert len(warned) == 1 and "Reader" in warned[0]


def test_a_reader_is_not_copied_by_halves():
    reader = taxel.Reader(mujoco.MjModel.from_xml_string(SPEC), {"pad": {"modulus": 1e5}})
    try:
        twin = copy.copy(reader)
    except TypeError:
        return
    assert twin._handle != reader._handle
