"""Parameters as the text that MJCF, the plugin and the core understand."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .. import _core

_TABLE = _core.description_keys()


def keys_of(*groups: str) -> tuple[str, ...]:
    """The keys that speak of any of these groups (src/taxel/skin/description_keys.h), in the order of the table."""
    return tuple(row["name"] for row in _TABLE if not set(groups).isdisjoint(row["groups"]))


# The keys of a material, of the taxels and their read-out, and of the signal chain with what the plugin does with it.
GROUPS = {
    "material": frozenset(keys_of("material", "bristle")),
    "taxels": frozenset(keys_of("layout", "readout")),
    "chain": frozenset(keys_of("chain", "output")),
}
# Where the taxels are, or the bristles of a pad.
LAYOUT_KEYS = frozenset(keys_of("layout"))
# Which of them make a layout.
WHERE_KEYS = ("layout", "shape", "points", "file", "sites")


def has_bristles(parameters: Mapping[str, Any]) -> bool:
    """Does a material have bristles instead of a pressure field?"""
    return parameters.get("stiffness") is not None or parameters.get("curve") is not None


def unknown_key(where: str, key: str, known: Iterable[str]) -> str:
    """What is wrong with a key that nobody knows, and what was meant perhaps."""
    near = difflib.get_close_matches(key, sorted(known), 1)
    hint = f"did you mean {near[0]!r}?" if near else "keys are " + ", ".join(sorted(known))
    return f"{where}: there is no key {key!r}; {hint}"


def misplaced_key(where: str, keys: Iterable[str], groups: Iterable[str], other: Mapping[str, str]) -> str | None:
    """The message for the first key that belongs to none of the groups; ``other`` says where those of others go."""
    known = frozenset().union(*(GROUPS[g] for g in groups))
    for key in keys:
        if key in known:
            continue
        for group, place in other.items():
            if key in GROUPS[group]:
                return f"{where}: {key} belongs to {place}"
        return unknown_key(where, key, known)
    return None


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
