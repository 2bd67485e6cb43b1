"""What a recording holds: a channel a quantity, declared before the first row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .. import _core

NAME = re.compile(r"[A-Za-z0-9_]+(/[A-Za-z0-9_]+)*")
WORLD = "world"
UNIT = 1e-3  # how far a quaternion's length may be from 1: poses in single precision, or rounded, are poses
LONGEST = 80  # characters of a value in an error


@dataclass(frozen=True, eq=False)
class Channel:
    """Base of all kinds. ``shape`` and ``dtype`` are those of one row's value."""

    kind: ClassVar[str] = ""
    dtype: ClassVar[str] = "float64"

    @property
    def shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    def convert(self, value: Any) -> np.ndarray:
        """The value as it is stored; ValueError where it is something else."""
        array = np.asarray(value)
        if self.dtype == "uint8" and array.dtype != np.uint8:
            raise ValueError(f"its type is {array.dtype}, it must be uint8")
        if array.dtype.kind not in "biuf":
            raise ValueError(f"its value is {_short(value)}, of {array.dtype}; give real numbers")
        if array.shape != self.shape:
            raise ValueError(f"its shape is {array.shape}, the channel's {self.shape}")
        # A copy: the caller's may change before it is written.
        with np.errstate(over="ignore"):
            stored = np.array(array, dtype=self.dtype, order="C")
        if self.dtype == "float32" and np.isinf(stored).any():
            lost = array[np.isinf(stored) & np.isfinite(array)]
            if lost.size:
                raise ValueError(f"{lost[0]:g} is too large for {self.dtype}, as which it is stored")
        return stored

    def description(self) -> dict[str, Any]:
        """As JSON can hold it; ``from_description`` is its inverse."""
        plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in vars(self).items()}
        return {"kind": self.kind, **{key: value for key, value in plain.items() if value is not None}}


@dataclass(frozen=True, eq=False)
class Array(Channel):
    """Numbers of a fixed shape, single precision: a tactile image, joint angles, an action.

    points   (n, 3) where the taxels are, m, in ``frame``: n is the number of values
    frame    name of a ``Pose`` channel, or "world"
    """

    size: tuple[int, ...]
    unit: str = ""
    points: np.ndarray | None = None
    frame: str = WORLD
    kind: ClassVar[str] = "array"
    dtype: ClassVar[str] = "float32"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _size("Array", self.size))
        object.__setattr__(self, "points", _points("Array", self.points, int(np.prod(self.size))))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.size


@dataclass(frozen=True, eq=False)
class Image(Channel):
    """A camera's picture (height, width, 3), red green blue, 8 bit."""

    height: int
    width: int
    kind: ClassVar[str] = "image"
    dtype: ClassVar[str] = "uint8"

    def __post_init__(self) -> None:
        _size("Image", (self.height, self.width))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.height, self.width, 3)


@dataclass(frozen=True, eq=False)
class Pose(Channel):
    """A body's pose in ``frame``: x y z (m) and a unit quaternion w x y z, as MuJoCo has it; or a (4, 4) matrix."""

    frame: str = WORLD
    kind: ClassVar[str] = "pose"

    @property
    def shape(self) -> tuple[int, ...]:
        return (7,)

    def convert(self, value: Any) -> np.ndarray:
        if np.shape(value) == (4, 4):
            return _from_matrix(np.asarray(value))
        pose = super().convert(value)
        length = float(np.linalg.norm(pose[3:]))
        if not np.isfinite(pose).all() or abs(length - 1) > UNIT:
            raise ValueError(
                f"{_short(pose.tolist())} is no pose: give x y z (m) and a quaternion w x y z of length 1 "
                f"(here {length:g})"
            )
        return pose


@dataclass(frozen=True, eq=False)
class Markers(Channel):
    """Displacements of printed markers, px: (rows, columns, 3) or (n, 3), as ``taxel.MarkerSensor`` gives them.

    rest    (n, 3) at rest, m, in ``frame``
    pixel   m
    """

    size: tuple[int, ...]
    rest: np.ndarray
    pixel: float
    frame: str = WORLD
    kind: ClassVar[str] = "markers"
    dtype: ClassVar[str] = "float32"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", _size("Markers", self.size))
        object.__setattr__(self, "rest", _points("Markers", self.rest, int(np.prod(self.size))))
        if not 0 < self.pixel < float("inf"):
            raise _core.Error(f"Markers: pixel is {self.pixel!r}; give its edge in m")

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.size, 3)


