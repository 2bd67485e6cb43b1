"""The signal chain of a skin in every world: skin/signal_chain.cc and sample_line.cc, in float32."""

import warp as wp

from .arrays import Worlds
from .random_bits import gaussian, of_world


@wp.struct
class ChainConstants:
    """One channel: pressure (what = 0), or one of the two of shear (1, 2). Stages as in skin/chain_options.h."""

    what: int
    count: int
    spread_begin: wp.array(dtype=int)
    """empty: nothing is spread"""
    spread_from: wp.array(dtype=int)
    spread_weight: wp.array(dtype=float)
    hysteresis_width: float
    hysteresis_scale: float
    creeps: int
    creep_amount: wp.vec3
    creep_tau: wp.vec3
    gain: wp.array(dtype=float)
    """from Pa to the unit"""
    offset: wp.array(dtype=float)
    drift: wp.array(dtype=float)
    """per s; empty: none"""
    walk_per_root_hour: float
    crosstalk: float
    neighbour_begin: wp.array(dtype=int)
    neighbour: wp.array(dtype=int)
    crosstalk_rows: float
    rows: int
    cols: int
    noise_mean: float
    lo: float
    hi: float
    counts: int
    zero: float
    """counts: reading = zero + sign code"""
    sign: float
    quantum: float
    """0: none"""
    defect: wp.array(dtype=int)
    """1: the taxel always reads no_load"""
    no_load: wp.array(dtype=float)
    timestep: wp.float64
    """the model's, with all its digits"""
    rate: wp.float64
    delay: wp.float64
    jitter: wp.float64
    frames: int
    """samples that the line keeps; 0: every step is read at once"""
    noise_stream: wp.uint64
    walk_stream: wp.uint64
    jitter_stream: wp.uint64


@wp.struct
class ChainState:
    """In each world. What lies between steps: plays, creep, walk, last, written, arrival, frame."""

    plays: wp.array2d(dtype=wp.vec3)
    creep: wp.array2d(dtype=wp.vec3)
    walk: wp.array2d(dtype=float)
    last: wp.array(dtype=int)
    """number of the last sample plus one; 0: none yet"""
    written: wp.array(dtype=int)
    arrival: wp.array2d(dtype=wp.float64)
    frame: wp.array3d(dtype=float)
    # Of the step that was read last.
    step: wp.array(dtype=int)
    signal: wp.array2d(dtype=float)
    fresh: wp.array2d(dtype=float)


@wp.func
def time_of(c: ChainConstants, timestep: wp.array(dtype=float), w: int, step: int) -> wp.float64:
    """Steps times their length: a sum of float32 numbers would lose the sample that is due."""
    h = timestep[w % timestep.shape[0]]
    if h == float(c.timestep):
        return wp.float64(step) * c.timestep
    return wp.float64(step) * wp.float64(h)


@wp.func
def sample_number(c: ChainConstants, time: wp.float64, step: int) -> int:
    if c.rate > wp.float64(0.0):
        return int(wp.floor(time * c.rate + wp.float64(1.0e-6)))
    return step


@wp.func
def arrival_of(c: ChainConstants, w: int, number: int, time: wp.float64) -> wp.float64:
    delay = c.delay
    if c.jitter > wp.float64(0.0):
        n = gaussian(of_world(c.jitter_stream, w), wp.uint64(number))
        delay += c.jitter * wp.clamp(n, wp.float64(-3.0), wp.float64(3.0))
    return time + delay


@wp.func
def raw_of(
    c: ChainConstants, pressure: wp.array2d(dtype=float), shear: wp.array2d(dtype=wp.vec2), w: int, i: int
) -> float:
    if c.what == 0:
        return pressure[w, i]
    return shear[w, i][c.what - 1]


