"""The world of ``taxel view SENSOR OBJECT``: a sensor of the catalogue, and an object in the hand above it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

import taxel

from ... import sensors
from ...mujoco import compile_spec, need_mujoco
from ...press.objects import PressedObject, parse_object
from ...sensors import TactileSensor
from .frame import Frame, MarkerFrame
from .gel_camera import GelCamera
from .hand import Hand
from .world import World, numbers_of

OBJECT = "pressed_object"
ABOVE = 3e-3  # m over the sensor, where the object begins
FORCE = 5.0  # N, the first load; less where the pad is soft and small
LOAD_SHARE = 0.05  # of modulus times area
TIMESTEP, GEL_TIMESTEP = 0.002, 0.004  # s
GEL_COARSER = 1.25  # cells of a live gel against those of the catalogue
HAND_SPEED, GEL_HAND_SPEED = 0.04, 0.015  # m/s
MASS, INERTIA = 0.5, 1e-3
OUTPUT = "pressure slip"  # of the taxels: without the second nobody knows who slides


@dataclass(frozen=True)
class Choice:
    """What the page was asked to show."""

    sensor: str
    object: str = "sphere"
    model: str = "pressure"
    modulus: float | None = None
    """Pa; None: the catalogue's. Of a gel it is Young's."""
    friction: float | None = None
    """Of the pad and of the object; None: the pad's own, for both."""

    def change(self, **changes: Any) -> Choice:
        """A copy; another sensor or model takes its own material, and the nearest model that it has."""
        new = dataclasses.replace(self, **changes)
        if changes.keys() & {"sensor", "model"} and not changes.keys() & {"modulus", "friction"}:
            new = dataclasses.replace(new, modulus=None, friction=None)
        if new.model not in (known := described(new.sensor).models):
            new = dataclasses.replace(new, model=known[0])
        return new


def described(name: str) -> TactileSensor:
    """The sensor of the catalogue."""
    factories = sensors.catalogue()
    if name not in factories:
        raise taxel.Error(
            f"there is no sensor {name!r}; the catalogue has {', '.join(factories)}. A model file must end with .xml"
        )
    return factories[name]()


def material_of(choice: Choice) -> tuple[float, float]:
    """(modulus in Pa, friction) in use."""
    sensor = described(choice.sensor)
    if choice.model == "gel":
        gel = sensor.with_gel().gel
        modulus, friction = float(gel["young"]), float(gel.get("friction", 0.5))
    else:
        modulus = float(sensor.material["modulus"])
        friction = float(np.atleast_1d(sensor.material.get("friction", 0.5))[0])
    return choice.modulus or modulus, friction if choice.friction is None else choice.friction


class PressWorld(World):
    """The object is weightless in the hand, which starts with pressing it down gently."""

    hand: Hand

    def __init__(self, choice: Choice) -> None:
        mujoco = need_mujoco()
        self.choice = choice
        self.sensor = described(choice.sensor)
        if choice.model not in self.sensor.models:
            raise taxel.Error(f"{choice.sensor} is known as {' or '.join(self.sensor.models)} only")
        self.modulus, self.friction = material_of(choice)
        self.thing: PressedObject = parse_object(choice.object)
        pad = self._pad()
        spec = mujoco.MjSpec()
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.timestep = GEL_TIMESTEP if pad.gel else TIMESTEP
        self.name = pad.add_to(spec)
        if pad.markers:
            taxel.add_sensor(spec, self.name, name=f"{self.name}_taxels", **self.sensor.taxels, output=OUTPUT)
        self.top = float(pad.bounds[1][2])
        body = spec.worldbody.add_body(name=OBJECT, pos=(0.0, 0.0, self.top + ABOVE), gravcomp=1)
        body.add_freejoint(name=OBJECT)
        body.mass, body.inertia, body.explicitinertial = MASS, [INERTIA] * 3, True
        self.thing.add_to(spec, body, OBJECT, friction=self.friction)
        super().__init__(compile_spec(spec))
        self.title = f"{self.sensor.title}, {self.thing.label}"
        self.pad = pad
        if pad.gel:
            self.gel = pad.gel_sensor(self.model, OBJECT, two_way=True)
        else:
            self.skins = [taxel.Sensor(self.model, name) for name in taxel.sensor_names(self.model)]
        if pad.markers:
            self.markers = [taxel.MarkerSensor(self.model, self.name)]
        self.watched = self.skins[0].name if self.skins else self.name
        self.camera = GelCamera(self.sensor, self.thing) if GelCamera.has(self.sensor) else None
        self.hand = Hand(
            self.model, self.model.body(OBJECT).id, speed=GEL_HAND_SPEED if pad.gel else HAND_SPEED
        )  # fmt: skip
        self.reach = self._reach()
        self.start()
        self.hand.grip.force = self.first_load

    def _pad(self) -> TactileSensor:
        """The sensor with the chosen model and material."""
        own, model = self.sensor, self.choice.model
        if model == "gel":
            cell = GEL_COARSER * float(own.gel_keys["cell"])
            return own.replace(model="gel", cell=cell, young=self.modulus, friction=self.friction)
        if model == "marker":
            knows_forces = own.marker_keys.get("mode", "taxel") in ("layer", "taxel")
            output = "displacement wrench" if knows_forces else "displacement"
            # A modulus makes the gel soft in the physics as well: markers alone are a rigid geom.
            return own.replace(model="marker", objects=OBJECT, capacity=4096, output=output).replace(
                modulus=self.modulus, friction=self.friction
            )
        material = own.replace(modulus=self.modulus, friction=self.friction, output=OUTPUT)
        return material.replace(model="bristle") if model == "bristle" else material

    @property
    def first_load(self) -> float:
        """N."""
        low, high = self.pad.bounds
        stiff = float(self.sensor.material["modulus"])
        return round(min(FORCE, LOAD_SHARE * stiff * float(np.prod((high - low)[:2]))), 1)

    def _reach(self) -> np.ndarray:
        """(2, 3): where sliders may lead the object's lowest point, in the world, m."""
        low, high = self.pad.bounds
        aside = 0.6 * (high - low)[:2]
        return np.array([[*-aside, self.top - 0.9 * (high - low)[2]], [*aside, self.top + 0.02]])

    def read(self) -> Frame:
        frame = super().read()
        if self.gel is None:
            return frame
        reading = self.gel.read()
        skin = self._skin_frame(self.name, self.pad.unit, self.gel.pose(self.data), reading, None)
        moved = self._gel_places(skin.points)
        return dataclasses.replace(frame, skins=[dataclasses.replace(skin, points=moved)], numbers=numbers_of(reading))

    def _gel_places(self, points: np.ndarray) -> np.ndarray:
        """Taxels go with the face of the gel; the pad stands in the world's frame."""
        assert self.gel is not None
        return points + self.gel.markers(points)

    def _image(self, markers: list[MarkerFrame]) -> np.ndarray | None:
        if self.camera is None:
            return None
        dots = (markers[0].places, markers[0].moved) if markers else None
        return self.camera(self._object_pose(), dots)

    def _object_pose(self) -> np.ndarray:
        """X_SO of the frame in which the object's shape was given; the sensor's is the world's."""
        R_BG, p_BG = self.thing.turned(0.0, 0.0)
        position, quaternion = self._pose_of(self.hand.body)
        R = np.empty(9)
        self.mujoco.mju_quat2Mat(R, quaternion)
        R_WB = R.reshape(3, 3)
        return taxel.pose(R_WB @ p_BG + position, R=R_WB @ R_BG)
