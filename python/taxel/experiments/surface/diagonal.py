"""A probe dragged across the diagonal of the pad at fixed depth: is there a ridge?

Ripple = (max - min) / mean along the path. The force has none on our pad.

For contrast, the pad as the papers mesh it: two triangles a face, a tetrahedron from each to the centre. The field, and
so the force, is the same there, but the diagonal cuts the polygons of the contact, and a small piece at the deep end of
a tilted probe has a greater mean pressure than the whole. A sensor that reads faces sees a ridge along the diagonal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

PAD = (0.08, 0.08, 0.018)
MODULUS = 3e4
LIMIT = 0.005  # of the mean, from the least to the greatest


def path(z: float, count: int) -> np.ndarray:
    """3 cm across the diagonal of the top face, at an angle that no mesh line has."""
    along = np.linspace(-0.015, 0.015, count)
    direction = np.array([np.cos(np.radians(-40)), np.sin(np.radians(-40))])
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :2, 3] = along[:, None] * direction + (0.003, 0.001)
    poses[:, 2, 3] = z
    return poses


def pad_of_two_triangles_a_face() -> taxel.Body:
    """Twelve tetrahedra round the centre."""
    corners = 0.5 * np.array(PAD) * [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return taxel.Body.tets(np.vstack([corners, (0, 0, 0)]), [(a, c, b, 8) for a, b, c in triangles], MODULUS)


def greatest_face_pressure(pad: taxel.Body, probe: taxel.Body, poses: np.ndarray) -> np.ndarray:
    """At each pose: the greatest mean pressure of a face, Pa."""
    surface, result = None, []
    for X_WB in poses:
        surface = taxel.contact(pad, taxel.pose(), probe, X_WB, out=surface)
        result.append(surface.face_pressures.max())
    return np.array(result)


def ripple_of(values: np.ndarray) -> float:
    return float(np.ptp(values) / values.mean())


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib, table

    plt = need_matplotlib()
    count = 61 if quick else 601
    top, depth = PAD[2] / 2, 0.002
    probes = {
        "sphere tip": (taxel.Body.sphere(0.002), 0.002),
        "flat tip": (taxel.Body.cylinder(0.002, 0.02), 0.01),
    }
    rows, curves = [], {}
    for field in ("distance", "backed"):
        pad = taxel.Body.box(PAD, MODULUS, field=field)
        for name, (probe, reach) in probes.items():
            forces = taxel.contact_batch(pad, taxel.pose(), probe, path(top + reach - depth, count)).normal_force
            curves[f"{name}, {field} field"] = forces
            rows.append(
                {
                    "probe": f"{name}, radius 2 mm",
                    "field": field,
                    "points": count,
                    "mean": float(forces.mean()),
                    "ripple": ripple_of(forces),
                    "limit": LIMIT,
                    "within": ripple_of(forces) < LIMIT,
                }
            )
    out.print(
        table(
            ("probe", "field", "points", "mean force N", "ripple", "limit", ""),
            [
                (
                    r["probe"],
                    r["field"],
                    str(r["points"]),
                    f"{r['mean']:.5f}",
                    f"{100 * r['ripple']:.4f} %",
                    f"{100 * LIMIT:g} %",
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in rows
            ],
            left=2,
        )
    )
    tip = taxel.Body.box((0.004, 0.004, 0.02), name="square tip")
    poses = path(top + 0.01 - depth, count) @ taxel.pose(rpy=(0.15, 0.1, 0.3))
    contrast = {
        "two triangles a face": greatest_face_pressure(pad_of_two_triangles_a_face(), tip, poses),
        "ours": greatest_face_pressure(taxel.Body.box(PAD, MODULUS), tip, poses),
    }
    out.print("\nGreatest mean pressure of a face below a tilted square tip, 4 mm wide:")
    for name, pressures in contrast.items():
        out.print(f"{name:22} ripple {100 * ripple_of(pressures):.4f} %")
    picture = folder / "diagonal.png"
    draw(plt, picture, curves, contrast)
    out.print(f"picture: {picture}")
    return {
        "experiment": "diagonal",
        "rows": rows,
        "face_pressure_ripple": {name: ripple_of(pressures) for name, pressures in contrast.items()},
        "picture": picture,
    }


def draw(plt: Any, path: Path, curves: dict[str, np.ndarray], contrast: dict[str, np.ndarray]) -> None:
    figure = plt.figure(figsize=(12.5, 5.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.15, 1), wspace=0.04)
    left.suptitle("Force of a probe dragged across the pad's diagonal, 2 mm deep", fontsize=12)
    grid = left.subplots(2, 2, sharex=True, sharey=True)
    for axes, (name, forces) in zip(grid.flat, curves.items(), strict=True):
        along = np.linspace(-15, 15, len(forces))
        axes.axhspan(-50 * LIMIT, 50 * LIMIT, color="0.9", zorder=0)
        axes.text(
            0.5,
            50 * LIMIT + 0.02,
            f"limit: {100 * LIMIT:g} % from least to greatest",
            transform=axes.get_yaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=8,
            color="0.4",
        )
        axes.plot(along, 100 * (forces / forces.mean() - 1), color="C0", lw=1.6)
        axes.set_title(name, fontsize=10)
        axes.set_ylim(-0.5, 0.5)
        axes.grid(alpha=0.3)
    left.supxlabel("along the path, mm", fontsize=10)
    left.supylabel("deviation from the mean, %", fontsize=10)
    right.suptitle("What a reading by faces sees, tilted square tip", fontsize=12)
    axes = right.subplots()
    for (name, pressures), colour in zip(contrast.items(), ("C3", "C0"), strict=True):
        along = np.linspace(-15, 15, len(pressures))
        label = f"pad: {name}, ripple {100 * ripple_of(pressures):.2g} %" if ripple_of(pressures) > 1e-6 else None
        axes.plot(along, 1e-3 * pressures, color=colour, lw=1.6, label=label or f"pad: {name}, no ripple")
    axes.set(xlabel="along the path, mm", ylabel="greatest mean pressure of a face, kPa")
    axes.margins(y=0.25)
    axes.legend(frameon=False, loc="upper left")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    plt.close(figure)
