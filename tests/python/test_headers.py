"""The check of the public headers, on small folders that break it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import headers

WHOLE = {
    "some/a.h": '#pragma once\n#include "taxel/some/b.h"\nstruct A { B b; };\n',
    "some/b.h": "#pragma once\nstruct B {};\n",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / "include" / "taxel" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "include" / "taxel" / name).write_text(text)
    return folder


def test_the_list_is_whole():
    folder = ROOT / "src" / "taxel"
    assert headers.broken(headers.public(), folder) == headers.outside(headers.public(), folder) == []


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["some/a.h"], "some/a.h:2: a public header includes some/b.h"),
        (["some/b.h", "some/c.h"], "there is no some/c.h"),
        (["some/b.h", "some/b.h"], "some/b.h stands there twice"),
    ],
)
def test_a_list_with_a_hole(tmp_path, names, said):
    [found] = headers.broken(names, written(tmp_path, WHOLE) / "include" / "taxel")
    assert said in found


def test_internals_have_a_namespace_of_their_own(tmp_path):
    files = {
        "some/a.h": "namespace taxel {\n}\n",
        "some/b.h": "#pragma once\nnamespace taxel {\n}\n",
        "some/c.h": "namespace taxel::internal {\n}\n",
    }
    [found] = headers.outside(["some/a.h"], written(tmp_path, files) / "include" / "taxel")
    assert found.startswith("some/b.h:2:") and "taxel::internal" in found


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_installed_headers_compile_alone_and_together(tmp_path):
    assert headers.compiled(written(tmp_path, WHOLE), tmp_path, list(WHOLE)) == []

    alone = headers.compiled(
        written(tmp_path, {"some/a.h": "#pragma once\nstruct A { B b; };\n"}), tmp_path, list(WHOLE)
    )
    assert len(alone) == 2 and "some/a.h does not compile alone" in alone[0] and "all in one file" in alone[1]

    twice = {"some/a.h": "#pragma once\nstruct Load {};\n", "some/b.h": "#pragma once\nstruct Load { int i; };\n"}
    [found] = headers.compiled(written(tmp_path, twice), tmp_path, list(WHOLE))
    assert "all in one file" in found and "Load" in found

    found = headers.compiled(written(tmp_path, {**WHOLE, "some/more.h": ""}), tmp_path, [*WHOLE, "some/gone.h"])
    assert found[:2] == [
        "some/more.h: installed, but not in public_headers.txt",
        "some/gone.h: not installed",
    ]
