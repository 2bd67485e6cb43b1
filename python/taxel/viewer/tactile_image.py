"""What a sensor reads, as a picture: a heat map of a grid, or the taxels of a curved sensor peeled flat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .magnet_marks import draw_chips

if TYPE_CHECKING:
    from ..press import Press

TEXT, FRAME = "#d7dce5", "#5b6577"
EMPTY = (0.13, 0.15, 0.19)
MOST_NUMBERS = 100  # taxels up to which the value is written into each


def shares(press: Press) -> np.ndarray:
    """Readings from 0 (as before the touch) to 1 (the one that changed most); the same for inverted codes."""
    change = np.asarray(press.image, float) - press.no_load
    greatest = change.flat[np.argmax(np.abs(change))]
    return change / greatest if greatest else np.zeros_like(change)


def display(press: Press) -> tuple[np.ndarray, str]:
    """(values, label) as people read them: kPa for Pa."""
    if press.unit == "Pa":
        return np.asarray(press.image) / 1e3, "pressure, kPa"
    if press.unit == "N":
        return np.asarray(press.image), "force, N"
    return np.asarray(press.image), f"counts ({np.median(press.no_load):.0f} = no load)"


def draw_tactile(axes: Any, press: Press, bar: Any, point: float) -> None:
    """Into two axes: the picture and its colour bar. ``point``: font size of a pixel of a picture 760 high."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    from .press_picture import colour_of

    part = shares(press)
    values, label = display(press)
    if values.ndim == 2:
        cells, extent = _grid(press)
        axes.imshow(
            colour_of(part)[0],
            origin="lower",
            extent=[1e3 * x for x in extent],
            interpolation="nearest",
            aspect="equal",
        )
        size = min(abs(extent[1] - extent[0]) / values.shape[1], (extent[3] - extent[2]) / values.shape[0])
        center = _on_grid(press)
    else:
        flat = peel(press.scene.taxel_points, press.scene.taxel_normals)
        cells, extent = flat, None
        size = 0.62 * float(np.sqrt(np.median(press.scene.taxel_areas)))
        _outline(axes, press)
        _discs(axes, flat, part, size)
        normal = _nearest_normal(press)
        center = peel(press.scene.center[None], normal[None], press.scene.taxel_points[:, 2].max())[0]
        axes.set_aspect("equal")
        axes.autoscale_view()
    if values.size <= MOST_NUMBERS and press.chips is None:
        _numbers(axes, cells, values, part, size, press.unit)
    if np.abs(part).any():
        axes.plot(*(1e3 * center), "+", color="#58e0ff", ms=34 * point, mew=3.2 * point, zorder=5)
    if press.chips is not None and press.microtesla is not None:
        draw_chips(axes, press.chips, press.microtesla, point)
    axes.tick_params(colors=TEXT, labelsize=26 * point, length=3 * point)
    axes.set_xlabel("mm", color=TEXT, size=26 * point, labelpad=1)
    for spine in axes.spines.values():
        spine.set_edgecolor(FRAME)
    axes.set_facecolor(EMPTY)
    # From no load to the reading that changed most, which for inverted codes is the lowest.
    still = float(np.median(press.no_load)) * (1e-3 if press.unit == "Pa" else 1)
    extreme = float(values.flat[np.argmax(np.abs(part))])
    if extreme == still:
        extreme = still + 1
    ramp = np.linspace(0, 1, 256)
    colours = colour_of(ramp if extreme > still else ramp[::-1])[0]
    mapping = ScalarMappable(Normalize(min(still, extreme), max(still, extreme)), ListedColormap(colours))
    scale = axes.figure.colorbar(mapping, cax=bar)
    scale.outline.set_edgecolor(FRAME)
    scale.ax.tick_params(colors=TEXT, labelsize=26 * point, length=3 * point)
    scale.set_label(label, color=TEXT, size=29 * point)


