"""Marker mode "layer" against the slow elastic layer: fields, forces, what sticks, and where it begins to slip.

Nothing is fitted: the mode gets the thickness, Poisson's ratio and friction of the reference, and cells of its own
choice (0.6 mm; the reference has 0.375 mm, FFT, 0.05 mm increments). Error is the root mean square of the difference
over that of the motion, at the end of a path, the mean over the markers. Mode "taxel" stands beside it with its
defaults, which were fitted to the 35 mm ball.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...reference import Distance, LayerContact, LayerGrid, PointProbe, Sphere
from ...reference.layer_contact import rotation
from ...reference.motions import FULL, PIXEL, QUICK
from ...report import need_matplotlib, table
from . import layer_plots as plots
from .motion_laws import mindlin_law
from .motion_models import SURFACE, rmse

LIMITS = {"error": 0.12, "force": 0.05, "stuck": (0.95, 1.02), "mindlin": 0.02}
MODES = ("layer", "taxel")
SEMI_AXES = (6e-3, 10e-3, 5e-3)
DEPTH, STEP = 0.9e-3, 1e-4
MOTIONS = ("press", "stick", "slip", "twist", "roll")


def _ellipsoid_height() -> Distance:
    """Its distance, from below: the gradient of the quadric bounds it."""
    axes = np.array(SEMI_AXES)

    def distance(points: np.ndarray) -> np.ndarray:
        scaled = np.linalg.norm(points / axes, axis=1)
        slope = np.linalg.norm(points / axes**2, axis=1)
        # |p/a| (|p/a| - 1) / |p/a^2| never exceeds the distance by more than 2 % near the surface; halved, it is safe.
        return 0.5 * np.where(slope > 0, scaled * (scaled - 1) / np.maximum(slope, 1e-12), -min(SEMI_AXES))

    return Distance(distance, max(SEMI_AXES))


TILT = rotation((0.15, -0.1, 0.3))
INDENTERS: dict[str, tuple[Any, Any, float, np.ndarray]] = {
    "35 mm ball": (taxel.Body.sphere(17.5e-3), Sphere(17.5e-3), 17.5e-3, np.eye(3)),
    "16 mm ball": (taxel.Body.sphere(8e-3), Sphere(8e-3), 8e-3, np.eye(3)),
    "ellipsoid": (taxel.Body.ellipsoid(SEMI_AXES), _ellipsoid_height(), SEMI_AXES[2], TILT),
}
"""Body, reference's indenter, radius to roll on (m), rotation."""


def rise(R: np.ndarray, name: str) -> float:
    """Of the middle over the lowest point."""
    if name != "ellipsoid":
        return INDENTERS[name][2]
    return float(np.linalg.norm(np.array(SEMI_AXES) * R[2]))


