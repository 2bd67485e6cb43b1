"""The cell of a column as a polygon: clipping, and the integrals of a linear pressure over it."""

import warp as wp

from .meet import affine
from .types import vec16

ON_LINE = wp.constant(1.0e-9)
"""Corners nearer to a line than this count as on it."""
MOST = wp.constant(15)


@wp.struct
class Polygon:
    n: int
    x: vec16
    y: vec16


@wp.struct
class Integrals:
    """Over a polygon: area, first and second moments."""

    area: float
    s: float
    t: float
    ss: float
    st: float
    tt: float


@wp.func
def clip(p: Polygon, h: wp.vec3) -> Polygon:
    """The part where h is not negative."""
    any_out = int(0)
    any_in = int(0)
    for i in range(p.n):
        value = affine(h, p.x[i], p.y[i])
        if value > ON_LINE:
            any_in = 1
        if value < -ON_LINE:
            any_out = 1
    if any_out == 0:
        if any_in == 0 and h[0] < 0.0:
            p.n = 0
        return p
    out = Polygon()
    if any_in == 0:
        return out
    n = int(0)
    for i in range(p.n):
        j = wp.where(i + 1 == p.n, 0, i + 1)
        a = affine(h, p.x[i], p.y[i])
        b = affine(h, p.x[j], p.y[j])
        if a >= -ON_LINE and n < MOST:
            out.x[n] = p.x[i]
            out.y[n] = p.y[i]
            n += 1
        if ((a > ON_LINE and b < -ON_LINE) or (a < -ON_LINE and b > ON_LINE)) and n < MOST:
            w = a / (a - b)
            out.x[n] = p.x[i] + w * (p.x[j] - p.x[i])
            out.y[n] = p.y[i] + w * (p.y[j] - p.y[i])
            n += 1
    if n < 3:
        n = 0
    out.n = n
    return out


@wp.func
def add_triangle(out: Integrals, x0: float, y0: float, x1: float, y1: float, x2: float, y2: float) -> Integrals:
    a = 0.5 * ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
    sx = x0 + x1 + x2
    sy = y0 + y1 + y2
    out.area += a
    out.s += a * sx / 3.0
    out.t += a * sy / 3.0
    out.ss += a / 12.0 * (sx * sx + x0 * x0 + x1 * x1 + x2 * x2)
    out.tt += a / 12.0 * (sy * sy + y0 * y0 + y1 * y1 + y2 * y2)
    out.st += a / 12.0 * (sx * sy + x0 * y0 + x1 * y1 + x2 * y2)
    return out


@wp.func
def integrate(p: Polygon) -> Integrals:
    """Triangles about the first corner."""
    out = Integrals()
    for i in range(1, p.n - 1):
        out = add_triangle(out, p.x[0], p.y[0], p.x[i], p.y[i], p.x[i + 1], p.y[i + 1])
    return out


@wp.func
def integrate_quad(x: wp.vec4, y: wp.vec4) -> Integrals:
    """The same of a cell that nothing cuts, in registers."""
    out = add_triangle(Integrals(), x[0], y[0], x[1], y[1], x[2], y[2])
    return add_triangle(out, x[0], y[0], x[2], y[2], x[3], y[3])


@wp.func
def between(x: wp.vec4, y: wp.vec4, p: int, q: int, f: wp.vec3) -> wp.vec2:
    """Where f is 0 on the side from corner p to q."""
    a = affine(f, x[p], y[p])
    w = a / (a - affine(f, x[q], y[q]))
    return wp.vec2(x[p] + w * (x[q] - x[p]), y[p] + w * (y[q] - y[p]))


@wp.func
def integrate_above(x: wp.vec4, y: wp.vec4, f: wp.vec3) -> Integrals:
    """The same of the part where f is positive, which it is at some corners and not at others: triangles to what is
    left of each side, from a point of the line where f is 0, so that the side along it adds nothing."""
    start = wp.vec2(0.0, 0.0)
    for q in range(4):
        if (affine(f, x[q], y[q]) > 0.0) != (affine(f, x[(q + 1) % 4], y[(q + 1) % 4]) > 0.0):
            start = between(x, y, q, (q + 1) % 4, f)
    out = Integrals()
    for q in range(4):
        r = (q + 1) % 4
        first = affine(f, x[q], y[q]) > 0.0
        second = affine(f, x[r], y[r]) > 0.0
        if first or second:
            a = wp.vec2(x[q], y[q])
            b = wp.vec2(x[r], y[r])
            if not first:
                a = between(x, y, q, r, f)
            if not second:
                b = between(x, y, q, r, f)
            out = add_triangle(out, start[0], start[1], a[0], a[1], b[0], b[1])
    return out


@wp.func
def greatest(p: Polygon, f: wp.vec3) -> float:
    most = float(-1.0e30)
    for i in range(p.n):
        most = wp.max(most, affine(f, p.x[i], p.y[i]))
    return most
