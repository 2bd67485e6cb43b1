"""What MkDocs cannot know about this repository (`make docs`).

Pages link to files by their place in the repository, so that the links work in a checkout. Here README.md becomes the
first page, and files outside docs/ that pages link to (results, models, examples) come along under repository/.

Notebooks become pages with the outputs of their last run (`make notebooks`); the repository has them without.

`Docstrings` turns the aligned lists of our docstrings (a name, spaces, what it is) into definition lists.
"""

from __future__ import annotations

import inspect
import json
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import taxel

sys.path.insert(0, str(Path(__file__).resolve().parent))
import notebooks

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = (
    "*.md",
    "NOTICE",
    "LICENSE",
    "benchmarks/**/*.md",
    "benchmarks/results/*.png",
    "benchmarks/results/*.json",
    "examples/*.md",
    "examples/*.cc",
    "models/*.md",
    "models/*.xml",
)
LINK = re.compile(r"(?P<open>\]\()(?P<path>[^)\s#]+)(?P<close>(?:#[^)]*)?\))")
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.S | re.M)
FOREIGN = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\ssrc=[\"']?(?:https?:)?//[^>\s]*"
    r"|<link\b[^>]*\shref=[\"']?(?:https?:)?//[^>\s]*|url\([\"']?(?:https?:)?//[^)]*|@import[^;]*//[^;]*"
)
OBJECT = re.compile(r"^::: taxel\.(?P<name>\w+)$", re.M)
NAMED = re.compile(r"^(?P<name>[\w.*\"=-]+(?:, [\w.*\"=-]+)*) {2,}(?P<text>\S.*)$")


def site_path(path: str) -> str:
    """Where a file of the repository lies in the site."""
    if path == "README.md":
        return "index.md"
    if path.endswith(".ipynb"):
        path = path.removesuffix(".ipynb") + ".md"
    return path.removeprefix("docs/") if path.startswith("docs/") else f"repository/{path}"


def repository_path(uri: str) -> str:
    if uri == "index.md":
        return "README.md"
    return uri.removeprefix("repository/") if uri.startswith("repository/") else f"docs/{uri}"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    for path in sorted({p for pattern in OUTSIDE for p in ROOT.glob(pattern)}):
        uri = site_path(str(path.relative_to(ROOT)))
        if path.suffix == ".md":
            files.append(File.generated(config, uri, content=path.read_text()))
        else:
            files.append(File.generated(config, uri, abs_src_path=str(path)))
    for path in sorted(notebooks.FOLDER.glob("*.ipynb")):
        add_notebook(path, files, config)
    return files


def add_notebook(path: Path, files: Files, config: MkDocsConfig) -> None:
    """Its page, its pictures, and beneath its title where the notebook itself is."""
    executed = notebooks.EXECUTED / path.name
    if not executed.exists():
        raise PluginError(f"{path.name} has not been executed; run: make notebooks")
    text, pictures = notebooks.page(json.loads(executed.read_text()), path.stem)
    title, _, rest = text.partition("\n")
    # As HTML: links in Markdown to a notebook lead to its page.
    below = f'\n<a href="{path.name}" download>This page as a notebook</a>, without the outputs.\n'
    files.append(File.generated(config, f"notebooks/{path.stem}.md", content=f"{title}\n{below}{rest}"))
    for name, pixels in pictures.items():
        files.append(File.generated(config, f"notebooks/{name}", content=pixels))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]
    here = posixpath.dirname(repository_path(page.file.src_uri))
    from_site = posixpath.dirname(page.file.src_uri) or "."

    def moved(match: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", match["path"]):
            return match[0]
        target = posixpath.normpath(posixpath.join(here, match["path"]))
        return match["open"] + posixpath.relpath(site_path(target), from_site) + match["close"]

    # Code is left alone: the pieces between its matches are prose.
    out, at = [], 0
    for code in CODE.finditer(markdown):
        out += [LINK.sub(moved, markdown[at : code.start()]), code[0]]
        at = code.end()
    return OBJECT.sub(not_its_room, "".join(out) + LINK.sub(moved, markdown[at:]))


def not_its_room(match: re.Match[str]) -> str:
    """A public function with the name of a subpackage (taxel.contact): the function is meant."""
    name = match["name"]
    if f"taxel.{name}" in sys.modules and not inspect.ismodule(getattr(taxel, name)):
        return f"::: taxel.{name}.{name}\n    options:\n      heading: taxel.{name}"
    return match[0]


def on_post_build(*, config: MkDocsConfig) -> None:
    """Pages load nothing from elsewhere: they work without a network."""
    foreign = [
        f"{path.relative_to(config.site_dir)}: {match[0]}"
        for path in sorted(Path(config.site_dir).rglob("*"))
        if path.suffix in (".html", ".css")
        for match in FOREIGN.finditer(path.read_text())
    ]
    if foreign:
        raise PluginError("the site loads from elsewhere: " + "; ".join(foreign[:5]))


def definition_lists(text: str) -> str:
    """Blocks whose lines are "name   what it is", with continuation lines that are indented, as Markdown lists."""
    blocks = re.split(r"\n\s*\n", text)
    return "\n\n".join(_definitions(block) for block in blocks)


def _definitions(block: str) -> str:
    lines = block.splitlines()
    if not lines or not all(NAMED.match(line) or line.startswith("  ") for line in lines) or lines[0].startswith(" "):
        return block
    out = []
    for line in lines:
        if named := NAMED.match(line):
            names = ", ".join(f"`{name}`" for name in named["name"].split(", "))
            out += ["", names, f":   {named['text']}"]
        else:
            out.append(f"    {line.strip()}")
    return "\n".join(out[1:])


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = definition_lists(obj.docstring.value)
