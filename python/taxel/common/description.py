"""Parameters as the text that MJCF, the plugin and the core understand."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# The keys of a material, of the taxels and their read-out, and of the signal chain with what the plugin does with it.
_KEYS = {
    "material": """
        modulus dissipation friction field thickness exposed stiffening_start core_fraction resolution anchors
        stribeck_speed shear_stiffness shear_damping breakaway
        stiffness curve damping depth dead_band sigma0 sigma1 viscosity form""",
    "taxels": """
        layout shape face pitch center around along points normals count spacing direction within file sites taxels
        radius readout aggregate source samples sample_density sample_spacing angle window window_width reach limit
        seed""",
    "chain": """
        unit spread hysteresis creep gain gains offset offsets drift drift_offset crosstalk crosstalk_rows noise
        saturation bits full_scale inverted quantum dead dead_fraction stuck stuck_value rate delay jitter seed output
        on_demand show_taxels""",
}
GROUPS = {group: frozenset(text.split()) for group, text in _KEYS.items()}
# Where the taxels are, or the bristles of a pad.
_LAYOUT = """
    layout shape face pitch center around along points normals count spacing direction within file sites taxels
    radius seed"""
LAYOUT_KEYS = frozenset(_LAYOUT.split())
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
