"""Scenes for tests of marker batches in many worlds: arrays of an engine, turned points, grasped pegs."""

import numpy as np
from batch_paths import turn

import taxel


def random_turns(seed: int, worlds: int, axis: int | None) -> np.ndarray:
    """(worlds, 4, 4) about one axis, or about any."""
    rng = np.random.default_rng(seed)
    out = np.tile(np.eye(4), (worlds, 1, 1))
    for w in range(worlds):
        vector = rng.normal(size=3) if axis is None else np.eye(3)[axis]
        out[w, :3, :3] = turn(rng.uniform(-np.pi, np.pi) * vector / np.linalg.norm(vector))
    return out


def in_world(X_PI: np.ndarray, seed: int, away: float = 0.3):
    """Poses (T, worlds, 2, 4, 4) as arrays of 6 geoms: pads in the rows 4 and 1, the object in row 2, each on an offset
    of its world; noise elsewhere. pad_offsets, object_offsets, [(position, rotation), ...]"""
    steps, worlds, fingers = X_PI.shape[:3]
    rng = np.random.default_rng(seed)
    pose = lambda far: taxel.pose(rng.normal(0, far, 3), R=turn(rng.normal(size=3)))  # noqa: E731
    pads = np.array([[pose(5e-3) for _ in range(fingers)] for _ in range(worlds)])
    things = np.array([[pose(5e-3)] for _ in range(worlds)])
    arrays = []
    for t in range(steps):
        p, R = rng.normal(size=(worlds, 6, 3)), rng.normal(size=(worlds, 6, 3, 3))
        for w in range(worlds):
            X_WI = pose(away)
            rows = {2: X_WI @ np.linalg.inv(things[w, 0])}
            for f, row in enumerate((4, 1)):
                rows[row] = X_WI @ np.linalg.inv(X_PI[t, w, f]) @ np.linalg.inv(pads[w, f])
            for row, X in rows.items():
                p[w, row], R[w, row] = X[:3, 3], X[:3, :3]
        arrays.append((p, R))
    return pads, things, arrays


PEG_RADIUS, PEG_LENGTH = 4e-3, 60e-3


def peg_field(mode: str = "taxel") -> taxel.MarkerField:
    mini = taxel.gelsight_mini_markers(dome=False)
    peg = taxel.Body.cylinder(PEG_RADIUS, PEG_LENGTH)
    return taxel.MarkerField(mini.pad, mini.markers, peg, mode, radius=0.75e-3)


def grasped_pegs(rng: np.random.Generator, worlds: int):
    """Poses (worlds, 1, 4, 4) of pegs along y of the pad, 0.5 mm deep, and the shifts (m) along and across them."""
    axial, across = rng.uniform(-2e-3, 2e-3, (2, worlds))
    X = np.tile(taxel.pose(rpy=(-np.pi / 2, 0, 0)), (worlds, 1, 1, 1))
    X[:, 0, 0, 3], X[:, 0, 1, 3], X[:, 0, 2, 3] = across, axial, 2e-3 + PEG_RADIUS - 0.5e-3
    return X, axial, across


def axial_fit(markers: np.ndarray, wanted: np.ndarray) -> float:
    """Root mean square error on the second half of the worlds of a linear fit to the first, in the unit of wanted."""
    n = len(wanted) // 2
    A = np.concatenate([markers[..., :2].reshape(len(wanted), -1), np.ones((len(wanted), 1))], axis=1)
    weights = np.linalg.lstsq(A[:n], wanted[:n], rcond=None)[0]
    return float(np.sqrt(np.mean((A[n:] @ weights - wanted[n:]) ** 2)))
