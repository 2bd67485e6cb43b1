"""Modulus and touch point from forces over depths."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._core import Error
from .press_model import PressModel
from .statistics import Estimate, clustered_covariance

TOUCH = ("auto", "off", "one", "indenter", "press")


@dataclass(frozen=True)
class ForceFit:
    """force = modulus x model force at (depth - touch)."""

    modulus: Estimate
    relative_error: float
    """Standard error of the modulus over its value."""
    touch: dict[str, Estimate]
    """What ``depth_m`` reads when the indenter touches, m; by group, empty where it was taken as 0."""
    frames: np.ndarray
    depth: np.ndarray
    """Below the pad's face, m."""
    measured: np.ndarray
    fitted: np.ndarray
    nonlinearity: Estimate | None
    """b in force = modulus x model force x (1 + b depth / greatest depth); 0 where the model bends as the pad does."""
    by_indenter: dict[str, Estimate]

    @property
    def residual(self) -> float:
        """Root mean square, N."""
        return float(np.sqrt(np.mean((self.measured - self.fitted) ** 2)))


def fit_force(model: PressModel, frames: np.ndarray, force: np.ndarray, touch: str) -> ForceFit:
    """``force``: of every frame of the recording, N, the tare taken off; ``frames``: those with depth and force."""
    presses = model.presses
    depth, measured, clusters = presses.depth[frames], force[frames], presses.press[frames]
    pressing = int((depth > 0).sum())
    if len(frames) < 3 or (touch == "off" and pressing < 3):
        raise Error(
            f"{min(len(frames), pressing)} frames have depth and force and press; the modulus needs at least 3, "
            "of different depths"
        )
    best = plain = _Fit(model, frames, measured)
    plain.solve(np.zeros(len(frames), int), 0)
    titles: list[str] = []
    if touch != "off":
        groups, names = _groups(presses, frames, touch)
        if touch != "auto":
            _check_depths(depth, groups, names)
        if touch != "auto" or (len(frames) >= 6 and len(np.unique(np.round(depth, 9))) >= 2):
            free = _Fit(model, frames, measured)
            free.solve(groups, len(names))
            if touch != "auto" or _better(plain, free, clusters):
                best, titles = free, names
    if not best.modulus > 0:
        raise Error(
            f"the fitted modulus is {best.modulus:g} Pa; the forces do not rise with depth: check their sign (positive "
            "when it presses) and the zero of the depth"
        )
    covariance = clustered_covariance(best.design(), best.residuals, clusters)
    dof = len(frames) - best.count
    errors = np.sqrt(np.diag(covariance))
    return ForceFit(
        modulus=Estimate.of(best.modulus, errors[0], dof),
        relative_error=float(errors[0] / best.modulus),
        touch={t: Estimate.of(best.touch[g], errors[1 + g], dof) for g, t in enumerate(titles)},
        frames=frames,
        depth=best.depth,
        measured=measured,
        fitted=best.modulus * best.shape,
        nonlinearity=_nonlinearity(best, clusters),
        by_indenter=_by_indenter(best, presses, frames),
    )


def _groups(presses, frames: np.ndarray, touch: str) -> tuple[np.ndarray, list[str]]:
    if touch == "indenter":
        used, groups = np.unique(presses.indenter[frames], return_inverse=True)
        return groups, [presses.indenters[k].title for k in used]
    if touch == "press":
        used, groups = np.unique(presses.press[frames], return_inverse=True)
        return groups, [f"press {name}" for name in used]
    return np.zeros(len(frames), int), ["all"]


def _check_depths(depth: np.ndarray, groups: np.ndarray, titles: list[str]) -> None:
    for g, title in enumerate(titles):
        if len(np.unique(np.round(depth[groups == g], 9))) < 2:
            raise Error(f"touch point of {title}: all frames have the same depth; at least two depths are needed")


