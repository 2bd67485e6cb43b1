"""What is drawn for one run of impacts.py.

A hit is aimed at a point of the skin's surface with outward normal n, which is turned to point up (within 27 degrees);
the object comes down along -n with one of its features (face, edge, corner, cap, rim) ahead. A plane cannot move in
MuJoCo: where it is the object, the skin is thrown at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .impacts_shapes import (
    OBJECTS,
    PRIMITIVES,
    SENSORS,
    inner_radius,
    inscribed_radius,
    sensor,
    sensor_bounds,
    to_middle,
    unit,
)
from .scenes import GRAVITY

LAYERS = ("backed", "columns")
COLUMNS_FROM = 20_000
"""From this seed on a backed layer on a primitive is one of columns."""
MESHED = ("shadow_fingertip", "gelsight_mini", "digit")
"""Sensors that are meshes: were some seconds a run, so they are drawn less often."""
INTEGRATORS = ("Euler", "implicitfast", "implicit", "discrete")
SOLVERS = ("Newton", "CG", "PGS")
COUPLINGS = ("rows", "explicit", "sense")
SEEN = 0.7
"""Of the way from the first touch to the core, the most that the object may go within a step: what crosses a pad
between two steps is seen by no contact (docs/guide/mujoco.md, Limits). Faster ones are slowed down to that."""


@dataclass(frozen=True)
class Case:
    seed: int
    skin: str
    field: str
    """distance, backed or columns; a sensor has the catalogue's own."""
    thickness: float
    """m, from the surface to the core: of the layer (backed, plane), or the inscribed radius (distance)."""
    skin_size: tuple[float, ...]
    modulus: float
    dissipation: float
    friction: float
    object: str
    object_modulus: float
    """Pa; 0 is rigid."""
    size: float
    """Half of the object's length, m."""
    mass: float
    action: str
    """hit; force (a force on the object, up and off again); plate (a soft plate on a motor does that)."""
    speed: float
    force: float
    gap: float
    """Between the surfaces at the start, m; negative is a first overlap."""
    aim: str
    point: tuple[float, ...]
    normal: tuple[float, ...]
    """Where the skin is hit, and its outward normal there, in the skin's frame."""
    feature: tuple[float, ...]
    """Direction of the object's frame that goes ahead."""
    up: tuple[float, ...]
    """That normal in the world."""
    turns: tuple[float, ...]
    """Of skin and object about it, rad."""
    offset: tuple[float, ...]
    lateral: tuple[float, ...]
    """Of the object's middle, m, and its velocity, m/s, across the normal."""
    spin: tuple[float, ...]
    guided: bool
    """The object moves along the normal only."""
    mount: str
    """fixed, free, or link: a light finger on a hinge with a servo."""
    mount_mass: float
    step: float
    integrator: str
    solver: str
    coupling: str

    def __str__(self) -> str:
        kind = f"soft ({self.object_modulus:.1e} Pa)" if self.object_modulus else "rigid"
        how = {
            "hit": f"at {self.speed:.2f} m/s",
            "force": f"pressed with {self.force:.0f} N",
            "plate": f"pressed by a plate with {self.force:.0f} N",
        }[self.action]
        return (
            f"seed {self.seed}: {self.mass:.3g} kg {kind} {self.object} of {2e3 * self.size:.1f} mm {how} on the "
            f"{self.aim} of a {self.mount} {self.skin} ({self.field}, {1e3 * self.thickness:.2f} mm, "
            f"{self.modulus:.1e} Pa, {self.dissipation:.2g} s/m, friction {self.friction:.2f}), {self.coupling}, "
            f"{1e3 * self.step:.2g} ms, {self.integrator}, {self.solver}"
            + (f", overlap {-1e3 * self.gap:.2f} mm" if self.gap < 0 else "")
        )


def _skin_size(rng: np.random.Generator, skin: str, field: str, thickness: float) -> tuple[tuple[float, ...], float]:
    """Size, and the thickness that this shape allows."""
    a, b, c = rng.uniform(0.004, 0.025), rng.uniform(0.004, 0.03), rng.uniform(0.004, 0.025)
    if skin == "plane":
        return (), thickness
    if skin == "box":
        # A backed box is as thick as its layer; a free one has the inscribed radius as its depth.
        half = 0.5 * thickness if field in LAYERS else thickness
        return (max(half, 0.008) + a, max(half, 0.008) + c, half), thickness
    size = {"sphere": (a,), "capsule": (a, b), "cylinder": (a, b), "ellipsoid": (a, b, c)}[skin]
    least = a if skin in ("sphere", "capsule") else min(size)
    return size, (min(thickness, 0.7 * least) if field in LAYERS else least)


