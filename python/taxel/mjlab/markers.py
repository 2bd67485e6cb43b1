"""Marker fields as a sensor of mjlab."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from mjlab.sensor import Sensor, SensorCfg

from .. import _core
from ..batch import MarkerBatch
from ..marker import MarkerField
from .arrays import mask_of, warp_array
from .mount import Mount, add_site


@dataclass
class MarkerSensorCfg(SensorCfg):
    """Markers of gels that are pressed by objects of the scene.

    The gels take no part in the physics: what they are mounted on collides as before, and the gel is where the frame
    says. Poses are those of the bodies at the time of reading, which in an observation are up to date.
    """

    field: MarkerField | tuple[MarkerField, ...] = field(default=())
    """The gel, its markers and what presses; the same for all pads. In a published mode one field an object."""
    pads: tuple[Mount | str, ...] = ()
    """One a finger: the pad's frame (z out of the gel) on a body of the scene."""
    objects: tuple[Mount | str, ...] = ()
    """One an object of the field: its frame on a body of the scene."""
    turn: Literal["z", "any"] | None = None
    """About what an object looks the same: its z axis (a peg), or any axis through its origin (a ball). Its sample
    points are then turned anew in every episode, without which a policy can read hidden poses from their pattern."""
    press: float | None = None
    """m: an episode that starts in contact is pressed in from so far away (MarkerBatch.reset)."""
    every_substep: bool = False
    """Whether the path is followed at each step of the physics, or from one reading to the next. Poses after a step of
    the physics are those before it."""
    wrench: bool = False
    """Mode "taxel": whether data.wrench is filled."""
    seed: int = 0
    """Of the turns."""

    def build(self) -> MarkerSensor:
        return MarkerSensor(self)


@dataclass
class MarkerData:
    """torch, on the environment's device; the next reading writes other memory."""

    displacement: torch.Tensor
    """(worlds, fingers, N, 3), px along x and y of the pad (and z). Noise is added by mjlab's observation terms."""
    wrench: torch.Tensor | None = None
    """(worlds, fingers, 6), N and N m on the gel in the pad's frame."""


