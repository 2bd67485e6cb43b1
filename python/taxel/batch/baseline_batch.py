"""FOTS and TacSL of many worlds at once: on CPU threads or on a GPU.

batch = taxel.Fots(mini.markers, ball).batch(worlds=1024, fingers=2, device="cuda")
pixels = batch.step(X_PI)               # (1024, 2, 63, 3); X_PI (1024, 2, 4, 4) on the GPU
forces = taxel.TacSL(mini.markers, ball).batch(1024, 2, device="cuda").read(X_PI, dt=1 / 60)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..marker import Fots, TacSL
from .cuda import CudaArray, stream_handle, to_device
from .model_batch import ModelBatch


class FotsBatch(ModelBatch):
    """worlds x fingers copies of a Fots with the same markers and object, each with a memory of its own.

    device, threads: as in taxel.MarkerBatch. On a GPU the object is a primitive or a taxel.MarkerDistance on a grid.
    """

    parameter_names = ("lambda_d", "lambda_s", "lambda_t", "dilate_scale")

    def __init__(self, fots: Fots, worlds: int, fingers: int = 1, *, device: str = "cpu", threads: int = 0) -> None:
        super().__init__(worlds, fingers, device, threads)
        self.variant, self.markers = fots.variant, fots._core.markers
        self._displacement: Any = None
        if device == "cpu":
            self._core = _core.make_fots_batch(fots._core, self.worlds, self.fingers, self._threads)
            return
        self._core = _core.CudaBaselines(fots._core, self.worlds, self.fingers)
        self._rows = self._first_rows()
        # Zeros: a masked step leaves those of other worlds as they are.
        self._displacement = to_device(np.zeros((self.worlds, self.fingers, len(self.markers), 3)))

    @property
    def displacement(self) -> Any:
        """Of the last step, px (worlds, fingers, N, 3), as MarkerBatch has it; 0 before the first."""
        if self._displacement is None:
            self._displacement = np.zeros((self.worlds, self.fingers, len(self.markers), 3))
        return self._displacement

    def step(self, X_PI: Any, shift: Any = None, *, mask: Any = None, stream: Any = None) -> Any:
        """Moves the objects to X_PI (worlds, fingers, 4, 4), their poses in the pads' frames; px,
        (worlds, fingers, N, 3).

        shift  (worlds, fingers, 3): gravity (Fots.step), m in the pads' frames
        mask   (worlds,): only these worlds move; poses of the others are not looked at, and their memory and results
               stay as they were, to the bit
        stream cuda: torch's current stream, CUDA's default without torch, or the one given
        """
        if self.device == "cpu":
            moved = self._optional(shift, 3, "shift", "step")
            only = self._host_mask(mask, "step")
            poses = self._host(X_PI, self.pose_shape, "X_PI", only)
            before = None if only is None else self._displacement
            self._displacement = self._core.step(poses, moved, only, before)
            return self._displacement
        return self._cuda_step(self._relative(X_PI, "step"), shift, mask, stream)

    def step_world(
        self, position: Any, rotation: Any = None, shift: Any = None, *, mask: Any = None, stream: Any = None
    ) -> Any:
        """As ``step``, with poses in the world: positions (worlds, count, 3), rotations (worlds, count, 3, 3) of what
        ``attach`` names, or in their place mujoco_warp's Data or a list of mjData."""
        if self.device == "cpu":
            return self.step(self._from_world(position, rotation, "step_world"), shift, mask=mask)
        return self._cuda_step(self._in_world(position, rotation, "step_world"), shift, mask, stream)

    def _cuda_step(self, poses: tuple[Any, int, int, int], shift: Any, mask: Any, stream: Any) -> CudaArray:
        moved, only = self._optional(shift, 3, "shift", "step"), self._device_mask(mask, stream, "step")
        self._core.step_fots(*poses, moved, only, self._displacement.address, stream_handle(stream))
        return self._displacement


class _StandingPoints:
    """Of pads in their own frames, the same for all worlds and fingers; made when first asked for."""

    def __init__(self, points: np.ndarray, worlds: int, fingers: int, device: str) -> None:
        self._points, self._copies, self._device = points, (worlds, fingers), device

    def _repeat(self, rows: np.ndarray) -> Any:
        out = np.broadcast_to(rows, (*self._copies, *rows.shape))
        return out if self._device == "cpu" else to_device(out)

    @cached_property
    def position(self) -> Any:
        return self._repeat(self._points)

    @cached_property
    def quaternion(self) -> Any:
        return self._repeat(np.tile([1.0, 0.0, 0.0, 0.0], (len(self._points), 1)))


