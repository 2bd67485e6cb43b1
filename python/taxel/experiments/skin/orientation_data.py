"""Presses of the orientation experiment: an object, a pose, a force; the tactile image that comes of it.

A press lowers the object on the pad, held at its yaw and pitch, until the force along the pad's normal is the wanted
one (to FORCE_TOLERANCE), and reads the 16 x 16 cells. No engine is stepped: a press at rest is a query with one
unknown.

Sets, and the reading taken where the paper is open or contradicts itself:
training     5 objects x 50 yaws, 0 to pi/2 both included, x 3, 6, 9 N x 5 offsets = 3,750 presses; with 5 pitches of
             0 to 2 degrees at the same offsets 18,750. With the four copies that is 15,000 and 75,000 images. The
             paper's 21,000 and 105,000 are those of 7 objects; its text and appendix name 5, and so do we.
offsets      clip(N(0, 5 mm), +-20 mm) in x and y. The paper prints +-0.2 m and says "four cells", which are 20 mm.
unseen       7 objects x 30 yaws, 0, 0.093, ... 2.697 rad ("up to 2.8"), force drawn from 3 to 5 N.
pitch        turns the object about its own y axis, so one end goes down; also drawn for one unseen set, since the
             paper's real objects pitched in the gripper by an unknown amount.
[0, 1]       each image is divided by its own greatest cell; then noise N(0.02, 0.05) is added, not clipped.
held out     fresh presses of the five training objects: any yaw in [0, pi), any force from 3 to 9 N, new offsets.
soft         the objects with a modulus of 1e5 Pa, as the paper wished for its foam brick.

A press is drawn from a generator keyed by (seed, set, index), so that any one can be drawn again alone; the noise of a
test set from one keyed by the set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import taxel
from taxel.learn.orientation import with_noise

from .orientation_objects import SOFT_MODULUS, Object, foam_brick, training_objects, unseen_objects

PAD_SIZE = (0.08, 0.08, 0.018)  # m
PAD_MODULUS = 3e4  # Pa
FORCE_TOLERANCE = 1e-9  # of the wanted force

YAWS = 50
FORCES = (3.0, 6.0, 9.0)  # N
OFFSETS = 5
PITCHES = 5
MAX_PITCH = np.pi / 90
OFFSET_SCALE, OFFSET_LIMIT = 0.005, 0.02  # m
UNSEEN_YAWS, UNSEEN_STEP = 30, 0.093
UNSEEN_FORCES = (3.0, 5.0)

CELLS = 16  # to each side

ReadImage = Callable[[Sequence[taxel.ContactSurface], np.ndarray], np.ndarray]
"""(surfaces of contacts whose body A is the pad, X_WPad) to (16, 16): what the cells read, any unit; rows are y."""


def make_pad() -> taxel.Body:
    return taxel.Body.box(PAD_SIZE, PAD_MODULUS, field="backed", name="pad")


def published_pad(field: str) -> tuple[taxel.Body, ReadImage]:
    """The pad and its reading as the authors have them (taxel.sensors.as_published): field, 20 x 20 rays a cell."""
    sensor = taxel.sensors.as_published(taxel.sensors.myrmex(modulus=PAD_MODULUS), field)
    skin = sensor.skin()
    return skin.body, lambda surfaces, X_WPad: skin.read(surfaces, X_WPad).values


def skin_reader(pad: taxel.Body) -> ReadImage:
    """Mean pressure of each cell, Pa, by exact integration."""
    skin = taxel.Skin(pad, shape=(CELLS, CELLS))
    return lambda surfaces, X_WPad: skin.read(surfaces, X_WPad).values


# --- one press --------------------------------------------------------------------------------------------------------

X_WPAD = taxel.pose((0, 0, -PAD_SIZE[2] / 2))
"""The top face of the pad is z = 0 of the world."""


@dataclass(frozen=True)
class Press:
    thing: Object
    yaw: float
    force: float
    offset: tuple[float, float] = (0.0, 0.0)
    pitch: float = 0.0


def touch(pad: taxel.Body, press: Press, height: float) -> tuple[list[taxel.ContactSurface], float]:
    """The contacts with the origin of the object's frame at a height, and the force on it along the pad's normal."""
    X_WO = taxel.pose((*press.offset, height), rpy=(0.0, press.pitch, press.yaw))
    surfaces = [taxel.contact(pad, X_WPAD, body, X_WO @ X_OB) for body, X_OB in press.thing.parts]
    return surfaces, sum(float(s.force_on_B[2]) for s in surfaces)


def rest(pad: taxel.Body, press: Press) -> tuple[list[taxel.ContactSurface], float, float]:
    """The contacts where the object rests under the wanted force, the force reached, and its height.

    The force falls with the height; it is bracketed, then found by false position (Illinois) on force^(2/3), which is
    nearly straight in the height for a flat face (force ~ depth) as for a round one (force ~ depth^1.5 to depth^2).
    """
    goal = press.force ** (2 / 3)

    def excess(height: float) -> float:
        return max(0.0, touch(pad, press, height)[1]) ** (2 / 3) - goal

    low = high = -press.thing.lowest - 0.001
    value_low = value_high = excess(low)
    step = 0.002
    while value_high > 0:
        low, value_low = high, value_high
        high += step
        value_high = excess(high)
    while value_low <= 0:
        high, value_high = low, value_low
        low -= step
        if low < -press.thing.lowest - PAD_SIZE[2]:
            raise ValueError(f"{press.thing.name}: the pad cannot carry {press.force:g} N at this pose; give less")
        value_low = excess(low)
    height, side = low, 0
    for _ in range(100):
        height = (low * value_high - high * value_low) / (value_high - value_low)
        value = excess(height)
        if abs(value) <= 0.5 * FORCE_TOLERANCE * goal or high - low < 1e-15:
            break
        if value > 0:
            low, value_low = height, value
            value_high *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            high, value_high = height, value
            value_low *= 0.5 if side == -1 else 1.0
            side = -1
    return *touch(pad, press, height), height


def normalized(image: np.ndarray) -> np.ndarray:
    """To [0, 1] by the greatest cell."""
    return image / image.max()


def record(presses: Iterable[Press], read_image: ReadImage | None = None, pad: taxel.Body | None = None) -> np.ndarray:
    """(N, 16, 16), float32: the image of each press, scaled to [0, 1]. Defaults: ``make_pad``, ``skin_reader``."""
    pad = pad or make_pad()
    read_image = read_image or skin_reader(pad)
    images = [normalized(read_image(rest(pad, press)[0], X_WPAD)) for press in presses]
    return np.array(images, dtype=np.float32).reshape(-1, CELLS, CELLS)


# --- sets of presses --------------------------------------------------------------------------------------------------

# First key of the random numbers of each set, after the seed.
TRAINING, HELD_OUT, HELD_OUT_PITCH, UNSEEN, UNSEEN_PITCH, SOFT, NOISE = range(7)


def _generator(seed: int, kind: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, kind, index])


def draw_offset(rng: np.random.Generator) -> tuple[float, float]:
    x, y = np.clip(rng.normal(0.0, OFFSET_SCALE, 2), -OFFSET_LIMIT, OFFSET_LIMIT)
    return float(x), float(y)


def training_presses(
    things: Sequence[Object],
    seed: int,
    *,
    yaws: int = YAWS,
    forces: Sequence[float] = FORCES,
    offsets: int = OFFSETS,
    pitches: int = PITCHES,
) -> Iterator[Press]:
    """The paper's grid of yaw, force and pitch with random offsets; pitches = 1: none."""
    index = 0
    for thing in things:
        for yaw in np.linspace(0, np.pi / 2, yaws):
            for force in forces:
                for _ in range(offsets):
                    offset = draw_offset(_generator(seed, TRAINING, index))
                    index += 1
                    for pitch in np.linspace(0, MAX_PITCH, pitches):
                        yield Press(thing, float(yaw), force, offset, float(pitch))


