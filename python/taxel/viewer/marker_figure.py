"""Markers as one picture: arrows over the gel and the camera's image with the dots, for the press and each motion."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..image import TactileCamera, synthetic_camera
from ..press.marker_press import DOT
from .press_picture import BACKGROUND
from .tactile_image import FRAME, TEXT

if TYPE_CHECKING:
    from ..press import MarkerFrame, MarkerPress

DPI = 100
GEL, CONTACT, REST = (0.16, 0.18, 0.22), "#4f6f9f", "#8f99aa"
FAINT = "#9aa4b5"
SEEN = 3.0  # px; dots that move less are drawn with their motion magnified
MAP = "plasma"


def nice(value: float, steps: tuple[float, ...] = (1, 2, 5)) -> float:
    """The largest of 1, 2, 5, 10, 20, ... that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(k * power for k in steps if k * power <= value * (1 + 1e-9))


def greatest(press: MarkerPress) -> float:
    return max(float(frame.lengths.max()) for frame in press.frames)


def arrow_factor(press: MarkerPress) -> float:
    """How much longer than life arrows are drawn: the longest is about two pitches."""
    most = greatest(press) * press.pixel
    pitch = float(np.linalg.norm(press.markers.reshape(-1, 3)[1] - press.markers.reshape(-1, 3)[0]))
    return nice(max(2.0 * pitch / most, 1.0), (1, 1.5, 2, 3, 4, 5, 6, 8)) if most > 0 else 1.0


def dot_factor(press: MarkerPress) -> float:
    """The same for the dots in the image: 1 where their motion can be seen anyway."""
    most = greatest(press)
    return 1.0 if most >= SEEN or most == 0 else min(nice(8.0 / most), arrow_factor(press))


def photo(press: MarkerPress, frame: MarkerFrame, camera: TactileCamera | None = None) -> np.ndarray:
    """The camera's image of a frame with the dots at their moved places, (rows, columns, 3) uint8."""
    camera = camera or synthetic_camera((press.grid.rows, press.grid.cols), press.pixel)
    if camera.shape != (press.grid.rows, press.grid.cols):
        raise ValueError(
            f"this camera has {camera.shape[0]} x {camera.shape[1]} pixels and the sensor {press.grid.rows} x "
            f"{press.grid.cols}; give one that was calibrated at this size"
        )
    places = press.grid.places(press.markers.reshape(-1, 3))
    moved = dot_factor(press) * frame.displacement.reshape(-1, 3)[:, :2] * (1, -1)
    return camera.render(camera.press(frame.penetration), markers=places + moved, marker_radius=DOT / press.pixel)


def marker_figure(plt: Any, path: Path, press: MarkerPress, camera: TactileCamera | None = None) -> Path:
    """A pair of panels a frame, two pairs a row."""
    made_up = camera is None
    camera = camera or synthetic_camera((press.grid.rows, press.grid.cols), press.pixel)
    count = len(press.frames)
    across = min(count, 2)
    rows = math.ceil(count / across)
    wide, high, top, bottom = 9.6, 7.3, 0.95, 0.70  # inches: of a pair, of the heading, of the foot
    size = across * wide + 1.05, rows * high + top + bottom
    figure = plt.figure(figsize=size, dpi=DPI, facecolor=BACKGROUND[1])
    scale = plt.Normalize(0, max(greatest(press), 1e-12))
    for k, frame in enumerate(press.frames):
        row, column = divmod(k, across)
        x, y = column * wide, size[1] - top - (row + 1) * high

        def box(left: float, low: float, width: float, height: float, x: float = x, y: float = y) -> Any:
            return figure.add_axes(((x + left) / size[0], (y + low) / size[1], width / size[0], height / size[1]))

        _arrows(box(0.75, 0.65, 4.45, 5.55), press, frame, scale)
        _photo(box(5.35, 0.65, 4.1625, 5.55), press, frame, camera)
        middle = (x + 0.5 * (0.75 + 9.5)) / size[0]
        figure.text(middle, (y + 6.93) / size[1], _heading(frame), color="#f2f4f8", size=19, weight="bold", ha="center")
    bar = figure.add_axes(
        ((across * wide + 0.12) / size[0], (bottom + 0.65) / size[1], 0.16 / size[0], (rows * high - 1.75) / size[1])
    )
    _bar(figure, bar, scale, press)
    force = "" if press.force is None else f", {press.force:g} N"
    heading = f"{press.title}: {press.object}, {1e3 * press.depth:.2f} mm deep{force}"
    figure.text(0.5, 1 - 0.5 / size[1], heading, color="#f2f4f8", size=20, weight="bold", ha="center", va="center")
    figure.text(0.5, 0.36 / size[1], _foot(press, made_up), color=FAINT, size=12, ha="center", va="center")
    figure.savefig(path, dpi=DPI, facecolor=figure.get_facecolor())
    plt.close(figure)
    return path


def _foot(press: MarkerPress, made_up: bool) -> str:
    own = {"layer": "elastic layer with friction", "taxel": "taxel's quick marker model"}
    model = own.get(press.mode, f'HydroShear, mode "{press.mode}"')
    words = [model, f"arrows drawn x {arrow_factor(press):g}"]
    factor = dot_factor(press)
    words.append("dots at their true places" if factor == 1 else f"motion of the dots drawn x {factor:g}")
    if made_up:
        words.append("colours of a made-up camera")
    words.append("seen from outside the gel, x to the right, y up")
    return "   ·   ".join(words)


def _frame(axes: Any, label: str) -> None:
    axes.set_aspect("equal")
    axes.tick_params(colors=TEXT, labelsize=12, length=3)
    axes.set_xlabel(label, color=TEXT, size=12.5, labelpad=3)
    for spine in axes.spines.values():
        spine.set_edgecolor(FRAME)


