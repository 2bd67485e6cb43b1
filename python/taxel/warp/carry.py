"""What a part of a column's cell carries: the layers of the law over a polygon."""

import warp as wp

from .arrays import Pairs
from .cell import Integrals, Polygon, clip, greatest, integrate
from .meet import Meeting
from .types import vec6


@wp.struct
class Push:
    """Sums over a column, in its own axes."""

    f: wp.vec3  # along u, v, d
    s: float  # moments of the force
    t: float
    tau: float
    load: float
    k: float
    slope: wp.vec3
    z: float  # the deepest
    covered: vec6  # 1, s, t, ss, st, tt of the area


@wp.func
def add_part(
    pairs: Pairs,
    pair: int,
    I: Integrals,
    f: wp.vec3,
    law: wp.vec4,
    length: float,
    modulus: float,
    slope: wp.vec2,
    sum: Push,
    s0: float,
    t0: float,
    lift: float,
) -> Push:
    """Adds what a part of a cell carries that lies in one layer of the law, at depths f."""
    down = wp.vec2(f[1] - slope[0], f[2] - slope[1])
    stretch = wp.sqrt(1.0 + wp.dot(down, down))
    rise = modulus * law[2] / length
    P = wp.vec3(modulus * law[3] + rise * f[0], rise * f[1], rise * f[2])
    if law[0] * length >= pairs.core[pair] * length:
        P = wp.vec3(modulus * pairs.core_pressure[pair], 0.0, 0.0)
    F = P[0] * I.area + P[1] * I.s + P[2] * I.t
    Fs = P[0] * I.s + P[1] * I.ss + P[2] * I.st
    Ft = P[0] * I.t + P[1] * I.st + P[2] * I.tt
    sum.f += F * wp.vec3(down[0], down[1], 1.0)
    load = F * stretch
    sum.load += load
    sum.s += stretch * (Fs + F * s0)
    sum.t += stretch * (Ft + F * t0)
    sum.tau += stretch * (-down[0] * Fs - down[1] * Ft - f[0] * F + lift * F)
    if pairs.follows[pair] == 1:
        As = I.s + s0 * I.area
        At = I.t + t0 * I.area
        sum.covered += vec6(I.area, As, At, I.ss + s0 * (I.s + As), I.st + s0 * I.t + t0 * As, I.tt + t0 * (I.t + At))
    sum.k += I.area * rise * (1.0 - wp.dot(slope, down))
    n = wp.vec3(down[0], down[1], 1.0) / stretch
    g = rise * wp.vec3(slope[0], slope[1], -1.0)
    sum.slope += I.area * stretch * (g - wp.dot(g, n) * n)
    return sum


@wp.func
def press_cell(
    pairs: Pairs,
    pair: int,
    m: Meeting,
    cell: Polygon,
    length: float,
    modulus: float,
    slope: wp.vec2,
    ridge: wp.vec3,
    sum: Push,
    s0: float,
    t0: float,
    lift: float,
) -> Push:
    """Adds what one part of a column's cell carries; s0, t0, lift: where its centre is in the column's axes. Fronts
    are depths below the skin already."""
    for i in range(m.fronts):
        f = m.front[i]
        poly = clip(cell, f)
        if poly.n > 0 and ridge[0] < length:
            poly = clip(poly, wp.vec3(ridge[0] - f[0], ridge[1] - f[1], ridge[2] - f[2]))
        for j in range(m.fronts):
            if j != i and poly.n > 0:
                less = m.front[j] - f
                if j < i and wp.length(less) == 0.0:
                    poly.n = 0
                else:
                    poly = clip(poly, less)
        for j in range(m.sides):
            if poly.n > 0:
                poly = clip(poly, m.side[j])
        for j in range(m.backs):
            if poly.n > 0:
                poly = clip(poly, f - m.back[j])
        if poly.n > 0:
            most = greatest(poly, f)
            sum.z = wp.max(sum.z, most)
            for l in range(pairs.layers[pair]):
                law = pairs.law[pair, l]
                z0 = law[0] * length
                if z0 < most:
                    z1 = law[1] * length
                    part = poly
                    if l > 0:
                        part = clip(part, wp.vec3(f[0] - z0, f[1], f[2]))
                    if z1 < most and part.n > 0:
                        part = clip(part, wp.vec3(z1 - f[0], -f[1], -f[2]))
                    if part.n > 0:
                        sum = add_part(pairs, pair, integrate(part), f, law, length, modulus, slope, sum, s0, t0, lift)
    return sum
