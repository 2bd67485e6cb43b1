"""Our side of the comparisons with Drake, and what happens where Drake is missing."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import command

from taxel.experiments import contact_drake
from taxel.experiments.contact import step_speed
from taxel.experiments.contact.drake import CYLINDER, REASONS, ROLL, Run


def test_statics_of_the_cylinder_are_those_of_quadrature():
    # The depth field min(depth, distance to the rim) / 9 mm x modulus, summed over the exact footprint.
    def force(depth, n=1500):
        R = CYLINDER.sizes[0]
        half_width = np.sqrt(R**2 - (R - depth) ** 2)
        y = (np.arange(n) + 0.5) / n * half_width
        x = (np.arange(n) + 0.5) / n * 0.04
        depths = np.sqrt(R**2 - y**2) - (R - depth)
        p = CYLINDER.modulus * np.minimum(depths[:, None], 0.04 - x) / 0.009
        return 4 * p.sum() * (half_width / n) * (0.04 / n)

    depth = contact_drake.static_depth(CYLINDER)
    assert force(depth) == pytest.approx(0.5 * 9.81, rel=1e-4)
    # Less counts, so it sinks deeper.
    assert contact_drake.static_depth(CYLINDER, rim=0.5) > 1.004 * depth


@pytest.mark.parametrize("coupling", ["rows", "explicit"])
def test_the_cylinder_rests_at_the_static_depth(coupling):
    smooth = replace(CYLINDER, friction=0.0, dissipation=20.0, seconds=0.8)
    numbers = contact_drake.measure(smooth, contact_drake.run_ours(smooth, 1e-3, coupling=coupling))
    assert numbers["depth at the end mm"] == pytest.approx(1e3 * contact_drake.static_depth(CYLINDER), rel=1e-3)
    assert numbers["force at the end N"] == pytest.approx(0.5 * 9.81, rel=1e-3)


def test_a_frictionless_glide_slows_by_hunt_and_crossley():
    # Front half pressed, rear half let go: the speed decays at d g a^2 / (6 R^2), a^2 = 2 R depth, for small depths.
    depth = contact_drake.static_depth(ROLL)
    glide = replace(ROLL, friction=0.0, seconds=0.2, position=(-0.15, 0.0, 0.03 - depth), angular=(0.0, 0.0, 0.0))
    rate = ROLL.dissipation * 9.81 * depth / (3 * 0.03)
    expected = 200 * np.exp(-rate * 0.2)
    explicit = contact_drake.run_ours(glide, 5e-4, coupling="explicit")
    memoryless = contact_drake.run_memoryless(glide, 1e-4, facets=10)
    for run in (explicit, memoryless):
        assert contact_drake.measure(glide, run)["speed mm/s"] == pytest.approx(expected, rel=0.01)
    assert contact_drake.apart(explicit, memoryless)[0] < 0.005


def test_every_scene_runs_and_has_its_numbers():
    for s in contact_drake.scenes():
        short = replace(s, seconds=0.03)
        run = contact_drake.run_ours(short, 1e-3)
        assert run.position.shape == run.velocity.shape == (31, 3)
        assert all(np.isfinite(v) for v in contact_drake.measure(short, run).values())


def test_the_chain_adds_up_and_extrapolates():
    # 10 + 4 (hint / 2 mm)^2 - 3 step / ms: the limit is 10.
    value = {(h, s): 10 + 4 * (h / 2) ** 2 - 3 * s for h in (8, 4, 2) for s in (1, 0.1)}
    links, limit = contact_drake.take_apart(80.0, value, (8, 4, 2), (1, 0.1), [10.0, 11.0, 11.5, 12.0])
    assert limit == pytest.approx(10)
    assert list(links) == list(REASONS)
    assert sum(links.values()) == pytest.approx((12 - 80) / 10)
    assert links["law"] == pytest.approx(0)
    assert links["memory"] == pytest.approx(0.1)


def test_apart_is_zero_for_the_same_run():
    track = np.cumsum(np.ones((5, 3)), axis=0)
    run = Run(track, track, np.zeros(3))
    assert contact_drake.apart(run, run) == (0.0, 0.0)


def test_without_drake_the_command_says_what_to_do(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "pydrake", None)
    assert command(["reproduce", "contact-drake", "--quick", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "taxel: error: Drake is not installed; run: pip install drake\n"


def test_equal_error_takes_the_coarsest_that_is_good_enough():
    ours = {"depth_error": -0.008}
    drake = [
        {"solver": "lagged", "hint": h, "depth_error": e} for h, e in ((0.01, 0.2), (0.0025, 0.007), (0.00125, 0.006))
    ]
    assert step_speed.equal_error(ours, drake, "lagged")["hint"] == 0.0025
    assert step_speed.equal_error(ours, drake, "sap") is None


def test_bench_step_without_drake(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(step_speed, "SETTLE", 0.6)
    monkeypatch.setattr(step_speed, "count_native", lambda: "not asked for")
    assert command(["bench", "step", "--quick", "--no-drake", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "step.md").read_text()
    for setting in ("rows, 16 blocks", "rows, 4 blocks", "explicit", "sense", "MuJoCo alone"):
        assert setting in text
    assert "not counted; not asked for" in capsys.readouterr().out


def test_native_count_says_what_is_missing(monkeypatch, tmp_path):
    assert "run from a checkout" in step_speed.count_native(tmp_path / "none.cc")
    source = tmp_path / "native_scene.cc"
    source.write_text("int main() {}")
    monkeypatch.setattr(step_speed.shutil, "which", lambda name: None if name == "valgrind" else "/usr/bin/" + name)
    assert step_speed.count_native(source) == "valgrind is not installed; run: apt install valgrind"
