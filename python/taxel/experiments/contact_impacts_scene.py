"""What is drawn for an impact, and the MuJoCo model of it: skin, object, how they meet. Judged in contact_impacts.py.

The skin's frame is that of its body, the object's that of its own. A hit is aimed at a point of the skin's surface with
outward normal n, which is turned to point up (within ``tilt``); the object comes down along -n with one of its features
(face, edge, corner, cap, rim) ahead. A plane cannot move in MuJoCo: where it is the object, the skin is thrown at it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.experiments.contact_pairs import FRUSTUM, u_mesh
from taxel.sensors import Shape, catalogue

PRIMITIVES = ("plane", "sphere", "capsule", "cylinder", "ellipsoid", "box")
SENSORS = tuple(catalogue())
MESHED = ("shadow_fingertip", "gelsight_mini", "digit")
"""Sensors that are tetrahedra: some seconds a run, so they are drawn less often."""
OBJECTS = (*PRIMITIVES, "convex mesh", "U mesh")
INTEGRATORS = ("Euler", "implicitfast", "implicit", "discrete")
SOLVERS = ("Newton", "CG", "PGS")
PLATE_HALF, PLATE_MASS, LINK_LENGTH, LINK_MASS = 0.02, 0.2, 0.05, 0.03
SEEN = 0.9
"""Of the way from the first touch to the core, the most that the object may go within a step: what crosses a pad
between two steps is seen by no contact (docs/mujoco.md, Limits). Faster ones are slowed down to that."""


@dataclass(frozen=True)
class Case:
    seed: int
    skin: str
    field: str
    """distance or backed; a sensor has the catalogue's own."""
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


# --- Shapes ---


@functools.cache
def sensor(name: str) -> taxel.sensors.TactileSensor:
    return catalogue()[name](on_demand=True)


def object_shape(name: str, size: float) -> Shape:
    """With MuJoCo's half lengths; meshes in the body's frame."""
    r = size
    sizes = {
        "sphere": (r,),
        "box": (r, 0.8 * r, 0.6 * r),
        "cylinder": (0.8 * r, 0.7 * r),
        "capsule": (0.5 * r, 0.5 * r),
        "ellipsoid": (r, 0.8 * r, 0.6 * r),
    }
    if name in sizes:
        return Shape(name, sizes[name])
    if name == "convex mesh":
        vertices, triangles = np.array(FRUSTUM), _hull_of_frustum()
    else:
        vertices, triangles = u_mesh()
    return Shape.mesh(vertices * size / 0.03, triangles)


def _hull_of_frustum() -> np.ndarray:
    sides = [(i, (i + 1) % 6, (i + 1) % 6 + 6, i, (i + 1) % 6 + 6, i + 6) for i in range(6)]
    caps = [(6, 6 + i, 7 + i) for i in range(1, 5)] + [(0, i + 1, i) for i in range(1, 5)]
    return np.array([*np.reshape(sides, (-1, 3)), *caps])


