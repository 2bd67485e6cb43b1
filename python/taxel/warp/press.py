"""From poses to the pressure of every column: one thread a column of a pair, then one a column that needs a polygon."""

import warp as wp

from .arrays import Columns, Pairs, Patch, Touch, Worlds
from .carry import Push, add_part, press_cell
from .cell import ON_LINE, Polygon, integrate_above, integrate_quad
from .meet import Meeting, View, affine, least_front, meet_primitive
from .types import BOX, HUGE, MESH, PLANE

DEEPEST = wp.constant(2.0)
"""A body deeper than so many lengths has passed the bone, and what is beyond is the core's."""
BEND = wp.constant(0.03)
"""Cells are halved, twice at most, where a tangent plane is off by more than this part of the deepest press."""
MESH_PARTS = wp.constant(2)
"""Against a mesh a cell is always divided into so many parts along a side."""
ONE_FACE = wp.constant(0.88)
"""Cosine: faces that look about the same way."""


@wp.func
def seen(x: wp.vec3, R_WG: wp.mat33, p_WG: wp.vec3, R_WO: wp.mat33, p_WO: wp.vec3) -> wp.vec3:
    """A point of the skin's frame in the frame of the other."""
    return wp.transpose(R_WO) * (R_WG * x + (p_WG - p_WO))


@wp.func
def turned(x: wp.vec3, R_WG: wp.mat33, R_WO: wp.mat33) -> wp.vec3:
    return wp.transpose(R_WO) * (R_WG * x)


@wp.func
def mesh_ray(mesh: wp.uint64, start: wp.vec3, d: wp.vec3, reach: float) -> tuple[float, wp.vec3]:
    """Height above ``start`` at which a ray along d meets the mesh, -1 where it does not, and the normal there."""
    query = wp.mesh_query_ray(mesh, start, d, reach)
    if query.result:
        return query.t, query.normal
    return -1.0, wp.vec3(0.0, 0.0, 0.0)


@wp.func
def mesh_meeting(mesh: wp.uint64, k: View, deepest: float) -> Meeting:
    """Rays from below the bone outward, at the four points of Gauss: their plane has the mean depth of whatever is
    curved no more than a parabola. Where an edge lies between them, the plane that the middle ray meets."""
    m = Meeting()
    # Half the sides of the cell over the root of 3.
    s = wp.sqrt(k.mean_ss)
    t = wp.sqrt(k.mean_tt)
    below = k.o - deepest * k.d
    reach = 11.0 * deepest
    h0, n0 = mesh_ray(mesh, below - s * k.u - t * k.v, k.d, reach)
    h1, n1 = mesh_ray(mesh, below + s * k.u - t * k.v, k.d, reach)
    h2, n2 = mesh_ray(mesh, below + s * k.u + t * k.v, k.d, reach)
    h3, n3 = mesh_ray(mesh, below - s * k.u + t * k.v, k.d, reach)
    if h0 >= 0.0 and h1 >= 0.0 and h2 >= 0.0 and h3 >= 0.0:
        alike = wp.min(wp.min(wp.dot(n0, n1), wp.dot(n0, n2)), wp.dot(n0, n3))
        if alike > ONE_FACE and wp.dot(n0 + n1 + n2 + n3, k.d) < -0.4:
            m.there = 1
            m.fronts = 1
            m.front[0] = wp.vec3(
                deepest - 0.25 * (h0 + h1 + h2 + h3),
                -0.25 * (h1 + h2 - h0 - h3) / s,
                -0.25 * (h2 + h3 - h0 - h1) / t,
            )
            return m
    h, n = mesh_ray(mesh, below, k.d, reach)
    if h < 0.0:
        return m
    along = wp.dot(n, k.d)
    if along < -0.1:
        m.there = 1
        m.fronts = 1
        m.front[0] = wp.vec3(deepest - h, wp.dot(n, k.u) / along, wp.dot(n, k.v) / along)
    elif along > 0.0:  # it begins inside: the body has passed the bone
        m.there = 1
        m.fronts = 1
        m.front[0] = wp.vec3(deepest, 0.0, 0.0)
    return m


