"""From the columns of a pair to a few points for the solver: contact/patch_blocks.cc, for blocks of columns."""

import warp as wp

from .arrays import Blocks, Pairs, Patch, Touch, Worlds
from .motion import carried, stribeck, tangential, velocity
from .types import HUGE


@wp.kernel(enable_backward=False)
def sum_patches(geom_xmat: wp.array2d(dtype=wp.mat33), pairs: Pairs, patch: Patch, touch: Touch):
    """Sums over the columns of a pair: one thread a pair, in order, so that the bits are always the same."""
    w, pair = wp.tid()
    if patch.near[w, pair] == 0:
        patch.known[w, pair] = 0
        return
    push = wp.vec3(0.0, 0.0, 0.0)
    middle = wp.vec3(0.0, 0.0, 0.0)
    load = float(0.0)
    last = wp.vec2(0.0, 0.0)
    gap = float(HUGE)
    worst = int(-1)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        last += wp.vec2(touch.last_normal[w, i], touch.last_elastic[w, i])
        if touch.gap[w, i] < gap:
            gap = touch.gap[w, i]
            worst = i
        if f > 0.0:
            push += f * touch.n[w, i]
            middle += f * touch.p[w, i]
            load += f
    if gap < patch.reach[w, pair]:
        patch.worst[w, pair] = worst
    if load <= 0.0 or wp.length(push) <= 0.0:
        patch.known[w, pair] = 0
        return
    c = middle / load
    n = wp.normalize(push)
    R = geom_xmat[w, pairs.skin[pair]]
    n_O = wp.transpose(R) * n
    along = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n_O[0]) >= 0.9:
        along = wp.vec3(0.0, 1.0, 0.0)
    eu = R * wp.normalize(along - wp.dot(along, n_O) * n_O)
    ev = wp.cross(n, eu)
    box = wp.vec4(HUGE, HUGE, -HUGE, -HUGE)
    stiffness = float(0.0)
    first = wp.vec2(0.0, 0.0)
    second = wp.vec3(0.0, 0.0, 0.0)
    loads = wp.vec3(0.0, 0.0, 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    arm = float(0.0)
    # Normal forces of the last step: those of columns still in contact go on, the rest is shared by pressure.
    mean = float(1.0)
    if last[1] > 0.0:
        mean = last[0] / last[1]
    expected = float(0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        if f > 0.0:
            r = touch.p[w, i] - c
            u = wp.dot(r, eu)
            v = wp.dot(r, ev)
            box = wp.vec4(wp.min(box[0], u), wp.min(box[1], v), wp.max(box[2], u), wp.max(box[3], v))
            k = touch.stiffness[w, i]
            stiffness += k
            first += k * wp.vec2(u, v)
            second += k * wp.vec3(u * u, u * v, v * v)
            loads += f * wp.vec3(u * u, u * v, v * v)
            torque += wp.cross(r, f * touch.n[w, i])
            arm += f * wp.length(r)
            if touch.last_elastic[w, i] > 0.0:
                expected += f * touch.last_normal[w, i] / touch.last_elastic[w, i]
            else:
                expected += f * mean
    at = first / wp.max(stiffness, 1.0e-30)
    patch.center[w, pair] = c
    patch.normal[w, pair] = n
    patch.axis_u[w, pair] = eu
    patch.axis_v[w, pair] = ev
    patch.box[w, pair] = box
    patch.force[w, pair] = load
    patch.wrench[w, pair] = push
    patch.torque[w, pair] = torque
    patch.stiffness[w, pair] = stiffness
    patch.stiff_center[w, pair] = at
    patch.stiff_moments[w, pair] = second - stiffness * wp.vec3(at[0] * at[0], at[0] * at[1], at[1] * at[1])
    patch.load_moments[w, pair] = loads
    patch.arm[w, pair] = arm
    again = float(0.0)
    if expected > 0.0:
        again = last[0] / expected
    patch.expected[w, pair] = wp.vec2(mean, again)


@wp.func
def bound_of(j: int, side: int, sigma: float) -> float:
    """Where part j begins: parts of equal width, if the load were uniform with this standard deviation. The outer ones
    have no end. All follow the load smoothly: no block jumps when a column begins to touch."""
    if j == 0:
        return -HUGE
    if j == side:
        return HUGE
    return 1.7320508 * sigma * (2.0 * float(j) / float(side) - 1.0)


@wp.func
def overlap(x: float, half: float, lo: float, hi: float) -> wp.vec2:
    """The share of x - half .. x + half that lies in lo .. hi, and where the middle of it is."""
    a = wp.max(x - half, lo)
    b = wp.min(x + half, hi)
    if b <= a:
        return wp.vec2(0.0, x)
    return wp.vec2(0.5 * (b - a) / half, 0.5 * (a + b))


@wp.func
def share_of(pairs: Pairs, patch: Patch, touch: Touch, w: int, pair: int, i: int, side: int, b: int) -> wp.vec3:
    """The share of column i that lies in block b, and how far its middle is from the column's, along u and v."""
    r = touch.p[w, i] - patch.center[w, pair]
    load = wp.max(patch.force[w, pair], 1.0e-30)
    moments = patch.load_moments[w, pair]
    half = pairs.half[i]
    u = wp.dot(r, patch.axis_u[w, pair])
    v = wp.dot(r, patch.axis_v[w, pair])
    row = b / side
    col = b - row * side
    su = wp.sqrt(wp.max(moments[0] / load, 0.0))
    sv = wp.sqrt(wp.max(moments[2] / load, 0.0))
    in_u = overlap(u, half, bound_of(row, side, su), bound_of(row + 1, side, su))
    in_v = overlap(v, half, bound_of(col, side, sv), bound_of(col + 1, side, sv))
    return wp.vec3(in_u[0] * in_v[0], in_u[1] - u, in_v[1] - v)


@wp.func
def part_of(x: float, lo: float, hi: float, side: int) -> int:
    """Which of ``side`` equal parts of lo .. hi."""
    if hi <= lo:
        return 0
    return wp.clamp(int((x - lo) / (hi - lo) * float(side)), 0, side - 1)


@wp.func
def foreseen(side: int, pairs: Pairs, patch: Patch, touch: Touch, w: int, pair: int, b: int) -> int:
    """Nothing is pressed, but something comes so fast that it may be at a core within the step: the column nearest to
    its own in part b of those that it comes to (contact/core_touch.h, KeepNearest); -1: none. One alone would be a
    hinge, about which the rest of the body goes on."""
    first = patch.worst[w, pair]
    if first < 0:
        return -1
    n = touch.n[w, first]
    along = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n[0]) >= 0.9:
        along = wp.vec3(0.0, 1.0, 0.0)
    eu = wp.normalize(tangential(along, n))
    ev = wp.cross(n, eu)
    reach = patch.reach[w, pair]
    at = touch.p[w, first]
    box = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.gap[w, i] < reach:
            r = touch.p[w, i] - at
            u = wp.dot(r, eu)
            v = wp.dot(r, ev)
            box = wp.vec4(wp.min(box[0], u), wp.min(box[1], v), wp.max(box[2], u), wp.max(box[3], v))
    gap = float(reach)
    nearest = int(-1)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.gap[w, i] < gap:
            r = touch.p[w, i] - at
            row = part_of(wp.dot(r, eu), box[0], box[2], side)
            if row * side + part_of(wp.dot(r, ev), box[1], box[3], side) == b:
                gap = touch.gap[w, i]
                nearest = i
    return nearest


@wp.kernel(enable_backward=False)
def sum_blocks(
    side: int,
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
):
    """One thread a block: its point, force, stiffness, and what friction knows of its columns."""
    w, pair, b = wp.tid()
    blocks.force[w, pair, b] = 0.0
    blocks.normal_force[w, pair, b] = 0.0
    blocks.friction[w, pair, b] = wp.vec3(0.0, 0.0, 0.0)
    blocks.core[w, pair, b] = -1
    blocks.normal_contact[w, pair, b] = -1
    blocks.tangent_contact[w, pair, b] = -1
    blocks.core_contact[w, pair, b] = -1
    if patch.force[w, pair] <= 0.0:
        blocks.core[w, pair, b] = foreseen(side, pairs, patch, touch, w, pair, b)
        return
    if pairs.bristled[pair] >= 0:
        return
    c = patch.center[w, pair]
    eu = patch.axis_u[w, pair]
    ev = patch.axis_v[w, pair]
    push = wp.vec3(0.0, 0.0, 0.0)
    moment = wp.vec3(0.0, 0.0, 0.0)
    slope = wp.vec3(0.0, 0.0, 0.0)
    load = float(0.0)
    gap = float(patch.reach[w, pair])
    core = int(-1)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            share = share_of(pairs, patch, touch, w, pair, i, side, b)
            f = share[0] * touch.force[w, i]
            if f > 0.0:
                push += f * touch.n[w, i]
                moment += f * (touch.p[w, i] - c + share[1] * eu + share[2] * ev)
                slope += share[0] * touch.slope[w, i]
                load += f
                if share[0] >= 0.5 and touch.gap[w, i] < gap:
                    gap = touch.gap[w, i]
                    core = i
    if load <= 0.0:
        return
    force = wp.length(push)
    n = patch.normal[w, pair]
    if force > 0.0:
        n = push / force
    p = moment / load
    # Friction: what the columns expect of the normal force, and how far they are stretched.
    expected = patch.expected[w, pair]
    started = worlds.started[w]
    friction = pairs.friction[pair]
    mu_scale = worlds.friction[w, pair]
    sign = pairs.sign[pair]
    R = geom_xmat[w, pairs.skin[pair]]
    k = float(0.0)
    shear = float(0.0)
    bound = float(0.0)
    stretch = wp.vec3(0.0, 0.0, 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        share = wp.vec3(0.0, 0.0, 0.0)
        if touch.force[w, i] > 0.0:
            share = share_of(pairs, patch, touch, w, pair, i, side, b)
        if share[0] > 0.0:
            f = share[0] * touch.force[w, i]
            n_i = touch.n[w, i]
            k_i = share[0] * touch.stiffness[w, i]
            cosine = wp.dot(n_i, n)
            k += k_i * cosine * cosine
            torque += wp.cross(touch.p[w, i] - c - p + share[1] * eu + share[2] * ev, f * n_i)
            normal = f
            if started == 1:
                factor = expected[0]
                if touch.last_elastic[w, i] > 0.0:
                    factor = touch.last_normal[w, i] / touch.last_elastic[w, i]
                normal = f * factor * expected[1]
            slip = tangential(velocity(patch, w, pair, touch.p[w, i]), n_i)
            mu = mu_scale * stribeck(wp.length(slip), friction[0], friction[1], friction[2])
            kt = friction[3] * k_i
            touch.bound[w, i] = mu * normal / share[0]  # the same from whichever block
            bound += mu * normal
            shear += kt
            stretch += kt * carried(carried(sign * (R * touch.stretch[w, i]), n_i), n)
    if force > 0.0:
        p += wp.cross(n, torque) / force
    # Force without stiffness (a face met edge-on) is taken to vanish over the size of the patch.
    box = patch.box[w, pair]
    size = wp.max(wp.max(box[2] - box[0], box[3] - box[1]), 1.0e-4)
    blocks.force[w, pair, b] = force
    blocks.elastic[w, pair, b] = load
    blocks.p[w, pair, b] = p + c
    blocks.slip[w, pair, b] = p + c
    blocks.n[w, pair, b] = n
    blocks.stiffness[w, pair, b] = wp.max(k, force / size)
    blocks.slope[w, pair, b] = slope
    blocks.shear[w, pair, b] = shear
    blocks.bound[w, pair, b] = bound
    blocks.stretch[w, pair, b] = stretch / wp.max(shear, 1.0e-30)
    blocks.core[w, pair, b] = core
