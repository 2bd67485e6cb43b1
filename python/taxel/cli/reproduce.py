"""taxel reproduce EXPERIMENT: one table or figure."""

from __future__ import annotations

import argparse
from typing import Any

from ..experiments.registry import EXPERIMENTS, OPTIONS, with_option
from ..report import Output, add_json, need_matplotlib, out_folder
from .common import recorded, recording, with_recording


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="one table or figure",
        description="\n".join(f"{name:12} {experiment.help}" for name, experiment in EXPERIMENTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiment", choices=sorted(EXPERIMENTS), metavar="EXPERIMENT")
    parser.add_argument("--quick", action="store_true", help="fewer points and pixels, same meshes")
    parser.add_argument(
        "--out", default="out/reproduce", metavar="DIR", help="where pictures go (default: out/reproduce)"
    )
    for name, option in OPTIONS.items():
        parser.add_argument(f"--{name}", help=f"{', '.join(with_option(name))}: {option.help}", **option.argument)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    experiment = EXPERIMENTS[options.experiment]
    given = {name: getattr(options, name.replace("-", "_")) for name in OPTIONS}
    more = {name: value for name, value in given.items() if value is not None}
    for name in more:
        if name not in experiment.options:
            have = ", ".join(with_option(name))
            raise ValueError(f"--{name}: {experiment.name} has no such option, only {have}; leave it out")
    if experiment.draws:
        need_matplotlib()
    with recording(more.pop("record", None)) as tape:
        if tape is not None:
            more["record"] = tape
        arguments = {name.replace("-", "_"): value for name, value in more.items()}
        numbers = experiment.load().run(out, out_folder(options.out), options.quick, **arguments)
    out.finish(with_recording(numbers, tape, out))
    return recorded(tape) if all(row.get("within", True) for row in numbers["rows"]) else 1
