"""Grippers of robosuite lift things: the Panda a YCB brick with one catalogue sensor after another on its fingers, the
Robotiq 2F-85 a box with skins on its own finger pads."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import taxel

from ...sensors import TactileSensor
from ...viewer.offscreen import View
from ..shared.grasp_film import smooth
from .packages import ROBOSUITE, YCB
from .stage import SOFT, STEEL, floor, hide, put_rigid
from .trial import Pilot, RobotScene

PANDA_READY = (0.0, np.pi / 16, 0.0, -np.pi / 2 - np.pi / 3, 0.0, np.pi - 0.2, np.pi / 4)
BRICK, BRICK_MASS = "061_foam_brick", 0.028
STAND = 0.06
"""Height of what the brick stands on, m: the longest sensor reaches below it."""
GRASP = (0.45, 0.0, STAND + 0.026)
LIFT = 0.10
GRIP = 8.0
"""Greatest force of a finger's motor, N."""


def _brick() -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles, standing on z = 0, its narrow side along y."""
    vertices, triangles = taxel.read_mesh(YCB.file(f"{BRICK}.stl"))
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    vertices = vertices - (*(0.5 * (low + high)[:2]), low[2])
    if np.ptp(vertices[:, 0]) < np.ptp(vertices[:, 1]):
        vertices = vertices[:, [1, 0, 2]] * (-1, 1, 1)
    return vertices, triangles


def _panda(sensor: TactileSensor, soft: bool) -> Any:
    spec = mujoco.MjSpec.from_file(str(ROBOSUITE.file("robots/panda/robot.xml")))
    gripper = mujoco.MjSpec.from_file(str(ROBOSUITE.file("grippers/panda_gripper.xml")))
    spec.body("right_hand").add_frame().attach_body(gripper.body("right_gripper"), "gripper_", "")
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    for body in spec.bodies:
        body.gravcomp = 1.0  # the arm's own controller carries the arm
    for actuator in spec.actuators:
        if actuator.name.startswith("torq_"):
            large = actuator.target in ("joint1", "joint2", "joint3", "joint4")
            actuator.set_to_position(kp=4000.0 if large else 1000.0, kv=400.0 if large else 100.0)
            actuator.ctrllimited = False
        else:
            actuator.forcerange = (-GRIP, GRIP)
    # Out of the finger's inner face, whose middle is at this place in the frame of the tip.
    behind = -float(sensor.bounds[0, 2])
    for name, tip, side, quat in (
        ("left", "gripper_finger_joint1_tip", -1.0, (2**-0.5, 2**-0.5, 0.0, 0.0)),
        ("right", "gripper_finger_joint2_tip", 1.0, (0.0, 0.0, 2**-0.5, 2**-0.5)),
    ):
        place = (0.0, side * (0.009 + behind), -0.015)
        if soft:
            sensor.add_to(spec, body=tip, name=name, pos=place, quat=quat)
            spec.body(name).gravcomp = 1.0
            spec.geom(name).rgba = SOFT
        else:
            put_rigid(spec, sensor, spec.body(tip), name, place, quat)
    hide(spec, "_collision")
    _stand(spec)
    vertices, triangles = _brick()
    spec.add_mesh(name="brick", uservert=vertices.ravel(), userface=triangles.ravel())
    brick = spec.worldbody.add_body(name="object", pos=(GRASP[0], 0, STAND))
    brick.add_freejoint()
    brick.add_geom(
        name="object", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="brick", mass=BRICK_MASS, rgba=(0.70, 0.28, 0.20, 1)
    )
    return spec


def _stand(spec: Any) -> None:
    floor(spec, -0.001)
    spec.worldbody.add_geom(
        name="stand",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=(GRASP[0], 0, 0.5 * STAND),
        size=(0.03, 0.018, 0.5 * STAND),
        rgba=STEEL,
    )


def reach(model: Any, place: np.ndarray, site: str, start: np.ndarray, joints: int = 7) -> np.ndarray:
    """Joint angles that bring a site to a place, z down and x along y: damped least squares from a pose near by."""
    data = mujoco.MjData(model)
    data.qpos[:joints] = start
    number = model.site(site).id
    J = np.zeros((6, model.nv))
    down = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    for _ in range(200):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        R = data.site_xmat[number].reshape(3, 3)
        turn = 0.5 * sum(np.cross(R[:, k], down[:, k]) for k in range(3))
        error = np.concatenate([place - data.site_xpos[number], turn])
        if np.linalg.norm(error) < 1e-10:
            break
        mujoco.mj_jacSite(model, data, J[:3], J[3:], number)
        A = J[:, :joints]
        data.qpos[:joints] += A.T @ np.linalg.solve(A @ A.T + 1e-6 * np.eye(6), error)
    return data.qpos[:joints].copy()


def _lift_brick(model: Any, data: Any) -> Pilot:
    path, at = [], np.array(PANDA_READY)
    for height in np.linspace(0.0, LIFT, 11):
        at = reach(model, np.array(GRASP) + (0, 0, height), "gripper_grip_site", at)
        path.append(at)
    path = np.array(path)
    data.qpos[:7], data.qpos[7:9] = path[0], (0.04, -0.04)

    def pilot(data: Any, t: float) -> None:
        share = 10 * smooth(min(1.0, max(0.0, (t - 0.5) / 0.6)))
        low = min(9, int(share))
        data.ctrl[:7] = path[low] + (share - low) * (path[low + 1] - path[low])
        opening = 0.04 * (1 - smooth(min(1.0, max(0.0, (t - 0.02) / 0.3))))
        data.ctrl[7:9] = opening, -opening

    return pilot


PANDA_SKINS = {
    "pad": lambda: taxel.sensors.pad(size=(0.018, 0.018), thickness=0.003, modulus=2e5, friction=0.8),
    "weiss": lambda: taxel.sensors.weiss(modulus=1e5),
    "digit": lambda: taxel.sensors.digit(),
    "gelsight_mini": lambda: taxel.sensors.gelsight_mini(),
    "bristles": lambda: taxel.sensors.weiss(modulus=1e5, model="bristle"),
}


def panda(skin: str, quick: bool = False) -> RobotScene:
    words = {
        "pad": "18 x 18 x 3 mm, 2e5 Pa",
        "weiss": "its foam at 1e5 Pa",
        "bristles": "weiss, at 1e5 Pa",
    }
    return RobotScene(
        name=f"panda-{skin.replace('_', '-')}",
        title=f"Panda, brick, {skin}",
        skin=words.get(skin, "as catalogued"),
        needs=(ROBOSUITE, YCB),
        build=lambda soft: _panda(PANDA_SKINS[skin](), soft),
        start=_lift_brick,
        subject="object",
        hold=(1.3, 1.8),
        within="gripper_right_gripper",
        view=View((GRASP[0], 0, GRASP[2] + LIFT), 0.30, 35, -18),
        quick=quick,
    )
