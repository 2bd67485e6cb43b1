"""taxel reproduce lugre-curve in its quick form: rows, pictures, and the message where scipy is missing."""

import sys

import pytest

import taxel
from taxel.experiments import lugre_curve
from taxel.report import Output


def test_quick_run_is_within(tmp_path):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    numbers = lugre_curve.run(Output(None), tmp_path, quick=True)
    rows = numbers["rows"]
    assert [row for row in rows if not row["within"]] == []
    # Both forms in every part.
    for part in ("steady", "pre-sliding", "reversal", "stick-slip", "MuJoCo, rows", "MuJoCo, explicit"):
        assert {row["form"] for row in rows if row["case"].startswith(part)} == {"passive", "paper"}, part
    # Faster from rest, it breaks away with less.
    peaks = [row["breakaway_force"] for row in rows if "breakaway_force" in row]
    assert max(peaks) / min(peaks) > 1.1
    assert numbers["active_above"] == pytest.approx(2.1796, abs=1e-4)
    assert [path.name for path in numbers["pictures"]] == ["lugre_curve.png", "lugre_stick_slip.gif"]
    assert all(path.stat().st_size > 10_000 for path in numbers["pictures"])


def test_a_law_that_differs_is_out_of_the_bars(tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    law = lugre_curve.Bristle.law
    # A hundredth more stiffness in the core alone: break-away and loops must notice, the steady state must not.
    monkeypatch.setattr(
        lugre_curve.Bristle, "law", lambda b, form: law(type(b)(**{**vars(b), "sigma0": 1.01 * b.sigma0}), form)
    )
    assert all(row["within"] for row in lugre_curve.steady_sliding(quick=True)[0])
    assert not any(row["within"] for row in lugre_curve.presliding(quick=True)[0])
    assert not any(row["within"] for row in lugre_curve.reversal(quick=True)[0])


def test_without_scipy_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(taxel.Error, match=r"needs scipy.*pip install"):
        lugre_curve.run(Output(None), tmp_path, quick=True)
