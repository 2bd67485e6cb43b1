"""The contact experiments in their quick form: all rows within their limits."""

import pytest

from taxel.experiments import EXPERIMENTS, contact_pairs, contact_random
from taxel.report import Output


@pytest.mark.parametrize("experiment", [contact_pairs, contact_random], ids=["pairs", "random"])
def test_all_rows_are_within(experiment, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)  # for MuJoCo's log of warnings
    numbers = experiment.run(Output(None), tmp_path, quick=True)
    assert [row for row in numbers["rows"] if not row["within"]] == []
    assert {p.suffix for p in tmp_path.iterdir()} == {".png"}


@pytest.mark.parametrize("name", ["rest", "incline", "drag", "transients", "stick", "grasp"])
def test_quick_experiments_are_within(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    numbers = EXPERIMENTS[f"contact-{name}"].load().run(Output(None), tmp_path, quick=True)
    assert [row for row in numbers["rows"] if not row.get("within", True)] == []


def test_a_drop_can_be_drawn_again():
    assert contact_random.draw(17) == contact_random.draw(17) != contact_random.draw(18)


def test_a_pair_names_what_it_did():
    row = contact_pairs.drop(contact_pairs.Pair("sphere", "capsule", "both"), seconds=0.2)
    assert row["held"] == "guided along z" and row["area"] > 0
