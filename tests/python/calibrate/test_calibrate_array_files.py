"""taxel calibrate array: files and the command. Wrong files are told apart, one clear line each; and the statistics."""

import csv
import json
import math

import numpy as np
import pytest
from array_recordings import (
    COUNTS,
    record,
)

import taxel
from taxel.calibrate import calibrate_array, read_presses, write_presses
from taxel.calibrate.statistics import clustered_covariance, mean_and_spread, noise_behind_converter, t_quantile
from taxel.cli import main


def test_write_and_read_again(tmp_path):
    presses = record({**COUNTS, "noise": (0, 4)}, presses=4, still=3, pitch=(0.01, 0.01), saturation=(5.0, 4000.0))
    path = tmp_path / "presses.csv"
    write_presses(path, presses)
    again = read_presses(path)
    assert again.pad == presses.pad and again.indenters == presses.indenters
    np.testing.assert_array_equal(again.readings, presses.readings)
    for name in ("pose", "depth", "force"):
        np.testing.assert_allclose(getattr(again, name), getattr(presses, name), rtol=1e-7, atol=1e-12)
    # Other separators, a byte order mark, short names and columns of no use are all right.
    text = path.read_text().replace(",", ";").replace("x_m;y_m;yaw_rad", "x;y;yaw")
    path.write_text("\ufeff# date: today\n# pich: 3\n" + text)
    other = read_presses(path)
    np.testing.assert_array_equal(other.readings, presses.readings)
    assert other.notes == ["header key 'date' is not used", "header key 'pich' is not used; did you mean 'pitch'?"]


HEAD = {"size": "0.03 0.02", "thickness": "0.01", "shape": "2 3", "unit": "V"}
NAMES = ["press", "indenter", "radius_m", "length_m", "width_m", "x_m", "y_m", "yaw_rad", "depth_m", "force_N"]
NAMES += [f"t{i}" for i in range(6)]


def small_file(path, head=None, names=NAMES, rows=None, change=None, drop=()):
    """A sound file of six presses (flat punch, closed form), with one thing changed: (row, column, text)."""
    if rows is None:
        rows = []
        for k, depth in enumerate([0.001, 0.002, 0.003, 0.001, 0.002, 0.003]):
            p = 4e4 * depth / 0.01
            cells = [str(k), "flat cylinder", "0.04", "", "", "0", "0", "0", f"{depth}", f"{p * 6e-4:.8g}"]
            rows.append(cells + [f"{0.1 + 1e-4 * p:.6g}"] * 6)
    if change:
        row, column, text = change
        for k in range(len(rows)) if row is None else [row]:
            rows[k][NAMES.index(column)] = text
    keep = [k for k, name in enumerate(names) if name not in drop]
    with open(path, "w", newline="") as stream:
        for key, value in (HEAD | (head or {})).items():
            if value is not None:
                stream.write(f"# {key}: {value}\n")
        writer = csv.writer(stream)
        writer.writerow([names[k] for k in keep])
        writer.writerows([[row[k] for k in keep if k < len(row)] for row in rows])
    return path


def test_the_small_file_is_sound(tmp_path):
    found = calibrate_array(read_presses(small_file(tmp_path / "a.csv")))
    assert found.modulus.value == pytest.approx(4e4, rel=1e-5) and found.gain.value == pytest.approx(1e-4, rel=1e-3)
    bare = small_file(tmp_path / "b.csv", head={"size": None, "thickness": None})
    again = calibrate_array(read_presses(bare, {"size": "0.03 0.02 0.01"}))
    assert again.modulus.value == pytest.approx(4e4, rel=1e-5)


