"""A policy as a file: networks, what they were made for, and how they came about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tensordict import TensorDict

from .config import TrainConfig
from .networks import TouchModel, make_models
from .run_folder import FORMAT, POLICY, load_torch, policy_file, save_torch


class Policy:
    """Acts and values. ``reset(dones)`` empties the memory of worlds whose episode is over."""

    def __init__(
        self, actor: TouchModel, critic: TouchModel, config: TrainConfig, shapes: dict[str, list[int]], actions: int
    ) -> None:
        self.actor, self.critic, self.config = actor.eval(), critic.eval(), config
        self.shapes, self.actions = shapes, actions
        self.about: dict[str, Any] = {}
        """Iterations, steps and seconds of its training."""
        self.path: Path | None = None

    @torch.no_grad()
    def act(self, obs: TensorDict) -> torch.Tensor:
        """The mean action (world, action), without noise."""
        return self.actor(obs)

    @torch.no_grad()
    def noisy(self, obs: TensorDict) -> torch.Tensor:
        """An action as in training, with exploration noise."""
        return self.actor(obs, stochastic_output=True)

    @torch.no_grad()
    def value(self, obs: TensorDict) -> torch.Tensor:
        """What the critic expects still (world,); it sees the privileged state."""
        return self.critic(obs).squeeze(-1)

    def start(self, worlds: int, device: Any = "cpu") -> None:
        for model in (self.actor, self.critic):
            model.to(device)
            model.start(worlds, device)

    def reset(self, dones: torch.Tensor) -> None:
        for model in (self.actor, self.critic):
            model.reset(dones)


def save_policy(
    path: Path, actor: Any, critic: Any, config: TrainConfig, shapes: dict[str, list[int]], actions: int, about: Any
) -> None:
    save_torch(
        path,
        {
            "format": FORMAT,
            "config": config.to_dict(),
            "shapes": shapes,
            "actions": actions,
            "about": about,
            "actor": actor.state_dict(),
            "critic": critic.state_dict(),
        },
    )


def shapes_of(obs: TensorDict) -> dict[str, list[int]]:
    return {name: list(value.shape[1:]) for name, value in obs.items()}


def load_policy(run: str | Path, device: Any = "cpu") -> Policy:
    """From a run folder, a checkpoint, or the name of a policy that comes with taxel."""
    path = policy_file(run)
    loaded = load_torch(path, device)
    if "rollout" in loaded:
        raise ValueError(f"{path}: what a run goes on from, not its policy; give the run's folder, or its {POLICY}")
    try:
        policy = _policy(loaded, device)
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        # Networks that differ are told over many lines; the first says enough.
        why = f"it has no {error}" if isinstance(error, KeyError) else str(error).strip().split("\n")[0]
        raise ValueError(
            f"{path}: a checkpoint that this taxel cannot read ({why}); take the taxel that wrote it, or train anew"
        ) from None
    for model, name in ((policy.actor, "actor"), (policy.critic, "critic")):
        broken = [key for key, value in model.state_dict().items() if not bool(torch.isfinite(value).all())]
        if broken:
            raise ValueError(
                f"{path}: {len(broken)} weights of its {name} are no finite numbers ({broken[0]}, ...): a run that "
                "diverged, or a damaged file; take another checkpoint, or train anew"
            )
    policy.path = path
    return policy


def _policy(loaded: dict[str, Any], device: Any) -> Policy:
    config = TrainConfig.from_dict(loaded["config"])
    blank = TensorDict({k: torch.zeros(1, *shape) for k, shape in loaded["shapes"].items()}, batch_size=[1])
    models = make_models(blank, loaded["actions"], config.network, config.role)
    for model, name in zip(models, ("actor", "critic"), strict=True):
        model.load_state_dict({k: v.float() if v.dtype == torch.float16 else v for k, v in loaded[name].items()})
        model.to(device)
    policy = Policy(*models, config, loaded["shapes"], loaded["actions"])
    policy.about = loaded["about"]
    return policy


def check_fits(policy: Policy, obs: TensorDict, actions: int, *, critic: bool = True) -> None:
    """ValueError where a policy was made for other observations; its critic's count where it is needed."""
    here = shapes_of(obs)
    for model, name in ((policy.actor, "actor"), *(((policy.critic, "critic"),) if critic else ())):
        for group in (*model._flat, *model._touch):
            made = policy.shapes[group]
            if here.get(group) != made:
                raise ValueError(
                    f"the policy's {name} was made for {group!r} of shape {made}, the task gives {here.get(group)}; "
                    "give the touch and the task it was trained with"
                )
    if actions != policy.actions:
        raise ValueError(f"the policy gives {policy.actions} actions, the task takes {actions}")


def shrink(source: str | Path, target: str | Path) -> Path:
    """A checkpoint with its weights in half precision, to be given away: a quarter of the run's file or less."""
    loaded = load_torch(policy_file(source))
    for part in ("actor", "critic"):
        loaded[part] = {
            k: v.half() if v.dtype == torch.float32 and "norm" not in k else v for k, v in loaded[part].items()
        }
    save_torch(Path(target), loaded)
    return Path(target)
