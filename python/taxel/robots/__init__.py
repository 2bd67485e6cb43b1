"""Robots with tactile fingers, things for them to grasp, and a controller that feels.

docs/guide/grasping.md has an example. A robot is drawn (``SchunkPG70().drawing()``) as text and meshes that add
up with a stage and an object to a model.
"""

from . import objects, stage
from .drawing import Drawing
from .finger_pads import FingerAndThumb
from .force_grip import ForceGrip
from .grasp_margin import GraspMargin, grasp_margin
from .objects import GraspObject
from .schunk_pg70 import SchunkPG70

__all__ = [
    "Drawing",
    "FingerAndThumb",
    "ForceGrip",
    "GraspMargin",
    "GraspObject",
    "SchunkPG70",
    "grasp_margin",
    "objects",
    "stage",
]
