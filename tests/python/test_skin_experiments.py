"""The experiments of the skins in their quick form: all rows within their limits."""

from importlib import import_module

import pytest

from taxel.report import Output


@pytest.mark.parametrize("name", ["skin_load", "skin_slip", "barometer", "tradeoff"])
def test_quick_experiments_are_within(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    numbers = import_module(f"taxel.experiments.{name}").run(Output(None), tmp_path, quick=True)
    assert [row for row in numbers["rows"] if not row["within"]] == []
