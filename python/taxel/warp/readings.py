"""Taxels of every world: the force that acts, shared over columns and bristles."""

import warp as wp

from .arrays import Pairs, Patch, Touch
from .bristles import Bristles
from .patch import overlap
from .types import HUGE

POINT = wp.constant(1.0e-5)
"""m: half the side of a bristle's footprint; less would be lost in the rounding of float32."""


@wp.struct
class Taxels:
    """One tactile sensor. The columns of taxel i are column[first[i]] .. column[first[i + 1]], as the pairs count
    them, with the part of each that lies on it."""

    first: wp.array(dtype=int)
    column: wp.array(dtype=int)
    part: wp.array(dtype=float)
    area: wp.array(dtype=float)
    point: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    axis: wp.array(dtype=wp.vec3)
    geom: int
    # In each world.
    pressure: wp.array2d(dtype=float)
    shear: wp.array2d(dtype=wp.vec2)
    slip: wp.array2d(dtype=float)
    saturated: wp.array2d(dtype=float)


@wp.struct
class Pressing:
    """Columns of other geoms that press on this skin: where each of them is, in the plane of the taxels (``at``, where
    those lie in rows) or by the number of its taxel."""

    column: wp.array(dtype=int)
    grid: int
    origin: wp.vec3
    across_u: wp.vec3
    across_v: wp.vec3
    out: wp.vec3
    corner: wp.vec2
    pitch: wp.vec2
    rows: int
    cols: int
    limit: float
    # In each world.
    at: wp.array2d(dtype=wp.vec2)
    taxel: wp.array2d(dtype=int)


@wp.func
def half_of(first_bristle: int, pairs: Pairs, i: int) -> float:
    """Half the side of a footprint: columns are squares, bristles points."""
    return wp.where(i < first_bristle, pairs.half[i], POINT)


@wp.func
def on_the_rim(x: float, size: float, half: float) -> float:
    """What presses within the rim counts in full."""
    if x > -POINT and x < size + POINT and size > 2.0 * half:
        return wp.clamp(x, half, size - half)
    return x


@wp.kernel(enable_backward=False)
def place_pressing(
    first_bristle: int,
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    touch: Touch,
    taxels: Taxels,
    pressing: Pressing,
):
    """skin/taxel_at.cc: which taxel, or which place of the grid, a column of another geom touches."""
    w, j = wp.tid()
    i = pressing.column[j]
    pressing.taxel[w, j] = -1
    pressing.at[w, j] = wp.vec2(HUGE, HUGE)
    if touch.force[w, i] <= 0.0:
        return
    R = wp.transpose(geom_xmat[w, taxels.geom])
    p = R * (touch.p[w, i] - geom_xpos[w, taxels.geom])
    n = -pairs.sign[pairs.pair[i]] * (R * touch.n[w, i])
    if pressing.grid == 1:
        if wp.dot(n, pressing.out) > 0.0:
            r = p - pressing.origin
            at = wp.vec2(wp.dot(r, pressing.across_u), wp.dot(r, pressing.across_v)) - pressing.corner
            half = half_of(first_bristle, pairs, i)
            at = wp.vec2(
                on_the_rim(at[0], float(pressing.cols) * pressing.pitch[0], half),
                on_the_rim(at[1], float(pressing.rows) * pressing.pitch[1], half),
            )
            pressing.at[w, j] = at
        return
    nearest = float(HUGE)
    best = int(-1)
    for k in range(taxels.point.shape[0]):
        away = wp.length(p - taxels.point[k])
        if away < nearest and wp.dot(n, taxels.normal[k]) > 0.0:
            nearest = away
            best = k
    if best >= 0 and pressing.limit > 0.0:
        r = p - taxels.point[best]
        second = wp.cross(taxels.normal[best], taxels.axis[best])
        if wp.max(wp.abs(wp.dot(r, taxels.axis[best])), wp.abs(wp.dot(r, second))) > pressing.limit:
            best = -1
    pressing.taxel[w, j] = best