@dataclass(frozen=True, eq=False)
class Wrench(Channel):
    """Force (N) and torque (N m) in the axes of ``frame``, about its origin: (6,)."""

    frame: str = WORLD
    kind: ClassVar[str] = "wrench"

    @property
    def shape(self) -> tuple[int, ...]:
        return (6,)


@dataclass(frozen=True, eq=False)
class Scalar(Channel):
    """One number."""

    unit: str = ""
    kind: ClassVar[str] = "scalar"

    @property
    def shape(self) -> tuple[int, ...]:
        return ()


KINDS: dict[str, type[Channel]] = {kind.kind: kind for kind in (Array, Image, Pose, Markers, Wrench, Scalar)}


@dataclass(frozen=True)
class Row:
    """All channels at one time."""

    episode: int
    time: float
    """The simulation's, s."""
    values: Mapping[str, np.ndarray] = field(repr=False)


def _from_matrix(X: np.ndarray) -> np.ndarray:
    """Position and quaternion; ValueError where the matrix does more than turn and move."""
    import mujoco

    rigid = X.dtype.kind in "iuf" and np.isfinite(X).all()
    if rigid:
        R = X[:3, :3].astype(float)
        rigid = np.allclose(R @ R.T, np.eye(3), rtol=0, atol=UNIT) and np.linalg.det(R) > 0
        rigid = rigid and np.allclose(X[3], (0, 0, 0, 1), rtol=0, atol=UNIT)
    if not rigid:
        raise ValueError(
            f"the matrix {_short(X.tolist())} is no pose: give a rotation without scale or mirror, and 0 0 0 1 below"
        )
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, R.ravel())
    return np.array([*X[:3, 3], *quaternion])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def from_description(words: Mapping[str, Any]) -> Channel:
    keys = {key: np.array(value) if key in ("points", "rest") else value for key, value in words.items()}
    del keys["kind"]
    return KINDS[words["kind"]](**keys)


def check_channels(channels: Mapping[str, Channel]) -> dict[str, Channel]:
    """The same; ``taxel.Error`` where a name or a kind is wrong, or a frame is none of the poses."""
    if not channels:
        raise _core.Error("a recording needs at least one channel: taxel.record.Scalar(), Array((16, 16)), ...")
    poses = {name for name, channel in channels.items() if isinstance(channel, Pose)}
    for name, channel in channels.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise _core.Error(f"channel {name!r}: give a name of letters, digits and _, parts joined by /")
        if not isinstance(channel, tuple(KINDS.values())):
            kinds = ", ".join(kind.__name__ for kind in KINDS.values())
            raise _core.Error(f"channel {name!r} is {type(channel).__name__}; give one of taxel.record: {kinds}")
        frame = getattr(channel, "frame", WORLD)
        if frame != WORLD and frame not in poses:
            known = ", ".join(sorted(poses)) or "none"
            raise _core.Error(f"channel {name!r}: frame {frame!r} is no pose of this recording; there are: {known}")
        if frame == name:
            raise _core.Error(f"channel {name!r} is its own frame; give another, or leave it out")
    inner = [(name, other) for name in channels for other in channels if other.startswith(f"{name}/")]
    if inner:
        raise _core.Error(f"channel {inner[0][0]!r} is a folder of {inner[0][1]!r} too; give one of them another name")
    return dict(channels)


def _size(where: str, size: Any) -> tuple[int, ...]:
    numbers = (size,) if isinstance(size, int) else tuple(size)
    if not numbers or not all(isinstance(n, int | np.integer) and n > 0 for n in numbers) or len(numbers) > 4:
        raise _core.Error(f"{where}: size is {size!r}; give 1 to 4 whole numbers above 0, as (16, 16)")
    return tuple(int(n) for n in numbers)


def _points(where: str, points: Any, count: int) -> np.ndarray | None:
    if points is None:
        return None
    array = np.array(points, float).reshape(-1, 3) if np.size(points) % 3 == 0 else np.empty((0, 3))
    if len(array) != count or not np.isfinite(array).all():
        raise _core.Error(f"{where}: points have the shape {np.shape(points)}; give ({count}, 3) finite numbers, m")
    return array
