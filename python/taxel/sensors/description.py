"""What the catalogue knows of a tactile sensor, and how that becomes a body, a skin, or part of a MuJoCo model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from xml.sax.saxutils import quoteattr

import numpy as np

from .. import _core
from ..common.description import GROUPS, LAYOUT_KEYS, config, has_bristles, to_text, unknown_key
from ..gel import Gel
from ..mujoco import GelSensor, add_markers, add_sensor, load, need_mujoco, soften
from ..mujoco.marker_sensor import MARKER_KEYS
from ..mujoco.marker_sensor import PLUGIN as MARKER_PLUGIN
from ..mujoco.softening import MODEL_KEYS, belongs_to_configure
from ..skin import Skin, columns_by_taxels

# Keys of a material that a body knows under the same name.
BODY_KEYS = ("dissipation", "field", "thickness", "exposed", "stiffening_start", "law", "core_fraction", "resolution")

# Keys of a material that only bristles have.
BRISTLE_KEYS = ("stiffness", "curve", "damping", "depth", "dead_band", "sigma0", "sigma1", "viscosity", "form")

# Keys of a gel that a sensor may change; the rest is given to make_gel or gel_sensor.
GEL_KEYS = ("young", "poisson", "density", "law", "cell", "per_cell", "friction")

RGBA = (0.20, 0.22, 0.26, 1.0)


@dataclass(frozen=True, eq=False)
class Shape:
    """The soft geom: a MuJoCo primitive with MuJoCo's sizes (half lengths, m), or a closed mesh in its own frame."""

    type: str
    size: tuple[float, ...] = ()
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None

    @staticmethod
    def box(*lengths: float) -> Shape:
        """A box by its full edge lengths, centred."""
        return Shape("box", tuple(0.5 * length for length in lengths))

    @staticmethod
    def mesh(vertices: np.ndarray, triangles: np.ndarray) -> Shape:
        return Shape("mesh", (), np.ascontiguousarray(vertices, float), np.ascontiguousarray(triangles, np.int32))

    def mesh_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and triangles of a mesh."""
        assert self.vertices is not None and self.triangles is not None
        return self.vertices, self.triangles

    def body(self, modulus: float, **options: Any) -> _core.Body:
        s = self.size
        if self.type == "mesh":
            return _core.Body.mesh(*self.mesh_arrays(), modulus, **options)
        if self.type == "box":
            return _core.Body.box([2 * x for x in s], modulus, **options)
        if self.type in ("cylinder", "capsule"):
            return getattr(_core.Body, self.type)(s[0], 2 * s[1], modulus, **options)
        if self.type == "sphere":
            return _core.Body.sphere(s[0], modulus, **options)
        if self.type == "ellipsoid":
            return _core.Body.ellipsoid(s, modulus, **options)
        raise _core.Error(f"geom type {self.type!r}; a sensor is a box, sphere, capsule, cylinder, ellipsoid or mesh")


@dataclass(frozen=True, eq=False)
class TactileSensor:
    """A sensor of the catalogue: plain data, and what can be made of it. ``replace`` gives a changed copy.

    The sensor's frame: z points out of the middle of the sensing surface, which lies above the origin.
    """

    name: str
    title: str
    geom: Shape
    material: Mapping[str, Any]
    """Keys of ``taxel.soften``: modulus, dissipation, friction, field, thickness, ...; or those of bristles, which
    then stand at the taxels"""
    taxels: Mapping[str, Any]
    """Layout and read-out: shape, face, points, radius, readout, ... (``taxel.Skin``)"""
    chain: Mapping[str, Any] = field(default_factory=dict)
    """Signal chain: unit, bits, noise, rate, ...; empty: pressures in Pa, as they are"""
    electronics: Mapping[str, Any] = field(default_factory=dict)
    """Keys that ``electronics=True`` adds to the chain: what the real device does to the pressures."""
    rays: Mapping[str, Any] = field(default_factory=dict)
    """Keys that ``readout="rays"`` adds to the taxels, unless they are given: how dense the rays are."""
    source: Mapping[str, str] = field(default_factory=dict)
    """Where each number comes from."""
    image_shape: tuple[int, int] | None = None
    """Rows and columns of a free layout whose points lie in rows, for images. A grid has its own (``shape``)."""
    marker_keys: Mapping[str, Any] = field(default_factory=dict)
    """What ``model="marker"`` reads instead of taxels: shape, pitch, pixel, ... (docs/guide/marker-sensor.md); empty:
    the device has no markers."""
    markers: Mapping[str, Any] = field(default_factory=dict)
    """The same in use; empty unless ``model="marker"``."""
    gel_keys: Mapping[str, Any] = field(default_factory=dict)
    """What ``model="gel"`` is made of: young, poisson, cell, ... (``taxel.Gel``); empty: the catalogue knows none."""
    gel: Mapping[str, Any] = field(default_factory=dict)
    """The same in use; empty unless ``model="gel"``."""
    magnetic: Mapping[str, Any] = field(default_factory=dict)
    """What ``taxel.sensors.Magnetometers`` is made of: chips, remanence, ...; empty: not magnetic."""
    soft: bool = True
    """False: in MuJoCo the geom is rigid, and the material only says how stiff it would be."""

    # --- What it is ---

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns of its image; None where the taxels lie in no rows."""
        rows_cols = self.taxels.get("shape") if not self.markers else self.markers.get("shape")
        if rows_cols is None:
            return self.image_shape
        return cast("tuple[int, int]", tuple(int(n) for n in rows_cols))

    @property
    def count(self) -> int:
        """Number of taxels, or of markers."""
        if self.shape is not None:
            return self.shape[0] * self.shape[1]
        if "points" in (self.markers or self.taxels):
            return len(np.reshape((self.markers or self.taxels)["points"], (-1, 3)))
        return int(self.taxels.get("taxels") or self.taxels.get("count") or len(self.skin()))

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest corner in the sensor's frame, m: (2, 3)."""
        vertices = self.surface()[0]
        return np.array([vertices.min(axis=0), vertices.max(axis=0)])

    @property
    def unit(self) -> str:
        if self.markers:
            return "px"
        return str(self.chain.get("unit", "N" if self.taxels.get("aggregate") == "force" else "Pa"))

    @property
    def models(self) -> tuple[str, ...]:
        """What ``model=`` may be."""
        layered = self.layer_thickness is not None and not self._points_on_box
        more = (("bristle", layered), ("marker", self.marker_keys), ("gel", self.gel_keys))
        return ("pressure", *(name for name, there in more if there))

    @property
    def layer_thickness(self) -> float | None:
        """m; None where none is known."""
        thickness = self.material.get("thickness")
        if thickness is None and self.geom.type == "box":
            return 2 * self.geom.size[2]
        return thickness

    @property
    def _points_on_box(self) -> bool:
        """Free taxels on a box: the outer ones read its rim, too, and stand for more than the others."""
        return self.geom.type == "box" and self.taxels.get("points") is not None

    # --- What can be made of it ---

    def replace(self, **changes: Any) -> TactileSensor:
        """A copy with other values: any key of material, taxels or chain, ``name``, ``title``, ``image_shape``,
        ``electronics``; ``model="bristle"`` gives it bristles (``with_bristles``), ``model="marker"`` markers
        (``with_markers``), ``model="gel"`` particles (``with_gel``), whose keys may then change, too. None removes a
        key."""
        model = changes.pop("model", None)
        if model not in (None, "pressure", "bristle", "marker", "gel"):
            raise _core.Error(f"{self.name}: model is {model!r}; give 'pressure', 'bristle', 'marker' or 'gel'")
        if self.gel and model not in (None, "gel"):
            raise _core.Error(f"{self.name}: this sensor is a gel already; take the catalogue's own")
        if model == "gel" and not self.gel:
            # What the stiffness is made of comes first, what only gels have afterwards.
            later = {key: value for key, value in changes.items() if key in GEL_KEYS}
            first = {key: value for key, value in changes.items() if key not in later}
            return self.replace(**first).with_gel().replace(**later)
        if self.gel and (wrong := [key for key in changes if key in GROUPS["material"] and key not in GEL_KEYS]):
            raise _core.Error(f"{self.name}: {wrong[0]} is of a pressure field; a gel has {', '.join(GEL_KEYS)}")
        if self.markers and model not in (None, "marker"):
            raise _core.Error(f"{self.name}: this sensor has markers already; take the catalogue's own")
        if model == "marker" and not self.markers:
            return self.with_markers().replace(**changes)
        if self.markers:
            return self._replace_markers(changes)
        if model == "bristle" and not has_bristles(self.material):
            # What the stiffness is made of comes first, what only bristles have afterwards.
            later = {key: value for key, value in changes.items() if key in BRISTLE_KEYS}
            first = {key: value for key, value in changes.items() if key not in later}
            return self.replace(**first).with_bristles().replace(**later)
        if model == "pressure" and has_bristles(self.material):
            raise _core.Error(f"{self.name}: this sensor has bristles already; take the catalogue's own")
        own: dict[str, Any] = {key: changes.pop(key) for key in ("name", "title", "image_shape") if key in changes}
        if self.gel:
            own["gel"] = {**self.gel, **{key: changes.pop(key) for key in GEL_KEYS if key in changes}}
            own["gel"] = {key: value for key, value in own["gel"].items() if value is not None}
        if changes.pop("electronics", False):
            if not self.electronics:
                raise _core.Error(f"{self.name}: the catalogue has no electronics for this sensor; leave it out")
            changes = {**self.electronics, **changes}
        if changes.get("readout") == "rays":
            changes = {**self.rays, **changes}
        groups: dict[str, Any] = {group: dict(getattr(self, group)) for group in GROUPS}
        for key, value in changes.items():
            homes = [group for group, keys in GROUPS.items() if key in keys]
            if not homes:
                self._refuse(key, value)
            for group in homes:
                groups[group].pop(key, None)
                if value is not None:
                    groups[group][key] = value
        if changes.keys() & {"shape", "points", "layout", "file", "sites"} and "image_shape" not in own:
            own["image_shape"] = None
        return dataclasses.replace(self, **own, **groups)

    def with_bristles(self) -> TactileSensor:
        """The same sensor with a bristle at each taxel instead of a pressure field: as stiff against a flat press.

        A layer of thickness H answers a depth d with the pressure modulus d / H; a bristle that stands for the area A
        of a taxel (their mean) with modulus A / H d. Friction stays.
        """
        thickness = self.layer_thickness
        if thickness is None or has_bristles(self.material):
            raise _core.Error(
                f"{self.name}: bristles need the thickness of the soft layer; give thickness= in m"
                if thickness is None
                else f"{self.name} has bristles already"
            )
        if self._points_on_box:
            raise _core.Error(f"{self.name}: bristles stand for equal areas; give points=None, normals=None, shape=")
        kept = {key: self.material[key] for key in ("friction", "stribeck_speed") if key in self.material}
        area = float(np.mean(Skin(self.geom.body(0.0), **self.taxels).layout.areas))
        material = {
            "stiffness": float(self.material["modulus"]) * area / thickness,
            "thickness": thickness,
            **kept,
        }
        return dataclasses.replace(self, material=material, rays={}, magnetic={})

    def with_markers(self) -> TactileSensor:
        """The same gel with its printed markers instead of taxels, read in pixels. Rigid in MuJoCo: a modulus makes it
        soft as well."""
        if not self.marker_keys:
            raise _core.Error(
                f"{self.name}: the catalogue knows no markers on this sensor; gelsight_mini and tactip have some, and "
                "taxel.add_markers puts them on any geom"
            )
        return dataclasses.replace(self, markers=dict(self.marker_keys), image_shape=None, soft=False)

    def with_gel(self) -> TactileSensor:
        """The same pad as an elastic gel of particles; its taxels read the forces on its face.

        docs/guide/gel-sensor.md is the guide. Where the catalogue gives no Young's modulus, the gel is as stiff
        against a flat press as the pressure field: E (1 - nu) / ((1 + nu) (1 - 2 nu)) is the material's modulus.
        """
        if not self.gel_keys or has_bristles(self.material) or self.markers:
            raise _core.Error(
                f"{self.name}: the catalogue knows no gel of this sensor; gelsight_mini, myrmex, weiss and pad have "
                "one, and taxel.GelSensor makes one of any box or mesh geom"
            )
        keys = dict(self.gel_keys)
        nu = float(keys["poisson"])
        keys.setdefault("young", float(self.material["modulus"]) * (1 + nu) * (1 - 2 * nu) / (1 - nu))
        return dataclasses.replace(self, gel=keys, soft=False)

    def make_gel(self, **options: Any) -> Gel:
        """The gel by itself, in the sensor's frame; options as of ``taxel.Gel``."""
        self._need_gel()
        keys = {**self.gel, **options}
        keys.pop("friction", None)
        shape = self.geom.body(0.0) if self.geom.type != "mesh" else (self.geom.vertices, self.geom.triangles)
        return Gel(shape, **keys)

    def gel_sensor(self, model: Any, objects: Any, *, name: str | None = None, **options: Any) -> GelSensor:
        """The sensor of a model that has it (``add_to``), pressed by ``objects``; options as of ``taxel.GelSensor``."""
        self._need_gel()
        keys = {**self.gel, "taxels": self.skin(), **({"chain": dict(self.chain)} if self.chain else {}), **options}
        return GelSensor(model, self.name if name is None else name, objects, **keys)

    def _need_gel(self) -> None:
        if not self.gel:
            raise _core.Error(f'{self.name} is no gel; make it with model="gel"')

    def _replace_markers(self, changes: dict[str, Any]) -> TactileSensor:
        own: dict[str, Any] = {key: changes.pop(key) for key in ("name", "title") if key in changes}
        if changes.pop("electronics", False):
            changes = {**self.electronics, **changes}
        markers, material = dict(self.markers), dict(self.material)
        for key, value in changes.items():
            if key in MODEL_KEYS:
                self._refuse(key, value)
            if key not in MARKER_KEYS | GROUPS["material"]:
                raise _core.Error(unknown_key(f"{self.name} with markers", key, MARKER_KEYS | GROUPS["material"]))
            for keys, allowed in ((markers, MARKER_KEYS), (material, GROUPS["material"])):
                if key in allowed:
                    keys.pop(key, None)
                    if value is not None:
                        keys[key] = value
        soft = self.soft or changes.get("modulus") is not None
        return dataclasses.replace(self, markers=markers, material=material, soft=soft, **own)

    def _refuse(self, key: str, value: Any) -> None:
        if key in MODEL_KEYS:
            raise _core.Error(belongs_to_configure(self.name, key, value))
        raise _core.Error(unknown_key(self.name, key, frozenset().union(*GROUPS.values())))

    def body(self) -> _core.Body:
        """The soft body, for contact without an engine; columns are laid by the taxels, as in a model."""
        if has_bristles(self.material):
            raise _core.Error(
                f"{self.name} has bristles, which are no body with a pressure field; use it in a MuJoCo model (add_to)"
            )
        options = {key: self.material[key] for key in BODY_KEYS if key in self.material}
        friction = np.atleast_1d(self.material.get("friction", 0.0))
        made = self.geom.body(
            float(self.material["modulus"]),
            name=self.name,
            static_friction=float(friction[0]),
            dynamic_friction=float(friction[-1]),
            **options,
        )
        layout = {key: value for key, value in self.taxels.items() if key in LAYOUT_KEYS}
        # Sites are those of a model.
        if options.get("field") != "columns" or not layout or "sites" in layout:
            return made
        return columns_by_taxels(made, **layout)

    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """(vertices, triangles) of its surface in its own frame, for pictures."""
        if self.geom.vertices is not None and self.geom.triangles is not None:
            return self.geom.vertices, self.geom.triangles
        return self.geom.body(0.0).surface()

    def skin(self) -> Skin:
        """The taxels on that body, for contact without an engine."""
        if self.markers:
            raise _core.Error(f"{self.name} has markers, not taxels; use taxel.MarkerField without an engine")
        return Skin(self.body(), **self.taxels)

    def image(self, values: np.ndarray) -> np.ndarray:
        """A reading as (rows, columns), where the taxels lie in rows; else as it is."""
        return np.reshape(values, self.shape) if self.shape is not None else np.asarray(values)

    def add_to(
        self,
        spec: Any,
        *,
        body: Any = None,
        name: str | None = None,
        pos: Any = (0.0, 0.0, 0.0),
        quat: Any = None,
        euler: Any = None,
        **overrides: Any,
    ) -> str:
        """Adds the sensor to an ``MjSpec`` and returns its name: that of the new body, the geom and the sensor.

        body       the body (or its name) that carries it; the world when left out
        name       the sensor's own when left out, with a number behind it where that is taken
        pos        of the sensor's frame in the body, m; quat (w first) or euler (x y z, degrees) turn it
        overrides  as in ``replace``

        The geom sits on a body of its own, fixed to ``body``: so several sensors may share a finger, and attaching
        the model with a prefix keeps the material.
        """
        if overrides:
            return self.replace(**overrides).add_to(spec, body=body, name=name, pos=pos, quat=quat, euler=euler)
        mujoco = need_mujoco()
        load()
        parent = self._parent(spec, body)
        name = self._free_name(spec, name)
        own = parent.add_body(name=name, pos=_vector(pos, 3, "pos"), quat=_rotation(mujoco, quat, euler))
        # A gel pushes by itself; MuJoCo's own contact would act as well.
        look: dict[str, Any] = {"rgba": RGBA, **({"contype": 0, "conaffinity": 0} if self.gel else {})}
        if self.geom.type == "mesh":
            assert self.geom.vertices is not None and self.geom.triangles is not None
            spec.add_mesh(name=name, uservert=self.geom.vertices.ravel(), userface=self.geom.triangles.ravel())
            own.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **look)
        else:
            kind = getattr(mujoco.mjtGeom, "mjGEOM_" + self.geom.type.upper())
            own.add_geom(name=name, type=kind, size=[*self.geom.size, 0.0, 0.0][:3], **look)
        if self.gel:
            return name
        if self.soft:
            soften(spec, name, name=name, **self._material_keys())
        if self.markers:
            add_markers(spec, name, name=name, **self.markers)
        else:
            add_sensor(spec, name, name=name, **self.taxels, **self._sensor_keys())
        return name

    def mjcf(self, name: str | None = None) -> str:
        """The sensor as MJCF: sections to paste into a model, or to wrap into ``<mujoco>`` as they are."""
        if self.gel:
            raise _core.Error(f"{self.name}: a gel lives in Python (gel_sensor), not in MJCF; use add_to")
        name = self.name if name is None else name
        self._check_name(name)
        title = quoteattr(name)
        soft = [
            '  <plugin plugin="taxel">',
            f"    <instance name={title}>",
            *_config_lines(self._material_keys(), 6),
            "    </instance>",
            "  </plugin>",
        ]
        lines = [
            *(['<option cone="elliptic"/>'] if self.soft else []),
            "<extension>",
            *(soft if self.soft else []),
            *([f'  <plugin plugin="{MARKER_PLUGIN}"/>'] if self.markers else []),
            "</extension>",
        ]
        if self.geom.type == "mesh":
            vertices, faces = to_text(self.geom.vertices), to_text(self.geom.triangles)
            lines += ["<asset>", f'  <mesh name={title} vertex="{vertices}" face="{faces}"/>', "</asset>"]
            geom = f'<geom name={title} type="mesh" mesh={title} rgba="{to_text(RGBA)}"/>'
        else:
            geom = (
                f'<geom name={title} type="{self.geom.type}" size="{to_text(self.geom.size)}" rgba="{to_text(RGBA)}"/>'
            )
        keeps = f'    <plugin plugin="taxel" instance={title}/>  <!-- keeps the material when this is attached -->'
        if self.soft:
            lines.append(f'<custom><tuple name={title}><element objtype="geom" objname={title}/></tuple></custom>')
        plugin, keys = ("taxel", {**self.taxels, **self._sensor_keys()})
        if self.markers:
            plugin, keys = MARKER_PLUGIN, dict(self.markers)
        lines += [
            "<worldbody>",
            f"  <body name={title}>",
            *([keeps] if self.soft else []),
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

    # --- Inside ---

    def _material_keys(self) -> dict[str, Any]:
        if not has_bristles(self.material):
            return dict(self.material)
        return {**self.material, **{key: value for key, value in self.taxels.items() if key in LAYOUT_KEYS}}

    def _sensor_keys(self) -> dict[str, Any]:
        return {key: value for key, value in self.chain.items() if key not in self.taxels}

    def _parent(self, spec: Any, body: Any) -> Any:
        if body is None:
            return spec.worldbody
        if not isinstance(body, str):
            return body
        found = spec.body(body)
        if found is None:
            raise _core.Error(f"{self.name}: there is no body {body!r} in the model to put the sensor on")
        return found

    def _check_name(self, name: str) -> None:
        if not name or any(c.isspace() for c in name):
            raise _core.Error(f"{self.name}: name is {name!r}; give one word, because MJCF lists names by spaces")

    def _free_name(self, spec: Any, name: str | None) -> str:
        taken = {
            element.name
            for group in (spec.bodies, spec.geoms, spec.sensors, spec.meshes, spec.plugins, spec.tuples)
            for element in group
        }
        taken |= {t.removesuffix(end) for end in ("_skin", "_markers") for t in taken if t.endswith(end)}
        if name is None:
            return next(
                n for k in range(1, len(taken) + 3) if (n := self.name if k == 1 else f"{self.name}_{k}") not in taken
            )
        self._check_name(name)
        if name in taken:
            raise _core.Error(f"{self.name}: the model already has something named {name!r}; give another name=")
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
