"""A pad with bristles, without an engine: poses and velocities in, forces out."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from ..common.description import entries, misplaced_key
from ..skin import Layout


@dataclass(frozen=True)
class PadReading:
    """What the bristles feel. Arrays have the shape of the layout: (rows, cols), or (n,)."""

    normal: np.ndarray
    """N."""
    friction: np.ndarray
    """(2, ...) on the pad, along the two axes of each point, N."""
    deflection: np.ndarray
    """How far each bristle is bent, m."""
    saturated: np.ndarray
    """True where the body is pressed in beyond the length of the probe."""
    force: np.ndarray
    """On the body, in the world frame, N."""
    torque: np.ndarray
    """On the body about its origin, in the world frame, N m."""


class BristlePad(Uncopied):
    """Bristles on a body, with their memory.

        pad = taxel.BristlePad(taxel.Body.box((0.0204, 0.0476, 0.006)), stiffness=58.5, depth=0.012,
                               friction=(0.435, 0.23), shape=(14, 6))
        reading = pad.press(ball, X_WP, X_WB, velocity=(0.01, 0, 0), dt=1e-3)
        reading.normal.sum()

    Keys as in MJCF (docs/guide/bristles.md); without ``friction`` there is none. The forces are explicit: those of the
    poses and velocities given, which hold for ``dt``. Inside MuJoCo, where they are part of the solver,
    ``taxel.soften`` takes the same keys. Threads may share a pad, one call after the other: it remembers one touch.
    """

    _instead = "it holds its memory; make another from the same keys"

    def __init__(self, body: _core.Body, **description: Any) -> None:
        if not isinstance(body, _core.Body):
            raise TypeError(f"BristlePad: body is {type(body).__name__}; give a taxel.Body")
        elsewhere = {"chain": "the signal chain; give it to taxel.SignalChain"}
        if wrong := misplaced_key("bristle pad", description, ["material", "taxels"], elsewhere):
            raise _core.Error(wrong)
        self.body = body
        self._core = _core.make_bristle_pad(body, entries(description), "bristle pad")
        self.layout = Layout(**self._core.layout)

    def __len__(self) -> int:
        return len(self.layout)

    def press(
        self,
        body: _core.Body,
        X_WP: Any = None,
        X_WB: Any = None,
        *,
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
        dt: float,
    ) -> PadReading:
        """Presses a body into the pad for ``dt`` seconds.

        X_WP, X_WB        poses of the pad and of the body (the identity when left out)
        velocity          of the body's origin relative to the pad, in the world frame, m/s
        angular_velocity  of the body relative to the pad, in the world frame, rad/s

        Another body than at the last call meets bristles that hold nothing.
        """
        if not isinstance(body, _core.Body):
            raise TypeError(f"press: body is {type(body).__name__}; give a taxel.Body")
        if body.modulus > 0:
            raise _core.Error(f"press: the body is soft (modulus {body.modulus:g} Pa); bristles meet rigid bodies")
        if not (isinstance(dt, numbers.Real) and np.isfinite(dt) and dt > 0):
            raise _core.Error(f"press: dt is {dt!r}; give a time step in s above 0")
        for name, value in (("velocity", velocity), ("angular_velocity", angular_velocity)):
            if np.asarray(value).dtype.kind in "fiu" and not np.isfinite(value).all():
                raise _core.Error(f"press: {name} is {value!r}; give three finite numbers")
        poses = (np.eye(4) if X is None else X for X in (X_WP, X_WB))
        got = self._core.press(body, *poses, velocity, angular_velocity, float(dt))
        shape = self.layout.shape
        axes = np.stack([self.layout.axes, self.layout.second_axes])
        return PadReading(
            normal=got["normal"].reshape(shape),
            friction=np.einsum("kni,ni->kn", axes, got["friction"]).reshape(2, *shape),
            deflection=got["deflection"].reshape(shape),
            saturated=got["saturated"].astype(bool).reshape(shape),
            force=got["force"],
            torque=got["torque"],
        )

    def reset(self) -> None:
        """Bristles hold nothing."""
        self._core.reset()
