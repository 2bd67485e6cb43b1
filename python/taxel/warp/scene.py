"""The soft contact of a MuJoCo model as plain arrays, and what of it cannot run here."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import engine

# What a column meets in closed form, or by rays: MuJoCo's geom types.
_MET = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
_MOST_KNOTS = 16
# Fields of a column, in the order of src/taxel/mujoco/scene_text.h, and how many numbers each has.
_COLUMN = (
    ("p", 3), ("d", 3), ("u", 3), ("v", 3), ("length", 1), ("modulus", 1), ("slope", 2), ("sag", 1), ("ridge", 3),
    ("tight", 1), ("corners", 1), ("s", 4), ("t", 4), ("spread_s", 4), ("spread_t", 4),
)  # fmt: skip
_HUGE = 1e30
_BRISTLE_END = 0.975
"""Share of its length at which a bristle is flat (bristle/bristle_contact.cc)."""


@dataclass(frozen=True)
class Pair:
    """Two geoms of which one carries columns, or bristles."""

    geom1: int
    geom2: int
    skin: int
    parameters: dict[str, float]
    law: np.ndarray
    core: float
    core_pressure: float
    length: float
    give: float = 0.0
    """What the other gives way at most, where it is soft, m."""
    past: float = 0.0
    """By how much of that it may overlap with the bone, m: none where other columns stand behind it."""
    bristled: bool = False
    paper: bool = False
    """LuGre as printed."""
    along_axis: bool = False
    """Springs of bristles are pressed along themselves, not along the normal of what they meet."""
    layers_of: tuple[tuple[float, ...], ...] = ((0.0,) * 4, (0.0,) * 4)
    """Of the skin and of the other, as in ``arrays.Pairs``."""

    @property
    def follows(self) -> bool:
        """Its stiffness follows the size of the contact."""
        return any(layer[1] > 0 for layer in self.layers_of)

    @property
    def other(self) -> int:
        return self.geom2 if self.skin == self.geom1 else self.geom1

    @property
    def sign(self) -> float:
        """+1 where the other is geom 2."""
        return 1.0 if self.skin == self.geom1 else -1.0


@dataclass(frozen=True)
class Scene:
    """Skins by geom: arrays of their columns; pairs; tactile sensors as the text has them."""

    columns: dict[int, dict[str, np.ndarray]]
    pairs: list[Pair]
    sensors: list[dict[str, Any]]
    blocks: int
    coupling: str


def _columns(rows: list[list[float | None]]) -> dict[str, np.ndarray]:
    table = np.array([[_HUGE if x is None else x for x in row] for row in rows], float)
    out, at = {}, 0
    for name, width in _COLUMN:
        out[name] = table[:, at] if width == 1 else table[:, at : at + width]
        at += width
    s, t = out["s"], out["t"]
    four = (out["corners"] == 4)[:, None]
    j = np.where(four, [1, 2, 3, 0], [1, 2, 0, 0])
    take = np.arange(len(table))[:, None], j
    live = np.where(four, True, [True, True, True, False])
    area = 0.5 * (s * t[take] - s[take] * t) * live
    flat = area.sum(1)
    out["area"] = flat
    out["mean_ss"] = (area / 6 * (s * s + s * s[take] + s[take] ** 2)).sum(1) / flat
    out["mean_tt"] = (area / 6 * (t * t + t * t[take] + t[take] ** 2)).sum(1) / flat
    out["radius"] = np.sqrt((s * s + t * t).max(1))
    return out


def _bristles(geom: dict[str, Any]) -> dict[str, np.ndarray]:
    """Bristles in the places of columns: p their tips, d their directions, length that of a probe."""
    table = np.array(geom["bristles"], float)
    p, d, u, area = table[:, 0:3], table[:, 3:6], table[:, 6:9], table[:, 9]
    n = len(table)
    out = {name: np.zeros(n) if width == 1 else np.zeros((n, width)) for name, width in _COLUMN}
    more = {name: np.zeros(n) for name in ("mean_ss", "mean_tt", "radius")}
    length, modulus = np.full(n, geom["depth"]), np.ones(n)
    return (
        out | more | {"p": p, "d": d, "u": u, "v": np.cross(d, u), "length": length, "modulus": modulus, "area": area}
    )


def _law(geom: dict[str, Any]) -> np.ndarray:
    """Rows u0, u1, slope, offset; the last goes on without end."""
    return np.array([[_HUGE if x is None else x for x in row] for row in geom["law"]], float)


def _layer(geom: dict[str, Any]) -> tuple[float, ...]:
    """Poisson's ratio, m where it is softest (0: one stiffness for all sizes), length, stiffness."""
    return geom["poisson"], geom["softest"], geom["length"], float(geom["law"][0][2]) / geom["length"]


