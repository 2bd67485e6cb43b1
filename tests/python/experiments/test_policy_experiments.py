"""What the experiments on policies do with their inputs; both run small."""

import json
from types import SimpleNamespace

import pytest
from conftest import command

from taxel.experiments.policy.abroad import PLACES, input_of, options_at, students_in

pytest.importorskip("rsl_rl")
HOME, GEL, ABROAD = PLACES


def test_a_rollout_is_felt_by_every_input(tmp_path):
    file = tmp_path / "n.json"
    assert command(["reproduce", "rollout-markers", "--quick", "--out", str(tmp_path), "--json", str(file)]) == 0
    rows = {row["input"]: row for row in json.loads(file.read_text())["rows"]}
    assert {"layer", "taxel", "hydroshear", "fots", "tacsl_grey", "pressure"} <= rows.keys()
    assert all(row["within"] and row["largest_change"] > 0 for row in rows.values())
    assert (tmp_path / "rollout_markers_peg.png").stat().st_size > 20_000


def test_a_student_plays_at_home_and_abroad(tmp_path):
    file = tmp_path / "n.json"
    assert command(["reproduce", "touch-abroad", "--quick", "--out", str(tmp_path), "--json", str(file)]) == 0
    rows = json.loads(file.read_text())["rows"]
    played = {row["place"]: row for row in rows if row["place"] != "field"}
    assert played.keys() == {"home", "gel", "abroad"} and all(row["episodes"] == 2 for row in played.values())
    field = {row["touch"]: row for row in rows if row["place"] == "field"}
    assert field["layer"]["gain"] == pytest.approx(1) and field["layer"]["alike"] == pytest.approx(1)
    assert 0.3 < field["hydroshear"]["alike"] < 1 and field["hydroshear"]["rms_px"] > 0
    assert (tmp_path / "touch_abroad.png").exists()


def test_what_changes_from_place_to_place():
    calibrated = {"touch_camera": {"gain": 4.5}, "threads": 1}
    assert options_at(HOME, "hydroshear", calibrated) == ("hydroshear", calibrated)
    touch, options = options_at(GEL, "hydroshear", calibrated)
    assert touch == "layer" and options["touch_camera"] == {} and "modulus" not in options
    assert options_at(GEL, "tacsl_shear", {})[1]["touch_camera"] == {"unit": 0.5}
    touch, options = options_at(ABROAD, "fots_contact", {"touch_camera": {"gain": 0.24}})
    assert touch == "layer" and options["touch_camera"] == {"offset": 0.3, "lost": 0.02, "lag": 1}
    assert options["touch_noise"] == 0.2 and options["modulus"] == 1.4e5
    assert options_at(ABROAD, "none", {}) == ("none", {"modulus": 1.4e5, "gel_friction": 0.8})
    touch, options = options_at(ABROAD, "pressure", {"touch_camera": {"gain": (0.8, 1.25)}})
    assert touch == "pressure" and options["touch_camera"] == {"gain": (0.8, 1.25), "lag": 1}
    assert calibrated == {"touch_camera": {"gain": 4.5}, "threads": 1}  # nothing of the policy's own is changed


def test_gels_that_differ_are_another_input():
    def config(**options):
        return SimpleNamespace(touch="layer", options=options)

    assert input_of(config()) == input_of(config(touch_options={"pitch": 1e-3})) == "layer"
    assert input_of(config(touch_camera={"gain": 4.5})) == "layer"
    for drawn in ({"touch_options": {"poisson": [0.4, 0.5]}}, {"touch_camera": {"gain": [0.8, 1.25]}},
                  {"touch_camera": {"offset": 0.3}}):  # fmt: skip
        assert input_of(config(**drawn)) == "layer_randomised"


@pytest.mark.parametrize("make, words", [(False, "no such folder"), (True, "no student of peg there")])
def test_wrong_folders_of_policies_are_named(tmp_path, capsys, make, words):
    folder = tmp_path / "runs"
    if make:
        folder.mkdir()
    assert command(["reproduce", "touch-abroad", "--quick", "--policies", str(folder), "--out", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_students_of_hard_pads_are_left_out_or_named(tmp_path):
    from taxel.learn.policy.library import shipped

    assert students_in(None)["taxel"].config.contact == "soft"  # one of hard pads with the same input comes with taxel
    (tmp_path / "hard.pt").write_bytes(shipped()["peg-taxel-native"].read_bytes())
    with pytest.raises(ValueError, match=r"hard\.pt: was trained with native contact"):
        students_in(str(tmp_path))
