"""Pictures of the calibration of marker models, and of the fits to real frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .marker_result import MarkerCalibration
from .real_forms import CONTACT_CENTER, CONTACT_RADIUS
from .real_frames import BARS, RealFrames

MEASURED, PREDICTED, FOTS = "0.55", "tab:red", "tab:blue"
SYMBOLS = {
    "lambda_d": r"$\lambda_d$",
    "lambda_s": r"$\lambda_s$",
    "lambda_t": r"$\lambda_t$",
    "friction": r"friction $\mu$",
    "stiffness": "stiffness K",
    "dilate_scale": "dilate scale",
    "shear_scale": "shear scale",
    "shear_gain": "shear gain",
}


def _stretch(moved: np.ndarray, pitch: float) -> float:
    """How much longer than life arrows are drawn: the longest about one pitch, in steps of 1, 2, 5."""
    longest = float(np.nanmax(np.linalg.norm(moved, axis=1)))
    if not longest > 0:
        return 1.0
    wanted = pitch / longest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(s for s in (1, 2, 5) if s * power <= wanted * 1.0001))


def _arrows(axis: Any, places: np.ndarray, moved: np.ndarray, scale: float, color: str, width: float, z: int) -> Any:
    return axis.quiver(
        *places.T,
        *(scale * moved.T),
        angles="xy",
        scale_units="xy",
        scale=1,
        color=color,
        width=width,
        headwidth=3.6,
        headlength=4.2,
        headaxislength=3.8,
        zorder=z,
    )


def _pitch(places: np.ndarray) -> float:
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(axis=1)))


def draw_calibration(plt: Any, found: MarkerCalibration, path: Path) -> Path:
    """A sample of each kind with arrows, the cost over each parameter of the sequence, and what is left over."""
    kinds = [k for k in found.samples.count()][:4]
    columns = max(len(kinds), 3)
    curves = found.curves
    per_row = columns
    below = -(-(len(curves) + 1) // per_row)
    figure = plt.figure(figsize=(3.9 * columns, 4.4 + 2.7 * below), layout="constrained")
    grid = figure.add_gridspec(1 + below, columns, height_ratios=[4.3] + [2.6] * below)
    places = 1e3 * found.samples.markers
    pixel = 1e3 * found.samples.pixel
    for i, kind in enumerate(kinds):
        axis = figure.add_subplot(grid[0, i])
        of_kind = [k for k, r in enumerate(found.residuals) if r.kind == kind]
        shown = sorted(of_kind, key=lambda k: found.residuals[k].after)[len(of_kind) // 2]  # the median one
        measured, predicted = found.samples.samples[shown].displacement, found.predictions[shown]
        scale = _stretch(measured, _pitch(places) / pixel)
        axis.plot(*places.T, ".", ms=2.5, color="0.8", zorder=1)
        a = _arrows(axis, places, pixel * measured, scale, MEASURED, 0.009, 2)
        b = _arrows(axis, places, pixel * predicted, scale, PREDICTED, 0.0045, 3)
        r = found.residuals[shown]
        axis.set_title(f"{r.name or kind}{', held out' if r.held_out else ''}: {r.after:.2f} px left", fontsize=10)
        axis.set_aspect("equal")
        axis.invert_yaxis()
        axis.set_xlabel(f"x [mm], arrows x {scale:g}")
        axis.margins(0.1, 0.14)
        if i == 0:
            axis.set_ylabel("y [mm]")
            axis.legend([a, b], ["measured", "predicted"], fontsize=8, loc="lower left", ncols=2, frameon=False)
    for i, curve in enumerate(curves):
        axis = figure.add_subplot(grid[1 + i // per_row, i % per_row])
        axis.plot(curve.values, curve.rms, "k", lw=1.2)
        axis.axvline(curve.best, color="tab:green", lw=1.2, ls="--", label=f"one by one: {curve.best:.4g}")
        value = found.values[curve.parameter]
        if found.fit == "joint":
            axis.axvline(value, color=PREDICTED, lw=1.2, label=f"all at once: {value:.4g}")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(f"{SYMBOLS.get(curve.parameter, curve.parameter)} {f'[{curve.unit}]' if curve.unit else ''}")
        if i % per_row == 0:
            axis.set_ylabel("residual [px a marker]")
        axis.set_title(f"on {' and '.join(k for k in curve.kinds if k in found.samples.count())} samples", fontsize=9)
        axis.legend(fontsize=8)
        axis.grid(alpha=0.25, which="both", lw=0.5)
    place = len(curves)
    axis = figure.add_subplot(grid[1 + place // per_row, place % per_row :])
    _histogram(axis, found)
    figure.suptitle(f"model {found.model}, {found.fit} fit of {len(found.samples)} samples", fontsize=12)
    figure.savefig(path, dpi=85)
    plt.close(figure)
    return path


def _histogram(axis: Any, found: MarkerCalibration) -> None:
    used: list[np.ndarray] = []
    kept: list[np.ndarray] = []
    for one, predicted, r in zip(found.samples, found.predictions, found.residuals, strict=True):
        error = (predicted - one.displacement).ravel()
        (kept if r.held_out else used).append(error[np.isfinite(error)])
    used_all, kept_all = np.concatenate(used), np.concatenate(kept) if kept else np.zeros(0)
    reach = float(np.percentile(np.abs(used_all), 99.5)) or 1e-3
    bins = np.linspace(-1.3 * reach, 1.3 * reach, 41)
    for error, color, label in ((used_all, "0.65", "fitted"), (kept_all, PREDICTED, "held out")):
        if len(error):
            sigma = float(np.sqrt((error**2).mean()))
            axis.hist(
                error,
                bins,
                density=True,
                color=color,
                histtype="stepfilled" if color == "0.65" else "step",
                lw=1.4,
                label=f"{label}: {sigma:.3f} px",
            )
    axis.set_xlabel("dx, dy left over [px]")
    axis.set_yticks([])
    axis.legend(fontsize=8)
    axis.set_title("residuals of all markers", fontsize=9)


def draw_real_frames(plt: Any, found: RealFrames, path: Path) -> Path:
    """Both frames with the arrows of FOTS's form, ours and mode layer; and the errors on markers not fitted."""
    wide = 3 if found.layer else 2
    figure, axes = plt.subplots(
        2, wide + 1, figsize=(5.2 * wide + 5, 8.2), layout="constrained", width_ratios=(*[1.25] * wide, 1.1)
    )
    for (*fields, right), (frame, moved) in zip(axes, found.moved.items(), strict=True):
        scale = {"press": 6.0, "slide": 3.5}[frame]
        fots, ours = found.score(frame, "FOTS"), found.score(frame)
        shift = ours.factors[-2:]  # of the whole field, which hides the rest
        shown = [(fots, FOTS), (ours, PREDICTED)]
        if found.layer:
            shown.append((found.score(frame, "mode layer"), PREDICTED))
        for axis, (score, color) in zip(fields, shown, strict=True):
            axis.plot(*found.places.T, ".", ms=2.5, color="0.8", zorder=1)
            a = _arrows(axis, found.places, moved - shift, scale, MEASURED, 0.007, 2)
            b = _arrows(axis, found.places, score.prediction - shift, scale, color, 0.003, 3)
            axis.set_aspect("equal")
            axis.set_xlim(0, 330)
            axis.set_ylim(272, -12)
            name = "FOTS's form" if score is fots else f"ours: {score.form}" if score is ours else score.form
            axis.set_title(
                f"{frame}, {name}, {score.free} free numbers\n"
                f"in-sample {score.in_sample:.2f} px, other half {score.test.mean():.2f} px",
                fontsize=10,
            )
            axis.legend([a, b], ["measured", "fitted"], fontsize=8, loc="lower center", ncols=2, frameon=False)
            axis.set_xlabel(f"column [px]; arrows x {scale:g}, less the common shift")
        if frame == "press":
            angle = np.linspace(0, 2 * np.pi, 100)
            for axis in fields:
                axis.plot(
                    CONTACT_CENTER[0] + CONTACT_RADIUS * np.cos(angle),
                    CONTACT_CENTER[1] + CONTACT_RADIUS * np.sin(angle),
                    color="tab:green",
                    lw=0.8,
                )
        fields[0].set_ylabel("row [px]")
        scores = [s for s in found.scores if s.frame == frame][::-1]
        parts = right.boxplot([s.test for s in scores], orientation="horizontal", widths=0.55, patch_artist=True)
        for k, (box, s) in enumerate(zip(parts["boxes"], scores, strict=True), start=1):
            box.set_facecolor("mistyrose" if s.ours else "0.93")
            right.plot(s.in_sample, k, "D", ms=5, color="k", label="in-sample, all markers" if k == 1 else None)
        for line in parts["medians"]:
            line.set_color("k")
        right.set_yticklabels([f"{s.form} ({s.free})" for s in scores], fontsize=8)
        right.axvline(BARS[frame], color=FOTS, lw=1.2, ls="--", label="bar: FOTS's form in-sample")
        right.set_title(f"{frame}: error on the other half, {found.splits} splits", fontsize=10)
        right.set_xlabel("px a marker")
        right.set_xlim(0.6, 1.8)
        right.grid(alpha=0.3, axis="x", lw=0.5)
        if frame == "slide":
            right.legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=80)
    plt.close(figure)
    return path
