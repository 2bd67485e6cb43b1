"""Legged robots of mjlab on soft feet: the humanoid G1 stands on insoles, the quadruped Go1 stands and lands.

mjlab makes its actuators in Python; the numbers of its constants are written down here: stiffness = I w^2 and
damping = 4 I w (w = 2 pi 10 / s) of the reflected inertia I.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from .packages import MJLAB
from .stage import SOFT, floor, layer, put_rigid
from .trial import Pilot, RobotScene

OMEGA = 2 * np.pi * 10.0

# Joints: reflected inertia (kg m2), greatest torque (N m), angle of the first pose (rad).
GO1_MOTORS = {".*_(hip|thigh)_joint": (0.000111842 * 6**2, 23.7), ".*_calf_joint": (0.000111842 * 9**2, 35.55)}
GO1_POSE = {".*thigh_joint": 0.9, ".*calf_joint": -1.8, ".*R_hip_joint": 0.1, ".*L_hip_joint": -0.1}
GO1_FEET = [f"{leg}_foot_collision" for leg in ("FR", "FL", "RR", "RL")]
GO1_HEIGHT = 0.278

G1_MOTORS = {
    ".*(_elbow|_shoulder_(pitch|roll|yaw)|_wrist_roll)_joint": (0.003609725, 25.0),
    "(.*_hip_(pitch|yaw)|waist_yaw)_joint": (0.010177520, 88.0),
    ".*_(hip_roll|knee)_joint": (0.025101925, 139.0),
    ".*_wrist_(pitch|yaw)_joint": (0.00425, 5.0),
    "(waist|.*_ankle)_(pitch|roll)_joint": (2 * 0.003609725, 50.0),
}
G1_POSE = {
    ".*_hip_pitch_joint": -0.1,
    ".*_knee_joint": 0.3,
    ".*_ankle_pitch_joint": -0.2,
    ".*_shoulder_pitch_joint": 0.2,
    ".*_elbow_joint": 1.28,
    "left_shoulder_roll_joint": 0.2,
    "right_shoulder_roll_joint": -0.2,
}
G1_HEIGHT = 0.783675
SOLE = (0.186, 0.06, 0.008)
"""Length, width and thickness of an insole, m."""


def _match(table: Mapping[str, Any], name: str, default: Any = None) -> Any:
    return next((value for pattern, value in table.items() if re.fullmatch(pattern, name)), default)


def _robot(folder: str, file: str, motors: Mapping[str, tuple[float, float]], gain: float = 1.0) -> Any:
    """The robot on a floor with its position actuators, at mjlab's time step."""
    spec = mujoco.MjSpec.from_file(str(MJLAB.file(f"{folder}/xmls/{file}")))
    spec.option.timestep = 0.005
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_HINGE:
            continue
        inertia, torque = _match(motors, joint.name)
        joint.armature = inertia
        servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=gain * inertia * OMEGA**2, kv=gain * 4 * inertia * OMEGA)
        servo.forcerange = (-torque, torque)
    floor(spec).friction = (1, 0.005, 0.0001)
    return spec


def _stand(model: Any, data: Any, pose: Mapping[str, float], height: float) -> Pilot:
    data.qpos[:7] = (0, 0, height, 1, 0, 0, 0)
    for i in range(model.nu):
        angle = _match(pose, model.actuator(i).name, 0.0)
        data.qpos[model.joint(model.actuator(i).name).qposadr[0]] = data.ctrl[i] = angle
    return lambda data, t: None


def _go1(soft: bool, thickness: float, modulus: float) -> Any:
    spec = _robot("unitree_go1", "go1.xml", GO1_MOTORS)
    for name in GO1_FEET:
        foot = spec.geom(name)
        foot.friction, foot.group, foot.rgba = (1, 0.005, 0.0005), 0, SOFT
    if soft:
        taxel.soften(spec, GO1_FEET, modulus=modulus, field="backed", thickness=thickness, dissipation=2)
        for name in GO1_FEET:
            taxel.add_sensor(spec, name, name=name.removesuffix("_collision"), shape=(12, 16))
    return spec


GO1_HEIGHTS = {
    "stand": ("Go1 stands", GO1_HEIGHT + 0.0165),
    "start": ("Go1 starts 16 mm deep", GO1_HEIGHT),
    "land": ("Go1 lands from 10 cm", GO1_HEIGHT + 0.1165),
}
"""Height of the trunk at first, m: feet on the floor; as mjlab starts it, with the feet in the floor; let fall."""


def go1(how: str, thickness: float = 0.003, modulus: float = 3e5, quick: bool = False) -> RobotScene:
    title, height = GO1_HEIGHTS[how]
    return RobotScene(
        name=f"go1-{how}",
        title=title,
        skin=layer(thickness, modulus),
        needs=(MJLAB,),
        build=lambda soft: _go1(soft, thickness, modulus),
        start=lambda model, data: _stand(model, data, GO1_POSE, height),
        subject="trunk",
        watched=tuple(GO1_FEET),
        hold=(2.0, 4.0),
        view=View((0.05, 0, 0.14), 1.05, 130, -18),
        quick=quick,
    )


def _g1(soft: bool, modulus: float) -> Any:
    # With mjlab's gains the ankles are softer than m g h: G1 falls unless something balances it. Ten times stiffer it
    # stands; servos as stiff as that want the integrator discrete.
    spec = _robot("unitree_g1", "g1.xml", G1_MOTORS, gain=10.0)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    for side in ("left", "right"):
        foot = spec.body(f"{side}_ankle_roll_link")
        # The capsules under the foot give way to a sole as long and as wide, glued under it.
        for k in range(1, 8):
            geom = spec.geom(f"{side}_foot{k}_collision")
            geom.contype = geom.conaffinity = 0
        sole = taxel.sensors.pad(size=SOLE[1::-1], thickness=SOLE[2], shape=(18, 6), modulus=modulus, friction=1.0)
        pose = {"pos": (0.039, 0, -0.035 - 0.5 * SOLE[2]), "quat": SOLE_DOWN}
        if soft:
            sole.add_to(spec, body=foot, name=f"{side}_sole", **pose)
            spec.geom(f"{side}_sole").rgba = SOFT
        else:
            put_rigid(spec, sole, foot, f"{side}_sole", **pose)
    return spec


# x of the sole across the foot, y to the toes, z out of it, down.
SOLE_DOWN = (0.0, 2**-0.5, 2**-0.5, 0.0)


def g1(modulus: float = 3e5, quick: bool = False) -> RobotScene:
    return RobotScene(
        name="g1-stand",
        title="G1 stands",
        skin=layer(SOLE[2], modulus),
        needs=(MJLAB,),
        build=lambda soft: _g1(soft, modulus),
        start=lambda model, data: _stand(model, data, G1_POSE, G1_HEIGHT + SOLE[2]),
        subject="pelvis",
        watched=("left_sole", "right_sole"),
        hold=(2.0, 4.0),
        view=View((0.0, 0, 0.62), 2.2, 140, -10),
        quick=quick,
    )
