"""What a column meets of a shape: the formulas of contact/column_meet.cc, in float32, for a CPU core or a GPU thread.

An affine function over a cell is a vec3 (c, a, b): c + a s + b t. A shape over a cell is an intersection: it begins at
the least of the depths ``front`` below the skin's tangent plane, is there where every ``side`` is positive, and where
that depth is more than every ``back``.
"""

import warp as wp

from .types import BOX, CAPSULE, CYLINDER, ELLIPSOID, HUGE, PLANE, SPHERE, mat83

WALL = wp.constant(0.1)
"""Faces that a column meets at a smaller cosine bound the contact and carry none of it."""
BRINK = wp.constant(0.04)
"""A curved face is followed up to this share of its silhouette (1 - rho^2); beyond, its slope stays."""


@wp.struct
class View:
    """A column seen from the frame of what it meets."""

    o: wp.vec3
    d: wp.vec3
    u: wp.vec3
    v: wp.vec3
    mean_ss: float
    mean_tt: float
    radius: float
    rise: float


@wp.struct
class Meeting:
    """Counts, and rows of affine functions."""

    there: int
    fronts: int
    backs: int
    sides: int
    front: wp.mat33
    back: wp.mat33
    side: mat83
    bend: float


@wp.func
def affine(f: wp.vec3, s: float, t: float) -> float:
    return f[0] + f[1] * s + f[2] * t


@wp.func
def add_half(k: View, n: wp.vec3, c: float, m: Meeting, rise: mat83) -> tuple[Meeting, mat83]:
    """The half space n . x <= c. ``rise``: how walls shift with the depth, in column 0."""
    along = wp.dot(n, k.d)
    g = wp.vec3(c - wp.dot(n, k.o), -wp.dot(n, k.u), -wp.dot(n, k.v))
    if along < -WALL:
        m.front[m.fronts] = g * (-1.0 / along)
        m.fronts += 1
    elif along > WALL:
        m.back[m.backs] = g * (-1.0 / along)
        m.backs += 1
    else:
        m.side[m.sides] = g
        rise[m.sides, 0] = along
        m.sides += 1
    return m, rise


@wp.func
def bent_part(past: float, reach: float) -> float:
    """Mean of the square beyond a seam over a chord of half length ``reach``, as a part of that of the whole square."""
    if past >= reach:
        return 1.0
    if past <= -reach:
        return 0.0
    x = 1.0 - wp.abs(past) / reach
    half = 0.5 * x * x * x
    return wp.where(past > 0.0, 1.0 - half, half)


