"""Objects to grasp: sphere, box, cylinder and a spray bottle.

    box = objects.box()                                   # a cube of 40 mm and 100 g
    scene = table() + box.drawing(pos=(0, 0, box.height))

The frame of an object has its origin in the place where it is to be grasped, z up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .. import _core
from . import spray_bottle as bottle
from .drawing import Drawing, indent
from .surfaces import Surface

BLUE, RED, GREEN, AMBER = "0.20 0.44 0.72 1", "0.78 0.27 0.22 1", "0.25 0.56 0.38 1", "0.88 0.60 0.20 1"


@dataclass(frozen=True)
class GraspObject:
    """A rigid object; ``geoms`` are MJCF lines, the first is named like the object's body."""

    name: str
    label: str
    mass: float
    width: float
    """Across the grasp, m."""
    height: float
    """From what it stands on to the place of the grasp, m."""
    geoms: tuple[str, ...]
    materials: str = ""
    meshes: dict[str, Surface] = field(default_factory=dict)
    length: float = 0.0
    """Along the fingers, where it is long, m."""
    middle: float = 0.0
    """y of its middle, where it is grasped off it, m."""

    def drawing(
        self,
        pos: tuple[float, float, float] | None = None,
        name: str = "object",
        euler: tuple[float, float, float] | None = None,
    ) -> Drawing:
        """The object on a free body; it stands on z = 0 when ``pos`` is left out."""
        out = Drawing()
        if self.materials:
            out.add("asset", self.materials)
        for mesh, surface in self.meshes.items():
            out.add_mesh(mesh, surface)
        x, y, z = (0.0, 0.0, self.height) if pos is None else pos
        turn = "" if euler is None else ' euler="{:g} {:g} {:g}"'.format(*euler)
        first, *rest = self.geoms
        lines = "\n".join([first.replace("<geom", f'<geom name="{name}"', 1), *rest])
        return out.add(
            "worldbody",
            f"""
<body name="{name}" pos="{x:g} {y:g} {z:g}"{turn}>
  <freejoint/>
{indent(lines, 2)}
</body>""",
        )


def _positive(what: str, **values: float) -> None:
    for key, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise _core.Error(f"{what}: {key} is {value!r}; give a positive number (SI units)")


_LOOK = 'friction="0.5 0.005 0.0001"'


def sphere(radius: float = 0.025, mass: float = 0.06) -> GraspObject:
    _positive("sphere", radius=radius, mass=mass)
    geom = f'<geom type="sphere" size="{radius:g}" mass="{mass:g}" rgba="{RED}" {_LOOK}/>'
    return GraspObject("sphere", "sphere", mass, 2 * radius, radius, (geom,))


def box(
    size: tuple[float, float, float] = (0.04, 0.04, 0.04), mass: float = 0.1, off_centre: float = 0.0
) -> GraspObject:
    """``off_centre``: how far the grasp is from the middle along y, m."""
    _positive("box", x=size[0], y=size[1], z=size[2], mass=mass)
    if abs(off_centre) >= 0.5 * size[1]:
        raise _core.Error(f"box: off_centre is {off_centre:g} m, but it ends {0.5 * size[1]:g} m from its middle")
    half = " ".join(f"{0.5 * s:g}" for s in size)
    place = f' pos="0 {-off_centre:g} 0"' if off_centre else ""
    geom = f'<geom type="box" size="{half}"{place} mass="{mass:g}" rgba="{AMBER}" {_LOOK}/>'
    label = f"box, {1e3 * off_centre:g} mm off centre" if off_centre else "box"
    return GraspObject(
        "box_off_centre" if off_centre else "box",
        label,
        mass,
        size[0],
        0.5 * size[2],
        (geom,),
        length=size[1],
        middle=-off_centre,
    )


def cylinder(radius: float = 0.02, length: float = 0.1, mass: float = 0.1) -> GraspObject:
    """Upright."""
    _positive("cylinder", radius=radius, length=length, mass=mass)
    geom = f'<geom type="cylinder" size="{radius:g} {0.5 * length:g}" mass="{mass:g}" rgba="{GREEN}" {_LOOK}/>'
    return GraspObject("cylinder", "cylinder", mass, 2 * radius, 0.5 * length, (geom,))


def spray_bottle(mass: float = 0.16, height: float = bottle.WAIST) -> GraspObject:
    """A spray bottle, partly filled; its mass is spread over its volume. ``height``: of the grasp above its foot, m."""
    _positive("spray bottle", mass=mass)
    if not 0 <= height <= bottle.HEIGHT:
        raise _core.Error(f"spray bottle: height is {height:g} m; it is {bottle.HEIGHT:g} m high")
    parts = {
        "spray_bottle": (bottle.bottle_body(), 0.80 * mass, "bottle_body"),
        "spray_head": (bottle.bottle_head(), 0.14 * mass, "bottle_head"),
        "spray_trigger": (bottle.trigger(), 0.05 * mass, "bottle_trigger"),
        "spray_nozzle": (bottle.nozzle(), 0.01 * mass, "bottle_trigger"),
    }
    geoms = tuple(
        f'<geom type="mesh" mesh="{mesh}" pos="0 0 {-height:g}" mass="{part:g}" material="{material}" {_LOOK}/>'
        for mesh, (_, part, material) in parts.items()
    )
    materials = f"""
<material name="bottle_body" rgba="{BLUE}" specular="0.6" shininess="0.7"/>
<material name="bottle_head" rgba="0.94 0.94 0.94 1" specular="0.4" shininess="0.5"/>
<material name="bottle_trigger" rgba="{RED}" specular="0.4" shininess="0.5"/>"""
    body = parts["spray_bottle"][0]
    radius = float(np.interp(height, *_profile(body).T)) if height < 0.16 else 0.0112
    return GraspObject(
        "spray_bottle",
        "spray bottle",
        mass,
        2 * radius,
        height,
        geoms,
        materials,
        {mesh: surface for mesh, (surface, _, _) in parts.items()},
    )


def _profile(surface: Surface) -> np.ndarray:
    """(k, 2) height and radius of the rings of a body of revolution."""
    vertices = surface[0][:-2]
    heights = np.unique(np.round(vertices[:, 2], 9))
    radius = np.hypot(vertices[:, 0], vertices[:, 1])
    return np.array([(z, radius[np.abs(vertices[:, 2] - z) < 1e-8].max()) for z in heights])


OBJECTS: dict[str, Callable[[], GraspObject]] = {
    "sphere": sphere,
    "box": box,
    "cylinder": cylinder,
    "spray bottle": spray_bottle,
}

__all__ = ["OBJECTS", "GraspObject", "box", "cylinder", "sphere", "spray_bottle"]