def _aim(rng: np.random.Generator, skin: str, field: str, size: tuple[float, ...]) -> tuple[str, Any, Any]:
    """(name, point, normal): centre, rims, caps, corners."""
    turn, u, v = rng.uniform(0, 2 * np.pi), rng.uniform(-1, 1), rng.uniform(-1, 1)
    side, z = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([0.0, 0.0, 1.0])
    direction = unit(rng.normal(size=3))
    if skin == "plane":
        return "face", np.zeros(3), z
    if skin == "shadow_fingertip":
        name = str(rng.choice(["pad", "tip", "side"]))
        toward = {"pad": z, "tip": np.array([0, 1.0, 0.3]), "side": np.array([1.0, 0, 0.3])}[name]
        normal = unit(toward + 0.3 * direction)
        vertices = sensor(skin).geom.vertices
        return name, vertices[np.argmax(vertices @ normal)], normal
    if skin in SENSORS or skin == "box":
        if skin in SENSORS:
            low, high = sensor_bounds(skin)
        else:
            high = np.array(size)
            low = -high
        names = ["centre", "rim", "corner"] + ["side", "edge"] * (skin == "box" and field == "distance")
        name = str(rng.choice(names, p=[0.4, 0.35, 0.25] if len(names) == 3 else [0.3, 0.2, 0.2, 0.15, 0.15]))
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        corner = np.sign([u, v])
        return {
            "centre": (name, middle + half * [0.5 * u, 0.5 * v, 1], z),
            "rim": (name, middle + half * [corner[0] * (1 - 0.2 * abs(u)), 0.8 * v, 1], z),
            "corner": (name, middle + half * [*(corner * (1 - 0.2 * abs(u))), 1], z),
            "side": (name, middle + half * [corner[0], 0.8 * v, 0], np.array([corner[0], 0, 0])),
            "edge": (name, middle + half * [corner[0], 0.8 * v, 1], unit([corner[0], 0, 1])),
        }[name]
    if skin == "sphere":
        return "face", size[0] * direction, direction
    if skin == "ellipsoid":
        if rng.random() < 0.4:
            direction = np.eye(3)[rng.integers(3)]
        s = np.array(size)
        return "face", s * s * direction / np.linalg.norm(s * direction), direction
    name = str(rng.choice(["side", "cap", "rim"]))
    if name == "side":
        return name, size[0] * side + size[1] * 0.9 * u * z, side
    if skin == "capsule":
        normal = z if name == "cap" else unit(side + (0.5 + 0.5 * u) * z)
        return name, size[1] * z + size[0] * normal, normal
    if name == "cap":
        return name, size[1] * z + 0.7 * abs(u) * size[0] * side, z
    return name, size[1] * z + size[0] * side, z if v > 0 else unit(side + z)


FEATURES = {
    "sphere": [(0, 0, 1)],
    "box": [(0, 0, 1), (1, 0, 0), (1, 0, 1), (1, 0.8, 0.6)],
    "cylinder": [(0, 0, 1), (1, 0, 0), (0.8, 0, 0.7)],
    "capsule": [(0, 0, 1), (1, 0, 0)],
    "ellipsoid": [(0, 0, 1), (1, 0, 0)],
    "convex mesh": [(0, 0, 1), (0, 0, -1), (0.93, 0, -0.67), (1, 0.3, 0)],
    "U mesh": [(0, 0, -1), (0, 0, 1), (0, 1, 0), (1, 0, -0.7), (1, 0.67, -0.67)],
    "plane": [(0, 0, 1)],
}


