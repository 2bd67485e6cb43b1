"""What the tests on a GPU share: when they can run, random ways into a gel, fields and cameras, memory to and fro.

torch is imported where it is used: under compute-sanitizer only our own kernels shall run.
"""

from __future__ import annotations

import numpy as np
import pytest

import taxel
from taxel.image import TactileCamera

AVAILABLE = taxel.cuda_available()
needs_gpu = [pytest.mark.gpu, pytest.mark.skipif(not AVAILABLE, reason="needs a GPU and libtaxel_cuda.so")]
"""For ``pytestmark`` of every module."""


def check(name: str, value: float, limit: float, unit: str = "") -> None:
    """Prints what was measured (``pytest -rP``) and fails above the limit."""
    print(f"{name}: {value:.3g} {unit} (at most {limit:g})")
    assert value <= limit, name


def rotations(rng: np.random.Generator, n: int, most: float) -> np.ndarray:
    """Turns of up to ``most`` radians about any axis, (n, 3, 3)."""
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(0, most, n)[:, None, None]
    K = np.zeros((n, 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    K -= K.transpose(0, 2, 1)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def paths(rng: np.random.Generator, copies: int, steps: int, height: float) -> np.ndarray:
    """Random ways in SE(3): pressed in, dragged, turned, lifted out and pressed in again; (steps, copies, 4, 4)."""
    X = np.tile(np.eye(4), (steps, copies, 1, 1))
    phase = np.linspace(0, 1, steps)[:, None]
    deep = rng.uniform(0.3e-3, 1.4e-3, copies) * np.sin(2 * np.pi * phase) ** 2 - 0.1e-3  # in, out, in again
    place, way = rng.uniform(-3e-3, 3e-3, (2, copies)), rng.normal(0, 1.5e-3, (2, copies))
    X[..., 0, 3], X[..., 1, 3] = place[0] + phase * way[0], place[1] + phase * way[1]
    X[..., 2, 3] = height - deep
    start, turn = rotations(rng, copies, 3.0), rng.uniform(-0.3, 0.3, (copies, 3))
    for t in range(steps):
        R = np.stack([np.eye(3)] * copies)
        for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
            a = phase[t, 0] * turn[:, k]
            P = np.stack([np.eye(3)] * copies)
            P[:, i, i] = P[:, j, j] = np.cos(a)
            P[:, i, j], P[:, j, i] = -np.sin(a), np.sin(a)
            R = P @ R
        X[t, :, :3, :3] = R @ start
    return X


def in_world(relative: np.ndarray, rng: np.random.Generator, count: int, away: float) -> tuple[np.ndarray, ...]:
    """Poses (worlds, 4, 4) of objects in their pads as arrays of ``count`` geoms: the pad in row 4, on an offset in
    its geom, the object in row 2, noise elsewhere. position, rotation, offset."""
    worlds = len(relative)
    offset = np.eye(4)
    offset[:3, :3], offset[:3, 3] = rotations(np.random.default_rng(8), 1, 1.0)[0], (1e-3, -2e-3, 5e-3)
    pad = np.tile(np.eye(4), (worlds, 1, 1))
    pad[:, :3, :3], pad[:, :3, 3] = rotations(rng, worlds, 3.0), rng.normal(0, away, (worlds, 3))
    thing, geom = pad @ relative, pad @ np.linalg.inv(offset)
    position, rotation = rng.normal(size=(worlds, count, 3)), rng.normal(size=(worlds, count, 3, 3))
    position[:, 4], rotation[:, 4] = geom[:, :3, 3], geom[:, :3, :3]
    position[:, 2], rotation[:, 2] = thing[:, :3, 3], thing[:, :3, :3]
    return position, rotation, offset


def make_field(mode: str, dome: bool = False, radius: float = 0.75e-3, **more) -> tuple[taxel.MarkerField, float]:
    """A field under a ball, and the height of the ball's middle where it touches."""
    mini = taxel.gelsight_mini_markers(dome=dome, backing=6e-3 if mode == "taxel" else 0.0)
    pad = mini.pad
    if dome and mode != "taxel":
        pad = taxel.MarkerDistance(pad, "trilinear", spacing=0.25e-3)
    ball = taxel.Body.sphere(17.5e-3)
    return taxel.MarkerField(pad, mini.markers, ball, mode=mode, radius=radius, **more), 2e-3 + 17.5e-3


def make_camera(rows: int = 80, cols: int = 60, pixel: float = 0.26e-3) -> TactileCamera:
    """Three coloured lights on a Lambertian gel."""
    n = np.linspace(-1, 1, 21)
    table = np.zeros((21, 21, 6, 3))
    for c, azimuth in enumerate((-1.7, 0.4, 2.5)):
        table[:, :, 0, c] = 90 * (np.cos(azimuth) * n[None, :] + np.sin(azimuth) * n[:, None]) - 25 * n[None, :] ** 2
        table[:, :, 3, c] = -0.2 * table[:, :, 0, c]
    table[10, 10] = 0
    r, c = np.indices((rows, cols)) / rows
    return TactileCamera(np.stack([110 + 25 * c, 120 - 10 * r, 100 + 10 * r], axis=-1), pixel, table)


TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 1e-2,
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)
"""A mesh, which has no kernel of its own."""


def upload(x):
    import torch

    return torch.tensor(x, device="cuda", dtype=torch.float32).contiguous()


def poison(array: taxel.CudaArray) -> None:
    """So that what a kernel does not write is seen."""
    import torch

    torch.from_dlpack(array).fill_(77 if array.dtype == np.uint8 else float("nan"))
