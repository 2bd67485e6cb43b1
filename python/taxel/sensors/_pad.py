"""A plain rectangular pad: any size, any grid, any stiffness."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .description import TactileSensor
from .material import Material
from .one_material import checked
from .shape import Shape


def pad(
    size: tuple[float, float] = (0.04, 0.04),
    shape: tuple[int, int] = (8, 8),
    modulus: float | None = None,
    thickness: float = 0.005,
    **changes: Any,
) -> TactileSensor:
    """A soft layer on a stiff plate: ``size`` along x and y (m), ``shape`` rows and columns, ``thickness`` (m).

    ``modulus`` is 1e5 Pa unless you say otherwise, or give ``young`` and ``poisson`` of its material instead.
    """
    lengths = (*np.atleast_1d(np.asarray(size, object)).ravel(), thickness)
    fits = len(lengths) == 3 and all(isinstance(x, int | float | np.number) and 0 < x < np.inf for x in lengths)
    if not fits:
        raise _core.Error(f"pad: size is {size} and thickness {thickness}; give two lengths and a thickness in m, > 0")
    if len(np.shape(shape)) != 1 or len(shape) != 2 or not all(isinstance(n, int | np.integer) for n in shape):
        raise _core.Error(f"pad: shape is {shape!r}; give two whole numbers, rows and columns")
    if modulus is not None:
        modulus = checked("pad", {"modulus": modulus})["modulus"]
    if modulus is not None and "young" in changes:
        changes["modulus"] = modulus
    made = Material.of_modulus(
        1e5 if modulus is None else modulus,
        0.45,
        thickness,
        friction=0.6,
        damping=5.0 * thickness / 6,
        source={
            "young": "from the modulus, by the rule",
            "poisson": "a soft silicone with some air in it; poisson= changes it",
            "friction, damping": "yours; 0.6 and 5 s/m at a sixth of the thickness unless you say otherwise",
        },
    )
    return TactileSensor(
        name="pad",
        title=f"Plain pad, {shape[0]} x {shape[1]}",
        geom=Shape.box(*lengths),
        material={
            "modulus": made.modulus() if modulus is None else float(modulus),
            "dissipation": made.dissipation,
            "friction": made.friction,
            "field": "backed",
        },
        made_of=made,
        taxels={"shape": tuple(shape)},
        gel_keys={**made.gel(), "cell": thickness / 5},
        source={"all": "yours: a silicone layer of 40 x 40 x 5 mm, 1e5 Pa, with 8 x 8 taxels unless you say otherwise"},
    ).replace(**changes)
