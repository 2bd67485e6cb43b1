"""What a pad is made of, and the rule by which each model takes its numbers from it.

A soft layer of thickness H on a stiff back answers a body in two ways. Wide against H it cannot spread: its stiffness
is the confined modulus over H. Small against H it does not feel its back: it is a half space, which answers with the
body's width. Models that press each point by itself (pressure fields, columns, bristles, markers of mode "taxel") have
one stiffness for all sizes: the effective modulus

    m E = F H / V        F the layer's force, V the volume by which body and layer at rest overlap

``effective_modulus`` gives m, ``effective_shear`` the same against a drag. Both are closed forms fitted to the exact
layer (``taxel.reference``); docs/theory/material.md has their derivation, their error and where no number serves.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..common.convert import is_number
from ..common.description import unknown_key

SMALLEST, WIDEST = 0.05, 8.0
"""Sizes over the thickness within which the rule was fitted and is searched for its least value."""
MARKER_MODES = ("layer", "taxel", "paper", "release")
DEPTH = 1 / 6
"""Of the thickness: where Hunt-Crossley's damping, which grows with the depth, is that of the material."""
AUTO = "auto"
HALF_SPACE, BEND = 0.642, 1.640
FREE, FOAM, FILM, BULK = 2.148, 33.87, 0.495, 1.217
SHEAR, SHEAR_BEND = 2.426, 1.088


def confined_modulus(poisson: float) -> float:
    """Over Young's modulus: of a layer that cannot spread, (1 - nu) / ((1 + nu) (1 - 2 nu))."""
    return (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson))


def effective_modulus(size: Any, poisson: float) -> Any:
    """m, the effective modulus over Young's, of a contact of radius size x thickness (any number, or an array).

        small(s) = 0.642 / ((1 - nu^2) s)                           a half space: 0.60 under a ball, 0.64 under a punch
        film(s)  = 2.15 (1 + 33.9 (1 - 2 nu)^2) + 0.495 s^2 / (1 + nu)     nearly incompressible: squeezed out sideways
        wide(s)  = (M^-1.217 + film^-1.217)^(-1/1.217)              M: the confined modulus over Young's
        m        = (small^1.64 + wide^1.64)^(1/1.64)

    Its numbers are fitted to the mean of a ball and of a flat punch on the frictionless layer, nu 0 to 0.499, sizes 0.1
    to 4: within 8 %. A ball lies up to 13 % below the mean, a punch as much above it.
    """
    s = np.asarray(size, float)
    confined = confined_modulus(poisson)
    small = HALF_SPACE / ((1 - poisson**2) * s)
    film = FREE * (1 + FOAM * (1 - 2 * poisson) ** 2) + FILM * s * s / (1 + poisson)
    wide = (confined**-BULK + film**-BULK) ** (-1 / BULK)
    out = (small**BEND + wide**BEND) ** (1 / BEND)
    return float(out) if out.ndim == 0 else out


def effective_shear(size: Any, poisson: float) -> Any:
    """g, the stiffness of a layer against a drag that sticks, over G / H: (1 + (2.43 / ((2 - nu) s))^1.09)^(1 / 1.09).

    8 / pi = 2.55 in place of 2.43 is the half space under a disc (Mindlin). Against the exact layer within 7 %.
    """
    s = np.asarray(size, float)
    out = (1 + (SHEAR / ((2 - poisson) * s)) ** SHEAR_BEND) ** (1 / SHEAR_BEND)
    return float(out) if out.ndim == 0 else out


def softest_size(poisson: float) -> float:
    """The size (over the thickness) at which m is least; infinite where it falls all the way (foams).

    About it a fixed modulus is wrong by the second order of the size only, so it is the one that serves most contacts.
    """
    sizes = np.geomspace(SMALLEST, WIDEST, 400)
    m = effective_modulus(sizes, poisson)
    least = int(np.argmin(m))
    if least == len(sizes) - 1 or confined_modulus(poisson) <= m[least]:
        return math.inf
    return float(sizes[least])


def _rounded(value: float) -> float:
    """Six digits: what a rule gives is not known better, and reads better in MJCF."""
    return float(f"{value:.6g}")


