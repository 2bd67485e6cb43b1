"""A calibrated tactile camera: height maps in, photos out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common.alone import Immutable

if TYPE_CHECKING:
    from .batch import ImageBatch
    from .calibrate import ImageFit

FORMAT = 1
FOTS_WINDOWS = (51, 21, 11, 5)


@dataclass(frozen=True)
class Light:
    """A light far to the side of the gel, which the pressed gel keeps from what lies behind it."""

    azimuth: float
    """Direction to the light in the image, from right towards down, rad."""
    slope: float
    """Tangent of its elevation above the gel."""
    softness: float
    """Depth under the shadow's edge at which half of the shadow is felt, m."""
    strength: tuple[float, float, float]
    """What a deep shadow takes from red, green and blue, grey levels."""

    def numbers(self) -> list[float]:
        azimuth, slope, softness, strength = astuple(self)
        return [azimuth, slope, softness, *strength]


def _maps(values: Any, argument: str) -> np.ndarray:
    array = np.ascontiguousarray(values, dtype=np.float32)
    if array.ndim not in (2, 3):
        raise _core.Error(f"{argument}: give (rows, cols), or (n, rows, cols) for a batch; got shape {array.shape}")
    return array


def press_skin(
    penetration: Any,
    pixel: float,
    *,
    decay_length: float = 1e-3,
    skin: str = "membrane",
    windows: Sequence[int] = FOTS_WINDOWS,
    contact_share: float = 0.4,
) -> np.ndarray:
    """The surface of the gel (m, at least 0) under an indenter that lies ``penetration`` (m) below the rest plane.

    skin: ``membrane``, a stretched skin on an elastic bed with one ``decay_length`` (m); ``pyramid``, the blurs
    of FOTS with ``windows`` (px), where the overlap above ``contact_share`` of the deepest is put back after each;
    ``rigid``, the overlap itself. ``penetration`` is (rows, cols), or (n, rows, cols) for a batch.
    """
    array = _maps(penetration, "penetration")
    if array.ndim == 3:
        return np.stack(
            [
                press_skin(a, pixel, decay_length=decay_length, skin=skin, windows=windows, contact_share=contact_share)
                for a in array
            ]
        )
    return _core.press_skin(array, pixel, skin, decay_length, list(windows), contact_share)


def draw_markers(image: Any, places: Any, radius: float, brightness: float = 0.2) -> np.ndarray:
    """A copy of ``image`` (uint8 or float; grey or RGB) with dark dots at ``places`` (n, 2): column and row, px.

    The middle of a dot keeps ``brightness`` of the image; its edge is one pixel wide. Displaced markers are drawn by
    giving their displaced places.
    """
    array = np.asarray(image)
    if array.ndim not in (2, 3):
        raise _core.Error(f"image: give (rows, cols) or (rows, cols, channels); got shape {array.shape}")
    spots = np.ascontiguousarray(places, dtype=float)
    if spots.ndim != 2 or spots.shape[1] != 2:
        raise _core.Error(f"places: give (n, 2), column and row of each marker; got shape {spots.shape}")
    flat = np.ascontiguousarray(array.reshape(*array.shape[:2], -1), dtype=np.float32)
    drawn = np.asarray(_core.draw_markers(flat, spots, radius, brightness)).reshape(array.shape)
    return _core.to_bytes(drawn).reshape(array.shape) if array.dtype == np.uint8 else drawn


