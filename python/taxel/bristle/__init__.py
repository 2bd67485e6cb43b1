"""Pads of spring-damper probes with LuGre friction."""

from .pad import BristlePad, PadReading
from .parameters import (
    BristleXml,
    LuGre,
    StepAdvice,
    bristle_damping,
    bristle_step_advice,
    bristle_stiffness,
    bristle_stiffness_of_modulus,
    read_bristle_xml,
)

__all__ = [
    "BristlePad",
    "BristleXml",
    "LuGre",
    "PadReading",
    "StepAdvice",
    "bristle_damping",
    "bristle_step_advice",
    "bristle_stiffness",
    "bristle_stiffness_of_modulus",
    "read_bristle_xml",
]
