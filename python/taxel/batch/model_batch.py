"""What batches of all models share: sizes, devices, masks, poses and the numbers of worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from .cuda import CudaArray, device_address, stream_handle, to_device
from .masks import DeviceMask, host_mask
from .world_poses import Offsets, arrays_of, count_of, host_array, relative_poses, rows_of


class Batch(Uncopied):
    """worlds x fingers copies of a model; the derived class makes ``_core``.

    Where nothing else is said: device "cpu" works in float64 on ``threads`` threads (0: all), NumPy in and out; "cuda"
    in float32 on arrays of torch, JAX, CuPy, warp or taxel.CudaArray, and the results are taxel.CudaArray that the next
    call writes anew. Nothing waits for the GPU and no memory is taken after the first call, so calls can be captured in
    a CUDA graph. Results are ready on the stream of the call (``stream=``): read them on that one, or after waiting for
    it. Poses on the GPU are not checked; what a pose with NaN gives is said with each model.

    A batch serves one thread at a time: on the CPU a second one gets an Error at once. Ctrl-C ends a step of many
    worlds and leaves all of them where they were.
    """

    _instead = "make another from the same model"

    objects = 1
    _core: Any

    def __init__(self, worlds: int, fingers: int, device: str, threads: int) -> None:
        self._name = type(self).__name__
        if device not in ("cpu", "cuda"):
            raise _core.Error(f"{self._name}: device is {device!r}; give 'cpu' or 'cuda'")
        if device == "cuda" and threads:
            raise _core.Error(f"{self._name}: threads belong to device 'cpu'")
        self.worlds, self.fingers = self._size("worlds", worlds, 1), self._size("fingers", fingers, 1)
        self.device = device
        self._threads = self._size("threads", threads, 0)
        self._attached: Any = None
        self._offsets: Any = None
        self._count = 0

    def _size(self, name: str, value: Any, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise _core.Error(f"{self._name}: {name} is {value!r}; give a whole number of {least} or more")
        return int(value)

    @property
    def pose_shape(self) -> tuple[int, ...]:
        """Of X_PI: (worlds, fingers, 4, 4)."""
        return (self.worlds, self.fingers, 4, 4)

    def attach(
        self,
        pads: Sequence[int | str],
        objects: Sequence[int | str],
        count: Any,
        *,
        pad_offsets: Any = None,
        object_offsets: Any = None,
        of: str = "geom",
    ) -> None:
        """Says where poses in the world are found: which rows of arrays of ``count`` geoms or bodies.

        pads         one row a finger;  objects  one row an object
        count        rows of the arrays, or the mjModel: then rows may be names
        pad_offsets  pose of each pad in the frame of its row, (fingers, 4, 4), or (worlds, fingers, 4, 4), one a world;
                     object_offsets of each object. Left out: none. On a GPU an array (worlds, .., 4, 4) in device
                     memory is not copied: every step reads it anew
        of           what the rows are where data are given whole: "geom", "body" or "site"

        mujoco_warp: ``batch.attach(["left", "right"], ["peg"], mj_model)``, then
        ``batch.step_world(d.geom_xpos, d.geom_xmat)`` or ``batch.step_world(d)``. After ``mujoco_warp.step`` these
        arrays are one step old: call ``mujoco_warp.kinematics(m, d)`` first.
        """
        where = f"{self._name}.attach"
        rows = count_of(count, of, where)
        pad = rows_of(pads, count, of, rows, self.fingers, f"{where}: pads")
        thing = rows_of(objects, count, of, rows, self.objects, f"{where}: objects")
        offsets = (
            Offsets(pad_offsets, self.worlds, self.fingers, "pad_offsets", where, self.device),
            Offsets(object_offsets, self.worlds, self.objects, "object_offsets", where, self.device),
        )
        attached = None
        if self.device == "cuda":
            attached = _core.attach_poses(rows, pad, offsets[0].shared, thing, offsets[1].shared)
            attached.per_world(offsets[0].address, offsets[1].address)
        self._count, self._of, self._attached_rows, self._offsets = rows, of, (pad, thing), offsets
        self._attached = attached

    def _relative(self, X_PI: Any, where: str) -> tuple[Any, int, int, int]:
        """Poses for the GPU: what is attached, X_PI, position, rotation."""
        return None, device_address(X_PI, self.pose_shape, "X_PI", f"{self._name}.{where}"), 0, 0

    def _world_arrays(self, position: Any, rotation: Any, where: str) -> tuple[Any, Any]:
        if self._offsets is None:
            raise _core.Error(f"{where}: say which rows are pads and objects with attach(...) first")
        return (position, rotation) if rotation is not None else arrays_of(position, self._of, self.worlds, where)

    def _in_world(self, position: Any, rotation: Any, where: str) -> tuple[Any, int, int, int]:
        """cuda: as ``_relative``, of poses in the world."""
        where = f"{self._name}.{where}"
        position, rotation = self._world_arrays(position, rotation, where)
        p = device_address(position, (self.worlds, self._count, 3), "position", where)
        r = device_address(rotation, (self.worlds, self._count, 3, 3), "rotation", where)
        return self._attached, 0, p, r

    def _from_world(self, position: Any, rotation: Any, where: str) -> np.ndarray:
        """cpu: X_PI in the shape of a step."""
        where = f"{self._name}.{where}"
        position, rotation = self._world_arrays(position, rotation, where)
        p = host_array(position, (self.worlds, self._count, 3), "position", where)
        r = host_array(rotation, (self.worlds, self._count, 3, 3), "rotation", where)
        return relative_poses(p, r, *self._attached_rows, *self._offsets).reshape(self.pose_shape)

    def _optional(self, value: Any, width: int, name: str, where: str) -> Any:
        """(worlds, fingers, width) or None: checked for the CPU, the address (0) for the GPU."""
        shape = (self.worlds, self.fingers, width)
        if self.device == "cpu":
            return None if value is None else self._host(value, shape, name)
        return 0 if value is None else device_address(value, shape, name, f"{self._name}.{where}")

    def _host(self, value: Any, shape: tuple[int, ...], name: str, only: np.ndarray | None = None) -> np.ndarray:
        """Checked; of poses those of the worlds chosen by ``only`` (worlds,), which is the first axis then."""
        if hasattr(value, "__cuda_array_interface__"):
            raise _core.Error(f"{self._name}: {name} is on the GPU, the batch on the CPU; use device='cuda' or copy it")
        out = np.ascontiguousarray(value, float)
        if out.shape != shape:
            raise _core.Error(f"{self._name}: {name} has the shape {out.shape}; give {shape}")
        if shape[-2:] == (4, 4):
            rows = out[..., 3, :] if only is None else out[only != 0][..., 3, :]
            if not np.isfinite(rows).all():
                raise _core.Error(f"{self._name}: a pose in {name} is not finite; give rotations and metres")
            if not (np.abs(rows - (0, 0, 0, 1)) < 1e-9).all():
                raise _core.Error(f"{self._name}: the last row of a pose in {name} is not (0, 0, 0, 1); transposed?")
        return out

    def _cuda_only(self, name: str) -> None:
        if self.device != "cuda":
            raise _core.Error(f"{self._name}.{name} belongs to device 'cuda'; this batch is on the CPU")

    def _wanted(self, wanted: bool, value: Any, name: str) -> Any:
        if not wanted:
            raise _core.Error(f"{self._name}: {name} was not asked for; make the batch with {name}=True")
        if value is None:
            raise _core.Error(f"{self._name}: {name} before the first step")
        return value


class ModelBatch(Batch):
    """Of a model with a memory and with numbers that may differ from world to world."""

    parameter_names: tuple[str, ...] = ()
    """Of those numbers, in the order of ``set_parameter_rows``."""
    _positive: tuple[str, ...] = ()  # those that must not be 0; looked at before any world changes
    _rows: np.ndarray  # on a GPU: the host's copy of the numbers, (worlds, n)
    _rows_device: CudaArray
    _mask: DeviceMask | None = None
    _rows_on_device = False  # they came by set_parameter_rows, and the host's copy is old

    def reset(self, mask: Any = None, *, stream: Any = None) -> None:
        """Forgets the memory of all worlds, or of those where mask (worlds,) is true: bools or numbers of any kind."""
        if self.device == "cpu":
            self._core.reset(self._host_mask(mask))
        else:
            self._core.reset(self._device_mask(mask, stream), stream_handle(stream))

    def set_parameters(self, *, stream: Any = None, **values: Any) -> None:
        """New numbers, one for all or one a world (worlds,): domain randomisation. Memory stays.

        From the host; on the GPU they are copied at once, so not within a CUDA graph: see ``set_parameter_rows``.
        """
        self._set_columns(self._columns(values, self.parameter_names), stream)

    def set_parameter_rows(self, rows: Any, *, stream: Any = None) -> None:
        """cuda: numbers of all worlds from device memory, (worlds, n), in the order of ``parameter_names``; no copy to
        the host and no check, so it may be part of a CUDA graph."""
        self._cuda_only("set_parameter_rows")
        shape = (self.worlds, len(self.parameter_names))
        address = device_address(rows, shape, "rows", f"{self._name}.set_parameter_rows")
        self._core.set_parameters(address, stream_handle(stream))
        self._rows_on_device = True

    def _columns(self, values: dict[str, Any], names: Sequence[str]) -> dict[str, np.ndarray]:
        """One number a world, checked."""
        columns = {}
        for name, value in values.items():
            if name not in names:
                raise _core.Error(f"{self._name}: unknown parameter {name!r}; there are {', '.join(names)}")
            try:
                given = np.asarray(value, float)
            except (TypeError, ValueError):
                given = np.array(np.nan)
            fits = given.shape in ((), (1,), (self.worlds,))
            if not fits or not np.isfinite(given).all() or (given < 0).any():
                raise _core.Error(f"{self._name}: {name} is {value!r}; give one number of 0 or more, or {self.worlds}")
            if name in self._positive and (given == 0).any():
                raise _core.Error(f"{self._name}: {name} is 0 in a world; give numbers above 0")
            columns[name] = np.broadcast_to(given, (self.worlds,))
        return columns

    def _set_columns(self, columns: dict[str, np.ndarray], stream: Any = None) -> None:
        if self.device == "cpu":
            for world in range(self.worlds):
                self._set_world(world, {name: float(column[world]) for name, column in columns.items()})
            return
        places = {self._place(name): column for name, column in columns.items()}
        if self._rows_on_device and len(places) < len(self.parameter_names):
            raise _core.Error(
                f"{self._name}: numbers came from device memory (set_parameter_rows), so the host does not know the "
                "others; give all of them, or rows again"
            )
        for place, column in places.items():
            self._rows[:, place] = column
        self._rows_on_device = False
        self._rows_device = to_device(self._rows)
        self._core.set_parameters(self._rows_device.address, stream_handle(stream))

    def _place(self, name: str) -> int:
        return self.parameter_names.index(name)

    def _set_world(self, world: int, row: dict[str, float]) -> None:
        self._core.set_parameters(world, row)

    def _first_rows(self) -> np.ndarray:
        return np.tile(np.array(self._core.first_parameters, np.float32), (self.worlds, 1))

    def _host_mask(self, mask: Any, where: str = "reset") -> np.ndarray | None:
        return host_mask(mask, self.worlds, f"{self._name}.{where}")

    def _device_mask(self, mask: Any, stream: Any, where: str = "reset") -> int:
        if self._mask is None:
            self._mask = DeviceMask(self.worlds)
        return self._mask.address(mask, f"{self._name}.{where}", stream)
