"""Contacts of mujoco_warp that act as our rows: the mapping of src/taxel/mujoco/rows.cc.

Each returns (dist, solimp, solref) or what stands for them; all lean on internals of mujoco_warp that
tests/python/test_warp_pins.py holds in place.
"""

import warp as wp

MIN_IMPEDANCE = wp.constant(1.0e-4)
MAX_IMPEDANCE = wp.constant(0.9999)
CORE_RECOVERY = wp.constant(20.0)
CORE_RECOVERY_TIME = wp.constant(0.1)


@wp.struct
class Row:
    """A normal row or that of a core: solimp, dist, solref."""

    imp: float
    dist: float
    ref: wp.vec2


@wp.struct
class Tangent:
    """A contact without normal direction, whose constant "normal" row bounds the friction."""

    imp: float
    dist: float
    ref: wp.vec2
    ref_friction: wp.vec2
    coefficient: float
    ratio: float
    """of the second coefficient to the first"""
    bias: wp.vec2


@wp.func
def impedance_for(weight: float, inverse_mass: float) -> wp.vec2:
    """The impedance that gives a row the weight D, and the weight it then has."""
    imp = wp.clamp(weight * inverse_mass / (1.0 + weight * inverse_mass), MIN_IMPEDANCE, MAX_IMPEDANCE)
    return wp.vec2(imp, imp / ((1.0 - imp) * inverse_mass))


@wp.func
def implicitness(step: float, stiffness: float, inverse_mass: float) -> float:
    x = step * step * stiffness * inverse_mass
    return wp.clamp(0.5 + 0.5 * (x - 0.1) / 0.9, 0.5, 1.0)


@wp.func
def normal_row(
    step: float,
    inverse_mass: float,
    force: float,
    stiffness: float,
    damping: float,
    theta: float,
    sliding_rate: float,
    speed: float,
) -> Row:
    """f = max(0, k depth - b v+), with the velocity at the end of the step. ``speed``: positive, parting."""
    row = Row()
    k = stiffness
    f = force
    expected = k * speed
    rate = wp.clamp(sliding_rate, wp.min(expected, 0.0), wp.max(expected, 0.0))
    most = theta * step * k
    if rate < 0.0:
        most = wp.min(most, damping - 0.95 * force / rate * k)
    b = wp.max(damping, most)
    weighed = impedance_for(step * b, inverse_mass)
    weight = weighed[1]
    if weight < 0.999 * step * b:
        # Stiffer than the engine can weigh: softer, with the force that this spring has at the same depth.
        b = weight / step
        if k > b / step:
            f = f * (b / step / k)
            k = b / step
    ahead = wp.max(0.0, b - damping) / stiffness
    row.imp = weighed[0]
    row.dist = -(f + ahead * rate) / k
    row.ref = wp.vec2(-row.imp * k / weight, -row.imp * b / weight)
    return row


@wp.func
def core_row(step: float, gap: float) -> Row:
    """Along the normal the bodies may approach by ``gap`` and no farther: a constraint, not a spring."""
    row = Row()
    time = wp.max(CORE_RECOVERY * step, CORE_RECOVERY_TIME)
    if gap > 0.0:
        time = step
    speed = -gap / time
    dist = wp.max(1.0e-3, 100.0 * wp.abs(speed) * step)
    row.imp = MAX_IMPEDANCE
    row.dist = wp.where(speed > 0.0, -dist, dist)
    row.ref = wp.vec2(-wp.max(row.imp * wp.abs(speed) / (step * dist), 1.0e-12), -row.imp / step)
    return row


@wp.func
def tangent_row(
    step: float,
    inverse_mass: float,
    impratio: float,
    stiffness: float,
    damping: float,
    bound: float,
    stretch: wp.vec2,
    speed: wp.vec2,
) -> Tangent:
    """Friction of a stretched spring, bounded whatever the true normal force does."""
    row = Tangent()
    row.ratio = 1.0
    g = wp.max(damping, step * stiffness)
    weighed = impedance_for(step * g / impratio, inverse_mass)
    weight = weighed[1]
    g = wp.min(g, weight * impratio / step)
    k = wp.min(stiffness, g / step)
    b = g / (weight * impratio)
    row.bias = (k / g) * stretch
    slide = wp.length(speed + row.bias)
    q = g * slide
    e = float(0.01)
    if q > bound:
        e = wp.clamp(wp.sqrt(0.02 * bound / q), 1.0e-4, 0.01)
    constant = bound / e
    if q > bound:
        constant = bound * (1.0 + e * e / impratio) / e - e * weight * b * slide
    constant = wp.max(constant, 1.0e-12)
    row.imp = weighed[0]
    row.dist = -1.0e-3
    row.ref = wp.vec2(-row.imp * constant / (weight * 1.0e-3), -1.0e-12)
    row.ref_friction = wp.vec2(-1.0, -row.imp * (g / (weight * impratio)))
    row.coefficient = e
    return row


@wp.func
def affine_row(
    step: float, inverse_mass: float, impratio: float, slope: wp.vec2, bound: float, force: wp.vec2, speed: wp.vec2
) -> Tangent:
    """Friction that rises by ``slope`` with the velocity along each axis, from ``force`` at the present one."""
    lightest = impratio * MIN_IMPEDANCE / ((1.0 - MIN_IMPEDANCE) * inverse_mass)
    if step * slope[0] < lightest:
        # Less than the engine can weigh: the force stays as it is, at its bound, with the row driven to twice that.
        damping = 2.0 * wp.max(slope[1], lightest / step)
        stiffness = damping / step
        stretch = (2.0 * force - damping * speed) / stiffness
        return tangent_row(step, inverse_mass, impratio, stiffness, damping, wp.length(force), stretch, speed)
    row = Tangent()
    # The engine weighs the second friction row by the square of the ratio of the coefficients.
    # Far from its bound the row is linear whatever e is; a large one keeps the constant row light. In float32 the cost
    # of a heavy one hides what the solver could still gain, the velocity jitters, and LuGre's bristles creep.
    e = float(0.01)
    if wp.length(force) < 0.7 * bound:
        e = 1.0
    row.ratio = wp.clamp(wp.sqrt(slope[1] / slope[0]), 1.0, 30.0)
    first = wp.max(slope[0], slope[1] / (row.ratio * row.ratio))
    weighed = impedance_for(step * first / impratio, inverse_mass)
    weight = weighed[1]
    g = wp.min(first, weight * impratio / step)
    row.bias = wp.vec2(force[0] / first - speed[0], force[1] / slope[1] - speed[1])
    row.imp = weighed[0]
    row.dist = -1.0e-3
    constant = wp.max(bound / e, 1.0e-12)
    row.ref = wp.vec2(-row.imp * constant / (weight * 1.0e-3), -1.0e-12)
    row.ref_friction = wp.vec2(-1.0, -row.imp * (g / (weight * impratio)))
    row.coefficient = e
    return row
