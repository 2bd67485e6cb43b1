"""Samples from photos: the dots of a gel are tracked, the poses come from a file.

folder/reference.png      the untouched gel
folder/press_0.png        the gel at the end of the path of sample press_0 ...
folder/slip_3/*.png       ... or a film of it, in the order of the names, where dots move more than half a pitch
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Error
from ..image.dots import DotTracker
from .marker_samples import PIXEL, MarkerSample, MarkerSamples, read_poses

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp")


def read_photo(path: Path) -> np.ndarray:
    """(rows, cols, 3) uint8."""
    try:
        from PIL import Image
    except ImportError:
        raise Error("reading photos needs Pillow; install it with: pip install pillow") from None
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except FileNotFoundError:
        raise Error(f"{path}: no such photo") from None
    except OSError as error:
        raise Error(f"{path}: cannot be read as a photo ({error})") from None


def _photos(folder: Path, name: str) -> list[Path]:
    if (folder / name).is_dir():
        film = sorted(p for p in (folder / name).iterdir() if p.suffix.lower() in SUFFIXES)
        if film:
            return film
        raise Error(f"{folder / name}: there are no photos in it; give {', '.join(SUFFIXES)}")
    for suffix in SUFFIXES:
        if (folder / f"{name}{suffix}").is_file():
            return [folder / f"{name}{suffix}"]
    raise Error(f"{folder}: there is no photo {name}.png and no folder {name}, but poses of that sample")


def samples_from_images(
    folder: str | Path,
    poses: str | Path,
    *,
    pixel: float = PIXEL,
    origin_px: Sequence[float] | None = None,
    reference: str = "reference.png",
    dot_radius: float | None = None,
    progress: Callable[..., Iterable[Any]] | None = None,
) -> MarkerSamples:
    """Tracks the dots in the photos of every sample of the file of poses.

    pixel      edge of a pixel on the gel, m
    origin_px  column and row of the pad's origin; the middle of the photo if left out
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise Error(f"{folder}: no such folder of photos")
    if not pixel > 0:
        raise Error(f"pixel is {pixel}; give its edge on the gel in m, above 0")
    paths, kinds = read_poses(poses)
    untouched = read_photo(folder / reference)
    rows, cols = untouched.shape[:2]
    origin = np.array(((cols - 1) / 2, (rows - 1) / 2) if origin_px is None else origin_px, dtype=float)
    tracker = DotTracker(untouched, dot_radius=dot_radius)
    samples = []
    for name, path in progress(list(paths.items()), "photos") if progress else paths.items():
        tracker.reset()
        for photo in _photos(folder, name):
            image = read_photo(photo)
            if image.shape != untouched.shape:
                raise Error(f"{photo}: {image.shape[1]} x {image.shape[0]} px, but {reference} is {cols} x {rows}")
            tracks = tracker.update(image)
        if not tracks.found.any():
            raise Error(f"{photo}: none of the {len(tracks.rest)} dots of {reference} was found: {tracks.reason[0]}")
        samples.append(MarkerSample(kinds[name], path, tracks.displacement, name))
    return MarkerSamples(tuple(samples), (tracker.rest - origin) * pixel, pixel)
