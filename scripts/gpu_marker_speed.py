"""How long marker fields take on a GPU, beside HydroShear's release in dense torch in the same run.

Writes OUT/markers_gpu.json; tests/gpu holds the numbers against the CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch

import taxel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "gpu"))
from gpu_dense_torch import COUNT, MINI, RADIUS, DenseRelease, ball_ways, fibonacci_ball
from gpu_timing import graph_ms, time_ms

FRAMES = 16


def press_in(batch, X) -> None:
    """From above the gel, so that normal displacements are tracked and friction has something to hold on to."""
    for up in (2e-3, 1e-3, 5e-4, 0.0):
        higher = X.clone()
        higher[..., 2, 3] += up
        batch.step(higher)


def speed_row(worlds: int) -> dict:
    points, normals, areas = fibonacci_ball()
    ball = taxel.Body.sphere(RADIUS)
    path, shift = ball_ways(worlds, FRAMES)
    row = {"worlds": worlds}
    for mode in ("taxel", "release", "paper"):
        extra = {"areas": areas} if mode == "taxel" else {}
        field = taxel.MarkerField(MINI.pad, MINI.markers, ball, mode=mode, points=points, normals=normals, **extra)
        batch = field.batch(worlds, 2, device="cuda")
        press_in(batch, path[0])
        row[f"{mode}_launched_ms"] = time_ms(lambda k, b=batch: b.step(path[k % FRAMES], shift))
        row[f"{mode}_ms"] = graph_ms(lambda k, b=batch: b.step(path[k % FRAMES], shift), FRAMES)
        row[f"{mode}_no_gravity_ms"] = graph_ms(lambda k, b=batch: b.step(path[k % FRAMES]), FRAMES)
        if mode == "taxel":
            full = field.batch(worlds, 2, device="cuda", wrench=True, marker_forces=True)
            press_in(full, path[0])
            row["taxel_forces_ms"] = graph_ms(lambda k, b=full: b.step(path[k % FRAMES], shift), FRAMES)
            del full
        if mode == "release" and worlds <= 1024:
            dense = DenseRelease(path)
            dense.step(path[0], shift)
            row["dense_torch_ms"] = time_ms(lambda k, d=dense: d.look(path[k % FRAMES], shift), 10)
        del batch
    state = worlds * 2 * (COUNT * 12 * 2 + 63 * 12)
    row["floor_ms"] = state / 4.3e12 * 1e3  # every stretch read and written once, at the copy speed of the card
    active = 0.05 * COUNT
    row["active_floor_ms"] = worlds * 2 * (active * 24 + 63 * 12 + 2 * 64) / 4.3e12 * 1e3
    print(", ".join(f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
    torch.cuda.empty_cache()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--quick", action="store_true", help="two sizes")
    options = parser.parse_args()
    rows = [speed_row(worlds) for worlds in ((256, 1024) if options.quick else (256, 512, 1024, 4096, 16384))]
    numbers = {"device": torch.cuda.get_device_name(), "points": COUNT, "markers": 63, "fingers": 2, "rows": rows}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "markers_gpu.json").write_text(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