@pytest.mark.parametrize(
    "edit, words",
    [
        ({"head": {"size": None}}, ["the pad has no size", "# size: 0.08 0.08", "--sensor"]),
        ({"head": {"thickness": None}}, ["the pad has no thickness"]),
        ({"head": {"shape": None}}, ["the pad has no shape"]),
        ({"head": {"size": "80 60"}}, ["size is 80 m", "millimetres"]),
        ({"head": {"thickness": "10"}}, ["thickness is 10 m", "millimetres"]),
        ({"head": {"pitch": "5"}}, ["pitch is 5 m", "millimetres"]),
        ({"head": {"size": "0.08"}}, ["size is '0.08'", "2 or 3 numbers"]),
        ({"head": {"thickness": "thin"}}, ["thickness is 'thin'", "1 number greater than 0"]),
        ({"head": {"thickness": "-0.01"}}, ["thickness is '-0.01'", "greater than 0"]),
        ({"head": {"shape": "2.5 3"}}, ["shape is '2.5 3'", "whole numbers"]),
        ({"head": {"field": "soft"}}, ["field is 'soft'", "backed, columns, distance or laplace"]),
        ({"head": {"bits": "12.5"}}, ["bits is '12.5'", "1 to 24"]),
        ({"head": {"saturation": "9 3"}}, ["saturation is '9 3'", "lowest and the highest"]),
        ({"head": {"pitch": "0.02"}}, ["the pad: "]),
        ({"head": {"shape": "3 3"}}, ["6 columns of readings", "9 taxels"]),
        ({"drop": ("press",)}, ["the column 'press' is missing"]),
        ({"drop": ("indenter",)}, ["the column 'indenter' is missing"]),
        ({"drop": ("x_m",)}, ["the column 'x_m' is missing", "there are: press"]),
        ({"drop": ("depth_m", "force_N")}, ["'depth_m' and 'force_N' are missing"]),
        ({"drop": ("radius_m",)}, ["line 6", "the column 'radius_m' is missing", "a flat needs radius_m"]),
        ({"drop": ("t3",)}, ["5 columns of readings"]),
        ({"names": [n.replace("t5", "t7") for n in NAMES]}, ["the column 't5' is missing", "t0 to t5"]),
        ({"names": [n.replace("t5", "t4") for n in NAMES]}, ["the column 't4' is there twice"]),
        ({"names": [n.replace("depth_m", "depth_mm") for n in NAMES]}, ["'depth_mm' is in millimetres", "'depth_m'"]),
        ({"rows": [["1", "none"]]}, ["line 6: 2 cells", "16 columns"]),
        ({"change": (0, "indenter", "teapot")}, ["line 6", "indenter is 'teapot'", "sphere, cylinder, flat, box"]),
        ({"change": (1, "radius_m", "")}, ["line 7: radius_m is empty"]),
        ({"change": (1, "radius_m", "-1")}, ["line 7: radius_m is -1", "greater than 0"]),
        ({"change": (1, "radius_m", "40")}, ["line 7: radius_m is 40 m", "millimetres"]),
        ({"change": (2, "x_m", "12")}, ["line 8: x_m is 12 m", "ends at 0.015 m", "millimetres"]),
        ({"change": (2, "y_m", "0.07")}, ["line 8: y_m is 0.07 m", "ends at 0.01 m", "middle of the pad"]),
        ({"change": (2, "yaw_rad", "90")}, ["line 8: an angle of 90 rad", "degrees"]),
        ({"change": (3, "depth_m", "3")}, ["line 9: depth_m is 3 m", "millimetres"]),
        ({"change": (3, "depth_m", "0.012")}, ["line 9: depth_m is 0.012 m", "beyond the pad", "0.01 m thick"]),
        ({"change": (3, "depth_m", "deep")}, ["line 9: depth_m is 'deep'", "not a number"]),
        ({"change": (3, "force_N", "nan")}, ["line 9: force_N is nan", "finite"]),
        ({"change": (4, "t2", "nan")}, ["line 10: t2 is nan", "finite"]),
        ({"change": (4, "t2", "")}, ["line 10: t2 is empty"]),
        ({"change": (4, "t2", "0,5")}, ["line 10: t2 is '0,5'", "not a number"]),
        ({"change": (None, "press", "1")}, ["1 presses; at least 3"]),
        ({"change": (None, "indenter", "none")}, ["0 presses; at least 3"]),
        ({"change": (None, "depth_m", "-0.001")}, ["no frame presses", "positive when it presses"]),
        ({"change": (None, "force_N", "-2")}, ["force_N is negative in most presses"]),
        ({"change": (None, "force_N", "")}, ["force_N is empty in all presses", "--modulus"]),
        ({"change": (None, "t0", "3")}, None),
        ({"rows": []}, ["0 presses; at least 3"]),
    ],
)
def test_wrong_files_are_one_clear_line(tmp_path, capsys, edit, words):
    path = small_file(tmp_path / "a.csv", **edit)
    code = main(["calibrate", "array", str(path)])
    error = capsys.readouterr().err
    if words is None:  # a stuck taxel is no error
        assert code == 0
        return
    assert code == 2 and len(error.strip().splitlines()) == 1 and "Traceback" not in error, error
    for word in words:
        assert word in error


