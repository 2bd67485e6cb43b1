"""env-steps a second of the tasks, by engine and touch, with random actions: python benchmarks/tasks_speed.py.

Each row is one environment after a warm-up; the split is that of ``env.timing``.
"""

from __future__ import annotations

import argparse
import json
import os
import time

import torch

import taxel.tasks


def measure(task: str, engine: str, touch: str, worlds: int, steps: int, contact: str) -> dict[str, float | str]:
    env = taxel.tasks.make(task, worlds=worlds, engine=engine, touch=touch, contact=contact)
    generator = torch.Generator().manual_seed(0)
    actions = [2 * torch.rand(worlds, env.num_actions, generator=generator) - 1 for _ in range(8)]

    def run(count: int) -> float:
        start = time.perf_counter()
        for k in range(count):
            env.step(actions[k % 8].to(env.device))
        if env.device.startswith("cuda"):
            torch.cuda.synchronize()
        return time.perf_counter() - start

    run(3)
    before = dict(env.timing)
    seconds = run(steps)
    share = (env.timing["touch"] - before["touch"]) / seconds
    row = {
        "task": task, "engine": engine, "device": env.device, "contact": contact, "touch": touch, "worlds": worlds,
        "env_steps_per_s": worlds * steps / seconds, "touch_share": share, "bad": env.statistics()["bad"],
    }  # fmt: skip
    env.close()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=32)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--engine", choices=("cpu", "warp"), default="cpu")
    parser.add_argument("--tasks", nargs="+", default=["peg", "bin", "book", "drawer"])
    parser.add_argument("--touch", nargs="+", default=["none", "taxel"])
    parser.add_argument("--contact", nargs="+", default=["soft"])
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for task in options.tasks:
        for contact in options.contact:
            for touch in options.touch:
                row = measure(task, options.engine, touch, options.worlds, options.steps, contact)
                rows.append(row)
                print(
                    f"{task:7} {options.engine} {row['device']} {contact:6} {touch:12} {options.worlds} worlds  "
                    f"{row['env_steps_per_s']:9.0f} env-steps/s, touch {100 * float(row['touch_share']):.0f} %",
                    flush=True,
                )
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"cores": os.cpu_count(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
