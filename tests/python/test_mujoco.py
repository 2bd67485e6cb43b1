"""The plugin from Python: every function of ``taxel`` that takes a MuJoCo model.

Most scenes stand on one pad: 12 x 8 x 2 cm, off the origin, tilted by 18 degrees, turned about its normal. The force on
what rests there is known without a simulation: its weight.

Cases: loading; softening a spec; opening files and texts; touches; the reader; the three couplings; sensors; friction;
shapes that change; attaching; pictures; what is refused or warned of; memory; what must not bring the process down.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import importlib
import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from conftest import cube

import taxel

engine = importlib.import_module("taxel._engine")

GRAVITY = np.array([0.0, 0.0, -9.81])
QUAT = np.array([0.97, 0.10, -0.12, 0.20]) / np.linalg.norm([0.97, 0.10, -0.12, 0.20])
ORIGIN = np.array([0.31, -0.22, 0.17])
"""The pad's frame P: its origin is in the middle of the upper face, z is the outward normal."""
R_WP = taxel.pose(quat=QUAT)[:3, :3]
NORMAL = R_WP[:, 2]
MASS = 0.3

SPEC = """<mujoco><worldbody>
    <geom name="pad" type="box" size="0.05 0.04 0.01" euler="9 -6 20"/>
    <body pos="0 0 0.042"><freejoint/><geom name="ball" type="sphere" size="0.03" mass="0.3"/></body>
  </worldbody></mujoco>"""
ELLIPTIC = SPEC.replace("<worldbody>", '<option cone="elliptic"/><worldbody>')


@pytest.fixture(autouse=True)
def warned(monkeypatch, tmp_path) -> list[str]:
    """What MuJoCo and the plugin warn of; without the fixture it goes into a log in the folder where MuJoCo runs."""
    monkeypatch.chdir(tmp_path)
    lines: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lines.append)
    yield lines
    mujoco.set_mju_user_warning(before)


def placed(p_P, turn: float = 0.0) -> str:
    """pos and quat of something at ``p_P``, turned about the pad's normal."""
    X_WO = taxel.pose(ORIGIN, quat=QUAT) @ taxel.pose(p_P, rpy=(0, 0, turn))
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, X_WO[:3, :3].ravel())
    return f'pos="{" ".join(map(repr, X_WO[:3, 3].tolist()))}" quat="{" ".join(map(repr, quat.tolist()))}"'


def block(name: str = "block", p_P=(0.012, -0.007), mass: float = MASS, depth: float = 2e-4, turn: float = 0.4) -> str:
    """A free slab of 5 x 3 x 1.6 cm that starts ``depth`` deep in the pad."""
    return (
        f'<body name="{name}" {placed((*p_P, 0.008 - depth), turn)}><freejoint/>'
        f'<geom name="{name}" type="box" size="0.025 0.015 0.008" mass="{mass}"/></body>'
    )


def pad_xml(bodies: str, *, keys: dict | None, step=0.002, extra="", instances="", tuples="", options="") -> str:
    """The pad with bodies; ``keys`` are those of its instance, None leaves the plugin out."""
    extension = ""
    if keys is not None:
        keys = {"modulus": 2e5, "field": "backed", "dissipation": 5, **keys}
        entries = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
        extension = f"""
          <extension><plugin plugin="taxel"><instance name="skin">{entries}</instance>{instances}</plugin></extension>
          <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple>{tuples}</custom>"""
    return f"""<mujoco>
      <option cone="elliptic" timestep="{step}" integrator="implicitfast" {options}/>{extension}
      <default><geom friction="0.9 0 0"/></default>
      <worldbody>
        <geom name="pad" type="box" size="0.06 0.04 0.01" {placed((0, 0, -0.01))}/>
        {bodies}
      </worldbody>{extra}
    </mujoco>"""


