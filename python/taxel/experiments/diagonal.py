"""A probe dragged across the diagonal of the pad at fixed depth: is there a ridge?

With two triangles on each face of the pad, as in the papers, the force ripples where the probe crosses the diagonal.
Ripple = (max - min) / mean of the force along the path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

PAD = (0.08, 0.08, 0.018)
LIMIT = 0.005


def path(z: float, count: int) -> np.ndarray:
    """3 cm across the diagonal of the top face, at an angle that no mesh line has."""
    along = np.linspace(-0.015, 0.015, count)
    direction = np.array([np.cos(np.radians(-40)), np.sin(np.radians(-40))])
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :2, 3] = along[:, None] * direction + (0.003, 0.001)
    poses[:, 2, 3] = z
    return poses


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.cli.common import need_matplotlib, table

    plt = need_matplotlib()
    count = 61 if quick else 601
    top, depth = PAD[2] / 2, 0.002
    probes = {
        "sphere tip, 2 mm": (taxel.Body.sphere(0.002), 0.002),
        "flat tip, 2 mm": (taxel.Body.cylinder(0.002, 0.02), 0.01),
    }
    rows, curves = [], {}
    for field in ("distance", "backed"):
        pad = taxel.Body.box(PAD, 3e4, field=field)
        for name, (probe, reach) in probes.items():
            forces = taxel.contact_batch(pad, taxel.pose(), probe, path(top + reach - depth, count)).normal_force
            ripple = float(np.ptp(forces) / forces.mean())
            curves[f"{name}, {field} field"] = forces
            rows.append(
                {
                    "probe": name,
                    "field": field,
                    "points": count,
                    "mean": float(forces.mean()),
                    "ripple": ripple,
                    "limit": LIMIT,
                    "within": ripple < LIMIT,
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
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for name, forces in curves.items():
        axes.plot(np.linspace(-15, 15, count), 100 * (forces / forces.mean() - 1), label=name, lw=1.2)
    axes.set(xlabel="along the path, mm", ylabel="force, deviation from the mean, %", ylim=(-1, 1))
    axes.axhspan(-50 * LIMIT, 50 * LIMIT, color="0.9", zorder=0, label="allowed")
    axes.set_title("Dragging a probe across the pad's diagonal, 2 mm deep")
    axes.legend(frameon=False, fontsize=8, ncol=2)
    axes.grid(alpha=0.3)
    picture = folder / "diagonal.png"
    figure.savefig(picture, dpi=120)
    plt.close(figure)
    out.print(f"picture: {picture}")
    return {"experiment": "diagonal", "rows": rows, "picture": picture}