def depth_image(
    height: Any,
    pixel: float,
    shape: tuple[int, int] = (240, 320),
    *,
    distance: float = 0.0267,
    half_height: float = 0.010375,
    half_width: float = 0.012625,
    near: float = 1e-4,
) -> np.ndarray:
    """The depth image of TacSL: metres along the axis of a pinhole camera ``distance`` behind the rest plane.

    The defaults are TacSL's for a GelSight Mini: the image spans the rest plane by twice ``half_height`` and
    ``half_width``; nothing is nearer than ``near``. The middle of the height map lies on the axis. TacSL's own depth
    shows the rigid indenter: give it ``press_skin(..., skin="rigid")``. A batch (n, rows, cols) gives (n, *shape).
    """
    array = _maps(height, "height")
    if array.ndim == 3:
        return np.stack(
            [
                depth_image(
                    a, pixel, shape, distance=distance, half_height=half_height, half_width=half_width, near=near
                )
                for a in array
            ]
        )
    return _core.depth_image(array, pixel, *shape, distance, half_height, half_width, near)


def _mean_over(image: np.ndarray, count: int, edge: float) -> np.ndarray:
    """Means over ``count`` windows of ``edge`` rows about the middle of the image's rows."""
    total = np.concatenate([np.zeros((1, *image.shape[1:])), np.cumsum(image, axis=0, dtype=float)])
    at = 0.5 * (len(image) - count * edge) + edge * np.arange(count + 1)
    low = np.clip(np.floor(at).astype(int), 0, len(image) - 1)
    share = np.clip(at - low, 0, 1)[:, None, None]
    return np.diff(total[low] * (1 - share) + total[low + 1] * share, axis=0) / edge