def pad_model(bodies: str | None = None, **keys) -> mujoco.MjModel:
    arguments = {k: keys.pop(k) for k in ("step", "extra", "instances", "tuples", "options") if k in keys}
    taxel.load()
    text = pad_xml(block() if bodies is None else bodies, keys=keys, **arguments)
    return mujoco.MjModel.from_xml_string(text)


def after(model: mujoco.MjModel, seconds: float) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))
    return data


def in_P(data: mujoco.MjData, name: str) -> np.ndarray:
    return R_WP.T @ (data.body(name).xpos - ORIGIN)


def same_bits(one: list[taxel.Touch], two: list[taxel.Touch]) -> bool:
    arrays = ("vertices", "pressures", "normals", "areas", "face_start")
    return len(one) == len(two) and all(
        (a.geom1, a.geom2) == (b.geom1, b.geom2)
        and np.array_equal(a.force, b.force)
        and np.array_equal(a.torque, b.torque)
        and all(np.array_equal(getattr(a.surface, n), getattr(b.surface, n)) for n in arrays)
        for a, b in zip(one, two, strict=True)
    )


def run_alone(code: str, xml: str) -> None:
    """Runs a script in a process of its own, where nothing is loaded yet and a crash stays there."""
    script = f"xml = {xml!r}\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


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
    monkeypatch.setattr(mujoco, "__version__", "3.9.1")
    with pytest.raises(ImportError, match=r"built for MuJoCo 4\.0\.0 and MuJoCo 3\.9\.1.*pip install mujoco==4\.0\.0"):
        call()
    assert engine._plugin is None


def test_no_mujoco_is_refused_with_the_cure(monkeypatch):
    monkeypatch.setattr(engine, "_plugin", None)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ImportError, match=r"pip install mujoco==4\.0\.0"):
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


# --- soften -----------------------------------------------------------------------------------------------------------


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
    spec = mujoco.MjSpec.from_string(ELLIPTIC)
    taxel.soften(spec, "pad", modulus=1e5)
    with pytest.raises(taxel.Error, match="already an instance 'skin'; give another name="):
        taxel.soften(spec, "ball", modulus=1e5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"modulsu": 2e5}, "modulsu"),
        ({"field": "spring"}, 'field="spring" is not distance, backed or laplace'),
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


# --- load_model and complete ------------------------------------------------------------------------------------------

CS = SPEC.replace(
    "<worldbody>",
    '<option cone="elliptic"/><custom><numeric name="cs::pad" data="1e5 20 0.005 0.9 0.7"/></custom><worldbody>',
)


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


# --- touches ----------------------------------------------------------------------------------------------------------


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


# --- the reader -------------------------------------------------------------------------------------------------------

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
    force = taxel.Reader(plain, {"pad": MATERIAL}).wrench(data, "block", "pad")[:3]
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
        assert taxel._engine._plugin is None
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
        ({"pad": {"modulus": 1e5, "field": "spring"}}, 'field="spring" is not distance, backed or laplace'),
        ({"pad": {"friction": 1}}, "modulus"),
    ):
        with pytest.raises(taxel.Error, match=message):
            taxel.Reader(model, soft)


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


# --- couplings --------------------------------------------------------------------------------------------------------


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


# --- sensors ----------------------------------------------------------------------------------------------------------

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


# --- friction ---------------------------------------------------------------------------------------------------------


def instance(name: str, geoms: list[str], **keys: str) -> dict[str, str]:
    """A second instance and its tuple, as arguments of ``pad_model``."""
    config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    elements = "".join(f'<element objtype="geom" objname="{g}"/>' for g in geoms)
    return {
        "instances": f'<instance name="{name}">{config}</instance>',
        "tuples": f'<tuple name="{name}">{elements}</tuple>',
    }


# Stiff, so that the slab sinks in by 0.02 mm only: its side walls and its pitch would show in the friction.
FIRM = dict(modulus=2e6)
STRIBECK = {**FIRM, "friction": "0.8 0.3", **instance("steel", ["block"], modulus="0", friction="0.8 0.3")}


