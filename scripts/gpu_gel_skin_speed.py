"""A GelSight press with friction: a core of the CPU beside the GPU, one pad and many, in one run. Writes
OUT/gel_skin.json."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import taxel

SIZE, CELL, BALL = (0.02, 0.025, 0.004), 0.5e-3, 0.006
STATE_BYTES = 2 * (9 * 4 + 3 * 8)
"""Of a particle: F and displacement, read and written once a step. No code with these numbers can move less."""
GIVE_BYTES = 2 * 27 * 16 / 8
"""What eight particles of a cell give to 27 nodes, written and read."""
H200_BYTES = 4.8e12
"""Bytes a second of an H200's memory, of its data sheet."""
WANTED_RATIO, WANTED_RATE = 20, 1e9


def pose(x: float, z: float) -> np.ndarray:
    X = np.eye(4)
    X[0, 3], X[2, 3] = x, SIZE[2] / 2 + BALL + z
    return X


def start(**more: Any) -> taxel.Gel:
    """A ball 0.25 mm deep at once, so that all that follows has contact."""
    gel = taxel.Gel(taxel.Body.box(SIZE), cell=CELL, young=2e5, poisson=0.48, **more)
    gel.add(taxel.Body.sphere(BALL), pose(0, -0.25e-3), friction=0.5)
    return gel


def press(gel: taxel.Gel, steps: int, seconds: float) -> float:
    """Seconds a step of a ball that goes deeper and is dragged; the median of pieces."""
    gel.advance(steps)  # memory, graphs
    times: list[float] = []
    begin = time.perf_counter()
    k = 0
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        k += 1
        t = time.perf_counter()
        gel.advance(steps, pose(1e-6 * k, -0.25e-3 - 1e-6 * k))
        times.append((time.perf_counter() - t) / steps)
    return float(np.median(times))


def same(steps: int) -> None:
    """The same press on both, before the clock counts."""
    one, many = start(), start(device="cuda", pads=2)
    for gel in (one, many):
        gel.advance(steps, pose(2e-6, -0.27e-3))
    off = np.abs(np.asarray(many.displacements)[1] - one.displacements).max() / 0.27e-3
    print(
        f"{steps} steps on both: apart by {off:.2g} of the depth; force {np.asarray(many.force())[1]} N, "
        f"on the CPU {one.force()}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--quick", action="store_true", help="1 and 64 pads, short runs")
    options = parser.parse_args()
    if not taxel.cuda_available():
        print("no GPU:", taxel._core.why_no_cuda(), file=sys.stderr)
        return 1
    seconds = 1.0 if options.quick else 4.0
    same(20 if options.quick else 60)
    gel = start()
    particles, points = len(gel), len(gel.skin_positions)
    cpu = press(gel, 10, seconds)
    print(f"{particles} particles, {points} points of the skin; dt {gel.dt:.3g} s", flush=True)
    print(f"CPU, one core: {1e3 * cpu:.3f} ms a step, {particles / cpu / 1e6:.2f} M updates/s", flush=True)
    rows = [{"device": "cpu", "pads": 1, "step_s": cpu, "rate": particles / cpu}]
    floor = STATE_BYTES + GIVE_BYTES
    for pads in (1, 64) if options.quick else (1, 4, 16, 64, 128):
        try:
            many = start(device="cuda", pads=pads)
            step = press(many, 145, seconds)
        except taxel.Error as error:
            print(f"GPU, {pads} pads: {error}", flush=True)
            continue
        rate = pads * particles / step
        ratio = rate * cpu / particles
        rows.append({"device": "cuda", "pads": pads, "step_s": step, "rate": rate, "ratio": ratio})
        print(
            f"GPU, {pads} pads: {1e3 * step:.4f} ms a step, {rate / 1e9:.3f} G updates/s, {ratio:.1f} x "
            f"a core; {rate * STATE_BYTES / 1e12:.2f} TB/s of state ({STATE_BYTES} bytes an update), "
            f"{rate * floor / 1e12:.2f} TB/s with what cells give ({floor:.0f}); an H200 has {H200_BYTES / 1e12:.1f}",
            flush=True,
        )
        del many
    by_pads = {row["pads"]: row for row in rows[1:]}
    if 1 in by_pads:
        ratio = by_pads[1]["ratio"]
        print(f"one pad: {ratio:.1f} x a core (wanted {WANTED_RATIO}): {'yes' if ratio >= WANTED_RATIO else 'NO'}")
    if 64 in by_pads:
        rate = by_pads[64]["rate"]
        print(f"64 pads: {rate / 1e9:.2f} G/s (wanted {WANTED_RATE / 1e9:g}): {'yes' if rate >= WANTED_RATE else 'NO'}")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "gel_skin.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
