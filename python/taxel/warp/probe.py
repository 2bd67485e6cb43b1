"""What a bristle meets on its way from its base to its tip: bristle/meet_primitive.cc and probe_tree.cc in float32."""

import warp as wp

from .types import BOX, CAPSULE, CYLINDER, ELLIPSOID, HUGE, MESH, PLANE, SPHERE

NOTHING, ENTERS, INSIDE = (wp.constant(k) for k in (0, 1, 2))
FAR = wp.constant(1.0e3)
"""As far as a ray looks for the other side of a mesh, m."""


@wp.struct
class Probe:
    """``kind``: NOTHING; ENTERS at t of the way, where the body's outward normal is n; INSIDE: the base is within."""

    kind: int
    t: float
    n: wp.vec3


@wp.func
def ball_span(o: wp.vec3, d: wp.vec3, r: float) -> wp.vec2:
    """Where |o + t d| <= r: first and last t; first > last: nowhere. The offset across the way first: b^2 - a c of
    float32 numbers would lose its digits."""
    a = wp.dot(d, d)
    if a <= 0.0:
        return wp.vec2(HUGE, -HUGE)
    b = wp.dot(o, d)
    c = (wp.length(o) - r) * (wp.length(o) + r)
    q = o - (b / a) * d
    room = (r - wp.length(q)) * (r + wp.length(q))
    if not (room >= 0.0):
        return wp.vec2(HUGE, -HUGE)
    s = wp.sqrt(a * room)
    if b < 0.0:
        return wp.vec2(c / (s - b), (s - b) / a)
    if b + s == 0.0:
        return wp.vec2(0.0, 0.0)
    return wp.vec2(-(s + b) / a, -c / (s + b))


@wp.func
def slab_span(o: float, d: float, half: float) -> wp.vec2:
    if d == 0.0:
        if wp.abs(o) > half:
            return wp.vec2(HUGE, -HUGE)
        return wp.vec2(-HUGE, HUGE)
    t0 = (-half - o) / d
    t1 = (half - o) / d
    return wp.vec2(wp.min(t0, t1), wp.max(t0, t1))


@wp.func
def round_span(o: wp.vec3, d: wp.vec3, r: float) -> wp.vec2:
    """Within the endless cylinder about z."""
    across = wp.vec3(d[0], d[1], 0.0)
    if wp.dot(across, across) <= 1.0e-14 * wp.dot(d, d):
        if o[0] * o[0] + o[1] * o[1] <= r * r:
            return wp.vec2(-HUGE, HUGE)
        return wp.vec2(HUGE, -HUGE)
    return ball_span(wp.vec3(o[0], o[1], 0.0), across, r)


@wp.func
def both(a: wp.vec2, b: wp.vec2) -> wp.vec2:
    return wp.vec2(wp.max(a[0], b[0]), wp.min(a[1], b[1]))


@wp.func
def enters(span: wp.vec2, inside: bool) -> Probe:
    p = Probe()
    if inside:
        p.kind = INSIDE
    elif span[0] <= span[1] and span[0] >= 0.0 and span[0] <= 1.0:
        p.kind = ENTERS
        p.t = span[0]
    return p


@wp.func
def sideways(p: wp.vec3) -> wp.vec3:
    return wp.normalize(wp.vec3(p[0], p[1], 0.0))


@wp.func
def meet_box(half: wp.vec3, o: wp.vec3, d: wp.vec3) -> Probe:
    span = wp.vec2(-HUGE, HUGE)
    axis = int(0)
    for k in range(3):
        slab = slab_span(o[k], d[k], half[k])
        if slab[0] > span[0]:
            axis = k
        span = both(span, slab)
    p = enters(span, wp.abs(o[0]) < half[0] and wp.abs(o[1]) < half[1] and wp.abs(o[2]) < half[2])
    out = wp.where(d[axis] > 0.0, -1.0, 1.0)
    p.n = wp.vec3(
        wp.where(axis == 0, out, 0.0),
        wp.where(axis == 1, out, 0.0),
        wp.where(axis == 2, out, 0.0),
    )
    return p