class _Fit:
    """Gauss and Newton's method, damped; parameters are the modulus and the touch points."""

    def __init__(self, model: PressModel, frames: np.ndarray, measured: np.ndarray) -> None:
        self.model, self.frames, self.measured = model, frames, measured
        self.given = model.presses.depth[frames]
        self.step = max(1e-6, 0.01 * float(np.max(self.given)))

    def solve(self, groups: np.ndarray, count: int) -> None:
        self.groups, self.count = groups, 1 + count
        self.touch = np.zeros(max(1, count))
        if count:
            self.touch[:] = self._first_touch()
        self._evaluate()
        damping = 1e-3
        for _ in range(40 if count else 0):
            J, r = self.design(), self.residuals
            scale = np.linalg.norm(J, axis=0)
            scale[scale == 0] = 1
            A = J / scale
            change = np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), A.T @ r) / scale
            before = (self.touch.copy(), float(r @ r))
            self.touch = self.touch + np.clip(change[1:], -20 * self.step, 20 * self.step)
            self._evaluate()
            if float(self.residuals @ self.residuals) > before[1]:
                self.touch, damping = before[0], 10 * damping
                self._evaluate()
                if damping > 1e6:
                    break
            else:
                damping *= 0.1
                if np.abs(self.touch - before[0]).max() < 1e-8:
                    break

    def _first_touch(self) -> float:
        """The best of a few touch points, common to all, on some of the frames."""
        some = np.unique(np.linspace(0, len(self.frames) - 1, min(40, len(self.frames))).astype(int))
        reach = float(self.given.max() - min(0.0, self.given.min()))
        best, best_rss = 0.0, math.inf
        for share in (0, -0.5, -0.25, -0.1, 0.1, 0.25, 0.5):
            f = self.model.forces(self.frames[some], self.given[some] - share * reach)
            F = self.measured[some]
            rss = float(((F - f * (f @ F) / max(f @ f, 1e-300)) ** 2).sum())
            if rss < best_rss * (1 - 1e-9):
                best, best_rss = share * reach, rss
        return best

    def _evaluate(self) -> None:
        self._slopes: np.ndarray | None = None
        self.depth = self.given - self.touch[self.groups]
        self.shape = self.model.forces(self.frames, self.depth)
        square = float(self.shape @ self.shape)
        if square == 0:
            raise Error(
                "no frame presses: depth_m is 0 or negative in all frames with a force; it is how far the indenter is "
                "below the face of the pad, positive when it presses"
            )
        # The modulus is linear, so it is always the best one for these touch points.
        self.modulus = float(self.shape @ self.measured) / square
        self.residuals = self.measured - self.modulus * self.shape

    def slopes(self) -> np.ndarray:
        if self._slopes is None:
            h = self.step
            up, down = (self.model.forces(self.frames, self.depth + s * h) for s in (1, -1))
            self._slopes = (up - down) / (2 * h)
        return self._slopes

    def design(self) -> np.ndarray:
        columns = [self.shape]
        if self.count > 1:
            slope = -self.modulus * self.slopes()
            columns += [np.where(self.groups == g, slope, 0.0) for g in range(self.count - 1)]
        return np.column_stack(columns)


def _better(plain: _Fit, free: _Fit, clusters: np.ndarray) -> bool:
    """The data show a touch point: significant (about 1 in 1000) and not just the facets of our own spheres."""
    n = len(plain.frames)
    rss0, rss1 = (float(f.residuals @ f.residuals) for f in (plain, free))
    error = math.sqrt(clustered_covariance(free.design(), free.residuals, clusters)[1, 1])
    touch = abs(float(free.touch[0]))
    shows = rss0 - rss1 > 12 * rss1 / max(1, n - 2) and touch > 3 * error
    return shows and touch > 2e-3 * float(np.abs(plain.given).max())


def _nonlinearity(fit: _Fit, clusters: np.ndarray) -> Estimate | None:
    """Adds a term that grows like depth x force to the fit, and says how large it is at the greatest depth."""
    if len(np.unique(np.round(fit.depth[fit.depth > 0], 9))) < 3:
        return None
    bend = fit.shape * np.maximum(fit.depth, 0) / float(fit.depth.max())
    design = np.column_stack([fit.design(), bend])
    scale = np.linalg.norm(design, axis=0)
    if np.any(scale == 0) or np.linalg.cond(design / scale) > 1e6 or len(bend) < design.shape[1] + 2:
        return None
    found = np.linalg.lstsq(design / scale, fit.measured, rcond=None)[0] / scale
    left = fit.measured - design @ found
    error = math.sqrt(clustered_covariance(design, left, clusters)[-1, -1])
    base = float(found[0])
    if not base > 0:
        return None
    return Estimate.of(found[-1] / base, error / base, len(bend) - design.shape[1])


def _by_indenter(fit: _Fit, presses, frames: np.ndarray) -> dict[str, Estimate]:
    out = {}
    for k in np.unique(presses.indenter[frames]):
        mine = presses.indenter[frames] == k
        f, F = fit.shape[mine], fit.measured[mine]
        if int((f > 0).sum()) < 2:
            continue
        E = float(f @ F) / float(f @ f)
        error = math.sqrt(float(((F - E * f) ** 2).sum()) / (len(F) - 1) / float(f @ f))
        out[presses.indenters[k].title] = Estimate.of(E, error, len(F) - 1)
    return out
