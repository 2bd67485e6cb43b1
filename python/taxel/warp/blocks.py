"""What a few points must keep of the whole patch, how much they may push, and how many contacts that makes."""

import warp as wp

from .arrays import Blocks, Pairs, Patch, Touch, Worlds
from .motion import velocity
from .rows import CORE_RECOVERY_TIME

# The numbers of contact/patch_blocks.cc.
MOST_SPREAD = wp.constant(1.6)
LEAST_SPREAD = wp.constant(0.8)
MOST_SHEAR = wp.constant(0.2)
MOST_LOSS = wp.constant(0.8)
MOST_GAIN = wp.constant(1.0)
FAR_ASIDE = wp.constant(0.3)
LEAST_PUSH = wp.constant(0.02)
LEAST_RELEASE = wp.constant(1.0e-6)
LIFT = wp.constant(1.5)
ROUNDS = wp.constant(4)


@wp.func
def exit_stiffness(patch: Patch, blocks: Blocks, w: int, pair: int, b: int) -> float:
    """A block on a flank loses its force faster when the body leaves along the mean normal."""
    n = blocks.n[w, pair, b]
    m = patch.normal[w, pair]
    c = wp.dot(n, m)
    if c < FAR_ASIDE:
        return 0.0
    return wp.max(0.0, -wp.dot(blocks.slope[w, pair, b], m - c * n) / c)


@wp.func
def spread_blocks(patch: Patch, blocks: Blocks, w: int, pair: int, num_blocks: int, turns: int):
    """Moves the points by the linear map that gives them the second moments of stiffness of the patch. ``turns``: their
    normals follow."""
    c = patch.center[w, pair]
    eu = patch.axis_u[w, pair]
    ev = patch.axis_v[w, pair]
    count = int(0)
    stiffness = float(0.0)
    q = wp.vec2(0.0, 0.0)
    Q = wp.vec3(0.0, 0.0, 0.0)
    arm = float(0.0)
    for b in range(num_blocks):
        if blocks.force[w, pair, b] > 0.0:
            r = blocks.p[w, pair, b] - c
            k = blocks.stiffness[w, pair, b]
            x = wp.vec2(wp.dot(r, eu), wp.dot(r, ev))
            count += 1
            stiffness += k
            q += k * x
            Q += k * wp.vec3(x[0] * x[0], x[0] * x[1], x[1] * x[1])
            arm += blocks.force[w, pair, b] * wp.length(r)
    if count < 4:
        return
    # Friction of a spinning patch has the torque sum f |r|; a block's middle is nearer than its columns are.
    if arm > 0.0:
        scale = wp.clamp(patch.arm[w, pair] / arm, 1.0, 1.2)
        for b in range(num_blocks):
            if blocks.force[w, pair, b] > 0.0:
                blocks.slip[w, pair, b] = c + scale * (blocks.p[w, pair, b] - c)
    q = q / stiffness
    Q = Q - stiffness * wp.vec3(q[0] * q[0], q[0] * q[1], q[1] * q[1])
    S = patch.stiff_moments[w, pair]
    if S[0] <= 0.0 or Q[0] <= 0.0:
        return
    s00 = wp.sqrt(S[0])
    s10 = S[1] / s00
    s11 = S[2] - s10 * s10
    q00 = wp.sqrt(Q[0])
    q10 = Q[1] / q00
    q11 = Q[2] - q10 * q10
    if s11 <= 1.0e-6 * S[0] or q11 <= 1.0e-6 * Q[0] or S[0] <= 1.0e-6 * S[2]:
        return
    s11 = wp.sqrt(s11)
    q11 = wp.sqrt(q11)
    b00 = s00 / q00
    b11 = s11 / q11
    if b00 > MOST_SPREAD or b11 > MOST_SPREAD or b00 < LEAST_SPREAD or b11 < LEAST_SPREAD:
        return
    b10 = (s10 - b11 * q10) / q00
    if wp.abs(b10) > MOST_SHEAR:
        return
    shift = patch.stiff_center[w, pair] - q
    turn_u = wp.vec3(0.0, 0.0, 0.0)
    turn_v = wp.vec3(0.0, 0.0, 0.0)
    if turns == 1:
        # Normals follow the surface: how they turn with the place, by least squares.
        middle = wp.vec3(0.0, 0.0, 0.0)
        for b in range(num_blocks):
            if blocks.force[w, pair, b] > 0.0:
                middle += (blocks.stiffness[w, pair, b] / stiffness) * blocks.n[w, pair, b]
        nu = wp.vec3(0.0, 0.0, 0.0)
        nv = wp.vec3(0.0, 0.0, 0.0)
        for b in range(num_blocks):
            if blocks.force[w, pair, b] > 0.0:
                r = blocks.p[w, pair, b] - c
                k = blocks.stiffness[w, pair, b]
                nu += k * (wp.dot(r, eu) - q[0]) * (blocks.n[w, pair, b] - middle)
                nv += k * (wp.dot(r, ev) - q[1]) * (blocks.n[w, pair, b] - middle)
        determinant = Q[0] * Q[2] - Q[1] * Q[1]
        if determinant > 1.0e-5 * Q[0] * Q[2]:
            turn_u = (Q[2] * nu - Q[1] * nv) / determinant
            turn_v = (Q[0] * nv - Q[1] * nu) / determinant
    for b in range(num_blocks):
        if blocks.force[w, pair, b] > 0.0:
            r = blocks.p[w, pair, b] - c
            u = wp.dot(r, eu) - q[0]
            v = wp.dot(r, ev) - q[1]
            du = shift[0] + b00 * u - u
            dv = shift[1] + b10 * u + b11 * v - v
            if turns == 1:
                blocks.n[w, pair, b] = wp.normalize(blocks.n[w, pair, b] + du * turn_u + dv * turn_v)
            blocks.p[w, pair, b] = blocks.p[w, pair, b] + du * eu + dv * ev


