"""Soft contact and skins of thousands of worlds inside mujoco_warp."""

from __future__ import annotations

import warnings
from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from .. import _core
from ..mujoco import engine
from . import arrays, blocks, bristles, emit, layer_size, motion, patch, press
from .scene import Scene, read_scene
from .skin import Skin
from .tables import Tables, fields, filled
from .types import HUGE

_BLOCKS = (1, 4, 9, 16)


def put_model(model: Any, **options: Any) -> Any:
    """``mujoco_warp.put_model`` for a model that has our plugin in it, which mujoco_warp by itself refuses."""
    engine.load()
    _check_model(model, "put_model")
    return mjw.put_model(engine.without_plugins(model), **options)


class SoftContact:
    """What ``attach`` returns: readings, forces, per-world parameters and the memory of friction, all on the device.

    ``modulus``   (worlds, skins) factor of the stiffness; ``skins`` lists the geoms
    ``friction``  (worlds, pairs) factor of the friction; ``pairs`` lists the geoms of each
    """

    def __init__(self, model: Any, m: Any, d: Any, *, blocks: int | None = None, spacing: float = 0.0):
        if blocks is not None and (isinstance(blocks, bool) or not isinstance(blocks, int) or blocks not in _BLOCKS):
            raise _core.Error(f"warp: blocks is {blocks!r}; points that stand for a patch in the solver are {_BLOCKS}")
        if not 0 <= spacing < np.inf:
            raise _core.Error(f"warp: spacing is {spacing}; give the distance of columns in m, or 0")
        engine.load()
        _check_kinds(model, m, d)
        _check_options(model, m, d)
        self._model, self._m, self._d = model, m, d
        self.device = d.qpos.device
        with wp.ScopedDevice(self.device):
            scene = read_scene(model, spacing)
            self._set_up(scene, blocks or min(scene.blocks, 4) ** 2)
        self._before = m.callback.contactfilter, m.callback.sensor
        m.flg_surfacevel = True  # stick memory enters through contact.surfacevel, which is read only then
        m.flg_adhesion = True  # a row that is not yet reached is kept by an adhesion that does nothing
        m.callback.contactfilter = self._contacts
        m.callback.sensor = self._sensors

    # --- Set-up ---

    def _set_up(self, scene: Scene, num_blocks: int) -> None:
        model, d = self._model, self._d
        if not scene.pairs:
            raise _core.Error("warp: no geom of the model is soft, or none can touch anything; see taxel.soften")
        if scene.coupling == "sense":
            raise _core.Error(
                'warp: coupling is "sense"; in mujoco_warp skins are read from our rows: leave it out of the model'
            )
        self._blocks, self._side = num_blocks, int(round(num_blocks**0.5))
        self.skins = sorted({pair.skin for pair in scene.pairs})
        self.pairs = [(pair.geom1, pair.geom2) for pair in scene.pairs]
        table = Tables(model, scene, self.skins)
        self._columns, self._pairs, starts = table.columns, table.pairs, table.starts
        self._meshes = table.meshes  # kept alive: kernels know them by number
        n, pairs, columns = d.nworld, len(scene.pairs), int(starts[-1])
        self._num_columns = columns
        self._first_pair = sum(not pair.bristled for pair in scene.pairs)
        self._first_bristle = int(starts[self._first_pair])
        size = 4 * n * columns * 22
        if size > 40e9:
            raise _core.Error(
                f"warp: {n} worlds with {columns} columns in {pairs} pairs need {size / 1e9:.0f} GB; use fewer worlds, "
                "a wider spacing, or exclude pairs that need not touch (contype, conaffinity, <exclude>)"
            )
        self._follows = any(pair.follows for pair in scene.pairs)
        self._touch = filled(arrays.Touch, {} if self._follows else {"covered": (1, 1)}, (n, columns))
        self._patch = filled(arrays.Patch, {}, (n, pairs))
        self._block = filled(arrays.Blocks, {}, (n, pairs, num_blocks))
        self._cut = wp.empty(n * self._first_bristle, dtype=int)
        self._cut_count = wp.zeros(1, dtype=int)
        self._bristle = filled(bristles.Bristles, {}, (n, columns - self._first_bristle))
        self._glide = filled(bristles.Glide, {}, (n, pairs - self._first_pair, num_blocks))
        self._worlds = filled(arrays.Worlds, {"modulus": (n, len(self.skins)), "friction": (n, pairs)}, (n,))
        self._worlds.time.fill_(float(HUGE))
        self._worlds.modulus.fill_(1.0)
        self._worlds.friction.fill_(1.0)
        pair_of = np.full((model.ngeom, model.ngeom), -1, np.int32)
        for k, (g1, g2) in enumerate(self.pairs):
            pair_of[g1, g2] = pair_of[g2, g1] = k
        self._pair_of = wp.array(pair_of, dtype=wp.int32)
        self._contact = emit.Contacts()
        for name in fields(emit.Contacts):
            setattr(self._contact, name, getattr(d.contact, name))
        self._everyone = wp.ones(n, dtype=wp.bool)
        self._sensors_by_name = {
            row["name"]: Skin(model, row, scene.pairs, starts, len(scene.columns.get(row["geom"], {"p": ()})["p"]), n)
            for row in scene.sensors
        }

    # --- Inside mujoco_warp ---

    def _contacts(self, m: Any, d: Any) -> None:
        if self._before[0]:
            self._before[0](m, d)
        self._check_data(d)
        n, pairs = d.nworld, len(self.pairs)
        per_pair, per_column = (n, pairs), (n, self._first_bristle)
        where = self._pairs, self._worlds, self._patch
        poses = m.geom_size, d.geom_xpos, d.geom_xmat
        step, touch, block, contact = m.opt.timestep, self._touch, self._block, self._contact
        wp.launch(motion.begin_worlds, n, [d.time, step, self._worlds])
        for skin in self._sensors_by_name.values():
            skin.advance(m, self._worlds)
        wp.launch(
            motion.begin_pairs, per_pair,
            [step, m.geom_rbound, m.geom_bodyid, m.body_rootid, m.body_weldid, m.body_dofadr, m.body_dofnum,
             m.dof_parentid, d.qvel, d.cdof, d.subtree_com, d.geom_xpos, d.geom_xmat, *where],
        )  # fmt: skip
        if self._first_bristle:
            wp.launch(motion.advance_columns, per_column, [step, d.geom_xmat, *where, touch])
            wp.launch(press.find_deepest, per_column, [self._columns, self._pairs, *poses, self._patch])
            cut = self._cut, self._cut_count
            self._cut_count.zero_()
            wp.launch(
                press.press_columns, per_column,
                [self._columns, self._pairs, *poses, self._patch, self._worlds, touch, *cut],
            )  # fmt: skip
            wp.launch(
                press.press_cut_columns, n * self._first_bristle,
                [self._columns, self._pairs, *poses, self._worlds, touch, *cut],
            )  # fmt: skip
        if self._follows:
            wp.launch(layer_size.follow_size, per_pair, [d.geom_xmat, self._columns, self._pairs, self._patch, touch])
        self._press_bristles(m, d)
        wp.launch(patch.sum_patches, per_pair, [d.geom_xmat, self._pairs, self._patch, touch])
        wp.launch(patch.sum_blocks, (*per_pair, self._blocks), [self._side, d.geom_xmat, *where, touch, block])
        self._sum_bristles()
        wp.launch(
            blocks.finish_blocks, per_pair,
            [self._blocks, step, m.opt.gravity, m.geom_bodyid, m.body_invweight0, d.xipos, *where, touch, block],
        )  # fmt: skip
        self._gather_bristles(m, d)
        wp.launch(blocks.count_rows, per_pair, [self._blocks, self._patch, block])
        wp.launch(emit.take_out, d.naconmax, [self._pair_of, d.geom_xmat, d.nacon, self._pairs, self._patch, contact])
        wp.launch(blocks.count_contacts, n, [pairs, self._patch, self._worlds])
        wp.utils.array_scan(self._worlds.count, self._worlds.base, inclusive=False)
        wp.launch(
            emit.emit, per_pair,
            [self._blocks, d.naconmax, step, m.opt.impratio_invsqrt, m.geom_bodyid, m.body_invweight0, d.nacon,
             d.geom_xmat, self._columns, *where, touch, block, self._glide, contact],
        )  # fmt: skip
        wp.launch(emit.close, 1, [n, self._worlds, d.nacon])

    def _bristle_size(self, per_block: bool = False) -> tuple[int, ...]:
        """Of a launch over bristles, or over the blocks of their pairs."""
        if per_block:
            return self._d.nworld, len(self.pairs) - self._first_pair, self._blocks
        return self._d.nworld, self._num_columns - self._first_bristle

    def _press_bristles(self, m: Any, d: Any) -> None:
        if self._bristle_size()[1] == 0:
            return
        first, pairs, worlds, touch = self._first_bristle, self._pairs, self._worlds, self._touch
        wp.launch(
            bristles.advance_bristles, self._bristle_size(),
            [first, m.opt.timestep, d.geom_xmat, pairs, worlds, self._patch, touch],
        )  # fmt: skip
        wp.launch(
            bristles.press_bristles, self._bristle_size(),
            [first, self._columns, pairs, m.geom_size, d.geom_xpos, d.geom_xmat, self._patch, worlds, touch,
             self._bristle],
        )  # fmt: skip

    def _sum_bristles(self) -> None:
        if self._bristle_size()[1] == 0:
            return
        first = self._first_bristle, self._first_pair
        wp.launch(
            bristles.assign_blocks, self._bristle_size(True)[:2],
            [*first, self._side, self._pairs, self._patch, self._touch, self._bristle],
        )  # fmt: skip
        wp.launch(
            bristles.sum_bristles, self._bristle_size(True),
            [*first, self._pairs, self._worlds, self._patch, self._touch, self._block, self._bristle, self._glide],
        )  # fmt: skip

    def _gather_bristles(self, m: Any, d: Any) -> None:
        if self._bristle_size()[1] == 0:
            return
        wp.launch(
            bristles.gather, self._bristle_size(True),
            [self._first_bristle, self._first_pair, m.opt.timestep, d.geom_xmat, self._pairs, self._worlds, self._patch,
             self._touch, self._block, self._bristle, self._glide],
        )  # fmt: skip

    def _sensors(self, m: Any, d: Any, stage: Any) -> None:
        if self._before[1]:
            self._before[1](m, d, stage)
        if stage.name != "ACC":
            return
        self._check_data(d)
        where = self._pairs, self._worlds, self._patch
        wp.launch(
            emit.read_rows, (d.nworld, len(self.pairs)),
            [self._blocks, d.efc.force, d.geom_xmat, self._columns, self._pairs, self._worlds, self._patch, self._touch,
             self._block, self._contact],
        )  # fmt: skip
        if self._first_bristle:
            wp.launch(
                emit.share_rows, (d.nworld, self._first_bristle),
                [self._side, self._pairs, self._patch, self._touch, self._block],
            )  # fmt: skip
        if self._bristle_size()[1]:
            wp.launch(
                bristles.share_bristles, self._bristle_size(True),
                [self._first_bristle, self._first_pair, self._pairs, self._worlds, self._patch, self._touch,
                 self._block, self._bristle],
            )  # fmt: skip
        for skin in self._sensors_by_name.values():
            skin.read(m, d, self._first_bristle, *where, self._touch, self._bristle)

    def _check_data(self, d: Any) -> None:
        if d is not self._d:
            raise _core.Error("warp: this Model steps another Data than the one that taxel.warp.attach was given")

    # --- What a user asks for ---

    def __getitem__(self, name: str) -> Skin:
        """The tactile sensor of this name."""
        try:
            return self._sensors_by_name[name]
        except KeyError:
            known = ", ".join(map(repr, self._sensors_by_name)) or "none"
            raise _core.Error(f"warp: there is no tactile sensor {name!r}; there are {known}") from None

    @property
    def sensors(self) -> list[str]:
        """Names of the tactile sensors."""
        return list(self._sensors_by_name)

    @property
    def modulus(self) -> wp.array:
        return self._worlds.modulus

    @property
    def friction(self) -> wp.array:
        return self._worlds.friction

    @property
    def force(self) -> wp.array:
        """(worlds, pairs) normal force on the second geom of each pair, world frame, N, of the last step."""
        return self._patch.solved

    @property
    def rubbing(self) -> wp.array:
        """(worlds, pairs) friction on the second geom of each pair, world frame, N, of the last step."""
        return self._patch.friction

    def overflow(self) -> int:
        """How often contacts did not fit into the data since the last call: a pair was then left out for a step.
        Waits for the device."""
        count = int(self._worlds.overflow.numpy()[0])
        self._worlds.overflow.zero_()
        return count

    def reset(self, mask: Any = None) -> None:
        """Friction forgets, in the worlds of ``mask`` (bool, one a world; all without it). After ``mjw.reset_data`` it
        happens by itself: time went back."""
        with wp.ScopedDevice(self.device):
            chosen = self._everyone if mask is None else _as_mask(mask, self._d.nworld, self.device)
            wp.launch(
                motion.forget, self._d.nworld,
                [chosen, self._num_columns, len(self.pairs), self._worlds, self._patch, self._touch],
            )  # fmt: skip

    def _memory(self) -> dict[str, wp.array]:
        touch = {f"touch.{k}": getattr(self._touch, k) for k in fields(arrays.Touch)}
        patches = {f"patch.{k}": getattr(self._patch, k) for k in fields(arrays.Patch)}
        pads = {f"bristle.{k}": getattr(self._bristle, k) for k in fields(bristles.Bristles)}
        skins = {f"{s.name}.{k}": a for s in self._sensors_by_name.values() for k, a in s.memory().items()}
        worlds = {k: getattr(self._worlds, k) for k in ("time", "started", "step")}
        return {**touch, **patches, **pads, **skins, **worlds}

    def state(self) -> dict[str, wp.array]:
        """A copy of all that is remembered between steps; ``restore`` puts it back, with the state of the data."""
        return {name: wp.clone(values) for name, values in self._memory().items()}

    def restore(self, state: dict[str, wp.array]) -> None:
        memory = self._memory()
        if set(state) != set(memory) or any(state[k].shape != v.shape for k, v in memory.items()):
            raise _core.Error("warp: this state is of another model, number of worlds or spacing; take it from state()")
        for name, values in memory.items():
            wp.copy(values, state[name])

    def detach(self) -> None:
        """mujoco_warp's own contact again."""
        if self._m.callback.contactfilter != self._contacts or self._m.callback.sensor != self._sensors:
            raise _core.Error("warp: this SoftContact is not attached any more, or something was attached after it")
        self._m.callback.contactfilter, self._m.callback.sensor = self._before