@wp.func
def load_of(
    c: ChainConstants, pressure: wp.array2d(dtype=float), shear: wp.array2d(dtype=wp.vec2), w: int, i: int
) -> float:
    """What the cover leaves of the load."""
    if c.spread_begin.shape[0] == 0:
        return raw_of(c, pressure, shear, w, i)
    sum = float(0.0)
    for e in range(c.spread_begin[i], c.spread_begin[i + 1]):
        sum += c.spread_weight[e] * raw_of(c, pressure, shear, w, c.spread_from[e])
    return sum


@wp.func
def threshold(c: ChainConstants, k: int) -> float:
    return c.hysteresis_scale / wp.where(k == 0, 4.0, wp.where(k == 1, 8.0, 16.0))


@wp.func
def played(c: ChainConstants, load: float, plays: wp.vec3) -> wp.vec3:
    """Three play operators (skin/hysteresis.h)."""
    return wp.vec3(
        wp.clamp(plays[0], load - threshold(c, 0), load + threshold(c, 0)),
        wp.clamp(plays[1], load - threshold(c, 1), load + threshold(c, 1)),
        wp.clamp(plays[2], load - threshold(c, 2), load + threshold(c, 2)),
    )


@wp.func
def hysteresis(c: ChainConstants, load: float, plays: wp.vec3) -> float:
    z = played(c, load, plays)
    return load - c.hysteresis_width * ((load - z[0]) + (load - z[1]) + 2.0 * (load - z[2]))


@wp.kernel(enable_backward=False)
def feel(
    timestep: wp.array(dtype=float),
    worlds: Worlds,
    pressure: wp.array2d(dtype=float),
    shear: wp.array2d(dtype=wp.vec2),
    world_gain: wp.array(dtype=float),
    c: ChainConstants,
    state: ChainState,
):
    """Cover, material and cell: what the wires carry."""
    w, i = wp.tid()
    s = load_of(c, pressure, shear, w, i)
    if c.hysteresis_width > 0.0:
        s = hysteresis(c, s, state.plays[w, i])
    if c.creeps > 0:
        s += wp.dot(c.creep_amount, state.creep[w, i])
    if c.drift.shape[0] > 0:
        s = s * wp.max(0.0, 1.0 + c.drift[i] * float(time_of(c, timestep, w, worlds.step[w])))
    s = world_gain[w] * c.gain[i] * s + c.offset[i]
    if c.walk_per_root_hour > 0.0:
        s += state.walk[w, i]
    state.signal[w, i] = s


@wp.func
def leaked(c: ChainConstants, state: ChainState, w: int, i: int) -> float:
    sum = float(0.0)
    if c.crosstalk > 0.0:
        for e in range(c.neighbour_begin[i], c.neighbour_begin[i + 1]):
            sum += state.signal[w, c.neighbour[e]]
        sum = c.crosstalk * sum
    others = c.rows + c.cols - 2
    if c.crosstalk_rows > 0.0 and others > 0:
        row = i / c.cols
        col = i - row * c.cols
        line = float(0.0)
        for k in range(c.cols):
            if k != col:
                line += state.signal[w, row * c.cols + k]
        for k in range(c.rows):
            if k != row:
                line += state.signal[w, k * c.cols + col]
        sum += c.crosstalk_rows / float(others) * line
    return sum


