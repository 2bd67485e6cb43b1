"""What one stumbles over: names that are bodies, keys of the whole model, wrong calls."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import taxel
from taxel import _core
from taxel.cli import main
from taxel.common import arguments

pytestmark = pytest.mark.usefixtures("warned")

XML = """<mujoco><option cone="elliptic" {option}>{flag}</option><worldbody>
  <geom name="pad" type="box" size="0.05 0.04 0.01" euler="0 3 0"/>
  <geom type="box" size="0.05 0.05 0.01" pos="0.5 0 0"/>
  <body name="hand" pos="0 0 0.5"><freejoint/>
    <geom name="palm" type="box" size="0.02 0.03 0.01"/>
    <geom type="sphere" size="0.01" pos="0 0.1 0"/>
    <geom type="sphere" size="0.02" pos="0 0.1 0" contype="0" conaffinity="0"/>
    <body name="tip" pos="0 0 0.1"><geom name="nail" size="0.01"/></body></body>
  <body name="empty" pos="1 0 0"/>
</worldbody></mujoco>"""


def spec_of(option: str = "", flag: str = ""):
    return mujoco.MjSpec.from_string(XML.format(option=option, flag=flag))


def soft_geoms(spec) -> list[str]:
    return taxel.Reader(spec.compile()).soft_geoms


# --- soften ---


@pytest.mark.parametrize("given", ["name", "object", "list"])
def test_a_body_is_all_its_geoms_that_can_touch(given):
    spec = spec_of()
    body = {"name": "hand", "object": spec.body("hand"), "list": [spec.body("hand")]}[given]
    taxel.soften(spec, body, modulus=1e5)
    assert soft_geoms(spec) == ["palm", "hand_geom0"]


def test_geoms_themselves_and_geoms_without_a_name():
    spec = spec_of()
    taxel.soften(spec, [spec.geoms[1], "pad", spec.geom("nail"), spec.geom("nail")], modulus=1e5)
    assert soft_geoms(spec) == ["pad", "world_geom0", "nail"]


def test_a_name_of_its_own_is_free():
    spec = spec_of()
    spec.geom("nail").name = "hand_geom0"
    taxel.soften(spec, "hand", modulus=1e5)
    assert soft_geoms(spec) == ["palm", "hand_geom1"]


def test_the_name_of_a_geom_comes_before_that_of_a_body():
    spec = spec_of()
    spec.geom("nail").name = "hand"
    taxel.soften(spec, "hand", modulus=1e5)
    assert soft_geoms(spec) == ["hand"]


def test_what_cannot_be_softened_is_named():
    spec, other = spec_of(), spec_of()
    for what, kind, message in [
        ("plam", taxel.Error, "no geom 'plam' in the model, and no body of that name; did you mean 'palm'"),
        ("empty", taxel.Error, "body 'empty' has no geoms of its own"),
        (other.geom("palm"), taxel.Error, "geom 'palm' belongs to another spec"),
        (other.body("hand"), taxel.Error, "body 'hand' belongs to another spec"),
        ([], taxel.Error, "the list of geoms is empty"),
        (3, TypeError, "3 is a int; give the name of a geom or a body"),
        (["pad", None], TypeError, "None is a NoneType"),
    ]:
        with pytest.raises(kind, match=message):
            taxel.soften(spec, what, modulus=1e5)
    spec.geom("palm").contype = spec.geom("palm").conaffinity = 0
    spec.geoms[3].contype = spec.geoms[3].conaffinity = 0
    with pytest.raises(taxel.Error, match="body 'hand' has 3 geoms, and none can touch anything"):
        taxel.soften(spec, "hand", modulus=1e5)
    assert not spec.plugins and not spec.tuples


def test_sensors_take_geoms_too():
    spec = spec_of()
    taxel.soften(spec, "hand", modulus=1e5)
    taxel.add_sensor(spec, spec.geom("palm"), shape=(3, 4))
    with pytest.raises(taxel.Error, match="add_sensor: 2 geoms are meant"):
        taxel.add_sensor(spec, "hand", name="two", shape=(3, 4))
    assert taxel.Sensor(spec.compile(), "touch").shape == (3, 4)


def test_a_deleted_geom_is_named_and_soften_mends_it():
    spec = spec_of()
    taxel.soften(spec, ["pad", "palm"], modulus=1e5)
    spec.delete(spec.geom("palm"))
    with pytest.raises(ValueError, match="of which 'palm' was deleted") as error:
        spec.compile()
    assert str(error.value).count("palm") == 1
    taxel.soften(spec, "pad", modulus=2e5)
    assert soft_geoms(spec) == ["pad"]


# --- what holds for the whole model ---


def model_keys(spec) -> dict[str, str]:
    found: dict[str, str] = {}
    for plugin in spec.plugins:
        found |= {key: value for key, value in plugin.config.items() if key in taxel.mujoco.softening.MODEL_KEYS}
    return found


def test_configure_is_the_home_of_model_wide_keys():
    spec = spec_of()
    taxel.configure(spec, coupling="sense", blocks=9)
    taxel.soften(spec, "pad", modulus=1e5, facets=12)
    assert model_keys(spec) == {"coupling": "sense", "blocks": "9", "facets": "12"}
    spec.compile()
    taxel.configure(spec, coupling="rows", show=False)
    assert model_keys(spec) == {"coupling": "rows", "blocks": "9", "facets": "12", "show": "false"}
    spec.compile()
    with pytest.raises(
        taxel.Error, match=r"blocks is 16, but instance 'taxel' says '9'.*taxel.configure\(spec, blocks"
    ):
        taxel.soften(spec, "palm", name="other", modulus=1e5, blocks=16)
    with pytest.raises(taxel.Error, match="configure: nothing is given; there are coupling, blocks"):
        taxel.configure(spec)


def test_configure_overrides_what_an_instance_said():
    spec = spec_of()
    spec.activate_plugin("taxel")
    taxel.soften(spec, "pad", modulus=1e5)
    skin = spec.plugin("skin")
    skin.config = {**skin.config, "blocks": "4"}
    taxel.configure(spec, blocks=25)
    assert model_keys(spec) == {"blocks": "25"}
    spec.compile()


@pytest.mark.parametrize("key", ["coupling", "blocks", "facets", "show", "show_pressure"])
def test_others_point_there(key):
    message = rf"{key} holds for the whole model; give it to taxel.configure\(spec, {key}="
    with pytest.raises(taxel.Error, match=message):
        taxel.sensors.pad(**{key: 4})
    with pytest.raises(taxel.Error, match=message):
        taxel.sensors.gelsight_mini(model="marker", **{key: 4})
    for add in (taxel.add_sensor, taxel.add_markers):
        with pytest.raises(taxel.Error, match=message):
            add(spec_of(), "pad", shape=(3, 4), **{key: 4})


# --- options ---


def test_noslip_is_mended_as_the_cone_is():
    spec = mujoco.MjSpec.from_string(XML.format(option='noslip_iterations="3" integrator="RK4"', flag=""))
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    with pytest.warns(UserWarning, match=r'cone="elliptic" integrator="implicitfast" noslip_iterations="0"/>, which'):
        taxel.soften(spec, "pad", modulus=1e5)
    assert spec.compile().opt.noslip_iterations == 0
    sensing = spec_of('noslip_iterations="3"')
    taxel.configure(sensing, coupling="sense")
    taxel.soften(sensing, "pad", modulus=1e5)
    assert sensing.compile().opt.noslip_iterations == 3  # MuJoCo's own contact: nothing to mend


@pytest.mark.parametrize("flag", ["sleep", "diagexact", "override"])
def test_flags_are_refused_with_their_reason_once(flag):
    spec = spec_of(flag=f'<flag {flag}="enable"/>')
    taxel.soften(spec, "pad", modulus=1e5)
    with pytest.raises(ValueError) as error:
        spec.compile()
    assert str(error.value).count("soft contact cannot run") == 1 and f'{flag}="disable"' in str(error.value)


def test_a_compile_error_stands_there_once(warned):
    spec = spec_of()
    taxel.soften(spec, "pad", modulus=-7.5)
    with pytest.raises(ValueError) as error:
        spec.compile()
    assert str(error.value).count("-7.5") == 1
    assert warned == []
    with pytest.raises(taxel.Error, match=r"^plugin instance 'skin': modulus=\"-7.5\""):
        taxel.mujoco.compile_spec(spec)


# --- wrong calls ---


def test_wrong_calls_are_explained_in_our_words():
    body = taxel.Body.sphere(0.02, modulus=1e5)
    X = taxel.pose()
    for call, message in [
        (lambda: taxel.contact(body, X, body, X, facets_across="3"), r"contact: facets_across is '3' \(str\); give a"),
        (lambda: taxel.contact_batch(body, X, body, X, threads=2**40), "contact_batch: threads is 1099511627776"),
        (lambda: taxel.read_mesh("part.obj", scale="a"), r"read_mesh: scale is 'a' \(str\); give a number"),
        (lambda: taxel.sample_surface(*body.surface(), 0.01, seed=-1), r"seed is -1 \(int\); give a whole number"),
        (lambda: body.pressure_at(), "Body.pressure_at: points is missing; it takes points"),
        (lambda: body.pressure_at([[0, 0, 0]], where=3), "Body.pressure_at: there is no argument 'where'; it takes"),
        (lambda: taxel.signed_distance(body, [[0, 0, 0]], 3, 4), "signed_distance: 4 values are given; it takes shape"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=message) as error:
            call()
        assert "nanobind" not in str(error.value) and "incompatible" not in str(error.value)


def functions_of_the_core():
    """Every function, method and constructor of the core with its own name."""
    for name, value in vars(_core).items():
        if type(value).__name__ == "nb_func":
            yield name, value
        elif isinstance(value, type) and not issubclass(value, Exception):
            for inner, method in vars(value).items():
                if type(method).__name__ in ("nb_func", "nb_method") and not inner.startswith("__"):
                    yield f"{name}.{inner}", method


def test_no_function_of_the_core_speaks_of_signatures():
    """Called with 40 values that fit nothing, all of them."""
    found = 0
    for name, function in functions_of_the_core():
        try:
            function(*[object()] * 40)
        except TypeError as error:
            assert "incompatible function arguments" not in str(error), name
            found += 1
    assert found > 60


def test_signatures_are_understood():
    read = arguments._parameters("def f(self, a: dict[str, int], b: float = \\0, *, c: int | None = None) -> str")
    assert read == [
        ("self", "", False),
        ("a", "dict[str, int]", False),
        ("b", "float", True),
        ("c", "int | None", True),
    ]
    kind = "Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu', writable=False)]"
    assert arguments._fits(np.zeros((5, 3)), kind) and not arguments._fits(np.zeros((5, 4)), kind)
    assert arguments._allowed(kind) == "an array of shape (N, 3) and type float64"
    assert arguments._allowed("int | None") == "a whole number below 2147483648 or None"
    assert arguments._allowed("collections.abc.Sequence[float]") == "a list, each of it a number"


def test_a_gel_sensor_names_poses_that_are_not_finite():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom name="pad" type="box" size="0.006 0.008 0.003" contype="0" conaffinity="0"/>
        <body pos="0 0 0.02"><freejoint/><geom name="ball" size="0.008" mass="0.1"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    sensor = taxel.GelSensor(model, "pad", "ball", cell=2e-3)
    sensor.update(data)
    data.time, data.qpos[0] = 0.002, np.nan
    with pytest.raises(taxel.Error, match=r"geom 'ball' is nowhere: data\.qpos is not finite at 0\.002 s"):
        sensor.update(data)


# --- the command ---


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("press pad sphere --timestep 1", "--timestep is 1; give 1e-05 to 0.02 s"),
        ("press pad sphere --force 1e-12", "--force is 1e-12; give 0.0001 to 100000 N"),
        ("press pad sphere --force inf", "--force is inf; give 0.0001 to 100000 N"),
        ("press digit sphere --model bristle", "--model bristle: digit is known as pressure only"),
        ("sensors digit --model bristle", "taxel.sensors.digit(thickness=..., model="),
        ("sensors digit --model gel", "--model gel: digit is known as pressure only"),
        ("mesh {mesh} out.vtk --edge-length 1e-9", "at most 5e+06: give 0.00066 or more"),
        ("mesh {mesh} out.vtk --edge-length nan", "--edge-length is nan; give an edge in m"),
        ("mesh {mesh} out.vtk --scale 1e9", "is 1.3e+08 m long; sizes go from 1e-05 to 10 m"),
    ],
)
def test_the_command_says_the_right_thing(command, message, data, capsys):
    assert main(command.format(mesh=data / "dumbbell.obj").split()) == 2
    assert message in capsys.readouterr().err


def test_the_command_shows_a_gel_and_the_advice_holds(capsys):
    assert main(["sensors", "weiss", "--model", "gel"]) == 0
    assert "A gel lives in Python" in capsys.readouterr().out
    assert taxel.sensors.digit(thickness=2e-3, model="bristle").material["stiffness"] > 0
