"""LuGre friction of one bristle: bristle/lugre.h in float32."""

import warp as wp

from .motion import stribeck


@wp.struct
class LuGre:
    """Of one bristle, as bristle/lugre.h has it; ``paper``: as printed, else passive."""

    sigma0: float
    sigma1: float
    viscosity: float
    static_friction: float
    dynamic_friction: float
    stribeck_speed: float
    paper: int


@wp.struct
class LuGreStep:
    deflection: wp.vec3
    force: wp.vec3


@wp.func
def no_longer_than(v: wp.vec3, longest: float) -> wp.vec3:
    length = wp.length(v)
    if length > longest:
        return (longest / length) * v
    return v


@wp.func
def forgets(p: LuGre, speed: float, load: float) -> float:
    """Rate at which a deflection is forgotten, 1/s; negative: at once (motion without load)."""
    if speed <= 0.0:
        return 0.0
    g = load * stribeck(speed, p.static_friction, p.dynamic_friction, p.stribeck_speed)
    if g <= 0.0:
        return -1.0
    return p.sigma0 * speed / g


@wp.func
def share_within(a: wp.vec3, b: wp.vec3, r: float) -> float:
    """Largest s in 0 .. 1 with |a + s b| <= r, for |a| <= r."""
    bb = wp.dot(b, b)
    ab = wp.dot(a, b)
    room = wp.max(0.0, r * r - wp.dot(a, a))
    if bb + 2.0 * ab <= room:
        return 1.0
    if bb <= 0.0:
        return 0.0
    root = wp.sqrt(ab * ab + bb * room)
    s = (root - ab) / bb
    if ab > 0.0:
        s = room / (ab + root)
    return wp.min(s, 1.0)


@wp.func
def advance_lugre(p: LuGre, deflection: wp.vec3, v: wp.vec3, load: float, step: float) -> LuGreStep:
    """One step at a constant velocity and load, solved exactly: see AdvanceLuGre."""
    out = LuGreStep()
    cone = p.static_friction * load
    speed = wp.length(v)
    if p.paper == 0 and cone <= 0.0:
        return out
    z = deflection
    if p.paper == 0:
        z = no_longer_than(z, cone / p.sigma0)
    mean = wp.vec3(0.0, 0.0, 0.0)
    change = -z
    rate = forgets(p, speed, load)
    if rate >= 0.0:
        x = rate * step
        first = float(1.0)
        second = float(0.5)
        if x < 0.1:
            second = 0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * (1.0 / 120.0 - x / 720.0)))
            first = 1.0 - x * second
        else:
            first = (1.0 - wp.exp(-x)) / x
            second = (1.0 - first) / x
        start = step * v - x * z
        change = first * start
        mean = z + second * start
        out.deflection = z + change
    moves = change / step
    if p.paper == 1:
        out.force = p.sigma0 * mean + p.sigma1 * moves + p.viscosity * v
        return out
    along = wp.dot(moves, v)
    if along < 0.0:
        moves = moves - (along / (speed * speed)) * v
    spring = no_longer_than(p.sigma0 * mean, cone)
    damping = p.sigma1 * moves + p.viscosity * v
    out.force = spring + share_within(spring, damping, cone) * damping
    return out


@wp.func
def steady(p: LuGre, speed: float, load: float) -> float:
    """Friction of steady sliding, N."""
    sum = load * stribeck(speed, p.static_friction, p.dynamic_friction, p.stribeck_speed) + p.viscosity * speed
    if p.paper == 0:
        sum = wp.min(sum, p.static_friction * load)
    return sum
