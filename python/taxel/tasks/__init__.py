"""Tasks for learning, as Gymnasium environments (``pip install 'taxel[gym]'``).

    import gymnasium
    import taxel.tasks

    env = gymnasium.make("taxel/PressOrientation-v0")

Importing the package registers them.
"""

from __future__ import annotations

try:
    import gymnasium
except ImportError:
    raise ImportError(
        "taxel.tasks needs Gymnasium; run: pip install 'taxel[gym]' or pip install 'gymnasium>=1.0'"
    ) from None

from .press_orientation import PressOrientation

__all__ = ["PressOrientation"]

gymnasium.register(id="taxel/PressOrientation-v0", entry_point="taxel.tasks.press_orientation:PressOrientation")