def draw(seed: int) -> Case:
    """The run of that number: a counter-based generator, so that no run depends on those before it."""
    rng = np.random.Generator(np.random.Philox(key=seed))

    def log_uniform(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    skins = (*PRIMITIVES, *SENSORS)
    weights = np.array([0.25 if s in MESHED else 0.5 if s in SENSORS else 1.0 for s in skins])
    skin = str(rng.choice(skins, p=weights / weights.sum()))
    field = str(rng.choice(["distance", "columns" if seed >= COLUMNS_FROM else "backed"]))
    if skin in SENSORS:
        field = str(sensor(skin).material.get("field", "distance"))
    thickness = log_uniform(5e-4, 1e-2)
    skin_size, thickness = _skin_size(rng, skin, field, thickness) if skin not in SENSORS else ((), 0.0)
    if skin in SENSORS:
        low, high = sensor_bounds(skin)
        own = sensor(skin).material.get("thickness") or (high[2] - low[2])
        thickness = float(inscribed_radius(skin) if to_middle(skin, field) else own)
    modulus = log_uniform(3e4, 1e7)
    if skin in SENSORS and rng.random() < 0.5:
        modulus = float(sensor(skin).material["modulus"])
    objects = [name for name in OBJECTS if not (skin == "plane" and name == "plane")]
    thing = str(rng.choice(objects))
    size, step = log_uniform(0.002, 0.02), float(rng.choice([0.0005, 0.001, 0.002, 0.003, 0.005]))
    soft = rng.random() < 0.15 and thing not in ("plane", "U mesh")
    action = str(rng.choice(["hit", "force", "plate"], p=[0.7, 0.18, 0.12]))
    mount = str(rng.choice(["fixed", "free", "link"], p=[0.76, 0.12, 0.12]))
    if thing == "plane":
        action, mount = "hit" if action == "plate" else action, "free"
    elif skin == "plane" or action != "hit":
        mount = "fixed"
    aim, point, normal = _aim(rng, skin, field, skin_size)
    feature = unit(FEATURES[thing][rng.integers(len(FEATURES[thing]))])
    if thing != "plane" and rng.random() < 0.4:
        feature = unit(rng.normal(size=3))
    up = unit(np.array([0, 0, 1.0]) + rng.uniform(0, 0.5) * unit([*rng.normal(size=2), 0]))
    across = np.cross(up, unit(rng.normal(size=3)))
    speed = float(rng.uniform(0, 5)) if rng.random() < 0.6 else log_uniform(0.01, 5)
    core = 0.8 * thickness if to_middle(skin, field) and skin != "plane" else thickness
    pad = skin in SENSORS or skin == "box"  # little of it lies behind the core, or nothing
    reach = core + (0.0 if pad or thing == "plane" else inner_radius(thing, size))
    speed = min(speed, SEEN * reach / step) if action == "hit" else 0.0
    gap = float(rng.uniform(1e-4, 1e-3)) if rng.random() < 0.8 else float(rng.uniform(1e-3, 0.035))
    if action != "hit":
        gap = 1e-4
    elif mount == "free" and thing != "plane":
        gap = min(gap, 0.1 * speed)  # both fall
    elif rng.random() < 0.12 and skin not in SENSORS and thing != "plane" and mount == "fixed":
        gap, speed = -float(rng.uniform(0.05, 0.6)) * thickness, 0.1 * speed
    # What falls on its way counts as well; and a skin that is thrown bounces, and falls on whatever side.
    if action == "hit" and gap > 0:
        gap = min(gap, max(1e-4, ((SEEN * reach / step) ** 2 - speed**2) / (2 * GRAVITY)))
    if thing == "plane":
        step = max(5e-4, min(step, SEEN * core / max(2 * speed, 0.5)))
    sideways = rng.random() < 0.5
    mass = log_uniform(0.01, 5.0)
    # Nor may the load alone cover that way within a step.
    force = min(log_uniform(1, 200), 0.5 * SEEN * core * mass / step**2) if action != "hit" else 0.0
    return Case(
        seed=seed,
        skin=skin,
        field=field,
        thickness=thickness,
        skin_size=tuple(float(x) for x in skin_size),
        modulus=modulus,
        dissipation=log_uniform(0.05, 20) if rng.random() < 0.9 else 0.0,
        friction=float(rng.uniform(0, 1)) if rng.random() < 0.9 else 0.0,
        object=thing,
        object_modulus=log_uniform(3e4, 1e7) if soft else 0.0,
        size=size,
        mass=mass,
        action=action,
        speed=speed,
        force=force,
        gap=gap,
        aim=aim,
        point=tuple(float(x) for x in point),
        normal=tuple(float(x) for x in normal),
        feature=tuple(float(x) for x in feature),
        up=tuple(float(x) for x in up),
        turns=tuple(float(x) for x in rng.uniform(0, 2 * np.pi, size=2)),
        offset=tuple(float(x) for x in rng.uniform(0, 0.5) * size * across * (rng.random() < 0.3)),
        lateral=tuple(float(x) for x in rng.uniform(0, 0.7) * speed * across * sideways),
        spin=tuple(float(x) for x in rng.uniform(0, 20) * unit(rng.normal(size=3)) * sideways),
        guided=bool(action != "hit" and rng.random() < 0.5 and thing != "plane"),
        mount=mount,
        mount_mass=log_uniform(0.02, 0.5),
        step=step,
        integrator=str(rng.choice(INTEGRATORS)),
        solver=str(rng.choice(SOLVERS)),
        coupling=str(rng.choice(COUPLINGS, p=[0.8, 0.1, 0.1])),
    )
