"""How fast the tasks step on a GPU, where the time goes, and that their experts solve them there.

Writes OUT/tasks_gpu.json. Needs mujoco_warp. --profile names the kernels that take longest.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch

import taxel.tasks
from taxel.tasks.scene import STEPS

CASES = (
    ("peg", "soft", "taxel"), ("peg", "soft", "none"), ("peg", "native", "taxel"), ("peg", "soft", "hydroshear"),
    ("peg", "soft", "fots_contact"), ("peg", "soft", "tacsl_shear"), ("peg", "soft", "layer"),
    ("drawer", "soft", "taxel"), ("bin", "soft", "taxel"), ("book", "soft", "taxel"),
)  # fmt: skip


def row(task: str, contact: str, touch: str, worlds: int, device: str, profile: bool) -> dict:
    began = time.perf_counter()
    env = taxel.tasks.make(task, worlds, "warp", device, touch, contact=contact, stage=2)
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    for _ in range(4):
        env.step(env.expert())
    wait()
    ready = time.perf_counter() - began
    env.reset()
    before, start = env.timing, time.perf_counter()
    for _ in range(STEPS):
        env.step(env.expert())
    wait()
    seconds = time.perf_counter() - start
    told, counts = env.timing, env.statistics()
    out = {
        "task": task, "contact": contact, "touch": touch, "worlds": worlds, "ready_s": ready,
        "step_ms": 1e3 * seconds / STEPS, "steps_per_second": worlds * STEPS / seconds,
        **{f"{k}_ms": 1e3 * (told[k] - before[k]) / STEPS for k in told},
        "expert_success": float(env.success.double().mean()), "peak_force": float(env.peak_force.double().mean()),
        "bad": counts["bad"], "overflow": counts["overflow"],
        "memory_GB": torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else 0.0,
    }  # fmt: skip
    print(", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in out.items()), flush=True)
    if profile:
        _profile(env)
    env.close()
    return out


def _profile(env) -> None:
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as profiler

    with profiler(activities=[ProfilerActivity.CUDA]) as told:
        for _ in range(4):
            env.step(env.expert())
        torch.cuda.synchronize()
    print(told.key_averages().table(sort_by="cuda_time_total", row_limit=40, max_name_column_width=90), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/gpu_check"))
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--cases", nargs="*", help="TASK/CONTACT/TOUCH (default: all)")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    cases = [tuple(c.split("/")) for c in options.cases] if options.cases else CASES
    rows = [row(*case, options.worlds, options.device, options.profile) for case in cases]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "tasks_gpu.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
