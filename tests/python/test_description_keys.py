"""One table of the keys (src/taxel/skin/description_keys.h):
- the groups that Python checks against come from it
- the tables of the reference pages say the same: keys, units and meanings, and none is missing
- errors of the core quote its words
"""

import re
from pathlib import Path

import pytest

import taxel
from taxel import _core

TABLE = {row["name"]: row for row in _core.description_keys()}
DOCS = Path(__file__).parents[2] / "docs"


def keys_of(*groups):
    return {name for name, row in TABLE.items() if not set(groups).isdisjoint(row["groups"])}


def page(name):
    """The text of a page, wherever under docs/ it lies, with its links as plain text."""
    found = [p for p in DOCS.rglob(name) if p.parent.name != "api"]  # those are lists of names
    assert len(found) == 1, found
    text = re.sub(r"; see \[[^]]*\]\([^)]*\)", "", found[0].read_text())
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def tables(text):
    """Each table as (heads of the columns, rows)."""
    out, lines = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif lines:
            out.append((lines[0], lines[2:]))
            lines = []
    return out


def rows_of(text):
    """Rows of the tables that begin with a key and say what it means."""
    for heads, rows in tables(text):
        if heads[0] == "key" and "meaning" in heads:
            for row in rows:
                yield row[0], dict(zip(heads, row, strict=True))


def test_names_are_there_once_and_say_what_is_allowed():
    rows = _core.description_keys()
    assert len(TABLE) == len(rows)
    for row in rows:
        assert row["groups"] and row["allowed"] and row["help"], row
        assert row["range"] is None or row["range"][0] < row["range"][1]


def test_the_page_of_mujoco_has_materials_pairs_and_the_model():
    seen = []
    for cell, row in rows_of(page("mujoco.md")):
        name = cell.strip("`")
        seen.append(name)
        assert row["meaning"] == TABLE[name]["help"]
        assert row.get("unit", "") == TABLE[name]["unit"]
    assert sorted(seen) == sorted(keys_of("material", "pair", "model"))


def test_the_page_of_bristles_has_theirs():
    seen = set()
    for cell, row in rows_of(page("bristles.md")):
        names = re.findall(r"`(\w+)`", cell)
        seen.update(names)
        if len(names) == 1 and TABLE[names[0]]["groups"] == ["bristle"]:
            assert row["meaning"] == TABLE[names[0]]["help"]
    assert keys_of("bristle") <= seen
    assert seen <= keys_of("bristle", "layout")


def test_the_page_of_skins_names_every_key_of_a_sensor():
    named = set(re.findall(r"`(\w+)", page("skins.md")))
    assert keys_of("layout", "readout", "output", "chain") <= named


@pytest.mark.parametrize("name", ["radius", "within", "samples", "reach", "limit", "angle"])
def test_errors_quote_the_table(name):
    body = taxel.Body.box((0.04, 0.03, 0.01), modulus=1e5)
    keys = {"readout": "rays"} if name in ("radius", "samples", "reach", "angle") else {}
    keys |= {"layout": "poisson", "count": 20, "direction": (0, 0, 1)} if name == "within" else {"shape": (2, 2)}
    with pytest.raises(taxel.Error, match=re.escape(TABLE[name]["allowed"])):
        taxel.Skin(body, **keys, **{name: 1e9})
