"""The 5 x 5 barometer array, scanned by a probe (workshop paper, Figs. 5 to 7; HydroelasticTouch, Fig. 10).

A block of silicone, 11 x 11 x 4 mm, with cells every 2.2 mm; a flat tip of 2 mm on a spring (the scale of the real
set-up) is lowered in MuJoCo until it carries 0.35 N. Line scan along x through the middle row, from the centre of the
first cell to that of the last in steps of 0.0125 mm; grid scan over all cells in steps of 0.15 mm.

The papers give no modulus in SI (their world is drawn ten times too large). 0.35 N on the tip is 111 kPa; with 1 MPa,
which is what cast silicone of Shore A 20 to 30 has, the tip sinks 0.45 mm into the 4 mm.

Two read-outs: exact integration over the cell, and the papers' rays weighted by (r - d)^2, r = 2.2 mm, 20 rays along a
side. The papers saw ridges where the tip crossed the diagonal of the block and hid them with a second sensor, turned by
90 degrees, and the maximum of both. Ours has nothing to hide: the second sensor reads the same.

As published (``barometer_published``): the authors' field and rays; at each place the tip goes down by 0.0125 mm a step
until 0.35 N are passed, and every loaded step of both sensors is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from . import barometer_published as published

PITCH, CELLS = 2.2e-3, 5
BLOCK = (0.011, 0.011, 0.004)
MODULUS, FORCE, TIP = 1e6, 0.35, 1e-3
SPRING, MASS = 500.0, 0.01  # N/m of the scale; kg of the tip
READOUTS = {
    "exact": dict(),
    "rays": dict(readout="rays", samples=20, radius=PITCH, window="quadratic"),
}
SYMMETRY_LIMIT, RIPPLE_LIMIT = 0.01, 0.005


class Rig:
    """The block and the tip on its spring. ``turned``: the block a quarter turn round, its images turned back."""

    def __init__(self, turned: bool = False) -> None:
        spec = mujoco.MjSpec()
        spec.option.timestep = 0.002
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.gravity = [0, 0, 0]
        box = mujoco.mjtGeom.mjGEOM_BOX
        body = spec.worldbody.add_body(name="array", euler=[0, 0, 90 if turned else 0])
        body.add_geom(name="silicone", type=box, size=[s / 2 for s in BLOCK], pos=[0, 0, -BLOCK[2] / 2])
        # A stage that is set in x and y, and on it the tip, which hangs on the spring of the scale.
        stage = spec.worldbody.add_body(name="stage", mocap=True)
        tip = stage.add_body(name="tip", pos=[0, 0, 0.01])
        tip.add_joint(
            type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], stiffness=SPRING, damping=2 * np.sqrt(SPRING * MASS)
        )
        tip.add_geom(
            name="tip", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[TIP, 0.01, 0], mass=MASS, friction=[0, 0, 0]
        )
        taxel.soften(spec, "silicone", modulus=MODULUS, field="backed", dissipation=5.0, friction=0.0)
        for name, keys in READOUTS.items():
            taxel.add_sensor(spec, "silicone", name=name, shape=(CELLS, CELLS), on_demand=True, **keys)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.sensors = {name: taxel.Sensor(self.model, name) for name in READOUTS}
        self.turned = turned
        self.ground = np.pi * TIP**2 * MODULUS / BLOCK[2]  # N/m, of the silicone below the tip
        self.data.qpos[0] = -FORCE / self.ground
        self.spring = self.data.qpos[0] - FORCE / SPRING

    def press(self, x: float, y: float) -> dict[str, Any]:
        """Lowers the spring's far end until the scale shows the force; images, force and depth."""
        m, d = self.model, self.data
        d.mocap_pos[0] = x, y, 0
        d.qvel[:] = 0
        for _ in range(40):
            m.qpos_spring[0] = self.spring
            mujoco.mj_step(m, d, nstep=20)
            force = SPRING * (d.qpos[0] - self.spring)
            if abs(force - FORCE) < 1e-6 * FORCE and abs(d.qvel[0]) < 1e-8:
                break
            self.spring -= (FORCE - force) * (1 / SPRING + 1 / self.ground)
        else:
            raise ValueError(f"the tip does not come to rest at ({x:g}, {y:g}): {force:g} N")
        out: dict[str, Any] = {name: sensor.read(d).values for name, sensor in self.sensors.items()}
        if self.turned:  # back to the world: the block's columns run along +y, its rows along -x
            out = {name: np.rot90(image, -1) for name, image in out.items()}
        return out | {"force": taxel.wrench(m, d, "tip")[2], "depth": -d.qpos[0]}


