"""Parameters as the text that MJCF, the plugin and the core understand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def to_text(value: Any) -> str:
    """A number, a flag, text, or an array of numbers (row by row) as text."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if np.ndim(value) > 0:
        return " ".join(to_text(v) for v in np.ravel(value).tolist())
    return repr(int(value)) if isinstance(value, (int, np.integer)) else repr(float(value))


def config(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {key: to_text(value) for key, value in parameters.items() if value is not None}


def entries(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    return list(config(parameters).items())
