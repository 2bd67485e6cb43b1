"""Pictures of modulus and poses fitted at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .press_fit import PressFit


def draw_presses(
    plt: Any,
    found: PressFit,
    images: np.ndarray,
    shape: tuple[int, int],
    path: str | Path,
    start: np.ndarray | None = None,
) -> Path:
    """``plt``: matplotlib.pyplot. Each press a row: what was read, where the search began (``start``: images there),
    the fit, and what it leaves."""
    data = np.asarray(images, float).reshape(len(found.images), -1)
    columns = [("read", data), ("start", start), ("fit", found.images), ("left", data - found.images)]
    shown = [(name, np.asarray(what).reshape(len(data), *shape)) for name, what in columns if what is not None]
    figure, axes = plt.subplots(
        len(data), len(shown), figsize=(2.6 * len(shown), 2.2 * len(data) + 0.5), layout="constrained", squeeze=False
    )
    most = 1e-3 * float(data.max())
    for i, row in enumerate(axes):
        for (name, what), axis in zip(shown, row, strict=True):
            rest = name == "left"
            # Ten times as fine: a fit that is good leaves nothing to see otherwise.
            low, high = (-0.1 * most, 0.1 * most) if rest else (0.0, most)
            drawn = axis.imshow(
                1e-3 * what[i], origin="lower", vmin=low, vmax=high, cmap="coolwarm" if rest else "viridis"
            )
            axis.set_xticks([]), axis.set_yticks([])
            if i == 0:
                axis.set_title("left, x 10" if rest else name)
            if i == len(data) - 1:
                figure.colorbar(drawn, ax=axis, location="bottom", shrink=0.8, label="kPa")
        row[0].set_ylabel(f"press {i}")
    value = found.modulus
    figure.suptitle(f"modulus {1e-3 * value.value:.4g} kPa ({1e-3 * value.low:.4g} .. {1e-3 * value.high:.4g})")
    figure.savefig(path, dpi=80)
    plt.close(figure)
    return Path(path)
