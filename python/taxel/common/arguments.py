"""What is wrong with the arguments of a call into the core, in words: who was called, which argument, its value, what
is allowed. The core asks for it (python/src/own_words.cc) where nanobind would list C++ signatures."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

_PACKAGE = str(Path(__file__).parents[1])  # taxel
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "str": "a text",
    "dict": "a dictionary",
    "list": "a list",
    "tuple": "a tuple",
}


class WrongCall(TypeError):
    """A call that the core refused, explained; a caller who knows more of it may say so instead."""


def show(value: Any) -> str:
    """A value as a message has it: short ones as they are, arrays by their shape, others by their type."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype}"
    text = repr(value)
    kind = type(value).__name__
    return f"of type {kind}" if len(text) > 40 or "\n" in text or text.startswith("<") else f"{text} ({kind})"


def explain(function: Any, places: list[Any], named: dict[str, Any]) -> WrongCall:
    """The error for a call that the core refused."""
    return WrongCall(_words(function, places, named))


def _words(function: Any, places: list[Any], named: dict[str, Any]) -> str:
    signatures = [_parameters(entry[0]) for entry in getattr(function, "__nb_signature__", ())]
    who, frame = _who(function)
    best: tuple[int, str] | None = None
    for parameters in signatures:
        found = _first_misfit(parameters, places, named, frame)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    if best is not None:
        return f"{who}: {best[1]}"
    # Signatures do not tell numbers that may be negative from those that may not.
    for parameters in signatures:
        for name, kind, value in _bound(parameters, places, named):
            if "int" in _split(kind, "|") and isinstance(value, int | np.integer) and value < 0:
                return f"{who}: {_name(value, name, frame)} is {show(value)}; give a whole number of 0 or more"
    given = []
    for k, (value, parameter) in enumerate(_pair(signatures[0] if signatures else [], places)):
        if parameter is None or parameter[0] != "self":
            name = parameter[0] if parameter else f"argument {k + 1}"
            given.append(f"{_name(value, name, frame)} is {show(value)}")
    given += [f"{key} is {show(value)}" for key, value in named.items()]
    return f"{who}: these values do not fit: {', '.join(given) or 'none is given'}; see help({who})"


# --- Who was called ---


def _who(function: Any) -> tuple[str, FrameType | None]:
    """The public name that was called, and the outermost frame of this package: what the caller of it wrote."""
    frame: FrameType | None = sys._getframe(1)
    outermost = None
    while frame is not None:
        inside = frame.f_code.co_filename.startswith(_PACKAGE)
        if not inside:
            break
        if frame.f_code.co_filename != __file__:
            outermost = frame
        frame = frame.f_back
    if outermost is None or outermost.f_code.co_name == "<module>":
        known = getattr(function, "__qualname__", None) or getattr(function, "__name__", "this call")
        return str(known).removesuffix(".__init__"), None
    code = outermost.f_code
    name = getattr(code, "co_qualname", code.co_name)  # co_qualname: from Python 3.11 on
    if "." not in name and code.co_argcount and code.co_varnames[0] in ("self", "cls"):
        owner = outermost.f_locals.get(code.co_varnames[0])
        name = f"{(owner if isinstance(owner, type) else type(owner)).__name__}.{name}"
    return re.sub(r"\.__(init|call)__$", "", name).rpartition("<locals>.")[2], outermost


def _name(value: Any, fallback: str, frame: FrameType | None) -> str:
    """What the caller calls this value: the argument of the public function that holds the very same object."""
    if frame is None:
        return fallback
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 8)
    for name in code.co_varnames[:count]:
        held = frame.f_locals.get(name)
        if held is value and value is not None:
            return name
        if isinstance(held, dict):
            for key, inner in held.items():
                if inner is value and value is not None:
                    return str(key)
    return fallback


# --- What does not fit ---


def _parameters(signature: str) -> list[tuple[str, str, bool]]:
    """Name, type and whether there is a default, of "def f(a: int, b: float = \\0) -> str"."""
    inner = signature[signature.index("(") + 1 :]
    inner = inner[: _closing(inner)]
    found = []
    for part in _split(inner):
        if part in ("", "/", "*"):
            continue
        name, _, kind = part.partition(":")
        kind, default, _ = kind.partition("=") if re.search(r"=\s*(\\\d|[^=\]\)]+$)", kind) else (kind, "", "")
        found.append((name.strip(), kind.strip(), bool(default)))
    return found


def _closing(text: str) -> int:
    depth = 1
    for k, character in enumerate(text):
        depth += character in "([{"
        depth -= character in ")]}"
        if depth == 0:
            return k
    return len(text)


