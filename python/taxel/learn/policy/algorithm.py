"""rsl-rl's PPO with what the published runs need besides: sequences, limits of the learning rate, no step into NaN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from rsl_rl.algorithms import PPO
from rsl_rl.storage import RolloutStorage
from tensordict import TensorDict

from .config import Ppo
from .networks import TouchModel
from .sequences import Cut

SAVED = ("observations", "dones", "actions", "values", "advantages", "returns", "actions_log_prob")
"""Of a step, what an update needs."""


class SequenceStorage(RolloutStorage):
    """A rollout that the LSTM is trained on in sequences of ``sequence`` steps, each with the memory it began with.

    Sequences of one rollout stand side by side as if each were a world, in random order: none is padded but where an
    episode ends inside it.
    """

    sequence: int = 0
    """0, or the whole rollout: no cut."""

    @property
    def sequences(self) -> int:
        """How many a rollout has."""
        return self.num_envs * self._cuts

    @property
    def _cuts(self) -> int:
        return self.num_transitions_per_env // (self.sequence or self.num_transitions_per_env)

    def recurrent_mini_batch_generator(self, num_mini_batches: int, num_epochs: int = 8) -> Iterator[Any]:
        order = torch.randperm(self.sequences, device=self.dones.device)
        aside = {name: self._side_by_side(getattr(self, name))[:, order] for name in SAVED}
        params = tuple(self._side_by_side(p)[:, order] for p in self.distribution_params)
        saved = (self.saved_hidden_state_a, self.saved_hidden_state_c)
        memories = [self._first_memories(s, order) for s in saved]
        whole = Cut(aside["dones"]).whole
        size = self.sequences // num_mini_batches
        for _ in range(num_epochs):
            for k in range(num_mini_batches):
                part = slice(k * size, (k + 1) * size)
                cut = Cut(aside["dones"][:, part], whole or None)
                yield RolloutStorage.Batch(
                    observations=cut.pad(aside["observations"][:, part]),
                    actions=aside["actions"][:, part],
                    values=aside["values"][:, part],
                    advantages=aside["advantages"][:, part],
                    returns=aside["returns"][:, part],
                    old_actions_log_prob=aside["actions_log_prob"][:, part],
                    old_distribution_params=tuple(p[:, part] for p in params),
                    hidden_states=tuple(
                        cut.memory(None if m is None else tuple(s[:, part].contiguous() for s in m)) for m in memories
                    ),
                    masks=cut,
                )

    def _first_memories(self, saved: Any, order: torch.Tensor) -> Any:
        """Of each sequence the memory (layer, sequence, hidden) it began with; saved (time, layer, world, hidden)."""
        if saved is None:
            return None
        step = self.num_transitions_per_env // self._cuts
        return tuple(s[::step].transpose(0, 1).transpose(1, 2).flatten(1, 2)[:, order] for s in saved)

    def _side_by_side(self, x: Any) -> Any:
        """(time, world, ...) -> (sequence, world * cuts, ...)."""
        if isinstance(x, TensorDict):
            parts = {k: self._side_by_side(v) for k, v in x.items()}
            return TensorDict(parts, batch_size=[x.shape[0] // self._cuts, self.sequences], device=x.device)
        return x.unflatten(0, (self._cuts, -1)).movedim(0, 2).flatten(1, 2)


class TouchPpo(PPO):
    """PPO of actor and critic. ``not_finite`` counts minibatches whose gradient was not a number: they are left out."""

    def __init__(
        self, actor: TouchModel, critic: TouchModel, storage: SequenceStorage, numbers: Ppo, device: Any
    ) -> None:
        self.limits = (numbers.lr_min, numbers.lr_max)
        self.not_finite = 0
        batches = max(1, min(storage.sequences, storage.num_envs * numbers.steps // numbers.minibatch))
        super().__init__(
            actor,
            critic,
            storage,
            num_learning_epochs=numbers.epochs,
            num_mini_batches=batches,
            clip_param=numbers.clip,
            gamma=numbers.gamma,
            lam=numbers.lam,
            value_loss_coef=numbers.value_coef,
            entropy_coef=numbers.entropy_coef,
            learning_rate=numbers.lr,
            max_grad_norm=numbers.grad_norm,
            schedule="adaptive",
            desired_kl=numbers.kl,
            use_mixed_precision=numbers.bf16,
            device=str(device),
        )
        self.optimizer.register_step_pre_hook(self._only_finite)

    @property
    def learning_rate(self) -> float:
        return self._lr

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        # The library moves it between 1e-5 and 1e-2, whatever the table says.
        self._lr = min(max(value, self.limits[0]), self.limits[1])

    def set_learning_rate(self, value: float) -> None:
        self.learning_rate = value
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate

    def _only_finite(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if gradients and not bool(torch.stack([g.isfinite().all() for g in gradients]).all()):
            self.not_finite += 1
            optimizer.zero_grad(set_to_none=True)  # Adam leaves a parameter without a gradient as it is


def make_ppo(obs: Any, actions: int, models: tuple[TouchModel, TouchModel], numbers: Ppo, device: Any) -> TouchPpo:
    """PPO with room for one rollout of observations like ``obs``."""
    worlds = obs.batch_size[0]
    storage = SequenceStorage("rl", worlds, numbers.steps, obs, [actions], str(device))
    storage.sequence = numbers.sequence
    return TouchPpo(*models, storage, numbers, device)
