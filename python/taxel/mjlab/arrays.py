"""What mjlab wraps: arrays of mujoco_warp, and lists of environments."""

from __future__ import annotations

from typing import Any

import torch


def warp_array(array: Any) -> Any:
    """mujoco_warp's own array, of mjlab's view of it."""
    return getattr(array, "wp_array", array)


def mask_of(env_ids: Any, worlds: int, device: str) -> torch.Tensor:
    """(worlds,) of bool from mjlab's list of environments, slice or None."""
    mask = torch.zeros(worlds, dtype=torch.bool, device=device)
    mask[slice(None) if env_ids is None else env_ids] = True
    return mask
