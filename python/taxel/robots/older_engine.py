"""Packages written for MuJoCo 3 under its successor: what their modules see as ``mujoco``.

Two things changed under robosuite 1.5.2 and gymnasium-robotics 1.4.2, and keep their environments from starting:

- ``joint_type in (mjtJoint.mjJNT_HINGE, ...)`` is false for the NumPy integers of ``model.jnt_type``, since an enum of
  the bindings no longer takes them for its equal (the other way round it does). So both say of every hinge that it is
  none, and fail with an AssertionError.
- ``mj_fullM(model, dst, data.qM)`` became ``mj_fullM(model, data, dst)``, and ``qM`` is gone; robosuite's controllers
  call it.

The remedy is given to those modules alone, once, and only where it is needed; MuJoCo itself stays as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mujoco import need_mujoco


class _Names:
    """The numbers of an enum by name."""

    def __init__(self, enum: Any) -> None:
        for name, value in enum.__members__.items():
            setattr(self, name, int(value))


class OlderEngine:
    """Stands for the module ``mujoco``: its joints are plain numbers, and its ``mj_fullM`` also takes the older order.

    All else is MuJoCo's own.
    """

    def __init__(self, mujoco: Any) -> None:
        self._mujoco = mujoco
        self.mjtJoint = _Names(mujoco.mjtJoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mujoco, name)

    def mj_fullM(self, model: Any, second: Any, third: Any) -> None:
        """(model, data, dst), or as it was (model, dst, what stands for qM)."""
        data, dst = (third, second) if isinstance(second, np.ndarray) else (second, third)
        self._mujoco.mj_fullM(model, data, dst)


def enums_are_strict(mujoco: Any) -> bool:
    """Does this release's enum deny that a NumPy integer is its equal?"""
    return np.int32(int(mujoco.mjtJoint.mjJNT_HINGE)) not in (mujoco.mjtJoint.mjJNT_HINGE,)


def give_older_engine(*modules: Any) -> None:
    """Lets modules of a package see an ``OlderEngine``, where this release of MuJoCo needs it."""
    mujoco = need_mujoco()
    for module in modules:
        if enums_are_strict(mujoco) and not isinstance(module.mujoco, OlderEngine):
            module.mujoco = OlderEngine(mujoco)
