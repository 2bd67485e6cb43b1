"""Pictures of ``gel-pick``: the film, and the phases with what both pads feel below them, as Fig. 9 of the paper."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...viewer.panel import BLUE, FAINT, GREEN, INK, LINE, ORANGE, PAPER, Panel, colours

SCENE = (620, 400)
BELOW = 250
PIXEL = 9  # px of the film a mm
PRESSED = 1.0  # mm: full colour


def upright(field: np.ndarray, side: str) -> np.ndarray:
    """(H, W, 3) of a pad as (rows from the top, columns, 3): seen from its finger's back, so that the same place of the
    can is at the same place of both."""
    turned = field.transpose(1, 0, 2)[::-1]
    return turned if side == "left" else turned[:, ::-1] * (-1, 1, 1)


@cache
def _legend() -> tuple[str, ...]:
    return ("colour: pressed in,", f"to {PRESSED:g} mm", "lines: moved along", "the face, x 4")


def _pad(panel: Panel, field: np.ndarray, x: int, y: int, size_mm: tuple[float, float]) -> None:
    from PIL import Image

    width, height = (round(PIXEL * s) for s in size_mm)
    tiles = colours(np.clip(-1e3 * field[..., 2] / PRESSED, 0, 1))
    picture = Image.fromarray(tiles).resize((width, height), Image.Resampling.BICUBIC)
    panel.draw.rectangle((x - 1, y - 1, x + width, y + height), outline=LINE)
    panel.picture.paste(picture, (x, y))
    rows, cols = field.shape[:2]
    for r in range(1, rows, max(1, rows // 10)):
        for c in range(1, cols, max(1, cols // 8)):
            at = np.array([x + (c + 0.5) / cols * width, y + (r + 0.5) / rows * height])
            to = at + 4e3 * PIXEL * field[r, c, :2] * (1, -1)
            panel.draw.line((*at, *to), fill=INK, width=2)
            panel.draw.ellipse((*(at - 1.5), *(at + 1.5)), fill=INK)


def frame(scene: np.ndarray, pick: Any) -> np.ndarray:
    """One picture of the film."""
    from .pick_scene import PAD

    log = pick.log
    panel = Panel(SCENE[0], SCENE[1] + BELOW)
    panel.draw.rectangle((0, 0, SCENE[0], SCENE[1] + BELOW), fill=PAPER)
    panel.paste(scene, 0, 0)
    size = (1e3 * PAD[0], 1e3 * PAD[1])
    top = SCENE[1] + 40
    panel.text(20, 14, pick.phase, 22, INK, bold=True)
    panel.text(SCENE[0] - 16, 18, f"{log.time[-1]:.1f} s", 15, FAINT, anchor="ra")
    for k, (side, x) in enumerate((("left", 24), ("right", 204))):
        panel.text(x + 0.5 * PIXEL * size[0], top - 28, f"{side} gel", 14, (BLUE, ORANGE)[k], anchor="ma")
        _pad(panel, upright(pick.images[pick.phase][k], side), x, top, size)
    x, greatest = 386, 8.0
    panel.text(x, top - 28, "on the can, N", 14, INK)
    values = (("left", log.grip[-1][0], BLUE), ("right", log.grip[-1][1], ORANGE), ("lifts", log.lift[-1], GREEN))
    for k, (name, value, colour) in enumerate(values):
        panel.text(x, top + 24 * k, name, 13, FAINT)
        panel.bar(x + 46, top + 24 * k + 2, 110, 12, max(0.0, float(value)) / greatest, colour)
        panel.text(x + 214, top + 24 * k, f"{value:.2f}", 13, INK, anchor="ra")
    for k, words in enumerate(_legend()):
        panel.text(x, top + 96 + 19 * k, words, 13, FAINT)
    return panel.pixels()


def _draw_pad(axis: Any, field: np.ndarray, color: str, cmap: Any, stretch: float = 4.0) -> Any:
    from .pick_scene import PAD

    half = (500 * PAD[0], 500 * PAD[1])
    shown = axis.imshow(
        -1e3 * field[..., 2], cmap=cmap, vmin=0, vmax=PRESSED, extent=(-half[0], half[0], -half[1], half[1])
    )
    rows, cols = field.shape[:2]
    x = (np.arange(cols) + 0.5) / cols * 2 * half[0] - half[0]
    y = half[1] - (np.arange(rows) + 0.5) / rows * 2 * half[1]
    r, c = slice(1, None, max(1, rows // 10)), slice(1, None, max(1, cols // 8))
    u = 1e3 * stretch * field[r, c]
    axis.quiver(
        *np.meshgrid(x[c], y[r]), u[..., 0], u[..., 1], angles="xy", scale_units="xy", scale=1, width=0.009,
        color="#20262e", minlength=0.5,
    )  # fmt: skip
    axis.set(xticks=[], yticks=[])
    for spine in axis.spines.values():
        spine.set(color=color, linewidth=1.6)
    return shown


def figure(path: Path, pick: Any, found: Any, numbers: dict[str, Any]) -> Path:
    """The view that finds the can, the phases and the pads, and the forces over time."""
    from taxel.report import need_matplotlib

    from ...viewer.panel import colour_map
    from .pick import PHASES

    plt = need_matplotlib()
    sheet = plt.figure(figsize=(15.5, 13.0), layout="constrained", facecolor="white")
    look, scenes, pads, curves = sheet.subfigures(4, 1, height_ratios=(2.5, 1.45, 3.3, 2.4))
    _draw_view(look, pick, found, numbers)
    if pick.stills:
        for ax, phase in zip(scenes.subplots(1, len(PHASES)), PHASES, strict=True):
            ax.imshow(pick.stills[phase])
            ax.set_title(phase, fontsize=12)
            ax.axis("off")
    axes = pads.subplots(2, len(PHASES))
    for column, phase in enumerate(PHASES):
        for row, (side, color) in enumerate((("left", "#1f62a8"), ("right", "#de7a16"))):
            shown = _draw_pad(axes[row, column], upright(pick.images[phase][row], side), color, colour_map())
        n = numbers["phases"][phase]
        axes[1, column].set_xlabel(
            f"grip {n['grip_N']:.2f} N, lifts {n['lift_N']:.2f} N\n"
            f"in {n['normal_mm']:.2f} mm, along {n['shear_mm']:.2f} mm",
            fontsize=9.5,
        )
    axes[0, 0].set_ylabel("left gel", fontsize=11)
    axes[1, 0].set_ylabel("right gel", fontsize=11)
    pads.colorbar(shown, ax=axes, label="pressed in, mm (arrows: along the face, x 4)", shrink=0.8)
    _draw_curves(curves, pick, numbers)
    sheet.savefig(path, dpi=100)
    plt.close(sheet)
    return path


def _draw_view(part: Any, pick: Any, found: Any, numbers: dict[str, Any]) -> None:
    color, labels, depth = part.subplots(1, 3)
    color.imshow(found.color)
    color.set_title("what the camera sees", fontsize=12)
    names = {pick.model.geom(n).id: c for n, c in (
        ("can", (66, 122, 184)), ("soup", (189, 64, 51)), ("gelatin", (219, 171, 64)), ("lemon", (230, 212, 71)),
        ("table", (226, 229, 233)),
    )}  # fmt: skip
    picture = np.full((*found.labels.shape, 3), 140, np.uint8)
    for geom, rgb in names.items():
        picture[found.labels == geom] = rgb
    labels.imshow(picture)
    labels.set_title(f"its segments: {numbers['can_pixels']} pixels of the can", fontsize=12)
    can = found.labels == pick.model.geom("can").id
    shown = depth.imshow(np.where(can, found.depth, np.nan), cmap="viridis_r")
    error = numbers["rows"][0]["value"]
    depth.set_title(f"depth of the can: found {error:.2f} mm off its place", fontsize=12)
    part.colorbar(shown, ax=depth, label="m", shrink=0.8)
    for ax in (color, labels, depth):
        ax.set(xticks=[], yticks=[])


def _draw_curves(part: Any, pick: Any, numbers: dict[str, Any]) -> None:
    from .pick import FORCE, PHASES

    log = pick.log
    t, grip, lift = np.array(log.time), np.array(log.grip), np.array(log.lift)
    top, low = part.subplots(2, 1, sharex=True, height_ratios=(1.7, 1.0))
    top.plot(t, grip[:, 0], color="#1f62a8", lw=2.4, label="left gel presses")
    top.plot(t, grip[:, 1], color="#de7a16", lw=1.2, label="right gel presses")
    top.plot(t, lift, color="#2e8b57", lw=1.6, label="both lift")
    top.axhline(numbers["weight_N"], color="#2e8b57", ls="--", lw=0.9, label="weight of the can")
    top.set(ylabel="force on the can, N", ylim=(-1, 1.35 * FORCE))
    top.legend(fontsize=9, ncol=4, loc="upper left")
    low.plot(t, 1e3 * np.array(log.peak), color="#7a3e9d", lw=1.4)
    low.set(ylabel="greatest\ndisplacement, mm", xlabel="s", xlim=(0, t[-1]))
    for ax in (top, low):
        ax.grid(alpha=0.25)
    for phase in PHASES:
        span = t[log.during(phase)]
        for ax in (top, low):
            ax.axvline(span[0], color="0.6", lw=0.7)
        top.text(0.5 * (span[0] + span[-1]), 1.02 * top.get_ylim()[1], phase, ha="center", fontsize=9, color="0.3")
