"""The experiments of the skins in their quick form: all rows within their limits."""

import pytest

from taxel.experiments import EXPERIMENTS
from taxel.report import Output


@pytest.mark.parametrize("name", ["skin-load", "skin-slip", "barometer", "tradeoff"])
def test_quick_experiments_are_within(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    numbers = EXPERIMENTS[name].load().run(Output(None), tmp_path, quick=True)
    assert [row for row in numbers["rows"] if not row["within"]] == []
