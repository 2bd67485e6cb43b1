"""The world of ``taxel view TASK``: a trained policy at work, episode after episode, on the live page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ...marker import gelsight_mini_markers
from ...viewer.live.frame import Frame, MarkerFrame, Numbers
from ...viewer.live.world import World
from .checkpoint import Policy, check_fits
from .recall import with_recall

FINGERS = ("left", "right")


class PolicyWorld(World):
    """A task of one world on the CPU engine, led by a policy. A step is one of the policy's, 1/60 s."""

    def __init__(self, policy: Policy, seed: int = 0) -> None:
        from ...tasks.pads import THICKNESS
        from ...tasks.registry import make
        from ...tasks.scene import RATE

        self._half = 0.5 * THICKNESS
        config = replace(policy.config, engine="cpu")
        self.policy, self._rate = policy, RATE
        made = make(
            config.task, worlds=1, touch=config.touch, seed=seed, stage=config.curriculum.last, contact=config.contact,
            **config.options,
        )  # fmt: skip
        self.env = with_recall(made, config.network.recall)
        check_fits(policy, self.env.get_observations(), self.env.num_actions)
        super().__init__(self.env.engine.view(0)[0])
        self._mini = gelsight_mini_markers()
        self._name = f"{config.task}: {config.role}, touch {config.touch}"
        self._fields = config.touch not in ("none", "tacsl_grey", "pressure")
        self.watched = FINGERS[0] if self._fields else ""
        self.start()

    @property
    def timestep(self) -> float:
        return 1.0 / self._rate

    @property
    def sensor_names(self) -> list[str]:
        return list(FINGERS) if self._fields else []

    def start(self) -> None:
        self.env.reset()
        self.policy.start(1)
        self.obs = self.env.get_observations()
        self.steps = self.episodes = self.successes = 0
        self.title = self._name
        self._follow()

    def step(self) -> None:
        with torch.no_grad():
            self.obs, _, dones, _ = self.env.step(self.policy.act(self.obs))
        self.policy.reset(dones)
        self.steps += 1
        if bool(dones[0]):
            self.episodes += 1
            self.successes += int(self.env.success[0])
            self.title = f"{self._name}; {self.successes} of {self.episodes} episodes done"
        self._follow()

    def _follow(self) -> None:
        """The page's own data takes the positions of the task's world."""
        engine, data = self.env.engine, self.data
        data.qpos[:] = engine.qpos[0].numpy()
        data.mocap_pos[:], data.mocap_quat[:] = engine.mocap_pos[0].numpy(), engine.mocap_quat[0].numpy()
        data.time = self.steps / self._rate
        self.mujoco.mj_kinematics(self.model, data)

    def read(self) -> Frame:
        data = self.data
        quaternions = np.empty((self.model.ngeom, 4))
        for g in range(self.model.ngeom):
            self.mujoco.mju_mat2Quat(quaternions[g], data.geom_xmat[g])
        markers = [self._finger(k) for k in range(2)] if self._fields else []
        return Frame(
            time=float(data.time), positions=data.geom_xpos.copy(), quaternions=quaternions, held=None, markers=markers,
            numbers=self._load(),
        )  # fmt: skip

    def _finger(self, k: int) -> MarkerFrame:
        """Markers of a finger: the policy's own readings (px / 10)."""
        pad = self.env.engine.scene.pads[k]
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = self.data.xmat[pad].reshape(3, 3), self.data.xpos[pad]
        X[:3, 3] += self._half * X[:3, 2]  # the gel's origin is half-way up
        field = self.obs["touch"][0].reshape(2, 2, *self._mini.shape)[k].numpy()
        pixels = np.zeros((*self._mini.shape, 3))
        pixels[..., :2] = 10.0 * field.transpose(1, 2, 0)
        rest = np.asarray(self._mini.markers).reshape(-1, 3)
        scale = float(self._mini.pixel)
        moved = scale * pixels.reshape(-1, 3) @ X[:3, :3].T
        places = rest @ X[:3, :3].T + X[:3, 3]
        return MarkerFrame(FINGERS[k], places, moved, pixels, rest, scale, self._seven(X))

    def _load(self) -> Numbers:
        """Of the finger that is looked at: what the object presses and drags on its pad."""
        names = [n for n, _ in self.env.task.scene.groups]
        if self.watched not in names:
            return Numbers()
        k = FINGERS.index(self.watched)
        axes = self.data.xmat[self.env.engine.scene.pads[k]].reshape(3, 3)
        force = axes.T @ self.env.engine.forces[0, names.index(self.watched)].numpy()
        return Numbers(abs(float(force[2])), float(np.hypot(*force[:2])))
