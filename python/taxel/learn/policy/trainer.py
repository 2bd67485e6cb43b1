"""The training loop: rollouts, distillation, PPO, curriculum, checkpoints that go on bit for bit."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tensordict import TensorDict

from .algorithm import make_ppo
from .checkpoint import Policy, save_policy, shapes_of
from .clock import Clock
from .config import TrainConfig
from .dagger import Dagger
from .health import Health
from .hints import HintHead, hints_of
from .interrupts import Interrupts
from .networks import make_models
from .run_folder import (
    CONFIG,
    CURVE,
    FORMAT,
    PICTURE,
    POLICY,
    RESUME,
    draw_curve,
    revision,
    save_torch,
    saved_state,
    write_json,
)
from .scalars import Scalars
from .snapshot import pack, random_state, seed_all, set_random_state, unpack
from .start import begin_with
from .teacher import check_same_critic, load_teacher, same_critic


class Stopped(Exception):
    """Ctrl-C inside a rollout."""


class Trainer:
    """One run. ``env`` is a task of ``taxel.tasks.make`` (or anything that behaves like one).

    ``tell`` gets a line an iteration. ``resume`` goes on from what the folder holds; where the run was ended before its
    first save, that is its beginning.
    """

    def __init__(
        self,
        config: TrainConfig,
        env: Any,
        folder: str | Path,
        *,
        tell: Callable[[str], None] = print,
        resume: bool = False,
    ) -> None:
        self.config, self.env, self.folder, self._tell = config, env, Path(folder), tell
        self.device = torch.device(env.device)
        saved = saved_state(self.folder) if resume else None
        seed_all(config.seed)
        if self.device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = config.ppo.tf32
        env.stage = config.curriculum.first
        env.reset()
        self.obs = env.get_observations()
        models = make_models(self.obs, env.num_actions, config.network, config.role)
        self.ppo = make_ppo(self.obs, env.num_actions, models, config.ppo, self.device)
        for model in (self.ppo.actor, self.ppo.critic):
            model.start(env.num_envs, self.device)
        if config.start is not None and saved is None:
            begin_with(config, self.ppo, self.obs, env.num_actions, self.device)
        self.teacher = self._teacher(saved)
        self.dagger = Dagger(self.ppo, config.distill, self._distill_iterations(), config.ppo.bf16, self._hint_head())
        self.health = Health(env)
        self.rank = torch.rand(env.num_envs, device=self.device)
        self.recent: deque[float] = deque(maxlen=config.curriculum.episodes)
        self.iteration, self.env_steps, self.seconds = 0, 0, 0.0
        self.saved: int | None = None
        """The iteration that the folder's files are of."""
        self.curve: list[dict[str, Any]] = []
        self.mark: dict[str, Any] | None = None
        self.stop = False
        self._scatter()
        if saved is not None:
            self._go_on(saved)
            if self.iteration >= config.iterations:
                raise ValueError(
                    f"--resume {self.folder}: has its {self.iteration} iterations already; "
                    "give --iterations N with more than that to go on"
                )
        elif resume:
            self.tell(f"{self.folder}: nothing was saved yet; the run begins again, as it began")
        self._write_config()

    # --- what there is to begin with -----------------------------------------------------------------------------

    def _distill_iterations(self) -> int:
        return self.config.distill.iterations if self.config.method == "distill" else 0

    def _teacher(self, saved: dict[str, Any] | None) -> Policy | None:
        """Whom to ask in a distillation. A teacher's critic starts the student's: always with AACD, else if it fits.

        A run that goes on asks for the teacher's file only while it distills.
        """
        config = self.config
        if config.teacher in (None, "scripted"):
            return None
        if saved is not None and (config.method == "aacd" or saved["dagger"]["done"] >= config.distill.iterations):
            return None
        teacher = load_teacher(config, self.obs, self.env.num_actions, self.device)
        if config.method == "aacd":
            check_same_critic(teacher, config)
        if saved is None and config.start is None and same_critic(teacher, config):
            self.ppo.critic.load_state_dict(teacher.critic.state_dict())
        if config.method == "aacd":
            return None
        teacher.start(self.env.num_envs, self.device)
        return teacher

    def _hint_head(self) -> HintHead | None:
        weight = self.config.distill.hints
        if not weight or self.config.method != "distill":
            return None
        return HintHead(self.ppo.actor, hints_of(self.env).shape[-1], weight, self.device)

    def _scatter(self) -> None:
        """Rollouts shorter than an episode: worlds begin at different parts of it, so that each rollout sees all."""
        length, steps = int(self.env.max_episode_length), self.config.ppo.steps
        if steps < length and length % steps == 0:
            part = torch.randint(0, length // steps, (self.env.num_envs,))
            self.env.episode_length_buf.copy_(part * steps)

    def tell(self, line: str) -> None:
        """Where nobody listens any more (a closed pipe or terminal), the run ends and is saved."""
        try:
            self._tell(line)
        except OSError:
            self.stop = True

    def _write_config(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.revision = revision()
        device = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu"
        about = {"revision": self.revision, "torch": torch.__version__, "device": device}
        write_json(self.folder / CONFIG, {"config": self.config.to_dict(), **about})

    # --- the loop -------------------------------------------------------------------------------------------------

    @property
    def distilling(self) -> bool:
        return not self.dagger.over

    def train(self, minutes: float | None = None) -> bool:
        """Until the last iteration, or so many minutes from now (True), or Ctrl-C (False); saved either way."""
        clock = Clock(self.env, self.device)
        until = time.perf_counter() + (math.inf if minutes is None else 60.0 * minutes)
        late = False
        with Interrupts(self):
            self.scalars = Scalars(self.folder, self.tell)
            try:
                while self.iteration < self.config.iterations and not self.stop and not late:
                    self._iterate(clock)
                    late = time.perf_counter() >= until
                    if self.iteration % self.config.save_every == 0 and self.iteration < self.config.iterations:
                        self._save_on_the_way()
            except Stopped:
                self._back_to_mark()
            self.scalars.close()
            self._save_at_the_end()
        return late or self.iteration >= self.config.iterations

    def _save_on_the_way(self) -> None:
        """A full disk may have room again by the next time: no reason to end a run."""
        try:
            self.save()
        except OSError as error:
            self.tell(f"warning: {error}; iteration {self.iteration} is not saved, the run goes on and tries again")

    def _save_at_the_end(self) -> None:
        try:
            self.save()
        except OSError as error:
            kept = f"iteration {self.saved}" if self.saved is not None else "nothing"
            raise OSError(
                f"{error}; {kept} of the run is on the disk, what came after it is lost: make room or rights there, "
                f"then taxel train --resume {self.folder}"
            ) from None

    def _iterate(self, clock: Clock) -> None:
        self.mark = self._rollout_state()
        phase = "distill" if self.distilling else "ppo"
        finished = self._rollout(clock)
        with clock.part("update"):
            self.ppo.compute_returns(self.obs)
            losses = self.dagger.update() if self.distilling else self.ppo.update()
        if phase == "distill" and self.dagger.over:
            self._begin_ppo()
        self.iteration += 1
        steps = self.config.ppo.steps * self.env.num_envs
        self.env_steps += steps
        wall, shares = clock.take()
        self.seconds += wall
        row = self._row(phase, finished, losses, steps / wall, shares)
        self._advance(row)
        self._log(row)

    @torch.no_grad()
    def _rollout(self, clock: Clock) -> list[float]:
        """One rollout into the storage; success of the episodes that ended in it."""
        over: list[torch.Tensor] = []
        good: list[torch.Tensor] = []
        self.reward = torch.zeros((), device=self.device)
        self.ppo.train_mode()
        for _ in range(self.config.ppo.steps):
            if self.stop:
                raise Stopped
            with clock.part("policy"):
                actions = self._act()
            obs, rewards, dones, extras = self.env.step(actions)
            obs, rewards, dones = self.health.check(obs, rewards, dones)
            self.health.ended(dones, extras)
            with clock.part("policy"):
                scaled = rewards * self.config.ppo.reward_scale
                self.ppo.process_env_step(obs, scaled, dones, extras)
                if self.teacher is not None:
                    self.teacher.reset(dones)
            self.reward += rewards.mean() / self.config.ppo.steps
            self.obs = obs
            over.append(dones)
            good.append(self.env.success.clone())
        # Looked at once a rollout: a look a step would have a GPU wait for each.
        finished = torch.stack(good)[torch.stack(over).bool()].float().tolist()
        self.recent.extend(finished)
        for world, times in self.health.take():
            self.tell(
                f"world {world}: no number, or thrown out, in iteration {self.iteration + 1}; reset, counted ({times})"
            )
        return finished

    def _act(self) -> torch.Tensor:
        actions = self.ppo.act(self.obs)
        if not self.distilling:
            return actions
        answer = self.env.expert() if self.teacher is None else self.teacher.act(self.obs)
        if self.dagger.head is not None:
            self.dagger.hints.append(hints_of(self.env))
        actions = self.dagger.actions(self.ppo.actor.output_mean, answer.to(self.device), self.rank)
        self.ppo.transition.actions = actions
        return actions

    def _begin_ppo(self) -> None:
        """PPO goes on from the distilled mean, with its own noise and a small first step; nobody is asked any more."""
        self.teacher = None
        self.ppo.set_learning_rate(self.config.distill.ppo_lr)
        noise = self.ppo.actor.distribution.log_std_param
        noise.data.fill_(float(torch.tensor(self.config.distill.ppo_std).log()))
        self.dagger.kept.clear()

    def _advance(self, row: dict[str, Any]) -> None:
        rule = self.config.curriculum
        full = len(self.recent) >= min(rule.episodes, 4 * self.env.num_envs)
        if self.env.stage < rule.last and full and not self.distilling:
            rate = sum(self.recent) / len(self.recent)
            if rate >= rule.threshold:
                self.env.stage = self.env.stage + 1
                self.recent.clear()
                self.tell(f"success {rate:.3f} of the last episodes: stage {self.env.stage} begins")
        row["next_stage"] = int(self.env.stage)

    def _row(
        self, phase: str, finished: list[float], losses: dict[str, float], rate: float, shares: dict[str, float]
    ) -> dict[str, Any]:
        return {
            "iteration": self.iteration,
            "phase": phase,
            "stage": int(self.env.stage),
            "env_steps": self.env_steps,
            "seconds": self.seconds,
            "success": sum(finished) / len(finished) if finished else None,
            "episodes": len(finished),
            "reward": float(self.reward),
            "lr": self.ppo.learning_rate,
            "std": float(self.ppo.actor.distribution.log_std_param.detach().exp().mean()),
            "steps_per_second": rate,
            "shares": shares,
            "bad_worlds": self.health.count,
            "not_finite_updates": self.ppo.not_finite + self.dagger.not_finite,
            "losses": losses,
        }

    def _log(self, row: dict[str, Any]) -> None:
        self.curve.append(row)
        success = "-" if row["success"] is None else f"{row['success']:.3f} of {row['episodes']}"
        losses = " ".join(f"{k} {v:.4g}" for k, v in row["losses"].items())
        parts = ", ".join(f"{name} {100 * share:.0f} %" for name, share in row["shares"].items())
        line = (
            f"{row['iteration']:>4}/{self.config.iterations} {row['phase']} stage {row['stage']}  "
            f"{row['env_steps']:,} steps  success {success}  reward {row['reward']:+.4f}  {losses}  "
            f"{row['steps_per_second']:,.0f} env-steps/s: {parts}"
        )
        if row["bad_worlds"]:
            line += f"  bad worlds {row['bad_worlds']}"
        if row["not_finite_updates"]:
            line += f"  updates left out (not a number) {row['not_finite_updates']}"
        self.tell(line)
        self.scalars.add(row)

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def _rollout_state(self) -> dict[str, Any]:
        """What a rollout changes."""
        memories = [m.get_hidden_state() for m in self._models()]
        return pack(
            {
                "env": self.env.get_state(),
                "stage": int(self.env.stage),
                "random": random_state(),
                "memories": memories,
                "obs": dict(self.obs.items()),
                "recent": list(self.recent),
                "bad": self.health.count,
            }
        )

    def _models(self) -> list[Any]:
        mine = [self.ppo.actor, self.ppo.critic]
        return mine if self.teacher is None else [*mine, self.teacher.actor, self.teacher.critic]

    def _set_rollout_state(self, packed: dict[str, Any]) -> None:
        state = unpack(packed)
        self.env.stage = state["stage"]
        self.env.set_state(state["env"])
        set_random_state(state["random"])
        models, memories = self._models(), state["memories"]  # those of a teacher that is not asked any more are last
        for model, memory in zip(models, memories[: len(models)], strict=True):
            model.reset(hidden_state=None if memory is None else tuple(m.to(self.device) for m in memory))
        obs = {k: v.to(self.device) for k, v in state["obs"].items()}
        self.obs = TensorDict(obs, batch_size=[self.env.num_envs], device=self.device)
        self.recent.clear()
        self.recent.extend(state["recent"])
        self.health.count = state["bad"]

    def _back_to_mark(self) -> None:
        """The half rollout is undone: a run that goes on makes it again, with the same bits."""
        assert self.mark is not None
        self._set_rollout_state(self.mark)
        self.ppo.storage.clear()
        self.ppo.transition.clear()
        self.dagger.forget()

    def save(self) -> None:
        about = {
            "iteration": self.iteration,
            "env_steps": self.env_steps,
            "seconds": self.seconds,
            "revision": self.revision,
            "saved": time.strftime("%Y-%m-%d"),
        }
        shapes = shapes_of(self.obs)
        self.folder.mkdir(parents=True, exist_ok=True)
        actor, critic = self.ppo.actor, self.ppo.critic
        save_policy(self.folder / POLICY, actor, critic, self.config, shapes, self.env.num_actions, about)
        save_torch(
            self.folder / RESUME,
            {
                "format": FORMAT,
                "ppo": pack(self.ppo.save()),
                "lr": self.ppo.learning_rate,
                "dagger": pack(self.dagger.state()),
                "rank": self.rank,
                "rollout": self._rollout_state(),
                "curve": self.curve,
                "about": about,
            },
        )
        self.saved = self.iteration
        write_json(
            self.folder / CURVE, {"config": self.config.to_dict(), "revision": self.revision, "rows": self.curve}
        )
        draw_curve(self.folder / PICTURE, self.curve, _title(self.config))

    def _go_on(self, saved: dict[str, Any]) -> None:
        """From what ``save`` wrote; ValueError where it is of another run."""
        path, worlds = self.folder / RESUME, self.env.num_envs
        try:
            if len(saved["rank"]) != worlds:
                raise ValueError(f"it has {len(saved['rank'])} worlds, {CONFIG} says {worlds}")
            self._restore(saved)
        except (ValueError, KeyError, TypeError, IndexError, RuntimeError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error).strip().split("\n")[0]
            raise ValueError(
                f"{path}: does not fit {CONFIG} beside it, or this taxel ({why}); a run goes on as it began: put "
                f"{CONFIG} back as it was, or train anew in another folder"
            ) from None

    def _restore(self, saved: dict[str, Any]) -> None:
        self.ppo.load(unpack(saved["ppo"]), None, True)
        self.ppo.set_learning_rate(saved["lr"])
        self.dagger.load(unpack(saved["dagger"]))
        self.rank = saved["rank"].to(self.device)
        about = saved["about"]
        self.iteration, self.env_steps, self.seconds = about["iteration"], about["env_steps"], about["seconds"]
        self.saved, self.curve = self.iteration, saved["curve"]
        self._set_rollout_state(saved["rollout"])


def _title(config: TrainConfig) -> str:
    who = "teacher" if config.role == "teacher" else f"student, touch {config.touch}"
    return f"{config.task}: {who}, {config.method}, {config.worlds} worlds, seed {config.seed}"