def attach(model: Any, m: Any, d: Any, *, blocks: int | None = None, spacing: float = 0.0) -> SoftContact:
    """Soft contact for a mujoco_warp model and its data; ``mjw.step(m, d)`` then as always.

    blocks   points that stand for a patch in the solver: 1, 4, 9 or 16; without it as the model says, 16 at most. 4 is
             the quick choice: statics stay as they are, partial slip under a round body gets coarser
    spacing  of the columns of a backed box, m; 0: one a taxel, or 16 along a side
    """
    return SoftContact(model, m, d, blocks=blocks, spacing=spacing)


def _as_mask(mask: Any, worlds: int, device: Any) -> wp.array:
    if isinstance(mask, wp.array) and mask.dtype == wp.bool and mask.shape == (worlds,):
        return mask
    if hasattr(mask, "detach"):
        mask = mask.detach()  # a tensor of torch that is part of a graph
    if hasattr(mask, "__dlpack__") and not isinstance(mask, wp.array | np.ndarray):
        mask = wp.from_dlpack(mask)
    values = mask.numpy() if isinstance(mask, wp.array) else np.asarray(mask)
    if values.shape != (worlds,) or values.dtype.kind not in "biuf" or np.isnan(values.astype(float)).any():
        raise _core.Error(
            f"warp: the mask has shape {values.shape} of {values.dtype}; one truth value a world, ({worlds},)"
        )
    return wp.array(values.astype(bool), dtype=wp.bool, device=device)


