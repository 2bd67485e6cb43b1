"""The start of a step: has time gone on, how do the geoms of a pair move, what does friction remember."""

import warp as wp

from .arrays import Pairs, Patch, Touch, Worlds
from .types import HUGE, PLANE

CORE_ACCELERATION = wp.constant(20.0)
"""m/s2: what starts from rest is foreseen up to twice gravity."""
BUDGET_MEMORY = wp.constant(0.2)
"""s, as in contact/release_limit.h."""


@wp.func
def tangential(v: wp.vec3, n: wp.vec3) -> wp.vec3:
    return v - wp.dot(v, n) * n


@wp.func
def carried(s: wp.vec3, n: wp.vec3) -> wp.vec3:
    """A stretch turned into the plane of another normal, as long as before (contact/bristle_law.h)."""
    t = tangential(s, n)
    before = wp.dot(s, s)
    after = wp.dot(t, t)
    if after > 0.25 * before and after > 0.0:
        t = wp.sqrt(before / after) * t
    return t


@wp.func
def advance_stretch(stretch: wp.vec3, motion: wp.vec3, longest: float, breakaway: float) -> wp.vec3:
    """One step of elasto-plastic LuGre (contact/bristle_law.h)."""
    if longest <= 0.0:
        return wp.vec3(0.0, 0.0, 0.0)
    s = stretch + motion
    length = wp.length(s)
    if breakaway < 1.0 and length > breakaway * longest and (breakaway == 0.0 or wp.dot(s, motion) > 0.0):
        alpha = float(1.0)
        if breakaway > 0.0 and length < longest:
            alpha = 0.5 - 0.5 * wp.cos(wp.pi * (length - breakaway * longest) / ((1.0 - breakaway) * longest))
        shrink = 1.0 / (1.0 + alpha * wp.length(motion) / longest)
        s = shrink * s
        length = shrink * length
    if length > longest:
        s = (longest / length) * s
    return s


@wp.func
def stribeck(speed: float, friction_static: float, friction_dynamic: float, scale: float) -> float:
    if friction_static == friction_dynamic:
        return friction_dynamic
    r = speed / scale
    return friction_dynamic + (friction_static - friction_dynamic) * wp.exp(-r * r)


@wp.func
def velocity(patch: Patch, w: int, pair: int, p: wp.vec3) -> wp.vec3:
    """Of geom 2 relative to geom 1 at a point."""
    return patch.linear[w, pair] + wp.cross(patch.angular[w, pair], p - patch.at[w, pair])


@wp.kernel(enable_backward=False)
def begin_worlds(time: wp.array(dtype=float), timestep: wp.array(dtype=float), worlds: Worlds):
    """A step has passed where time has gone on; friction forgets where it went back. Steps are counted, since a sum of
    float32 numbers drifts; a time that somebody set counts as it is."""
    w = wp.tid()
    now = time[w]
    number = int(wp.round(now / timestep[w % timestep.shape[0]]))
    last = worlds.time[w]
    moved = int(0)
    if now > last:
        moved = 1
        worlds.started[w] = 1
        next = worlds.step[w] + 1
        if wp.abs(number - next) > 2 + next / 1000:
            next = number
        worlds.step[w] = next
    elif now < last:
        moved = -1
        worlds.started[w] = 0
    elif worlds.started[w] == 0:
        moved = -1  # before the first step has passed there is nothing to remember, and a reset looks the same
    if moved == -1:
        worlds.step[w] = number
    worlds.moved[w] = moved
    worlds.time[w] = now


@wp.func
def body_motion(
    body: int,
    body_weldid: wp.array(dtype=int),
    body_dofadr: wp.array(dtype=int),
    body_dofnum: wp.array(dtype=int),
    dof_parentid: wp.array(dtype=int),
    w: int,
    qvel: wp.array2d(dtype=float),
    cdof: wp.array2d(dtype=wp.spatial_vector),
) -> wp.spatial_vector:
    """Angular and linear velocity about the centre of the body's tree, from qvel and this step's kinematics."""
    v = wp.spatial_vector()
    weld = body_weldid[body]
    dof = body_dofadr[weld] + body_dofnum[weld] - 1
    while dof >= 0:
        v += qvel[w, dof] * cdof[w, dof]
        dof = dof_parentid[dof]
    return v


