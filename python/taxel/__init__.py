"""taxel simulates touch.

Two bodies, two poses: where do they touch, and with what pressure?

    import taxel

    pad = taxel.Body.box((0.08, 0.08, 0.018), modulus=3e4, field="backed")
    ball = taxel.Body.sphere(0.02)
    surface = taxel.contact(pad, taxel.pose(), ball, taxel.pose((0, 0, 0.027)))
    print(surface.force_on_B, surface.area, surface.max_pressure)

SI units. Frames are in the names: X_WA is the pose of A in the world W. The normal of a face points out of B into A.
Wrong input raises ``taxel.Error`` (a ValueError) with a message that says what is allowed.
"""

from . import laws, sensors
from ._baseline_batch import FotsBatch, TacSLBatch, TacSLBatchData
from ._bristle import (
    BristleXml,
    LuGre,
    StepAdvice,
    bristle_damping,
    bristle_step_advice,
    bristle_stiffness,
    bristle_stiffness_of_modulus,
    read_bristle_xml,
)
from ._bristle_pad import BristlePad, PadReading
from ._contact import ContactBatch, contact, contact_batch
from ._convert import pose
from ._core import (
    Body,
    ContactSurface,
    Error,
    __version__,
    check_watertight,
    mesh_interior,
    read_mesh,
    refine_for_depth,
    sample_surface,
    signed_distance,
)
from ._cuda import CudaArray, cuda_available, to_device
from ._eip import EipPress, EipResult, EipSeries
from ._engine import Reader, Touch, load, load_model, plugin_path, rebuild, touches, wrench
from ._gel import Gel
from ._gel_fill import Filling, LayeredPad, SkinPoints, eip_pads, fill_shape, layered_pad, layers_of, skin_points
from ._gel_sensor import GelSensor, GelWrench
from ._gel_surface import gel_surface, poisson_surface
from ._gel_taxels import GelTaxels
from ._marker import DIFFERENTIABLE as MARKER_GRADIENTS
from ._marker import MarkerDistance, MarkerField
from ._marker_baselines import Fots, TacSL, TacSLData
from ._marker_batch import MarkerBatch
from ._marker_pad import MarkerPad, gelsight_mini_markers
from ._marker_sensor import MarkerReading, MarkerSensor, add_markers
from ._mesh_cache import mesh_cache
from ._sensor import Sensor, add_sensor, sensor_names
from ._skin import Layout, Reading, SignalChain, Skin, Truth
from ._soften import complete, configure, soften

__all__ = [
    "MARKER_GRADIENTS",
    "Body",
    "BristlePad",
    "BristleXml",
    "ContactBatch",
    "ContactSurface",
    "CudaArray",
    "EipPress",
    "EipResult",
    "EipSeries",
    "Error",
    "Filling",
    "Fots",
    "FotsBatch",
    "Gel",
    "GelSensor",
    "GelTaxels",
    "GelWrench",
    "LayeredPad",
    "Layout",
    "LuGre",
    "MarkerBatch",
    "MarkerDistance",
    "MarkerField",
    "MarkerPad",
    "MarkerReading",
    "MarkerSensor",
    "PadReading",
    "Reader",
    "Reading",
    "Sensor",
    "SignalChain",
    "Skin",
    "SkinPoints",
    "StepAdvice",
    "TacSL",
    "TacSLBatch",
    "TacSLBatchData",
    "TacSLData",
    "Touch",
    "Truth",
    "__version__",
    "add_markers",
    "add_sensor",
    "bristle_damping",
    "bristle_step_advice",
    "bristle_stiffness",
    "bristle_stiffness_of_modulus",
    "check_watertight",
    "complete",
    "configure",
    "contact",
    "contact_batch",
    "cuda_available",
    "eip_pads",
    "fill_shape",
    "gel_surface",
    "gelsight_mini_markers",
    "laws",
    "layered_pad",
    "layers_of",
    "load",
    "load_model",
    "mesh_cache",
    "mesh_interior",
    "plugin_path",
    "poisson_surface",
    "pose",
    "read_bristle_xml",
    "read_mesh",
    "rebuild",
    "refine_for_depth",
    "sample_surface",
    "sensor_names",
    "sensors",
    "signed_distance",
    "skin_points",
    "soften",
    "to_device",
    "touches",
    "wrench",
]
