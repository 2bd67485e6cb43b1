"""The experiments of many worlds, small."""

import json

import pytest
from conftest import command

pytest.importorskip("mujoco_warp")


def test_batch_contact(tmp_path):
    assert (
        command(["reproduce", "batch-contact", "--quick", "--out", str(tmp_path), "--json", str(tmp_path / "n.json")])
        == 0
    )
    rows = json.loads((tmp_path / "n.json").read_text())["rows"]
    assert {row["test"] for row in rows} == {"rest", "slope", "slide", "grasp"} | {
        f"bristle {k}" for k in ("rest", "slope", "drag", "grasp")
    }
    assert all(row["within"] for row in rows if row["test"] in ("bristle rest", "bristle drag")), rows
    assert (tmp_path / "batch_contact.png").stat().st_size > 20_000
    assert (tmp_path / "batch_bristle_drag.png").stat().st_size > 10_000


def test_bench_batch(tmp_path):
    assert command(["bench", "batch", "--quick", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "batch.md").read_text()
    assert "rows a world" in page and "bristles" in page
    assert "Newton" in page  # measured, or why not
