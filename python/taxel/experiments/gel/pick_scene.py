"""The scene of ``gel-pick``: a table with four things on it, and a gripper with gel pads that comes from above."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...robots import stage
from ...robots.drawing import Drawing
from ...robots.surfaces import Surface
from ...shape import domed_pad

PAD = (0.016, 0.020, 0.004)
"""Of a gel: across the finger, along it, thickness in the middle, m."""
DOME, CORNER = 1e-3, 1.5e-3
"""The face bulges by DOME: the can, taller than the pad, does not press its edges."""
OPEN = 0.104  # between the contact faces, m
CAN_MASS, CAN_RADIUS, CAN_HEIGHT = 0.171, 0.0427, 0.0335
GRASP_HEIGHT = 0.5 * CAN_HEIGHT
HOME = 0.11  # of the pads' middle above the height of a grasp, m
TRUE_PLACE, TARGET = (-0.052, 0.013), (0.088, -0.025)
FRICTION = 0.8
GRIPPED = "can_hull"
"""What the gels touch."""

# name: YCB model, (x, y, yaw), mass, colour, a primitive for where the models are missing
THINGS: dict[str, tuple[str, tuple[float, float, float], float, str, str]] = {
    "can": ("007_tuna_fish_can", (*TRUE_PLACE, 0.4), CAN_MASS, "0.26 0.48 0.72 1", ""),
    "soup": ("005_tomato_soup_can", (0.062, 0.125, 0.0), 0.349, "0.74 0.25 0.20 1", "cylinder 0.033 0.051"),
    "gelatin": ("009_gelatin_box", (-0.175, 0.085, 0.5), 0.097, "0.86 0.67 0.25 1", "box 0.036 0.043 0.014"),
    "lemon": ("014_lemon", (-0.165, -0.075, 0.9), 0.029, "0.90 0.83 0.28 1", "ellipsoid 0.033 0.026 0.026"),
}


def _ycb(name: str) -> Surface | None:
    import taxel

    from ...press.objects import ycb_file

    try:
        vertices, triangles = taxel.read_mesh(ycb_file(name))
    except ImportError:
        return None
    return vertices - 0.5 * (vertices.min(axis=0) + vertices.max(axis=0)), triangles


def _round_can(sides: int = 96) -> Surface:
    """A right cylinder of the can's size."""
    angle = np.arange(sides) * (2 * np.pi / sides)
    ring = CAN_RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    z = 0.5 * CAN_HEIGHT
    vertices = np.vstack([np.c_[ring, np.full(sides, -z)], np.c_[ring, np.full(sides, z)], [[0, 0, -z], [0, 0, z]]])
    k, n = np.arange(sides), (np.arange(sides) + 1) % sides
    low, high = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    triangles = np.vstack([np.c_[k, n, n + sides], np.c_[k, n + sides, k + sides], np.c_[low, n, k],
                           np.c_[high, k + sides, n + sides]])  # fmt: skip
    return vertices, triangles.astype(np.int32)


def convex_hull(vertices: np.ndarray) -> Surface:
    """The hull, its triangles facing outwards."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    used, triangles = np.unique(hull.simplices, return_inverse=True)
    points, triangles = vertices[used], triangles.reshape(-1, 3).astype(np.int32)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles


def _things() -> tuple[Drawing, bool]:
    out, scanned = Drawing(), True
    for name, (model, (x, y, yaw), mass, colour, primitive) in THINGS.items():
        surface = _ycb(model)
        if surface is None and name == "can":
            surface = _round_can()
        if surface is None:
            scanned = False
            kind, *size = primitive.split()
            shape, height = f'type="{kind}" size="{" ".join(size)}"', float(size[-1])
        else:
            out.add_mesh(name, surface)
            shape, height = f'type="mesh" mesh="{name}"', 0.5 * float(np.ptp(surface[0][:, 2]))
        hull = ""
        if name == "can":
            # The scan has edges shared by three triangles, so it has no inside; what MuJoCo collides is its hull, too.
            out.add_mesh(GRIPPED, convex_hull(surface[0]))
            hull = (
                f'<geom name="{GRIPPED}" type="mesh" mesh="{GRIPPED}" mass="0" contype="0" conaffinity="0" group="4"/>'
            )
        out.add(
            "worldbody",
            f"""