@wp.func
def behind(m: Meeting, sag: float, bone: float, depth: float) -> int:
    """What holds the bone and not the skin lies behind it, or came in from the side."""
    for j in range(m.backs):
        end = m.back[j, 0] - sag
        if end > bone or (depth > bone and end > 0.0):
            return 1
    return 0


@wp.func
def corner(cols: Columns, c: int, i: int, z: float) -> wp.vec2:
    return wp.vec2(cols.s[c][i] - z * cols.spread_s[c][i], cols.t[c][i] - z * cols.spread_t[c][i])


@wp.func
def within(a: wp.vec2, b: wp.vec2, c: wp.vec2, d: wp.vec2, x: float, y: float) -> wp.vec2:
    """Bilinear over four corners."""
    return (1.0 - y) * ((1.0 - x) * a + x * b) + y * ((1.0 - x) * d + x * c)


@wp.func
def part_of_triangle(part: int, along: int) -> wp.mat33:
    """The corners of one of its along x along parts, a row each, as shares of the corners of the whole: divided as
    Column::Quarter does."""
    m = wp.identity(n=3, dtype=float)
    q = part
    n = along
    while n > 1:
        k = q % 4
        a = wp.vec3(m[0, 0], m[0, 1], m[0, 2])
        b = wp.vec3(m[1, 0], m[1, 1], m[1, 2])
        c = wp.vec3(m[2, 0], m[2, 1], m[2, 2])
        ab = 0.5 * (a + b)
        bc = 0.5 * (b + c)
        ca = 0.5 * (c + a)
        if k == 0:
            m = wp.matrix_from_rows(a, ab, ca)
        elif k == 1:
            m = wp.matrix_from_rows(b, bc, ab)
        elif k == 2:
            m = wp.matrix_from_rows(c, ca, bc)
        else:
            m = wp.matrix_from_rows(ab, bc, ca)
        q = q / 4
        n = n / 2
    return m


@wp.func
def view_of(
    cols: Columns, c: int, at: wp.vec3, R_WG: wp.mat33, p_WG: wp.vec3, R_WO: wp.mat33, p_WO: wp.vec3, part: float
) -> View:
    k = View()
    k.o = seen(at, R_WG, p_WG, R_WO, p_WO)
    k.d = turned(cols.d[c], R_WG, R_WO)
    k.u = turned(cols.u[c], R_WG, R_WO)
    k.v = turned(cols.v[c], R_WG, R_WO)
    k.mean_ss = cols.mean_ss[c] * part * part
    k.mean_tt = cols.mean_tt[c] * part * part
    k.radius = cols.radius[c] * part
    slope = cols.slope[c]
    k.rise = k.radius * (wp.abs(slope[0]) + wp.abs(slope[1]))
    return k


@wp.kernel(enable_backward=False)
def find_deepest(
    cols: Columns,
    pairs: Pairs,
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    patch: Patch,
):
    """The deepest press of a pair: how closely curved bodies must be followed."""
    w, i = wp.tid()
    pair = pairs.pair[i]
    kind = pairs.kind[pair]
    if patch.near[w, pair] == 0 or kind == MESH or kind == BOX or kind == PLANE:  # noqa: SIM109 (nothing curved)
        return
    c = pairs.column[i]
    g = pairs.skin[pair]
    o = pairs.other[pair]
    k = view_of(cols, c, cols.p[c], geom_xmat[w, g], geom_xpos[w, g], geom_xmat[w, o], geom_xpos[w, o], 1.0)
    m = meet_primitive(kind, geom_size[w % geom_size.shape[0], o], k)
    if m.there == 1:
        depth = least_front(m) - cols.sag[c]
        if depth > 0.0 and behind(m, cols.sag[c], cols.length[c] + pairs.past[pair], depth) == 0:
            wp.atomic_max(patch.deepest, w, pair, wp.min(depth, cols.length[c] + pairs.give[pair]))