def inclined(angle: float, toward=(0.6, -0.8)) -> np.ndarray:
    """Gravity seen from a pad that is inclined by ``angle``; ``toward``, in the pad's plane, is downhill."""
    return 9.81 * R_WP @ (*(np.sin(angle) * np.array(toward)), -np.cos(angle))


def slid(model: mujoco.MjModel, tangent: float, seconds: float, shake: float = 0.0) -> np.ndarray:
    """How far the block is downhill, step by step, after the pad was tilted slowly; ``shake`` in m/s2, at 25 Hz."""
    data = after(model, 0.0)
    downhill = R_WP @ (0.6, -0.8, 0)
    out = []
    while data.time < 0.5 + seconds:
        model.opt.gravity[:] = inclined(np.arctan(tangent) * min(data.time / 0.4, 1))
        model.opt.gravity[:] += (data.time > 0.5) * shake * np.sin(2 * np.pi * 25 * (data.time - 0.5)) * downhill
        mujoco.mj_step(model, data)
        if data.time > 0.5:
            out.append(data.qpos[:3] @ downhill)
    return np.array(out)


@pytest.mark.parametrize(("tangent", "slides"), [(0.77, False), (0.83, True)])
def test_sliding_starts_above_static_friction(tangent, slides):
    place = slid(pad_model(block(p_P=(0.0, 0.0), depth=2e-5), **STRIBECK), tangent, 0.1)
    # Once it slides, dynamic friction lets it accelerate with 0.4 g.
    assert (place[-1] - place[0] > 5e-3) if slides else (place[-1] - place[0] < 1e-6)


def test_sliding_is_slowed_by_dynamic_friction():
    model = pad_model(block(p_P=(-0.02, 0.005), depth=2e-5), **STRIBECK)
    model.opt.gravity[:] = inclined(0.0)
    data = after(model, 0.2)
    direction = R_WP @ (0.8, -0.6, 0)
    data.qvel[:3] = 0.4 * direction
    mujoco.mj_step(model, data, nstep=5)
    before = data.qvel[:3] @ direction
    mujoco.mj_step(model, data, nstep=30)
    # Far above the Stribeck speed of 1 cm/s; static friction would take 0.47 m/s away.
    assert before - data.qvel[:3] @ direction == pytest.approx(0.3 * 9.81 * 0.06, rel=0.03)
    mujoco.mj_step(model, data, nstep=300)
    assert np.linalg.norm(data.qvel[:3]) < 1e-5


@pytest.mark.parametrize("breakaway", [0, 1])
def test_both_laws_hold_on_an_incline(breakaway):
    place = slid(pad_model(**FIRM, friction=0.9, breakaway=breakaway), 0.5, 1.0)
    assert np.ptp(place[-250:]) < 1e-7