@functools.lru_cache(maxsize=64)
def surface_points(name: str, size: tuple[float, ...] | float) -> np.ndarray:
    """Points of a surface, dense enough to say how deep it is in something else."""
    if isinstance(size, float):
        shape = object_shape(name, size)
    else:
        shape = sensor(name).geom if name in SENSORS else Shape(name, size)
    vertices, triangles = (shape.vertices, shape.triangles) if shape.type == "mesh" else shape.body(0.0).surface()
    cuts = max(1, int(np.sqrt(600 / len(triangles))))
    grid = [(i, j, cuts - i - j) for i in range(cuts + 1) for j in range(cuts + 1 - i)]
    inner = np.einsum("kc,tcx->tkx", np.array(grid) / cuts, vertices[triangles]).reshape(-1, 3)
    return np.concatenate([vertices, inner[:: max(1, len(inner) // 800)]])


def inner_point(name: str, size: float) -> np.ndarray:
    """The middle of the object: a point well inside it; of the U, which is hollow, one in its bridge."""
    return np.array([0, 0, 0.0125 * size / 0.03]) if name == "U mesh" else np.zeros(3)


def inner_radius(name: str, size: float) -> float:
    """How far the middle is from the surface, at least."""
    factor = {"sphere": 1.0, "capsule": 0.5, "cylinder": 0.7, "box": 0.6, "ellipsoid": 0.6}
    return size * factor.get(name, 0.25 if name == "U mesh" else 0.6)


class SkinDepth:
    """How deep points of the skin's frame are in it; the core is where that is ``core``.

    A pad (backed box, domed gel pads) counts from its free face, within its footprint: its core is its back, and what
    is behind the back is deeper still. Elsewhere it is the distance to the surface: the core of a backed layer lies a
    thickness below, that of a distance field is taken where the distance is 0.9 of the greatest.
    """

    def __init__(self, case: Case) -> None:
        self.pad = self.plane = False
        self.core = case.thickness
        if case.skin == "plane":
            self.plane = True
            return
        shape = sensor(case.skin).geom if case.skin in SENSORS else Shape(case.skin, case.skin_size)
        if case.field == "backed" and (case.skin in SENSORS or case.skin == "box"):
            self.pad = True
            vertices = shape.vertices if shape.type == "mesh" else np.array([-np.array(shape.size), shape.size])
            self.low, self.high = vertices.min(axis=0), vertices.max(axis=0)
            return
        if case.field == "distance":
            self.core = 0.9 * case.thickness
        self.shape = (shape.vertices, shape.triangles) if shape.type == "mesh" else shape.body(0.0)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """m; negative outside."""
        if self.plane:
            return -points[:, 2]
        if self.pad:
            inside = np.all((points[:, :2] > self.low[:2]) & (points[:, :2] < self.high[:2]), axis=1)
            return np.where(inside, self.high[2] - points[:, 2], -1.0)
        return -taxel.signed_distance(self.shape, points)

    def outward(self, point: np.ndarray) -> np.ndarray:
        """Direction in which the depth falls fastest."""
        e = 1e-6
        steps = np.concatenate([np.eye(3), -np.eye(3)]) * e
        d = self(point + steps)
        gradient = d[3:] - d[:3]
        return gradient / (np.linalg.norm(gradient) or 1.0)


# --- Draw ---


def _unit(v: Any) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


def _skin_size(rng: np.random.Generator, skin: str, field: str, thickness: float) -> tuple[tuple[float, ...], float]:
    """Size, and the thickness that this shape allows."""
    a, b, c = rng.uniform(0.004, 0.025), rng.uniform(0.004, 0.03), rng.uniform(0.004, 0.025)
    if skin == "plane":
        return (), thickness
    if skin == "box":
        # A backed box is as thick as its layer; a free one has the inscribed radius as its depth.
        half = 0.5 * thickness if field == "backed" else thickness
        return (max(half, 0.008) + a, max(half, 0.008) + c, half), thickness
    size = {"sphere": (a,), "capsule": (a, b), "cylinder": (a, b), "ellipsoid": (a, b, c)}[skin]
    least = a if skin in ("sphere", "capsule") else min(size)
    return size, (min(thickness, 0.7 * least) if field == "backed" else least)


def _aim(rng: np.random.Generator, skin: str, field: str, size: tuple[float, ...]) -> tuple[str, Any, Any]:
    """(name, point, normal): centre, rims, caps, corners."""
    turn, u, v = rng.uniform(0, 2 * np.pi), rng.uniform(-1, 1), rng.uniform(-1, 1)
    side, z = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([0.0, 0.0, 1.0])
    direction = _unit(rng.normal(size=3))
    if skin == "plane":
        return "face", np.zeros(3), z
    if skin == "shadow_fingertip":
        name = str(rng.choice(["pad", "tip", "side"]))
        toward = {"pad": z, "tip": np.array([0, 1.0, 0.3]), "side": np.array([1.0, 0, 0.3])}[name]
        normal = _unit(toward + 0.3 * direction)
        vertices = sensor(skin).geom.vertices
        return name, vertices[np.argmax(vertices @ normal)], normal
    if skin in SENSORS or skin == "box":
        if skin in SENSORS:
            low, high = sensor(skin).bounds
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
            "edge": (name, middle + half * [corner[0], 0.8 * v, 1], _unit([corner[0], 0, 1])),
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
        normal = z if name == "cap" else _unit(side + (0.5 + 0.5 * u) * z)
        return name, size[1] * z + size[0] * normal, normal
    if name == "cap":
        return name, size[1] * z + 0.7 * abs(u) * size[0] * side, z
    return name, size[1] * z + size[0] * side, z if v > 0 else _unit(side + z)


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
    field = str(rng.choice(["distance", "backed"]))
    if skin in SENSORS:
        field = str(sensor(skin).material.get("field", "distance"))
    thickness = log_uniform(5e-4, 1e-2)
    skin_size, thickness = _skin_size(rng, skin, field, thickness) if skin not in SENSORS else ((), 0.0)
    if skin in SENSORS:
        low, high = sensor(skin).bounds
        own = sensor(skin).material.get("thickness") or (high[2] - low[2])
        thickness = float(own if field == "backed" else _inscribed(skin))
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
    feature = _unit(FEATURES[thing][rng.integers(len(FEATURES[thing]))])
    if thing != "plane" and rng.random() < 0.4:
        feature = _unit(rng.normal(size=3))
    up = _unit(np.array([0, 0, 1.0]) + rng.uniform(0, 0.5) * _unit([*rng.normal(size=2), 0]))
    across = np.cross(up, _unit(rng.normal(size=3)))
    speed = float(rng.uniform(0, 5)) if rng.random() < 0.6 else log_uniform(0.01, 5)
    reach = (thickness if thing == "plane" else inner_radius(thing, size)) + thickness
    speed = min(speed, SEEN * reach / step) if action == "hit" else 0.0
    gap = float(rng.uniform(1e-4, 1e-3)) if rng.random() < 0.8 else float(rng.uniform(1e-3, 0.035))
    if action != "hit":
        gap = 1e-4
    elif mount == "free" and thing != "plane":
        gap = min(gap, 0.1 * speed)  # both fall
    elif rng.random() < 0.06 and skin not in SENSORS and thing != "plane" and mount == "fixed":
        gap, speed = -float(rng.uniform(0.05, 0.6)) * thickness, 0.1 * speed
    sideways = rng.random() < 0.5
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
        mass=log_uniform(0.01, 5.0),
        action=action,
        speed=speed,
        force=log_uniform(1, 200) if action != "hit" else 0.0,
        gap=gap,
        aim=aim,
        point=tuple(float(x) for x in point),
        normal=tuple(float(x) for x in normal),
        feature=tuple(float(x) for x in feature),
        up=tuple(float(x) for x in up),
        turns=tuple(float(x) for x in rng.uniform(0, 2 * np.pi, size=2)),
        offset=tuple(float(x) for x in rng.uniform(0, 0.5) * size * across * (rng.random() < 0.3)),
        lateral=tuple(float(x) for x in rng.uniform(0, 0.7) * speed * across * sideways),
        spin=tuple(float(x) for x in rng.uniform(0, 20) * _unit(rng.normal(size=3)) * sideways),
        guided=bool(action != "hit" and rng.random() < 0.5 and thing != "plane"),
        mount=mount,
        mount_mass=log_uniform(0.02, 0.5),
        step=step,
        integrator=str(rng.choice(INTEGRATORS)),
        solver=str(rng.choice(SOLVERS)),
        coupling=str(rng.choice(["rows", "explicit", "sense"], p=[0.8, 0.1, 0.1])),
    )


@functools.cache
def _inscribed(skin: str) -> float:
    """Inscribed radius of a sensor's mesh, m."""
    shape = sensor(skin).geom
    low, high = sensor(skin).bounds
    grid = [np.linspace(a, b, 25)[1:-1] for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    body = (shape.vertices, shape.triangles) if shape.type == "mesh" else shape.body(0.0)
    return float(-taxel.signed_distance(body, points).min())


# --- Model ---


def _turn(source: Any, target: Any, angle: float) -> np.ndarray:
    """Quaternion that takes one direction to the other, and turns by ``angle`` about it."""
    source, target = _unit(source), _unit(target)
    axis, c = np.cross(source, target), float(source @ target)
    if np.linalg.norm(axis) < 1e-9:
        other = np.cross(source, [1, 0, 0] if abs(source[0]) < 0.9 else [0, 1, 0])
        first = np.array([1.0, 0, 0, 0]) if c > 0 else np.array([0.0, *_unit(other)])
    else:
        first = _unit([1 + c, *axis])
    about, out = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * target)]), np.empty(4)
    mujoco.mju_mulQuat(out, about, first)
    return out


def rotation(quat: np.ndarray) -> np.ndarray:
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)


