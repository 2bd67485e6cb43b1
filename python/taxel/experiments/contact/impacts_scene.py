"""The MuJoCo model of one run of impacts.py: skin, object, plate, link, at the start.

The skin's frame is that of its body, the object's that of its own. The point that is hit lies at the world's origin.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.sensors import Shape

from .impacts_draw import LAYERS, Case
from .impacts_shapes import SENSORS, object_shape, sensor, surface_points, unit

PLATE_HALF, PLATE_MASS, LINK_LENGTH, LINK_MASS = 0.02, 0.2, 0.05, 0.03


def _turn(source: Any, target: Any, angle: float) -> np.ndarray:
    """Quaternion that takes one direction to the other, and turns by ``angle`` about it."""
    source, target = unit(source), unit(target)
    axis, c = np.cross(source, target), float(source @ target)
    if np.linalg.norm(axis) < 1e-9:
        other = np.cross(source, [1, 0, 0] if abs(source[0]) < 0.9 else [0, 1, 0])
        first = np.array([1.0, 0, 0, 0]) if c > 0 else np.array([0.0, *unit(other)])
    else:
        first = unit([1 + c, *axis])
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
        keys["field"] = case.field
        if case.skin == "plane" or (case.field in LAYERS and case.skin != "box"):
            keys["thickness"] = case.thickness
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
    """A finger on a hinge; its servo is weak enough for the step (docs/guide/mujoco.md, Stiff servos)."""
    mount.add_joint(name="mount", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
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
