"""Pads of bristles: bristle/bristle_contact.cc, for every world at once.

A bristle is a column of a pair like any other; those of pads come after all columns, and their pairs after the others.
``first``: the first bristle, ``first_pair``: the first of their pairs.
"""

import warp as wp

from .arrays import Blocks, Columns, Pairs, Patch, Touch, Worlds
from .lugre import LuGre, advance_lugre, forgets, no_longer_than, steady
from .motion import carried, tangential, velocity
from .probe import ENTERS, INSIDE, NOTHING, meet_probe
from .types import HUGE

LEAST_COSINE = wp.constant(0.01)
STEEPEST = wp.constant(0.5)  # bristle/bristle_options.h
ON_BORDER = wp.constant(1.0e-4)
"""Points of a regular pad lie on the borders of cells; the rounding of float32 must not decide where they belong."""
AT_REST = wp.constant(1.0e3)
"""Of a body at rest the direction of its velocity is noise: it counts in full from the inverse of this many break-away
lengths a step on (the plugin, in double precision: 1e8 of them)."""


@wp.struct
class Bristles:
    """Of each world and bristle: friction over a step as F = offset + slope v+, at most the cone; and what acts."""

    block: wp.array2d(dtype=int)
    saturated: wp.array2d(dtype=int)
    offset: wp.array2d(dtype=wp.vec3)
    velocity: wp.array2d(dtype=wp.vec3)
    slope: wp.array2d(dtype=float)
    cone: wp.array2d(dtype=float)
    push: wp.array2d(dtype=wp.vec3)
    """normal force on geom 2"""


@wp.struct
class Glide:
    """Of each world, pair of bristles and block: friction to first order in the velocity (FrictionBlock)."""

    normal_damping: wp.array3d(dtype=float)
    damping: wp.array3d(dtype=float)
    along_damping: wp.array3d(dtype=float)
    along: wp.array3d(dtype=wp.vec3)
    force: wp.array3d(dtype=wp.vec3)
    stiffness: wp.array3d(dtype=float)
    sliding: wp.array3d(dtype=float)


@wp.func
def law_of(pairs: Pairs, worlds: Worlds, w: int, pair: int) -> LuGre:
    """With this world's factors: a stiffer foam has stiffer bristles."""
    scale = worlds.modulus[w, pairs.skin_index[pair]]
    mu = worlds.friction[w, pair]
    p = LuGre()
    p.sigma0 = scale * pairs.lugre[pair][0]
    p.sigma1 = scale * pairs.lugre[pair][1]
    p.viscosity = pairs.lugre[pair][2]
    p.static_friction = mu * pairs.friction[pair][0]
    p.dynamic_friction = mu * pairs.friction[pair][1]
    p.stribeck_speed = pairs.friction[pair][2]
    p.paper = pairs.paper[pair]
    return p


@wp.func
def deflection_of(pairs: Pairs, touch: Touch, R: wp.mat33, w: int, pair: int, i: int) -> wp.vec3:
    """z of geom 2 relative to geom 1, in the world."""
    return carried(pairs.sign[pair] * (R * touch.stretch[w, i]), touch.n[w, i])


@wp.kernel(enable_backward=False)
def advance_bristles(
    first: int,
    timestep: wp.array(dtype=float),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
):
    """Moves the deflections past the last step."""
    w, j = wp.tid()
    i = first + j
    moved = worlds.moved[w]
    if moved == 0:
        return
    force = touch.force[w, i]
    if moved == -1 or force <= 0.0:
        touch.stretch[w, i] = wp.vec3(0.0, 0.0, 0.0)
        touch.last_normal[w, i] = 0.0
        touch.last_elastic[w, i] = 0.0
        return
    pair = pairs.pair[i]
    R = geom_xmat[w, pairs.skin[pair]]
    v = tangential(velocity(patch, w, pair, touch.p[w, i]), touch.n[w, i])
    z = deflection_of(pairs, touch, R, w, pair, i)
    h = timestep[w % timestep.shape[0]]
    after = advance_lugre(law_of(pairs, worlds, w, pair), z, v, touch.normal[w, i], h).deflection
    touch.stretch[w, i] = pairs.sign[pair] * (wp.transpose(R) * after)
    touch.last_normal[w, i] = touch.normal[w, i]
    touch.last_elastic[w, i] = force


