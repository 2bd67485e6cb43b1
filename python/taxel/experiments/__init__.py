"""Tables and figures of the papers, and checks of our own: a folder per topic, ``registry`` lists them.

    from taxel.experiments import contact_impacts       # the module of ``taxel reproduce contact-impacts``

Each is imported when it is asked for; some need matplotlib, SciPy or torch.
"""

from __future__ import annotations

from types import ModuleType

from .registry import EXPERIMENTS

_PLACES = {name.replace("-", "_"): experiment for name, experiment in EXPERIMENTS.items()}

__all__ = ["EXPERIMENTS", *_PLACES]


def __getattr__(name: str) -> ModuleType:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _PLACES[name].load()


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
