"""What is given away: the source archive, the wheel, the C++ package without Python, the GPU part beside taxel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT

import taxel

sys.path.insert(0, str(ROOT / "scripts"))
import try_wheel
import versions

FOLDERS = ("cmake/", "python/", "src/")
FILES = ("CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "NOTICE", "README.md", "pyproject.toml")
# What builds, editors and shells leave in a checkout; the names of folders are those of sources.
STRAY = (
    "build/python/taxel/stray.cc",
    "build/release/src/taxel/stray.o",
    "build/python/cmake/stray.cmake",
    ".venv/lib/python/stray.py",
    "out/src/stray.png",
    "dist/stray.whl",
    "python/taxel/_core.stray.so",
    "python/taxel/_core.pyi",
    "python/taxel/libtaxel_cuda.so",
    "python/taxel/batch/__pycache__/stray.pyc",
)


def ran(command: list[str | Path], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> tuple[Path, set[str]]:
    """A copy of the tracked files of the checkout, with strays; and their names."""
    listed = ran(["git", "ls-files"], ROOT).stdout.splitlines()
    names = {
        name for name in listed if (ROOT / name).is_file() and not name.startswith(("tests/data/", "docs/images/"))
    }
    folder = tmp_path_factory.mktemp("checkout")
    for name in [*names, *STRAY]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name in STRAY:
            (folder / name).write_text("stray")
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder, names


@pytest.fixture(scope="module")
def archive(checkout, tmp_path_factory) -> Path:
    pytest.importorskip("scikit_build_core")
    out = tmp_path_factory.mktemp("sdist")
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(out)!r})"
    done = ran([sys.executable, "-c", code], checkout[0])
    assert done.returncode == 0, done.stderr
    [path] = out.iterdir()
    return path


def test_the_source_archive_has_the_sources_and_nothing_else(checkout, archive):
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    tracked = {name for name in checkout[1] if name in FILES or name.startswith(FOLDERS)}
    assert names - tracked == {"PKG-INFO"} and tracked - names == set()


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_the_source_archive_is_whole(archive, tmp_path):
    """CMake finds in it all that it reads, the extension and the C++ package included."""
    assert ran(["tar", "xf", archive], tmp_path).returncode == 0
    [source] = tmp_path.iterdir()
    words = ["-DTAXEL_PYTHON=ON", "-DTAXEL_CUDA=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
    done = ran(["cmake", "-S", source, "-B", tmp_path / "made", *words], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_the_cpp_package_needs_no_python(tmp_path):
    words = ["-DTAXEL_MUJOCO=AUTO", f"-DTAXEL_MUJOCO_PYTHON={tmp_path}/none", "-DTAXEL_CUDA=OFF"]
    done = ran(["cmake", "-S", ROOT, "-B", tmp_path / "made", *words], tmp_path)
    assert done.returncode == 0 and "built without the plugin" in done.stdout, done.stderr
    assert "Python_EXECUTABLE" not in (tmp_path / "made" / "CMakeCache.txt").read_text()
    own, mujoco = versions.numbers((ROOT / "pyproject.toml").read_text())
    assert f'"{own}"' in (tmp_path / "made" / "include" / "taxel" / "version.h").read_text()
    assert f"Version: {own}\n" in (tmp_path / "made" / "taxel.pc").read_text()
    # Asked for, the plugin is not left out in silence.
    done = ran(["cmake", "-S", ROOT, "-B", tmp_path / "other", *words, "-DTAXEL_MUJOCO=ON"], tmp_path)
    assert done.returncode != 0 and f"mujoco=={mujoco}" in done.stderr


def test_pip_brings_ninja_where_there_is_make_alone(tmp_path):
    """make compiles on one core, ninja on all."""
    pytest.importorskip("scikit_build_core")
    for program in ("make", "cmake"):
        if where := shutil.which(program):
            (tmp_path / program).symlink_to(where)
    code = "from scikit_build_core.build import get_requires_for_build_wheel as f; print(f())"
    done = ran([sys.executable, "-c", code], ROOT, PATH=str(tmp_path))
    assert done.returncode == 0 and "ninja" in done.stdout, done.stderr


# What Python's stable ABI leaves out, of what is easily written: looking into types, and macros that read into objects.
OUTSIDE_THE_STABLE_ABI = re.compile(r"->(tp|ob|nb|sq|mp)_\w+|Py\w+_GET_(ITEM|SIZE)|PyUnicode_AsUTF8\(|Py\w+_AS_STRING")


def test_the_extension_keeps_to_the_stable_abi():
    """One wheel serves Python 3.12 and all later; an older Python compiles what a newer one would refuse."""
    used = [
        f"{path.name}:{number}: {found[0]}"
        for path in sorted((ROOT / "python" / "src").glob("*.[ch]*"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (found := OUTSIDE_THE_STABLE_ABI.search(line))
    ]
    assert used == []
    assert OUTSIDE_THE_STABLE_ABI.search("Py_TYPE(x)->tp_name") and OUTSIDE_THE_STABLE_ABI.search("PyTuple_GET_SIZE(x)")


WHEEL = "taxel-1.0-cp312-abi3-manylinux_2_35_x86_64.whl"
WHOLE = ["taxel/_core.abi3.so", "taxel/libtaxel_mujoco.so", "taxel/libtaxel_reader.so", "x/LICENSE", "x/NOTICE"]


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        (WHEEL.replace("manylinux_2_35", "linux"), WHOLE, "not repaired"),
        (WHEEL, WHOLE[1:], "taxel/_core. is missing"),
        (WHEEL, WHOLE[:-1], "NOTICE is missing"),
        (WHEEL, [*WHOLE, "taxel.libs/libmujoco-1.so"], "does not belong there"),
        (WHEEL, [*WHOLE, "taxel/libtaxel_cuda.so"], "libtaxel_cuda.so does not belong there"),
    ],
)
def test_a_wheel_that_is_not_right(name, files, said):
    assert try_wheel.wrong_with(WHEEL, WHOLE) == []
    [found] = try_wheel.wrong_with(name, files)
    assert said in found


def test_the_gpu_part_is_found_in_its_own_package(tmp_path):
    """A library of another kind shows which one was opened: ours beside taxel, else that of taxel_cuda."""
    package, empty = tmp_path / "site" / "taxel_cuda", tmp_path / "empty"
    package.mkdir(parents=True)
    empty.mkdir()
    (package / "__init__.py").write_text("")
    shutil.copy(taxel.plugin_path().replace("libtaxel_mujoco", "libtaxel_reader"), package / "libtaxel_cuda.so")
    code = "import mujoco, taxel; from taxel import _core; print(_core.why_no_cuda())"
    alone = ran([sys.executable, "-c", code], empty, PYTHONPATH="")
    found = ran([sys.executable, "-c", code], empty, PYTHONPATH=str(package.parent)).stdout
    if (Path(taxel.__file__).parent / "libtaxel_cuda.so").exists():
        assert found == alone.stdout
    else:
        assert "pip install taxel-cuda" in alone.stdout
        assert "belongs to another version of taxel" in found and "taxel-cuda of the same version" in found
