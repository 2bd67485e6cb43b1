"""What the fingers feel, by name, from taxel's batches: poses in, (worlds, channels, rows, columns) out.

name               channels a finger   rows x columns   from
none               0
taxel              2 (px / 10)         9 x 7            MarkerField, mode "taxel"
layer              2                   9 x 7            mode "layer": the gel solved
hydroshear         2                   9 x 7            mode "release": the authors' code
hydroshear_paper   2                   9 x 7            mode "paper": the printed equations
fots, fots_contact 2                   9 x 7            FOTS about the object's origin, or about the first contact
tacsl_shear        2 (unit vectors)    9 x 7            TacSL's shear
tacsl_grey         1 (0 to 1)          80 x 60          grey images of a flat gel
pressure           1 (1e5 Pa)          16 x 16          taxels of the soft pads themselves
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .. import _core
from ..batch import FotsBatch, MarkerBatch, TacSLBatch
from ..marker import Fots, MarkerDistance, MarkerField, TacSL, gelsight_mini_markers
from . import rotation as R
from .camera import Camera, CameraNumbers
from .draws import uniform
from .options import is_number
from .pads import SKIN, THICKNESS
from .scene import STEPS
from .touch_path import TouchPath

NAMES = (
    "none", "taxel", "layer", "hydroshear", "hydroshear_paper", "fots", "fots_contact", "tacsl_shear", "tacsl_grey",
    "pressure",
)  # fmt: skip
GRID, IMAGE = (9, 7), (80, 60)
PRESSURE = 1e5  # Pa that is 1 in the observation
GELS = 0x41E7  # sets the draws of gels apart from others
GAP = 5e-3  # m between object and gel from which a new grasp closes
_PLAIN = ("none", "tacsl_grey", "pressure")  # without options
_FIELDS = {"taxel": "taxel", "layer": "layer", "hydroshear": "release", "hydroshear_paper": "paper"}
_FOTS = {"fots": ("fots", "hydroshear_original"), "fots_contact": ("contact_center", "hydroshear_reimpl")}


def shape(name: str) -> tuple[int, int, int] | None:
    """(channels of both fingers, rows, columns), None without touch."""
    if name == "none":
        return None
    if name == "tacsl_grey":
        return 2, *IMAGE
    return (2, *SKIN) if name == "pressure" else (4, *GRID)


def _ranges(name: str, parameters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[float, float]]]:
    """(numbers of the model, with the middle of those that are drawn; what is drawn for each world: low and high)."""
    given, ranges = dict(parameters), {}
    for key, value in parameters.items():
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, tuple | list):
            continue
        if name not in _FIELDS:
            raise _core.Error(
                f"tasks: touch_options: {key} is {value!r}, and touch {name!r} has one number for all worlds; give it"
            )
        if len(value) != 2 or not all(map(is_number, value)) or value[0] > value[1]:
            raise _core.Error(
                f"tasks: touch_options: {key} is {value!r}; give a number, or (low, high) to draw from for each world"
            )
        ranges[key] = (float(value[0]), float(value[1]))
        given[key] = 0.5 * sum(ranges[key])
    return given, ranges


def _drawn(ranges: dict[str, tuple[float, float]], seed: int, worlds: int) -> dict[str, np.ndarray]:
    """One number a world and key."""
    draws = uniform((seed + GELS) & 0xFFFFFFFF, torch.zeros(worlds, dtype=torch.int64), len(ranges), torch.float64)
    part = 0.5 * (1.0 + draws.numpy())
    return {key: low + (high - low) * part[:, k] for k, (key, (low, high)) in enumerate(ranges.items())}


class Touch:
    """One of NAMES for all worlds; ``update`` after every step and reset. ``values`` (worlds, channels, rows, columns),
    None without touch.

    noise       standard deviation of a real camera's markers, px (unit vectors: as much over 10); taxels: relative
    published   FOTS as in the HydroShear release, with exp(-lambda d) and the half turn it starts from
    gravity     the release's shift of a held object, m along the approach (names of HydroShear)
    parameters  of the model (MarkerField, Fots, TacSL); of a MarkerField's a pair (low, high) is drawn from for each
                world, by ``seed``: gels that differ
    camera      how it is seen: ``CameraNumbers`` as a dict
    dtype       of the engine's poses
    """

    def __init__(
        self, name: str, body: Any, worlds: int, device: torch.device, rate: float, *, noise: float = 0.1,
        published: bool = False, gravity: float = 0.25e-3, radius: float = 0.75e-3, threads: int = 0,
        parameters: dict[str, float] | None = None, camera: dict[str, Any] | None = None,
        dtype: torch.dtype = torch.float64, seed: int = 0,
    ) -> None:  # fmt: skip
        if name not in NAMES:
            raise _core.Error(f"tasks: touch is {name!r}; there are {', '.join(NAMES)}")
        if parameters and name in _PLAIN:
            raise _core.Error(
                f"tasks: touch {name!r} has no options; touch_options has {', '.join(map(str, parameters))}"
            )
        self.name, self.worlds, self.device, self._dt = name, worlds, device, 1.0 / rate
        self._cuda = device.type == "cuda"
        self._gravity = gravity if name.startswith("hydroshear") else 0.0
        self._batch: Any = None
        given, ranges = _ranges(name, parameters or {})
        where: dict[str, Any] = {"device": device.type} | ({} if self._cuda else {"threads": threads})
        mini = gelsight_mini_markers()
        if name in _FIELDS:
            pad = MarkerDistance(mini.pad, "trilinear", spacing=0.25e-3)
            sampled: dict[str, Any] = {} if name == "layer" else {"radius": radius}
            field = MarkerField(pad, mini.markers, body, _FIELDS[name], **sampled, **given)
            self._batch = MarkerBatch(field, worlds, 2, **where)
            if ranges:
                self._batch.set_parameters(**_drawn(ranges, seed, worlds))
        elif name in _FOTS:
            self._batch = FotsBatch(Fots(mini.markers, body, _FOTS[name][published], **given), worlds, 2, **where)
        elif name == "tacsl_shear":
            self._batch = TacSLBatch(TacSL(mini.markers, body, unit_shear=True, **given), worlds, 2, **where)
        elif name == "tacsl_grey":
            from ..image.synthetic import synthetic_camera

            self._batch = synthetic_camera().batch(body, worlds, 2, shape=IMAGE, output="float", **where)
        dims = shape(name)
        # A camera's image and the skin have no memory.
        remembers = self._batch is not None and name != "tacsl_grey"
        self._path = TouchPath(worlds, device, dtype) if remembers else None
        self.values = None if dims is None else torch.zeros(worlds, *dims, dtype=torch.float32, device=device)
        seen = CameraNumbers.checked(camera, name, dims is not None and dims[1:] == GRID)
        size = {"tacsl_grey": 0.01, "pressure": 0.1}.get(name, 0.1) * noise
        self._camera = None if dims is None else Camera(seen, size, name == "pressure", (worlds, *dims), device)

    def poses(self, engine: Any) -> torch.Tensor:
        """X_PI (worlds, 2, 4, 4): the object in the frames of the gels, whose origins are half-way up."""
        pads, held = (R.rows(n, engine.xpos) for n in (engine.scene.pads, [engine.scene.object] * 2))
        p, q = engine.xpos[:, pads], engine.xquat[:, pads]
        p = p + R.rotate(q, R.constant((0.0, 0.0, 0.5 * THICKNESS), p).expand_as(p))
        return R.pose_matrix(*R.relative(p, q, engine.xpos[:, held], engine.xquat[:, held]))

    def update(self, engine: Any, begun: torch.Tensor, moved: torch.Tensor, seed: Any, moment: torch.Tensor) -> None:
        """New readings of the worlds ``moved``; the others keep theirs, to the bit.

        begun         worlds of these whose episode begins: their gel closes on the object from outside
        seed, moment  (worlds,): what the noise hangs on, so that it is the same however often others are read
        """
        if self.values is None:
            return
        if self.name == "pressure":
            read = (engine.skin / PRESSURE).to(torch.float32)
        else:
            X = self.poses(engine)
            X = X.to(torch.float32).contiguous() if self._cuda else X
            if self._path is not None:
                self._path.add(X, begun, moved)
            read = self._read(X, begun, moved)
        assert self._camera is not None
        read = self._camera.see(read, begun, moved, seed, moment // (STEPS + 1), moment)
        self.values.copy_(torch.where(moved[:, None, None, None], read, self.values))

    def _read(self, X: torch.Tensor, begun: torch.Tensor, moved: torch.Tensor) -> torch.Tensor:
        """What the models say, without noise; of worlds that did not move it is of no meaning."""
        batch: Any = self._batch
        dims = (self.worlds, *shape(self.name))  # type: ignore[misc]
        if self.name == "tacsl_grey":
            away = torch.eye(4, dtype=X.dtype, device=X.device)  # a lost world has no pose to be drawn
            away[2, 3] = 1.0
            X = torch.where(moved[:, None, None, None], X, away).contiguous()
            return self._tensor(batch.render(self._array(X))).reshape(dims) / 255.0
        any_begun = True if self._cuda else bool(begun.any())
        only = moved if self._cuda or not bool(moved.all()) else None
        if any_begun:
            batch.reset(self._array(begun))
        if self.name == "tacsl_shear":
            found = batch.read(self._array(X), dt=self._dt, mask=self._array(only)).tactile_shear_force
            scale = 1.0
        else:
            if self.name in _FIELDS and any_begun:
                self._close(X, begun)
            found = batch.step(self._array(X), self._shift(X), mask=self._array(only))
            scale = 0.1
            if self._gravity and any_begun:
                # As published: what the closing fingers dragged along is forgotten, what they press stays.
                batch.zero_tangential(self._array(begun))
        grid = self._tensor(found)[..., :2].reshape(self.worlds, 2, *GRID, 2).permute(0, 1, 4, 2, 3)
        return scale * grid.reshape(dims)

    def _close(self, X: torch.Tensor, begun: torch.Tensor) -> None:
        """A first pose in contact has no press behind it: the worlds that begin come from outside, along the gel's
        normal."""
        outside = X.clone()
        outside[..., 2, 3] += GAP
        self._batch.step(self._array(outside), mask=self._array(begun))

    def _shift(self, X: torch.Tensor) -> Any:
        if not self._gravity:
            return None
        shift = torch.zeros(self.worlds, 2, 3, dtype=X.dtype, device=X.device)
        shift[..., 1] = -self._gravity  # the gel's y runs against the approach
        return self._array(shift)

    def _array(self, values: torch.Tensor | None) -> Any:
        return values if self._cuda or values is None else values.numpy()

    def _tensor(self, values: Any) -> torch.Tensor:
        return (
            torch.utils.dlpack.from_dlpack(values) if self._cuda else torch.from_numpy(np.asarray(values, np.float32))
        )

    def get_state(self) -> dict[str, Any]:
        out: dict[str, Any] = {} if self._path is None else dict(self._path.get_state())
        if self.values is not None:
            out["values"] = self.values.clone()
        if self._camera is not None:
            out["camera"] = self._camera.get_state()
        return out

    def set_state(self, state: dict[str, Any]) -> None:
        """The memory of the gel is made anew by going the way again, from the beginning of each world's episode."""
        if self._path is not None:
            self._path.set_state(state)
            for X, begun, moved in self._path.steps():
                self._read(X, begun, moved)
        if self.values is not None:
            self.values.copy_(state["values"])
        if self._camera is not None:
            self._camera.set_state(state["camera"])
