"""The public headers (cmake/public_headers.txt): that the list is whole, and that what is installed compiles.

python3 scripts/headers.py                                 # each is there, so is what it includes; others are internal
python3 scripts/headers.py --all                           # a file that includes all of them, on standard output
python3 scripts/headers.py --prefix DIR --mujoco INCLUDE   # the installed ones: each alone, and all in one file
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake" / "public_headers.txt"
WRITTEN = ("version.h",)  # by CMake
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def public() -> list[str]:
    lines = [line.strip() for line in LIST.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def broken(names: list[str], folder: Path) -> list[str]:
    """What is wrong with a list of headers below a folder."""
    wrong = [f"{LIST.name}: {name} stands there twice" for name in sorted({n for n in names if names.count(n) > 1})]
    for name in names:
        if not (folder / name).is_file():
            wrong.append(f"{LIST.name}: there is no {name}")
            continue
        for number, line in enumerate((folder / name).read_text().splitlines(), 1):
            used = re.match(r'#include "taxel/([^"]+)"', line)
            if used and used[1] not in names:
                wrong.append(f"{name}:{number}: a public header includes {used[1]}, which {LIST.name} does not have")
    return wrong


def outside(names: list[str], folder: Path) -> list[str]:
    """Other headers that declare something in the public namespace."""
    wrong = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cuh")):
        name = str(path.relative_to(folder))
        if name in names:
            continue
        lines = path.read_text().splitlines()
        wrong += [
            f"{name}:{number}: not in {LIST.name}, so it belongs in namespace taxel::internal"
            for number, line in enumerate(lines, 1)
            if line == "namespace taxel {"
        ]
    return wrong


def built_alone(name: str) -> bool:
    """Whether its own source includes it before anything else, so that the build has compiled it alone."""
    source = (ROOT / "src" / "taxel" / name).with_suffix(".cc")
    first = re.search(r"^#include (.*)", source.read_text(), re.M) if source.exists() else None
    return first is not None and first[1] == f'"taxel/{name}"'


def compiled(prefix: Path, mujoco: Path, names: list[str]) -> list[str]:
    """What a compiler says of the installed headers, with nothing else on its path but MuJoCo's."""
    folder = prefix / "include" / "taxel"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.h")}
    wrong = [f"{name}: installed, but not in {LIST.name}" for name in sorted(found - set(names))]
    wrong += [f"{name}: not installed" for name in sorted(set(names) - found)]
    python = [p for p in prefix.rglob("*") if p.suffix in (".py", ".pyi") or p.name.startswith("_core.")]
    wrong += [f"{p.relative_to(prefix)}: installed, but it belongs to the Python package" for p in python]
    paths = ["-I", str(prefix / "include"), "-isystem", str(mujoco)]

    def says(headers: list[str]) -> str:
        text = "".join(f'#include "taxel/{name}"\n' for name in headers)
        command = [os.environ.get("CXX", "c++"), *FLAGS, *paths, "-x", "c++", "-"]
        return subprocess.run(command, input=text, capture_output=True, text=True).stderr

    alone = [name for name in names if not built_alone(name)]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, said in zip(alone, pool.map(says, [[name] for name in alone]), strict=True):
            if said:
                wrong.append(f"{name} does not compile alone:\n{said}")
    together = says(names)
    return [*wrong, f"all in one file:\n{together}"] if together else wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--prefix", type=Path)
    parser.add_argument("--mujoco", type=Path, help="the folder that holds mujoco/mujoco.h")
    options = parser.parse_args()
    if options.all:
        print("".join(f'#include "taxel/{name}"\n' for name in public()), end="")
        return 0
    if options.prefix:
        names = [*public(), *WRITTEN]
        wrong = compiled(options.prefix, options.mujoco, names)
        print(*wrong or [f"{len(names)} public headers compile, each alone and all in one file"], sep="\n")
    else:
        folder = ROOT / "src" / "taxel"
        wrong = broken(public(), folder) + outside(public(), folder)
        print(*wrong, sep="\n", end="\n" if wrong else "")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
