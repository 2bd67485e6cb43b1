"""Pressure skins as the authors of HydroelasticTouch have them: their field, their rays, their sensor files.

    sensor = taxel.sensors.as_published(taxel.sensors.myrmex())          # field "distance" or "laplace", rays
    left, right = taxel.sensors.read_surface_plugins("sensors.yaml")     # their ROS plugin's SurfacePlugins
    left.add_to(spec)                                                    # on the geom that it names

What differs from our own: the pressure rises from all sides of the body to its middle (ours: a layer glued to a board),
and a taxel is the mean or the weighted sum of rays (ours: the exact integral), so taxels do not sum to the force.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..common.description import unknown_key
from .description import TactileSensor
from .one_material import FOLLOWS

FIELDS = ("distance", "laplace")
"""What their code does (Drake's field: scaled distance to the surface), and what their papers say (Laplace)."""
FLAT_SAMPLES, CURVED_DENSITY = 20, 1e6
"""Rays along a side of a cell (paper, appendix); samples a m2 of a curved skin (their demo)."""
RADIUS = 6e-3
"""Receptive radius of their fingertip's taxels, m."""
LEAST_SAMPLES = 20
"""In the receptive field of a taxel, on average: ours; their taxels have 100 and more."""
COMMON = ("sensorName", "geomName", "topicName", "updateRate", "visualize", "type")
KEYS = {
    "FlatTactileSensor": ("resolution", "sampling_resolution", "windowing", "sigma", "use_parallel"),
    "TaxelSensor": ("taxels", "include_margin", "sample_method", "sample_resolution", "method",
                    "visualize_max_pressure"),
    "CurvedSensor": ("taxels", "normals", "include_margin", "sample_resolution", "sample_method", "method",
                     "visualize_max_pressure"),
}  # fmt: skip
ASIDE = ("topicName", "visualize", "use_parallel", "visualize_max_pressure", "sample_method")
WINDOWS = ("none", "gauss", "tukey", "square")


def as_published(sensor: TactileSensor, field: str = "distance") -> TactileSensor:
    """A sensor of the catalogue with the authors' physics and read-out.

    field  "distance" (their code) or "laplace" (their papers' text)

    A grid reads the mean of 20 x 20 rays a cell, down to the middle of the body; a curved layout the sum of
    (r - d)^2 p over the samples within its receptive radius r and 45 degrees, as deep as r; where taxels lie closer
    than theirs (gelsight_mini, digit) with 20 samples a taxel in place of their 1e6 a m2, down to the middle. Both read
    the pressure of the field alone, without damping. The geometry, modulus and friction stay those of the sensor; a
    field that follows the size of contacts (contact="auto") does so no longer.
    """
    if field not in FIELDS:
        raise _core.Error(f"as_published: field is {field!r}; give 'distance' (their code) or 'laplace' (their papers)")
    if not isinstance(sensor, TactileSensor):
        raise _core.Error(
            f"as_published: sensor is {sensor!r}; give a sensor of the catalogue, such as taxel.sensors.weiss()"
        )
    if model := "markers" if sensor.markers else "a gel of particles" if sensor.gel else "":
        raise _core.Error(
            f"as_published: {sensor.name} is {model}, and the authors' sensors read pressure; leave out model= there"
        )
    if "modulus" not in sensor.material:
        raise _core.Error(f"as_published: {sensor.name} has no pressure field; take a sensor that reads pressure")
    low, high = sensor.bounds
    size = high - low
    changes: dict[str, Any] = {"field": field, "thickness": None, "bone": None, "exposed": None}
    changes |= {"source": "elastic", "readout": "rays"}
    if FOLLOWS in sensor.material:
        changes[FOLLOWS] = None
    if field == "laplace":  # its tetrahedra: six across the thinnest side
        changes["resolution"] = float(size.min() / 6)
    elif sensor.material.get("field") == "columns" and "resolution" in sensor.material:
        changes["resolution"] = float(size.min() / 7)  # the spacing of columns says nothing of tetrahedra
    if "shape" in sensor.taxels:
        changes |= {"samples": FLAT_SAMPLES, "reach": float(0.5 * size[2])}
    else:
        radius = float(sensor.taxels.get("radius", RADIUS))
        # The taxels of a camera's gel lie closer than the authors' samples, so that some would have none, and feel no
        # deeper than a press goes.
        density = max(CURVED_DENSITY, LEAST_SAMPLES / (math.pi * radius**2))
        reach = max(radius, min(RADIUS, float(0.5 * size[2])))
        changes |= _weighted(radius) | {"sample_density": density, "reach": reach}
    return sensor.replace(**changes, title=f"{sensor.title}, as published")


def _weighted(radius: float) -> dict[str, Any]:
    return {"radius": radius, "window": "quadratic", "aggregate": "sum", "angle": 45.0, "reach": radius}


@dataclass(frozen=True)
class SurfacePlugin:
    """One sensor of the authors' file."""

    name: str
    geom: str
    kind: str
    """FlatTactileSensor, TaxelSensor or CurvedSensor."""
    taxels: Mapping[str, Any]
    """Keys for taxel.add_sensor and taxel.Skin; a flat sensor's grid needs the size of its geom (``keys``)."""
    rate: float
    """Hz."""
    notes: tuple[str, ...] = ()
    """Where their code and our reading of the file differ."""
    aside: Mapping[str, Any] = field(default_factory=dict)
    """What only ROS and their viewer need, as it came."""

    def keys(self, size: Any = None) -> dict[str, Any]:
        """Keys for taxel.add_sensor or taxel.Skin; size: full lengths of the box below a flat sensor, m."""
        keys = dict(self.taxels)
        if self.kind != "FlatTactileSensor":
            return keys
        if size is None:
            raise _core.Error(f"{self.name}: a flat sensor fills the box it lies on; give its size, (x, y, z) in m")
        lengths = np.asarray(size, float)
        pitch = keys["pitch"]
        # Theirs: floor(length / pitch + 0.1) cells along x and y.
        columns, rows = (math.floor(lengths[k] / pitch + 0.1) for k in range(2))
        if columns < 1 or rows < 1:
            raise _core.Error(
                f"{self.name}: a resolution of {pitch:g} m leaves no cell on {lengths[0]:g} x {lengths[1]:g} m"
            )
        return {"shape": (rows, columns), **keys, "reach": float(0.5 * lengths[2])}

    def add_to(self, spec: Any, geom: str | None = None) -> str:
        """Adds it to an MjSpec on the geom that the file names, or on ``geom``; the sensor's name."""
        from ..mujoco import add_sensor

        target = geom or self.geom
        found = spec.geom(target)
        if found is None:
            raise _core.Error(f"{self.name}: there is no geom {target!r}; give geom= the name of one that is there")
        size = None
        if self.kind == "FlatTactileSensor":
            if int(found.type) != 6:  # mjGEOM_BOX
                raise _core.Error(f"{self.name}: a flat sensor lies on a box; geom {target!r} is none")
            size = 2 * np.array(found.size)
        add_sensor(spec, target, name=self.name, rate=self.rate, **self.keys(size))
        return self.name


def read_surface_plugins(config: Any) -> list[SurfacePlugin]:
    """Reads the sensors of the authors' ROS plugin (mujoco_contact_surface_sensors).

    config  a .yaml file, or a mapping: with a list ``SurfacePlugins`` (at the top, or in an entry of
            ``MujocoPlugins``), or one sensor by itself
    """
    where = str(config) if isinstance(config, (str, Path)) else "the configuration"
    entries = _entries(_load(config), where)
    if not entries:
        raise _core.Error(f"{where}: no sensor in it; give a list SurfacePlugins with a type each")
    return [_sensor(entry, f"{where}: sensor {k}") for k, entry in enumerate(entries)]


def _load(config: Any) -> Any:
    if not isinstance(config, (str, Path)):
        return config
    try:
        import yaml
    except ImportError:
        raise ImportError("YAML files need pyyaml: pip install pyyaml; or give the mapping itself") from None
    path = Path(config)
    if not path.is_file():
        what = "is a folder; give the .yaml file in it" if path.is_dir() else "there is no such file"
        raise _core.Error(f"{config or 'an empty path'}: {what}")
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise _core.Error(f"{path}: byte {error.start} is no UTF-8; give a .yaml file, saved as UTF-8") from None
    except OSError as error:
        raise _core.Error(f"{path}: cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise _core.Error(f"{path}: no YAML ({str(error).splitlines()[0]})") from None


def _entries(given: Any, where: str) -> list[Any]:
    if not isinstance(given, Mapping):
        raise _core.Error(f"{where}: a mapping is needed, this is {type(given).__name__}")
    if "sensorName" in given:
        return [given]
    found = list(given.get("SurfacePlugins") or [])
    for plugin in given.get("MujocoPlugins") or []:
        found += list(plugin.get("SurfacePlugins") or []) if isinstance(plugin, Mapping) else []
    return found


def _sensor(entry: Any, where: str) -> SurfacePlugin:
    if not isinstance(entry, Mapping):
        raise _core.Error(f"{where}: a mapping is needed, this is {type(entry).__name__}")
    name = str(entry.get("sensorName", ""))
    where = f"{where} {name!r}" if name else where
    kind = str(entry.get("type", "")).rpartition("/")[2]
    if kind not in KEYS:
        raise _core.Error(f"{where}: type is {entry.get('type')!r}; give one of {', '.join(KEYS)}")
    for key in entry:
        if key not in COMMON + KEYS[kind]:
            raise _core.Error(unknown_key(where, str(key), COMMON + KEYS[kind]))
    for key in ("sensorName", "geomName", "updateRate"):
        if key not in entry:
            raise _core.Error(f"{where}: {key} is missing")
    make = {"FlatTactileSensor": _flat, "TaxelSensor": _free, "CurvedSensor": _curved}[kind]
    taxels, notes = make(entry, where)
    return SurfacePlugin(
        name=name,
        geom=str(entry["geomName"]),
        kind=kind,
        taxels={"readout": "rays", "source": "elastic"} | taxels,
        rate=_number(entry, "updateRate", where),
        notes=notes,
        aside={key: entry[key] for key in ASIDE if key in entry},
    )


def _number(entry: Mapping[str, Any], key: str, where: str, default: float | None = None) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise _core.Error(f"{where}: {key} is {value!r}; give a number above 0")
    return float(value)


def _vectors(entry: Mapping[str, Any], key: str, where: str) -> np.ndarray:
    try:
        found = np.array(entry.get(key), dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1] != 3 or not len(found) or not np.isfinite(found).all():
        raise _core.Error(f"{where}: {key} is no list of [x, y, z]; give one triple a taxel, m")
    return found


def _flat(entry: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    window = str(entry.get("windowing", "none")).lower()
    if window not in WINDOWS:
        raise _core.Error(f"{where}: windowing is {entry.get('windowing')!r}; give one of {', '.join(WINDOWS)}")
    samples = _number(entry, "sampling_resolution", where, 5)
    if samples != int(samples):
        raise _core.Error(f"{where}: sampling_resolution is {samples:g}; give a whole number of rays along a side")
    keys: dict[str, Any] = {"pitch": _number(entry, "resolution", where), "samples": int(samples), "window": window}
    notes: tuple[str, ...] = ()
    if window != "none":
        notes = ("their windows are not divided by the sum of the weights; ours are",)
    if window == "tukey":
        keys["window_width"] = _number(entry, "sigma", where, 0.3)
    elif window == "gauss":
        notes += ("sigma of their gauss window has no unit in their file; ours is 0.4 of the receptive radius",)
    return keys, notes


def _free(entry: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    method = str(entry.get("method", "closest"))
    if method == "closest":
        raise _core.Error(
            f"{where}: method 'closest' is not offered (in their code it reads 0 unless visualize is on); give "
            "weighted, mean or squared"
        )
    if method not in ("weighted", "mean", "squared"):
        raise _core.Error(f"{where}: method is {method!r}; give weighted, mean or squared")
    keys = _weighted(_number(entry, "include_margin", where)) | {"points": _vectors(entry, "taxels", where)}
    if method == "mean":
        keys |= {"window": "none", "aggregate": "mean"}
    notes = ["they sample the contact surface, we the skin: rays at the density below"]
    if method == "weighted":
        notes.append("weights (r - d)^2, as their code runs (weighted falls through into squared), not r^2 - d^2")
    if entry.get("sample_method", "default") == "default" and "sample_resolution" in entry:
        keys["sample_spacing"] = _number(entry, "sample_resolution", where)
    else:
        keys["sample_density"] = CURVED_DENSITY
    return keys, tuple(notes)


def _curved(entry: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    radius = _number(entry, "include_margin", where)
    density = _number(entry, "sample_resolution", where)
    if density * math.pi * radius**2 < 1:
        raise _core.Error(
            f"{where}: sample_resolution is {density:g}, in points a m2: less than one within include_margin; their "
            "own curved_fingertip.yaml has such a value and reads nothing, their demo has 1000000.0"
        )
    keys = _weighted(radius) | {"points": _vectors(entry, "taxels", where), "sample_density": density}
    if "normals" in entry:
        keys["normals"] = _vectors(entry, "normals", where)
        if len(keys["normals"]) != len(keys["points"]):
            raise _core.Error(
                f"{where}: {len(keys['normals'])} normals for {len(keys['points'])} taxels; give one a taxel"
            )
    notes = () if entry.get("method") in (None, "squared") else ("their method is not read by this sensor: (r - d)^2",)
    return keys, notes