def peel(points: np.ndarray, normals: np.ndarray, top: float | None = None) -> np.ndarray:
    """Curved surface seen from above, its sides folded out: (n, 2). What lies lower moves outwards along its normal."""
    top = points[:, 2].max() if top is None else top
    across = normals[:, :2]
    length = np.linalg.norm(across, axis=1, keepdims=True)
    out = across / np.where(length > 1e-9, length, 1)
    return points[:, :2] + np.where(length > 1e-9, out * np.maximum(top - points[:, 2:], 0), 0)


def _grid(press: Press) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Middles of the cells in the plane of the picture, and its extent, m."""
    rows, cols = press.image.shape
    points = press.scene.taxel_points.reshape(rows, cols, 3)
    area = float(np.median(press.scene.taxel_areas))
    du = float(np.linalg.norm(points[0, 1] - points[0, 0])) if cols > 1 else 0.0
    dv = float(np.linalg.norm(points[1, 0] - points[0, 0])) if rows > 1 else area / du if du else area**0.5
    du = du or area / dv
    x, y = (np.arange(cols) - 0.5 * (cols - 1)) * du, (np.arange(rows) - 0.5 * (rows - 1)) * dv
    middles = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return middles, (-0.5 * cols * du, 0.5 * cols * du, -0.5 * rows * dv, 0.5 * rows * dv)


def _on_grid(press: Press) -> np.ndarray:
    """Centre of pressure in the plane of the picture; on a wrapped grid the middle of the readings."""
    rows, cols = press.image.shape
    middles, _ = _grid(press)
    if np.ptp(press.scene.taxel_normals, axis=0).max() > 0.7:
        weight = np.abs(shares(press)).ravel()
        return (weight[:, None] * middles).sum(axis=0) / max(weight.sum(), 1e-30)
    points = press.scene.taxel_points.reshape(rows, cols, 3)
    along = [points[0, -1] - points[0, 0], points[-1, 0] - points[0, 0]]
    axes = [a / max(np.linalg.norm(a), 1e-30) for a in along]
    return np.array([axis @ (press.scene.center - points.reshape(-1, 3).mean(axis=0)) for axis in axes])


def _nearest_normal(press: Press) -> np.ndarray:
    away = np.linalg.norm(press.scene.taxel_points - press.scene.center, axis=1)
    weight = 1 / (away**2 + 1e-6)
    return (weight[:, None] * press.scene.taxel_normals).sum(axis=0) / weight.sum()


def _outline(axes: Any, press: Press) -> None:
    """The shape of the sensor seen from above."""
    from .press_picture import PAD

    scene = press.scene
    for k in scene.sensor_triangles:
        axes.fill(*(1e3 * scene.sensor_vertices[k, :2].T), color=PAD * 1.1, lw=0)


def _discs(axes: Any, flat: np.ndarray, part: np.ndarray, size: float) -> None:
    from matplotlib.patches import Circle

    from .press_picture import colour_of

    for place, colour in zip(flat, colour_of(part)[0], strict=True):
        axes.add_patch(Circle(tuple(1e3 * place), 500 * size, facecolor=colour, edgecolor="#7a8496", lw=0.8, zorder=3))


def _numbers(axes: Any, cells: np.ndarray, values: np.ndarray, part: np.ndarray, size: float, unit: str) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    greatest = float(np.abs(values).max())
    digits = 0 if unit == "counts" or greatest >= 100 else 1 if greatest >= 10 else 2
    longest = max(len(f"{v:.{digits}f}") for v in values.flat)
    height = 1e3 * size * min(0.42, 1.25 / longest)  # mm: text as paths keeps its size beside the cells
    for (x, y), value, share in zip(1e3 * cells, values.flat, part.flat, strict=True):
        if not share and values.size > 30:
            continue
        path = TextPath((0, 0), f"{value:.{digits}f}", size=height)
        box = path.get_extents()
        shift = Affine2D().translate(x - 0.5 * (box.x0 + box.x1), y - 0.5 * (box.y0 + box.y1))
        colour = "#11141a" if share > 0.45 else "#dfe4ec"
        axes.add_patch(PathPatch(path.transformed(shift), facecolor=colour, lw=0, zorder=4))
