"""What a tactile sensor of a model has to say, whatever its model of touch: channels, an image, points, a wrench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from .._core import Error
from ..mujoco import MarkerSensor, Sensor, touches


class Source(Protocol):
    """A sensor. All places and the wrench are in its frame, ``pose(data)``."""

    name: str
    points: np.ndarray
    """(n, 3) where its taxels or markers are at rest, m."""
    shape: tuple[int, ...]
    """(rows, columns), or (n,)."""
    has_wrench: bool

    def channels(self, data: Any, *, now: bool = False) -> dict[str, np.ndarray]:
        """Numbers by name, (n,) each; what was published last step, or computed now."""

    def image(self, channels: Mapping[str, np.ndarray]) -> np.ndarray:
        """(rows, columns) or (rows, columns, 3), the upper row first; only where the taxels lie in rows."""

    def wrench(self, data: Any) -> np.ndarray:
        """(6,) force (N) and torque about the frame's origin (N m) that act on the sensor, where it has one."""

    def pose(self, data: Any) -> np.ndarray:
        """X_WS (4, 4)."""

    def pause(self, data: Any, paused: bool) -> None:
        """Stops or wakes what the sensor computes in each step."""


class SkinSource:
    """Taxels on a pressure field or on bristles."""

    has_wrench = True

    def __init__(self, model: Any, sensor: Sensor) -> None:
        self._model, self._sensor, self.name = model, sensor, sensor.name
        self.points, self.shape = sensor.layout.points, sensor.shape

    def channels(self, data: Any, *, now: bool = False) -> dict[str, np.ndarray]:
        if now or self._sensor.on_demand:
            reading = self._sensor.read(data)
            parts: dict[str, Any] = {"pressure": reading.values, "shear": reading.shear, "slip": reading.slip}
            parts["saturated"] = reading.saturated
        else:
            parts = self._sensor.parts(data)
        found: dict[str, np.ndarray] = {}
        for output in self._sensor.outputs:
            values = parts.get(output)
            if output == "truth" or values is None:
                continue
            if output == "shear":
                found["shear_x"], found["shear_y"] = (np.asarray(v, float).ravel() for v in values)
            else:
                found[output] = np.asarray(values, float).ravel()
        return found

    def image(self, channels: Mapping[str, np.ndarray]) -> np.ndarray:
        return next(iter(channels.values())).reshape(self.shape)[::-1]

    def wrench(self, data: Any) -> np.ndarray:
        return wrench_on(self._model, data, self._sensor.geom, self.pose(data))

    def pose(self, data: Any) -> np.ndarray:
        return self._sensor.pose(data)

    def pause(self, data: Any, paused: bool) -> None:
        self._sensor.pause(data, paused)


class MarkerSource:
    """Markers of a gel; how far they moved, in pixels."""

    def __init__(self, model: Any, sensor: MarkerSensor) -> None:
        import mujoco

        self._sensor, self.name = sensor, sensor.name
        self.points: np.ndarray = sensor.markers
        self.shape: tuple[int, ...] = sensor.shape
        try:
            sensor.wrench(mujoco.MjData(model))
            self.has_wrench = True
        except Error:
            self.has_wrench = False  # its description asks for displacements only

    def channels(self, data: Any, *, now: bool = False) -> dict[str, np.ndarray]:
        moved = self._sensor.read(data).displacement if now else self._sensor(data)
        return dict(zip(("dx", "dy", "dz"), moved.reshape(-1, 3).T, strict=True))

    def image(self, channels: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.stack([v.reshape(self.shape) for v in channels.values()], axis=-1)[::-1]

    def wrench(self, data: Any) -> np.ndarray:
        return self._sensor.wrench(data)

    def pose(self, data: Any) -> np.ndarray:
        return self._sensor.pose(data)

    def pause(self, data: Any, paused: bool) -> None:
        """The plugin has no pause for markers; they are not published, that is all."""


def wrench_on(model: Any, data: Any, geom: int, X_WS: np.ndarray) -> np.ndarray:
    """Force and torque of all soft contacts on a geom, about and in the frame S."""
    total = np.zeros(6)
    for touch in touches(model, data):
        if geom in (touch.geom1, touch.geom2):
            total += touch.wrench_on(geom, X_WS[:3, 3])
    R_SW = X_WS[:3, :3].T
    return np.concatenate([R_SW @ total[:3], R_SW @ total[3:]])


def _all(kind: Any, model: Any) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            found.append(kind(model, len(found)))
        except Error:
            return found


def sources_of(model: Any, names: list[str] | None = None) -> list[Source]:
    """The tactile and marker sensors of a model; those of ``names``, or all."""
    found: list[Source] = [SkinSource(model, sensor) for sensor in _all(Sensor, model)]
    found += [MarkerSource(model, sensor) for sensor in _all(MarkerSensor, model)]
    have = {source.name: source for source in found}
    if not found:
        raise Error("the model has no tactile sensor; add one with taxel.add_sensor or taxel.sensors.NAME().add_to")
    if names is None:
        return found
    for name in names:
        if name not in have:
            raise Error(f"there is no tactile sensor {name!r} in the model; there are: {', '.join(map(repr, have))}")
    return [have[name] for name in names]
