"""taxel calibrate foam: planted stiffness, dead band and curves come back; intervals hold; wrong files are told apart.
Foams are made here, not by the package.
"""

import json
import math

import numpy as np
import pytest

import taxel
from taxel.calibrate import FoamData, calibrate_foam, read_foam
from taxel.cli import main

UNDER, AREA, POINTS, THICKNESS = 804.25e-6, 0.00125, 84, 0.006
SLOPE = 3710 / 0.0025  # Pa/m
WEIGHTS = np.arange(25.0, 426, 25)  # g
NOISE = 3e-5  # m


def weighed(dead_band=0.0, slope=SLOPE, noise=0.0, seed=0, bend=0.0, weights=WEIGHTS):
    """bend: part of the compression at the largest weight that is missing there (a foam that stiffens)."""
    force = 9.81e-3 * weights
    x = dead_band + force / UNDER / slope
    x = x - bend * x.max() * (force / force.max()) ** 2
    x = x + noise * np.random.default_rng(seed).standard_normal(len(x))
    return FoamData(force, x, UNDER, AREA, POINTS, THICKNESS)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# --- the fits ---


def test_line_through_zero_gives_equation_18():
    fit = calibrate_foam(weighed())
    assert fit.zero.value == pytest.approx(SLOPE, rel=1e-12)
    assert fit.dead_band.value == pytest.approx(0, abs=1e-12)
    keys = fit.keys()
    assert keys["stiffness"] == pytest.approx(taxel.bristle_stiffness(3710, AREA, POINTS, 0.0025), rel=1e-5)
    assert keys["stiffness"] == pytest.approx(22.08, abs=5e-3)  # the paper prints 58.5: with 9,810 Pa
    assert keys["damping"] == pytest.approx(0.2208, abs=5e-5)
    assert keys["depth"] == 2 * THICKNESS
    assert set(keys) == {"stiffness", "damping", "depth"}
    modulus = fit.numbers()["modulus"]["zero"]["value"]
    assert taxel.bristle_stiffness_of_modulus(modulus, AREA / POINTS, THICKNESS) == pytest.approx(
        fit.zero.value * AREA / POINTS
    )


def test_the_papers_slip_is_its_pressure():
    """Its 9,810 Pa at 2.5 mm are what 804 g weigh on that area; they give its 58.5 (58.39)."""
    fit = calibrate_foam(weighed(slope=9810 / 0.0025))
    assert fit.keys()["stiffness"] == pytest.approx(58.39, abs=5e-3)
    mass = 9810 * UNDER / 9.81
    assert mass == pytest.approx(0.80425)


def test_dead_band():
    fit = calibrate_foam(weighed(dead_band=2e-4))
    assert fit.line.value == pytest.approx(SLOPE, rel=1e-9)
    assert fit.dead_band.value == pytest.approx(2e-4, rel=1e-9)
    assert fit.zero.value < 0.95 * SLOPE  # spread over the range
    assert any("the dead band is real" in n for n in fit.notes)
    assert fit.keys("dead-band")["dead_band"] == pytest.approx(2e-4)
    assert "dead_band" not in fit.keys("zero")
    early = calibrate_foam(weighed(dead_band=-1e-4))
    assert "dead_band" not in early.keys("dead-band")
    assert any("pressed already at zero" in n for n in early.notes)


def test_the_line_through_zero_is_least_squares_of_the_compressions():
    data = weighed(dead_band=1.5e-4, noise=NOISE)
    best = calibrate_foam(data).zero.value
    least = ((data.compression - data.pressure / best) ** 2).sum()
    for other in (0.999 * best, 1.001 * best):
        assert ((data.compression - data.pressure / other) ** 2).sum() > least


