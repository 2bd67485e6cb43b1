"""Where is the can? Its pixels in MuJoCo's segmentation image, their depth, and a circle through the rim of its top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...viewer.offscreen import Offscreen, View

VIEW = View((-0.02, 0.0, 0.0), 0.62, 90, -52)
SIZE = (640, 480)
TOP = 2.5e-3  # m: pixels so far below the highest one belong to the top


@dataclass(frozen=True)
class Found:
    """What the picture says of one geom."""

    center: np.ndarray
    """Middle of its top, m, world."""
    radius: float
    pixels: int
    """Of it in the picture."""
    color: np.ndarray
    """(H, W, 3), 8 bit."""
    labels: np.ndarray
    """(H, W): geom, -1 for none."""
    depth: np.ndarray
    """(H, W), m along the line of sight of the middle pixel."""


class DepthCamera(Offscreen):
    """Colour, geom and depth of every pixel."""

    def segment(self, data: Any, view: View) -> tuple[np.ndarray, np.ndarray]:
        """Geom (-1: none) and depth (m) of every pixel, (H, W)."""
        mujoco = self._mujoco
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        try:
            pixels = self(data, view).astype(int)
            self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
            raw = np.empty((self.height, self.width), np.float32)
            mujoco.mjr_readPixels(None, raw, self._rectangle, self._context)
        finally:
            flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 0
        index = pixels[..., 0] + (pixels[..., 1] << 8) + (pixels[..., 2] << 16)
        names = np.full(self._scene.ngeom + 1, -1)
        for k in range(self._scene.ngeom):
            geom = self._scene.geoms[k]
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and geom.segid >= 0:
                names[geom.segid + 1] = geom.objid
        near, far = (float(z) * self.model.stat.extent for z in (self.model.vis.map.znear, self.model.vis.map.zfar))
        # 1 at the near plane, 0 at the far one, where floats are finest.
        depth = near * far / (near + raw[::-1].astype(float) * (far - near))
        return names[np.minimum(index, self._scene.ngeom)], depth

    def points(self, depth: np.ndarray) -> np.ndarray:
        """(H, W, 3) in the world, of the picture drawn last."""
        first, second = self._scene.camera[0], self._scene.camera[1]
        p = 0.5 * (np.array(first.pos) + np.array(second.pos))
        forward, up = np.array(first.forward, float), np.array(first.up, float)
        right = np.cross(forward, up)
        tangent = first.frustum_top / first.frustum_near
        u = (np.arange(self.width) + 0.5 - 0.5 * self.width) / (0.5 * self.height) * tangent
        v = (0.5 * self.height - np.arange(self.height) - 0.5) / (0.5 * self.height) * tangent
        ray = forward + u[None, :, None] * right + v[:, None, None] * up
        return p + depth[..., None] * ray


def circle(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Middle and radius of the circle nearest to points (N, 2): x^2 + y^2 = 2 a x + 2 b y + c, least squares."""
    middle = points.mean(axis=0)
    q = points - middle
    solution = np.linalg.lstsq(np.c_[2 * q, np.ones(len(q))], (q**2).sum(axis=1), rcond=None)[0]
    return middle + solution[:2], float(np.sqrt(solution[2] + solution[:2] @ solution[:2]))


def rim(points: np.ndarray, sectors: int = 72) -> np.ndarray:
    """The farthest point from the middle in every sector."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    q = points - middle
    sector = ((np.arctan2(q[:, 1], q[:, 0]) / (2 * np.pi) + 0.5) * sectors).astype(int) % sectors
    far = (q**2).sum(axis=1)
    return np.array([points[sector == s][np.argmax(far[sector == s])] for s in np.unique(sector)])


def find(model: Any, data: Any, geom: str) -> Found:
    """Looks for a geom in a picture of the scene. Raises taxel.Error where it is hidden, or OpenGL is missing."""
    from ... import _core

    with DepthCamera(model, *SIZE) as camera:
        labels, depth = camera.segment(data, VIEW)
        points = camera.points(depth)
        color = camera(data, VIEW)
    mask = labels == model.geom(geom).id
    if mask.sum() < 50:
        raise _core.Error(f"geom {geom!r} has {int(mask.sum())} pixels in the picture; turn the camera towards it")
    own = points[mask]
    height = float(np.percentile(own[:, 2], 99))
    top = own[own[:, 2] > height - TOP]
    center, radius = circle(rim(top[:, :2]))
    return Found(np.array([*center, height]), radius, int(mask.sum()), color, labels, depth)
