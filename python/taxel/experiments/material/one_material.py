"""One pad, one press, all models: do they give one force?

Balls, a lying cylinder, a flat punch and an edge are pressed into four pads of the catalogue, 5 to 30 % of their
thickness deep, and dragged until friction carries half of what it can. Every model has its numbers from the sensor's
material (docs/theory/material.md). Judges: the gel of particles (finite strains, the pad's own form) and the exact
layer of ``taxel.reference`` (linear, endless; a dome counts by the gap over it).

"Auto": a pressure field that follows the size of its contacts by itself (``contact="auto"``). "Sized" models are made
for the size of that very contact (``contact=``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...report import need_matplotlib, table
from ...sensors import TactileSensor, catalogue
from .drag import drag_rows
from .models import (
    Bristles,
    Felt,
    Layer,
    Markers,
    Model,
    Object,
    Particles,
    Pressure,
    objects,
    overlap_radius,
)
from .rule import rule_rows

FOAMS, GELS = ("myrmex", "weiss"), ("gelsight_mini", "pad")
DEPTHS, QUICK_DEPTHS = (0.05, 0.15, 0.3), (0.2,)
DRAGGED = ("ball 8 mm", "flat punch")
DRAG_DEPTH = 0.2
CELLS, QUICK_CELLS = 6, 5
MEAN, WORST = 0.15, 0.30
"""The bar of foundations on foams: error of the force against the gel's."""
JUDGE = "gel"
SHOWN = (
    "pressure",
    "pressure, auto",
    "pressure, sized",
    "bristle",
    "bristle, sized",
    "bristle, sized, Eq. 4",
    "marker",
    "marker layer",
    "layer",
)
SMOOTHED = 0.7e-3
"""m, of the images."""
WARNS = 0.15
"""Error by the rule from which ``taxel press`` warns."""


def models_of(sensor: TactileSensor, thing: Object, cells: int) -> dict[str, Callable[[], Model]]:
    """What presses, by name; the cheapest first."""
    made = sensor.made_of
    assert made is not None
    return {
        "pressure": lambda: Pressure(sensor, thing),
        "bristle": lambda: Bristles(sensor, thing),
        "marker": lambda: Markers(sensor, thing, "taxel", radius=3e-4 if thing.low < 0.01 else 6e-4),
        "marker layer": lambda: Markers(sensor, thing, "layer"),
        "layer": lambda: Layer(sensor, thing, made, 120 if cells == CELLS else 72),
        "gel": lambda: Particles(sensor, thing, cells, threads=1),
    }


def image(felt: Felt, half: float, bins: int = 40) -> np.ndarray:
    """Pressure (Pa) over a square of half width about the middle, smoothed over 0.7 mm.

    The models' points lie up to 0.8 mm apart, each in its own way; unsmoothed the lattices would be compared.
    """
    from scipy.ndimage import gaussian_filter

    edges = np.linspace(-half, half, bins + 1)
    loads, _, _ = np.histogram2d(felt.points[:, 1], felt.points[:, 0], bins=(edges, edges), weights=felt.forces)
    pixel = 2 * half / bins
    return gaussian_filter(loads / pixel**2, SMOOTHED / pixel)


def press_rows(name: str, thing: Object, depths: tuple[float, ...], cells: int) -> list[dict[str, Any]]:
    """All models in one object on one pad, a row a depth; images of the deepest."""
    sensor = catalogue()[name]()
    made = sensor.made_of
    assert made is not None
    running = {model: make() for model, make in models_of(sensor, thing, cells).items()}
    rows = []
    for share in depths:
        depth = share * made.thickness
        felt = {model: one.to(depth) for model, one in running.items()}
        radius = overlap_radius(sensor, thing, depth)
        felt["pressure, auto"] = Pressure(sensor.replace(contact="auto"), thing).to(depth)
        fitting = sensor.replace(contact=radius)
        felt["pressure, sized"] = Pressure(fitting, thing).to(depth)
        felt["bristle, sized"] = Bristles(fitting, thing).to(depth)
        felt["bristle, sized, Eq. 4"] = Bristles(fitting, thing, measure="normal").to(depth)
        half = 1.5 * max(math.sqrt(felt["pressure"].area / math.pi), 0.002)
        seen = {model: image(one, half) for model, one in felt.items()}
        scale = math.sqrt(float((seen[JUDGE] ** 2).mean()))
        rows.append(
            {
                "sensor": name,
                "object": thing.name,
                "depth_share": share,
                "depth_m": depth,
                "contact_radius_m": radius,
                "size": radius / made.thickness,
                "rule_error": made.size_error(radius),
                "force_N": {model: one.normal for model, one in felt.items()},
                "over_gel": {model: one.normal / felt[JUDGE].normal for model, one in felt.items()},
                "area_m2": {model: None if math.isnan(one.area) else one.area for model, one in felt.items()},
                "image_off": {
                    model: math.sqrt(float(((one - seen[JUDGE]) ** 2).mean())) / scale for model, one in seen.items()
                },
                "images": seen,
                "half_m": half,
            }
        )
    return rows


