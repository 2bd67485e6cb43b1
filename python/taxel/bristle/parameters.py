"""Parameters of bristles: from a foam, from a modulus, from the paper's sensor files; and their friction law.

"The paper" is "Model of tactile sensors using soft contacts and its application in robot grasping simulation".
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .. import _core
from .._core import Error
from ..common.convert import path_text

FORMS = ("passive", "paper")


def bristle_stiffness(pressure: float, area: float, points: int, compression: float) -> float:
    """Stiffness of one bristle, N/m, from a press on the foam, Eq. 18: pressure area / (points compression).

    pressure: on the foam, Pa; compression: of the foam under it, m; area: of the pad, m2; points: bristles on it.

    The paper's example is a pad of 84 texels on 0.00125 m2, whose foam gives way by 2.5 mm under 9,810 Pa:

        >>> round(taxel.bristle_stiffness(9810, 0.00125, 84, 0.0025), 2)
        58.39

    Printed is 58.5. And the pressure is a slip: the weight that pressed the foam by 2.5 mm, 304.15 g on 804.25 mm2, is
    0.30415 * 9.81 / 804.25e-6 = 3,710 Pa, which gives 22.08 N/m.
    """
    (p, a), n = _numbers(pressure=pressure, area=area), _whole(points, "points")
    (x,) = _numbers(compression=compression)
    return _core.bristle_stiffness(p, a, n, x)


def bristle_damping(stiffness: float) -> float:
    """Normal damping of one bristle, N s/m, by the paper's rule: 1 % of the stiffness (times one second).

        >>> taxel.bristle_damping(58.5)
        0.585

    The paper prints 0.0585, and 0.0583 in its example file: 0.1 %. Both are little. What the damping does to a body on
    the pad, and to the time step, says ``bristle_step_advice``.
    """
    _positive(stiffness=stiffness)
    return _core.bristle_damping(float(stiffness))


def bristle_stiffness_of_modulus(modulus: float, area: float, thickness: float) -> float:
    """Stiffness, N/m, of a bristle that stands for ``area`` (m2) of a soft layer: modulus area / thickness.

    The layer is one of ``taxel.soften`` with the pressure modulus * depth / thickness. With area = that of the pad /
    number of points, bristles and layer carry the same load when pressed flat. The foam of the paper, 3,710 Pa at
    2.5 mm of 6 mm, has a modulus of 3710 / 0.0025 * 0.006 = 8,904 Pa:

        >>> round(taxel.bristle_stiffness_of_modulus(8904, 0.00125 / 84, 0.006), 2)
        22.08

    (With 9,810 Pa, the paper's slip, these would be 23,544 Pa and 58.39 N/m.)
    """
    return _core.bristle_stiffness_of_modulus(*_numbers(modulus=modulus, area=area, thickness=thickness))


@dataclass(frozen=True)
class StepAdvice:
    """What a mass on bristles asks of the time step. ``str()`` says it in words."""

    largest_explicit_step: float
    """s; longer steps blow up where the bristles' forces are explicit."""
    good_step: float
    """s; half the largest, or a twentieth of the period where that is less."""
    period: float
    """s; of the swing on the normal springs."""
    damping_ratio: float
    """Of that swing; 1 no longer swings."""
    friction_limits: bool
    """Friction, not the normal force, sets the largest step."""
    words: str = field(repr=False)

    def __str__(self) -> str:
        return self.words


def bristle_step_advice(
    mass: float,
    points: int,
    stiffness: float,
    damping: float | None = None,
    *,
    sigma0: float = 0.0,
    sigma1: float = 0.0,
    viscosity: float = 0.0,
    timestep: float | None = None,
) -> StepAdvice:
    """The largest stable explicit time step of a mass (kg) on bristles, and the time scale of the contact.

    points: bristles that touch at the same time. damping: by default ``bristle_damping``. mass: of the lightest body
    that can touch; m1 m2 / (m1 + m2) between two that move, less where the body can turn under the force (2/7 of a
    free ball pushed sideways). timestep: also say what becomes of this one.

    100 g on the paper's pad (84 points, Table 2) bear 8.1 ms; with the damping of its own 1 % rule, which is ten times
    as much (0.585, not 0.0583), 3.5 ms:

        >>> print(taxel.bristle_step_advice(0.1, 84, 58.5, 0.0583, sigma0=1, sigma1=0.1, viscosity=0.01))
        explicit steps up to 8.08 ms are stable (the normal force limits them), 1.42 ms is a good one; the contact \
swings with a period of 28.3 ms and a damping ratio of 0.11
        >>> round(1e3 * taxel.bristle_step_advice(0.1, 84, 58.5).largest_explicit_step, 2)
        3.47
    """
    _positive(stiffness=stiffness)
    if damping is None:
        damping = bristle_damping(stiffness)
    if timestep is not None:
        _positive(timestep=timestep)
    (m,), n = _numbers(mass=mass), _whole(points, "points")
    k, d, s0, s1, v = _numbers(stiffness=stiffness, damping=damping, sigma0=sigma0, sigma1=sigma1, viscosity=viscosity)
    found = _core.bristle_step_advice(m, n, k, d, s0, s1, v, float(timestep or 0))
    return StepAdvice(*found)


@dataclass(frozen=True)
class BristleXml:
    """A sensor of a file like Table 2 of the paper, as ``taxel.read_bristle_xml`` gives it."""

    link: str
    name: str
    thickness: float
    """Of the foam, m."""
    keys: dict[str, Any]
    """What a pad of bristles takes, in MJCF and in Python: stiffness, damping, depth (twice the thickness), friction,
    stribeck_speed, sigma0, sigma1, viscosity, form."""
    notes: list[str]
    """What was left out or read in another way."""


def read_bristle_xml(path_or_text: Any, form: Literal["passive", "paper"] = "passive") -> list[BristleXml]:
    """The tactile sensors of an OpenRAVE file, in the form of the paper's Table 2 (also exactly as printed there).

        >>> text = '''<AttachedSensor> <link>object1</link> <sensor name="T1" type="SimTactileSensor">
        ... <thickness>0.006</thickness> <k>58.5</k> <cn>0.0583</cn> <sigma0>1.0</sigma0> <sigma1>0.1</sigma1>
        ... <x0>0.3</x0> <ct>0.01</ct> <mus>0.435</mus> <mud>0.23</mud> </sensor> </AttachedSensor>'''
        >>> taxel.read_bristle_xml(text)[0].keys["friction"]
        (0.435, 0.23)

    path_or_text: a path, or the text itself (anything with a ``<``). form: of the friction (``taxel.LuGre``); the
    file does not say. The numbers are taken as they are, also the paper's slips: k = 58.5 comes from a pressure of
    9,810 Pa that should be 3,710 Pa (``bristle_stiffness``), and cn = 0.0583 is 0.1 % of k where the paper means 1 %
    (``bristle_damping``).
    """
    if form not in FORMS:
        raise Error(f"form is {form!r}; give {' or '.join(FORMS)}")
    if isinstance(path_or_text, bytes) and b"<" in path_or_text:
        try:
            path_or_text = path_or_text.decode()
        except UnicodeDecodeError as error:
            raise Error(f"path_or_text: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    if isinstance(path_or_text, str) and ("<" in path_or_text or not path_or_text.strip()):
        try:
            path_or_text.encode()
        except UnicodeEncodeError:
            raise Error("path_or_text: the text is not UTF-8; save it as UTF-8") from None
        sensors = _core.parse_sensor_xml(path_or_text, "text")
    else:
        sensors = _core.read_sensor_xml(path_text(path_or_text, "path_or_text"))
    own = ("link", "name", "thickness", "notes")
    return [
        BristleXml(**{k: s.pop(k) for k in own}, keys={**s, "form": form})  # what is left are the keys
        for s in sensors
    ]


@dataclass(frozen=True)
class LuGre:
    """Friction of one bristle with memory, Eqs. 9 to 13 of the paper; SI units.

        dz/dt = v - sigma0 |v| / g(v) z,   g(v) = load (mu_d + (mu_s - mu_d) exp(-(|v| / stribeck_speed)^2))
        force = sigma0 z + sigma1 dz/dt + viscosity v

    friction: (mu_s, mu_d), or one number for both. form: "paper" is the law as printed (with the exponential that its
    Eq. 10 lost in print); "passive" holds the force to mu_s times the load and creates no energy. The paper's foam:

        >>> foam = taxel.LuGre(sigma0=1, sigma1=0.1, viscosity=0.01, friction=(0.435, 0.23), stribeck_speed=0.3)
        >>> force, deflection = foam.run(velocity=np.full(100, 0.3), load=0.08, dt=0.01)
        >>> print(f"{force[-1]:.5f} {foam.steady(0.3, 0.08):.5f}")
        0.02743 0.02743

    (The paper gives 0.08 N for 588 g on its pad; over 84 texels that would be 0.0687 N.)
    """

    sigma0: float
    sigma1: float
    viscosity: float
    friction: Any
    stribeck_speed: float
    form: Literal["passive", "paper"] = "passive"

    def __post_init__(self) -> None:
        _positive(sigma0=self.sigma0, stribeck_speed=self.stribeck_speed)
        for name, value in zip(
            ("sigma1", "viscosity"), _numbers(sigma1=self.sigma1, viscosity=self.viscosity), strict=True
        ):
            if not (math.isfinite(value) and value >= 0):
                raise Error(f"{name} is {value:g}; give a finite number, 0 or more")
        try:
            friction = np.broadcast_to(np.asarray(self.friction, dtype=np.float64), (2,))
        except (TypeError, ValueError):
            raise Error(f"friction is {self.friction!r}; give (static, dynamic), or one number for both") from None
        mu_s, mu_d = (float(mu) for mu in friction)
        if not (math.isfinite(mu_s) and math.isfinite(mu_d) and min(mu_s, mu_d) >= 0):
            raise Error(f"friction is {(mu_s, mu_d)}; give finite coefficients, 0 or more")
        if mu_d > mu_s:
            raise Error(f"friction is {(mu_s, mu_d)}, static before dynamic; sliding cannot hold better than sticking")
        if self.form not in FORMS:
            raise Error(f"form is {self.form!r}; give {' or '.join(FORMS)}")
        object.__setattr__(self, "friction", (mu_s, mu_d))

    @property
    def _law(self) -> _core.LuGreParameters:
        numbers = (self.sigma0, self.sigma1, self.viscosity, *self.friction, self.stribeck_speed)
        s0, s1, viscosity, mu_s, mu_d, speed = map(float, numbers)
        return _core.LuGreParameters(s0, s1, viscosity, mu_s, mu_d, speed, self.form == "passive")

    def run(self, velocity: Any, load: Any, dt: float, deflection: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """(force, deflection): what holds the sliding body back, N, as its mean over each sample, and z at its end, m.

        velocity: of the sliding body, m/s, (n,) or (n, 2), constant over each sample of length dt (s); load: N, one
        number or (n,). deflection: z at the start. The results have the shape of the velocity. The deflection is solved
        exactly, so no dt is too long.
        """
        v = _array(velocity, "velocity")
        if v.ndim not in (1, 2) or (v.ndim == 2 and v.shape[1] != 2):
            raise Error(f"velocity has the shape {v.shape}; give (n,) or (n, 2)")
        n = len(v)
        loads = self._loads(load, (n,))
        _positive(dt=dt)
        z = _array(deflection, "deflection")
        if z.shape not in ((), v.shape[1:]):
            raise Error(f"deflection has the shape {z.shape}; give {'one number' if v.ndim == 1 else 'two numbers'}")
        if v.ndim == 2 and z.shape == () and z != 0:
            raise Error(f"deflection is {float(z):g}; a velocity of two columns needs two numbers")
        start = np.zeros(2)
        start[: z.size] = z
        plane = v if v.ndim == 2 else np.column_stack([v, np.zeros(n)])
        force, z = self._law.run(np.ascontiguousarray(plane), loads, float(dt), *map(float, start))
        return (force, z) if v.ndim == 2 else (force[:, 0].copy(), z[:, 0].copy())

    def steady(self, speed: Any, load: Any) -> Any:
        """Friction in steady sliding, N: load mu(speed) + viscosity speed, in the passive form at most mu_s load."""
        v = _array(speed, "speed")
        if v.size and v.min() < 0:
            raise Error(f"speed is {v.min():g}; give 0 or more (m/s)")
        v, loads = np.broadcast_arrays(v, self._loads(load, None))
        flat = self._law.steady(*(np.ascontiguousarray(a).reshape(-1) for a in (v, loads)))
        return float(flat[0]) if v.ndim == 0 else flat.reshape(v.shape)

    def active_above(self, load: float) -> float:
        """Speed, m/s, above which the law as printed can create energy over a cycle at this load; else infinite."""
        return self._law.active_above(float(self._loads(load, ())))

    @staticmethod
    def _loads(load: Any, shape: tuple[int, ...] | None) -> np.ndarray:
        loads = _array(load, "load")
        if loads.size and loads.min() < 0:
            raise Error(f"load is {loads.min():g}; give 0 or more (N, what presses)")
        if shape is None:
            return loads
        if loads.shape not in ((), shape):
            raise Error(f"load has the shape {loads.shape}; give one number" + (f" or {shape}" if shape else ""))
        return np.array(np.broadcast_to(loads, shape))


def _array(value: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise Error(f"{name}: expected numbers; got {type(value).__name__}") from None
    if not np.isfinite(array).all():
        raise Error(f"{name} has a value that is not finite; leave such samples out")
    return array


def _numbers(**values: Any) -> list[float]:
    out = []
    for name, value in values.items():
        try:
            out.append(float(value))
        except (TypeError, ValueError):
            raise Error(f"{name} is {value!r}; give a number") from None
    return out


def _positive(**values: Any) -> None:
    for name, value in zip(values, _numbers(**values), strict=True):
        if not (math.isfinite(value) and value > 0):
            raise Error(f"{name} is {value:g}; give a finite number greater than 0")


def _whole(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}; give a whole number") from None
    if not 1 <= number <= 2**31 - 1:
        raise Error(f"{name} is {number}; give a whole number, 1 or more")
    return number
