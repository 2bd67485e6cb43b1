"""Looks for a second copy of taxel's version and of MuJoCo's: both stand in pyproject.toml, everything else reads them.

TOML cannot refer to itself, so MuJoCo's stands there twice, for the build and for who runs it; the two must agree.
Pages may name a release, but those that say which one taxel needs (CURRENT) must name this one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = "pyproject.toml"
# The workflow, the build and the code; not pages, results and data.
SUFFIXES = {"", ".py", ".h", ".cc", ".cu", ".cuh", ".cmake", ".in", ".txt", ".toml", ".yml", ".yaml", ".json", ".sh"}
ELSEWHERE = ("docs/", "benchmarks/results/", "tests/data/", "fuzz/corpus/", "models/")
CURRENT = ("README.md", "docs/start/install.md", "docs/guide/mujoco.md", "docs/reference/errors.md")


def numbers(text: str) -> tuple[str, str]:
    """taxel's version and MuJoCo's, from the text of pyproject.toml."""
    [own] = re.findall(r'^version = "([^"]+)"', text, re.M)
    [gpu] = re.findall(r'"taxel-cuda==([^"]+)"', text) or [own]
    if gpu != own:
        raise SystemExit(f"{HOME}: the extra cuda must name the taxel-cuda of this version, {own}, not {gpu}")
    pins = re.findall(r'"mujoco==([0-9.]+)"', text)
    if len(pins) != 2 or pins[0] != pins[1]:
        raise SystemExit(f"{HOME}: MuJoCo's version must stand in build-system and in dependencies, the same: {pins}")
    return own, pins[0]


def as_number(release: str) -> str:
    """As the engine's headers write it: 4.1.2 is 4001002."""
    major, minor, patch = map(int, release.split("."))
    return f"{major}{minor:03d}{patch:03d}"


def copies(name: str, text: str, own: str, mujoco: str) -> list[str]:
    """Lines of a file that repeat a version."""
    short = ".".join(mujoco.split(".")[:2])
    again = [
        (rf"\b{re.escape(own)}\b(?!\.)", "taxel's version"),
        (rf"(?i)mujoco\W{{0,4}}{re.escape(short)}(\.\d+)?\b", "MuJoCo's version"),
        (rf"(?<![\w.]){re.escape(mujoco)}(?![\w.])", "MuJoCo's version"),
        (rf"\b{as_number(mujoco)}\b", "MuJoCo's version"),
    ]
    found = []
    for line_number, line in enumerate(text.splitlines(), 1):
        for pattern, what in again:
            if re.search(pattern, line):
                found.append(f"{name}:{line_number}: a second copy of {what} ({HOME} has it): {line.strip()}")
                break
    return found


def stale(name: str, text: str, mujoco: str) -> list[str]:
    """Lines of a page that name another MuJoCo."""
    return [
        f"{name}:{line_number}: this taxel is for MuJoCo {mujoco}, the page says {said}"
        for line_number, line in enumerate(text.splitlines(), 1)
        for said in re.findall(r"(?i)mujoco(?:==| )(\d+(?:\.\d+)+|\d{7})", line)
        if said != as_number(mujoco) and not (mujoco + ".").startswith(said + ".")
    ]


def main() -> int:
    own, mujoco = numbers((ROOT / HOME).read_text())
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong: list[str] = []
    for name in listed.splitlines():
        path = ROOT / name
        if not path.exists() or name in (HOME, "LICENSE"):
            continue
        if name in CURRENT:
            wrong += stale(name, path.read_text(), mujoco)
        elif path.suffix in SUFFIXES and not name.startswith(ELSEWHERE):
            wrong += copies(name, path.read_text(), own, mujoco)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
