"""Frames to an animated GIF: one palette for all, no dither, small enough for a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core

LARGEST = 3_000_000  # bytes


def write_gif(path: str | Path, frames: Sequence[np.ndarray], fps: float = 20.0, *, largest: int = LARGEST) -> Path:
    """Writes frames (height, width, 3), 8 bit, all of one size; needs Pillow, which comes with matplotlib.

    Where the file would be larger than ``largest`` bytes, every second frame is left out, then the pictures are made
    smaller, until it is not. The playing time stays.
    """
    path = Path(path)
    if not len(frames):
        raise _core.Error(f"write_gif {path}: there are no frames")
    if not fps > 0:
        raise _core.Error(f"write_gif {path}: fps is {fps!r}; give a positive number")
    sizes = {np.shape(frame) for frame in frames}
    if len(sizes) > 1 or len(next(iter(sizes))) != 3 or next(iter(sizes))[2] != 3:
        raise _core.Error(
            f"write_gif {path}: frames have the shapes {sorted(sizes)}; give (height, width, 3), all alike"
        )
    Image = _pillow()
    pictures = [Image.fromarray(np.ascontiguousarray(frame, np.uint8)) for frame in frames]
    duration = 1000.0 / fps
    for attempt in range(8):
        _save(Image, path, pictures, duration)
        if path.stat().st_size <= largest or (len(pictures) < 8 and attempt > 4):
            break
        if attempt % 2 == 0 and len(pictures) >= 40:
            pictures, duration = pictures[::2], 2 * duration
        else:
            width, height = pictures[0].size
            small = (max(2, round(0.82 * width)), max(2, round(0.82 * height)))
            pictures = [p.resize(small, Image.Resampling.LANCZOS) for p in pictures]
    return path


def _save(Image: Any, path: Path, pictures: list[Any], duration: float) -> None:
    # One palette, from a sheet of a few frames: colours do not flicker, and only what moves is stored.
    few = pictures[:: max(1, len(pictures) // 6)]
    width, height = few[0].size
    sheet = Image.new("RGB", (width, height * len(few)))
    for k, picture in enumerate(few):
        sheet.paste(picture, (0, k * height))
    palette = sheet.quantize(255, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    flat = [p.quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures]
    # GIF counts in hundredths of a second.
    flat[0].save(
        path, save_all=True, append_images=flat[1:], duration=10 * max(2, round(duration / 10)), loop=0, optimize=False
    )


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("animated pictures need Pillow; run: pip install 'taxel[plot]'") from None
    return Image