@wp.kernel(enable_backward=False)
def begin_pairs(
    timestep: wp.array(dtype=float),
    geom_rbound: wp.array2d(dtype=float),
    geom_bodyid: wp.array(dtype=int),
    body_rootid: wp.array(dtype=int),
    body_weldid: wp.array(dtype=int),
    body_dofadr: wp.array(dtype=int),
    body_dofnum: wp.array(dtype=int),
    dof_parentid: wp.array(dtype=int),
    qvel: wp.array2d(dtype=float),
    cdof: wp.array2d(dtype=wp.spatial_vector),
    subtree_com: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
):
    """The budget of the last step's contact, the relative motion, and whether the two come near each other."""
    w, pair = wp.tid()
    h = timestep[w % timestep.shape[0]]
    skin = pairs.skin[pair]
    other = pairs.other[pair]
    g1 = skin
    g2 = other
    if pairs.sign[pair] < 0.0:
        g1 = other
        g2 = skin
    b1 = geom_bodyid[g1]
    b2 = geom_bodyid[g2]
    v1 = body_motion(b1, body_weldid, body_dofadr, body_dofnum, dof_parentid, w, qvel, cdof)
    v2 = body_motion(b2, body_weldid, body_dofadr, body_dofnum, dof_parentid, w, qvel, cdof)
    at1 = subtree_com[w, body_rootid[b1]]
    at2 = subtree_com[w, body_rootid[b2]]
    a1 = wp.spatial_top(v1)
    a2 = wp.spatial_top(v2)
    linear = wp.spatial_bottom(v2) - wp.spatial_bottom(v1) - wp.cross(a1, at2 - at1)
    angular = a2 - a1

    if worlds.moved[w] == 1 and patch.known[w, pair] == 1:
        c = patch.center[w, pair]
        power = float(0.0)
        for k in range(2):
            if k == 0:
                v = velocity(patch, w, pair, c)
                turn = patch.angular[w, pair]
            else:
                v = linear + wp.cross(angular, c - at2)
                turn = angular
            power += 0.5 * (wp.dot(patch.solved[w, pair], v) + wp.dot(patch.solved_torque[w, pair], turn))
        budget = wp.max(0.0, patch.budget[w, pair] - h * power)
        if patch.held[w, pair] == 0:
            budget += wp.min(1.0, h / BUDGET_MEMORY) * (patch.energy[w, pair] - budget)
        patch.budget[w, pair] = budget
    if worlds.moved[w] == -1:
        patch.known[w, pair] = 0

    patch.linear[w, pair] = linear
    patch.angular[w, pair] = angular
    patch.at[w, pair] = at2
    patch.deepest[w, pair] = 0.0
    patch.worst[w, pair] = -1
    patch.force[w, pair] = 0.0
    patch.solved[w, pair] = wp.vec3(0.0, 0.0, 0.0)
    patch.solved_torque[w, pair] = wp.vec3(0.0, 0.0, 0.0)
    patch.friction[w, pair] = wp.vec3(0.0, 0.0, 0.0)
    patch.spread[w, pair] = wp.vec3(0.0, 0.0, 0.0)
    patch.contacts[w, pair] = 0

    middle = geom_xmat[w, skin] * pairs.middle[pair] + geom_xpos[w, skin]
    away = middle - geom_xpos[w, other]
    # What the fastest point covers in a step, and a little more for what accelerates it.
    v = linear + wp.cross(angular, middle - at2)
    speed = wp.length(v) + pairs.reach[pair] * wp.length(angular)
    reach = 2.0 * h * speed + CORE_ACCELERATION * h * h
    patch.reach[w, pair] = reach
    distance = wp.length(away) - geom_rbound[w % geom_rbound.shape[0], other]
    if pairs.kind[pair] == PLANE:
        m = geom_xmat[w, other]
        distance = wp.dot(away, wp.vec3(m[0, 2], m[1, 2], m[2, 2]))
    # NaN is near nothing: a world that blew up is left to whoever resets it.
    patch.near[w, pair] = wp.where(distance <= pairs.reach[pair] + reach, 1, 0)


@wp.kernel(enable_backward=False)
def advance_columns(
    timestep: wp.array(dtype=float),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
):
    """Moves the memory of friction past the last step."""
    w, i = wp.tid()
    moved = worlds.moved[w]
    if moved == 0:
        return
    zero = wp.vec3(0.0, 0.0, 0.0)
    force = touch.force[w, i]
    if moved == -1 or force <= 0.0:
        touch.stretch[w, i] = zero
        touch.last_normal[w, i] = 0.0
        touch.last_elastic[w, i] = 0.0
        return
    pair = pairs.pair[i]
    h = timestep[w % timestep.shape[0]]
    R = geom_xmat[w, pairs.skin[pair]]
    n = touch.n[w, i]
    shear = pairs.friction[pair][3] * touch.stiffness[w, i]
    longest = float(0.0)
    if shear > 0.0:
        longest = touch.bound[w, i] / shear
    v = pairs.sign[pair] * velocity(patch, w, pair, touch.p[w, i])
    s = advance_stretch(carried(R * touch.stretch[w, i], n), h * tangential(v, n), longest, pairs.friction[pair][4])
    touch.stretch[w, i] = wp.transpose(R) * s
    touch.last_normal[w, i] = touch.normal[w, i]
    touch.last_elastic[w, i] = force


@wp.kernel(enable_backward=False)
def forget(mask: wp.array(dtype=wp.bool), columns: int, num_pairs: int, worlds: Worlds, patch: Patch, touch: Touch):
    """Worlds of the mask start afresh."""
    w = wp.tid()
    if not mask[w]:
        return
    worlds.started[w] = 0
    worlds.time[w] = HUGE  # whatever the time is next, it went back
    for i in range(columns):
        touch.stretch[w, i] = wp.vec3(0.0, 0.0, 0.0)
        touch.last_normal[w, i] = 0.0
        touch.last_elastic[w, i] = 0.0
        touch.force[w, i] = 0.0
    for pair in range(num_pairs):
        patch.known[w, pair] = 0
