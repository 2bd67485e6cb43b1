"""Runs one hit or squeeze (impacts_scene.py) and judges it.

**Energy.** Judged is the work W of the contacts, not a difference of large energies: with f the generalised force of
the contacts in a step and v, v' the velocities before and after it,

    W = sum of h f . (v + v') / 2

which is what they add to the kinetic energy, exactly: M (v' - v) = h (f + all others), so that the change of
v M v / 2 is h (f + all others) . (v + v') / 2. Integrator errors are in the other terms and so are not counted:
gravity in a semi-implicit step (h m g (v' - v) / 2 a step, which sums to m g h v over a bounce), gyroscopic terms of
a body that tumbles, servos. (What an unconverged solver leaves is counted with Euler, which integrates it.) Contacts
may store energy and give it back, hence at every moment

    W <= U0 + 1 % of E_in + m g v h

U0: elastic energy of an overlap at the start, the integral of the static force along the way out. E_in: U0 and the
kinetic energy at the start, plus the work that gravity, motors and applied forces did so far, at its greatest. The
last term is the lift of the first overlap: how far the body goes past the surface before a contact can see it, with v
the speed along the normal at the first touch (at least g h), and m all that moves.

**NaN.** A state that is not finite, or a warning after which MuJoCo starts anew, while something touches or within
``FLIGHT`` seconds after: what spins off a rim may be lost later in free flight, by the integrator alone (Euler's
gyroscopic terms).

**Core.** No middle of an object may pass the core of the skin (``SkinDepth``); beside it, it may. How far
the deepest point of the object got is recorded (``compression``, in thicknesses), and not judged: at the first overlap
the step alone may carry it further.

**Couplings.** ``sense`` leaves physics to MuJoCo: such a run must be that of the same scene without taxel, bit for bit;
what MuJoCo's own contact does is recorded, not judged. ``explicit`` is judged as
``rows`` is: where a step is too long for it, it is softened, and still may not create energy.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.sensors import Shape

from .impacts_draw import LAYERS, Case
from .impacts_scene import build
from .impacts_shapes import SENSORS, inner_point, inner_radius, sensor, surface_points, to_middle
from .scenes import GRAVITY

VERSION = 2
"""Of draws and judge: rows of another one do not compare."""
ENERGY_LIMIT = 0.01
HIT_SECONDS, RAMP, HOLD, AFTER = 0.4, 0.15, 0.05, 0.2
"""s: of a hit; of a squeeze until it is full, held, and released."""
COLUMNS_END = 0.95 * 0.975
"""Columns that end in the middle are flat at so much of the way to it (contact/column_room.h, field/stiffening.h)."""
FAR = 0.5
"""Where the object is this far from its start, the run ends, m."""
FLIGHT = 0.02
"""How long after the last touch a lost state still counts, s."""
RESETS = {"BADQPOS", "BADQVEL", "BADQACC"}
"""Warnings after which MuJoCo starts again from the model's own state."""
NUMBERS = ("touched", "compression", "peak_force", "exit_speed", "energy_gain", "energy_in", "work", "stored", "lift")


def run_case(case: Case) -> dict[str, Any]:
    """Runs one and says what was wrong with it, if anything."""
    started = time.perf_counter()
    model, data = build(case)
    row = _simulate(case, model, data)
    if case.coupling == "sense":
        alone_model, alone = build(case, soft=False)
        native = _simulate(case, alone_model, alone, steps=row["steps"])
        same = np.array_equal(data.qpos, alone.qpos, equal_nan=True)
        row["native_failures"] = native["failures"]
        row["failures"] = [] if same else ["physics: not that of MuJoCo alone"]
    return {
        "version": VERSION,
        **asdict(case),
        **row,
        "wall_s": time.perf_counter() - started,
        "within": not row["failures"],
    }