@wp.func
def hand_in(
    cols: Columns, c: int, pairs: Pairs, pair: int, R_WG: wp.mat33, p_WG: wp.vec3, sum: Push, worlds: Worlds,
    touch: Touch, w: int, i: int,
):  # fmt: skip
    """What a column carries, in the world."""
    if sum.load <= 0.0:
        return
    length = cols.length[c]
    touch.gap[w, i] = wp.min(touch.gap[w, i], pairs.core[pair] * length - sum.z)
    scale = worlds.modulus[w, pairs.skin_index[pair]]
    f_G = sum.f[0] * cols.u[c] + sum.f[1] * cols.v[c] + sum.f[2] * cols.d[c]
    inverse = 1.0 / sum.load
    p_G = cols.p[c] + inverse * (sum.s * cols.u[c] + sum.t * cols.v[c] + sum.tau * cols.d[c])
    force = wp.length(f_G)
    sign = pairs.sign[pair]
    touch.force[w, i] = scale * force
    touch.p[w, i] = R_WG * p_G + p_WG
    touch.n[w, i] = (sign / force) * (R_WG * f_G)
    touch.stiffness[w, i] = scale * sum.k
    # How the force rises when geom 2 slides: with the other in a resting skin, or the skin under a resting body.
    slope_G = sum.slope[0] * cols.u[c] + sum.slope[1] * cols.v[c] + sum.slope[2] * cols.d[c]
    touch.slope[w, i] = scale * sign * (R_WG * slope_G)
    if pairs.follows[pair] == 1:
        touch.covered[w, i] = sum.covered


