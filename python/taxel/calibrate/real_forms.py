"""Forms that are fitted to real marker frames of which neither pose nor depth nor force is known.

A form is a sum of fields with unknown factors (linear) that hang on a few more unknowns (a centre, a radius). The
linear ones are solved for at every trial of the others, so the search has two or three dimensions and no start to
guess for the factors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

PIXELS_PER_MM = 19.58
"""Of FOTS's sensor (its params.py)."""
LAYER = 4.0 * PIXELS_PER_MM
"""px: the thickness of the gel of `taxel.reference`; that of FOTS's sensor is not stated."""
LAMBDA_D, LAMBDA_S = 0.00125, 0.00021
"""1/px^2, as FOTS prints them for this sensor."""
CONTACT_CENTER, CONTACT_RADIUS = (136.0, 123.0), 45.0
"""px: middle and outermost of the rings of the ball in the photo of the press; read by eye, +-2 and +-5."""
WIDTH, HEIGHT = 320, 240


@dataclass(frozen=True)
class Form:
    """``fields(places, unknowns)`` gives (linear, n, 2)."""

    name: str
    frame: str
    linear: int
    starts: tuple[tuple[float, ...], ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    fields: Callable[[np.ndarray, np.ndarray], np.ndarray]
    ours: bool = False
    most: float | None = None
    """Of the first factor, which is then 0 or more."""
    tolerance: float = 1e-8
    """Of the search, relative."""

    @property
    def free(self) -> int:
        """Fitted numbers, all of them."""
        return self.linear + len(self.low)

    def solve(self, places: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(unknowns, factors) of the least squares."""
        from scipy.optimize import least_squares

        def left(x: np.ndarray) -> np.ndarray:
            return self._left(places, moved, x)[1]

        if not self.low:
            best = np.zeros(0)
        else:
            found = [
                least_squares(
                    left,
                    start,
                    bounds=(self.low, self.high),
                    x_scale=(10.0, 10.0, 0.3)[: len(self.low)],
                    ftol=self.tolerance,
                    xtol=self.tolerance,
                )
                for start in self.starts
            ]
            best = min(found, key=lambda f: f.cost).x
        return best, self._left(places, moved, best)[0]

    def _left(self, places: np.ndarray, moved: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        design = self.fields(places, x).reshape(self.linear, -1).T
        factors, *_ = np.linalg.lstsq(design, moved.ravel(), rcond=None)
        if self.most is not None and not 0.0 <= factors[0] <= self.most:
            first = min(max(factors[0], 0.0), self.most)
            rest, *_ = np.linalg.lstsq(design[:, 1:], moved.ravel() - first * design[:, 0], rcond=None)
            factors = np.concatenate([[first], rest])
        return factors, design @ factors - moved.ravel()

    def predict(self, places: np.ndarray, unknowns: np.ndarray, factors: np.ndarray) -> np.ndarray:
        return np.tensordot(factors, self.fields(places, unknowns), axes=1)


def _both(scale: np.ndarray) -> list[np.ndarray]:
    """The same in x and in y: (n,) becomes two fields (n, 2)."""
    zero = np.zeros_like(scale)
    return [np.column_stack([scale, zero]), np.column_stack([zero, scale])]


def _offset(places: np.ndarray) -> list[np.ndarray]:
    return _both(np.ones(len(places)))


def patch_points(radius: float, cells: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Points of a disc and how deep a ball presses there, max(0, 1 - (r / radius)^2), adding up to 1."""
    axis = (np.arange(2 * cells) + 0.5 - cells) / cells
    x, y = (a.ravel() for a in np.meshgrid(axis, axis))
    depth = np.maximum(0.0, 1.0 - x**2 - y**2)
    keep = depth > 0
    return radius * np.column_stack([x, y])[keep], depth[keep] / depth.sum()


def patch_dilation(v: np.ndarray, radius: float, lambda_d: float) -> np.ndarray:
    """HydroShear's dilation with weights of area under a ball: sum of depth (v - q) exp(-lambda_d |v - q|^2)."""
    q, depth = patch_points(radius)
    away = v[:, None] - q
    return np.einsum("q,nq,nqi->ni", depth, np.exp(-lambda_d * (away**2).sum(axis=-1)), away)


def under_the_ball(v: np.ndarray, radius: float) -> np.ndarray:
    """Outward by depth times distance, and nothing beside the contact: the same without a kernel."""
    return np.maximum(0.0, 1.0 - (v**2).sum(axis=1) / radius**2)[:, None] * v


def patch_spread(v: np.ndarray, radius: float, lambda_s: float) -> np.ndarray:
    """HydroShear's shear with weights of area under a ball that sticks: sum of depth exp(-lambda_s |v - q|^2), (n,)."""
    q, depth = patch_points(radius)
    return np.exp(-lambda_s * ((v[:, None] - q) ** 2).sum(axis=-1)) @ depth


@lru_cache(maxsize=1)
def _layer() -> dict[str, np.ndarray]:
    """Compliances of an incompressible layer of thickness 1 over wave numbers, and Bessel functions at radii."""
    from scipy.special import j0, j1, jv

    from ..reference.elastic_layer import ElasticLayer

    k = np.linspace(0.01, 30.0, 1500)
    r = np.linspace(0.0, 6.0, 241)
    rr, rz, _, _, tt = ElasticLayer(1.0, 3.0, 0.499).scalars(k)
    kr = np.outer(r, k)
    weight = k * (k[1] - k[0])
    return {"k": k, "r": r, "plus": 0.5 * (rr + tt) * weight, "minus": 0.5 * (rr - tt) * weight, "rz": rz * weight} | {
        "J0": j0(kr),
        "J1": j1(kr),
        "J2": jv(2, kr),
    }


def _hertz(ka: np.ndarray) -> np.ndarray:
    """Fourier transform of a load sqrt(1 - (r/a)^2) of total 1."""
    return 3.0 * (np.sin(ka) - ka * np.cos(ka)) / ka**3


def layer_shear(v: np.ndarray, radius: float) -> list[np.ndarray]:
    """The surface of a bonded incompressible layer under a tangential load spread as Hertz's, along x and along y.

    u = F0(r) Q + F2(r) (2 n n^T - 1) Q with n = v / r: unlike a Gaussian, it also moves markers across the load. Each
    is 1 in the middle.
    """
    t = _layer()
    load = _hertz(t["k"] * radius / LAYER)
    straight, across = t["J0"] @ (t["plus"] * load), -t["J2"] @ (t["minus"] * load)
    r = np.linalg.norm(v, axis=1)
    n = v / np.maximum(r, 1e-9)[:, None]
    f0, f2 = (np.interp(r / LAYER, t["r"], f) / straight[0] for f in (straight, across))
    fields = []
    for q in np.eye(2):
        fields.append(f0[:, None] * q + f2[:, None] * (2.0 * (n @ q)[:, None] * n - q))
    return fields


def layer_press(v: np.ndarray, radius: float) -> np.ndarray:
    """The same layer under Hertz's pressure without friction: outward, 1 at its largest."""
    t = _layer()
    radial = t["J1"] @ (t["rz"] * _hertz(t["k"] * radius / LAYER))
    radial = radial / radial[np.argmax(np.abs(radial))]
    r = np.linalg.norm(v, axis=1)
    return (np.interp(r / LAYER, t["r"], radial) / np.maximum(r, 1e-9))[:, None] * v


def _gauss(v: np.ndarray, lambda_: float) -> np.ndarray:
    return np.exp(-lambda_ * (v**2).sum(axis=1))


_IN = ((0.0, 0.0), (float(WIDTH), float(HEIGHT)))
_AT = (140.0, 120.0)
_RADII = tuple((*_AT, float(np.log(r))) for r in (30.0, 60.0, 150.0, 300.0))
_RANGE = ((*_IN[0], float(np.log(10.0))), (*_IN[1], float(np.log(600.0))))


def _press(name: str, stretch: bool, radius: bool, field: Callable, ours: bool = False, at: bool = True) -> Form:
    def fields(places: np.ndarray, x: np.ndarray) -> np.ndarray:
        v = places - (x[:2] if at else np.array(CONTACT_CENTER))
        one = field(v, float(np.exp(x[2]))) if radius else field(v)
        return np.stack([one, *([v] if stretch else []), *_offset(places)])

    low, high = (_RANGE if radius else _IN) if at else ((), ())
    starts = _RADII if radius else (_AT, (120.0, 140.0))
    return Form(name, "press", 3 + stretch, starts, low, high, fields, ours)


def _slide(name: str, radius: bool, field: Callable, ours: bool = False) -> Form:
    def fields(places: np.ndarray, x: np.ndarray) -> np.ndarray:
        v = places - x[:2]
        return np.stack([*(field(v, float(np.exp(x[2]))) if radius else field(v)), *_offset(places)])

    low, high = _RANGE if radius else _IN
    starts = _RADII[:2] if radius else (_AT,)
    return Form(name, "slide", 4, starts, low, high, fields, ours)


def press_form(name: str, field: Callable, most: float) -> Form:
    """A field with a factor of at most ``most``, a stretch and a shift, about a free centre."""
    return replace(_press(name, True, False, field), starts=(_AT,), most=most, tolerance=1e-5)


def slide_form(name: str, field: Callable) -> Form:
    """Two fields of a slide, along x and along y, with a shift, about a free centre."""
    return replace(_slide(name, False, field), tolerance=1e-5)


FORMS = (
    _press("FOTS", False, True, lambda v, r: v * _gauss(v, r**-2)[:, None]),
    _press("FOTS, printed lambda_d, stretch", True, False, lambda v: v * _gauss(v, LAMBDA_D)[:, None]),
    _press("elastic layer, stretch", True, False, lambda v: layer_press(v, CONTACT_RADIUS)),
    _press("ball patch", False, True, lambda v, r: patch_dilation(v, r, LAMBDA_D)),
    _press("ball patch, stretch", True, False, lambda v: patch_dilation(v, CONTACT_RADIUS, LAMBDA_D), ours=True),
    _press(
        "ball patch, stretch, seen centre", True, False, lambda v: patch_dilation(v, CONTACT_RADIUS, LAMBDA_D), at=False
    ),
    _press("under the ball, stretch, seen centre", True, False, lambda v: under_the_ball(v, CONTACT_RADIUS), at=False),
    _slide("FOTS", True, lambda v, r: _both(_gauss(v, r**-2))),
    _slide("FOTS, printed lambda_s", False, lambda v: _both(_gauss(v, LAMBDA_S))),
    _slide("ball patch", True, lambda v, r: _both(patch_spread(v, CONTACT_RADIUS, r**-2))),
    _slide("elastic layer", True, layer_shear, ours=True),
    _slide("elastic layer, seen radius", False, lambda v: layer_shear(v, CONTACT_RADIUS)),
)
