"""Hands covered with skin in one call: the Shadow hand, the Allegro hand, and any hand whose links have such names.

    spec = mujoco.MjSpec.from_file("hand.xml")
    cover = taxel.robots.cover_shadow(spec)
    model = spec.compile()
    for name, sensor in cover.open(model).items():
        print(name, sensor.read(data).force)

What is covered: every geom of the links that can collide. Round ones get a soft shell and taxels all round; boxes are
soft (the palm on its palmar face, those of fingers on all) and have taxels on their palmar face; meshes get a layer and
taxels where they look to the palmar side. Which side that is
comes from the joints (``taxel.robots.palmar``), so models with other frames, left hands and prefixes work too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import Sensor, add_sensor, load, need_mujoco, soften
from ..sensors import TactileSensor
from ..shape import check_watertight
from .palmar import nearest_face, palmar_direction

SHADOW = r"(?P<part>(?P<finger>palm$|(?:ff|mf|rf|lf|th)(?=knuckle|base|hub|proximal|middle|distal|metacarpal))[a-z]*)"
ALLEGRO = r"(?P<part>(?P<finger>palm$|(?:ff|mf|rf|th)(?=_(?:base|proximal|medial|distal|tip)))[a-z_]*)"
PITCH = 4.7e-3
"""Of taxels where nothing else is said: that of the uSkin, m."""
WITHIN = 60.0
"""Degrees: how far a mesh's faces may look away from the palmar side and still carry taxels."""


@dataclass
class Cover:
    """What ``cover_shadow`` and its like have put on a hand."""

    sensors: dict[str, str] = field(default_factory=dict)
    """Name of each tactile sensor: name of the geom that carries it."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Geoms (or bodies) without skin, and why."""

    def open(self, model: Any) -> dict[str, Sensor]:
        """The sensors of the compiled model by name."""
        return {name: Sensor(model, name) for name in self.sensors}


@dataclass
class _Link:
    body: Any
    part: str
    finger: str


def cover_shadow(spec: Any, **options: Any) -> Cover:
    """Skin on a Shadow hand: 15 phalanges, the little finger's metacarpal and the palm.

    For gymnasium-robotics' model (``robot0:ffdistal``) and MuJoCo Menagerie's (``rh_ffdistal``, ``lh_``). Options as of
    ``cover_hand``.
    """
    return cover_hand(spec, SHADOW, "Shadow", **options)


def cover_allegro(spec: Any, **options: Any) -> Cover:
    """Skin on an Allegro hand with MuJoCo Menagerie's names: ``ff_base`` to ``ff_tip``, ``mf_``, ``rf_``, ``th_``, and
    the palm. ``sensor=taxel.sensors.uskin()`` puts XELA's modules on its phalanges. Options as of ``cover_hand``."""
    return cover_hand(spec, ALLEGRO, "Allegro", **options)


def cover_hand(
    spec: Any,
    names: str,
    hand: str = "hand",
    *,
    prefix: str | None = None,
    pitch: float = PITCH,
    thickness: float = 0.002,
    modulus: float = 3e5,
    friction: float = 0.8,
    dissipation: float = 5.0,
    output: str = "pressure shear",
    palm: bool = True,
    sensor: TactileSensor | None = None,
    **taxels: Any,
) -> Cover:
    """Skin on the links whose names end as the regular expression ``names`` says (its groups part and finger).

    prefix     of the bodies, where the model has two hands ("lh_"); the sensors get it too. None: the one hand there is
    pitch      of the taxels, m;  thickness (m), modulus (Pa), friction, dissipation (s/m) of the skin
    output     what the sensors tell (docs/guide/skins.md);  taxels: more of their keys (unit, noise, rate, ...)
    palm       whether the palm is covered
    sensor     of the catalogue: put onto the palmar side of each box or capsule of the fingers, but for their tips,
               that is as long as it, instead of a layer; all else keeps its layer
    """
    where = f"cover_{hand.lower()}"
    for name, value in (("pitch", pitch), ("thickness", thickness), ("modulus", modulus)):
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not 0 < float(value) < float("inf"):
            raise _core.Error(f"{where}: {name} is {value!r}; give a number above 0")
    mujoco = need_mujoco()
    if not isinstance(spec, mujoco.MjSpec):
        raise _core.Error(
            f"{where}: spec is {type(spec).__name__}; give a mujoco.MjSpec (MjSpec.from_file), since the skin must be "
            "there before the model is compiled"
        )
    if sensor is not None and not isinstance(sensor, TactileSensor):
        raise _core.Error(f"{where}: sensor is {sensor!r}; give one of the catalogue, as taxel.sensors.uskin()")
    load()
    links = _links(spec, _pattern(names, where), prefix, where, hand)
    _refuse_soft(spec, links, where)
    if not palm:
        links = [link for link in links if link.finger != "palm"]
    material = {"modulus": modulus, "dissipation": dissipation, "friction": friction, "field": "backed"}
    covering = _Covering(mujoco, spec, links, prefix or "", pitch, thickness, material, {"output": output, **taxels})
    tips = {link.finger: link for link in links}
    for link in links:
        covering.cover(link, None if link.finger == "palm" or link is tips[link.finger] else sensor)
    if not covering.result.sensors:
        why = "; ".join(f"{geom}: {reason}" for geom, reason in list(covering.result.left_out.items())[:3])
        raise _core.Error(f"{where}: no geom of the {len(links)} links has room for a skin{': ' if why else ''}{why}")
    if sensor is not None and not covering.mounted:
        length = 1e3 * float(sensor.bounds[1, 1] - sensor.bounds[0, 1])
        raise _core.Error(f"{where}: {sensor.name} is {length:.3g} mm long and fits on no link; give a smaller sensor")
    return covering.result


