#!/usr/bin/env python3
"""Writes the measured numbers of README.md and docs/ from the JSON files under benchmarks/results.

    scripts/tables.py            brings the pages up to date (`make tables`)
    scripts/tables.py --check    ends with 1 where a page and the JSON differ (`make lint`)

A page marks what is written here:

    <!-- table: FILE/NAME -->    the table NAME of benchmarks/results/tables/FILE.json, up to  <!-- end -->
    <!-- number: REF -->         one number in a sentence, up to  <!-- end -->

A table has a "source" (the command that makes its numbers), "columns" and "rows" of cells. In a cell {REF} stands for a
number of a result file. REF is FILE.PATH:FORMAT: FILE a JSON file under benchmarks/results, PATH its keys and list
positions, joined by dots ('with quotes' where a key has dots itself); a list of objects or of rows is searched with
[KEY=VALUE&KEY=VALUE]; PATH may end with a factor, * or / and a number or (another path of the same file); FORMAT is
Python's, or nothing for text:

    {markers_gpu.rows[worlds=1024].taxel_ms:.3f}    {gel_speed_cuda.rows[particles=8000000&code=taxel].wall/1e9:.1f}
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(?P<open><!-- table: (?P<name>\S+) -->\n).*?(?P<close><!-- end -->)", re.S)
NUMBER = re.compile(r"(?P<open><!-- number: (?P<ref>.+?) -->)[^\n]*?(?P<close><!-- end -->)")
REFERENCE = re.compile(r"\{(?P<ref>[a-z][^{}]*)\}")
PARTS = re.compile(
    r"(?P<file>[\w/-]+)\.(?P<path>.+?)"
    r"(?:(?P<operator>[*/])(?P<factor>[\d.]+(?:e[+-]?\d+)?|\(.+\)))?"
    r"(?::(?P<format>[^:\]]*))?"
)
STEP = re.compile(r"(?:'(?P<quoted>[^']+)'|(?P<key>[^.'\[\]]*))(?:\[(?P<where>[^\]]*)\])?(?:\.|$)")


class Wrong(Exception):
    """A reference or a table that does not exist, or is not complete."""


@cache
def read(results: Path, name: str) -> Any:
    path = results / f"{name}.json"
    if not path.is_file():
        raise Wrong(f"{name}.json is not in {results.name}/")
    return json.loads(path.read_text())


def take(at: Any, key: str) -> Any:
    try:
        return at[int(key)] if isinstance(at, list) else at[key]
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise Wrong(f"no '{key}'") from error


def has(row: Any, key: str, wanted: str) -> bool:
    try:
        return str(take(row, key)) == wanted
    except Wrong:
        return False


def pick(rows: Any, where: str) -> Any:
    wanted = [part.split("=", 1) for part in where.split("&")]
    found = [row for row in rows if all(has(row, key, value) for key, value in wanted)]
    if len(found) != 1:
        raise Wrong(f"{len(found)} rows have [{where}]; one is needed")
    return found[0]


def follow(at: Any, path: str) -> Any:
    for step in STEP.finditer(path):
        if key := step["quoted"] or step["key"]:
            at = take(at, key)
        if step["where"] is not None:
            at = pick(at, step["where"])
    return at


def value(results: Path, reference: str) -> str:
    parts = PARTS.fullmatch(reference)
    if not parts:
        raise Wrong(f"{reference}: write FILE.PATH:FORMAT")
    try:
        whole = read(results, parts["file"])
        at = follow(whole, parts["path"])
        if parts["operator"]:
            other = parts["factor"]
            factor = follow(whole, other[1:-1]) if other.startswith("(") else float(other)
            at = at * factor if parts["operator"] == "*" else at / factor
        # 1e-06 is printed as 1e-6, as the pages write it.
        return re.sub(r"(?<=\de)\+?(-?)0*(?=\d)", r"\1", format(at, parts["format"] or ""))
    except (Wrong, TypeError, ValueError) as error:
        raise Wrong(f"{reference}: {error}") from error


def render(results: Path, name: str) -> str:
    file, _, key = name.partition("/")
    table = take(read(results, f"tables/{file}"), key)
    missing = {"source", "columns", "rows"} - set(table)
    if missing:
        raise Wrong(f"{name}: has no {', '.join(sorted(missing))}")
    if any(len(row) != len(table["columns"]) for row in table["rows"]):
        raise Wrong(f"{name}: every row needs {len(table['columns'])} cells, as many as there are columns")

    def line(cells: list[str]) -> str:
        full = [REFERENCE.sub(lambda m: value(results, m["ref"]), cell) for cell in cells]
        return "|" + "|".join(f" {cell} " if cell else " " for cell in full) + "|"

    rule = "|" + "---|" * len(table["columns"])
    return "\n".join([line(table["columns"]), rule, *(line(row) for row in table["rows"])])


def rewrite(results: Path, text: str) -> str:
    text = TABLE.sub(lambda m: f"{m['open']}\n{render(results, m['name'])}\n\n{m['close']}", text)
    return NUMBER.sub(lambda m: m["open"] + value(results, m["ref"]) + m["close"], text)


def unused(results: Path, pages: list[Path]) -> list[str]:
    shown = {m["name"] for page in pages for m in TABLE.finditer(page.read_text())}
    there = {f"{p.stem}/{key}" for p in (results / "tables").glob("*.json") for key in json.loads(p.read_text())}
    return sorted(there - shown)


def run(root: Path, check: bool) -> int:
    results = root / "benchmarks" / "results"
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    wrong = 0
    for page in pages:
        name, old = str(page.relative_to(root)), page.read_text()
        try:
            new = rewrite(results, old)
        except Wrong as error:
            print(f"{name}: {error}", file=sys.stderr)
            wrong += 1
            continue
        if new != old and check:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, "benchmarks/results", "", "", 0, "")
            print("\n".join(lines), file=sys.stderr)
            print(f"{name}: is not what benchmarks/results says; run make tables", file=sys.stderr)
            wrong += 1
        elif new != old:
            page.write_text(new)
            print(f"written: {name}")
    for name in unused(results, pages):
        print(f"benchmarks/results/tables: no page shows {name}", file=sys.stderr)
        wrong += 1
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 where something differs")
    return run(ROOT, parser.parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