@wp.func
def lever(patch: Patch, blocks: Blocks, w: int, pair: int, b: int, size: float) -> wp.vec3:
    """What a unit of the block's force does: along the mean normal, and about the two axes of the patch."""
    n = blocks.n[w, pair, b]
    t = wp.cross(blocks.p[w, pair, b] - patch.center[w, pair], n) / size
    return wp.vec3(wp.dot(n, patch.normal[w, pair]), wp.dot(t, patch.axis_u[w, pair]), wp.dot(t, patch.axis_v[w, pair]))


@wp.func
def restore_wrench(patch: Patch, blocks: Blocks, w: int, pair: int, num_blocks: int):
    """Forces that give the normal force and the two tilting torques of the columns, as if the patch moved a little.
    A block that would lose most of its force, or more than double it, takes its limit."""
    push = patch.wrench[w, pair]
    total = wp.vec3(0.0, 0.0, 0.0)
    size = float(1.0e-9)
    count = int(0)
    for b in range(num_blocks):
        f = blocks.force[w, pair, b]
        if f > 0.0:
            total += f * blocks.n[w, pair, b]
            size = wp.max(size, wp.length(blocks.p[w, pair, b] - patch.center[w, pair]))
            count += 1
    along = wp.dot(total, push)
    if along <= 0.0:
        return
    scale = wp.dot(push, push) / along
    for b in range(num_blocks):
        blocks.force[w, pair, b] = scale * blocks.force[w, pair, b]
    if count < 3:
        return
    torque = patch.torque[w, pair] / size
    want = wp.vec3(
        wp.dot(push, patch.normal[w, pair]),
        wp.dot(torque, patch.axis_u[w, pair]),
        wp.dot(torque, patch.axis_v[w, pair]),
    )
    G = wp.mat33()
    for b in range(num_blocks):
        if blocks.force[w, pair, b] > 0.0:
            d = lever(patch, blocks, w, pair, b, size)
            G += blocks.stiffness[w, pair, b] * wp.outer(d, d)
    ridge = 1.0e-4 * wp.trace(G) / 3.0
    for i in range(3):
        G[i, i] = G[i, i] + ridge
    inverse = wp.inverse(G)
    for _round in range(ROUNDS):
        missing = want
        for b in range(num_blocks):
            f = blocks.force[w, pair, b]
            if f > 0.0:
                missing -= f * lever(patch, blocks, w, pair, b, size)
        motion = inverse * missing
        for b in range(num_blocks):
            f = blocks.force[w, pair, b]
            if f > 0.0:
                change = blocks.stiffness[w, pair, b] * wp.dot(lever(patch, blocks, w, pair, b, size), motion)
                blocks.force[w, pair, b] = f + wp.clamp(change, -MOST_LOSS * f, MOST_GAIN * f)


@wp.func
def inverse_mass_along(
    body_invweight0: wp.array2d(dtype=wp.vec2),
    xipos: wp.array2d(dtype=wp.vec3),
    w: int,
    b1: int,
    b2: int,
    p: wp.vec3,
    n: wp.vec3,
) -> float:
    """How easily the bodies move against each other at p along n, 1/kg."""
    i = w % body_invweight0.shape[0]
    r1 = wp.cross(p - xipos[w, b1], n)
    r2 = wp.cross(p - xipos[w, b2], n)
    return (
        body_invweight0[i, b1][0]
        + body_invweight0[i, b2][0]
        + body_invweight0[i, b1][1] * wp.dot(r1, r1)
        + body_invweight0[i, b2][1] * wp.dot(r2, r2)
    )


