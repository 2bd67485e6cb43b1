"""Numbers that a plan leaves open: one, a range, a range by its logarithm, or a choice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .yaml_file import Item


@dataclass(frozen=True)
class Range:
    """What a number is drawn from. ``at(u)`` turns one uniform number in [0, 1) into a value.

    In a plan: ``5`` (always that), ``[1, 10]`` (uniform), ``{log: [0.1, 10]}`` (as many between 0.1 and 1 as between
    1 and 10), ``{choice: [1, 2, 5]}``.
    """

    kind: str
    values: tuple[float, ...]

    @staticmethod
    def fixed(value: float) -> Range:
        return Range("fixed", (float(value),))

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)

    def at(self, u: float) -> float:
        if self.kind == "fixed":
            return self.values[0]
        if self.kind == "choice":
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        low, high = self.values
        if self.kind == "log":
            return min(max(low * (high / low) ** u, low), high)
        return low + u * (high - low)

    def plain(self) -> Any:
        """As a plan has it."""
        if self.kind == "fixed":
            return self.values[0]
        return list(self.values) if self.kind == "uniform" else {self.kind: list(self.values)}

    def __str__(self) -> str:
        if self.kind == "fixed":
            return f"{self.values[0]:g}"
        if self.kind == "choice":
            return " or ".join(f"{value:g}" for value in self.values)
        return f"{self.low:g} to {self.high:g}" + (" (log)" if self.kind == "log" else "")


def read_range(item: Item, low: float = -math.inf, high: float = math.inf) -> Range:
    """A range of a plan, all of it within ``low`` to ``high``."""
    if item.is_list:
        return Range("uniform", _ends(item, low, high))
    if item.is_mapping:
        section = item.section(("log", "choice"))
        if len(section) != 1:
            raise item.error(f"{item.name}: give log or choice, as in {{log: [0.1, 10]}}")
        kind, given = next(iter(section.items()))
        if given.is_list and not given.value:
            raise given.error(f"{item.name}: the list of {kind} is empty; give numbers, as in {{{kind}: [1, 10]}}")
        if not given.is_list:
            raise given.error(f"{item.name}: {kind} is {given.shown()}; give a list of numbers")
        if kind == "choice":
            return Range("choice", tuple(_named(part, item.name).number(low, high) for part in given.items()))
        ends = _ends(_named(given, item.name), low, high)
        if not ends[0] > 0:
            raise given.error(f"{item.name}: a range by its logarithm begins above 0, not at {ends[0]:g}")
        return Range("log", ends)
    return Range.fixed(item.number(low, high))


def _named(item: Item, name: str) -> Item:
    return Item(item.value, item.line, item.file, name, item.key_lines)


def _ends(item: Item, low: float, high: float) -> tuple[float, float]:
    if not item.is_list or len(item.value) != 2:
        raise item.error(f"{item.name} is {item.plain()}; a range has two ends, as in [1, 10]")
    begin, end = (_named(part, item.name).number(low, high) for part in item.value)
    if begin > end:
        raise item.error(f"{item.name} is [{begin:g}, {end:g}]; the lower end comes first")
    return begin, end
