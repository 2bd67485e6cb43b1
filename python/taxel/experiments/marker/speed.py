"""HydroShear's Table X: how long a step of the marker models takes.

One core: one world and finger, 2048 points of which about 100 touch, 63 markers, no gravity pass; beside it the dense
form (every point, every marker) in NumPy and, where it is installed, torch, in the same run; FOTS (as coded, and as the
HydroShear release has it) and TacSL, as in Table X with the standard deviation over rounds. Threads: batches. GPU:
batches of two fingers with 4096 points each and the gravity pass; without a GPU the figures stored in
benchmarks/results/markers_gpu.json are printed, and said to be stored.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...report import markdown, table
from .dense import DenseNumpy, DenseTorch, find_torch

POINTS, RADIUS, DEPTH, FRAMES = 2048, 12e-3, 1.2e-3, 64
GPU_POINTS, GPU_FRAMES, GPU_WORLDS = 4096, 16, (256, 512, 1024, 16384)
LIMIT_US, LAYER_LIMIT_US = 40.0, 500.0
"""Of a step on one core, CPU time."""
PAPER_MS = {
    "FOTS": {256: 122.829, 512: 230.884, 1024: 446.656},
    "FOTS (Reimpl.)": {256: 11.145, 512: 11.827, 1024: 12.040},
    "HydroShear": {256: 33.805, 512: 57.042, 1024: 103.736},
}
"""Table X: mean ms a step; their GPU and number of points are not said."""
FOTS = {"fots": "FOTS, as coded", "hydroshear_original": "FOTS of HydroShear", "hydroshear_reimpl": "FOTS (Reimpl.)"}
MODES = ("taxel", "paper", "release")
CPU_MODES = (*MODES, "layer")
STORED = Path("benchmarks/results/markers_gpu.json")


def ball_points(count: int) -> dict[str, np.ndarray]:
    """An even spiral over the ball: points, normals, areas."""
    k = np.arange(count)
    z, around = 1 - (2 * k + 1) / count, np.pi * (3 - np.sqrt(5)) * k
    n = np.column_stack([np.sqrt(1 - z * z) * np.cos(around), np.sqrt(1 - z * z) * np.sin(around), z])
    return {"points": RADIUS * n, "normals": n, "areas": np.full(count, 4 * np.pi * RADIUS**2 / count)}


def make_field(mode: str, count: int) -> taxel.MarkerField:
    mini, known = taxel.gelsight_mini_markers(dome=False), ball_points(count)
    if mode == "layer":  # meets the ball itself
        return taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(RADIUS), mode)
    if mode != "taxel":
        del known["areas"]
    return taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(RADIUS), mode, **known)


def press_path(worlds: int = 1, fingers: int = 1) -> np.ndarray:
    """(8, worlds, fingers, 4, 4): from outside down to where `slide_path` begins.

    A first pose in contact would leave mode "release" without normal stretch, so without friction and shear: nothing to
    compute.
    """
    X = np.repeat(slide_path(1, worlds, fingers), 8, axis=0)
    X[..., 2, 3] += np.linspace(DEPTH + 1e-4, 0, 8)[:, None, None]
    return X


def slide_path(frames: int, worlds: int = 1, fingers: int = 1) -> np.ndarray:
    """(frames, worlds, fingers, 4, 4): DEPTH deep, back and forth by 1 mm, so that a loop of it has no jump."""
    rng = np.random.default_rng(1)
    X = np.tile(np.eye(4), (frames, worlds, fingers, 1, 1))
    X[..., 2, 3] = 2e-3 + RADIUS - DEPTH
    there = 0.5e-3 * (1 - np.cos(2 * np.pi * np.arange(frames) / frames))
    X[..., 0, 3] = rng.uniform(-2e-3, 2e-3, (worlds, fingers)) * (worlds > 1) + there[:, None, None]
    return X


def time_us(call: Callable[[int], Any], repeats: int, rounds: int = 7) -> dict[str, float]:
    """Microseconds a call over rounds: by the clock median and least, CPU time of this thread: least, deviation."""
    for k in range(FRAMES):
        call(k)
    wall, cpu = [], []
    for _ in range(rounds):
        a, b = time.perf_counter(), time.thread_time()
        for k in range(repeats):
            call(k)
        wall.append(1e6 * (time.perf_counter() - a) / repeats)
        cpu.append(1e6 * (time.thread_time() - b) / repeats)
    return {"median": float(np.median(wall)), "least": min(wall), "cpu": min(cpu), "cpu_mean": float(np.mean(cpu)),
            "deviation": float(np.std(cpu, ddof=1))}  # fmt: skip


def one_core(out: Any, quick: bool) -> list[dict[str, Any]]:
    path, press = slide_path(FRAMES)[:, 0, 0], press_path()[:, 0, 0]
    mini, known = taxel.gelsight_mini_markers(dome=False), ball_points(POINTS)
    shapes = known["points"], mini.markers, 0.5 * np.array(mini.size), RADIUS
    rows: list[dict[str, Any]] = []
    for mode in CPU_MODES:
        field = make_field(mode, POINTS)
        field.follow(press)
        timed = time_us(lambda k, f=field: f.step(path[k % FRAMES]), 200 if quick else 1000)
        limit = LAYER_LIMIT_US if mode == "layer" else LIMIT_US
        rows.append({"what": f"taxel, mode {mode}", "mode": mode, **timed, "within": bool(timed["cpu"] < limit)})
    rows += baselines(path, press, mini.markers, quick)
    dense, field = DenseNumpy(*shapes), make_field("release", POINTS)
    off = max(float(np.abs(dense.step(X) - field.step(X)).max()) for X in (*press, *path))
    repeats = 5 if quick else 20
    rows.append({"what": "dense, NumPy", "off_px": off, "within": bool(off < 1e-6)}
                | time_us(lambda k: dense.step(path[k % FRAMES]), repeats, 3))  # fmt: skip
    torch = find_torch()
    if torch is None:
        out.print("torch is not installed: no column for it")
        rows.append({"what": "dense, torch", "missing": "torch is not installed"})
        return rows
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    dense_torch = DenseTorch(*shapes)
    way = np.concatenate([press, path])
    every = torch.tensor(way, dtype=torch.float32)[:, None]
    poses = every[len(press) :]
    field.reset()
    off = max(float(np.abs(dense_torch.step(X)[0].numpy() - field.step(Y)).max())
              for X, Y in zip(every, way, strict=True))  # fmt: skip
    rows.append({"what": "dense, torch, one thread", "off_px": off, "within": bool(off < 1e-3)}
                | time_us(lambda k: dense_torch.step(poses[k % FRAMES]), repeats, 3))  # fmt: skip
    torch.set_num_threads(threads)
    return rows


def baselines(path: np.ndarray, press: np.ndarray, markers: np.ndarray, quick: bool) -> list[dict[str, Any]]:
    """FOTS and TacSL on the same path; TacSL also gets the speed of the slide, or it would have no shear."""
    ball, repeats, rows = taxel.Body.sphere(RADIUS), 200 if quick else 1000, []
    for variant, title in FOTS.items():
        fots = taxel.Fots(markers, ball, variant)
        for X in press:
            fots.step(X)
        rows.append({"what": title, "fots": variant} | time_us(lambda k, f=fots: f.step(path[k % FRAMES]), repeats))
    tacsl, pad = taxel.TacSL(markers, ball), taxel.pose()
    speed = 60 * np.diff(path[:, :3, 3], axis=0, append=path[:1, :3, 3])
    timed = time_us(lambda k: tacsl.read(pad, path[k % FRAMES], object_velocity=speed[k % FRAMES]), repeats)
    return [*rows, {"what": "TacSL"} | timed]


def on_threads(quick: bool) -> list[dict[str, Any]]:
    worlds, frames, rows = 64 if quick else 256, 8, []
    path = slide_path(frames, worlds)
    cores = os.cpu_count() or 1
    for mode in CPU_MODES:
        for threads in sorted({1, cores}):
            batch = make_field(mode, POINTS).batch(worlds, 1, threads=threads)
            for X in press_path(worlds):
                batch.step(X)
            times = []
            for k in range(8 if quick else 24):
                start = time.perf_counter()
                batch.step(path[k % frames])
                times.append(1e3 * (time.perf_counter() - start))
            rows.append({"mode": mode, "worlds": worlds, "threads": threads, "ms": float(np.median(times)),
                         "least": min(times), "steps_per_second": 1e3 * worlds / float(np.median(times))})  # fmt: skip
    return rows


def _wait(array: Any) -> None:
    array.numpy()


def on_gpu(out: Any, quick: bool) -> dict[str, Any]:
    """Steps queued one after another, two fingers, gravity pass; in a CUDA graph where torch is there."""
    torch, rows = find_torch(), []
    if torch is None:
        out.print("torch is not installed: steps are launched one by one, not as a CUDA graph, and no dense column")
    for worlds in out.progress(GPU_WORLDS[:2] if quick else GPU_WORLDS, "on the GPU"):
        path = slide_path(GPU_FRAMES, worlds, 2)
        frames = [taxel.to_device(X) for X in path]
        shift = taxel.to_device(np.tile([0.0, -2.5e-4, 0.0], (worlds, 2, 1)))
        row: dict[str, Any] = {"worlds": worlds}
        for mode in MODES:
            batch = make_field(mode, GPU_POINTS).batch(worlds, 2, device="cuda")
            for X in press_path(worlds, 2):
                _wait(batch.step(taxel.to_device(X)))
            for X in frames:
                batch.step(X, shift)
            times = []
            for _ in range(5 if quick else 15):
                start = time.perf_counter()
                for X in frames:
                    last = batch.step(X, shift)
                _wait(last)  # its copy to the host is shared by all frames of the round
                times.append(1e3 * (time.perf_counter() - start) / GPU_FRAMES)
            row[f"{mode}_launched_ms"] = float(np.median(times))
            if torch is not None:
                row[f"{mode}_ms"] = _graph_ms(torch, batch, frames, shift)
        if torch is not None and worlds <= 1024:
            row["dense_torch_ms"] = _dense_ms(torch, path)
        rows.append(row)
    return {"device": "this machine", "points": GPU_POINTS, "markers": 63, "fingers": 2, "rows": rows}


def _events_ms(torch: Any, call: Callable[[], Any], repeats: int) -> float:
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return float(np.median(times))


def _graph_ms(torch: Any, batch: Any, frames: list[Any], shift: Any) -> float:
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        for X in frames:
            batch.step(X, shift)
    return _events_ms(torch, graph.replay, 20) / len(frames)


def _dense_ms(torch: Any, path: np.ndarray) -> float:
    mini = taxel.gelsight_mini_markers(dome=False)
    shapes = ball_points(GPU_POINTS)["points"], mini.markers, 0.5 * np.array(mini.size), RADIUS
    fingers = [DenseTorch(*shapes, device="cuda") for _ in range(2)]
    poses = torch.tensor(path, device="cuda", dtype=torch.float32)
    shift = torch.tensor([0.0, -2.5e-4, 0.0], device="cuda").expand(path.shape[1], 3)

    def both() -> None:
        for k, finger in enumerate(fingers):
            finger.step(poses[1, :, k], shift)

    for X in torch.tensor(press_path(path.shape[1], 2), device="cuda", dtype=torch.float32):
        for k, finger in enumerate(fingers):
            finger.step(X[:, k])
    return _events_ms(torch, both, 5)


def stored_gpu() -> dict[str, Any] | None:
    """The figures in benchmarks/results, from the working folder or the repository this file lies in."""
    for base in (Path.cwd(), *Path(__file__).resolve().parents[2:5]):
        if (base / STORED).is_file():
            try:
                return json.loads((base / STORED).read_text())
            except json.JSONDecodeError as error:
                raise ValueError(f"{base / STORED} is no JSON ({error}); write it anew") from None
    return None


def gpu_table(gpu: dict[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Layout of Table X: one row a model, one column a number of worlds; ms a step of all worlds and fingers."""
    by = {row["worlds"]: row for row in gpu["rows"]}
    names = (
        ("taxel_ms", "taxel"),
        ("taxel_forces_ms", "taxel, with wrench and marker forces"),
        ("release_ms", "HydroShear, release"),
        ("paper_ms", "HydroShear, paper"),
        ("taxel_launched_ms", "taxel, launched step by step"),
        ("dense_torch_ms", "dense form in torch"),
    )
    lines = []
    for key, title in names:
        if any(key in row for row in by.values()):
            lines.append((title, *(f"{by[w][key]:.4g}" if key in by[w] else "-" for w in by)))
    for title, values in PAPER_MS.items():
        lines.append((f"{title} (paper's Table X)", *(f"{values[w]:.1f}" if w in values else "-" for w in by)))
    return ("ms a step", *(f"{w} worlds" for w in by)), lines


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    rows = one_core(out, quick)
    reference = next(r["cpu"] for r in rows if r.get("mode") == "release")
    header = ("one world and finger, one core", "us a step, CPU time", "mean", "deviation", "clock, median",
              "clock, least", "times release")  # fmt: skip
    shown = ("cpu", "cpu_mean", "deviation", "median", "least")
    cells = [(r["what"], *((r["missing"], "-", "-", "-", "-", "-") if "missing" in r else
              (*(f"{r[key]:.1f}" for key in shown), f"{r['cpu'] / reference:.1f}")))
             for r in rows]  # fmt: skip
    limits = f"limit {LIMIT_US:g} us of CPU time a step, mode layer {LAYER_LIMIT_US:g}"
    out.print(f"{POINTS} points, 63 markers, no gravity; {limits}")
    out.print(table(header, cells))
    batches = on_threads(quick)
    batch_header = ("batch on the CPU", "worlds", "threads", "ms a step", "least", "worlds a second")
    batch_cells = [(f"taxel, mode {b['mode']}", str(b["worlds"]), str(b["threads"]), f"{b['ms']:.2f}",
                    f"{b['least']:.2f}", f"{b['steps_per_second']:,.0f}") for b in batches]  # fmt: skip
    out.print()
    out.print(table(batch_header, batch_cells))
    here = taxel.cuda_available()
    gpu = on_gpu(out, quick) if here else stored_gpu()
    text = "# Speed of marker fields\n\n" + markdown(header, cells) + "\n" + markdown(batch_header, batch_cells)
    if gpu is None:
        words = f"no GPU here, and no stored figures ({STORED}); the paper's Table X alone:"
        gpu_header, gpu_cells = gpu_table({"rows": [{"worlds": w} for w in GPU_WORLDS[:3]]})
    else:
        where = "measured now" if here else f"no GPU here; STORED figures of {STORED}, not measured now"
        words = (f"GPU ({where}): {gpu['device']}, {gpu['fingers']} fingers, {gpu['points']} points, "
                 f"{gpu['markers']} markers, gravity pass")  # fmt: skip
        gpu_header, gpu_cells = gpu_table(gpu)
    out.print(f"\n{words}")
    out.print(table(gpu_header, gpu_cells))
    target = folder / "marker_speed.md"
    target.write_text(text + f"\n{words}\n\n" + markdown(gpu_header, gpu_cells))
    out.print(f"table: {target}")
    return {
        "experiment": "marker-speed",
        "quick": quick,
        "rows": rows,
        "batches": batches,
        "gpu": gpu,
        "gpu_measured_now": bool(here),
        "paper_ms": PAPER_MS,
        "table": target,
    }
