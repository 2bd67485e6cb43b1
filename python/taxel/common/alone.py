"""Which objects threads may share, and what the others do about it.

Bodies, skins, distances, cameras and layouts never change and may be shared. An object with a memory or scratch of its
own serves one thread at a time: a second thread gets an error at once. In C++ the objects say so themselves
(python/src/alone.h); here is the same for what goes through the engine's libraries, which run without the
interpreter's lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .. import _core

_lock = threading.Lock()
_held: dict[int, int] = {}  # what is in use: a number that names it, and the process


def _new_lock() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held the old one


os.register_at_fork(after_in_child=_new_lock)


@contextmanager
def alone(number: int, name: str) -> Iterator[None]:
    """Holds what ``number`` (an address) stands for; an Error at once where another thread has it."""
    with _lock:
        holder = _held.get(number)
        if holder is None:
            _held[number] = os.getpid()
    if holder is not None:
        if holder == os.getpid():
            raise _core.Error(
                f"this {name} is in use by another thread; give each thread one of its own, or share this one behind "
                "a threading.Lock"
            )
        raise _core.Error(
            f"this {name} was in use by another thread when the process forked; make a new one in this process"
        )
    try:
        yield
    finally:
        with _lock:
            del _held[number]


class Uncopied:
    """A class whose objects cannot be copied or pickled; ``_instead`` is the way out."""

    _instead = "make another one"

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__}: it cannot be copied or pickled; {self._instead}")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = _refuse


class Immutable:
    """A class whose objects never change: a copy is the object itself, a pickle holds ``_made``, the positional and the
    named arguments that it was made with."""

    _made: tuple[tuple[Any, ...], dict[str, Any]]

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), *self._made)


def _remake(kind: type, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return kind(*values, **named)
