"""Published solutions that the layer and its contact are held against.

docs/theory/layer-reference.md names the sources.

A rigid paraboloid of radius R, pressed with the force P into an elastic half space, touches a disc of radius a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import trapezoid

from .elastic_layer import ElasticLayer


@dataclass(frozen=True)
class Hertz:
    """Contact radius a, radius R of the indenter, material of the half space; Mindlin's problem with friction mu."""

    a: float
    R: float
    young: float
    poisson: float
    mu: float = 0.0

    @property
    def shear_modulus(self) -> float:
        return self.young / (2.0 * (1.0 + self.poisson))

    @property
    def force(self) -> float:
        return 4.0 / 3.0 * self.young / (1.0 - self.poisson**2) * self.a**3 / self.R

    @property
    def depth(self) -> float:
        return self.a**2 / self.R

    @property
    def peak(self) -> float:
        return 1.5 * self.force / (math.pi * self.a**2)

    def slide(self, q: float) -> float:
        """Tangential displacement at the load q = Q / (mu P) <= 1 (Cattaneo, Mindlin)."""
        return self._slide_scale * (1.0 - (1.0 - q) ** (2.0 / 3.0))

    @property
    def _slide_scale(self) -> float:
        return 3.0 * self.mu * self.force * (2.0 - self.poisson) / (16.0 * self.a * self.shear_modulus)

    @staticmethod
    def stick_ratio(q: float) -> float:
        """Radius of the stick zone over a."""
        return (1.0 - q) ** (1.0 / 3.0)

    def loop(self, q: float) -> float:
        """Work lost in a cycle between -q and q (Mindlin and Deresiewicz)."""
        lost = 1.0 - (1.0 - q) ** (5.0 / 3.0) - 5.0 * q / 6.0 * (1.0 + (1.0 - q) ** (2.0 / 3.0))
        return 24.0 / 5.0 * self.mu * self.force * self._slide_scale * lost

    @property
    def torsional_stiffness(self) -> float:
        """Torque per angle before slip (Reissner and Sagoci)."""
        return 16.0 / 3.0 * self.shear_modulus * self.a**3

    @property
    def slip_torque(self) -> float:
        """When every point slips about the normal (Lubkin)."""
        return 3.0 * math.pi / 16.0 * self.mu * self.force * self.a


def base_relief(layer: ElasticLayer) -> tuple[float, float]:
    """How much less (m/N) a layer yields than a half space far from a small load: (normal, tangential).

    The load's own neighbourhood is that of a half space; the base takes off a displacement that is uniform across a
    contact much smaller than the thickness: the integral of the difference of the two compliances over all waves.
    """
    k = np.linspace(0.0, 60.0 / layer.thickness, 60001)[1:]
    G, nu = layer.shear_modulus, layer.poisson
    rr, _, _, zz, tt = layer.scalars(k)
    normal = trapezoid((1.0 - nu) / G - k * zz, k)
    tangential = trapezoid(0.5 * (2.0 - nu) / G - 0.5 * k * (rr + tt), k)
    return float(normal / (2.0 * math.pi)), float(tangential / (2.0 * math.pi))


def thin_layer(layer: ElasticLayer, R: float, a: float) -> tuple[float, float]:
    """(depth, force) of a frictionless paraboloid on a bonded incompressible layer with a >> H (Jaffar; Barber).

    The surface moves as a film: u_z = (H^3 / 3 G) laplacian p, with p and its slope zero at r = a, so that
    p = 3 G (a^2 - r^2)^2 / (32 R H^3).
    """
    return a**2 / (4.0 * R), math.pi * layer.shear_modulus * a**6 / (32.0 * R * layer.thickness**3)


def sphere_on_layer(young: float, R: float, thickness: float, depth: float) -> float:
    """Force on a sphere pressed into a bonded incompressible layer (Garcia and Garcia 2018).

    A series in sqrt(R depth) / H, good up to about 0.6.
    """
    c = math.sqrt(R * depth) / thickness
    return 16.0 / 9.0 * young * math.sqrt(R * depth**3) * (1 + 1.133 * c + 1.497 * c**2 + 1.469 * c**3 + 0.755 * c**4)