@wp.kernel(enable_backward=False)
def tell(
    timestep: wp.array(dtype=float),
    worlds: Worlds,
    world_noise: wp.array(dtype=float),
    c: ChainConstants,
    state: ChainState,
    reading: wp.array2d(dtype=float),
):
    """Wiring, amplifier, converter, defects; then what of it has come through the line."""
    w, i = wp.tid()
    step = worlds.step[w]
    time = time_of(c, timestep, w, step)
    number = sample_number(c, time, step)
    v = state.signal[w, i] + leaked(c, state, w, i) + c.noise_mean
    noise = world_noise[w]
    if noise > 0.0:
        index = (wp.uint64(number) << wp.uint64(16)) + wp.uint64(i)
        v += noise * float(gaussian(of_world(c.noise_stream, w), index))
    v = wp.clamp(v, c.lo, c.hi)
    if c.counts == 1:
        v = c.zero + c.sign * wp.round(v)
    elif c.quantum > 0.0:
        v = c.quantum * wp.round(v / c.quantum)
    if c.defect[i] == 1:
        v = c.no_load[i]
    state.fresh[w, i] = v
    if i == 0:
        state.step[w] = step
    if c.frames > 0:
        late = wp.float64(1.0e-3) * c.timestep
        due = state.last[w] != number + 1
        if not due or arrival_of(c, w, number, time) > time + late:
            v = c.no_load[i]
            if number + 1 >= state.last[w]:
                written = state.written[w]
                back = int(1)
                while back <= wp.min(written, c.frames):
                    slot = (written - back) % c.frames
                    if state.arrival[w, slot] <= time + late:
                        v = state.frame[w, slot, i]
                        back = c.frames
                    back += 1
    reading[w, i] = v


@wp.kernel(enable_backward=False)
def advance_taxels(
    timestep: wp.array(dtype=float),
    worlds: Worlds,
    pressure: wp.array2d(dtype=float),
    shear: wp.array2d(dtype=wp.vec2),
    c: ChainConstants,
    state: ChainState,
):
    """Moves the memory of each taxel past the step that was read last; zeros where time went back."""
    w, i = wp.tid()
    moved = worlds.moved[w]
    if moved == 0:
        return
    remembers = c.hysteresis_width > 0.0 or c.creeps > 0
    if moved == -1:
        if c.hysteresis_width > 0.0:
            state.plays[w, i] = wp.vec3(0.0, 0.0, 0.0)
        if c.creeps > 0:
            state.creep[w, i] = wp.vec3(0.0, 0.0, 0.0)
        if c.walk_per_root_hour > 0.0:
            state.walk[w, i] = 0.0
        return
    step = state.step[w]
    time = time_of(c, timestep, w, step)
    number = sample_number(c, time, step)
    sampled = c.frames == 0 or state.last[w] != number + 1
    h = timestep[w % timestep.shape[0]]
    if c.frames > 0 and sampled:
        written = wp.where(number + 1 < state.last[w], 0, state.written[w])
        state.frame[w, written % c.frames, i] = state.fresh[w, i]
    if sampled and c.walk_per_root_hour > 0.0:
        period = float(h)
        if c.rate > wp.float64(0.0):
            period = wp.max(period, 1.0 / float(c.rate))
        index = (wp.uint64(number) << wp.uint64(16)) + wp.uint64(i)
        scale = c.walk_per_root_hour * wp.sqrt(period / 3600.0)
        state.walk[w, i] = state.walk[w, i] + scale * float(gaussian(of_world(c.walk_stream, w), index))
    if remembers:
        felt = load_of(c, pressure, shear, w, i)
        if c.hysteresis_width > 0.0:
            plays = played(c, felt, state.plays[w, i])
            state.plays[w, i] = plays
            felt = hysteresis(c, felt, plays)
        if c.creeps > 0:
            z = state.creep[w, i]
            for k in range(c.creeps):
                z[k] = felt + (z[k] - felt) * wp.exp(-h / c.creep_tau[k])
            state.creep[w, i] = z


@wp.kernel(enable_backward=False)
def advance_line(timestep: wp.array(dtype=float), worlds: Worlds, c: ChainConstants, state: ChainState):
    """After the taxels: the sample is on its way."""
    w = wp.tid()
    moved = worlds.moved[w]
    if moved == 0:
        return
    if moved == -1:
        state.last[w] = 0
        state.written[w] = 0
        return
    step = state.step[w]
    time = time_of(c, timestep, w, step)
    number = sample_number(c, time, step)
    if state.last[w] == number + 1:
        return
    if number + 1 < state.last[w]:
        state.written[w] = 0
    state.arrival[w, state.written[w] % c.frames] = arrival_of(c, w, number, time)
    state.last[w] = number + 1
    state.written[w] = state.written[w] + 1