def _check_model(model: Any, where: str) -> None:
    mujoco = engine.need_mujoco()
    if not isinstance(model, mujoco.MjModel):
        raise TypeError(f"warp: {where}: the model is {type(model).__name__}; give the mujoco.MjModel")


def _check_kinds(model: Any, m: Any, d: Any) -> None:
    """The three belong together."""
    _check_model(model, "attach")
    for name, given, kind in (("m", m, mjw.Model), ("d", d, mjw.Data)):
        if not isinstance(given, kind):
            raise TypeError(f"warp: attach: {name} is {type(given).__name__}; give mujoco_warp's {kind.__name__}")
    if isinstance(getattr(m.callback.contactfilter, "__self__", None), SoftContact):
        raise _core.Error("warp: this Model has a SoftContact already; call its detach() first")
    for name in ("geom_type", "geom_bodyid"):
        if m.ngeom != model.ngeom or not np.array_equal(getattr(m, name).numpy(), getattr(model, name)):
            raise _core.Error(
                f"warp: m has {m.ngeom} geoms, the MuJoCo model {model.ngeom}, and {name} differs; give the model "
                "that m was made of"
            )
    if d.qpos.shape[1] != m.nq or d.geom_xpos.shape[1] != m.ngeom:
        raise _core.Error(
            f"warp: d has {d.qpos.shape[1]} positions and {d.geom_xpos.shape[1]} geoms, m {m.nq} and {m.ngeom}; give "
            "the data that was made of this model"
        )


