"""Laplace and distance fields side by side: what the papers say against what Drake computes.

The papers speak of Laplace's equation; their code scales the distance to the surface. Here both run on a box, a sphere
and an L: a slice of each field and their difference, and the force on a rigid plate against depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

MODULUS = 1e5


@dataclass
class Case:
    name: str
    distance: taxel.Body
    laplace: taxel.Body
    lowest: float
    """z of the lowest point."""
    half_width: float
    slice_z: float


def l_shape() -> tuple[np.ndarray, np.ndarray]:
    """The L of tests/data/l_shape.obj: two arms 6 cm long and 2 cm wide, 2 cm thick."""
    outline = 1e-2 * np.array([(-3, -3), (3, -3), (3, -1), (-1, -1), (-1, 3), (-3, 3)], dtype=float)
    n = len(outline)
    vertices = np.concatenate([np.column_stack([outline, np.full(n, z)]) for z in (-0.01, 0.01)])
    cap = [(0, 1, 3), (1, 2, 3), (0, 3, 5), (3, 4, 5)]
    triangles = [(c, b, a) for a, b, c in cap] + [(a + n, b + n, c + n) for a, b, c in cap]
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, j, j + n), (i, j + n, i + n)]
    return vertices, np.array(triangles)


def cases(resolution: float) -> list[Case]:
    def both(make: Any) -> tuple[taxel.Body, taxel.Body]:
        return make(field="distance"), make(field="laplace", resolution=resolution)

    vertices, triangles = l_shape()
    box = both(lambda **o: taxel.Body.box((0.06, 0.06, 0.03), MODULUS, **o))
    sphere = both(lambda **o: taxel.Body.sphere(0.03, MODULUS, **o))
    ell = both(lambda **o: taxel.Body.mesh(vertices, triangles, MODULUS, name="L", **o))
    return [
        Case("box 6 x 6 x 3 cm", *box, -0.015, 0.035, 0.0),
        Case("sphere, radius 3 cm", *sphere, -0.03, 0.035, 0.0),
        Case("L, 2 cm thick", *ell, -0.01, 0.035, 0.0),
    ]


DEPTHS = (0.0005, 0.001, 0.002, 0.003, 0.004)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib, table

    plt = need_matplotlib()
    plate = taxel.Body.half_space()
    rows = []
    # The Laplace field is as good as its tetrahedra: on the sphere pi E d^2 is exact, and 1.5 mm comes within 0.5 %.
    # A quick run keeps the tetrahedra and leaves out depths and pixels: its numbers are those of
    # docs/theory/contact.md.
    shown = cases(0.0015)
    for case in out.progress(shown, "fields"):
        for depth in DEPTHS[:3] if quick else DEPTHS:
            X_WA = taxel.pose((0, 0, -case.lowest - depth))
            distance, laplace = (
                taxel.contact(body, X_WA, plate, taxel.pose()).normal_force for body in (case.distance, case.laplace)
            )
            rows.append(
                {
                    "shape": case.name,
                    "depth": depth,
                    "distance": distance,
                    "laplace": laplace,
                    "difference": laplace / distance - 1 if distance else float("nan"),
                }
            )
    out.print(
        table(
            ("shape", "depth mm", "distance N", "Laplace N", "difference"),
            [
                (
                    r["shape"],
                    f"{1e3 * r['depth']:g}",
                    f"{r['distance']:.4f}",
                    f"{r['laplace']:.4f}",
                    f"{100 * r['difference']:+.1f} %",
                )
                for r in rows
            ],
        )
    )
    picture = folder / "fields.png"
    draw(plt, picture, shown, rows, 60 if quick else 240)
    out.print(f"picture: {picture}")
    return {"experiment": "fields", "modulus": MODULUS, "rows": rows, "picture": picture}


def draw(plt: Any, path: Path, shown: list[Case], rows: list[dict], n: int) -> None:
    figure, axes = plt.subplots(3, 4, figsize=(16, 10.5), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    titles = ("distance", "Laplace", "Laplace - distance")
    for k, case in enumerate(shown):
        w = case.half_width
        grid = np.linspace(-w, w, n)
        x, y = np.meshgrid(grid, grid)
        if case.name.startswith("L"):
            points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, case.slice_z)])
            labels = ("x, cm", "y, cm")
        else:
            points = np.column_stack([x.ravel(), np.zeros(x.size), y.ravel()])
            labels = ("x, cm", "z, cm")
        fields = [b.pressure_at(points).reshape(n, n) / MODULUS for b in (case.distance, case.laplace)]
        outside = fields[0] + fields[1] == 0
        panels = [*fields, fields[1] - fields[0]]
        for column, (values, title) in enumerate(zip(panels, titles, strict=True)):
            a = axes[k, column]
            difference = column == 2
            image = a.pcolormesh(
                100 * x,
                100 * y,
                np.ma.masked_where(outside, values),
                cmap="RdBu_r" if difference else "inferno",
                vmin=-0.5 if difference else 0,
                vmax=0.5 if difference else 1,
                shading="auto",
                rasterized=True,
            )
            if not difference:
                a.contour(100 * x, 100 * y, values, levels=np.arange(0.1, 1, 0.1), colors="w", linewidths=0.4)
            a.set_aspect("equal")
            a.set(xlabel=labels[0], ylabel=labels[1])
            a.set_title(title, fontsize=11, pad=8)
            bar = figure.colorbar(image, ax=a, shrink=0.8, pad=0.03)
            bar.set_label("difference of p / E" if difference else "pressure p / modulus E")
        axes[k, 0].annotate(
            case.name,
            (-0.32, 0.5),
            xycoords="axes fraction",
            rotation=90,
            ha="center",
            va="center",
            fontsize=12,
            weight="bold",
        )
        a = axes[k, 3]
        mine = [r for r in rows if r["shape"] == case.name]
        depths = [1e3 * r["depth"] for r in mine]
        a.plot(depths, [r["distance"] for r in mine], "o-", label="distance")
        a.plot(depths, [r["laplace"] for r in mine], "s-", label="Laplace")
        a.set(xlabel="depth, mm", ylabel="force, N")
        a.set_title("force on a rigid plate", fontsize=11, pad=8)
        a.set_box_aspect(1)
        a.grid(alpha=0.3)
        a.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
