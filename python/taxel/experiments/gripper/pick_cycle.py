"""The work cycle of section 5.2.2 of the OpenGRASP paper: approach, grasp, lift, move, lower, release.

The Schunk PG70 with its Weiss arrays picks a cube (40 mm, 100 g) up from a table and puts it down 12 cm further. The
controller closes the jaws at constant speed until the first touch; from then on it holds the sum that the arrays feel
(``taxel.robots.ForceGrip``). Limits: the sum stays within 5 % of what is wanted while the cube is lifted, carried and
lowered; left and right agree within 2 %; the cube moves by less than 0.5 mm between the fingers, the sag of the foam
under its weight included; and all of it runs faster than real time on one core.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ...record import Tape
from ...robots import ForceGrip, SchunkPG70, objects, stage
from ...viewer.offscreen import View
from ...viewer.panel import BLUE, FAINT, INK, ORANGE, Panel, colour_map
from ..shared.film import SCENE, Film, save_film
from ..shared.grasp_film import along_finger, object_in, smooth, sums_panel
from ..shared.taping import Taping

FORCE = 8.0
OPEN = 0.060  # of 70 mm
LIFT, MOVE = 0.06, 0.12
HOLD_LIMIT, BALANCE_LIMIT, SLIP_LIMIT = 0.05, 0.02, 0.5e-3
PHASES = ("approach", "grasp", "lift", "move", "lower", "release", "retreat")
HELD = ("lift", "move", "lower")
VIEW = View((0.06, 0.0, 0.115), 0.68, 112, -15)


@dataclass
class Log:
    """A line a step."""

    time: list[float] = field(default_factory=list)
    phase: list[str] = field(default_factory=list)
    sums: list[np.ndarray] = field(default_factory=list)
    wanted: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    height: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)

    def during(self, *phases: str) -> np.ndarray:
        return np.isin(self.phase, phases)


class Cycle:
    def __init__(self, contact: str = "bristle", timestep: float = 0.002, force: float = FORCE) -> None:
        gripper = SchunkPG70(contact, OPEN)
        cube = objects.box()
        # The tips stay 2 mm above the table; the cube covers three quarters of the arrays.
        above = 0.002 + gripper.tip - gripper.grasp_point[2]
        hung = gripper.drawing(mount='euler="180 0 0"')
        scene = stage.table() + stage.on_wrist(hung, (0, 0, gripper.grasp_point[2] + above)) + cube.drawing()
        scene.timestep = timestep
        self.model = scene.model()
        self.data = mujoco.MjData(self.model)
        self.grip = ForceGrip(self.model)
        self.force = force
        self.x, self.z = (self.model.actuator(f"wrist_{axis}").id for axis in "xz")
        self.data.joint("wrist_z").qpos[0] = self.data.ctrl[self.z] = LIFT
        mujoco.mj_forward(self.model, self.data)
        self.log, self.phase, self.busy = Log(), "approach", 0.0
        self.grasped: np.ndarray | None = None
        self.images: dict[str, np.ndarray] = {}

    def run(self, film: Film) -> None:
        """All seven phases."""
        low, high = (0.0, 0.0), (0.0, LIFT)
        far, far_low = (MOVE, LIFT), (MOVE, 0.0)
        self._go("approach", high, low, 0.9, film)
        self.grip.close(self.force)
        self._grasp(film)
        self.grasped = object_in(self.data, "pg70")
        for phase, start, end, seconds in (
            ("lift", low, high, 1.0),
            ("move", high, far, 1.3),
            ("lower", far, far_low, 1.0),
        ):
            self._go(phase, start, end, seconds, film)
        self.grip.open()
        self._go("release", far_low, far_low, 0.45, film)
        self.grip.stop()
        self._go("retreat", far_low, far, 0.8, film)

    def _grasp(self, film: Film) -> None:
        """Until the sum has been within 1 % for a tenth of a second."""
        self.phase, good, start = "grasp", 0, self.data.time
        while good * self.model.opt.timestep < 0.1:
            felt = self._step(film)
            near = self.grip.phase == "force" and abs(felt.mean() - self.force) < 0.01 * self.force
            good = good + 1 if near else 0
            if self.data.time - start > 6:
                raise RuntimeError(f"the grasp was not made within 6 s: the arrays feel {felt.round(2)} N")

    def _go(self, phase: str, start: tuple, end: tuple, seconds: float, film: Film) -> None:
        self.phase = phase
        count = round(seconds / self.model.opt.timestep)
        for k in range(count):
            s = smooth((k + 1) / count)
            self.data.ctrl[self.x] = start[0] + s * (end[0] - start[0])
            self.data.ctrl[self.z] = start[1] + s * (end[1] - start[1])
            self._step(film)

    def _step(self, film: Film) -> np.ndarray:
        begin = time.thread_time()
        felt = self.grip.update(self.data)
        mujoco.mj_step(self.model, self.data)
        self.busy += time.thread_time() - begin
        d, log = self.data, self.log
        log.time.append(float(d.time))
        log.phase.append(self.phase)
        log.sums.append(felt)
        log.wanted.append(self.grip.reference if self.grip.phase == "force" else 0.0)
        now = object_in(d, "pg70")
        log.moved.append(0.0 if self.grasped is None else float(np.linalg.norm(now - self.grasped)))
        log.height.append(float(d.body("object").xpos[2]))
        log.opening.append(float(d.joint("left").qpos[0] + d.joint("right").qpos[0]))
        self.images[self.phase] = np.stack([sensor(d) for sensor in self.grip.sensors])
        if film.due(d):
            film.shoot(d, VIEW, self._beside)
        return felt

    def _beside(self, panel: Panel, x: int) -> None:
        log = self.log
        panel.text(x, 16, self.phase, 20, INK, bold=True)
        panel.text(x + 232, 20, f"{log.time[-1]:.1f} s", 14, FAINT, anchor="ra")
        names = {"idle": "still", "approach": "speed", "force": "force", "opening": "speed"}
        panel.text(x, 44, f"control: {names[self.grip.phase]}", 13, FAINT)
        greatest = 0.24
        for k, (side, left) in enumerate((("left", 8), ("right", 128))):
            panel.text(x + left + 45, 72, side, 13, (BLUE, ORANGE)[k], anchor="ma")
            panel.grid(along_finger(self.images[self.phase][k], side), x + left, 92, 15, greatest)
        sums_panel(panel, x, 318, ("left", "right"), log.sums[-1], log.wanted[-1], 1.25 * FORCE)
        sums = np.array(log.sums)
        every = slice(None, None, max(1, len(sums) // 200))
        curves = [(sums[every, 0], BLUE), (sums[every, 1], ORANGE)]
        panel.curve((x, 374, 232, 50), log.time[every], curves, (0.0, 7.6), 1.25 * FORCE)


def measure(cycle: Cycle) -> dict[str, Any]:
    log = cycle.log
    sums, moved = np.array(log.sums), np.array(log.moved)
    held = log.during(*HELD)
    mean = sums.mean(axis=1)
    hold = float(np.abs(mean[held] / cycle.force - 1).max())
    balance = float((np.abs(sums[:, 0] - sums[:, 1]) / mean.clip(1e-9))[held].max())
    slip = float(moved[held].max())
    factor = cycle.data.time / cycle.busy
    put = cycle.data.body("object").xpos
    grasp = log.during("grasp")
    covered = [float((image > 0).mean()) for image in cycle.images["move"]]
    rows = [
        ("tactile sum against what is wanted", hold, HOLD_LIMIT, hold < HOLD_LIMIT),
        ("left against right", balance, BALANCE_LIMIT, balance < BALANCE_LIMIT),
        ("moved between the fingers, mm", 1e3 * slip, 1e3 * SLIP_LIMIT, slip < SLIP_LIMIT),
        (
            "put down off the mark, mm",
            1e3 * float(np.hypot(put[0] - MOVE, put[1])),
            1.0,
            np.hypot(put[0] - MOVE, put[1]) < 1e-3,
        ),
        ("real-time factor, one core", factor, 1.0, factor > 1.0),
    ]
    return {
        "rows": [{"what": w, "value": float(v), "limit": float(x), "within": bool(ok)} for w, v, x, ok in rows],
        "touched_at_s": cycle.grip.touched_at,
        "overshoot": float(mean[grasp].max() / cycle.force - 1),
        "grasp_s": float(grasp.sum() * cycle.model.opt.timestep),
        "covered": covered,
        "step_us": 1e6 * cycle.busy / len(log.time),
        "taxel_N": float(cycle.images["move"].max()),
        "opening_mm": 1e3 * float(np.array(log.opening)[log.during("move")].mean()),
    }


def plot(path: Path, cycle: Cycle, stills: list[tuple[str, np.ndarray]]) -> Path:
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    log = cycle.log
    t, sums = np.array(log.time), np.array(log.sums)
    figure = plt.figure(figsize=(12.5, 9.6 if stills else 7.0), layout="constrained", facecolor="white")
    parts = figure.subfigures(3 if stills else 2, 1, height_ratios=(0.95, 1.2, 2.1) if stills else (1.1, 2.0))
    if stills:
        for ax, (phase, pixels) in zip(parts[0].subplots(1, len(stills)), stills, strict=True):
            ax.imshow(pixels)
            ax.set_title(phase, fontsize=11)
            ax.axis("off")
    arrays = parts[-2].subplots(1, len(PHASES) - 1)
    greatest = max(1e-9, max(float(cycle.images[p].max()) for p in PHASES[:-1]))
    for ax, phase in zip(arrays, PHASES[:-1], strict=True):
        left, right = (along_finger(i, s) for i, s in zip(cycle.images[phase], ("left", "right"), strict=True))
        both = np.ma.masked_invalid(np.hstack([left, np.full((14, 1), np.nan), right]))
        shown = ax.pcolormesh(both, cmap=colour_map(), vmin=0, vmax=greatest, edgecolors="#c4cad1", lw=0.4)
        ax.invert_yaxis()
        ax.set_aspect("equal")
        ax.set_title(phase, fontsize=11)
        ax.axis("off")
    parts[-2].colorbar(shown, ax=arrays, label="N a taxel, at the end", shrink=0.9)
    top, low = parts[-1].subplots(2, 1, sharex=True, height_ratios=(2.0, 1.0))
    top.plot(t, sums[:, 0], color="#1f62a8", lw=2.2, label="left array")
    top.plot(t, sums[:, 1], color="#de7a16", lw=1.2, label="right array")
    top.plot(t, log.wanted, "k--", lw=1, label="wanted")
    held = log.during(*HELD)
    span = (t[held][0], t[held][-1])
    top.fill_between(span, 0.95 * cycle.force, 1.05 * cycle.force, color="0.85", label="5 %", zorder=0)
    top.set(ylabel="sum of the taxels, N", ylim=(0, 1.3 * cycle.force))
    top.legend(fontsize=9, ncol=4, loc="upper left")
    low.plot(t, 1e3 * np.array(log.moved), color="#2e8b57")
    low.axhline(1e3 * SLIP_LIMIT, color="k", ls="--", lw=1)
    low.set(ylabel="moved between\nthe fingers, mm", xlabel="s", ylim=(0, 1.2e3 * SLIP_LIMIT), xlim=(0, t[-1]))
    for ax in (top, low):
        ax.grid(alpha=0.25)
        for phase in PHASES[1:]:
            ax.axvline(t[log.during(phase)][0], color="0.6", lw=0.7)
    for phase in PHASES:
        part = t[log.during(phase)]
        top.text(0.5 * (part[0] + part[-1]), 1.03 * top.get_ylim()[1], phase, ha="center", fontsize=9, color="0.3")
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def run(out: Any, folder: Path, quick: bool = False, record: Tape | None = None) -> dict[str, Any]:
    cycle = Cycle()
    taping = (
        None if record is None else Taping(out, record, cycle.model, VIEW, "pick the cube up, put it down", ["object"])
    )
    film = Film(out, cycle.model, 12.5, wanted=not quick, taping=taping)
    cycle.run(film)
    film.close()
    numbers = measure(cycle)
    out.print(f"cube of 100 g, picked up with {cycle.force:g} N a finger")
    for row in numbers["rows"]:
        out.print(
            f"  {row['what']:38} {row['value']:9.4g}   limit {row['limit']:g}" + ("" if row["within"] else "  <--")
        )
    out.print(
        f"  first touch at {numbers['touched_at_s']:.3f} s, overshoot {numbers['overshoot']:.2%}, "
        f"{numbers['covered'][0]:.0%} of an array covered, {numbers['step_us']:.0f} us a step"
    )
    stills = _stills(cycle, film)
    pictures = [plot(folder / "pick_cycle.png", cycle, stills)]
    out.print(f"picture: {pictures[0]}")
    if film.frames:
        pictures.append(save_film(out, folder / "pick_cycle.gif", film.frames, film.fps))
    return {"experiment": "pick-cycle", **numbers, "pictures": pictures}


def _stills(cycle: Cycle, film: Film) -> list[tuple[str, np.ndarray]]:
    """The scene in the middle of five phases, from the film."""
    if not film.frames:
        return []
    log = cycle.log
    t = np.array(log.time)
    out = []
    for phase, share in (
        ("approach", 0.3),
        ("grasp", 0.95),
        ("lift", 0.9),
        ("move", 0.6),
        ("lower", 0.95),
        ("retreat", 0.7),
    ):
        part = t[log.during(phase)]
        k = round((part[0] + share * (part[-1] - part[0])) * film.fps)
        out.append((phase, film.frames[min(k, len(film.frames) - 1)][:, : SCENE[0]]))
    return out