<body name="{name}" pos="{x} {y} {height + 2e-4:.6f}" euler="0 0 {np.degrees(yaw):.4f}">
  <freejoint/>
  <geom name="{name}" {shape} mass="{mass}" rgba="{colour}" friction="0.5 0.005 0.0001"/>
  {hull}
</body>""",
        )
    return out, scanned


def _gripper() -> Drawing:
    """Fingers on slides that close with positive positions; the pads have no contact of MuJoCo's own."""
    out = Drawing()
    out.add(
        "asset",
        """
<material name="steel" rgba="0.44 0.46 0.49 1" specular="0.4" shininess="0.5"/>
<material name="dark" rgba="0.20 0.21 0.24 1" specular="0.3" shininess="0.4"/>
<material name="gel" rgba="0.93 0.90 0.84 1" specular="0.2" shininess="0.2"/>""",
    )
    seen = 'contype="0" conaffinity="0"'
    out.add_mesh("gel", domed_pad(PAD[:2], PAD[2] - DOME, DOME, CORNER))
    fingers = []
    for name, side, axes in (("left", 1, "1 0 0 0 0 1"), ("right", -1, "-1 0 0 0 0 1")):
        y, plate, arm = side * (0.5 * OPEN + PAD[2]), side * 0.003, side * 0.012
        fingers.append(
            f"""
  <body name="{name}" pos="0 {y:g} 0" gravcomp="1">
    <joint name="{name}" type="slide" axis="0 {-side} 0" range="-0.01 0.052" armature="1"/>
    <inertial pos="0 {plate:g} 0.03" mass="0.25" diaginertia="2e-4 2e-4 1e-4"/>
    <geom name="{name}" type="mesh" mesh="gel" xyaxes="{axes}" material="gel" {seen} friction="{FRICTION} 0 0"/>
    <geom type="box" size="0.010 0.003 0.0115" pos="0 {plate:g} 0.0005" material="steel" {seen}/>
    <geom type="box" size="0.009 0.006 0.041" pos="0 {arm:g} 0.029" material="dark" {seen}/>
  </body>"""
        )
    slide = 'type="slide" range="-0.4 0.4" armature="6"'
    out.add(
        "worldbody",
        f"""
<body name="wrist" pos="0 0 {GRASP_HEIGHT + HOME:g}" gravcomp="1">
  <joint name="wrist_x" {slide} axis="1 0 0"/>
  <joint name="wrist_y" {slide} axis="0 1 0"/>
  <joint name="wrist_z" {slide} axis="0 0 1"/>
  <inertial pos="0 0 0.1" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>
  <geom type="box" size="0.021 0.082 0.016" pos="0 0 0.084" material="steel" {seen}/>
  <geom type="cylinder" size="0.026 0.03" pos="0 0 0.13" material="dark" {seen}/>
{"".join(fingers)}
</body>""",
    )
    servo = 'kp="30000" kv="900" ctrlrange="-0.4 0.4"'
    for axis in "xyz":
        out.add("actuator", f'<position name="wrist_{axis}" joint="wrist_{axis}" {servo}/>')
    for name in ("left", "right"):
        out.add("actuator", f'<position name="{name}" joint="{name}" kp="20000" kv="400" ctrlrange="-0.01 0.052"/>')
    return out


def make_model(timestep: float) -> tuple[Any, bool]:
    """The model, and whether all things are the scanned ones."""
    things, scanned = _things()
    scene = stage.table() + things + _gripper()
    scene.timestep = timestep
    return scene.model(), scanned
