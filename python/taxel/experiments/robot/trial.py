"""A robot holds something, or stands: the same scene with skins and with MuJoCo's own contact, measured alike.

What is measured, over the hold:

balance   mean of all contact forces on the subject, plus its weight, over its weight: 0 when nothing is missing
taxels    force that the taxels of all skins tell, against the force that acts on those skins
slip      how far the subject (or a foot) moved, in the frame of what holds it
speed     greatest speed of a joint since the start: a robot that explodes is stopped and said to have done so
time      CPU time of a step (median of the hold) and of loading, beside those of the rigid scene
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from .packages import Package

Pilot = Callable[[Any, float], None]
"""Writes ``data.ctrl`` at a time, s."""

EXPLODED = 100.0
"""rad/s, and 10 m/s at a slide or a free body: no joint of these robots is that fast by itself."""
SAMPLES = 40
"""Of force and reading, over the hold."""


@dataclass(frozen=True)
class RobotScene:
    name: str
    title: str
    skin: str
    """What the skins are, in words."""
    needs: tuple[Package, ...]
    build: Callable[[bool], Any]
    """The ``MjSpec``, with skins or with MuJoCo's own contact on the same shapes."""
    start: Callable[[Any, Any], Pilot]
    """Puts the robot into its first pose (model, data) and returns what moves it."""
    subject: str
    """Body whose weight the contacts carry, with all that hangs on it."""
    hold: tuple[float, float]
    """From when to when it is measured, s."""
    view: View
    within: str | None = None
    """Body in whose frame slip is measured; the world when left out."""
    watched: tuple[str, ...] = ()
    """Geoms that must not slip; the one named like the subject when left out."""
    quick: bool = False
    """Part of the quick run."""


@dataclass
class Outcome:
    """What one run of a scene gave; numbers are missing (nan) where it did not come that far."""

    numbers: dict[str, Any]
    model: Any
    data: Any
    sensors: list[taxel.Sensor]


@contextmanager
def listening():
    """Collects what MuJoCo and taxel warn of, in place of a log file and standard error."""
    said: list[str] = []

    def hear(text: Any) -> None:
        line = (text.decode() if isinstance(text, bytes) else str(text)).splitlines()[0]
        if line not in said:
            said.append(line)

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(hear)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # soften says which options it sets; the scenes set them themselves
            yield said
    finally:
        mujoco.set_mju_user_warning(before)


def load(scene: RobotScene, soft: bool, repeats: int) -> tuple[Any, float]:
    """The model, and the least CPU time of reading, softening and compiling it, s."""
    best, model = np.inf, None
    for _ in range(repeats):
        mujoco.mj_clearCache(mujoco.mj_getCache())  # of meshes, which the scene before may have read
        start = time.process_time()
        model = scene.build(soft).compile()
        mujoco.MjData(model)
        best = min(best, time.process_time() - start)
    return model, best


def run_scene(scene: RobotScene, soft: bool, quick: bool = False) -> Outcome:
    with listening() as said:
        model, seconds = load(scene, soft, 1 if quick else 2)
        data = mujoco.MjData(model)
        sensors = [taxel.Sensor(model, name) for name in taxel.sensor_names(model)] if soft else []
        numbers = {"load_s": seconds, "taxels": int(sum(s.count for s in sensors)), "skins": len(sensors)}
        numbers |= _drive(scene, model, data, sensors, quick)
    numbers["warnings"] = said
    return Outcome(numbers, model, data, sensors)