class _Mover:
    """The body that comes: the object, or the skin that is thrown at a plane."""

    def __init__(self, case: Case, model: mujoco.MjModel) -> None:
        self.body = model.body("mount" if case.object == "plane" else "object").id
        start, count = model.body_dofadr[self.body], model.body_dofnum[self.body]
        self.dofs = slice(start, start + (3 if count == 6 else 1))
        self.axes = np.eye(3)
        if count == 1:
            axis = np.empty(3)
            mujoco.mju_rotVecQuat(axis, model.jnt_axis[model.body_jntadr[self.body]], model.body_quat[self.body])
            self.axes = axis[None]

    def velocity(self, v: np.ndarray) -> np.ndarray:
        """Linear, world frame."""
        return v[self.dofs] @ self.axes


class _Ledger:
    """Work of the contacts against what came in."""

    def __init__(self, case: Case, model: mujoco.MjModel, data: mujoco.MjData, mover: _Mover) -> None:
        mujoco.mj_energyVel(model, data)
        self.case, self.model, self.mover = case, model, mover
        self.moving = model.body_weldid > 0
        self.masses = model.body_mass[self.moving]
        self.potential = self._potential(data)
        self.start = float(data.energy[1])
        self.stored = _elastic_energy(case, model, data) if case.gap < 0 and model.nplugin else 0.0
        self.work = self.outer = self.most_outer = self.gain = self.peak = self.speed = 0.0
        self.lift: float | None = None
        self.failed_at: float | None = None
        self.place = data.xipos[mover.body].copy()

    def _potential(self, data: mujoco.MjData) -> float:
        return float(GRAVITY * self.masses @ data.xipos[self.moving, 2])

    @property
    def come(self) -> float:
        return self.start + self.stored + self.most_outer

    def _contact_force(self, data: mujoco.MjData, before: np.ndarray) -> np.ndarray:
        """Generalised force of all contacts in the step; there are no other constraints in these scenes."""
        explicit = data.qfrc_passive - data.qfrc_damper - data.qfrc_spring
        if self.case.integrator != "Euler" or not data.nefc:
            return data.qfrc_constraint + explicit
        # Euler goes on with the solver's acceleration, which is not that of its forces where it did not converge.
        force = np.empty_like(before)
        mujoco.mj_mulM(self.model, data, force, (data.qvel - before) / self.case.step)
        return force - data.qfrc_smooth + explicit

    def step(self, data: mujoco.MjData, before: np.ndarray) -> bool:
        """After a step that began with the velocities ``before``; says whether anything touched.

        Positions in mjData are those at the beginning of the step, velocities those at its end.
        """
        case, h = self.case, self.case.step
        force = self._contact_force(data, before)
        mean = 0.5 * (before + data.qvel)
        touching = bool(np.any(force))
        if touching:
            self.peak = max(self.peak, float(np.linalg.norm(force[self.mover.dofs])))
            self.speed = float(np.linalg.norm(self.mover.velocity(data.qvel)))
            if self.lift is None:
                along = abs(float(self.mover.velocity(before) @ case.up))
                self.lift = float(self.masses.sum()) * GRAVITY * max(along, GRAVITY * h) * h
        self.work += h * float(force @ mean)
        place = data.xipos[self.mover.body]
        self.outer += h * float(data.qfrc_actuator @ mean)
        self.outer += float(data.xfrc_applied[self.mover.body, :3] @ (place - self.place))
        self.place = place.copy()
        self.most_outer = max(self.most_outer, self.outer + self.potential - self._potential(data))
        beyond = self.work - self.stored - (self.lift or 0.0)
        if self.come > 0:
            self.gain = max(self.gain, beyond / self.come)
        if self.failed_at is None and beyond > ENERGY_LIMIT * self.come:
            self.failed_at = float(data.time)
        return touching


