"""EIP presses from Python on the GPU against the CPU: images, poses, chamfer distances, steps; errors; speed.

python3 scripts/gpu_eip_check.py [--tiny] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import taxel

LARGEST = 2e-4
"""Of a difference of images, domains: 0.026 cells. A particle at the object's surface may be stopped a step earlier."""


def scene(n: int) -> tuple[list, list[int], np.ndarray]:
    shapes = [taxel.Body.sphere(0.07), taxel.Body.box((0.12, 0.05, 0.09)), taxel.Body.capsule(0.03, 0.1)]
    rng = np.random.default_rng(3)
    poses = np.tile(np.eye(4), (n, 1, 1))
    for X in poses:
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        q *= np.sign(np.diag(r))
        X[:3, :3] = q * np.sign(np.linalg.det(q)) if np.linalg.det(q) > 0 else q[:, [1, 0, 2]]
        X[:3, 3] = 0.5 + rng.uniform(-0.02, 0.02, 3) * [1, 0, 1]
    return shapes, [k % 3 for k in range(n)], poses


def compare(name: str, n: int, **options) -> bool:
    shapes, which, poses = scene(n)
    cpu = taxel.EipPress(**options).run(shapes, which, poses)
    gpu = taxel.EipPress(device="cuda", **options).run(shapes, which, poses)
    apart = np.abs(cpu.images - gpu.images)
    most, mean = float(apart.max()), float(apart.mean())
    same = bool((cpu.steps == gpu.steps).all() and (cpu.stopped == gpu.stopped).all())
    frames = float(np.abs(cpu.X_DP - gpu.X_DP).max())
    chamfer = float(np.abs(cpu.chamfer / gpu.chamfer - 1).max())
    ok = most < LARGEST and same and frames < 1e-12 and chamfer < 1e-3
    print(
        f"{'ok  ' if ok else 'FAIL'}  {name}: images differ by at most {most:.2e} (mean {mean:.1e}), chamfer by "
        f"{chamfer:.1e} of itself, steps {cpu.steps.tolist()} and {gpu.steps.tolist()}"
    )
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--out", metavar="DIR")
    options = parser.parse_args()
    ok = compare("stop", 3, gap=0.26, steps=90 if not options.tiny else 20)
    if not options.tiny:
        ok &= compare("mixing", 3, gap=0.26, steps=80, contact="mixing")
        ok &= compare("follow blend, offset, sum", 3, gap=0.26, steps=80, follow_blend=True, hand_offset=True,
                      form="sum", chamfer=0.4)  # fmt: skip
        ok &= compare("coarse grid", 2, gap=0.26, grid=64, dt=4e-3, steps=40)
    try:
        taxel.EipPress(device="cuda", grid=130).run([taxel.Body.sphere(0.05)], [0], [np.eye(4)])
        print("FAIL  a grid of 130 was taken")
        ok = False
    except taxel.Error as error:
        print(f"ok    {error}")
    figures = {}
    if not options.tiny:
        press = taxel.EipPress(device="cuda", gap=0.26, steps=100)
        for n in (256, 512):
            shapes, which, poses = scene(n)
            press.run(shapes, which, poses)
            start = time.perf_counter()
            done = press.run(shapes, which, poses)
            seconds = time.perf_counter() - start
            figures[n] = {"seconds": seconds, "presses_a_second": n / seconds, "steps": float(done.steps.mean())}
            print(
                f"{n} presses from Python: {seconds:.2f} s, {n / seconds:.0f} a second, {done.steps.mean():.0f} steps"
            )
    if options.out:
        Path(options.out, "eip.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
