"""SciPy is needed by the fits of markers and by nothing that imports them."""

from __future__ import annotations

import importlib.util

from .._core import Error


def need_scipy(what: str) -> None:
    if importlib.util.find_spec("scipy") is None:
        raise Error(f"{what} needs SciPy; install it with: pip install scipy")
