"""The Schunk PG 70, a servo-electric parallel gripper, with a Weiss 14 x 6 tactile array on either finger.

Our own drawing. Where its numbers come from:

stroke            35 mm per jaw: product name and catalogue figure. The ROS descriptions stop a little earlier: 34 mm
                  (ipa320/schunk_modular_robotics), 30.1 mm (moveit prbt_pg70_support), 32 mm (a-price/schunkPG70);
                  the driver of SmartRoboticSystems takes 0 to 69 mm for both jaws together
speed             82 mm/s of the opening, 41 mm/s per jaw: the same driver; moveit's joint limit
force             30 to 200 N, mass 1.4 kg: catalogue figures, as commonly quoted; the data sheet was not at hand
housing           82 x 114 mm: moveit's collision box; 93 mm from the flange to the face of the jaws: ipa320
base jaws, finger bars, holders of the arrays: estimated. The real user makes the fingers to measure
reflected inertia of the motor, 0.6 kg per jaw, and the drive's 1000 N s/m: estimated
pads              Weiss array, docs/reference/sensors.md: 20.4 x 47.6 x 6 mm, 14 rows of 6 at 3.4 mm
foam              stiffness 58.5 N/m and damping 0.0585 N s/m per point, friction 0.435 and 0.23, Stribeck speed
                  0.3 m/s, viscosity 0.01 N s/m: Table 2 of the OpenGRASP tactile paper
sigma0, sigma1    292.5 N/m and 0.5 N s/m: ours. The paper's 1 N/m and 0.1 N s/m are a fit to a drag test; a cube of
                  0.1 kg would sag by a centimetre. Foam sheared like a solid would have half its normal stiffness,
                  29 N/m; with that the cube sags by 0.3 mm, but LuGre friction creeps under shaking in proportion to
                  1 / sigma0 (ten times as far as with ours): docs/guide/grasping.md

Frame of the gripper: origin in the middle of the flange, z to the fingertips, x from the left jaw to the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..common.description import config
from .drawing import Drawing, indent
from .surfaces import rounded_box

STROKE = 0.035
MASS = 1.4
MAX_FORCE = 200.0
MAX_SPEED = 0.082  # of the opening: both jaws
HOUSING = (0.114, 0.082, 0.093)
JAW = (0.024, 0.044, 0.014)
BAR = (0.010, 0.024)  # thickness, width of a finger
HOLDER = 0.002
PAD = (0.006, 0.0204, 0.0476)  # thickness, columns, rows
TAXELS = (14, 6)
DRIVE = 1000.0  # N s/m

BRISTLES: Mapping[str, Any] = {
    "stiffness": 58.5,
    "damping": 0.0585,
    "thickness": PAD[0],
    "friction": (0.435, 0.23),
    "stribeck_speed": 0.3,
    "sigma0": 292.5,
    "sigma1": 0.5,
    "viscosity": 0.01,
}
HYDROELASTIC: Mapping[str, Any] = {
    "modulus": 2.36e4,
    "dissipation": 1.0,
    "friction": (0.435, 0.23),
    "field": "backed",
    "exposed": (1.0, 0.0, 0.0),
}


@dataclass(frozen=True)
class SchunkPG70:
    """The gripper. ``contact``: "bristle" (spring-damper points) or "hydroelastic" (a foam field), same taxels.

    opening   between the pads at the start, m
    finger    length of a finger from the face of the jaws to its tip, m
    pads      changes to the foam and its taxels: any key of the instance, as in ``{"stiffness": 1000, "damping": 1}``;
              None takes one out
    output    what the arrays tell: pressure shear slip truth; forces are in N
    """

    contact: str = "bristle"
    opening: float = 0.06
    finger: float = 0.085
    pads: Mapping[str, Any] = field(default_factory=dict)
    output: str = "pressure shear slip"

    def __post_init__(self) -> None:
        if self.contact not in ("bristle", "hydroelastic"):
            raise _core.Error(f"SchunkPG70: contact is {self.contact!r}; give bristle or hydroelastic")
        if not 0 <= self.opening <= 2 * STROKE:
            raise _core.Error(f"SchunkPG70: opening is {self.opening:g} m; give 0 to {2 * STROKE:g} m")
        if not PAD[2] + 0.006 <= self.finger <= 0.14:
            raise _core.Error(
                f"SchunkPG70: finger is {self.finger:g} m; give {PAD[2] + 0.006:g} (the array's length) to 0.14 m "
                "(the longest the gripper's guides bear)"
            )

    # --- Where things are, in the gripper's frame ---

    @property
    def tip(self) -> float:
        """z of the fingertips."""
        return HOUSING[2] + JAW[2] + self.finger

    @property
    def grasp_point(self) -> np.ndarray:
        """Middle between the two arrays."""
        return np.array([0.0, 0.0, self.tip - 0.003 - 0.5 * PAD[2]])

    @property
    def foam(self) -> dict[str, Any]:
        """Keys of the pads' instance."""
        keys: dict[str, Any] = dict(BRISTLES if self.contact == "bristle" else HYDROELASTIC)
        return {k: v for k, v in {**keys, **self.pads}.items() if v is not None}

    @property
    def friction(self) -> tuple[float, float]:
        """Static and dynamic coefficient of the pads."""
        mu = np.atleast_1d(np.asarray(self.foam["friction"], float))
        return float(mu[0]), float(mu[-1])

    # --- The drawing ---

    def drawing(self, *, name: str = "pg70", mount: str | None = None) -> Drawing:
        """The gripper on its own body ``name``: jaws ``left`` and ``right``, actuator ``grip``, two arrays.

        ``mount``: MJCF attributes of the body, for example 'pos="0 0 0.4" euler="180 0 0"'.
        """
        out = Drawing()
        taxels = {"shape": TAXELS, "face": "+x", "output": self.output, "unit": "N"}
        keys = {**taxels, **self.foam} if self.contact == "bristle" else self.foam
        out.add("instances", f'<instance name="weiss">\n{indent(_config(keys), 2)}\n</instance>')
        out.add(
            "custom",
            """
<tuple name="weiss">
  <element objtype="geom" objname="left_pad"/>
  <element objtype="geom" objname="right_pad"/>
</tuple>""",
        )
        self._assets(out)
        out.add("worldbody", self._body(name, mount or ""))
        out.add("contact", '<exclude body1="left" body2="right"/>')
        out.couple("pinion", "left", "right", "The opening, m: 0 closed, 0.07 open.")
        out.add(
            "actuator",
            f"""
<!-- Speed of the opening, m/s; up to {MAX_SPEED:g} on the real one. Where the jaws are blocked they press with
     {DRIVE:g} N s/m x speed. -->
<velocity name="grip" tendon="opening" kv="{DRIVE:g}" ctrlrange="{-MAX_FORCE / DRIVE:g} {MAX_FORCE / DRIVE:g}"
          forcerange="{-MAX_FORCE:g} {MAX_FORCE:g}"/>""",
        )
        for side in ("left", "right"):
            line = f'<plugin name="{side}" plugin="taxel" instance="weiss" objtype="geom" objname="{side}_pad"/>'
            if self.contact != "bristle":
                line = f'<plugin name="{side}" plugin="taxel" objtype="geom" objname="{side}_pad">'
                line += f"\n{indent(_config(taxels), 2)}\n</plugin>"
            out.add("sensor", line)
        return out

    def _assets(self, out: Drawing) -> None:
        out.add(
            "asset",
            """
<material name="housing" rgba="0.23 0.25 0.28 1" specular="0.5" shininess="0.4"/>
<material name="aluminium" rgba="0.72 0.74 0.77 1" specular="0.7" shininess="0.6"/>
<material name="holder" rgba="0.16 0.17 0.19 1" specular="0.3" shininess="0.3"/>
<material name="foam" rgba="0.27 0.29 0.33 1" specular="0.05" shininess="0.05"/>
<material name="accent" rgba="0.04 0.36 0.62 1" specular="0.4" shininess="0.4"/>""",
        )
        x, y, z = HOUSING
        out.add_mesh("pg70_housing", rounded_box((x, y, z - 0.010), 0.010, 0.003))
        out.add_mesh("pg70_stripe", rounded_box((x + 0.0008, y + 0.0008, 0.005), 0.0104, 0.0003))
        out.add_mesh("pg70_jaw", rounded_box(JAW, 0.003, 0.0012))
        out.add_mesh("pg70_bar", rounded_box((BAR[0], BAR[1], self.finger), 0.0025, 0.002))

    def _body(self, name: str, mount: str) -> str:
        x, y, z = HOUSING
        jaws = 0.08
        lines = [
            f'<body name="{name}" {mount} gravcomp="1">'.replace("  ", " "),
            '  <plugin plugin="taxel" instance="weiss"/>  <!-- keeps the foam when this is attached -->',
            f'  <geom type="cylinder" size="0.0315 0.005" pos="0 0 0.005" mass="0.1" material="aluminium" {_SHOWN}/>',
            f'  <geom type="mesh" mesh="pg70_housing" pos="0 0 {0.5 * z + 0.005:g}" mass="0" material="housing" '
            f"{_SHOWN}/>",
            f'  <geom type="mesh" mesh="pg70_stripe" pos="0 0 0.03" mass="0" material="accent" {_SHOWN}/>',
            f'  <geom type="box" size="{0.5 * x - 0.006:g} 0.012 0.0012" pos="0 0 {z:g}" mass="0" material="holder" '
            f"{_SHOWN}/>",
            f'  <geom name="housing" type="box" size="{0.5 * x:g} {0.5 * y:g} {0.5 * z - 0.005:g}" '
            f'pos="0 0 {0.5 * z + 0.005:g}" mass="{MASS - 0.1 - 2 * jaws:g}" {_SOLID}/>',
            f'  <site name="grasp" pos="0 0 {self.grasp_point[2]:g}" size="0.002" rgba="0 0 0 0"/>',
            *indent(self._finger("left", jaws), 2).splitlines(),
            *indent(self._finger("right", jaws), 2).splitlines(),
            "</body>",
        ]
        return "\n".join(lines)

    def _finger(self, side: str, mass: float) -> str:
        """A jaw with finger and array; its x points across the gap, the pad's free face lies at x = 0 when closed."""
        face = HOUSING[2]
        bar_x = -(PAD[0] + HOLDER + 0.5 * BAR[0])
        middle = face + JAW[2] + 0.5 * self.finger
        pad_z = self.grasp_point[2]
        pad_mass, bar_mass = 0.004, 2700 * BAR[0] * BAR[1] * self.finger
        turn = "" if side == "left" else ' euler="0 0 180"'
        half = [0.5 * s for s in PAD]
        start = 0.5 * self.opening
        place = f' pos="{-start if side == "left" else start:g} 0 0"' if start else ""
        return f"""
<body name="{side}"{place}{turn} gravcomp="1">
  <joint name="{side}" type="slide" axis="-1 0 0" ref="{start:g}" range="0 {STROKE:g}" armature="0.6" damping="5"
         solreflimit="0.004 1" solimplimit="0.99 0.999 0.0001"/>
  <geom type="mesh" mesh="pg70_jaw" pos="{-0.5 * JAW[0] - PAD[0]:g} 0 {face + 0.5 * JAW[2]:g}" mass="{mass:g}"
        material="aluminium" {_SHOWN}/>
  <geom type="mesh" mesh="pg70_bar" pos="{bar_x:g} 0 {middle:g}" mass="0" material="aluminium" {_SHOWN}/>
  <geom name="{side}_bar" type="box" size="{0.5 * BAR[0]:g} {0.5 * BAR[1]:g} {0.5 * self.finger:g}"
        pos="{bar_x:g} 0 {middle:g}" mass="{bar_mass:.4g}" {_SOLID}/>
  <geom name="{side}_holder" type="box" size="{0.5 * HOLDER:g} {half[1] + 0.0012:g} {half[2] + 0.0012:g}"
        pos="{-PAD[0] - 0.5 * HOLDER:g} 0 {pad_z:g}" mass="0.02" material="holder"/>
  <geom name="{side}_pad" type="box" size="{half[0]:g} {half[1]:g} {half[2]:g}" pos="{-half[0]:g} 0 {pad_z:g}"
        mass="{pad_mass:g}" material="foam"/>
</body>"""


_SHOWN = 'contype="0" conaffinity="0" group="1"'  # drawn, touches nothing
_SOLID = 'group="3"'  # touches, not drawn


def _config(keys: Mapping[str, Any]) -> str:
    return "\n".join(f'<config key="{key}" value="{value}"/>' for key, value in config(keys).items())
