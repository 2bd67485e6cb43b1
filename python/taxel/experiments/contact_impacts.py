"""Twenty thousand hits and squeezes of skins: none may create energy, let the body through, become NaN, or crash.

Skin, object, how they meet, time step, integrator, solver and coupling are drawn for each run from a generator of its
own, whose seed is the number of the run (contact_impacts_draw.py), so that one of them can be run again:

    from taxel.experiments import contact_impacts
    case = contact_impacts.draw(137)
    print(case, contact_impacts.run_case(case))

What is judged, and how: contact_impacts_judge.py. Runs are numbered from 0; a row of each is appended to a file as soon
as it is done, so that a stopped experiment goes on where it was, and parts of it can be run on several machines.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

from taxel.experiments.contact_impacts_draw import COUPLINGS, Case, draw
from taxel.experiments.contact_impacts_judge import ENERGY_LIMIT, NUMBERS, VERSION, run_case

__all__ = ["Case", "draw", "run", "run_case", "run_many"]

RUNS, QUICK_RUNS = 20_000, 500
TIME_LIMIT = 120.0
"""Wall time after which a run counts as hung, s."""


# --- Many of them ---


def _worker(pipe: Any) -> None:
    folder = os.environ.get("TAXEL_IMPACTS_LOG")  # MuJoCo writes its warnings to a file in the working folder
    if folder:
        os.chdir(folder)
    while True:
        seed = pipe.recv()
        if seed is None:
            return
        try:
            row = run_case(draw(seed))
        except Exception as error:
            row = _lost(seed, f"error: {type(error).__name__}: {error}")
        pipe.send(row)


def _lost(seed: int, why: str) -> dict[str, Any]:
    """The row of a run that has no numbers."""
    return {
        "version": VERSION,
        **asdict(draw(seed)),
        "failures": [why],
        **dict.fromkeys(NUMBERS),
        "steps": 0,
        "warnings": [],
        "wall_s": None,
        "judged": True,
        "within": False,
    }


class _Worker:
    """A process that runs one case after another, and may die of it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_worker, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.seed: int | None = None
        self.since = 0.0

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send(seed)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_many(seeds: list[int], jobs: int = 1, time_limit: float = TIME_LIMIT) -> Iterator[dict[str, Any]]:
    """Rows of these runs, in the order in which they end. Each runs in a process of its own kind: one that crashes or
    takes longer than ``time_limit`` seconds is a row as well."""
    todo = list(reversed(seeds))
    workers = [_Worker() for _ in range(max(1, min(jobs, len(todo))))]
    try:
        while True:
            for worker in workers:
                if worker.seed is None and todo:
                    worker.give(todo.pop())
            busy = [worker for worker in workers if worker.seed is not None]
            if not busy:
                return
            wait([w for worker in busy for w in (worker.pipe, worker.process.sentinel)], timeout=1.0)
            for worker in busy:
                row, seed = None, worker.seed
                try:
                    if worker.pipe.poll():
                        row = worker.pipe.recv()
                    elif not worker.process.is_alive():
                        row = _lost(seed, f"crash: the process ended with {worker.process.exitcode}")
                    elif time.monotonic() - worker.since > time_limit:
                        row = _lost(seed, f"hang: not done within {time_limit:g} s")
                except (EOFError, ConnectionError):
                    worker.process.join(5)
                    row = _lost(seed, f"crash: the process ended with {worker.process.exitcode}")
                if row is None:
                    continue
                worker.seed = None
                if row["failures"] and row["failures"][0].startswith(("crash", "hang")):
                    worker.stop()
                    workers[workers.index(worker)] = _Worker()
                yield row
    finally:
        for worker in workers:
            worker.stop()