def _drive(scene: RobotScene, model: Any, data: Any, sensors: list, quick: bool) -> dict[str, Any]:
    pilot = scene.start(model, data)
    mujoco.mj_forward(model, data)
    begin, end = scene.hold
    if quick:
        end = begin + 0.4 * (end - begin)
    h = model.opt.timestep
    steps, first = round(end / h), round(begin / h)
    every = max(1, (steps - first) // SAMPLES)
    fast, times, forces, told, before = Speeds(model), [], [], [], None
    for k in range(steps):
        pilot(data, data.time)
        start = time.thread_time()
        mujoco.mj_step(model, data)
        spent = time.thread_time() - start
        if not fast.watch(data):
            break  # data.time may have been reset with the rest
        if k == first:
            before = places(scene, data)
        if k > first:
            times.append(spent)
            if (k - first) % every == 0:
                touches = taxel.touches(model, data) if sensors else []
                forces.append(force_on(model, data, scene.subject, touches))
                told.append([skin_force(data, s, touches) for s in sensors])
    out = {**fast.numbers(), "stopped_at_s": (k + 1) * h if fast.exploded else None}
    out["steps_us"] = 1e6 * float(np.median(times)) if times else np.nan
    weight = float(np.linalg.norm(model.opt.gravity)) * float(model.body(scene.subject).subtreemass[0])
    out["weight_N"] = weight
    good = not fast.exploded and before is not None and forces
    if good:
        mean = np.mean(forces, axis=0)
        pull = weight * model.opt.gravity / np.linalg.norm(model.opt.gravity)
        out["carried_N"] = float(-mean[:3] @ pull / weight)
        out["by_skins_N"] = float(-mean[3:6] @ pull / weight)
        out["grip_N"] = float(mean[6])
        out["balance"] = float(np.linalg.norm(mean[:3] + pull) / weight)
        moved = places(scene, data) - before
        out["slip_mm"] = 1e3 * float(np.linalg.norm(moved, axis=1).max())
    else:
        out |= dict.fromkeys(("carried_N", "by_skins_N", "grip_N", "balance", "slip_mm"), np.nan)
    out["taxel_error"] = _taxel_error(told) if good and sensors else np.nan
    return out


class Speeds:
    """Greatest speeds of a run; ``watch`` is False where there is no use in going on."""

    def __init__(self, model: Any) -> None:
        turns = np.zeros(model.nv, bool)
        for j in range(model.njnt):
            kind, at = model.jnt_type[j], model.jnt_dofadr[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                turns[at + 3 : at + 6] = True
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                turns[at : at + 3] = True
            else:
                turns[at] = kind == mujoco.mjtJoint.mjJNT_HINGE
        self.turns = turns
        self.turning = self.sliding = 0.0
        self.lost = False

    @property
    def exploded(self) -> bool:
        return self.lost or self.turning > EXPLODED or self.sliding > 0.1 * EXPLODED

    def watch(self, data: Any) -> bool:
        bad = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
        if any(data.warning[w].number for w in bad) or not np.isfinite(data.qvel).all():
            self.lost = True  # MuJoCo has started anew; what was seen before stands
            return False
        speed = np.abs(data.qvel)
        self.turning = max(self.turning, float(speed[self.turns].max(initial=0.0)))
        self.sliding = max(self.sliding, float(speed[~self.turns].max(initial=0.0)))
        # A robot that is lost goes on a little, so that the number tells how badly.
        return self.turning < 1e3 * EXPLODED and self.sliding < 1e2 * EXPLODED

    def numbers(self) -> dict[str, Any]:
        return {
            "joint_rad_s": self.turning,
            "joint_m_s": self.sliding,
            "bad_numbers": self.lost,
            "exploded": self.exploded,
        }


def places(scene: RobotScene, data: Any) -> np.ndarray:
    """Of what must not slip, in the frame of what holds it: (n, 3)."""
    p = np.array([data.geom(name).xpos for name in scene.watched or (scene.subject,)])
    if scene.within is None:
        return p
    holder = data.body(scene.within)
    return (p - holder.xpos) @ holder.xmat.reshape(3, 3)


def force_on(model: Any, data: Any, subject: str, touches: Sequence[taxel.Touch]) -> np.ndarray:
    """On a body with all that hangs on it: (7,) force of all contacts, of those with a skin, and how hard it is held.

    World frame, N. MuJoCo's contacts that stand for the blocks of a soft pair are left to ``touches`` (of
    ``taxel.touches``).
    """
    inside = np.array([_descends(model, b, model.body(subject).id) for b in range(model.nbody)])
    out, pairs = np.zeros(7), set()
    for touch in touches:
        pairs.add((touch.geom1, touch.geom2))
        sides = [bool(inside[model.geom_bodyid[g]]) for g in (touch.geom1, touch.geom2)]
        if sides[0] != sides[1]:
            force = touch.force if sides[1] else -touch.force
            out[:3] += force
            out[3:6] += force
            out[6] += np.linalg.norm(force)
    wrench = np.zeros(6)
    for k in range(data.ncon):
        contact = data.contact[k]
        g = (int(contact.geom1), int(contact.geom2))
        if min(g) < 0 or g in pairs or g[::-1] in pairs:
            continue
        sides = [bool(inside[model.geom_bodyid[i]]) for i in g]
        if sides[0] != sides[1]:
            mujoco.mj_contactForce(model, data, k, wrench)
            force = contact.frame.reshape(3, 3).T @ wrench[:3] * (1.0 if sides[1] else -1.0)
            out[:3] += force
            out[6] += np.linalg.norm(force)
    return out


def _descends(model: Any, body: int, from_: int) -> bool:
    while body > from_:
        body = model.body_parentid[body]
    return body == from_


def skin_force(data: Any, sensor: taxel.Sensor, touches: Sequence[taxel.Touch]) -> np.ndarray:
    """(2, 3) force on a skin as its taxels tell it, and as it acts; world frame, N."""
    felt = sensor.pose(data)[:3, :3] @ sensor.read(data).force
    acts = np.zeros(3)
    for touch in touches:
        if sensor.geom == touch.geom2:
            acts += touch.force
        elif sensor.geom == touch.geom1:
            acts -= touch.force
    return np.array([felt, acts])


def _taxel_error(told: list[list[np.ndarray]]) -> float:
    """Mean over the skins' forces, of what the taxels miss (or invent), over what acts."""
    a = np.mean(np.array(told), axis=0)  # (skins, 2, 3)
    acting = float(np.linalg.norm(a[:, 1], axis=1).sum())
    return float(np.linalg.norm(a[:, 0] - a[:, 1], axis=1).sum() / acting) if acting > 0 else np.nan
