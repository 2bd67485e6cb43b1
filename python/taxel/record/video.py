"""Camera images of an episode as an MP4 file, and back. Needs PyAV."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .lerobot_layout import part_of

CODEC, QUALITY = "libx264", "18"  # visually without loss
KEY_EVERY = 10  # frames: a loader that wants one frame decodes at most so many


class VideoWriter:
    """H.264 at a constant rate, to ``part_of(path)``: the caller gives the file its name when it is finished."""

    def __init__(self, path: Path, height: int, width: int, rate: float) -> None:
        import av

        self.path, self._part = path, part_of(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.pixels = "yuv444p" if height % 2 or width % 2 else "yuv420p"  # halved colours need even edges
        step = 1 / Fraction(rate).limit_denominator(100_000)
        self._container = av.open(str(self._part), "w", format="mp4", options={"video_track_timescale": "90000"})
        stream: Any = self._container.add_stream(CODEC, rate=1 / step)
        stream.width, stream.height, stream.pix_fmt = width, height, self.pixels
        stream.options = {"crf": QUALITY, "preset": "veryfast", "g": str(KEY_EVERY), "bf": "0"}
        stream.time_base = step
        self._stream, self._step, self._count = stream, step, 0

    def write(self, pixels: np.ndarray) -> None:
        import av

        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = self._count, self._step
        self._container.mux(self._stream.encode(frame))
        self._count += 1

    def finish(self) -> None:
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def abandon(self) -> None:
        with contextlib.suppress(OSError):
            self._container.close()
        self._part.unlink(missing_ok=True)


def frames(path: Path) -> Iterator[np.ndarray]:
    """The pictures of a file, one after the other."""
    import av

    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            yield frame.to_ndarray(format="rgb24")
