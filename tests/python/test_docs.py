"""Every block of code in README.md and under docs/ runs as it stands.

Blocks of a page run in order, in one namespace and in one folder of their own, beside links to the folders of the
repository. Python blocks are executed; of shell blocks the lines that call ``taxel``. What needs a GPU, photos of a
sensor, a recording of one's own or a long time has the comment ``<!-- not run: reason -->`` above it in the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from pathlib import Path

import pytest
from docs_blocks import Block, blocks_of

from taxel.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]
BLOCKS = {page: blocks_of(ROOT / page, page) for page in PAGES}
RUN = ("python", "sh", "bash", "console")
WITH_CODE = [page for page in PAGES if any(b.language in RUN and b.reason is None for b in BLOCKS[page])]

NOT_RUN = {
    "docs/guide/gel.md": ["needs a GPU and torch"],
    "docs/guide/view.md": ["serves until Ctrl-C"],
    "docs/guide/hands.md": ["needs a model of the reader's", "needs robosuite", "needs gymnasium-robotics"],
    "docs/guide/calibrate-markers.md": ["two fits and a set of photos, half a minute"],
    "docs/theory/layer-reference.md": ["a minute and a half"],
    "docs/guide/marker-batch.md": ["needs a GPU and torch"],
    "docs/guide/mjlab.md": ["needs mjlab; make test-mjlab runs it"],
    "docs/papers/skin-experiments.md": ["trains networks for hours"],
    "docs/guide/tactile-image.md": ["needs photos of a sensor"],
    "docs/guide/tasks.md": ["64 worlds for an episode, needs torch and tensordict"],
}
"""All that is left out: whoever marks a block adds it here."""


def run_shell(block: Block) -> None:
    for line in block.code.splitlines():
        command, _, comment = line.partition("#")
        words = shlex.split(command)
        if words[:1] != ["taxel"] or "yours" in comment:  # needs a recording of the reader's
            continue
        assert main(words[1:]) == 0, f"{block.page}, line {block.line}: {line}"


@pytest.mark.parametrize("page", WITH_CODE)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    for folder in ("models", "tests", "docs"):
        os.symlink(ROOT / folder, folder)
    names: dict[str, object] = {"__name__": "__main__"}
    undrawn = []
    for block in BLOCKS[page]:
        if block.file is not None:
            Path(block.file).write_text(block.code)
        if block.language not in RUN or block.reason is not None:
            continue
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                if block.language == "python":
                    exec(compile(block.code, f"{page}, line {block.line}", "exec"), names)
                else:
                    run_shell(block)
        except Exception as error:
            if "there is no OpenGL" not in str(error):
                raise AssertionError(f"{page}, line {block.line}: {type(error).__name__}: {error}") from error
            undrawn.append(str(block.line))
    if undrawn:
        pytest.skip(f"no OpenGL for the blocks in lines {', '.join(undrawn)} of {page}; the others ran")


def test_what_is_not_run_is_listed():
    marked = {page: [b.reason for b in blocks if b.reason is not None] for page, blocks in BLOCKS.items()}
    assert {page: reasons for page, reasons in marked.items() if reasons} == NOT_RUN


def test_a_block_that_fails_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("text\n\n<!-- not run: no -->\n\n```python\nx\n```\n\n  ```sh\n  taxel info\n  ```\n")
    first, second = blocks_of(page, "page.md")
    assert (first.line, first.reason, second.language, second.code) == (6, "no", "sh", "taxel info\n")
