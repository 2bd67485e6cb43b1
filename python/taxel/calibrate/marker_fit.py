"""Parameters of a marker model from samples: one after the other as in HydroShear's section III-C, or all at once.

Sequence: each parameter is the least-squares best on the kinds of samples that show it, the others held; a coarse scan
over its range, then a bounded search between the neighbours of the best. The first round is the paper's, which takes
friction as infinite while it fits the shear. The later rounds repeat it with the friction found, since even a small
shear slips at the rim of a contact.

Joint: all samples and all parameters by least squares in their logarithms, from where the sequence ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._core import Error
from ..common.scipy import need_scipy
from .marker_models import Setup, Step, free_parameters, has_own_derivatives, make_model, make_setup, starting_values
from .marker_result import CostCurve, MarkerCalibration, SampleResidual
from .marker_samples import MarkerSamples
from .statistics import Estimate, clustered_covariance, t_quantile

FITS = ("sequence", "joint")
SCAN = 33
DIFFERENCE = 1e-4
"""Relative step of the differences: the model is smooth but for points that change between stick and slip."""

Values = dict[str, float]


def calibrate_markers(
    samples: MarkerSamples,
    model: Any = "paper",
    *,
    setup: Setup | None = None,
    fit: str = "joint",
    free: Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
    rounds: int = 3,
    held_out: float = 0.2,
    progress: Callable[..., Iterable[Any]] | None = None,
) -> MarkerCalibration:
    """Fits a model to samples.

    model     ``paper``, ``release``, ``taxel``, ``fots``, ``tacsl``, or an object as `marker_models` describes
    setup     gel and indenter (`make_setup`); left out, a flat GelSight Mini under a ball of 35 mm diameter
    fit       ``sequence``, or ``joint``, which begins with it
    free      the parameters to fit; left out, all but those the model keeps
    fixed     values of parameters that are not to be fitted
    rounds    of the sequence; 1 is the paper as printed
    held_out  share of the samples of each kind that the fit does not see
    """
    need_scipy("calibrating markers")
    if fit not in FITS:
        raise Error(f"fit is {fit!r}; give {' or '.join(FITS)}")
    if rounds < 1:
        raise Error(f"rounds is {rounds}; give 1 or more")
    if isinstance(model, str):
        model = make_model(model, setup or make_setup(samples))
    fixed = dict(fixed or {})
    values = starting_values(model, fixed)
    names = free_parameters(model, free, tuple(fixed))
    if not names:
        raise Error("nothing is free to be fitted; leave some parameters out of fixed, or name them in free")
    used, kept = samples.split(held_out)
    notes: list[str] = []
    before = residuals(model, samples, values)
    values, curves, touched = _sequence(model, used, values, names, rounds, notes, progress)
    fitted = tuple(n for n in names if n in touched)
    if not fitted:
        raise Error(
            f"no sample tells a parameter of model {model.name!r}: there are {_counts(samples)}, and it needs "
            + "; ".join(f"{s.parameter}: {' or '.join(s.kinds)}" for s in model.steps)
        )
    if fit == "joint":
        values = _joint(model, used, values, fitted, notes)
    estimates, correlation = _uncertainty(model, used, values, fitted, fit)
    return MarkerCalibration(
        model=model.name,
        fit=fit,
        values=values,
        estimates=estimates,
        correlation=correlation,
        units={p.name: p.unit for p in model.parameters},
        curves=tuple(curves),
        samples=samples,
        predictions=tuple(model.predict(samples, values)),
        residuals=tuple(
            SampleResidual(s.name, s.kind, _rms(b), _rms(a), _held(s, kept))
            for s, b, a in zip(samples, before, residuals(model, samples, values), strict=True)
        ),
        notes=tuple(notes),
    )


def residuals(model: Any, samples: MarkerSamples, values: Mapping[str, float]) -> list[np.ndarray]:
    """Predicted minus measured, (found markers, 2) px a sample."""
    predicted = model.predict(samples, values)
    return [(p - s.displacement)[_found(s)] for p, s in zip(predicted, samples, strict=True)]


def _found(sample: Any) -> np.ndarray:
    return np.isfinite(sample.displacement).all(axis=1)


def _rms(error: np.ndarray) -> float:
    """sqrt(mean |error|^2) over markers."""
    return float(np.sqrt((error**2).sum(axis=1).mean()))


def _held(sample: Any, kept: MarkerSamples | None) -> bool:
    return kept is not None and any(sample is other for other in kept)


def _counts(samples: MarkerSamples) -> str:
    return ", ".join(f"{n} {k}" for k, n in samples.count().items())


def _stack(errors: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([e.ravel() for e in errors])


def _sequence(
    model: Any,
    samples: MarkerSamples,
    values: Values,
    names: Sequence[str],
    rounds: int,
    notes: list[str],
    progress: Callable[..., Iterable[Any]] | None,
) -> tuple[Values, list[CostCurve], set[str]]:
    ranges = {p.name: p for p in model.parameters}
    work = [(r, step) for r in range(rounds) for step in model.steps if step.parameter in names]
    curves: dict[str, CostCurve] = {}
    touched: set[str] = set()
    for r, step in progress(work, "fits one by one") if progress else work:
        chosen = samples.of(*step.kinds)
        if chosen is None:
            if r == 0:
                kinds = " or ".join(step.kinds)
                notes.append(f"{step.parameter}: there is no {kinds} sample, so it stays at {values[step.parameter]:g}")
            continue
        given = {**values, **(step.hold or {} if r == 0 else {})}
        cost = _cost_of(model, chosen, given, step, free_gain=step.gain in names)
        found, curve = _search(ranges[step.parameter], cost)
        values = {**values, step.parameter: found}
        touched.add(step.parameter)
        count = sum(int(_found(s).sum()) for s in chosen)
        curves[step.parameter] = CostCurve(
            step.parameter, step.kinds, curve[0], np.sqrt(curve[1] / count), found, ranges[step.parameter].unit
        )
        limits = ranges[step.parameter]
        if r == rounds - 1 and (found < 1.02 * limits.low or found > 0.98 * limits.high):
            notes.append(
                f"{step.parameter}: {found:.4g} is the end of its range ({limits.low:g} to {limits.high:g}); these "
                "samples do not tell it"
            )
        elif r == rounds - 1 and curve[1].max() < 1.001 * curve[1].min():
            notes.append(f"{step.parameter}: it changes the residuals by less than 0.1 %; these samples do not tell it")
    return values, list(curves.values()), touched


def _cost_of(
    model: Any, samples: MarkerSamples, given: Values, step: Step, free_gain: bool
) -> Callable[[float], float]:
    """Sum of squares over one parameter; with a gain, at the best value of that gain."""

    def cost(x: float) -> float:
        trial = {**given, step.parameter: x}
        once = _stack(residuals(model, samples, trial))
        if step.gain is None or not free_gain:
            return float(once @ once)
        slope = _stack(residuals(model, samples, {**trial, step.gain: 2.0 * trial[step.gain]})) - once
        size = float(slope @ slope)
        if size == 0.0:
            return float(once @ once)
        best = once + max(-1.0, -float(once @ slope) / size) * slope  # a gain is not negative
        return float(best @ best)

    return cost


def _search(limits: Any, cost: Callable[[float], float]) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
    """The best value, and the scan."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(math.log(limits.low), math.log(limits.high), SCAN)
    costs = np.array([cost(math.exp(x)) for x in grid])
    k = int(np.argmin(costs))
    bracket = (grid[max(0, k - 1)], grid[min(SCAN - 1, k + 1)])
    found = minimize_scalar(lambda x: cost(math.exp(x)), bounds=bracket, method="bounded", options={"xatol": 1e-5})
    best = found.x if found.fun <= costs[k] else grid[k]
    order = np.argsort(np.append(grid, best))
    return math.exp(best), (
        np.exp(np.append(grid, best)[order]),
        np.append(costs, min(found.fun, costs[k]))[order],
    )


