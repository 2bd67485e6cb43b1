"""Which room includes which, against what CMakeLists.txt allows (taxel_room): prints each line that breaks it.

The build refuses a wrong include as well; this names the line, also in headers that nothing compiles alone and in CUDA.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".h", ".cc", ".cu", ".cuh"}


def allowed() -> dict[str, set[str]]:
    """Of each room: itself, the rooms it names, and those that they see."""
    rooms: dict[str, set[str]] = {}
    for name, used in re.findall(r"^taxel_room\((\w+)([^)]*)\)", (ROOT / "CMakeLists.txt").read_text(), re.M):
        rooms[name] = {name}.union(*(rooms[u] for u in used.split()))
    rooms["mujoco"] = {"mujoco", *rooms}
    return rooms


def main() -> int:
    rooms, wrong = allowed(), 0
    for path in sorted((ROOT / "src" / "taxel").rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        room = path.relative_to(ROOT / "src" / "taxel").parts[0]
        if room not in rooms:
            print(f"src/taxel/{room}: a room that CMakeLists.txt does not know; add taxel_room({room} ...)")
            return 1
        for number, line in enumerate(path.read_text().splitlines(), 1):
            used = re.match(r'#include "taxel/(\w+)/', line)
            if used and used[1] not in rooms[room]:
                print(f"{path.relative_to(ROOT)}:{number}: {line}   ({room} may use {', '.join(sorted(rooms[room]))})")
                wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
