"""The Robotiq 2F-85 of robosuite lifts a box with skins on its own finger pads."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import mujoco

import taxel

from ...viewer.offscreen import View
from ..shared.grasp_film import smooth
from .packages import ROBOSUITE
from .stage import SOFT, STEEL, floor, hide, layer
from .trial import Pilot, RobotScene

HAND = 0.30
"""Height of the flange above the floor at first, m."""
STAND = 0.148
BOX, BOX_MASS = 0.02, 0.15
LIFT = 0.08
SIDES = ("left", "right")


def _gripper() -> Any:
    """The file leaves its angles' unit to robosuite, and names one mesh twice: the first is taken."""
    path = ROBOSUITE.file("grippers/robotiq_gripper_85.xml")
    tree = ElementTree.parse(path)
    assets, names = tree.getroot().find("asset"), set()
    for mesh in list(assets):
        if mesh.get("name") in names:
            assets.remove(mesh)
        names.add(mesh.get("name"))
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(tree.getroot(), encoding="unicode"))
    spec.meshdir, spec.compiler.degree = str(path.parent), False
    return spec


def _build(soft: bool, thickness: float, modulus: float) -> Any:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    gripper = _gripper()
    for body in gripper.bodies:
        body.gravcomp = 1.0
    for joint in gripper.joints:
        # The model leaves damping and the motor's inertia to robosuite; without them its light links ring for seconds.
        joint.damping, joint.armature = (0.05, 0.0, 0.0), 0.001
    for geom in gripper.geoms:
        geom.conaffinity = 0  # its links touch each other at their pivots
    for spring in list(gripper.tendons):
        gripper.delete(spring)
    for link, knuckle, ratio in (
        ("left_inner_finger", "finger", -1),
        ("left_inner_knuckle", "finger", 1),
        ("right_inner_finger", "right_outer_knuckle", -1),
        ("right_inner_knuckle", "right_outer_knuckle", 1),
    ):
        # Four bars keep the pads parallel; the model has weak springs in their place.
        bars = gripper.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT)
        bars.name1, bars.name2 = f"{link}_joint", f"{knuckle}_joint"
        bars.data[:5] = (0, ratio, 0, 0, 0)
    wrist = spec.worldbody.add_body(name="wrist", pos=(0, 0, HAND), quat=(0, 1, 0, 0), gravcomp=1.0)
    wrist.add_joint(name="lift", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, -1), armature=5.0)
    wrist.add_frame().attach_body(gripper.body("robotiq_85_adapter_link"), "gripper_", "")
    servo = spec.add_actuator(name="lift", target="lift", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=2e4, kv=800.0)
    hide(spec, "_collision")
    floor(spec)
    stand = spec.worldbody.add_geom(name="stand", type=mujoco.mjtGeom.mjGEOM_BOX, rgba=STEEL)
    stand.size, stand.pos = (0.015, 0.012, 0.5 * STAND), (0, 0, 0.5 * STAND)
    box = spec.worldbody.add_body(name="object", pos=(0, 0, STAND + BOX))
    box.add_freejoint()
    box.add_geom(
        name="object", type=mujoco.mjtGeom.mjGEOM_BOX, size=(BOX,) * 3, mass=BOX_MASS, rgba=(0.25, 0.50, 0.72, 1)
    )
    for side in SIDES:
        pad = spec.geom(f"gripper_{side}_fingerpad_collision")
        # As delivered the pad stands 0.3 mm proud of the rigid fingertip behind it, which would touch first.
        pad.size = (pad.size[0], 0.5 * thickness, pad.size[2])
        pad.pos = (0, -0.0251953 - 0.5 * thickness, pad.pos[2])
        pad.group, pad.rgba = 0, SOFT
        pad.friction = (0.8, 0.005, 0.0001)
    if soft:
        pads = [f"gripper_{side}_fingerpad_collision" for side in SIDES]
        taxel.soften(spec, pads, modulus=modulus, field="backed", exposed=(0, -1, 0), dissipation=5)
        for side, pad in zip(SIDES, pads, strict=True):
            taxel.add_sensor(spec, pad, name=side, shape=(12, 8), face="-y")
    return spec


def _start(model: Any, data: Any) -> Pilot:
    lift = model.actuator("lift").id
    fingers = [model.actuator(name).id for name in ("gripper_finger_1", "gripper_finger_2")]

    def pilot(data: Any, t: float) -> None:
        data.ctrl[lift] = LIFT * smooth((t - 0.6) / 0.6)
        data.ctrl[fingers] = 0.50 * smooth((t - 0.02) / 0.4)

    return pilot


def robotiq(thickness: float = 0.002, modulus: float = 2e5, quick: bool = False) -> RobotScene:
    return RobotScene(
        name="robotiq",
        title="Robotiq 2F-85, box",
        skin=layer(thickness, modulus),
        needs=(ROBOSUITE,),
        build=lambda soft: _build(soft, thickness, modulus),
        start=_start,
        subject="object",
        hold=(1.4, 1.9),
        within="wrist",
        view=View((0, 0, HAND - 0.04), 0.36, 25, -12),
        quick=quick,
    )
