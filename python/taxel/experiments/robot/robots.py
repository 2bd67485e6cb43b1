"""Robots that others made, with skins on them: the Shadow hand, the Panda, the Robotiq 2F-85, the G1 and the Go1.

Their models come from gymnasium-robotics, robosuite and mjlab, where these are installed; a robot whose package is
missing is left out, with the command that installs it. Nothing is imported from the packages and nothing is downloaded.
Each scene runs twice: with skins, and with MuJoCo's own contact on the same shapes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...report import markdown, table
from .fingers import fingers
from .grippers import PANDA_SKINS, panda
from .hand import shadow
from .legs import g1, go1
from .packages import Package, missing
from .pictures import picture
from .robotiq import robotiq
from .trial import RobotScene, run_scene

BALANCE, TAXELS, SLIP = 0.01, 0.02, 1.0
"""Of the weight, of the skins' force, and mm over the hold."""

HEADER = (
    "robot", "skin", "weight N", "carried N", "off", "taxels off", "slip mm", "native", "joint rad/s", "us a step",
    "native", "load s", "native", "taxels",
)  # fmt: skip


def scenes() -> list[RobotScene]:
    return [
        fingers(),
        shadow("egg"),
        shadow("block", quick=True),
        shadow("block", thickness=0.003, modulus=5e4, name="shadow-block-soft"),
        *(panda(skin, quick=skin in ("pad", "bristles")) for skin in PANDA_SKINS),
        robotiq(quick=True),
        g1(quick=True),
        go1("stand", quick=True),
        go1("start"),
        go1("land"),
    ]


def run(out: Any, folder: Path, quick: bool = False, chosen: Sequence[RobotScene] | None = None) -> dict[str, Any]:
    wanted = [scene for scene in (scenes() if chosen is None else chosen) if scene.quick or not quick]
    there, skipped = _installed(out, wanted)
    rows = []
    for scene in out.progress(there, "robots"):
        rows.append(_measure(out, folder, scene, quick))
    _print(out, rows)
    if rows:
        (folder / "robots.md").write_text(markdown(HEADER, [_cells(row) for row in rows]))
        out.print(f"table: {folder / 'robots.md'}")
    return {"experiment": "robots", "quick": quick, "rows": rows, "skipped": skipped}


def _installed(out: Any, wanted: Sequence[RobotScene]) -> tuple[list[RobotScene], list[dict[str, str]]]:
    """Scenes whose packages are there; of the others, which and why."""
    there, skipped, lost = [], [], {}
    for scene in wanted:
        without = missing(scene.needs)
        if not without:
            there.append(scene)
            continue
        for package in without:
            lost.setdefault(package, []).append(scene.title)
        skipped.append({"name": scene.name, "install": " && ".join(package.command for package in without)})
    for package, titles in lost.items():
        out.print(_without(package, titles))
    return there, skipped


def _without(package: Package, titles: Sequence[str]) -> str:
    return f"{package.distribution} is not installed, so these are left out: {'; '.join(titles)}\n  {package.command}"


def _measure(out: Any, folder: Path, scene: RobotScene, quick: bool) -> dict[str, Any]:
    native = run_scene(scene, False, quick).numbers
    soft = run_scene(scene, True, quick)
    row = {"name": scene.name, "title": scene.title, "skin": scene.skin, **soft.numbers, "native": native}
    row["within"] = bool(
        not row["exploded"] and row["balance"] <= BALANCE and row["taxel_error"] <= TAXELS and row["slip_mm"] <= SLIP
    )
    row["picture"] = None if row["exploded"] else picture(out, folder / f"robot_{scene.name}.png", scene, soft)
    return row


def _print(out: Any, rows: Sequence[dict[str, Any]]) -> None:
    out.print(table(HEADER, [_cells(row) for row in rows], left=2))
    out.print(
        "Over the hold. Off: contact forces and weight together, over the weight; taxels: what they miss of the force "
        "on the skins.\nnative: MuJoCo's own contact on the same shapes. joint: greatest speed since the start. Times "
        "are CPU times."
    )
    for row in rows:
        if row["exploded"]:
            out.print(
                f"{row['title']}, {row['skin']}: exploded, {row['joint_rad_s']:.3g} rad/s, {row['joint_m_s']:.3g} m/s"
                f"{', then huge or no number' if row['bad_numbers'] else ''}, given up at {row['stopped_at_s']:.3f} s"
            )
        elif not row["within"]:
            out.print(f"{row['title']}, {row['skin']}: beyond a limit ({_beyond(row)})")
        for line in row["warnings"]:
            out.print(f"{row['title']}: {line}")
    for row in rows:
        if row["picture"]:
            out.print(f"picture: {row['picture']}")


def _beyond(row: dict[str, Any]) -> str:
    limits = (("balance", BALANCE, "balance"), ("taxel_error", TAXELS, "taxels"), ("slip_mm", SLIP, "slip, mm"))
    return ", ".join(f"{what} {row[key]:.3g} > {limit:g}" for key, limit, what in limits if not row[key] <= limit)


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else "< 0.01 %" if value < 1e-4 else f"{100 * value:.2f} %"


def _fixed(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


def _slip(value: float) -> str:
    return "-" if math.isnan(value) else "< 0.001" if value < 1e-3 else f"{value:.3f}"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    native = row["native"]
    return (
        row["title"],
        row["skin"],
        _fixed(row["weight_N"], 3),
        _fixed(row["carried_N"], 3),
        _percent(row["balance"]),
        _percent(row["taxel_error"]),
        "exploded" if row["exploded"] else _slip(row["slip_mm"]),
        _slip(native["slip_mm"]),
        "huge" if row["bad_numbers"] else f"{row['joint_rad_s']:.3g}",
        _fixed(row["steps_us"], 0),
        _fixed(native["steps_us"], 0),
        _fixed(row["load_s"], 2),
        _fixed(native["load_s"], 2),
        str(row["taxels"]),
    )
