"""The line scan of the barometer array as the authors did it (workshop paper, section III).

At each place of the line the tip starts above the silicone and goes down in steps of 0.0125 mm until the scale shows
0.35 N. Every step with a force is kept: place, depth, force, the 5 x 5 readings of both sensors. The second sensor is
the first with its volume mesh turned by 90 degrees about z, and the combined one the maximum of both. Field and rays
are theirs (taxel.sensors.as_published), the modulus is that of the catalogue.

Their steps overshoot: the last one is the first at or above 0.35 N, not 0.35 N itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

PITCH, CELLS, FORCE, TIP = 2.2e-3, 5, 0.35, 1e-3
DESCENT = 0.0125e-3
SENSORS = ("first", "turned")


class Probe:
    """The silicone, twice, and the tip; statics: a step is a contact query."""

    def __init__(self, field: str) -> None:
        sensor = taxel.sensors.as_published(taxel.sensors.barometer(), field)
        self.skin = sensor.skin()
        self.size = np.array(sensor.bounds[1] - sensor.bounds[0])
        self.tip = taxel.Body.cylinder(TIP, 0.02)
        turned = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        self.poses = {"first": taxel.pose(), "turned": taxel.pose(R=turned)}

    def touch(self, x: float, y: float, depth: float) -> tuple[float, dict[str, np.ndarray]]:
        """Force on the tip and both images, as seen from the world."""
        X_WT = taxel.pose((x, y, 0.5 * self.size[2] + 0.01 - depth))
        force, images = 0.0, {}
        for name, X_WS in self.poses.items():
            surface = taxel.contact(self.skin.body, X_WS, self.tip, X_WT)
            image = self.skin.read(surface, X_WS).values
            images[name] = np.rot90(image, -1) if name == "turned" else image
            force = float(surface.force_on_B[2]) if name == "first" else force
        return force, images

    def descend(self, x: float, y: float) -> list[dict[str, Any]]:
        """Every loaded step of one descent."""
        steps: list[dict[str, Any]] = []
        for k in range(1, int(0.5 * self.size[2] / DESCENT)):
            force, images = self.touch(x, y, k * DESCENT)
            if force > 0:
                steps.append({"x": x, "depth": k * DESCENT, "force": force, **images})
            if force >= FORCE:
                return steps
        raise ValueError(
            f"the tip goes through the silicone at ({x:g}, {y:g}) without {FORCE:g} N; give it more modulus"
        )


def summary(field: str, scans: list[list[dict[str, Any]]]) -> dict[str, Any]:
    last = [steps[-1] for steps in scans]
    images = {name: np.array([step[name] for step in last]) for name in SENSORS}
    both = np.maximum(images["first"], images["turned"])
    middle = both[:, CELLS // 2, :]
    mirror = np.abs(middle - middle[::-1, ::-1]).max() / middle.max()
    forces = np.array([step["force"] for step in last])
    return {
        "field": field,
        "places": len(scans),
        "records": sum(map(len, scans)),
        "last_force": [float(forces.min()), float(forces.max())],
        "depth": float(np.mean([step["depth"] for step in last])),
        "turned_off": float(np.abs(images["turned"] - images["first"]).max() / both.max()),
        "mirror_off": float(mirror),
        "x": np.array([step["x"] for step in last]),
        "bells": middle / middle.max(),
    }


def run(out: Any, folder: Path, pace: float, quick: bool) -> dict[str, Any]:
    from taxel.report import need_matplotlib, table

    found = {}
    for field in ("distance",) if quick else taxel.sensors.PUBLISHED_FIELDS:
        probe, half = Probe(field), (CELLS - 1) / 2 * PITCH
        # Laplace's field lies on tetrahedra, where a query costs more: a coarser line.
        step = pace if field == "distance" else 8 * pace
        places = list(np.linspace(-half, half, round(2 * half / step) + 1))
        scans = [probe.descend(x, 0.0) for x in out.progress(places, f"as published, {field}")]
        found[field] = summary(field, scans)
    out.print(f"\nAs published: descents of {1e3 * DESCENT:g} mm a step until {FORCE:g} N, every loaded step kept")
    header = ("field", "places", "records", "last force N", "depth mm", "turned sensor off", "left against right off")
    rows = [
        (f["field"], str(f["places"]), str(f["records"]), f"{f['last_force'][0]:.3f} to {f['last_force'][1]:.3f}",
         f"{1e3 * f['depth']:.3f}", f"{f['turned_off']:.1e}", f"{f['mirror_off']:.1e}")
        for f in found.values()
    ]  # fmt: skip
    out.print(table(header, rows))
    plt = need_matplotlib()
    figure, axes = plt.subplots(1, len(found), figsize=(5.5 * len(found), 3.8), layout="constrained", squeeze=False)
    for ax, f in zip(axes[0], found.values(), strict=True):
        for cell in range(CELLS):
            ax.plot(1e3 * f["x"], f["bells"][:, cell], color=f"C{cell}", label=f"cell {cell}")
        ax.set(xlabel="tip, mm", ylabel="response / greatest", title=f"As published, field by {f['field']}")
        ax.grid(alpha=0.3)
    axes[0, 0].legend(fontsize=8, loc="lower center", ncols=CELLS)
    path = folder / "barometer_published.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    out.print(f"picture: {path}")
    return {"descent": DESCENT, "fields": found, "picture": path}
