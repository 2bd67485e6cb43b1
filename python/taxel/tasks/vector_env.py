"""The tasks as ``gymnasium.vector.VectorEnv``: NumPy in and out."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as _VectorEnv

from .. import _core
from .registry import make
from .vec_env import TaskEnv


class VectorEnv(_VectorEnv):
    """A ``TaskEnv`` for people who use Gymnasium. Observations are a dict: policy, critic, teacher and, unless touch is
    "none", touch. Worlds that end begin anew in the same step (``AutoresetMode.SAME_STEP``): what is seen then is of
    the new episode, and ``infos["final_obs"][world]`` and ``infos["final_info"]`` (success, success_step, peak_force,
    lost) are of the one that ended. A world that was lost is terminated, one at the end of its time truncated.

    render_mode  "rgb_array" or None
    """

    def __init__(self, env: TaskEnv, render_mode: str | None = "rgb_array") -> None:
        if render_mode not in (None, "rgb_array"):
            raise _core.Error(f"tasks: render_mode is {render_mode!r}; there is 'rgb_array', or None")
        self.env = env
        env.keep_final = True
        self.num_envs = env.num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["rgb_array"], "render_fps": 60}
        self.render_mode = render_mode
        box = gymnasium.spaces.Box
        self.single_action_space = box(-1.0, 1.0, (env.num_actions,), np.float32)
        self.single_observation_space = gymnasium.spaces.Dict(
            {n: box(-np.inf, np.inf, tuple(t.shape[1:]), np.float32) for n, t in env.observations().items()}
        )
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """``options={"reset_mask": array}`` chooses worlds. A seed starts their episodes of that seed over: one for all
        worlds, or a list with one a world."""
        if not isinstance(options, dict | None):
            raise _core.Error(f"tasks: reset: options is {options!r}; give a dict, as in {{'reset_mask': mask}}")
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        if given:
            raise _core.Error(f"tasks: reset has no option {next(iter(given))!r}; it has 'reset_mask'")
        if seed is not None:
            self.env.reseed(seed, mask)
        self.env.reset(mask)
        return _arrays(self.env.observations()), {}

    def step(self, actions: Any) -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        _, reward, done, extras = self.env.step(actions)
        cut = extras["time_outs"].cpu().numpy()
        ended = done.cpu().numpy() & ~cut
        env = self.env
        told = _arrays(
            {n: getattr(env, n) for n in ("success", "success_step", "peak_force")} | {"lost": extras["lost"]}
        )
        infos: dict[str, Any] = {}
        final = _arrays(extras.get("final", {}))
        for world in np.flatnonzero(ended | cut):
            obs = {n: values[world].copy() for n, values in final.items()}
            last = {n: values[world].item() for n, values in told.items()}
            infos = self._add_info(infos, {"final_obs": obs, "final_info": last}, int(world))
        infos["success"] = told["success"]
        return _arrays(env.observations()), reward.cpu().numpy().copy(), ended, cut, infos

    def render(self) -> tuple[Any, ...] | None:
        if self.render_mode is None:
            return None
        return tuple(self.env.render(w) for w in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        self.env.close()


def _arrays(tensors: dict[str, Any]) -> dict[str, Any]:
    """NumPy, in memory of its own: what a caller keeps is never written again."""
    return {n: t.detach().cpu().numpy().copy() for n, t in tensors.items()}


def make_vec(
    task: str = "peg",
    worlds: int | None = None,
    num_envs: int | None = None,
    render_mode: str | None = "rgb_array",
    **options: Any,
) -> VectorEnv:
    """As ``taxel.tasks.make``, for Gymnasium: ``gymnasium.make_vec("taxel/Peg-v0", num_envs=8)``."""
    if worlds is not None and num_envs is not None and worlds != num_envs:
        raise _core.Error(f"tasks: worlds is {worlds} and num_envs {num_envs}; they are the same, so give one")
    if render_mode not in (None, "rgb_array"):  # before worlds are built
        raise _core.Error(f"tasks: render_mode is {render_mode!r}; there is 'rgb_array', or None")
    count = num_envs if worlds is None else worlds
    return VectorEnv(make(task, 1 if count is None else count, **options), render_mode)
