"""What magnetometers below a magnetised skin read, from the skin's deformation.

The model, all of it:

1. The skin is a layer of thickness H on a plate. Where the pressure is p it is pressed in by d = p H / modulus, where
   the shear is t its face moves by u = t H / shear_modulus. In between the motion is linear in the height above the
   plate: U = (u_x, u_y, -d) z / H. The material yields nothing to the sides.
2. The skin is a lattice of dipoles. At rest each has the moment m = remanence V / mu0 along the direction of
   magnetisation, V being its share of the volume. It moves with the material, and turns with it: by half the curl of U.
3. A chip at r reads the sum of mu0 / (4 pi) (3 (m.e) e - m) / |r - x|^3 with e = (r - x) / |r - x|, less the same at
   rest. No iron, no field of the earth, no chip that is turned.

With a lattice finer than the gap below the skin the sum is that of a uniformly magnetised block (the tests compare it
with the closed form).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common.arguments import show
from ..common.description import unknown_key

if TYPE_CHECKING:
    from ..skin import Reading
    from .description import TactileSensor

MU0 = 1.25663706e-6
"""T m / A"""
FLATTEST = 0.95
"""Of the thickness: how far a press may go in the model; what lies beyond is held by the plate."""
KEYS = frozenset({"chips", "remanence", "shear_modulus", "direction", "finer", "layers"})


def dipole_field(points: Any, places: Any, moments: Any) -> np.ndarray:
    """Field (T) at points (P, 3) of dipoles with moments (D, 3) A m2 at places (D, 3) m: (P, 3)."""
    points, places, moments = (np.atleast_2d(np.asarray(a, float)) for a in (points, places, moments))
    out = np.empty((len(points), 3))
    for k, point in enumerate(points):
        away = point - places
        square = np.einsum("ij,ij->i", away, away)
        if not square.min(initial=np.inf) > 0:
            raise _core.Error(f"dipole_field: point {k} lies on a dipole; move it away")
        along = np.einsum("ij,ij->i", moments, away)
        out[k] = (3 * along / square**2.5) @ away - (square**-1.5) @ moments
    return MU0 / (4 * np.pi) * out


class Magnetometers:
    """The chips of a magnetic skin of the catalogue.

        skin = taxel.sensors.anyskin()
        name = skin.add_to(spec)
        chips = taxel.sensors.Magnetometers(skin)
        microtesla = chips.read(taxel.Sensor(model, name).read(data))  # (5, 3): change against the rest

    sensor         a sensor with ``magnetic`` keys: a box with a grid of taxels on its upper face
    chips          (C, 3) m in the sensor's frame, below the skin
    remanence      T
    direction      of magnetisation, (3,); default z
    shear_modulus  Pa
    finer          dipoles along each side of a taxel's cell (4);  layers  through the thickness (4)

    Keys that are not given are the sensor's own. Immutable; threads may share it.
    """

    def __init__(self, sensor: TactileSensor, **changes: Any) -> None:
        from .description import TactileSensor

        if not isinstance(sensor, TactileSensor):
            raise TypeError(f"Magnetometers: sensor is {show(sensor)}; give one of the catalogue, as anyskin()")
        where = f"Magnetometers of {sensor.name}"
        for key in changes:
            if key not in KEYS:
                raise _core.Error(unknown_key(where, key, KEYS))
        keys = {"direction": (0.0, 0.0, 1.0), "finer": 4, "layers": 4, **sensor.magnetic, **changes}
        if not sensor.magnetic and not {"chips", "remanence", "shear_modulus"} <= keys.keys():
            raise _core.Error(
                f"{where}: the sensor is not magnetic; anyskin is, and chips=, remanence= and shear_modulus= make any "
                "box with a grid of taxels so"
            )
        if sensor.geom.type != "box" or "shape" not in sensor.taxels or "modulus" not in sensor.material:
            raise _core.Error(f"{where}: give a box with a pressure field and a grid of taxels (shape=)")
        if any(sensor.taxels.get(key) is not None for key in ("pitch", "center", "face")):
            raise _core.Error(f"{where}: pitch, center and face are not known here; let the grid fill the upper face")
        if sensor.taxels.get("aggregate") not in (None, "mean") or sensor.unit != "Pa":
            raise _core.Error(
                f"{where}: readings must be pressures in Pa, not {sensor.unit}; leave out aggregate, unit"
            )
        self.chips = _array(where, "chips", keys["chips"], (-1, 3))
        self.shape: tuple[int, int] = tuple(int(n) for n in sensor.taxels["shape"])  # type: ignore[assignment]
        self._finer, self._layers = (_count(where, name, keys[name]) for name in ("finer", "layers"))
        remanence = _positive(where, "remanence", keys["remanence"])
        direction = _array(where, "direction", keys["direction"], (3,))
        if not np.linalg.norm(direction) > 0:
            raise _core.Error(f"{where}: direction is {keys['direction']!r}; give a vector that is not zero")
        half = np.asarray(sensor.geom.size, float)
        self._thickness = float(sensor.layer_thickness or 0.0)
        if not 0 < self._thickness <= 2 * half[2] * (1 + 1e-9):
            raise _core.Error(f"{where}: thickness is {self._thickness:g} m; give more than 0, at most that of the box")
        if not (self.chips[:, 2] < half[2] - self._thickness).all():
            raise _core.Error(f"{where}: a chip lies in the skin or above it; its z must be below the layer's back")
        self._per_pressure = self._thickness / _positive(where, "modulus", sensor.material["modulus"])
        self._per_shear = self._thickness / _positive(where, "shear_modulus", keys["shear_modulus"])
        rows, cols = (self._finer * n for n in self.shape)
        self._x, self._y = (_middles(h, n) for h, n in ((half[0], cols), (half[1], rows)))
        self._height = _middles(0.5 * self._thickness, self._layers) + 0.5 * self._thickness
        z, y, x = np.meshgrid(self._height, self._y, self._x, indexing="ij")
        self._rest = np.stack([x, y, z + half[2] - self._thickness], axis=-1)
        volume = 4 * half[0] * half[1] * self._thickness / x.size
        self._moment = remanence * volume / MU0 * direction / np.linalg.norm(direction)
        still = np.zeros((rows, cols))
        self.at_rest: np.ndarray = 1e6 * self._field(still, still, still)
        """Field of the skin that nobody touches, (C, 3) uT."""
        self.at_rest.setflags(write=False)

    @property
    def dipoles(self) -> int:
        """How many there are."""
        return self._rest[..., 0].size

    def read(self, reading: Reading) -> np.ndarray:
        """Change of the field against the rest, (C, 3) uT, from what the skin of the sensor reads."""
        if not hasattr(reading, "shear"):
            raise TypeError(f"Magnetometers: reading is {show(reading)}; give what taxel.Sensor.read(data) gives")
        if reading.shear is None:
            raise _core.Error('Magnetometers: the reading has no shear; make the sensor with output="pressure shear"')
        return self.change(reading.values, reading.shear)

    def change(self, pressure: Any, shear: Any) -> np.ndarray:
        """The same from pressures (rows, columns) and shear (2, rows, columns) along x and y, Pa."""
        p = _array("Magnetometers", "pressure", pressure, self.shape)
        t = _array("Magnetometers", "shear", shear, (2, *self.shape))
        deep = np.clip(self._per_pressure * p, 0.0, FLATTEST * self._thickness)
        return 1e6 * self._field(*(self._fine(a) for a in (deep, self._per_shear * t[0], self._per_shear * t[1]))) - (
            self.at_rest
        )

    def deformed(self, pressure: Any, shear: Any) -> np.ndarray:
        """Where the dipoles are, (layers, rows, columns, 3) m in the sensor's frame: for pictures."""
        p = _array("Magnetometers", "pressure", pressure, self.shape)
        t = _array("Magnetometers", "shear", shear, (2, *self.shape))
        deep = np.clip(self._per_pressure * p, 0.0, FLATTEST * self._thickness)
        return self._rest + self._motion(
            *(self._fine(a) for a in (deep, self._per_shear * t[0], self._per_shear * t[1]))
        )

    def _fine(self, coarse: np.ndarray) -> np.ndarray:
        """Cells as a smooth field on the lattice: linear between their middles, level beyond the outermost."""
        for axis, n in enumerate(self.shape):
            at = np.clip((np.arange(n * self._finer) + 0.5) / self._finer - 0.5, 0, n - 1)
            low = np.minimum(at.astype(int), max(n - 2, 0))
            part = (at - low).reshape([-1 if k == axis else 1 for k in range(2)])
            high = np.minimum(low + 1, n - 1)
            coarse = (1 - part) * coarse.take(low, axis) + part * coarse.take(high, axis)
        return coarse

    def _motion(self, deep: np.ndarray, ux: np.ndarray, uy: np.ndarray) -> np.ndarray:
        share = (self._height / self._thickness)[:, None, None, None]
        return share * np.stack([ux, uy, -deep], axis=-1)

    def _field(self, deep: np.ndarray, ux: np.ndarray, uy: np.ndarray) -> np.ndarray:
        places = self._rest + self._motion(deep, ux, uy)
        share = (self._height / self._thickness)[:, None, None]
        # Half the curl of U; slopes along x and y are those of the face, times the share.
        by_y, by_x = (lambda f: _slope(f, self._y, 0)), (lambda f: _slope(f, self._x, 1))
        turn = 0.5 * np.stack(
            [
                -share * by_y(deep) - uy / self._thickness,
                ux / self._thickness + share * by_x(deep),
                share * (by_x(uy) - by_y(ux)),
            ],
            axis=-1,
        )
        moments = _turned(self._moment, turn.reshape(-1, 3))
        return dipole_field(self.chips, places.reshape(-1, 3), moments)


