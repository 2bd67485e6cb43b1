"""Robots with tactile fingers, things for them to grasp, and a controller that feels.

docs/guide/grasping.md has an example. A robot is drawn (``SchunkPG70().drawing()``) as text and meshes that add
up with a stage and an object to a model. Robots of others get their skin in one call: ``cover_shadow(spec)``,
``cover_allegro(spec)``, ``wrap_robosuite("Lift", robots="Panda")``, ``wrap_gymnasium_robotics("HandManipulateEgg-v1")``
(docs/guide/hands.md).
"""

from . import objects, stage
from .drawing import Drawing
from .finger_pads import FingerAndThumb
from .force_grip import ForceGrip
from .grasp_margin import GraspMargin, grasp_margin
from .hands import Cover, cover_allegro, cover_hand, cover_shadow
from .objects import GraspObject
from .schunk_pg70 import SchunkPG70
from .wrap_gymnasium import wrap_gymnasium_robotics
from .wrap_robosuite import fingertip_pad, wrap_robosuite

__all__ = [
    "Cover",
    "Drawing",
    "FingerAndThumb",
    "ForceGrip",
    "GraspMargin",
    "GraspObject",
    "SchunkPG70",
    "cover_allegro",
    "cover_hand",
    "cover_shadow",
    "fingertip_pad",
    "grasp_margin",
    "objects",
    "stage",
    "wrap_gymnasium_robotics",
    "wrap_robosuite",
]
