"""A film of a run in MuJoCo: the scene, and beside it what is felt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...viewer.gif import write_gif
from ...viewer.offscreen import Offscreen, View, open_offscreen
from ...viewer.panel import FAINT, Panel
from .taping import Taping

SCENE, SIDE = (520, 440), 270


class Film:
    """Frames of a run: the scene, and beside it what the fingers feel. Without OpenGL it stays empty."""

    def __init__(self, out: Any, model: Any, fps: float, wanted: bool = True, taping: Taping | None = None) -> None:
        self.camera: Offscreen | None = open_offscreen(out, model, *SCENE) if wanted else None
        self.frames: list[np.ndarray] = []
        self.fps, self._next, self.taping = fps, -np.inf, taping

    def due(self, data: Any) -> bool:
        """Time for a frame? Asked at every step: a recording, if there is one, gets its row here."""
        if self.taping is not None:
            self.taping(data)
        if self.camera is None or data.time < self._next - 1e-9:
            return False
        self._next = data.time + 1 / self.fps
        return True

    def shoot(self, data: Any, view: View, side: Callable[[Panel, int], None]) -> None:
        """``side(panel, x)`` draws the part beside the scene, from pixel x on."""
        if self.camera is None:
            return
        panel = Panel(SCENE[0] + SIDE, SCENE[1])
        panel.paste(self.camera(data, view), 0, 0)
        side(panel, SCENE[0] + 18)
        self.frames.append(panel.pixels())

    def close(self) -> None:
        if self.camera is not None:
            self.camera.close()
            self.camera = None
        if self.taping is not None:
            self.taping.close()


def save_film(out: Any, path: Path, frames: list[np.ndarray], fps: float) -> Path | None:
    if not frames:
        return None
    write_gif(path, frames, fps)
    out.print(f"film: {path}")
    return path


def still(out: Any, model: Any, data: Any, view: View, size: tuple[int, int] = (640, 560)) -> np.ndarray | None:
    """One picture of the scene; None without OpenGL."""
    camera = open_offscreen(out, model, *size)
    if camera is None:
        return None
    with camera:
        return camera(data, view)


__all__ = ["FAINT", "SCENE", "SIDE", "Film", "Panel", "View", "save_film", "still"]
