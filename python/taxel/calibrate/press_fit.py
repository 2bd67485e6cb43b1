"""Modulus of a skin and poses of what was pressed into it, at once, from images of its taxels.

The gradients of the pressure model (``taxel.contact_gradient``) make this a least-squares problem of a few steps. The
residuals are the taxels of all presses; the unknowns are the modulus, which all presses share, and for each press how
far the object was from where it was thought to be. Levenberg and Marquardt's damping; the modulus by its logarithm, so
that it stays positive. A pressure is proportional to the modulus where one of the bodies is soft, so the body is made
once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..common.arguments import show
from ..contact import contact_gradient
from ..skin import Skin
from .report import Row, row, table
from .statistics import Estimate

AXES = ("x", "y", "z", "rx", "ry", "rz")
"""Shifts along the axes of the sensor and turns about them, through the object's origin."""
_SIZE = np.array([1e-3] * 3 + [0.1] * 3)  # m, rad: what a step of 1 means
_STEPS, _ENOUGH = 60, 1e-10


@dataclass(frozen=True)
class PressFit:
    modulus: Estimate
    """Pa."""
    poses: np.ndarray
    """(N, 4, 4): of the object in the sensor's frame, as fitted."""
    moved: np.ndarray
    """(N, 6): how far that is from the start, m and rad; 0 for what was not free."""
    errors: np.ndarray
    """(N, 6): standard errors of the same; infinite for what the images do not tell."""
    images: np.ndarray
    """(N, taxels): of the fit, Pa."""
    noise: float
    """Pa: root mean square of what is left, per degree of freedom."""
    steps: int
    notes: list[str]

    def rows(self) -> list[Row]:
        rows = [row("modulus", self.modulus, "kPa", 1e-3)]
        for i, (shift, error) in enumerate(zip(self.moved, self.errors, strict=True)):
            for name, value, one in zip(AXES, shift, error, strict=True):
                if not one > 0:
                    continue
                scale, unit = (1e3, "mm") if len(name) == 1 else (180 / math.pi, "deg")
                rows.append(row(f"press {i}: {name}", Estimate.of(value, one), unit, scale))
        return rows

    def report(self) -> str:
        head = (
            f"{len(self.poses)} presses, {self.images.shape[1]} taxels; {self.steps} steps, noise {self.noise:.3g} Pa"
        )
        return "\n".join([head, "", table(self.rows()), "", *(f"note: {n}" for n in self.notes)]).rstrip()

    def numbers(self) -> dict[str, Any]:
        return {
            "modulus": self.modulus.numbers(),
            "moved": self.moved,
            "errors": self.errors,
            "noise": self.noise,
            "steps": self.steps,
            "notes": self.notes,
        }


