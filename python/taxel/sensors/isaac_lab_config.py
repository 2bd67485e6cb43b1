"""Isaac Lab's configuration of a visuo-tactile sensor (TacSL), read into our description.

    config = taxel.sensors.read_isaac_lab("env.yaml", section="scene.tactile_left")
    sensor = config.sensor            # a TactileSensor with Isaac Lab's grid of points as taxels
    forces = config.tacsl(nut)        # taxel.TacSL with its stiffnesses and friction

Every key is either read, or named below as one that only Isaac Sim needs (and kept in ``config.aside``), or refused.
Keys as of ``VisuoTactileSensorCfg`` in isaaclab_contrib, releases 2.3.2 and 3.0.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..common.description import unknown_key
from ..marker import TacSL
from ._gelsight_mini import gelsight_mini
from .description import TactileSensor

# The folder of Isaac Lab's data for a gel: our sensor.
GELS: dict[str, Callable[[], TactileSensor]] = {"gs_mini_data": gelsight_mini}

READ = ("tactile_array_size", "tactile_margin", "normal_contact_stiffness", "friction_coefficient",
        "tangential_stiffness", "render_cfg", "camera_cfg", "enable_camera_tactile", "enable_force_field",
        "update_period", "prim_path")  # fmt: skip
ASIDE = ("class_type", "cloning_contexts", "contact_object_prim_path_expr", "visualizer_cfg", "debug_vis",
         "history_length", "trimesh_vis_tactile_points", "visualize_sdf_closest_pts")  # fmt: skip
RENDER_READ = ("sensor_data_dir_name", "image_height", "image_width", "mm_per_pixel")
RENDER_ASIDE = ("base_data_path", "background_path", "calib_path", "real_background", "num_bins")
CAMERA_READ = ("height", "width", "update_period", "data_types")
CAMERA_ASIDE = ("class_type", "cloning_contexts", "prim_path", "debug_vis", "history_length", "offset", "spawn",
                "depth_clipping_behavior", "semantic_filter", "update_latest_camera_pose", "renderer_cfg",
                "semantic_segmentation_mapping", "colorize_semantic_segmentation",
                "colorize_instance_id_segmentation", "colorize_instance_segmentation")  # fmt: skip
TACSL = ("normal_contact_stiffness", "tangential_stiffness", "friction_coefficient")
DEPTHS = ("distance_to_image_plane", "depth")


@dataclass(frozen=True)
class IsaacLabConfig:
    """What ``read_isaac_lab`` found."""

    name: str
    """The elastomer's, from its prim path."""
    sensor: TactileSensor
    """The gel with Isaac Lab's points as taxels. Its stiffness and friction are the catalogue's: Isaac Lab's are those
    of the force field (``tacsl``) and of the USD asset."""
    points: np.ndarray
    """(rows * columns, 3) m in the sensor's frame, in Isaac Lab's order: first index along x, second along y."""
    shape: tuple[int, int]
    parameters: Mapping[str, Any]
    """Of the force field, as ``taxel.TacSL`` takes them."""
    force_field: bool
    """Whether Isaac Lab would compute it."""
    image: Mapping[str, Any] | None
    """Height, width (px) and pixel (m) of its tactile image; None where no camera is in use."""
    aside: Mapping[str, Any] = field(default_factory=dict)
    """Keys that only Isaac Sim needs, as they came: paths of prims, visualisation, calibration files."""

    def tacsl(self, object: Any) -> TacSL:
        """The force field at the points; ``object`` as in taxel.TacSL."""
        return TacSL(self.points, object, **self.parameters)


