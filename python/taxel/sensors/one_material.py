"""What the models of a sensor take from its material, and what was overridden.

A number of the sensor that is what the rule gives follows the material when that changes; any other number is an
override: it stays, and ``taxel sensors NAME`` shows it beside what the rule would give.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common.convert import is_number
from ..common.description import has_bristles
from .material import AUTO, Material

if TYPE_CHECKING:
    from .description import TactileSensor

MATERIAL_KEYS = ("young", "poisson", "contact")
"""Keys of ``TactileSensor.replace`` that change the material, and with it every model."""
SHARED_KEYS = ("friction", "thickness")
"""Keys of a pressure field that are also the material's: what one says is true of every model."""
MODE_KEYS = (
    "lambda_d", "lambda_s", "dilate_scale", "shear_scale", "normal_stiffness", "shear_stiffness", "squeeze", "creep",
    "creep_time", "stiffness_area", "marker_depth",
)  # fmt: skip
"""Keys of markers whose numbers belong to one mode."""
MARKER_UNITS = {"normal_stiffness": "Pa/m", "shear_stiffness": "Pa/m", "young": "Pa", "thickness": "m"}
LAYERS = ("backed", "columns")
"""Pressure fields that are layers on something stiff."""
FOLLOWS = "layer_poisson"
"""Key of a pressure field whose stiffness follows the size of each contact."""
SAME = 1e-5
"""Relative: numbers of a rule have six digits."""


@dataclass(frozen=True)
class Derived:
    """One number of one model."""

    model: str
    key: str
    rule: Any
    """What the material gives."""
    used: Any
    """What the model uses; None: the model's own default."""
    unit: str

    @property
    def overridden(self) -> bool:
        return self.used is not None and not same(self.used, self.rule)


def same(a: Any, b: Any) -> bool:
    """Two numbers (or pairs of them) that differ by rounding at most."""
    if a is None or b is None or np.shape(a) != np.shape(b):
        return False
    return bool(np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=SAME, atol=0))


def rules(
    material: Material, bristle_area: float | None = None, mode: str = "taxel"
) -> dict[str, dict[str, tuple[Any, str]]]:
    """Numbers and units that the material gives, by group of a ``TactileSensor``: material, marker_keys, gel_keys."""
    pressure: dict[str, tuple[Any, str]] = {
        "modulus": (material.modulus(), "Pa"),
        "shear_stiffness": (material.shear_ratio(), ""),
        "dissipation": (material.dissipation, "s/m"),
        "friction": (material.friction, ""),
    }
    if bristle_area is not None:
        pressure = {
            "stiffness": (material.bristle_stiffness(bristle_area), "N/m"),
            "thickness": (material.thickness, "m"),
            "friction": (material.friction, ""),
        }
    return {
        "material": pressure,
        "marker_keys": {key: (value, MARKER_UNITS.get(key, "")) for key, value in material.markers(mode).items()},
        "gel_keys": {key: (value, {"young": "Pa"}.get(key, "")) for key, value in material.gel().items()},
    }


def remade(sensor: TactileSensor, material: Material) -> TactileSensor:
    """The sensor of another material: numbers that followed the old one follow the new one, overrides stay."""
    old = sensor.made_of
    assert old is not None
    area = _bristle_area(sensor)
    changed: dict[str, Any] = {}
    for group, sources in (
        ("material", "material"), ("marker_keys", "marker_keys"), ("markers", "marker_keys"), ("gel_keys", "gel_keys"),
        ("gel", "gel_keys"),
    ):  # fmt: skip
        keys: Mapping[str, Any] = getattr(sensor, group)
        mode = mode_of(keys) if sources == "marker_keys" else "taxel"
        before, after = rules(old, area, mode), rules(material, area, mode)
        changed[group] = {
            key: after[sources][key][0] if key in before[sources] and same(value, before[sources][key][0]) else value
            for key, value in keys.items()
        }
    if area is None:
        changed["material"] = _following(old, material, changed["material"])
    return dataclasses.replace(sensor, made_of=material, **changed)


def _following(old: Material, material: Material, keys: dict[str, Any]) -> dict[str, Any]:
    """Keys of a pressure field that follows the size of its contacts, or does not, as the material says; one that was
    told so by its own key, and not by the material, stays so."""
    kept = {key: value for key, value in keys.items() if key != FOLLOWS or not old.follows_size}
    if not material.follows_size:
        return kept
    if kept.get("field", "distance") not in LAYERS:
        raise _core.Error(
            f"contact is {AUTO!r}, and the pressure field is {kept.get('field', 'distance')!r}: only a layer "
            "(field='backed' or 'columns') follows the size of its contacts; give contact= in m"
        )
    return {**kept, FOLLOWS: material.poisson}


def mode_of(markers: Mapping[str, Any]) -> str:
    return str(markers.get("mode", "taxel"))