def test_one_empty_pair_names_its_line(tmp_path, capsys):
    path = small_file(tmp_path / "a.csv", change=(2, "depth_m", ""))
    text = path.read_text().splitlines()
    text[7] = ",".join([*text[7].split(",")[:9], "", *text[7].split(",")[10:]])
    path.write_text("\n".join(text))
    assert main(["calibrate", "array", str(path)]) == 2
    assert "line 8: depth_m and force_N are both empty" in capsys.readouterr().err


def test_wrong_values_of_the_fit():
    presses = record({"noise": (0, 50)}, presses=6)
    for options, words in (
        ({"touch": "maybe"}, "touch is 'maybe'; give auto, off"),
        ({"drive": "both"}, 'give "depth" or "force"'),
        ({"modulus": -3}, "modulus is -3"),
        ({"modulus": 6e4, "touch": "one"}, "touch='one' is fitted together with the modulus"),
        ({"modulus": 1.0}, "need more than the 0.012 m of the pad at a modulus of 1 Pa"),
    ):
        one = presses.but(depth=np.full(len(presses), np.nan)) if options.get("modulus") == 1.0 else presses
        with pytest.raises(taxel.Error, match=words.replace("(", r"\(")):
            calibrate_array(one, **options)
    single = presses.but(depth=np.where(np.isnan(presses.depth), np.nan, 0.002))
    with pytest.raises(taxel.Error, match="all frames have the same depth"):
        calibrate_array(single, touch="one")
    assert any("same depth" in note for note in calibrate_array(single).notes)
    rng = np.random.default_rng(0)
    for readings, words in (
        (np.ones_like(presses.readings), "the readings never change"),
        (rng.normal(size=presses.readings.shape), "do not follow the presses|no taxel is pressed well enough"),
    ):
        with pytest.raises(taxel.Error, match=words):
            calibrate_array(presses.but(readings=readings))
    falls = np.where(np.isnan(presses.depth), 0, 5 - 1000 * presses.depth)
    with pytest.raises(taxel.Error, match="needs at least 3"):
        calibrate_array(presses.but(depth=np.where(np.arange(len(presses)) < 62, presses.depth, np.nan)))
    assert calibrate_array(presses.but(force=falls), touch="off").force.nonlinearity.value < -0.3


# --- the command ---