@wp.func
def share_on(first_bristle: int, pairs: Pairs, pressing: Pressing, w: int, j: int, taxel: int) -> float:
    """The part of a pressing column that lies on a taxel."""
    if pressing.grid == 0:
        return wp.where(pressing.taxel[w, j] == taxel, 1.0, 0.0)
    half = half_of(first_bristle, pairs, pressing.column[j])
    row = taxel / pressing.cols
    col = taxel - row * pressing.cols
    at = pressing.at[w, j]
    u = overlap(at[0], half, float(col) * pressing.pitch[0], float(col + 1) * pressing.pitch[0])
    v = overlap(at[1], half, float(row) * pressing.pitch[1], float(row + 1) * pressing.pitch[1])
    return u[0] * v[0]


@wp.func
def push_of(
    first_bristle: int, pairs: Pairs, patch: Patch, touch: Touch, bristles: Bristles, w: int, i: int
) -> wp.vec3:
    """What column i, or a bristle, does to geom 2 without friction, N."""
    if i >= first_bristle:
        return bristles.push[w, i - first_bristle]
    pair = pairs.pair[i]
    s = patch.spread[w, pair]
    r = touch.p[w, i] - patch.center[w, pair]
    factor = s[0] + s[1] * wp.dot(r, patch.axis_u[w, pair]) + s[2] * wp.dot(r, patch.axis_v[w, pair])
    return factor * touch.force[w, i] * touch.n[w, i]


@wp.kernel(enable_backward=False)
def read_taxels(
    first_bristle: int,
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    patch: Patch,
    touch: Touch,
    bristles: Bristles,
    taxels: Taxels,
    pressing: Pressing,
):
    """Mean pressure (Pa), shear (Pa, along the taxel's two axes) and slip of each taxel."""
    w, i = wp.tid()
    R = geom_xmat[w, taxels.geom]
    out = R * taxels.normal[i]
    t1 = R * taxels.axis[i]
    t2 = wp.cross(out, t1)
    total = wp.vec3(0.0, 0.0, 0.0)
    used = float(0.0)
    bound = float(0.0)
    saturated = float(0.0)
    for j in range(taxels.first[i], taxels.first[i + 1]):
        c = taxels.column[j]
        if c >= first_bristle:  # noqa: SIM102 - kernels evaluate both sides of an "and"
            if bristles.saturated[w, c - first_bristle] == 1:
                saturated = 1.0
        if touch.force[w, c] > 0.0:
            # On the skin: against what acts on the other.
            on_skin = -pairs.sign[pairs.pair[c]]
            part = taxels.part[j]
            total += (part * on_skin) * (
                push_of(first_bristle, pairs, patch, touch, bristles, w, c) + touch.rubbing[w, c]
            )
            used += part * wp.length(touch.rubbing[w, c])
            bound += part * touch.bound[w, c]
    for j in range(pressing.column.shape[0]):
        c = pressing.column[j]
        share = float(0.0)
        if touch.force[w, c] > 0.0:
            share = share_on(first_bristle, pairs, pressing, w, j, i)
        if share > 0.0:
            on_skin = pairs.sign[pairs.pair[c]]
            total += (share * on_skin) * (
                push_of(first_bristle, pairs, patch, touch, bristles, w, c) + touch.rubbing[w, c]
            )
            used += share * wp.length(touch.rubbing[w, c])
            bound += share * touch.bound[w, c]
    inverse = 1.0 / taxels.area[i]
    taxels.pressure[w, i] = -wp.dot(total, out) * inverse
    taxels.shear[w, i] = wp.vec2(wp.dot(total, t1) * inverse, wp.dot(total, t2) * inverse)
    slip = float(0.0)
    if bound > 0.0:
        slip = wp.min(used / bound, 1.0)
    taxels.slip[w, i] = slip
    taxels.saturated[w, i] = saturated


@wp.kernel(enable_backward=False)
def to_sensordata(address: int, values: wp.array2d(dtype=float), sensordata: wp.array2d(dtype=float)):
    w, i = wp.tid()
    sensordata[w, address + i] = values[w, i]
