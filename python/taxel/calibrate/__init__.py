"""Parameters of real sensors from recordings. ``taxel calibrate`` is the command; docs/guide/calibrate.md the guide."""

from .array import calibrate_array
from .array_result import ArrayCalibration
from .foam import FoamData, FoamFit, calibrate_foam, read_foam
from .friction import FrictionData, FrictionFit, calibrate_friction, read_friction
from .marker_fit import calibrate_markers
from .marker_images import samples_from_images
from .marker_models import make_setup
from .marker_result import MarkerCalibration
from .marker_samples import MarkerSample, MarkerSamples, read_samples, write_samples
from .press_fit import PressFit, calibrate_presses
from .presses import Indenter, Pad, Presses, read_presses, write_presses
from .real_frames import fit_real_frames
from .statistics import Estimate

__all__ = [
    "ArrayCalibration",
    "Estimate",
    "FoamData",
    "FoamFit",
    "FrictionData",
    "FrictionFit",
    "Indenter",
    "MarkerCalibration",
    "MarkerSample",
    "MarkerSamples",
    "Pad",
    "PressFit",
    "Presses",
    "calibrate_array",
    "calibrate_foam",
    "calibrate_friction",
    "calibrate_markers",
    "calibrate_presses",
    "fit_real_frames",
    "make_setup",
    "read_foam",
    "read_friction",
    "read_presses",
    "read_samples",
    "samples_from_images",
    "write_presses",
    "write_samples",
]