def line(rig: Rig, step: float, y: float = 0.0) -> dict[str, np.ndarray]:
    half = (CELLS - 1) / 2 * PITCH
    count = round(2 * half / step) + 1
    places = np.linspace(-half, half, count)
    shots = [rig.press(x, y) for x in places]
    return {"x": places} | {key: np.array([s[key] for s in shots]) for key in shots[0]}


def bells(scan: dict[str, np.ndarray], readout: str) -> np.ndarray:
    """The responses of the middle row, over the greatest of them all: (positions, 5)."""
    middle = scan[readout][:, CELLS // 2, :]
    return middle / middle.max()


def judge(scan: dict[str, np.ndarray], readout: str) -> list[dict[str, Any]]:
    curves, x = bells(scan, readout), scan["x"]
    rows = []
    for cell in range(1, CELLS - 1):
        center = (cell - (CELLS - 1) / 2) * PITCH
        reach = min(center - x[0], x[-1] - center)
        offsets = np.linspace(0, reach, 400)
        left, right = (np.interp(center + s * offsets, x, curves[:, cell]) for s in (-1, 1))
        error = float(np.abs(left - right).max())
        rows.append(
            {
                "what": f"cell {cell}: left against right",
                "readout": readout,
                "error": error,
                "limit": SYMMETRY_LIMIT,
                "within": error < SYMMETRY_LIMIT,
            }
        )
    for a in range(CELLS // 2):
        error = float(np.abs(curves[:, a] - curves[::-1, CELLS - 1 - a]).max())
        rows.append(
            {
                "what": f"cells {a} and {CELLS - 1 - a} mirror each other",
                "readout": readout,
                "error": error,
                "limit": SYMMETRY_LIMIT,
                "within": error < SYMMETRY_LIMIT,
            }
        )
    return rows


def overlap(x: float, y: float) -> np.ndarray:
    """Area of the tip over each cell, m2 (rows along y): chords of the disc clipped to the cell, summed over 4,000."""
    edges = (np.arange(CELLS + 1) - CELLS / 2) * PITCH
    u = x + TIP * (2 * (np.arange(4000) + 0.5) / 4000 - 1)
    half = np.sqrt(TIP**2 - (u - x) ** 2)
    column = np.clip(np.floor((u - edges[0]) / PITCH).astype(int), -1, CELLS)
    areas = np.zeros((CELLS, CELLS))
    for row in range(CELLS):
        length = np.clip(np.minimum(y + half, edges[row + 1]) - np.maximum(y - half, edges[row]), 0, None)
        for c in range(CELLS):
            areas[row, c] = length[column == c].sum() * 2 * TIP / 4000
    return areas


def ripple(scan: dict[str, np.ndarray], y: float) -> float:
    """How far any cell strays from the share of the tip that lies on it: a ridge on the diagonal would show."""
    pressure = FORCE / (np.pi * TIP**2)
    wanted = np.array([pressure * overlap(x, y) / PITCH**2 for x in scan["x"]])
    return float(np.abs(scan["exact"] - wanted).max() / wanted.max())


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib, table

    plt = need_matplotlib()
    rig, second = Rig(), Rig(turned=True)
    step = 0.1e-3 if quick else 0.0125e-3
    scan = line(rig, step)
    rows = [row for readout in READOUTS for row in judge(scan, readout)]
    # Off the middle the tip crosses both diagonals of the block well inside, between cells and on one.
    crossing = {y: line(rig, 4 * step, y) for y in (0.0, 0.8e-3, 1.7e-3)}
    for y, found in crossing.items():
        rows.append(
            {
                "what": f"any cell against the tip's overlap, y = {1e3 * y:g} mm",
                "readout": "exact",
                "error": ripple(found, y),
                "limit": RIPPLE_LIMIT,
                "within": ripple(found, y) < RIPPLE_LIMIT,
            }
        )
    twin = line(second, 4 * step, 1.7e-3)
    both = np.maximum(crossing[1.7e-3]["exact"], twin["exact"])
    error = float(np.abs(both - crossing[1.7e-3]["exact"]).max() / both.max())
    rows.append(
        {
            "what": "two sensors, one turned: maximum over one alone",
            "readout": "exact",
            "error": error,
            "limit": 1e-6,
            "within": error < 1e-6,
        }
    )
    out.print(
        table(
            ("what", "read-out", "error", "limit", ""),
            [
                (
                    r["what"],
                    r["readout"],
                    f"{100 * r['error']:.1e} %",
                    f"{100 * r['limit']:g} %",
                    "" if r["within"] else "<--",
                )
                for r in rows
            ],
            left=2,
        )
    )
    out.print(
        f"\nforce {scan['force'].min():.6f} to {scan['force'].max():.6f} N, depth {1e3 * scan['depth'].mean():.3f} mm, "
        f"modulus {MODULUS:g} Pa, {len(scan['x'])} positions"
    )
    half = (CELLS - 1) / 2 * PITCH
    pace = 0.6e-3 if quick else 0.15e-3
    ticks = np.arange(-half - PITCH / 2, half + PITCH / 2 + 1e-9, pace)
    shots = [[rig.press(x, y) for x in ticks] for y in out.progress(list(ticks), "grid scan")]
    picture = draw(plt, folder / "barometer.png", scan, ticks, shots)
    out.print(f"picture: {picture}")
    found = published.run(out, folder, 0.2e-3 if quick else 0.0125e-3, quick)
    return {
        "experiment": "barometer",
        "rows": rows,
        "force": scan["force"],
        "depth": float(scan["depth"].mean()),
        "modulus": MODULUS,
        "picture": picture,
        "as_published": found,
    }


def draw(plt: Any, path: Path, scan: dict, ticks: np.ndarray, shots: list) -> Path:
    figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained", width_ratios=(1.3, 1.3, 1))
    titles = {"exact": "integrated over the cell", "rays": "rays weighted by (r - d)²"}
    for ax, readout in zip(axes, READOUTS, strict=False):
        curves = bells(scan, readout)
        for cell in range(CELLS):
            style = dict(color=f"C{cell}", linewidth=1.8 if 0 < cell < CELLS - 1 else 0.9)
            ax.plot(1e3 * scan["x"], curves[:, cell], label=f"cell {cell}", **style)
        ax.set(xlabel="tip, mm", ylabel="response / greatest", title=f"Line scan, 0.35 N, {titles[readout]}")
        ax.grid(alpha=0.3)
    axes[0].legend(fontsize=8, loc="lower center", ncols=CELLS)
    # Every cell's response where the tip was: the greatest of them at each place.
    response = np.array([[s["rays"].max() for s in row] for row in shots])
    edge = 1e3 * ticks[0], 1e3 * ticks[-1]
    shown = axes[2].imshow(response / response.max(), origin="lower", extent=(*edge, *edge), cmap="Greys", vmin=0)
    axes[2].set(xlabel="tip x, mm", ylabel="tip y, mm", title="Grid scan: greatest response of any cell")
    figure.colorbar(shown, ax=axes[2], shrink=0.85)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
