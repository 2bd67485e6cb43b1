"""Bin packing: a cube into the free place of a bin of 4 x 4, into which its neighbours were pushed."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from . import rotation as R
from .packing import Packing
from .pads import FINGER, OBJECT, WORLD
from .scene import GREY_BIN, HARD
from .task import Tensor

SIDE, HEIGHT, WALL = 0.23, 0.04, 0.006
PITCH = SIDE / 4
_AT = (np.arange(4) - 1.5) * PITCH
MIDDLE = (0.5, 0.0)
GAP, WALL_GAP = PITCH - 0.05, (PITCH - 0.05) / 2
"""m between a cube in its place and its neighbour, and between it and a wall."""
FIT = 2e-3
"""m that a slot is wider than a cube, at least."""
LEVEL, LAIN = 0.02, 6
"""Of the expert: rad that a cube may lean to lie flat, and for how many steps it does until that is known."""
FELT = 0.3
"""N on the cube from which on it is known to touch something."""
SHELF, CLEAR, BESIDE = 0.049, 0.043, 8e-3
"""m: how far from the goal the expert presses, from where on a cube stands on its neighbours alone, and over what the
expert rises on its way there. It leans outwards, so that who is not sure yet stays."""
PRESS, RISE = 8e-3, 8e-3
"""m: how far below the neighbours' tops it asks to be there, and how far above them beside it."""