def _jacobian(model: Any, samples: MarkerSamples, values: Values, names: Sequence[str]) -> np.ndarray:
    """d residual / d log(parameter), (values, parameters): the model's own, or central differences."""
    if has_own_derivatives(model):
        own = model.jacobian(samples, values, names)
        return np.concatenate([d[_found(s)].reshape(-1, len(names)) for d, s in zip(own, samples, strict=True)])
    columns = []
    for name in names:
        up, down = (
            _stack(residuals(model, samples, {**values, name: values[name] * math.exp(side * DIFFERENCE)}))
            for side in (1, -1)
        )
        columns.append((up - down) / (2.0 * DIFFERENCE))
    return np.stack(columns, axis=1)


def _joint(model: Any, samples: MarkerSamples, start: Values, names: Sequence[str], notes: list[str]) -> Values:
    from scipy.optimize import least_squares

    ranges = {p.name: p for p in model.parameters}

    def at(x: np.ndarray) -> Values:
        return {**start, **{n: float(v) for n, v in zip(names, np.exp(x), strict=True)}}

    low, high = (np.log([getattr(ranges[n], side) for n in names]) for side in ("low", "high"))
    x0 = np.clip(np.log([start[n] for n in names]), low + 1e-9, high - 1e-9)
    found = least_squares(
        lambda x: _stack(residuals(model, samples, at(x))),
        x0,
        jac=lambda x: _jacobian(model, samples, at(x), names),
        bounds=(low, high),
        xtol=1e-8,
        ftol=1e-10,
        gtol=1e-10,
        max_nfev=100,
    )
    if not found.success:
        notes.append("the joint fit ran out of steps; look at the cost curves")
    for i in np.flatnonzero(found.active_mask):
        notes.append(f"{names[int(i)]}: {math.exp(found.x[i]):.4g} is the end of its range")
    return at(found.x)


