"""Gains, offsets, noise and defects of the taxels from readings over modelled pressures.

    reading = offset_i + gain_i x pressure + noise

one straight line a taxel. Readings at the ends of the device's range say nothing of the line; which ones those are is
decided by the prediction, not by the reading, so that noise next to the end does not bend the line.

Arrays are (frames, taxels): p the pressures (Pa), y the readings (rising with load), keep which readings count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._core import Error
from .presses import Presses
from .statistics import Estimate, clustered_covariance, find_quantum, mean_and_spread, noise_behind_converter
from .taxel_lines import Lines, Offsets, common_offset, find_offsets

KNOWN = 0.25  # relative error of a taxel's gain up to which it counts as measured
FEW = 5


@dataclass(frozen=True)
class Defects:
    """Taxels that were left out, and why (numbers from 0)."""

    dead: list[int]
    """Do not respond."""
    stuck: dict[int, float]
    """Always give this value, which is not that of a taxel without load."""
    odd: list[int]
    """Respond, but with a gain far from all others."""
    noisy: list[int]

    @property
    def all(self) -> list[int]:
        return sorted({*self.dead, *self.stuck, *self.odd, *self.noisy})


@dataclass(frozen=True)
class ReadingsFit:
    gain: float
    """Mean over the taxels, units per Pa; negative where readings fall under load."""
    gain_error: float
    """Standard error, without that of the modulus."""
    gain_spread: Estimate
    """Standard deviation from taxel to taxel over the mean gain."""
    gains: np.ndarray
    """Units per Pa, NaN where a taxel was not pressed (enough)."""
    gain_errors: np.ndarray
    best_gains: np.ndarray
    """The same drawn towards the mean by as much as they are uncertain; the mean where unknown."""
    offsets: np.ndarray
    noise: Estimate
    noise_from: str
    quantum: float
    range: tuple[float, float]
    """Ends of the device's range, infinite where none shows."""
    defects: Defects
    saturated: dict[int, int]
    """Frames in which a taxel read the end of the range under load."""
    not_pressed: list[int]
    used: np.ndarray
    """(frames, taxels): which readings count."""
    residuals: np.ndarray
    """(frames, taxels), units."""
    bend: float | None
    """b in reading = offset + gain p (1 + b p / greatest p); an error of the touch point looks like it."""
    shift: tuple[Estimate, Estimate] | None
    """Where the readings lie against the model, along x and y, m."""
    notes: list[str]

    @property
    def residual(self) -> float:
        return float(np.sqrt(np.mean(self.residuals[self.used] ** 2)))