def verdicts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean and worst error of the force against the gel's: by kind of material and model, of all presses and of those
    that ``taxel press`` does not warn of. The bar holds where it was set: foundations on foams, sized or unwarned."""
    out = []
    for kind, names in (("foam", FOAMS), ("gel", GELS)):
        own = [r for r in rows if r["sensor"] in names]
        quiet = [r for r in own if abs(r["rule_error"]) <= WARNS]
        for which, chosen in (("all", own), ("not warned of", quiet)):
            for model in SHOWN:
                off = [abs(r["over_gel"][model] - 1) for r in chosen]
                if not off:
                    continue
                row = {"kind": kind, "which": which, "model": model, "presses": len(off), "mean": float(np.mean(off)),
                       "worst": float(max(off))}  # fmt: skip
                if kind == "foam" and model.endswith(("sized", "auto")) and which == "all":
                    row["within"] = row["mean"] <= MEAN and row["worst"] <= WORST
                out.append(row)
    return out


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    plt = need_matplotlib()
    depths, cells = (QUICK_DEPTHS, QUICK_CELLS) if quick else (DEPTHS, CELLS)
    things = [o for o in objects() if not quick or o.name in ("ball 8 mm", "lying cylinder")]
    names = ("weiss", "gelsight_mini") if quick else (*FOAMS, *GELS)
    rows: list[dict[str, Any]] = []
    drags: list[dict[str, Any]] = []
    for name, thing in out.progress([(n, o) for n in names for o in things], "presses"):
        rows += press_rows(name, thing, depths, cells)
        if thing.name in DRAGGED and not (quick and name != "weiss"):
            sensor = catalogue()[name]()
            assert sensor.made_of is not None
            depth = DRAG_DEPTH * sensor.made_of.thickness
            found = drag_rows(sensor, thing, depth, models_of(sensor, thing, min(cells, 5)), JUDGE)
            drags += [{"sensor": name, "object": thing.name, **row} for row in found]
    judged = verdicts(rows)
    show(out, rows, judged, drags)
    from .plots import draw

    picture = draw(plt, folder / "one_material.png", rows)
    out.print(f"picture: {picture}")
    kept = [{k: v for k, v in r.items() if k not in ("images", "half_m")} for r in rows]
    return {
        "experiment": "one-material",
        "version": taxel.__version__,
        "gel_cells": cells,
        "rows": judged,
        "presses": kept,
        "drags": drags,
        "rule": rule_rows(quick),
        "picture": picture,
    }


def show(out: Any, rows: list[dict[str, Any]], judged: list[dict[str, Any]], drags: list[dict[str, Any]]) -> None:
    cells = [
        (
            r["sensor"],
            r["object"],
            f"{100 * r['depth_share']:g} %",
            f"{r['size']:.2f}",
            f"{r['force_N'][JUDGE]:.4g}",
            *(f"{r['over_gel'][m]:.2f}" for m in SHOWN),
            "warns" if abs(r["rule_error"]) > WARNS else "",
        )
        for r in rows
    ]
    out.print("force over the gel's; size: radius of the contact over the thickness")
    out.print(table(("pad", "object", "depth", "size", "gel, N", *SHOWN, "taxel press"), cells))
    cells = [
        (
            r["kind"],
            r["which"],
            r["model"],
            str(r["presses"]),
            f"{100 * r['mean']:.0f} %",
            f"{100 * r['worst']:.0f} %",
            {True: "yes", False: "NO"}.get(r.get("within"), "-"),  # type: ignore[arg-type]
        )
        for r in judged
    ]
    out.print("\nerror of the force against the gel's")
    out.print(table(("material", "presses", "model", "of", "mean", "worst", "within the bar"), cells))
    cells = [
        (
            r["sensor"],
            r["object"],
            r["model"],
            "-" if r["motion"] is None else f"{1e3 * r['motion']:.3f}",
            "-" if r["shear_over_motion"] is None else f"{r['shear_over_motion']:.3g}",
        )
        for r in drags
    ]
    out.print(f"\ndrag to half slip, {100 * DRAG_DEPTH:g} % deep")
    out.print(table(("pad", "object", "model", "motion, mm", "shear force over motion, N/m"), cells))
