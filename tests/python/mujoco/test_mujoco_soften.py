"""Softening the geoms of a spec."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from mujoco_scenes import ELLIPTIC, GRAVITY, MASS, after, block, pad_model, pad_xml

import taxel

pytestmark = pytest.mark.usefixtures("warned")


def test_soften_is_all_it_takes():
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    taxel.soften(spec, "pad", modulus=1e5, friction=(0.8, 0.6))
    model = spec.compile()
    data = after(model, 1.0)
    (touch,) = taxel.touches(model, data)
    assert {touch.name1, touch.name2} == {"pad", "block"}
    np.testing.assert_allclose(touch.wrench_on("block")[:3], -MASS * GRAVITY, atol=0.01 * MASS * 9.81)


def test_soften_says_the_same_as_mjcf():
    spec = mujoco.MjSpec.from_string(pad_xml(block(), keys=None))
    # Every form a value can take: int, float, numpy, text, list, array, bool.
    taxel.soften(
        spec,
        ["pad"],
        modulus=200000,
        dissipation=np.float64(5),
        field="backed",
        friction=[0.8, 0.6],
        exposed=np.array([0, 0, 1]),
        blocks=np.int64(9),
        show=False,
    )
    written = pad_model(friction="0.8 0.6", exposed="0 0 1", blocks=9, show="false")
    assert np.array_equal(after(spec.compile(), 0.1).qpos, after(written, 0.1).qpos)


def test_two_materials():
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", modulus=1e5)
    taxel.soften(spec, ("ball",), name="foam", modulus=3e4)
    assert taxel.Reader(spec.compile()).soft_geoms == ["pad", "ball"]


def test_soften_errors():
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    with pytest.raises(taxel.Error, match="modulus in Pa"):
        taxel.soften(spec, "pad", friction=0.5)
    with pytest.raises(taxel.Error, match="no geom 'pda'"):
        taxel.soften(spec, ["pad", "pda"], name="typo", modulus=1e5)
    with pytest.raises(taxel.Error, match="there is no key 'modulsu'; did you mean 'modulus'"):
        taxel.soften(spec, "pad", modulsu=2e5)
    with pytest.raises(taxel.Error, match="there is no key 'stifness'; did you mean 'stiffness'"):
        taxel.soften(spec, "pad", stifness=50.0, depth=0.01, shape=(4, 5))
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", modulus=1e5)
    with pytest.raises(taxel.Error, match="already an instance 'skin'; give another name="):
        taxel.soften(spec, "ball", modulus=1e5)
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    spec.add_tuple(name="skin", objtype=[mujoco.mjtObj.mjOBJ_GEOM], objname=["pad"], objprm=[0.0])
    with pytest.raises(taxel.Error, match="the model has a tuple 'skin' of its own; give another name="):
        taxel.soften(spec, "pad", modulus=1e5)


@pytest.mark.parametrize(
    "call",
    [
        lambda spec: taxel.soften(spec, "pad", modulus=1e5),
        lambda spec: taxel.add_sensor(spec, "pad", shape=(4, 4)),
        lambda spec: taxel.add_markers(spec, "pad", shape=(4, 4)),
        lambda spec: taxel.configure(spec, blocks=9),
        lambda spec: taxel.sensors.myrmex().add_to(spec),
        taxel.complete,
    ],
)
def test_a_compiled_model_is_too_late(call):
    for wrong in (mujoco.MjModel.from_xml_string(ELLIPTIC), None):
        with pytest.raises(TypeError, match=rf"spec is {type(wrong).__name__}; give a mujoco\.MjSpec .*spec\.compile"):
            call(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"field": "spring"}, 'field="spring" is not distance, backed, laplace or columns'),
        ({"friction": (0.3, 0.6)}, "static >= dynamic"),
        ({"modulus": -1.0}, 'modulus="-1.0" is not a modulus in Pa'),
        ({"blocks": 10}, 'blocks="10" is not the square'),
    ],
)
def test_wrong_parameters_do_not_compile_and_are_named(wrong, message):
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", **{"modulus": 1e5, **wrong})
    with pytest.raises(ValueError) as e:
        spec.compile()
    assert message in str(e.value)


def test_a_geom_has_one_material():
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", modulus=1e5)
    taxel.soften(spec, ["ball", "pad"], name="foam", modulus=3e4)
    with pytest.raises(ValueError, match=r"geom 'pad' is listed by .*'skin' and by .*'foam'"):
        spec.compile()


def test_soften_can_be_called_again_after_a_typo():
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    with pytest.raises(taxel.Error, match="no geom 'pda'"):
        taxel.soften(spec, "pda", modulus=1e5)
    taxel.soften(spec, "pad", modulus=1e5)
    spec.compile()


def test_soften_sets_a_pair():
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", modulus=1e5)
    taxel.soften(spec, ["pad", "ball"], name="oiled", pair=True, friction=0.05)
    spec.compile()