def fit_readings(presses: Presses, p: np.ndarray, areas: np.ndarray, points: np.ndarray) -> ReadingsFit:
    """``p``: modelled pressures in Pa, 0 without load."""
    if not p.any():
        raise Error("no press reaches a taxel: check x_m, y_m, the shape and the pitch")
    sign = _sign(p, presses.readings)
    y = sign * presses.readings
    notes: list[str] = []
    constant = np.ptp(y, axis=0) == 0
    if constant.all():
        raise Error("the readings never change; are the columns t0, t1, ... those of the sensor?")
    quantum = find_quantum(y[:, ~constant])
    low, high = _range(presses, sign, p[:, ~constant], y[:, ~constant])

    # --- lines, with the readings at the ends of the range left out ---
    keep = (y > low) & (y < high) & ~constant
    still = _still_noise(y, keep, p)
    for _ in range(4):
        lines, offsets = _lines(presses, p, y, keep, low, high)
        typical = _typical(lines)
        noise = (still if still is not None else math.sqrt(lines.typical_variance)) + 0.5 * quantum
        predicted = lines.predict(p, typical, lines.slope_error < KNOWN * abs(typical))
        keep = (predicted > low + 3 * noise) & (predicted < high - 3 * noise) & ~constant
    lines, offsets = _lines(presses, p, y, keep, low, high)
    typical = _typical(lines)
    if not typical > 0:
        raise Error("the readings do not follow the presses; check x_m, y_m, shape and the order of the taxels")
    if offsets.hidden.any():
        notes.append(
            f"readings without load at the end of the range, taxels: {int(offsets.hidden.sum())}; their own offsets "
            "cannot be seen, one is fitted for all of them"
        )

    # --- who is left out ---
    groups, noise_from = _groups(presses, offsets.hidden)
    variance, dof = _repeat_variances(y, keep, groups)
    defects = _find_defects(p, y, keep, lines, typical, constant, variance, dof, noise)
    good = np.ones(y.shape[1], bool)
    good[defects.all] = False
    measured = good & (lines.slope_error < KNOWN * typical)
    if not measured.any():
        raise Error("no taxel is pressed well enough to tell its gain; press more often, deeper, or all over the pad")
    keep &= good

    # --- mean and spread of the gains ---
    gain, gain_error, tau = mean_and_spread(lines.slope[measured], lines.slope_error[measured])
    gain_error = max(gain_error, _press_error(p, y, keep, lines, measured, presses))
    raw = np.where(measured, lines.slope, np.nan)
    errors = np.where(measured, lines.slope_error, np.nan)
    trust = tau**2 / (tau**2 + errors**2) if tau > 0 else np.zeros(len(raw))
    best = np.where(measured, gain + np.nan_to_num(trust * (raw - gain)), gain)
    residuals = np.where(keep, y - lines.predict(p, gain, measured), 0)

    # --- noise ---
    total = float(dof[good].sum())
    if total >= 8:
        square = float((variance * dof)[good].sum()) / total
    else:
        noise_from = "residuals of the fit, the model's errors included"
        total = float(max(1, lines.dof[good].sum()))
        square = float(lines.rss[good].sum()) / total
    std = noise_behind_converter(square, quantum)
    spoken = Estimate.of_std(std, total)
    if quantum > 0 and std < 0.3 * quantum:
        spoken = Estimate(std, 0.5 * std, 2 * std)
        notes.append("the noise is far below the step of the device: known only roughly")

    at_end = (y >= high) & good
    stuck = {i: sign * value + 0.0 for i, value in defects.stuck.items()}
    return ReadingsFit(
        gain=sign * gain,
        gain_error=gain_error,
        gain_spread=Estimate.of_std(tau / gain, max(1, int(measured.sum()) - 1)),
        gains=sign * raw,
        gain_errors=errors,
        best_gains=sign * best,
        offsets=sign * lines.intercept,
        noise=spoken,
        noise_from=noise_from,
        quantum=quantum,
        range=(low, high) if sign > 0 else (-high, -low),
        defects=replace(defects, stuck=stuck),
        saturated={int(i): int(at_end[:, i].sum()) for i in np.flatnonzero(at_end.any(axis=0))},
        not_pressed=[int(i) for i in np.flatnonzero(good & ~measured)],
        used=keep,
        residuals=sign * residuals,
        bend=_bend(p, y, keep, lines, measured, presses),
        shift=_shift(p, y, lines, good, best, std + quantum, areas, points, presses),
        notes=notes,
    )


def _sign(p: np.ndarray, readings: np.ndarray) -> float:
    """-1 for a device whose readings fall under load. Each taxel has one voice: a mad one counts no more."""
    dp, dy = p - p.mean(axis=0), readings - readings.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (dp * dy).sum(axis=0) / np.sqrt((dp * dp).sum(axis=0) * (dy * dy).sum(axis=0))
    return -1.0 if float(np.nansum(correlation)) < 0 else 1.0


