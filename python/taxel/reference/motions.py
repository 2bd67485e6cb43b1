"""The four motions of HydroShear's Table I, and where the markers of an elastic layer go in them.

A ball of 35 mm diameter is pressed into the gel of a GelSight Mini and then moved. The paper says "35-mm spherical
indenter" and means, as for any ball sold by its size, the diameter. It prints no depths, distances or angles; those
below are ours, drawn at random.

    dilation    press
    shear       press, then slide in a random direction; a part of the samples reaches full slip
    twist       press, then turn about the normal through the ball's centre
    roll        press, then turn about an axis in the plane while the centre travels ``rolling`` x radius x angle
                (1: the ball's lowest point stands still; 0: the ball spins in place and drags)

Frame P of the pad: origin in the middle of the undeformed surface, x along its short side, z out of it. A path is
(n, 4, 4): poses X_PI of the ball, from 0.05 mm above the gel, at most ``FRAME`` of motion from one to the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .elastic_layer import ElasticLayer, LayerGrid, PointProbe
from .indenters import Sphere
from .layer_contact import LayerContact, interpolate, rotation

KINDS = ("dilation", "shear", "twist", "roll")
BALL_RADIUS = 17.5e-3
GEL_SIZE = (20.75e-3, 25.25e-3)
GEL_THICKNESS = 4.0e-3
"""At the apex of the dome; the layer is flat."""
MARKER_PITCH = 1.84375e-3
MARKER_SHAPE = (7, 9)
PIXEL = 0.065e-3
"""m per pixel of the camera."""
FRAME = 1e-4
CLEARANCE = 5e-5

# Ranges of the random draws: m and rad. With them the contact (radius up to 6.9 mm) stays on the gel.
DEPTH = {"dilation": (0.3e-3, 1.5e-3), "shear": (0.5e-3, 1.2e-3), "twist": (0.5e-3, 1.2e-3), "roll": (0.5e-3, 1.2e-3)}
PLACE = (1.5e-3, 3.0e-3)
SLIDE = (0.3e-3, 2.5e-3)
TWIST = (math.radians(3.0), math.radians(20.0))
ROLL = (math.radians(2.0), math.radians(7.0))


@dataclass(frozen=True)
class Settings:
    """Of the reference; only ratios of the modulus to itself matter for displacements, it scales the forces."""

    layer: ElasticLayer = field(default_factory=lambda: ElasticLayer(GEL_THICKNESS, 2e5, 0.499))
    friction: float = 0.5
    marker_depth: float = 0.0
    """Below the surface, m; markers of a Mini lie under its coating, thin against the gel."""
    shape: tuple[int, int] = (96, 112)
    cell: float = 0.375e-3
    step: float = 0.5e-4
    tolerance: float = 3e-4


FULL = Settings()
QUICK = Settings(shape=(72, 84), cell=0.5e-3, step=FRAME, tolerance=1e-3)


def marker_grid() -> np.ndarray:
    """Rest positions of the 63 markers, (63, 2), m; the index along y runs fastest."""
    axes = [(np.arange(n) - 0.5 * (n - 1)) * MARKER_PITCH for n in MARKER_SHAPE]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)


def ball_pose(x: float, y: float, depth: float, turn: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
    """X_PI of the ball with its lowest point ``depth`` below the undeformed surface; ``turn`` is axis times angle."""
    X = np.eye(4)
    X[:3, :3] = rotation(turn)
    X[:3, 3] = x, y, BALL_RADIUS - depth
    return X


def press_path(x: float, y: float, depth: float) -> list[np.ndarray]:
    """From just above the gel straight down; the last pose has the depth."""
    count = math.ceil((depth + CLEARANCE) / FRAME - 1e-9)
    return [ball_pose(x, y, d) for d in np.linspace(-CLEARANCE, depth, count + 1)]


def extend(path: list[np.ndarray], X_PI: np.ndarray, reach: float) -> None:
    """Adds poses up to X_PI; ``reach`` is the longest motion of a point in contact."""
    count = max(1, math.ceil(reach / FRAME - 1e-9))
    start = path[-1]
    path.extend(interpolate(start, X_PI, i / count) for i in range(1, count + 1))


def motion(kind: str, index: int = 0, seed: int = 0, rolling: float = 1.0) -> tuple[np.ndarray, dict[str, float]]:
    """Path (n, 4, 4) and the numbers drawn for it; the same for the same kind, index and seed."""
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; the motions are {', '.join(KINDS)}")
    if index < 0 or seed < 0:
        raise ValueError(f"index is {index} and seed is {seed}; both must be whole numbers >= 0")
    rng = np.random.default_rng([seed, KINDS.index(kind), index])
    x, y = (float(rng.uniform(-half, half)) for half in PLACE)
    depth = float(rng.uniform(*DEPTH[kind]))
    drawn = {"x": x, "y": y, "depth": depth}
    path = press_path(x, y, depth)
    way = float(rng.uniform(-math.pi, math.pi))
    towards = np.array([math.cos(way), math.sin(way)])
    if kind == "shear":
        distance = float(rng.uniform(*SLIDE))
        drawn |= {"direction": way, "distance": distance}
        end_x, end_y = (x, y) + distance * towards
        extend(path, ball_pose(end_x, end_y, depth), distance)
    elif kind == "twist":
        angle = float(rng.uniform(*TWIST)) * float(rng.choice((-1.0, 1.0)))
        drawn |= {"angle": angle}
        contact_radius = math.sqrt(2.0 * BALL_RADIUS * depth)
        extend(path, ball_pose(x, y, depth, (0.0, 0.0, angle)), abs(angle) * contact_radius)
    elif kind == "roll":
        angle = float(rng.uniform(*ROLL))
        travel = rolling * BALL_RADIUS * angle
        axis = np.array([-towards[1], towards[0], 0.0])  # a turn about it drives the ball along `towards`
        drawn |= {"direction": way, "angle": angle, "rolling": rolling}
        end_x, end_y = (x, y) + travel * towards
        extend(path, ball_pose(end_x, end_y, depth, angle * axis), BALL_RADIUS * angle)
    return np.stack(path), drawn


def follow(path: np.ndarray, markers: np.ndarray | None = None, settings: Settings = FULL) -> dict:
    """The markers of a fresh layer along a path of the ball.

    Returns markers (m, 2); displacement (n, m, 3) in m; pixels (n, m, 2); force and torque on the gel about the pad's
    origin (n, 3); contact_area (n,); slip_fraction (n,); dissipated (n,) in J.
    """
    markers = marker_grid() if markers is None else np.asarray(markers, dtype=float)
    grid = LayerGrid(settings.layer, settings.shape, settings.cell)
    probe = PointProbe(grid, markers, settings.marker_depth)
    contact = LayerContact(grid, Sphere(BALL_RADIUS), settings.friction, settings.step, settings.tolerance)
    moved, states = [], []
    for X in path:
        state = contact.move(X)
        moved.append(probe(state.traction))
        states.append((state.force, state.torque, state.contact_area, state.slip_fraction, state.dissipated))
    displacement = np.stack(moved)
    names = ("force", "torque", "contact_area", "slip_fraction", "dissipated")
    columns = {name: np.array(values) for name, values in zip(names, zip(*states, strict=True), strict=True)}
    return {"markers": markers, "displacement": displacement, "pixels": displacement[..., :2] / PIXEL, **columns}


def reference_sample(kind: str, index: int = 0, seed: int = 0, quick: bool = False, rolling: float = 1.0) -> dict:
    """One motion and its markers: kind, index, seed, drawn, path and what ``follow`` returns."""
    path, drawn = motion(kind, index, seed, rolling)
    found = follow(path, settings=QUICK if quick else FULL)
    return {"kind": kind, "index": index, "seed": seed, "drawn": drawn, "path": path, **found}


def samples(seed: int, quick: bool, count: int) -> Iterator[dict]:
    """``count`` samples of each kind, one after the other."""
    for kind in KINDS:
        for index in range(count):
            yield reference_sample(kind, index, seed, quick)


def reference_set(seed: int = 0, quick: bool = False, count: int | None = None) -> list[dict]:
    """The samples of Table I: ten of each motion, three when quick; ``count`` overrides.

    Paths do not depend on ``quick``; only the grid and the increments of the reference do.
    """
    count = (3 if quick else 10) if count is None else count
    if count < 1:
        raise ValueError(f"count is {count}; at least one sample of each motion is needed")
    return list(samples(seed, quick, count))
