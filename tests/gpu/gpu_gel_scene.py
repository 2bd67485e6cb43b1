"""A pad under a tool on ways of several kinds: one gel on the CPU beside many pads, on the CPU or a GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import taxel

SIZE, CELL = (0.010, 0.009, 0.004), 1e-3
BALL = 0.006
TOP = SIZE[2] / 2


@dataclass(frozen=True)
class Way:
    """Legs (steps, pose of the tool) from a start."""

    name: str
    shape: Any
    friction: float
    start: np.ndarray
    legs: tuple[tuple[int, np.ndarray], ...]
    depth: float


def at(x: float, y: float, z: float, R: np.ndarray | None = None) -> np.ndarray:
    """A pose in mm, z from the top of the pad."""
    X = np.eye(4)
    X[:3, 3] = 1e-3 * x, 1e-3 * y, 1e-3 * z + TOP
    if R is not None:
        X[:3, :3] = R
    return X


def turn(axis: Any, angle: float) -> np.ndarray:
    k = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def ways() -> list[Way]:
    ball, box = taxel.Body.sphere(BALL), taxel.Body.box((0.005, 0.004, 0.003))
    tilt = turn((1, 0.4, 0.3), 0.2)
    return [
        Way("normal press", ball, 0.5, at(0.2, -0.1, 6.1),
            ((400, at(0.2, -0.1, 5.3)), (400, at(0.2, -0.1, 5.3))), 7e-4),
        Way("tilted press, off the middle", box, 0.4, at(1.3, 0.8, 3.0, tilt),
            ((600, at(1.3, 0.8, 1.7, tilt)),), 8e-4),
        Way("stuck and moved", ball, math.inf, at(-0.5, 0.3, 6.1),
            ((400, at(-0.5, 0.3, 5.3)), (400, at(-0.4, 0.35, 5.3))), 7e-4),
        Way("drag with friction", ball, 0.3, at(-1.5, 0.3, 6.1),
            ((400, at(-1.5, 0.3, 5.2)), (800, at(-0.6, 0.6, 5.2)), (400, at(-0.6, 0.6, 5.2))), 8e-4),
        Way("plate over the rim", taxel.Body.box((0.012, 0.012, 0.001)), 1.0, at(0, 0, 0.55), ((600, at(0, 0, 0.2)),),
            3e-4),
    ]  # fmt: skip


def make(poisson: float = 0.45, **more: Any) -> taxel.Gel:
    return taxel.Gel(taxel.Body.box(SIZE), cell=CELL, young=1e5, poisson=poisson, **more)


@dataclass
class Result:
    """Greatest deviations: skin and particles of the depth, and the force of itself; what the CPU's gel itself moves by
    when the start is 1e-7 cells aside."""

    far: float = 0.0
    where: str = ""
    own: float = 0.0
    force: float = 0.0
    load: float = 0.0
    lost: int = 0
    moved: float = 0.0
    rms: float = 0.0


def compare(way: Way, device: str) -> Result:
    """One gel on the CPU, another whose start is 1e-7 cells aside, and pads of which the last takes the way, the others
    stand off."""
    one, aside, many = make(), make(), make(device=device, pads=2)
    away = at(0, 0, 30)
    aside_start = way.start.copy()
    aside_start[1, 3] += 1e-7 * CELL
    one.add(way.shape, way.start, way.friction)
    aside.add(way.shape, aside_start, way.friction)
    many.add(way.shape, np.stack([away, way.start]), way.friction)
    out = Result()
    for number, (steps, X) in enumerate(way.legs):
        one.advance(steps, X, smooth=True)
        aside.advance(steps, X, smooth=True)
        many.advance(steps, np.stack([away, X]), smooth=True)
        out.own = max(out.own, float(np.abs(one.displacements - aside.displacements).max()) / way.depth)
        out.moved = max(out.moved, float(np.linalg.norm(one.displacements, axis=1).max()))
        for name, found, wanted in (
            ("skin", np.asarray(many.displacements), one.displacements),
            ("particle", np.asarray(many.positions), one.positions),
        ):
            out.lost += int((~np.isfinite(found)).sum())
            off = np.linalg.norm(found[1].astype(float) - wanted, axis=1) / way.depth
            k = int(np.argmax(off))
            out.rms = max(out.rms, float(np.sqrt(np.mean(off**2))))
            if not off[k] <= out.far:
                out.far, out.where = float(off[k]), f"leg {number}, {name} {k} at {wanted[k]}"
        force, wanted = np.asarray(many.force())[1].astype(float), one.force()
        out.load = float(np.linalg.norm(wanted))
        if out.load > 1e-3:
            out.force = max(out.force, float(np.linalg.norm(force - wanted)) / out.load)
        assert not np.asarray(many.force())[0].any(), "a tool that stands off presses"
    return out


def report(way: Way, r: Result) -> None:
    print(
        f"{way.name}: of the depth {r.far:.2g} at most ({r.where}), {r.rms:.2g} rms; the CPU's own for 1e-7 cells: "
        f"{r.own:.2g}; force {r.load:.4g} N, off by {r.force:.2g} of itself; {r.lost} numbers not finite"
    )
    assert r.lost == 0
    # Points that slide flicker between stick and slip. There the CPU's gel itself knows no better: by so much it moves
    # when its start is 1e-7 cells (float's rounding) aside.
    assert r.far <= max(1e-4, 5 * r.own), (way.name, r)
    assert r.force <= 1e-3, (way.name, r)
    assert r.moved > 0.2 * way.depth, (way.name, r)


def two_paths(device: str) -> None:
    """Pads with ways of their own against one gel each."""
    ball = taxel.Body.sphere(BALL)
    starts = np.stack([at(-1, 0, 6.1), at(0.8, 0.5, 6.05)])
    ends = np.stack([at(-1, 0.1, 5.5), at(0.8, 0.5, 5.2)])
    many = make(device=device, pads=2)
    many.add(ball, starts, [0.2, 0.6])
    many.advance(500, ends, smooth=True)
    found, force = np.asarray(many.displacements), np.asarray(many.force())
    for k, mu in enumerate((0.2, 0.6)):
        one = make()
        one.add(ball, starts[k], mu)
        one.advance(500, ends[k], smooth=True)
        off = float(np.linalg.norm(found[k] - one.displacements, axis=1).max()) / 6e-4
        print(f"pad {k}: of the depth {off:.2g}; force {force[k]} N, on the CPU {one.force()}")
        assert off <= 1e-4
        assert np.linalg.norm(force[k] - one.force()) <= 1e-3 * np.linalg.norm(one.force())
