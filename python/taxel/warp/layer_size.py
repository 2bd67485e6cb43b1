"""Layers whose stiffness follows the size of each contact: contact/layer_size.h, for columns."""

import warp as wp

from .arrays import Columns, Pairs, Patch, Touch

SMALLEST, WIDEST = wp.constant(0.05), wp.constant(8.0)
"""Sizes within which the rule was fitted."""
BULK, BEND = wp.constant(1.217), wp.constant(1.64)


@wp.func
def effective_modulus(size: float, poisson: float) -> float:
    """m of field/layer_modulus.h."""
    s = wp.clamp(size, SMALLEST, WIDEST)
    confined = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    small = 0.642 / ((1.0 - poisson * poisson) * s)
    free = 1.0 - 2.0 * poisson
    film = 2.148 * (1.0 + 33.87 * free * free) + 0.495 * s * s / (1.0 + poisson)
    wide = wp.pow(wp.pow(confined, -BULK) + wp.pow(film, -BULK), -1.0 / BULK)
    return wp.pow(wp.pow(small, BEND) + wp.pow(wide, BEND), 1.0 / BEND)


@wp.func
def factor_of(layer: wp.vec4, radius: float) -> float:
    """layer: Poisson's ratio, m where it is softest (0: it does not follow), length, stiffness (0: rigid)."""
    if layer[1] <= 0.0:
        return 1.0
    return wp.max(effective_modulus(radius / layer[2], layer[0]) / layer[1], 1.0)


@wp.func
def radius_of(a2: float, b2: float) -> float:
    """Of an ellipse with these squares of half axes: twice its area over its perimeter, about."""
    return wp.where(a2 + b2 > 0.0, wp.sqrt(2.0 * a2 * b2 / wp.max(a2 + b2, 1.0e-30)), 0.0)


@wp.kernel(enable_backward=False)
def follow_size(geom_xmat: wp.array2d(dtype=wp.mat33), cols: Columns, pairs: Pairs, patch: Patch, touch: Touch):
    """One thread a pair: its columns are summed in order, so that the bits are always the same."""
    w, pair = wp.tid()
    if pairs.follows[pair] == 0 or patch.near[w, pair] == 0:
        return
    push = wp.vec3(0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            push += touch.force[w, i] * touch.n[w, i]
    if wp.length(push) <= 0.0:
        return
    way = pairs.sign[pair] * wp.normalize(wp.transpose(geom_xmat[w, pairs.skin[pair]]) * push)
    along = wp.where(wp.abs(way[0]) < 0.9, wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.0))
    e1 = wp.normalize(along - wp.dot(along, way) * way)
    e2 = wp.cross(way, e1)
    # Area and middle first, then moments about it: in float32 small ones would drown in those about the origin.
    area = float(0.0)
    at = wp.vec2(0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            c = pairs.column[i]
            I = touch.covered[w, i]
            seen = wp.max(wp.dot(cols.d[c], way), 0.0)
            r = cols.p[c] - pairs.middle[pair]
            first = I[0] * r + I[1] * cols.u[c] + I[2] * cols.v[c]
            area += seen * I[0]
            at += seen * wp.vec2(wp.dot(first, e1), wp.dot(first, e2))
    if area <= 0.0:
        return
    at = at / area
    moments = wp.vec3(0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            c = pairs.column[i]
            I = touch.covered[w, i]
            seen = wp.max(wp.dot(cols.d[c], way), 0.0)
            r = cols.p[c] - pairs.middle[pair]
            x = wp.vec3(wp.dot(r, e1) - at[0], wp.dot(cols.u[c], e1), wp.dot(cols.v[c], e1))
            y = wp.vec3(wp.dot(r, e2) - at[1], wp.dot(cols.u[c], e2), wp.dot(cols.v[c], e2))
            M = wp.mat33(I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5])
            moments += seen * wp.vec3(wp.dot(x, M * x), wp.dot(x, M * y), wp.dot(y, M * y))
    moments = moments / area
    mean = 0.5 * (moments[0] + moments[2])
    half = 0.5 * (moments[0] - moments[2])
    apart = wp.sqrt(half * half + moments[1] * moments[1])
    radius = radius_of(4.0 * (mean + apart), wp.max(4.0 * (mean - apart), 0.0))
    if radius <= 0.0:
        return
    own = pairs.layers_of[pair, 0]
    other = pairs.layers_of[pair, 1]
    factor = factor_of(own, radius)
    if other[3] > 0.0:
        stiffer = factor_of(other, radius)
        factor = (1.0 / own[3] + 1.0 / other[3]) / (1.0 / (factor * own[3]) + 1.0 / (stiffer * other[3]))
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            touch.force[w, i] = factor * touch.force[w, i]
            touch.stiffness[w, i] = factor * touch.stiffness[w, i]
            touch.slope[w, i] = factor * touch.slope[w, i]