def read_isaac_lab(config: Any, *, section: str | None = None, gel: TactileSensor | None = None) -> IsaacLabConfig:
    """Reads a sensor's configuration.

    config   a mapping, a config object of Isaac Lab (``to_dict``), or a .yaml, .yml or .json file, as Isaac Lab's
             ``dump_yaml`` writes it
    section  where in it the sensor is: "scene.tactile_left"
    gel      the sensor whose surface carries the points; needed where ``sensor_data_dir_name`` is none that we know
    """
    keys, where = _section(_load(config), section)
    _refuse(where, keys, READ + ASIDE)
    render, camera = (_mapping(keys, name, where) for name in ("render_cfg", "camera_cfg"))
    _refuse(f"{where}: render_cfg", render, RENDER_READ + RENDER_ASIDE)
    _refuse(f"{where}: camera_cfg", camera, CAMERA_READ + CAMERA_ASIDE)
    gel = _gel(render, where) if gel is None else gel
    shape = _whole_pair(_need(keys, "tactile_array_size", where), "tactile_array_size", where)
    margin = _number(_need(keys, "tactile_margin", where), "tactile_margin", where, 0.0)
    points = grid_points(gel, shape, margin)
    parameters = {name: _number(keys[name], name, where, 0.0) for name in TACSL if _given(keys, name)}
    period = _number(keys["update_period"], "update_period", where, 0.0) if _given(keys, "update_period") else 0.0
    name = _name(str(keys.get("prim_path", "")), gel.name)
    changes: dict[str, Any] = {"points": points, "normals": np.tile((0.0, 0.0, 1.0), (len(points), 1)), "name": name}
    changes |= {"radius": None, "shape": None, "image_shape": shape, "title": f"{gel.title}, points of Isaac Lab"}
    sensor = gel.replace(**changes, **({"rate": 1 / period} if period > 0 else {}))
    aside = {key: keys[key] for key in ASIDE + ("prim_path",) if key in keys}
    aside |= {f"render_cfg.{key}": render[key] for key in RENDER_ASIDE if key in render}
    aside |= {f"camera_cfg.{key}": camera[key] for key in CAMERA_ASIDE if key in camera}
    return IsaacLabConfig(
        name=name,
        sensor=sensor,
        points=points,
        shape=shape,
        parameters=parameters,
        force_field=_flag(keys, "enable_force_field", where),
        image=_image(render, camera, where) if camera and _flag(keys, "enable_camera_tactile", where) else None,
        aside=aside,
    )


def grid_points(gel: TactileSensor, shape: tuple[int, int], margin: float) -> np.ndarray:
    """Isaac Lab's tactile points on a gel: one pitch for both axes, the largest that keeps the margin with a free row
    around the grid, dropped onto the surface along -z."""
    low, high = gel.bounds
    room = high[:2] - low[:2] - 2 * margin
    if not (room > 0).all():
        raise _core.Error(
            f"{gel.name}: a tactile_margin of {margin:g} m leaves no room on {1e3 * (high - low)[0]:.4g} x "
            f"{1e3 * (high - low)[1]:.4g} mm; it is in metres"
        )
    pitch = float(np.min(room / (np.array(shape) + 1)))
    x, y = (0.5 * (low[k] + high[k]) + pitch * (np.arange(n) - 0.5 * (n - 1)) for k, n in enumerate(shape))
    flat = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.round(np.column_stack([flat, _tops(*gel.surface(), flat)]), 9)


