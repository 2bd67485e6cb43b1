"""The library that draws, asked for where a picture is made."""

from __future__ import annotations

from typing import Any


def need_matplotlib() -> Any:
    """matplotlib.pyplot, drawing to files only."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("pictures need matplotlib; run: pip install 'taxel[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt
