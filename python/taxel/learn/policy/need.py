"""What training needs besides taxel, asked for before the work, and a device that is there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PIP = "pip install 'taxel[train]'"


def need_rsl_rl() -> None:
    """ImportError with the line to type where torch, rsl-rl or one of its needs is missing."""
    for name in ("torch", "tensordict", "tensorboard", "rsl_rl"):
        try:
            import_module(name)
        except ImportError as error:
            raise ImportError(f"training needs {name} ({error}); run: {PIP}") from None


def set_threads(count: int | None) -> None:
    """Torch's threads of ``--threads``; None leaves them."""
    import torch

    if count is None:
        return
    if count < 1:
        raise ValueError(f"--threads {count}: give at least 1")
    torch.set_num_threads(count)


def resolve_device(name: str | None) -> Any:
    """The torch device of ``--device``: "cpu", "cuda", "cuda:1"; None takes the GPU where there is one."""
    import torch

    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"--device {name}: torch sees no CUDA GPU here; give --device cpu")
    try:
        return torch.device(name)
    except RuntimeError:
        raise ValueError(f"--device {name}: no device of torch; give cpu or cuda") from None
