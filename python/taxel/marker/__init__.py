"""Markers of a gel: taxel's own model, HydroShear, FOTS and TacSL."""

from .baselines import Fots, TacSL, TacSLData
from .field import MarkerDistance, MarkerField
from .gradient import DIFFERENTIABLE as MARKER_GRADIENTS
from .gradient import LAYER_GRADIENTS
from .gravity import gravity_shift
from .pad import MarkerPad, gelsight_mini_markers

__all__ = [
    "LAYER_GRADIENTS",
    "MARKER_GRADIENTS",
    "Fots",
    "MarkerDistance",
    "MarkerField",
    "MarkerPad",
    "TacSL",
    "TacSLData",
    "gelsight_mini_markers",
    "gravity_shift",
]
