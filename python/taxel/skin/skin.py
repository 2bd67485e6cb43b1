"""Skins: taxels on a body, and what they read from a contact surface. No engine needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Immutable
from ..common.description import entries, misplaced_key


@dataclass(frozen=True)
class Layout:
    """Where the taxels of a skin are, in the frame of the body that carries them.

    Taxel ``i`` of a grid is in row ``i // cols`` and column ``i % cols``; columns run along ``axes``, rows along
    ``second_axes``. Draw images with ``origin="lower"``.
    """

    points: np.ndarray
    normals: np.ndarray
    axes: np.ndarray
    areas: np.ndarray
    rows: int
    cols: int
    wraps: bool = False
    """A grid all around: its last column and its first are neighbours."""

    @property
    def second_axes(self) -> np.ndarray:
        return np.cross(self.normals, self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, cols) of a grid, (n,) of anything else."""
        return (self.rows, self.cols) if self.rows else (len(self.points),)

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Reading:
    """What a skin reads. Arrays have the shape of the layout: (rows, cols), or (n,)."""

    values: np.ndarray
    """Through the aggregate: Pa, or N for ``aggregate="force"``; from a sensor of a model in its ``unit``."""
    layout: Layout
    force: np.ndarray
    """Sum over the taxels, N, in the frame of the body (of a sensor in MuJoCo: ``Sensor.pose``)."""
    area: float
    """Of contact, m2."""
    center: np.ndarray
    """Centre of pressure, m, in the same frame."""
    load: float
    """Integral of the pressure over all contacts, N."""
    missed: float = 0.0
    """The part of ``load`` that lies where no taxel is, N: beyond the rim of the layout, or on a face without any."""
    forces: np.ndarray | None = None
    """(..., 3) on each taxel, N: along its first axis, its second axis, and into the skin."""
    shear: np.ndarray | None = None
    """(2, ...) along the two axes of each taxel, in the unit of ``values``."""
    slip: np.ndarray | None = None
    """Share of the friction bound in use, 1 where it slides."""
    saturated: np.ndarray | None = None
    """True where a bristle is pressed beyond its length, so that the value tells less than there is."""
    sliding_share: float = 0.0
    """Share of the load on sliding taxels."""
    truth: Truth | None = None

    @property
    def slipping(self) -> np.ndarray:
        """Which taxels slide."""
        if self.slip is None:
            raise _core.Error('this reading has no slip; ask for it with output="pressure slip"')
        return self.slip >= 0.95

    @property
    def incipient(self) -> bool:
        """Part of the contact slides, part of it still holds."""
        return 0.02 < self.sliding_share < 0.98


@dataclass(frozen=True)
class Truth:
    """What a sensor cannot know: for learning."""

    center: np.ndarray
    area: float
    load: float
    position: np.ndarray
    """Of the geom that presses hardest, in the sensor's frame, m."""
    quaternion: np.ndarray
    """Of that geom, w first; zero when nothing touches."""


def columns_by_taxels(body: _core.Body, **layout: Any) -> _core.Body:
    """The body with its columns laid by taxels; keys of a layout as of ``Skin``.

        pad = taxel.columns_by_taxels(taxel.Body.box((0.08, 0.08, 0.018), modulus=3e4, field="columns"), shape=(16, 16))
        skin = taxel.Skin(pad, shape=(16, 16))

    Each taxel gets a whole number of columns along each of its sides, about as many in all as without taxels; on a flat
    skin with taxels in rows they stand in line with them, and a reading cuts nothing. In a MuJoCo model this happens by
    itself. The same body comes back where its field is another one, where it has a ``resolution`` or a ``column_cell``,
    and where the taxels are elsewhere than the columns.
    """
    if not isinstance(body, _core.Body):
        raise TypeError(f"columns_by_taxels: body is {type(body).__name__}; give a taxel.Body")
    return _core.columns_by_taxels(body, entries(layout), "columns_by_taxels")