@wp.func
def meet_capsule(r: float, half: float, o: wp.vec3, d: wp.vec3) -> Probe:
    """A cylinder and two balls: convex, so that the first part that is entered is the way in."""
    nearest = wp.clamp(o[2], -half, half)
    inside = wp.length(wp.vec3(o[0], o[1], o[2] - nearest)) < r
    first = both(round_span(o, d, r), slab_span(o[2], d[2], half))
    if not (first[0] <= first[1]):
        first = wp.vec2(HUGE, -HUGE)
    middle = float(0.0)
    ball = int(0)
    for k in range(2):
        z = wp.where(k == 0, -half, half)
        span = ball_span(wp.vec3(o[0], o[1], o[2] - z), d, r)
        if span[0] <= span[1] and span[0] <= first[0]:
            first = span
            middle = z
            ball = 1
    p = enters(first, inside)
    at = o + p.t * d
    if ball == 1:
        p.n = wp.normalize(at - wp.vec3(0.0, 0.0, middle))
    else:
        p.n = sideways(at)
    return p


@wp.func
def first_hit(mesh: wp.uint64, at: wp.vec3, way: wp.vec3, length: float) -> wp.vec4:
    """How far the nearest triangle is (-1: none) and its normal, turned outwards if the mesh is."""
    hit = wp.mesh_query_ray(mesh, at, way, length)
    if not hit.result:
        return wp.vec4(-1.0, 0.0, 0.0, 0.0)
    return wp.vec4(hit.t, hit.normal[0], hit.normal[1], hit.normal[2])


@wp.func
def meet_mesh(mesh: wp.uint64, closed: int, o: wp.vec3, d: wp.vec3) -> Probe:
    """A closed mesh whose nearest triangle is seen from behind holds the base; an open one is met from both sides."""
    p = Probe()
    length = wp.length(d)
    way = d / length
    far = wp.where(closed == 1, FAR, length)
    hit = first_hit(mesh, o, way, far)
    if hit[0] < 0.0:
        return p
    n = wp.vec3(hit[1], hit[2], hit[3])
    if wp.dot(n, way) > 0.0:
        if closed == 1:
            p.kind = INSIDE
            return p
        n = -n
    if hit[0] <= length:
        p.kind = ENTERS
        p.t = hit[0] / length
        p.n = n
    return p


@wp.func
def meet_probe(kind: int, size: wp.vec3, mesh: wp.uint64, closed: int, base: wp.vec3, tip: wp.vec3) -> Probe:
    """In the frame of the body: sizes as MuJoCo has them."""
    d = tip - base
    p = Probe()
    if kind == PLANE:
        t = float(HUGE)
        if d[2] < 0.0:
            t = base[2] / -d[2]
        p = enters(wp.vec2(t, HUGE), base[2] < 0.0)
        p.n = wp.vec3(0.0, 0.0, 1.0)
    elif kind == SPHERE:
        p = enters(ball_span(base, d, size[0]), wp.length(base) < size[0])
        p.n = wp.normalize(base + p.t * d)
    elif kind == ELLIPSOID:
        unit = wp.cw_div(base, size)
        way = wp.cw_div(d, size)
        p = enters(ball_span(unit, way, 1.0), wp.length(unit) < 1.0)
        p.n = wp.normalize(wp.cw_div(unit + p.t * way, size))
    elif kind == BOX:
        p = meet_box(size, base, d)
    elif kind == CYLINDER:
        around = round_span(base, d, size[0])
        flat = slab_span(base[2], d[2], size[1])
        p = enters(
            both(around, flat),
            wp.abs(base[2]) < size[1] and base[0] * base[0] + base[1] * base[1] < size[0] * size[0],
        )
        if flat[0] >= around[0]:
            p.n = wp.vec3(0.0, 0.0, wp.where(d[2] > 0.0, -1.0, 1.0))
        else:
            p.n = sideways(base + p.t * d)
    elif kind == CAPSULE:
        p = meet_capsule(size[0], size[1], base, d)
    elif kind == MESH:
        p = meet_mesh(mesh, closed, base, d)
    return p
