"""The channels of a MuJoCo model, and their values at each step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import MarkerSensor, Sensor
from .channels import Array, Channel, Markers, Pose, Wrench


class Watch:
    """Tactile sensors, poses, joints and actions of a model.

        watch = taxel.record.Watch(model, bodies=["cube"])
        with taxel.record.open("run.mcap", watch.channels) as recorder:
            mujoco.mj_step(model, data)
            recorder.write(data.time, watch(data))

    NAME/touch     each pressure sensor: its image, in its unit
    NAME/force     (3,) force on it, N, in its frame
    NAME/markers   each marker sensor: displacements, px; NAME/wrench where it has one
    NAME/frame     pose of the sensor's frame in the world
    BODY           pose of each body of ``bodies`` (default: those with a free joint); BODY_body where a sensor is
                   called so
    state, action  positions of all joints but free ones; the controls, where the model has any
    """

    def __init__(self, model: Any, bodies: Iterable[str] | None = None) -> None:
        import mujoco

        if not isinstance(model, mujoco.MjModel):
            raise TypeError(f"Watch: model is {type(model).__name__}; give an MjModel, as spec.compile() returns it")
        self._model, self._mujoco = model, mujoco
        self.channels: dict[str, Channel] = {}
        self._sensors, self._markers = _sensors(model)
        for sensor in self._sensors:
            name, points = _plain(sensor.name), sensor.layout.points
            self._add(f"{name}/frame", Pose())
            self._add(f"{name}/touch", Array(sensor.shape, sensor.unit, points, f"{name}/frame"))
            self._add(f"{name}/force", Array((3,), "N"))
        for marker in self._markers:
            name = _plain(marker.name)
            self._add(f"{name}/frame", Pose())
            self._add(f"{name}/markers", Markers(marker.shape, marker.markers, marker.pixel, f"{name}/frame"))
            if _has_wrench(marker):
                self._add(f"{name}/wrench", Wrench(f"{name}/frame"))
        taken = {"state", "action", *(name.split("/")[0] for name in self.channels)}
        self._bodies = [(f"{n}_body" if n in taken else n, body) for n, body in _bodies(model, bodies)]
        for name, _ in self._bodies:
            self._add(name, Pose())
        free = mujoco.mjtJoint.mjJNT_FREE
        sizes = {free: 7, mujoco.mjtJoint.mjJNT_BALL: 4}
        self._state = np.array(
            [
                at + k
                for at, kind in zip(model.jnt_qposadr, model.jnt_type, strict=True)
                if kind != free
                for k in range(sizes.get(mujoco.mjtJoint(kind), 1))
            ],
            int,
        )
        if len(self._state):
            self.channels["state"] = Array((len(self._state),))
        if model.nu:
            self.channels["action"] = Array((model.nu,))
        if not self.channels:
            raise _core.Error(
                "Watch: the model has no tactile sensor, no body with a free joint, no joint; name bodies="
            )

    def _add(self, name: str, channel: Channel) -> None:
        if name in self.channels:
            raise _core.Error(f"Watch: two things would be recorded as {name!r}; give one of them another name")
        self.channels[name] = channel

    def __call__(self, data: Any) -> dict[str, Any]:
        """A row: what ``Recorder.write`` takes."""
        row: dict[str, Any] = {}
        for sensor in self._sensors:
            name, felt = _plain(sensor.name), sensor.read(data)
            row |= {f"{name}/frame": sensor.pose(data), f"{name}/touch": felt.values, f"{name}/force": felt.force}
        for marker in self._markers:
            name = _plain(marker.name)
            row |= {f"{name}/frame": marker.pose(data), f"{name}/markers": marker(data)}
            if f"{name}/wrench" in self.channels:
                row[f"{name}/wrench"] = marker.wrench(data)
        for name, body in self._bodies:
            row[name] = np.concatenate([data.xpos[body], data.xquat[body]])
        if "state" in self.channels:
            row["state"] = data.qpos[self._state]
        if "action" in self.channels:
            row["action"] = data.ctrl
        return row


def _sensors(model: Any) -> tuple[list[Sensor], list[MarkerSensor]]:
    """All of a model; none where it was made without the plugin."""
    from ..mujoco import sensor_names

    sensors = [Sensor(model, name) for name in sensor_names(model)]
    markers: list[MarkerSensor] = []
    while True:
        try:
            markers.append(MarkerSensor(model, len(markers)))
        except _core.Error:
            return sensors, markers


def _has_wrench(marker: MarkerSensor) -> bool:
    return marker._length > 3 * marker.count


def _plain(name: str) -> str:
    """A name as channels have it."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)


def _bodies(model: Any, names: Iterable[str] | None) -> list[tuple[str, int]]:
    import mujoco

    if names is None:
        free = mujoco.mjtJoint.mjJNT_FREE
        found = [int(b) for b, kind in zip(model.jnt_bodyid, model.jnt_type, strict=True) if kind == free]
        return [(_plain(model.body(b).name or f"body_{b}"), b) for b in found]
    out = []
    for name in names:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if body < 0:
            raise _core.Error(f"Watch: there is no body {name!r} in the model")
        out.append((_plain(name), body))
    return out
