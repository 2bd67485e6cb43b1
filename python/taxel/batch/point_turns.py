"""Where an object's sample points lie in its own frame, a world: so that the sample is no fingerprint."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..common.convert import rigid_pose
from ..marker import MarkerDistance

_CHECKED = 48  # points of an object that must stay on its surface
_TOLERANCE = 2e-5  # m; facets of a round mesh


def checked_turns(poses: Any, points: list[np.ndarray], indenters: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """(worlds, objects, 4, 4), each of which takes the object's surface to itself.

    points  (P, 3) of each object;  shape  (worlds, objects)
    """
    where = "MarkerBatch.turn_points"
    out = np.array(poses, float)
    if out.shape == (shape[0], 4, 4) and shape[1] == 1:
        out = out[:, None]
    if out.shape != (*shape, 4, 4):
        raise _core.Error(
            f"{where}: poses have the shape {out.shape}; give ({shape[0]}, {shape[1]}, 4, 4), one a world"
        )
    for w, k in np.ndindex(*shape):
        rigid_pose(out[w, k], f"{where}: the pose of world {w}, object {k}")
    for k, (all_points, indenter) in enumerate(zip(points, indenters, strict=True)):
        some = all_points[:: max(1, len(all_points) // _CHECKED)]
        turned = np.einsum("wij,pj->wpi", out[:, k, :3, :3], some) + out[:, k, None, :3, 3]
        distance = indenter if isinstance(indenter, MarkerDistance) else MarkerDistance(indenter)
        off = np.abs(distance(turned.reshape(-1, 3)).reshape(len(out), -1) - distance(some)).max(axis=1)
        world = int(off.argmax())
        if not off[world] <= _TOLERANCE:
            raise _core.Error(
                f"{where}: the pose of world {world}, object {k} moves points {1e3 * off[world]:.3g} mm off the object"
                "; give turns that leave its shape as it is, or sample its points anew (MarkerField(..., seed=))"
            )
    return out
