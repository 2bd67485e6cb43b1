"""Grey tactile images of many worlds at once: on CPU threads or on a GPU.

batch = camera.batch(taxel.Body.sphere(5e-3), worlds=1024, fingers=2, device="cuda")
grey = batch.render(X_PI)               # (1024, 2, 80, 60) uint8; X_PI (1024, 2, 4, 4) on the GPU
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..batch import Batch, CudaArray
from ..batch.cuda import stream_handle
from .camera import TactileCamera


class ImageBatch(Batch):
    """What the cameras behind worlds x fingers flat gels see of one object; no shadows, nothing is remembered.

    camera   its size is that of the images (TactileCamera.resized); a GPU takes up to about 29,000 pixels with the skin
             "membrane", 58,000 with "rigid"
    object   a primitive taxel.Body or a taxel.MarkerDistance on a grid
    device, threads   as in taxel.MarkerBatch; images are uint8 or float32 on both
    skin     "membrane", with the camera's decay length, or "rigid" (taxel.image.press_skin)
    sweeps   of the membrane's relaxation; 0: enough for 0.5 % of the depth
    output   "uint8", or "float": 0 to 255, not rounded
    depth    whether ``render`` also fills ``batch.depth``
    center   middle of the image on the gel's rest plane, in the pad's frame, m; that of taxel.gelsight_mini_markers
    right, down   directions of the image's columns and rows in x and y of the pad
    max_depth     thickness of the gel: no penetration is deeper, m
    """

    def __init__(
        self,
        camera: TactileCamera,
        object: Any,
        worlds: int,
        fingers: int = 1,
        *,
        device: str = "cpu",
        threads: int = 0,
        skin: str = "membrane",
        sweeps: int = 0,
        output: str = "uint8",
        depth: bool = False,
        center: Any = (0.0, 0.0, 2e-3),
        right: Any = (1.0, 0.0),
        down: Any = (0.0, 1.0),
        max_depth: float = 4e-3,
    ) -> None:
        super().__init__(worlds, fingers, device, threads)
        if self.worlds < 1 or self.fingers < 1:
            raise _core.Error(f"ImageBatch: {worlds} worlds and {fingers} fingers; give at least one of each")
        for name, value, known in (("skin", skin, ("membrane", "rigid")), ("output", output, ("uint8", "float"))):
            if value not in known:
                raise _core.Error(f"ImageBatch: {name} is {value!r}; give {known[0]!r} or {known[1]!r}")
        axes = np.array([right, down], float)
        if axes.shape != (2, 2) or not np.allclose(axes @ axes.T, np.eye(2), atol=1e-6):
            raise _core.Error(
                f"ImageBatch: right is {right}, down {down}; give unit vectors (x, y) at right angles to each other"
            )
        if not (np.isfinite(max_depth) and max_depth > 0) or not np.isfinite(np.asarray(center, float)).all():
            raise _core.Error(
                f"ImageBatch: center is {center}, max_depth {max_depth}; give finite numbers in m, max_depth above 0"
            )
        self.camera, self.output = camera, output
        self._wants_depth, self._depth = bool(depth), None
        scene = (center, list(map(float, right)), list(map(float, down)), float(max_depth), skin == "membrane",
                 camera.decay_length, int(sweeps))  # fmt: skip
        if device == "cpu":
            self._core = _core.make_grey_batch(camera._core, object, self.worlds, self.fingers, self._threads, *scene)
            return
        self._core = _core.make_cuda_images(camera._core, object, self.worlds, self.fingers, *scene)
        shape = (self.worlds, self.fingers, *camera.shape)
        self._image = CudaArray(shape, dtype=np.uint8 if output == "uint8" else np.float32)
        self._depth = CudaArray(shape) if depth else None

    @property
    def depth(self) -> Any:
        """Of the last ``render``: how deep the object reaches below the rest plane, (worlds, fingers, rows, cols) m."""
        return self._wanted(self._wants_depth, self._depth, "depth")

    def render(self, X_PI: Any, *, stream: Any = None) -> Any:
        """Grey images (worlds, fingers, rows, cols) of the object at X_PI (worlds, fingers, 4, 4), its poses in the
        pads' frames.

        stream  cuda: torch's current stream, CUDA's default without torch, or the one given
        """
        if self.device == "cpu":
            poses = self._host(X_PI, self.pose_shape, "X_PI")
            image, self._depth = self._core.render(poses, self.output == "uint8", self._wants_depth)
            return image
        return self._cuda_render(self._relative(X_PI, "render"), stream)

    def render_world(self, position: Any, rotation: Any = None, *, stream: Any = None) -> Any:
        """As ``render``, with poses in the world: positions (worlds, count, 3), rotations (worlds, count, 3, 3) of
        what ``attach`` names, or in their place mujoco_warp's Data or a list of mjData."""
        if self.device == "cpu":
            return self.render(self._from_world(position, rotation, "render_world"))
        return self._cuda_render(self._in_world(position, rotation, "render_world"), stream)

    def _cuda_render(self, poses: tuple[Any, int, int, int], stream: Any) -> CudaArray:
        address, whole = self._image.address, self.output == "uint8"
        self._core.render(
            *poses, 0 if whole else address, address if whole else 0, self._depth.address if self._depth else 0,
            stream_handle(stream),
        )  # fmt: skip
        return self._image
