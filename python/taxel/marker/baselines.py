"""What marker fields are compared with: FOTS and TacSL, as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..common.alone import Immutable, Uncopied
from ..common.convert import pose_matrix
from .field import _numbers, _one_of
from .pad import PIXEL

if TYPE_CHECKING:
    from ..batch import FotsBatch, TacSLBatch

_VARIANTS = ("fots", "contact_center", "hydroshear_original", "hydroshear_reimpl")


class Fots(Uncopied):
    """FOTS: dilation from the depth at the markers, shear and twist from the planar motion of the object.

    markers  (N, 3) in the pad's frame, m; object: as in MarkerField
    variant  "fots"                 the code of FOTS: chained, exp(-lambda d^2), about the object's origin
             "contact_center"       the same about the middle of the first contact
             "hydroshear_original"  the HydroShear release's "FOTS": added, exp(-lambda |d|), its numbers
             "hydroshear_reimpl"    its "FOTS (Reimpl.)": the same about the middle of the contact
    twist_about  "now" (where the tracked point is: the code of the paper, Rancho-zhao/FOTS up to commit cc24d58) or
             "start" (where the contact began: that repository since April 2024, and the HydroShear variants always)
    pixel    size of a pixel, m
    center   the tracked point in the object's frame, where it is known beforehand
    whole_pixels, image_origin  FOTS truncates centre, shear and pressed markers to whole pixels, counted from
             image_origin (a point of the pad, m); not in the HydroShear variants

    Parameters: lambda_d, lambda_s, lambda_t (1/px^2; HydroShear variants 1/px), dilate_scale (1/m), max_twist (rad).

    Threads may share it, one call after the other: it remembers one contact.
    """

    _instead = "make another with the same arguments"

    def __init__(
        self,
        markers: Any,
        object: Any,
        variant: str = "fots",
        *,
        pixel: float = PIXEL,
        center: Any = None,
        twist_about: str | None = None,
        whole_pixels: bool = False,
        image_origin: Any = (0.0, 0.0, 0.0),
        **parameters: float,
    ) -> None:
        _one_of("Fots", "variant", variant, _VARIANTS)
        released = variant.startswith("hydroshear")
        if twist_about is None:
            twist_about = "start" if released else "now"
        _one_of("Fots", "twist_about", twist_about, ("now", "start"))
        if released and twist_about == "now":
            raise _core.Error(f'Fots: twist_about is "now", but "{variant}" twists about the start; leave it out')
        values = _numbers("Fots", parameters, ("lambda_d", "lambda_s", "lambda_t", "dilate_scale", "max_twist"))
        self.variant, self.pixel, self.twist_about = variant, float(pixel), twist_about
        self._core = _core.make_fots(
            markers,
            object,
            variant,
            float(pixel),
            center,
            image_origin,
            bool(whole_pixels),
            twist_about == "start",
            values,
        )

    def step(self, X_PI: Any, shift: Any = None) -> np.ndarray:
        """Moves the object to X_PI, its pose in the pad's frame; displacements in pixels, (N, 3).

        shift  gravity, as the HydroShear release does it: for this output alone the tracked point is taken to have
               moved on by this vector of the pad's frame, m; its x and y add to the shear
        """
        return self._core.step(X_PI, shift)

    def batch(self, worlds: int, fingers: int = 1, *, device: str = "cpu", threads: int = 0) -> FotsBatch:
        """Copies of this model, without its memory, for many worlds: taxel.FotsBatch."""
        from ..batch import FotsBatch

        return FotsBatch(self, worlds, fingers, device=device, threads=threads)

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


class TacSL(Immutable):
    """TacSL's force field at points of a pad, from poses and velocities: penalty along the normal, viscous shear.

    points  (N, 3) in the pad's frame, m; object: as in MarkerField
    Isaac Lab's parameters: normal_contact_stiffness (N/m), tangential_stiffness (N s/m), friction_coefficient.
    unit_shear: shear of each point as a unit vector, as HydroShear's TacSL policies get it.

    Immutable; threads may share it.
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
        self._made = (
            (points, object),
            {
                "normal_contact_stiffness": normal_contact_stiffness,
                "tangential_stiffness": tangential_stiffness,
                "friction_coefficient": friction_coefficient,
                "unit_shear": unit_shear,
            },
        )
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

    def batch(self, worlds: int, fingers: int = 1, *, device: str = "cpu", threads: int = 0) -> TacSLBatch:
        """This model for many worlds: taxel.TacSLBatch."""
        from ..batch import TacSLBatch

        return TacSLBatch(self, worlds, fingers, device=device, threads=threads)


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
