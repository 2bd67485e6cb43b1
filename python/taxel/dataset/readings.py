"""What a sample can hold: names, shapes, units, and which model has what."""

from __future__ import annotations

from dataclasses import dataclass

from ..sensors import TactileSensor

MODELS = ("pressure", "bristle", "marker", "gel")
_ALL = frozenset(MODELS)
_TAXELS = frozenset({"pressure", "bristle", "gel"})

# name: (models, unit, meaning). Frame: that of the sensor, z out of it.
READINGS: dict[str, tuple[frozenset[str], str, str]] = {
    "taxels": (_TAXELS, "", "what the taxels read, rows along y (draw with origin lower)"),
    "shear": (frozenset({"bristle", "gel"}), "Pa", "friction on the taxels along their two axes"),
    "markers": (frozenset({"marker"}), "px", "displacement of the markers along x, y, z"),
    "force": (_ALL, "N", "on the sensor, in its frame"),
    "torque": (_ALL, "N m", "on the sensor about its origin"),
    "pose": (_ALL, "m, 1", "of the object's own frame in the sensor's: x y z, quaternion w first"),
    "depth": (_ALL, "m", "how far the object has come down since the first touch"),
    "area": (frozenset({"pressure", "gel"}), "m2", "of contact"),
    "center": (_TAXELS, "m", "centre of pressure in the sensor's frame; 0 without contact"),
    "max_pressure": (frozenset({"pressure"}), "Pa", "greatest on the contact surface"),
}
LABELS: dict[str, tuple[str, str, str]] = {
    "sample": ("int64", "", "number of the sample; its random numbers depend on it and the seed alone"),
    "frame": ("int32", "", "0, 1, ... along the motion"),
    "finger": ("int32", "", "0; the two fingers of a grasp are 0 and 1"),
    "object": ("string", "", "name of the object"),
    "size": ("float64", "m", "of a primitive, as `taxel press` takes it (0 where there are fewer); of a mesh its box"),
    "motion": ("string", "", "press, slide, twist, roll or grasp"),
    "progress": ("float64", "", "share of the motion that is done: of the load for press and grasp, else of the way"),
    "motion_values": (
        "float64",
        "m, deg",
        "slide: distance, direction; twist: angle, 0; roll: angle, direction; else 0",
    ),
}
SIZES = {"force": (3,), "torque": (3,), "pose": (7,), "center": (3,), "depth": (), "area": (), "max_pressure": ()}
LABEL_SIZES = {"size": (3,), "motion_values": (2,)}
FLOAT64 = frozenset({"pose", "depth", "force", "torque", "area", "center", "max_pressure"})


@dataclass(frozen=True)
class Column:
    """One column of a row: a reading of one finger in one frame, or a label."""

    name: str
    dtype: str
    """As NumPy has it; "string" for text."""
    shape: tuple[int, ...]
    unit: str
    meaning: str


def readings_of(model: str) -> list[str]:
    """Names that a model has."""
    return [name for name, (models, _, _) in READINGS.items() if model in models]


def columns(sensor: TactileSensor, readings: tuple[str, ...]) -> list[Column]:
    """The schema of a data set: labels first, then the readings in the order of the plan."""
    found = [
        Column(name, dtype, LABEL_SIZES.get(name, ()), unit, words) for name, (dtype, unit, words) in LABELS.items()
    ]
    for name in readings:
        _, unit, words = READINGS[name]
        shape = SIZES.get(name, ())
        if name == "taxels":
            shape, unit = taxel_shape(sensor), sensor.unit
        elif name == "shear":
            shape = (2, *taxel_shape(sensor))
        elif name == "markers":
            shape = (*taxel_shape(sensor), 3)
        found.append(Column(name, "float64" if name in FLOAT64 else "float32", shape, unit, words))
    return found


def taxel_shape(sensor: TactileSensor) -> tuple[int, ...]:
    return sensor.shape if sensor.shape is not None else (sensor.count,)
