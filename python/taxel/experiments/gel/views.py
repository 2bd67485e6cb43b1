"""What the experiments of elastic pads share: measures of an image of a contact layer, and how it is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...gel.eip import SIDE, SIZE

PITCH = SIZE[0] / SIDE
"""Distance of the particles along a side of a layer, sides of the unit domain D."""
INK, OBJECT, PAD_COLORS = "#1b1b1b", "#c9ced6", ("#1f5fa8", "#c2571a")
DEPTH = r"$u_z$, $10^{-3}$ D"


def network_input(image: np.ndarray) -> np.ndarray:
    """(61, 61, 2) in 0..1: the in-plane channels, each from its least to its greatest, as the authors feed them."""
    plane = image[..., :2].astype(float)
    low, high = plane.min(axis=(0, 1)), plane.max(axis=(0, 1))
    return (plane - low) / np.where(high > low, high - low, 1.0)


def chamfers(image: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    """Eq. 12 of a contact layer against its start, both centred: mean form and sum form. Needs SciPy."""
    from scipy.spatial import cKDTree

    start = rest.reshape(-1, 3)
    now = start + image.reshape(-1, 3).astype(float)
    start, now = start - start.mean(axis=0), now - now.mean(axis=0)
    there, back = cKDTree(start).query(now)[0] ** 2, cKDTree(now).query(start)[0] ** 2
    return float(there.mean() + back.mean()), float(there.sum() + back.sum())


def far_field(image: np.ndarray) -> float:
    """u_z away from the object: the median of the particles 4 to 7 from the rim, at both ends of x."""
    z = image[..., 2]
    return float(np.median(np.concatenate([z[4:8, 4:-4].ravel(), z[-8:-4, 4:-4].ravel()])))


def contact_range(image: np.ndarray, pitch: float = PITCH, share: float = 0.1) -> float:
    """Diameter of a disc as large as the area that lies deeper than ``share`` of the deepest place, both counted from
    the far field, D."""
    depth = far_field(image) - image[..., 2]
    return float(2 * pitch * np.sqrt((depth > share * depth.max()).sum() / np.pi))


def show(axis: Any, image: np.ndarray, **options: Any) -> Any:
    """One channel or an RGB image, indexed [x, y]: x to the right, y up."""
    half = 0.5 * SIDE * PITCH
    shown = axis.imshow(
        np.swapaxes(image, 0, 1), origin="lower", extent=(-half, half, -half, half), interpolation="nearest", **options
    )
    axis.set(xticks=[], yticks=[])
    for side in axis.spines.values():
        side.set(color="#9aa5b1", linewidth=0.8)
    return shown


def save(plt: Any, figure: Any, path: Path) -> str:
    figure.savefig(path, dpi=150, facecolor="white")
    plt.close(figure)
    return str(path)
