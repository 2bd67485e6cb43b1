"""A simulated world that the page shows: a MuJoCo model, the sensors in it, a hand."""

from __future__ import annotations

from typing import Any

import numpy as np

import taxel

from ...mujoco.gel_sensor import GelSensor
from .frame import Contact, Frame, MarkerFrame, Numbers, SkinFrame
from .hand import Hand

LEAST_FORCE = 1e-3  # N; below this no centre of pressure is told


class World:
    """Steps a model and reads what the page shows. One thread at a time: that of the simulation.

    skins, markers   tactile sensors and marker sensors of the model
    gel              an elastic gel that pushes by itself (or None)
    hand             holds ``hand.body`` (or None: nothing is held)
    """

    title = ""
    gel: GelSensor | None = None
    hand: Hand | None = None

    def __init__(self, model: Any) -> None:
        import mujoco

        self.mujoco, self.model = mujoco, model
        self.data = mujoco.MjData(model)
        self.skins: list[taxel.Sensor] = []
        self.markers: list[taxel.MarkerSensor] = []
        self._no_load: dict[str, np.ndarray] = {}
        self.moving = [g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] != 0]
        self.steps = 0
        """Since the beginning."""
        self.watched = ""
        """The sensor whose numbers are plotted."""

    @property
    def timestep(self) -> float:
        return float(self.model.opt.timestep)

    @property
    def not_drawn(self) -> str:
        """What of the model is simulated but not on the page, in words; empty: nothing."""
        count = int(self.model.nflex)
        if not count:
            return ""
        kind = self.mujoco.mjtObj.mjOBJ_FLEX
        names = ", ".join(self.mujoco.mj_id2name(self.model, kind, k) or str(k) for k in range(count))
        words = "flexes" if count > 1 else "flex"
        return f"{count} {words} ({names}) simulated, but not drawn here; MuJoCo's own viewer draws flexes"

    @property
    def sensor_names(self) -> list[str]:
        return [s.name for s in self.skins] + [m.name for m in self.markers]

    def start(self) -> None:
        """The world at its beginning."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.steps = 0
        self._place()
        self.mujoco.mj_forward(self.model, self.data)
        if self.gel is not None:
            self.gel.reset()
            self.gel.update(self.data)
        if self.hand is not None:
            self.hand.take(self.data, fresh=True)
        for skin in self.skins:
            if skin.name not in self._no_load:
                self._no_load[skin.name] = _no_load(skin.read(self.data).values, skin.unit)

    def _place(self) -> None:
        """Where things are at the beginning, besides what the model says."""

    def step(self) -> None:
        if self.hand is not None:
            self.hand.apply(self.data)
        if self.gel is not None:
            self.gel.update(self.data)
        self.mujoco.mj_step(self.model, self.data)
        self.steps += 1
        if not np.isfinite(self.data.qpos).all():
            raise taxel.Error(f"the simulation broke down at {self.data.time:.3f} s: a pose is not finite")
        for warning in (self.mujoco.mjtWarning.mjWARN_BADQPOS, self.mujoco.mjtWarning.mjWARN_BADQACC):
            if self.data.warning[warning].number:
                raise taxel.Error("the simulation broke down: MuJoCo had to reset a pose that grew without bound")

    # --- Reading ---

    def read(self) -> Frame:
        model, data = self.model, self.data
        quaternions = np.tile((1.0, 0.0, 0.0, 0.0), (model.ngeom, 1))
        for g in range(model.ngeom):
            self.mujoco.mju_mat2Quat(quaternions[g], data.geom_xmat[g])
        contact = self._contact()
        readings = {skin.name: skin.read(data) for skin in self.skins}
        skins = [self._skin(skin, readings[skin.name], contact) for skin in self.skins]
        markers = [self._marker(marker) for marker in self.markers]
        return Frame(
            time=float(data.time),
            positions=data.geom_xpos.copy(),
            quaternions=quaternions,
            held=None if self.hand is None else self._pose_of(self.hand.body),
            skins=skins,
            markers=markers,
            contact=contact,
            image=self._image(markers),
            numbers=self._numbers(readings),
        )

    def _pose_of(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        return self.data.xpos[body].copy(), self.data.xquat[body].copy()

    def _image(self, markers: list[MarkerFrame]) -> np.ndarray | None:
        return None

    def _touches(self) -> list[taxel.Touch]:
        try:
            return taxel.touches(self.model, self.data)
        except taxel.Error:
            return []  # a model of markers or gels alone

    def _contact(self) -> Contact | None:
        found = [t.surface for t in self._touches() if len(t.surface)]
        if not found:
            return None
        starts = np.cumsum([0] + [len(s.vertices) for s in found])
        return Contact(
            vertices=np.concatenate([s.vertices for s in found]),
            triangles=np.concatenate([s.triangles() + k for s, k in zip(found, starts[:-1], strict=True)]),
            pressures=np.concatenate([s.pressures for s in found]),
        )

    def _skin(self, skin: taxel.Sensor, reading: taxel.Reading, contact: Contact | None) -> SkinFrame:
        return self._skin_frame(skin.name, skin.unit, skin.pose(self.data), reading, contact)

    def _skin_frame(
        self, name: str, unit: str, X_WS: np.ndarray, reading: taxel.Reading, contact: Contact | None
    ) -> SkinFrame:
        values = np.asarray(reading.values, float)
        change = (values - self._no_load.get(name, np.zeros_like(values))).ravel()
        most = change[np.argmax(np.abs(change))] if change.size else 0.0
        shares = change / most if most else np.zeros_like(change)
        points = reading.layout.points @ X_WS[:3, :3].T + X_WS[:3, 3]
        if contact is not None:
            points = sink(points, reading.layout.normals @ X_WS[:3, :3].T, shares, reading.layout.areas, contact)
        return SkinFrame(
            name, unit, values, np.clip(shares, 0, 1), points, np.array(reading.layout.points), self._seven(X_WS)
        )

    def _seven(self, X: np.ndarray) -> np.ndarray:
        """x y z and quaternion w x y z of a pose."""
        quaternion = np.empty(4)
        self.mujoco.mju_mat2Quat(quaternion, X[:3, :3].ravel())
        return np.concatenate([X[:3, 3], quaternion])

    def _marker(self, sensor: taxel.MarkerSensor) -> MarkerFrame:
        pixels, X = sensor(self.data), sensor.pose(self.data)
        moved = sensor.pixel * pixels.reshape(-1, 3) @ X[:3, :3].T
        places = sensor.markers @ X[:3, :3].T + X[:3, 3]
        return MarkerFrame(
            sensor.name, places, moved, pixels, np.array(sensor.markers), float(sensor.pixel), self._seven(X)
        )

    def _numbers(self, readings: dict[str, taxel.Reading]) -> Numbers:
        reading = readings.get(self.watched)
        if not self.watched:  # no sensor in the model: what all soft contacts carry
            return Numbers(normal=float(sum(np.linalg.norm(t.force) for t in self._touches())))
        if reading is None:
            sensor = next((m for m in self.markers if m.name == self.watched), None)
            return Numbers() if sensor is None else self._numbers_of_markers(sensor)
        return numbers_of(reading)

    def _numbers_of_markers(self, sensor: taxel.MarkerSensor) -> Numbers:
        wrench = sensor.read(self.data).wrench
        if wrench is None:
            return Numbers()
        normal, center = -float(wrench[2]), (float("nan"), float("nan"))
        if normal > LEAST_FORCE:
            # torque = center x force: about x it is y f_z, about y it is -x f_z
            center = (-float(wrench[4] / wrench[2]), float(wrench[3] / wrench[2]))
        return Numbers(max(normal, 0.0) + 0.0, float(np.hypot(*wrench[:2])), center)


def numbers_of(reading: taxel.Reading) -> Numbers:
    """Of a reading of taxels; z of the sensor's frame points out of it."""
    normal, tangential = -float(reading.force[2]), float(np.hypot(*reading.force[:2]))
    sliding = float("nan") if reading.slip is None else float(reading.sliding_share)
    if normal <= LEAST_FORCE:
        return Numbers(max(normal, 0.0) + 0.0, tangential, sliding=sliding)
    center = (float(reading.center[0]), float(reading.center[1]))
    return Numbers(normal, tangential, center, sliding, float(reading.area))


