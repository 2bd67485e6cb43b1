"""The laws on a contact surface, element by element over arrays (NumPy's broadcasting rules).

They take what ``taxel.contact`` gives per face and what the engine knows of the motion, and return pressures and
friction coefficients. docs/theory/contact.md has the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core

__all__ = [
    "combine_dissipation",
    "combine_friction",
    "hunt_crossley_pressure",
    "regularized_coulomb",
    "series_gradient",
    "stribeck_friction",
]


def _apply(law: Any, *values: Any) -> Any:
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values))
    flat = law(*(np.ascontiguousarray(a).reshape(-1) for a in arrays))
    return float(flat[0]) if arrays[0].ndim == 0 else flat.reshape(arrays[0].shape)


def combine_dissipation(modulus_A: Any, dissipation_A: Any, modulus_B: Any, dissipation_B: Any) -> Any:
    """Hunt-Crossley dissipation of a pair, s/m. A modulus of 0 is a rigid body; it contributes nothing."""
    return _apply(_core.combine_dissipation, modulus_A, dissipation_A, modulus_B, dissipation_B)


def combine_friction(mu_A: Any, mu_B: Any) -> Any:
    """Friction coefficient of a pair: 2 mu_A mu_B / (mu_A + mu_B)."""
    return _apply(_core.combine_friction, mu_A, mu_B)


def series_gradient(gradient_A: Any, gradient_B: Any) -> Any:
    """Pressure gradient of two sides in series, Pa/m; infinity is a rigid side."""
    return _apply(_core.series_gradient, gradient_A, gradient_B)


def hunt_crossley_pressure(p0: Any, gradient: Any, dissipation: Any, normal_speed: Any, time_step: Any) -> Any:
    """Pressure with damping, Pa, never negative.

    p0: elastic pressure; gradient: of the pair (``series_gradient``), Pa/m; normal_speed: m/s, > 0 when separating;
    time_step: s, 0 for the pressure at this very instant.
    """
    return _apply(_core.hunt_crossley_pressure, p0, gradient, dissipation, normal_speed, time_step)


def regularized_coulomb(slip_speed: Any, mu: Any, stiction_speed: Any = 1e-4) -> Any:
    """Friction coefficient at a slip speed: rises from 0 to mu at ``stiction_speed``, then stays."""
    return _apply(_core.regularized_coulomb, slip_speed, mu, stiction_speed)


def stribeck_friction(
    slip_speed: Any, mu_static: Any, mu_dynamic: Any, stribeck_speed: Any = 1e-2, stiction_speed: Any = 1e-4
) -> Any:
    """Friction coefficient that rises to mu_static at ``stiction_speed`` and decays to mu_dynamic."""
    return _apply(_core.stribeck_friction, slip_speed, mu_static, mu_dynamic, stribeck_speed, stiction_speed)