class TactileCamera(Immutable):
    """What a camera behind a gel sees: the untouched image, and how colour follows the slope of the gel.

    background: (rows, cols, 3) RGB, 0 to 255; pixel: edge of a pixel on the gel, m; table: (nodes, nodes, 6, 3), see
    docs/guide/tactile-image.md; lights: those that cast shadows; decay_length: of the gel's skin, m. `calibrate_image`
    makes one from photos. Threads may share it.
    """

    def __init__(
        self, background: Any, pixel: float, table: Any, lights: Iterable[Light] = (), decay_length: float = 1e-3
    ) -> None:
        self.background = np.ascontiguousarray(background, dtype=np.float32)
        if self.background.ndim != 3 or self.background.shape[2] != 3:
            raise _core.Error(f"background: give (rows, cols, 3); got shape {self.background.shape}")
        self.table = np.ascontiguousarray(table, dtype=np.float32)
        if self.table.ndim != 4 or self.table.shape[2:] != (6, 3):
            raise _core.Error(f"table: give (nodes, nodes, 6, 3); got shape {self.table.shape}")
        self.pixel = float(pixel)
        self.lights = tuple(lights)
        self.decay_length = float(decay_length)
        self._made = ((self.background, self.pixel, self.table, self.lights, self.decay_length), {})
        self.fit: ImageFit | None = None  # what calibrate_image found on the way
        self._core = _core.TactileCamera(
            self.background, self.pixel, self.table, [light.numbers() for light in self.lights]
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the image."""
        return self.background.shape[:2]

    def press(self, penetration: Any, skin: str = "membrane") -> np.ndarray:
        """The gel's surface under an indenter (see `press_skin`), with this camera's pixel and decay length."""
        return press_skin(penetration, self.pixel, decay_length=self.decay_length, skin=skin)

    def render(
        self,
        height: Any,
        *,
        shadows: bool = True,
        markers: Any = None,
        marker_radius: float = 4.0,
        as_float: bool = False,
    ) -> np.ndarray:
        """(rows, cols, 3) uint8 photo of the surface ``height`` (m); a batch (n, rows, cols) gives n photos.

        ``markers``: (m, 2) places in pixels to draw dots at, or (n, m, 2) for a batch. ``as_float`` keeps fractions of
        grey levels.
        """
        array = _maps(height, "height")
        if array.ndim == 3:
            spots: Any = [None] * len(array) if markers is None else np.asarray(markers, dtype=float)
            if markers is not None and (spots.ndim != 3 or len(spots) != len(array)):
                raise _core.Error(f"markers: give (n, m, 2) with n = {len(array)} for this batch; got {spots.shape}")
            return np.stack(
                [
                    self.render(a, shadows=shadows, markers=s, marker_radius=marker_radius, as_float=as_float)
                    for a, s in zip(array, spots, strict=True)
                ]
            )
        image = self._core.render(array, shadows)
        if markers is not None:
            image = draw_markers(image, markers, marker_radius)
        return image if as_float else _core.to_bytes(image).reshape(image.shape)

    def grey(self, height: Any, **options: Any) -> np.ndarray:
        """(rows, cols) uint8: luma (ITU-R BT.601) of what `render` gives; batches as there."""
        image = self.render(height, **{**options, "as_float": True})
        if image.ndim == 4:
            grey = np.stack([_core.to_grey(np.ascontiguousarray(i)) for i in image])
        else:
            grey = np.asarray(_core.to_grey(image))
        return grey if options.get("as_float") else _core.to_bytes(grey).reshape(grey.shape)

    def resized(self, shape: tuple[int, int]) -> TactileCamera:
        """The same camera with ``shape`` = (rows, cols) square pixels.

        It sees the largest rectangle of that shape about the middle of this camera's image; its untouched image is the
        mean of what each pixel covers. Where the sides are not in proportion, rims are cut off.
        """
        rows, cols = (int(n) for n in shape)
        if rows < 3 or cols < 3:
            raise _core.Error(f"shape is {tuple(shape)}; give at least 3 rows and 3 columns")
        edge = min(self.shape[0] / rows, self.shape[1] / cols)  # of a new pixel, in old ones
        ground = _mean_over(self.background, rows, edge)
        ground = _mean_over(ground.transpose(1, 0, 2), cols, edge).transpose(1, 0, 2)
        x, y = cols * edge / self.shape[1], rows * edge / self.shape[0]  # share of the old image
        terms = np.array([1, x, y, x * x, x * y, y * y], np.float32)  # of the polynomial of the place
        return TactileCamera(ground, self.pixel * edge, self.table * terms[:, None], self.lights, self.decay_length)

    def batch(
        self, object: Any, worlds: int, fingers: int = 1, *, shape: tuple[int, int] | None = (80, 60), **options: Any
    ) -> ImageBatch:
        """Grey images of many worlds from the poses of ``object``, by ``self.resized(shape)`` (None: as it is).

        taxel.image.ImageBatch has the options: device, threads, skin, output, depth, center, right, down, max_depth.
        """
        from .batch import ImageBatch

        return ImageBatch(self if shape is None else self.resized(shape), object, worlds, fingers, **options)

    def save(self, path: str | os.PathLike) -> None:
        """To an .npz file of plain arrays."""
        lights = np.array([light.numbers() for light in self.lights], dtype=float).reshape(-1, 6)
        with open(path, "wb") as file:
            np.savez_compressed(
                file,
                format=FORMAT,
                background=self.background,
                pixel=self.pixel,
                table=self.table,
                lights=lights,
                decay_length=self.decay_length,
            )

    @classmethod
    def load(cls, path: str | os.PathLike) -> TactileCamera:
        """From a file of `save`."""
        try:
            with np.load(path, allow_pickle=False) as data:
                held = {key: data[key] for key in data.files}
        except FileNotFoundError:
            raise
        except Exception as problem:
            raise _core.Error(f"{os.fspath(path)}: not a camera file of taxel ({problem})") from None
        missing = {"format", "background", "pixel", "table", "lights", "decay_length"} - held.keys()
        if missing:
            raise _core.Error(f"{os.fspath(path)}: not a camera file of taxel; it lacks {', '.join(sorted(missing))}")
        if int(held["format"]) != FORMAT:
            raise _core.Error(f"{os.fspath(path)}: format {int(held['format'])}; this taxel reads format {FORMAT}")
        lights = [Light(a, s, w, (r, g, b)) for a, s, w, r, g, b in np.asarray(held["lights"], float).tolist()]
        return cls(held["background"], float(held["pixel"]), held["table"], lights, float(held["decay_length"]))
