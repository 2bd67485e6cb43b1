"""Marker displacements of camera-based tactile sensors: HydroShear, and FOTS and TacSL to compare with.

    mini = taxel.gelsight_mini_markers(dome=False)
    ball = taxel.Body.sphere(0.0175)
    field = taxel.MarkerField(mini.pad, mini.markers, ball, mode="paper")
    for X_PI in path:                       # poses of the ball in the pad's frame
        pixels = field.step(X_PI)           # (63, 3)

Equations, and where paper and published code differ: docs/markers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._convert import pose_matrix, vector3
from .sensors.domed_pad import dome_height, domed_pad

PIXEL = 0.065e-3
"""Of a GelSight Mini's camera on the gel, m."""
RELEASE_SPACING, RELEASE_PADDING = 1e-3, 0.1
_KINDS = ("exact", "trilinear", "nearest")
_MODES = ("paper", "release")
_VARIANTS = ("fots", "contact_center", "hydroshear_original", "hydroshear_reimpl")


def _one_of(where: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise _core.Error(f"{where}: {name} is {value!r}; give one of {', '.join(allowed)}")
    return value


def _numbers(where: str, given: dict[str, Any], allowed: tuple[str, ...]) -> dict[str, float]:
    for name, value in given.items():
        if name not in allowed:
            raise _core.Error(f"{where}: unknown parameter {name!r}; there are {', '.join(allowed)}")
        if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
            raise TypeError(f"{where}: {name} is {type(value).__name__}; give a number")
    return {name: float(value) for name, value in given.items()}


class MarkerDistance(_core.MarkerDistance):
    """Signed distance of a pad or an object in its own frame, m; call it with points (N, 3).

    shape   a taxel.Body or a tuple (vertices, triangles) of a closed mesh
    kind    "exact"      the true distance
            "trilinear"  interpolated on a grid; reaches ``margin`` (2 mm) beyond the shape, ``spacing`` needed
            "nearest"    the value of the nearest voxel, as the HydroShear release looks it up: ``spacing`` 1 mm,
                         ``margin`` 100 mm, ``origin`` the lower corner of that box
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


class MarkerField:
    """HydroShear's marker displacements: dilation, and shear with the memory of the path.

    pad       the gel: taxel.Body, (vertices, triangles) or MarkerDistance; z of its frame points out of it
    markers   (N, 3) in the pad's frame, m
    indenter  what presses, as the pad
    mode      "paper": the printed equations; "release": the authors' code (docs/markers.md)
    points    (P, 3) of the indenter's surface; left out, Poisson-disk samples with ``radius`` and ``seed``
    normals   (P, 3), unit, outward; needed in mode "paper" where points are given

    Parameters, with the release's defaults: lambda_d 20000 and lambda_s 10800 (1/m^2), friction 0.5, dilate_scale and
    shear_scale 15384.6 (px/m); in mode "paper" also stiffness 1 and area 1, the K and A of Eq. 15.
    """

    def __init__(
        self,
        pad: Any,
        markers: Any,
        indenter: Any,
        mode: str = "paper",
        *,
        points: Any = None,
        normals: Any = None,
        radius: float | None = None,
        seed: int | None = None,
        **parameters: float,
    ) -> None:
        _one_of("MarkerField", "mode", mode, _MODES)
        allowed = ("lambda_d", "lambda_s", "friction", "dilate_scale", "shear_scale")
        if mode == "paper":
            allowed += ("stiffness", "area")
        values = _numbers(f"MarkerField, mode {mode!r}", parameters, allowed)
        if mode == "paper":
            values["stiffness_area"] = values.pop("stiffness", 1.0) * values.pop("area", 1.0)
        if points is None and normals is not None:
            raise _core.Error("MarkerField: normals without points; give both or none")
        if points is not None and (radius is not None or seed is not None):
            raise _core.Error("MarkerField: radius and seed say how to sample points, but points are given")
        self.mode = mode
        self.markers = np.array(markers, dtype=float)
        self._core = _core.make_marker_field(
            pad,
            markers,
            indenter,
            points,
            normals,
            mode,
            0.75e-3 if radius is None else float(radius),
            0 if seed is None else int(seed),
            values,
        )

    def step(self, X_PI: Any, shift: Any = None) -> np.ndarray:
        """Moves the indenter to X_PI, its pose in the pad's frame; displacements in pixels, (N, 3).

        Times the size of a pixel they are metres. In mode "paper" z is 0.

        shift  the authors' gravity pass: a translation (3,) or a pose in the pad's frame by which the indenter is
               moved on for this output; not remembered. They use 0.25 mm along gravity.
        """
        return self._core.step(X_PI, None if shift is None else _shift(shift))

    def reset(self) -> None:
        """Forgets poses and displacements."""
        self._core.reset()

    def zero_tangential(self) -> None:
        """Keeps the normal part of each tracked displacement: the authors' reset after closing the gripper."""
        self._core.zero_tangential()

    def copy(self) -> MarkerField:
        """A field with the same shapes and its own copy of the state."""
        other = object.__new__(MarkerField)
        other.mode, other.markers, other._core = self.mode, self.markers, self._core.copy()
        return other

    @property
    def dilation(self) -> np.ndarray:
        """Part of the last step, (N, 3) px."""
        return self._core.dilation

    @property
    def shear(self) -> np.ndarray:
        """Part of the last step, (N, 3) px."""
        return self._core.shear

    @property
    def points(self) -> np.ndarray:
        """Tracked points in the indenter's frame, (P, 3)."""
        return self._core.points

    @property
    def normals(self) -> np.ndarray:
        """Outward normals there, (P, 3); empty where none were given."""
        return self._core.normals

    @property
    def state(self) -> dict[str, Any]:
        """started, X_PI, and index, f (m), phi (m) of the points inside the gel. May be set on an equal field."""
        return self._core.state()

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        wanted = {"started", "X_PI", "index", "f", "phi"}
        if not isinstance(state, dict) or set(state) != wanted:
            raise _core.Error(f"MarkerField: a state has {', '.join(sorted(wanted))}; take it from another field")
        self._core.set_state(
            bool(state["started"]),
            state["X_PI"],
            np.ascontiguousarray(state["index"], np.int32),
            state["f"],
            np.ascontiguousarray(state["phi"], np.float64),
        )


def _shift(value: Any) -> Any:
    if np.shape(value) == (3,):
        X = np.eye(4)
        X[:3, 3] = vector3(value, "shift")
        return X
    return pose_matrix(value, "shift")


class Fots:
    """FOTS: dilation from the depth at the markers, shear and twist from the planar motion of the object.

    markers  (N, 3) in the pad's frame, m; object: as in MarkerField
    variant  "fots"                 the code of FOTS: chained, exp(-lambda d^2), about the object's origin
             "contact_center"       the same about the middle of the first contact
             "hydroshear_original"  the HydroShear release's "FOTS": added, exp(-lambda |d|), its numbers
             "hydroshear_reimpl"    its "FOTS (Reimpl.)": the same about the middle of the contact
    pixel    size of a pixel, m
    center   the tracked point in the object's frame, where it is known beforehand
    whole_pixels, image_origin  FOTS truncates centre and shear to whole pixels, counted from image_origin (a point of
             the pad, m); not in the HydroShear variants

    Parameters: lambda_d, lambda_s, lambda_t (1/px^2; HydroShear variants 1/px), dilate_scale (1/m), max_twist (rad).
    """

    def __init__(
        self,
        markers: Any,
        object: Any,
        variant: str = "fots",
        *,
        pixel: float = PIXEL,
        center: Any = None,
        whole_pixels: bool = False,
        image_origin: Any = (0.0, 0.0, 0.0),
        **parameters: float,
    ) -> None:
        _one_of("Fots", "variant", variant, _VARIANTS)
        values = _numbers("Fots", parameters, ("lambda_d", "lambda_s", "lambda_t", "dilate_scale", "max_twist"))
        self.variant, self.pixel = variant, float(pixel)
        self._core = _core.make_fots(
            markers, object, variant, float(pixel), center, image_origin, bool(whole_pixels), values
        )

    def step(self, X_PI: Any) -> np.ndarray:
        """Moves the object to X_PI, its pose in the pad's frame; displacements in pixels, (N, 3)."""
        return self._core.step(X_PI)

    def reset(self) -> None:
        """Forgets the contact."""
        self._core.reset()


@dataclass(frozen=True)
class TacSLData:
    """Isaac Lab's names; no axis of environments."""

    tactile_points_pos_w: np.ndarray
    """(N, 3), m."""
    tactile_points_quat_w: np.ndarray
    """(N, 4), w x y z: that of the pad."""
    penetration_depth: np.ndarray
    """(N,), m."""
    tactile_normal_force: np.ndarray
    """(N,), on the gel along -z of the pad, above 0 when pressed, N."""
    tactile_shear_force: np.ndarray
    """(N, 2), on the gel along x and y of the pad, N; unit vectors with unit_shear."""


class TacSL:
    """TacSL's force field at points of a pad, from poses and velocities: penalty along the normal, viscous shear.

    points  (N, 3) in the pad's frame, m; object: as in MarkerField
    Isaac Lab's parameters: normal_contact_stiffness (N/m), tangential_stiffness (N s/m), friction_coefficient.
    unit_shear: shear of each point as a unit vector, as HydroShear's TacSL policies get it.
    """

    def __init__(
        self,
        points: Any,
        object: Any,
        *,
        normal_contact_stiffness: float = 1.0,
        tangential_stiffness: float = 0.1,
        friction_coefficient: float = 2.0,
        unit_shear: bool = False,
    ) -> None:
        self._core = _core.make_tacsl(
            points,
            object,
            float(normal_contact_stiffness),
            float(tangential_stiffness),
            float(friction_coefficient),
            bool(unit_shear),
        )

    def read(
        self,
        X_WP: Any,
        X_WI: Any,
        *,
        pad_velocity: Any = (0.0, 0.0, 0.0),
        pad_angular_velocity: Any = (0.0, 0.0, 0.0),
        object_velocity: Any = (0.0, 0.0, 0.0),
        object_angular_velocity: Any = (0.0, 0.0, 0.0),
    ) -> TacSLData:
        """Poses of pad and object in the world, velocities of their origins in the world frame (m/s, rad/s)."""
        X_WP = pose_matrix(X_WP, "X_WP")
        points, depth, normal, shear = self._core.read(
            X_WP, X_WI, pad_velocity, pad_angular_velocity, object_velocity, object_angular_velocity
        )
        quat = np.tile(_quaternion(X_WP[:3, :3]), (len(points), 1))
        return TacSLData(points, quat, depth, normal, shear)


def _quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z), w >= 0: the eigenvector of Bar-Itzhack's symmetric matrix."""
    (a, b, c), (d, e, f), (g, h, i) = R
    K = np.array(
        [
            [a + e + i, h - f, c - g, d - b],
            [h - f, a - e - i, b + d, c + g],
            [c - g, b + d, e - a - i, f + h],
            [d - b, c + g, f + h, i - a - e],
        ]
    )
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[0] >= 0 else -q


