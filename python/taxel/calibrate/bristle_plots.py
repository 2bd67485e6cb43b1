"""Pictures of the fits of friction and foam."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .foam import FoamFit
from .friction import FrictionFit


def draw_friction(plt: Any, found: FrictionFit, path: Path) -> Path:
    """``plt``: matplotlib.pyplot. Friction coefficients over speed, and what the fit leaves."""
    d = found.data
    figure, (top, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained", height_ratios=(3, 1))
    mean = float(d.load.mean())
    spread = np.ptp(d.load) > 1e-9 * mean
    order = np.argsort(d.speed)
    wide = d.speed.min() > 0 and d.speed.max() / d.speed.min() > 30
    v = (np.geomspace if wide else np.linspace)(d.speed.min(), d.speed.max(), 300)
    top.plot(
        d.speed, d.friction / d.load, ".", ms=4, color="0.5", label="recorded" + (", over its load" if spread else "")
    )
    top.plot(v, found.curve(v, mean) / mean, "k", lw=1.5, label=f"fit, at {mean:.3g} N")
    dry = found.curve(v, mean) - found.viscosity.value * v
    top.plot(v, dry / mean, "tab:blue", ls="--", lw=1, label="fit without viscosity")
    if found.stribeck_speed:
        x0 = found.stribeck_speed
        top.axvline(x0.value, color="tab:red", lw=0.8, label=f"Stribeck speed {x0.value:.3g} m/s")
        low, high = max(x0.low, v[0]), min(x0.high, v[-1])
        if high > low:
            top.axvspan(low, high, color="tab:red", alpha=0.12, lw=0)
    mu_s, mu_d = found.static.value, found.dynamic.value
    top.set_title(f"friction {mu_s:.3g} static, {mu_d:.3g} dynamic; viscosity {found.viscosity.value:.3g} N s/m")
    top.set_ylabel("friction / load")
    top.set_ylim(0, None)
    top.legend(fontsize=8, loc="lower left")
    rest = d.friction - found.curve(d.speed, d.load)
    below.axhline(0, color="k", lw=0.8)
    below.plot(d.speed[order], 1e3 * rest[order], ".", ms=4, color="0.5")
    below.set_ylabel("left over [mN]")
    below.set_xlabel("speed [m/s]")
    if wide:
        below.set_xscale("log")
    figure.savefig(path, dpi=80)
    plt.close(figure)
    return path


def draw_foam(plt: Any, found: FoamFit, path: Path) -> Path:
    """Load over compression, as the paper's Fig. 6, with both lines and the curve; and what they leave."""
    d = found.data
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", width_ratios=(3, 2))
    x = np.linspace(0, 1.05 * d.compression.max(), 100)
    left.plot(1e3 * d.compression, d.force, "o", ms=4, color="0.5", label="recorded")
    a = d.weight_area
    left.plot(
        1e3 * x, a * found.zero.value * x, "k", lw=1.5, label=f"through zero: {1e-6 * found.zero.value:.4g} kPa/mm"
    )
    start = found.dead_band.value
    band = np.array([max(0.0, start), x[-1]])
    label = f"dead band {1e3 * start:.3g} mm: {1e-6 * found.line.value:.4g} kPa/mm"
    left.plot(1e3 * band, a * found.line.value * (band - start), "r--", lw=1.2, label=label)
    knots = np.vstack([(0, 0), found.curve])
    left.plot(1e3 * knots[:, 0], a * knots[:, 1], "tab:green", marker=".", lw=1, label="curve")
    left.set_xlabel("compression [mm]")
    left.set_ylabel(f"load [N] on {1e6 * a:.4g} mm2")
    left.set_xlim(0, None)
    left.set_ylim(0, None)
    left.legend(fontsize=8)
    share = found.share
    left.set_title(
        f"stiffness of a point: {share * found.zero.value:.3g} N/m (through zero)"
        if share
        else "compression under weights"
    )
    right.axhline(0, color="k", lw=0.8)
    for rest, style, name in (
        (d.compression - d.pressure / found.zero.value, "ko", "through zero"),
        (d.compression - start - d.pressure / found.line.value, "r^", "dead band"),
    ):
        right.plot(d.force, 1e6 * rest, style, ms=4, label=name)
    right.set_xlabel("load [N]")
    right.set_ylabel("left over of the compression [um]")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=80)
    plt.close(figure)
    return path
