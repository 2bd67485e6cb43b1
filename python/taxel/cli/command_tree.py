"""What can be typed after ``taxel``, as plain data read from the parser: what a shell's completion is made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..press.objects import OBJECTS
from ..sensors import catalogue

FOLDERS = ("DIR", "FOLDER")
"""Metavars whose value is a folder; every other value without choices may be a file."""


@dataclass(frozen=True)
class Values:
    """What may stand at one place."""

    words: tuple[str, ...] = ()
    files: bool = False
    folders: bool = False


@dataclass(frozen=True)
class Option:
    flags: tuple[str, ...]
    help: str
    count: int
    """How many values follow it."""
    values: Values


@dataclass(frozen=True)
class Place:
    """One command, or a command below it; ``path`` are the words that lead there."""

    path: tuple[str, ...]
    commands: dict[str, str] = field(default_factory=dict)
    """The next word, and what it does."""
    options: tuple[Option, ...] = ()
    arguments: tuple[Values, ...] = ()
    """One a position; the last holds for all that follow."""

    @property
    def name(self) -> str:
        return " ".join(self.path)


def places(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[Place]:
    """The parser and all below it, from the top down."""
    commands: dict[str, str] = {}
    options, arguments, below = [], [], []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            commands = {choice.dest: choice.help or "" for choice in action._choices_actions}
            below = [(action.choices[name], (*path, name)) for name in commands]
        elif action.option_strings:
            options.append(
                Option(tuple(action.option_strings), _words(action, parser), _count(action), _values(action))
            )
        else:
            arguments.append(_values(action))
    yield Place(path, commands, tuple(options), tuple(arguments))
    for parser_below, path_below in below:
        yield from places(parser_below, path_below)


def _words(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """The help of an option, as argparse prints it, on one line."""
    if not action.help or action.help is argparse.SUPPRESS:
        return ""
    return " ".join((action.help % {**vars(action), "prog": parser.prog}).split())


def _count(action: argparse.Action) -> int:
    if isinstance(action.nargs, int):
        return action.nargs
    return 0 if action.nargs == "?" else 1


def _values(action: argparse.Action) -> Values:
    if action.nargs == 0:
        return Values()
    if action.choices is not None:
        return Values(tuple(str(choice) for choice in action.choices))
    if action.metavar in FOLDERS:
        return Values(folders=True)
    if not action.option_strings and action.dest == "sensor":
        return Values(tuple(catalogue()), files=True)
    if not action.option_strings and action.dest == "object":
        return Values(tuple(OBJECTS), files=True)
    if not action.option_strings and action.dest == "name":
        return Values(tuple(catalogue()))
    return Values(files=action.type not in (int, float))
