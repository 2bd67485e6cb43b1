"""Book shelving: a book, larger than the fingertips, pushed sideways into a gap that its neighbours narrow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from . import rotation as R
from .packing import Packing
from .pads import FINGER, OBJECT, WORLD
from .scene import HARD, WOOD_DARK
from .task import Tensor

WIDE, DEEP, HIGH = 0.842, 0.322, 0.222  # m, of the shelf
COUNT, GOAL = 15, 7
THICK, LONG, TALL = 0.025, 0.06, 0.09  # half sizes of a book, m
BOARD = 0.008
PITCH = WIDE / COUNT
FRONT = 0.62  # m: x of the shelf's front
STAND = 0.62  # m: height of its board
SLOTS = np.array([(FRONT + LONG + 0.005, (k - GOAL) * PITCH, STAND + TALL) for k in range(COUNT)])


class Book(Packing):
    """The published numbers: docs/guide/tasks.md."""

    name = "book"
    stages = {  # noqa: RUF012
        1: {"penalty": 0.0, "least": 0.0, "most": 10e-3, "bound": 0.01},
        2: {"penalty": 1e-3, "least": -5e-3, "most": 0.0, "bound": 0.02},
    }
    defaults = {"shift": (0.0, 0.0, 0.0), "pitch": 0.0, "payload": True, "entry": 0.02, "leaning": 0.5}  # noqa: RUF012
    ranges = {"shift": (0.0, LONG), "pitch": (0.0, 0.5), "entry": (0.0, 2 * LONG), "leaning": (0.0, 1.0)}  # noqa: RUF012
    half = (LONG, THICK, TALL)
    # The neighbours are the slots but for the goal; the held book starts last.
    slots = np.concatenate([np.delete(SLOTS, GOAL, 0), SLOTS[GOAL : GOAL + 1]])
    into, clear, edge = (1.0, 0.0, 0.0), 2 * LONG + 0.01, 2 * LONG
    middle, spread, turns = (FRONT - 2 * LONG + 0.01, 0.0, STAND + TALL + 0.052), (0.01, 0.1, 0.05), (0.0, 0.0, 0.0)
    facing = (0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0)  # the approach along +x, the fingers along y
    upright = (0.0, -math.sqrt(0.5), 0.0, -math.sqrt(0.5))
    home = (0.0, -0.5, 0.0, -2.5, 0.0, 3.5, math.pi / 4)
    gel_friction, grip, mass = 0.5, 40.0, 0.3
    pace, near, lean = 1.0, (4e-3, 0.06), 1e-3
    grasp = (LONG - 0.035, 0.0, 0.0)
    least, most = 0.0, 10e-3
    critic_size = 275
    look = ((0.6, 0.02, 0.74), 0.85, 40.0, -25.0)

    def add_place(self, mujoco: Any, spec: Any) -> list[str]:
        place = spec.worldbody.add_body(name="shelf", pos=(FRONT + DEEP / 2, 0, STAND))
        hard: dict[str, Any] = {
            **HARD, "type": mujoco.mjtGeom.mjGEOM_BOX, "contype": WORLD, "conaffinity": OBJECT | FINGER,
            "rgba": WOOD_DARK, "friction": (0.3, 0.005, 1e-4),
        }  # fmt: skip
        place.add_geom(pos=(0, 0, -BOARD), size=(DEEP / 2, WIDE / 2 + 2 * BOARD, BOARD), **hard)
        place.add_geom(pos=(DEEP / 2, 0, HIGH / 2), size=(BOARD / 2, WIDE / 2, HIGH / 2), **hard)
        seen = {**hard, "contype": 0, "conaffinity": 0}
        for sign in (-1, 1):
            place.add_geom(pos=(0, sign * (WIDE / 2 + BOARD), HIGH / 2), size=(DEEP / 2, BOARD, HIGH / 2), **hard)
        place.add_geom(pos=(0, 0, -STAND / 2 - BOARD), size=(DEEP / 2, WIDE / 2, STAND / 2 - BOARD), **seen)
        return ["shelf"]

    def arrange(self, u: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        w, n = len(u), COUNT - 1
        goal = R.constant(SLOTS[GOAL], u).expand(w, 3)
        places = R.constant(self.slots[:n], u).expand(w, n, 3).clone()
        turns = R.constant((1.0, 0.0, 0.0, 0.0), u).expand(w, n, 4).clone()
        # The gap is the book's thickness and a margin, which one neighbour takes away by moving in or by leaning over.
        margin = self.least + 0.5 * (u[:, 5] + 1.0) * (self.most - self.least)
        side = torch.where(u[:, 3] > 0, 1.0, -1.0)
        free = 2 * (PITCH - 2 * THICK) + 2 * THICK  # between the neighbours at home
        moved = free - 2 * THICK - margin
        leaning = u[:, 2] > 1.0 - 2.0 * float(self.option("leaning"))
        angle = torch.atan2(moved.clamp(max=0.4 * TALL), R.constant(2 * TALL, u)) * leaning
        near = [GOAL, GOAL - 1]  # places of the neighbours in +y and -y among the others
        for k, sign in zip(near, (1.0, -1.0), strict=True):
            mine = (side == sign).to(u.dtype)
            lean = angle * mine
            # It turns about its lower edge on the side of the gap.
            turns[:, k] = R.about(0, sign * lean)
            half = THICK * torch.cos(lean) - THICK + TALL * torch.sin(lean)
            lift = THICK * torch.sin(lean) + TALL * torch.cos(lean) - TALL
            places[:, k, 1] -= sign * (half + mine * (~leaning) * moved)
            places[:, k, 2] += lift
        room = torch.zeros_like(goal)
        room[:, 1] = -side * (0.5 * (free - 2 * THICK))
        return goal, places, turns, 0.9 * room
