"""The law of a layer from loads on a foam: pairs of compression and pressure for ``law`` of a backed field or columns.

Compressions are fitted by a line that is bent at a few pressures and rises throughout,

    compression(p) = sum over the bends of  increment_k  x  the part of the k-th interval that p has passed,

least squares over the increments, which are positive (a bend whose increment would not be is left out), and over the
places of the bends, one after the other. A layer is flat where
its law ends, so the law goes on beyond the loads: straight to a compression of 0.8, or as far as was measured, and from
there as the usual law stiffens (theory/contact.md): each time what is left of the thickness halves, it gets twice as
stiff and more.
"""

from __future__ import annotations

import numpy as np

MOST_BENDS = 6
"""And four pairs beyond the loads: a law has ten."""
STIFFENS_FROM = 0.8
HALVINGS = 3
# Bends stand at the loads, or at so many of them; they are moved so often.
MOST_PLACES = 40
SWEEPS = 8


def fit_bends(pressure: np.ndarray, compression: np.ndarray, bends: int) -> np.ndarray:
    """(n, 2) pairs of compression, m, and pressure, Pa, both rising, n <= bends; the last at the largest pressure."""
    loads = np.unique(pressure)
    bends = max(1, min(bends, MOST_BENDS, len(loads) // 2))
    places = np.unique(np.quantile(loads, np.linspace(0, 1, min(len(loads), MOST_PLACES))))
    knots = _best_knots(pressure, compression, places, np.quantile(places, np.linspace(0, 1, bends + 1)[1:]))
    while True:
        increments, _ = _increments(pressure, compression, knots)
        least = 1e-3 * compression.max() / len(knots)
        wrong = np.flatnonzero(increments < least)
        if not len(wrong) or len(knots) == 1:
            return np.column_stack([np.cumsum(np.maximum(increments, least)), knots])
        # The last one stays: it is the largest load. Its interval takes in the one before.
        worst = int(wrong[np.argmin(increments[wrong])])
        knots = np.delete(knots, worst if worst + 1 < len(knots) else worst - 1)


def _increments(pressure: np.ndarray, compression: np.ndarray, knots: np.ndarray) -> tuple[np.ndarray, float]:
    """What the compression rises by in each interval, and the sum of the squares that are left."""
    edges = np.concatenate([[0.0], knots])
    passed = np.clip((pressure[:, None] - edges[:-1]) / np.diff(edges), 0, 1)
    found = np.linalg.lstsq(passed, compression, rcond=None)[0]
    return found, float(np.square(compression - passed @ found).sum())


def _best_knots(pressure: np.ndarray, compression: np.ndarray, places: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Moves one bend after the other to the place where least is left, until none moves."""
    least = _increments(pressure, compression, knots)[1]
    for _ in range(SWEEPS):
        before = least
        for k in range(len(knots) - 1):
            low, high = knots[k - 1] if k else 0.0, knots[k + 1]
            for place in places[(places > low) & (places < high)]:
                moved = knots.copy()
                moved[k] = place
                rest = _increments(pressure, compression, moved)[1]
                if rest < least:
                    knots, least = moved, rest
        if least >= (1 - 1e-3) * before:
            break
    return knots


def law_pairs(points: np.ndarray, thickness: float, modulus: float) -> list[tuple[float, float]]:
    """Pairs of compression, of the thickness, and pressure, in moduli, up to where the layer is flat.

    points: (n, 2) compression, m, and pressure, Pa, both rising from above 0; the last compression below ``thickness``.
    """
    u, p = np.asarray(points, float).T / np.array([[thickness], [modulus]])
    pairs = list(zip(u.tolist(), p.tolist(), strict=True))
    before = pairs[-2] if len(pairs) > 1 else (0.0, 0.0)
    at, load = pairs[-1]
    slope = (load - before[1]) / (at - before[0])
    if at < STIFFENS_FROM:
        load += slope * (STIFFENS_FROM - at)
        at = STIFFENS_FROM
        pairs.append((at, load))
    left = 1 - at
    for k in range(HALVINGS):
        load += slope * left * 2**k
        pairs.append((1 - left * 0.5 ** (k + 1), load))
    return pairs
