"""What stands between a gel and the numbers a policy gets: a camera that is late, markers found not quite where they
are. A world that a policy was not trained in differs in this as well as in its gel."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch

from .. import _core
from .draws import normal, uniform
from .options import is_number

PX = 0.1
"""What a pixel is in the observation."""
MOST = 100.0
"""No reading is larger, as no other observation is."""
MOST_LAG = 30
NOISE, OFFSET, LOST, GAIN = 0x70C4, 0x1F83, 0x5BE1, 0x2A6D
"""Set the numbers of the camera apart from those that an episode is drawn by."""
_OF_MARKERS = ("unit", "offset", "lost")


@dataclass(frozen=True)
class CameraNumbers:
    """``touch_camera`` of ``taxel.tasks.make``.

    gain    displacements (grey values, pressures) times this: a model that was calibrated on another sensor; a pair
            (low, high) is drawn from for every episode, evenly in its logarithm
    offset  px, standard deviation: where the tracker took each marker to rest, drawn once an episode
    lost    share of the markers that are not found in a frame; they stay where they were found last
    unit    px: every marker as a unit vector, as HydroShear gives TacSL's to its policies; those that moved less are 0
    lag     frames (1/60 s) by which all of it is late
    """

    gain: float | tuple[float, float] = 1.0
    offset: float = 0.0
    lost: float = 0.0
    unit: float = 0.0
    lag: int = 0

    @staticmethod
    def checked(given: Any, touch: str, markers: bool) -> CameraNumbers:
        """From a dict; Error that names what is wrong with it. markers: whether this touch has any."""
        if given is None:
            return CameraNumbers()
        names = [f.name for f in fields(CameraNumbers)]
        if not isinstance(given, dict):
            raise _core.Error(f"tasks: touch_camera is {given!r}; give a dict with some of {', '.join(names)}")
        given = {n: v.tolist() if isinstance(v, np.ndarray | np.generic) else v for n, v in given.items()}
        for name, value in given.items():
            if name not in names:
                raise _core.Error(f"tasks: touch_camera has no {name!r}; it has {', '.join(names)}")
            number, words = is_number(value) and value >= 0, "a number of 0 or more"
            if name == "lag":
                number = isinstance(value, int) and number and value <= MOST_LAG
                words = f"a whole number of frames, 0 to {MOST_LAG}"
            elif name == "lost":
                number, words = number and value <= 1, "a share, 0 to 1"
            elif name == "gain":
                pair = value if isinstance(value, tuple | list) else (value,) * 2
                number = len(pair) == 2 and all(map(is_number, pair)) and 0 < pair[0] <= pair[1]
                words = "a number above 0, or two of them, the smaller one first"
            if not number:
                raise _core.Error(f"tasks: touch_camera: {name} is {value!r}; give {words}")
            if value and name in _OF_MARKERS and not markers:
                raise _core.Error(
                    f"tasks: touch_camera: {name} is of markers, and touch {touch!r} has none; leave it out"
                )
        if touch == "none" and given:
            raise _core.Error("tasks: touch_camera: touch 'none' has no camera; leave it out")
        numbers = dict(given)
        if isinstance(numbers.get("gain"), list):  # as JSON has it
            numbers["gain"] = tuple(numbers["gain"])
        return CameraNumbers(**numbers)


class Camera:
    """Of all worlds. ``see`` turns what a model says into what a policy gets; worlds that did not move keep theirs.

    noise   standard deviation in the observation's own unit, of every number in every frame
    shape   (worlds, channels, rows, columns); markers have x and y one after the other for each finger
    """

    def __init__(
        self, numbers: CameraNumbers, noise: float, relative: bool, shape: tuple[int, ...], device: torch.device
    ) -> None:
        self.numbers, self._noise, self._relative = numbers, noise, relative
        self._late = torch.zeros(numbers.lag, *shape, dtype=torch.float32, device=device)  # the newest first
        self._found = torch.zeros(shape if numbers.lost else (0,), dtype=torch.float32, device=device)

    def see(
        self, read: torch.Tensor, begun: torch.Tensor, moved: torch.Tensor, seed: Any, episode: torch.Tensor,
        moment: torch.Tensor,
    ) -> torch.Tensor:  # fmt: skip
        """read (worlds, ...). begun, moved (worlds,): which episodes begin, which worlds are new. seed, episode, moment
        (worlds,): what the random numbers hang on, so that they are the same however often others are read."""
        n, count = self.numbers, math.prod(read.shape[1:])
        if n.gain != 1:
            read = self._gain(seed, episode) * read
        if self._noise:
            noise = normal(seed + NOISE, moment, count).reshape(read.shape)
            read = read + self._noise * noise * (read.abs() if self._relative else 1.0)
        if n.offset:
            read = read + PX * n.offset * normal(seed + OFFSET, episode, count).reshape(read.shape)
        # One reading that is none, or infinite, would be in a learner's running mean for good.
        read = torch.nan_to_num(read, nan=0.0, posinf=MOST, neginf=-MOST).clamp(-MOST, MOST)
        if n.lost:
            read = self._track(read, begun, moved, seed, moment)
        if n.unit:
            read = _unit(read, PX * n.unit)
        return self._delay(read, begun, moved) if n.lag else read

    def _gain(self, seed: Any, episode: torch.Tensor) -> Any:
        """One number, or (worlds, 1, 1, 1)."""
        gain = self.numbers.gain
        if not isinstance(gain, tuple):
            return gain
        part = 0.5 * (1.0 + uniform(seed + GAIN, episode, 1, torch.float32))
        return (gain[0] * (gain[1] / gain[0]) ** part).reshape(-1, 1, 1, 1)

    def _track(
        self, read: torch.Tensor, begun: torch.Tensor, moved: torch.Tensor, seed: Any, moment: torch.Tensor
    ) -> torch.Tensor:
        worlds, channels, rows, columns = read.shape
        drawn = 0.5 * (1.0 + uniform(seed + LOST, moment, channels // 2 * rows * columns, torch.float32))
        missed = (drawn < self.numbers.lost).reshape(worlds, channels // 2, 1, rows, columns)
        missed = missed.expand(-1, -1, 2, -1, -1).reshape(read.shape) & ~_by_world(begun, read)
        found = torch.where(missed, self._found, read)
        self._found.copy_(torch.where(_by_world(moved, read), found, self._found))
        return found

    def _delay(self, read: torch.Tensor, begun: torch.Tensor, moved: torch.Tensor) -> torch.Tensor:
        """What was seen ``lag`` frames ago; before an episode began nothing moved: its first frame."""
        fresh, new = _by_world(begun, read), _by_world(moved, read)
        held = torch.where(fresh, read, self._late)
        out = held[-1].clone()
        self._late.copy_(torch.where(new, torch.cat([read[None], held[:-1]]), self._late))
        return out

    def get_state(self) -> dict[str, torch.Tensor]:
        return {"late": self._late.clone(), "found": self._found.clone()}

    def set_state(self, state: dict[str, torch.Tensor]) -> None:
        self._late.copy_(state["late"])
        self._found.copy_(state["found"])


def _by_world(which: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return which.reshape(-1, *[1] * (like.dim() - 1))


def _unit(read: torch.Tensor, least: float) -> torch.Tensor:
    worlds, channels, rows, columns = read.shape
    pairs = read.reshape(worlds, channels // 2, 2, rows, columns)
    length = pairs.norm(dim=2, keepdim=True)
    return torch.where(length >= least, pairs / length.clamp(min=1e-12), 0.0).reshape(read.shape)
