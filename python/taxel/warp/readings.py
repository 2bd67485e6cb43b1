"""Taxels of every world: the pressure that acts, shared over the columns, and the signal chain."""

import warp as wp

from .arrays import Pairs, Patch, Touch


@wp.struct
class Taxels:
    """One tactile sensor. The columns of taxel i are column[first[i]] .. column[first[i + 1]], as the pairs count
    them."""

    first: wp.array(dtype=int)
    column: wp.array(dtype=int)
    area: wp.array(dtype=float)
    normal: wp.array(dtype=wp.vec3)
    axis: wp.array(dtype=wp.vec3)
    gain: wp.array(dtype=float)
    """from Pa to the unit"""
    offset: wp.array(dtype=float)
    geom: int
    count: int
    noise_mean: float
    lo: float
    hi: float
    quantum: float
    """0: none"""
    code_zero: float
    """counts: reading = zero + sign code"""
    code_sign: float
    counts: int
    seed: int
    # In each world.
    pressure: wp.array2d(dtype=float)
    shear: wp.array2d(dtype=wp.vec2)
    slip: wp.array2d(dtype=float)
    reading: wp.array2d(dtype=float)
    world_gain: wp.array(dtype=float)
    world_noise: wp.array(dtype=float)
    samples: wp.array(dtype=int)


@wp.kernel(enable_backward=False)
def read_taxels(geom_xmat: wp.array2d(dtype=wp.mat33), pairs: Pairs, patch: Patch, touch: Touch, taxels: Taxels):
    """Mean pressure (Pa), shear (Pa, along the taxel's two axes) and slip of each taxel."""
    w, i = wp.tid()
    R = geom_xmat[w, taxels.geom]
    out = R * taxels.normal[i]
    t1 = R * taxels.axis[i]
    t2 = wp.cross(out, t1)
    total = wp.vec3(0.0, 0.0, 0.0)
    used = float(0.0)
    bound = float(0.0)
    for j in range(taxels.first[i], taxels.first[i + 1]):
        c = taxels.column[j]
        f = touch.force[w, c]
        if f > 0.0:
            pair = pairs.pair[c]
            s = patch.spread[w, pair]
            r = touch.p[w, c] - patch.center[w, pair]
            factor = s[0] + s[1] * wp.dot(r, patch.axis_u[w, pair]) + s[2] * wp.dot(r, patch.axis_v[w, pair])
            # On the skin: against what acts on the other.
            on_skin = -pairs.sign[pair]
            total += on_skin * (factor * f * touch.n[w, c] + touch.rubbing[w, c])
            used += wp.length(touch.rubbing[w, c])
            bound += touch.bound[w, c]
    inverse = 1.0 / taxels.area[i]
    taxels.pressure[w, i] = -wp.dot(total, out) * inverse
    taxels.shear[w, i] = wp.vec2(wp.dot(total, t1) * inverse, wp.dot(total, t2) * inverse)
    slip = float(0.0)
    if bound > 0.0:
        slip = wp.min(used / bound, 1.0)
    taxels.slip[w, i] = slip


@wp.kernel(enable_backward=False)
def count_samples(time: wp.array(dtype=float), step: wp.array(dtype=float), taxels: Taxels):
    """The number of the sample is that of the step, so that a state restored gives the same noise again."""
    w = wp.tid()
    taxels.samples[w] = int(wp.round(time[w] / step[w % step.shape[0]]))


@wp.kernel(enable_backward=False)
def run_chain(taxels: Taxels):
    """gain, offset, noise, saturation, quantisation (skin/chain_options.h); random by seed, world, sample, taxel."""
    w, i = wp.tid()
    x = taxels.pressure[w, i]
    v = taxels.world_gain[w] * taxels.gain[i] * x + taxels.offset[i] + taxels.noise_mean
    noise = taxels.world_noise[w]
    if noise > 0.0:
        state = wp.rand_init(taxels.seed + 7919 * w, taxels.samples[w] * taxels.count + i)
        v += noise * wp.randn(state)
    v = wp.clamp(v, taxels.lo, taxels.hi)
    if taxels.counts == 1:
        v = taxels.code_zero + taxels.code_sign * wp.round(v)
    elif taxels.quantum > 0.0:
        v = taxels.quantum * wp.round(v / taxels.quantum)
    taxels.reading[w, i] = v


@wp.kernel(enable_backward=False)
def to_sensordata(address: int, what: int, taxels: Taxels, sensordata: wp.array2d(dtype=float)):
    """what: 0 pressure through the chain, 1 shear, 2 slip."""
    w, i = wp.tid()
    if what == 0:
        sensordata[w, address + i] = taxels.reading[w, i]
    elif what == 1:
        s = taxels.shear[w, i]
        sensordata[w, address + i] = s[0]
        sensordata[w, address + taxels.count + i] = s[1]
    else:
        sensordata[w, address + i] = taxels.slip[w, i]