def test_only_lugre_creeps_under_vibration():
    crept = []
    for breakaway in (0, 1):
        # Shaken, it needs at most 0.75 of what friction can give.
        place = slid(pad_model(**FIRM, friction=0.9, breakaway=breakaway), 0.5, 0.8, shake=1.5)
        period = place[: len(place) // 20 * 20].reshape(-1, 20).mean(axis=1)
        crept.append(period[-1] - period[len(period) // 2])
    assert crept[0] > 1e-5
    assert abs(crept[1]) < 0.05 * crept[0]


def test_a_pair_has_friction_of_its_own():
    bodies = block("dry", (0.03, 0.012), depth=2e-5) + block("block", (-0.02, -0.01), depth=2e-5, turn=-0.3)
    model = pad_model(bodies, **FIRM, **instance("oiled", ["block", "pad"], pair="true", friction="0.05"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    dry, oiled = in_P(data, "dry"), in_P(data, "block")
    mujoco.mj_step(model, data, nstep=50)
    mujoco.mj_forward(model, data)
    assert np.linalg.norm(in_P(data, "dry") - dry) < 5e-5
    # a = g (sin - mu cos), from rest
    g_P = R_WP.T @ GRAVITY
    expected = 0.5 * (np.hypot(*g_P[:2]) + 0.05 * g_P[2]) * 0.1**2
    assert np.linalg.norm((in_P(data, "block") - oiled)[:2]) == pytest.approx(expected, rel=0.03)


def test_a_native_pair_is_left_to_mujoco():
    model = pad_model(**instance("hard", ["block", "pad"], pair="true", native="true"))
    data = after(model, 0.2)
    assert taxel.touches(model, data) == []
    native = mujoco.MjModel.from_xml_string(pad_xml(block(), keys=None))
    assert np.array_equal(data.qpos, after(native, 0.2).qpos)


# --- shapes that change -----------------------------------------------------------------------------------------------


def test_a_changed_size_is_seen_and_rebuilt(warned):
    model = pad_model()
    data, other = after(model, 0.3), after(model, 0.3)
    model.geom("block").size[:] = (0.02, 0.018, 0.008)
    mujoco.mj_step(model, data, nstep=5)
    assert taxel.touches(model, data) == []
    assert data.ncon > 0 and all(c.dim == 3 and np.linalg.norm(c.frame[:3]) > 0.9 for c in data.contact)
    assert len(warned) == 1
    assert "geom 'block' changed" in warned[0] and "taxel.rebuild(model, data)" in warned[0]

    taxel.rebuild(model, data)
    mujoco.mj_forward(model, data)
    (touch,) = taxel.touches(model, data)
    fresh = pad_model(block().replace("0.025 0.015 0.008", "0.02 0.018 0.008"))
    twin = mujoco.MjData(fresh)
    twin.qpos[:] = data.qpos
    mujoco.mj_forward(fresh, twin)
    (expected,) = taxel.touches(fresh, twin)
    assert np.array_equal(touch.surface.pressures, expected.surface.pressures)
    mujoco.mj_step(model, data, nstep=300)
    expected_depth = -MASS * GRAVITY @ NORMAL * 0.02 / (2e5 * 0.04 * 0.036)
    assert 0.008 - in_P(data, "block")[2] == pytest.approx(expected_depth, rel=2e-3)
    assert len(warned) == 1

    # Another data has the old body still, and says so for itself; one made now has the new body.
    mujoco.mj_step(model, other)
    assert taxel.touches(model, other) == [] and len(warned) == 2
    assert len(taxel.touches(model, after(model, 0.01))) == 1 and len(warned) == 2


def test_changed_mesh_vertices_are_seen_and_rebuilt(warned):
    vertices, triangles = cube(0.03)
    vertices = vertices * (1, 1.2, 0.4)
    vertex = " ".join(map(repr, vertices.ravel().tolist()))
    face = " ".join(map(str, triangles.ravel()))
    die = '<freejoint/><geom name="die" type="mesh" mesh="die" mass="0.2"/>'
    body = f'<body name="block" {placed((0.01, -0.005, 0.0058), 0.4)}>{die}</body>'
    mesh = f'<asset><mesh name="die" vertex="{vertex}" face="{face}"/></asset>'
    model = pad_model(body, extra=mesh)
    data = after(model, 0.3)
    (touch,) = taxel.touches(model, data)
    model.mesh_vert[:] *= 1.1
    mujoco.mj_step(model, data)
    assert taxel.touches(model, data) == []
    assert len(warned) == 1 and "geom 'die' changed" in warned[0]
    taxel.rebuild(model, data)
    mujoco.mj_step(model, data, nstep=400)
    (grown,) = taxel.touches(model, data)
    # The lower face: side walls inside the pad carry no force.
    flat = [(t.surface.areas * (np.abs(t.surface.normals @ NORMAL) > 0.9)).sum() for t in (touch, grown)]
    assert flat[0] == pytest.approx(1.2 * 0.03**2, rel=1e-6)
    assert flat[1] == pytest.approx(1.2 * 0.033**2, rel=1e-6)
    assert abs(grown.force @ NORMAL) == pytest.approx(-0.2 * GRAVITY @ NORMAL, rel=5e-3)


def test_rebuild_refuses_what_cannot_be_soft():
    model = pad_model()
    data = after(model, 0.02)
    size = model.geom("pad").size.copy()
    model.geom("pad").size[:] = 0
    with pytest.raises(taxel.Error, match="pad"):
        taxel.rebuild(model, data)
    model.geom("pad").size[:] = size
    mujoco.mj_step(model, data)
    assert len(taxel.touches(model, data)) == 1  # the old body is still there


# --- attaching --------------------------------------------------------------------------------------------------------

FINGER = """<mujoco model="finger"><option cone="elliptic"/>
    <worldbody>
      <body name="finger"><geom name="pad" type="box" size="0.03 0.02 0.01" pos="0.005 0 -0.01"/></body>
    </worldbody>
  </mujoco>"""


def finger() -> mujoco.MjSpec:
    child = mujoco.MjSpec.from_string(FINGER)
    taxel.soften(child, "pad", modulus=2e5, field="backed")
    return child


def hand(fingers: dict[str, mujoco.MjSpec]) -> mujoco.MjSpec:
    """Fingers side by side in the pad's frame, a slab 0.5 mm deep in each."""
    spec = mujoco.MjSpec.from_string('<mujoco><option cone="elliptic"/><worldbody/></mujoco>')
    for k, (prefix, child) in enumerate(fingers.items()):
        place = ORIGIN + R_WP @ (0.2 * k, 0, 0)
        frame = spec.worldbody.add_frame(pos=place, quat=QUAT)
        frame.attach_body(child.body("finger"), prefix, "")
        body = spec.worldbody.add_body(pos=place + R_WP @ (0, 0.002, 0.0075), quat=QUAT)
        body.add_freejoint()
        body.add_geom(name=f"{prefix}slab", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.01, 0.015, 0.008), mass=0.1)
    return spec


def test_attached_fingers_stay_soft():
    model = hand({"left_": finger(), "right_": finger()}).compile()
    assert taxel.Reader(model).soft_geoms == ["left_pad", "right_pad"]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = taxel.touches(model, data)
    assert [{t.name1, t.name2} for t in found] == [{f"{s}pad", f"{s}slab"} for s in ("left_", "right_")]
    for touch in found:
        # p = E d / H over 2 x 3 cm
        assert touch.surface.force_on_A @ NORMAL == pytest.approx(2e5 * 0.0005 / 0.02 * 0.02 * 0.03, rel=1e-6)


REFERENCES = {
    "body": '<plugin plugin="taxel" instance="skin"/>',
    "sensor": '<sensor><plugin name="grip" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>',
    "nothing": "",
}


@pytest.mark.parametrize("refers", REFERENCES)
def test_an_instance_in_mjcf_stays_where_something_refers_to_it(refers):
    text = FINGER.replace(
        "<worldbody>",
        """<extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="2e5"/></instance>
           </plugin></extension><custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
           <worldbody>""",
    )
    before = "<geom" if refers == "body" else "</mujoco>"
    text = text.replace(before, REFERENCES[refers] + before, 1)
    taxel.load()
    spec = hand({side: mujoco.MjSpec.from_string(text) for side in ("left_", "right_")})
    if refers == "nothing":  # a documented trap, which complete turns into an error
        assert spec.copy().compile().nplugin == 0
        taxel.complete(spec)
        with pytest.raises(ValueError, match="no geom is soft"):
            spec.compile()
        return
    model = spec.compile()
    assert taxel.Reader(model).soft_geoms == ["left_pad", "right_pad"]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert len(taxel.touches(model, data)) == 2
    for side in ("left_", "right_") if refers == "sensor" else ():
        reading = data.sensor(f"{side}grip").data[:3]
        assert reading[2] < 0
        R_WG = data.geom(f"{side}pad").xmat.reshape(3, 3)
        np.testing.assert_allclose(R_WG @ reading, taxel.wrench(model, data, f"{side}pad")[:3], atol=1e-12)


@pytest.mark.xfail(strict=True, reason="a body refers to one instance only; the second is dropped without a word")
def test_two_materials_on_one_body_are_attached():
    child = finger()
    child.body("finger").add_geom(name="nail", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.01, 0.01, 0.01), pos=(0, 0.1, 0))
    taxel.soften(child, "nail", name="horn", modulus=5e6)
    assert taxel.Reader(hand({"left_": child}).compile()).soft_geoms == ["left_pad", "left_nail"]


def test_fingers_of_two_materials():
    soft, firm = finger(), finger()
    firm.plugins[0].config = {"modulus": "8e5", "field": "backed"}
    model = hand({"soft_": soft, "firm_": firm}).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    forces = {t.name1.split("_")[0]: t.surface.normal_force for t in taxel.touches(model, data)}
    assert forces["firm"] == pytest.approx(4 * forces["soft"], rel=1e-9)


def test_the_hand_can_be_softened_after_attaching():
    spec = hand({"left_": mujoco.MjSpec.from_string(FINGER), "right_": mujoco.MjSpec.from_string(FINGER)})
    taxel.soften(spec, ["left_pad", "right_pad"], modulus=2e5)
    model = spec.compile()
    assert taxel.Reader(model).soft_geoms == ["left_pad", "right_pad"]


def test_published_entries_are_attached_with_their_geoms():
    text = FINGER.replace(
        "<worldbody>", '<custom><numeric name="cs::pad" data="2e5 1 0.005 0.5 0.4"/></custom><worldbody>'
    )
    spec = hand({"left_": mujoco.MjSpec.from_string(text), "right_": mujoco.MjSpec.from_string(text)})
    taxel.complete(spec)
    model = spec.compile()
    assert taxel.Reader(model).soft_geoms == ["left_pad", "right_pad"]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert len(taxel.touches(model, data)) == 2


# --- pictures ---------------------------------------------------------------------------------------------------------


def drawn(model: mujoco.MjModel, data: mujoco.MjData, room: int = 20000) -> tuple[int, np.ndarray]:
    """Geoms of the abstract scene that are not triangles, and the colours of those that are. Needs no display."""
    scene = mujoco.MjvScene(model, room)
    option, perturb, camera = mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera()
    mujoco.mjv_updateScene(model, data, option, perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
    geoms = scene.geoms[: scene.ngeom]
    triangles = [g.rgba.copy() for g in geoms if g.type == mujoco.mjtGeom.mjGEOM_TRIANGLE]
    return len(geoms) - len(triangles), np.array(triangles).reshape(-1, 4)


BALL = f'<body {placed((0.012, -0.02, 0.019))}><freejoint/><geom name="ball" type="sphere" size="0.02"/></body>'


def test_surfaces_are_drawn_from_blue_to_red():
    model = pad_model(BALL)
    data = mujoco.MjData(model)
    others, colours = drawn(model, data)
    assert (others, len(colours)) == (2, 0)  # nothing was computed yet
    mujoco.mj_forward(model, data)
    others, colours = drawn(model, data)
    assert others == 2 and len(colours) > 100
    red, blue = colours[:, 0], colours[:, 2]
    assert (red > 4 * blue).any() and (blue > 4 * red).any()  # the middle and the rim
    assert colours.min() >= 0 and colours.max() <= 1 and np.all(colours[:, 3] == 1)
    # The red end held far above: all is blue.
    _, dim = drawn(*forwarded(pad_model(BALL, show_pressure=1e7)))
    assert len(dim) > 0 and np.all(dim[:, 2] > 4 * dim[:, 0])


def forwarded(model: mujoco.MjModel) -> tuple[mujoco.MjModel, mujoco.MjData]:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("coupling", ["rows", "explicit", "sense"])
def test_drawing_can_be_switched_off(coupling):
    shown, hidden = pad_model(BALL, coupling=coupling), pad_model(BALL, coupling=coupling, show="false")
    assert len(drawn(*forwarded(shown))[1]) > 100
    others, colours = drawn(*forwarded(hidden))
    assert (others, len(colours)) == (2, 0)
    assert len(taxel.touches(*forwarded(hidden))) == 1


def test_a_small_scene_is_filled_and_no_more():
    others, colours = drawn(*forwarded(pad_model(BALL)), room=40)
    assert others + len(colours) == 40


def test_drawing_leaves_the_physics_alone():
    model = pad_model()
    one, two = after(model, 0.1), after(model, 0.1)
    for _ in range(20):
        mujoco.mj_step(model, one)
        drawn(model, one)
        taxel.touches(model, one)
        mujoco.mj_step(model, two)
    assert np.array_equal(one.qpos, two.qpos)


# --- what is refused or warned of -------------------------------------------------------------------------------------


def servo(kp: float, kv: float, integrator: str = "implicitfast") -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(f"""<mujoco>
      <option cone="elliptic" timestep="0.002" integrator="{integrator}"/>
      <worldbody>
        <body name="finger"><joint name="slide" type="slide" axis="0.6 0 0.8"/>
          <geom name="tip" type="box" size="0.01 0.02 0.01" mass="0.02"/></body>
        <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.02"/></body>
      </worldbody>
      <actuator><position name="squeeze" joint="slide" kp="{kp}" kv="{kv}"/></actuator></mujoco>""")
    taxel.soften(spec, "tip", modulus=1e5)
    return spec.compile()


def test_a_stiff_servo_is_warned_of_once(warned):
    with pytest.warns(UserWarning) as caught:
        model = servo(kp=2e4, kv=40)
    for _ in range(3):
        mujoco.mj_step(model, mujoco.MjData(model), nstep=3)
    (line,) = [str(w.message) for w in caught] + warned
    for part in ("actuator 'squeeze'", "kp 2e+04", "kv 40", 'integrator="discrete"', "armature=", "kv below 10"):
        assert part in line


def test_the_cures_of_a_stiff_servo_are_cures(warned):
    for model in (servo(2e4, 40, "discrete"), servo(2e4, 9.9), servo(100, 40)):
        mujoco.mj_step(model, mujoco.MjData(model))
    assert warned == []


HFIELD = '<asset><hfield name="hill" nrow="2" ncol="3" elevation="0 1 0 1 0 1" size="1 1 0.1 0.1"/></asset>'


def test_what_cannot_be_soft_is_refused():
    hill = '<body name="hill" pos="0 0 -2"><freejoint/><geom name="hill" type="hfield" hfield="hill" mass="1"/></body>'
    with pytest.raises(ValueError, match=r"geom 'hill' is a height field.*use a mesh"):
        pad_model(block() + hill, extra=HFIELD)
    # Kept apart, it may be there.
    pad_model(block() + hill.replace("mass=", 'contype="0" conaffinity="0" mass='), extra=HFIELD)
    with pytest.raises(ValueError, match=r"no geom is soft"):
        pad_model(modulus=0)
    with pytest.raises(ValueError, match="soft plane and needs the thickness"):
        mujoco.MjModel.from_xml_string(
            pad_xml("", keys={}).replace('type="box" size="0.06 0.04 0.01"', 'type="plane" size="1 1 1"')
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('noslip_iterations="3"', "noslip_iterations"),
        ('integrator="RK4"', "use implicitfast, implicit, Euler or discrete"),
        ('cone="pyramidal"', '<option cone="elliptic"/>'),
    ],
)
def test_options_that_cannot_run_are_refused(options, message):
    text = pad_xml(block(), keys={}, options="OPTIONS")
    for name in ("integrator", "cone"):
        if options.startswith(name):
            start = text.index(f'{name}="')
            text = text[:start] + text[text.index('"', start + len(name) + 2) + 1 :]
    taxel.load()
    with pytest.raises(ValueError) as e:
        mujoco.MjModel.from_xml_string(text.replace("OPTIONS", options))
    assert message in str(e.value)


def test_an_option_changed_at_run_time_is_warned_of(warned):
    model = pad_model()
    data = after(model, 0.1)
    model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    mujoco.mj_step(model, data, nstep=10)
    assert len(warned) == 1 and 'cone="elliptic"' in warned[0]
    assert taxel.touches(model, data) == []
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    mujoco.mj_step(model, data, nstep=10)
    assert len(taxel.touches(model, data)) == 1 and len(warned) == 1


def test_the_message_of_load_model_is_the_plugins_own():
    with pytest.raises(taxel.Error) as e:
        taxel.load_model(CS.replace('data="1e5 20', 'data="-1e5 20'))
    assert str(e.value) == "numeric 'cs::pad': value 1 is -1e+05; it must be at least 0"


# --- memory -----------------------------------------------------------------------------------------------------------


def resident() -> int:
    """Memory in use, kB, without what was freed and is only kept for later."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None or not Path("/proc/self/statm").exists():
        pytest.skip("needs glibc and /proc")
    trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_models_and_readers_are_freed():
    def use(k: int) -> None:
        # Each of another size, so that none is found among those already made.
        spec = mujoco.MjSpec.from_string(f"""<mujoco><option cone="elliptic"/><worldbody>
            <geom name="floor" type="plane" size="1 1 1" euler="0 9 0"/>
            <body pos="0 0 0.029"><freejoint/><geom name="ball" size="{0.03 + 1e-6 * k}"/></body>
          </worldbody></mujoco>""")
        taxel.soften(spec, "ball", modulus=1e5)
        model = spec.compile()
        data = after(model, 0.02)
        assert len(taxel.touches(model, data)) == 1
        if k % 5 == 0:
            assert len(taxel.Reader(model)(data)) == 1

    for k in range(20):
        use(k)
    before = resident()
    for k in range(20, 220):
        use(k)
    assert resident() - before < 2000  # one such model with its data takes 3000


# --- what must not bring the process down -----------------------------------------------------------------------------

OPEN = """
    import gc, pickle, mujoco, numpy as np, taxel
    mujoco.set_mju_user_warning(lambda text: None)
    def opened(**keys):
        spec = mujoco.MjSpec.from_string(xml)
        taxel.soften(spec, "pad", modulus=1e5, **keys)
        model = spec.compile()
        return model, mujoco.MjData(model)
    def draw(model, data):
        scene = mujoco.MjvScene(model, 5000)
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera(),
                               mujoco.mjtCatBit.mjCAT_ALL, scene)
"""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "model, data = opened()\ntaxel.touches(model, data)\ndraw(model, data)", id="rows, before forward"
        ),
        pytest.param(
            "model, data = opened()\ndata.qpos[3] = np.nan\nmujoco.mj_forward(model, data)\ntaxel.touches(model, data)",
            id="rows, a pose that is not finite",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\n"
            "try:\n    taxel.touches(model, data)\nexcept taxel.Error:\n    pass",
            id="sensing, before forward",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\ndraw(model, data)",
            id="sensing, drawn before forward",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\ndata.qpos[3] = np.nan\nmujoco.mj_forward(model, data)\n"
            "try:\n    taxel.touches(model, data)\nexcept taxel.Error:\n    pass",
            id="sensing, a pose that is not finite",
        ),
        pytest.param(
            "model, data = opened()\nmujoco.mj_step(model, data, nstep=5)\ntwin = pickle.loads(pickle.dumps(data))\n"
            "mujoco.mj_step(twin.model, twin, nstep=5)\nmujoco.mj_step(model, data, nstep=5)\n"
            "assert np.array_equal(twin.qpos, data.qpos)\ndel twin, data\ngc.collect()",
            id="pickled data",
        ),
    ],
)
def test_the_process_lives(code):
    run_alone(textwrap.dedent(OPEN) + code, ELLIPTIC)
