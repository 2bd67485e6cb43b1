"""Pictures of triangle meshes in torch, many at a time: one grey view of an object, as a camera would see it.

The camera's frame C: x to the right, y down, z forward. An object sits in the frame M: the axes of C, the origin
``Camera.distance`` in front of it. So only a rotation R_MO says how the object is seen.

A pixel keeps the nearest triangle that covers its middle (z-buffer); its grey is Lambert's law with one light that
moves with the camera, background black. No texture, no shadows, no lens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .orientation import need_torch

LIGHT = (-0.4, -0.7, -0.6)  # towards the light, in C: from the upper left, behind the camera
AMBIENT = 0.15
_DEPTH_STEPS = 2**30


@dataclass(frozen=True)
class Camera:
    """A pinhole; lengths in units of the object."""

    pixels: int = 112
    distance: float = 2.5
    half_width: float = 0.8
    """What half the picture shows at the origin of M."""

    @property
    def focal(self) -> float:
        """In half widths of the picture."""
        return self.distance / self.half_width

    def project(self, p_M: Any) -> Any:
        """(..., 2): where points (..., 3) are seen, -1 to 1 from the left (top) to the right (bottom) rim."""
        return self.focal * p_M[..., :2] / (p_M[..., 2:] + self.distance)


def rasterize(uv: Any, depth: Any, pixels: int) -> tuple[Any, Any]:
    """The nearest triangle of each pixel.

    uv     (B, F, 3, 2)  corners in the picture, -1 to 1
    depth  (B, F, 3)     positive
    Returns (B, H, W) the number of the triangle, -1 where there is none, and (B, H, W) its depth (0 there).

    Each triangle asks the pixels of a square window as large as the largest triangle, so big triangles should be
    divided first (``divided``).
    """
    torch = need_torch()
    pictures, faces = uv.shape[:2]
    corner = (0.5 * pixels) * (uv + 1).reshape(-1, 3, 2)  # pixel (i, j) covers [j, j+1] x [i, i+1]
    inverse = (1 / depth).reshape(-1, 3)
    a, b, c = corner.unbind(1)
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    low = torch.ceil(corner.amin(1) - 0.5)
    high = torch.floor(corner.amax(1) - 0.5)
    kept = (area.abs() > 1e-12) & (high >= low).all(1) & (high >= 0).all(1) & (low < pixels).all(1)
    kept = kept.nonzero()[:, 0]
    empty = torch.full((pictures * pixels * pixels,), torch.iinfo(torch.int64).max, device=uv.device)
    if not len(kept):
        return (torch.full((pictures, pixels, pixels), -1, device=uv.device),
                torch.zeros(pictures, pixels, pixels, device=uv.device))  # fmt: skip
    a, b, c, area, inverse, low, high = (x[kept] for x in (a, b, c, area, inverse, low, high))
    picture, face = kept // faces, kept % faces
    near, far = inverse.amax(), inverse.amin()
    scale = (_DEPTH_STEPS - 1) / (near - far).clamp_min(1e-12)
    width = int((high - low).amax()) + 1
    for k in range(width * width):
        at = low + torch.tensor([k % width, k // width], device=uv.device, dtype=low.dtype)
        q = at + 0.5
        wa = ((b - q)[:, 0] * (c - q)[:, 1] - (b - q)[:, 1] * (c - q)[:, 0]) / area
        wb = ((c - q)[:, 0] * (a - q)[:, 1] - (c - q)[:, 1] * (a - q)[:, 0]) / area
        wc = 1 - wa - wb
        hit = (wa >= 0) & (wb >= 0) & (wc >= 0) & (at >= 0).all(1) & (at < pixels).all(1)
        hit = hit.nonzero()[:, 0]
        # 1/depth is linear in the picture
        z = wa[hit] * inverse[hit, 0] + wb[hit] * inverse[hit, 1] + wc[hit] * inverse[hit, 2]
        key = ((near - z).clamp_min(0) * scale).long() * faces + face[hit]
        place = (picture[hit] * pixels + at[hit, 1].long()) * pixels + at[hit, 0].long()
        empty.scatter_reduce_(0, place, key, "amin")
    seen = empty < torch.iinfo(torch.int64).max
    found = torch.where(seen, empty % faces, -1)
    z = torch.where(seen, 1 / (near - (empty // faces) / scale), 0)
    shape = (pictures, pixels, pixels)
    return found.reshape(shape), z.reshape(shape)


def view(vertices_O: Any, faces: Any, R_MO: Any, camera: Camera = Camera()) -> Any:  # noqa: B008 (frozen)
    """(B, H, W) grey, 0 to 1, of a mesh (V, 3), (F, 3), or of B meshes (B, V, 3) with those faces; R_MO (B, 3, 3)."""
    torch = need_torch()
    p_M = torch.matmul(vertices_O, R_MO.transpose(1, 2))
    corners = p_M[:, faces]  # (B, F, 3, 3)
    number, _ = rasterize(camera.project(corners), corners[..., 2] + camera.distance, camera.pixels)
    normal = torch.linalg.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    normal = torch.nn.functional.normalize(normal, dim=-1)
    light = torch.tensor(LIGHT, device=normal.device, dtype=normal.dtype)
    grey = AMBIENT + (1 - AMBIENT) * (normal @ (light / light.norm())).clamp_min(0)
    seen = torch.gather(grey, 1, number.clamp_min(0).flatten(1)).reshape(number.shape)
    return torch.where(number >= 0, seen, torch.zeros_like(seen))


def divided(vertices: np.ndarray, triangles: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """The same surface with no edge longer than ``longest``: the longest edges are halved again and again."""
    corners = vertices[triangles]
    done = []
    while len(corners):
        length = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)  # of edge k, k+1
        fine = length.max(axis=1) <= longest
        done.append(corners[fine])
        corners, edge = corners[~fine], length[~fine].argmax(axis=1)
        rows = np.arange(len(corners))
        p, q, r = (corners[rows, (edge + k) % 3] for k in range(3))
        middle = 0.5 * (p + q)
        corners = np.concatenate([np.stack([p, middle, r], 1), np.stack([middle, q, r], 1)])
    flat = np.concatenate(done).reshape(-1, 3)
    unique, index = np.unique(flat, axis=0, return_inverse=True)
    return unique, index.reshape(-1, 3)


def random_rotations(count: int, rng: np.random.Generator) -> np.ndarray:
    """(count, 3, 3), uniform over all rotations (from unit quaternions)."""
    w, x, y, z = np.moveaxis(
        (lambda q: q / np.linalg.norm(q, axis=1, keepdims=True))(rng.normal(size=(count, 4))), 1, 0
    )
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
    ], axis=1)  # fmt: skip
