"""The library that draws, asked for where a picture is made: numbers need none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

NONE_DRAWN = "no pictures: they need matplotlib (pip install 'taxel[plot]'); the numbers need nothing more"


def need_matplotlib() -> Any:
    """matplotlib.pyplot, drawing to files only."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib; run: pip install 'taxel[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def can_draw() -> bool:
    """Whether matplotlib is there, for what prints numbers and draws them where it can."""
    try:
        need_matplotlib()
    except ImportError:
        return False
    return True


def pictures_line(files: Sequence[Path]) -> str:
    """What to print of the pictures that were made, or why there are none."""
    if not files:
        return NONE_DRAWN
    return f"picture{'s' if len(files) > 1 else ''}: " + ", ".join(str(f) for f in files)
