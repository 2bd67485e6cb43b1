"""The command ``taxel``. One file a command; each offers ``add_parser`` and ``run``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from .. import __version__
from ..report import json_alone
from . import (
    bench,
    calibrate,
    completion,
    dataset,
    demo,
    doctor,
    evaluate,
    first_steps,
    info,
    mesh,
    play,
    press,
    replay,
    reproduce,
    ros,
    sensors,
    train,
    verify,
    view,
)

COMMANDS = (
    demo,
    press,
    view,
    replay,
    sensors,
    dataset,
    verify,
    calibrate,
    bench,
    mesh,
    reproduce,
    train,
    evaluate,
    play,
    ros,
    info,
    doctor,
    completion,
)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as all our errors do; the options are a --help away."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"taxel: error: {message} ({self.prog} --help lists what is allowed)\n")


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="taxel", description="taxel simulates touch.")
    parser.add_argument("--version", action="version", version=f"taxel {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for module in COMMANDS:
        module.add_parser(commands)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs a command. 0: well; 1: the answer is no (a row outside its tolerance); 2: wrong input."""
    options = build_parser().parse_args(arguments)
    try:
        if options.command is None:
            print(first_steps.text())
            return 0
        with json_alone(getattr(options, "json", None)):
            return options.run(options)
    except KeyboardInterrupt:
        print("taxel: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader (head, less) has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("TAXEL_DEBUG"):
            raise
        text = " ".join(str(error).split()) or type(error).__name__
        if not isinstance(error, ValueError | OSError | ImportError):
            text = f"unexpected {type(error).__name__}: {text} (TAXEL_DEBUG=1 shows where)"
        print(f"taxel: error: {text}", file=sys.stderr)
        return 2
