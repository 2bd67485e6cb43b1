"""Many worlds of one task as a vectorised environment of rsl-rl (VecEnv), on CPU MuJoCo or mujoco_warp."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import torch

from .. import _core
from ..batch.masks import host_mask
from .captured import Captured
from .clock import Clock
from .draws import uniform
from .env_state import check_state
from .scene import RATE, STEPS
from .task import DRAWS, Task
from .touch import Touch

Tensor: TypeAlias = torch.Tensor
FASTEST = 50.0
"""m/s or rad/s: a world beyond it is lost, begins anew and is counted."""
MOST_PIXELS = 4096
"""Of a picture, each way."""
SEEDS = 0xFFFFFFFF
"""What is read of a seed."""
COUNTS = ("episodes", "successes", "bad", "cut", "steps")
"""What ``TaskEnv.statistics`` counts."""


class TaskEnv:
    """What ``taxel.tasks.make`` returns. All tensors are on ``device``; a step waits for no device.

    step(actions)      (worlds, num_actions) in -1 .. 1 -> observations, rewards, dones, extras. Worlds that are done
                       begin anew by themselves; the observations are of the new episode. extras: "time_outs" (done,
                       but not by a failure: a learner counts on from there), "lost" (done since the world was no
                       longer finite or flew apart), "log"; with ``keep_final`` and where a world is done also
                       "final": the observations that its episode ended with, as a plain dict
    get_observations() TensorDict: "policy" (what a robot knows), "touch", "critic" (published privileged state) and
                       "teacher" (that, and what makes it easy to learn from)
    reset(mask=None)   new episodes in all worlds or the chosen ones
    expert()           actions of a controller written by hand, which knows everything
    success, success_step, peak_force   of the last finished episode of each world; forces (N) in every substep
    stage              of the curriculum; assign to it
    get_state(), set_state(state)   all that is remembered: a run goes on bit by bit where the engine is deterministic
    """

    def __init__(
        self, task: Task, engine: Any, touch: Touch, *, seed: int = 0, stage: int = 1, substeps: int = 2,
        synchronous: bool = False, randomise: bool = True, config: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.task, self.engine, self._touch = task, engine, touch
        self.num_envs = worlds = engine.worlds
        self.num_actions, self.max_episode_length = task.actions, STEPS
        self.device = str(engine.device)
        self.cfg = config or {}
        self.seed, self._substeps, self._synchronous, self._randomise = int(seed), substeps, synchronous, randomise
        self.keep_final = False
        """Whether a step also tells what finished episodes ended with; costs a second look where a world is done."""
        self._cuda = engine.device.type == "cuda"
        self._clock = Clock(self._cuda)
        self._renderer: Any = None

        def zeros(*shape: int, dtype: torch.dtype = engine.dtype) -> Tensor:
            return torch.zeros(worlds, *shape, dtype=dtype, device=engine.device)

        self._length = zeros(dtype=torch.int64)
        self._episode = zeros(dtype=torch.int64)
        self._asked, self._action = zeros(task.actions), zeros(task.actions)
        self._reward, self._done, self._bad = zeros(), zeros(dtype=torch.bool), zeros(dtype=torch.bool)
        self.success = zeros(dtype=torch.bool)
        self.success_step = torch.full((worlds,), -1, dtype=torch.int64, device=engine.device)
        self.peak_force = zeros()
        self._first, self._peak = self.success_step.clone(), zeros()
        self._counts = torch.zeros(len(COUNTS), dtype=torch.int64, device=engine.device)
        self._seeds = torch.full_like(self._episode, self.seed & SEEDS)
        self._everyone = torch.ones(worlds, dtype=torch.bool, device=engine.device)
        self._first_parameters = {n: t.clone() for n, t in engine.parameters.items()}
        self._parts = {
            work: Captured(work, engine.device)
            for work in (self._move, self._feel_done, self._look, self._ask_expert, self._ask_hints)
        }
        """What a step is made of; on a GPU each is one graph."""
        self.memory: dict[str, Tensor] = {}
        start = task.begin(engine, uniform(self._seeds, self._episode, DRAWS, engine.dtype))
        self.memory = {n[7:]: v.clone() for n, v in start.items() if n.startswith("memory.")}
        self.stage = stage
        self._begin(self._everyone)
        self._feel(self._everyone, self._everyone)

    @property
    def touch(self) -> Touch:
        """What the fingers feel; its ``values`` are those of the observations."""
        return self._touch

    @property
    def episode_length_buf(self) -> Tensor:
        """Steps of each world's episode so far. What is assigned (rsl-rl lets worlds begin at odd ones) is copied into
        it: a graph of a step knows this memory alone."""
        return self._length

    @episode_length_buf.setter
    def episode_length_buf(self, steps: Tensor) -> None:
        if not torch.is_tensor(steps) or steps.shape != (self.num_envs,) or steps.is_floating_point():
            given = tuple(steps.shape) if hasattr(steps, "shape") else repr(steps)
            raise _core.Error(f"tasks: episode_length_buf: {given}; give a tensor ({self.num_envs},) of whole numbers")
        self._length.copy_(steps)

    # --- The curriculum ---

    @property
    def stage(self) -> int:
        return self._stage

    @stage.setter
    def stage(self, stage: int) -> None:
        self.task.set_stage(stage)
        self._stage = int(stage)
        for part in self._parts.values():
            part.forget()

    # --- Steps ---

    def step(self, actions: Tensor) -> tuple[Any, Tensor, Tensor, dict[str, Any]]:
        action = self._checked(actions)
        mark = self._clock.mark()
        self._asked.copy_(action)
        if self.keep_final:
            return self._step_and_tell(mark)
        self._parts[self._move]()
        extras, reward, done = self._extras(), self._reward.to(torch.float32, copy=True), self._done.clone()
        mark = self._clock.add("physics", mark)
        self._parts[self._feel_done]()
        self._clock.add("touch", mark)
        seen, extras["log"] = self._parts[self._look]()
        return self._dressed(seen), reward, done, extras

    def _step_and_tell(self, mark: Any) -> tuple[Any, Tensor, Tensor, dict[str, Any]]:
        """As ``step``, with a look at what ends."""
        self._advance()
        extras, reward, done = self._extras(), self._reward.to(torch.float32, copy=True), self._done.clone()
        mark = self._clock.add("physics", mark)
        final = self._cuda or bool(done.any())
        if final:
            extras["final"] = self._final(self._bad)
            mark = self._clock.mark()
        self._begin(done)
        mark = self._clock.add("physics", mark)
        self._feel(done, done if final else self._everyone)
        self._clock.add("touch", mark)
        seen, extras["log"] = self._look()
        return self._dressed(seen), reward, done, extras

    def _extras(self) -> dict[str, Any]:
        # What ends because another world did, or was lost, has not failed: a learner counts on from there.
        return {"time_outs": self._done & ~self._bad, "lost": self._bad.clone()}

    def _move(self) -> None:
        self._advance()
        self._begin(self._done)

    def _feel_done(self) -> None:
        self._feel(self._done, self._everyone)

    def _look(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        return self.observations(), self._log()

    def _ask_expert(self) -> Tensor:
        return self.task.expert(self.engine, self.memory).to(torch.float32)

    def _ask_hints(self) -> Tensor:
        return self.task.hints(self.engine, self.memory).to(torch.float32)

    def _advance(self) -> None:
        """Moves all worlds by the actions asked for; what that was worth, and which are done."""
        engine, task = self.engine, self.task
        change = (self._asked - self._action).norm(dim=-1)
        self._action.copy_(self._asked)
        task.command(engine, self.memory, self._action)
        peak = self._peak
        for _ in range(self._substeps):
            task.control(engine, self.memory)
            engine.step()
            peak = torch.maximum(peak, torch.nan_to_num(task.strain(engine)))
        bad = self._lost()
        self._peak.copy_(torch.where(bad, self._peak, peak))  # what throws a world off is no force
        self._length += 1
        last = self._length >= self.max_episode_length
        reward = task.reward(engine, self.memory, change)
        solved = task.solved(engine, self.memory) & ~bad
        first = solved & (self._first < 0)
        self._first.copy_(torch.where(first, self._length, torch.where(solved, self._first, -1)))
        reward = torch.where(bad, -2.0, reward + torch.where(last & solved, 0.1, 0.0))
        done = bad | last
        if self._synchronous:
            done = done.any().expand_as(done)
        self._finish(done, last & ~bad, solved, bad)
        for held, value in ((self._reward, reward), (self._done, done), (self._bad, bad)):
            held.copy_(value)

    def _checked(self, actions: Any) -> Tensor:
        """On the device, in -1 .. 1; NaN is 0."""
        wanted = f"give ({self.num_envs}, {self.num_actions}) numbers in -1 .. 1, a tensor or an array"
        try:
            # An array as a copy: torch takes none with negative steps or of another byte order.
            numbers = isinstance(actions, np.ndarray) and actions.dtype.kind in "iuf"
            given = torch.from_numpy(np.array(actions, float)) if numbers else torch.as_tensor(actions)
        except (TypeError, ValueError, RuntimeError) as error:
            raise _core.Error(f"tasks: {self.task.name}: actions are {type(actions).__name__}; {wanted}") from error
        if given.is_complex() or given.dtype == torch.bool:
            raise _core.Error(f"tasks: {self.task.name}: actions are of {given.dtype}; {wanted}")
        if given.shape != (self.num_envs, self.num_actions):
            raise _core.Error(f"tasks: {self.task.name}: actions have the shape {tuple(given.shape)}; {wanted}")
        return torch.nan_to_num(given.detach().to(self.engine.device, self.engine.dtype)).clamp(-1.0, 1.0)

    def _final(self, bad: Tensor) -> dict[str, Tensor]:
        """What is seen before worlds begin anew. A lost world has no pose to feel: its last touch stays."""
        mark = self._clock.mark()
        self._feel(~self._everyone, ~bad)
        self._clock.add("touch", mark)
        return self.observations()

    def _feel(self, begun: Tensor, moved: Tensor) -> None:
        self.feel(self._touch, begun, moved)

    def other_touch(self, name: str) -> Touch:
        """What these worlds would feel by another model (``feel`` reads it), without noise; one thread."""
        engine, task = self.engine, self.task
        return Touch(
            name, task.touch_body(), self.num_envs, engine.device, RATE, noise=0.0, gravity=task.gravity_shift,
            threads=1, dtype=engine.dtype,
        )  # fmt: skip

    def feel(self, touch: Touch, begun: Tensor, moved: Tensor | None = None) -> None:
        """Another ``Touch`` of as many worlds feels what these do now; begun, moved (worlds,): which episodes begin
        with this reading, and which worlds are read (default: all)."""
        moment = self._episode * (self.max_episode_length + 1) + self._length
        touch.update(self.engine, begun, self._everyone if moved is None else moved, self._seeds, moment)

    def _lost(self) -> Tensor:
        """Worlds that are no longer finite, or that fly apart."""
        speed = self.engine.qvel.abs().amax(dim=-1) + 0.0 * self.engine.qpos.sum(dim=-1)
        return ~(speed < FASTEST)

    def _finish(self, done: Tensor, whole: Tensor, solved: Tensor, bad: Tensor) -> None:
        ended = whole | bad  # with ``synchronous`` others are cut short: no episode of theirs is told by that
        self.success.copy_(torch.where(ended, solved & whole, self.success))
        self.success_step.copy_(torch.where(ended, self._first, self.success_step))
        self.peak_force.copy_(torch.where(ended, self._peak, self.peak_force))
        counted = (whole, solved & whole, bad, done & ~ended, self._everyone)
        self._counts += torch.stack([each.sum() for each in counted])

    def _log(self) -> dict[str, Tensor]:
        finished = (self._episode > 1).to(torch.float32)
        whole = finished.sum().clamp(min=1.0)
        success, force = ((told * finished).sum() / whole for told in (self.success, self.peak_force))
        return {"success": success, "peak_force": force.to(torch.float32), "bad_worlds": self._counts[2]}

    def statistics(self) -> dict[str, int]:
        """So far: whole episodes, successes, worlds that were lost (bad), episodes that ended with another world
        (cut: ``synchronous``), steps; and contacts that did not fit. Waits."""
        return dict(zip(COUNTS, self._counts.tolist(), strict=True)) | {"overflow": self.engine.overflow()}

    @property
    def timing(self) -> dict[str, float]:
        """Seconds spent so far, by part: physics (with control, rewards and resets) and touch."""
        return self._clock.seconds()

    # --- Episodes ---

    def reset(self, mask: Tensor | None = None) -> Any:
        """New episodes, in all worlds or where mask (worlds,) is true; observations. Other worlds keep theirs."""
        chosen = self._everyone if mask is None else self._mask(mask)
        self._begin(chosen)
        self._feel(chosen, chosen)
        return self.get_observations()

    def _mask(self, mask: Any) -> Tensor:
        """(worlds,) of bool, from bools or the numbers 0 and 1. On a GPU numbers are not looked at: that would wait."""
        if torch.is_tensor(mask) and mask.device.type == "cuda" and mask.shape == (self.num_envs,):
            return (mask != 0).to(self.engine.device)
        chosen = host_mask(mask, self.num_envs, "TaskEnv.reset")
        return torch.as_tensor(chosen, device=self.engine.device) != 0

    def reseed(self, seed: Any, mask: Any = None) -> None:
        """Another row of episodes, from its first; the next ``reset`` begins it. seed: one for all worlds, whose
        episodes differ by their number, or one a world; mask (worlds,): of these worlds alone."""
        given = np.ravel(np.asarray(seed))
        if given.dtype.kind not in "iuO" or len(given) not in (1, self.num_envs) or None in given.tolist():
            raise _core.Error(f"tasks: seed is {seed!r}; give a whole number, or {self.num_envs}, one a world")
        chosen = self._everyone if mask is None else self._mask(mask)
        seeds = torch.tensor([int(s) & SEEDS for s in given], device=self.engine.device)
        if len(given) == 1 and mask is None:
            self.seed = int(given[0])
        self._seeds.copy_(torch.where(chosen, seeds, self._seeds))
        self._episode.copy_(torch.where(chosen, 0, self._episode))

    def _begin(self, mask: Tensor) -> None:
        engine = self.engine
        if not self._cuda and not bool(mask.any()):
            return
        u = uniform(self._seeds, self._episode, DRAWS, engine.dtype)
        for name, value in self.task.begin(engine, u).items():
            held = self.memory[name[7:]] if name.startswith("memory.") else getattr(engine, name)
            held.copy_(torch.where(mask.reshape(-1, *[1] * (held.dim() - 1)), value, held))
        for name in ("qvel", "applied", "xfrc"):
            held = getattr(engine, name)
            held.copy_(torch.where(mask.reshape(-1, *[1] * (held.dim() - 1)), 0.0, held))
        if self._randomise:
            self._draw_parameters(mask, u)
        engine.restart(mask)
        self._episode += mask.to(torch.int64)
        for held, number in ((self._length, 0), (self._first, -1), (self._peak, 0.0)):
            held.copy_(torch.where(mask, number, held))
        self._action.copy_(torch.where(mask[:, None], 0.0, self._action))

    def _draw_parameters(self, mask: Tensor, u: Tensor) -> None:
        """Damping of the joints + U(1e-5, 3), friction of hard bodies times a factor, log-uniform in 0.8 .. 1.2."""
        first, numbers = self._first_parameters, self.engine.parameters
        arm = self.task.scene.extra.get("arm_dofs", 7)
        damping = first["dof_damping"].clone()
        damping[:, :arm] += 1.5 * (1.0 + u[:, DRAWS - arm - 1 : DRAWS - 1]) + 1e-5
        low, high = math.log(0.8), math.log(1.2)
        factor = torch.exp(low + 0.5 * (1.0 + u[:, -1]) * (high - low))
        friction = first["geom_friction"].clone()
        friction[..., 0] *= factor[:, None]
        for name, value in (("dof_damping", damping), ("geom_friction", friction)):
            held = numbers[name]
            held.copy_(torch.where(mask.reshape(-1, *[1] * (held.dim() - 1)), value, held))

    # --- What is seen ---

    def get_observations(self) -> Any:
        return self._dressed(self.observations())

    def _dressed(self, groups: dict[str, Tensor]) -> Any:
        try:
            from tensordict import TensorDict
        except ModuleNotFoundError:
            raise ImportError(
                "tasks: observations for rsl-rl need tensordict; run: pip install 'taxel[train]'"
            ) from None
        return TensorDict(groups, batch_size=[self.num_envs], device=self.engine.device)

    def observations(self) -> dict[str, Tensor]:
        """As ``get_observations``, in a plain dict."""
        policy = self.task.policy(self.engine, self.memory)
        critic = self.task.critic(self.engine, self.memory)
        progress = (self._length.to(policy.dtype) / self.max_episode_length)[:, None]
        hints = self.task.hints(self.engine, self.memory)
        teacher = torch.cat([critic, policy, hints, self._action, progress], -1)
        groups = {"policy": policy, "critic": critic, "teacher": teacher}
        out = {n: torch.nan_to_num(v).clamp(-100.0, 100.0).to(torch.float32) for n, v in groups.items()}
        if self._touch.values is not None:
            out["touch"] = self._touch.values.clone()
        return out

    def expert(self) -> Tensor:
        """Actions (worlds, num_actions) of a controller that knows the state."""
        return self._parts[self._ask_expert]()

    def hints(self) -> Tensor:
        """What the task tells its teacher beside the state, (worlds, n)."""
        return self._parts[self._ask_hints]()

    # --- All that is remembered ---

    def _own(self) -> dict[str, Tensor]:
        names = (
            "episode_length_buf", "_episode", "_seeds", "_action", "success", "success_step", "peak_force", "_first",
            "_peak", "_counts",
        )  # fmt: skip
        return {n: getattr(self, n) for n in names}

    def get_state(self) -> dict[str, Any]:
        """A copy; ``set_state`` of an environment made with the same arguments puts it back."""
        return {
            "made": {
                "task": self.task.name, "worlds": self.num_envs, "engine": self.engine.name,
                "contact": self.task.contact, "touch": self._touch.name,
            },
            "own": {n: t.clone() for n, t in self._own().items()},
            "memory": {n: t.clone() for n, t in self.memory.items()},
            "engine": self.engine.get_state(),
            "touch": self._touch.get_state(),
            "seed": self.seed,
            "stage": self._stage,
        }  # fmt: skip

    def set_state(self, state: dict[str, Any]) -> None:
        """What ``get_state`` gave, here or in another process. One that does not fit is an error, and nothing
        changes."""
        check_state(state, self.get_state())
        self.stage = state["stage"]
        self.seed = state["seed"]
        for held, given in ((self._own(), state["own"]), (self.memory, state["memory"])):
            for name, tensor in held.items():
                tensor.copy_(given[name])
        self.engine.set_state(state["engine"])
        self._touch.set_state(state["touch"])

    # --- Pictures ---

    def render(self, world: int = 0, width: int = 640, height: int = 480, camera: Any = None) -> Any:
        """RGB (height, width, 3) uint8 of one world, drawn by MuJoCo (needs OpenGL; without a screen it takes EGL).

        camera  a taxel.viewer.offscreen.View or mujoco.MjvCamera; None: that of the task
        """
        from ..viewer.offscreen import Offscreen, View

        numbers = [isinstance(n, int | np.integer) and not isinstance(n, bool) for n in (world, width, height)]
        if not numbers[0] or not 0 <= world < self.num_envs:
            raise _core.Error(f"tasks: there is no world {world!r}; there are {self.num_envs}")
        if not all(numbers) or not (0 < width <= MOST_PIXELS and 0 < height <= MOST_PIXELS):
            raise _core.Error(
                f"tasks: render: the size is {width!r} x {height!r}; give whole numbers of 1 to {MOST_PIXELS}"
            )
        if self._renderer is None or (self._renderer.width, self._renderer.height) != (width, height):
            if self._renderer is not None:
                self._renderer.close()
                self._renderer = None
            self._renderer = Offscreen(self.task.scene.model, int(width), int(height))
        _, data = self.engine.view(world)
        return self._renderer(data, View(*self.task.look) if camera is None else camera)

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        self.engine.close()


try:
    from rsl_rl.env import VecEnv
except ImportError:
    pass
else:
    VecEnv.register(TaskEnv)  # rsl-rl's own class, for those who ask with isinstance
