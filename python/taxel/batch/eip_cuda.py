"""EIP presses on a GPU: the batch of _core.CudaGel set up as ``taxel.EipPress`` says."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..gel import eip_pads
from ..gel.eip import LAYERS, SIDE, SIZE

WORLDS = 512
"""Presses at a time: some 16 GB of the GPU's memory."""
NODE_MASS = 4000
"""Particles of mass that a node can hold on the GPU."""


def run_on_gpu(
    o: dict[str, Any], shapes: list[Any], which: list[int], poses: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """images, X_DP, chamfer, steps, stopped as _core.run_eip_presses gives them."""
    _core.check_eip_options(o)
    n, grid = len(which), o["grid"]
    if len(poses) != n:
        raise _core.Error(f"EIP presses: {n} objects chosen and {len(poses)} poses; give one of each a press")
    if grid % 4:
        raise _core.Error(f"EIP presses on the GPU: grid is {grid}; give a multiple of 4")
    for k, index in enumerate(which):
        if not 0 <= index < len(shapes):
            raise _core.Error(f"EIP presses: press {k} asks for object {index}; there are {len(shapes)}")
    images = np.empty((n, 2, SIDE, SIDE, 3), np.float32)
    chamfer, steps, stopped = np.empty((n, 2)), np.empty(n, np.int64), np.empty(n, np.uint8)
    for k, index in enumerate(which):
        try:
            _core.check_eip_object(o, shapes[index], poses[k])
        except _core.Error as error:
            raise _core.Error(f"EIP presses: press {k}: {error}") from None
    worlds = min(max(n, 1), WORLDS)
    gel: Any = _make(o, shapes, worlds) if n else None
    travel = o["speed"] * o["dt"] * grid
    hands = np.zeros((worlds, 2, 3), np.float32)
    hands[:, 0, 1], hands[:, 1, 1] = travel, -travel
    for first in range(0, n, worlds):
        count = min(worlds, n - first)
        objects, X = np.full(worlds, -1, np.int32), np.tile(np.eye(4), (worlds, 1, 1))
        objects[:count], X[:count] = which[first : first + count], poses[first : first + count]
        X[:, :3, 3] *= grid
        try:
            gel.place(objects, np.ascontiguousarray(X), hands)
            gel.run(o["steps"])
        except _core.Error as error:
            if "since the last sort" not in str(error):
                raise
            # Pads that meet spring apart faster than they came: once more, sorted often.
            gel.place(objects, np.ascontiguousarray(X), hands)
            gel.step(o["steps"], sort_every=2)
        part = slice(first, first + count)
        images[part] = _to_pads(np.asarray(gel.images())[:count] / grid)
        chamfer[part] = np.asarray(gel.chamfer())[:count] / grid**2
        steps[part], stopped[part] = (np.asarray(a)[:count] for a in gel.stopped_steps())
    way = 0.5 * o["gap"] - o["speed"] * o["dt"] * steps
    X_DP = np.zeros((n, 2, 4, 4))
    X_DP[:, :, 3, 3] = 1
    for pad, side in ((0, 1.0), (1, -1.0)):
        X_DP[:, pad, :3, :3] = np.array([[1, 0, 0], [0, 0, side], [0, -side, 0]])
        X_DP[:, pad, :3, 3] = 0.5
        X_DP[:, pad, 1, 3] -= side * way
    return images, X_DP, chamfer, steps, stopped


def _to_pads(layers: np.ndarray) -> np.ndarray:
    """From the axes of D to the pads' frames: z out of the pad, x along x of D."""
    out = np.empty((*layers.shape[:2], SIDE, SIDE, 3), np.float32)
    for pad, side in ((0, 1.0), (1, -1.0)):
        u = layers[:, pad].reshape(-1, SIDE, SIDE, 3)
        out[:, pad] = np.stack([u[..., 0], -side * u[..., 2], side * u[..., 1]], axis=-1)
    return out


def _make(o: dict[str, Any], shapes: list[Any], worlds: int) -> Any:
    grid = o["grid"]
    pads = eip_pads(o["gap"])
    positions = np.concatenate([pad.points for pad in pads]) * grid
    layer = np.concatenate([pad.layers for pad in pads])
    each = len(pads[0].points)
    pad = np.repeat(np.array([0, 1], np.uint8), each)
    kappa = 4 * o["dt"] ** 2 * grid**2 / o["density"]
    nu, young = o["poisson"], o["young"]
    # Particle (i, j) of a contact layer in the order of images; y of pad 0's frame is -z of D.
    rows = np.arange(SIDE * SIDE, dtype=np.int32).reshape(SIDE, SIDE)
    contact = np.stack([rows[:, ::-1].ravel(), rows.ravel() + each]).astype(np.int32)
    extra: dict[str, Any] = {}
    if o["follow_blend"]:
        slope = np.zeros((2 * each, 3), np.float32)
        slope[:, 1] = np.where(pad == 0, 1.0, -1.0) / (SIZE[1] * grid)
        extra["alpha_slope"] = slope
    if o["mixing"]:
        step = 0.5 / grid
        extra["object_points"] = [_lattice(shape, step) for shape in shapes]
        particle = np.prod(SIZE) / each
        extra["point_mass"] = o["object_density"] / o["density"] * step**3 / particle
        # Eight points a cell; the GPU counts the mass of a node in words of 32 bits.
        if 8 * extra["point_mass"] > NODE_MASS:
            most = NODE_MASS / (8 * extra["point_mass"]) * o["object_density"]
            raise _core.Error(
                f"EIP presses on the GPU: object_density is {o['object_density']:g}; at grid {grid} give at most "
                f"{most:.3g}, or a finer grid"
            )
    return _core.CudaGel(
        np.ascontiguousarray(positions), [grid] * 3, worlds, kappa * young / (2 * (1 + nu)),
        kappa * young * nu / ((1 + nu) * (1 - 2 * nu)), pad=pad,
        alpha=np.ascontiguousarray(1 - layer / LAYERS, np.float32), contact=np.ascontiguousarray(contact),
        hand_offset=0.01 if o["hand_offset"] else 0.0, objects=list(shapes), unit=float(grid),
        stop_inside=not o["mixing"], mix_momentum=o["mixing"], stop_chamfer=max(o["chamfer"], 0.0) * grid**2,
        chamfer="sum" if o["sum"] else "mean", check_every=o["check_every"], **extra,
    )  # fmt: skip


def _lattice(shape: Any, step: float) -> np.ndarray:
    """Points of a lattice inside a shape, from the lower corner of its box."""
    low, high = shape.box
    axes = [a + step * (np.arange(int((b - a) / step) + 1) + 0.5) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.ascontiguousarray(points[np.asarray(shape(points)) < 0])
