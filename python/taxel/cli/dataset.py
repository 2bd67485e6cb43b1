"""taxel dataset: tactile data at scale, by a plan."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..report import Output, Progress, add_json, check_writable, duration


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "dataset",
        help="make a data set of tactile readings by a plan",
        description="Presses objects into a sensor as a YAML file plans it, thousands or millions of times, and writes "
        "shards with a data card. The same command goes on where it was stopped. docs/guide/dataset.md is the guide.",
    )
    parser.add_argument("plan", metavar="PLAN.yaml", nargs="?", help="what to make (--example writes one)")
    parser.add_argument("--out", metavar="DIR", help="folder of the data set; one that was begun is gone on with")
    parser.add_argument(
        "--shard", metavar="K", help="make only these shards, again: 3, or 0-9, or 1,5; what is there is compared"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes on this machine (default: one a processor)")
    parser.add_argument("--ray", metavar="ADDRESS", help="work on a Ray cluster: HOST:PORT, auto, or local")
    parser.add_argument("--example", metavar="FILE", help="write a plan to begin with, and nothing else")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.example:
        return _write_example(options, out)
    if not options.plan or not options.out:
        raise ValueError("give a plan and a folder: taxel dataset PLAN.yaml --out DIR (--example FILE writes a plan)")
    if options.jobs is not None and not 1 <= options.jobs <= 4096:
        raise ValueError(f"--jobs is {options.jobs}; give 1 to 4096")
    if options.ray is not None and options.jobs is not None:
        raise ValueError("--jobs is for this machine and --ray for a cluster; give one of them")
    from ..dataset import make_dataset, read_plan

    plan = read_plan(options.plan)
    shards = None if options.shard is None else _numbers(options.shard)
    try:
        made = make_dataset(
            plan, options.out, shards=shards, jobs=options.jobs or _processors(), ray=options.ray, show=Progress
        )
    except KeyboardInterrupt:
        done = len(list((Path(options.out) / "index").glob("[0-9]*.json")))
        out.print(f"{done} of {plan.shards} shards are done and kept; the same command goes on")
        raise
    _report(out, plan, made)
    out.finish(
        {
            "plan": options.plan,
            **{name: value for name, value in vars(made).items() if name != "skipped"},
            "skipped": [[s.name, s.reason] for s in made.skipped],
        }
    )
    return 1 if made.different or made.empty else 0


def _write_example(options: argparse.Namespace, out: Output) -> int:
    if options.plan or options.out or options.shard or options.ray:
        raise ValueError(f"--example writes {options.example} and nothing else; leave out the rest")
    from ..dataset import EXAMPLE

    target = check_writable("--example", options.example)
    if target.exists():
        raise ValueError(f"--example {target}: is there already; give another name")
    target.write_text(EXAMPLE)
    out.print(f"written: {target}; then taxel dataset {target} --out DIR")
    out.finish({"file": target})
    return 0


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _numbers(text: str) -> list[int]:
    """3, 0-9, 1,5: as a list."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.strip().isdigit() or (dash and not last.strip().isdigit()) or (dash and int(last) < int(first)):
            raise ValueError(f"--shard {text!r}: give a number (3), a range (0-9), or some with commas (1,5)")
        if dash and int(last) - int(first) > 10_000_000:
            raise ValueError(f"--shard {text!r}: a range of at most ten million")
        found += range(int(first), int(last if dash else first) + 1)
    return found


def _report(out: Output, plan: Any, made: Any) -> None:
    for skipped in made.skipped[:5]:
        out.print(f"skipped: {skipped.name}: {skipped.reason}")
    if len(made.skipped) > 5:
        out.print(f"skipped: {len(made.skipped)} meshes in all; dataset.json lists them")
    if made.damaged:
        out.print(f"damaged, made again: shard {', '.join(map(str, made.damaged[:10]))}")
    if made.kept:
        out.print(f"kept: {made.kept} of {made.shards} shards, content checked")
    if made.samples:
        rate = made.samples / max(made.seconds, 1e-9)
        out.print(
            f"made: {made.samples:,} samples, {made.rows:,} rows, {made.bytes / 1e6:.1f} MB in {made.made} shards; "
            f"{duration(made.seconds)}, {rate:,.0f} samples/s, {made.cpu_seconds:.1f} s of CPU, "
            f"{made.peak_mb:.0f} MB at most in a worker"
        )
    if made.left_out:
        out.print(f"left out: {made.left_out:,} samples that could not be pressed (README.md has the reasons)")
    if made.same:
        out.print(f"the same bits as before: {len(made.same)} shards")
    if made.different:
        out.print(
            f"OTHER BITS than what is there, which is kept: shard {', '.join(map(str, made.different[:10]))}; made by "
            "another version, or on another kind of processor?"
        )
    if made.empty:
        why = f" (the first: {made.reason})" if made.reason else ""
        out.print(f"EMPTY: no sample of the plan could be pressed{why}; change pose, load or objects")
    out.print(f"data set: {made.folder / 'README.md'}")
