"""Newton's hydroelastic contact on the scene of ``speed``: two pads on a peg, in many worlds. It finds contacts only:
no rows, no step, no taxels. Its distance fields need a CUDA device."""

from __future__ import annotations

import math
from typing import Any

RESOLUTION = 64
"""Cells along the longest side of a shape's distance field, Newton's own default."""


def missing(device: Any) -> str | None:
    """Why Newton cannot be measured here; None: it can."""
    try:
        import newton  # noqa: F401
    except ImportError:
        return "Newton is not installed: pip install --no-deps newton"
    if not device.is_cuda:
        return "Newton's hydroelastic contact needs a CUDA device: its distance fields are 3D textures"
    return None


def make_collide(worlds: int) -> Any:
    """A function that collides all worlds; pads and peg lie as in ``scenes.peg``, pressed in by 0.5 mm."""
    import newton
    import warp as wp
    from newton.geometry import HydroelasticSDF

    config = newton.ModelBuilder.ShapeConfig()
    config.is_hydroelastic = True
    config.sdf_max_resolution = RESOLUTION
    world = newton.ModelBuilder()
    for side in (-1, 1):
        body = world.add_body(xform=wp.transform((0.0135 * side, 0.0, 0.1), wp.quat_identity()))
        world.add_shape_box(body, hx=0.002, hy=0.015, hz=0.015, cfg=config)
    lean = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), math.radians(20))
    peg = world.add_body(xform=wp.transform((0.0, 0.002, 0.1), lean))
    world.add_shape_cylinder(peg, radius=0.012, half_height=0.03, cfg=config)
    builder = newton.ModelBuilder()
    for _ in range(worlds):
        builder.add_world(world)
    model = builder.finalize()
    pipeline = newton.CollisionPipeline(model, sdf_hydroelastic_config=HydroelasticSDF.Config())
    state, contacts = model.state(), pipeline.contacts()

    def collide() -> None:
        pipeline.collide(state, contacts)

    return collide