def drawn_press(
    thing: Object, rng: np.random.Generator, forces: tuple[float, float], yaw: float | None = None, pitch: float = 0.0
) -> Press:
    """One press with everything drawn that is not given: yaw in [0, pi), force between two, pitch up to +-``pitch``."""
    offset = draw_offset(rng)
    force = float(rng.uniform(*forces))
    angle = float(rng.uniform(0, np.pi)) if yaw is None else yaw
    return Press(thing, angle, force, offset, float(rng.uniform(-pitch, pitch)) if pitch else 0.0)


def held_out_presses(things: Sequence[Object], seed: int, kind: int, count: int, pitch: float = 0.0) -> Iterator[Press]:
    """``count`` presses of each object as in training, but at any yaw and force."""
    for k, thing in enumerate(things):
        for i in range(count):
            yield drawn_press(thing, _generator(seed, kind, k * count + i), (FORCES[0], FORCES[-1]), pitch=pitch)


def unseen_presses(things: Sequence[Object], seed: int, kind: int, pitch: float = 0.0) -> Iterator[Press]:
    """The paper's protocol with the real objects."""
    for k, thing in enumerate(things):
        for i in range(UNSEEN_YAWS):
            rng = _generator(seed, kind, k * UNSEEN_YAWS + i)
            yield drawn_press(thing, rng, UNSEEN_FORCES, yaw=i * UNSEEN_STEP, pitch=pitch)


