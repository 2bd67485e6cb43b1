"""Marker displacements of camera-based tactile sensors: taxel's model, HydroShear, FOTS and TacSL.

    mini = taxel.gelsight_mini_markers(dome=False)
    ball = taxel.Body.sphere(0.0175)
    field = taxel.MarkerField(mini.pad, mini.markers, ball)
    for X_PI in path:                       # poses of the ball in the pad's frame
        pixels = field.step(X_PI)           # (63, 3)

Equations, and where paper and published code differ: docs/guide/markers.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _core
from ..common.alone import Immutable
from ..common.convert import is_number, pose_matrix, seconds, vector3
from . import gradient, gravity
from .gradient import DIFFERENTIABLE, LAYER_GRADIENTS

if TYPE_CHECKING:
    from ..batch import MarkerBatch

RELEASE_SPACING, RELEASE_PADDING = 1e-3, 0.1
_KINDS = ("exact", "trilinear", "nearest")
_MODES = ("layer", "taxel", "paper", "release")
_FORCES = ("taxel", "layer")
"""Modes that know newtons, parameters and several objects."""
_PUBLISHED = ("lambda_d", "lambda_s", "friction", "dilate_scale", "shear_scale")
PARAMETERS = {
    "layer": LAYER_GRADIENTS,
    "taxel": (*DIFFERENTIABLE, "creep", "creep_time"),
    "paper": (*_PUBLISHED, "stiffness", "area"),
    "release": _PUBLISHED,
}
_TRACKERS = ("young", "tracking_friction")
"""Of mode "paper", for the whole of a field or of a batch on the CPU: with them two trackers run."""


def _one_of(where: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise _core.Error(f"{where}: {name} is {value!r}; give one of {', '.join(allowed)}")
    return value


def _numbers(where: str, given: dict[str, Any], allowed: tuple[str, ...]) -> dict[str, float]:
    for name, value in given.items():
        if name not in allowed:
            raise _core.Error(f"{where}: unknown parameter {name!r}; there are {', '.join(allowed)}")
        if not is_number(value):
            raise TypeError(f"{where}: {name} is {type(value).__name__}; give a number")
    return {name: float(value) for name, value in given.items()}


class MarkerDistance(_core.MarkerDistance):
    """Signed distance of a pad or an object in its own frame, m; call it with points (N, 3).

    shape   a taxel.Body or a tuple (vertices, triangles) of a closed mesh
    kind    "exact"      the true distance
            "trilinear"  interpolated on a grid; reaches ``margin`` (2 mm) beyond the shape, ``spacing`` needed
            "nearest"    the value of the nearest voxel, as the HydroShear release looks it up: ``spacing`` 1 mm,
                         ``margin`` 100 mm, ``origin`` the lower corner of that box

    Immutable; threads may share it.
    """

    def __init__(
        self,
        shape: Any,
        kind: str = "exact",
        *,
        spacing: float | None = None,
        margin: float | None = None,
        origin: Any = None,
    ) -> None:
        _one_of("MarkerDistance", "kind", kind, _KINDS)
        self._made = ((shape, kind), {"spacing": spacing, "margin": margin, "origin": origin})
        if kind == "exact" and (spacing is not None or margin is not None):
            raise _core.Error("MarkerDistance: the exact distance has no spacing and no margin; leave them out")
        if kind != "nearest" and origin is not None:
            raise _core.Error('MarkerDistance: origin belongs to kind "nearest"')
        if kind == "trilinear" and spacing is None:
            raise _core.Error('MarkerDistance: kind "trilinear" needs a spacing in m')
        defaults = (RELEASE_SPACING, RELEASE_PADDING) if kind == "nearest" else (0.0, 2e-3)
        super().__init__(
            shape,
            kind,
            defaults[0] if spacing is None else float(spacing),
            defaults[1] if margin is None else float(margin),
            origin,
        )

    # As of every immutable class; the extension's classes take no second base.
    __copy__, __deepcopy__, __reduce__ = Immutable.__copy__, Immutable.__deepcopy__, Immutable.__reduce__


class MarkerField:
    """Marker displacements with the memory of the path: taxel's own model, and HydroShear as published.

    pad       the gel: taxel.Body, (vertices, triangles) or MarkerDistance; z of its frame points out of it
    markers   (N, 3) in the pad's frame, m
    indenter  what presses, as the pad; in the modes "layer" and "taxel" also a list of several objects
    mode      "layer": an elastic layer on a rigid back, contact and friction solved at each step; forces in N;
              "taxel": springs and Gaussians, 20 times as fast, on the GPU; forces in N; both with gradients;
              "paper": the printed equations of HydroShear; "release": its authors' code (docs/guide/markers.md)
    points    (P, 3) of the indenter's surface, spread over all of it; left out, Poisson-disk samples with ``radius``
              and ``seed`` (mode "taxel": the middles of their cells)
    normals   (P, 3), unit, outward; needed with points in the modes "taxel" and "paper"
    areas     (P,) of the surface each point stands for, m^2; mode "taxel" finds them where the indenter is a shape
    substeps  mode "taxel": into how many parts each step is cut; mode "layer": at least so many
    pitch     mode "layer": side of the cells of the gel's surface, m (0.15 of the thickness; a contact should have
              some hundred of them)
    step      mode "layer": longest motion in one increment, m (1e-4)

    With a list of objects, points, normals and areas are lists, too.

    Parameters of mode "layer": friction 0.5, young 2e5 (Pa; scales forces, moves no marker), poisson 0.499, thickness
    (m, over the rigid back at the highest place; a flat pad's own height, else 4 mm), pixel 6.5e-5 (m), marker_depth 0
    (m, of the markers below the face: the sensor's, not the material's).
    Of mode "taxel": lambda_d, lambda_s (1/m^2), friction, normal_stiffness, shear_stiffness (Pa/m),
    squeeze, dilate_scale (px/m^2), shear_scale (px/m), creep (0 to 1), creep_time (s); the defaults are those of a gel
    of 4 mm. Of the others, with the release's defaults: lambda_d 20000 and lambda_s 10800 (1/m^2), friction 0.5,
    dilate_scale and shear_scale 15384.6 (px/m); in mode "paper" also stiffness 1 and area 1, the K and A of Eq. 15,
    young (E of Eq. 8; K where it is left out) and tracking_friction (mu of Eq. 14; that of the forces where it is left
    out), both on the CPU alone; there ``areas`` are the A_j of Eqs. 8 and 9, times area.

    Threads may share a field, one call after the other: it remembers one path. For many paths: ``copy``, ``batch``.
    """

    def __init__(
        self,
        pad: Any,
        markers: Any,
        indenter: Any,
        mode: str = "taxel",
        *,
        points: Any = None,
        normals: Any = None,
        areas: Any = None,
        radius: float | None = None,
        seed: int | None = None,
        substeps: int = 1,
        pitch: float | None = None,
        step: float | None = None,
        **parameters: float,
    ) -> None:
        _one_of("MarkerField", "mode", mode, _MODES)
        known = PARAMETERS[mode] + (_TRACKERS if mode == "paper" else ())
        values = _numbers(f"MarkerField, mode {mode!r}", parameters, known)
        # K and A of mode "paper", of which the core knows the product.
        self._factors = {name: values.pop(name, 1.0) for name in ("stiffness", "area")} if mode == "paper" else {}
        if mode == "paper":
            values["stiffness_area"] = self._factors["stiffness"] * self._factors["area"]
            young = values.pop("young", self._factors["stiffness"])
            if young != self._factors["stiffness"]:
                if self._factors["stiffness"] == 0:
                    raise _core.Error("MarkerField: young (E) over a stiffness (K) of 0; give a stiffness above 0")
                values["young_over_stiffness"] = young / self._factors["stiffness"]
            if values.get("tracking_friction", 0.0) < 0:
                raise _core.Error(
                    f"MarkerField: tracking_friction is {values['tracking_friction']:g}; give 0 or more, or nothing"
                )
        if points is None and (normals is not None or areas is not None):
            raise _core.Error("MarkerField: normals or areas without points; give all or none")
        if points is not None and (radius is not None or seed is not None):
            raise _core.Error("MarkerField: radius and seed say how to sample points, but points are given")
        spread, start = 0.75e-3 if radius is None else float(radius), _whole("seed", 0 if seed is None else seed)
        self.substeps = parts = _whole("substeps", substeps)
        self.mode = mode
        self._shares_forces = False
        self._core: Any  # a TaxelField in mode "taxel", else a MarkerField
        self.markers = np.array(markers, dtype=float)
        self.object_count = len(indenter) if isinstance(indenter, list) else None
        """None for an indenter that is no list."""
        self._indenters = list(indenter) if isinstance(indenter, list) else [indenter]
        if mode == "layer":
            self._make_layer(pad, indenter, points is None and radius is None and seed is None, pitch, step, values)
            return
        if pitch is not None or step is not None:
            raise _core.Error(f"MarkerField: mode {mode!r} has no cells; pitch and step belong to mode 'layer'")
        if mode == "taxel":
            objects = indenter if isinstance(indenter, list) else [indenter]
            given = [_per_object(name, value, self.object_count) for name, value in
                     (("points", points), ("normals", normals), ("areas", areas))]  # fmt: skip
            given[2] = [None if a is None else np.ascontiguousarray(a, float) for a in given[2]]
            if any(a is not None and a.ndim != 1 for a in given[2]):
                raise _core.Error("MarkerField: areas are (P,), one number a point, m^2")
            self._core = _core.make_taxel_field(
                pad, markers, objects, given[0], given[1], given[2], spread, start, parts, values
            )
            return
        if isinstance(indenter, list):
            raise _core.Error(f"MarkerField: mode {mode!r} has one object; several are in mode 'taxel'")
        if substeps != 1 or (areas is not None and mode == "release"):
            wrong = "substeps" if substeps != 1 else "areas"
            raise _core.Error(f"MarkerField: mode {mode!r} knows no {wrong}; they belong to mode 'taxel'")
        each = None if areas is None else np.ascontiguousarray(areas, float)
        if each is not None and each.ndim != 1:
            raise _core.Error("MarkerField: areas are (P,), one number a point, m^2")
        self._core = _core.make_marker_field(pad, markers, indenter, points, normals, each, mode, spread, start, values)

    def _make_layer(
        self, pad: Any, indenter: Any, whole: bool, pitch: float | None, step: float | None, values: dict[str, float]
    ) -> None:
        if not whole:
            raise _core.Error(
                "MarkerField: mode 'layer' meets the object itself, not points of it; leave out points, radius and "
                "seed, or take mode 'taxel'"
            )
        for name, value in (("pitch", pitch), ("step", step)):
            if value is not None and not value > 0:
                raise _core.Error(f"MarkerField: {name} is {value!r}; give a length in m above 0")
        objects = indenter if isinstance(indenter, list) else [indenter]
        cells = (float(pitch or 0.0), 1e-4 if step is None else float(step), self.substeps)
        self._core = _core.make_layer_field(pad, self.markers, objects, *cells, values)

    def step(self, X_PI: Any, shift: Any = None, dt: float = 0.0) -> np.ndarray:
        """Moves the indenter to X_PI, its pose in the pad's frame; displacements in pixels, (N, 3).

        Times the size of a pixel they are metres. But in mode "release" they lie along the gel. With a list
        of objects X_PI has one pose each.

        shift  the authors' gravity pass: a translation (3,) or a pose in the pad's frame by which the indenter is
               moved on for this output; not remembered. They use 0.25 mm along gravity.
        dt     s since the last step; read where creep > 0
        """
        moved, dt = None if shift is None else _shift(shift), seconds("marker field", "dt", dt)
        if self.mode not in _FORCES:
            return self._core.step(X_PI, moved)
        poses = X_PI if self.object_count is not None else pose_matrix(X_PI, "X_PI")[None]
        if self.mode == "layer":
            return self._core.step(poses, moved)
        return self._core.step(poses, moved, dt)

    def gravity_shift(
        self,
        weight: Any,
        center: Any,
        *,
        opposed: bool = False,
        normal_stiffness: float | None = None,
        shear_stiffness: float | None = None,
    ) -> np.ndarray:
        """``shift`` (4, 4) for the next step at the same pose: how far a weight (3,) N at center (3,) m, both in the
        pad's frame, moves the object on the gel it touches since the last step (as taxel.gravity_shift; turns are at
        most 0.1 rad). Stiffnesses in Pa/m; left out: the gel's own, in the published modes that of mode "taxel"."""
        return gravity.of_field(self, weight, center, opposed, normal_stiffness, shear_stiffness)

    def follow(self, path: Any, dt: float = 0.0) -> np.ndarray:
        """Steps along a path (T, 4, 4), with several objects (T, objects, 4, 4); displacements (T, N, 3).

        dt  s between two poses; read where creep > 0
        """
        return np.stack([self.step(X, dt=dt) for X in path]) if len(path) else np.zeros((0, len(self.markers), 3))

    def rollout(self, path: Any) -> tuple[np.ndarray, gradient.Pullback]:
        """``follow`` from the present state, with gradients; modes "layer" and "taxel".

        Returns the displacements (T, N, 3) and a function that takes derivatives of a number with respect to them and
        gives those with respect to the poses (as ``path``, each entry on its own, last rows 0) and the parameters. The
        field itself stays where it is.

        Mode "layer": every contact is solved to the last digit, so that displacements differ from those of ``follow``
        by its tolerance (0.1 % of the depth), and derivatives by a rotation are those along rotations
        (docs/theory/marker-layer.md#gradients).
        """
        return gradient.rollout(self, path)

    def jacobian(self, path: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Displacements (N, 3) at the end of a path from the present state, and their derivatives with respect to each
        parameter, (N, 3) each; modes "layer" and "taxel". The field itself stays where it is."""
        return gradient.jacobian(self, path)

    def pose_jacobian(self, path: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Displacements (N, 3) at the end of a path from the present state, and how they and the wrench change with the
        last pose; mode "layer". The field itself stays where it is.

        "markers" (N, 3, 6) px and "wrench" (6, 6) N, N m, per shift of the object along the pad's x, y, z (m) and turn
        about these axes through its origin (rad). With a list of objects (N, 3, objects, 6) and (6, objects, 6).
        """
        return gradient.pose_jacobian(self, path)

    def batch(self, worlds: int, fingers: int = 1, **options: Any) -> MarkerBatch:
        """Copies of this field, without its memory, for many worlds: taxel.MarkerBatch."""
        from ..batch import MarkerBatch

        return MarkerBatch(self, worlds, fingers, **options)

    def reset(self) -> None:
        """Forgets poses and displacements."""
        self._core.reset()

    def zero_tangential(self) -> None:
        """Keeps the normal part of each tracked displacement (mode "taxel": the depths; all stretch goes): the authors'
        reset after closing the gripper."""
        self._core.zero_tangential()

    def copy(self) -> MarkerField:
        """A field with the same shapes and its own copy of the state."""
        other = object.__new__(MarkerField)
        other.__dict__.update(self.__dict__)
        other._core = self._core.copy()
        return other

    def __copy__(self) -> MarkerField:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> MarkerField:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "MarkerField: it cannot be pickled; pickle its arguments and its state, make another and set its state"
        )

    @property
    def dilation(self) -> np.ndarray:
        """Part of the last step, (N, 3) px."""
        return self._core.dilation

    @property
    def points(self) -> np.ndarray | list[np.ndarray]:
        """Tracked points in the indenter's frame, (P, 3); a list with several objects."""
        return self._of_objects("points")

    @property
    def normals(self) -> np.ndarray | list[np.ndarray]:
        """Outward normals there, (P, 3); empty where none were given."""
        return self._of_objects("normals")

    @property
    def areas(self) -> np.ndarray | list[np.ndarray]:
        """Mode "taxel": (P,) m^2."""
        self._taxel_only("areas")
        return self._of_objects("areas")

    @property
    def parameters(self) -> dict[str, float]:
        """Mode "taxel": all numbers; may be set."""
        self._with_forces("parameters")
        return self._core.parameters()

    @parameters.setter
    def parameters(self, values: dict[str, float]) -> None:
        self._with_forces("parameters")
        new = _numbers(f"MarkerField, mode {self.mode!r}", values, PARAMETERS[self.mode])
        self._core.set_parameters({**self._core.parameters(), **new})

    @property
    def shear(self) -> np.ndarray:
        """Part of the last step, (N, 3) px; mode "taxel" gives the dilation alone."""
        if self.mode in _FORCES:
            raise _core.Error(f"MarkerField: in mode {self.mode!r} the shear is what step returned less field.dilation")
        return self._core.shear

    @property
    def wrench(self) -> np.ndarray:
        """Mode "taxel": force (N) and torque about the pad's origin (N m) on the gel in the last step, (6,)."""
        self._with_forces("wrench")
        return self._core.wrench

    @property
    def contact_points(self) -> np.ndarray:
        """Mode "taxel": points inside the gel, (C, 3) in the pad's frame."""
        self._with_forces("contact_points")
        return self._core.contact_points

    @property
    def contact_forces(self) -> np.ndarray:
        """Mode "taxel": force on the gel at each contact point, (C, 3) N; their sum is that of the wrench."""
        self._with_forces("contact_forces")
        return self._core.contact_forces

    def with_marker_forces(self, on: bool = True) -> MarkerField:
        """Mode "taxel": lets each step share the force among the markers; returns the field itself."""
        self._with_forces("with_marker_forces")
        self._core.set_marker_forces(bool(on))
        self._shares_forces = bool(on)
        return self

    @property
    def marker_forces(self) -> np.ndarray:
        """Mode "taxel": force on the gel shared among the markers, (N, 3) N, after ``with_marker_forces``."""
        self._with_forces("marker_forces")
        if not self._shares_forces:
            raise _core.Error("MarkerField: forces are not shared among the markers; call with_marker_forces() first")
        return self._core.marker_forces

    @property
    def state(self) -> dict[str, Any]:
        """What is remembered, as arrays; may be set on an equal field.

        started, X_PI, and index, f (m), phi (m) of the points inside the gel; mode "taxel": objects (a list of such)
        and late (N, 3) px.
        """
        if self.mode != "taxel":
            return dict(self._core.state())
        objects, late = self._core.state()
        return {"objects": list(objects), "late": late}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        if self.mode == "taxel":
            _state_keys(state, {"objects", "late"})
            self._core.set_state([_one_state(s) for s in state["objects"]], state["late"])
        elif self.mode == "layer":
            _state_keys(state, {"started", "X_PI", "index", "object", "traction"})
            whole = {name: np.ascontiguousarray(state[name], np.int32) for name in ("index", "object")}
            self._core.set_state({**state, **whole, "started": bool(state["started"])})
        else:
            self._core.set_state(_one_state(state))

    @property
    def pressure(self) -> np.ndarray:
        """Mode "layer": pressure on each cell of the gel's surface, (nx, ny) Pa."""
        self._layer_only("pressure")
        return self._core.pressure

    @property
    def cells(self) -> np.ndarray:
        """Mode "layer": middles of the cells in the pad's frame, (nx, ny, 3) m; ``field.pitch`` apart."""
        self._layer_only("cells")
        return self._core.cells.reshape(*self._core.pressure.shape, 3)

    @property
    def pitch(self) -> float:
        """Mode "layer": side of a cell, m."""
        self._layer_only("pitch")
        return self._core.pitch

    def surface(self, places: Any) -> np.ndarray:
        """Mode "layer": how the gel's surface has moved at places (P, 3) on it, (P, 3) m; for a camera's height map."""
        self._layer_only("surface")
        return self._core.surface(places)

    def _with_forces(self, name: str) -> None:
        if self.mode not in _FORCES:
            raise _core.Error(f"MarkerField.{name} belongs to mode 'taxel' or 'layer'; this one has {self.mode!r}")

    def _layer_only(self, name: str) -> None:
        if self.mode != "layer":
            raise _core.Error(f"MarkerField.{name} belongs to mode 'layer'; this one has {self.mode!r}")

    def _taxel_only(self, name: str) -> None:
        if self.mode != "taxel":
            raise _core.Error(f"MarkerField.{name} belongs to mode 'taxel'; this one has {self.mode!r}")

    def _of_objects(self, name: str) -> Any:
        if self.mode == "layer":
            raise _core.Error(f"MarkerField.{name}: mode 'layer' meets the object itself and has no points of it")
        if self.mode != "taxel":
            return getattr(self._core, name)
        found = [getattr(self._core, name)(k) for k in range(self.object_count or 1)]
        return found[0] if self.object_count is None else found


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise _core.Error(f"MarkerField: {name} is {value!r}; give a whole number of 0 or more")
    return int(value)


def _per_object(name: str, value: Any, count: int | None) -> list[Any]:
    if count is None:
        return [value]
    if value is None:
        return [None] * count
    if not isinstance(value, list) or len(value) != count:
        raise _core.Error(f"MarkerField: {count} objects, so {name} is a list of {count} arrays")
    return value


def _state_keys(state: Any, wanted: set[str]) -> None:
    if not isinstance(state, dict) or set(state) != wanted:
        raise _core.Error(f"MarkerField: a state has {', '.join(sorted(wanted))}; take it from another field")


def _one_state(state: Any) -> dict[str, Any]:
    forces = {"g"} if isinstance(state, dict) and "g" in state else set()  # where they are tracked apart
    _state_keys(state, {"started", "X_PI", "index", "f", "phi"} | forces)
    return {name: state[name] for name in forces} | {
        "started": bool(state["started"]),
        "X_PI": state["X_PI"],
        "index": np.ascontiguousarray(state["index"], np.int32),
        "f": state["f"],
        "phi": np.ascontiguousarray(state["phi"], np.float64),
    }


def _shift(value: Any) -> Any:
    if np.shape(value) == (3,):
        X = np.eye(4)
        X[:3, 3] = vector3(value, "shift")
        return X
    return pose_matrix(value, "shift")