def said_of_material(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Friction and thickness among the changes, as the material has them."""
    return {key: changes[key] for key in SHARED_KEYS if changes.get(key) is not None}


def in_mode(sensor: TactileSensor, markers: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Numbers of the catalogue and of the material that belong to the old mode give way to those of the new one."""
    old, new, home = mode_of(sensor.markers), mode_of(markers), mode_of(sensor.marker_keys)
    catalogue = {key: value for key, value in sensor.marker_keys.items() if key in MODE_KEYS}
    made = sensor.made_of
    before = {**catalogue, **(made.markers(old) if made else {})}
    for key, value in before.items():
        if old != new and key not in changes and same(markers.get(key), value):
            del markers[key]
    after = {**(catalogue if old != new == home else {}), **(made.markers(new) if made else {})}
    for key, value in after.items():
        if key not in changes:
            markers.setdefault(key, value)


def checked(name: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, with what they say of the material as numbers; those that no sensor can have are refused."""
    out = dict(changes)
    if "modulus" in out and out["modulus"] is None:
        raise _core.Error(f"{name}: modulus is None, and a pressure field needs one; leave it out, or give Pa")
    for key, unit in (("modulus", "Pa"), ("thickness", "m")):
        if (given := out.get(key)) is None:
            continue
        value = _parsed(given)
        if not is_number(value) or not 0 < value < math.inf:
            raise _core.Error(f"{name}: {key} is {given!r}; give a number above 0, {unit}")
        out[key] = float(value)
    if (given := out.get("friction")) is not None:
        pair = _parsed(given)
        pair = tuple(pair) if isinstance(pair, tuple | list) else (pair,)
        if len(pair) not in (1, 2) or not all(is_number(x) and 0 <= x < math.inf for x in pair):
            raise _core.Error(
                f"{name}: friction is {given!r}; give a finite coefficient of 0 or more, or static and dynamic"
            )
        if pair[0] < pair[-1]:
            raise _core.Error(f"{name}: friction is {given!r}; the static one comes first and is not the smaller")
        out["friction"] = tuple(float(x) for x in pair) if len(pair) == 2 else float(pair[0])
    return out


def _parsed(value: Any) -> Any:
    """Text with one or two numbers, as MJCF has them, and arrays as numbers; all else as it is."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if not isinstance(value, str):
        return value
    try:
        numbers = [float(word) for word in value.split()]
    except ValueError:
        return value
    return numbers[0] if len(numbers) == 1 else numbers


def static_friction(friction: Any) -> Any:
    """Of models that know one coefficient: the first of a pair."""
    return friction[0] if isinstance(friction, tuple) else friction


def with_modulus(sensor: TactileSensor, modulus: float) -> TactileSensor:
    """The material that gives this modulus, in place of the sensor's, whose modulus followed the rule.

    Where it did not (an override), or where there is no modulus to speak of, the material stays.
    """
    made = sensor.made_of
    follows = made is not None and same(sensor.material.get("modulus"), made.modulus())
    return remade(sensor, _scaled(made, modulus)) if made is not None and follows else sensor


def bristles_of_modulus(sensor: TactileSensor, modulus: float, alone: bool) -> TactileSensor:
    """Bristles of a layer with this modulus. Alone it says what the material is; with young= beside it, it overrides
    that for the bristles."""
    made, thickness, area = sensor.made_of, sensor.layer_thickness, sensor.bristle_area
    if area is None or thickness is None:
        raise _core.Error(
            f"{sensor.name}: modulus is {modulus:g}, and bristles have a stiffness; give stiffness= in N/m"
        )
    if alone and made is not None and same(sensor.material["stiffness"], made.bristle_stiffness(area)):
        sensor = remade(sensor, _scaled(made, modulus))
    stiffness = modulus * area / thickness
    return dataclasses.replace(sensor, material={**sensor.material, "stiffness": stiffness})


def _scaled(made: Material, modulus: float) -> Material:
    return dataclasses.replace(made, young=float(f"{made.young * float(modulus) / made.modulus():.6g}"))


def derived(sensor: TactileSensor) -> list[Derived]:
    """Every number that a model of this sensor takes from the material, and what it uses instead."""
    made = sensor.made_of
    if made is None:
        return []
    area = _bristle_area(sensor)
    groups = rules(made, area, mode_of(sensor.markers or sensor.marker_keys))
    out = [
        Derived("bristle" if area else "pressure", key, rule, sensor.material.get(key), unit)
        for key, (rule, unit) in groups["material"].items()
    ]
    if area is None and "bristle" in sensor.models:
        area = sensor.with_bristles().bristle_area
        assert area is not None and made is not None
        used = float(sensor.material["modulus"]) * area / made.thickness
        out.append(Derived("bristle", "stiffness", made.bristle_stiffness(area), used, "N/m"))
    for model, keys, group in (
        ("marker", sensor.markers or sensor.marker_keys, "marker_keys"),
        ("gel", sensor.gel or sensor.gel_keys, "gel_keys"),
    ):
        if keys:
            out += [Derived(model, key, rule, keys.get(key), unit) for key, (rule, unit) in groups[group].items()]
    return out


def _bristle_area(sensor: TactileSensor) -> float | None:
    return sensor.bristle_area if has_bristles(sensor.material) else None