def _tops(vertices: np.ndarray, triangles: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """Greatest height of a surface above each place (n, 2)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    (ux, uy), (vx, vy) = (b - a)[:, :2].T, (c - a)[:, :2].T
    twice = ux * vy - uy * vx
    keep = np.abs(twice) > 1e-16
    a, b, c, ux, uy, vx, vy, twice = (q[keep] for q in (a, b, c, ux, uy, vx, vy, twice))
    out = np.empty(len(flat))
    for k, place in enumerate(flat):
        px, py = (place - a[:, :2]).T
        s, t = (px * vy - py * vx) / twice, (ux * py - uy * px) / twice
        inside = (s > -1e-9) & (t > -1e-9) & (s + t < 1 + 1e-9)
        if not inside.any():
            raise _core.Error(f"read_isaac_lab: the point {1e3 * place} mm lies beside the gel; give a larger margin")
        out[k] = (a[inside, 2] + s[inside] * (b - a)[inside, 2] + t[inside] * (c - a)[inside, 2]).max()
    return out


def _load(config: Any) -> Any:
    if isinstance(config, str | Path):
        return _file(Path(config))
    if hasattr(config, "to_dict"):
        config = config.to_dict()
    if not isinstance(config, Mapping):
        raise _core.Error(
            f"read_isaac_lab: config is {type(config).__name__}; give a mapping, a config object with to_dict, or a "
            ".yaml or .json file"
        )
    return config


def _file(path: Path) -> Any:
    if not path.is_file():
        raise _core.Error(f"read_isaac_lab: there is no file {str(path)!r}")
    text = path.read_text()
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise _core.Error(f"{path}: no JSON: {error}") from None
    if path.suffix not in (".yaml", ".yml"):
        raise _core.Error(f"{path}: give a .yaml, .yml or .json file")
    try:
        import yaml
    except ImportError:
        raise ImportError("read_isaac_lab: YAML needs PyYAML; run: pip install 'pyyaml>=6'") from None

    class Loader(yaml.SafeLoader):
        """Isaac Lab's dump has tuples and slices of Python, which the safe loader alone refuses."""

    Loader.add_constructor("tag:yaml.org,2002:python/tuple", lambda y, node: tuple(y.construct_sequence(node)))
    Loader.add_multi_constructor("tag:yaml.org,2002:python/object/apply:", lambda y, tag, node: f"<{tag}>")
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        raise _core.Error(f"{path}: {' '.join(str(error).split())}") from None


def _section(config: Any, section: str | None) -> tuple[Mapping[str, Any], str]:
    where = "read_isaac_lab"
    for part in section.split(".") if section else ():
        if not isinstance(config, Mapping) or part not in config:
            there = ", ".join(str(key) for key in config) if isinstance(config, Mapping) else "nothing"
            raise _core.Error(f"{where}: there is no section {part!r}; there are: {there}")
        config, where = config[part], f"{where}: {part}"
    if not isinstance(config, Mapping):
        raise _core.Error(f"{where}: {section or 'the file'} is {type(config).__name__}; it must be a mapping of keys")
    if "scene" in config and "tactile_array_size" not in config:
        raise _core.Error(f"{where}: this is a whole environment; say where its sensor is: section='scene.NAME'")
    return config, where


def _refuse(where: str, keys: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in keys:
        if key not in known:
            raise _core.Error(unknown_key(where, str(key), known))


def _given(keys: Mapping[str, Any], name: str) -> bool:
    return keys.get(name) is not None and keys[name] is not dataclasses.MISSING


def _need(keys: Mapping[str, Any], name: str, where: str) -> Any:
    if not _given(keys, name):
        raise _core.Error(f"{where}: {name} is missing; Isaac Lab has no default for it")
    return keys[name]


def _mapping(keys: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    value = keys.get(name)
    if value is None or value is dataclasses.MISSING:
        return {}
    if not isinstance(value, Mapping):
        raise _core.Error(f"{where}: {name} is {value!r}; it must be a mapping of keys")
    return value


def _number(value: Any, name: str, where: str, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < float("inf"):
        raise _core.Error(f"{where}: {name} is {value!r}; give a number of {least:g} or more")
    return float(value)


def _whole_pair(value: Any, name: str, where: str) -> tuple[int, int]:
    pair = value if isinstance(value, list | tuple) else ()
    if len(pair) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in pair):
        raise _core.Error(f"{where}: {name} is {value!r}; give two whole numbers, rows and columns")
    return int(pair[0]), int(pair[1])


def _flag(keys: Mapping[str, Any], name: str, where: str) -> bool:
    value = keys.get(name, True)
    if not isinstance(value, bool):
        raise _core.Error(f"{where}: {name} is {value!r}; give true or false")
    return value


def _gel(render: Mapping[str, Any], where: str) -> TactileSensor:
    folder = render.get("sensor_data_dir_name")
    if folder not in GELS:
        raise _core.Error(
            f"{where}: render_cfg has sensor_data_dir_name {folder!r}, and we know the gel of {', '.join(GELS)} alone; "
            "give the gel whose surface carries the points: gel=taxel.sensors.gelsight_mini(), or your own"
        )
    return GELS[folder]()


def _image(render: Mapping[str, Any], camera: Mapping[str, Any], where: str) -> dict[str, Any]:
    size = {}
    for ours, theirs in (("height", "image_height"), ("width", "image_width")):
        value = _number(_need(render, theirs, f"{where}: render_cfg"), theirs, where, 1)
        if _given(camera, ours) and camera[ours] != value:
            raise _core.Error(
                f"{where}: camera_cfg has {ours} {camera[ours]!r} and render_cfg {theirs} {value:g}; Isaac Lab wants "
                "them equal"
            )
        size[ours] = int(value)
    wrong = [kind for kind in camera.get("data_types", ()) if kind not in DEPTHS]
    if wrong:
        raise _core.Error(f"{where}: camera_cfg has data_types {wrong[0]!r}; Isaac Lab takes {' and '.join(DEPTHS)}")
    mm = _number(_need(render, "mm_per_pixel", f"{where}: render_cfg"), "mm_per_pixel", where, 1e-6)
    return {**size, "pixel": 1e-3 * mm}


def _name(prim_path: str, otherwise: str) -> str:
    """The elastomer is the parent of the sensor's prim."""
    parts = [part for part in prim_path.split("/") if part]
    name = parts[-2] if len(parts) > 1 else otherwise
    return "".join(c if c.isalnum() or c in "_-" else "_" for c in name) or otherwise
