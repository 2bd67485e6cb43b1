"""Whether a saved state fits an environment: looked at before anything of it is put back."""

from __future__ import annotations

from typing import Any

import torch

from .. import _core

_OPEN = ("touch.poses",)
"""Tensors whose second axis is as long as the longest episode so far."""


def check_state(state: Any, held: dict[str, Any]) -> None:
    """held: what ``get_state`` says now. Throws Error, in one line, where the two are not alike."""
    if not isinstance(state, dict) or not isinstance(state.get("made"), dict):
        raise _core.Error("tasks: this is no state of this version of an environment; give what get_state() returned")
    made, here = state["made"], held["made"]
    other = [name for name in here if made.get(name) != here[name]]
    if other:
        their, ours = (", ".join(f"{name} {which.get(name)!r}" for name in other) for which in (made, here))
        raise _core.Error(
            f"tasks: the state is of {their}; this environment has {ours}: make it with the same arguments"
        )
    _compare(state, held, "")


def _compare(given: Any, held: Any, where: str) -> None:
    if isinstance(held, dict):
        if not isinstance(given, dict) or set(given) != set(held):
            odd = set(held) ^ (set(given) if isinstance(given, dict) else set())
            names = ", ".join(repr(f"{where}{n}") for n in sorted(map(str, odd)))
            raise _core.Error(f"tasks: {names} is in the state or in this environment, not in both")
        for name, value in held.items():
            _compare(given[name], value, f"{where}{name}.")
        return
    if not torch.is_tensor(held):
        return
    name = where[:-1]
    shapes = [tuple(t.shape) if torch.is_tensor(t) else None for t in (given, held)]
    if name in _OPEN and None not in shapes:
        shapes = [(*s[:1], *s[2:]) for s in shapes if s is not None]
    if shapes[0] != shapes[1]:
        raise _core.Error(
            f"tasks: {name} of the state has the shape {shapes[0]}, here it is {shapes[1]}: another scene?"
        )
