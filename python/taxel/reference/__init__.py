"""Where the markers of a gel really go: an elastic layer under a rigid indenter with friction, path by path.

Slow and exact in its assumptions (linear elasticity, Coulomb's law), and built without any of the sensor models, so
that they can be held against it. See docs/theory/layer-reference.md. Needs NumPy and SciPy, not the compiled core.
"""

from .axisymmetric_block import AxisymmetricBlock, BlockPress
from .elastic_layer import ElasticLayer, LayerGrid, PointProbe, half_space_compliance
from .indenters import Distance, HeightMap, Indenter, Paraboloid, Sphere, cylinder
from .layer_contact import OPEN, SLIP, STICK, ContactState, LayerContact
from .motions import (
    FULL,
    KINDS,
    QUICK,
    Settings,
    ball_pose,
    follow,
    marker_grid,
    motion,
    reference_sample,
    reference_set,
)

__all__ = [
    "FULL",
    "KINDS",
    "OPEN",
    "QUICK",
    "SLIP",
    "STICK",
    "AxisymmetricBlock",
    "BlockPress",
    "ContactState",
    "Distance",
    "ElasticLayer",
    "HeightMap",
    "Indenter",
    "LayerContact",
    "LayerGrid",
    "Paraboloid",
    "PointProbe",
    "Settings",
    "Sphere",
    "ball_pose",
    "cylinder",
    "follow",
    "half_space_compliance",
    "marker_grid",
    "motion",
    "reference_sample",
    "reference_set",
]