@wp.kernel(enable_backward=False)
def press_columns(
    cols: Columns,
    pairs: Pairs,
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    patch: Patch,
    worlds: Worlds,
    touch: Touch,
    cut: wp.array(dtype=int),
    cut_count: wp.array(dtype=int),
):
    """What needs no polygon: columns that nothing meets, and cells in the first layer of the law that nothing but the
    skin itself cuts. The others come into a list, in any order: ``press_cut_columns`` has no idle threads."""
    w, i = wp.tid()
    pair = pairs.pair[i]
    touch.force[w, i] = 0.0
    touch.gap[w, i] = HUGE
    if patch.near[w, pair] == 0:
        return
    c = pairs.column[i]
    g = pairs.skin[pair]
    o = pairs.other[pair]
    R_WG = geom_xmat[w, g]
    p_WG = geom_xpos[w, g]
    R_WO = geom_xmat[w, o]
    p_WO = geom_xpos[w, o]
    kind = pairs.kind[pair]
    size = geom_size[w % geom_size.shape[0], o]
    length = cols.length[c]
    sag = cols.sag[c]
    slope = cols.slope[c]
    give = pairs.give[pair]
    deep = wp.min(DEEPEST * length, wp.max(length, cols.tight[c])) + give

    parts = int(1)
    if kind == MESH:
        parts = MESH_PARTS
    else:
        k = view_of(cols, c, cols.p[c], R_WG, p_WG, R_WO, p_WO, 1.0)
        m = meet_primitive(kind, size, k)
        if m.there == 0:
            return
        depth = least_front(m) - sag
        if behind(m, sag, length + pairs.past[pair], depth) == 1:
            return
        # Over the bone's distance from what is above the skin, too: a hard hit is foreseen.
        touch.gap[w, i] = pairs.core[pair] * length - wp.min(depth, deep)
        most = float(HUGE)
        for j in range(m.fronts):
            most = wp.min(most, m.front[j, 0] + k.radius * (wp.abs(m.front[j, 1]) + wp.abs(m.front[j, 2])))
        touch.p[w, i] = R_WG * (cols.p[c] - depth * cols.d[c]) + p_WG
        touch.n[w, i] = pairs.sign[pair] * (R_WG * cols.d[c])
        if most + k.rise + m.bend <= 0.0:
            return
        bend = m.bend
        for step in range(2):
            if bend > BEND * patch.deepest[w, pair]:
                parts = parts * 2
                bend = bend * 0.25

        if parts == 1 and m.fronts == 1 and cols.corners[c] == 4 and depth <= deep and cols.ridge[c][0] >= length:
            f = wp.vec3(depth, m.front[0, 1] + slope[0], m.front[0, 2] + slope[1])
            z = wp.clamp(depth, 0.0, wp.min(length, cols.tight[c]))
            x = cols.s[c] - z * cols.spread_s[c]
            y = cols.t[c] - z * cols.spread_t[c]
            deepest = float(-HUGE)
            shallowest = float(HUGE)
            spare = float(HUGE)  # below all else that could cut the cell
            for q in range(4):
                at = affine(f, x[q], y[q])
                deepest = wp.max(deepest, at)
                shallowest = wp.min(shallowest, at)
                for j in range(m.sides):
                    spare = wp.min(spare, affine(m.side[j], x[q], y[q]))
                for j in range(m.backs):
                    spare = wp.min(spare, affine(m.front[0] - m.back[j], x[q], y[q]))
            law = pairs.law[pair, 0]
            if deepest <= ON_LINE:
                return
            if spare > ON_LINE and deepest <= law[1] * length:
                sum = Push()
                sum.z = deepest
                area = integrate_quad(x, y)
                if shallowest <= 0.0:
                    area = integrate_above(x, y, f)
                sum = add_part(pairs, pair, area, f, law, length, cols.modulus[c], slope, sum, 0.0, 0.0, 0.0)
                hand_in(cols, c, pairs, pair, R_WG, p_WG, sum, worlds, touch, w, i)
                return
    cut[wp.atomic_add(cut_count, 0, 1)] = 4 * (w * pairs.pair.shape[0] + i) + parts - 1


