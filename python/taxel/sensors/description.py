"""What the catalogue knows of a tactile sensor, and how that becomes a body, a skin, or part of a MuJoCo model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from .. import _core
from ..common.description import GROUPS, LAYOUT_KEYS, has_bristles, unknown_key
from ..gel import Gel
from ..mujoco import GelSensor
from ..mujoco.marker_sensor import MARKER_KEYS
from ..mujoco.softening import MODEL_KEYS, belongs_to_configure
from ..skin import Skin, columns_by_taxels
from .in_mujoco import add_to_spec, mjcf_text
from .material import Material
from .one_material import (
    MATERIAL_KEYS,
    bristles_of_modulus,
    checked,
    in_mode,
    mode_of,
    remade,
    said_of_material,
    same,
    static_friction,
    with_modulus,
)  # fmt: skip
from .shape import Shape

# Keys of a material that a body knows under the same name.
BODY_KEYS = (
    "dissipation", "field", "thickness", "bone", "exposed", "stiffening_start", "law", "layer_poisson", "core_fraction",
    "resolution",
)  # fmt: skip

# Keys of a material that only bristles have.
BRISTLE_KEYS = (
    "stiffness", "curve", "damping", "depth", "dead_band", "sigma0", "sigma1", "viscosity", "form", "measure",
)  # fmt: skip

# Keys of a gel that a sensor may change; the rest is given to make_gel or gel_sensor.
GEL_KEYS = ("young", "poisson", "density", "law", "cell", "per_cell", "friction")


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
    made_of: Material | None = None
    """What the soft part is made of: every model takes its numbers from it, unless they are overridden."""
    bristle_area: float | None = None
    """m2 that a bristle stands for; None unless ``model="bristle"``."""
    even: bool = False
    """The layer is about as thick everywhere, although the geom is a mesh: bristles of one stiffness serve."""
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
        if thickness is None and self.made_of is not None and self.even:
            return self.made_of.thickness
        return thickness

    @property
    def _points_on_box(self) -> bool:
        """Free taxels on a box: the outer ones read its rim, too, and stand for more than the others."""
        return self.geom.type == "box" and self.taxels.get("points") is not None

    # --- What can be made of it ---

    def replace(self, **changes: Any) -> TactileSensor:
        """A copy with other values: any key of material, taxels or chain, ``name``, ``title``, ``image_shape``,
        ``electronics``. None removes a key.

        ``young``, ``poisson``, ``contact``, ``friction`` and ``thickness`` change what it is made of, and every model
        follows; so it does a ``modulus``, unless that was overridden before. ``model="bristle"`` gives it bristles
        (``with_bristles``), ``model="marker"`` markers (``with_markers``), ``model="gel"`` particles (``with_gel``),
        whose keys may then change, too."""
        changes = checked(self.name, changes)
        return self._of_material(changes)._replaced(changes)

    def _replaced(self, changes: dict[str, Any]) -> TactileSensor:
        """``replace`` by keys of the models; what the changes say of the material is done already."""
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
        allowed = (*GEL_KEYS, *(("modulus",) if self.made_of is not None else ()))
        if self.gel and (wrong := [key for key in changes if key in GROUPS["material"] and key not in allowed]):
            if wrong[0] == "thickness":
                self._refuse_gel_of(changes["thickness"])
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
            if "friction" in own["gel"]:
                own["gel"]["friction"] = static_friction(own["gel"]["friction"])
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

    def _of_material(self, changes: dict[str, Any]) -> TactileSensor:
        """Of the material that the changes speak of; keys that are of no model are taken out of them."""
        gel = bool(self.gel) or changes.get("model") == "gel"
        # A gel has young and poisson of its own, which None removes.
        keys = [k for k in MATERIAL_KEYS if k in changes and not (gel and (self.made_of is None or changes[k] is None))]
        if self.made_of is None:
            if keys:
                raise _core.Error(
                    f"{self.name}: {keys[0]} is of a taxel.Material, and this sensor has none; give made_of= when you "
                    "make it"
                )
            if has_bristles(self.material) and "modulus" in changes:
                return bristles_of_modulus(self, changes.pop("modulus"), True)
            return self
        new = {key: changes[key] if gel and key in GEL_KEYS else changes.pop(key) for key in keys}
        new |= said_of_material(changes)
        sensor = remade(self, dataclasses.replace(self.made_of, **new)) if new else self
        if (modulus := changes.get("modulus")) is None:
            return sensor
        if has_bristles(self.material):
            return bristles_of_modulus(sensor, changes.pop("modulus"), not keys)
        if keys:  # with young= beside it: an override, of the pressure field alone
            return dataclasses.replace(sensor, material={**sensor.material, "modulus": modulus})
        return with_modulus(sensor, modulus)

    def with_bristles(self) -> TactileSensor:
        """The same sensor with a bristle at each taxel instead of a pressure field: as stiff against a flat press.

        A layer of thickness H answers a depth d with the pressure modulus d / H; a bristle that stands for the area A
        of a taxel (their mean) with modulus A / H d, along itself under a slope, too (``measure="axis"``; "normal" is
        Eq. 4 of the paper). Friction stays.
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
            "measure": "axis",
            **kept,
        }
        return dataclasses.replace(self, material=material, rays={}, magnetic={}, bristle_area=area)

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

        docs/guide/gel-sensor.md is the guide. Young's modulus and Poisson's ratio are those of ``made_of``. A sensor of
        yours without one is as stiff against a flat press as the pressure field: E (1 - nu) / ((1 + nu) (1 - 2 nu)) is
        the material's modulus.
        """
        if not self.gel_keys or has_bristles(self.material) or self.markers:
            raise _core.Error(
                f"{self.name}: the catalogue knows no gel of this sensor; gelsight_mini, myrmex, weiss and pad have "
                "one, and taxel.GelSensor makes one of any box or mesh geom"
            )
        thickness, height = self.material.get("thickness"), float(np.ptp(self.bounds[:, 2]))
        if thickness is not None and not same(thickness, height):
            self._refuse_gel_of(thickness)
        keys = dict(self.gel_keys)
        nu = float(keys["poisson"])
        keys.setdefault("young", float(self.material["modulus"]) * (1 + nu) * (1 - 2 * nu) / (1 - nu))
        return dataclasses.replace(self, gel=keys, soft=False)

    def _refuse_gel_of(self, thickness: float) -> None:
        raise _core.Error(
            f"{self.name}: thickness is {thickness:g}, and a gel of particles is as thick as its geom "
            f"({float(np.ptp(self.bounds[:, 2])):g} m); leave it out, or make the geom so thick"
        )

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
                        keys[key] = static_friction(value) if keys is markers else value
        if "mode" in changes:
            in_mode(self, markers, changes)
        if self.made_of is not None and mode_of(markers) != "layer":
            markers.pop("thickness", None)  # of the material, of which the other modes take their stiffness
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
        return add_to_spec(self, spec, body, name, pos, quat, euler)

    def mjcf(self, name: str | None = None) -> str:
        """The sensor as MJCF: sections to paste into a model, or to wrap into ``<mujoco>`` as they are."""
        return mjcf_text(self, self.name if name is None else name)
