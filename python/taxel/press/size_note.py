"""Where a model with one stiffness cannot be right: the size of the contact against the thickness of the layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.description import has_bristles
from ..sensors import TactileSensor, contact_radius
from ..sensors.one_material import FOLLOWS, LAYERS, same

WORTH_SAYING = 0.15
"""Error of the force from which a press says so."""
FEW = 2.0
"""Pitches of the bristles in the radius of a contact that they resolve."""


@dataclass(frozen=True)
class SizeNote:
    """A contact, and what the layer of the sensor's material would do there (docs/theory/material.md)."""

    radius: float
    """Of the contact, m: a strip counts by its width."""
    thickness: float
    """Of the layer, m."""
    error: float
    """Of the model's force: -0.3 is 30 % too little. Known to some 10 %, from the rule."""
    pitch: float | None
    """Between bristles, m; None without bristles."""
    layer_force: float | None = None
    """Of the layer under the volume that is pressed in, N; None: from the model's force and its error."""
    for_all: str = ""
    """Options of ``taxel press`` that are right for every size of contact; empty: this sensor has none."""

    @property
    def resolved(self) -> bool:
        """Whether a dozen bristles or more touch; fewer do not know how wide the contact is."""
        return self.pitch is None or self.radius >= FEW * self.pitch

    @property
    def worth_saying(self) -> bool:
        return abs(self.error) > WORTH_SAYING or not self.resolved

    def text(self, force: float) -> str:
        """One line for a person, with the force (N) that the model gave."""
        if self.pitch is not None and not self.resolved:
            return (
                f"warning: bristles {1e3 * self.pitch:.2g} mm apart do not resolve a contact of "
                f"{1e3 * self.radius:.2g} mm radius or less: its force hangs on where it meets them; "
                "--model pressure does, or a finer shape= in Python"
            )
        would = force / (1 + self.error) if self.layer_force is None else self.layer_force
        # Where a press is steep, a model may be wrong by its own way of pressing, too, and the two cancel.
        gives = f"the material would give about {would:.2g} N, not {force:.2g} N. "
        return (
            f"warning: a contact of {1e3 * self.radius:.2g} mm radius on a layer of {1e3 * self.thickness:.3g} mm "
            f"({self.radius / self.thickness:.2g} of it): a model with one stiffness is "
            f"{abs(100 * self.error):.0f} % too {'soft' if self.error < 0 else 'stiff'} there; "
            f"{gives if (would > force) == (self.error < 0) else ''}"
            f"--contact {self.radius:.2g} makes it for such contacts{self.for_all and f', {self.for_all} for all'}"
        )


def size_note(
    sensor: TactileSensor, points: np.ndarray, areas: np.ndarray, volume: float | None = None
) -> SizeNote | None:
    """Of a contact with these points (N, 2) and areas; None where the stiffness does not follow the material.

    volume: by which the object overlaps the gel at rest, m3, where that is known
    """
    made = sensor.made_of
    radius = contact_radius(points, areas)
    if made is None or not radius > 0:
        return None
    pitch = None
    if sensor.markers:
        used = float(sensor.markers.get("normal_stiffness", 0.0)) * made.thickness
    elif has_bristles(sensor.material):
        if sensor.bristle_area is None or "stiffness" not in sensor.material:
            return None
        pitch = float(np.sqrt(sensor.bristle_area))
        used = float(sensor.material["stiffness"]) * made.thickness / sensor.bristle_area
    elif FOLLOWS in sensor.material:
        return None  # it follows the size by itself
    else:
        used = float(sensor.material["modulus"])
    if not same(used, made.modulus()):
        return None
    force = None if volume is None else made.modulus(radius) * volume / made.thickness
    return SizeNote(radius, made.thickness, made.size_error(radius, used), pitch, force, _for_all(sensor))


def _for_all(sensor: TactileSensor) -> str:
    if sensor.markers:
        return "--mode layer"
    if sensor.material.get("field") in LAYERS:
        return "--contact auto"
    return "--model gel" if sensor.gel_keys else "--model marker --mode layer" if sensor.marker_keys else ""


def miss_text(thing: str, label: str, offset: tuple[float, float], sensor: TactileSensor | None) -> str:
    """Why an object touches nothing on its way down, and what to do."""
    at = f"at offset {offset[0]:g} {offset[1]:g} m"
    if sensor is None or not has_bristles(sensor.material) or sensor.bristle_area is None:
        return f"{thing} misses the sensor {label} {at}; give a smaller offset"
    return (
        f"{thing} touches no bristle of {label} {at}: they stand {1e3 * np.sqrt(sensor.bristle_area):.2g} mm apart; "
        "--model pressure feels what comes down between them, or give another offset or a larger object"
    )


def triangle_cloud(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(points, areas) seen along z: three points in each triangle, which have its second moments."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = 0.5 * np.abs(np.cross(b - a, c - a)[:, 2])  # walls of a punch do not widen it
    points = np.concatenate([0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)])
    return points[:, :2], np.tile(areas / 3, 3)
