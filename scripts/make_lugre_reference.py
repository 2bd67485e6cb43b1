"""Writes tests/data/lugre_reference.csv: the LuGre law of a bristle by an independent solver.

    python scripts/make_lugre_reference.py

For two sets of parameters and five motions the deflection and the impulse of the friction are integrated together by
scipy's Radau to 1e-12, from one reversal to the next. A row holds the deflection at the end of an interval and the mean
force over it, of the law as printed and of its passive form. In no motion does the load fall so fast that the passive
form must shorten its deflection to the cone, so both have one deflection. tests/bristle/lugre_test.cc runs the same
motions (`MotionAt` in lugre_scenes.h repeats the formulas below). The file is committed; run this again when the
motions change.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from taxel.experiments.bristle.lugre_solver import FOAM, Bristle

FILE = Path(__file__).resolve().parent.parent / "tests" / "data" / "lugre_reference.csv"
INTERVALS = 48


SETS = {
    "printed": FOAM,
    "stiff": Bristle(1e4, 20.0, 0.0, 0.6, 0.4, 0.01, 5.0),
}


def motions(b: Bristle):
    """name: (duration, velocity(t, piece) in 2-D, load(t), times at which the velocity turns).

    `piece` is a time between the same two turns, so that a jump of the velocity is on one side or the other.
    """
    s, v = b.breakaway, b.x0
    ramp = 12 * s / v  # rises to 2 x0 over a way of 12 s
    swing = 2 * np.pi * s / (0.05 * v)  # a swing of amplitude s with peak speed x0 / 20

    def sine(amplitude):
        peak = 0.05 * v * amplitude / s
        w = 2 * np.pi / swing
        return lambda t, piece: peak * np.cos(w * t) * np.array([1, 0.5])

    way = 4 * s / (0.04 * v)  # at 0.04 x0, 4 s there and 4 s back

    def triangle(t, piece):
        return (1 if int(piece / way) % 2 == 0 else -1) * 0.04 * v * np.array([0.8, 0.6])

    turn = 20 * s / v
    constant = lambda t: b.load  # noqa: E731
    return {
        "ramp": (ramp, lambda t, piece: 2 * v * t / ramp * np.array([0.8, 0.6]), constant, []),
        "swing_small": (1.5 * swing, sine(0.4 * s), constant, [swing * k / 4 for k in (1, 3, 5)]),
        "swing_large": (1.5 * swing, sine(4 * s), constant, [swing * k / 4 for k in (1, 3, 5)]),
        "there_and_back": (3 * way, triangle, constant, [way, 2 * way]),
        "turning": (
            2 * turn,
            lambda t, piece: v * np.array([np.cos(2 * np.pi * t / turn), np.sin(2 * np.pi * t / turn)]),
            lambda t: b.load * (1 + 0.3 * np.sin(4.5 * np.pi * t / turn)),
            [],
        ),
    }


def rates(b: Bristle, z: np.ndarray, v: np.ndarray, load: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """dz/dt, the force as printed, the force of the passive form."""
    speed = float(np.hypot(*v))
    g = load * (b.mu_d + (b.mu_s - b.mu_d) * np.exp(-((speed / b.x0) ** 2)))
    rate = v - b.sigma0 * speed / g * z
    paper = b.sigma0 * z + b.sigma1 * rate + b.viscosity * v
    brakes = rate if rate @ v >= 0 else rate - (rate @ v) / speed**2 * v
    cone = b.mu_s * load
    spring, damping = b.sigma0 * z, b.sigma1 * brakes + b.viscosity * v
    assert spring @ spring <= cone**2
    passive = spring + damping
    if passive @ passive > cone**2:  # the root of |spring + s damping| = cone, by numpy
        roots = np.roots([damping @ damping, 2 * spring @ damping, spring @ spring - cone**2])
        passive = spring + min(1.0, max(0.0, roots.real.max())) * damping
    return rate, paper, passive


def solve(b: Bristle, duration, velocity, load, turns) -> np.ndarray:
    """(INTERVALS, 7): t, z, mean force as printed, mean passive force."""
    scale = b.breakaway
    times = np.linspace(0, duration, INTERVALS + 1)
    stops = np.unique(np.concatenate([times, turns]))
    stops = stops[np.concatenate([[True], np.diff(stops) > 1e-9 * duration])]
    state = np.zeros(6)
    kept = {0.0: state}
    for start, end in pairwise(stops):

        def right(t, y, piece=0.5 * (start + end)):
            return np.concatenate(rates(b, y[:2], velocity(t, piece), load(t)))

        # Impulses from 0 in every piece, so that their tolerance is that of the piece.
        solution = solve_ivp(
            right,
            (start, end),
            np.concatenate([state[:2], np.zeros(4)]),
            method="Radau",
            rtol=1e-12,
            atol=np.array([scale] * 2 + [b.mu_s * b.load * (end - start)] * 4) * 1e-13,
        )
        assert solution.success, solution.message
        state = np.concatenate([solution.y[:2, -1], state[2:] + solution.y[2:, -1]])
        kept[end] = state
    found = np.array(sorted(kept))
    at = np.array([kept[found[np.argmin(np.abs(found - t))]] for t in times])
    means = np.diff(at[:, 2:], axis=0) / np.diff(times)[:, None]
    return np.column_stack([times[1:], at[1:, :2], means])


def main() -> None:
    lines = ["# Written by scripts/make_lugre_reference.py", "# set,motion,t,zx,zy,paper_x,paper_y,passive_x,passive_y"]
    for set_name, bristle in SETS.items():
        for name, motion in motions(bristle).items():
            for row in solve(bristle, *motion):
                lines.append(f"{set_name},{name}," + ",".join(f"{x:.9g}" for x in row))
            print(set_name, name)
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
