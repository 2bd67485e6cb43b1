"""taxel info: version and machine."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

import taxel
from taxel import _core

from ..report import Output, add_json


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("info", help="version, processor and threads")
    add_json(parser)
    parser.set_defaults(run=run)


def cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    numbers = {
        "taxel": taxel.__version__,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "cpu": cpu_name(),
        "threads": _core.hardware_threads(),
        "compiler": _core.compiler,
        "flags": _core.compiler_flags,
    }
    for key, value in numbers.items():
        out.print(f"{key:8} {value}")
    out.finish(numbers)
    return 0