def _add_shape(spec: Any, body: Any, name: str, shape: Shape, **options: Any) -> None:
    if shape.type == "mesh":
        spec.add_mesh(
            name=name,
            uservert=shape.vertices.ravel(),
            userface=shape.triangles.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT,
        )
        body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **options)
    else:
        kind = getattr(mujoco.mjtGeom, "mjGEOM_" + shape.type.upper())
        body.add_geom(name=name, type=kind, size=[*shape.size, 0.0, 0.0][:3], **options)


def _add_skin(spec: Any, mount: Any, case: Case, quat: np.ndarray, pos: np.ndarray, mass: float, soft: bool) -> None:
    keys: dict[str, Any] = {"modulus": case.modulus, "dissipation": case.dissipation, "friction": case.friction}
    if case.skin in SENSORS:
        if soft:
            sensor(case.skin).replace(**keys).add_to(spec, body=mount, name="skin", pos=pos, quat=quat)
        else:
            body = mount.add_body(name="skin", pos=pos, quat=quat)
            _add_shape(spec, body, "skin", sensor(case.skin).geom)
    else:
        body = mount.add_body(name="skin", pos=pos, quat=quat)
        shape = Shape(case.skin, (1.0, 1.0, 0.1) if case.skin == "plane" else case.skin_size)
        _add_shape(spec, body, "skin", shape)
        if case.skin == "plane" or (case.field == "backed" and case.skin != "box"):
            keys["thickness"] = case.thickness
        if case.skin != "plane":
            keys["field"] = case.field
        if soft:
            taxel.soften(spec, "skin", name="skin", **keys)
    spec.geom("skin").friction = [case.friction, 0, 0]
    if mass:
        spec.geom("skin").mass = mass


