"""What a row of a recording costs: time in the simulation's loop, and bytes on the disk.

    .venv/bin/python benchmarks/record_speed.py [ROWS]

A Myrmex (16 x 16, with its points), its wrench and a pose; the same with a camera's 320 x 240 picture, a noisy one. The
peer is NumPy's own savez of the same arrays, all at once.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import taxel.record as record
from taxel.report import table


def rows_of(count: int, picture: bool) -> tuple[dict, list[dict]]:
    grid = np.stack(np.meshgrid(np.arange(16.0), np.arange(16.0), [0.0]), -1).reshape(-1, 3)
    channels: dict[str, record.Channel] = {
        "sensor": record.Pose(),
        "touch": record.Array((16, 16), "Pa", 5e-3 * grid, "sensor"),
        "wrench": record.Wrench("sensor"),
        "object": record.Pose(),
    }
    if picture:
        channels["camera"] = record.Image(240, 320)
    chance, rows = np.random.default_rng(1), []
    across = np.linspace(0, 200, 320)[None, :, None]
    distance = np.hypot(*np.mgrid[-7.5:8.5, -7.5:8.5])
    for k in range(count):
        row = {
            "sensor": np.array([0, 0, 0, 1, 0, 0, 0.0]),
            "touch": np.maximum(0, 5 + 3 * np.sin(0.01 * k) - distance) * 1e3,
            "wrench": chance.normal(size=6),
            "object": np.array([0, 0, 0.001 * k, 1, 0, 0, 0.0]),
        }
        if picture:
            row["camera"] = (across + k % 50 + chance.integers(0, 4, (240, 320, 3))).astype(np.uint8)
        rows.append(row)
    return channels, rows


def size_of(path: Path) -> int:
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file()) if path.is_dir() else path.stat().st_size


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    cells = []
    for picture in (False, True):
        number = count // 8 if picture else count
        channels, rows = rows_of(number, picture)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("run.mcap", "run.h5", "run"):
                path = Path(folder) / name
                begin, busy = time.perf_counter(), time.process_time()
                with record.open(path, channels) as recorder:
                    for k, row in enumerate(rows):
                        recorder.write(0.01 * k, row)
                wall, cpu = time.perf_counter() - begin, time.process_time() - busy
                begin = time.perf_counter()
                record.read(path)
                back = time.perf_counter() - begin
                cells.append((name, picture, wall, cpu, back, size_of(path), number))
            begin, busy = time.perf_counter(), time.process_time()
            np.savez(Path(folder) / "run.npz", **{n: np.stack([row[n] for row in rows]) for n in channels})
            wall, cpu = time.perf_counter() - begin, time.process_time() - busy
            cells.append(("np.savez", picture, wall, cpu, 0.0, size_of(Path(folder) / "run.npz"), number))
    header = ("", "picture", "us a row", "of it CPU", "us to read", "bytes a row")
    print(
        table(
            header,
            [
                (
                    name,
                    "320 x 240" if p else "-",
                    f"{1e6 * w / n:.0f}",
                    f"{1e6 * c / n:.0f}",
                    f"{1e6 * b / n:.0f}" if b else "-",
                    f"{s / n:.0f}",
                )
                for name, p, w, c, b, s, n in cells
            ],
            left=2,
        )
    )


if __name__ == "__main__":
    main()
