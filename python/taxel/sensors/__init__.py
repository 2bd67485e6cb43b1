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
from .as_published import FIELDS as PUBLISHED_FIELDS
from .as_published import SurfacePlugin, as_published, read_surface_plugins
from .description import TactileSensor
from .isaac_lab_config import IsaacLabConfig, read_isaac_lab
from .magnetometers import Magnetometers, dipole_field
from .material import Material, contact_radius, effective_modulus, effective_shear
from .one_material import Derived, derived
from .shape import Shape

__all__ = [
    "PUBLISHED_FIELDS",
    "Derived",
    "IsaacLabConfig",
    "Magnetometers",
    "Material",
    "Shape",
    "SurfacePlugin",
    "TactileSensor",
    "anyskin",
    "as_published",
    "barometer",
    "catalogue",
    "contact_radius",
    "derived",
    "digit",
    "dipole_field",
    "effective_modulus",
    "effective_shear",
    "flexitac",
    "gelsight_mini",
    "myrmex",
    "pad",
    "read_isaac_lab",
    "read_surface_plugins",
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
