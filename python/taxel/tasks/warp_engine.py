"""Many worlds in mujoco_warp: the tensors of the CPU's engine, as views of the engine's own arrays (float32)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from ..mujoco import need_mujoco
from .captured import Captured, warp_stream
from .cpu_engine import PARAMETERS
from .pads import NAMES, SKIN
from .scene import Scene

try:
    import mujoco_warp as mjw
    import warp as wp
except ModuleNotFoundError as missing:
    raise ImportError(
        f"tasks: engine 'warp' needs {missing.name}; run: pip install 'taxel[warp]', or use engine='cpu'"
    ) from None

# Fifty lines of what it compiles, among those of a training, help nobody. A level that was asked for stays.
if not hasattr(wp.config, "log_level"):
    wp.config.quiet = True
elif wp.config.log_level == wp.LOG_INFO:
    wp.config.log_level = wp.LOG_WARNING


@wp.kernel
def sum_forces(
    count: wp.array[int], geom: wp.array[wp.vec2i], frame: wp.array[wp.mat33], dim: wp.array[int],
    address: wp.array2d[int], world: wp.array[int], force: wp.array2d[float], table: wp.array3d[wp.int8], groups: int,
    out: wp.array2d[wp.vec3],
):  # fmt: skip
    """Adds what a contact's rows do to the groups that its geoms belong to."""
    c = wp.tid()
    if c >= wp.min(count[0], geom.shape[0]):
        return
    w = world[c]
    total = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if k < dim[c]:
            row = address[c, k]
            if row >= 0 and row < force.shape[1]:
                total += force[w, row] * frame[c][k]
    pair = geom[c]
    for g in range(groups):
        sign = table[g, pair[0], pair[1]]
        if sign != wp.int8(0):
            wp.atomic_add(out, w, g, float(sign) * total)


