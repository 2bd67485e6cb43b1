"""The Franka Emika Panda arm with its hand, written from published numbers; primitives for looks.

Kinematics and limits: Franka Control Interface documentation (Denavit-Hartenberg parameters after Craig, joint and
torque limits). Masses, centres of mass and inertias of the links: Gaz et al., "Dynamic identification of the Franka
Emika Panda robot with retrieval of feasible parameters", RA-L 2019. Mass of the hand: its data sheet. The motors'
inertia seen at the joints is an estimate (0.1 kg m2). The arm touches things with its fingers only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

# a, d, alpha of the frame of each joint in that before it (Craig), m and rad.
DH = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -math.pi / 2),
    (0.0, 0.316, math.pi / 2),
    (0.0825, 0.0, math.pi / 2),
    (-0.0825, 0.384, -math.pi / 2),
    (0.0, 0.0, math.pi / 2),
    (0.088, 0.0, math.pi / 2),
)
LIMITS = (
    (-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698), (-2.8973, 2.8973), (-0.0175, 3.7525),
    (-2.8973, 2.8973),
)  # fmt: skip
TORQUE = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)
FLANGE = 0.107  # m from the last joint's frame along its axis
TIP = 0.1034  # m from the hand's base to the middle of the fingertips
HOME = (0.0, 0.0, 0.0, -2.2, 0.0, 2.2, math.pi / 4)
ARMATURE = 0.1
# Mass (kg), centre (m), inertia about it (kg m2): xx yy zz xy xz yz.
LINKS = (
    (4.970684, (3.875e-3, 2.081e-3, -4.762e-2), (0.70337, 0.70661, 9.117e-3, -1.39e-4, 6.772e-3, 1.9169e-2)),
    (0.646926, (-3.141e-3, -2.872e-2, 3.495e-3), (7.962e-3, 2.811e-2, 2.5995e-2, -3.925e-3, 1.0254e-2, 7.04e-4)),
    (3.228604, (2.7518e-2, 3.9252e-2, -6.6502e-2), (3.7242e-2, 3.6155e-2, 1.083e-2, -4.761e-3, -1.1396e-2, -1.2805e-2)),
    (3.587895, (-5.317e-2, 1.04419e-1, 2.7454e-2), (2.5853e-2, 1.9552e-2, 2.8323e-2, 7.796e-3, -1.332e-3, 8.641e-3)),
    (1.225946, (-1.1953e-2, 4.1065e-2, -3.8437e-2), (3.5549e-2, 2.9474e-2, 8.627e-3, -2.117e-3, -4.037e-3, 2.29e-4)),
    (1.666555, (6.0149e-2, -1.4117e-2, -1.0517e-2), (1.964e-3, 4.354e-3, 5.433e-3, 1.09e-4, -1.158e-3, 3.41e-4)),
    (0.735522, (1.0517e-2, -4.252e-3, 6.1597e-2), (1.2516e-2, 1.0027e-2, 4.815e-3, -4.28e-4, -1.196e-3, -7.41e-4)),
)
# What is seen of each link: capsules from, to (in the joint's frame) and radius.
_LOOKS: tuple[tuple[tuple[tuple[float, float, float], tuple[float, float, float], float], ...], ...] = (
    (((0, 0, -0.192), (0, 0, -0.03), 0.06), ((0, -0.03, 0), (0, 0.03, 0), 0.058)),
    (((0, 0, -0.06), (0, 0, 0.06), 0.058), ((0, -0.1, 0), (0, -0.19, 0), 0.056)),
    (((0, 0, -0.12), (0, 0, -0.06), 0.056), ((0.0825, 0, -0.06), (0.0825, 0, 0.04), 0.055)),
    (((0, 0, -0.05), (0, 0, 0.05), 0.055), ((-0.0825, 0.06, 0), (-0.0825, 0.13, 0), 0.053)),
    (((0, 0, -0.26), (0, 0, -0.2), 0.055), ((0, 0.06, -0.18), (0, 0.08, -0.02), 0.032)),
    (((0, 0, -0.06), (0, 0, 0.02), 0.05), ((0.088, 0.0, -0.01), (0.088, 0.06, 0), 0.045)),
    (((0, 0, 0.0), (0, 0, 0.07), 0.044),),
)
WHITE, GREY, DARK = (0.93, 0.93, 0.92, 1), (0.55, 0.57, 0.6, 1), (0.23, 0.24, 0.26, 1)


def _frame(a: float, d: float, alpha: float) -> tuple[list[float], list[float]]:
    """Position and quaternion of a Denavit-Hartenberg frame at angle 0."""
    position = [a, -d * math.sin(alpha), d * math.cos(alpha)]
    return position, [math.cos(alpha / 2), math.sin(alpha / 2), 0.0, 0.0]


def add_arm(mujoco: Any, spec: Any) -> Any:
    """Puts the arm at the origin of the world; returns the body of the hand, whose z looks along the fingers."""
    geom = mujoco.mjtGeom
    seen = {"contype": 0, "conaffinity": 0, "group": 1, "mass": 0.0}
    base = spec.worldbody.add_body(name="link0")
    base.add_geom(type=geom.mjGEOM_CYLINDER, size=(0.075, 0.05, 0), pos=(0, 0, 0.05), rgba=WHITE, **seen)
    base.add_geom(type=geom.mjGEOM_BOX, size=(0.08, 0.06, 0.03), pos=(-0.06, 0, 0.03), rgba=GREY, **seen)
    parent = base
    for k, ((a, d, alpha), limit, torque) in enumerate(zip(DH, LIMITS, TORQUE, strict=True)):
        position, quaternion = _frame(a, d, alpha)
        mass, centre, inertia = LINKS[k]
        body = parent.add_body(name=f"link{k + 1}", pos=position, quat=quaternion, gravcomp=1.0)
        body.mass, body.ipos, body.fullinertia, body.explicitinertial = mass, centre, inertia, True
        body.add_joint(
            name=f"joint{k + 1}", axis=(0, 0, 1), range=limit, limited=True, armature=ARMATURE, damping=0.1,
            actfrcrange=(-torque, torque),
        )  # fmt: skip
        for j, (start, end, radius) in enumerate(_LOOKS[k]):
            body.add_geom(
                type=geom.mjGEOM_CAPSULE, fromto=(*start, *end), size=(radius, 0, 0), rgba=GREY if j else WHITE, **seen
            )
        parent = body
    half = math.pi / 8  # the hand is turned by -45 degrees on the flange
    hand = parent.add_body(name="hand", pos=(0, 0, FLANGE), quat=(math.cos(half), 0, 0, -math.sin(half)), gravcomp=1.0)
    hand.mass, hand.ipos, hand.inertia, hand.explicitinertial = 0.73, (-0.01, 0, 0.03), (1e-3, 2.5e-3, 1.7e-3), True
    hand.add_geom(type=geom.mjGEOM_BOX, size=(0.02, 0.1, 0.022), pos=(0, 0, 0.036), rgba=WHITE, **seen)
    hand.add_geom(type=geom.mjGEOM_CYLINDER, size=(0.045, 0.012, 0), pos=(0, 0, 0.008), rgba=GREY, **seen)
    return hand


def forward(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose (n, 4, 4) of the middle of the fingertips at joint angles q (n, 7), and its Jacobian (n, 6, 7): linear above
    angular, in the base's frame."""
    q = np.atleast_2d(np.asarray(q, float))
    n = len(q)
    X = np.tile(np.eye(4), (n, 1, 1))
    axes, anchors = [], []
    for k, (a, d, alpha) in enumerate(DH):
        c, s, ca, sa = np.cos(q[:, k]), np.sin(q[:, k]), math.cos(alpha), math.sin(alpha)
        T = np.zeros((n, 4, 4))
        T[:, 0] = np.stack([c, -s, 0 * c, 0 * c + a], 1)
        T[:, 1] = np.stack([s * ca, c * ca, 0 * c - sa, 0 * c - d * sa], 1)
        T[:, 2] = np.stack([s * sa, c * sa, 0 * c + ca, 0 * c + d * ca], 1)
        T[:, 3, 3] = 1
        X = X @ T
        axes.append(X[:, :3, 2].copy())
        anchors.append(X[:, :3, 3].copy())
    tool = np.eye(4)
    r = math.sqrt(0.5)
    tool[:2, :2], tool[2, 3] = [[r, r], [-r, r]], FLANGE + TIP
    X = X @ tool
    axis, anchor = np.stack(axes, 2), np.stack(anchors, 2)
    linear = np.cross(axis, X[:, :3, 3:] - anchor, axis=1)
    return X, np.concatenate([linear, axis], 1)


