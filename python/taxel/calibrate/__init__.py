"""Parameters of real sensors from recordings. ``taxel calibrate`` is the command; docs/calibrate.md the guide."""

from .array import calibrate_array
from .array_result import ArrayCalibration
from .presses import Indenter, Pad, Presses, read_presses, write_presses
from .statistics import Estimate

__all__ = [
    "ArrayCalibration",
    "Estimate",
    "Indenter",
    "Pad",
    "Presses",
    "calibrate_array",
    "read_presses",
    "write_presses",
]
