"""The code blocks of a Markdown page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<space> *)```(?P<language>\w*)\s*$")
FILE = re.compile(r"^\s*<!-- file: (?P<name>\S+) -->\s*$")
NOT_RUN = re.compile(r"^\s*<!-- not run: (?P<reason>.+?) -->\s*$")


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    """Of the first line of code, from 1."""
    language: str
    code: str
    reason: str | None
    """Why it is not run: the comment ``<!-- not run: ... -->`` right above it."""
    file: str | None
    """Its name, where the page says to save it: the comment ``<!-- file: ... -->`` right above it."""


def blocks_of(path: Path, name: str) -> list[Block]:
    found: list[Block] = []
    lines = path.read_text().splitlines()
    at = 0
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if not opened:
            at += 1
            continue
        end = next(k for k in range(at + 1, len(lines)) if lines[k].strip() == "```")
        space = len(opened["space"])
        above = next((lines[k] for k in range(at - 1, -1, -1) if lines[k].strip()), "")
        marked, saved = NOT_RUN.match(above), FILE.match(above)
        code = "\n".join(line[space:] for line in lines[at + 1 : end]) + "\n"
        reason, file = marked["reason"] if marked else None, saved["name"] if saved else None
        found.append(Block(name, at + 2, opened["language"], code, reason, file))
        at = end + 1
    return found
