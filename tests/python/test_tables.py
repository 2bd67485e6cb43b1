"""scripts/tables.py: pages of a small repository, their tables and numbers, and what is wrong with them."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from taxel.cli import main

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("tables", ROOT / "scripts" / "tables.py")
tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tables)

PAGE = """# Speed

<!-- table: speed/all -->

| | us |
|---|---|
| old | 1 |

<!-- end -->

It takes <!-- number: raw.rows[worlds=2&mode=a].ms:.1f -->?<!-- end --> ms.
"""
RAW = {
    "rows": [{"worlds": 1, "mode": "a", "ms": 0.5}, {"worlds": 2, "mode": "a", "ms": 1.25}, {"mode": "b"}],
    "at 0.15": {"us": 1500},
    "tiny": 1.2e-6,
}
TABLE = {
    "source": "a test",
    "columns": ["", "us"],
    "rows": [
        ["quick", "{raw.rows[worlds=1].ms*1000:.0f}"],
        ["slow", "{raw.'at 0.15'.us:,} us"],
        ["ratio", "{raw.rows.1.ms/(rows.0.ms):.1f}"],
        ["tiny", "{raw.tiny:.0e}, {raw.tiny*1e11:.0e}"],
        ["", "text | of {raw.rows.2.mode}".replace("|", r"\|")],
    ],
}


@pytest.fixture
def root(tmp_path):
    results = tmp_path / "benchmarks" / "results"
    (results / "tables").mkdir(parents=True)
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (results / "raw.json").write_text(json.dumps(RAW))
    (results / "tables" / "speed.json").write_text(json.dumps({"all": TABLE}))
    (tmp_path / "README.md").write_text("nothing\n")
    (tmp_path / "docs" / "guide" / "speed.md").write_text(PAGE)
    yield tmp_path
    tables.read.cache_clear()


def test_a_page_is_written_from_the_results(root):
    assert tables.run(root, check=False) == 0
    text = (root / "docs" / "guide" / "speed.md").read_text()
    rows = ["| quick | 500 |", "| slow | 1,500 us |", "| ratio | 2.5 |", "| tiny | 1e-6, 1e5 |", "| | text \\| of b |"]
    assert "\n".join(["| | us |", "|---|---|", *rows, ""]) in text
    assert "-->1.2<!-- end --> ms." in text
    assert "old" not in text
    assert tables.run(root, check=True) == 0


def test_the_check_finds_a_page_that_differs_and_changes_nothing(root, capsys):
    assert tables.run(root, check=True) == 1
    said = capsys.readouterr().err
    assert "-| old | 1 |" in said
    assert "run make tables" in said
    assert (root / "docs" / "guide" / "speed.md").read_text() == PAGE


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("none.rows.0", "none.json is not in results/"),
        ("raw.rows.7.ms", "no '7'"),
        ("raw.columns", "no 'columns'"),
        ("raw.rows[mode=a].ms", "2 rows have"),
        ("raw.rows[worlds=3].ms", "0 rows have"),
        ("raw.rows.0.mode:.1f", "Unknown format code"),
        ("raw", "write FILE.PATH:FORMAT"),
    ],
)
def test_a_reference_to_nothing_is_refused(root, reference, message):
    with pytest.raises(tables.Wrong, match=message):
        tables.value(root / "benchmarks" / "results", reference)


@pytest.mark.parametrize("change", [{"source": None}, {"rows": [["one cell"]]}])
def test_a_table_that_is_not_complete_is_refused(root, change, capsys):
    table = {key: value for key, value in {**TABLE, **change}.items() if value is not None}
    (root / "benchmarks" / "results" / "tables" / "speed.json").write_text(json.dumps({"all": table}))
    assert tables.run(root, check=False) == 1
    assert "speed/all" in capsys.readouterr().err


def test_a_table_that_no_page_shows_is_named(root, capsys):
    (root / "benchmarks" / "results" / "tables" / "speed.json").write_text(json.dumps({"all": TABLE, "more": TABLE}))
    assert tables.run(root, check=False) == 1
    assert "no page shows speed/more" in capsys.readouterr().err


def test_the_pages_of_the_repository_are_up_to_date():
    assert tables.run(ROOT, check=True) == 0


def test_the_commands_that_make_a_table_exist(capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "--help"])
    known = capsys.readouterr().out.split()
    files = sorted((ROOT / "benchmarks" / "results" / "tables").glob("*.json"))
    sources = " ".join(table["source"] for file in files for table in json.loads(file.read_text()).values())
    named = re.findall(r"taxel reproduce ([a-z-]+)", sources)
    assert named
    assert [name for name in named if name not in known] == []