class Skin(Immutable):
    """Taxels on a body.

        pad = taxel.Body.box((0.08, 0.08, 0.018), modulus=3e4, field="backed")
        skin = taxel.Skin(pad, shape=(16, 16))
        image = skin.read(taxel.contact(pad, X_WP, ball, X_WB), X_WP).values     # (16, 16), Pa

    Keys as in MJCF (docs/guide/skins.md): ``shape``, ``face``, ``points``, ``readout="rays"``, ``samples``, ... Besides
    them

    weight   function of distance (m) and angle (rad) instead of a window (rays)
    combine  function of the pressures and the weights of a taxel's samples instead of an aggregate (rays)

    Immutable; threads may share it. A pickle holds the body and the keys.
    """

    def __init__(
        self,
        body: _core.Body,
        *,
        weight: Callable[[float, float], float] | None = None,
        combine: Callable[[np.ndarray, np.ndarray], float] | None = None,
        **description: Any,
    ) -> None:
        if not isinstance(body, _core.Body):
            raise TypeError(f"Skin: body is {type(body).__name__}; give a taxel.Body")
        for name, function in (("weight", weight), ("combine", combine)):
            if function is not None and not callable(function):
                raise TypeError(f"Skin: {name} is {type(function).__name__}; give a function")
        elsewhere = {
            "chain": "the signal chain; give it to taxel.SignalChain, or to a sensor (taxel.add_sensor)",
            "material": "the body; give it to taxel.Body",
        }
        if wrong := misplaced_key("skin", description, ["taxels"], elsewhere):
            raise _core.Error(wrong)
        self.body = body
        self._made = ((body,), {"weight": weight, "combine": combine, **description})
        self._core = _core.make_skin(body, entries(description), "skin", weight, combine)
        self.layout = Layout(**self._core.layout)

    def __len__(self) -> int:
        return len(self.layout)

    @property
    def sample_points(self) -> np.ndarray:
        """Where rays start, in the body's frame; empty for exact integration."""
        return self._core.sample_points

    def read(
        self,
        surfaces: _core.ContactSurface | Iterable[_core.ContactSurface],
        X_WG: Any = None,
        *,
        side: str | Iterable[str] = "A",
        forces: bool = False,
    ) -> Reading:
        """Reads one surface or several at once.

        ``X_WG`` is the pose of the skin's body (the identity when left out); ``side`` says whether it was body A or B
        of the query (one answer, or one for each surface). ``forces``: also the force vector on each taxel.
        """
        many = [surfaces] if isinstance(surfaces, _core.ContactSurface) else list(surfaces)
        sides = [side] * len(many) if isinstance(side, str) else list(side)
        if len(sides) != len(many) or any(s not in ("A", "B") for s in sides):
            raise _core.Error(f'read: side is {side!r}; give "A" or "B", or one of them for each surface')
        X_WG = np.eye(4) if X_WG is None else X_WG
        found = self._core.read([(s, a == "A") for s, a in zip(many, sides, strict=True)], X_WG, forces)
        shape = self.layout.shape
        return Reading(
            values=found["values"].reshape(shape),
            layout=self.layout,
            force=found["force"],
            area=found["area"],
            center=found["center"],
            load=found["load"],
            missed=found["missed"],
            forces=found["forces"].reshape((*shape, 3)) if forces else None,
        )


@dataclass
class SignalChain:
    """The electronics of a sensor, by itself: ``chain(time, pressures)`` gives what the device says.

    Keys as in MJCF (docs/guide/skins.md): ``noise``, ``rate``, ``bits``, ... ``timestep`` is that of the calls. The
    state is kept here; ``reset()`` forgets it. A copy, or a pickle, goes on from the same state. One thread at a time.
    """

    layout: Layout
    timestep: float
    channel: int = 0
    signed: bool = False
    description: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at = self.layout
        self._core = _core.SignalChain(
            at.points,
            at.normals,
            at.axes,
            at.areas,
            at.rows,
            at.cols,
            at.wraps,
            entries(self.description),
            self.timestep,
            self.channel,
            self.signed,
        )
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {**{k: v for k, v in self.__dict__.items() if k != "_core"}, "state": self.state.copy()}

    def __setstate__(self, given: dict[str, Any]) -> None:
        self.__dict__.update(given)
        self.__post_init__()
        self.state = given["state"]

    def reset(self) -> None:
        self.state = np.zeros(self._core.state_size)
        self._last = -np.inf

    def __call__(self, time: float, pressures: Any) -> np.ndarray:
        """Reading at ``time`` (s, rising) of the pressures (Pa); moves the state on.

        A time before the last one, a time or a pressure that is not finite: an error, and the state stays.
        """
        raw = np.ascontiguousarray(pressures, float)
        if raw.size != len(self.layout):
            raise _core.Error(f"signal chain: {raw.size} pressures for {len(self.layout)} taxels")
        if time < self._last:
            raise _core.Error(
                f"signal chain: time runs back, from {self._last:g} to {time:g} s; call reset() to start anew"
            )
        out = self._core.step(float(time), raw.ravel(), self.state).reshape(raw.shape)
        self._last = float(time)
        return out
