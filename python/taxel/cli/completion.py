"""taxel completion SHELL: the script that makes a shell complete commands, options, sensors and files."""

from __future__ import annotations

import argparse
from typing import Any

from .command_tree import places
from .completion_scripts import SHELLS

INSTALL = {
    "bash": "taxel completion bash > ~/.local/share/bash-completion/completions/taxel",
    "zsh": 'taxel completion zsh > "${fpath[1]}/_taxel"',
    "fish": "taxel completion fish > ~/.config/fish/completions/taxel.fish",
}


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "completion",
        help="a script that completes commands and options in your shell",
        description="Prints a script for your shell; keep it where the shell looks, then open a new one:\n\n"
        + "\n".join(f"  {line}" for line in INSTALL.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from . import build_parser

    print(SHELLS[options.shell](list(places(build_parser()))), end="")
    return 0
