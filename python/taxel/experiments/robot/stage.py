"""What the scenes with robots share: sky, floor and light, and the look of what is taken from others."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ...sensors import TactileSensor

FLOOR, STEEL, SOFT = (0.80, 0.83, 0.87, 1.0), (0.55, 0.58, 0.62, 1.0), (0.93, 0.78, 0.52, 0.35)
"""Soft geoms are translucent: the contact surfaces that MuJoCo draws lie inside them."""


def sky(spec: Any) -> None:
    """A plain sky in place of the model's own, and no lights of the model's, which were made for other pictures."""
    for texture in [t for t in spec.textures if t.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX]:
        spec.delete(texture)
    for light in list(spec.lights):
        spec.delete(light)
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.35, 0.35, 0.35)
    spec.worldbody.add_light(
        pos=(0.6, -0.8, 2.0),
        dir=(-0.2, 0.35, -1),
        diffuse=(0.45, 0.45, 0.45),
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
    )
    spec.add_texture(
        name="taxel_sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.93, 0.95, 0.97),
        rgb2=(0.72, 0.78, 0.85),
        width=256,
        height=256,
    )


def floor(spec: Any, height: float = 0.0) -> Any:
    """Sky, light from above and a floor, which is returned."""
    sky(spec)
    return spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(5, 5, 0.1), pos=(0, 0, height), rgba=FLOOR
    )


def hide(spec: Any, ending: str, group: int = 3) -> None:
    """Puts geoms whose names end so into a group that is not drawn; sites of robosuite are drawn in its groups 1, 2."""
    for geom in spec.geoms:
        if geom.name.endswith(ending):
            geom.group = group
    for site in spec.sites:
        site.group = 5


def put_rigid(spec: Any, sensor: TactileSensor, body: Any, name: str, pos: Any, quat: Any) -> None:
    """The shape of a sensor without its softness and its taxels, for MuJoCo's own contact."""
    own = body.add_body(name=name, pos=pos, quat=quat)
    friction = (float(np.atleast_1d(sensor.material.get("friction", 0.6))[0]), 0.005, 0.0001)
    if sensor.geom.type == "mesh":
        spec.add_mesh(name=name, uservert=sensor.geom.vertices.ravel(), userface=sensor.geom.triangles.ravel())
        own.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, friction=friction)
    else:
        kind = getattr(mujoco.mjtGeom, "mjGEOM_" + sensor.geom.type.upper())
        own.add_geom(name=name, type=kind, size=sensor.geom.size, friction=friction)


def layer(thickness: float, modulus: float) -> str:
    """A skin in words."""
    mantissa, exponent = f"{modulus:e}".split("e")
    return f"{1e3 * thickness:g} mm, {float(mantissa):g}e{int(exponent)} Pa"
