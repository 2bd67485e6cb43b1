"""What each number of a configuration may be: asked before the work, so that no run ends in a surprise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True)
class Limit:
    words: str
    fits: Callable[[Any], bool]


def at_least(low: float) -> Limit:
    return Limit(f"at least {low:g}", lambda v: v >= low)


def between(low: float, high: float) -> Limit:
    return Limit(f"{low:g} to {high:g}", lambda v: low <= v <= high)


ABOVE_ZERO = Limit("a number above 0", lambda v: v > 0)
WIDTHS = Limit("one or more widths of at least 1, as in 256,128", lambda v: len(v) > 0 and _whole(v))
WIDTHS_OR_NONE = Limit("widths of at least 1, or () for those of the actor", lambda v: _whole(v))
SCALES = Limit("scales above 0, or ()", lambda v: all(_number(x) and x > 0 for x in v))

LIMITS: dict[str, Limit] = {
    "worlds": at_least(1),
    "iterations": at_least(1),
    "save_every": at_least(1),
    "seed": at_least(0),
    "network.rnn_layers": at_least(0),
    "network.rnn_hidden": at_least(1),
    "network.mlp": WIDTHS,
    "network.critic_mlp": WIDTHS_OR_NONE,
    "network.fine": SCALES,
    "network.std": ABOVE_ZERO,
    "ppo.steps": at_least(1),
    "ppo.sequence": at_least(0),
    "ppo.minibatch": at_least(1),
    "ppo.epochs": at_least(1),
    "ppo.gamma": between(0, 1),
    "ppo.lam": between(0, 1),
    "ppo.clip": ABOVE_ZERO,
    "ppo.grad_norm": ABOVE_ZERO,
    "ppo.value_coef": at_least(0),
    "ppo.entropy_coef": at_least(0),
    "ppo.lr": ABOVE_ZERO,
    "ppo.lr_min": ABOVE_ZERO,
    "ppo.lr_max": ABOVE_ZERO,
    "ppo.kl": ABOVE_ZERO,
    "ppo.reward_scale": ABOVE_ZERO,
    "distill.iterations": at_least(0),
    "distill.beta_iterations": at_least(0),
    "distill.keep": at_least(1),
    "distill.epochs": at_least(1),
    "distill.minibatch": at_least(1),
    "distill.lr": ABOVE_ZERO,
    "distill.noise": at_least(0),
    "distill.ppo_std": ABOVE_ZERO,
    "distill.ppo_lr": ABOVE_ZERO,
    "distill.hints": at_least(0),
    "curriculum.threshold": between(0, 1),
    "curriculum.episodes": at_least(1),
    "curriculum.first": at_least(0),
    "curriculum.last": at_least(0),
}
FLAGS = {
    "worlds": "--worlds",
    "iterations": "--iterations",
    "save_every": "--save-every",
    "seed": "--seed",
    "ppo.steps": "--steps",
    "curriculum.threshold": "--threshold",
    "curriculum.first": "--stage",
}
"""Numbers with an option of their own; the others are given by --set."""
KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    tuple: "numbers, as in 256,128",
    str: "a name",
}


def check_limits(config: Any, prefix: str = "") -> None:
    """ValueError with the first number of a configuration (or a group of it) that is none, or outside its limits."""
    for field in fields(config):
        value, name = getattr(config, field.name), prefix + field.name
        if is_dataclass(value):
            check_limits(value, f"{name}.")
        elif name in LIMITS or type(field.default) in (bool, float, int):
            _check(name, value, field.default)


def _check(name: str, value: Any, default: Any) -> None:
    kind, told = type(default), f"{FLAGS.get(name, name)} {value!r}"
    if not of_kind(value, kind):
        raise ValueError(f"{told}: give {KINDS[kind]} (default: {default!r})")
    if kind is float and not math.isfinite(value):
        raise ValueError(f"{told}: not a finite number; give {LIMITS[name].words}")
    if name in LIMITS and not LIMITS[name].fits(value):
        raise ValueError(f"{told}: give {LIMITS[name].words}")


def of_kind(value: Any, kind: type) -> bool:
    """Whether a value may stand where the default is of this kind: whole numbers do for numbers, truth for neither."""
    if kind is float:
        return _number(value)
    return type(value) is kind


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(values: Any) -> bool:
    return all(type(v) is int and v >= 1 for v in values)