def read_rows(folder: Path) -> dict[int, dict[str, Any]]:
    """All rows in the folder by number; a last line that was cut off does not count."""
    rows = {}
    for path in sorted(folder.glob("contact-impacts*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if row["version"] != VERSION:
                raise ValueError(
                    f"{path}: runs of version {row['version']}, this is version {VERSION}; give another --out"
                )
            rows[row["seed"]] = row
    return rows


def parse_shard(text: str) -> tuple[int, int]:
    try:
        part, parts = (int(x) for x in text.split("/"))
        if not 1 <= part <= parts:
            raise ValueError
    except ValueError:
        raise ValueError(f"--shard {text}: give part/parts, from 1/8 to 8/8 for example") from None
    return part, parts


# --- Summary ---

KINDS = ("nan", "energy", "core", "physics", "crash", "hang", "error")


def kinds(row: dict[str, Any]) -> set[str]:
    return {text.split(":")[0] for text in row["failures"]}


def summary(rows: list[dict[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Counts by class: header and lines."""

    def line(name: str, chosen: list[dict[str, Any]]) -> tuple[str, ...]:
        count = Counter(kind for row in chosen for kind in kinds(row))
        gains = [r["energy_gain"] for r in chosen if r["energy_gain"] is not None]
        deep = [r["compression"] for r in chosen if r["compression"] is not None]
        return (
            name,
            str(len(chosen)),
            str(sum(bool(r["failures"]) for r in chosen)),
            *(str(count[kind]) for kind in KINDS),
            f"{100 * max(gains, default=0.0):.3g} %",
            str(sum(d > 1 for d in deep)),
        )

    lines = [line(f"coupling {c}", [r for r in rows if r["coupling"] == c]) for c in COUPLINGS]
    chosen = [r for r in rows if r["coupling"] == "rows"]
    for key in ("integrator", "solver", "step", "field", "skin", "object", "action", "aim", "mount"):
        for value in sorted({r[key] for r in chosen}, key=str):
            lines.append(line(f"{key} {value}", [r for r in chosen if r[key] == value]))
    header = ("runs", "count", "failed", *KINDS, "greatest gain", "deeper than core")
    return header, lines


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Work of the contacts over what came in against compression, one dot a run."""
    from taxel.cli.common import need_matplotlib

    plt = need_matplotlib()
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
    for axis, coupling in zip(axes, ("rows", "explicit"), strict=True):
        chosen = [
            r
            for r in rows
            if r["coupling"] == coupling and r["work"] is not None and r["touched"] and r["energy_in"] > 0
        ]
        x = np.clip([r["compression"] for r in chosen], 1e-3, 1e2)
        y = np.array([(r["work"] + r["energy_in"]) / r["energy_in"] for r in chosen])
        bad = np.array([bool(r["failures"]) for r in chosen], bool)
        if len(chosen):
            axis.plot(x[~bad], np.clip(y[~bad], -1, 1e12), ".", color="tab:blue", markersize=3, label="within")
            axis.plot(x[bad], np.clip(y[bad], -1, 1e12), ".", color="tab:red", markersize=5, label="failed")
        axis.axvline(1, color="0.5", linewidth=0.8)
        axis.axhline(1, color="0.5", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=1)
        axis.set_xlabel("greatest compression, thicknesses (1: the core)")
        axis.set_title(f"coupling {coupling}: {len(chosen)} runs, {int(bad.sum())} failed")
    axes[0].set_ylabel("energy out / energy in")
    axes[0].legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def run(
    out: Any,
    folder: Path,
    quick: bool = False,
    runs: int | None = None,
    shard: str | None = None,
    jobs: int | None = None,
) -> dict[str, Any]:
    """``runs``: how many; ``shard``: "3/8" runs every eighth of them, from the third on; ``jobs``: processes.

    Rows are appended to a file in ``folder``; what is there already is not run again, and all of it is in the summary.
    """
    from taxel.cli.common import table

    number = runs if runs is not None else QUICK_RUNS if quick else RUNS
    if number < 1:
        raise ValueError(f"--runs {number}: give at least 1")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs {jobs}: give at least 1")
    part, parts = parse_shard(shard) if shard else (1, 1)
    rows = read_rows(folder)
    seeds = [seed for seed in range(number) if seed % parts == part - 1 and seed not in rows]
    path = folder / (f"contact-impacts-{part}-of-{parts}.jsonl" if shard else "contact-impacts.jsonl")
    os.environ["TAXEL_IMPACTS_LOG"] = str(folder)
    with path.open("a") as file:
        for row in out.progress(run_many(seeds, jobs or os.cpu_count() or 1), "runs", len(seeds)):
            file.write(json.dumps(row) + "\n")
            file.flush()
            rows[row["seed"]] = row
            if not row["within"]:
                out.print(f"{draw(row['seed'])}: {'; '.join(row['failures'])}")
    chosen = [rows[seed] for seed in sorted(rows)]
    out.print(table(*summary(chosen)))
    image = folder / "contact-impacts.png"
    picture(chosen, image)
    out.print(f"wrote {image} and {path}")
    return {"experiment": "contact-impacts", "version": VERSION, "energy_limit": ENERGY_LIMIT, "rows": chosen}