def build(case: Case, soft: bool = True) -> tuple[Any, Any]:
    """(model, data) at the start; ``soft=False`` is the same scene for MuJoCo alone."""
    taxel.load()
    spec = mujoco.MjSpec()
    option = spec.option
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.timestep = case.step
    option.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + case.integrator.upper())
    option.solver = getattr(mujoco.mjtSolver, "mjSOL_" + case.solver.upper())
    up = np.array(case.up)
    thrown = case.object == "plane"
    q_skin = _turn(case.normal, -up if thrown else up, case.turns[0])
    # The point that is hit lies at the world's origin; of a skin that is thrown, above it by the gap.
    origin = -rotation(q_skin) @ case.point
    if thrown:
        lowest = (surface_points(case.skin, case.skin_size) @ rotation(q_skin).T @ up).min()
        origin = (case.gap - lowest) * up
    mount, mass = spec.worldbody, 0.0
    if case.mount != "fixed":
        mass = case.mass if thrown else case.mount_mass
        hinge = origin - [LINK_LENGTH, 0, 0]
        mount = spec.worldbody.add_body(name="mount", pos=origin if case.mount == "free" else hinge)
        origin = np.zeros(3)
        if case.mount == "free":
            mount.add_freejoint(name="mount")
        else:
            origin = np.array([LINK_LENGTH, 0, 0])
            _add_link(spec, mount, case, mass)
    _add_skin(spec, mount, case, q_skin, origin, mass, soft)
    if thrown:
        spec.worldbody.add_geom(
            name="object",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[1, 1, 0.1],
            quat=_turn([0, 0, 1], up, 0.0),
            friction=[case.friction, 0, 0],
        )
    else:
        _add_object(spec, case, soft)
    if soft:
        spec.add_plugin(name="impact_options", plugin_name="taxel").config = {"coupling": case.coupling}
    model = spec.compile()
    data = mujoco.MjData(model)
    velocity = np.array(case.lateral) - case.speed * up
    if thrown:
        data.qvel[:3] = velocity
        data.qvel[3:6] = case.spin
    elif not case.guided:
        start = model.jnt_dofadr[model.joint("object").id]
        data.qvel[start : start + 3] = velocity
        data.qvel[start + 3 : start + 6] = case.spin
    return model, data


