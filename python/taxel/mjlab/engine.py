"""How soft contact gets into mjlab's simulation, which makes its own mujoco_warp model and captures its steps at once.

mjlab calls ``mujoco_warp.put_model``, which refuses plugins, then ``put_data``, and then captures CUDA graphs. So its
simulation gets mujoco_warp through a door that takes our plugin out of models that have it and attaches soft contact to
their data before the graphs are made. Other models pass as they are.
"""

from __future__ import annotations

import weakref
from typing import Any

import mujoco_warp
from mjlab.sim import sim as _sim

from .. import warp as soft_warp
from ..mujoco import engine

_attached: dict[int, tuple[Any, Any]] = {}


class _Door:
    """mujoco_warp, as mjlab.sim.sim sees it."""

    def __init__(self) -> None:
        self._models: dict[int, tuple[Any, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(mujoco_warp, name)

    def put_model(self, model: Any, **options: Any) -> Any:
        if not model.nplugin:
            return mujoco_warp.put_model(model, **options)
        made = soft_warp.put_model(model, **options)
        self._models[id(model)] = (model, made)
        return made

    def put_data(self, model: Any, data: Any, **options: Any) -> Any:
        _, made = self._models.pop(id(model), (None, None))
        if made is None:
            return mujoco_warp.put_data(model, data, **options)
        out = mujoco_warp.put_data(engine.without_plugins(model), data, **options)
        key = id(out)
        _attached[key] = (weakref.ref(out, lambda _: _attached.pop(key, None)), soft_warp.attach(model, made, out))
        return out


def open_door() -> None:
    """From now on mjlab's simulations take models with our plugin."""
    if not isinstance(_sim.mjwarp, _Door):
        _sim.mjwarp = _Door()


def soft_contact_of(data: Any) -> Any:
    """What was attached to mujoco_warp's Data, or None."""
    found = _attached.get(id(data))
    return found[1] if found is not None and found[0]() is data else None