@wp.func
def add_quadric(
    k: View, q: wp.vec3, center: wp.vec3, past: float, m: Meeting, rise: mat83
) -> tuple[Meeting, mat83, int]:
    """sum q_i x_i^2 <= 1 about ``center``. The last result: 0 nowhere near, 1 met, 2 all of it is wall.

    ``past``: how far along z the column's axis meets it beyond (below zero: before) the seam of a wall (q_z is 0) and
    a round end; HUGE where there is no wall, -HUGE where there is no such end."""
    o = k.o - center
    qd = wp.cw_mul(q, k.d)
    a = wp.dot(k.d, qd)
    b = wp.dot(o, qd)
    q_most = wp.max(q)
    if a < WALL * WALL * q_most:
        return m, rise, 2
    # The offset across the column first: 1 + C - B^2 / A of float32 numbers would lose its digits.
    x = o - (b / a) * k.d
    across = wp.cw_mul(q, x)
    rho2 = wp.dot(x, across)
    rho = wp.sqrt(wp.max(rho2, 0.0))
    near = k.radius * wp.sqrt(q_most)
    if rho > 1.0 + near:
        return m, rise, 0
    if rho > 1.0 - near:
        m.side[m.sides] = wp.vec3(1.0 - rho, -wp.dot(across, k.u) / rho, -wp.dot(across, k.v) / rho)
        rise[m.sides, 0] = 0.0
        m.sides += 1
    root = wp.sqrt(a * wp.max(1.0 - rho2, 0.0))
    m.back[m.backs] = wp.vec3((b - root) / a, 0.0, 0.0)
    m.backs += 1
    if rho2 < 1.0 - BRINK:
        qx = across - (root / a) * qd
        ds = wp.dot(qx, k.u) / root
        dt = wp.dot(qx, k.v) / root
        ws = k.u + ds * k.d
        wt = k.v + dt * k.d
        curve = -(wp.dot(ws, wp.cw_mul(q, ws)) * k.mean_ss + wp.dot(wt, wp.cw_mul(q, wt)) * k.mean_tt)
        # Along z only the part of the cell beyond the seam is bent.
        reach2 = ws[2] * ws[2] * k.mean_ss + wt[2] * wt[2] * k.mean_tt
        curve += q[0] * reach2 * (wp.where(q[2] > 0.0, 1.0, 0.0) - bent_part(past, wp.sqrt(3.0 * reach2)))
        m.front[m.fronts] = wp.vec3((b + root) / a + 0.5 * curve / root, -ds, -dt)
        m.bend = wp.max(m.bend, -0.5 * curve / root)
    else:
        m.bend = k.radius
        steep = wp.sqrt(a * BRINK)
        slope = (-1.0 / wp.max(steep, root)) * across + qd / a
        m.front[m.fronts] = wp.vec3(
            (b + root) / a, wp.clamp(wp.dot(slope, k.u), -5.0, 5.0), wp.clamp(wp.dot(slope, k.v), -5.0, 5.0)
        )
    m.fronts += 1
    return m, rise, 1


@wp.func
def least_front(m: Meeting) -> float:
    depth = float(HUGE)
    for i in range(m.fronts):
        depth = wp.min(depth, m.front[i, 0])
    return depth


@wp.func
def finish(k: View, m: Meeting, rise: mat83) -> Meeting:
    m.there = 0
    if m.fronts > 0:
        m.there = 1
        depth = least_front(m)
        for i in range(m.sides):
            m.side[i, 0] = m.side[i, 0] + depth * rise[i, 0]
    return m


@wp.func
def add_round_wall(k: View, q: float, m: Meeting) -> Meeting:
    """The wall of an upright cylinder about z, at the depth where its end is met."""
    x = k.o - least_front(m) * k.d
    qx = wp.vec3(q * x[0], q * x[1], 0.0)
    rho = wp.sqrt(wp.max(wp.dot(x, qx), 0.0))
    near = k.radius * wp.sqrt(q)
    if rho > 1.0 + near:
        m.there = 0
    elif rho > 1.0 - near:
        bend = 0.25 * q * (k.mean_ss + k.mean_tt)
        m.side[m.sides] = wp.vec3(1.0 - rho - bend, -wp.dot(qx, k.u) / rho, -wp.dot(qx, k.v) / rho)
        m.sides += 1
    return m


@wp.func
def meet_capsule(k: View, radius: float, half: float, m: Meeting, rise: mat83) -> tuple[Meeting, mat83, int]:
    """The part of a capsule that the column comes to first from below."""
    q = 1.0 / (radius * radius)
    a = q * (k.d[0] * k.d[0] + k.d[1] * k.d[1])
    b = q * (k.o[0] * k.d[0] + k.o[1] * k.d[1])
    c = q * (k.o[0] * k.o[0] + k.o[1] * k.o[1]) - 1.0
    z = float(0.0)
    if a > 1.0e-9 * q:
        z = k.o[2] - (b + wp.sqrt(wp.max(b * b - a * c, 0.0))) / a * k.d[2]
    elif k.d[2] > 0.0:
        z = -HUGE
    else:
        z = HUGE
    past = wp.abs(z) - half
    if past <= 0.0:
        if a > WALL * WALL * q:
            # The wall ends: beyond, the capsule lies behind the plane that touches its end nearest to the skin.
            tip = wp.where(k.o[2] > 0.0, half, -half)
            out = k.o - wp.vec3(0.0, 0.0, tip)
            if out[2] * tip > 0.0:
                n = wp.normalize(out)
                m, rise = add_half(k, n, n[2] * tip + radius, m, rise)
            return add_quadric(k, wp.vec3(q, q, 0.0), wp.vec3(0.0, 0.0, 0.0), past, m, rise)
        z = wp.where(k.d[2] > 0.0, -1.0, 1.0)  # along the column: the end that looks down
        past = HUGE
    end = wp.where(z > 0.0, half, -half)
    return add_quadric(k, wp.vec3(q, q, q), wp.vec3(0.0, 0.0, end), past, m, rise)


