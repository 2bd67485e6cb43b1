"""An index finger and a thumb hold a cylinder: section 5.3 and Fig. 13 of the OpenGRASP paper.

The tactile geometries are curved meshes; every vertex of a pad is a tactile point with its own normal. The fingers
close until they touch, hold 1.5 N, lift the cylinder off its post and keep it. Checked: both fingers feel the same
squeeze, the forces of all points carry the weight, and the cylinder does not creep.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...record import Tape
from ...robots import FingerAndThumb, ForceGrip, objects, stage
from ...viewer.offscreen import View
from ...viewer.panel import BLUE, FAINT, INK, ORANGE, Panel, colour_map
from ..shared.film import Film, save_film, still
from ..shared.grasp_film import object_in, smooth, sums_panel
from ..shared.taping import Taping

FORCE, LIFT, POST = 1.5, 0.035, 0.05
RADIUS, LENGTH, MASS = 0.011, 0.09, 0.04
BALANCE_LIMIT, WEIGHT_LIMIT, CREEP_LIMIT = 0.02, 0.01, 0.02e-3
NAMES = ("index", "thumb")


class Pinch:
    def __init__(self, timestep: float = 0.002) -> None:
        self.height = POST + 0.62 * LENGTH
        thing = objects.cylinder(RADIUS, LENGTH, MASS)
        hand = stage.on_wrist(FingerAndThumb(opening=2 * RADIUS + 0.014).drawing(), (0, 0, self.height))
        place = thing.drawing(pos=(0, 0, POST + 0.5 * LENGTH))
        scene = stage.table() + stage.pedestal(POST, 0.014) + hand + place
        scene.timestep = timestep
        self.model = scene.model()
        self.data = mujoco.MjData(self.model)
        self.grip = ForceGrip(self.model, "pinch", NAMES, speed=0.03, touch=0.02, rate=4.0)
        self.lift = self.model.actuator("wrist_z").id
        mujoco.mj_forward(self.model, self.data)
        self.words = "open"
        self.flat = {sensor.name: _flat(sensor.layout.points) for sensor in self.grip.sensors}

    def view(self) -> View:
        return View((0.0, 0.008, self.height + 0.008), 0.31, 236, -13)

    def step(self, film: Film) -> np.ndarray:
        felt = self.grip.update(self.data)
        mujoco.mj_step(self.model, self.data)
        if film.due(self.data):
            film.shoot(self.data, self.view(), lambda panel, x: self._beside(felt, panel, x))
        return felt

    def run(self, film: Film, hold: float) -> dict[str, Any]:
        h = self.model.opt.timestep
        self.words = "close"
        for _ in range(round(0.2 / h)):
            self.step(film)
        self.grip.close(FORCE)
        good = 0
        while good * h < 0.2:
            felt = self.step(film)
            near = self.grip.phase == "force" and abs(felt.mean() - FORCE) < 0.01 * FORCE
            good = good + 1 if near else 0
            if self.data.time > 8:
                raise RuntimeError(f"the fingers did not close within 8 s: they feel {felt.round(3)} N")
        self.words = "lift"
        count = round(0.8 / h)
        for k in range(count):
            self.data.ctrl[self.lift] = LIFT * smooth((k + 1) / count)
            self.step(film)
        self.words = "hold"
        for _ in range(round(1.0 / h)):
            self.step(film)
        before, heights, sums = object_in(self.data, "hand"), [], []
        for _ in range(round(hold / h)):
            sums.append(self.step(film))
            heights.append(self.data.body("object").xpos[2])
        mean = np.mean(sums, axis=0)
        carried = sum(taxel.wrench(self.model, self.data, f"{name}_pad")[2] for name in NAMES)
        points = {s.name: _felt(s, self.data) for s in self.grip.sensors}
        told = sum(force[2] for force, _ in points.values())
        return {
            "index_N": float(mean[0]),
            "thumb_N": float(mean[1]),
            "balance": float(abs(mean[0] - mean[1]) / mean.mean()),
            "weight_N": MASS * 9.81,
            "carried_N": float(-carried),
            "told_N": float(-told),
            "creep_mm": 1e3 * float(np.linalg.norm(object_in(self.data, "hand") - before)),
            "active": {name: int(count) for name, (_, count) in points.items()},
            "points": {s.name: int(s.count) for s in self.grip.sensors},
            "height_mm": 1e3 * float(heights[-1]),
        }

    def _beside(self, felt: np.ndarray, panel: Panel, x: int) -> None:
        panel.text(x, 16, "index and thumb", 20, INK, bold=True)
        panel.text(x, 44, self.words, 13, FAINT)
        for k, sensor in enumerate(self.grip.sensors):
            values = sensor(self.data)
            flat = self.flat[sensor.name]
            middle = np.array([x + 58 + 118 * k, 196])
            panel.text(middle[0], 74, sensor.name, 14, (BLUE, ORANGE)[k], anchor="ma")
            panel.discs(middle + 5600 * flat * (1, -1), values, 5.0, GREATEST)
        wanted = self.grip.reference if self.grip.phase == "force" else 0.0
        sums_panel(panel, x, 344, NAMES, felt, wanted, 1.25 * FORCE)


GREATEST = 0.16  # N a point, red end of the film's colours


def _flat(points: np.ndarray) -> np.ndarray:
    """Points of a pad seen from its front, (n, 2): across, and to the tip."""
    return points[:, :2] * (-1, 1)


def _felt(sensor: Any, data: Any) -> tuple[np.ndarray, int]:
    """Force on a pad as its points tell it, normal and shear together, world frame; and how many points touch."""
    reading = sensor.read(data)
    return sensor.pose(data)[:3, :3] @ reading.force, int((sensor(data) > 0).sum())


def run(out: Any, folder: Path, quick: bool = False, record: Tape | None = None) -> dict[str, Any]:
    pinch = Pinch()
    words = "pinch the cylinder, lift it, hold it"
    taping = None if record is None else Taping(out, record, pinch.model, pinch.view(), words, ["object"])
    film = Film(out, pinch.model, 12.5, wanted=not quick, taping=taping)
    numbers = pinch.run(film, 0.5 if quick else 3.0)
    film.close()
    rows = [
        ("index against thumb", numbers["balance"], BALANCE_LIMIT),
        ("force of the points against the weight", abs(numbers["told_N"] / numbers["weight_N"] - 1), WEIGHT_LIMIT),
        ("creep, mm", numbers["creep_mm"], 1e3 * CREEP_LIMIT),
    ]
    table = [{"what": w, "value": float(v), "limit": x, "within": bool(v < x)} for w, v, x in rows]
    out.print(
        f"index {numbers['index_N']:.3f} N, thumb {numbers['thumb_N']:.3f} N; weight {numbers['weight_N']:.4f} N, "
        f"carried {numbers['carried_N']:.4f} N, told by the points {numbers['told_N']:.4f} N"
    )
    for name in NAMES:
        out.print(f"  {name}: {numbers['active'][name]} of {numbers['points'][name]} points touch")
    for row in table:
        out.print(
            f"  {row['what']:40} {row['value']:9.3g}   limit {row['limit']:g}" + ("" if row["within"] else "  <--")
        )
    pictures = [figure(out, folder / "fingertips.png", pinch, quick)]
    out.print(f"picture: {pictures[0]}")
    if film.frames:
        pictures.append(save_film(out, folder / "fingertips.gif", film.frames, film.fps))
    return {"experiment": "fingertips", "rows": table, **numbers, "pictures": pictures}


def figure(out: Any, path: Path, pinch: Pinch, quick: bool) -> Path:
    """As Fig. 13: the fingers, their tactile geometries, the hold, both images."""
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    views = [] if quick else [picture for picture in (_fingers(out), still(out, pinch.model, pinch.data, _near(pinch)))]
    views = [] if any(v is None for v in views) else views
    wide = (1.15, 1.1, 1.15, 1.35) if views else (1.1, 1.35)
    sheet = plt.figure(figsize=(3.6 * sum(wide), 4.3), layout="constrained", facecolor="white")
    grid = sheet.add_gridspec(1, len(wide), width_ratios=wide)
    if views:
        for column, pixels, title in ((0, views[0], "fingers"), (2, views[1], "the hold")):
            ax = sheet.add_subplot(grid[column])
            ax.imshow(pixels)
            ax.set_title(title)
            ax.axis("off")
    _geometries(sheet.add_subplot(grid[1 if views else 0], projection="3d"), pinch)
    inner = grid[-1].subgridspec(1, 2)
    images = [sensor(pinch.data) for sensor in pinch.grip.sensors]
    top = max(float(image.max()) for image in images)
    for k, (sensor, image) in enumerate(zip(pinch.grip.sensors, images, strict=True)):
        ax = sheet.add_subplot(inner[k])
        flat = 1e3 * pinch.flat[sensor.name]
        shown = ax.tripcolor(*flat.T, image, shading="gouraud", cmap=colour_map(), vmin=0, vmax=top)
        ax.plot(*flat.T, ".", color="0.45", ms=1.6)
        ax.set_aspect("equal")
        ax.set(title=f"{sensor.name}: {image.sum():.2f} N", xlabel="mm", xlim=(-12, 12), ylim=(-16, 16))
    sheet.colorbar(shown, ax=sheet.axes[-2:], label="N a point", shrink=0.85)
    sheet.savefig(path, dpi=110)
    plt.close(sheet)
    return path


def _near(pinch: Pinch) -> View:
    x, y, z = pinch.data.body("hand").xpos
    return View((x, y + 0.004, z + 0.006), 0.22, 236, -13)


def _fingers(out: Any) -> np.ndarray | None:
    """The two fingers alone, open."""
    drawing = FingerAndThumb().drawing()
    scene = stage.table() + stage.on_wrist(drawing, (0, 0, 0.09))
    model = scene.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return still(out, model, data, View((0, 0.0, 0.096), 0.25, 236, -16))


def _geometries(ax: Any, pinch: Pinch) -> None:
    """Both pads as meshes, with their points and normals."""
    from ...robots.finger_pads import INDEX, THUMB

    for finger, sensor, left in ((INDEX, pinch.grip.sensors[0], -14.0), (THUMB, pinch.grip.sensors[1], 13.0)):
        vertices, triangles = finger.pad()
        x, y, z = (1e3 * vertices + (left, 0, 0)).T
        ax.plot_trisurf(x, y, z, triangles=triangles, color="#e9b9aa", edgecolor="#b98474", linewidth=0.25, shade=True)
        p, n = 1e3 * sensor.layout.points + (left, 0, 0), sensor.layout.normals
        ax.quiver(*p.T, *(2.2 * n.T), color="#7a2c20", linewidth=0.6, arrow_length_ratio=0.35)
    ax.set_box_aspect((52, 34, 12), zoom=1.22)
    ax.set(xlim=(-26, 26), ylim=(-17, 17), zlim=(0, 12))
    ax.view_init(42, -72)
    ax.set_axis_off()
    ax.set_title("tactile geometries", y=1.0)
