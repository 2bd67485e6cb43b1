"""A pad that only knows geometry, with the face of ``taxel.EipPress``: what the press experiments are tested with.

Each pad goes on until its face overlaps the object by a depth that grows with the chamfer distance asked for. The
displacement along z is the overlap, smoothed; in the plane it is a part of its gradient.
"""

from types import SimpleNamespace

import numpy as np
from scipy.ndimage import gaussian_filter

SIDE = 0.24


def pad_poses() -> np.ndarray:
    """(2, 4, 4): frames of the pads at y = 0 of the domain's axes; z of pad 0 is up (+y), of pad 1 down."""
    X = np.tile(np.eye(4), (2, 1, 1))
    X[0, :3, :3] = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    X[1, :3, :3] = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    X[:, :3, 3] = 0.5
    return X


class StandInPress:
    def __init__(self, chamfer: float, beyond: float = 0.0, pixels: int = 61) -> None:
        self.depth, self.pixels, self.presses = 1.5 * np.sqrt(chamfer), pixels, 0

    def run(self, objects, which, X_DO):
        n, m = len(which), self.pixels
        images = np.zeros((n, 2, m, m, 3), dtype=np.float32)
        X_DP = np.tile(pad_poses(), (n, 1, 1, 1))
        at = SIDE * ((np.arange(m) + 0.5) / m - 0.5)
        face = np.zeros((m * m, 3))
        face[:, 0], face[:, 1] = (a.ravel() for a in np.meshgrid(at, at))
        for k in range(n):
            X_OD = np.linalg.inv(X_DO[k])
            for pad in (0, 1):
                X_OP = X_OD @ X_DP[k, pad]
                start, way = face @ X_OP[:3, :3].T + X_OP[:3, 3], X_OP[:3, 2]
                z = np.full(m * m, -0.2)
                live = np.arange(m * m)
                while len(live):
                    gap = objects[which[k]](start[live] + z[live, None] * way)
                    z[live] += 0.9 * np.maximum(gap, 5e-4)
                    live = live[(gap > 5e-4) & (z[live] < 0.1)]
                hit = z.min()
                X_DP[k, pad, :3, 3] += (hit + self.depth) * X_DP[k, pad, :3, 2]
                if hit > 0.09:
                    continue
                overlap = gaussian_filter(np.clip(hit + self.depth - z, 0, None).reshape(m, m), m / 61)
                dy, dx = np.gradient(overlap, SIDE / m)
                smooth = [gaussian_filter(g, 2 * m / 61) for g in (dx, dy)]
                image = np.stack([0.01 * smooth[0], 0.01 * smooth[1], -overlap], axis=-1)
                images[k, pad] = image.swapaxes(0, 1)  # as the elastic pad: x first
        self.presses += n
        energy = np.square(images).sum(axis=-1).mean(axis=(2, 3))
        return SimpleNamespace(images=images, X_DP=X_DP, chamfer=2 * energy, steps=np.full(n, 100))
