"""A task whose policy also knows how its own state changes and what it did last, which a robot does.

The published student sees poses alone and its LSTM has to find speeds in them. That takes long: with ``network.recall``
the group "policy" is (state, change a second, last action). The numbers named "quick" have it, the published ones not.
"""

from __future__ import annotations

from typing import Any

import torch

RATE = 60.0


class Recall:
    """Everything else is the task's own."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self._state = env.get_observations()["policy"].clone()
        self._change = torch.zeros_like(self._state)
        self._action = torch.zeros(env.num_envs, env.num_actions, device=env.device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("env", "_state", "_change", "_action"):
            object.__setattr__(self, name, value)
        else:
            setattr(self.env, name, value)  # stage, say

    def get_observations(self) -> Any:
        return self._with(self.env.get_observations())

    def step(self, actions: torch.Tensor) -> tuple[Any, torch.Tensor, torch.Tensor, dict[str, Any]]:
        obs, rewards, dones, extras = self.env.step(actions)
        fresh = dones.bool()[:, None]
        state = obs["policy"]
        self._change = torch.where(fresh, 0.0, RATE * (state - self._state))
        self._action = torch.where(fresh, 0.0, actions.detach().to(self._action).nan_to_num().clamp(-1.0, 1.0))
        self._state = state.clone()
        return self._with(obs), rewards, dones, extras

    def reset(self, mask: torch.Tensor | None = None) -> Any:
        self.env.reset(mask)
        obs = self.env.get_observations()
        fresh = torch.ones_like(self._action[:, :1], dtype=torch.bool) if mask is None else (mask != 0)[:, None]
        self._change = torch.where(fresh, 0.0, self._change)
        self._action = torch.where(fresh, 0.0, self._action)
        self._state = torch.where(fresh, obs["policy"], self._state)
        return self._with(obs)

    def _with(self, obs: Any) -> Any:
        obs["policy"] = torch.cat([obs["policy"], self._change, self._action], -1)
        return obs

    def get_state(self) -> dict[str, Any]:
        own = {"state": self._state.clone(), "change": self._change.clone(), "action": self._action.clone()}
        return {**self.env.get_state(), "recall": own}

    def set_state(self, state: dict[str, Any]) -> None:
        self.env.set_state({k: v for k, v in state.items() if k != "recall"})
        own = state["recall"]
        self._state, self._change, self._action = (own[k].to(self._action) for k in ("state", "change", "action"))


def with_recall(env: Any, wanted: bool) -> Any:
    """The task, or the task that recalls."""
    return Recall(env) if wanted else env