def flat_wrist(reach: Any, height: Any, tilt: Any) -> Any:
    """Angle of joint 6 that puts the tip at ``reach`` (m from the axis of joint 1) and ``height`` with the arm in one
    plane, the fingers down and then tilted outwards by ``tilt`` (rad); torch tensors. NaN: out of reach."""
    (shoulder, upper, fore), (before, beyond) = (DH[0][1], DH[2][1], DH[4][1]), (DH[3][0], DH[6][0])
    c, s, hand = torch.cos(tilt), torch.sin(tilt), FLANGE + TIP
    x, z = reach - hand * s - beyond * c, height + hand * c - beyond * s - shoulder
    span2, first2, second2 = x * x + z * z, upper**2 + before**2, fore**2 + before**2
    bend, other = math.atan2(before, upper), math.atan2(before, fore)
    elbow = torch.acos((first2 + second2 - span2) / (2 * math.sqrt(first2 * second2))) - math.pi - bend - other
    lean = torch.acos((first2 + span2 - second2) / (2 * math.sqrt(first2) * span2.sqrt()))
    return torch.atan2(x, z) - lean - bend - elbow + tilt


def inverse(target: np.ndarray, posture: tuple[float, ...] = HOME, rounds: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Joint angles (n, 7) near ``posture`` that bring the tip to target (n, 4, 4), and the error left (n,), m or rad.

    Damped least squares, with the null space drawn to it, so that the elbow stays where it was.
    """
    home = np.array(posture)
    low, high = np.array(LIMITS).T
    q = np.tile(home, (len(target), 1))
    error = np.full(len(target), np.inf)
    for _ in range(rounds):
        X, J = forward(q)
        turn = target[:, :3, :3] @ X[:, :3, :3].transpose(0, 2, 1)
        angular = 0.5 * np.stack(
            [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], 1
        )
        e = np.concatenate([target[:, :3, 3] - X[:, :3, 3], angular], 1)
        error = np.abs(e).max(1)
        inverse_of = J.transpose(0, 2, 1) @ np.linalg.inv(J @ J.transpose(0, 2, 1) + 1e-6 * np.eye(6))
        step = (inverse_of @ e[..., None])[..., 0]
        rest = (home - q) * 0.2
        rest -= (inverse_of @ (J @ rest[..., None]))[..., 0]
        q = np.clip(q + np.clip(step + rest, -0.3, 0.3), low + 0.01, high - 0.01)
    return q, error