def _elastic_energy(case: Case, model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Of the overlap at the start: static force along the way out, integrated."""
    reader, at = taxel.Reader(model), mujoco.MjData(model)
    start = model.jnt_qposadr[model.joint("object").id]
    way, forces, up = np.linspace(0, -1.02 * case.gap, 25), [], np.array(case.up)
    for out in way:
        at.qpos[:] = data.qpos
        at.qpos[start : start + 3] += out * up
        mujoco.mj_kinematics(model, at)
        forces.append(up @ reader.wrench(at, "object")[:3])
    return float(np.trapezoid(forces, way))


class SkinDepth:
    """How deep points of the skin's frame are in it; the core is where that is ``core``.

    A pad (backed box, domed gel pads) counts from its free face, within its footprint: its core is its back, and what
    is behind the back is deeper still; what has its middle on the rim tips over it and is not meant. Elsewhere it is
    the distance to the surface (in an ellipsoid, whose field and core are similar ones, the relative depth): the core
    of a backed layer lies a thickness below, that of a distance field where the depth is 0.8 of the greatest, that of
    columns which end in the middle where it is 0.93 of it.
    """

    def __init__(self, case: Case) -> None:
        self.pad = self.plane = False
        self.axes = np.array(case.skin_size) if case.skin == "ellipsoid" else None
        self.core = case.thickness
        if case.skin == "plane":
            self.plane = True
            return
        shape = sensor(case.skin).geom if case.skin in SENSORS else Shape(case.skin, case.skin_size)
        pad = case.skin == "box" or (case.skin in SENSORS and case.skin != "shadow_fingertip")
        if case.field in LAYERS and pad:
            self.pad = True
            vertices = shape.vertices if shape.type == "mesh" else np.array([-np.array(shape.size), shape.size])
            self.low, self.high = vertices.min(axis=0), vertices.max(axis=0)
            self.rim = 0.5 * inner_radius(case.object, case.size)
            return
        if to_middle(case.skin, case.field):
            self.core = (0.8 if case.field == "distance" else COLUMNS_END) * case.thickness
        self.shape = (shape.vertices, shape.triangles) if shape.type == "mesh" else shape.body(0.0)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """m; negative outside."""
        if self.plane:
            return -points[:, 2]
        if self.pad:
            low, high = self.low[:2] + self.rim, self.high[:2] - self.rim
            inside = np.all((points[:, :2] > low) & (points[:, :2] < high), axis=1)
            return np.where(inside, self.high[2] - points[:, 2], -1.0)
        if self.axes is not None:
            return self.axes.min() * (1 - np.linalg.norm(points / self.axes, axis=1))
        return -taxel.signed_distance(self.shape, points)


class _Places:
    """How deep the object is in the skin, and whether its middle passed the core."""

    def __init__(self, case: Case, model: mujoco.MjModel, mover: _Mover) -> None:
        self.case, self.mover = case, mover
        self.skin = model.body("skin").id
        self.depth = SkinDepth(case)
        self.thrown = case.object == "plane"
        if self.thrown:
            self.points = surface_points(case.skin, case.skin_size)
            low, high = self.points.min(axis=0), self.points.max(axis=0)
            middle = 0.5 * (low + high)
            # A pad has gone through when its face and its back have, whichever came first.
            ends = [low[2], high[2]] if self.depth.pad else [middle[2]]
            self.middles = np.array([[middle[0], middle[1], z] for z in ends])
        else:
            self.points = surface_points(case.object, case.size)
            self.middle = inner_point(case.object, case.size)
        self.compression = 0.0
        self.passed_at: float | None = None
        self.last: np.ndarray | None = None

    def step(self, data: mujoco.MjData, touching: bool) -> None:
        p_skin, R_skin = data.xpos[self.skin], data.xmat[self.skin].reshape(3, 3)
        if self.thrown:
            up = R_skin.T @ self.case.up
            height = float(p_skin @ self.case.up)
            self.compression = max(self.compression, -(height + (self.points @ up).min()) / self.case.thickness)
            if self.passed_at is None and height + (self.middles @ up).max() < 0:
                self.passed_at = float(data.time)
            return
        p_object, R_object = data.xpos[self.mover.body], data.xmat[self.mover.body].reshape(3, 3)
        turn, shift = R_object.T @ R_skin, (p_object - p_skin) @ R_skin
        middle = self.middle @ turn + shift
        # What lies beside or under a pad is not in it.
        near = touching or self.depth(middle[None])[0] > -2 * self.case.size
        if near and not (self.depth.pad and middle[2] < self.depth.low[2]):
            deepest = float(self.depth(self.points @ turn + shift).max())
            self.compression = max(self.compression, deepest / self.case.thickness)
        if self.last is not None and self.passed_at is None and self._passes(self.last, middle):
            self.passed_at = float(data.time)
        self.last = middle

    def _passes(self, before: np.ndarray, after: np.ndarray) -> bool:
        way = before + np.linspace(0, 1, 33)[:, None] * (after - before)
        d = self.depth(way)
        into = (d[1:] > self.depth.core) & (d[:-1] <= self.depth.core)
        if self.depth.pad:  # only what came through it
            into &= d[:-1] > 0
        return bool(np.any(into))


def _load(case: Case, now: float) -> float:
    return case.force * min(1.0, now / RAMP) if now < RAMP + HOLD else 0.0


def _warned(data: mujoco.MjData) -> set[str]:
    return {mujoco.mjtWarning(i).name.removeprefix("mjWARN_") for i in np.flatnonzero(data.warning.number)}


def _simulate(case: Case, model: mujoco.MjModel, data: mujoco.MjData, steps: int | None = None) -> dict[str, Any]:
    """``steps``: as many, wherever the object goes."""
    mover = _Mover(case, model)
    mujoco.mj_forward(model, data)
    ledger, places = _Ledger(case, model, data, mover), _Places(case, model, mover)
    squeezed, released, up = case.action != "hit", False, np.array(case.up)
    count = steps if steps is not None else round((RAMP + HOLD + AFTER if squeezed else HIT_SECONDS) / case.step)
    start, warned, done, touched = data.xpos[mover.body].copy(), set(), 0, -1.0
    while done < count:
        done += 1
        if squeezed:
            load = 0.0 if released else _load(case, float(data.time))
            if case.action == "plate":
                data.ctrl[model.actuator("plate").id] = load
            else:
                data.xfrc_applied[mover.body, :3] = -load * up
        before = data.qvel.copy()
        mujoco.mj_step(model, data)
        warned = _warned(data)
        if not np.isfinite(data.qvel).all() or warned & RESETS:
            break
        touching = ledger.step(data, before)
        touched = float(data.time) if touching else touched
        places.step(data, touching)
        away = float(np.linalg.norm(data.xpos[mover.body] - start))
        # What slips out from under its load is not chased.
        released = released or away > 0.02 + 2 * case.size
        if steps is None and away > FAR:
            break
    failures = []
    lost = warned & RESETS or not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
    if lost and (done * case.step - touched < FLIGHT or touched < 0):
        failures.append(f"nan: {', '.join(sorted(warned)) or 'state'}")
    if ledger.failed_at is not None:
        failures.append(
            f"energy: contacts gave {100 * ledger.gain:.3g} % of what came in, too much from {ledger.failed_at:.3f} s"
        )
    if places.passed_at is not None:
        failures.append(f"core: passed at {places.passed_at:.3f} s")
    numbers = (
        ledger.lift is not None, places.compression, ledger.peak, ledger.speed, ledger.gain, ledger.come, ledger.work,
        ledger.stored, ledger.lift,
    )  # fmt: skip
    return {
        "failures": failures,
        **{k: v if v is None or np.isfinite(v) else None for k, v in zip(NUMBERS, numbers, strict=True)},
        "steps": done,
        "warnings": sorted(warned),
    }
