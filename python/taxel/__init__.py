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
from ._core import Error, __version__
from .batch import CudaArray, FotsBatch, MarkerBatch, TacSLBatch, TacSLBatchData, cuda_available, to_device
from .bristle import (
    BristlePad,
    BristleXml,
    LuGre,
    PadReading,
    StepAdvice,
    bristle_damping,
    bristle_step_advice,
    bristle_stiffness,
    bristle_stiffness_of_modulus,
    read_bristle_xml,
)
from .common.convert import pose
from .contact import Body, ContactBatch, ContactSurface, contact, contact_batch
from .gel import (
    EipPress,
    EipResult,
    EipSeries,
    Filling,
    Gel,
    GelTaxels,
    LayeredPad,
    SkinPoints,
    eip_pads,
    fill_shape,
    gel_surface,
    layered_pad,
    layers_of,
    poisson_surface,
    skin_points,
)
from .marker import (
    MARKER_GRADIENTS,
    Fots,
    MarkerDistance,
    MarkerField,
    MarkerPad,
    TacSL,
    TacSLData,
    gelsight_mini_markers,
)
from .mujoco import (
    GelSensor,
    GelWrench,
    MarkerReading,
    MarkerSensor,
    Reader,
    Sensor,
    Touch,
    add_markers,
    add_sensor,
    complete,
    configure,
    load,
    load_model,
    plugin_path,
    rebuild,
    sensor_names,
    soften,
    touches,
    wrench,
)
from .shape import (
    check_watertight,
    mesh_cache,
    mesh_interior,
    read_mesh,
    refine_for_depth,
    sample_surface,
    signed_distance,
)
from .skin import Layout, Reading, SignalChain, Skin, Truth

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