def _pattern(names: str, where: str) -> re.Pattern:
    try:
        pattern = re.compile(names + "$")
    except re.error as error:
        raise _core.Error(f"{where}: names is {names!r}, no regular expression: {error}") from None
    if not {"part", "finger"} <= pattern.groupindex.keys():
        raise _core.Error(f"{where}: names is {names!r}; it needs the groups (?P<part>...) and (?P<finger>...)")
    return pattern


def _refuse_soft(spec: Any, links: list[_Link], where: str) -> None:
    """A geom has one skin."""
    instances = {plugin.name for plugin in spec.plugins if plugin.plugin_name == "taxel"}
    soft = {name for group in spec.tuples if group.name in instances for name in group.objname}
    for link in links:
        for geom in link.body.geoms:
            if geom.name and geom.name in soft:
                raise _core.Error(f"{where}: {geom.name} of {link.body.name} is soft already; cover a hand once")


def _links(spec: Any, pattern: re.Pattern, prefix: str | None, where: str, hand: str) -> list[_Link]:
    found: dict[str, list[_Link]] = {}
    for body in spec.bodies:
        match = pattern.search(body.name)
        if match is None:
            continue
        found.setdefault(body.name[: match.start()], []).append(_Link(body, match["part"], match["finger"]))
    fingers = {key: links for key, links in found.items() if any(link.finger != "palm" for link in links)}
    if prefix is not None:
        if prefix not in fingers:
            there = ", ".join(repr(key) for key in fingers) or "none"
            raise _core.Error(f"{where}: no links of a hand begin with {prefix!r}; prefixes in the model: {there}")
        return fingers[prefix]
    if not fingers:
        raise _core.Error(
            f"{where}: the model has no links with the names of {hand} hands; cover_hand(spec, names) takes others, "
            "and taxel.soften and taxel.add_sensor cover single geoms"
        )
    if len(fingers) > 1:
        there = ", ".join(repr(key) for key in fingers)
        raise _core.Error(f"{where}: the model has {len(fingers)} hands; cover each by itself: prefix= one of {there}")
    return next(iter(fingers.values()))