def test_example_round_trip(tmp_path, capsys):
    example, keys = tmp_path / "example.csv", tmp_path / "keys.json"
    assert main(["calibrate", "array", "--example", str(example)]) == 0
    planted = capsys.readouterr().out
    assert "planted: modulus 30000 Pa, touch point 0.15 mm, gain -0.0819 counts/Pa" in planted
    assert main(["calibrate", "array", str(example), "--json", "-", "--keys", str(keys)]) == 0
    printed = capsys.readouterr()
    numbers = json.loads(printed.out)
    assert "modulus" in printed.err and "dead: taxel 37" in printed.err and "stuck: taxel 200 at 1500" in printed.err
    assert numbers["modulus"]["value"] == pytest.approx(3e4, rel=0.02)
    assert numbers["touch"]["all"]["value"] == pytest.approx(1.5e-4, abs=2e-5)
    assert numbers["gain"]["value"] == pytest.approx(-0.0819, rel=0.02)
    assert numbers["noise"]["value"] == pytest.approx(3, rel=0.03)
    assert numbers["suspicious"]["dead"] == [37] and numbers["stuck_values"] == {"200": 1500}
    assert json.loads(keys.read_text()) == numbers["keys"]


def test_mjcf_picture_and_sensor_keys(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = small_file(tmp_path / "a.csv", head={"thickness": "0.02"})
    command = ["calibrate", "array", str(path), "--sensor", "thickness=0.01; unit=mV", "--mjcf", "--out", str(tmp_path)]
    assert main([*command, "--json", str(tmp_path / "a.json")]) == 0
    printed = capsys.readouterr().out
    assert '<config key="modulus" value="40000' in printed or '<config key="modulus" value="39999' in printed
    assert '<config key="shape" value="2 3"/>' in printed and "mV/Pa" in printed
    assert (tmp_path / "calibrate_array.png").read_bytes().startswith(b"\x89PNG")
    assert main([*command[:3], "--modulus", "5e4", "--out", str(tmp_path)]) == 0
    assert "given" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], ["give the recording", "--example"]),
        (["none.csv"], ["none.csv: no such file"]),
        (["none.csv", "--sensor", "teapot=3"], ["--sensor 'teapot=3'", "KEY=VALUE", "thickness"]),
        (["a.csv", "--example", "b.csv"], ["leave out 'a.csv'"]),
        (["--example", "/proc/none/b.csv"], ["--example", "cannot be written"]),
        (["a.csv", "--keys", "/proc/none/b.json"], ["--keys", "cannot be written"]),
        (["--example", "b.csv", "--seed", "-1"], ["--seed is -1"]),
    ],
)
def test_wrong_commands(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "array", *arguments]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    for word in words:
        assert word in error


def test_kinds_are_named(capsys):
    with pytest.raises(SystemExit):
        main(["calibrate", "teapot"])
    error = capsys.readouterr().err
    assert "array" in error and len(error.strip().splitlines()) == 1


# --- statistics ---


def test_statistics():
    assert [round(t_quantile(v), 3) for v in (1, 5, 10, 30, 1e9)] == [12.706, 2.571, 2.228, 2.042, 1.96]
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.02, 0.3, 4000)
    values = 2 + 0.2 * rng.standard_normal(4000) + errors * rng.standard_normal(4000)
    mean, error, spread = mean_and_spread(values, errors)
    assert mean == pytest.approx(2, abs=4 * error) and spread == pytest.approx(0.2, rel=0.05)
    assert mean_and_spread([1.0, 1.0], [0.1, 0.1])[2] == 0
    for std in (0.15, 0.3, 0.5, 0.8, 3.0):
        frames = np.round(rng.uniform(0, 1, (1, 4000)) + std * rng.standard_normal((40, 4000)))
        assert noise_behind_converter(frames.var(axis=0, ddof=1).mean(), 1.0) == pytest.approx(std, rel=0.03)
    # Twenty clusters that are off together: the error of the slope is that of twenty points, not of a thousand.
    clusters, x = np.repeat(np.arange(20), 50), np.ones((1000, 1))
    slopes = [np.repeat(rng.standard_normal(20), 50) for _ in range(200)]
    found = [math.sqrt(clustered_covariance(x, s - s.mean(), clusters)[0, 0]) for s in slopes]
    assert np.mean(found) == pytest.approx(np.std([s.mean() for s in slopes]), rel=0.2)
