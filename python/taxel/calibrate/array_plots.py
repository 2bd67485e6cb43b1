"""The picture of a calibration: forces, readings, what is left over, gains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .array_result import ArrayCalibration, show
from .presses import Presses

POINTS = 2500  # of the scatter plot; more only hide each other


def draw_calibration(plt: Any, found: ArrayCalibration, presses: Presses, path: Path) -> Path:
    """``plt``: matplotlib.pyplot."""
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    _forces(axes[0, 0], found, presses)
    _readings(axes[0, 1], found)
    _residuals(figure, axes[1, 0], found)
    _gains(figure, axes[1, 1], found)
    figure.savefig(path, dpi=80)
    plt.close(figure)
    return path


def _forces(ax: Any, found: ArrayCalibration, presses: Presses) -> None:
    fit = found.force
    ax.set_xlabel("depth below the face [mm]")
    ax.set_ylabel("force [N]")
    if fit is None:
        ax.set_title(f"modulus given: {show(found.modulus.value)} Pa")
        ax.text(0.5, 0.5, "no force fit", ha="center", transform=ax.transAxes, color="0.5")
        return
    ax.set_title(f"modulus {show(found.modulus.value)} Pa; lines: fit")
    names = presses.press[fit.frames]
    for name in np.unique(names):
        mine = np.flatnonzero(names == name)
        mine = mine[np.argsort(fit.depth[mine])]
        ax.plot(1e3 * fit.depth[mine], fit.fitted[mine], color="0.75", lw=0.8, zorder=1)
    for k, one in enumerate(presses.indenters):
        mine = presses.indenter[fit.frames] == k
        ax.plot(1e3 * fit.depth[mine], fit.measured[mine], ".", ms=4, label=one.title)
    ax.legend(fontsize=8)


def _readings(ax: Any, found: ArrayCalibration) -> None:
    r = found.readings
    signal = found.measured - r.offsets
    pressed = found.pressures > 0
    good = np.ones(found.pad.taxels, bool)
    good[r.defects.all] = False
    for which, color, label in (
        (pressed & ~(r.used & good), "tab:red", "left out"),
        (pressed & r.used & good, "tab:blue", "used"),
    ):
        x, y = 1e-3 * found.pressures[which], signal[which]
        some = np.linspace(0, len(x) - 1, min(len(x), POINTS)).astype(int) if len(x) else np.arange(0)
        ax.plot(x[some], y[some], ".", ms=2, color=color, label=label, alpha=0.5)
    x = np.array([0, found.pressures.max()])
    ax.plot(1e-3 * x, found.gain.value * x, "k", lw=1.2, label="mean gain")
    ax.set_title(f"gain {found.gain.value:.4g} {found.pad.unit}/Pa, spread {100 * r.gain_spread.value:.2g} %")
    ax.set_xlabel("modelled pressure [kPa]")
    ax.set_ylabel(f"reading less offset [{found.pad.unit}]")
    ax.legend(fontsize=8, markerscale=4)


def _image(figure: Any, ax: Any, found: ArrayCalibration, values: np.ndarray, title: str, **options: Any) -> None:
    rows, cols = found.pad.shape
    x, y = (1e3 * found.layout.points[:, a].reshape(rows, cols) for a in (0, 1))
    dx = (x[0, -1] - x[0, 0]) / max(1, cols - 1) / 2 or 1.0
    dy = (y[-1, 0] - y[0, 0]) / max(1, rows - 1) / 2 or 1.0
    box = (x.min() - dx, x.max() + dx, y.min() - dy, y.max() + dy)
    image = ax.imshow(values.reshape(rows, cols), origin="lower", extent=box, **options)
    ax.set_facecolor("0.8")
    bad = found.readings.defects.all
    if bad:
        ax.plot(x.ravel()[bad], y.ravel()[bad], "rx", label="left out")
        ax.legend(fontsize=8)
    ax.set_title(title)
    ax.set_xlabel("x [mm]")
    ax.set_ylabel("y [mm]")
    figure.colorbar(image, ax=ax)


def _residuals(figure: Any, ax: Any, found: ArrayCalibration) -> None:
    r = found.readings
    count = r.used.sum(axis=0)
    rms = np.sqrt((np.where(r.used, r.residuals, 0) ** 2).sum(axis=0) / np.maximum(count, 1))
    rms = np.where(count > 0, rms, np.nan)
    _image(figure, ax, found, rms, f"residual of the readings [{found.pad.unit}], root mean square", vmin=0)


def _gains(figure: Any, ax: Any, found: ArrayCalibration) -> None:
    ratio = found.readings.gains / found.gain.value
    reach = float(np.nanmax(np.abs(ratio - 1))) or 0.01
    title = "gain of each taxel over the mean; grey: not pressed"
    _image(figure, ax, found, ratio, title, cmap="coolwarm", vmin=1 - reach, vmax=1 + reach)