def test_noise_and_intervals():
    """30 um of noise: 95 % intervals hold in 90 to 100 % of 300 runs."""
    runs, inside, errors = 300, {"zero": 0, "line": 0, "dead_band": 0, "bend": 0}, []
    for seed in range(runs):
        straight = calibrate_foam(weighed(noise=NOISE, seed=seed))
        inside["zero"] += straight.zero.low <= SLOPE <= straight.zero.high
        fit = calibrate_foam(weighed(dead_band=1.5e-4, noise=NOISE, seed=seed))
        inside["line"] += fit.line.low <= SLOPE <= fit.line.high
        inside["dead_band"] += fit.dead_band.low <= 1.5e-4 <= fit.dead_band.high
        inside["bend"] += fit.bend.low <= 0 <= fit.bend.high
        errors.append(fit.line.value / SLOPE - 1)
    assert all(0.9 <= count / runs <= 1 for count in inside.values()), inside
    assert math.sqrt(np.mean(np.square(errors))) < 0.012
    assert fit.residuals["line"] == pytest.approx(NOISE, rel=0.5)


def test_a_foam_that_stiffens():
    fit = calibrate_foam(weighed(bend=0.25, noise=1e-5))
    assert fit.bend.value < -0.2 and fit.bend.high < 0
    assert any("stiffens under load; --fit curve" in n for n in fit.notes)
    assert any("softens" in n for n in calibrate_foam(weighed(bend=-0.25, noise=1e-5)).notes)
    assert not any("fit curve" in n for n in calibrate_foam(weighed(noise=1e-5)).notes)


# --- the curve ---


def force_of(curve, depth):
    """What a bristle with the key ``curve`` pushes with: straight between the points, from zero."""
    d, f = np.vstack([(0, 0), np.reshape(curve, (-1, 2))]).T
    return np.interp(depth, d, f)


def test_curve_follows_the_foam():
    data = weighed(bend=0.25)
    fit = calibrate_foam(data, curve_points=50)
    curve = fit.keys("curve")["curve"]
    assert len(curve) == 2 * len(WEIGHTS)
    assert force_of(curve, data.compression) == pytest.approx(data.pressure * AREA / POINTS, rel=1e-5)
    few = np.reshape(calibrate_foam(data).keys("curve")["curve"], (-1, 2))
    assert len(few) == 8 and (np.diff(few, axis=0) > 0).all() and (few > 0).all()
    inner = (data.compression > few[0, 0]) & (data.compression < few[-1, 0])
    assert force_of(few, data.compression[inner]) == pytest.approx(data.pressure[inner] * AREA / POINTS, rel=0.02)
    assert "stiffness" not in fit.keys("curve") and "damping" in fit.keys("curve")


def test_curve_rises_also_where_the_data_do_not():
    rng = np.random.default_rng(4)
    for seed in range(30):
        weights = rng.choice(WEIGHTS, 25)  # in any order, some twice
        data = weighed(noise=4e-4, seed=seed, weights=weights)
        data = FoamData(data.force, np.abs(data.compression), UNDER, AREA, POINTS)
        curve = calibrate_foam(data, curve_points=99).curve
        assert (np.diff(np.vstack([(0, 0), curve]), axis=0) > 0).all()