@wp.kernel(enable_backward=False)
def press_bristles(
    first: int,
    cols: Columns,
    pairs: Pairs,
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    patch: Patch,
    worlds: Worlds,
    touch: Touch,
    bristles: Bristles,
):
    w, j = wp.tid()
    i = first + j
    pair = pairs.pair[i]
    touch.force[w, i] = 0.0
    touch.gap[w, i] = HUGE
    bristles.saturated[w, j] = 0
    if patch.near[w, pair] == 0:
        return
    c = pairs.column[i]
    g = pairs.skin[pair]
    o = pairs.other[pair]
    R_WG = geom_xmat[w, g]
    R_WO = geom_xmat[w, o]
    depth = cols.length[c]
    d = R_WG * cols.d[c]
    way = wp.transpose(R_WO) * d
    tip = wp.transpose(R_WO) * (R_WG * cols.p[c] + (geom_xpos[w, g] - geom_xpos[w, o]))
    base = tip - depth * way
    kind = pairs.kind[pair]
    size = geom_size[w % geom_size.shape[0], o]
    meeting = meet_probe(kind, size, pairs.mesh[pair], pairs.closed[pair], base, tip)
    if meeting.kind == NOTHING:
        # What may pass the base within this step is seen before it touches.
        ahead = patch.reach[w, pair] - pairs.core[pair] * depth
        if pairs.paper[pair] == 1 or ahead <= 0.0:
            return
        above = meet_probe(kind, size, pairs.mesh[pair], pairs.closed[pair], tip, tip + ahead * way)
        if above.kind == ENTERS:
            touch.gap[w, i] = pairs.core[pair] * depth + above.t * ahead
            touch.p[w, i] = R_WG * (cols.p[c] + above.t * ahead * cols.d[c]) + geom_xpos[w, g]
            touch.n[w, i] = pairs.sign[pair] * d
        return
    n = -d
    rest = depth
    cosine = float(1.0)
    if meeting.kind == INSIDE:
        # A probe may be longer than the pad is thick: what holds its base but not its tip lies behind the pad.
        if meet_probe(kind, size, pairs.mesh[pair], pairs.closed[pair], tip, base).kind != INSIDE:
            return
        bristles.saturated[w, j] = 1
    if meeting.kind == ENTERS:
        cosine = -wp.dot(way, meeting.n)
        if not (cosine >= LEAST_COSINE):
            return
        rest = (1.0 - meeting.t) * depth
        n = R_WO * meeting.n
    touch.p[w, i] = R_WG * (cols.p[c] - rest * cols.d[c]) + geom_xpos[w, g]
    touch.n[w, i] = -pairs.sign[pair] * n
    if pairs.paper[pair] == 0:
        touch.gap[w, i] = pairs.core[pair] * depth - rest
    elif meeting.kind == INSIDE:
        return
    penetration = rest * cosine
    steep = float(1.0)
    if pairs.along_axis[pair] == 1:
        penetration = rest
        steep = wp.max(cosine, STEEPEST)
    force = float(0.0)
    slope = float(0.0)
    for l in range(pairs.layers[pair]):
        law = pairs.law[pair, l]
        if penetration > law[0]:
            slope = law[2] / (steep * steep)
            force = (law[2] * penetration + law[3]) / steep
    scale = worlds.modulus[w, pairs.skin_index[pair]]
    touch.force[w, i] = scale * force
    touch.stiffness[w, i] = scale * slope
    touch.slope[w, i] = wp.vec3(0.0, 0.0, 0.0)


@wp.func
def cell_of(x: float, lo: float, hi: float, side: int) -> int:
    width = hi - lo
    if width <= 0.0:
        return 0
    lo -= ON_BORDER * width
    return wp.clamp(int((x - lo) / (hi - lo) * float(side)), 0, side - 1)


