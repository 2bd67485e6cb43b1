"""Soft skins with taxels as a sensor of mjlab: they carry the contact, and feel it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import warp as wp
from mjlab.sensor import Sensor, SensorCfg

from .. import _core
from .arrays import mask_of
from .engine import open_door, soft_contact_of
from .mount import Mount, body_of


@dataclass
class SkinSensorCfg(SensorCfg):
    """A soft pad with taxels on a body of the scene. It is a geom: what touches it, touches soft contact (taxel.warp).

    Needs ``cfg.sim.mujoco.cone = "elliptic"``; contacts of a pad take more of ``cfg.sim.nconmax`` and ``njmax`` than
    mujoco_warp's own (docs/guide/warp.md).
    """

    skin: Any = None
    """Of taxel.sensors: taxel.sensors.pad(...), myrmex(), ... ."""
    mount: Mount | str = "world"
    """The frame of the skin (z out of it) on a body of the scene."""

    def build(self) -> SkinSensor:
        return SkinSensor(self)


@dataclass
class SkinData:
    """torch views of taxel.warp's arrays, one row a world; the next step writes them anew."""

    pressure: torch.Tensor
    """(worlds, taxels), Pa, as it acts."""
    reading: torch.Tensor
    """(worlds, taxels), through the signal chain, in its unit."""
    shear: torch.Tensor
    """(worlds, taxels, 2), Pa."""
    slip: torch.Tensor
    """(worlds, taxels), share of the friction bound in use."""
    image: torch.Tensor | None
    """(worlds, rows, cols) of the reading, where taxels lie in rows."""


class SkinSensor(Sensor[SkinData]):
    soft: Any
    """taxel.warp.SoftContact of the simulation: modulus and friction of each world, overflow()."""

    def __init__(self, cfg: SkinSensorCfg) -> None:
        super().__init__()
        self.cfg = cfg
        self._where = f"SkinSensorCfg {cfg.name!r}"
        self._worlds = 0
        if not hasattr(cfg.skin, "add_to"):
            raise _core.Error(f"{self._where}: skin is {cfg.skin!r}; give one of taxel.sensors")

    def edit_spec(self, scene_spec: Any, entities: dict[str, Any]) -> None:
        open_door()
        mount, body = body_of(self.cfg.mount, scene_spec, self._where)
        self.cfg.skin.add_to(scene_spec, body=body, name=self.cfg.name, pos=mount.pos, quat=mount.quat)

    def initialize(self, mj_model: Any, model: Any, data: Any, device: str) -> None:
        self.soft = soft_contact_of(getattr(data, "struct", data))
        if self.soft is None:
            raise _core.Error(
                f"{self._where}: mjlab made its model on a way of its own (variants of meshes do so), without soft "
                "contact; use taxel.mjlab.MarkerSensorCfg, or entities without variants"
            )
        self._device, self._worlds = device, int(data.qpos.shape[0])
        skin = self.soft[self.cfg.name]
        self._data = SkinData(
            pressure=wp.to_torch(skin.pressure),
            reading=wp.to_torch(skin.reading),
            shear=wp.to_torch(skin.shear),
            slip=wp.to_torch(skin.slip),
            image=wp.to_torch(skin.image) if skin.shape else None,
        )

    def reset(self, env_ids: torch.Tensor | slice | None = None) -> None:
        super().reset(env_ids)
        if self._worlds:
            self.soft.reset(wp.from_torch(mask_of(env_ids, self._worlds, self._device)))

    def _compute_data(self) -> SkinData:
        return self._data
