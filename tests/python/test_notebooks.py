"""The notebooks: kept without outputs, run whole, shown with what they print. `make notebooks` runs the real ones."""

from __future__ import annotations

import base64
import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import notebooks

FOUND = sorted(notebooks.FOLDER.glob("*.ipynb"))


def code(source: str, *outputs: dict) -> dict:
    return {
        "cell_type": "code",
        "id": "some",
        "metadata": {"collapsed": True},
        "execution_count": 3,
        "outputs": list(outputs),
        "source": source.splitlines(keepends=True),
    }


def notebook(*cells: dict) -> dict:
    return {"cells": list(cells), "metadata": {"editor": "some"}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_a_notebook_has_no_outputs_and_a_page(path):
    assert not notebooks.dirty(path)
    assert f"notebooks/{path.stem}.md" in (ROOT / "mkdocs.yml").read_text()
    assert f"../notebooks/{path.name}" in (ROOT / "docs" / "start" / "notebooks.md").read_text()


def test_there_are_three():
    assert len(FOUND) >= 3


def test_outputs_are_found_and_taken_out(tmp_path):
    printed = {"output_type": "stream", "name": "stdout", "text": ["3\n"]}
    path = tmp_path / "some.ipynb"
    path.write_text(notebooks.text_of(notebook(code("x = 3\nprint(x)", printed))))
    assert notebooks.dirty(path)
    clean = notebooks.stripped(json.loads(path.read_text()))
    [cell] = clean["cells"]
    assert cell["outputs"] == [] and cell["execution_count"] is None and cell["source"] == ["x = 3\n", "print(x)"]
    assert clean["metadata"] == notebooks.METADATA
    path.write_text(notebooks.text_of(clean))
    assert not notebooks.dirty(path)


def test_a_page_has_code_words_and_pictures():
    printed = {"output_type": "stream", "name": "stdout", "text": ["1.962 N\n", "two\n"]}
    value = {"output_type": "execute_result", "data": {"text/plain": ["42"]}}
    drawn = {
        "output_type": "display_data",
        "data": {"image/png": base64.b64encode(b"pixels").decode(), "text/plain": ["<Figure>"]},
    }
    words = {"cell_type": "markdown", "id": "w", "metadata": {}, "source": ["# Title\n", "\n", "Words."]}
    text, pictures = notebooks.page(notebook(words, code("draw()", printed, drawn, value)), "some")
    assert text == (
        "# Title\n\nWords.\n\n```python\ndraw()\n```\n\n```text\n1.962 N\ntwo\n```\n\n"
        "![What the cell above draws](some_01_0.png)\n\n```text\n42\n```\n"
    )
    assert pictures == {"some_01_0.png": b"pixels"}


def test_a_cell_that_fails_is_named(tmp_path):
    path = tmp_path / "broken.ipynb"
    path.write_text(notebooks.text_of(notebooks.stripped(notebook(code("x = 1"), code("print(nowhere)")))))
    with pytest.raises(SystemExit, match=r"(?s)broken\.ipynb.*print\(nowhere\).*NameError"):
        notebooks.execute(path, tmp_path / "out" / "broken.ipynb")
    assert not (tmp_path / "out" / "broken.ipynb").exists()


def test_wrong_words_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["notebooks.py", "--strop"])
    with pytest.raises(SystemExit, match="--strip"):
        notebooks.main()