@wp.kernel(enable_backward=False)
def assign_blocks(first: int, first_pair: int, side: int, pairs: Pairs, patch: Patch, touch: Touch, bristles: Bristles):
    """No more bristles than blocks: each is its own; else by equal cells of the box of those that push."""
    w, k = wp.tid()
    pair = first_pair + k
    if patch.force[w, pair] <= 0.0:
        return
    count = int(0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        if touch.force[w, i] > 0.0:
            count += 1
    box = patch.box[w, pair]
    c = patch.center[w, pair]
    eu = patch.axis_u[w, pair]
    ev = patch.axis_v[w, pair]
    rank = int(0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        block = int(-1)
        if touch.force[w, i] > 0.0:
            r = touch.p[w, i] - c
            block = rank
            if count > side * side:
                block = cell_of(wp.dot(r, eu), box[0], box[2], side) * side + cell_of(
                    wp.dot(r, ev), box[1], box[3], side
                )
            rank += 1
        bristles.block[w, i - first] = block


@wp.kernel(enable_backward=False)
def sum_bristles(
    first: int,
    first_pair: int,
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
    bristles: Bristles,
    glide: Glide,
):
    """One thread a block: its point on the line of action of its force, and its stiffness along that."""
    w, k, b = wp.tid()
    pair = first_pair + k
    if patch.force[w, pair] <= 0.0:
        return
    c = patch.center[w, pair]
    push = wp.vec3(0.0, 0.0, 0.0)
    moment = wp.vec3(0.0, 0.0, 0.0)
    load = float(0.0)
    gap = float(patch.reach[w, pair])
    core = int(-1)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        if f > 0.0 and bristles.block[w, i - first] == b:
            push += f * touch.n[w, i]
            moment += f * (touch.p[w, i] - c)
            load += f
            if touch.gap[w, i] < gap:
                gap = touch.gap[w, i]
                core = i
    if load <= 0.0:
        return
    force = wp.length(push)
    n = patch.normal[w, pair]
    if force > 0.0:
        n = push / force
    p = moment / load
    stiffness = float(0.0)
    count = float(0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        if f > 0.0 and bristles.block[w, i - first] == b:
            cosine = wp.dot(touch.n[w, i], n)
            stiffness += touch.stiffness[w, i] * cosine * cosine
            count += cosine * cosine
            torque += wp.cross(touch.p[w, i] - c - p, f * touch.n[w, i])
    if force > 0.0:
        p += wp.cross(n, torque) / force
    blocks.force[w, pair, b] = force
    blocks.elastic[w, pair, b] = load
    blocks.p[w, pair, b] = p + c
    blocks.slip[w, pair, b] = p + c
    blocks.n[w, pair, b] = n
    blocks.stiffness[w, pair, b] = stiffness
    blocks.slope[w, pair, b] = wp.vec3(0.0, 0.0, 0.0)
    blocks.core[w, pair, b] = core
    glide.normal_damping[w, k, b] = worlds.modulus[w, pairs.skin_index[pair]] * pairs.dissipation[pair] * count


@wp.kernel(enable_backward=False)
def gather(
    first: int,
    first_pair: int,
    timestep: wp.array(dtype=float),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
    bristles: Bristles,
    glide: Glide,
):
    """BristleContact::Gather: friction over the step with the velocity v+ at its end, F = F(v) + G (v+ - v)."""
    w, k, b = wp.tid()
    pair = first_pair + k
    blocks.bound[w, pair, b] = 0.0
    blocks.shear[w, pair, b] = 0.0
    if blocks.force[w, pair, b] <= 0.0:
        return
    h = timestep[w % timestep.shape[0]]
    p = law_of(pairs, worlds, w, pair)
    R = geom_xmat[w, pairs.skin[pair]]
    n_B = blocks.n[w, pair, b]
    expected = patch.expected[w, pair]
    started = worlds.started[w]
    damping = float(0.0)
    along_damping = float(0.0)
    along = wp.vec3(0.0, 0.0, 0.0)
    force = wp.vec3(0.0, 0.0, 0.0)
    bound = float(0.0)
    stiffness = float(0.0)
    sliding = float(0.0)
    cones = float(0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        j = i - first
        if f > 0.0 and bristles.block[w, j] == b:
            load = f
            if started == 1:
                factor = expected[0]
                if touch.last_elastic[w, i] > 0.0:
                    factor = touch.last_normal[w, i] / touch.last_elastic[w, i]
                load = f * factor * expected[1]
            n = touch.n[w, i]
            cone = p.static_friction * load
            z = deflection_of(pairs, touch, R, w, pair, i)
            if p.paper == 0:
                z = no_longer_than(z, cone / p.sigma0)
            v = tangential(velocity(patch, w, pair, touch.p[w, i]), n)
            speed = wp.length(v)
            a = forgets(p, speed, load)
            # z' = (z + h v+) / (1 + h a);  F = sigma0 z' + sigma1 (v+ - a z') + c_t v+.
            sigma1 = p.sigma1
            keep = float(0.0)
            lost = 1.0 / h
            share = float(1.0)
            counts = float(1.0)
            if a >= 0.0:
                keep = 1.0 / (1.0 + h * a)
                lost = a * keep
                counts = wp.min(1.0, AT_REST * h * a)
                if speed > 1.0e-15:
                    share = a * wp.dot(z, v / speed) / speed
                if p.paper == 0 and wp.dot(v - a * z, v) < 0.0:
                    sigma1 = 0.0
            elif p.paper == 0:
                sigma1 = 0.0
            f0 = p.sigma0 * keep - sigma1 * lost
            slope = (p.sigma0 * h + sigma1) * keep + p.viscosity
            # a rises with the speed, so that a bristle which slides is held back by the same force however fast; across
            # its way the force turns with the velocity, and the slope holds.
            rises = slope
            if speed > 0.0:
                slides = (slope - p.viscosity) * wp.clamp(1.0 - share, 0.0, 1.0) * keep + p.viscosity
                rises += counts * (slides - slope)
            damping += slope
            along_damping += rises
            along += slope * carried(v, n_B)
            force += carried(f0 * z + slope * v, n_B)
            if p.paper == 0:
                bound += cone
            else:  # as printed there is none; one far off
                bound += 4.0 * (wp.length(f0 * z) + slope * speed) + 10.0 * cone
            stiffness += wp.max(f0, 0.0)
            sliding += p.sigma0 * wp.length(z)
            cones += cone
            bristles.offset[w, j] = f0 * z
            bristles.velocity[w, j] = v
            bristles.slope[w, j] = slope
            bristles.cone[w, j] = cone
    blocks.bound[w, pair, b] = bound
    blocks.shear[w, pair, b] = wp.max(stiffness, damping)
    glide.damping[w, k, b] = damping
    glide.along_damping[w, k, b] = along_damping
    glide.along[w, k, b] = wp.normalize(along)
    glide.force[w, k, b] = force
    glide.stiffness[w, k, b] = stiffness
    glide.sliding[w, k, b] = 1.0
    if cones > 0.0:
        glide.sliding[w, k, b] = wp.clamp(sliding / cones, 0.0, 1.0)


@wp.kernel(enable_backward=False)
def share_bristles(
    first: int,
    first_pair: int,
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
    bristles: Bristles,
):
    """BristleContact::Share: what a block got goes to its bristles."""
    w, k, b = wp.tid()
    pair = first_pair + k
    if patch.force[w, pair] <= 0.0 or blocks.force[w, pair, b] <= 0.0:
        return
    p = law_of(pairs, worlds, w, pair)
    n_B = blocks.n[w, pair, b]
    elastic = wp.vec3(0.0, 0.0, 0.0)
    friction = wp.vec3(0.0, 0.0, 0.0)
    slope = float(0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        j = i - first
        if touch.force[w, i] > 0.0 and bristles.block[w, j] == b:
            elastic += touch.force[w, i] * touch.n[w, i]
            friction -= bristles.offset[w, j] + bristles.slope[w, j] * bristles.velocity[w, j]
            slope += bristles.slope[w, j]
    load = blocks.elastic[w, pair, b]
    held = blocks.normal_force[w, pair, b]
    along = wp.dot(elastic, n_B)
    factor = float(0.0)
    if along > 0.0:
        factor = held / along
    # Along their own normals they add up to the block's force; what that leaves over is shared by load.
    left = held * n_B - factor * elastic
    rest = blocks.friction[w, pair, b] - friction
    excess = wp.vec3(0.0, 0.0, 0.0)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        j = i - first
        if f > 0.0 and bristles.block[w, j] == b:
            touch.normal[w, i] = factor * f
            bristles.push[w, j] = factor * f * touch.n[w, i] + (f / load) * left
            rub = -bristles.offset[w, j] - bristles.slope[w, j] * bristles.velocity[w, j]
            if slope > 0.0:
                rub += (bristles.slope[w, j] / slope) * rest
            if p.paper == 0:  # no bristle beyond its cone
                within = no_longer_than(rub, bristles.cone[w, j])
                excess += rub - within
                rub = within
            touch.rubbing[w, i] = rub
            touch.bound[w, i] = steady(p, wp.length(bristles.velocity[w, j]), factor * f)
    for i in range(pairs.first[pair], pairs.first[pair + 1]):
        f = touch.force[w, i]
        if f > 0.0 and bristles.block[w, i - first] == b:
            touch.rubbing[w, i] = touch.rubbing[w, i] + (f / load) * excess
