"""A toy with the interface of taxel.tasks: push a block to a place that only the fingers feel.

The place (x, y) is drawn in each episode. ``policy`` is the block's own position, ``touch`` two fields of 3 x 5 that
lean towards the place, ``critic`` both. An action moves the block; success is to end within 0.25 of the place.
"""

from __future__ import annotations

import torch
from tensordict import TensorDict

ROWS, COLUMNS, LENGTH, NEAR = 3, 5, 8, 0.25


class ToyTask:
    def __init__(self, worlds: int = 32, seed: int = 0, touch: bool = True) -> None:
        self.num_envs, self.num_actions, self.max_episode_length = worlds, 2, LENGTH
        self.device, self.cfg, self.stage = torch.device("cpu"), {}, 1
        self.feels = touch
        self.generator = torch.Generator().manual_seed(seed)
        self.episode_length_buf = torch.zeros(worlds, dtype=torch.long)
        self.position, self.place = torch.zeros(worlds, 2), torch.zeros(worlds, 2)
        self.success = torch.zeros(worlds, dtype=torch.bool)
        self.timing = {"physics": 0.0, "touch": 0.0}
        self.break_world: int | None = None
        self.reset()

    def reset(self, mask: torch.Tensor | None = None) -> None:
        mask = torch.ones(self.num_envs, dtype=torch.bool) if mask is None else mask
        drawn = torch.rand(self.num_envs, 2, generator=self.generator) * 2 - 1
        self.place = torch.where(mask[:, None], drawn, self.place)
        self.position = torch.where(mask[:, None], torch.zeros(()), self.position)
        self.episode_length_buf = torch.where(mask, 0, self.episode_length_buf)

    def get_observations(self) -> TensorDict:
        away = self.place - self.position
        groups = {"policy": self.position.clone(), "critic": torch.cat([self.position, self.place], 1)}
        if self.feels:
            x, y = torch.linspace(-1, 1, COLUMNS), torch.linspace(-1, 1, ROWS)
            field = away[:, 0, None, None] * x + away[:, 1, None, None] * y[:, None]
            groups["touch"] = torch.stack([field, -field], 1)
        return TensorDict(groups, batch_size=[self.num_envs])

    def expert(self) -> torch.Tensor:
        return ((self.place - self.position) / 0.4).clamp(-1, 1)

    def hints(self) -> torch.Tensor:
        return torch.cat([100.0 * (self.place - self.position), 1e-3 * self.place[:, :1]], 1)

    def step(self, actions: torch.Tensor):
        self.position = self.position + 0.4 * actions.clamp(-1, 1)
        if self.break_world is not None:
            self.position[self.break_world] = float("nan")
            self.break_world = None
        distance = (self.place - self.position).norm(dim=1)
        self.episode_length_buf = self.episode_length_buf + 1
        dones = self.episode_length_buf >= LENGTH
        self.success = torch.where(dones, distance < NEAR, self.success)
        if dones.any():
            self.reset(dones)
        return self.get_observations(), -distance, dones, {"time_outs": dones, "log": {}}

    def get_state(self) -> dict:
        names = ("position", "place", "success", "episode_length_buf")
        return {**{n: getattr(self, n).clone() for n in names}, "random": self.generator.get_state()}

    def set_state(self, state: dict) -> None:
        for name in ("position", "place", "success", "episode_length_buf"):
            setattr(self, name, state[name].clone())
        self.generator.set_state(state["random"])

    def close(self) -> None:
        pass
