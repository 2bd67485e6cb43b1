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
FORCE, TORQUES = STIFFNESS[0] * REACH, STIFFNESS[1] * TWIST  # N and N m of it
SPEED = (FORCE / DAMPING[0], TORQUES / DAMPING[1])  # m/s and rad/s that it comes to with free joints
LITTLE, SWEEPS = 0.01, 8


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


def response(
    linear: torch.Tensor, axis: torch.Tensor, damping: torch.Tensor, away: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What an action comes to, against the joints' own ``damping`` (worlds, 7): steady velocities of the tool, in units
    of those that an action of 1 has with free joints, by action (worlds, 6, 6), and with none (worlds, 6).

    linear, axis (worlds, 7, 3): velocities of the tool by those of the joints
    away  as of ``arm_torques``
    """
    jacobian = torch.cat([linear, axis], -1)
    unit6, unit7 = (R.constant(np.eye(n), away).expand(len(away), n, n) for n in (6, 7))
    felt = jacobian @ solve_all(torch.cat([jacobian.mT @ jacobian + DAMPED * unit6, unit6], -1))
    spare = unit7 - felt @ jacobian.mT
    joints = torch.diag_embed(damping) + POSTURE[1] * spare
    yields = jacobian.mT @ solve_all(torch.cat([joints, jacobian, -POSTURE[0] * (spare @ away[..., None])], -1))
    # Two dampers in a row, that of the tool and those of the joints.
    force, speed = (R.constant([a] * 3 + [b] * 3, away) for a, b in ((FORCE, TORQUES), SPEED))
    both = solve_all(torch.cat([yields[..., :6] + torch.diag_embed(speed / force), unit6], -1)) / force[:, None]
    return unit6 - both * speed, (both @ yields[..., 6:])[..., 0]


def nearest_action(
    wanted: torch.Tensor, response: tuple[torch.Tensor, torch.Tensor], weight: tuple[float, ...], like: torch.Tensor
) -> torch.Tensor:
    """The action (worlds, 6) of at most 1 whose velocities are nearest to ``wanted`` (in units as of ``response``),
    each counted by its ``weight``; where that says little, near the action ``like``."""
    scaled = R.constant(weight, wanted)
    gain, error = scaled[:, None] * response[0], scaled * (wanted - response[1])
    square = gain.mT @ gain + LITTLE * R.constant(np.eye(6), wanted)
    right = (gain.mT @ error[..., None])[..., 0] + LITTLE * like
    parts = list(like.unbind(-1))
    for _ in range(SWEEPS):
        for k in range(6):
            rest = sum(square[:, k, j] * parts[j] for j in range(6) if j != k)
            parts[k] = ((right[:, k] - rest) / square[:, k, k]).clamp(-1.0, 1.0)
    return torch.stack(parts, -1)


def solve(system: torch.Tensor) -> torch.Tensor:
    """x (worlds, n) of A x = b from (worlds, n, n + 1), A beside b."""
    return solve_all(system)[:, :, 0]


def solve_all(system: torch.Tensor) -> torch.Tensor:
    """X (worlds, n, m) of A X = B from (worlds, n, n + m), A beside B. A is symmetric, positive: any pivot will do."""
    n = system.shape[1]
    for k in range(n):
        row = system[:, k : k + 1] / system[:, k : k + 1, k : k + 1]
        system = system - system[:, :, k : k + 1] * row
        system[:, k : k + 1] = row
    return system[:, :, n:]