class _Problem:
    """Residuals and their derivatives by the unknowns: log(modulus / start), then the free axes of each press."""

    def __init__(self, body: _core.Body, skin: Skin, pressed: _core.Body, images: np.ndarray, free: list[int]) -> None:
        self.body, self.skin, self.pressed, self.images, self.free = body, skin, pressed, images, free

    def at(self, scale: float, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(images, residuals, Jacobian) with the modulus times ``scale``."""
        n, k = len(poses), len(self.free)
        found = np.empty_like(self.images)
        jacobian = np.zeros((n, self.images.shape[1], 1 + n * k))
        for i, pose in enumerate(poses):
            taxels = contact_gradient(self.body, np.eye(4), self.pressed, pose).taxels(self.skin)
            found[i] = scale * taxels.values.ravel()
            by_pose = np.concatenate([taxels.by["shift"], taxels.by["turn"]], axis=-1).reshape(-1, 6)
            jacobian[i, :, 0] = found[i]
            jacobian[i, :, 1 + i * k : 1 + (i + 1) * k] = scale * (by_pose * _SIZE)[:, self.free]
        return found, (found - self.images).ravel(), jacobian.reshape(-1, 1 + n * k)


def calibrate_presses(
    body: _core.Body,
    skin: Skin,
    pressed: _core.Body,
    images: np.ndarray,
    poses: Sequence[Any] | np.ndarray,
    *,
    free: Sequence[str] = AXES,
) -> PressFit:
    """Fits the modulus of a skin of columns and the poses of an object to the images of its taxels.

    body     the sensor's soft body (``sensor.body()``); its modulus is where the search begins
    skin     its taxels (``sensor.skin()``)
    pressed  the object, rigid
    images   (N, rows, columns) or (N, taxels): what the taxels read in each press, Pa
    poses    N poses of the object in the sensor's frame: where it was thought to be; it must touch there
    free     which of x, y, z, rx, ry, rz may differ from that (about 1 mm, 0.1 rad are found again)
    """
    if not isinstance(pressed, _core.Body) or pressed.soft:
        raise _core.Error("calibrate_presses: the object must be a rigid taxel.Body; leave out its modulus")
    if not isinstance(skin, Skin):
        raise TypeError(f"calibrate_presses: skin is {show(skin)}; give a taxel.Skin, as sensor.skin()")
    if isinstance(free, str) or not isinstance(free, Collection):
        raise TypeError(f"calibrate_presses: free is {show(free)}; give a list with some of {', '.join(AXES)}")
    wrong = [name for name in free if name not in AXES]
    if wrong or not len(free) or len(set(free)) != len(free):
        raise _core.Error(f"free is {list(free)!r}; give some of {', '.join(AXES)}, each once")
    data = _images(images)
    start = np.array([np.asarray(X, float) for X in poses])
    if data.shape[1] != len(skin):
        raise _core.Error(f"images have {data.shape[1]} taxels, but the skin has {len(skin)}; give (N, taxels)")
    if start.shape != (len(data), 4, 4):
        raise _core.Error(f"poses have the shape {start.shape}; give one 4 x 4 matrix for each of {len(data)} images")
    if not np.isfinite(data).all():
        raise _core.Error("images hold numbers that are not finite; leave those presses out")
    empty = np.flatnonzero(~(data > 0).any(axis=1))
    if len(empty):
        raise _core.Error(f"image {empty[0]} has no taxel above 0; leave the press out")
    chosen = [AXES.index(name) for name in AXES if name in free]
    problem = _Problem(body, skin, pressed, data, chosen)
    for i, image in enumerate(problem.at(1.0, start)[0]):
        if not image.any():
            raise _core.Error(f"press {i}: the object does not touch at its start; give a pose in which it does")
    return _fit(problem, start, chosen)


def _images(images: Any) -> np.ndarray:
    """(N, taxels)."""
    try:
        data = np.asarray(images, float)
    except (TypeError, ValueError):
        raise TypeError(f"calibrate_presses: images is {show(images)}; give numbers, (N, rows, columns)") from None
    if data.ndim < 2:
        raise TypeError(f"calibrate_presses: images is {show(images)}; give an array (N, rows, columns)")
    if not data.size:
        raise _core.Error(f"calibrate_presses: images have the shape {data.shape}: none is there; give one or more")
    return data.reshape(len(data), -1)


def _fit(problem: _Problem, start: np.ndarray, chosen: list[int]) -> PressFit:
    n, k = len(start), len(chosen)
    scale, poses, moved = 1.0, start.copy(), np.zeros((n, 6))
    found, rest, jacobian = problem.at(scale, poses)
    damping, steps = 1e-3, 0
    while steps < _STEPS:
        steps += 1
        normal, slope = jacobian.T @ jacobian, jacobian.T @ rest
        weight = np.maximum(np.diag(normal), 1e-9 * np.diag(normal).max())
        gained = 0.0
        while damping < 1e8:
            step = -np.linalg.solve(normal + damping * np.diag(weight), slope)
            longest = np.abs(step).max()
            step *= min(1.0, 0.5 / longest) if longest > 0 else 1.0  # half a millimetre, a factor of 1.6
            by = np.zeros((n, 6))
            by[:, chosen] = step[1:].reshape(n, k) * _SIZE[chosen]
            tried = np.array([_moved(X, one) for X, one in zip(poses, by, strict=True)])
            new = problem.at(scale * math.exp(step[0]), tried)
            gained = float(rest @ rest - new[1] @ new[1])
            if gained > 0:
                scale, poses, moved = scale * math.exp(step[0]), tried, moved + by
                found, rest, jacobian = new
                damping = max(damping / 5, 1e-12)
                break
            damping *= 4
        if not gained > _ENOUGH * float(rest @ rest):
            break
    return _result(problem, scale, poses, moved, (found, rest, jacobian), chosen, steps)


def _result(
    problem: _Problem,
    scale: float,
    poses: np.ndarray,
    moved: np.ndarray,
    at: tuple[np.ndarray, np.ndarray, np.ndarray],
    chosen: list[int],
    steps: int,
) -> PressFit:
    found, rest, jacobian = at
    n, k = len(poses), len(chosen)
    dof = max(1, len(rest) - jacobian.shape[1])
    variance = float(rest @ rest) / dof
    size = np.linalg.norm(jacobian, axis=0)
    told = size > 1e-6 * size.max()
    errors_of = np.full(len(size), math.inf)
    scaled = jacobian[:, told] / size[told]
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    keep = values > 1e-9 * values.max()
    spread = np.sqrt((vectors[:, keep] ** 2 / values[keep]).sum(axis=1) * variance) / size[told]
    # What lies along a direction that changes nothing is not told either.
    lost = (vectors[:, ~keep] ** 2).sum(axis=1) > 1e-2
    errors_of[told] = np.where(lost, math.inf, spread)
    errors = np.zeros((n, 6))
    errors[:, chosen] = errors_of[1:].reshape(n, k) * _SIZE[chosen]
    notes = []
    blind = sorted({AXES[c] for i in range(n) for c in chosen if math.isinf(errors[i, c])}, key=AXES.index)
    if blind:
        notes.append(
            f"the images do not tell {', '.join(blind)} (in some presses); leave it out of free, or press otherwise"
        )
    start = problem.body.modulus
    if math.isinf(errors_of[0]):
        notes.append("the images do not tell the modulus from the depth; press a shape that is not flat")
    interval = Estimate.of(math.log(start * scale), errors_of[0] if math.isfinite(errors_of[0]) else 50.0, dof)
    modulus = Estimate(start * scale, math.exp(interval.low), math.exp(interval.high))
    return PressFit(modulus, poses, moved, errors, found, math.sqrt(variance), steps, notes)


def _moved(pose: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Shifted along the outer axes, turned about them through its own origin."""
    out = pose.copy()
    out[:3, 3] += by[:3]
    angle = float(np.linalg.norm(by[3:]))
    if angle > 0:
        x, y, z = by[3:] / angle
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        out[:3, :3] = (np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K) @ pose[:3, :3]
    return out
