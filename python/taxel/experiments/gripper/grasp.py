"""Four objects between the fingers of the Schunk PG70, as in section 5.2.1 and Fig. 10 of the OpenGRASP paper.

Sphere, box, cylinder and spray bottle stand on a post; the jaws close at constant speed until they touch and then hold
the tactile sum. The images of both Weiss arrays say how safe the grasp is (``taxel.robots.grasp_margin``): how many
times the load may grow before the object slides. That is then tried: the object is lifted; pulled down, and twisted
about the axis of the grasp, until it slides; shaken with three quarters of what the margin allows, which must hold, and
with a quarter more than the margin, which must not.

The margin knows friction in the plane of the pads only. A flat side must slide where it says; round ones sit in a dent
and may hold a little more.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ...record import Tape
from ...robots import ForceGrip, GraspObject, SchunkPG70, grasp_margin, objects, stage
from ...viewer.offscreen import View
from ...viewer.panel import FAINT, INK, Panel, colour_map
from ..shared.film import Film, save_film, still
from ..shared.grasp_film import along_finger, object_in, smooth, sums_panel
from ..shared.taping import Taping

POST, LIFT, SHAKE = 0.05, 0.06, 5.0  # m, m, Hz
GRAVITY = 9.81
HELD, LOST = 1.0e-3, 2.0e-3  # m; LuGre friction creeps under shaking
# Object, force of a finger (N), limits of measured over predicted for pull and twist.
CASES: tuple[tuple[GraspObject, float, tuple[float, float]], ...] = (
    (objects.sphere(), 3.0, (0.85, 1.4)),
    (objects.box(), 4.0, (0.93, 1.07)),
    (objects.cylinder(), 4.0, (0.85, 1.4)),
    (objects.spray_bottle(), 6.0, (0.85, 1.4)),
)
OFF_CENTRE = (objects.box((0.04, 0.12, 0.03), 0.12, 0.03), 6.0, (0.93, 1.07))


class Grasp:
    def __init__(self, thing: GraspObject, force: float, timestep: float = 0.002) -> None:
        self.thing, self.force = thing, force
        self.gripper = SchunkPG70(opening=min(0.07, thing.width + 0.012))
        height = POST + thing.height
        reach = self.gripper.grasp_point[2]
        side = stage.on_wrist(self.gripper.drawing(mount='euler="-90 0 0"'), (0, -reach, height))
        scene = stage.table() + stage.pedestal(POST, 0.018) + side + thing.drawing(pos=(0, 0, height))
        scene.timestep = timestep
        self.model, self.height = scene.model(), height
        self.data = mujoco.MjData(self.model)
        self.grip = ForceGrip(self.model)
        self.lift = self.model.actuator("wrist_z").id
        self.body = self.model.body("object").id
        self.mass = float(self.model.body_mass[self.body])
        mujoco.mj_forward(self.model, self.data)
        self.view = View((0, -0.035, height + (0.03 if thing.meshes else 0.0)), 0.58, 211, -30)
        self.words = ""

    # --- What happens ---

    def close(self, film: Film) -> None:
        self.words = "close"
        self.grip.close(self.force)
        good = 0
        while good * self.model.opt.timestep < 0.2:
            felt = self.step(self.data, film)
            near = self.grip.phase == "force" and abs(felt.mean() - self.force) < 0.005 * self.force
            good = good + 1 if near else 0
            if self.data.time > 8:
                raise RuntimeError(f"{self.thing.label}: not grasped within 8 s, the arrays feel {felt.round(2)} N")
        self.start = object_in(self.data, "pg70")

    def raise_up(self, film: Film) -> None:
        self.words = "lift"
        count = round(0.8 / self.model.opt.timestep)
        for k in range(count + count // 4):
            self.data.ctrl[self.lift] = LIFT * smooth((k + 1) / count)
            self.step(self.data, film)

    def shake(self, data: Any, load: float, film: Film) -> tuple[float, float]:
        """Up and down so that the greatest load is ``load`` times the weight.

        Returns that of the wrist's true motion, and how far the object has moved in the hand when all is still again.
        """
        self.words = "shake"
        h, omega = self.model.opt.timestep, 2 * np.pi * SHAKE
        amplitude = (load - 1) * GRAVITY / omega**2 / self.servo_gain(omega)
        before = object_in(data, "pg70")
        joint = self.model.joint("wrist_z").dofadr[0]
        greatest, cycles = 0.0, 6.0
        for k in range(round(cycles / SHAKE / h)):
            t = (k + 1) * h
            fade = smooth(2 * t * SHAKE / cycles * 1.5) * smooth((cycles / SHAKE - t) * SHAKE)
            data.ctrl[self.lift] = LIFT + fade * amplitude * np.sin(omega * t)
            before_step = float(data.qvel[joint])
            self.step(data, film)
            greatest = max(greatest, (float(data.qvel[joint]) - before_step) / h)
        for _ in range(round(0.3 / h)):
            self.step(data, film)
        return 1 + greatest / GRAVITY, float(np.linalg.norm(object_in(data, "pg70") - before))

    def servo_gain(self, omega: float) -> float:
        """Amplitude of the wrist over that of its set point, at a frequency."""
        kp, kv = self.model.actuator_gainprm[self.lift, 0], -self.model.actuator_biasprm[self.lift, 2]
        inertia = self.model.dof_M0[self.model.joint("wrist_z").dofadr[0]]
        return float(kp / abs(complex(kp - inertia * omega**2, kv * omega)))

    def until_it_slides(self, predicted: float, twist: bool) -> float:
        """The load at which the object slides: pulled down at its middle (N on top of its weight), or twisted about the
        axis of the grasp (N m)."""
        data, h = copy.copy(self.data), self.model.opt.timestep
        rate = predicted / 1.5
        last, value, slow = None, 0.0, 0
        while value < 3 * predicted:
            value += rate * h
            data.xfrc_applied[self.body] = 0.0
            data.xfrc_applied[self.body, 3 if twist else 2] = value if twist else -value
            self.step(data)
            speed = abs(data.body("object").cvel[0]) if twist else abs(self.sinking(data))
            slow = slow + 1 if speed > (0.6 if twist else 0.01) else 0
            if slow * h > 0.02:
                return last if last is not None else value
            if slow == 0:
                last = value
        return float("nan")

    def sinking(self, data: Any) -> float:
        """Speed of the object against the hand along z, at the grasp, m/s."""
        object_v, hand_v = np.zeros(6), np.zeros(6)
        kind = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectVelocity(self.model, data, kind, self.body, object_v, 0)
        mujoco.mj_objectVelocity(self.model, data, kind, self.model.body("pg70").id, hand_v, 0)
        return float(object_v[5] - hand_v[5])

    def step(self, data: Any, film: Film | None = None) -> np.ndarray:
        felt = self.grip.update(data)
        mujoco.mj_step(self.model, data)
        if film is not None and film.due(data):
            film.shoot(data, self.view, lambda panel, x: self._beside(data, felt, panel, x))
        return felt

    # --- What is felt ---

    def taxels(self, data: Any) -> tuple[np.ndarray, np.ndarray]:
        """Places (world) and normal forces of the taxels of both arrays."""
        points, forces = [], []
        for sensor in self.grip.sensors:
            X = sensor.pose(data)
            points.append(sensor.layout.points @ X[:3, :3].T + X[:3, 3])
            forces.append(sensor(data).ravel())
        return np.concatenate(points), np.concatenate(forces)

    def margin(self, data: Any, torque: float = 0.0) -> Any:
        points, forces = self.taxels(data)
        weight = self.mass * self.model.opt.gravity
        return grasp_margin(
            points, forces, (1, 0, 0), self.gripper.friction[0], weight, data.xipos[self.body], torque=torque
        )

    def torque_that_slides(self, data: Any) -> float:
        """Torque about the axis that the margin allows on top of the weight, N m."""
        low, high = 0.0, 2 * self.margin(data).holding_torque
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.margin(data, middle).margin > 1 else (low, middle)
        return low

    def images(self, data: Any) -> np.ndarray:
        """Both arrays as they lie in the world: fingertips to the right, up is up."""
        return np.stack(
            [along_finger(s(data), side).T for s, side in zip(self.grip.sensors, ("left", "right"), strict=True)]
        )

    def _beside(self, data: Any, felt: np.ndarray, panel: Panel, x: int) -> None:
        panel.text(x, 16, self.thing.label, 20, INK, bold=True)
        panel.text(x, 44, self.words, 13, FAINT)
        pair = self.images(data)
        greatest = max(0.05, 0.055 * self.force)
        for k, side in enumerate(("left", "right")):
            panel.text(x, 74 + 128 * k, f"{side} array", 13, FAINT)
            panel.grid(pair[k], x, 96 + 128 * k, 16, greatest)
        wanted = self.grip.reference if self.grip.phase == "force" else 0.0
        sums_panel(panel, x, 338, ("left", "right"), felt, wanted, 1.25 * self.force)
        if self.grip.phase == "force" and felt.mean() > 0.5 * self.force:
            panel.text(x, 396, f"margin {self.margin(data).margin:.1f} x its weight", 15, INK, bold=True)


def one(
    out: Any,
    thing: GraspObject,
    force: float,
    limits: tuple[float, float],
    film_fps: float,
    quick: bool,
    record: Tape | None = None,
) -> tuple:
    g = Grasp(thing, force)
    words = f"grasp, lift and shake the {thing.label}"
    taping = None if record is None else Taping(out, record, g.model, g.view, words, ["object"])
    film = Film(out, g.model, film_fps, wanted=film_fps > 0, taping=taping)
    g.close(film)
    picture = still(out, g.model, g.data, g.view) if not quick else None
    pair, sums = g.images(g.data), g.grip.sums(g.data)
    g.raise_up(film)
    lifted = g.margin(g.data)
    sag = float(np.linalg.norm(object_in(g.data, "pg70") - g.start))
    pull = g.until_it_slides((lifted.margin - 1) * g.mass * GRAVITY, twist=False) / (g.mass * GRAVITY) + 1
    allowed = g.torque_that_slides(g.data)
    twist = g.until_it_slides(allowed, twist=True)
    holds, stays = g.shake(copy.copy(g.data), 0.75 * lifted.margin, film)
    film.close()
    breaks, moves = g.shake(copy.copy(g.data), 1.25 * lifted.margin, Film(out, g.model, 1, wanted=False))
    row = {
        "object": thing.label,
        "force_N": force,
        "left_N": float(sums[0]),
        "right_N": float(sums[1]),
        "covered_left": float((pair[0] > 0).mean()),
        "covered_right": float((pair[1] > 0).mean()),
        "greatest_N": float(pair.max()),
        "margin": lifted.margin,
        "slides_at": pull,
        "holding_force_N": lifted.holding_force,
        "torque_allowed_Nm": allowed,
        "torque_that_slides_Nm": twist,
        "sag_mm": 1e3 * sag,
        "shaken_with": holds,
        "moved_mm": 1e3 * stays,
        "shaken_harder_with": breaks,
        "moved_then_mm": 1e3 * moves,
        "balance": float(abs(sums[0] - sums[1]) / sums.mean()),
        "within": bool(
            limits[0] < pull / lifted.margin < limits[1]
            and limits[0] < twist / allowed < 1.5 * limits[1]
            and stays < HELD
            and moves > LOST
            and abs(sums[0] - sums[1]) < 0.02 * sums.mean()
        ),
    }
    return row, {"pair": pair, "picture": picture, "grasp": g, "frames": film.frames}


def run(out: Any, folder: Path, quick: bool = False, record: Tape | None = None) -> dict[str, Any]:
    cases = CASES[1:3] if quick else (*CASES, OFF_CENTRE)
    rows, shown, frames = [], [], []
    for thing, force, limits in out.progress(list(cases), "grasp"):
        row, seen = one(out, thing, force, limits, 0.0 if quick else 12.5, quick, record)
        rows.append(row)
        shown.append(seen)
        if thing is not OFF_CENTRE[0]:
            frames += seen["frames"]
    out.print(
        "                         force N       covered    margin slides at  twist: allowed slides  shaken with, moved"
    )
    for r in rows:
        out.print(
            f"{r['object']:22} {r['left_N']:6.2f} {r['right_N']:5.2f}   "
            f"{r['covered_left']:4.0%} {r['covered_right']:4.0%}   {r['margin']:6.2f}   "
            f"{r['slides_at']:6.2f}      {1e3 * r['torque_allowed_Nm']:6.1f} mN m  "
            f"{1e3 * r['torque_that_slides_Nm']:6.1f}   {r['shaken_with']:4.2f} {r['moved_mm']:5.2f} mm; "
            f"{r['shaken_harder_with']:4.2f} {r['moved_then_mm']:5.2f} mm" + ("" if r["within"] else "  <--")
        )
    pictures = [figure(out, folder / "grasp.png", rows, shown, quick)]
    out.print(f"picture: {pictures[0]}")
    if frames:
        pictures.append(save_film(out, folder / "grasp.gif", frames, 12.5))
    return {"experiment": "grasp", "rows": rows, "pictures": pictures}


def object_picture(out: Any, thing: GraspObject) -> np.ndarray | None:
    scene = stage.table() + thing.drawing()
    model = scene.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    high = 0.21 if thing.meshes else 2 * thing.height
    away = 3.0 * max(0.08, high, thing.length)
    return still(out, model, data, View((0, thing.middle, 0.5 * high), away, 211, -22), (480, 480))


def figure(out: Any, path: Path, rows: list[dict], shown: list[dict], quick: bool) -> Path:
    """As Fig. 10: the object, the grasp, both images, the forces of the right array."""
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    drawn = not quick and shown[0]["picture"] is not None
    heights = (1.0, 1.15, 0.78, 1.05) if drawn else (0.78, 1.05)
    sheet = plt.figure(figsize=(3.6 * len(rows), 3.0 * sum(heights)), layout="constrained", facecolor="white")
    grid = sheet.add_gridspec(len(heights), len(rows), height_ratios=heights)
    for k, (row, seen) in enumerate(zip(rows, shown, strict=True)):
        title = f"{row['object']}\nmargin {row['margin']:.2f}, slides at {row['slides_at']:.2f}"
        if drawn:
            for line, pixels in enumerate((object_picture(out, seen["grasp"].thing), seen["picture"])):
                ax = sheet.add_subplot(grid[line, k])
                ax.imshow(pixels)
                ax.axis("off")
                if line == 0:
                    ax.set_title(title, fontsize=13)
        pair = seen["pair"]
        inner = grid[len(heights) - 2, k].subgridspec(2, 1)
        for side in range(2):
            ax = sheet.add_subplot(inner[side])
            ax.pcolormesh(
                1e3 * pair[side][::-1], cmap=colour_map(), vmin=0, vmax=1e3 * pair.max(), edgecolors="#c4cad1", lw=0.4
            )
            ax.set_aspect("equal")
            ax.set(xticks=[], yticks=[])
            ax.set_ylabel(("left", "right")[side], fontsize=11)
            share = row[("covered_left", "covered_right")[side]]
            ax.set_title(f"{row[('left_N', 'right_N')[side]]:.2f} N, {share:.0%} covered", fontsize=11, pad=3)
            if not drawn and side == 0:
                ax.set_title(title, fontsize=10)
        bars(sheet.add_subplot(grid[len(heights) - 1, k], projection="3d"), pair[1])
    sheet.savefig(path, dpi=100)
    plt.close(sheet)
    return path


def bars(ax: Any, image: np.ndarray) -> None:
    """The normal force of every taxel as a column."""
    rows, cols = image.shape
    x, y = (a.ravel() for a in np.meshgrid(np.arange(cols), np.arange(rows)[::-1]))
    force = image.ravel()
    up = force > 0
    colour = colour_map()(force / max(float(force.max()), 1e-9))
    if up.any():
        ax.bar3d(x[up] - 0.4, y[up] - 0.4, 0, 0.8, 0.8, force[up], color=colour[up], edgecolor="#ffffff50", lw=0.2)
    ax.set(xlim=(-0.5, cols - 0.5), ylim=(-0.5, rows - 0.5), zlim=(0, 1.1 * max(float(force.max()), 1e-3)))
    ax.set_box_aspect((cols, rows, 6))
    ax.view_init(28, -62)
    ax.set(xticks=(0, 13), xticklabels=("palm", "tip"), yticks=(0, 5), yticklabels=("low", "up"))
    ax.set_zlabel("N", fontsize=11, labelpad=0)
    ax.tick_params(labelsize=10, pad=-1)