def _split(text: str, separator: str = ",") -> list[str]:
    """The parts between separators that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for k, character in enumerate(text):
        depth += character in "([{"
        depth -= character in ")]}"
        if character == separator and depth == 0:
            parts.append(text[start:k].strip())
            start = k + 1
    return [*parts, text[start:].strip()]


def _pair(parameters: list[tuple[str, str, bool]], places: list[Any]) -> list[tuple[Any, Any]]:
    return [(v, parameters[k] if k < len(parameters) else None) for k, v in enumerate(places)]


def _first_misfit(
    parameters: list[tuple[str, str, bool]], places: list[Any], named: dict[str, Any], frame: FrameType | None
) -> tuple[int, str] | None:
    """How many arguments fit before it, and the words for the first that does not."""
    names = [p[0] for p in parameters if p[0] != "self"]
    if any(name.startswith("*") for name in names):
        return None
    if len(places) > len(parameters):
        return len(
            parameters
        ), f"{len(places) - len(parameters) + len(names)} values are given; it takes {_list(names)}"
    for key in named:
        if key not in names:
            return 0, f"there is no argument {key!r}; it takes {_list(names)}"
    fits = 0
    for k, (name, kind, optional) in enumerate(parameters):
        if k < len(places):
            value = places[k]
        elif name in named:
            value = named[name]
        elif optional:
            continue
        else:
            return fits, f"{name} is missing; it takes {_list(names)}"
        if name != "self" and not _fits(value, kind):
            return fits, f"{_name(value, name, frame)} is {show(value)}; give {_allowed(kind)}"
        fits += 1
    return None


def _bound(
    parameters: list[tuple[str, str, bool]], places: list[Any], named: dict[str, Any]
) -> list[tuple[str, str, Any]]:
    """Name, type and value of what was given."""
    found = [(p[0], p[1], value) for p, value in zip(parameters, places, strict=False)]
    return found + [(p[0], p[1], named[p[0]]) for p in parameters[len(places) :] if p[0] in named]


def _list(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def _fits(value: Any, kind: str) -> bool:
    return any(_fits_one(value, one) for one in _split(kind, "|"))


def _fits_one(value: Any, kind: str) -> bool:
    if kind in ("object", "typing.Any", "Any", "handle", ""):
        return True
    if kind == "None":
        return value is None
    if value is None:
        return False
    if kind == "bool":
        return isinstance(value, bool | np.bool_)
    if kind == "int":
        return isinstance(value, int | np.integer) and not isinstance(value, bool) and abs(int(value)) < 2**31
    if kind == "float":
        return isinstance(value, int | float | np.number) and not isinstance(value, complex)
    if kind == "str":
        return isinstance(value, str)
    if _is_array(kind):
        return _array_fits(value, kind)
    head = kind.partition("[")[0].rpartition(".")[2]
    if head in ("list", "Sequence"):
        inner = kind.partition("[")[2].removesuffix("]")
        return isinstance(value, list | tuple) and all(_fits(v, inner) for v in value)
    if head in ("dict", "Mapping"):
        return isinstance(value, dict)
    if head == "tuple":
        return isinstance(value, tuple | list)
    if head == "type":
        return isinstance(value, type)
    return any(base.__name__ == head for base in type(value).__mro__) or (head == "Callable" and callable(value))


def _is_array(kind: str) -> bool:
    return "ndarray" in kind.lower()


def _shape(kind: str) -> list[int | None] | None:
    found = re.search(r"shape=\(([^)]*)\)", kind)
    if not found:
        return None
    return [None if part.strip() in ("*", "None", "-1") else int(part) for part in found[1].split(",") if part.strip()]


def _dtype(kind: str) -> str | None:
    found = re.search(r"(?:dtype=|numpy\.)((?:u?int|float)\d+|bool_?)", kind)
    return found[1].removesuffix("_") if found else None


def _array_fits(value: Any, kind: str) -> bool:
    if not isinstance(value, np.ndarray):
        return hasattr(value, "__dlpack__")
    shape, dtype = _shape(kind), _dtype(kind)
    if shape is not None and (
        len(shape) != value.ndim or any(n is not None and n != m for n, m in zip(shape, value.shape, strict=True))
    ):
        return False
    return dtype is None or (value.dtype.kind in "iufb" and (value.dtype == dtype or value.dtype.kind != "c"))


def _allowed(kind: str) -> str:
    return " or ".join(_allowed_one(one) for one in _split(kind, "|"))


def _allowed_one(kind: str) -> str:
    if kind in _WORDS:
        return _WORDS[kind] + (" below 2147483648" if kind == "int" else "")
    if kind == "None":
        return "None"
    if _is_array(kind):
        shape, dtype = _shape(kind), _dtype(kind)
        words = "an array"
        if shape is not None:
            words += (
                " of shape (" + ", ".join("N" if n is None else str(n) for n in shape) + ("," * (len(shape) == 1)) + ")"
            )
        return words + (f" and type {dtype}" if dtype else "")
    head, _, inner = kind.partition("[")
    head = head.rpartition(".")[2]
    if head in ("list", "Sequence"):
        return f"a list, each of it {_allowed(inner.removesuffix(']'))}"
    return _WORDS.get(head, f"a taxel.{head}" if "_core" in kind else f"a {head}")
