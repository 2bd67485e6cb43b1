"""A torus between two elastic pads, every layer of them (Elastic Interaction of Particles, Fig. 3).

The press is the published one (`taxel.EipPress`) and stops at the authors' threshold for this object. Lengths are sides
of the unit domain D. Displacements are those from where the hand has carried a layer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...gel.eip import LAYERS, rest_points
from ...report import need_matplotlib, table
from .shapes import torus
from .views import INK, OBJECT, PAD_COLORS, PITCH, chamfers, save

STOP = 1e-4
"""Chamfer distance (mean form) at which the authors' code stops this press."""
RING, TUBE = 0.055, 0.025
LAYER_PITCH = 0.04 / LAYERS
MIRROR_LIMIT = 0.01
"""rms, of the displacement's: what the pads may differ by on an object with a mirror plane between them."""


def press(out: Any, quick: bool) -> tuple[Any, np.ndarray]:
    """The press at its end, and the displacements of all layers (pad, layer, 61, 61, 3), each in its pad's frame."""
    mesh = torus(RING, TUBE, *((48, 24) if quick else (128, 64)))
    series = taxel.EipPress(chamfer=STOP).series(mesh, taxel.pose((0.5, 0.5, 0.5)))
    for _ in out.progress(range(32), "press"):
        if not series.step(8):
            break
    layers = np.array([[series.layer_image(pad, k) for k in range(LAYERS)] for pad in (0, 1)])
    return series.result(), layers


def mirrored(image: np.ndarray) -> np.ndarray:
    """What pad 1 shows, in the frame of pad 0: the frames' y axes are opposite."""
    return image[:, ::-1] * (1, -1, 1)


def _rms(image: np.ndarray) -> float:
    return float(np.sqrt((image.astype(float) ** 2).sum(axis=-1).mean()))


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    plt = need_matplotlib()
    result, layers = press(out, quick)
    rms = np.sqrt((layers.astype(float) ** 2).sum(axis=-1).mean(axis=(2, 3)))
    deepest = -layers[..., 2].min(axis=(2, 3))
    mean_form, sum_form = chamfers(layers[0, 0], rest_points())
    out.print(
        f"stopped after {result.steps[0]} steps by the chamfer distance: {bool(result.stopped[0])}; "
        f"l = {mean_form:.3e} (mean), {sum_form:.3f} (sum)"
    )
    out.print("\ndisplacement from where the hand has carried the layer, 1e-3 D")
    out.print(table(
        ("layer", "alpha", "rms, pad 0", "rms, pad 1", "deepest, pad 0", "deepest, pad 1"),
        [(f"{k}{' (contact)' if k == 0 else ' (hand)' if k == LAYERS - 1 else ''}", f"{1 - k / LAYERS:.1f}",
          *(f"{1e3 * v:.3f}" for v in (*rms[:, k], *deepest[:, k]))) for k in range(LAYERS)],
    ))  # fmt: skip
    difference = _rms(layers[0, 0] - mirrored(layers[1, 0])) / _rms(layers[0, 0])
    falls = bool((np.diff(rms, axis=1) < 0).all())
    out.print(f"\nrms falls from layer to layer in both pads: {falls}")
    out.print(f"the pads differ by {100 * difference:.2g} % (rms): rounding decides in which step a particle is inside")
    rows: list[dict[str, Any]] = [
        {"test": "layer", "layer": k, "alpha": 1 - k / LAYERS, "rms": rms[:, k], "deepest": deepest[:, k]}
        for k in range(LAYERS)
    ]
    rows.append({"test": "falls", "within": falls})
    rows.append({"test": "mirror", "difference": difference, "within": difference < MIRROR_LIMIT})
    picture = draw(plt, result, layers, rms, folder / "gel_torus.png")
    out.print(f"picture: {picture}")
    return {
        "experiment": "gel-torus",
        "quick": quick,
        "steps": int(result.steps[0]),
        "stopped": bool(result.stopped[0]),
        "threshold": STOP,
        "chamfer": {"mean": mean_form, "sum": sum_form},
        "rows": rows,
        "pictures": [picture],
    }


