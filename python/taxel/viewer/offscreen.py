"""Pictures of a MuJoCo scene without a screen."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core


@dataclass(frozen=True)
class View:
    """Where the camera looks at, and from where: m, degrees."""

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float


class Offscreen:
    """Draws a model with MuJoCo's renderer into memory.

        with Offscreen(model, 640, 480) as camera:
            pixels = camera(data, View((0, 0, 0.1), 0.5, 120, -20))     # (480, 640, 3), 8 bit

    Without a screen it takes EGL by itself; ``MUJOCO_GL`` (egl, osmesa, glfw) decides otherwise. Where there is no
    OpenGL it raises ``taxel.Error``.
    """

    def __init__(self, model: Any, width: int, height: int, *, max_geom: int = 20000) -> None:
        import mujoco

        self._mujoco, self.width, self.height, self.model = mujoco, width, height, model
        model.vis.global_.offwidth = max(model.vis.global_.offwidth, width)
        model.vis.global_.offheight = max(model.vis.global_.offheight, height)
        try:
            self._gl = _context(mujoco)(width, height)
            self._gl.make_current()
            self._scene = mujoco.MjvScene(model, maxgeom=max_geom)
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        except Exception as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise _core.Error(
                f"there is no OpenGL to draw the scene with ({reason}); "
                "install it (Debian: apt install libegl1 libgl1-mesa-dri), or set MUJOCO_GL=osmesa or glfw"
            ) from None
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._option = mujoco.MjvOption()
        self._rectangle = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.empty((height, width, 3), np.uint8)

    def __call__(self, data: Any, view: Any) -> np.ndarray:
        """The scene at the state of ``data``, seen by a View or a mujoco.MjvCamera; a copy of one's own."""
        mujoco = self._mujoco
        camera = view
        if isinstance(view, View):
            camera = mujoco.MjvCamera()
            camera.lookat[:] = view.lookat
            camera.distance, camera.azimuth, camera.elevation = view.distance, view.azimuth, view.elevation
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self.model, data, self._option, None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene
        )
        mujoco.mjr_render(self._rectangle, self._scene, self._context)
        mujoco.mjr_readPixels(self._pixels, None, self._rectangle, self._context)
        return self._pixels[::-1].copy()

    def close(self) -> None:
        if self._gl is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._gl = None

    def __enter__(self) -> Offscreen:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_offscreen(out: Any, model: Any, width: int, height: int) -> Offscreen | None:
    """The same for commands that go on without pictures: None where there is no OpenGL, said through ``out.print``."""
    try:
        return Offscreen(model, width, height)
    except _core.Error as error:
        out.print(f"no pictures of the scene: {error}")
        return None


def _context(mujoco: Any) -> Any:
    """What MUJOCO_GL says now: MuJoCo read it when it was imported, and a package may have set it since (robosuite)."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    wanted = os.environ.get("MUJOCO_GL", "" if screen else "egl").lower()
    if sys.platform == "linux" and wanted == "egl":
        from mujoco.egl import GLContext

        return GLContext
    if sys.platform == "linux" and wanted == "osmesa":
        from mujoco.osmesa import GLContext as Software

        return Software
    return mujoco.GLContext
