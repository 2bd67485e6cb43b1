"""The query from Python: one pair of poses, or many.

The core does the work. A call that does not fit it comes back here, to be told in one line which argument is wrong.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .. import _core
from ..common.arguments import WrongCall

OPTIONS = {
    "faces": (str, '"polygons" or "triangles"'),
    "cull": (bool, "True or False"),
    "cull_angle": (numbers.Real, "an angle in radians"),
    "resolution": (numbers.Real, "a length in metres, 0 for automatic"),
    "facets_across": (numbers.Integral, "a whole number from 2 to 200"),
}


def contact(A: _core.Body, X_WA: Any, B: _core.Body, X_WB: Any, **options: Any) -> _core.ContactSurface:
    """Where A and B touch, and with what pressure.

    X_WA, X_WB: a pose is a 4x4 matrix (``taxel.pose`` makes one), (R, p) or (p, quaternion wxyz).

    Options, by name:
    faces: "polygons" (default) are fewest; "triangles" are cut round the centroid.
    cull: drop faces more than ``cull_angle`` (radians, 112.5 degrees by default) from the pressure gradient.
    resolution: facet size of curved primitives in this query, m; 0 is each body's own.
    facets_across: automatic refinement, facets across a patch, 2 to 200; 10 by default.
    out: a surface to reuse; it is returned. Arrays taken from it before keep their values.
    """
    try:
        return _core.contact(A, X_WA, B, X_WB, **options)
    except TypeError as error:
        explain("contact", error, {"A": A, "X_WA": X_WA, "B": B, "X_WB": X_WB}, options, {"out": None})


@dataclass(frozen=True, slots=True)
class ContactBatch:
    """Totals of N queries; row i belongs to pose i. World frame, SI units."""

    force_on_A: np.ndarray
    """(N, 3), N. The force on B is its opposite."""
    torque_on_A: np.ndarray
    """(N, 3), Nm, about the world origin."""
    area: np.ndarray
    """(N,), m2."""
    normal_force: np.ndarray
    """(N,), N: integral of the pressure."""
    max_pressure: np.ndarray
    """(N,), Pa."""
    centroid: np.ndarray
    """(N, 3), m; zero where there is no contact."""
    center_of_pressure: np.ndarray
    """(N, 3), m; zero where there is no contact."""
    num_faces: np.ndarray
    """(N,), int32."""

    def __len__(self) -> int:
        return len(self.area)


def contact_batch(A: _core.Body, X_WA: Any, B: _core.Body, X_WB: Any, threads: int = 0, **options: Any) -> ContactBatch:
    """The totals of ``contact`` at many poses, on many threads.

    X_WA, X_WB: arrays (N, 4, 4) or lists of poses, or one pose for a body that stands still. threads: 0 takes all the
    machine has; the bits of the result do not depend on it. The options are those of ``contact``, but for ``out``.
    """
    try:
        return ContactBatch(**_core.contact_batch(A, X_WA, B, X_WB, threads, **options))
    except TypeError as error:
        threads_option = {"threads": (numbers.Integral, "a whole number, 0 for all")}
        given = {"A": A, "X_WA": X_WA, "B": B, "X_WB": X_WB}
        explain("contact_batch", error, given, {"threads": threads, **options}, threads_option)


def explain(
    function: str, error: TypeError, given: dict[str, Any], options: dict[str, Any], more: dict[str, Any]
) -> NoReturn:
    """Raises a TypeError that names the wrong argument; ``error`` itself where it says so already."""
    if not isinstance(error, WrongCall):
        raise error
    allowed = {**OPTIONS, **more}
    for name, value in given.items():
        body = name in ("A", "B")
        if isinstance(value, _core.Body) != body:
            wanted = "a taxel.Body" if body else "a pose"
            raise TypeError(
                f"{function}: {name} is {_show(value)}; give {wanted} (the order is A, X_WA, B, X_WB)"
            ) from None
    for name, value in options.items():
        if name not in allowed:
            raise TypeError(f"{function}: unknown option {name!r}; the options are: {', '.join(allowed)}") from None
        if allowed[name] is None:
            continue
        kind, wanted = allowed[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"{function}: {name} is {_show(value)}; give {wanted}") from None
    raise error


def _show(value: Any) -> str:
    text = repr(value)
    kind = type(value).__name__
    return f"of type {kind}" if len(text) > 40 or "\n" in text or text.startswith("<") else f"{text} ({kind})"
