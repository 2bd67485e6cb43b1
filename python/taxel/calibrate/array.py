"""Fits a taxel array to a recording of presses: modulus, gains, offsets, noise, defects.

    from taxel.calibrate import calibrate_array, read_presses

    found = calibrate_array(read_presses("presses.csv"))
    print(found.report())
    pad = taxel.Body.box(modulus=found.modulus.value, **found.pad.body)
    skin = taxel.Skin(pad, **found.keys()["skin"])
    chain = taxel.SignalChain(skin.layout, 0.01, description=found.keys()["chain"])

presses.py describes the file. In short: forces over depths give the modulus (one factor, as a rigid indenter in a soft
layer meets a force proportional to it) and, where the data show it, the depth at which the indenter touches. Readings
over the modelled pressures of the taxels give gains and offsets. Frames without load, or repeated ones, give the noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core import Error
from ..skin import SignalChain
from .array_result import ArrayCalibration
from .force_fit import TOUCH, ForceFit, fit_force
from .press_model import PressModel
from .presses import Presses
from .readings_fit import ReadingsFit, check_order, fit_readings
from .statistics import Estimate

LEAST_PRESSES = 3
MOST_FORCES = 1000  # frames for the modulus; more take time and tell nothing new
CHUNK = 200


def calibrate_array(
    presses: Presses,
    *,
    modulus: float | None = None,
    touch: str = "auto",
    spread: bool = False,
    drive: str = "depth",
    progress: Any = None,
) -> ArrayCalibration:
    """Fits a recording.

    modulus   Pa, where it is known (the touch point is then taken as 0); else fitted, which needs frames with depth
              and force
    touch     the reading of ``depth_m`` at which the indenter touches: "off" (0), "one" (fitted, one for all),
              "indenter", "press" (one for each), "auto" (one where the data show it)
    spread    also fits the standard deviation by which the cover spreads loads (key ``spread``)
    drive     what sets the modelled pressures where a frame has both: "depth" or "force"
    """
    if touch not in TOUCH:
        raise Error(f"touch is {touch!r}; give {', '.join(TOUCH)}")
    if drive not in ("depth", "force"):
        raise Error(f'drive is {drive!r}; give "depth" or "force"')
    if modulus is None:
        modulus = presses.pad.modulus
    elif not (math.isfinite(modulus) and modulus > 0):
        raise Error(f"modulus is {modulus:g}; give a pressure greater than 0 (a foam: 3e4 Pa, silicone: 1e5 to 1e6 Pa)")
    if modulus is not None and touch not in ("auto", "off"):
        raise Error(f"touch={touch!r} is fitted together with the modulus, but that is given; leave one of them out")
    names = np.unique(presses.press[presses.loaded])
    if len(names) < LEAST_PRESSES:
        raise Error(
            f"{len(names)} presses; at least {LEAST_PRESSES} are needed, and 20 or more all over the pad are good "
            "(frames with one number in the column 'press' are one press)"
        )
    notes = list(presses.notes)
    model = PressModel(presses)
    force, tare = _tared(presses)
    both = np.flatnonzero(presses.loaded & np.isfinite(presses.depth) & np.isfinite(force))
    fitted: ForceFit | None = None
    if modulus is None:
        if not len(both):
            what = "depth_m" if np.isfinite(force[presses.loaded]).any() else "force_N"
            raise Error(
                f"{what} is empty in all presses, so the modulus cannot be fitted (it needs depth and force); give it "
                "with --modulus, in Pa"
            )
        every = math.ceil(len(both) / MOST_FORCES)
        if every > 1:
            both = both[::every]
            notes.append(f"the modulus is fitted to one frame in {every}, {len(both)} in all")
        fitted = fit_force(model, both, force, touch)
        E, relative = fitted.modulus.value, fitted.relative_error
        _judge_force(fitted, notes)
        if not fitted.touch and touch == "auto" and len(np.unique(np.round(presses.depth[both], 9))) < 2:
            notes.append("all presses have the same depth: a wrong zero of it would not show, but spoil the modulus")
    else:
        E, relative = modulus, 0.0

    frames = np.flatnonzero(presses.loaded)
    depth, by_force = _depths(model, frames, force, E, fitted, drive, notes, progress)
    P = np.zeros(presses.readings.shape)
    P[frames] = E * model.pressures(frames, depth, progress)
    check_order(presses, P)
    layout = model.skin.layout
    readings = fit_readings(presses, P, layout.areas, layout.points)
    cover: Estimate | None = None
    if spread:
        cover, P = _fit_spread(presses, model, P, readings, notes, progress)
        readings = fit_readings(presses, P, layout.areas, layout.points)
    elif _spread_helps(presses, model, P, readings):
        notes.append(
            "readings beside the presses are higher than the model says: the cover spreads the load; try --spread"
        )
    # Pressures at a depth are as uncertain as the modulus; those at a force are not.
    relative *= 1 - by_force
    error = math.hypot(readings.gain_error, relative * readings.gain)
    if readings.gain < 0 and presses.pad.bits is None:
        notes.append("readings fall under load; give the key bits (of the converter) to get keys for a sensor")
    measured = int(np.isfinite(readings.gains).sum())
    return ArrayCalibration(
        pad=presses.pad,
        layout=layout,
        modulus=fitted.modulus if fitted else Estimate(E, E, E),
        force=fitted,
        tare=tare,
        gain=Estimate.of(readings.gain, error, max(1, measured - 1)),
        readings=readings,
        spread=cover,
        pressures=P,
        measured=presses.readings,
        frames={"all": len(presses), "no load": int((~presses.loaded).sum()), "presses": len(names)},
        notes=notes + readings.notes + _judge_readings(readings, model),
    )


def _tared(presses: Presses) -> tuple[np.ndarray, float]:
    """Forces less what the load cell reads without load."""
    still = presses.force[~presses.loaded]
    still = still[np.isfinite(still)]
    tare = float(still.mean()) if len(still) else 0.0
    if len(still) > 1 and abs(tare) < 2 * float(still.std(ddof=1)) / math.sqrt(len(still)):
        tare = 0.0  # nothing but its noise
    force = presses.force - tare
    pressing = force[presses.loaded & np.isfinite(force)]
    if len(pressing) and np.median(pressing) < 0:
        raise Error(
            f"force_N is negative in most presses (median {np.median(pressing):g} N); give the force that presses as a "
            "positive number"
        )
    return force, tare


def _depths(
    model: PressModel,
    frames: np.ndarray,
    force: np.ndarray,
    E: float,
    fitted: ForceFit | None,
    drive: str,
    notes: list[str],
    progress: Any,
) -> tuple[np.ndarray, float]:
    """Depths below the face, from depth_m or from the force; and the part of them that came from the force."""
    presses = model.presses
    depth = presses.depth[frames].copy()
    if fitted is not None and fitted.touch:
        depth -= _touch_of(fitted, presses, frames)
    has_force = np.isfinite(force[frames])
    ask = has_force & (np.isnan(depth) | (drive == "force"))
    if ask.any():
        parts = np.array_split(frames[ask], math.ceil(int(ask.sum()) / CHUNK))
        parts = parts if progress is None else progress(parts, "depths")
        found = np.concatenate([model.depths_for(part, np.maximum(force[part], 0) / E) for part in parts])
        if np.isnan(found).any():
            worst = int(frames[ask][np.flatnonzero(np.isnan(found))[0]])
            raise Error(
                f"press {presses.press[worst]}: {force[worst]:g} N need more than the {presses.pad.thickness:g} m of "
                f"the pad at a modulus of {E:g} Pa; check the modulus, the unit of the force and the thickness"
            )
        depth[ask] = found
    if float(np.nanmax(depth)) > model.deepest:
        notes.append(f"some depths are more than {model.deepest:g} m, nearly the whole pad: taken as that")
    return depth, float(ask.mean())


def _touch_of(fitted: ForceFit, presses: Presses, frames: np.ndarray) -> np.ndarray:
    touch = fitted.touch
    if "all" in touch:
        return np.full(len(frames), touch["all"].value)
    mean = float(np.mean([t.value for t in touch.values()]))
    out = []
    for k in frames:
        titles = (presses.indenters[presses.indenter[k]].title, f"press {presses.press[k]}")
        out.append(next((touch[t].value for t in titles if t in touch), mean))
    return np.array(out)


def _judge_force(fitted: ForceFit, notes: list[str]) -> None:
    largest = float(np.abs(fitted.measured).max())
    if fitted.residual > 0.1 * largest:
        notes.append(
            f"the forces miss the model by {100 * fitted.residual / largest:.0f} % of the largest (root mean square): "
            "another field, a wrong thickness or indenter, or a pad that is not elastic"
        )
    bend = fitted.nonlinearity
    if bend is not None and abs(bend.value) > 0.05 and bend.low * bend.high > 0:
        notes.append(
            f"the pad {'stiffens' if bend.value > 0 else 'softens'} with depth against the model, by "
            f"{100 * abs(bend.value):.0f} % up to the deepest press: the modulus holds for depths like these"
        )
    values = [e.value for e in fitted.by_indenter.values()]
    if len(values) > 1 and max(values) > 1.1 * min(values):
        notes.append(
            f"the indenters disagree about the modulus ({min(values):.3g} to {max(values):.3g} Pa): check their sizes, "
            "or calibrate with one like your objects"
        )


def _judge_readings(readings: ReadingsFit, model: PressModel) -> list[str]:
    notes = []
    pitch = _pitch(model)
    if readings.shift is not None:
        for name, one in zip("xy", readings.shift, strict=True):
            if abs(one.value) > max(0.1 * pitch, 1e-4) and one.low * one.high > 0:
                notes.append(
                    f"the readings lie {1e3 * one.value:+.2f} mm along {name} from where the model puts them: check "
                    f"{name}_m, or move the grid with the key center"
                )
    if readings.bend is not None and abs(readings.bend) > 0.1:
        notes.append(
            f"the readings bend: {100 * readings.bend:+.0f} % of the gain at the highest pressure; the gain is "
            "that of the best straight line"
        )
    if len(readings.not_pressed) > 0.1 * len(readings.gains):
        notes.append(
            f"{len(readings.not_pressed)} taxels were not pressed enough to tell their gain; they get the mean"
        )
    return notes


# --- how far the cover spreads a load ---


def _spread(model: PressModel, P: np.ndarray, sigma: float) -> np.ndarray:
    if sigma <= 0:
        return P
    chain = SignalChain(model.skin.layout, 1.0, description={"spread": sigma})
    frames = np.flatnonzero(P.any(axis=1))
    out = np.zeros_like(P)
    if len(frames) > P.shape[1]:
        columns = np.array([chain(0.0, row) for row in np.eye(P.shape[1])])
        out[frames] = P[frames] @ columns
    else:
        for k in frames:
            out[k] = chain(0.0, P[k])
    return out


def _misfit(P: np.ndarray, Y: np.ndarray, readings: ReadingsFit) -> float:
    """Sum of squares after the best line of each taxel, over the readings that counted."""
    M = readings.used
    n = np.maximum(M.sum(axis=0), 1)
    p, y = (np.where(M, a - np.where(M, a, 0).sum(axis=0) / n, 0) for a in (P, Y))
    sxx, sxy = (p * p).sum(axis=0), (p * y).sum(axis=0)
    return float((y * y).sum() - np.where(sxx > 0, sxy**2 / np.where(sxx > 0, sxx, 1), 0).sum())


def _pitch(model: PressModel) -> float:
    return math.sqrt(float(model.skin.layout.areas.mean()))


def _spread_helps(presses: Presses, model: PressModel, P: np.ndarray, readings: ReadingsFit) -> bool:
    plain = _misfit(P, presses.readings, readings)
    return _misfit(_spread(model, P, 0.7 * _pitch(model)), presses.readings, readings) < 0.7 * plain


def _fit_spread(
    presses: Presses, model: PressModel, P: np.ndarray, readings: ReadingsFit, notes: list[str], progress: Any
) -> tuple[Estimate, np.ndarray]:
    """The sigma of least misfit: a coarse search, then golden section; the interval from the curvature."""
    Y, pitch = presses.readings, _pitch(model)

    def misfit(sigma: float) -> float:
        return _misfit(_spread(model, P, sigma), Y, readings)

    grid = [0.0, *(pitch * np.geomspace(0.25, 4, 13))]
    values = [misfit(s) for s in (grid if progress is None else progress(grid, "spread"))]
    k = int(np.argmin(values))
    if k == 0:
        notes.append("no spread of the load shows")
        return Estimate(0.0, 0.0, grid[1]), P
    low, high = grid[k - 1], grid[min(k + 1, len(grid) - 1)]
    ratio = 0.5 * (math.sqrt(5) - 1)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = misfit(a), misfit(b)
    while high - low > 1e-3 * pitch:
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = misfit(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = misfit(b)
    sigma = 0.5 * (low + high)
    h = 0.05 * pitch
    least = misfit(sigma)
    curvature = (misfit(sigma + h) - 2 * least + misfit(max(sigma - h, 0))) / h**2
    M = readings.used
    dof = max(1, int(M.sum() - 2 * M.any(axis=0).sum() - 1))
    error = math.sqrt(2 * least / dof / curvature) if curvature > 0 else sigma
    return Estimate.of(sigma, error, dof), _spread(model, P, sigma)