def _slope(f: np.ndarray, at: np.ndarray, axis: int) -> np.ndarray:
    return np.gradient(f, at, axis=axis) if len(at) > 1 else np.zeros_like(f)


def _turned(vector: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """A vector turned by each rotation vector (Rodrigues)."""
    angle = np.linalg.norm(turns, axis=1, keepdims=True)
    axis = np.divide(turns, angle, out=np.zeros_like(turns), where=angle > 0)
    along = axis @ vector
    return np.cos(angle) * vector + np.sin(angle) * np.cross(axis, vector) + (1 - np.cos(angle)) * along[:, None] * axis


def _middles(half: float, count: int) -> np.ndarray:
    return half * ((2 * np.arange(count) + 1) / count - 1)


def _array(where: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(value, float)
    fits = array.ndim == len(shape) and all(b in (-1, a) for a, b in zip(array.shape, shape, strict=True))
    if not fits or array.size == 0 or not np.isfinite(array).all():
        wanted = str(tuple("any number" if n < 0 else n for n in shape)).replace("'", "")
        raise _core.Error(f"{where}: {name} has the shape {array.shape}; give finite numbers of shape {wanted}")
    return array


def _positive(where: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not 0 < float(value) < float("inf"):
        raise _core.Error(f"{where}: {name} is {value!r}; give a number above 0")
    return float(value)


def _count(where: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= 64:
        raise _core.Error(f"{where}: {name} is {value!r}; give a whole number from 1 to 64")
    return int(value)