@wp.kernel(enable_backward=False)
def finish_blocks(
    num_blocks: int,
    timestep: wp.array(dtype=float),
    gravity: wp.array(dtype=wp.vec3),
    geom_bodyid: wp.array(dtype=int),
    body_invweight0: wp.array2d(dtype=wp.vec2),
    xipos: wp.array2d(dtype=wp.vec3),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
):
    """One thread a pair: the points keep what the patch is, and release no more than was put in."""
    w, pair = wp.tid()
    if patch.near[w, pair] == 0:
        return
    worst = patch.worst[w, pair]
    if patch.force[w, pair] <= 0.0:
        return
    spread_blocks(patch, blocks, w, pair, num_blocks, wp.where(pairs.bristled[pair] >= 0, 1, 0))
    restore_wrench(patch, blocks, w, pair, num_blocks)
    energy = float(0.0)
    for b in range(num_blocks):
        f = blocks.force[w, pair, b]
        if f > 0.0:
            energy += 0.5 * f * f / (blocks.stiffness[w, pair, b] + exit_stiffness(patch, blocks, w, pair, b))
    force = patch.force[w, pair]
    stiffness = patch.stiffness[w, pair]
    push = float(1.0)
    if worst >= 0 and pairs.bristled[pair] < 0:
        push = wp.max(
            LEAST_PUSH, 1.0 + 2.0 * wp.min(0.0, touch.gap[w, worst]) / (pairs.core[pair] * pairs.length[pair])
        )

    # The budget (contact/release_limit.h).
    h = timestep[w % timestep.shape[0]]
    c = patch.center[w, pair]
    n = patch.normal[w, pair]
    v = velocity(patch, w, pair, c)
    if patch.known[w, pair] == 0:
        patch.budget[w, pair] = wp.max(0.0, energy - force * wp.length(v) * h)
        patch.known[w, pair] = 1
    budget = patch.budget[w, pair]
    patch.energy[w, pair] = energy
    patch.held[w, pair] = 0
    soften = float(1.0)
    if budget < energy and pairs.bristled[pair] < 0:
        b1 = geom_bodyid[pairs.skin[pair]]
        b2 = geom_bodyid[pairs.other[pair]]
        i = w % body_invweight0.shape[0]
        A = inverse_mass_along(body_invweight0, xipos, w, b1, b2, c, n)
        middle = wp.max(body_invweight0[i, b1][0] + body_invweight0[i, b2][0], 1.0e-9)
        lift = LIFT * wp.max(1.0, A / middle) * wp.length(gravity[w % gravity.shape[0]]) * h
        slow = wp.max(lift, push * force / stiffness / CORE_RECOVERY_TIME)
        speed = wp.dot(n, v)
        most = wp.max(slow, wp.sqrt(speed * speed + 2.0 * A * wp.max(0.0, budget)))
        gain = h * A * push * force
        x = h * h * A * stiffness
        if speed + gain > most * (1.0 + x):
            soften = wp.clamp((most - speed) / (gain - x * most), LEAST_RELEASE, 1.0)
            patch.held[w, pair] = 1
    patch.stiffness[w, pair] = soften * stiffness
    for b in range(num_blocks):
        f = blocks.force[w, pair, b]
        if f > 0.0:
            blocks.force[w, pair, b] = push * soften * f
            blocks.stiffness[w, pair, b] = soften * blocks.stiffness[w, pair, b]
            blocks.slope[w, pair, b] = push * soften * blocks.slope[w, pair, b]
            blocks.shear[w, pair, b] = soften * blocks.shear[w, pair, b]


@wp.kernel(enable_backward=False)
def count_rows(num_blocks: int, patch: Patch, blocks: Blocks):
    """How many contacts a pair asks for."""
    w, pair = wp.tid()
    if patch.near[w, pair] == 0:
        return
    count = int(0)
    if patch.force[w, pair] <= 0.0:
        # Nothing is pressed, but something comes fast: the core alone.
        for b in range(num_blocks):
            if blocks.core[w, pair, b] >= 0:
                count += 1
        patch.contacts[w, pair] = count
        return
    for b in range(num_blocks):
        if blocks.force[w, pair, b] > 0.0:
            count += 1
            if blocks.bound[w, pair, b] > 0.0 and blocks.shear[w, pair, b] > 0.0:
                count += 1
            if blocks.core[w, pair, b] >= 0:
                count += 1
    patch.contacts[w, pair] = count


@wp.kernel(enable_backward=False)
def count_contacts(num_pairs: int, patch: Patch, worlds: Worlds):
    w = wp.tid()
    count = int(0)
    for pair in range(num_pairs):
        count += patch.contacts[w, pair]
    worlds.count[w] = count
