"""How deep an object must come down: for a force, or below its first touch. Statics, one unknown."""

from __future__ import annotations

from collections.abc import Callable

from .. import _core

CLOSE = 1e-7
"""Share of the wanted force."""
SCAN = 5e-4  # m; how finely a first touch is looked for
FINE = 1e-8  # m; how exactly it is found
TRIES = 80


class CannotPress(_core.Error):
    """A press that cannot be made: the sample is drawn anew."""


def height_of_force(push: Callable[[float], float], force: float, deepest: float) -> float:
    """Height of the guide at which the object presses so hard. ``push(height)`` rises as the height falls.

    Bracketed, then found by false position (Anderson and Bjoerck's) on force^(2/3), which is nearly straight in the
    height for a flat face (force ~ depth) as for a round one (force ~ depth^1.5 to depth^2): six queries.
    """
    goal = force ** (2 / 3)

    def excess(height: float) -> float:
        return max(0.0, push(height)) ** (2 / 3) - goal

    high, value_high = 0.0, -goal
    low = -0.1 * deepest
    value_low = excess(low)
    while value_low < 0:
        if low <= -deepest:
            raise CannotPress(f"misses the sensor, or sinks in deeper than {deepest:.3g} m")
        high, value_high = low, value_low
        low = max(2.2 * low, -deepest)
        value_low = excess(low)
    side = 0
    for _ in range(TRIES):
        height = (low * value_high - high * value_low) / (value_high - value_low)
        value = excess(height)
        if abs(value) <= 0.6 * CLOSE * goal or high - low < 1e-13:
            return height
        if value > 0:
            value_high *= _shrink(value / value_low) if side == 1 else 1.0
            low, value_low, side = height, value, 1
        else:
            value_low *= _shrink(value / value_high) if side == -1 else 1.0
            high, value_high, side = height, value, -1
    raise CannotPress(f"a force of {force:g} N is not met")


def _shrink(ratio: float) -> float:
    """By what the end that stays is scaled where the other one moved twice in a row."""
    return 1 - ratio if ratio < 1 else 0.5


def first_touch(touches: Callable[[float], bool], deepest: float) -> float:
    """Height of the guide at which the object begins to touch."""
    if touches(-2 * FINE):
        return 0.0
    high, low = 0.0, -SCAN
    while not touches(low):
        high, low = low, low - SCAN
        if low < -deepest:
            raise CannotPress("misses the sensor")
    while high - low > FINE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if touches(middle) else (low, middle)
    return 0.5 * (low + high)
