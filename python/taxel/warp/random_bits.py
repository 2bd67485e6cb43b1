"""Counter-based random numbers of math/random.h and skin/chain_random.h: the same bits for (stream, index)."""

import warp as wp

GOLDEN = wp.constant(wp.uint64(0x9E3779B97F4A7C15))
FIRST = wp.constant(wp.uint64(0xBF58476D1CE4E5B9))
SECOND = wp.constant(wp.uint64(0x94D049BB133111EB))


@wp.func
def random_bits(seed: wp.uint64, index: wp.uint64) -> wp.uint64:
    z = index + GOLDEN * (seed + wp.uint64(1))
    for _round in range(2):
        z += GOLDEN ^ seed
        z = (z ^ (z >> wp.uint64(30))) * FIRST
        z = (z ^ (z >> wp.uint64(27))) * SECOND
        z = z ^ (z >> wp.uint64(31))
    return z


@wp.func
def uniform(seed: wp.uint64, index: wp.uint64) -> wp.float64:
    """In 0 .. 1, with 53 bits."""
    return wp.float64(random_bits(seed, index) >> wp.uint64(11)) * wp.float64(1.1102230246251565e-16)


@wp.func
def gaussian(seed: wp.uint64, index: wp.uint64) -> wp.float64:
    """Standard normal number ``index`` of the stream, by Box and Muller: the pairs one after the other."""
    pair = index >> wp.uint64(1)
    u = wp.float64(1.0) - uniform(seed, wp.uint64(2) * pair)
    v = uniform(seed, wp.uint64(2) * pair + wp.uint64(1))
    radius = wp.sqrt(wp.float64(-2.0) * wp.log(u))
    angle = wp.float64(6.283185307179586) * v
    if (index & wp.uint64(1)) == wp.uint64(1):
        return radius * wp.sin(angle)
    return radius * wp.cos(angle)


@wp.func
def of_world(stream: wp.uint64, w: int) -> wp.uint64:
    """Every world has a stream of its own; the first one that of the plugin."""
    if w == 0:
        return stream
    return random_bits(stream, wp.uint64(w))
