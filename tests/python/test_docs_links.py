"""What a page names exists: every relative link and anchor, every picture, every page that code or a message names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import taxel

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "benchmarks", "models", "examples")
PAGES = sorted([*ROOT.glob("*.md"), *(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.md"))])
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)|<img[^>]*\ssrc=\"(?P<image>[^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)\s*$")
NAMED_PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
CODE = {".h", ".cc", ".cu", ".cuh", ".py", ".pyi", ".sh", ".cmake", ".toml", ".yml", ".xml"}


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))


def anchors(page: Path) -> set[str]:
    """As GitHub makes them: lower case, without marks, a hyphen for each space; numbered when they repeat."""
    found: set[str] = set()
    for line in re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.S | re.M).splitlines():
        if heading := HEADING.match(line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["text"])
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            number = sum(1 for a in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", a))
            found.add(f"{slug}-{number}" if number else slug)
    return found


def broken_links(page: Path) -> list[str]:
    broken = []
    for match in LINK.finditer(without_code(page.read_text())):
        target = match["target"] or match["image"]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# Two words: here\n\n```sh\n# no heading\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#two-words-here) `[c](none.md)` [d](https://example.org)\n"
        "[e](none.md) [f](other.md#no-heading) [g](#nowhere) ![h](none.png)\n"
    )
    assert broken_links(page) == ["none.md", "other.md#no-heading", "#nowhere", "none.png"]


def test_every_page_that_code_names_exists():
    files = [
        p
        for f in ("src", "python", "tests", "scripts", "benchmarks", "examples", "models")
        for p in (ROOT / f).rglob("*")
    ]
    files += [p for p in ROOT.iterdir() if p.suffix in CODE or p.name in ("Makefile", "NOTICE")]
    named = [
        (p, m[0]) for p in files if p.suffix in CODE | {""} and p.is_file() for m in NAMED_PAGE.finditer(p.read_text())
    ]
    assert named
    assert [(str(p.relative_to(ROOT)), name) for p, name in named if not (ROOT / name).is_file()] == []


def test_the_readme_is_short_and_leads_to_every_page():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 100
    assert [line for line in text.splitlines() if len(line) > 120] == []
    linked = {m["target"].partition("#")[0] for m in LINK.finditer(text) if m["target"]}
    pages = {str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")}
    assert {p for p in pages - linked if not p.startswith("docs/reference/api/")} == set()


def test_every_public_name_has_a_place_in_the_reference():
    pages = "\n".join(p.read_text() for p in (ROOT / "docs" / "reference" / "api").glob("*.md"))
    documented = [name for name in re.findall(r"^::: taxel\.(\w+)$", pages, re.M)]
    assert len(documented) == len(set(documented))
    assert set(taxel.__all__) - set(documented) == {"__version__"}
