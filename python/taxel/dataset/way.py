"""The way of an object over a sensor: how it comes down, and how it moves on. Poses are given, nothing is simulated.

Frames: S the sensor, z out of it; G the object's geom. The guide is the point that carries the object: its lowest
point lies at the guide's height, and height 0 is level with the sensor's highest point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..press.objects import PressedObject

ABOVE = 2e-4
"""m over the first touch, where a way with memory begins."""
FLIP = np.diag([1.0, -1.0, -1.0])
"""Of the second finger of a grasp: it looks at the object from the other side."""


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation about a unit axis, rad."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)


def any_rotation(u: np.ndarray) -> np.ndarray:
    """A rotation from three uniform numbers, all orientations alike (Shoemake 1992)."""
    a, b = 2 * math.pi * float(u[1]), 2 * math.pi * float(u[2])
    s, c = math.sqrt(1 - float(u[0])), math.sqrt(float(u[0]))
    w, x, y, z = c * math.cos(b), s * math.sin(a), s * math.cos(a), c * math.sin(b)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(R: np.ndarray) -> np.ndarray:
    """w first, w >= 0."""
    m = R
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    k = int(np.argmax(squares))
    rows = (
        (squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]),
        (m[2, 1] - m[1, 2], squares[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]),
        (m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], squares[2], m[2, 1] + m[1, 2]),
        (m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], squares[3]),
    )
    q = np.array(rows[k]) / (2 * math.sqrt(float(squares[k])))
    return q if q[0] >= 0 else -q


@dataclass(frozen=True)
class Guide:
    """Where the object comes down on one finger."""

    pressed: PressedObject
    R_SG: np.ndarray
    p: np.ndarray
    """Of the geom's origin from the guide's point."""
    at: tuple[float, float]
    """x and y of the guide in the sensor's frame."""
    top: float
    """z of the sensor's highest point in its frame."""

    def pose(
        self, height: float, turned: np.ndarray | None = None, shift: tuple[float, float] = (0.0, 0.0)
    ) -> np.ndarray:
        """X_SG with the guide at a height, turned about the guide's point; the lowest point stays at that height."""
        R, p = self.R_SG, self.p
        if turned is not None:
            R, p = turned @ R, turned @ p
        X = np.eye(4)
        X[:3, :3] = R
        lift = self.pressed.below(R) if turned is not None and abs(turned[2, 2]) < 1 else p[2]
        X[:3, 3] = p[0] + self.at[0] + shift[0], p[1] + self.at[1] + shift[1], self.top + height + lift
        return X


def guides(pressed: PressedObject, R_SG: np.ndarray, at: tuple[float, float], top: float, fingers: int) -> list[Guide]:
    """One for each finger; the second one is across from the first."""
    R, p = pressed.placed(R_SG)
    found = [Guide(pressed, R, p, at, top)]
    if fingers == 2:
        R = FLIP @ R
        found.append(Guide(pressed, R, np.array([p[0], -p[1], pressed.below(R)]), (at[0], -at[1]), top))
    return found


@dataclass(frozen=True)
class Leg:
    """A part of a way: ``pose(0)`` to ``pose(1)``, and whether a reading is taken at its end."""

    pose: Callable[[float], np.ndarray]
    length: float
    """m, of the guide."""
    angle: float
    """rad."""
    keep: bool

    def poses(self, step: float, most_turn: float) -> list[np.ndarray]:
        """Poses no further apart than these, without the first; only the last one where both are infinite."""
        count = max(1, math.ceil(self.length / step), math.ceil(self.angle / most_turn))
        return [self.pose(k / count) for k in range(1, count + 1)]


def down(guide: Guide, start: float, end: float, keep: bool) -> Leg:
    return Leg(lambda s: guide.pose(start + s * (end - start)), abs(end - start), 0.0, keep)


def legs(
    guide: Guide, heights: list[float], touch: float, motion: str, values: tuple[float, float], frames: int
) -> list[Leg]:
    """The whole way. ``heights``: of the frames of a press or a grasp; the last one is that of other motions."""
    if motion in ("press", "grasp"):
        stops = [touch + ABOVE, *heights]
        return [down(guide, a, b, True) for a, b in pairwise(stops)]
    height = heights[-1]
    found = [down(guide, touch + ABOVE, height, frames > 1)]
    shares = [k / (frames - 1) for k in range(frames)] if frames > 1 else [0.0, 1.0]
    for a, b in pairwise(shares):
        found.append(_moved(guide, height, motion, values, a, b))
    return found


def _moved(guide: Guide, height: float, motion: str, values: tuple[float, float], a: float, b: float) -> Leg:
    size, towards = values[0], math.radians(values[1])
    if motion == "slide":
        c, s = size * math.cos(towards), size * math.sin(towards)

        def slid(share: float) -> np.ndarray:
            t = a + share * (b - a)
            return guide.pose(height, shift=(t * c, t * s))

        return Leg(slid, abs(size) * (b - a), 0.0, True)
    axis = np.array([0.0, 0.0, 1.0])
    if motion == "roll":
        axis = np.array([-math.sin(towards), math.cos(towards), 0.0])
    angle = math.radians(size)

    def turned(share: float) -> np.ndarray:
        return guide.pose(height, turned=turn(axis, angle * (a + share * (b - a))))

    return Leg(turned, 0.0, abs(angle) * (b - a), True)


def progress_of(motion: str, frames: int) -> list[float]:
    """Share of the motion at each frame."""
    if motion in ("press", "grasp"):
        return [(k + 1) / frames for k in range(frames)]
    return [k / (frames - 1) for k in range(frames)] if frames > 1 else [1.0]
