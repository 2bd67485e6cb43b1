"""Gels of particles (MLS-MPM): solver, filling, surface, taxels, and the press of Elastic Interaction of Particles."""

from .eip import EipPress, EipResult, EipSeries
from .fill import Filling, LayeredPad, SkinPoints, eip_pads, fill_shape, layered_pad, layers_of, skin_points
from .gel import Gel
from .surface import gel_surface, poisson_surface
from .taxels import GelTaxels

__all__ = [
    "EipPress",
    "EipResult",
    "EipSeries",
    "Filling",
    "Gel",
    "GelTaxels",
    "LayeredPad",
    "SkinPoints",
    "eip_pads",
    "fill_shape",
    "gel_surface",
    "layered_pad",
    "layers_of",
    "poisson_surface",
    "skin_points",
]
