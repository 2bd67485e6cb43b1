"""A wheel as a user gets it: what is in it, and what it does in a fresh environment with nothing but its dependencies.

    python3 scripts/try_wheel.py dist/taxel-*.whl

Prints how long it took to install, and how long the demo took. `make test-wheel`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("taxel/_core.", "taxel/libtaxel_mujoco.so", "taxel/libtaxel_reader.so")
# MuJoCo's library comes with its own wheel, ours for GPUs with taxel-cuda.
FOREIGN = ("libmujoco", "libtaxel_cuda", "taxel.libs/", "__pycache__", "tests/")


def wrong_with(name: str, files: list[str]) -> list[str]:
    """What a wheel of this name should not have, or lacks."""
    wrong = [] if "manylinux" in name else [f"{name}: not repaired, its name says no manylinux"]
    for library in LIBRARIES:
        if not any(file.startswith(library) for file in files):
            wrong.append(f"{name}: {library} is missing")
    for licence in ("LICENSE", "NOTICE"):
        if not any(file.endswith(f"/{licence}") for file in files):
            wrong.append(f"{name}: {licence} is missing")
    wrong += [f"{name}: {file} does not belong there" for file in files if any(part in file for part in FOREIGN)]
    return wrong


def fresh(folder: Path, wheel: Path) -> tuple[Path, float]:
    """The folder of programs of a new environment with the wheel, and how long pip took."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    start = time.monotonic()
    subprocess.run([str(folder / "bin" / "pip"), "install", "-q", str(wheel)], check=True)
    return folder / "bin", time.monotonic() - start


def asked(words: list[str], folder: Path) -> tuple[dict, float]:
    """The JSON of a command and its time; far from the checkout, so that nothing is imported from there."""
    start = time.monotonic()
    done = subprocess.run([*words, "--json", "-"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout), time.monotonic() - start


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        raise SystemExit(f"give one wheel, not {' '.join(sys.argv[1:]) or 'none'}")
    wheel = Path(sys.argv[1]).resolve()
    with zipfile.ZipFile(wheel) as archive:
        wrong = wrong_with(wheel.name, archive.namelist())
    if wrong:
        print(*wrong, sep="\n")
        return 1
    environment = ROOT / "build" / "wheel-venv"
    programs, installed = fresh(environment, wheel)
    demo, seconds = asked([str(programs / "taxel"), "demo"], environment)
    for row in demo["rows"]:
        if abs(row["taxel_force_sum_N"] - row["load_N"]) > 1e-3 * row["load_N"]:
            wrong.append(f"{row['sensor']} reads {row['taxel_force_sum_N']} N under {row['load_N']} N")
    doctor, _ = asked([str(programs / "taxel"), "doctor"], environment)
    wrong += [f"{check['name']}: {check['found']}" for check in doctor["checks"] if check["state"] == "broken"]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    size = wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {size:.1f} MB; installed in {installed:.1f} s, taxel demo in {seconds:.1f} s")
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
