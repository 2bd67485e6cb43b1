"""How long marker mode layer takes on a GPU, and how far it is from the CPU in the same run.

Writes OUT/layer_gpu.json. The bar: 1,024 worlds with two fingers, some 205 cells in contact, at most 0.6 ms a step.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch

import taxel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "gpu"))
from gpu_scenes import upload
from gpu_timing import graph_ms

FRAMES, DEPTH, BAR = 16, 0.68e-3, 0.6
MINI = taxel.gelsight_mini_markers(dome=False)
BALL = 17.5e-3


def ways(worlds: int) -> np.ndarray:
    """Balls of 35 mm dragged 0.05 mm a step, back and forth: (FRAMES, worlds, 2, 4, 4)."""
    rng = np.random.default_rng(1)
    X = np.tile(np.eye(4), (FRAMES, worlds, 2, 1, 1))
    go = 5e-5 * np.minimum(np.arange(FRAMES), FRAMES - np.arange(FRAMES))
    angle = rng.uniform(0, 2 * np.pi, (worlds, 2))
    start = rng.uniform(-1e-3, 1e-3, (worlds, 2, 2))
    X[..., 0, 3] = start[..., 0] + go[:, None, None] * np.cos(angle)
    X[..., 1, 3] = start[..., 1] + go[:, None, None] * np.sin(angle)
    X[..., 2, 3] = MINI.markers[0, 2] + BALL - DEPTH
    return X.astype(np.float32)


def speed_row(worlds: int) -> dict:
    field = taxel.MarkerField(MINI.pad, MINI.markers, taxel.Body.sphere(BALL), mode="layer")
    few = min(worlds, 16)
    path = ways(worlds)
    cpu, gpu = field.batch(few, 2), field.batch(worlds, 2, device="cuda")
    on_gpu = upload(path)
    cpu.reset(press=1e-3, X_PI=path[0, :few])
    gpu.reset(press=1e-3, X_PI=on_gpu[0])
    worst = motion = 0.0
    for t in range(FRAMES):
        a, b = cpu.step(path[t, :few]), gpu.step(on_gpu[t]).numpy()[:few]
        worst, motion = max(worst, float(np.abs(a - b).max())), max(motion, float(np.abs(a).max()))
    field.step(path[0, 0, 0])
    row = {"worlds": worlds, "cells": int((field.pressure > 0).sum()), "apart": worst / motion}
    row["layer_ms"] = graph_ms(lambda k: gpu.step(on_gpu[k % FRAMES]), FRAMES)
    forces = field.batch(worlds, 2, device="cuda", wrench=True, marker_forces=True)
    row["layer_forces_ms"] = graph_ms(lambda k: forces.step(on_gpu[k % FRAMES]), FRAMES)
    print(", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
    if worst > 1e-3 * motion:
        raise SystemExit(f"the GPU is {worst / motion:.2g} of the motion off the CPU; at most 1e-3")
    if worlds == 1024:
        print(f"the bar of {BAR} ms is {'met' if row['layer_ms'] <= BAR else 'not met'}")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--quick", action="store_true", help="two sizes")
    options = parser.parse_args()
    rows = [speed_row(worlds) for worlds in ((256, 1024) if options.quick else (256, 512, 1024, 4096))]
    options.out.mkdir(parents=True, exist_ok=True)
    numbers = {"device": torch.cuda.get_device_name(), "markers": len(MINI.markers), "fingers": 2, "rows": rows}
    (options.out / "layer_gpu.json").write_text(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
