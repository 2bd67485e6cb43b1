"""How good a policy is: success with its interval, steps to success and peak force, over whole episodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .checkpoint import Policy, check_fits

Z95 = 1.959963984540054


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """The 95 % interval of a rate (Wilson's score): right for few episodes and for rates of 0 and 1, too."""
    if episodes < 1 or not 0 <= successes <= episodes:
        raise ValueError(f"wilson({successes}, {episodes}): give 0 <= successes <= episodes, at least one episode")
    rate, weight = successes / episodes, Z95**2 / episodes
    middle = (rate + weight / 2) / (1 + weight)
    half = Z95 / (1 + weight) * math.sqrt(rate * (1 - rate) / episodes + weight / (4 * episodes))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Score:
    """Over ``episodes`` whole episodes. What a task does not tell is None."""

    episodes: int
    successes: int
    steps: float | None
    """Mean over the successful episodes: steps until it was where it had to be, and stayed."""
    peak_force: float | None
    """N, mean over the episodes of the largest contact force."""
    bad: int
    """Episodes that ended in a number that is none: they count as failed."""

    @property
    def success(self) -> float:
        return self.successes / self.episodes

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.episodes)

    def words(self) -> str:
        low, high = self.interval
        text = f"success {self.success:.3f} [{low:.3f}, {high:.3f}] ({self.successes} of {self.episodes})"
        if self.steps is not None:
            text += f", {self.steps:.0f} steps to success"
        if self.peak_force is not None:
            text += f", peak force {self.peak_force:.1f} N"
        return text + (f", {self.bad} broken episodes counted as failed" if self.bad else "")

    def numbers(self) -> dict[str, Any]:
        return {
            "episodes": self.episodes,
            "successes": self.successes,
            "success": self.success,
            "interval": list(self.interval),
            "steps_to_success": self.steps,
            "peak_force": self.peak_force,
            "bad": self.bad,
        }


@torch.no_grad()
def evaluate(
    env: Any,
    policy: Policy | None,
    episodes: int,
    *,
    noise: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Score:
    """Plays whole episodes in all worlds at once until there are ``episodes``; None plays the scripted expert.

    Only the first ``episodes`` in order of time, then of world, count: the last round may have more. Ctrl-C ends it
    with the rounds that are whole.
    """
    if episodes < 1:
        raise ValueError(f"--episodes {episodes}: give at least 1")
    if policy is not None:
        check_fits(policy, env.get_observations(), env.num_actions)
    ended: list[bool] = []
    steps: list[float] = []
    forces: list[float] = []
    bad = 0
    while len(ended) < episodes:
        try:
            one = _round(env, policy, noise)
        except KeyboardInterrupt:
            if not ended:
                raise
            break  # what was played whole counts
        room = episodes - len(ended)
        good = one["success"][:room].tolist()
        ended += good
        bad += int(one["bad"][:room].sum())
        if one["steps"] is not None:
            steps += [s for s, ok in zip(one["steps"][:room].tolist(), good, strict=True) if ok]
        if one["force"] is not None:
            forces += one["force"][:room].tolist()
        if progress is not None:
            progress(len(ended))
    return Score(
        episodes=len(ended),
        successes=sum(ended),
        steps=sum(steps) / len(steps) if steps else None,
        peak_force=sum(forces) / len(forces) if forces else None,
        bad=bad,
    )


def _round(env: Any, policy: Policy | None, noise: bool) -> dict[str, Any]:
    """One episode in each world. A world that ends early counts with its first episode, as failed."""
    worlds = env.num_envs
    env.reset()
    if policy is not None:
        policy.start(worlds, env.device)
    obs = env.get_observations()
    open_, success, bad = (torch.full((worlds,), v, dtype=torch.bool, device=env.device) for v in (True, False, False))
    told = {name: _tensor(env, name) for name in ("success_step", "peak_force")}
    for _ in range(int(env.max_episode_length)):
        actions = env.expert() if policy is None else policy.noisy(obs) if noise else policy.act(obs)
        obs, rewards, dones, extras = env.step(actions)
        broken = ~rewards.isfinite() | (dones.bool() & ~extras["time_outs"].bool())
        for value in obs.values():
            broken = broken | ~value.flatten(1).isfinite().all(1)
        over = (dones.bool() | broken) & open_
        bad |= broken & open_
        success = torch.where(over, env.success & ~broken, success)
        for name, kept in told.items():
            if kept is not None:
                told[name] = torch.where(over, getattr(env, name).to(kept), kept)
        open_ = open_ & ~over
        if bool((broken & ~dones.bool()).any()):
            env.reset(broken)
            obs = env.get_observations()
        if policy is not None:
            policy.reset(dones.bool() | broken)
        if not bool(open_.any()):
            break
    return {"success": success.cpu(), "steps": told["success_step"], "force": told["peak_force"], "bad": bad.cpu()}


def _tensor(env: Any, name: str) -> torch.Tensor | None:
    """What the task tells of its episodes, if it does."""
    return torch.zeros(env.num_envs, device=env.device) if hasattr(env, name) else None
