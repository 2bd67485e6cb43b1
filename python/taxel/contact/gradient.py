"""How a contact changes with what goes into it: pose, modulus and thickness to force, torque and taxels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common.arguments import show
from .query import explain

if TYPE_CHECKING:
    from ..skin import Skin

INPUTS = ("shift", "turn", "modulus_A", "thickness_A", "modulus_B", "thickness_B")
"""``shift``: B along the axes of the world, m; ``turn``: B about the axes of the world through its own origin, rad;
moduli, Pa; thicknesses of layers, whose skin stays where it is, m."""
_FIRST = dict(zip(INPUTS, (0, 3, 6, 7, 8, 9), strict=True))


def _rows(by: np.ndarray, name: str) -> np.ndarray:
    """Rows of an input: three of a motion, else one."""
    at = _FIRST[name]
    return by[at : at + 3] if name in ("shift", "turn") else by[at]


@dataclass(frozen=True)
class TaxelGradient:
    """Taxels of a skin of columns, and how they change. Arrays begin with the shape of the layout."""

    values: np.ndarray
    """As ``Skin.read`` has them without an engine: Pa, or N."""
    by: Mapping[str, np.ndarray]
    """By input: (..., 3) for ``shift`` and ``turn``, (...) for the others."""


@dataclass(frozen=True)
class ContactGradient:
    """Force and torque of a contact, and their derivatives; world frame, SI units.

    Keys of ``force_by`` and ``torque_by`` are those of ``INPUTS`` that exist for the two bodies: a rigid one has no
    modulus, a distance field no thickness. ``force_by["shift"][i, j]`` is d force[i] / d shift[j].
    """

    force_on_A: np.ndarray
    torque_on_A: np.ndarray
    """About the world origin."""
    force_by: Mapping[str, np.ndarray]
    torque_by: Mapping[str, np.ndarray]
    complete: bool
    """False where a part of the derivatives may be missing (docs/guide/gradients.md); columns are always complete."""
    _made: _core.ContactGradient
    _bodies: tuple[_core.Body, _core.Body]

    def taxels(self, skin: Skin) -> TaxelGradient:
        """The taxels on the body with the columns; ``skin`` must be made on that body, or on one of its shape."""
        from ..skin import Skin  # which imports this room

        if not isinstance(skin, Skin):
            raise TypeError(f"taxels: skin is {show(skin)}; give a taxel.Skin, made on the body with the columns")
        if not any(_same_columns(skin.body, body) for body in self._bodies):
            raise _core.Error(
                "taxels: the skin is on another body than the two of this contact; make it on the one with the columns"
            )
        values, by = self._made.taxels(skin._core)
        shape = skin.layout.shape
        rows = {name: np.moveaxis(_rows(by.T, name), -1, 0) for name in self.force_by}
        return TaxelGradient(
            values.reshape(shape), {name: part.reshape(*shape, *part.shape[1:]) for name, part in rows.items()}
        )


def _same_columns(a: _core.Body, b: _core.Body) -> bool:
    """Bodies of one shape with their columns in the same places, whatever they are made of."""
    if a is b:
        return True
    (kind_a, shape_a, options_a), (kind_b, shape_b, options_b) = a.__getstate__(), b.__getstate__()
    where = ("field", "exposed", "resolution", "column_cell", "skin_triangles", "bone")
    if (
        kind_a != kind_b
        or len(shape_a) != len(shape_b)
        or not all(np.array_equal(options_a.get(key, ()), options_b.get(key, ())) for key in where)
    ):
        return False
    return all(np.array_equal(x, y) for x, y in zip(shape_a, shape_b, strict=True))


def contact_gradient(A: _core.Body, X_WA: Any, B: _core.Body, X_WB: Any, **options: Any) -> ContactGradient:
    """Force and torque of ``contact`` with their derivatives by the pose of B, the moduli and the thicknesses.

        pad = taxel.Body.box((0.03, 0.03, 0.006), modulus=1e5, field="columns")
        g = taxel.contact_gradient(pad, taxel.pose(), ball, X_WB)
        g.force_by["shift"]                        # (3, 3), N/m: the stiffness of the contact
        g.taxels(skin).by["modulus_A"]             # as the image of the skin, Pa/Pa

    Of a skin of columns these are the derivatives of the very numbers that ``contact`` gives, taxels included; of other
    fields those of the model, without taxels. Options as of ``contact``, but for ``out``.
    """
    try:
        made = _core.contact_gradient(A, X_WA, B, X_WB, **options)
    except TypeError as error:
        explain("contact_gradient", error, {"A": A, "X_WA": X_WA, "B": B, "X_WB": X_WB}, options, {})
    by = made.by
    rows = {name: np.moveaxis(_rows(by, name), 0, -1) for name in INPUTS if made.has[_FIRST[name]]}
    return ContactGradient(
        force_on_A=made.wrench_on_A[:3],
        torque_on_A=made.wrench_on_A[3:],
        force_by={name: row[:3] for name, row in rows.items()},
        torque_by={name: row[3:] for name, row in rows.items()},
        complete=made.complete,
        _made=made,
        _bodies=(A, B),
    )
