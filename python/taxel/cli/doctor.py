"""taxel doctor: what is there, what is not, and what to do about it."""

from __future__ import annotations

import argparse
from typing import Any

from ..report import Output, add_json, watching
from .doctor_checks import Check, State, look

MARKS = {State.GOOD: "ok", State.ABSENT: "-", State.BROKEN: "BROKEN"}


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="what is installed, what is missing, what to do about it",
        description="Looks at what taxel uses: MuJoCo and the plugin, which it runs; the GPU, EGL, torch and other "
        "extras, which it can do without. Ends with 1 where something that it needs is broken.",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def report(checks: list[Check]) -> str:
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{MARKS[check.state]:6}  {check.name:{width}}  {check.found}")
        if check.advice:
            lines.append(f"{'':6}  {'':{width}}  -> {check.advice}")
    broken = [check.name for check in checks if check.state is State.BROKEN]
    absent = sum(check.state is State.ABSENT for check in checks)
    end = f"to be mended: {', '.join(broken)}" if broken else "taxel has all that it needs"
    return "\n".join([*lines, "", end + (f"; {absent} optional parts are not there" if absent else "")])


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    with watching("looking"):
        checks = list(look())
    out.print(report(checks))
    good = all(check.state is not State.BROKEN for check in checks)
    rows = [{"name": c.name, "state": c.state.value, "found": c.found, "advice": c.advice} for c in checks]
    out.finish({"ok": good, "checks": rows})
    return 0 if good else 1
