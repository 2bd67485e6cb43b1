"""Marker fields of many worlds at once: on CPU threads or on a GPU.

field = taxel.MarkerField(mini.pad, mini.markers, ball)
batch = field.batch(worlds=1024, fingers=2, device="cuda")
pixels = batch.step(X_PI)               # (1024, 2, 63, 3); X_PI (1024, 2, 4, 4) on the GPU
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..marker import MarkerField
from ..marker.field import DIFFERENTIABLE, PARAMETERS
from .cuda import CudaArray, device_address, stream_handle
from .model_batch import ModelBatch

# The numbers of a world on the GPU, in the order of CudaParameter (cuda_api.h).
_ROW = (*DIFFERENTIABLE, "creep", "creep_time")


class MarkerBatch(ModelBatch):
    """worlds x fingers copies of a MarkerField, all with the same pad and objects, each with a memory of its own.

    field    the pattern; its memory is not taken over. A list of fields in a published mode: several objects
    device   "cpu": float64 on ``threads`` threads (0: all), NumPy in and out
             "cuda": float32, arrays of torch, JAX, CuPy, warp or taxel.CudaArray in; results are taxel.CudaArray that
             the next step writes anew. Nothing waits for the GPU, no memory is taken after the first step, so steps can
             be captured in a CUDA graph. A pose that is not finite gives NaN there and
             leaves the memory as it was
    wrench, marker_forces   mode "taxel": whether steps also fill ``batch.wrench`` (W, F, 6) and ``batch.marker_forces``
             (W, F, N, 3)
    """

    parameter_names = _ROW
    _positive = ("lambda_d", "lambda_s", "normal_stiffness", "shear_stiffness", "creep_time")

    def __init__(
        self,
        field: MarkerField | Sequence[MarkerField],
        worlds: int,
        fingers: int = 1,
        *,
        device: str = "cpu",
        threads: int = 0,
        wrench: bool = False,
        marker_forces: bool = False,
    ) -> None:
        fields = [field] if isinstance(field, MarkerField) else list(field)
        super().__init__(worlds, fingers, device, threads)
        if not fields or any(f.mode != fields[0].mode for f in fields):
            raise _core.Error("MarkerBatch: give at least one field, and only fields of one mode")
        self.mode = fields[0].mode
        if self.mode == "taxel" and len(fields) > 1:
            raise _core.Error(
                "MarkerBatch: in mode 'taxel' several objects belong to one field: MarkerField(..., [a, b])"
            )
        if self.mode != "taxel" and (wrench or marker_forces):
            raise _core.Error(f"MarkerBatch: mode {self.mode!r} knows no forces; use mode 'taxel'")
        self.objects = (fields[0].object_count or 1) if self.mode == "taxel" else len(fields)
        self.markers = fields[0].markers
        self._substeps = fields[0].substeps
        self._single = fields[0].object_count is None and len(fields) == 1
        self._wants = (bool(wrench), bool(marker_forces))
        self._wrench = self._forces = None
        self._factors: dict[str, Any] = dict(fields[0]._factors)
        cores = [f._core for f in fields]
        taxel = self.mode == "taxel"
        if device == "cpu":
            self._core = _core.make_marker_batch(cores, taxel, self.worlds, self.fingers, self._threads)
            self._core.reset(None)  # copies of the fields came with their memory
            return
        self._core = _core.make_cuda_markers(cores, taxel, self.worlds, self.fingers)
        self._rows = self._first_rows()
        shape = (self.worlds, self.fingers)
        self._displacement = CudaArray((*shape, len(self.markers), 3))
        self._wrench = CudaArray((*shape, 6)) if wrench else None
        self._forces = CudaArray((*shape, len(self.markers), 3)) if marker_forces else None

    @property
    def pose_shape(self) -> tuple[int, ...]:
        """Of X_PI: (worlds, fingers, 4, 4), with several objects (worlds, fingers, objects, 4, 4)."""
        return (self.worlds, self.fingers, *(() if self._single else (self.objects,)), 4, 4)

    @property
    def wrench(self) -> Any:
        """Of the last step: force (N) and torque about the pad's origin (N m) on the gel, (worlds, fingers, 6)."""
        return self._wanted(self._wants[0], self._wrench, "wrench")

    @property
    def marker_forces(self) -> Any:
        """Of the last step: force on the gel shared among the markers, (worlds, fingers, N, 3) N."""
        return self._wanted(self._wants[1], self._forces, "marker_forces")

    def step(self, X_PI: Any, shift: Any = None, dt: float = 0.0, *, stream: Any = None) -> Any:
        """Moves the objects to X_PI (``pose_shape``), their poses in the pads' frames; px, (worlds, fingers, N, 3).

        shift  (worlds, fingers, 3): the gravity pass (MarkerField.step), m in the pads' frames
        dt     s since the last step; read where creep > 0
        stream cuda: torch's current stream, CUDA's default without torch, or the one given
        """
        if self.device == "cpu":
            poses = self._host(X_PI, self.pose_shape, "X_PI")
            moved = self._optional(shift, 3, "shift", "step")
            out, self._wrench, self._forces = self._core.step(poses, float(dt), moved, *self._wants)
            return out
        return self._cuda_step(self._relative(X_PI, "step"), shift, dt, stream)

    def step_world(
        self, position: Any, rotation: Any, shift: Any = None, dt: float = 0.0, *, stream: Any = None
    ) -> Any:
        """As ``step``, with poses in the world: positions (worlds, count, 3), rotations (worlds, count, 3, 3)."""
        return self._cuda_step(self._in_world(position, rotation, "step_world"), shift, dt, stream)

    def reset(self, mask: Any = None, *, stream: Any = None) -> None:
        """Forgets the memory of all worlds, or of those where mask (worlds,) of bool is true."""
        self._forget(mask, False, stream)

    def zero_tangential(self, mask: Any = None, *, stream: Any = None) -> None:
        """Keeps of each tracked displacement the normal part (mode "taxel": the depth)."""
        self._forget(mask, True, stream)

    def set_parameters(self, *, stream: Any = None, **values: Any) -> None:
        """New numbers, one for all or one a world (worlds,): domain randomisation. Memory stays.

        From the host; on the GPU they are copied at once, so not within a CUDA graph: see ``set_parameter_rows``.
        """
        columns = self._columns(values, PARAMETERS[self.mode])
        if "creep" in columns and (columns["creep"] > 1).any():
            raise _core.Error(f"MarkerBatch: creep is {values['creep']!r}; it is a part of the motion, so give 0 to 1")
        if "stiffness" in columns or "area" in columns:
            self._factors |= {name: columns.pop(name) for name in ("stiffness", "area") if name in columns}
            columns["stiffness_area"] = self._factors["stiffness"] * self._factors["area"]
        self._set_columns(columns, stream)

    def _place(self, name: str) -> int:
        return _ROW.index("normal_stiffness" if name == "stiffness_area" else name)

    def _set_world(self, world: int, row: dict[str, float]) -> None:
        self._core.set_parameters(world, row, self.mode == "taxel")

    def rollout(self, path: Any, *, stream: Any = None) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
        """Steps along a path (T, *pose_shape) from the present state, with gradients; mode "taxel".

        Returns px (T, worlds, fingers, N, 3) and a function from derivatives with respect to them to those with respect
        to the poses (as the path; cuda: (T, worlds, fingers, objects, 3, 4)) and to the parameters
        (worlds, fingers, 8: taxel.MARKER_GRADIENTS; cuda: 10, as ``parameter_names``, the last two 0; taken at the
        parameters of the moment the function is called). The batch itself stays where it is (cpu) or moves on (cuda,
        which keeps T copies of its state until the function is gone).
        """
        if self.mode != "taxel":
            raise _core.Error(f"MarkerBatch.rollout: mode {self.mode!r} has no gradient; use mode 'taxel'")
        return self._cpu_rollout(path) if self.device == "cpu" else self._cuda_rollout(path, stream)

    def _cpu_rollout(self, path: Any) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
        path = np.ascontiguousarray(path, float)
        path = self._host(path, (len(path), *self.pose_shape), "path")
        pixels, rollout = self._core.rollout(path, self._threads)

        def pullback(cotangents: Any) -> tuple[np.ndarray, np.ndarray]:
            poses, parameters = rollout.backward(self._host(cotangents, pixels.shape, "cotangents"))
            return poses.reshape(path.shape), parameters

        return pixels, pullback

    def _cuda_rollout(self, path: Any, stream: Any) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
        where, steps, shape = "MarkerBatch.rollout", len(path), (self.worlds, self.fingers)
        late = not self._rows_on_device and float(self._rows[:, _ROW.index("creep")].max())
        if late:
            raise _core.Error(f"{where}: creep is {late:g}; late motion has no gradient, so set creep to 0")
        if self._substeps != 1:
            raise _core.Error(f"{where}: {self._substeps} substeps have no gradient; use 1 and give the poses between")
        pixels = CudaArray((steps, *shape, len(self.markers), 3))
        address = device_address(path, (steps, *self.pose_shape), "path", where)
        rollout = self._core.rollout(address, steps, pixels.address, stream_handle(stream))

        def pullback(cotangents: Any, stream: Any = None) -> tuple[CudaArray, CudaArray]:
            seeds = device_address(cotangents, pixels.shape, "cotangents", where)
            gradients = rollout.backward(seeds, stream_handle(stream))
            poses = CudaArray((steps, *shape, self.objects, 3, 4), gradients[0])
            numbers = CudaArray((*shape, len(_ROW)), gradients[1])
            # The GPU may still read them: they go with the results.
            poses._keep = numbers._keep = (path, cotangents, gradients)
            return poses, numbers

        pixels._keep = path
        return pixels, pullback

    def _cuda_step(self, poses: tuple[Any, int, int, int], shift: Any, dt: float, stream: Any) -> CudaArray:
        if not (np.isfinite(dt) and dt >= 0):
            raise _core.Error(f"MarkerBatch.step: dt is {dt!r}; give the time since the last step in s, 0 or more")
        self._core.step(
            *poses, self._optional(shift, 3, "shift", "step"), float(dt), self._displacement.address,
            self._wrench.address if self._wrench else 0, self._forces.address if self._forces else 0,
            stream_handle(stream),
        )  # fmt: skip
        return self._displacement

    def _forget(self, mask: Any, keep_normal: bool, stream: Any) -> None:
        if self.device == "cpu":
            (self._core.zero_tangential if keep_normal else self._core.reset)(self._host_mask(mask))
        else:
            self._core.reset(self._device_mask(mask), keep_normal, stream_handle(stream))
