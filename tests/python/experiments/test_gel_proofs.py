"""gel-press and gel-motions in small pieces: shapes, profile, touch, rows of the picture, markers against the layer."""

from __future__ import annotations

import numpy as np
import pytest

import taxel

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from taxel.experiments import gel_motions, gel_press
from taxel.experiments.gel import laws
from taxel.experiments.gel import press_plots as gel_press_plots
from taxel.experiments.marker.motion_models import cosine_similarity, rmse
from taxel.reference.motions import QUICK, follow, motion
from taxel.report import need_matplotlib


def test_the_prism_has_the_volume_of_the_cylinder():
    filling = taxel.fill_shape(gel_press.cylinder_mesh(0.009, 0.012), 0.001)
    assert filling.solid_volume == pytest.approx(np.pi * 0.009**2 * 0.012, rel=1e-9)


def test_cases_press_a_cell_deep_where_they_say_so():
    for quick in (True, False):
        cases = gel_press.cases(quick)
        deep = [c for c in cases if c.name == "one cell deep"]
        assert {round((c.sphere * c.depth) ** 0.5, 3) for c in deep} == {0.1, 0.3}
        assert all(c.depth * c.cells == pytest.approx(1) for c in deep)
        assert all(c.depth / c.sphere <= 0.01 + 1e-12 for c in cases if c.name == "refined")


def test_profile_and_touch_and_their_picture(tmp_path):
    press = gel_press.Press(gel_press.Case("test", 0.25, 10, 0.9, 0.1))
    press.to(press.depth)
    found = press.reference(press.depth, 8)
    edges = np.linspace(0, 1.6 * found.contact_radius, 5)
    _, p = press.rings(edges)
    area = np.pi * np.diff(edges**2)
    # Rings of rest areas round the moved points: their sum is the force but for the edges.
    assert (p * area).sum() == pytest.approx(float(press.gel.force()[2]), rel=0.1)
    assert p[0] > p[1] > p[2] and abs(p[3]) < 0.02 * p[0]
    assert press.contact_radius() == pytest.approx(gel_press.moment_radius(found), rel=0.05)
    row = {"case": "refined", "poisson": 0.25, "grid": 10, "ratio": 0.98, "a_h": 0.3}
    touch = {"gaps": np.array([0.1]), "depth": np.array([0.5]), "force": np.array([1.0]), "reference": np.array([1.0])}
    profile = {"poisson": 0.25, "r": edges[1:], "p": p, "exact": (found.r, found.pressure), "grid": 10}
    ring = {"what": "torsion, 8 cells", "value": 0.97, "curve": (np.arange(3.0), np.arange(3.0), np.arange(3.0))}
    path = gel_press_plots.draw(need_matplotlib(), [row], touch, [profile], [ring], tmp_path / "gel.png")
    assert path.stat().st_size > 10_000


def test_the_line_of_a_profile():
    found = gel_press.profile_line({"poisson": 0.45, "worst": (0.0312, 0.0119)})
    assert "nu 0.45" in found and "3.1 and 1.2 %" in found


def test_torsion_and_its_ringing():
    # Eight cells of a lattice make a round side of stairs: 1 to 2 % soft.
    assert laws.torsion(0.25, 30, 8)["torque"] == pytest.approx(1, abs=0.03)
    found = laws.torsional_vibration(0.25, 16)
    assert found["frequency"] == pytest.approx(1, abs=0.04)
    assert 0.8 < found["energy"] < 1


def test_lambs_root_for_a_ball():
    # tan x / x = 1 / (1 - x^2 (c_p / 2 c_s)^2): 2.563 for equal Lame constants (Love, section 196).
    assert laws.breathing_root(0.25) == pytest.approx(0.8160 * np.pi, rel=1e-3)


@pytest.mark.parametrize("kind", ["dilation", "twist"])
def test_markers_follow_the_layer(kind):
    path, _ = motion(kind, 1)
    true = follow(path, settings=QUICK)["pixels"][-1]
    found = gel_motions.follow_gel(path, 1e-3, speed=0.2, threads=1)
    size = np.sqrt((true**2).sum(axis=1).mean())
    assert rmse(found["pixels"], true) < 0.3 * size
    assert cosine_similarity(found["pixels"], true) > 0.95
