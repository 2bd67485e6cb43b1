"""Press an object onto a tactile sensor and say how it is turned (the task of HydroelasticTouch)."""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import mujoco
import numpy as np

import taxel

from ..press.guided_press import OBJECT, SINKING, add_guided_body
from ..press.objects import parse_object
from ..sensors import TactileSensor, myrmex
from ..viewer.offscreen import Offscreen

CLEARANCE = 2e-3  # m between the lifted object and the sensor
SPEED, CHUNK, LONGEST = 1e-4, 20, 1000  # m/s at which a press counts as at rest; steps


class PressOrientation(gymnasium.Env):
    """An object of unknown yaw is pressed onto a flat sensor, ``presses`` times.

    observation  tactile image as float32 (rows, columns), 0 (no load) to 1 (``full_scale``, Pa)
    action       float32 (3,) in -1 .. 1: estimated yaw / 90 degrees; step of the next press along x and y / ``motion``
    reward       -angular error / 90 degrees, 0 to -1. Half a turn more is the same yaw.
    episode      ends after ``presses`` actions; the yaw stays, the place moves as the action says

    The yaw is uniform in -90 .. 90 degrees, the first place normal with ``spread`` (m), the load uniform in ``force``
    (N). Noise and electronics are the sensor's own: ``PressOrientation(sensor=taxel.sensors.myrmex(noise=(0, 300)))``.
    ``info`` has yaw, offset, force and error in SI units and radians.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        sensor: TactileSensor | None = None,
        object: str = "cylinder",
        *,
        presses: int = 3,
        force: tuple[float, float] = (3.0, 9.0),
        spread: float = 0.005,
        motion: float = 0.01,
        full_scale: float = 2e4,
        timestep: float = 0.002,
        render_mode: str | None = None,
    ) -> None:
        sensor = myrmex() if sensor is None else sensor
        if sensor.shape is None or sensor.unit != "Pa":
            raise taxel.Error(f"PressOrientation: {sensor.name} must have its taxels in rows and read Pa")
        if presses < 1 or not 0 < force[0] <= force[1] or not full_scale > 0:
            raise taxel.Error(
                f"PressOrientation: presses {presses}, force {force}, full_scale {full_scale}: not positive"
            )
        if render_mode not in (None, "rgb_array"):
            raise taxel.Error(f"PressOrientation: render_mode {render_mode!r}; there is 'rgb_array'")
        self.render_mode = render_mode
        self.presses, self.force, self.spread, self.motion = presses, force, spread, motion
        self.full_scale, self.shape = full_scale, sensor.shape
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, sensor.shape, np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self._reach = 0.4 * np.diff(sensor.bounds, axis=0)[0, :2]
        self._build(sensor, object, timestep)

    def _build(self, sensor: TactileSensor, name: str, timestep: float) -> None:
        spec = mujoco.MjSpec()
        spec.option.timestep = timestep
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.worldbody.add_light(pos=(0, 0, 1))
        at = sensor.add_to(spec)
        # The hand that carries the object stands still during a press: place and yaw are set in the model.
        parse_object(name).add_to(spec, add_guided_body(mujoco, spec, OBJECT), OBJECT)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.sensor = taxel.Sensor(self.model, at)
        self._body = self.model.body(OBJECT).id
        self._top = float(sensor.bounds[1, 2]) + CLEARANCE
        self._renderer: Offscreen | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """``options``: yaw (rad), offset (m, m), force (N) to choose instead of drawing them."""
        super().reset(seed=seed)
        given = options or {}
        drawn: dict[str, Any] = {
            "yaw": self.np_random.uniform(-0.5 * math.pi, 0.5 * math.pi),
            "offset": self.np_random.normal(0.0, self.spread, 2),
            "force": self.np_random.uniform(*self.force),
        }
        if unknown := given.keys() - drawn.keys():
            raise taxel.Error(
                f"PressOrientation: reset has no option {', '.join(sorted(unknown))}; it has yaw, offset, force"
            )
        drawn.update(given)
        self.yaw, self.load = float(drawn["yaw"]), float(drawn["force"])
        self.offset = np.clip(np.asarray(drawn["offset"], float), -self._reach, self._reach)
        self.done = 0
        return self._press(), self._info()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        action = np.clip(np.asarray(action, float).reshape(3), -1.0, 1.0)
        error = abs((0.5 * math.pi * action[0] - self.yaw + 0.5 * math.pi) % math.pi - 0.5 * math.pi)
        self.offset = np.clip(self.offset + self.motion * action[1:], -self._reach, self._reach)
        self.done += 1
        info = {**self._info(), "error": error}
        return self._press(), -error / (0.5 * math.pi), self.done >= self.presses, False, info

    def _info(self) -> dict[str, Any]:
        return {"yaw": self.yaw, "offset": self.offset.copy(), "force": self.load}

    def _press(self) -> np.ndarray:
        model, data = self.model, self.data
        model.body_pos[self._body] = [*self.offset, self._top]
        model.body_quat[self._body] = [math.cos(0.5 * self.yaw), 0, 0, math.sin(0.5 * self.yaw)]
        mujoco.mj_resetData(model, data)
        data.qfrc_applied[0] = -self.load
        model.dof_damping[0] = self.load / SINKING
        for _ in range(0, LONGEST, CHUNK):
            mujoco.mj_step(model, data, nstep=CHUNK)
            if -data.qpos[0] > CLEARANCE and abs(data.qvel[0]) < SPEED:
                break
        image = self.sensor.read(data).values.reshape(self.shape) / self.full_scale
        return np.clip(image, 0.0, 1.0).astype(np.float32)

    def render(self) -> np.ndarray | None:
        """The scene with coloured taxels, drawn by MuJoCo (needs OpenGL; without a screen it takes EGL)."""
        if self.render_mode is None:
            return None
        if self._renderer is None:
            self._renderer = Offscreen(self.model, 480, 360)
        camera = mujoco.MjvCamera()
        camera.distance, camera.azimuth, camera.elevation = 4 * float(np.max(self._reach)) / 0.8 * 1.5, 120, -40
        return self._renderer(self.data, camera)

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
