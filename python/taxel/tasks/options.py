"""Options of a task: what was asked for, looked at before anything is built."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..common import convert

Range = tuple[float, float]


def checked(task: str, defaults: dict[str, Any], given: dict[str, Any], ranges: dict[str, Range]) -> dict[str, Any]:
    """The defaults with what was given in their place, of the defaults' kinds (bool, float, tuple of floats).

    ranges  least and most of a number, or of each in a tuple; of others 0 or more
    """
    out = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            raise _core.Error(f"tasks: {task} has no option {name!r}; it has {', '.join(sorted(defaults))}")
        out[name] = _checked(f"tasks: {task}: {name}", value, defaults[name], ranges.get(name, (0.0, math.inf)))
    return out


def switch(where: str, value: Any) -> bool:
    """A bool, of Python or NumPy. Any other thing would be one of them without a word: "no" is true."""
    if not isinstance(value, bool | np.bool_):
        raise _core.Error(f"{where} is {value!r}; it is a bool: give True or False")
    return bool(value)


def is_number(value: Any) -> bool:
    """A finite one, of Python or NumPy."""
    return convert.is_number(value) and math.isfinite(value)


def _checked(where: str, value: Any, default: Any, limits: Range) -> Any:
    if isinstance(default, bool):
        return switch(where, value)
    low, high = limits
    words = f"of {low:g} or more" if math.isinf(high) else f"from {low:g} to {high:g}"
    if isinstance(default, tuple):
        parts = value.tolist() if isinstance(value, np.ndarray) else value
        fits = isinstance(parts, tuple | list) and len(parts) == len(default)
        if not fits or not all(is_number(p) and low <= p <= high for p in parts):
            raise _core.Error(f"{where} is {value!r}; it is a tuple: give {len(default)} numbers {words}")
        return tuple(float(p) for p in parts)
    if not is_number(value):
        raise _core.Error(f"{where} is {value!r}; it is a float: give a finite number {words}")
    if not low <= value <= high:
        raise _core.Error(f"{where} is {value!r}; give a number {words}")
    return float(value)
