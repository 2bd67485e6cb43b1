"""A press without elasticity, in place of taxel.EipPress where only its shapes and frames matter.

Two pads close on the object along y of the unit domain D until the mean squared push is PUSH; a point of the layer is
pushed in by how far the object reaches past it, blurred as a gel would drape. Objects are (vertices, triangles).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import torch

from taxel.learn.views import rasterize

LATTICE, PAD = 61, 0.24
PUSH = 5e-5
BLUR = 0.008


class ImprintPress:
    def run(self, objects, which, X_DO):
        n = len(which)
        images = np.zeros((n, 2, LATTICE, LATTICE, 3), dtype=np.float32)
        X_DP = np.tile(np.eye(4), (n, 2, 1, 1))
        for k in range(n):
            vertices, triangles = objects[which[k]]
            p_D = vertices @ X_DO[k, :3, :3].T + X_DO[k, :3, 3]
            for side, sign in enumerate((1.0, -1.0)):
                # z of the pad points at the object; x of the pad is x of D
                R_DP = np.column_stack([(1, 0, 0), (0, 0, -sign), (0, sign, 0)])
                p_P = (p_D - 0.5) @ R_DP
                surface = _nearest_height(p_P, triangles)
                reach = surface.min()
                sunk = _sink(surface, reach)
                images[k, side, :, :, 2] = -_push(surface, reach, sunk)
                X_DP[k, side, :3, :3] = R_DP
                X_DP[k, side, :3, 3] = 0.5 + R_DP @ (0, 0, reach + sunk)
        return SimpleNamespace(images=images, X_DP=X_DP)


def _nearest_height(p_P, triangles):
    """(61, 61): z of the object over each point of the layer, rows along x, seen from the pad; inf where it is not."""
    corners = torch.as_tensor(p_P[triangles], dtype=torch.float32)
    # rasterize takes 1/depth to be linear in the picture; seen in parallel z is, so 2 - z goes in its place
    number, depth = rasterize(corners[None, ..., [1, 0]] / (0.5 * PAD), 1 / (2 - corners[None, ..., 2]), LATTICE)
    z = 2 - 1 / depth[0].clamp_min(1e-9)
    return np.where(number[0] >= 0, z.numpy(), np.inf)


def _push(surface, reach, sunk):
    overlap = np.clip(reach + sunk - surface, 0, None)
    width = BLUR / (PAD / LATTICE)
    kernel = np.exp(-0.5 * (np.arange(-6, 7) / width) ** 2)
    kernel /= kernel.sum()
    blurred = overlap
    for axis in (0, 1):
        blurred = np.apply_along_axis(np.convolve, axis, blurred, kernel, mode="same")
    return np.maximum(overlap, blurred)


def _sink(surface, reach):
    low, high = 0.0, 0.03
    for _ in range(12):
        middle = 0.5 * (low + high)
        if np.mean(_push(surface, reach, middle) ** 2) < PUSH:
            low = middle
        else:
            high = middle
    return high
