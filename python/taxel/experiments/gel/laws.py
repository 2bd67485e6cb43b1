"""Exact solutions that a gel of particles must find: uniaxial press, torsion, free vibration, flight.

uniaxial     a box between two frictionless half spaces, sides free: stress E e
shear        the same between four, x faces held: stress_zz - stress_xx = 2 G e. Turned by 45 degrees about y it is
             shear in the axes of the grid
torsion      a round bar that sticks at both ends: torque G (pi a^4 / 2) angle / length. Plane sections stay plane and
             the side is free of traction, so it is exact (Saint-Venant); but a lattice makes a round side of stairs
vibration    of free bodies without damping: torsion of a round bar, f = c_s / 2 L, and the breathing of a ball, the
             first root x = 2 pi f a / c_p of  tan x / x = 1 / (1 - x^2 (c_p / 2 c_s)^2)  (Lamb 1882); both exact
flight       a thrown, spinning, ringing body: momentum, energy
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import taxel

YOUNG = 2e5
CELL = 1e-3
SKEW = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)


def turn(angle: float, axis: np.ndarray = SKEW) -> np.ndarray:
    """Rotation matrix (Rodrigues)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def placed(shape: Any, cell: float, R: np.ndarray, shift: np.ndarray, **options: Any) -> taxel.Gel:
    """A gel whose particles and skin are turned and moved against the grid together."""
    filling, skin = taxel.fill_shape(shape, cell / 2), taxel.skin_points(shape, cell / 2)
    moved = taxel.SkinPoints(skin.points @ R.T + shift, skin.normals @ R.T, skin.areas, skin.faces)
    return taxel.Gel(
        particles=filling.points @ R.T + shift, volume=filling.volume, skin=moved, cell=cell, young=YOUNG, **options
    )


def patch(kind: str, poisson: float, degrees: float = 0.0, strain: float = 0.01, cell: float = CELL) -> dict[str, Any]:
    """A box of 6 x 8 x 8 mm pressed by two half spaces; "shear": two more hold its x faces where they are.

    Returns ``modulus``, the found E (uniaxial) or G (shear) over the true one, and for uniaxial ``lateral``, the
    contraction over nu.
    """
    size = np.array([6e-3, 8e-3, 8e-3])
    axis = SKEW if kind == "uniaxial" else np.array([0.0, 1.0, 0.0])
    R, shift = turn(math.radians(degrees), axis), cell * np.array([0.21, -0.13, 0.3]) * (degrees > 0)
    gel = placed(taxel.Body.box(size), cell, R, shift, poisson=poisson, out=None)

    def plane(way: int, side: int, press: float = 0.0) -> np.ndarray:
        inward = -side * R[:, way]
        first = R[:, (way + 1) % 3]
        turned = np.column_stack([first, np.cross(inward, first), inward])
        return taxel.pose(shift - inward * (size[way] / 2 - press), R=turned)

    walls = [(2, -1), (2, 1)] + ([(0, -1), (0, 1)] if kind == "shear" else [])
    for wall in walls:
        gel.add(taxel.Body.half_space(), plane(*wall), friction=0.0)
    press = [strain * size[2] / 2] * 2 + [0.0] * (len(walls) - 2)
    gel.move([plane(*wall, p) for wall, p in zip(walls, press, strict=True)])
    stress = float(gel.force(1) @ R[:, 2]) / (size[0] * size[1])
    if kind == "shear":
        across = float(gel.force(3) @ R[:, 0]) / (size[1] * size[2])
        return {"modulus": (stress - across) / (strain * YOUNG / (1 + poisson))}
    F = R.T @ gel.deformations.astype(float).mean(axis=0) @ R
    return {"modulus": stress / (YOUNG * strain), "lateral": float(F[0, 0] + F[1, 1] - 2) / (2 * poisson * strain)}


def torsion(poisson: float, degrees: float = 0.0, n: int = 8, angle: float = 0.02) -> dict[str, Any]:
    """Torque over that of Saint-Venant; a bar of n cells radius and length, pressed by 1 % so that the plate sticks."""
    a = length = n * CELL
    R, shift = turn(math.radians(degrees)), CELL * np.array([0.21, -0.13, 0.3]) * (degrees > 0)
    gel = placed(taxel.Body.cylinder(a, length), CELL, R, shift, poisson=poisson, out=R[:, 2])
    flip = R @ np.diag([1.0, -1.0, -1.0])

    def plate(press: float, by: float) -> np.ndarray:
        return taxel.pose(shift + R[:, 2] * (length / 2 - press), R=R @ turn(by, np.array([0, 0, 1.0])) @ R.T @ flip)

    top = gel.add(taxel.Body.half_space(), plate(0.0, 0.0), friction=math.inf)
    gel.move(plate(0.01 * length, 0.0))
    # The plane is endless: speeds count at the bar, not at the corners of its box.
    steps = math.ceil(1.875 * angle * a / (0.02 * gel.shear_speed * gel.dt))
    gel.advance(steps, plate(0.01 * length, angle), smooth=True)
    gel.settle()
    torque = gel.torque(top) - np.cross(shift, gel.force(top))
    shear = YOUNG / (2 * (1 + poisson))
    exact = shear * math.pi * a**4 / 2 * angle / length
    return {"torque": -float(torque @ R[:, 2]) / exact}


