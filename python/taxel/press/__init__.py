"""Presses an object into a tactile sensor in MuJoCo until the force is steady.

    from taxel.press import press

    result = press("myrmex", "cylinder:0.0225,0.15", force=10, yaw=30)
    print(result.image, result.force, result.taxel_force)

The command is ``taxel press``.
"""

from __future__ import annotations

from .cycle import PressCycle
from .gel_press import GelPress, press_gel
from .guided_press import Press, PressScene, press
from .marker_press import MarkerFrame, MarkerPress, press_markers
from .objects import OBJECTS, PressedObject, parse_object
from .size_note import SizeNote

__all__ = [
    "OBJECTS",
    "GelPress",
    "MarkerFrame",
    "MarkerPress",
    "Press",
    "PressCycle",
    "PressScene",
    "PressedObject",
    "SizeNote",
    "parse_object",
    "press",
    "press_gel",
    "press_markers",
]
