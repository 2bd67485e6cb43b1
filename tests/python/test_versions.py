"""The check that versions stand once, on texts that break it."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import versions

PYPROJECT = """
[build-system]
requires = ["mujoco==4.1.2"]
[project]
version = "0.3.7"
dependencies = ["numpy>=1.24", "mujoco==4.1.2"]
"""


def test_the_repository_has_no_copy():
    assert versions.main() == 0


def test_the_numbers_are_found_and_must_agree():
    assert versions.numbers(PYPROJECT) == ("0.3.7", "4.1.2")
    with pytest.raises(SystemExit, match="the same"):
        versions.numbers(PYPROJECT.replace('"mujoco==4.1.2"]', '"mujoco==4.1.3"]', 1))
    with pytest.raises(SystemExit, match="the taxel-cuda of this version"):
        versions.numbers(PYPROJECT + 'cuda = ["taxel-cuda==0.3.6"]\n')


@pytest.mark.parametrize(
    "line",
    [
        "project(taxel VERSION 0.3.7 LANGUAGES CXX)",
        "pip install mujoco==4.1.2",
        "find_package(MuJoCo 4.1 QUIET)",
        'BUILT_FOR = "4.1.2"',
        "if (mj_version() != 4001002) {",
    ],
)
def test_a_copy_is_found(line):
    [found] = versions.copies("some.py", f"first\n{line}\n", "0.3.7", "4.1.2")
    assert found.startswith("some.py:2: a second copy") and line in found


@pytest.mark.parametrize(
    "line", ["x = 10.3.7", "cmake_minimum_required(VERSION 3.25)", "MuJoCo 3.9", "a = 4.1", "v10.4.1.2"]
)
def test_other_numbers_are_none(line):
    assert versions.copies("some.py", line, "0.3.7", "4.1.2") == []


def test_a_page_may_name_this_release_alone():
    page = "a plugin for MuJoCo 4.1\npip install mujoco==4.1.2\nMuJoCo 4001002\nfor MuJoCo 3.9.0\n"
    [found] = versions.stale("README.md", page, "4.1.2")
    assert found.startswith("README.md:4:") and found.endswith("says 3.9.0")
