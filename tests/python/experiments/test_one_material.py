"""one-material in its quick form, through the command."""

import json

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")
from conftest import command


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one-material")
    assert (
        command(["reproduce", "one-material", "--quick", "--out", str(folder), "--json", str(folder / "n.json")]) == 0
    )
    assert (folder / "one_material.png").stat().st_size > 20000
    return json.loads((folder / "n.json").read_text())


def test_models_made_for_the_contact_agree_with_the_gel(numbers):
    assert len(numbers["presses"]) == 4
    for row in numbers["presses"]:
        over = row["over_gel"]
        assert over["pressure, sized"] == pytest.approx(1, abs=0.15)
        assert over["bristle, sized"] == pytest.approx(over["pressure, sized"], rel=0.06)  # the same columns
        assert over["bristle, sized, Eq. 4"] < 0.97 * over["bristle, sized"]  # round things have slopes
        assert over["layer"] == pytest.approx(1, abs=0.12) and over["marker layer"] == pytest.approx(1, abs=0.12)
        assert row["image_off"]["layer"] < 0.5
    foam = [r for r in numbers["rows"] if r["kind"] == "foam" and r["model"].endswith("sized") and r["which"] == "all"]
    assert [r["within"] for r in foam] == [True, True]


def test_the_warning_tells_the_error_that_is_there(numbers):
    """By the rule and as pressed: the pressure field with one modulus against the gel, foam and silicone."""
    for row in numbers["presses"]:
        assert row["rule_error"] == pytest.approx(row["over_gel"]["pressure"] - 1, abs=0.15)


def test_drags_stick_as_the_layer_does(numbers):
    stiff = {r["model"]: r["shear_over_motion"] for r in numbers["drags"]}
    assert stiff["layer"] == pytest.approx(stiff["gel"], rel=0.15)
    assert stiff["marker layer"] == pytest.approx(stiff["gel"], rel=0.15)
    assert all(0.25 < value / stiff["gel"] < 1.5 for value in stiff.values())
