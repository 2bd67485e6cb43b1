"""EIP presses a second on a GPU, from Python. Writes OUT/eip.json."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import taxel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "gpu"))
from gpu_eip_scene import scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    options = parser.parse_args()
    figures = {}
    press = taxel.EipPress(device="cuda", gap=0.26, steps=100)
    for n in (256, 512):
        shapes, which, poses = scene(n)
        press.run(shapes, which, poses)
        start = time.perf_counter()
        done = press.run(shapes, which, poses)
        seconds = time.perf_counter() - start
        figures[n] = {"seconds": seconds, "presses_a_second": n / seconds, "steps": float(done.steps.mean())}
        print(f"{n} presses: {seconds:.2f} s, {n / seconds:.0f} a second, {done.steps.mean():.0f} steps")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "eip.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
