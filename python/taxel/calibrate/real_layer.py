"""Marker mode "layer" on the two real frames: one gel for both, fitted with the ball's pose to half of the markers.

The gel is a `LayerSensor`: thickness, Poisson's ratio, friction, depth of the markers below the face. Its fields come
from `taxel.MarkerField(mode="layer")`: a ball is pressed until the contact has a given radius, then slid. Free in each
frame is what the other forms have free (`real_forms.py`): press: curvature of the ball, centre, stretch, shift; slide:
its way, centre, radius of the contact, shift. The layer is linear, so a ball that is twice as curved and has the same
contact gives twice the field; a ball cannot be smaller than its contact, which bounds the curvature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .real_forms import CONTACT_RADIUS, PIXELS_PER_MM, Form, press_form, slide_form

PIXEL = 1e-3 / PIXELS_PER_MM
BALL = 8e-3
"""m: radius of the ball that is pressed; the fitted curvature is in units of 1 / BALL."""
SLIDE = 12.0 * PIXEL
"""m: how far the rings of the ball are apart in the two photos."""
RADII = (40.0, 45.0, 50.0)
"""px: of the contact, as seen in the photo of the press: 45 +- 5."""


@dataclass(frozen=True)
class LayerSensor:
    """A gel and its markers; lengths in m."""

    thickness: float
    poisson: float
    friction: float
    marker_depth: float


STICKS = 100.0
"""Friction so high that the rim of the contact, where pressure ends, does not slip either."""
SENSORS = tuple(
    LayerSensor(thickness, poisson, friction, part * thickness)
    for thickness in (4e-3, 5e-3, 6e-3, 8e-3)
    for poisson in (0.3, 0.35, 0.4, 0.45, 0.49)
    for friction in (1.0, 5.0, STICKS)
    for part in (0.0, 0.05, 0.075, 0.1)
)
"""What a fit may choose from."""


@dataclass(frozen=True)
class LayerFields:
    """What a sensor shows of a ball with a contact of ``radius`` px, by distance from its middle."""

    sensor: LayerSensor
    radius: float
    distance: np.ndarray
    """px"""
    outward: np.ndarray
    """px, of the press."""
    straight: np.ndarray
    across: np.ndarray
    """Of the slide over its length: u = [straight + across (2 n n^T - 1)] way, with n from the middle to the marker."""
    depth: float
    """m, of the ball of radius BALL."""

    def press(self, v: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(v, axis=1)
        return (np.interp(r, self.distance, self.outward, right=0.0) / np.maximum(r, 1e-9))[:, None] * v

    def slide(self, v: np.ndarray) -> list[np.ndarray]:
        r = np.linalg.norm(v, axis=1)
        n = v / np.maximum(r, 1e-9)[:, None]
        straight, across = (np.interp(r, self.distance, f, right=0.0)[:, None] for f in (self.straight, self.across))
        return [straight * q + across * (2.0 * (n @ q)[:, None] * n - q) for q in np.eye(2)]

    def form(self, frame: str) -> Form:
        if frame == "press":
            return press_form("mode layer", self.press, most=BALL / (self.radius * PIXEL))
        return slide_form("mode layer", self.slide)


def layer_fields(sensor: LayerSensor, radius: float = CONTACT_RADIUS, points: int = 30) -> LayerFields:
    """Presses and slides the ball; markers on three rays from it."""
    import taxel

    pitch, side, contact = 0.3e-3, 12e-3, radius * PIXEL
    distance = np.linspace(0.0, 215.0, points)
    rays = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0)])
    top = 0.5 * sensor.thickness
    places = np.concatenate([np.column_stack([PIXEL * distance[:, None] * ray, np.full(points, top)]) for ray in rays])
    field = taxel.MarkerField(
        taxel.Body.box((side, side, sensor.thickness)),
        places,
        taxel.Body.sphere(BALL),
        mode="layer",
        poisson=sensor.poisson,
        friction=sensor.friction,
        marker_depth=sensor.marker_depth,
        pixel=PIXEL,
        pitch=pitch,
        step=1e-3,
    )

    def at(x: float, depth: float) -> np.ndarray:
        return field.step(taxel.pose((x, 0.0, top + BALL - depth))).reshape(3, points, 3)

    # Deeper by steps until the contact is as wide; the last two tell the field at the radius.
    before, depth, part = np.zeros((3, points, 3)), 0.0, contact**2 / BALL / 20
    wide = 0.0
    while wide < contact:
        thin, shallow = wide, depth
        depth += part
        now = at(0.0, depth)
        wide = pitch * float(np.sqrt(np.count_nonzero(field.pressure) / np.pi))
        if wide < contact:
            before = now
    w = (contact - thin) / (wide - thin)
    press = (1 - w) * before + w * now
    pressed = now
    for k in range(1, 7):
        moved = at(SLIDE * k / 6, depth)
    slid = (moved - pressed)[..., 0] / (SLIDE / PIXEL)
    along, beside = 0.5 * (slid[0] + slid[1]), slid[2]
    outward = (press[0, :, 0] - press[1, :, 0] + press[2, :, 1]) / 3
    return LayerFields(
        sensor, radius, distance, outward, 0.5 * (along + beside), 0.5 * (along - beside), (1 - w) * shallow + w * depth
    )


@dataclass(frozen=True)
class LayerFit:
    """One sensor for both frames, chosen by the sum of squares of the markers that are fitted."""

    sensor: LayerSensor
    fields: dict[str, LayerFields]
    """Of press and slide, which may have contacts of different radii."""
    solved: dict[str, tuple[np.ndarray, np.ndarray]]
    """Centre and factors."""

    def predict(self, frame: str, places: np.ndarray) -> np.ndarray:
        return self.fields[frame].form(frame).predict(places, *self.solved[frame])

    @property
    def ball(self) -> float:
        """m: radius of the ball that the press asks for."""
        return BALL / max(float(self.solved["press"][1][0]), 1e-12)

    @property
    def depth(self) -> float:
        """m: how deep that ball is."""
        return self.fields["press"].depth * float(self.solved["press"][1][0])

    @property
    def way(self) -> np.ndarray:
        """px: of the ball in the slide."""
        return self.solved["slide"][1][:2]


class LayerBank:
    """Fields of all sensors at all radii, solved once."""

    def __init__(
        self,
        sensors: Sequence[LayerSensor] = SENSORS,
        radii: Sequence[float] = RADII,
        progress: Callable[..., Iterable[Any]] | None = None,
    ) -> None:
        self.radii = tuple(radii)
        every = [(s, r) for s in sensors for r in sorted({*radii, CONTACT_RADIUS})]
        solved = [layer_fields(*one) for one in (progress(every, "gels") if progress else every)]
        self.sensors = tuple(sensors)
        self._fields = dict(zip(every, solved, strict=True))

    def fit(self, places: np.ndarray, moved: dict[str, np.ndarray]) -> LayerFit:
        """Press with the radius that is seen, slide with the best of all; then the best sensor."""
        best: tuple[float, LayerFit] | None = None
        for sensor in self.sensors:
            cost, fields, solved = 0.0, {}, {}
            for frame, radii in (("press", (CONTACT_RADIUS,)), ("slide", self.radii)):
                tried = []
                for radius in radii:
                    one = self._fields[sensor, radius]
                    form = one.form(frame)
                    x = form.solve(places, moved[frame])
                    left = float(((form.predict(places, *x) - moved[frame]) ** 2).sum())
                    tried.append((left, one, x))
                left, fields[frame], solved[frame] = min(tried, key=lambda t: t[0])
                cost += left
            if best is None or cost < best[0]:
                best = cost, LayerFit(sensor, fields, solved)
        assert best is not None
        return best[1]
