"""A plain rectangular pad: any size, any grid, any stiffness."""

from __future__ import annotations

from typing import Any

from .. import _core
from .description import Shape, TactileSensor


def pad(
    size: tuple[float, float] = (0.04, 0.04),
    shape: tuple[int, int] = (8, 8),
    modulus: float = 1e5,
    thickness: float = 0.005,
    **changes: Any,
) -> TactileSensor:
    """A soft layer on a stiff plate: ``size`` along x and y (m), ``shape`` rows and columns, ``thickness`` (m)."""
    lengths = (*size, thickness)
    if len(lengths) != 3 or not all(0 < x < float("inf") for x in lengths):
        raise _core.Error(f"pad: size is {size} and thickness {thickness}; give two lengths and a thickness in m, > 0")
    return TactileSensor(
        name="pad",
        title=f"Plain pad, {shape[0]} x {shape[1]}",
        geom=Shape.box(*lengths),
        material={"modulus": modulus, "dissipation": 5.0, "friction": 0.6, "field": "backed"},
        taxels={"shape": tuple(shape)},
        gel_keys={"poisson": 0.45, "cell": thickness / 5, "friction": 0.6},
        source={"all": "yours: a silicone layer of 40 x 40 x 5 mm, 1e5 Pa, with 8 x 8 taxels unless you say otherwise"},
    ).replace(**changes)