class WarpEngine:
    """As CpuEngine. On a GPU all runs on torch's stream, a substep is one CUDA graph or part of a larger one, and
    nothing is copied to the host."""

    name = "warp"
    dtype = torch.float32

    def __init__(self, scene: Scene, worlds: int, device: str, skin: bool = False) -> None:
        from ..warp import attach, put_model

        mujoco = need_mujoco()
        self.scene, self.worlds, self.device = scene, worlds, torch.device(device)
        self._mujoco, self._cuda = mujoco, self.device.type == "cuda"
        model, soft = scene.model, scene.contact == "soft"
        self._where = wp.get_device("cuda:0" if self._cuda else "cpu")
        self.step = Captured(self._substep, self.device)
        """One substep under the present forces; poses are those of the new positions afterwards."""
        sizes = scene.extra.get("sizes", (64, 192))
        with wp.ScopedDevice(self._where):
            first = mujoco.MjData(model)
            self.m = put_model(model) if soft else mjw.put_model(model)
            self.d = mjw.put_data(model, first, nworld=worlds, nconmax=sizes[0], njmax=sizes[1])
            self.soft = attach(model, self.m, self.d, blocks=4) if soft else None
            self._spread_parameters()
            self._sums = wp.zeros((worlds, len(scene.groups)), dtype=wp.vec3)
            self._table = wp.array(np.stack([table for _, table in scene.groups]), dtype=wp.int8, ndim=3)
            self._chosen = wp.zeros(worlds, dtype=wp.bool)
        d, view = self.d, wp.to_torch
        self.qpos, self.qvel, self.applied = view(d.qpos), view(d.qvel), view(d.qfrc_applied)
        self.xfrc, self.mocap_pos, self.mocap_quat = view(d.xfrc_applied), view(d.mocap_pos), view(d.mocap_quat)
        self.xpos, self.xquat, self.xanchor, self.xaxis = map(view, (d.xpos, d.xquat, d.xanchor, d.xaxis))
        self.forces, self._mask = view(self._sums), view(self._chosen)
        self._time, self._warm = view(d.time), view(d.qacc_warmstart)
        self._images = (
            [view(self.soft[f"{n}_skin"].pressure).reshape(worlds, *SKIN) for n in NAMES]
            if skin and self.soft
            else None
        )
        self.skin = torch.stack(self._images, 1) if self._images else None
        if self._cuda:
            wp.synchronize_device(self._where)

    @contextmanager
    def _here(self) -> Iterator[None]:
        """Warp on this device, and on the stream that torch is on."""
        stream = warp_stream(self.device) if self._cuda else None
        with wp.ScopedDevice(self._where), wp.ScopedStream(stream, sync_enter=False):
            yield

    def _spread_parameters(self) -> None:
        """Gives every world its own row of the numbers that differ between worlds."""
        self.parameters = {}
        for name in PARAMETERS:
            array = getattr(self.m, name)
            rows = wp.to_torch(array)[:1].repeat(self.worlds, *[1] * (wp.to_torch(array).dim() - 1)).contiguous()
            setattr(self.m, name, wp.from_torch(rows, dtype=array.dtype))
            self.parameters[name] = rows
        first = wp.to_torch(self.m.body_subtreemass)[:1]
        self._first_subtree, self._first_mass = first.clone(), self.parameters["body_mass"][:1].clone()
        self._below = torch.as_tensor(self.scene.below(), dtype=self.dtype, device=self.device)
        self._subtree = first.repeat(self.worlds, 1).contiguous()
        self.m.body_subtreemass = wp.from_torch(self._subtree)

    def _follow_masses(self) -> None:
        change = self.parameters["body_mass"] - self._first_mass
        more = (change[:, :, None] * self._below).sum(1)  # no matrix product, which a GPU rounds to TF32
        self._subtree.copy_(self._first_subtree + more)

    # --- A step ---

    def _substep(self) -> None:
        d = self.d
        with self._here():
            mjw.step(self.m, d)
            self._sums.zero_()
            c = d.contact
            wp.launch(
                sum_forces, d.naconmax,
                [d.nacon, c.geom, c.frame, c.dim, c.efc_address, c.worldid, d.efc.force, self._table,
                 len(self.scene.groups)], [self._sums],
            )  # fmt: skip
            mjw.kinematics(self.m, d)
        if self.skin is not None:
            for k, image in enumerate(self._images):  # type: ignore[arg-type]
                self.skin[:, k] = image

    # --- A new episode ---

    def restart(self, mask: torch.Tensor) -> None:
        self._mask.copy_(mask)
        self._follow_masses()
        self._time.copy_(torch.where(mask, 0.0, self._time))
        self._warm.copy_(torch.where(mask[:, None], 0.0, self._warm))
        self.forces.copy_(torch.where(mask[:, None, None], 0.0, self.forces))
        with self._here():
            if self.soft is not None:
                self.soft.reset(self._chosen)
            if self.skin is not None:
                self._first_touch(mask)
            mjw.kinematics(self.m, self.d)

    def _first_touch(self, mask: torch.Tensor) -> None:
        """``skin`` of worlds that begin. The engine looks at all worlds: what it keeps of that is put back."""
        soft: Any = self.soft
        images: Any = self._images
        before, warm = soft.state(), self._warm.clone()
        mjw.forward(self.m, self.d)
        first = torch.stack(images, 1)
        self.skin.copy_(torch.where(mask[:, None, None, None], first, self.skin))  # type: ignore[union-attr]
        soft.restore(before)
        self._warm.copy_(warm)

    # --- All that is remembered ---

    def _remembered(self) -> dict[str, torch.Tensor]:
        out = {"qpos": self.qpos, "qvel": self.qvel, "time": self._time, "warm": self._warm, "forces": self.forces,
               "mocap_pos": self.mocap_pos, "mocap_quat": self.mocap_quat}  # fmt: skip
        out |= {f"parameter.{n}": t for n, t in self.parameters.items()}
        if self.skin is not None:
            out["skin"] = self.skin
        return out

    def get_state(self) -> dict[str, torch.Tensor]:
        out = {n: t.clone() for n, t in self._remembered().items()}
        if self.soft is not None:
            out |= {f"soft.{n}": wp.to_torch(a).clone() for n, a in self.soft._memory().items()}
        return out

    def set_state(self, state: dict[str, torch.Tensor]) -> None:
        for name, held in self._remembered().items():
            held.copy_(state[name])
        self._follow_masses()
        with self._here():
            if self.soft is not None:
                for name, array in self.soft._memory().items():
                    wp.to_torch(array).copy_(state[f"soft.{name}"])
            mjw.kinematics(self.m, self.d)

    def overflow(self) -> int:
        """How often contacts of the soft pads did not fit since the last call. Waits for the device."""
        with self._here():
            return 0 if self.soft is None else self.soft.overflow()

    def view(self, world: int) -> tuple[Any, Any]:
        model = self.scene.model
        data = self._mujoco.MjData(model)
        data.qpos[:] = self.qpos[world].cpu().numpy()
        data.mocap_pos[:] = self.mocap_pos[world].cpu().numpy()
        data.mocap_quat[:] = self.mocap_quat[world].cpu().numpy()
        self._mujoco.mj_forward(model, data)
        return model, data

    def close(self) -> None:
        self.step.forget()