@wp.func
def capsule_back(k: View, radius: float, half: float) -> float:
    """Depth at which the column leaves the whole capsule upwards: of the part that it meets alone, a wall goes on for
    ever, and what lies behind the bone would seem to be in front of it."""
    q = 1.0 / (radius * radius)
    a = q * (k.d[0] * k.d[0] + k.d[1] * k.d[1])
    b = q * (k.o[0] * k.d[0] + k.o[1] * k.d[1])
    c = q * (k.o[0] * k.o[0] + k.o[1] * k.o[1]) - 1.0
    if a > 1.0e-9 * q:
        back = (b - wp.sqrt(wp.max(b * b - a * c, 0.0))) / a
        if wp.abs(k.o[2] - back * k.d[2]) <= half:
            return back
    end = wp.where(k.d[2] > 0.0, half, -half)
    if a > 1.0e-9 * q:
        back = (b - wp.sqrt(wp.max(b * b - a * c, 0.0))) / a
        end = wp.where(k.o[2] - back * k.d[2] > 0.0, half, -half)
    o = k.o - wp.vec3(0.0, 0.0, end)
    along = wp.dot(o, k.d)
    across = wp.dot(o, o) - along * along
    return along - wp.sqrt(wp.max(radius * radius - across, 0.0))


@wp.func
def meet_primitive(kind: int, size: wp.vec3, k: View) -> Meeting:
    """``size`` is MuJoCo's: half lengths and radii. Flat faces exactly; curved ones by their tangent plane where the
    column's axis meets them, shifted by the mean of their curvature over the cell."""
    m = Meeting()
    rise = mat83()
    met = int(1)
    origin = wp.vec3(0.0, 0.0, 0.0)
    if kind == SPHERE:
        q = 1.0 / (size[0] * size[0])
        m, rise, met = add_quadric(k, wp.vec3(q, q, q), origin, HUGE, m, rise)
    elif kind == ELLIPSOID:
        q3 = wp.vec3(1.0 / (size[0] * size[0]), 1.0 / (size[1] * size[1]), 1.0 / (size[2] * size[2]))
        m, rise, met = add_quadric(k, q3, origin, HUGE, m, rise)
    elif kind == CAPSULE:
        m, rise, met = meet_capsule(k, size[0], size[1], m, rise)
        if met == 1:
            m.back[m.backs - 1] = wp.vec3(capsule_back(k, size[0], size[1]), 0.0, 0.0)
    elif kind == CYLINDER:
        q = 1.0 / (size[0] * size[0])
        m, rise, met = add_quadric(k, wp.vec3(q, q, 0.0), origin, -HUGE, m, rise)
        m, rise = add_half(k, wp.vec3(0.0, 0.0, 1.0), size[1], m, rise)
        m, rise = add_half(k, wp.vec3(0.0, 0.0, -1.0), size[1], m, rise)
    elif kind == BOX:
        for axis in range(3):
            n = wp.vec3(0.0, 0.0, 0.0)
            n[axis] = 1.0
            m, rise = add_half(k, n, size[axis], m, rise)
            m, rise = add_half(k, -n, size[axis], m, rise)
    elif kind == PLANE:
        m, rise = add_half(k, wp.vec3(0.0, 0.0, 1.0), 0.0, m, rise)
    if met == 0:
        m.there = 0
        return m
    m = finish(k, m, rise)
    if met == 2 and m.there == 1:
        if kind == CYLINDER:
            m = add_round_wall(k, 1.0 / (size[0] * size[0]), m)
        else:
            m.there = 0
    return m