def _depth(law: np.ndarray, p: float) -> float:
    ends = law[:, 2] * law[:, 1] + law[:, 3]
    row = law[min(int(np.searchsorted(ends, p)), len(law) - 1)]
    return float((p - row[3]) / row[2])


def _series(one: dict[str, Any], other: dict[str, Any]) -> tuple[np.ndarray, float, float]:
    """Two layers pressed on each other: the law of the overlap over the first one's length, its core, and the pressure
    there. Both give way along the column."""
    a, b = _law(one), _law(other)
    ratio = other["length"] / one["length"]
    p_core = min(one["core_pressure"], other["core_pressure"])
    knots = sorted({float(law[i, 2] * law[i, 1] + law[i, 3]) for law in (a, b) for i in range(len(law) - 1)} | {p_core})
    knots = [p for p in knots if p <= p_core]
    u = [0.0] + [_depth(a, p) + ratio * _depth(b, p) for p in knots]
    p = [0.0, *knots]
    rows = [
        [u[i], u[i + 1], (p[i + 1] - p[i]) / (u[i + 1] - u[i]), p[i] - (p[i + 1] - p[i]) / (u[i + 1] - u[i]) * u[i]]
        for i in range(len(knots))
    ]
    rows.append([u[-1], _HUGE, *rows[-1][2:]])
    return np.array(rows), u[-1], p_core


def _bristled_pair(g1: int, g2: int, skin: int, row: dict[str, float], geom: dict[str, Any]) -> Pair:
    return Pair(
        g1, g2, skin, row | {"dissipation": geom["damping"]}, _law(geom), _BRISTLE_END, 0.0, float(geom["depth"]),
        bristled=True, paper=bool(geom["paper"]), along_axis=bool(geom["along_axis"]),
    )  # fmt: skip


def _refuse(found: list[dict[str, Any]]) -> None:
    bad = [g for g in found if "refused" in g]
    if bad:
        raise _core.Error(
            "warp: "
            + "; ".join(f"{g['name']} cannot run in mujoco_warp: {g['refused']}" for g in bad)
            + '. Give it field="columns" (or "backed" on a box), leave it out of the model, or run it with the plugin'
        )


def read_scene(model: Any, spacing: float = 0.0) -> Scene:
    """@throws Error that names the geom and the way out."""
    text = json.loads(engine.scene_text(model, spacing))
    if text["coupling"] == "explicit":
        raise _core.Error('warp: coupling is "explicit"; mujoco_warp has rows only: leave coupling out of the model')
    _refuse(text["geoms"])
    geoms = {g["geom"]: g for g in text["geoms"]}
    columns = {g: _bristles(geom) if "bristles" in geom else _columns(geom["columns"]) for g, geom in geoms.items()}
    pairs, left = [], []
    for row in text["pairs"]:
        g1, g2, skin = (int(row.pop(k)) for k in ("geom1", "geom2", "skin"))
        other = g2 if skin == g1 else g1
        kind = int(model.geom_type[other])
        if kind not in _MET:
            left.append(f"{model.geom(other).name or other} with {model.geom(skin).name or skin}")
            continue
        geom = geoms[skin]
        if len(geom["law"]) > _MOST_KNOTS:
            raise _core.Error(f"warp: {geom['name']}: its law has {len(geom['law'])} knots; {_MOST_KNOTS} at most")
        if "bristles" in geom:
            pairs.append(_bristled_pair(g1, g2, skin, row, geom))
            continue
        law, core, p_core = _law(geom), geom["core"], geom["core_pressure"]
        if other in geoms:
            law, core, p_core = _series(geom, geoms[other])
        if len(law) > _MOST_KNOTS:
            raise _core.Error(
                f"warp: the laws of {geom['name']} and {geoms[other]['name']} have {len(law)} knots together; "
                f"{_MOST_KNOTS} at most"
            )
        give = float(geoms[other]["length"]) if other in geoms else 0.0
        layers = _layer(geom), _layer(geoms[other]) if other in geoms else (0.0,) * 4
        beyond = 0.0 if geom["to_middle"] else give
        pairs.append(Pair(g1, g2, skin, row, law, core, p_core, float(geom["length"]), give, beyond, layers_of=layers))
    if left:
        warnings.warn(
            f"taxel.warp: the contact of {', '.join(left)} is mujoco_warp's own: skins meet planes, primitives and "
            "meshes there",
            stacklevel=3,
        )
    pairs.sort(key=lambda pair: pair.bristled)  # those with bristles last: bristles.py counts on it
    return Scene(columns, pairs, text["sensors"], int(text["blocks"]), text["coupling"])
