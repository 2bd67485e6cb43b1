"""Twenty thousand hits and squeezes of skins: none may create energy, let the body through, become NaN, or crash.

Skin, object, how they meet, time step, integrator, solver and coupling are drawn for each run from a generator of its
own, whose seed is the number of the run (impacts_draw.py), so that one of them can be run again:

    from taxel.experiments import contact_impacts
    case = contact_impacts.draw(137)
    print(case, contact_impacts.run_case(case))

What is judged, and how: impacts_judge.py. Runs are numbered from 0; a row of each is appended to a file as soon
as it is done, so that a stopped experiment goes on where it was, and parts of it can be run on several machines.
"""

from __future__ import annotations

import functools
import hashlib
import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .impacts_draw import COLUMNS_FROM, COUPLINGS, Case, draw
from .impacts_judge import ENERGY_LIMIT, NUMBERS, VERSION, run_case

__all__ = ["Case", "draw", "run", "run_case", "run_many"]

RUNS, QUICK_RUNS = 20_000, 500
COLUMNS_SHARE = 5
"""Unless a number of runs is given, there is one more with columns for so many."""
TIME_LIMIT = 300.0
"""Wall time after which a run counts as hung, s."""
START_LIMIT = 300.0
"""The same for a process that has not even begun, s."""


# --- Many of them ---


@functools.cache
def build_id() -> str:
    """Of the plugin that does the physics, so that rows of two builds can be told apart."""
    return hashlib.sha256(Path(taxel.plugin_path()).read_bytes()).hexdigest()[:12]


def run_seed(seed: int) -> dict[str, Any]:
    return {"build": build_id(), **run_case(draw(seed))}


def _worker(pipe: Any, one: Callable[[int], dict[str, Any]], folder: str) -> None:
    os.chdir(folder)  # where MuJoCo writes its log of warnings
    pipe.send(None)  # all modules are loaded
    while True:
        seed = pipe.recv()
        try:
            row = one(seed)
        except Exception as error:
            row = _lost(seed, f"error: {type(error).__name__}: {error}")
        pipe.send(row)


def _lost(seed: int, why: str) -> dict[str, Any]:
    """The row of a run that has no numbers."""
    return {
        "build": build_id(),
        "version": VERSION,
        **asdict(draw(seed)),
        "failures": [why],
        **dict.fromkeys(NUMBERS),
        "steps": 0,
        "warnings": [],
        "wall_s": None,
        "within": False,
    }


class _Worker:
    """A process that does one run after another, and may die of it."""

    def __init__(self, one: Callable[[int], dict[str, Any]], folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_worker, args=(other, one, str(folder)), daemon=True)
        self.process.start()
        other.close()
        self.seed: int | None = None
        self.since = time.monotonic() + START_LIMIT

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, max(self.since, time.monotonic())
        self.pipe.send(seed)

    def row(self, time_limit: float) -> dict[str, Any] | None:
        """What came of the run, if it is over: also where it crashed, or takes too long."""
        if self.pipe.poll():
            try:
                row = self.pipe.recv()
                if row is None:  # it is there; the run begins now
                    self.since = time.monotonic()
                return row
            except (EOFError, ConnectionError):
                self.process.join(10)
        if not self.process.is_alive():
            return _lost(self.seed, f"crash: the process ended with {self.process.exitcode}")
        if time.monotonic() - self.since > time_limit:
            return _lost(self.seed, f"hang: not done within {time_limit:g} s")
        return None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run_many(
    seeds: Iterable[int],
    jobs: int = 1,
    *,
    time_limit: float = TIME_LIMIT,
    folder: Path = Path(),
    one: Callable[[int], dict[str, Any]] = run_seed,
) -> Iterator[dict[str, Any]]:
    """Rows of these runs, in the order in which they end. They run in other processes: one that crashes, or takes
    longer than ``time_limit`` seconds, is a row as well."""
    todo = list(seeds)[::-1]
    workers = [_Worker(one, folder) for _ in range(min(jobs, len(todo)))]
    try:
        while True:
            for worker in workers:
                if worker.seed is None and todo:
                    worker.give(todo.pop())
            busy = [worker for worker in workers if worker.seed is not None]
            if not busy:
                return
            wait([handle for worker in busy for handle in (worker.pipe, worker.process.sentinel)], timeout=1.0)
            for worker in busy:
                row = worker.row(time_limit)
                if row is None:
                    continue
                worker.seed = None
                if kinds(row) & {"crash", "hang"}:
                    worker.stop()
                    workers[workers.index(worker)] = _Worker(one, folder)
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
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
    for axis, coupling in zip(axes, ("rows", "explicit"), strict=True):
        numbers = [
            r for r in rows if r["coupling"] == coupling and r["touched"] and None not in (r["work"], r["compression"])
        ]
        chosen = [r for r in numbers if r["energy_in"] > 0]
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
    from taxel.report import NONE_DRAWN, can_draw, table

    number = runs if runs is not None else QUICK_RUNS if quick else RUNS
    if number < 1:
        raise ValueError(f"--runs {number}: give at least 1")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs {jobs}: give at least 1")
    part, parts = parse_shard(shard) if shard else (1, 1)
    rows = read_rows(folder)
    more = 0 if runs is not None else number // COLUMNS_SHARE
    wanted = [*range(number), *range(COLUMNS_FROM, COLUMNS_FROM + more)]
    seeds = [seed for seed in wanted if seed % parts == part - 1 and seed not in rows]
    path = folder / (f"contact-impacts-{part}-of-{parts}.jsonl" if shard else "contact-impacts.jsonl")

    def tell(row: dict[str, Any]) -> None:
        if not row["within"]:
            out.print(f"{draw(row['seed'])}: {'; '.join(row['failures'])}")

    for seed in sorted(rows):
        tell(rows[seed])
    if rows and (other := sum(row["build"] != build_id() for row in rows.values())):
        out.print(f"{other} of the rows in {folder} come from another build of taxel; give another --out to start anew")
    done = run_many(seeds, jobs or os.cpu_count() or 1, folder=folder)
    if path.exists() and (text := path.read_text()) and not text.endswith("\n"):
        path.write_text(text + "\n")  # the line that was cut off stays one of its own
    with path.open("a") as file:
        for row in out.progress(done, "runs", len(seeds)):
            file.write(json.dumps(row) + "\n")
            file.flush()
            rows[row["seed"]] = row
            tell(row)
    chosen = [rows[seed] for seed in sorted(rows)]
    out.print(table(*summary(chosen)))
    if can_draw():
        image = folder / "contact-impacts.png"
        picture(chosen, image)
        out.print(f"wrote {image} and {path}")
    else:
        out.print(f"wrote {path}; {NONE_DRAWN}")
    return {"experiment": "contact-impacts", "version": VERSION, "energy_limit": ENERGY_LIMIT, "rows": chosen}
