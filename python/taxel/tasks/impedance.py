"""Task-space impedance control of the arm, as HydroShear's release has it: springs and dampers at the tool."""

from __future__ import annotations

import numpy as np
import torch

from . import rotation as R
from .franka import TORQUE

STIFFNESS, DAMPING = (600.0, 50.0), (50.0, 1.41)  # N/m, N m/rad; N s/m, N m s/rad
POSTURE = (10.0, 2.0)  # N m/rad and N m s/rad in the null space: without them the elbow drifts to its limits
DAMPED = 1e-4
REACH, TWIST = 0.01, 0.05  # m and rad of an action of 1


def target_pose(position: torch.Tensor, quaternion: torch.Tensor, action: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Where an action (worlds, 6) wants the tool: from where it is now."""
    goal = R.multiply(R.turn(TWIST * action[:, 3:6]), quaternion)
    return position + REACH * action[:, :3], goal


def arm_torques(
    position: torch.Tensor, quaternion: torch.Tensor, target: tuple[torch.Tensor, ...], anchor: torch.Tensor,
    axis: torch.Tensor, rate: torch.Tensor, lift: torch.Tensor, away: torch.Tensor,
) -> torch.Tensor:  # fmt: skip
    """Torques (worlds, 7). anchor, axis (worlds, 7, 3): of the joints, in the world; rate (worlds, 7): their speeds.

    lift  (worlds,) weight of the payload that the arm was told, N
    away  (worlds, 7) from the posture that the arm's spare freedom is drawn to, rad
    """
    linear = torch.linalg.cross(axis, position[:, None] - anchor)
    velocity = (linear * rate[..., None]).sum(1)
    spin = (axis * rate[..., None]).sum(1)
    force = STIFFNESS[0] * (target[0] - position) - DAMPING[0] * velocity
    force = force + lift[:, None] * R.constant((0.0, 0.0, 1.0), position)
    error = R.angle_axis(R.multiply(target[1], R.conjugate(quaternion)))
    torque = STIFFNESS[1] * error - DAMPING[1] * spin
    tau = (linear * force[:, None]).sum(-1) + (axis * torque[:, None]).sum(-1)
    jacobian = torch.cat([linear, axis], -1)  # (worlds, 7, 6)
    rest = -POSTURE[0] * away - POSTURE[1] * rate
    # Products of small matrices as sums: a library of matrices would take memory inside a CUDA graph.
    columns = torch.cat([jacobian, rest[..., None]], -1)
    system = (jacobian[..., :, None] * columns[..., None, :]).sum(1)  # J'J and beside it J' rest
    felt = solve(system + DAMPED * R.constant(np.eye(6, 7), tau))
    tau = tau + rest - (jacobian * felt[:, None]).sum(-1)
    limit = R.constant(TORQUE, tau)
    return torch.minimum(torch.maximum(tau, -limit), limit)


def solve(system: torch.Tensor) -> torch.Tensor:
    """x (worlds, n) of A x = b from (worlds, n, n + 1), A beside b. A is symmetric and positive: any pivot will do."""
    for k in range(system.shape[1]):
        row = system[:, k : k + 1] / system[:, k : k + 1, k : k + 1]
        system = system - system[:, :, k : k + 1] * row
        system[:, k : k + 1] = row
    return system[:, :, -1]