def path_of(name: str, motion: str, quick: bool) -> np.ndarray:
    """(n, 4, 4), z = 0 on the gel's face: off the middle, down, then the motion."""
    radius, R = INDENTERS[name][2], INDENTERS[name][3]
    depth, count = DEPTH if radius > 8e-3 else 0.8 * DEPTH, 1 if quick else 2

    def pose(x: float, y: float, d: float, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
        X = np.eye(4)
        X[:3, :3] = rotation(turn) @ R
        X[:3, 3] = x, y, rise(X[:3, :3], name) - d
        return X

    x0, y0, way = 0.7e-3, -1.1e-3, math.radians(25.0)
    path = [pose(x0, y0, d) for d in np.linspace(-5e-5, depth, round(depth / STEP) * count + 1)]
    along = np.array([math.cos(way), math.sin(way)])
    if motion in ("stick", "slip"):
        far = 0.2e-3 if motion == "stick" else 1.5e-3
        for s in np.linspace(0, far, round(far / STEP) * count + 1)[1:]:
            path.append(pose(*(np.array([x0, y0]) + s * along), depth))
    elif motion == "twist":
        for a in np.linspace(0, math.radians(9.0), 8 * count + 1)[1:]:
            path.append(pose(x0, y0, depth, (0, 0, a)))
    elif motion == "roll":
        for a in np.linspace(0, math.radians(4.0), 10 * count + 1)[1:]:
            path.append(pose(*(np.array([x0, y0]) + radius * a * along), depth, (-a * along[1], a * along[0], 0)))
    return np.stack(path)


def compare(name: str, motion: str, markers: np.ndarray, quick: bool) -> dict[str, Any]:
    body, indenter, _, _ = INDENTERS[name]
    settings = QUICK if quick else FULL
    grid = LayerGrid(settings.layer, settings.shape, settings.cell)
    contact = LayerContact(grid, indenter, settings.friction, settings.step, settings.tolerance)
    path = path_of(name, motion, quick)
    for X in path:
        state = contact.move(X)
    true = PointProbe(grid, markers[:, :2])(state.traction)[:, :2] / PIXEL
    row: dict[str, Any] = {"test": "motion", "object": name, "motion": motion, "true": true,
                           "size": rmse(true, np.zeros_like(true)), "force": float(-state.force[2])}  # fmt: skip
    lifted = path.copy()
    lifted[:, 2, 3] += SURFACE
    pad = taxel.gelsight_mini_markers(dome=False).pad
    for mode in MODES:
        field = taxel.MarkerField(pad, markers, body, mode)
        moved = field.follow(lifted)[-1, :, :2]
        row[mode] = {"field": moved, "error": rmse(moved, true) / row["size"],
                     "force_off": float(abs(field.wrench[2] / state.force[2] - 1))}  # fmt: skip
    return row


def stuck(mode: str, what: str, markers: np.ndarray) -> float:
    """How far the marker in the middle moves over how far the object does, without slip."""
    body, R, above = {
        "plate": (taxel.Body.box((0.03, 0.03, 0.01)), np.eye(3), 5e-3),
        "cylinder": (taxel.Body.cylinder(8e-3, 0.03), rotation((math.pi / 2, 0, 0)), 8e-3),
    }[what]
    pad = taxel.gelsight_mini_markers(dome=False).pad
    field = taxel.MarkerField(pad, markers, body, mode, friction=3.0)

    def at(x: float, depth: float) -> np.ndarray:
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R, (x, 0, SURFACE + above - depth)
        return field.step(X)

    for depth in np.linspace(-5e-5, 4e-4, 6):
        before = at(0.0, depth)
    for x in np.linspace(0, 1e-4, 3)[1:]:
        after = at(x, 4e-4)
    middle = int(np.hypot(*markers[:, :2].T).argmin())
    return float((after - before)[middle, 0] * PIXEL / 1e-4)


def sticking(quick: bool) -> list[dict[str, float]]:
    """c/a of a shallow ball, pressed without friction and then slid; fine cells, for c is counted in them."""
    pad = taxel.gelsight_mini_markers(dome=False)
    depth, mu = 0.2e-3, 0.5
    field = taxel.MarkerField(pad.pad, pad.markers, taxel.Body.sphere(17.5e-3), "layer", friction=0.0, step=2e-5,
                              pitch=0.2e-3 if quick else 0.15e-3)  # fmt: skip

    def at(x: float, d: float) -> None:
        field.step(taxel.pose((x, 0, SURFACE + 17.5e-3 - d)))

    at(0, -1e-5)
    at(0, depth)
    field.parameters = {"friction": mu}
    rows = []
    for x in np.linspace(2e-5, 2.6e-4, 6 if quick else 13):
        at(x, depth)
        normal, tangential = -field.contact_forces[:, 2], np.hypot(*field.contact_forces[:, :2].T)
        q = float(field.wrench[0] / (-mu * field.wrench[2]))
        # A cell at the rim counts by the part of the circle it holds, on average: the square root of the shares.
        rows.append({"q": q, "ratio": math.sqrt(np.mean(tangential < 0.99 * mu * normal))})
    return rows


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    plt = need_matplotlib()
    markers = taxel.gelsight_mini_markers(dome=False).markers
    work = [(name, motion) for name in INDENTERS for motion in MOTIONS]
    found = [compare(*one, markers, quick) for one in out.progress(work, "the slow layer")]
    rows: list[dict[str, Any]] = []
    cells = []
    for name in INDENTERS:
        mine = [r for r in found if r["object"] == name]
        row: dict[str, Any] = {"test": "motions", "object": name}
        for mode in MODES:
            row[mode] = {"error": float(np.mean([r[mode]["error"] for r in mine])),
                         "worst": float(max(r[mode]["error"] for r in mine)),
                         "force_off": float(np.mean([r[mode]["force_off"] for r in mine])),
                         "force_worst": float(max(r[mode]["force_off"] for r in mine))}  # fmt: skip
        row["within"] = row["layer"]["error"] <= LIMITS["error"] and row["layer"]["force_worst"] <= LIMITS["force"]
        rows.append(row)
        each = [f"{row[m][k]:.3f}" for m in MODES for k in ("error", "worst")]
        forces = [f"{100 * row[m]['force_worst']:.1f} %" for m in MODES]
        cells.append((name, *each, *forces, "" if row["within"] else "outside"))
    out.print("error over motion, mean and worst of press, stick, slip, twist, roll; normal force off at worst")
    out.print(table(("object", "layer", "worst", "taxel", "worst", "layer, force", "taxel, force", ""), cells))
    low, high = LIMITS["stuck"]
    for what in ("plate", "cylinder"):
        row = {"test": "stuck", "object": what, **{mode: stuck(mode, what, markers) for mode in MODES}}
        row["within"] = bool(low <= row["layer"] <= high)
        rows.append(row)
        out.print(f"stuck {what}: a marker moves by {row['layer']:.3f} (taxel {row['taxel']:.2f}) times the object")
    curve = sticking(quick)
    off = max(abs(r["ratio"] - float(mindlin_law(r["q"]))) for r in curve if 0.05 < r["q"] < 0.9)
    rows.append({"test": "mindlin", "layer": off, "within": bool(off <= (0.03 if quick else LIMITS["mindlin"]))})
    out.print(f"sticking radius: off Mindlin's (1 - Q / mu P)^(1/3) by at most {off:.4f} of the radius")
    pictures = [plots.draw_motions(plt, found, markers, folder / "marker_layer.png"),
                plots.draw_stick(plt, curve, folder / "marker_layer_stick.png")]  # fmt: skip
    for picture in pictures:
        out.print(f"picture: {picture}")
    bare = [{k: v for k, v in r.items() if k not in ("true", *MODES)}
            | {m: {k: v for k, v in r[m].items() if k != "field"} for m in MODES} for r in found]  # fmt: skip
    return {"experiment": "marker-layer", "quick": quick, "rows": rows, "each": bare, "stick": curve,
            "pictures": pictures}  # fmt: skip
