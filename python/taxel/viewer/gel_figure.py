"""A press into a gel as one picture: how the face moves, along it and into it, and what the taxels read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .panel import colour_map

if TYPE_CHECKING:
    from ..press import GelPress


def _nice(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return max(k * power for k in (1, 2, 5) if k * power <= value * (1 + 1e-9))


def gel_figure(plt: Any, path: Path, press: GelPress) -> Path:
    u = 1e3 * press.displacement
    x, y = 1e3 * press.points[0, :, 0], 1e3 * press.points[:, 0, 1]
    pitch = x[1] - x[0]
    extent = (x[0] - 0.5 * pitch, x[-1] + 0.5 * pitch, y[0] - 0.5 * pitch, y[-1] + 0.5 * pitch)
    high = max(4.6, 5.0 * (extent[3] - extent[2]) / (extent[1] - extent[0]))
    sheet, (face, into, felt) = plt.subplots(1, 3, figsize=(15.5, min(7.5, high)), layout="constrained")
    along = np.linalg.norm(u[..., :2], axis=-1)
    shown = face.imshow(along, origin="lower", extent=extent, cmap=colour_map(), vmin=0)
    every = max(1, round(max(u.shape[:2]) / 18))
    rows, cols = (slice((n - 1) % every // 2, None, every) for n in u.shape[:2])
    stretch = _nice(max(1.0, 1.6 * every * pitch / max(float(along.max()), 1e-12)))
    face.quiver(
        *np.meshgrid(x[cols], y[rows]), stretch * u[rows, cols, 0], stretch * u[rows, cols, 1], angles="xy",
        scale_units="xy", scale=1, width=0.005, color="#20262e", minlength=0.4,
    )  # fmt: skip
    face.set_title(f"moved along the face (arrows x {stretch:g})")
    sheet.colorbar(shown, ax=face, label="mm", shrink=0.85)
    most = max(float(np.abs(u[..., 2]).max()), 1e-9)
    shown = into.imshow(u[..., 2], origin="lower", extent=extent, cmap="RdBu", vmin=-most, vmax=most)
    into.set_title("moved out of it (blue) and in (red)")
    sheet.colorbar(shown, ax=into, label="mm", shrink=0.85)
    _draw_reading(sheet, felt, press)
    for axis in (face, into, felt):
        axis.set(xlabel="x, mm", aspect="equal")
    face.set_ylabel("y, mm")
    sheet.suptitle(
        f"{press.title} as a gel + {press.object}: {press.force[2]:.3g} N, {1e3 * press.depth:.3g} mm deep", fontsize=13
    )
    sheet.savefig(path, dpi=100)
    plt.close(sheet)
    return path


def _draw_reading(sheet: Any, axis: Any, press: GelPress) -> None:
    values, layout = press.reading.values.ravel(), press.reading.layout
    scale, unit = (1e-3, "kPa") if press.unit == "Pa" else (1.0, press.unit)
    side = 1e3 * math.sqrt(float(np.median(layout.areas)))
    points = 1e3 * layout.points
    columns, rows = (len(np.unique(np.round(points[:, k], 4))) for k in (0, 1))
    if columns * rows == len(points):
        order = np.lexsort((np.round(points[:, 0], 4), np.round(points[:, 1], 4)))
        px, py = np.unique(np.round(points[:, 0], 4)), np.unique(np.round(points[:, 1], 4))
        half = 0.5 * (px[1] - px[0]), 0.5 * (py[1] - py[0])
        box = (px[0] - half[0], px[-1] + half[0], py[0] - half[1], py[-1] + half[1])
        shown = axis.imshow(scale * values[order].reshape(rows, columns), origin="lower", extent=box, cmap=colour_map())
    else:
        shown = axis.scatter(*points[:, :2].T, c=scale * values, s=(3 * side) ** 2, cmap=colour_map(), marker="s")
    axis.set_title(f"{len(values)} taxels")
    sheet.colorbar(shown, ax=axis, label=unit, shrink=0.85)
