"""The two quadratic programs of a contact step, both with a compliance that is applied by FFT.

    normal      min over p >= 0        of  p.A p / 2 - p.h        (A p >= h where p = 0, A p = h where p > 0)
    tangential  min over |t_i| <= g_i  of  t.A t / 2 - t.b        (slip b - A t: zero inside a disc, along t on its rim)

A is symmetric and positive definite, so each has one solution.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Field = np.ndarray
Operator = Callable[[Field], Field]


class NoConvergence(ValueError):
    """A solver ran out of iterations."""


def solve_normal(apply: Operator, overlap: Field, start: Field, tolerance: float, limit: int = 2000) -> Field:
    """Pressures of unilateral contact: conjugate gradients with an active set (Polonsky and Keer 1999).

    ``overlap`` is h (m), -inf where nothing can touch. Stops when no cell in contact is off by more than ``tolerance``
    times the largest overlap and no other cell overlaps by more than that.
    """
    top = overlap.max()
    if top <= 0:
        return np.zeros_like(overlap)
    reachable = np.isfinite(overlap)
    h = np.where(reachable, overlap, 0.0)
    p = np.where(reachable, np.maximum(start, 0.0), 0.0)
    if not p.any():  # any positive guess on the overlap will do; its scale is set by one step of steepest descent
        p = np.maximum(h, 0.0)
        p *= (p * h).sum() / (p * apply(p)).sum()
    residual = apply(p) - h
    direction, before, keep = np.zeros_like(p), 1.0, False
    for _ in range(limit):
        active = p > 0
        worst = np.abs(residual[active]).max(initial=0.0)
        hidden = -(residual[~active & reachable].min(initial=0.0))
        if max(worst, hidden) <= tolerance * top:
            return p
        square = (residual[active] ** 2).sum()
        direction = np.where(active, -residual + (square / before if keep else 0.0) * direction, 0.0)
        before = square
        image = apply(direction)
        curvature = (direction * image).sum()
        if curvature <= 0:  # nothing active: let the overlapping cells in
            length = 1.0 / np.abs(apply((residual < 0).astype(float))).max()
        else:
            length = -(residual * direction).sum() / curvature
        moved = p + length * direction
        clipped = moved < 0
        p = np.maximum(moved, 0.0)
        entering = (p == 0) & (residual < 0) & reachable & ~active
        p[entering] = -length * residual[entering]
        keep = not entering.any()
        residual = apply(p) - h if entering.any() or clipped.any() else residual + length * image
    raise NoConvergence(
        f"normal contact still off by {max(worst, hidden):.3g} m after {limit} iterations; "
        "raise the tolerance, or use fewer and larger cells"
    )


def project_discs(t: Field, radius: Field) -> Field:
    """Each vector of t (2, nx, ny) cut to its radius (nx, ny)."""
    size = np.hypot(t[0], t[1])
    return t * np.where(size > radius, radius / np.maximum(size, 1e-300), 1.0)


def solve_tangential(
    apply: Operator, target: Field, radius: Field, start: Field, tolerance: float, limit: int = 3000
) -> Field:
    """Tractions (2, nx, ny) within discs: projected gradients with the step of Barzilai and Borwein, exact line search.

    ``target`` is b (m), the motion that would leave no slip. ``tolerance`` (m) bounds the error of the slip: a cell may
    have slip against the law of at most this much.
    """
    t = project_discs(start, radius)
    inside = radius > 0
    if not inside.any():
        return np.zeros_like(t)
    gradient = np.where(inside, apply(t) - target, 0.0)
    if not gradient.any():
        return t
    step = None
    worst = np.inf
    for _ in range(limit):
        if step is None:
            image = apply(gradient)
            step = (gradient**2).sum() / max((gradient * image).sum(), 1e-300)
        direction = project_discs(t - step * gradient, radius) - t
        worst = np.abs(direction).max() / step
        if worst <= tolerance:
            return t
        image = apply(direction)
        curvature = (direction * image).sum()
        length = min(1.0, -(gradient * direction).sum() / curvature)
        t = t + length * direction
        gradient = np.where(inside, gradient + length * image, 0.0)
        step = (direction**2).sum() / (direction * image).sum()
    raise NoConvergence(
        f"friction still off by {worst:.3g} m after {limit} iterations; raise the tolerance or take smaller steps"
    )