class Bin(Packing):
    """The published numbers: docs/guide/tasks.md."""

    name = "bin"
    stages = {1: {"penalty": 0.0}, 2: {"penalty": 1e-3}}  # noqa: RUF012
    defaults = {  # noqa: RUF012
        "squish": 0.012, "shift": (3e-3, 0.0, 6e-3), "pitch": 0.157, "payload": True, "entry": 0.012,
    }  # fmt: skip
    ranges = {"squish": (0.0, 0.05), "shift": (0.0, 0.025), "pitch": (0.0, 0.5), "entry": (0.0, 0.05)}  # noqa: RUF012
    slots = np.array([(MIDDLE[0] + x, MIDDLE[1] + y, 0.025) for x in _AT for y in _AT])
    critic_size = 291
    middle, turns = (0.5, 0.0, 0.18), (0.0, 0.0, 0.0)
    bound = 0.03
    pace, near, funnel, slide = 0.85, (3.5e-3, 0.3), 9e-3, (0.6, 240.0)
    look = ((0.5, 0.0, 0.1), 0.7, 140.0, -30.0)

    def add_place(self, mujoco: Any, spec: Any) -> list[str]:
        place = spec.worldbody.add_body(name="bin", pos=(*MIDDLE, HEIGHT / 2))
        hard: dict[str, Any] = {
            **HARD, "type": mujoco.mjtGeom.mjGEOM_BOX, "contype": WORLD, "conaffinity": OBJECT | FINGER,
            "rgba": GREY_BIN, "friction": (0.4, 0.005, 1e-4),
        }  # fmt: skip
        reach = (SIDE + WALL) / 2
        for sign in (-1, 1):
            place.add_geom(pos=(sign * reach, 0, 0), size=(WALL / 2, SIDE / 2 + WALL, HEIGHT / 2), **hard)
            place.add_geom(pos=(0, sign * reach, 0), size=(SIDE / 2, WALL / 2, HEIGHT / 2), **hard)
        return ["bin"]

    def arrange(self, u: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        w = len(u)
        goal = ((u[:, 1] + 1.0) * 8.0).long().clamp(0, 15)
        k = torch.arange(15, device=u.device)
        slot = k + (k >= goal[:, None]).long()
        places = R.constant(self.slots, u)[slot]
        apart = torch.stack([slot // 4 - (goal // 4)[:, None], slot % 4 - (goal % 4)[:, None]], -1)
        along = torch.where(u[:, 2, None, None] > 0, apart, apart.flip(-1))
        near = (along[..., 0].abs() == 1) & (along[..., 1] == 0)
        side = torch.where(u[:, 3, None] > 0, 1, -1)
        both = u[:, 4, None] > 0
        pushed = near & (both | (along[..., 0] == side))
        # One neighbour by all of it, or those on both sides by half of it each; beside a wall so far that a cube fits.
        amount = float(self.option("squish")) * 0.5 * (u[:, 5, None] + 1.0) * torch.where(both, 0.5, 1.0)
        at = torch.stack([goal // 4, goal % 4], -1)
        walled = ((at == 0) | (at == 3)).gather(-1, torch.where(u[:, 2, None] > 0, 0, 1))
        amount = torch.where(walled, amount.clamp(max=GAP + WALL_GAP - FIT), amount)
        way = -apart.to(u.dtype) * (pushed.to(u.dtype) * amount)[..., None]
        places = torch.cat([places[..., :2] + way, places[..., 2:]], -1)
        turns = R.constant((1.0, 0.0, 0.0, 0.0), u).expand(w, 15, 4)
        room = torch.cat([self._room(at, way), torch.zeros_like(u[:, :1])], -1)
        return R.constant(self.slots, u)[goal], places, turns, room

    def begin(self, engine: Any, u: Tensor) -> dict[str, Tensor]:
        return super().begin(engine, u) | {"memory.felt": torch.zeros_like(u[:, :3])}

    def command(self, engine: Any, memory: dict[str, Tensor], action: Tensor) -> None:
        """And what could have been felt by now: that the cube touched anything, of late, and how long it lay flat."""
        super().command(engine, memory, action)
        touches = (self.strain(engine) > FELT).to(action.dtype)
        flat = touches * (R.angle_axis(self.held(engine)[1])[:, :2].norm(dim=-1) < LEVEL)
        ever, late, lain = memory["felt"].unbind(-1)
        late = torch.maximum(touches, 0.7 * late)
        memory["felt"].copy_(torch.stack([torch.maximum(ever, touches), late, (lain + flat / LAIN).clamp(max=1.0)], -1))

    def settling(
        self, engine: Any, memory: dict[str, Tensor], off: Tensor, tilt: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """How a cube is turned about the fingers cannot be felt until it touches something flat, and in the outer rows
        the fingers come to rest on the wall before the cube stands on the floor. So it is put on top of its neighbours
        first, by a level hand, and turned while it touches until it lies flat: from then on the hand's own turn tells.
        """
        ever, late, lain = memory["felt"].split(1, -1)
        hand = R.angle_axis(R.conjugate(self.tool(engine)[1]))
        known = (lain > 0.999).to(off.dtype)
        felt = late * tilt + (1.0 - ever) * hand
        # Nobody who has left that place once is sent back: who is not sure whether it lay flat would hover half-way.
        away = ((CLEAR - off[:, :2].abs().amax(-1, keepdim=True)) / BESIDE).clamp(0.0, 1.0)
        pressed = 1.0 - torch.maximum(known, ever * away)
        place, low = self._shelf(off, memory["goal"])
        # Nor is it dragged there while it presses: a corner in the gap between two cubes would tip it over.
        far = ever * (off[:, :2].abs().amax(-1, keepdim=True) > SHELF)
        place = place + far * (off * R.constant((1.0, 1.0, 0.0), off) - place)
        return felt + known * (tilt - felt), pressed, place, low

    def _shelf(self, off: Tensor, goal: Tensor) -> tuple[Tensor, Tensor]:
        """The nearest way (worlds, 3) off the goal at which a cube stands on others alone, and how far before the goal
        (worlds, 1) it is to be on its way there: pressed down, or above the others where it is still over the slot."""
        at, home, end = off[:, :2], goal[:, :2] - R.constant(MIDDLE, off), 1.5 * PITCH
        side = torch.where(at < 0, -1.0, 1.0)
        side = torch.where((home + side * SHELF).abs() > end, -side, side)  # beyond the outer row there is no cube
        first = side[:, :1] * at[:, :1] >= side[:, 1:] * at[:, 1:]
        kept = torch.minimum(torch.maximum(at.clamp(-SHELF, SHELF), -end - home), end - home)
        place = torch.where(torch.cat([first, ~first], -1), side * SHELF, kept)
        there = ((at.abs().amax(-1, keepdim=True) - CLEAR + BESIDE) / (0.5 * BESIDE)).clamp(0.0, 1.0)
        return torch.cat([place, torch.zeros_like(place[:, :1])], -1), self.edge + RISE - there * (RISE + PRESS)

    @staticmethod
    def _room(at: Tensor, way: Tensor) -> Tensor:
        """The least way (worlds, 2) off the goal at which a cube passes between neighbours and walls."""
        gap, wall = torch.full_like(way[:, 0], GAP), torch.full_like(way[:, 0], WALL_GAP)
        low = torch.where(at == 0, -wall, -gap) + way.clamp(min=0.0).sum(1)
        high = torch.where(at == 3, wall, gap) + way.clamp(max=0.0).sum(1)
        spare = (0.5 * (high - low)).clamp(max=0.5 * FIT)
        return torch.minimum(torch.maximum(torch.zeros_like(low), low + spare), high - spare)
