"""What --set GROUP.KEY=VALUE and --steps of ``taxel train`` change."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from typing import Any


def override(groups: dict[str, Any], settings: list[str], steps: int | None = None) -> dict[str, Any]:
    """The groups of a configuration with what --set (GROUP.KEY=VALUE) and --steps ask for."""
    changes: dict[str, dict[str, Any]] = {name: {} for name in groups}
    if steps is not None:
        changes["ppo"]["steps"] = steps
    for setting in settings:
        path, equals, text = setting.partition("=")
        group, dot, key = path.strip().partition(".")
        if not equals or not dot:
            raise ValueError(f"--set {setting}: give GROUP.KEY=VALUE, as in ppo.lr=3e-4")
        if group not in groups:
            raise ValueError(f"--set {setting}: no group {group!r}; there are {', '.join(groups)}")
        old = groups[group]
        if group == "options":
            changes[group][key] = _option(setting, key, _value(text))
            continue
        known = [f.name for f in fields(old)]
        if key not in known:
            raise ValueError(f"--set {setting}: {group} has no {key!r}; it has {', '.join(known)}")
        changes[group][key] = _like(setting, getattr(old, key), text)
    if "steps" in changes["ppo"] and "sequence" not in changes["ppo"]:
        changes["ppo"]["sequence"] = _sequence(changes["ppo"]["steps"], groups["ppo"].sequence)
    return {n: {**g, **changes[n]} if n == "options" else replace(g, **changes[n]) for n, g in groups.items()}


def _sequence(steps: int, longest: int) -> int:
    """The LSTM's sequences in a rollout of so many steps: equal parts, or the whole where they would be short ones."""
    part = next((n for n in range(min(longest, steps), 0, -1) if steps % n == 0), steps)
    return part if 4 * part >= longest else steps


def _like(setting: str, old: Any, text: str) -> Any:
    """The value, of the kind that stands there now."""
    from ..learn.policy.limits import KINDS, of_kind

    value = _value(text)
    if isinstance(old, float) and isinstance(value, str) and value.strip().lower() in ("nan", "inf", "-inf"):
        value = float(value)
    if isinstance(old, tuple) and isinstance(value, list | int | float) and not isinstance(value, bool):
        value = tuple(value) if isinstance(value, list) else (value,)
    if not of_kind(value, type(old)):
        raise ValueError(f"--set {setting}: {value!r} is not {KINDS[type(old)]}; it is {old!r} now")
    return float(value) if isinstance(old, float) else value


OWN_FLAGS = ("worlds", "engine", "device", "touch", "seed", "stage", "contact")


def _option(setting: str, key: str, value: Any) -> Any:
    """A further option of the task, which checks it; some have an option of the command."""
    if key in (*OWN_FLAGS, "task"):
        raise ValueError(f"--set {setting}: give {'the task first' if key == 'task' else f'--{key} {value}'}")
    return value


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False}.get(text.strip().lower(), text)
