"""The gel's solver beside Taichi's: particle updates per second in the same run, and where the machine's limits lie.

    python benchmarks/gel_speed.py --out benchmarks/results                     # CPU, one thread
    python benchmarks/gel_speed.py --device cuda --out benchmarks/results       # 1M and 8M particles
    python benchmarks/gel_speed.py --quick                                      # does it run?

Taichi (gel_taichi.py: SVD form, Newton form and, on one CPU thread, the Newton form without atomic adds) and taxel take
turns, each in a process of its own, on the start of gel_scene.py. First each runs 200 steps and particles are compared
by id. ``wall`` is from the median step; ``per CPU-second`` counts all steps, re-sorting included, and the CPU time of
all threads: on a shared machine trust that. Writes gel_speed.md and gel_speed.json (gel_speed_cuda.* on the GPU) to
--out. A missing package is named in the table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from gel_scene import DENSITY, LARGE, POISSON, SIZES, YOUNG, Scene, farthest, scene

FORMS = ("taichi svd", "taichi newton")
# Loops on one thread lose their atomic adds in Taichi: faster on one core, but such code cannot use a second one.
SERIAL = "taichi newton, serial"
TAICHI = "1.7.4"
# At least so many times the faster Taichi form, per CPU-second; and updates per second on one H200.
LEAST_RATIO = {97_336: 8.0, 512_000: 8.0, 1_000_000: 7.0}
LEAST_CUDA = {1_000_000: 3e9, LARGE: 5e9}

# Hand counts of one update with separable sums and four Newton steps.
FLOPS = {"F": 63, "polar": 240, "stress": 100, "weights": 60, "to grid": 420, "from grid": 560}
# float32, every number touched once a sweep: x, v and the affine matrix read for the grid; x and F read, x, v, affine
# and F written after it. A CPU fetches the lines of v and the affine matrix before it overwrites them; a GPU does not.
STATE_BYTES = {"read": 4 * (15 + 12), "written": 4 * 24}
FETCHED_BYTES = 4 * 12
NODE_BYTES = (
    16 * 6
)  # cleared; added to (read, written); made a velocity (read, written); read: with 8 particles to a node
DENSE_NODE_BYTES = 16 * 3  # a node that is cleared and looked at though no particle is near (fetched, written, read)
H200 = {"flops": 67e12, "bytes": 4.8e12, "source": "the vendor's figures"}


class Missing(RuntimeError):
    """A package or a function that a row needs is not there."""


def taxel_solver(s: Scene, threads: int, device: str = "cpu"):
    """The scene in taxel: something with step(n), positions and, on the GPU, synchronize(). Nodes as in gel_taichi."""
    if importlib.util.find_spec("taxel") is None:
        raise Missing("taxel is not installed: pip install . in the root of the repository")
    import taxel

    if not hasattr(taxel, "Gel"):
        raise Missing("this taxel has no gel: install a newer one")
    x, v = s.start()
    if device == "cuda":
        return CudaCube(s, x, v)
    gel = taxel.Gel(
        particles=x, volume=s.volume, cell=s.dx, young=YOUNG, poisson=POISSON, density=DENSITY, dt=s.dt, damping=0.0,
        average_volume=False, threads=threads, grid="space",  # as Taichi's
    )  # fmt: skip
    gel.set_velocities(v)
    gel.step = gel.advance
    return gel


class CudaCube:
    """The scene on the GPU. ``step`` queues; positions and velocities of taxel._core.CudaGel are in cells and steps."""

    def __init__(self, s: Scene, x: np.ndarray, v: np.ndarray) -> None:
        from taxel import _core

        kappa = 4 * s.dt**2 / (DENSITY * s.dx**2)
        mu, lame = s.lame
        self.dx = s.dx
        self._gel = _core.CudaGel(
            np.ascontiguousarray(x, float) / s.dx, [s.cells] * 3, 1, kappa * mu, kappa * lame,
            velocities=np.ascontiguousarray(v * (s.dt / s.dx), np.float32),
        )  # fmt: skip

    def step(self, n: int) -> None:
        self._gel.step(n, wait=True)

    def synchronize(self) -> None:
        """A step with ``wait`` has waited already."""

    @property
    def positions(self) -> np.ndarray:
        return self.dx * np.asarray(self._gel.positions(0))


def taxel_rate(particles: int, threads: int, seconds: float, device: str = "cpu") -> dict:
    """As ``gel_taichi.measure``; timed by 20 steps, so that re-sorting is part of the median too."""
    solver = taxel_solver(scene(particles), threads, device)
    if device == "cpu":

        def wait() -> None:
            pass

    else:
        wait = getattr(solver, "synchronize", None)
        if wait is None:
            raise Missing("taxel's gel has no synchronize(): the time of queued CUDA work cannot be read without it")
    batch = 20
    solver.step(batch)
    wait()
    times = []
    begin_cpu, begin = time.process_time(), time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        t = time.perf_counter()
        solver.step(batch)
        wait()
        times.append((time.perf_counter() - t) / batch)
    cpu = time.process_time() - begin_cpu
    steps = batch * len(times)
    return {"wall": particles / statistics.median(times), "cpu": particles * steps / cpu, "steps": steps}


def taichi_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("taichi")
    except PackageNotFoundError as error:
        raise Missing(f"taichi is not installed: pip install taichi=={TAICHI}") from error


def codes(arguments: argparse.Namespace) -> tuple[str, ...]:
    if arguments.quick:
        return FORMS[1], "taxel"
    return (*FORMS, *((SERIAL,) if arguments.device == "cpu" and arguments.threads == 1 else ()), "taxel")


def taichi_choice(task: dict) -> tuple:
    """Polar form and layout of a row."""
    from dataclasses import replace

    import gel_taichi

    return ("svd" if task["code"] == FORMS[0] else "newton"), replace(
        gel_taichi.BEST[task["device"]], serial=task["code"] == SERIAL
    )


def rate(task: dict) -> dict:
    if task["code"] == "taxel":
        return taxel_rate(task["particles"], task["threads"], task["seconds"], task["device"])
    taichi_version()
    import gel_taichi

    polar, layout = taichi_choice(task)
    return gel_taichi.measure(task["particles"], polar, task["device"], task["threads"], task["seconds"], layout)


def positions(task: dict) -> dict:
    if task["code"] == "taxel":
        solver = taxel_solver(scene(task["particles"]), task["threads"], task["device"])
        solver.step(task["steps"])
        x = np.asarray(solver.positions)
    else:
        taichi_version()
        import gel_taichi

        polar, layout = taichi_choice(task)
        x = gel_taichi.positions_after(task["particles"], task["steps"], polar, task["device"], task["threads"], layout)
    np.save(task["file"], x)
    return {}


def peaks(task: dict) -> dict:
    """What one core reaches: flops of a float32 matrix product, bytes of a sum of arrays outside the caches."""
    a = np.random.default_rng(1).random((1024, 1024), np.float32)
    a @ a
    best = 0.0
    for _ in range(5):
        t = time.process_time()
        for _ in range(4):
            a @ a
        best = max(best, 4 * 2 * 1024**3 / (time.process_time() - t))
    b = np.ones(16_000_000, np.float32)
    c, out = b.copy(), b.copy()
    moved = 0.0
    for _ in range(5):
        t = time.process_time()
        np.add(b, c, out=out)
        moved = max(moved, 4 * b.nbytes / (time.process_time() - t))  # two read, one fetched and written
    return {"flops": best, "bytes": moved, "source": "one core, measured with NumPy: matrix product, sum of arrays"}


WORK = {"rate": rate, "positions": positions, "peaks": peaks}


def apart(work: str, cache: str, **task) -> dict:
    """Runs a piece of work in a process of its own; {"missing": why} where it cannot run."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "TI_OFFLINE_CACHE_FILE_PATH": cache}
    command = [sys.executable, __file__, "--work", json.dumps({"work": work, **task})]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise RuntimeError(f"{work} of {task} failed with status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def do_work(text: str) -> None:
    task = json.loads(text)
    try:
        result = WORK[task.pop("work")](task)
    except Missing as error:
        result = {"missing": str(error)}
    print(json.dumps(result))


def update_cost(code: str, s: Scene, device: str) -> dict:
    """Flops and bytes from memory of one particle update."""
    state = sum(STATE_BYTES.values()) + (FETCHED_BYTES if device == "cpu" else 0)
    grid = NODE_BYTES / 8
    if code != "taxel":
        low, high = s.node_box
        grid += DENSE_NODE_BYTES * max((high - low) ** 3 - s.particles / 8, 0) / s.particles
    return {"flops": sum(FLOPS.values()), "bytes": state + grid}


def compare(arguments: argparse.Namespace, particles: int, cache: str) -> list[dict]:
    s = scene(particles)
    arrays = {}
    rows = []
    task = {key: getattr(arguments, key) for key in ("steps", "threads", "device")}
    for number, code in enumerate(codes(arguments)):
        file = str(Path(cache) / f"positions{number}.npy")
        done = apart("positions", cache, code=code, particles=particles, file=file, **task)
        if "missing" in done:
            rows.append({"code": code, **done})
        else:
            arrays[code] = np.load(file)
    if FORMS[1] not in arrays:
        return rows
    reference = arrays.pop(FORMS[1])
    far = {"the start": s.start()[0], **arrays}
    for code, x in far.items():
        most, mean = farthest(reference, x, s.dx)
        rows.append(
            {"code": code, "particles": particles, "steps": arguments.steps, "largest_dx": most, "mean_dx": mean}
        )
    return rows


def measure_all(arguments: argparse.Namespace, sizes: list[int], cache: str) -> list[dict]:
    names = codes(arguments)
    task = {key: getattr(arguments, key) for key in ("seconds", "threads", "device")}
    rows = {(n, code): {"particles": n, "code": code, "rounds": []} for n in sizes for code in names}
    for n in sizes:
        for _ in range(arguments.rounds):
            for code in names:
                if "missing" in rows[n, code]:
                    continue
                done = apart("rate", cache, code=code, particles=n, **task)
                if "missing" in done:
                    rows[n, code].update(done)
                else:
                    rows[n, code]["rounds"].append(done)
                    wall, cpu = done["wall"] / 1e6, done["cpu"] / 1e6
                    print(f"{n:>9,} {code:<22} {wall:9.2f} M/s wall {cpu:9.2f} per CPU-second", file=sys.stderr)
    for row in rows.values():
        for key in ("wall", "cpu"):
            if row["rounds"]:
                row[key] = statistics.median(r[key] for r in row["rounds"])
    return list(rows.values())


def judge(rows: list[dict], device: str) -> None:
    """Adds taxel's ratios to the faster Taichi form and to the serial one, and the bar, to the rows of taxel."""
    key = "cpu" if device == "cpu" else "wall"
    for row in rows:
        if row["code"] != "taxel" or key not in row:
            continue
        n = row["particles"]
        rivals = {r["code"]: r[key] for r in rows if r["particles"] == n and r["code"] != "taxel" and key in r}
        if SERIAL in rivals:
            row["ratio_serial"] = row[key] / rivals.pop(SERIAL)
        if rivals:
            row["ratio"] = row[key] / max(rivals.values())
        if device == "cpu" and "ratio" in row and n in LEAST_RATIO:
            row["bar"], row["reached"] = f"{LEAST_RATIO[n]:g}x", row["ratio"] >= LEAST_RATIO[n]
        elif device == "cuda" and n in LEAST_CUDA:
            row["bar"], row["reached"] = f"{LEAST_CUDA[n] / 1e9:g} G/s", row["wall"] >= LEAST_CUDA[n]


def markdown(report: dict) -> str:
    m, device = report["peaks"], report["device"]
    out = [
        f"# Speed of the gel ({device})",
        "",
        f"{report['machine']}; {report['threads']} thread(s); Taichi {report['taichi']}; median of {report['rounds']} "
        "rounds, least and most in brackets. M/s = million particle updates per second.",
        "",
        "| particles | code | M/s wall | M/s per CPU-second | times faster of SVD, Newton | times serial | bar |",
        "|---|---|---|---|---|---|---|",
    ]

    def spread(row: dict, key: str) -> str:
        values = [r[key] / 1e6 for r in row["rounds"]]
        return f"{row[key] / 1e6:.2f} ({min(values):.2f}-{max(values):.2f})"

    for row in report["rows"]:
        if "wall" not in row:
            out.append(f"| {row['particles']:,} | {row['code']} | {row.get('missing', 'not run')} | - | - | - | - |")
            continue
        ratio, serial = (f"{row[k]:.1f}" if k in row else "-" for k in ("ratio", "ratio_serial"))
        bar = f"{row['bar']}: {'reached' if row['reached'] else 'missed'}" if "bar" in row else "-"
        cpu = spread(row, "cpu") if device == "cpu" else "-"
        out.append(
            f"| {row['particles']:,} | {row['code']} | {spread(row, 'wall')} | {cpu} | {ratio} | {serial} | {bar} |"
        )
    out += [
        "",
        f"**Roofline.** {m['flops'] / 1e9:,.0f} GFLOP/s and {m['bytes'] / 1e9:,.1f} GB/s ({m['source']}). Hand count "
        f"of one update: {', '.join(f'{k} {v}' for k, v in FLOPS.items())}, in all {sum(FLOPS.values()):,} flops; an "
        "SVD in the place of the Newton steps costs more. Re-sorting is not counted. The bytes bind only where state "
        "(96 bytes a particle) and the grid exceed the caches.",
        "",
        "| particles | code | bytes per update | limit by flops, M/s | by bytes, M/s | reached, of the lower limit |",
        "|---|---|---|---|---|---|",
    ]
    for row in report["rows"]:
        cost = row["cost"]
        limits = (m["flops"] / cost["flops"], m["bytes"] / cost["bytes"])
        key = "cpu" if device == "cpu" else "wall"
        share = f"{100 * row[key] / min(limits):.0f} %" if key in row else "-"
        out.append(
            f"| {row['particles']:,} | {row['code']} | {cost['bytes']:.0f} | {limits[0] / 1e6:,.0f} "
            f"| {limits[1] / 1e6:,.0f} | {share} |"
        )
    out += ["", "**Same motion.** Distance by particle id from Taichi's Newton form, in cells.", ""]
    for row in report["check"]:
        if "missing" in row:
            out.append(f"- {row['code']}: {row['missing']}")
        else:
            out.append(
                f"- {row['code']}: largest {row['largest_dx']:.2g}, mean {row['mean_dx']:.2g} "
                f"({row['particles']:,} particles, {row['steps']} steps)"
            )
    return "\n".join(out) + "\n"


def machine_name(device: str) -> str:
    if device == "cuda":
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    field = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    wide = "AVX-512" if "avx512f" in field.get("flags", "") else "AVX2" if "avx2" in field.get("flags", "") else ""
    name = field.get("model name", platform.processor() or platform.machine())
    kind = f"family {field.get('cpu family', '?')}, model {field.get('model', '?')}"
    return f"{name} {wide} ({kind}), {os.cpu_count()} cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--particles", type=int, nargs="+", help="cube numbers; those of the bars unless given")
    parser.add_argument("--steps", type=int, default=200, help="of the comparison by particle id")
    parser.add_argument("--quick", action="store_true", help="27,000 particles, one short round, Newton form only")
    parser.add_argument("--out", type=Path, help="folder for gel_speed.md and gel_speed.json")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        do_work(arguments.work)
        return

    sizes = arguments.particles or list(SIZES if arguments.device == "cpu" else LEAST_CUDA)
    checked = SIZES[0]
    if arguments.quick:
        sizes, checked = [27_000], 27_000
        arguments.rounds, arguments.seconds, arguments.steps = 1, 0.5, 20
    try:
        taichi = taichi_version()
    except Missing as error:
        taichi = str(error)
    with tempfile.TemporaryDirectory() as cache:
        check = compare(arguments, checked, cache)
        rows = measure_all(arguments, sizes, cache)
        limits = apart("peaks", cache) if arguments.device == "cpu" else H200
    for row in rows:
        row["cost"] = update_cost(row["code"], scene(row["particles"]), arguments.device)
    judge(rows, arguments.device)
    report = {
        "device": arguments.device,
        "machine": machine_name(arguments.device),
        "threads": arguments.threads,
        "taichi": taichi,
        "rounds": arguments.rounds,
        "peaks": limits,
        "rows": rows,
        "check": check,
    }
    text = markdown(report)
    print(text)
    if any(math.isnan(row.get("largest_dx", 0.0)) for row in check):
        raise SystemExit("a particle's position is not a number: the runs are not comparable")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        stem = "gel_speed" if arguments.device == "cpu" else "gel_speed_cuda"
        (arguments.out / f"{stem}.md").write_text(text)
        (arguments.out / f"{stem}.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
