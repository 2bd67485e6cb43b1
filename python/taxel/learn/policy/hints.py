"""An auxiliary loss of the distillation: the student's trunk also tells the task's privileged hints.

A student that imitates actions alone has to find out by itself that the pose of the object in the hand is what the
touch is for. Here a linear head on what the actor's MLP sees (LSTM and encoded touch) is fitted to the task's ``hints``
(end and axis of the peg in the hand, say), and its gradient shapes encoder and LSTM. The head is no part of the actor:
policy.pt does not hold it, and it is gone when the distillation is over.
"""

from __future__ import annotations

from typing import Any

import torch
from rsl_rl.modules import EmpiricalNormalization

LIMIT = 10.0
"""Standard deviations; a broken world must not lead the fit."""


def hints_of(env: Any) -> torch.Tensor:
    """The task's hints (world, number) as it stands; ValueError where it has none."""
    told = env.hints() if hasattr(env, "hints") else None
    if told is None:
        raise ValueError("distill.hints: this task tells no hints; leave it at 0")
    return torch.nan_to_num(told.to(torch.float32)).clamp(-100.0, 100.0)


class HintHead:
    """What the trunk tells of ``size`` hints. ``weight``: of its loss beside that of the actions."""

    def __init__(self, actor: Any, size: int, weight: float, device: Any) -> None:
        trunk = [p for name, p in actor.named_parameters() if not name.startswith(("mlp.", "distribution."))]
        if not trunk:
            raise ValueError(
                f"distill.hints {weight:g}: shapes touch encoder and LSTM, and this policy has neither; leave it at 0"
            )
        self.weight = weight
        self.norm = EmpiricalNormalization(size, eps=1e-4).to(device)
        self.layer = torch.nn.Linear(actor._get_latent_dim(), size).to(device)

    def parameters(self) -> list[torch.nn.Parameter]:
        return list(self.layer.parameters())

    def loss(self, latent: torch.Tensor, hints: torch.Tensor) -> torch.Tensor:
        """Mean square of the normalised hints; 1 is what a head that knows nothing gets."""
        wanted = self.norm(hints).clamp(-LIMIT, LIMIT)
        return torch.nn.functional.mse_loss(self.layer(latent).float(), wanted.reshape(*latent.shape[:-1], -1))

    def state(self) -> dict[str, Any]:
        return {"layer": self.layer.state_dict(), "norm": self.norm.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        self.layer.load_state_dict(state["layer"])
        self.norm.load_state_dict(state["norm"])
