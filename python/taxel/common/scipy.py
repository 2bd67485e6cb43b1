"""SciPy, which the core does without; what needs it says so."""

from __future__ import annotations

import importlib.util

from .._core import Error


def need_scipy(what: str) -> None:
    """An error that names what needs it, where it is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise Error(f"{what} needs SciPy; install it with: pip install scipy")