def _range(presses: Presses, sign: float, p: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Ends of the range: as the header says, and where the readings pile up."""
    pad = presses.pad
    low, high = pad.saturation or (-math.inf, math.inf)
    if pad.bits:
        low, high = max(low, 0.0), min(high, 2.0**pad.bits - 1)
    if sign < 0:
        low, high = -high, -low
    least, most = float(y.min()), float(y.max())
    width = 0.02 * (most - least)
    for end, beside in ((most, (y > most - width) & (y < most)), (least, (y < least + width) & (y > least))):
        at = y == end
        # Several taxels (one alone is stuck), and of different loads, or the cut edge of their noise without load.
        piled = FEW <= int(at.sum()) > int(beside.sum()) and int(at.any(axis=0).sum()) >= min(3, y.shape[1])
        if not piled:
            continue
        free = at[p == 0]
        cut = end == least and len(free) > 0 and 0.02 < float(free.mean()) < 0.98
        if cut or float(np.ptp(p[at])) > 0.05 * float(p.max()):
            low, high = (low, min(high, end)) if end == most else (max(low, end), high)
    return low, high


def _still_noise(y: np.ndarray, keep: np.ndarray, p: np.ndarray) -> float | None:
    """Scatter of taxels that nothing touches, whatever their gains; None where there are none."""
    still = np.where(keep & (p == 0), y, np.nan)
    still = still[:, np.isfinite(still).sum(axis=0) >= 3]
    if not still.size:
        return None
    return float(1.4826 * np.nanmedian(np.abs(still - np.nanmedian(still, axis=0))))


def _lines(presses: Presses, p, y, keep, low, high) -> tuple[Lines, Offsets]:
    offsets = find_offsets(p, y, presses.loaded, low, high)
    lines = Lines(p, y, keep, offsets)
    if offsets.hidden.any():
        offsets = common_offset(lines, offsets)
        lines = Lines(p, y, keep, offsets)
    return lines, offsets


def _typical(lines: Lines) -> float:
    """Gain in the middle, each taxel weighted by how much it was pressed."""
    some = np.isfinite(lines.slope) & (lines.sxx > 0)
    if not some.any():
        return 0.0
    order = np.argsort(lines.slope[some])
    weight = np.cumsum(np.sqrt(lines.sxx[some])[order])
    return float(lines.slope[some][order][np.searchsorted(weight, 0.5 * weight[-1])])


def _groups(presses: Presses, hidden: np.ndarray) -> tuple[np.ndarray, str]:
    """A number for each frame; frames of one number differ by noise alone (-1: of no use). And where they come from."""
    names = []
    for k in range(len(presses)):
        name: tuple[Any, ...] = (presses.press[k], int(presses.indenter[k]))
        if presses.indenter[k] >= 0:
            depth, force = presses.depth[k], presses.force[k]
            load = round(depth, 9) if math.isfinite(depth) else float(f"{force:.4g}")
            name += (*np.round(presses.pose[k], 9).tolist(), load)
        names.append(name)
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    groups = np.array([numbers[name] for name in names])
    if int((~presses.loaded).sum()) >= FEW and hidden.mean() < 0.5:
        return np.where(presses.loaded, -1, groups), "frames without load"
    return groups, "repeated frames"


def _repeat_variances(y: np.ndarray, keep: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variance of each taxel within groups, and its degrees of freedom."""
    squares, dof = np.zeros(y.shape[1]), np.zeros(y.shape[1])
    for g in np.unique(groups[groups >= 0]):
        mine = groups == g
        if int(mine.sum()) < 2:
            continue
        whole, some = keep[mine].all(axis=0), y[mine]
        squares += np.where(whole, ((some - some.mean(axis=0)) ** 2).sum(axis=0), 0)
        dof += np.where(whole, len(some) - 1, 0)
    return squares / np.maximum(dof, 1), dof


def _find_defects(p, y, keep, lines: Lines, typical, constant, variance, dof, noise) -> Defects:
    moving = ~constant
    lever = np.sqrt(((p - p.mean(axis=0)) ** 2).sum(axis=0))
    pressed = KNOWN * typical * lever > math.sqrt(lines.typical_variance)

    # A reading that never moves is a defect where others move: under a press, or by their noise.
    others_move = not (~pressed).any() or float(np.mean(moving[~pressed])) > 0.8
    silent = constant & (pressed | others_move)
    zero = float(np.median(lines.intercept[moving]))
    about = 1.4826 * float(np.median(np.abs(lines.intercept[moving] - zero)))
    near = np.abs(y[0] - zero) <= 6 * max(about, noise)

    sure = moving & pressed & (lines.slope_error < KNOWN * typical)
    slope = np.where(sure, lines.slope, typical)
    deaf = sure & (slope < 0.1 * typical)
    alive = sure & ~deaf
    logs = np.log(np.where(alive, slope, typical) / typical)
    width = 1.4826 * float(np.median(np.abs(logs[alive] - np.median(logs[alive])))) if alive.any() else 0.0
    odd = alive & (np.abs(logs) > max(5 * width, math.log(2)))

    # Noisy by itself, or off its line by far more than others that were pressed as much.
    noisy = np.zeros(len(slope), bool)
    some = moving & (dof >= 3)
    if int(some.sum()) >= 8:
        noisy |= some & (variance > 16 * max(float(np.median(variance[some])), 0.1 * noise**2))
    own = lines.rss / np.maximum(lines.dof, 1)
    signal = (np.where(keep, typical * p, 0) ** 2).sum(axis=0) / np.maximum(lines.n, 1)
    some = alive & ~odd & (lines.dof >= 3)
    if int(some.sum()) >= 8:
        share = float(np.median(np.maximum(own[some] - noise**2, 0) / signal[some]))
        noisy |= moving & ~odd & (lines.dof >= 3) & (own > 25 * (noise**2 + share * signal))
    deaf &= ~noisy
    odd &= ~noisy

    def taxels(which: np.ndarray) -> list[int]:
        return [int(i) for i in np.flatnonzero(which)]

    return Defects(
        dead=taxels((silent & near) | deaf),
        stuck={i: float(y[0, i]) for i in taxels(silent & ~near)},
        odd=taxels(odd),
        noisy=taxels(noisy),
    )


def _pressed_readings(
    p, y, keep, lines: Lines, measured, presses: Presses
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(signal by each taxel's own line, what was read of it, press) of all readings under load."""
    some = keep & measured & (p > 0)
    signal, answer = (np.nan_to_num(lines.slope) * p)[some], (y - lines.intercept)[some]
    return signal, answer, np.broadcast_to(presses.press[:, None], p.shape)[some]


def _press_error(p, y, keep, lines: Lines, measured, presses: Presses) -> float:
    """Standard error of the mean gain when whole presses are off together (a wrong place or depth)."""
    signal, answer, clusters = _pressed_readings(p, y, keep, lines, measured, presses)
    covariance = clustered_covariance(signal[:, None], answer - signal, clusters)
    return float(math.sqrt(covariance[0, 0])) * float(np.mean(lines.slope[measured]))


def _bend(p, y, keep, lines: Lines, measured, presses: Presses) -> float | None:
    """Adds a term that grows like the square of the signal, over all taxels."""
    signal, answer, _ = _pressed_readings(p, y, keep, lines, measured, presses)
    if len(signal) < 20:
        return None
    design = np.column_stack([signal, signal**2 / signal.max()])
    found, *_ = np.linalg.lstsq(design, answer, rcond=None)
    return float(found[1] / found[0]) if found[0] > 0 else None


def _shift(p, y, lines: Lines, good, best, level, areas, points, presses: Presses) -> tuple[Estimate, Estimate] | None:
    """Middle of the readings less that of the model, mean over the presses."""
    floor = 4 * level / float(best.mean())
    centres = []
    for load in ((y - lines.intercept) / best, p):
        w = np.maximum(load - floor, 0) * areas * good
        with np.errstate(invalid="ignore", divide="ignore"):
            centres.append(w @ points[:, :2] / w.sum(axis=1)[:, None])
    apart = centres[0] - centres[1]
    apart[~presses.loaded] = np.nan
    names = [n for n in np.unique(presses.press) if np.isfinite(apart[presses.press == n]).all(axis=1).any()]
    if len(names) < 3:
        return None
    means = np.array([np.nanmean(apart[presses.press == n], axis=0) for n in names])
    error = means.std(axis=0, ddof=1) / math.sqrt(len(means))
    x, y_ = (Estimate.of(means[:, a].mean(), error[a], len(means) - 1) for a in range(2))
    return x, y_


def check_order(presses: Presses, p: np.ndarray) -> None:
    """Refuses readings that fit far better when rows or columns are turned round: the commonest mistake."""
    rows, cols = presses.pad.shape
    images = p.reshape(-1, rows, cols)
    turned = {
        "as they are": images,
        "the rows counted the other way": images[:, ::-1],
        "the columns counted the other way": images[:, :, ::-1],
        "rows and columns counted the other way": images[:, ::-1, ::-1],
    }
    if rows == cols:
        exchanged = images.transpose(0, 2, 1)
        turned |= {
            "rows and columns exchanged": exchanged,
            "a quarter turn": exchanged[:, ::-1],
            "a quarter turn the other way": exchanged[:, :, ::-1],
            "rows and columns exchanged and counted the other way": exchanged[:, ::-1, ::-1],
        }
    y = presses.readings - np.median(presses.readings, axis=0)

    def fit(images: np.ndarray) -> float:
        q = images.reshape(y.shape)
        size = math.sqrt(float((q * q).sum()) * float((y * y).sum()))
        return abs(float((q * y).sum())) / size if size > 0 else 0.0

    score = {name: fit(images) for name, images in turned.items()}
    best = max(score, key=score.__getitem__)
    if score[best] > score["as they are"] + 0.2:
        raise Error(
            f"the readings fit the presses better with {best} (correlation {score[best]:.2f} against "
            f"{score['as they are']:.2f}); taxel i is in row i // columns along +y and column i % columns along +x: "
            "correct the order of the taxels, x_m and y_m, or the shape"
        )
