"""How long FOTS, TacSL and grey images take on a GPU.

Adds fots_ms, tacsl_ms and image_ms to the rows of OUT/markers_gpu.json, which gpu_marker_speed.py writes.
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
from gpu_scenes import make_camera, rotations, upload
from gpu_timing import graph_ms, time_ms

MARKERS = taxel.gelsight_mini_markers(dome=False).markers


def speed_row(worlds: int, frames: int = 16) -> dict[str, float]:
    """ms a step of two fingers, replayed from a graph: 63 markers or points, images of 80 x 60."""
    radius, rng = 12e-3, np.random.default_rng(1)
    X = np.tile(np.eye(4), (frames, worlds, 2, 1, 1))
    X[..., :3, :3] = rotations(rng, worlds * 2, 3.0).reshape(1, worlds, 2, 3, 3)
    X[..., 2, 3] = 2e-3 + radius - 1.2e-3
    X[..., :2, 3] = rng.uniform(-2e-3, 2e-3, (worlds, 2, 2)) + np.linspace(0, 1e-3, frames)[:, None, None, None]
    path, ball = upload(X), taxel.Body.sphere(radius)
    fots = taxel.Fots(MARKERS, ball).batch(worlds, 2, device="cuda")
    tacsl = taxel.TacSL(MARKERS, ball).batch(worlds, 2, device="cuda")
    row = {
        "fots_ms": graph_ms(lambda k: fots.step(path[k % frames]), frames),
        "tacsl_ms": graph_ms(lambda k: tacsl.read(path[k % frames], dt=0.01), frames),
        "fots_launched_ms": time_ms(lambda k: fots.step(path[k % frames])),
    }
    for skin, name in (("membrane", "image_ms"), ("rigid", "image_rigid_ms")):
        image = make_camera().batch(ball, worlds, 2, device="cuda", skin=skin)
        row[name] = graph_ms(lambda k, b=image: b.render(path[k % frames]), frames)
        del image
    print(f"worlds {worlds}, " + ", ".join(f"{k} {v:.4f}" for k, v in row.items()))
    torch.cuda.empty_cache()
    return row


def speed(out: Path, quick: bool) -> None:
    file = out / "markers_gpu.json"
    device = {"device": torch.cuda.get_device_name(), "fingers": 2, "markers": len(MARKERS), "rows": []}
    numbers = json.loads(file.read_text()) if file.exists() else device
    numbers["image"] = [80, 60]
    rows = {row["worlds"]: row for row in numbers["rows"]}
    for worlds in (256, 1024) if quick else (256, 512, 1024, 16384):
        rows.setdefault(worlds, {"worlds": worlds}).update(speed_row(worlds))
    numbers["rows"] = [rows[worlds] for worlds in sorted(rows)]
    out.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(numbers, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--quick", action="store_true", help="two sizes")
    options = parser.parse_args()
    speed(options.out, options.quick)


if __name__ == "__main__":
    main()
