"""Worlds that went wrong: found, named, reset and counted, so that one of them cannot spoil a run.

A task resets worlds that are no numbers or fly apart by itself, and ends their episode before its time. What gets
through all the same is cleaned here.
"""

from __future__ import annotations

from typing import Any

import torch
from tensordict import TensorDict

CHECK_EVERY = 16
"""Steps between two looks on a GPU, where a look waits for it; a CPU looks at each."""


class Health:
    """``count``: how often a world had to be reset so far."""

    def __init__(self, env: Any) -> None:
        self.env, self.count, self.steps = env, 0, 0
        self.open = torch.zeros(env.num_envs, dtype=torch.bool, device=env.device)
        """Bad worlds that are to be reset still."""
        self.times = torch.zeros(env.num_envs, dtype=torch.long, device=env.device)
        """How often each was bad since the last ``take``."""

    def check(
        self, obs: TensorDict, rewards: torch.Tensor, dones: torch.Tensor
    ) -> tuple[TensorDict, torch.Tensor, torch.Tensor]:
        """Observations, rewards and dones with finite numbers alone; a bad world's episode is over."""
        bad = ~rewards.isfinite()
        for value in obs.values():
            bad = bad | ~value.flatten(1).isfinite().all(1)
        self.times += (bad & ~dones.bool()).long()
        self.open = self.open | bad
        self.steps += 1
        over = dones.bool() | bad
        if (not bad.is_cuda or self.steps % CHECK_EVERY == 0) and bool(self.open.any()):
            self.env.reset(self.open)
            over = over | self.open
            obs = self.env.get_observations()
            self.open = torch.zeros_like(self.open)
        return obs.apply(lambda x: x.nan_to_num(0.0, 0.0, 0.0)), rewards.nan_to_num(0.0, 0.0, 0.0), over

    def ended(self, dones: torch.Tensor, extras: dict[str, Any]) -> None:
        """Episodes that the task ended before their time."""
        early = dones.bool() & ~extras["time_outs"].bool()
        self.times += (early & (self.times == 0)).long()

    def take(self) -> list[tuple[int, int]]:
        """(world, how often) since the last call."""
        worlds = self.times.nonzero().flatten().tolist()
        told = [(w, int(self.times[w])) for w in worlds]
        self.count += sum(times for _, times in told)
        self.times.zero_()
        return told