def _uncertainty(
    model: Any, samples: MarkerSamples, values: Values, names: Sequence[str], fit: str
) -> tuple[dict[str, Estimate], np.ndarray]:
    """95 % intervals (the errors of one sample may go together), and correlations of the logarithms."""
    errors = residuals(model, samples, values)
    design = _jacobian(model, samples, values, names)
    clusters = np.concatenate([np.full(e.size, i) for i, e in enumerate(errors)])
    told = np.linalg.norm(design, axis=0) > 0
    if fit == "joint":
        covariance = clustered_covariance(design, _stack(errors), clusters)
    else:
        kinds = {step.parameter: step.kinds for step in model.steps}
        uses = np.array([[s.kind in kinds[n] for n in names] for s in samples])[clusters]
        covariance = _sequence_covariance(design, uses, _stack(errors), clusters)
    size = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    width = t_quantile(max(1, len(samples) - len(names)))
    estimates = {}
    for i, name in enumerate(names):
        value = values[name]
        if told[i] and size[i] < 10.0:
            factor = math.exp(width * size[i])
            estimates[name] = Estimate(value, value / factor, value * factor)
        else:
            estimates[name] = Estimate(value, 0.0, math.inf)
    scale = np.where(size > 0, size, 1.0)
    return estimates, covariance / np.outer(scale, scale)


def _sequence_covariance(design: np.ndarray, uses: np.ndarray, errors: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Of parameters that are each the best on their own rows: sum over rows of ``uses`` of design_k error = 0.

    The errors of the earlier ones pass on to the later ones through the rows they share (a sandwich of the slopes of
    those sums around their scatter); the larger of independent rows and independent samples, as in the joint fit.
    """
    own = design * uses
    inverse = np.linalg.pinv(own.T @ design)
    plain = own.T @ own * float(errors @ errors) / max(1, len(errors) - design.shape[1])
    scores = np.array([own[clusters == c].T @ errors[clusters == c] for c in np.unique(clusters)])
    each, together = (np.diag(inverse @ middle @ inverse.T) for middle in (plain, scores.T @ scores))
    scale = np.sqrt(np.maximum(each, together) / np.maximum(each, 1e-300))
    return (inverse @ plain @ inverse.T) * np.outer(scale, scale)