@wp.kernel(enable_backward=False)
def press_cut_columns(
    cols: Columns,
    pairs: Pairs,
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    worlds: Worlds,
    touch: Touch,
    cut: wp.array(dtype=int),
    cut_count: wp.array(dtype=int),
):
    """One thread a column of the list."""
    entry = wp.tid()
    if entry >= cut_count[0]:
        return
    parts = cut[entry] % 4 + 1
    w = cut[entry] / 4 / pairs.pair.shape[0]
    i = cut[entry] / 4 - w * pairs.pair.shape[0]
    pair = pairs.pair[i]
    c = pairs.column[i]
    g = pairs.skin[pair]
    o = pairs.other[pair]
    R_WG = geom_xmat[w, g]
    p_WG = geom_xpos[w, g]
    R_WO = geom_xmat[w, o]
    p_WO = geom_xpos[w, o]
    kind = pairs.kind[pair]
    size = geom_size[w % geom_size.shape[0], o]
    length = cols.length[c]
    sag = cols.sag[c]
    slope = cols.slope[c]
    deep = wp.min(DEEPEST * length, wp.max(length, cols.tight[c])) + pairs.give[pair]
    m = Meeting()
    corners = cols.corners[c]
    spread = cols.mean_ss[c] + cols.mean_tt[c]
    curve = wp.where(spread > 0.0, sag / wp.max(spread, 1.0e-30), 0.0)
    sum = Push()
    sum.z = -HUGE
    share = 1.0 / float(parts)
    for py in range(parts):
        for px in range(parts):
            part_slope = slope
            lift = float(0.0)
            s0 = float(0.0)
            t0 = float(0.0)
            part_sag = sag
            if parts > 1:
                a0 = corner(cols, c, 0, 0.0)
                b0 = corner(cols, c, 1, 0.0)
                c0 = corner(cols, c, 2, 0.0)
                centre = wp.vec2(0.0, 0.0)
                if corners == 4:
                    x = (float(px) + 0.5) * share
                    y = (float(py) + 0.5) * share
                    centre = within(a0, b0, c0, corner(cols, c, 3, 0.0), x, y)
                else:
                    of = part_of_triangle(py * parts + px, parts)
                    for q in range(3):
                        centre += (of[q, 0] * a0 + of[q, 1] * b0 + of[q, 2] * c0) / 3.0
                s0 = centre[0]
                t0 = centre[1]
                lift = slope[0] * s0 + slope[1] * t0 - curve * (s0 * s0 + t0 * t0)
                part_slope = wp.vec2(slope[0] - 2.0 * curve * s0, slope[1] - 2.0 * curve * t0)
                part_sag = sag * share * share
            at = cols.p[c] + s0 * cols.u[c] + t0 * cols.v[c] + lift * cols.d[c]
            k = view_of(cols, c, at, R_WG, p_WG, R_WO, p_WO, share)
            if kind == MESH:
                m = mesh_meeting(pairs.mesh[pair], k, deep)
            else:
                m = meet_primitive(kind, size, k)
            if m.there == 1:
                ridge = cols.ridge[c]
                ridge = wp.vec3(ridge[0] + ridge[1] * s0 + ridge[2] * t0, ridge[1], ridge[2])
                least = least_front(m) - part_sag
                hidden = behind(m, part_sag, length + pairs.past[pair], least)
                for j in range(m.fronts):
                    f = m.front[j]
                    m.front[j] = wp.vec3(f[0] - part_sag, f[1] + part_slope[0], f[2] + part_slope[1])
                for j in range(m.backs):
                    f = m.back[j]
                    m.back[j] = wp.vec3(f[0] - part_sag, f[1] + part_slope[0], f[2] + part_slope[1])
                if least > deep:
                    m.fronts = 1
                    m.front[0] = wp.vec3(deep, 0.0, 0.0)
                if kind == MESH:
                    gap = pairs.core[pair] * length - wp.min(least, deep)
                    if gap < touch.gap[w, i]:
                        touch.gap[w, i] = gap
                        touch.p[w, i] = R_WG * (at - least * cols.d[c]) + p_WG
                        touch.n[w, i] = pairs.sign[pair] * (R_WG * cols.d[c])
                z = wp.clamp(least, 0.0, wp.min(length, cols.tight[c]))
                cell = Polygon()
                if corners == 4:
                    a = corner(cols, c, 0, z)
                    b = corner(cols, c, 1, z)
                    e = corner(cols, c, 2, z)
                    h = corner(cols, c, 3, z)
                    cell.n = 4
                    for q in range(4):
                        dx = wp.where(q == 1 or q == 2, 1.0, 0.0)
                        dy = wp.where(q >= 2, 1.0, 0.0)
                        at2 = within(a, b, e, h, (float(px) + dx) * share, (float(py) + dy) * share)
                        cell.x[q] = at2[0] - s0
                        cell.y[q] = at2[1] - t0
                else:
                    cell.n = 3
                    of = part_of_triangle(py * parts + px, parts)
                    a = corner(cols, c, 0, z)
                    b = corner(cols, c, 1, z)
                    e = corner(cols, c, 2, z)
                    for q in range(3):
                        at2 = of[q, 0] * a + of[q, 1] * b + of[q, 2] * e
                        cell.x[q] = at2[0] - s0
                        cell.y[q] = at2[1] - t0
                if hidden == 0:
                    sum = press_cell(
                        pairs, pair, m, cell, length, cols.modulus[c], part_slope, ridge, sum, s0, t0, lift
                    )
    hand_in(cols, c, pairs, pair, R_WG, p_WG, sum, worlds, touch, w, i)
