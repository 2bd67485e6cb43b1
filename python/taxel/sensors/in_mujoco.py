"""How a sensor of the catalogue becomes part of a MuJoCo model: into an ``MjSpec``, or as MJCF text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np

from .. import _core
from ..common.description import LAYOUT_KEYS, config, has_bristles, to_text
from ..mujoco import add_markers, add_sensor, load, need_mujoco, soften
from ..mujoco.engine import need_spec
from ..mujoco.marker_sensor import PLUGIN as MARKER_PLUGIN

if TYPE_CHECKING:
    from .description import TactileSensor

RGBA = (0.20, 0.22, 0.26, 1.0)


def add_to_spec(sensor: TactileSensor, spec: Any, body: Any, name: str | None, pos: Any, quat: Any, euler: Any) -> str:
    """As ``TactileSensor.add_to``, without overrides."""
    mujoco = need_mujoco()
    need_spec(spec, f"{sensor.name}.add_to")
    load()
    parent = _parent(sensor, spec, body)
    name = _free_name(sensor, spec, name)
    own = parent.add_body(name=name, pos=_vector(pos, 3, "pos"), quat=_rotation(mujoco, quat, euler))
    # A gel pushes by itself; MuJoCo's own contact would act as well.
    look: dict[str, Any] = {"rgba": RGBA, **({"contype": 0, "conaffinity": 0} if sensor.gel else {})}
    if sensor.geom.type == "mesh":
        assert sensor.geom.vertices is not None and sensor.geom.triangles is not None
        spec.add_mesh(name=name, uservert=sensor.geom.vertices.ravel(), userface=sensor.geom.triangles.ravel())
        own.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **look)
    else:
        kind = getattr(mujoco.mjtGeom, "mjGEOM_" + sensor.geom.type.upper())
        own.add_geom(name=name, type=kind, size=[*sensor.geom.size, 0.0, 0.0][:3], **look)
    if sensor.gel:
        return name
    if sensor.soft:
        soften(spec, name, name=name, **_material_keys(sensor))
    if sensor.markers:
        add_markers(spec, name, name=name, **sensor.markers)
    else:
        add_sensor(spec, name, name=name, **sensor.taxels, **_sensor_keys(sensor))
    return name


def mjcf_text(sensor: TactileSensor, name: str) -> str:
    """As ``TactileSensor.mjcf``."""
    if sensor.gel:
        raise _core.Error(f"{sensor.name}: a gel lives in Python (gel_sensor), not in MJCF; use add_to")
    _check_name(sensor, name)
    title = quoteattr(name)
    soft = [
        '  <plugin plugin="taxel">',
        f"    <instance name={title}>",
        *_config_lines(_material_keys(sensor), 6),
        "    </instance>",
        "  </plugin>",
    ]
    lines = [
        *(['<option cone="elliptic"/>'] if sensor.soft else []),
        "<extension>",
        *(soft if sensor.soft else []),
        *([f'  <plugin plugin="{MARKER_PLUGIN}"/>'] if sensor.markers else []),
        "</extension>",
    ]
    if sensor.geom.type == "mesh":
        vertices, faces = to_text(sensor.geom.vertices), to_text(sensor.geom.triangles)
        lines += ["<asset>", f'  <mesh name={title} vertex="{vertices}" face="{faces}"/>', "</asset>"]
        geom = f'<geom name={title} type="mesh" mesh={title} rgba="{to_text(RGBA)}"/>'
    else:
        geom = (
            f'<geom name={title} type="{sensor.geom.type}" size="{to_text(sensor.geom.size)}" rgba="{to_text(RGBA)}"/>'
        )
    keeps = f'    <plugin plugin="taxel" instance={title}/>  <!-- keeps the material when this is attached -->'
    if sensor.soft:
        lines.append(f'<custom><tuple name={title}><element objtype="geom" objname={title}/></tuple></custom>')
    plugin, keys = ("taxel", {**sensor.taxels, **_sensor_keys(sensor)})
    if sensor.markers:
        plugin, keys = MARKER_PLUGIN, dict(sensor.markers)
    lines += [
        "<worldbody>",
        f"  <body name={title}>",
        *([keeps] if sensor.soft else []),
        f"    {geom}",
        "  </body>",
        "</worldbody>",
        "<sensor>",
        f'  <plugin name={title} plugin="{plugin}" objtype="geom" objname={title}>',
        *_config_lines(keys, 4),
        "  </plugin>",
        "</sensor>",
    ]
    return "\n".join(lines) + "\n"


def _material_keys(sensor: TactileSensor) -> dict[str, Any]:
    if not has_bristles(sensor.material):
        return dict(sensor.material)
    return {**sensor.material, **{key: value for key, value in sensor.taxels.items() if key in LAYOUT_KEYS}}


def _sensor_keys(sensor: TactileSensor) -> dict[str, Any]:
    return {key: value for key, value in sensor.chain.items() if key not in sensor.taxels}


def _parent(sensor: TactileSensor, spec: Any, body: Any) -> Any:
    if body is None:
        return spec.worldbody
    if not isinstance(body, str):
        return body
    found = spec.body(body)
    if found is None:
        raise _core.Error(f"{sensor.name}: there is no body {body!r} in the model to put the sensor on")
    return found


def _check_name(sensor: TactileSensor, name: str) -> None:
    if not name or any(c.isspace() for c in name):
        raise _core.Error(f"{sensor.name}: name is {name!r}; give one word, because MJCF lists names by spaces")


def _free_name(sensor: TactileSensor, spec: Any, name: str | None) -> str:
    taken = {
        element.name
        for group in (spec.bodies, spec.geoms, spec.sensors, spec.meshes, spec.plugins, spec.tuples)
        for element in group
    }
    taken |= {t.removesuffix(end) for end in ("_skin", "_markers") for t in taken if t.endswith(end)}
    if name is None:
        return next(
            n for k in range(1, len(taken) + 3) if (n := sensor.name if k == 1 else f"{sensor.name}_{k}") not in taken
        )
    _check_name(sensor, name)
    if name in taken:
        raise _core.Error(f"{sensor.name}: the model already has something named {name!r}; give another name=")
    return name


def _config_lines(keys: Mapping[str, Any], indent: int) -> list[str]:
    space = " " * indent
    return [f'{space}<config key="{key}" value={quoteattr(value)}/>' for key, value in config(keys).items()]


def _vector(value: Any, length: int, what: str) -> np.ndarray:
    vector = np.asarray(value, float).ravel()
    if vector.shape != (length,) or not np.isfinite(vector).all():
        raise _core.Error(f"{what} is {value!r}; give {length} finite numbers")
    return vector


def _rotation(mujoco: Any, quat: Any, euler: Any) -> np.ndarray:
    if quat is not None and euler is not None:
        raise _core.Error("give quat or euler, not both")
    out = np.array([1.0, 0.0, 0.0, 0.0])
    if euler is not None:
        mujoco.mju_euler2Quat(out, np.radians(_vector(euler, 3, "euler")), "xyz")
    elif quat is not None:
        out = _vector(quat, 4, "quat")
        if not np.linalg.norm(out) > 0:
            raise _core.Error(f"quat is {quat!r}; give four numbers that are not all zero, w first")
    return out