@dataclass(frozen=True)
class TacSLBatchData:
    """Isaac Lab's names, with the axes worlds and fingers in front; an environment with one finger is ``[:, 0]``."""

    penetration_depth: Any
    """(worlds, fingers, N), m."""
    tactile_normal_force: Any
    """(worlds, fingers, N), on the gel along -z of the pad, above 0 when pressed, N."""
    tactile_shear_force: Any
    """(worlds, fingers, N, 2), on the gel along x and y of the pad, N; unit vectors with unit_shear."""
    _standing: _StandingPoints

    @property
    def tactile_points_pos_w(self) -> Any:
        """(worlds, fingers, N, 3), m: in the pads' frames, since a batch knows no other."""
        return self._standing.position

    @property
    def tactile_points_quat_w(self) -> Any:
        """(worlds, fingers, N, 4), w x y z: 1, 0, 0, 0, those of the pads in their own frames."""
        return self._standing.quaternion


class TacSLBatch(ModelBatch):
    """TacSL for worlds x fingers pads with the same points and object. Pads stand still: what counts is the motion of
    the object relative to its pad, in the pad's frame.

    device, threads: as in taxel.MarkerBatch. On a GPU the object is a primitive or a taxel.MarkerDistance on a grid;
    normals of a grid are the grid's there, those of the exact shape on the CPU.
    """

    parameter_names = ("normal_contact_stiffness", "tangential_stiffness", "friction_coefficient")

    def __init__(self, tacsl: TacSL, worlds: int, fingers: int = 1, *, device: str = "cpu", threads: int = 0) -> None:
        super().__init__(worlds, fingers, device, threads)
        self.points = tacsl._core.points
        self._standing = _StandingPoints(self.points, self.worlds, self.fingers, device)
        self._data: TacSLBatchData | None = None
        if device == "cpu":
            self._core = _core.TacSlBatch(tacsl._core, self.worlds, self.fingers, self._threads)
            return
        self._core = _core.CudaBaselines(tacsl._core, self.worlds, self.fingers)
        self._rows = self._first_rows()
        shape = (self.worlds, self.fingers, len(self.points))
        # Zeros: a masked call leaves those of other worlds as they are.
        depth, normal, shear = (to_device(np.zeros(s)) for s in (shape, shape, (*shape, 2)))
        self._data = TacSLBatchData(depth, normal, shear, self._standing)

    def read(
        self, X_PI: Any, velocity: Any = None, dt: float = 0.0, *, mask: Any = None, stream: Any = None
    ) -> TacSLBatchData:
        """Forces at the points with the objects at X_PI (worlds, fingers, 4, 4), their poses in the pads' frames.

        velocity  (worlds, fingers, 6): of the object's origin and angular, relative to the pad, in the pad's frame,
                  m/s and rad/s. None: from the pose of the call before and dt (s); 0 in the first call and after a
                  reset
        mask      (worlds,): only these worlds are read; poses of the others are not looked at, and the pose before and
                  the results stay as they were, to the bit
        stream    cuda: torch's current stream, CUDA's default without torch, or the one given
        """
        if self.device == "cpu":
            rates = self._optional(velocity, 6, "velocity", "read")
            only = self._host_mask(mask, "read")
            poses, old = self._host(X_PI, self.pose_shape, "X_PI", only), self._data
            before = (
                (None, None, None)
                if only is None or old is None
                else (old.penetration_depth, old.tactile_normal_force, old.tactile_shear_force)
            )
            depth, normal, shear = self._core.step(poses, rates, float(dt), only, before)
            self._data = TacSLBatchData(depth, normal, shear, self._standing)
            return self._data
        return self._cuda_read(self._relative(X_PI, "read"), velocity, dt, mask, stream)

    def read_world(
        self,
        position: Any,
        rotation: Any = None,
        velocity: Any = None,
        dt: float = 0.0,
        *,
        mask: Any = None,
        stream: Any = None,
    ) -> TacSLBatchData:
        """As ``read``, with poses in the world: positions (worlds, count, 3), rotations (worlds, count, 3, 3) of what
        ``attach`` names, or in their place mujoco_warp's Data or a list of mjData."""
        if self.device == "cpu":
            return self.read(self._from_world(position, rotation, "read_world"), velocity, dt, mask=mask)
        return self._cuda_read(self._in_world(position, rotation, "read_world"), velocity, dt, mask, stream)

    def _cuda_read(
        self, poses: tuple[Any, int, int, int], velocity: Any, dt: float, mask: Any, stream: Any
    ) -> TacSLBatchData:
        d = self._data
        assert d is not None
        self._core.step_tacsl(
            *poses,
            self._optional(velocity, 6, "velocity", "read"),
            float(dt),
            self._device_mask(mask, stream, "read"),
            d.penetration_depth.address,
            d.tactile_normal_force.address,
            d.tactile_shear_force.address,
            stream_handle(stream),
        )
        return d
