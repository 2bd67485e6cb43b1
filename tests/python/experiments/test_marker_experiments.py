"""marker-motions, marker-shapes and marker-speed in their quick form.

- scores as the paper defines them
- marker-motions: the table has every model and motion, taxel stays ahead of HydroShear, the two laws hold
- marker-shapes: meshes are closed and have the right volume; four feet are four patches; forces near the reference
- marker-speed: keys, the dense form agrees with the field, stored GPU figures are said to be stored
"""

import json

import numpy as np
import pytest

import taxel
from taxel.reference.motions import KINDS
from taxel.report import Output

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from taxel.experiments import marker_motions, marker_shapes, marker_speed
from taxel.experiments.marker import layer_bars as marker_layer
from taxel.experiments.marker import motion_laws as laws
from taxel.experiments.marker.motion_models import cosine_similarity, rmse
from taxel.experiments.marker.shape_meshes import SHAPES, march


def test_scores_are_those_of_the_paper():
    true = np.array([[3.0, 4.0], [0.0, 2.0]])
    assert rmse(true, true) == 0
    assert rmse(np.zeros((2, 2)), true) == pytest.approx(np.sqrt((25 + 4) / 2))
    assert cosine_similarity(2 * true, true) == pytest.approx(1)
    # A taxel that a model leaves where it is counts as 0, one that goes the other way as -1.
    assert cosine_similarity(np.array([[0.0, 0.0], [0.0, -1.0]]), true) == pytest.approx(-0.5)


@pytest.fixture(scope="module")
def motions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("motions")
    numbers = marker_motions.run(Output(None), folder, quick=True)
    Output(str(folder / "numbers.json")).finish(numbers)
    return json.loads((folder / "numbers.json").read_text())


def test_motions_have_all_models_and_motions(motions):
    rows = {r["key"]: r for r in motions["rows"] if r["test"] == "motions"}
    assert {"tacsl", "fots", "contact_center", "hydroshear_original", "hydroshear_reimpl", "paper", "release",
            "paper_gain", "fots_gain", "taxel_default", "taxel_sequence", "taxel"} <= set(rows)  # fmt: skip
    for row in rows.values():
        for kind in KINDS:
            score = row["scores"][kind]
            assert len(score["samples"]) == motions["samples"]
            assert 0 < score["rmse"] < 20 and -1 <= score["cs"] <= 1
    assert motions["marker_depth"] == 0
    assert len(motions["pictures"]) == 4 and all(p.endswith(".png") for p in motions["pictures"])


def test_motions_meet_the_bars_that_hold(motions):
    assert [r for r in motions["rows"] if not r.get("within", True)] == []
    rows = {r["key"]: r["scores"] for r in motions["rows"] if r["test"] == "motions"}
    # Three samples of each scatter; the full run's ratios are 0.34 to 0.58 (taxel, one by one, over HydroShear).
    for kind in KINDS:
        assert rows["taxel_default"][kind]["rmse"] < 0.7 * rows["paper"][kind]["rmse"]
        assert rows["taxel_sequence"][kind]["rmse"] < 0.8 * rows["paper"][kind]["rmse"]
    assert rows["paper"]["dilation"]["rmse"] < rows["fots"]["dilation"]["rmse"]
    assert rows["paper_gain"]["dilation"]["rmse"] < 1.05 * rows["fots_gain"]["dilation"]["rmse"]
    for kind in ("shear", "roll"):
        for rival in ("fots", "contact_center", "tacsl"):
            assert rows["paper"][kind]["rmse"] < rows[rival][kind]["rmse"]
    # HydroShear is not ahead on twists here, and the table must say so: its Gaussian averages the rotation away.
    twist = [b for b in motions["bars"] if b["motion"] == "twist" and b["ahead"] == "paper"]
    assert twist and not all(b["met"] for b in twist)


def test_sticking_radius_follows_the_springs_not_mindlin(motions):
    row = next(r for r in motions["rows"] if r["test"] == "stick")
    assert row["worst"] < 0.005 < 0.05 < row["mindlin"]
    assert row["layer"]["mindlin"] < 0.03 < row["layer"]["local"]


def test_a_lattice_holds_the_63_markers():
    coarse, fine = laws.marker_lattice(1), laws.marker_lattice(2)
    assert len(coarse) == 63 and len(fine) == 221
    np.testing.assert_allclose(fine[laws._coarse(2)], coarse, atol=1e-12)
    mini = taxel.gelsight_mini_markers(dome=False)
    np.testing.assert_allclose(coarse, mini.markers, atol=1e-9)


