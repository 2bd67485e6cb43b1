"""100,000 presses on a Myrmex by statics: time, CPU time, memory; beside the same presses settled in MuJoCo.

    python benchmarks/dataset_speed.py --out benchmarks/results

Peer: ``taxel.press.press``, which lets MuJoCo settle (the same force, object and pose), on the first samples.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from taxel.cli.info import cpu_name
from taxel.dataset import make_dataset, read_plan
from taxel.dataset.samples import SampleMaker
from taxel.dataset.stock import take_stock
from taxel.press import press
from taxel.report import Progress, markdown

PLAN = Path(__file__).with_name("dataset_plan.yaml")
SETTLED = 12  # presses in MuJoCo


def peer() -> tuple[float, float]:
    """CPU time of a sample, s: by statics and settled in MuJoCo, on the same spheres."""
    plan = read_plan(PLAN)
    maker = SampleMaker(plan, take_stock(plan))
    rows = maker.shard(0)
    balls = [k for k, name in enumerate(rows.columns["object"]) if name == "sphere"][:SETTLED]
    begin = time.process_time()
    for k in balls:
        pose, force = rows.columns["pose"][k], -rows.columns["force"][k][2]
        press("myrmex", f"sphere:{rows.columns['size'][k][0]!r}", force=force, offset=(pose[0], pose[1]))
    settled = (time.process_time() - begin) / len(balls)
    begin = time.process_time()
    maker.shard(1)
    return (time.process_time() - begin) / plan.shard_size, settled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", help="write dataset.md into this folder")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        made = make_dataset(PLAN, Path(folder) / "data", jobs=options.jobs, show=Progress)
        seconds = time.perf_counter() - begin
    ours, settled = peer()
    third = max(1, len(made.peaks_mb) // 3)
    early, late = max(made.peaks_mb[third : 2 * third]), max(made.peaks_mb[-third:])
    load = os.getloadavg()[0]
    rows = [
        ("samples", f"{made.samples:,} ({made.left_out} left out), {made.shards} shards, {made.bytes / 1e6:.1f} MB"),
        ("wall time, all of it", f"{seconds:.0f} s with {options.jobs} processes (load average {load:.1f} at the end)"),
        (
            "CPU time of the workers",
            f"{made.cpu_seconds:.1f} s; {1e3 * made.cpu_seconds / made.samples:.2f} ms a sample",
        ),
        ("on two free cores", f"{made.cpu_seconds / 2:.0f} s (half the CPU time)"),
        ("greatest memory of a worker", f"{early:.0f} MB in the second third of the shards, {late:.0f} MB in the last"),
        ("peer: settled in MuJoCo", f"{1e3 * settled:.0f} ms CPU a press, {settled / ours:,.0f} times as long"),
        ("processor", f"{cpu_name()}, NumPy {np.__version__}"),
    ]
    text = markdown(("", ""), rows)
    print(text)
    if options.out:
        note = "# A data set by statics\n\n`python benchmarks/dataset_speed.py`: `benchmarks/dataset_plan.yaml`.\n\n"
        (Path(options.out) / "dataset.md").write_text(note + text)


if __name__ == "__main__":
    main()