@dataclass(frozen=True)
class Material:
    """A soft layer on a stiff back.

        gel = taxel.Material(young=1.5e5, poisson=0.48, thickness=4e-3, friction=0.8)
        gel.modulus()              # Pa, of a pressure field or columns, at the size where the layer is softest
        gel.modulus(contact=1e-3)  # for contacts of 1 mm radius
        gel.size_error(1e-3)       # how wrong the first is there: -0.40

    young      Young's modulus, Pa
    poisson    0 to 0.4999: foams 0 to 0.2, silicones 0.48 to 0.499
    thickness  m, where the layer is touched most: of a dome its top
    friction   one coefficient, or static and dynamic
    damping    s: viscous over elastic stress
    contact    m: radius of the contacts that the models' stiffness is made for; left out: where the layer is softest
               (``softest_size``), which for foams is the wide, flat press. "auto": a pressure field follows the size
               of each contact by itself (``layer_poisson``); all else as if left out
    source     where each number comes from; materials of the same numbers are equal, wherever those are from
    """

    young: float
    poisson: float
    thickness: float
    friction: float | tuple[float, float] = 0.0
    damping: float = 0.0
    contact: float | str | None = None
    source: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for name, unit in (("young", "Pa"), ("thickness", "m")):
            _check(name, getattr(self, name), 0.0, math.inf, f"a number above 0, {unit}", open_below=True)
        _check("poisson", self.poisson, 0.0, 0.4999, "0 (foam) to 0.4999 (nearly incompressible)")
        _check("damping", self.damping, 0.0, math.inf, "a time of 0 s or more")
        if self.contact is not None and self.contact != AUTO:
            allowed = f'a radius above 0, m, or "{AUTO}"'
            _check("contact", self.contact, 0.0, math.inf, allowed, open_below=True, wide=True)
        given = self.friction
        several: Any = np.atleast_1d(given) if isinstance(given, np.ndarray) else given
        pair = tuple(several) if isinstance(several, tuple | list | np.ndarray) else (several,)
        if not 1 <= len(pair) <= 2:
            raise _core.Error(f"Material: friction is {given!r}; give one coefficient, or static and dynamic")
        for value in pair:
            _check("friction", value, 0.0, math.inf, "a finite coefficient of 0 or more, or static and dynamic")
        if len(pair) == 2 and pair[0] < pair[1]:
            raise _core.Error(f"Material: friction is {given}; the static one comes first and is not the smaller")
        if not isinstance(self.source, Mapping):
            raise _core.Error(f"Material: source is {self.source!r}; give a mapping, such as {{'young': 'data sheet'}}")
        # Plain numbers: equal materials compare and hash as equal, however their numbers were given.
        for name in ("young", "poisson", "thickness", "damping"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.contact is not None and not self.follows_size:
            object.__setattr__(self, "contact", float(self.contact))
        coefficients = tuple(float(value) for value in pair)
        object.__setattr__(self, "friction", coefficients if len(coefficients) == 2 else coefficients[0])

    @staticmethod
    def of_modulus(
        modulus: float, poisson: float, thickness: float, *, contact: float | str | None = None, **more: Any
    ) -> Material:
        """The material whose pressure field has this modulus: the rule read backwards."""
        names = {f.name for f in dataclasses.fields(Material)} - {"young"}
        if wrong := sorted(more.keys() - names):
            raise _core.Error(unknown_key("Material.of_modulus", wrong[0], names))
        unit = Material(1.0, poisson, thickness, contact=contact, **more)
        _check("modulus", modulus, 0.0, math.inf, "a number above 0, Pa", open_below=True)
        return dataclasses.replace(unit, young=_rounded(modulus / unit._effective(None)))

    # --- What it is ---

    @property
    def shear_modulus(self) -> float:
        """G, Pa."""
        return self.young / (2 * (1 + self.poisson))

    @property
    def confined_modulus(self) -> float:
        """Of a press so wide that nothing can spread, Pa."""
        return self.young * confined_modulus(self.poisson)

    @property
    def follows_size(self) -> bool:
        """A pressure field of it is as stiff to each contact as the layer is to one of that size."""
        return self.contact == AUTO

    @property
    def static_friction(self) -> float:
        return float(self.friction[0] if isinstance(self.friction, tuple | list) else self.friction)

    def size(self, contact: float | None = None) -> float:
        """Radius of a contact over the thickness; by default of those that the models are made for."""
        if contact is not None:
            _check("contact", contact, 0.0, math.inf, "a radius above 0, m", open_below=True, wide=True)
        radius = (None if self.follows_size else self.contact) if contact is None else contact
        return softest_size(self.poisson) if radius is None else float(radius) / self.thickness

    # --- What each model takes from it ---

    def modulus(self, contact: float | None = None) -> float:
        """Of a pressure field (backed, columns; distance, with the inscribed radius as thickness), Pa."""
        return _rounded(self.young * self._effective(contact))

    def shear_stiffness(self, contact: float | None = None) -> float:
        """Shear stress per motion of the face that sticks, Pa/m."""
        size = self.size(contact)
        g = 1.0 if math.isinf(size) else effective_shear(size, self.poisson)
        return _rounded(self.shear_modulus * g / self.thickness)

    def shear_ratio(self, contact: float | None = None) -> float:
        """Tangential over normal stiffness: ``shear_stiffness`` of ``taxel.soften``."""
        return _rounded(self.shear_stiffness(contact) * self.thickness / self.modulus(contact))

    @property
    def dissipation(self) -> float:
        """Hunt-Crossley's, s/m: the damping at a sixth of the thickness."""
        return _rounded(self.damping / (DEPTH * self.thickness))

    def bristle_stiffness(self, area: float, contact: float | None = None) -> float:
        """Of a bristle that stands for this area (m2), N/m."""
        _check("area", area, 0.0, math.inf, "a number above 0, m2", open_below=True)
        return self.modulus(contact) * area / self.thickness

    def markers(self, mode: str = "taxel", contact: float | None = None) -> dict[str, float]:
        """Of markers, by their mode: "taxel" has E and K (Pa/m), "layer" the material itself; both its friction.

        "paper" and "release" take nothing: they are as published.
        """
        if mode not in MARKER_MODES:
            raise _core.Error(f"Material: mode is {mode!r}; markers have {', '.join(MARKER_MODES)}")
        self.size(contact)  # refuses what is no radius, also where a mode needs none
        if mode != "taxel":
            return {**self.layer(), "friction": self.static_friction} if mode == "layer" else {}
        return {
            "friction": self.static_friction,
            "normal_stiffness": _rounded(self.modulus(contact) / self.thickness),
            "shear_stiffness": self.shear_stiffness(contact),
        }

    def gel(self) -> dict[str, float]:
        """Of a gel of particles."""
        return {"young": self.young, "poisson": self.poisson, "friction": self.static_friction}

    def layer(self) -> dict[str, float]:
        """Of an exact elastic layer (``taxel.reference.ElasticLayer``, markers of mode "layer"), without friction."""
        return {"thickness": self.thickness, "young": self.young, "poisson": self.poisson}

    # --- Where one number does not serve ---

    def size_error(self, contact: float, modulus: float | None = None) -> float:
        """Error of the force of a model with one modulus (by default the material's), at contacts of this radius.

        -0.3: it gives 30 % less than the layer. From the rule, hence itself within some 10 %.
        """
        if modulus is not None:
            _check("modulus", modulus, 0.0, math.inf, "a number above 0, Pa", open_below=True)
        used = self.modulus() if modulus is None else modulus
        return used / self.modulus(contact) - 1

    def _effective(self, contact: float | None) -> float:
        size = self.size(contact)
        return confined_modulus(self.poisson) if math.isinf(size) else effective_modulus(size, self.poisson)


def contact_radius(points: Any, weights: Any) -> float:
    """Radius of a contact by its size: of the ellipse with the second moments of points (N, 2 or 3) with areas (N,).

    Of half axes a and b: a b / sqrt((a^2 + b^2) / 2), twice the area over the perimeter; of a disc its radius. A long
    strip counts by its width. 0 without a contact. Several patches count as one.
    """
    places, areas = np.asarray(points, float), np.asarray(weights, float)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or areas.shape != (len(places),):
        raise _core.Error(
            f"contact_radius: points have the shape {places.shape} and weights {areas.shape}; give (N, 2 or 3) and (N,)"
        )
    if not (np.isfinite(places).all() and np.isfinite(areas).all() and (areas >= 0).all()):
        raise _core.Error("contact_radius: points and weights are finite, weights 0 or more; leave out what is not")
    total = areas.sum()
    if not total > 0:
        return 0.0
    away = places - (areas @ places) / total
    moments = np.linalg.eigvalsh((away * areas[:, None]).T @ away / total)[-2:]
    if not moments[-1] > 0:
        return math.sqrt(total / math.pi)
    b2, a2 = (max(4 * float(value), 0.0) for value in moments)
    return math.sqrt(2 * a2 * b2 / (a2 + b2))


def _check(
    name: str, value: Any, low: float, high: float, allowed: str, *, open_below: bool = False, wide: bool = False
) -> None:
    fits = is_number(value) and (low < value if open_below else low <= value) and value <= high
    if not fits or (math.isinf(value) and not wide):
        raise _core.Error(f"Material: {name} is {value!r}; give {allowed}")
