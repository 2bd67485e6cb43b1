"""What the model says of a press: force and taxel pressures at a depth, for a modulus of 1 Pa.

The pressure field of the pad is proportional to its modulus and the indenter is rigid, so forces and pressures are too:
everything here is per Pa, and the fit of a modulus is one factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Body, Error
from ..common.convert import pose
from ..contact import contact, contact_batch
from ..skin import Skin
from .presses import Indenter, Pad, Presses

MODULUS = 1e4  # of the pad in the queries; any
DEEPEST = 0.95  # of the thickness


class PressModel:
    """The pad of a recording and its indenters, ready for queries."""

    def __init__(self, presses: Presses) -> None:
        pad = presses.pad
        self.pad, self.presses = pad, presses
        try:
            options = dict(pad.body)
            self.body = Body.box(options.pop("size"), MODULUS, **options)
            self.skin = Skin(self.body, **pad.skin)
        except Error as error:
            raise Error(f"the pad: {error}") from None
        self.bodies = [make_indenter(one, pad) for one in presses.indenters]
        self.X_WP = pose((0, 0, -0.5 * pad.thickness))
        self.deepest = DEEPEST * pad.thickness

    def _unique(self, frames: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(which frames to ask for, their depths, and for each frame whose answer is its own)."""
        keys = np.column_stack([self.presses.indenter[frames], self.presses.pose[frames], np.round(depth, 10)])
        _, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return frames[first], depth[first], back.ravel()

    def _X_WB(self, frame: int, depth: float) -> np.ndarray:
        k = self.presses.indenter[frame]
        return indenter_pose(self.presses.indenters[k], self.pad, self.presses.pose[frame], depth)

    def forces(self, frames: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Force along z on the indenter over the modulus, m2."""
        asked, depths, back = self._unique(np.asarray(frames), np.minimum(depth, self.deepest))
        out = np.zeros(len(asked))
        for k, body in enumerate(self.bodies):
            mine = np.flatnonzero((self.presses.indenter[asked] == k) & (depths > 0))
            if len(mine):
                X_WB = np.array([self._X_WB(asked[i], depths[i]) for i in mine])
                found = contact_batch(self.body, self.X_WP, body, X_WB)
                out[mine] = -found.force_on_A[:, 2] / MODULUS
        return out[back]

    def pressures(self, frames: np.ndarray, depth: np.ndarray, progress: Any = None) -> np.ndarray:
        """(frames, taxels): pressure over the modulus."""
        asked, depths, back = self._unique(np.asarray(frames), np.minimum(depth, self.deepest))
        out = np.zeros((len(asked), self.pad.taxels))
        items = range(len(asked))
        for i in items if progress is None else progress(items, "model"):
            if depths[i] > 0:
                body = self.bodies[self.presses.indenter[asked[i]]]
                surface = contact(self.body, self.X_WP, body, self._X_WB(asked[i], depths[i]))
                out[i] = self.skin.read(surface, self.X_WP).values.ravel() / MODULUS
        return out[back]

    def depths_for(self, frames: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Depths at which the forces (over the modulus) are ``forces``; NaN where the pad cannot give so much."""
        frames, target = np.asarray(frames), np.asarray(forces, float)
        low, high = np.zeros(len(frames)), np.full(len(frames), self.deepest)
        f_low, f_high = -target, self.forces(frames, high) - target
        depth = np.where(target <= 0, 0.0, np.where(f_high < 0, np.nan, high))
        active = np.flatnonzero((target > 0) & (f_high >= 0))
        # The force grows like a power of depth: false position on the square root, halving every third time.
        for k in range(40):
            if not len(active):
                break
            a, b = (np.sqrt(np.maximum(f + target[active], 0)) for f in (f_low[active], f_high[active]))
            share = (np.sqrt(target[active]) - a) / np.maximum(b - a, 1e-300)
            share = np.full(len(active), 0.5) if k % 3 == 2 else np.clip(share, 0.02, 0.98)
            x = low[active] + share * (high[active] - low[active])
            f = self.forces(frames[active], x) - target[active]
            depth[active] = x
            below = f < 0
            low[active[below]], f_low[active[below]] = x[below], f[below]
            high[active[~below]], f_high[active[~below]] = x[~below], f[~below]
            open_ = (np.abs(f) > 1e-6 * target[active]) & (high[active] - low[active] > 1e-10)
            active = active[open_]
        return depth


def make_indenter(one: Indenter, pad: Pad) -> Body:
    height = _height(pad)
    if one.kind == "sphere":
        return Body.sphere(one.radius)
    if one.kind == "box":
        return Body.box((one.length, one.width, height))
    return Body.cylinder(one.radius, one.length if one.kind == "cylinder" else height)


def _height(pad: Pad) -> float:
    return 4 * pad.thickness  # of punches: their far end stays above the pad


def indenter_pose(one: Indenter, pad: Pad, place: Any, depth: float) -> np.ndarray:
    """Pose with the lowest point ``depth`` below z = 0 and the middle of the lower side over (x, y)."""
    x, y, yaw, pitch, roll = place
    if one.kind == "sphere":
        return pose((x, y, one.radius - depth))
    half = 0.5 * _height(pad)
    if one.kind == "cylinder":
        # Turning about its own axis changes nothing; the body's axis is z, the indenter's x.
        R = pose(rpy=(0, pitch, yaw))[:3, :3]
        X = pose(R=R @ pose(rpy=(0, 0.5 * np.pi, 0))[:3, :3])
        up = abs(R[2, 0])
        lowest = 0.5 * one.length * up + one.radius * np.sqrt(max(0.0, 1 - up * up))
        tip = R @ (0, 0, -one.radius)
    else:
        X = pose(rpy=(roll, pitch, yaw))
        R = X[:3, :3]
        if one.kind == "flat":
            up = abs(R[2, 2])
            lowest = half * up + one.radius * np.sqrt(max(0.0, 1 - up * up))
        else:
            lowest = float(np.abs(R[2]) @ (0.5 * one.length, 0.5 * one.width, half))
        tip = R @ (0, 0, -half)
    X[:3, 3] = x - tip[0], y - tip[1], lowest - depth
    return X
