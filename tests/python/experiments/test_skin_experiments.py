"""The experiments of the skins in their quick form: all rows within their limits; what is beside them as published."""

import numpy as np
import pytest

from taxel.experiments import EXPERIMENTS
from taxel.report import Output


def run(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    return EXPERIMENTS[name].load().run(Output(None), tmp_path, quick=True)


@pytest.mark.parametrize("name", ["skin-load", "skin-slip"])
def test_quick_experiments_are_within(name, tmp_path, monkeypatch):
    numbers = run(name, tmp_path, monkeypatch)
    assert [row for row in numbers["rows"] if not row["within"]] == []


def test_tradeoff(tmp_path, monkeypatch):
    rows = run("tradeoff", tmp_path, monkeypatch)["rows"]
    assert all(row.get("within", True) for row in rows)
    for row in rows:
        # A row has errors, or it has none; never a NaN or a 0 in their place.
        assert ("image_error" in row) == ("sum_error" in row) == (row["what"] != "rate")
        assert "image_error" not in row or 0 < row["image_error"] < 0.05
    published = [row for row in rows if row["what"] == "as published"]
    assert [row["value"] for row in published] == [5, 20]


def test_barometer(tmp_path, monkeypatch):
    numbers = run("barometer", tmp_path, monkeypatch)
    assert [row for row in numbers["rows"] if not row["within"]] == []
    found = numbers["as_published"]["fields"]["distance"]
    # E d / (half the thickness) on the tip: the steps to 0.35 N can be counted.
    depth = 0.35 / (np.pi * 1e-6 * 1e6) * 2e-3
    steps = int(np.ceil(depth / 0.0125e-3))
    assert found["records"] == found["places"] * steps
    low, high = found["last_force"]
    assert 0.35 <= low <= high < 0.35 * (steps + 1) / steps
    assert found["turned_off"] < 1e-12