class MarkerSensor(Sensor[MarkerData]):
    """``data`` steps the markers to the poses of the moment, once between two calls of ``update`` or ``reset``."""

    batch: MarkerBatch
    """taxel's own, for parameters of each world (``set_parameters``)."""

    def __init__(self, cfg: MarkerSensorCfg) -> None:
        super().__init__()
        self.cfg = cfg
        self._where = f"MarkerSensorCfg {cfg.name!r}"
        fields = cfg.field if isinstance(cfg.field, tuple | list) else (cfg.field,)
        if not fields:
            raise _core.Error(f"{self._where}: field is missing; give a taxel.MarkerField")
        for one in fields:
            if not isinstance(one, MarkerField):
                raise _core.Error(f"{self._where}: field is {one!r}; give a taxel.MarkerField")
        for name in ("pads", "objects"):
            if not isinstance(given := getattr(cfg, name), tuple | list):
                raise _core.Error(f"{self._where}: {name} is {given!r}; give a tuple, as in ({given!r},)")
        if cfg.press is not None and not (isinstance(cfg.press, int | float) and 0 < cfg.press < np.inf):
            raise _core.Error(f"{self._where}: press is {cfg.press!r}; give a distance above 0, in m, or None")
        if cfg.turn not in (None, "z", "any"):
            raise _core.Error(f"{self._where}: turn is {cfg.turn!r}; give 'z', 'any' or None")
        wanted = fields[0].object_count or len(fields)
        if not cfg.pads or len(cfg.objects) != wanted:
            raise _core.Error(
                f"{self._where}: {len(cfg.pads)} pads and {len(cfg.objects)} objects; give at least one pad, and "
                f"{wanted} objects, as the field has"
            )
        self._fields = tuple(fields)
        self._pending: torch.Tensor | None = None
        self._lost: torch.Tensor | None = None
        self._elapsed = 0.0

    def edit_spec(self, scene_spec: Any, entities: dict[str, Any]) -> None:
        for k, mount in enumerate(self.cfg.pads):
            add_site(mount, scene_spec, self._site("pad", k), f"{self._where}, pad {k}")
        for k, mount in enumerate(self.cfg.objects):
            add_site(mount, scene_spec, self._site("object", k), f"{self._where}, object {k}")

    def _site(self, kind: str, k: int) -> str:
        return f"{self.cfg.name}_{kind}{k}"

    def initialize(self, mj_model: Any, model: Any, data: Any, device: str) -> None:
        self._data, self._device, self._worlds = data, device, int(data.site_xpos.shape[0])
        fields = self._fields[0] if len(self._fields) == 1 else list(self._fields)
        kind = "cuda" if torch.device(device).type == "cuda" else "cpu"
        self.batch = MarkerBatch(fields, self._worlds, len(self.cfg.pads), device=kind, wrench=self.cfg.wrench)
        pads = [self._site("pad", k) for k in range(len(self.cfg.pads))]
        objects = [self._site("object", k) for k in range(len(self.cfg.objects))]
        self.batch.attach(pads, objects, mj_model, of="site")
        self._rows = [mj_model.site(name).id for name in (*pads, *objects)]
        self._generator = torch.Generator().manual_seed(self.cfg.seed)
        self._turns = torch.eye(4, device=device).repeat(self._worlds, len(objects), 1, 1)
        self.reset()

    def reset(self, env_ids: torch.Tensor | slice | None = None) -> None:
        super().reset(env_ids)
        mask = mask_of(env_ids, self._worlds, self._device)
        self._pending = mask if self._pending is None else self._pending | mask

    def update(self, dt: float) -> None:
        super().update(dt)
        self._elapsed += dt
        if self.cfg.every_substep:
            self._step()

    def _compute_data(self) -> MarkerData:
        self._step()
        told = [self._torch(self.batch.displacement)]
        told += [self._torch(self.batch.wrench)] if self.cfg.wrench else []
        if self._lost is not None:
            for values in told:
                values[self._lost] = torch.nan
        return MarkerData(*told)

    def _step(self) -> None:
        poses = warp_array(self._data.site_xpos), warp_array(self._data.site_xmat)
        mask, self._pending, dt, self._elapsed = self._pending, None, self._elapsed, 0.0
        going = self._going(poses)
        if going is not None and mask is not None:
            self._pending, mask = mask & ~going, mask & going
        if mask is not None:
            if self.cfg.turn is not None:
                self._turn(mask)
            if self.cfg.press is None:
                self.batch.reset(mask)
            else:
                self.batch.reset(mask, press=self.cfg.press, position=poses[0], rotation=poses[1])
        self.batch.step_world(*poses, dt=dt, mask=going)

    def _going(self, poses: tuple[Any, Any]) -> torch.Tensor | None:
        """(worlds,): which have poses that are numbers, None where all have. A world that blew up feels NaN until it is
        reset, and stops no other: so it is on a GPU, where the batch itself does that."""
        self._lost = None
        if self.batch.device == "cuda":
            return None
        finite = [np.isfinite(p.numpy()[:, self._rows]).reshape(self._worlds, -1).all(1) for p in poses]
        going = torch.from_numpy(finite[0] & finite[1])
        if going.all():
            return None
        self._lost = ~going
        return going

    def _turn(self, mask: torch.Tensor) -> None:
        """New turns in the worlds of the mask; on a GPU nothing waits for it."""
        shape = self._turns.shape[:2]
        if self.cfg.turn == "z":
            half = np.pi * torch.rand(shape, generator=self._generator)
            zero = torch.zeros(shape)
            q = torch.stack([torch.cos(half), zero, zero, torch.sin(half)], dim=-1)
        else:
            q = torch.nn.functional.normalize(torch.randn((*shape, 4), generator=self._generator), dim=-1)
        new = torch.eye(4).repeat(*shape, 1, 1)
        new[..., :3, :3] = _rotations(q.double()).float()
        chosen = mask[:, None, None, None]
        self._turns.copy_(torch.where(chosen, new.to(self._turns.device), self._turns))
        if self.batch.device == "cuda":
            self.batch.turn_points(self._turns, mask)
        else:
            self.batch.turn_points(self._exact(), mask)

    def _exact(self) -> np.ndarray:
        """float32 is no rotation to 1e-6."""
        X = self._turns.numpy().astype(float)
        R = X[..., :3, :3]
        X[..., :3, :3] = R - 0.5 * R @ (R.swapaxes(-1, -2) @ R - np.eye(3))
        return X

    def _torch(self, array: Any) -> torch.Tensor:
        if self.batch.device == "cuda":
            return torch.utils.dlpack.from_dlpack(array).clone()
        return torch.from_numpy(np.asarray(array, np.float32))


def _rotations(q: torch.Tensor) -> torch.Tensor:
    w, x, y, z = q.unbind(-1)
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return torch.stack(rows, dim=-1).reshape(*q.shape[:-1], 3, 3)
