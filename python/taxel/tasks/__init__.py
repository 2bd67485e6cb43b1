"""Tasks for learning.

    import taxel.tasks

    env = taxel.tasks.make("peg", worlds=64, touch="taxel")      # an rsl-rl VecEnv: pip install 'taxel[train]'
    env = taxel.tasks.make_vec("peg", worlds=8)                  # a gymnasium.vector.VectorEnv
    env = gymnasium.make("taxel/PressOrientation-v0")            # pip install 'taxel[gym]'

Importing the package registers the environments of Gymnasium where that is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .press_orientation import PressOrientation
    from .registry import make
    from .vec_env import TaskEnv
    from .vector_env import VectorEnv, make_vec

__all__ = ["PressOrientation", "TaskEnv", "VectorEnv", "make", "make_vec"]

_HOMES = {
    "PressOrientation": "press_orientation", "make": "registry", "TaskEnv": "vec_env", "VectorEnv": "vector_env",
    "make_vec": "vector_env",
}  # fmt: skip
_NEEDS = {
    "gymnasium": "Gymnasium; run: pip install 'taxel[gym]' or pip install 'gymnasium>=1.0'",
    "torch": "torch; run: pip install 'taxel[train]' or pip install torch==2.13.0",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'taxel.tasks' has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as error:
        if error.name in _NEEDS:
            raise ImportError(f"taxel.tasks.{name} needs {_NEEDS[error.name]}") from None
        raise


def _register() -> None:
    try:
        import gymnasium
    except ImportError:
        return
    gymnasium.register(id="taxel/PressOrientation-v0", entry_point="taxel.tasks.press_orientation:PressOrientation")
    for task in ("Peg", "Bin", "Book", "Drawer"):
        gymnasium.register(
            id=f"taxel/{task}-v0", vector_entry_point="taxel.tasks.vector_env:make_vec", kwargs={"task": task.lower()}
        )


_register()