def test_curve_is_the_isotonic_regression():
    """Against the formula of the greatest minorant: max over starts, min over ends of the means between."""
    data = weighed(noise=3e-4, seed=9)
    x = np.abs(data.compression)
    fit = calibrate_foam(FoamData(data.force, x, UNDER), curve_points=99)
    n = len(x)
    best = [max(min(x[i : j + 1].mean() for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    np.testing.assert_allclose(fit.curve[:, 0], np.unique(np.round(best, 15)), rtol=1e-9)
    assert len(fit.curve) < n  # some were pooled


# --- what is missing ---


def test_without_pad_or_thickness():
    data = weighed()
    fit = calibrate_foam(FoamData(data.force, data.compression, UNDER))
    assert "stiffness" not in fit.report() and "modulus" not in fit.report() and "kPa/mm" in fit.report()
    assert fit.numbers()["keys"] is None and fit.numbers()["stiffness"]["zero"] is None
    with pytest.raises(taxel.Error, match=r"give the pad's --area \(m2\) and --points"):
        fit.keys()
    fit = calibrate_foam(FoamData(data.force, data.compression, UNDER, AREA, POINTS))
    assert "depth" not in fit.keys("zero")
    with pytest.raises(taxel.Error, match="fit is 'best'; give zero, dead-band, curve"):
        fit.keys("best")


def test_too_little_to_fit():
    with pytest.raises(taxel.Error, match="2 loads, 2 of them different; a line needs at least 3"):
        calibrate_foam(weighed(weights=WEIGHTS[:2]))
    with pytest.raises(taxel.Error, match="4 loads, 2 of them different"):
        calibrate_foam(weighed(weights=np.array([10.0, 10, 20, 20])))
    falls = weighed()
    with pytest.raises(taxel.Error, match="does not rise with the load"):
        calibrate_foam(FoamData(falls.force, falls.compression[::-1].copy(), UNDER))
    with pytest.raises(taxel.Error, match="every compression is 0"):
        calibrate_foam(FoamData(falls.force, 0 * falls.compression, UNDER))
    with pytest.raises(taxel.Error, match="curve_points is 0"):
        calibrate_foam(weighed(), curve_points=0)


# --- files ---

HEAD = "# weight_area: 804.25e-6\nweight_g,compression_mm\n"


def table(data, head=HEAD):
    rows = zip(data.force, data.compression, strict=True)
    return head + "".join(f"{f / 9.81e-3:.10g},{1e3 * x:.10g}\n" for f, x in rows)


def test_units_and_keys(tmp_path):
    data = weighed(dead_band=1e-4)
    expected = calibrate_foam(data)
    grams = write(tmp_path / "a.csv", table(data))
    newtons = "# weight_area: 804.25e-6\n# area: 0.00125\n# points: 84\n# thickness: 0.006\ncompression_m\tforce_N\n"
    newtons += "0\t0\n" + "".join(f"{x:.12g}\t{f:.12g}\n" for f, x in zip(data.force, data.compression, strict=True))
    for read in (
        read_foam(grams, area=AREA, points=POINTS, thickness=THICKNESS),
        read_foam(write(tmp_path / "b.csv", newtons)),
    ):
        assert len(read) == len(data)
        found = calibrate_foam(read)
        assert found.keys("dead-band") == pytest.approx(expected.keys("dead-band"), rel=1e-5)
    assert any("1 rows without load are left out" in n for n in read.notes)
    halved = read_foam(write(tmp_path / "c.csv", newtons), points=42)
    assert halved.points == 42


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no table; taxel calibrate foam --example FILE"),
        (HEAD, "no rows below its header"),
        ("weight_g,compression_mm\n1,2\n", "the area under the weight is missing; add the line '# weight_area"),
        (
            "# weight_area: 0\nweight_g,compression_mm\n1,2\n",
            "the key weight_area is 0; give the area under the weight",
        ),
        ("# weight_area: 804\nweight_g,compression_mm\n1,2\n", "if this was mm2, multiply by 1e-6"),
        ("# weight_area: 1e-4\nweight_g\n1\n", "the column compression_mm is missing"),
        ("# weight_area: 1e-4\ncompression_mm\n1\n", "the column weight_g (or force_N) is missing"),
        ("# weight_area: 1e-4\nweight_g,force_N,compression_mm\n1,1,1\n", "'weight_g' and 'force_N' give the same"),
        (HEAD + "1,2\n-5,1\n", "line 4: the load is negative; a weight presses"),
        (HEAD + "1,-2\n", "line 3: compression is negative; it counts from the untouched foam"),
        (HEAD + "1,\n", "line 3: compression is empty"),
        (HEAD + "1,much\n", "line 3: compression_mm is 'much', which is not a number"),
        ("# thickness: 6\n" + HEAD + "1,2\n", "thickness is 6 m; if this was millimetres, divide by 1000"),
        ("# thickness: 0.006\n" + HEAD + "1,2\n2,7\n", "line 5: compression is 0.007 m, but the foam is 0.006 m thick"),
        (
            "# points: 8.5\n" + HEAD + "1,2\n",
            "the key points is 8.5; give the number of points of the pad, a whole number",
        ),
    ],
)
def test_wrong_files(tmp_path, text, message):
    path = write(tmp_path / "wrong.csv", text)
    with pytest.raises(taxel.Error) as caught:
        read_foam(path)
    assert message in str(caught.value) and "wrong.csv" in str(caught.value)


# --- the command ---


def test_example_and_command(tmp_path, capsys):
    example, keys, numbers = tmp_path / "weights.csv", tmp_path / "keys.json", tmp_path / "numbers.json"
    assert main(["calibrate", "foam", "--example", str(example)]) == 0
    printed = capsys.readouterr().out
    assert "304.15 g at 2.5 mm" in printed and "3710 Pa" in printed and "not its measurements" in printed
    assert "not its measurements" in example.read_text()
    arguments = ["calibrate", "foam", str(example), "--fit", "dead-band", "--mjcf", "--keys", str(keys)]
    assert main([*arguments, "--json", str(numbers), "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert '<config key="dead_band" value="0.0001' in printed
    assert (tmp_path / "out" / "calibrate_foam.png").stat().st_size > 10_000
    found = json.loads(numbers.read_text())
    assert found["dead_band"]["value"] == pytest.approx(1.5e-4, abs=4e-5)
    planted = 3710 / (0.0025 - 1.5e-4)  # through the paper's point, from the dead band
    assert found["pressure_per_compression"]["dead_band"]["value"] == pytest.approx(planted, rel=0.03)
    assert found["stiffness"]["zero"]["value"] == pytest.approx(22.08, rel=0.03)
    assert json.loads(keys.read_text()) == found["keys"]["dead-band"]
    assert main(["calibrate", "foam", str(example), "--fit", "curve", "--curve-points", "3", "--mjcf"]) == 0
    curve = capsys.readouterr().out.split('key="curve" value="')[1].split('"')[0].split()
    assert len(curve) == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the recording: taxel calibrate foam FILE"),
        (["FILE", "--mjcf"], "give the pad's --area (m2) and --points"),
        (["FILE", "--area", "-1"], "--area is -1.0; give the area of the pad in m2, above 0"),
        (["FILE", "--weight-area", "0"], "--weight-area is 0.0"),
        (["FILE", "--thickness", "0.001"], "but the foam is 0.001 m thick"),
        (["FILE", "--curve-points", "0"], "curve_points is 0"),
        (["FILE", "--example", "other.csv"], "leave out"),
    ],
)
def test_wrong_commands(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "good.csv", table(weighed()))
    arguments = ["good.csv" if a == "FILE" else a for a in arguments]
    assert main(["calibrate", "foam", *arguments]) == 2
    assert message in capsys.readouterr().err


# --- the law of a layer ---

PLANTED = [(0.15, 0.06), (0.4, 0.31), (0.62, 0.83)]  # a foam that stiffens: compression, pressure in moduli
MODULUS = 2e4


def planted_pressure(u):
    knots = np.vstack([(0, 0), PLANTED])
    return MODULUS * np.interp(u, *knots.T)


def pressed(body, compressions, side=0.02):
    """Pressures under a flat punch, as the contact has them."""
    punch = taxel.Body.box((side, side, 0.01))
    out = []
    for u in compressions:
        X = taxel.pose((0.0013, -0.002, 0.5 * THICKNESS + 0.005 - u * THICKNESS))
        out.append(-taxel.contact(body, taxel.pose(), punch, X).force_on_A[2] / side**2)
    return np.array(out)


@pytest.mark.parametrize("field", ["columns", "backed"])
def test_a_law_comes_back_through_the_command(tmp_path, field):
    """A layer with a planted law is weighed by the contact model; the layer that the command writes weighs the same."""
    size = (0.05, 0.04, THICKNESS)
    planted = taxel.Body.box(size, modulus=MODULUS, field=field, law=PLANTED)
    u = np.linspace(0.02, 0.62, 40)
    p = pressed(planted, u)
    assert p == pytest.approx(planted_pressure(u), rel=1e-9)
    rng = np.random.default_rng(3)
    rows = [
        f"{q * UNDER:.9g},{1e3 * THICKNESS * x + 0.002 * rng.standard_normal():.9g}" for q, x in zip(p, u, strict=True)
    ]
    head = [f"# weight_area: {UNDER}", f"# thickness: {THICKNESS}", "force_N,compression_mm"]
    recording = write(tmp_path / "foam.csv", "\n".join([*head, *rows]) + "\n")
    assert main(["calibrate", "foam", str(recording), "--field", field, "--keys", str(tmp_path / "keys.json")]) == 0
    keys = json.loads((tmp_path / "keys.json").read_text())
    assert keys["field"] == field and keys["thickness"] == THICKNESS
    found = taxel.Body.box(size, **keys)
    between = np.linspace(0.05, 0.6, 23)
    # 2 um of noise; the bends stand at loads, up to 1.5 % of the thickness from those that were planted.
    assert pressed(found, between) == pytest.approx(planted_pressure(between), rel=0.015, abs=0.005 * MODULUS * 0.83)
    # Beyond the loads it goes on, and is flat where any layer is.
    assert keys["law"][-2] == pytest.approx(0.975)
    assert (np.diff(np.reshape(keys["law"], (-1, 2)), axis=0) > 0).all()
    slope = (0.83 - 0.31) / (0.62 - 0.4)
    assert pressed(found, [0.75])[0] == pytest.approx(MODULUS * (0.83 + slope * 0.13), rel=0.05)


def test_a_law_in_a_model(capsys, tmp_path):
    """The printed lines go into a model as they are."""
    import mujoco

    recording = tmp_path / "foam.csv"
    main(["calibrate", "foam", "--example", str(recording)])
    capsys.readouterr()
    assert main(["calibrate", "foam", str(recording), "--field", "columns", "--mjcf"]) == 0
    lines = "\n".join(line for line in capsys.readouterr().out.splitlines() if line.startswith("<config"))
    assert 'key="law"' in lines and 'key="modulus"' in lines and 'key="stiffness"' not in lines
    taxel.load()
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option cone="elliptic"/><extension><plugin plugin="taxel"><instance name="foam">{lines}</instance>
        </plugin></extension><custom><tuple name="foam"><element objtype="geom" objname="pad"/></tuple></custom>
        <worldbody><geom name="pad" type="box" size="0.03 0.03 0.003"/><body pos="0 0 0.0129">
        <joint type="slide" axis="0 0 1"/><geom name="w" type="box" size="0.01418 0.01418 0.01" mass="0.30415"/>
        </body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1000)
    assert 1e3 * (0.0001 - data.qpos[0]) == pytest.approx(2.5, abs=0.1)  # the example's 304.15 g at 2.5 mm