@pytest.mark.parametrize("make", SHAPES)
def test_meshes_are_closed_and_lie_on_their_distance(make):
    shape = make()
    vertices, triangles = shape.mesh()
    directed = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    assert len(np.unique(directed, axis=0)) == len(directed)  # each edge once in each direction
    assert {tuple(e) for e in directed} == {tuple(e) for e in directed[:, ::-1]}
    off = np.abs(shape.distance(vertices)) / shape.cell
    assert np.quantile(off, 0.95) < 0.1 and off.max() < 1  # lines between nodes cut inner corners, tips and horns
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume > 0
    if shape.name == "torus":
        assert volume == pytest.approx(2 * np.pi**2 * 5e-3 * 2e-3**2, rel=0.015)


def test_marching_refuses_a_box_that_cuts_the_shape():
    with pytest.raises(ValueError, match="larger box"):
        march(lambda p: np.linalg.norm(p, axis=1) - 1, np.full(3, -1.0), np.full(3, 0.5), 0.25)


def test_shapes_quick(tmp_path):
    numbers = marker_shapes.run(Output(None), tmp_path, quick=True)
    rows = {(r["shape"], r["motion"]): r for r in numbers["rows"]}
    assert len(rows) == 12 and all(r["within"] for r in rows.values())
    for motion in marker_shapes.MOTIONS:
        assert rows["animal", motion]["patches"]["taxel"] == rows["animal", motion]["patches"]["taxel_dome"] == 4
        assert rows["torus", motion]["patches"]["reference"] == 1
    for row in rows.values():
        assert row["force"]["taxel"] == pytest.approx(row["force"]["reference"], rel=0.25)
    for shape in ("torus", "cross", "star", "animal"):
        twist = rows[shape, "twist"]
        assert twist["taxel"]["rmse"] < 0.85 * twist["release"]["rmse"]
    fitted = numbers["release"]  # in this run, on few samples: of the order of the full run's, and not its numbers
    assert 1e4 < fitted["lambda_s"] < 6e4 and 0.3 < fitted["friction"] < 3
    assert all((tmp_path / f"marker_shapes_{m}.png").stat().st_size > 10_000 for m in ("slide", "twist"))


def test_layer_meets_its_bars_in_the_small():
    markers = taxel.gelsight_mini_markers(dome=False).markers
    row = marker_layer.compare("ellipsoid", "twist", markers, quick=True)
    assert row["layer"]["error"] < 0.06 < row["taxel"]["error"]
    assert row["layer"]["force_off"] < 0.03
    assert 0.95 < marker_layer.stuck("layer", "cylinder", markers) < 1.02


def test_speed_quick(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers = marker_speed.run(Output(None), tmp_path, quick=True)
    rows = {r["what"]: r for r in numbers["rows"]}
    assert rows["dense, NumPy"]["off_px"] < 1e-6
    # The bar of 40 us is for a quiet core; here only that the sparse form is far ahead of the dense one.
    for mode in marker_speed.MODES:
        assert rows[f"taxel, mode {mode}"]["cpu"] < 0.1 * rows["dense, NumPy"]["cpu"]
    for name in (*marker_speed.FOTS.values(), "TacSL"):
        assert 0 < rows[name]["cpu"] <= rows[name]["cpu_mean"] < rows["dense, NumPy"]["cpu"]
        assert rows[name]["deviation"] > 0
    assert {b["mode"] for b in numbers["batches"]} == set(marker_speed.CPU_MODES)
    text = (tmp_path / "marker_speed.md").read_text()
    assert "HydroShear (paper's Table X)" in text and "103.7" in text


def test_the_dense_form_is_checked_where_shear_is_not_zero():
    field = marker_speed.make_field("release", marker_speed.POINTS)
    field.follow(marker_speed.press_path()[:, 0, 0])
    pixels = field.follow(marker_speed.slide_path(8)[:, 0, 0])
    assert np.abs(field.shear).max() > 0.01 * np.abs(pixels[-1]).max() > 0


def test_stored_gpu_figures_are_said_to_be_stored(tmp_path, monkeypatch, capsys):
    if taxel.cuda_available():
        pytest.skip("a GPU is here: it is measured, not read")
    target = tmp_path / "benchmarks" / "results" / "markers_gpu.json"
    target.parent.mkdir(parents=True)
    row = {"worlds": 256, "taxel_ms": 0.1234, "release_ms": 0.2, "paper_ms": 0.3, "dense_torch_ms": 77.0}
    target.write_text(json.dumps({"device": "some card", "points": 4096, "markers": 63, "fingers": 2, "rows": [row]}))
    monkeypatch.chdir(tmp_path)
    numbers = marker_speed.run(Output(None), tmp_path, quick=True)
    said = capsys.readouterr().out
    assert "STORED figures" in said and "some card" in said and "0.1234" in said
    assert numbers["gpu_measured_now"] is False
    target.write_text("{")
    with pytest.raises(ValueError, match="no JSON"):
        marker_speed.stored_gpu()
