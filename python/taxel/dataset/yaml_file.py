"""A YAML file as items that know their line, so that an error can name it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import _core


@dataclass(frozen=True)
class Item:
    """A value of the file: a number, text, None, a list of items, or a mapping from names to items."""

    value: Any
    line: int
    file: str
    name: str = "the plan"
    """As an error calls it."""
    key_lines: dict[str, int] = field(default_factory=dict)

    def error(self, text: str, line: int | None = None) -> _core.Error:
        """Where it is and what is wrong with it."""
        return _core.Error(f"{self.file}:{line or self.line}: {text}")

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def section(self, known: Iterable[str]) -> dict[str, Item]:
        """A mapping with these keys and no other; the nearest one is named."""
        known = list(known)
        if not isinstance(self.value, dict):
            raise self.error(f"{self.name} is {self.shown()}; give keys and values: {', '.join(known)}")
        for key in self.value:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1, 0.5)
                hint = f"did you mean {near[0]!r}?" if near else f"keys are {', '.join(known)}"
                raise self.error(f"{self.name}: there is no key {key!r}; {hint}", self.key_lines[key])
        return self.value

    def items(self) -> Iterator[Item]:
        """Of a list; one that is no list stands for a list of one."""
        yield from self.value if isinstance(self.value, list) else [self]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.error(f"{self.name} is {self.shown()}; give text")
        return self.value

    def one_of(self, allowed: Iterable[str]) -> str:
        allowed = list(allowed)
        if self.value not in allowed:
            near = difflib.get_close_matches(str(self.value), allowed, 1, 0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"give {', '.join(allowed)}"
            raise self.error(f"{self.name} is {self.shown()}; {hint}")
        return str(self.value)

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        value = _as_number(self.value)
        if value is None or not (math.isfinite(value) and low <= value <= high):
            raise self.error(f"{self.name} is {self.shown()}; give {_between(low, high, 'a number')}")
        return value

    def whole(self, low: int, high: int) -> int:
        value = _as_number(self.value)
        if value is None or not math.isfinite(value) or value != int(value) or not low <= value <= high:
            raise self.error(f"{self.name} is {self.shown()}; give {_between(low, high, 'a whole number')}")
        return int(value)

    def plain(self) -> Any:
        """As YAML's own loader would give it."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        number = _as_number(self.value) if isinstance(self.value, str) else None
        return self.value if number is None else number

    def shown(self) -> str:
        if self.value is None:
            return "empty"
        if isinstance(self.value, dict | list):
            return "a list" if isinstance(self.value, list) else "a mapping"
        text = repr(self.value)
        return text if len(text) < 50 else text[:47] + "..."


def _as_number(value: Any) -> float | None:
    """A number; also 1e4, which YAML 1.1 takes for text because it has no point."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None


def _between(low: float, high: float, what: str) -> str:
    if math.isinf(low) and math.isinf(high):
        return what
    if math.isinf(high):
        return f"{what} of {low:g} or more"
    return f"{what} from {low:g} to {high:g}"


def need_yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise ImportError("plans are YAML files and need PyYAML; run: pip install 'taxel[dataset]'") from None
    return yaml


def read_yaml(path: str | Path) -> Item:
    """The whole file. Wrong YAML, a key that stands twice, a file that is not there: an error with file and line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise _core.Error(f"{path}: not a text file in UTF-8; give a plan in YAML") from None
    except OSError as error:
        raise _core.Error(f"{path}: cannot be read ({error.strerror}); give a plan in YAML") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, file: str) -> Item:
    yaml = need_yaml()
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise _core.Error(f"{file}: the plan is empty; taxel dataset --example FILE writes one to begin with")
        return _item(yaml, loader, node, file, "the plan", 0)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise _core.Error(f"{file}{line}: not YAML: {problem}") from None
    finally:
        loader.dispose()


def _item(yaml: Any, loader: Any, node: Any, file: str, name: str, depth: int) -> Item:
    line = node.start_mark.line + 1
    if depth > 20:  # an anchor that holds itself
        raise _core.Error(f"{file}:{line}: nested too deep; does an anchor refer to itself?")
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Item] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, at = str(key_node.value), key_node.start_mark.line + 1
            if key in found:
                raise _core.Error(f"{file}:{at}: {key!r} stands there twice, first in line {lines[key]}; leave one")
            found[key] = _item(yaml, loader, value_node, file, key, depth + 1)
            lines[key] = at
        return Item(found, line, file, name, lines)
    if isinstance(node, yaml.SequenceNode):
        parts = [_item(yaml, loader, part, file, name, depth + 1) for part in node.value]
        return Item(parts, line, file, name)
    return Item(loader.construct_object(node), line, file, name)
