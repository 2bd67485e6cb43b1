"""An index finger and a thumb whose pads feel: curved tactile geometries, as in section 5.3 of the OpenGRASP paper.

Our own meshes. The pads are halves of superellipsoids, evenly meshed; every vertex of the curved side but for the rim
is a tactile point.

size          index pad 16 x 25 mm, thumb 22 x 30 mm: usual adult distal phalanges. How far they bulge (5.5 and 7 mm):
              estimated
pulp          3.2e7 N/m per m2 of skin: estimated, so that a pad on a flat plate carries 1 N at about 1 mm. Each point
              has its share of the area; damping 1 ms, friction 0.8 and 0.7 (dry skin): estimated. sigma0 is five times
              the normal stiffness, as on the gripper (taxel.robots.schunk_pg70)
fingers       lofts by eye, for the picture: only the pads touch. 0.4 kg of armature stand for the hand behind

Frame of a finger: z out of the pad, whose flat back lies in z = 0; y to the tip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from .. import _core
from ..common.description import config
from .drawing import Drawing, indent
from .surfaces import Surface, half_ellipsoid, loft, smooth_profile, superellipse

PULP = 3.2e7  # N/m3
REACH = 78.0  # degrees between a vertex normal and the pad's: leaves out the rim, which is half back
DRIVE = 200.0  # N s/m
GAP = 0.03  # a pad's way from open to the middle


@dataclass(frozen=True)
class Finger:
    """Sizes of one finger, m."""

    name: str
    semi_axes: tuple[float, float, float]
    rings: int
    scale: tuple[float, float]
    """Of the loft: across, along."""
    bend: float
    """How far it is bent at the knuckles: 1 is about 50 degrees."""

    def pad(self) -> Surface:
        return half_ellipsoid(self.semi_axes, self.rings, 2.3)

    def points(self) -> tuple[int, float]:
        """Number of tactile points, and the mean area of skin of each, m2."""
        return _points(self)


INDEX = Finger("index", (0.008, 0.0125, 0.0055), 7, (1.0, 1.0), 0.62)
THUMB = Finger("thumb", (0.011, 0.015, 0.007), 7, (1.36, 1.2), 0.28)


@cache
def _points(finger: Finger) -> tuple[int, float]:
    vertices, triangles = finger.pad()
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    area = 0.5 * np.linalg.norm(cross, axis=1)
    unit = cross / (2 * area[:, None])
    normals, share = np.zeros_like(vertices), np.zeros(len(vertices))
    for k in range(3):  # mean of the unit normals of the triangles round a vertex, as the layout takes it
        np.add.at(normals, triangles[:, k], unit)
        np.add.at(share, triangles[:, k], area / 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    seen = normals[:, 2] >= np.cos(np.radians(REACH))
    return int(seen.sum()), float(share[seen].mean())


# Along the finger, mm: place, half width, half height, height of the middle. From the tip to behind the knuckle.
_SECTIONS = np.array(
    [
        (13.0, 1.6, 1.4, -4.0),
        (12.4, 3.6, 3.0, -3.9),
        (10.6, 5.5, 4.2, -3.7),
        (7.0, 7.1, 5.2, -3.4),
        (1.0, 7.8, 5.7, -3.2),
        (-6.0, 7.9, 6.1, -2.8),
        (-11.0, 8.3, 6.8, -1.8),
        (-14.5, 8.7, 7.3, -1.0),
        (-18.0, 8.3, 7.3, 0.2),
        (-25.0, 8.4, 7.7, 2.2),
        (-31.0, 8.9, 8.4, 5.0),
        (-36.0, 9.6, 9.3, 8.4),
        (-41.0, 9.5, 9.4, 12.6),
        (-48.0, 9.1, 9.0, 19.5),
        (-56.0, 9.3, 9.2, 28.5),
        (-60.0, 9.3, 9.2, 33.0),
        (-62.5, 8.6, 8.5, 35.9),
        (-64.5, 6.4, 6.3, 38.2),
        (-65.4, 3.2, 3.1, 39.2),
    ]
)


def finger_loft(finger: Finger) -> Surface:
    """Skin of the finger: distal, middle and part of the proximal phalanx, bent at the knuckles."""
    table = smooth_profile(_SECTIONS * 1e-3, 0.0025)[::-1]
    across, along = finger.scale
    lift = np.where(table[:, 3] > 0, finger.bend, 1.0) * table[:, 3]
    path = np.column_stack([table[:, 0] * along, lift * across])
    ahead = np.gradient(path, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    rings = []
    for (_, half_width, half_height, _), middle, (ay, az) in zip(table, path, ahead, strict=True):
        flat = superellipse(half_width * across, half_height * across, 2.2, 36)
        up = np.array([0.0, -az, ay])
        rings.append(np.array([0.0, *middle]) + flat[:, :1] * (-1.0, 0.0, 0.0) + flat[:, 1:] * up)
    return loft(np.stack(rings))


def nail(finger: Finger) -> Surface:
    """A flat cap for the back of the fingertip; z out of the nail."""
    across, along = finger.scale
    return half_ellipsoid((0.0056 * across, 0.0062 * along, 0.0011), 6, 2.6)


@dataclass(frozen=True)
class FingerAndThumb:
    """Index finger and thumb that close on the middle along x, like a gripper: actuator ``pinch``, arrays index, thumb.

    contact   "bristle" or "hydroelastic"
    opening   between the pads at the start, m
    pads      changes to both pads' instances
    tilt      of the fingers from pointing straight down, degrees
    """

    contact: str = "bristle"
    opening: float = 0.036
    pads: Mapping[str, Any] = field(default_factory=dict)
    tilt: float = 50.0
    output: str = "pressure shear slip"

    def __post_init__(self) -> None:
        if self.contact not in ("bristle", "hydroelastic"):
            raise _core.Error(f"FingerAndThumb: contact is {self.contact!r}; give bristle or hydroelastic")
        if not 0 <= self.opening <= 2 * GAP:
            raise _core.Error(f"FingerAndThumb: opening is {self.opening:g} m; give 0 to {2 * GAP:g} m")

    def instance(self, finger: Finger) -> dict[str, Any]:
        """Keys of a pad's instance and of its points."""
        _, area = finger.points()
        stiffness = PULP * area
        pulp: dict[str, Any] = {
            "stiffness": round(stiffness, 2),
            "damping": round(1e-3 * stiffness, 5),
            "depth": round(0.8 * finger.semi_axes[2], 5),
            "friction": (0.8, 0.7),
            "stribeck_speed": 0.05,
            "sigma0": round(5 * stiffness, 1),
            "sigma1": round(5e-3 * stiffness, 4),
            "viscosity": 0.0,
        }
        if self.contact == "hydroelastic":
            pulp = {"modulus": PULP * finger.semi_axes[2], "dissipation": 1.0, "friction": (0.8, 0.7)}
        return {k: v for k, v in {**pulp, **self.pads}.items() if v is not None}

    def taxels(self, finger: Finger) -> dict[str, Any]:
        count, _ = finger.points()
        return {
            "layout": "vertices",
            "direction": (0, 0, 1),
            "within": REACH,
            "taxels": count,
            "output": self.output,
            "unit": "N",
        }

    def drawing(self) -> Drawing:
        """Both fingers on the body ``hand``; its origin is the middle between the pads, x from index to thumb."""
        out = Drawing()
        out.add(
            "asset",
            """
<material name="skin" rgba="0.91 0.74 0.64 1" specular="0.15" shininess="0.2"/>
<material name="pulp" rgba="0.88 0.60 0.53 1" specular="0.15" shininess="0.2"/>
<material name="nail" rgba="0.96 0.85 0.80 1" specular="0.6" shininess="0.7"/>""",
        )
        body = ['<body name="hand" gravcomp="1">']
        for finger, side in ((INDEX, 1.0), (THUMB, -1.0)):
            self._finger(out, finger)
            body += indent(self._body(finger, side), 2).splitlines()
        out.add("worldbody", "\n".join([*body, "</body>"]))
        out.add("contact", '<exclude body1="index" body2="thumb"/>')
        out.couple("together", "index", "thumb", "How far the pads are open, m: 0 closed.")
        return out.add(
            "actuator",
            f"""
<!-- Speed of the opening, m/s; where the fingers are blocked they press with {DRIVE:g} N s/m x speed. -->
<velocity name="pinch" tendon="opening" kv="{DRIVE:g}" ctrlrange="-0.1 0.1" forcerange="-20 20"/>""",
        )

    def _finger(self, out: Drawing, finger: Finger) -> None:
        keys, taxels = self.instance(finger), self.taxels(finger)
        name = finger.name
        inside = {**taxels, **keys} if self.contact == "bristle" else keys
        out.add("instances", f'<instance name="{name}">\n{indent(_config(inside), 2)}\n</instance>')
        out.add("custom", f'<tuple name="{name}"> <element objtype="geom" objname="{name}_pad"/> </tuple>')
        out.add_mesh(f"{name}_pad", finger.pad())
        out.add_mesh(f"{name}_finger", finger_loft(finger))
        out.add_mesh(f"{name}_nail", nail(finger))
        if self.contact == "bristle":
            out.add(
                "sensor",
                f'<plugin name="{name}" plugin="taxel" instance="{name}" objtype="geom" objname="{name}_pad"/>',
            )
        else:
            out.add("sensor", f'<plugin name="{name}" plugin="taxel" objtype="geom" objname="{name}_pad">')
            out.add("sensor", f"{indent(_config(taxels), 2)}\n</plugin>")

    def _body(self, finger: Finger, side: float) -> str:
        """``side``: 1 where the pad looks along +x."""
        angle = np.radians(self.tilt)
        z = np.array([side, 0.0, 0.0])
        y = np.array([0.0, np.sin(angle), -np.cos(angle)])
        quat = " ".join(f"{q:.6g}" for q in _quaternion(np.column_stack([np.cross(y, z), y, z])))
        start = 0.5 * self.opening
        away = -side * (finger.semi_axes[2] + start)
        across, along = finger.scale
        shown = 'contype="0" conaffinity="0" group="1" mass="0"'
        name = finger.name
        return f"""
<body name="{name}" pos="{away:g} 0 0" quat="{quat}" gravcomp="1">
  <plugin plugin="taxel" instance="{name}"/>  <!-- keeps the skin when this is attached -->
  <joint name="{name}" type="slide" axis="0 0 -1" ref="{start:g}" range="0 {GAP:g}" armature="0.4" damping="1"
         solreflimit="0.004 1" solimplimit="0.99 0.999 0.0001"/>
  <inertial pos="0 -0.02 0" mass="0.03" diaginertia="1e-5 1e-5 1e-5"/>
  <geom type="mesh" mesh="{name}_finger" material="skin" {shown}/>
  <geom type="mesh" mesh="{name}_nail" pos="0 {0.0052 * along:g} {-0.0076 * across:g}" euler="168 0 0" material="nail"
        {shown}/>
  <geom name="{name}_pad" type="mesh" mesh="{name}_pad" material="pulp" mass="0.005"/>
</body>"""


def _config(keys: Mapping[str, Any]) -> str:
    return "\n".join(f'<config key="{key}" value="{value}"/>' for key, value in config(keys).items())


def _quaternion(R: np.ndarray) -> np.ndarray:
    """w x y z of a rotation matrix."""
    w = 0.5 * np.sqrt(max(0.0, 1 + np.trace(R)))
    if w > 1e-6:
        return np.array([w, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / [1, 4 * w, 4 * w, 4 * w]
    x = np.sqrt(np.maximum(0, 0.5 * (np.diag(R) + 1)))
    k = int(np.argmax(x))
    return np.array([0.0, *np.where(np.arange(3) == k, x, R[k] / (2 * x[k]))])
