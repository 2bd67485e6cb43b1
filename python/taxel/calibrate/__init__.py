"""Parameters of real sensors from recordings. ``taxel calibrate`` is the command; docs/calibrate.md the guide."""

from .array import calibrate_array
from .array_result import ArrayCalibration
from .foam import FoamData, FoamFit, calibrate_foam, read_foam
from .friction import FrictionData, FrictionFit, calibrate_friction, read_friction
from .presses import Indenter, Pad, Presses, read_presses, write_presses
from .statistics import Estimate

__all__ = [
    "ArrayCalibration",
    "Estimate",
    "FoamData",
    "FoamFit",
    "FrictionData",
    "FrictionFit",
    "Indenter",
    "Pad",
    "Presses",
    "calibrate_array",
    "calibrate_foam",
    "calibrate_friction",
    "read_foam",
    "read_friction",
    "read_presses",
    "write_presses",
]
