"""The world of ``taxel view MODEL.xml``: a model file as it is, or with an object above its sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...mujoco import compile_spec, load_model, need_mujoco
from ...mujoco.softening import has_taxel
from ...press.guided_press import geom_surface
from ...press.objects import parse_object
from .hand import Hand
from .press_world import ABOVE, FORCE, INERTIA, MASS, OBJECT
from .world import World

FREQUENCY = 60.0  # rad/s, of the hand that holds a body of somebody's model


class FileWorld(World):
    """Any MJCF file; the hand may hold one of its free bodies (``hold``), actuators have sliders."""

    def __init__(self, path: str | Path, thing: str | None = None, friction: float = 0.5) -> None:
        self.path = Path(path)
        model = _as_it_is(self.path) if thing is None else _with_object(self.path, thing, friction)
        super().__init__(model)
        self.title = self.path.name if thing is None else f"{self.path.name}, {parse_object(thing).label}"
        self.skins = [taxel.Sensor(model, name) for name in taxel.sensor_names(model)]
        self.markers = _marker_sensors(model)
        self.watched = self.sensor_names[0] if self.sensor_names else ""
        self.start()
        if thing is not None:
            self.hold(OBJECT)
            assert self.hand is not None
            self.hand.grip.force = FORCE

    @property
    def free_bodies(self) -> list[str]:
        """Names of the bodies with a free joint."""
        model, free = self.model, self.mujoco.mjtJoint.mjJNT_FREE
        bodies = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == free]
        return [model.body(b).name or f"body {b}" for b in bodies]

    def hold(self, name: str | None) -> None:
        """The hand takes a body where it is, or lets go (None)."""
        if self.hand is not None:
            self.hand.release(self.data)
            self.hand = None
        if name is None:
            return
        body = int(name.split()[1]) if name.startswith("body ") else self.model.body(name).id
        own = name == OBJECT
        self.hand = Hand(
            self.model, body, carries=not self.model.body_gravcomp[body], frequency=200.0 if own else FREQUENCY
        )
        self.hand.take(self.data)

    def _place(self) -> None:
        if self.model.nkey:
            self.mujoco.mj_resetDataKeyframe(self.model, self.data, 0)


def _as_it_is(path: Path) -> Any:
    """A model that has nothing of taxel in it is shown, too."""
    mujoco = need_mujoco()
    taxel.load()
    if not path.is_file():
        raise taxel.Error(f"there is no model file {str(path)!r}")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise taxel.Error(f"{path}: {error}") from None
    return load_model(path) if has_taxel(spec) else compile_spec(spec)


def _marker_sensors(model: Any) -> list[taxel.MarkerSensor]:
    found: list[taxel.MarkerSensor] = []
    while True:
        try:
            found.append(taxel.MarkerSensor(model, len(found)))
        except taxel.Error:
            return found


def _with_object(path: Path, thing: str, friction: float) -> Any:
    """The file's model with an object over the middle of its one tactile sensor."""
    mujoco = need_mujoco()
    bare = _as_it_is(path)
    names = taxel.sensor_names(bare)
    if len(names) != 1:
        raise taxel.Error(
            f"{path}: {len(names)} tactile sensors ({', '.join(names) or 'none'}); an object goes above a model with "
            "exactly one; leave the object out to see the model as it is"
        )
    data = mujoco.MjData(bare)
    mujoco.mj_forward(bare, data)
    sensor = taxel.Sensor(bare, names[0])
    R, p = data.geom_xmat[sensor.geom].reshape(3, 3), data.geom_xpos[sensor.geom]
    top = float((geom_surface(bare, sensor.geom)[0] @ R.T + p)[:, 2].max())
    X_WS = sensor.pose(data)
    middle = (sensor.layout.points @ X_WS[:3, :3].T + X_WS[:3, 3]).mean(axis=0)
    spec = mujoco.MjSpec.from_file(str(path))
    taxel.complete(spec)
    body = spec.worldbody.add_body(name=OBJECT, pos=(*middle[:2], top + ABOVE), gravcomp=1)
    body.add_freejoint(name=OBJECT)
    body.mass, body.inertia, body.explicitinertial = MASS, [INERTIA] * 3, True
    parse_object(thing).add_to(spec, body, OBJECT, friction=friction)
    for key in list(spec.keys):  # their numbers no longer fit
        spec.delete(key)
    return compile_spec(spec)


def reach_of(world: FileWorld) -> np.ndarray:
    """(2, 3): how far sliders lead what the hand holds, about where it is, m."""
    assert world.hand is not None
    middle, size = world.hand.grip.position, 0.5 * float(world.model.stat.extent)
    return np.array([middle - size, middle + size])
