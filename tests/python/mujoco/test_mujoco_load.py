"""Loading the plugin, and opening model files and texts with it."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from conftest import cube
from mujoco_scenes import CS, ELLIPTIC, SPEC, after, pad_model, run_alone

import taxel

engine = importlib.import_module("taxel.mujoco.engine")
pytestmark = pytest.mark.usefixtures("warned")

# --- loading ----------------------------------------------------------------------------------------------------------


def test_loading_again_changes_nothing():
    taxel.load()
    library = engine._plugin
    model = pad_model()
    taxel.load()
    assert engine._plugin is library is not None
    assert np.array_equal(after(model, 0.02).qpos, after(pad_model(), 0.02).qpos)


def test_the_plugin_is_a_file():
    path = Path(taxel.plugin_path())
    assert path.is_file() and path.is_absolute()


@pytest.mark.parametrize(
    "call",
    [
        taxel.load,
        lambda: taxel.load_model(SPEC),
        lambda: taxel.soften(mujoco.MjSpec.from_string(SPEC), "pad", modulus=1e5),
        lambda: taxel.Reader(mujoco.MjModel.from_xml_string(SPEC), {"pad": {"modulus": 1e5}}),
    ],
    ids=["load", "load_model", "soften", "Reader"],
)
def test_another_mujoco_is_refused_with_the_cure(monkeypatch, call):
    monkeypatch.setattr(engine, "_plugin", None)
    ours = re.escape(mujoco.__version__)
    monkeypatch.setattr(mujoco, "__version__", "3.9.1")
    with pytest.raises(ImportError, match=rf"built for MuJoCo {ours} and MuJoCo 3\.9\.1.*pip install mujoco=={ours}"):
        call()
    assert engine._plugin is None


def test_no_mujoco_is_refused_with_the_cure(monkeypatch):
    monkeypatch.setattr(engine, "_plugin", None)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ImportError, match=rf"pip install mujoco=={re.escape(mujoco.__version__)}$"):
        taxel.load()


def test_before_load():
    code = """
        import sys, taxel
        assert "mujoco" not in sys.modules  # contact queries need no MuJoCo
        import mujoco
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        for call in (taxel.touches, taxel.rebuild):
            try:
                call(model, data)
            except taxel.Error as e:
                assert "taxel.load()" in str(e), e
            else:
                raise AssertionError("no error")
    """
    run_alone(code, SPEC)


# --- load_model and complete ------------------------------------------------------------------------------------------


def test_load_model_takes_a_path_a_string_and_xml(tmp_path):
    (tmp_path / "world.xml").write_text(CS)
    text = after(taxel.load_model("\n  <!-- a comment first -->" + CS), 0.1).qpos
    for source in (tmp_path / "world.xml", str(tmp_path / "world.xml"), CS):
        assert np.array_equal(after(taxel.load_model(source), 0.1).qpos, text)


def test_load_model_finds_assets():
    vertices, triangles = cube(0.03)
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(
        f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles
    )
    text = CS.replace("<worldbody>", '<asset><mesh name="die" file="die.obj"/></asset><worldbody>')
    text = text.replace('type="sphere" size="0.03"', 'type="mesh" mesh="die"')
    assert taxel.load_model(text, assets={"die.obj": obj.encode()}).nmeshvert == 8


def test_load_model_errors():
    with pytest.raises(taxel.Error, match=r"no model file 'nowhere\.xml'"):
        taxel.load_model("nowhere.xml")
    with pytest.raises(ValueError, match="unrecognized element"):
        taxel.load_model("<mujoco><world/></mujoco>")
    with pytest.raises(taxel.Error, match=r"no geom is soft; give an instance a modulus"):
        taxel.load_model(ELLIPTIC)
    with pytest.raises(taxel.Error, match="there is no geom 'pda'; the entry must be called cs:: and the geom's name"):
        taxel.load_model(CS.replace("cs::pad", "cs::pda"))


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ('<option cone="pyramidal"/>', ["elliptic"]),
        ('<option cone="elliptic" integrator="RK4"/>', ["implicitfast"]),
        ('<option integrator="RK4"/>', ["elliptic", "implicitfast"]),
    ],
)
def test_options_that_soft_contact_needs_are_set_and_told(option, told):
    with pytest.warns(UserWarning) as caught:
        model = taxel.load_model(CS.replace('<option cone="elliptic"/>', option))
    (one,) = caught
    assert [word for word in ("elliptic", "implicitfast") if word in str(one.message)] == told
    assert Path(one.filename) == Path(__file__)  # the line of the caller, not one of taxel
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert model.opt.integrator in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)


@pytest.mark.parametrize(
    "call",
    [
        lambda spec: taxel.soften(spec, "pad", modulus=1e5),
        pytest.param(
            lambda spec: taxel.complete(spec),
        ),
    ],
    ids=["soften", "complete"],
)
def test_the_caller_is_told_of_the_cone(call):
    with pytest.warns(UserWarning, match="elliptic") as caught:
        call(mujoco.MjSpec.from_string(SPEC))
    assert caught[0].lineno == call.__code__.co_firstlineno


def test_sensing_needs_no_other_options():
    spec = mujoco.MjSpec.from_string(SPEC.replace("<worldbody>", '<option integrator="RK4"/><worldbody>'))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taxel.soften(spec, "pad", modulus=1e5, coupling="sense")
    assert spec.option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4


def test_options_that_fit_are_left_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = taxel.load_model(CS.replace('cone="elliptic"', 'cone="elliptic" integrator="discrete"'))
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