def _arrows(axes: Any, press: MarkerPress, frame: MarkerFrame, scale: Any) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import FancyBboxPatch

    low, high = 1e3 * press.outline
    axes.set_facecolor(tuple(BACKGROUND[0]))
    corner = 1.5
    width, height = high - low - 2 * corner
    axes.add_patch(
        FancyBboxPatch(
            low + corner,
            width,
            height,
            boxstyle=f"round,pad={corner},rounding_size={corner}",
            facecolor=GEL,
            edgecolor=FRAME,
            lw=1.2,
            zorder=0,
        )
    )
    extent = [1e3 * e for e in press.grid.extent]
    axes.add_patch(
        FancyBboxPatch(
            (extent[0], extent[2]),
            extent[1] - extent[0],
            extent[3] - extent[2],
            boxstyle="square,pad=0",
            facecolor="none",
            edgecolor=FRAME,
            lw=0.8,
            ls=(0, (4, 4)),
            zorder=1,
        )
    )
    if frame.penetration.max() > 0:
        x, y = 1e3 * press.grid.x, 1e3 * press.grid.y
        deep = frame.penetration / frame.penetration.max()
        axes.contourf(x, y, deep, levels=np.linspace(0.004, 1.0, 12), colors=[CONTACT], alpha=0.075, zorder=1)
        for k in np.linspace(0.15, 0.85, 5):
            axes.contourf(x, y, deep, levels=[k, 1.01], colors=[CONTACT], alpha=0.16, zorder=1)
        axes.contour(x, y, deep, levels=[0.004], colors=["#86a8dd"], linewidths=1.3, zorder=2)
    places = 1e3 * press.markers.reshape(-1, 3)[:, :2]
    factor = arrow_factor(press)
    moved = 1e3 * press.pixel * factor * frame.displacement.reshape(-1, 3)[:, :2]
    axes.scatter(*places.T, s=9, c=REST, linewidths=0, zorder=3)
    lengths = frame.lengths.ravel()
    axes.quiver(
        *places.T,
        *moved.T,
        color=colormaps[MAP](0.28 + 0.70 * scale(lengths)),
        angles="xy",
        scale_units="xy",
        scale=1,
        width=0.0075,
        headwidth=3.8,
        headlength=4.2,
        headaxislength=3.8,
        minlength=0.6,
        zorder=4,
    )
    axes.set_xlim(low[0] - 0.8, high[0] + 0.8)
    axes.set_ylim(low[1] - 2.3, high[1] + 0.8)
    _scale_bar(axes, press, factor, low)
    _frame(axes, "mm")
    axes.set_title(_numbers(press, frame), color=TEXT, size=12.5, pad=7, linespacing=1.35)


def _numbers(press: MarkerPress, frame: MarkerFrame) -> str:
    most, mean, net = float(frame.lengths.max()), float(frame.lengths.mean()), float(np.linalg.norm(frame.mean))
    together = f"together {net:.2f} px at {round(frame.direction)}°" if net > 0.02 * most else "together 0 px"
    return (
        f"at most {most:.2f} px = {_length(press, most)}, mean {mean:.2f} px\n"
        f"{together}; contact {1e6 * frame.area:.0f} mm²"
    )


def _heading(frame: MarkerFrame) -> str:
    if frame.wrench is None:
        return frame.motion
    down, aside = -float(frame.wrench[2]), float(np.hypot(*frame.wrench[:2]))
    return f"{frame.motion}: {down:.2g} N down" + (f", {aside:.2g} N aside" if aside > 0.01 * abs(down) else "")


def _length(press: MarkerPress, pixels: float) -> str:
    mm = 1e3 * press.pixel * pixels
    return f"{mm:.3g} mm" if mm >= 1 else f"{1e3 * mm:.3g} µm"


def _scale_bar(axes: Any, press: MarkerPress, factor: float, low: np.ndarray) -> None:
    """An arrow of a round number of pixels below the gel."""
    most = greatest(press)
    if most == 0:
        return
    pixels = nice(most)
    length = 1e3 * press.pixel * factor * pixels
    x, y = low[0] + 0.6, low[1] - 1.15
    axes.annotate(
        "",
        xy=(x + length, y),
        xytext=(x, y),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.28,head_length=0.5",
            "color": TEXT,
            "lw": 2.0,
            "shrinkA": 0,
            "shrinkB": 0,
        },
        zorder=5,
    )
    axes.text(
        x + length + 0.5,
        y,
        f"{pixels:g} px = {_length(press, pixels)}",
        color=TEXT,
        size=12,
        va="center",
    )


def _photo(axes: Any, press: MarkerPress, frame: MarkerFrame, camera: TactileCamera) -> None:
    axes.imshow(photo(press, frame, camera), extent=[1e3 * e for e in press.grid.extent], interpolation="lanczos")
    _frame(axes, "")
    axes.set_xticks([]), axes.set_yticks([])
    grid = press.grid
    size = f"{1e3 * grid.cols * grid.pixel:.1f} x {1e3 * grid.rows * grid.pixel:.1f} mm"
    axes.set_title(f"camera, {grid.cols} x {grid.rows} px\n{size}", color=TEXT, size=12.5, pad=7, linespacing=1.35)


def _bar(figure: Any, axes: Any, scale: Any, press: MarkerPress) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(colormaps[MAP](np.linspace(0.28, 0.98, 256)))
    bar = figure.colorbar(ScalarMappable(scale, colours), cax=axes)
    bar.outline.set_edgecolor(FRAME)
    axes.tick_params(colors=TEXT, labelsize=12, length=3)
    bar.set_label("displacement, px", color=TEXT, size=12)