def sink(
    points: np.ndarray, normals: np.ndarray, shares: np.ndarray, areas: np.ndarray, contact: Contact
) -> np.ndarray:
    """The points of pressed taxels moved along their normals to the contact surface, where one is near."""
    pressed = np.flatnonzero(shares > 0)
    if not len(pressed):
        return points
    middles = contact.vertices[contact.triangles].mean(axis=1)
    if len(middles) > 2000:
        middles = middles[:: len(middles) // 2000 + 1]
    n, size = normals[pressed], np.sqrt(areas[pressed])
    away = middles[None, :, :] - points[pressed, None, :]
    height = np.einsum("ijk,ik->ij", away, n)
    beside = np.einsum("ijk,ijk->ij", away, away) - height**2
    nearest = np.argmin(beside, axis=1)
    rows = np.arange(len(pressed))
    depth = np.minimum(height[rows, nearest], 0.0)
    depth[beside[rows, nearest] > (1.5 * size) ** 2] = 0.0
    moved = points.copy()
    moved[pressed] += depth[:, None] * n
    return moved


def _no_load(values: np.ndarray, unit: str) -> np.ndarray:
    """What the taxels say with nothing on them: 0 for pressures, whatever touches already; codes as they are."""
    return np.zeros_like(values, dtype=float) if unit != "counts" else np.full_like(values, np.median(values), float)
