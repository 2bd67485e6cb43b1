"""Many worlds in CPU MuJoCo, one mjData a world, on threads; state as torch tensors over all worlds (float64)."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from ..mujoco import need_mujoco
from .pads import NAMES, SKIN
from .scene import Scene

# Numbers of the model that differ from world to world.
PARAMETERS = ("dof_damping", "geom_friction", "body_mass")
POSES = ("xpos", "xquat", "xanchor", "xaxis")


class CpuEngine:
    """Tensors (worlds, ...): qpos, qvel, applied (forces on dofs), xfrc (on bodies), mocap_pos, mocap_quat and
    ``parameters`` are read by ``step``; qpos, qvel, poses and ``forces`` (worlds, groups, 3) are written by it."""

    name = "cpu"
    dtype = torch.float64

    def __init__(self, scene: Scene, worlds: int, threads: int = 0, skin: bool = False) -> None:
        mujoco = need_mujoco()
        model = scene.model
        self.scene, self.worlds, self.device = scene, worlds, torch.device("cpu")
        self._mujoco = mujoco
        self._models = [model] + [copy.copy(model) for _ in range(worlds - 1)]
        for each in self._models:
            # A world that is lost is found and counted by the environment, not quietly begun anew by the engine.
            each.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        self._data = [mujoco.MjData(m) for m in self._models]
        count = threads or min(worlds, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(count, "taxel-tasks") if count > 1 else None
        self._chunks = np.array_split(np.arange(worlds), count)

        def tensor(*shape: int) -> torch.Tensor:
            return torch.zeros(worlds, *shape, dtype=self.dtype)

        nb, nj = model.nbody, model.njnt
        self.qpos, self.qvel, self.applied = tensor(model.nq), tensor(model.nv), tensor(model.nv)
        self.xfrc, self.mocap_pos, self.mocap_quat = tensor(nb, 6), tensor(model.nmocap, 3), tensor(model.nmocap, 4)
        self.xpos, self.xquat, self.xanchor, self.xaxis = tensor(nb, 3), tensor(nb, 4), tensor(nj, 3), tensor(nj, 3)
        self.forces = tensor(len(scene.groups), 3)
        self.skin = tensor(2, *SKIN) if skin else None
        self.parameters = {n: torch.from_numpy(np.stack([getattr(model, n)] * worlds)) for n in PARAMETERS}
        self.mocap_pos[:] = torch.from_numpy(self._data[0].mocap_pos)
        self.mocap_quat[:] = torch.from_numpy(self._data[0].mocap_quat)
        self._tables = np.stack([table for _, table in scene.groups])
        self._skins = [model.sensor(f"{n}_skin") for n in NAMES] if skin else []
        self._np = {
            n: getattr(self, n).numpy()
            for n in ("qpos", "qvel", "applied", "xfrc", "mocap_pos", "mocap_quat", "forces", *POSES)
        }
        self._numbers = {n: t.numpy() for n, t in self.parameters.items()}
        self.qpos[:] = torch.from_numpy(scene.qpos)
        self._mass, self._subtree, self._below = model.body_mass.copy(), model.body_subtreemass.copy(), scene.below()

    def _each(self, work: Callable[[int], None], chosen: np.ndarray | None = None) -> None:
        def run(chunk: np.ndarray) -> None:
            for w in chunk if chosen is None else chunk[chosen[chunk]]:
                work(int(w))

        if self._pool is None:
            for chunk in self._chunks:
                run(chunk)
        else:
            list(self._pool.map(run, self._chunks))

    # --- A step ---

    def step(self) -> None:
        """One substep under the present forces; poses are those of the new positions afterwards."""
        self._each(self._step_one)

    def _step_one(self, w: int) -> None:
        data, model, a = self._data[w], self._models[w], self._np
        data.qfrc_applied[:] = a["applied"][w]
        data.xfrc_applied[:] = a["xfrc"][w]
        self._mujoco.mj_step(model, data)
        a["qpos"][w], a["qvel"][w] = data.qpos, data.qvel
        self._forces_of(w)
        self._mujoco.mj_kinematics(model, data)
        self._read_poses(w)

    def _read_poses(self, w: int) -> None:
        data, a = self._data[w], self._np
        for name in POSES:
            a[name][w] = getattr(data, name)

    def _forces_of(self, w: int) -> None:
        """Sums of contact forces, from the rows of the solver: those of soft pads and rigid ones alike."""
        data = self._data[w]
        out = self._np["forces"][w]
        out[:] = 0.0
        if data.ncon:
            contact = data.contact
            dim, address = np.asarray(contact.dim), np.asarray(contact.efc_address)
            frame, geom = np.asarray(contact.frame).reshape(-1, 3, 3), np.asarray(contact.geom)
            live = address >= 0
            rows = np.zeros((len(dim), 3))
            for k in range(3):
                there = live & (dim > k)
                rows[there, k] = data.efc_force[address[there] + k]
            force = np.einsum("ck,cki->ci", rows, frame)
            sign = self._tables[:, geom[:, 0], geom[:, 1]]
            out[:] = sign @ force
        self._read_skin(w)

    def _read_skin(self, w: int) -> None:
        data = self._data[w]
        for k, sensor in enumerate(self._skins):
            start = int(sensor.adr[0])
            self.skin[w, k] = torch.from_numpy(  # type: ignore[index]
                data.sensordata[start : start + SKIN[0] * SKIN[1]].reshape(SKIN)
            )

    # --- A new episode ---

    def restart(self, mask: torch.Tensor) -> None:
        """After positions and parameters of the chosen worlds were written: friction and the solver forget, and all
        poses are made anew there; ``skin`` reads the first touch, ``forces`` are 0 until the first step. The other
        worlds are not touched."""
        chosen = mask.numpy().astype(bool)
        if chosen.any():
            self._each(self._restart_one, chosen)

    def _restart_one(self, w: int) -> None:
        data, model, a = self._data[w], self._models[w], self._np
        self._apply_parameters(w)
        self._place(w)
        if self.skin is not None:
            self._mujoco.mj_forward(model, data)
            self._read_skin(w)
            self._place(w)  # what the solver and the pads keep of that look is forgotten again
        self._mujoco.mj_kinematics(model, data)
        self._read_poses(w)
        a["forces"][w] = 0.0

    def _apply_parameters(self, w: int) -> None:
        model = self._models[w]
        for name, values in self._numbers.items():
            getattr(model, name)[:] = values[w]
        model.body_subtreemass[:] = self._subtree + (model.body_mass - self._mass) @ self._below

    def _place(self, w: int) -> None:
        data, a = self._data[w], self._np
        self._mujoco.mj_resetData(self._models[w], data)
        data.qpos[:], data.qvel[:] = a["qpos"][w], a["qvel"][w]
        data.mocap_pos[:], data.mocap_quat[:] = a["mocap_pos"][w], a["mocap_quat"][w]

    # --- All that is remembered ---

    def get_state(self) -> dict[str, torch.Tensor]:
        kind = self._mujoco.mjtState.mjSTATE_INTEGRATION
        size = self._mujoco.mj_stateSize(self._models[0], kind)
        physics = np.zeros((self.worlds, size))
        for w, (model, data) in enumerate(zip(self._models, self._data, strict=True)):
            self._mujoco.mj_getState(model, data, physics[w], kind)
        out = {"physics": torch.from_numpy(physics), "forces": self.forces.clone()}
        out |= {f"parameter.{n}": t.clone() for n, t in self.parameters.items()}
        if self.skin is not None:
            out["skin"] = self.skin.clone()
        return out

    def set_state(self, state: dict[str, torch.Tensor]) -> None:
        kind = self._mujoco.mjtState.mjSTATE_INTEGRATION
        physics, a = state["physics"].numpy(), self._np
        for name, values in self._numbers.items():
            values[:] = state[f"parameter.{name}"].numpy()
        for w, (model, data) in enumerate(zip(self._models, self._data, strict=True)):
            self._apply_parameters(w)
            self._mujoco.mj_setState(model, data, physics[w], kind)
            a["qpos"][w], a["qvel"][w] = data.qpos, data.qvel
            a["mocap_pos"][w], a["mocap_quat"][w] = data.mocap_pos, data.mocap_quat
            self._mujoco.mj_kinematics(model, data)
            self._read_poses(w)
        self.forces.copy_(state["forces"])
        if self.skin is not None:
            self.skin.copy_(state["skin"])

    def overflow(self) -> int:
        """CPU MuJoCo takes the memory it needs."""
        return 0

    def view(self, world: int) -> tuple[Any, Any]:
        """(model, data) of one world, for pictures."""
        model, data = self._models[world], self._data[world]
        self._mujoco.mj_forward(model, shown := copy.copy(data))
        return model, shown

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
