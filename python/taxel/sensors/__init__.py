"""Catalogue of tactile sensors: real devices as soft geoms with taxels, and a plain pad.

    import mujoco
    import taxel

    spec = mujoco.MjSpec()
    name = taxel.sensors.myrmex().add_to(spec)
    model = spec.compile()
    image = taxel.Sensor(model, name)(data)  # (16, 16), Pa

Every factory takes keys to change (``myrmex(modulus=5e4, readout="rays")``); ``electronics=True`` adds what the real
device's electronics do, where the catalogue knows it. Numbers and where they come from: docs/reference/sensors.md.
"""

from __future__ import annotations

from collections.abc import Callable

from ._anyskin import anyskin
from ._barometer import barometer
from ._digit import digit
from ._flexitac import flexitac
from ._gelsight_mini import gelsight_mini
from ._myrmex import myrmex
from ._pad import pad
from ._shadow_fingertip import shadow_fingertip
from ._tactip import tactip
from ._uskin import uskin
from ._weiss import weiss
from .description import Shape, TactileSensor
from .isaac_lab_config import IsaacLabConfig, read_isaac_lab
from .magnetometers import Magnetometers, dipole_field

__all__ = [
    "IsaacLabConfig",
    "Magnetometers",
    "Shape",
    "TactileSensor",
    "anyskin",
    "barometer",
    "catalogue",
    "digit",
    "dipole_field",
    "flexitac",
    "gelsight_mini",
    "myrmex",
    "pad",
    "read_isaac_lab",
    "shadow_fingertip",
    "tactip",
    "uskin",
    "weiss",
]


def catalogue() -> dict[str, Callable[..., TactileSensor]]:
    """Factory of every sensor by name."""
    return {
        function.__name__: function
        for function in (
            myrmex,
            barometer,
            shadow_fingertip,
            weiss,
            gelsight_mini,
            digit,
            uskin,
            anyskin,
            flexitac,
            tactip,
            pad,
        )
    }