class _Covering:
    """The work of one call."""

    def __init__(
        self,
        mujoco: Any,
        spec: Any,
        links: list[_Link],
        prefix: str,
        pitch: float,
        thickness: float,
        material: Mapping[str, Any],
        keys: Mapping[str, Any],
    ) -> None:
        self.mujoco, self.spec, self.prefix = mujoco, spec, prefix
        self.pitch, self.thickness, self.material, self.keys = pitch, thickness, material, keys
        self.result = Cover()
        self.mounted = 0
        self.taken = {e.name for group in (spec.geoms, spec.sensors, spec.plugins, spec.tuples) for e in group}
        self.bodies = {body.name for body in spec.bodies}
        self._name_geoms(links)
        self.model = spec.copy().compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)
        self.ways, self.along = self._palmar_ways(links)

    def _name_geoms(self, links: list[_Link]) -> None:
        """Materials and sensors speak of geoms by their names."""
        for link in links:
            for geom in link.body.geoms:
                if not geom.name:
                    geom.name = self._free(f"{link.body.name}_geom")

    def _free(self, name: str) -> str:
        numbered = (name if k == 1 else f"{name}_{k}" for k in range(1, len(self.taken) + 2))
        out = next(n for n in numbered if n not in self.taken)
        self.taken.add(out)
        return out

    def _palmar_ways(self, links: list[_Link]) -> tuple[dict[str, np.ndarray | None], dict[str, np.ndarray]]:
        """Of each finger: its palmar direction, and the way from its first link to its last, in the world."""
        chains: dict[str, list[int]] = {}
        for link in links:
            chains.setdefault(link.finger, []).append(self.model.body(link.body.name).id)
        ways = {
            finger: palmar_direction(self.mujoco, self.model, self.data, bodies) for finger, bodies in chains.items()
        }
        bending = [way for finger, way in ways.items() if way is not None and finger not in ("palm", "th")]
        mean = np.sum(bending, axis=0) if bending else np.zeros(3)
        ways["palm"] = mean / np.linalg.norm(mean) if np.linalg.norm(mean) > 1e-6 else None
        along = {finger: self.data.xpos[bodies[-1]] - self.data.xpos[bodies[0]] for finger, bodies in chains.items()}
        return ways, along

    def cover(self, link: _Link, sensor: TactileSensor | None) -> None:
        names = self.mujoco.mjtGeom
        round_ones = (names.mjGEOM_CAPSULE, names.mjGEOM_CYLINDER, names.mjGEOM_SPHERE, names.mjGEOM_ELLIPSOID)
        sizes = {names.mjGEOM_BOX: 3, names.mjGEOM_ELLIPSOID: 3, names.mjGEOM_CYLINDER: 2}  # how many bound the inside
        for geom in link.body.geoms:
            if not (geom.contype or geom.conaffinity):
                continue
            size = self.model.geom(geom.name).size
            least = float(min(size[: sizes.get(geom.type, 1)]))
            way = self.ways[link.finger]
            if geom.type == names.mjGEOM_MESH:
                self._mesh(link, geom, way)
            elif least <= self.thickness:
                self.result.left_out[geom.name] = (
                    f"{2e3 * least:.3g} mm thick, no room for {1e3 * self.thickness:g} mm of skin"
                )
            elif geom.type != names.mjGEOM_BOX and geom.type not in round_ones:
                self.result.left_out[geom.name] = f"a {geom.type.name.removeprefix('mjGEOM_').lower()} has no skin"
            elif sensor is not None and way is not None and self._mount(link, geom, sensor, way):
                continue
            elif geom.type == names.mjGEOM_BOX:
                self._box(link, geom, size, way)
            else:
                self._round(link, geom, size)

    def _round(self, link: _Link, geom: Any, size: np.ndarray) -> None:
        names = self.mujoco.mjtGeom
        around = 2 * np.pi * float(size[0] if geom.type != names.mjGEOM_ELLIPSOID else max(size[:2]))
        along = {
            names.mjGEOM_CAPSULE: 2 * size[1] + np.pi * size[0],
            names.mjGEOM_CYLINDER: 2 * size[1],
            names.mjGEOM_SPHERE: np.pi * size[0],
            names.mjGEOM_ELLIPSOID: np.pi * size[2],
        }[geom.type]
        shape = (max(2, round(float(along) / self.pitch)), max(4, round(around / self.pitch)))
        self._soft(link, geom, {"thickness": self.thickness}, {"shape": shape})

    def _box(self, link: _Link, geom: Any, size: np.ndarray, way: np.ndarray | None) -> None:
        if way is None:
            self.result.left_out[geom.name] = "no joint of its finger says which side is palmar"
            return
        R_WG = self.data.geom(geom.name).xmat.reshape(3, 3)
        face, normal = nearest_face(R_WG, way)
        first, second = {"x": (1, 2), "y": (0, 2), "z": (0, 1)}[face[1]]  # columns, rows (docs/guide/skins.md)
        shape = tuple(max(1, round(2 * float(size[k]) / self.pitch)) for k in (second, first))
        layer: dict[str, Any] = {"thickness": self.thickness, "exposed": tuple(normal)}
        if link.finger != "palm":
            # Things are held between the edges of such links, too, and a layer is soft on one face alone: so a field
            # that rises from all faces, at the surface as stiff as the layer.
            layer = {"field": "distance", "modulus": self.material["modulus"] * float(min(size)) / self.thickness}
        self._soft(link, geom, layer, {"shape": shape, "face": face})

    def _mesh(self, link: _Link, geom: Any, way: np.ndarray | None) -> None:
        if way is None:
            self.result.left_out[geom.name] = "no joint of its finger says which side is palmar"
            return
        number = self.model.geom(geom.name).id
        mesh = self.model.geom_dataid[number]
        if not check_watertight(*_mesh_arrays(self.model, mesh)).closed:
            self.result.left_out[geom.name] = "its mesh is not closed (taxel.check_watertight says where)"
            return
        moved = np.zeros(9)
        self.mujoco.mju_quat2Mat(moved, self.model.mesh_quat[mesh])
        R_WF = self.data.geom_xmat[number].reshape(3, 3) @ moved.reshape(3, 3).T  # of the mesh's file
        direction = R_WF.T @ way
        area = _area_towards(self.model, mesh, moved.reshape(3, 3).T @ direction)
        count = max(4, round(area / self.pitch**2))
        where = {"layout": "poisson", "count": count, "direction": tuple(direction), "within": WITHIN}
        layer = {
            "field": "columns",
            "thickness": self.thickness,
            "exposed": tuple(direction),
            "resolution": self.pitch / 2,
        }
        self._soft(link, geom, layer, where)

    def _soft(self, link: _Link, geom: Any, layer: Mapping[str, Any], layout: Mapping[str, Any]) -> None:
        name = self._free(self.prefix + link.part)
        soften(self.spec, geom.name, name=self._free(f"{name}_layer"), **{**self.material, **layer})
        add_sensor(self.spec, geom.name, name=name, **layout, **self.keys)
        self.result.sensors[name] = geom.name

    def _mount(self, link: _Link, geom: Any, sensor: TactileSensor, way: np.ndarray) -> bool:
        """The sensor's back onto the palmar side of a box or capsule, its y along the link; False where it does not
        fit."""
        at, size = self.data.geom(geom.name), self.model.geom(geom.name).size
        R_WG = at.xmat.reshape(3, 3)
        if geom.type == self.mujoco.mjtGeom.mjGEOM_BOX:
            _, normal = nearest_face(R_WG, way)
            k = int(np.argmax(np.abs(normal)))
            out, reach = R_WG @ normal, float(size[k])
            on = R_WG.T @ self.along[link.finger]
            axis = max((j for j in range(3) if j != k), key=lambda j: abs(float(on[j])))
            long, length = R_WG[:, axis], 2 * float(size[axis])
        elif geom.type == self.mujoco.mjtGeom.mjGEOM_CAPSULE:
            long, reach, length = R_WG[:, 2], float(size[0]), 2 * float(size[0] + size[1])
            out = way - (way @ long) * long
        else:
            return False
        low, high = sensor.bounds
        if high[1] - low[1] > length or np.linalg.norm(out) < 1e-6:
            return False
        out = out / np.linalg.norm(out)
        R_WS = np.column_stack([np.cross(long, out), long, out])
        body = self.data.body(link.body.name)
        R_WB = body.xmat.reshape(3, 3)
        place = R_WB.T @ (at.xpos + (reach - low[2]) * out - body.xpos)
        quat = np.zeros(4)
        self.mujoco.mju_mat2Quat(quat, (R_WB.T @ R_WS).ravel())
        name = self._free(self.prefix + link.part)
        if name in self.bodies:  # as MuJoCo Menagerie names its links
            name = self._free(f"{name}_module")
        sensor.add_to(self.spec, body=link.body, name=name, pos=place, quat=quat)
        # What must not touch the link must not touch its module, which is a body of its own.
        for pair in list(self.spec.excludes):
            names = [pair.bodyname1, pair.bodyname2]
            if link.body.name in names:
                names[names.index(link.body.name)] = name
                self.spec.add_exclude(bodyname1=names[0], bodyname2=names[1])
        self.result.sensors[name] = name
        self.mounted += 1
        return True


def _area_towards(model: Any, mesh: int, direction: np.ndarray) -> float:
    """Area of the triangles of a mesh (in MuJoCo's frame of it) that look along a direction, m2."""
    vertices, triangles = _mesh_arrays(model, mesh)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    twice = np.cross(b - a, c - a)
    length = np.linalg.norm(twice, axis=1)
    seen = twice @ direction >= np.cos(np.radians(WITHIN)) * length
    return float(0.5 * length[seen].sum())


def _mesh_arrays(model: Any, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return model.mesh_vert[first : first + count].astype(float), model.mesh_face[face : face + faces].copy()
