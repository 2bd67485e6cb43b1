"""Distillation on the student's own states (DAgger), over whole sequences.

rsl-rl's Distillation steps through time one observation after the other and knows neither a scripted teacher nor
rollouts kept from before. Here the LSTM runs over a whole rollout at once (cuDNN on a GPU), the newest ``keep``
rollouts are fitted together, and the critic learns the returns meanwhile, so that PPO can go on from there.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from tensordict import TensorDict

from .algorithm import TouchPpo
from .config import Distill
from .hints import HintHead
from .sequences import Cut


class Dagger:
    """Keeps rollouts with the teacher's answers, and fits the actor to them.

    ``head``: the trunk is fitted to the task's hints as well (``distill.hints``); each step then has hints, too.
    """

    def __init__(
        self, ppo: TouchPpo, numbers: Distill, iterations: int, bf16: bool = False, head: HintHead | None = None
    ) -> None:
        self.ppo, self.numbers, self.iterations, self.bf16, self.head = ppo, numbers, iterations, bf16, head
        self.kept: list[dict[str, Any]] = []
        self.answers: list[torch.Tensor] = []
        self.hints: list[torch.Tensor] = []
        self.done = 0
        extra = [] if head is None else head.parameters()
        self.optimizer = torch.optim.Adam([*ppo.actor.parameters(), *extra], lr=numbers.lr)
        self.critic_optimizer = torch.optim.Adam(ppo.critic.parameters(), lr=numbers.lr)
        self.not_finite = 0

    @property
    def over(self) -> bool:
        return self.done >= self.iterations

    @property
    def beta(self) -> float:
        """Share of the worlds in which the teacher acts."""
        return max(0.0, 1.0 - self.done / max(1, self.numbers.beta_iterations))

    def actions(self, student: torch.Tensor, teacher: torch.Tensor, rank: torch.Tensor) -> torch.Tensor:
        """What acts in each world: the teacher where ``rank`` (0 .. 1, by world) is below beta, else the student."""
        self.answers.append(teacher.clone())
        acting = torch.where((rank < self.beta)[:, None], teacher, student)
        return acting + self.numbers.noise * torch.randn_like(acting)

    def forget(self) -> None:
        """What was asked in a rollout that is undone."""
        self.answers, self.hints = [], []

    def update(self) -> dict[str, float]:
        """One fit to the newest rollout and those kept; the storage is emptied."""
        self._keep()
        names = ("behavior", "value", *(() if self.head is None else ("hints",)))
        sums = dict.fromkeys(names, torch.zeros((), device=self.ppo.device))
        actor, critic = self.ppo.actor, self.ppo.critic
        if self.done == 0:  # statistics before the first fit; afterwards as PPO does it, after each
            self._normalise()
        count, rate = 0, self._rate()
        for optimizer in (self.optimizer, self.critic_optimizer):
            for group in optimizer.param_groups:
                group["lr"] = rate
        for _ in range(self.numbers.epochs):
            for rollout, worlds in self._minibatches():
                batch = _sequences(rollout, worlds)
                with torch.autocast(batch["device"], torch.bfloat16, enabled=self.bf16):
                    behavior, hints = self._fit(actor, self.optimizer, batch, "teacher", "actor_memory", self.head)
                    value, _ = self._fit(critic, self.critic_optimizer, batch, "returns", "critic_memory")
                told = dict(zip(names, (behavior, value, hints), strict=False))
                sums = {name: sums[name] + told[name] for name in names}
                count += 1
        if self.done > 0:
            self._normalise()
        self.ppo.storage.clear()
        self.done += 1
        return {name: float(total) / count for name, total in sums.items()}

    def _rate(self) -> float:
        """From its first value to a tenth, along a cosine."""
        return self.numbers.lr * (0.55 + 0.45 * math.cos(math.pi * self.done / max(1, self.iterations)))

    def _normalise(self) -> None:
        obs = self.ppo.storage.observations.flatten(0, 1)
        self.ppo.actor.update_normalization(obs)
        self.ppo.critic.update_normalization(obs)

    def _keep(self) -> None:
        st = self.ppo.storage
        hints = {}
        if self.head is not None:
            hints["hints"] = torch.stack(self.hints)
            self.head.norm.update(hints["hints"].flatten(0, 1))
        first = lambda saved: None if saved is None else [s[0].clone() for s in saved]  # noqa: E731
        self.kept.append(
            {
                "observations": st.observations.clone(),
                "teacher": torch.stack(self.answers).clamp(-1, 1),
                "returns": st.returns.clone(),
                "dones": st.dones.clone(),
                "whole": Cut(st.dones).whole,
                "actor_memory": first(st.saved_hidden_state_a),
                "critic_memory": first(st.saved_hidden_state_c),
                **hints,
            }
        )
        self.forget()
        del self.kept[: -self.numbers.keep]

    def _minibatches(self) -> list[tuple[dict[str, Any], torch.Tensor]]:
        """(rollout, worlds), in random order."""
        steps, worlds = self.ppo.storage.num_transitions_per_env, self.ppo.storage.num_envs
        size = max(1, min(worlds, self.numbers.minibatch // steps))
        order = lambda: torch.randperm(worlds).to(self.ppo.device)  # noqa: E731
        parts = [(r, part) for r in self.kept for part in order().split(size)]
        return [parts[k] for k in torch.randperm(len(parts)).tolist()]

    def _fit(
        self,
        model: Any,
        optimizer: Any,
        batch: dict[str, Any],
        target: str,
        memory: str,
        head: HintHead | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """One step; the loss of the target, and that of the hints. They stay on the device: it need not wait."""
        masks = batch["masks"] if model.is_recurrent else None
        obs = batch["padded"] if model.is_recurrent else batch["flat"]
        latent = model.get_latent(obs, masks, batch[memory])
        out = model.from_latent(latent)
        loss = torch.nn.functional.mse_loss(out.float(), batch[target].reshape(out.shape))
        hints = None if head is None else head.loss(latent, batch["hints"])
        whole = loss if head is None else loss + head.weight * hints
        optimizer.zero_grad(set_to_none=True)
        whole.backward()
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.ppo.max_grad_norm)
        if not bool(norm.isfinite()):
            self.not_finite += 1
            return torch.zeros_like(loss), torch.zeros_like(loss)
        optimizer.step()
        return loss.detach(), torch.zeros_like(loss) if hints is None else hints.detach()

    def state(self) -> dict[str, Any]:
        kept = [{k: v.to_dict() if isinstance(v, TensorDict) else v for k, v in r.items()} for r in self.kept]
        optimizers = (self.optimizer.state_dict(), self.critic_optimizer.state_dict())
        head = None if self.head is None or self.over else self.head.state()
        return {"kept": kept if not self.over else [], "done": self.done, "optimizers": optimizers, "head": head}

    def load(self, state: dict[str, Any]) -> None:
        self.done = state["done"]
        if self.head is not None and state.get("head") is not None:
            self.head.load(state["head"])
        self.optimizer.load_state_dict(state["optimizers"][0])
        self.critic_optimizer.load_state_dict(state["optimizers"][1])
        self.kept = []
        for rollout in _to(state["kept"], self.ppo.device):
            obs = TensorDict(rollout["observations"], batch_size=rollout["dones"].shape[:2])
            self.kept.append({**rollout, "observations": obs, "whole": Cut(rollout["dones"]).whole})


def _to(value: Any, device: Any) -> Any:
    """All tensors of nested lists and dicts on a device: a checkpoint is read to the CPU."""
    if isinstance(value, dict):
        return {k: _to(v, device) for k, v in value.items()}
    if isinstance(value, list):
        return [_to(v, device) for v in value]
    return value.to(device) if isinstance(value, torch.Tensor) else value


def _sequences(rollout: dict[str, Any], worlds: torch.Tensor) -> dict[str, Any]:
    """The chosen worlds of a rollout, cut where an episode ended; targets in the order of the worlds."""
    obs, cut = rollout["observations"][:, worlds], Cut(rollout["dones"][:, worlds], rollout["whole"] or None)
    batch: dict[str, Any] = {"padded": cut.pad(obs), "masks": cut, "flat": obs, "device": obs["policy"].device.type}
    for name in ("actor_memory", "critic_memory"):
        first = rollout[name]
        batch[name] = cut.memory(None if first is None else tuple(s[:, worlds] for s in first))
    for name in ("teacher", "returns", *(["hints"] if "hints" in rollout else [])):
        batch[name] = rollout[name][:, worlds]
    return batch
