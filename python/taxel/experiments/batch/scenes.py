"""Scenes that run under the plugin and in mujoco_warp alike."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

import taxel

STEP = 0.002
GRAVITY = 9.81


def _spec(degrees: float = 0.0) -> Any:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = STEP
    angle = math.radians(degrees)
    spec.option.gravity = (GRAVITY * math.sin(angle), 0, -GRAVITY * math.cos(angle))
    return spec


def block(mass: float, degrees: float = 0.0, modulus: float = 1e5, length: float = 0.08) -> Any:
    """A box of 40 x 30 x 20 mm on a pad of 18 mm with taxels of 5 mm; gravity leans."""
    spec = _spec(degrees)
    columns = round(length / 0.005)
    sensor = taxel.sensors.pad(size=(length, 0.08), shape=(16, columns), modulus=modulus, thickness=0.018, friction=0.3)
    sensor.add_to(spec)
    depth = mass * GRAVITY * math.cos(math.radians(degrees)) * 0.018 / (modulus * 0.04 * 0.03)
    body = spec.worldbody.add_body(name="box", pos=(0.024 - 0.5 * length, 0.004, 0.019 - depth))
    body.add_freejoint()
    geom = body.add_geom(name="box", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.02, 0.015, 0.01), mass=mass)
    geom.friction[0] = 0.3
    return spec.compile()


def ball() -> Any:
    """A ball of 0.2 kg on a Myrmex, not over the middle of a taxel."""
    spec = _spec()
    taxel.sensors.myrmex().add_to(spec)
    body = spec.worldbody.add_body(name="ball", pos=(0.003, -0.004, 0.0252))
    body.add_freejoint()
    body.add_geom(name="ball", size=(0.02, 0, 0), mass=0.2)
    return spec.compile()


def peg() -> Any:
    """Two fingers with pads of 16 x 16 taxels hold a peg that leans by 20 degrees; two motors press them."""
    spec = _spec()
    sensor = taxel.sensors.pad(size=(0.03, 0.03), shape=(16, 16), modulus=2e5, thickness=0.004)
    for name, side in (("left", -1), ("right", 1)):
        body = spec.worldbody.add_body(name=f"{name}_finger", pos=(0.0158 * side, 0, 0.1))
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(-side, 0, 0), damping=5)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.002, 0.01, 0.01), mass=0.1, contype=0, conaffinity=0)
        sensor.add_to(spec, body=body, name=name, quat=(math.sqrt(0.5), 0, -side * math.sqrt(0.5), 0))
        motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_motor()
    body = spec.worldbody.add_body(name="peg", pos=(0, 0.002, 0.1), quat=(0.985, 0.174, 0, 0))
    body.add_freejoint()
    body.add_geom(
        name="peg", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=(0.012, 0.03, 0), mass=0.1, friction=(1, 0.005, 1e-4)
    )
    return spec.compile()


FOAM = {"stiffness": 58.5, "thickness": 0.006, "friction": (0.435, 0.23)}
"""Bristles of the Weiss array (Table 2 of the OpenGRASP tactile paper), 3.4 mm apart."""


def _foam_pad(spec: Any, body: Any, **keys: Any) -> None:
    body.add_geom(name="foam", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.0306, 0.0238, 0.003))
    taxel.soften(spec, "foam", **FOAM, shape=(14, 18), **keys)
    taxel.add_sensor(spec, "foam", name="foam", unit="N", output="pressure shear slip")


def foam(mass: float, degrees: float = 0.0, ball: bool = False) -> Any:
    """A box, or a ball, on a pad of 14 x 18 bristles; gravity leans, the box is turned by 20 degrees."""
    spec = _spec(degrees)
    _foam_pad(spec, spec.worldbody)
    height = 0.009 if ball else 0.008
    sunk = 0.0015 if ball else mass * GRAVITY * math.cos(math.radians(degrees)) / (58.5 * 41)
    body = spec.worldbody.add_body(name="object", pos=(0.001, -0.002, 0.003 + height - sunk), quat=(0.985, 0, 0, 0.174))
    body.add_freejoint()
    if ball:
        body.add_geom(name="object", size=(height, 0, 0), mass=mass)
    else:
        body.add_geom(name="object", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.012, 0.01, height), mass=mass)
    return spec.compile()


def drag(form: str = "passive") -> Any:
    """A box pressed on a leaning pad of bristles by a motor (2 N) and drawn across it by a spring: stick, then slip."""
    spec = _spec()
    spec.option.gravity = (0, 0, 0)
    base = spec.worldbody.add_body(pos=(0.01, 0.02, 0.3), quat=(0.985, 0.104, 0.139, 0))
    _foam_pad(spec, base, form=form, stribeck_speed=0.005)
    body = base.add_body(name="object", pos=(-0.012, -0.002, 0.0102), quat=(0.98, 0.003, -0.002, 0.199))
    for name, axis in (("along", (1, 0.3, 0)), ("down", (0, 0, 1))):
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(name="object", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.012, 0.01, 0.008), mass=0.2)
    spec.add_actuator(name="press", target="down", trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_motor()
    spec.add_actuator(name="pull", target="along", trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_position(kp=60.0, kv=1.0)
    return spec.compile()


def weiss_grasp() -> Any:
    """Two fingers with Weiss arrays of bristles hold a block that leans by 10 degrees, off their middle."""
    spec = _spec()
    sensor = taxel.sensors.weiss(model="bristle")
    for name, side in (("left", -1), ("right", 1)):
        body = spec.worldbody.add_body(name=f"{name}_finger", pos=(0.0175 * side, 0, 0.1))
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(-side, 0, 0), damping=20)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.002, 0.01, 0.01), mass=0.3, contype=0, conaffinity=0)
        sensor.add_to(spec, body=body, name=name, quat=(math.sqrt(0.5), 0, -side * math.sqrt(0.5), 0))
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_motor()
    body = spec.worldbody.add_body(name="block", pos=(0, 0.003, 0.1), quat=(0.9962, 0.0872, 0, 0))
    body.add_freejoint()
    body.add_geom(name="block", type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.014, 0.009, 0.018), mass=0.1)
    return spec.compile()


class Both:
    """One model under the plugin and, in a number of worlds, in mujoco_warp."""

    def __init__(self, model: Any, worlds: int = 1, ctrl: float | None = None, device: str | None = None, **options):
        import mujoco_warp as mjw
        import warp as wp

        import taxel.warp

        self.model, self.data, self._mjw = model, mujoco.MjData(model), mjw
        if ctrl is not None:
            self.data.ctrl[:] = ctrl
        mujoco.mj_forward(model, self.data)
        wp.config.log_level = wp.LOG_WARNING
        with wp.ScopedDevice(device):
            self.m = taxel.warp.put_model(model)
            self.d = mjw.put_data(model, self.data, nworld=worlds, nconmax=120, njmax=400)
            self.soft = taxel.warp.attach(model, self.m, self.d, **options)

    def step(self, steps: int, plugin: bool = True) -> None:
        for _ in range(steps):
            self._mjw.step(self.m, self.d)
            if plugin:
                mujoco.mj_step(self.model, self.data)

    def place(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Of a free body: in mujoco_warp's first world, and under the plugin."""
        at = self.model.jnt_qposadr[self.model.body(body).jntadr[0]]
        return self.d.qpos.numpy()[0, at : at + 3].astype(float), self.data.qpos[at : at + 3].copy()

    def image(self, sensor: str) -> tuple[np.ndarray, np.ndarray]:
        return self.soft[sensor].image.numpy()[0].astype(float), taxel.Sensor(self.model, sensor)(self.data)