def breathing_root(poisson: float) -> float:
    """x = 2 pi f a / c_p of the lowest radial mode of a free ball."""
    from scipy.optimize import brentq

    ratio2 = 2 * (1 - poisson) / (1 - 2 * poisson)  # (c_p / c_s)^2

    def gap(x: float) -> float:
        return math.sin(x) * (1 - 0.25 * ratio2 * x * x) - x * math.cos(x)

    return float(brentq(gap, 0.5, math.pi))


def ringing(gel: taxel.Gel, mode: np.ndarray, expected: float, speed: float, periods: float = 3.0) -> dict[str, Any]:
    """Frequency over ``expected`` and what is left of the energy after one period, from the velocity along a mode."""
    from scipy.optimize import curve_fit

    gel.set_velocities(speed * mode)
    steps = max(1, round(1 / (40 * expected * gel.dt)))
    start = sum(gel.energy)
    t, v, e = [0.0], [speed * float((mode**2).sum())], [start]
    while gel.time < periods / expected:
        gel.advance(steps)
        t.append(gel.time)
        v.append(float((gel.velocities * mode).sum()))
        e.append(sum(gel.energy))
    t, v, e = np.array(t), np.array(v) / v[0], np.array(e) / start

    def wave(t: np.ndarray, a: float, decay: float, f: float, phase: float) -> np.ndarray:
        return a * np.exp(-decay * t) * np.cos(2 * math.pi * f * t + phase)

    found, _ = curve_fit(wave, t, v, p0=(1.0, 0.05 * expected, expected, 0.0))
    return {
        "frequency": float(found[2]) / expected,
        "energy": float(np.interp(1 / expected, t, e)),
        "curve": (t * expected, v, e),
    }


def torsional_vibration(poisson: float, n: int, degrees: float = 20.0) -> dict[str, Any]:
    """A free round bar of n cells length and radius n / 3."""
    a, length = n * CELL / 3, n * CELL
    R, shift = turn(math.radians(degrees)), CELL * np.array([0.21, -0.13, 0.3])
    gel = placed(taxel.Body.cylinder(a, length), CELL, R, shift, poisson=poisson, out=None, damping=0.0, cfl=0.4)
    x = (gel.start - shift) @ R
    mode = np.sin(math.pi * x[:, 2] / length)[:, None] * np.column_stack([-x[:, 1], x[:, 0], 0 * x[:, 0]]) / a
    return ringing(gel, mode @ R.T, gel.shear_speed / (2 * length), 0.003 * gel.shear_speed)


def breathing(poisson: float, n: int) -> dict[str, Any]:
    """A free ball of radius n cells."""
    a = n * CELL
    shift = CELL * np.array([0.21, -0.13, 0.3])
    gel = placed(taxel.Body.sphere(a), CELL, np.eye(3), shift, poisson=poisson, out=None, damping=0.0, cfl=0.4)
    root = breathing_root(poisson)
    x = gel.start - shift
    r = np.linalg.norm(x, axis=1)
    k = root * r / a
    mode = ((np.sin(k) - k * np.cos(k)) / k**2 / r)[:, None] * x
    return ringing(gel, mode / np.abs(mode).max(), root * gel.wave_speed / (2 * math.pi * a), 0.003 * gel.wave_speed)


def flight(steps: int = 1000) -> dict[str, Any]:
    """Relative change of the momentum of a thrown, spinning, ringing box; energy that is left."""
    box = taxel.Body.box(CELL * np.array([6.0, 8.0, 10.0]))
    gel = placed(box, CELL, turn(0.5), np.zeros(3), poisson=0.3, out=None, damping=0.0)
    c = gel.wave_speed
    spin = np.array([0.3, -0.2, 0.5]) * 0.02 * c / (10 * CELL)
    ring = np.sin(gel.start @ np.array([300.0, 200.0, -400.0]))[:, None] * np.array([0.2, 0.1, -0.15])
    gel.set_velocities(0.02 * c * np.array([1.0, 0.5, -0.7]) + np.cross(spin, gel.start) + 0.02 * c * ring)
    gel.advance(1)
    p, e = gel.momentum, sum(gel.energy)
    gel.advance(steps)
    return {
        "momentum": float(np.linalg.norm(gel.momentum - p) / np.linalg.norm(p)),
        "energy": sum(gel.energy) / e,
        "steps": steps,
        "particles": len(gel),
    }
