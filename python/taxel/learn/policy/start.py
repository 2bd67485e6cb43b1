"""A run that begins with the weights of a policy that there is: ``taxel train TASK --start POLICY``."""

from __future__ import annotations

from typing import Any

from .checkpoint import check_fits, load_policy
from .config import TrainConfig


def begin_with(config: TrainConfig, ppo: Any, obs: Any, actions: int, device: Any) -> None:
    """Gives actor and critic the weights, normalisation and noise of ``config.start``; ValueError where they do not
    fit."""
    policy = load_policy(str(config.start), device)
    theirs = policy.config
    if theirs.task != config.task:
        raise ValueError(f"--start {config.start}: of {theirs.task}, not of {config.task}; give one of {config.task}")
    if theirs.role != config.role:
        raise ValueError(
            f"--start {config.start} --role {config.role}: it is a {theirs.role}; leave --role out, or give a "
            f"{config.role}"
        )
    if theirs.network != config.network:
        raise ValueError(
            f"--start {config.start}: its networks are not those of this run; they come with it, leave "
            "--set network.KEY=VALUE out"
        )
    try:
        check_fits(policy, obs, actions)
    except ValueError as error:
        raise ValueError(f"--start {config.start}: {error}") from None
    ppo.actor.load_state_dict(policy.actor.state_dict())
    ppo.critic.load_state_dict(policy.critic.state_dict())