def _check_options(model: Any, m: Any, d: Any) -> None:
    mujoco = engine.need_mujoco()
    opt = m.opt
    if int(opt.cone) != int(mujoco.mjtCone.mjCONE_ELLIPTIC):
        raise _core.Error('warp: soft contact needs the elliptic friction cone; set <option cone="elliptic"/>')
    if int(opt.integrator) in (int(mujoco.mjtIntegrator.mjINT_RK4), int(mujoco.mjtIntegrator.mjINT_DISCRETE)):
        name = mujoco.mjtIntegrator(int(opt.integrator)).name.removeprefix("mjINT_")
        raise _core.Error(f"warp: soft contact cannot run under integrator {name}; use implicitfast, implicit or Euler")
    if int(opt.enableflags) & int(mujoco.mjtEnableBit.mjENBL_SLEEP):
        raise _core.Error('warp: soft contact cannot run with sleep; set <option><flag sleep="disable"/></option>')
    disabled = int(opt.disableflags)
    for bit, word in ((mujoco.mjtDisableBit.mjDSBL_SENSOR, "sensor"), (mujoco.mjtDisableBit.mjDSBL_CONTACT, "contact")):
        if disabled & int(bit):
            raise _core.Error(f'warp: soft contact needs <option><flag {word}="enable"/></option>: it is disabled')
    if model.opt.noslip_iterations > 0:
        raise _core.Error('warp: soft contact cannot run with the noslip solver; set <option noslip_iterations="0"/>')
    if d.contact.efc_address.shape[1] < 4:
        raise _core.Error(
            "warp: every geom of the model has condim 1, and mujoco_warp made no room for friction; give one geom "
            "condim 3"
        )
    touching = [
        model.sensor(i).name or str(i)
        for i in range(model.nsensor)
        if model.sensor_type[i] in (int(mujoco.mjtSensor.mjSENS_TOUCH), int(mujoco.mjtSensor.mjSENS_CONTACT))
    ]
    if touching:
        warnings.warn(
            f"taxel.warp: the native sensors {', '.join(touching)} count the helper rows of friction as force; read "
            "tactile sensors or SoftContact.force instead",
            stacklevel=4,
        )
