"""One pair of bodies at many poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core


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

    X_WA, X_WB: arrays (N, 4, 4), or one pose for a body that stands still. threads: 0 takes all the machine has; the
    bits of the result do not depend on it. The other keywords are those of ``contact``, but for ``out``.
    """
    return ContactBatch(**_core.contact_batch(A, X_WA, B, X_WB, threads, **options))
