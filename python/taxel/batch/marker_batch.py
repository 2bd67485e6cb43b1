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
from ..common.convert import is_number
from ..marker import MarkerField
from ..marker.field import PARAMETERS
from ..marker.gradient import DIFFERENTIABLE
from ..marker.gravity import springs
from .cuda import CudaArray, device_address, stream_handle, to_device
from .masks import host_mask
from .model_batch import ModelBatch
from .point_turns import checked_turns

# The numbers of a world on the GPU, in the order of CudaParameter (cuda_api.h) and CudaLayerParameter (cuda_layer.h).
_ROW = (*DIFFERENTIABLE, "creep", "creep_time")
_LAYER_ROW = ("friction", "young", "pixel")


class MarkerBatch(ModelBatch):
    """worlds x fingers copies of a MarkerField, all with the same pad and objects, each with a memory of its own.

    field    the pattern; its memory is not taken over. A list of fields in a published mode: several objects
    device   "cpu": float64 on ``threads`` threads (0: all), NumPy in and out
             "cuda": float32, arrays of torch, JAX, CuPy, warp or taxel.CudaArray in; results are taxel.CudaArray that
             the next step writes anew. Nothing waits for the GPU, no memory is taken after the first step, so steps can
             be captured in a CUDA graph. A pose that is not finite gives NaN there and
             leaves the memory as it was
    Of modes with points all worlds share one sample of an object's points, a fingerprint from which a policy can read
    what no sensor feels: ``turn_points``, and noise on the markers (docs/guide/marker-batch.md).

    wrench, marker_forces   modes "layer" and "taxel": whether steps also fill ``batch.wrench`` (W, F, 6) and
             ``batch.marker_forces`` (W, F, N, 3)
    """

    parameter_names: tuple[str, ...] = _ROW
    _positive = (
        "young",
        "thickness",
        "pixel",
        "lambda_d",
        "lambda_s",
        "normal_stiffness",
        "shear_stiffness",
        "creep_time",
    )

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
        solved = self.mode in ("layer", "taxel")
        if solved and len(fields) > 1:
            raise _core.Error(
                f"MarkerBatch: in mode {self.mode!r} several objects belong to one field: MarkerField(..., [a, b])"
            )
        if not solved and (wrench or marker_forces):
            raise _core.Error(f"MarkerBatch: mode {self.mode!r} knows no forces; use mode 'layer' or 'taxel'")
        self.objects = (fields[0].object_count or 1) if solved else len(fields)
        self.markers = fields[0].markers
        self._substeps = fields[0].substeps
        self._single = fields[0].object_count is None and len(fields) == 1
        self._wants = (bool(wrench), bool(marker_forces))
        self._wrench: Any = None
        self._forces: Any = None
        self._indenters = [o for f in fields for o in f._indenters]
        self._points: list[np.ndarray] = []  # none of mode "layer": its cells lie on the pad
        if self.mode == "taxel":
            self._points = [np.asarray(fields[0]._core.points(k)) for k in range(self.objects)]
        elif self.mode != "layer":
            self._points = [np.asarray(f._core.points) for f in fields]
        self._turns: Any = None
        self._factors: dict[str, Any] = dict(fields[0]._factors)
        cores = [f._core for f in fields]
        taxel = self.mode == "taxel"
        shape = (self.worlds, self.fingers)
        self._displacement: Any = np.zeros((*shape, len(self.markers), 3))
        layer = self.mode == "layer"
        if layer:
            self.parameter_names = _LAYER_ROW
        if device == "cpu":
            if layer:
                self._core = _core.make_layer_batch(cores[0], self.worlds, self.fingers, self._threads)
            else:
                self._core = _core.make_marker_batch(cores, taxel, self.worlds, self.fingers, self._threads)
            self._core.reset(None)  # copies of the fields came with their memory
            return
        if layer:
            self._core = _core.make_cuda_layer(cores[0], self.worlds, self.fingers)
        else:
            self._core = _core.make_cuda_markers(cores, taxel, self.worlds, self.fingers)
        self._rows = self._first_rows()
        # Zeros: a masked step leaves those of other worlds as they are.
        self._displacement = to_device(np.zeros((*shape, len(self.markers), 3)))
        self._wrench = to_device(np.zeros((*shape, 6))) if wrench else None
        self._forces = to_device(np.zeros((*shape, len(self.markers), 3))) if marker_forces else None

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

    @property
    def displacement(self) -> Any:
        """Of the last step, px (worlds, fingers, N, 3); 0 before the first.

        cpu: an array of its own for each step, which no later one writes. cuda: one CudaArray as long as the batch
        lives, which every step writes anew: torch.from_dlpack(batch.displacement) once is enough.
        """
        return self._displacement

    @property
    def overflows(self) -> int:
        """cuda, mode "layer": steps of a finger so far that touched more than 4,096 cells and gave NaN. Waits."""
        self._cuda_only("overflows")
        return self._core.overflows() if self.mode == "layer" else 0

    def step(self, X_PI: Any, shift: Any = None, dt: float = 0.0, *, mask: Any = None, stream: Any = None) -> Any:
        """Moves the objects to X_PI (``pose_shape``), their poses in the pads' frames; px, (worlds, fingers, N, 3).

        shift  the gravity pass (MarkerField.step), in the pads' frames: (worlds, fingers, 3), m, or (worlds, fingers,
               4, 4), translations and turns (``gravity_shift``)
        dt     s since the last step; read where creep > 0
        mask   (worlds,): only these worlds move; poses of the others are not looked at, and their memory and results
               stay as they were, to the bit
        stream cuda: torch's current stream, CUDA's default without torch, or the one given
        """
        if self.device == "cpu":
            poses = self._host(X_PI, self.pose_shape, "X_PI", self._host_mask(mask, "step"))
            return self._cpu_step(poses, shift, dt, mask, "step")
        return self._cuda_step(self._relative(X_PI, "step"), shift, dt, mask, stream)

    def step_world(
        self,
        position: Any,
        rotation: Any = None,
        shift: Any = None,
        dt: float = 0.0,
        *,
        mask: Any = None,
        stream: Any = None,
    ) -> Any:
        """As ``step``, with poses in the world of what ``attach`` names: positions (worlds, count, 3), rotations
        (worlds, count, 3, 3); or in their place mujoco_warp's Data, or a list of mjData, one a world."""
        if self.device == "cpu":
            return self._cpu_step(self._from_world(position, rotation, "step_world"), shift, dt, mask, "step_world")
        return self._cuda_step(self._in_world(position, rotation, "step_world"), shift, dt, mask, stream)

    def reset(
        self,
        mask: Any = None,
        *,
        press: float | None = None,
        steps: int = 4,
        X_PI: Any = None,
        position: Any = None,
        rotation: Any = None,
        shift: Any = None,
        dt: float = 0.0,
        stream: Any = None,
    ) -> Any:
        """Forgets the memory of all worlds, or of those where mask (worlds,) is true: bools or numbers of any kind.

        press  m: then objects are pressed in from so far above their poses, along the pads' z, in ``steps`` parts, and
               the markers are returned. A first step into a contact has no press behind it, and leaves the modes
               "release" and "paper" without shear until it goes deeper. Poses are given as X_PI (as in ``step``), or
               as position and rotation (as in ``step_world``). cpu: an object that touches at that distance is an
               error, and nothing changes; cuda: it is not looked at
        """
        if press is None:
            if X_PI is not None or position is not None:
                raise _core.Error("MarkerBatch.reset: poses are for a press; give press= as well, a distance in m")
            self._forget(mask, False, stream)
            return None
        self._check_press(press, steps, X_PI, position)
        if self.device == "cpu":
            if X_PI is None:
                poses = self._from_world(position, rotation, "reset")
            else:
                poses = self._host(X_PI, self.pose_shape, "X_PI", self._host_mask(mask))
            return self._cpu_step(poses, shift, dt, mask, "reset", (float(press), int(steps)))
        where = self._relative(X_PI, "reset") if X_PI is not None else self._in_world(position, rotation, "reset")
        self._forget(mask, False, stream)
        for k in range(steps):
            self._cuda_step(where, None, dt, mask, stream, press * (steps - k) / steps)
        return self._cuda_step(where, shift, dt, mask, stream)

    def gravity_shift(
        self,
        weight: Any,
        center: Any,
        *,
        opposed: bool = False,
        normal_stiffness: float | None = None,
        shear_stiffness: float | None = None,
    ) -> np.ndarray:
        """cpu: ``shift`` (worlds, fingers, 4, 4) for the next step at the same poses, by weights (worlds, fingers, 3) N
        that the pads carry, at centers (worlds, fingers, 3) m, in the pads' frames (MarkerField.gravity_shift)."""
        if self.device != "cpu":
            raise _core.Error(
                "MarkerBatch.gravity_shift belongs to device 'cpu'; on a GPU give shift= what you compute there "
                "(worlds, fingers, 4, 4)"
            )
        given = springs("MarkerBatch.gravity_shift", normal_stiffness, shear_stiffness)
        shape = (self.worlds, self.fingers, 3)
        load = [self._host(v, shape, n) for v, n in ((weight, "weight"), (center, "center"))]
        return self._core.gravity_shift(*load, bool(opposed), given)

    def _moved(self, shift: Any, where: str) -> tuple[Any, int]:
        """A shift, as poses (cpu) or an address, and the numbers of one."""
        both = ((self.worlds, self.fingers, 3), (self.worlds, self.fingers, 4, 4))
        if shift is None:
            return (None, 3) if self.device == "cpu" else (0, 3)
        whole = len(np.shape(shift)) == 4
        if self.device != "cpu":
            return device_address(shift, both[whole], "shift", f"MarkerBatch.{where}"), 16 if whole else 3
        given = np.shape(shift)
        if given not in both:
            raise _core.Error(f"MarkerBatch: shift has the shape {given}; give {both[0]}, or {both[1]} with turns")
        if whole:
            return self._host(shift, both[1], "shift"), 16
        poses = np.tile(np.eye(4), (*both[0][:2], 1, 1))
        poses[..., :3, 3] = self._host(shift, both[0], "shift")
        return poses, 16

    def turn_points(self, poses: Any, mask: Any = None, *, stream: Any = None) -> None:
        """Lays each object's sample points elsewhere on it: its pose in the object's own frame, (worlds, objects, 4, 4)
        or, with one object, (worlds, 4, 4). None: back to where they were sampled.

        All worlds share one sample of the points, and its pattern shows in the markers: a policy (even a linear fit)
        reads from it how far a smooth peg was shifted along its own axis, which no sensor feels. Turned anew for each
        episode, and with noise of a camera on the markers, it is no longer there. A turn must leave the object as it is
        (a peg: about its axis; a ball: any), which is checked where poses come from the host.

        mask   (worlds,): only these worlds get their new pose. The memory of worlds that do is forgotten
        cuda   poses in device memory are not copied: every step reads them anew, so that a graph may turn them. Write
               to them only for worlds that are reset
        """
        shape = (self.worlds, self.objects)
        if self.mode == "layer":
            raise _core.Error("MarkerBatch.turn_points: mode 'layer' has no sample points: there is nothing to turn")
        if poses is None:
            self._forget(mask, False, stream)
            if mask is None or self._turns is None:
                self._turns = None
                return
            poses = np.tile(np.eye(4), (*shape, 1, 1))
        if self.device == "cuda" and not isinstance(poses, np.ndarray | list | tuple):
            device_address(poses, (*shape, 4, 4), "poses", "MarkerBatch.turn_points")
            self._forget(mask, False, stream)
            self._turns = poses
            return
        turns = checked_turns(poses, self._points, self._indenters, shape)
        if mask is not None:
            chosen = np.asarray(host_mask(mask, self.worlds, "MarkerBatch.turn_points"), bool)
            before = np.eye(4) if self._turns is None else np.asarray(self._turns)
            turns = np.where(chosen[:, None, None, None], turns, before)
        self._forget(mask, False, stream)
        self._turns = np.ascontiguousarray(turns) if self.device == "cpu" else to_device(turns)

    def zero_tangential(self, mask: Any = None, *, stream: Any = None) -> None:
        """Keeps of each tracked displacement the normal part (mode "taxel": the depth)."""
        self._forget(mask, True, stream)

    def set_parameters(self, *, stream: Any = None, **values: Any) -> None:
        """New numbers, one for all or one a world (worlds,): domain randomisation. Memory stays.

        From the host; on the GPU they are copied at once, so not within a CUDA graph: see ``set_parameter_rows``.
        """
        columns = self._columns(values, PARAMETERS[self.mode])
        fixed = [name for name in columns if name in ("thickness", "poisson", "marker_depth")]
        if self.mode == "layer" and self.device == "cuda" and fixed:
            raise _core.Error(
                f"MarkerBatch: {fixed[0]} is that of all worlds on a GPU, whose tables are made with the batch; make "
                f"another from MarkerField(..., {fixed[0]}=...), or use device='cpu'"
            )
        if "creep" in columns and (columns["creep"] > 1).any():
            raise _core.Error(f"MarkerBatch: creep is {values['creep']!r}; it is a part of the motion, so give 0 to 1")
        if "stiffness" in columns or "area" in columns:
            self._factors |= {name: columns.pop(name) for name in ("stiffness", "area") if name in columns}
            columns["stiffness_area"] = self._factors["stiffness"] * self._factors["area"]
        self._set_columns(columns, stream)

    def _place(self, name: str) -> int:
        return self.parameter_names.index("normal_stiffness" if name == "stiffness_area" else name)

    def _set_world(self, world: int, row: dict[str, float]) -> None:
        if self.mode == "layer":
            self._core.set_layer_parameters(world, row)
        else:
            self._core.set_parameters(world, row, self.mode == "taxel")

    def rollout(self, path: Any, *, stream: Any = None) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
        """Steps along a path (T, *pose_shape) from the present state, with gradients; mode "taxel", on the CPU "layer".

        Returns px (T, worlds, fingers, N, 3) and a function from derivatives with respect to them to those with respect
        to the poses (as the path; cuda: (T, worlds, fingers, objects, 3, 4)) and to the parameters
        (worlds, fingers, 8: taxel.MARKER_GRADIENTS; mode "layer" 6: taxel.LAYER_GRADIENTS; cuda: 10, as
        ``parameter_names``, the last two 0; taken at the parameters of the moment the function is called). The batch
        itself stays where it is (cpu) or moves on (cuda, which keeps T copies of its state until the function is gone).
        """
        if self.mode not in ("taxel", "layer"):
            raise _core.Error(f"MarkerBatch.rollout: mode {self.mode!r} has no gradient; use mode 'taxel' or 'layer'")
        if self.mode == "layer" and self.device == "cuda":
            raise _core.Error(
                "MarkerBatch.rollout: mode 'layer' has no gradient on a GPU; use device='cpu', or mode 'taxel'"
            )
        if self._turns is not None:
            raise _core.Error(
                "MarkerBatch.rollout: the points are turned; gradients are of poses as given, so take "
                "turn_points(None) and give X_PI @ turn"
            )
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

    def _check_press(self, press: Any, steps: Any, X_PI: Any, position: Any) -> None:
        where = "MarkerBatch.reset"
        if not is_number(press) or not 0 < press < np.inf:
            raise _core.Error(f"{where}: press is {press!r}; give the distance from which to press in m, above 0")
        self._size("steps of a press", steps, 1)
        if (X_PI is None) == (position is None):
            raise _core.Error(f"{where}: a press needs poses: give X_PI, or position and rotation of what is attached")

    def _cpu_step(
        self, poses: np.ndarray, shift: Any, dt: float, mask: Any, where: str, press: tuple[float, int] | None = None
    ) -> np.ndarray:
        moved, _ = self._moved(shift, where)
        only = self._host_mask(mask, where)
        if self._turns is not None:
            turned = poses.reshape(self.worlds, self.fingers, self.objects, 4, 4) @ self._turns[:, None]
            poses = np.ascontiguousarray(turned.reshape(poses.shape))
        before = (self._displacement, self._wrench, self._forces) if only is not None else (None, None, None)
        self._displacement, self._wrench, self._forces = self._core.step(
            poses, float(dt), moved, *self._wants, only, before, press
        )
        return self._displacement

    def _cuda_step(
        self,
        poses: tuple[Any, int, int, int],
        shift: Any,
        dt: float,
        mask: Any,
        stream: Any,
        lift: float = 0.0,
    ) -> CudaArray:
        if not (np.isfinite(dt) and dt >= 0):
            raise _core.Error(f"MarkerBatch.step: dt is {dt!r}; give the time since the last step in s, 0 or more")
        turns = self._turns
        shape = (self.worlds, self.objects, 4, 4)
        self._core.step(
            *poses, *self._moved(shift, "step"), float(dt),
            0 if turns is None else device_address(turns, shape, "poses", "MarkerBatch.turn_points"), float(lift),
            self._device_mask(mask, stream, "step"), self._displacement.address,
            self._wrench.address if self._wrench else 0, self._forces.address if self._forces else 0,
            stream_handle(stream),
        )  # fmt: skip
        return self._displacement

    def _forget(self, mask: Any, keep_normal: bool, stream: Any) -> None:
        if self.device == "cpu":
            (self._core.zero_tangential if keep_normal else self._core.reset)(self._host_mask(mask))
        else:
            self._core.reset(self._device_mask(mask, stream), keep_normal, stream_handle(stream))