def draw(plt: Any, result: Any, layers: np.ndarray, rms: np.ndarray, path: Path) -> str:
    figure = plt.figure(figsize=(12.4, 8.2))
    section = figure.add_axes((0.60, 0.68, 0.385, 0.25))
    bars = figure.add_axes((0.60, 0.08, 0.385, 0.47))
    bar = figure.add_axes((0.095, 0.072, 0.36, 0.013))
    norm = plt.Normalize(0, -1e3 * float(layers[..., 2].min()))
    for pad in (0, 1):
        stack = figure.add_axes((0.05 + 0.25 * pad, 0.10, 0.25, 0.85))
        _stack(stack, layers[pad], norm, pad)
        stack.set_title(f"Pad {pad}, from {('below', 'above')[pad]}", fontsize=11)
    shown = figure.colorbar(plt.cm.ScalarMappable(norm, "viridis_r"), cax=bar, orientation="horizontal")
    shown.set_label(r"depth $-u_z$, $10^{-3}$ D   (relief drawn twice as deep)", fontsize=9)
    _cut(section, result, layers)
    for pad in (0, 1):
        bars.plot(
            np.arange(LAYERS), 1e3 * rms[pad], ("o-", "s--")[pad], color=PAD_COLORS[pad], ms=7 - 3 * pad,
            label=f"pad {pad}",
        )  # fmt: skip
    bars.set(ylabel=r"rms displacement of the layer, $10^{-3}$ D", ylim=(0, None))
    bars.set_xticks(range(LAYERS), ["0\ncontact", *map(str, range(1, LAYERS - 1)), "9\nhand"])
    bars.set_xlabel("layer", labelpad=-8)
    bars.set_title("From contact to hand", fontsize=11)
    bars.grid(alpha=0.3)
    bars.legend(fontsize=9, loc="upper right")
    return save(plt, figure, path)


def _stack(axis: Any, layers: np.ndarray, norm: Any, pad: int) -> None:
    """Layers apart, seen from the contact side, which is up."""
    azimuth, elevation, gap, stretch = np.radians(28), np.radians(38), 0.145, 2.0
    rest = rest_points()
    for k in range(LAYERS - 1, -1, -1):
        u = layers[k].astype(float) if pad == 0 else mirrored(layers[k])
        x, y, z = rest[..., 0] + u[..., 0], rest[..., 1] + u[..., 1], stretch * u[..., 2] - gap * k
        right = x * np.cos(azimuth) - y * np.sin(azimuth)
        away = x * np.sin(azimuth) + y * np.cos(azimuth)
        up = away * np.sin(elevation) + z * np.cos(elevation)
        # Far points first: what is nearer hides them.
        axis.pcolormesh(
            right[:, ::-1].T, up[:, ::-1].T, -1e3 * u[:, ::-1, 2].T, cmap="viridis_r", norm=norm, shading="gouraud",
            rasterized=True, zorder=2 * (LAYERS - k),
        )  # fmt: skip
        rim = [np.concatenate([a[0], a[:, -1], a[-1, ::-1], a[::-1, 0]]) for a in (right, up)]
        axis.plot(*rim, color="#5b6570", lw=0.6, zorder=2 * (LAYERS - k) + 1)
        if pad == 0:
            name = f"{k}{' contact' if k == 0 else ' hand' if k == LAYERS - 1 else ''}"
            axis.text(right.min() - 0.012, up[np.unravel_index(right.argmin(), right.shape)], name, ha="right",
                      va="center", fontsize=9, color=INK)  # fmt: skip
    axis.set(aspect="equal", xlim=(-0.185, 0.175))
    axis.set_axis_off()


def _cut(axis: Any, result: Any, layers: np.ndarray) -> None:
    """The plane through the middle of the pads, to scale."""
    turn, middle = np.linspace(0, 2 * np.pi, 120), layers.shape[2] // 2
    for x in (-RING, RING):
        axis.fill(x + TUBE * np.cos(turn), TUBE * np.sin(turn), color=OBJECT, lw=0, zorder=0)
    along = (np.arange(layers.shape[2]) - middle) * PITCH
    for pad in (0, 1):
        side = 1 if pad == 0 else -1
        face = result.X_DP[0, pad][1, 3] - 0.5
        for k in range(LAYERS):
            u = layers[pad, k, :, middle].astype(float)
            axis.plot(
                along + u[:, 0], face - side * (k + 0.5) * LAYER_PITCH + side * u[:, 2], color=PAD_COLORS[pad],
                lw=1.8 if k == 0 else 0.8, alpha=1 if k == 0 else 0.75,
            )  # fmt: skip
    axis.set(aspect="equal", xlabel="x, D", ylabel="y, D", ylim=(-0.044, 0.044))
    axis.set_title(f"Cut through the middle, to scale (step {result.steps[0]})", fontsize=11)
    axis.text(RING, 0, "torus", ha="center", va="center", fontsize=9, color=INK)
