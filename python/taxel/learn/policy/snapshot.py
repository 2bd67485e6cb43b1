"""The random state of a run, and state of any kind as tensors and plain values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

_ARRAY, _TUPLE = "__array__", "__tuple__"


def pack(value: Any) -> Any:
    """Copies; NumPy arrays and scalars become tensors with a mark, so that a file of it can be read without code."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray | np.generic):
        return {_ARRAY: torch.from_numpy(np.array(value)), "scalar": isinstance(value, np.generic)}
    if isinstance(value, dict):
        return {k: pack(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return {_TUPLE: [pack(v) for v in value]}
    if isinstance(value, list):
        return [pack(v) for v in value]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be kept in a checkpoint")


def unpack(value: Any) -> Any:
    """Back from ``pack``."""
    if isinstance(value, dict):
        if _ARRAY in value:
            array = value[_ARRAY].cpu().numpy()
            return array[()] if value["scalar"] else array
        if _TUPLE in value:
            return tuple(unpack(v) for v in value[_TUPLE])
        return {k: unpack(v) for k, v in value.items()}
    if isinstance(value, list):
        return [unpack(v) for v in value]
    return value


def random_state() -> dict[str, Any]:
    """Of torch (CPU and GPUs), NumPy and Python."""
    state: dict[str, Any] = {
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state(),
        "python": random.getstate(),
    }
    if torch.cuda.is_available():
        state["cuda"] = list(torch.cuda.get_rng_state_all())
    return state


def set_random_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"].cpu())
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda"]])


def seed_all(seed: int) -> None:
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)