def _add_link(spec: Any, mount: Any, case: Case, mass: float) -> None:
    """A finger on a hinge; its servo is weak enough for the step (docs/mujoco.md, Stiff servos)."""
    mount.add_joint(name="mount", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0], damping=[1e-4, 0, 0])
    mount.add_geom(
        name="link",
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[0, 0, 0, 0.8 * LINK_LENGTH, 0, 0],
        size=[0.004, 0, 0],
        mass=LINK_MASS,
        contype=0,
        conaffinity=0,
    )
    inertia = (mass + LINK_MASS / 3) * LINK_LENGTH**2
    servo = spec.add_actuator(name="mount", target="mount", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=min(20.0, 0.1 * inertia / case.step**2), kv=min(0.1, 0.1 * inertia / case.step))


def _add_object(spec: Any, case: Case, soft: bool) -> None:
    up, shape = np.array(case.up), object_shape(case.object, case.size)
    quat = _turn(case.feature, -up, case.turns[1])
    heights = surface_points(case.object, case.size) @ rotation(quat).T @ up
    place = (case.gap - heights.min()) * up + case.offset
    body = spec.worldbody.add_body(name="object", pos=place, quat=quat)
    if case.guided:
        body.add_joint(name="object", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=rotation(quat).T @ up)
    else:
        body.add_freejoint(name="object")
    _add_shape(spec, body, "object", shape, mass=case.mass, friction=[case.friction, 0, 0])
    if soft and case.object_modulus:
        taxel.soften(
            spec, "object", name="object", modulus=case.object_modulus, dissipation=case.dissipation,
            friction=case.friction,
        )  # fmt: skip
    if case.action != "plate":
        return
    half = max(0.5 * case.thickness, 5e-4)
    middle = place + (heights.max() - heights.min() + heights.min() + 1e-4 + half) * up
    plate = spec.worldbody.add_body(name="plate", pos=middle, quat=_turn([0, 0, 1], -up, 0.0))
    plate.add_joint(name="plate", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    plate.add_geom(
        name="plate",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[PLATE_HALF, PLATE_HALF, half],
        mass=PLATE_MASS,
        friction=[case.friction, 0, 0],
    )
    motor = spec.add_actuator(name="plate", target="plate", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()
    if soft:
        taxel.soften(
            spec, "plate", name="plate", modulus=case.modulus, dissipation=case.dissipation, field="backed",
            friction=case.friction,
        )  # fmt: skip