@dataclass(frozen=True)
class MarkerPad:
    """A gel with markers. Frame: x and y along the pad, z out of it, origin in the middle of its thickest column."""

    pad: Any
    """taxel.Body (flat), or (vertices, triangles) (domed)."""
    markers: np.ndarray
    """(rows * columns, 3) on the gel, m: row after row along y, columns along x."""
    shape: tuple[int, int]
    """Rows and columns."""
    pixel: float
    """m."""
    size: tuple[float, float, float]
    """m."""


def gelsight_mini_markers(dome: bool = True, shape: tuple[int, int] = (9, 7), margin: float = 3e-3) -> MarkerPad:
    """The gel of a GelSight Mini with its grid of markers, as in the HydroShear release.

    20.75 x 25.25 mm, 4 mm thick; with a dome 2.75 mm at the rim. One pitch for both axes, the largest that keeps
    ``margin`` with a free row around the grid: 1.84375 mm for 9 x 7. Flat: a box, which is also the fastest.
    """
    (width, height), rim, rise, corner = (20.75e-3, 25.25e-3), 2.75e-3, 1.25e-3, 1.5e-3
    rows, columns = shape
    if rows < 1 or columns < 1 or not 0 <= margin < 0.5 * width:
        raise _core.Error(
            f"gelsight_mini_markers: shape {shape} and margin {margin}; give at least one row and one column, and a "
            "margin in m below half the width of the gel"
        )
    pitch = min((width - 2 * margin) / (columns + 1), (height - 2 * margin) / (rows + 1))
    x, y = np.meshgrid((np.arange(columns) - 0.5 * (columns - 1)) * pitch, (np.arange(rows) - 0.5 * (rows - 1)) * pitch)
    thickness = rim + rise
    size = (width, height, thickness)
    markers = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.5 * thickness)])
    if not dome:
        return MarkerPad(_core.Body.box(size), markers, (rows, columns), PIXEL, size)
    vertices, triangles = domed_pad((width, height), rim, rise, corner)
    vertices = vertices - [0, 0, 0.5 * thickness]
    # From the smooth dome down onto the facets; the slope is below 0.3, so each round leaves a tenth.
    markers[:, 2] = dome_height(x.ravel(), y.ravel(), (width, height), rim, rise) - 0.5 * thickness
    for _ in range(12):
        markers[:, 2] -= _core.signed_distance((vertices, triangles), markers)
    return MarkerPad((vertices, triangles), markers, (rows, columns), PIXEL, size)