# --- all of it in one file --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Amounts:
    """How much is recorded; the defaults are the paper's, and five draws of what it did once."""

    yaws: int = YAWS
    offsets: int = OFFSETS
    pitches: int = PITCHES
    held_out: int = 300
    """Held-out presses of each object."""
    seeds: int = 5
    """Draws of each unseen set, and of the held-out presses."""
    soft: bool = True


QUICK = Amounts(yaws=10, offsets=2, pitches=2, held_out=20, seeds=1, soft=False)


def collect(
    amounts: Amounts,
    progress: Callable[..., Iterable[Any]],
    *,
    training: bool = True,
    read_image: ReadImage | None = None,
    pad: taxel.Body | None = None,
) -> dict[str, np.ndarray]:
    """Every set, as the arrays of the file that ``taxel.learn.orientation`` reads.

    progress(items, label): passes the items on, as ``Output.progress`` does. training: that set as well.
    """
    data: dict[str, Any] = {}
    things = training_objects()
    soft = training_objects(SOFT_MODULUS) if amounts.soft else ()
    if training:
        grid = {"yaws": amounts.yaws, "offsets": amounts.offsets}
        presses = [*training_presses(things, 0, **grid, pitches=amounts.pitches)]
        presses += training_presses(soft, 1, **grid, pitches=1)
        data["train.images"] = record(progress(presses, "training presses"), read_image, pad)
        data["train.yaw"] = np.array([p.yaw for p in presses])
        data["train.pitch"] = np.array([p.pitch for p in presses])
        data["train.modulus"] = np.array([p.thing.parts[0][0].modulus for p in presses])

    share = amounts.held_out // amounts.seeds
    strange = unseen_objects()
    sets: dict[str, tuple[Sequence[Object], Callable[[int], Iterable[Press]]]] = {
        "held-out": (things, lambda seed: held_out_presses(things, seed, HELD_OUT, share)),
        "held-out-pitch": (things, lambda seed: held_out_presses(things, seed, HELD_OUT_PITCH, share, MAX_PITCH)),
        "unseen": (strange, lambda seed: unseen_presses(strange, seed, UNSEEN)),
        "unseen-pitch": (strange, lambda seed: unseen_presses(strange, seed, UNSEEN_PITCH, MAX_PITCH)),
    }
    if amounts.soft:
        yielding = (foam_brick(SOFT_MODULUS), *soft)
        sets["soft"] = (yielding, lambda seed: unseen_presses(yielding, seed, SOFT))
    for number, (name, (chosen, draw)) in enumerate(sets.items()):
        presses = [(seed, press) for seed in range(amounts.seeds) for press in draw(seed)]
        start = time.process_time()  # of one core, whoever else uses the machine
        clean = record((press for _, press in progress(presses, name)), read_image, pad)
        data[f"{name}.seconds"] = np.array(time.process_time() - start)
        index = {thing.name: k for k, thing in enumerate(chosen)}
        data[f"{name}.images"] = with_noise(clean, np.random.default_rng([0, NOISE, number]))
        data[f"{name}.yaw"] = np.array([p.yaw for _, p in presses])
        data[f"{name}.object"] = np.array([index[p.thing.name] for _, p in presses])
        data[f"{name}.seed"] = np.array([seed for seed, _ in presses])
        data[f"{name}.names"] = np.array(list(index))
    data["sets"] = np.array(list(sets))
    return data
