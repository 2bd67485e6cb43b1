"""Samples of a shard: what is drawn for each, and what the sensor reads. Pure: plan, stock and number of the shard in,
rows out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..common.convert import pose as make_pose
from ..press.objects import OBJECTS
from .model import Model, make_model
from .plan import MOTIONS, MotionEntry, Plan
from .random_numbers import ATTEMPTS, uniforms
from .readings import Column
from .rest import CannotPress, first_touch, height_of_force
from .stock import Shelf, Stock, Thing
from .way import Guide, any_rotation, guides, legs, progress_of, quaternion

# Places of the uniform numbers of a sample. Never change them: data sets would change with them.
ENTRY, MESH, SIZE, MOTION, X, Y, YAW, PITCH, LOAD, VALUES, ORIENTATION = 0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 13


@dataclass
class Rows:
    """The rows of a shard: a list for each column, and what could not be made."""

    columns: dict[str, list[Any]]
    samples: int = 0
    left_out: list[tuple[int, str, str]] = field(default_factory=list)
    """Sample, object and reason."""
    redrawn: Counter[str] = field(default_factory=Counter)
    """How often a pose or load was drawn anew, by object."""
    per_object: Counter[str] = field(default_factory=Counter)
    per_motion: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.columns["sample"])

    def arrays(self, columns: list[Column]) -> dict[str, np.ndarray]:
        """(rows, ...) for each column."""
        found = {}
        for column in columns:
            values = self.columns[column.name]
            if column.dtype == "string":
                found[column.name] = np.array(values, dtype=object)
            else:
                array = np.array(values, dtype=column.dtype)
                found[column.name] = array.reshape(len(values), *column.shape)
        return found


class SampleMaker:
    """Makes the samples of a plan, any of them, in any order. One a worker: it keeps bodies and scratch."""

    def __init__(self, plan: Plan, stock: Stock) -> None:
        self.plan, self.shelf = plan, Shelf(plan, stock)
        self.model: Model = make_model(plan.model, plan.sensor(), plan.readings)
        self.columns = plan.columns()
        self.entry_bounds = _bounds([entry.weight for entry in plan.objects])
        self.motion_bounds = _bounds([motion.weight for motion in plan.motions])
        self.fingers = 2 if any(motion.kind == "grasp" for motion in plan.motions) else 1

    def shard(self, number: int, tell: Callable[[int], None] = lambda done: None) -> Rows:
        """All rows of a shard. ``tell(done)`` is called after each sample."""
        wanted = self.plan.samples_of(number)
        drawn = uniforms(self.plan.seed, wanted.start, len(wanted))
        rows = Rows({column.name: [] for column in self.columns})
        for k, sample in enumerate(wanted):
            self.add(rows, sample, drawn[k])
            tell(k + 1)
        return rows

    def add(self, rows: Rows, sample: int, u: np.ndarray) -> None:
        """One sample. Object and motion are those of the first attempt, so that hard ones are not drawn away."""
        thing = self._thing(u)
        motion = self.plan.motions[_pick(self.motion_bounds, u[MOTION])]
        for attempt in range(ATTEMPTS):
            if attempt:
                u = uniforms(self.plan.seed, sample, 1, attempt)[0]
                rows.redrawn[thing.name] += 1
            try:
                found = self._press(thing, motion, sample, u)
            except CannotPress as error:
                reason = str(error)
                continue
            rows.samples += 1
            rows.per_object[thing.name] += 1
            rows.per_motion[motion.kind] += 1
            for row in found:
                for column in self.columns:
                    value = row[column.name]
                    # Most of a shard's memory; as wide as in the file.
                    small = column.dtype == "float32" and column.shape
                    rows.columns[column.name].append(value.astype(np.float32) if small else value)
            return
        rows.left_out.append((sample, thing.name, reason))

    def _thing(self, u: np.ndarray) -> Thing:
        number = _pick(self.entry_bounds, u[ENTRY])
        entry = self.plan.objects[number]
        if entry.kind in OBJECTS:
            return self.shelf.primitive(entry, u[SIZE : SIZE + 3])
        return self.shelf.mesh(number, float(u[MESH]))

    def _press(self, thing: Thing, motion: MotionEntry, sample: int, u: np.ndarray) -> list[dict[str, Any]]:
        plan, model = self.plan, self.model
        at = plan.pose["x"].at(float(u[X])), plan.pose["y"].at(float(u[Y]))
        yaw, pitch = (math.radians(plan.pose[n].at(float(u[k]))) for n, k in (("yaw", YAW), ("pitch", PITCH)))
        R = make_pose(rpy=(0.0, pitch, yaw))[:3, :3]
        if plan.any_orientation:
            R = R @ any_rotation(u[ORIENTATION : ORIENTATION + 3])
        given = [r.at(float(u[VALUES + k])) for k, r in enumerate(motion.values)]
        values = ((*given, 0.0, 0.0)[0], (*given, 0.0, 0.0)[1])
        amount = plan.amount.at(float(u[LOAD]))
        R = R @ thing.pressed.R_OG
        found = []
        for finger, guide in enumerate(guides(thing.pressed, R, at, model.top, 2 if motion.kind == "grasp" else 1)):
            heights, touch = self._heights(thing, guide, motion.kind, amount)
            way = legs(guide, heights, touch, motion.kind, values, plan.frames)
            moment = (sample * self.fingers + finger) * plan.frames
            for frame, reading in enumerate(model.follow(thing, way, moment)):
                found.append(self._row(thing, motion.kind, sample, frame, finger, values, touch, guide, reading))
        return found

    def _heights(self, thing: Thing, guide: Guide, motion: str, amount: float) -> tuple[list[float], float]:
        """Heights of the guide in each frame of a press or grasp (else of the last one), and at the first touch."""
        model, plan = self.model, self.plan
        touch = 0.0
        if plan.load == "depth" or "depth" in plan.readings or math.isfinite(model.step + model.turn):
            touch = first_touch(lambda h: model.touches(thing, guide.pose(h)), model.deepest)
        shares = progress_of(motion, plan.frames) if motion in ("press", "grasp") else [1.0]
        if plan.load == "depth":
            if touch - amount < -model.deepest:
                raise CannotPress(f"a depth of {amount:.3g} m ends below {model.deepest:.3g} m")
            return [touch - share * amount for share in shares], touch
        push = lambda h: model.push(thing, guide.pose(h))  # noqa: E731
        return [height_of_force(push, share * amount, model.deepest) for share in shares], touch

    def _row(
        self, thing: Thing, motion: str, sample: int, frame: int, finger: int, values: tuple[float, float],
        touch: float, guide: Guide, reading: dict[str, Any],
    ) -> dict[str, Any]:  # fmt: skip
        X_SG = reading.pop("X")
        R, p = X_SG[:3, :3], X_SG[:3, 3]
        lowest = p[2] - (thing.pressed.below(R) if "depth" in self.plan.readings else 0.0)
        R_SO = R @ thing.pressed.R_OG.T
        return {
            "sample": sample,
            "frame": frame,
            "finger": finger,
            "object": thing.name,
            "size": thing.size,
            "motion": motion,
            "progress": progress_of(motion, self.plan.frames)[frame],
            "motion_values": values if MOTIONS[motion] else (0.0, 0.0),
            "pose": np.concatenate([p, quaternion(R_SO)]),
            "depth": guide.top + touch - lowest,
            **reading,
        }


def _bounds(weights: list[float]) -> list[float]:
    """Upper ends of the shares of [0, 1) in proportion to the weights."""
    total = sum(weights)
    found, below = [], 0.0
    for weight in weights:
        below += weight / total
        found.append(below)
    return found


def _pick(bounds: list[float], u: float) -> int:
    return next((k for k, bound in enumerate(bounds) if u < bound), len(bounds) - 1)