def test_laws_of_the_lines():
    fit = calibrate_foam(weighed(dead_band=2e-4))
    straight = fit.layer_keys("backed", "zero")
    assert "law" not in straight and straight["modulus"] == pytest.approx(fit.zero.value * THICKNESS, rel=1e-5)
    law = np.reshape(fit.layer_keys("columns", "dead-band")["law"], (-1, 2))
    assert law[0] == pytest.approx((2e-4 / THICKNESS, 0), abs=2e-3)
    at = np.interp(0.3, *law.T) * fit.layer_keys("columns", "dead-band")["modulus"]
    assert at == pytest.approx(SLOPE * (0.3 * THICKNESS - 2e-4), rel=5e-3)


def test_a_law_rises_whatever_was_measured():
    rng = np.random.default_rng(4)
    for seed in range(40):
        weights = rng.choice(WEIGHTS, 25)
        data = weighed(noise=6e-4, seed=seed, weights=weights)
        data = FoamData(data.force, np.abs(data.compression), UNDER, AREA, POINTS, THICKNESS)
        keys = calibrate_foam(data, curve_points=int(rng.integers(1, 20))).layer_keys()
        taxel.Body.box((0.02, 0.02, THICKNESS), **keys)  # the body looks at it


def test_a_law_needs_a_thickness_and_a_layer(tmp_path):
    bare = weighed()
    bare = FoamData(bare.force, bare.compression, UNDER)
    with pytest.raises(taxel.Error, match="needs the thickness of the foam; give --thickness"):
        calibrate_foam(bare).layer_keys()
    with pytest.raises(taxel.Error, match="field is 'distance'; a law is of a layer"):
        calibrate_foam(weighed()).layer_keys("distance")
    with pytest.raises(taxel.Error, match="fit is 'spline'"):
        calibrate_foam(weighed()).layer_keys("columns", "spline")
