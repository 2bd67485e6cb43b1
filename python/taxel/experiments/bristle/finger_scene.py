"""A single finger of the gripper, its tactile pad upwards, and a cube on it: the set-up of the static tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from ..shared.film import FAINT, Film, save_film

GRAVITY = 9.8  # as the paper's table has it
SHAPE = (14, 6)
PITCH = 3.4e-3
THICKNESS = 0.006
CUBE = 0.03
BRISTLES: dict[str, Any] = {
    "stiffness": 1000.0,  # the paper's section 5.1
    "damping": 10.0,
    "thickness": THICKNESS,
    "friction": (0.435, 0.23),
    "stribeck_speed": 0.3,
    "sigma0": 1000.0,
    "sigma1": 10.0,
    "viscosity": 0.01,
    "shape": SHAPE,
}


def finger_and_cube(mass: float, step: float, *, tilt: float = 0.0, above: float = 2e-4, **changes: Any) -> Any:
    """A model: the finger along y, tilted about y by ``tilt`` degrees so that +x of the pad is downhill."""
    taxel.load()
    angle = np.radians(tilt)
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.rgba.haze = [1, 1, 1, 1]
    sky = spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    sky.builtin, sky.rgb1, sky.rgb2 = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, [0.97, 0.98, 1.0], [0.82, 0.86, 0.9]
    sky.width = sky.height = 64
    spec.worldbody.add_light(pos=[0.1, -0.2, 0.4], dir=[-0.3, 0.5, -1], diffuse=[0.5, 0.5, 0.5])
    quat = [np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    finger = spec.worldbody.add_body(name="finger", quat=quat)
    size = [SHAPE[1] * PITCH / 2, SHAPE[0] * PITCH / 2, THICKNESS / 2]
    finger.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=size, rgba=[0.16, 0.17, 0.2, 1])
    finger.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.012, 0.05, 0.006],
        pos=[0, -0.02, -THICKNESS / 2 - 0.006],
        rgba=[0.62, 0.66, 0.7, 1],
        contype=0,
        conaffinity=0,
    )
    normal = np.array([np.sin(angle), 0, np.cos(angle)])
    cube = spec.worldbody.add_body(name="cube", pos=(THICKNESS / 2 + CUBE / 2 + above) * normal, quat=quat)
    cube.add_freejoint()
    cube.add_geom(
        name="cube", type=mujoco.mjtGeom.mjGEOM_BOX, size=[CUBE / 2] * 3, mass=mass, rgba=[0.2, 0.45, 0.7, 0.75]
    )
    taxel.soften(spec, "pad", **(BRISTLES | changes))
    taxel.add_sensor(spec, "pad", unit="N", output="pressure shear slip")
    return spec.compile()


def on_the_pad(data: Any) -> np.ndarray:
    """Place of the cube in the frame of the pad, m."""
    pad = data.geom("pad")
    return pad.xmat.reshape(3, 3).T @ (data.body("cube").xpos - pad.xpos)


def film(
    out: Any,
    path: Path,
    quick: bool,
    model: Any,
    view: View,
    title: tuple[str, str],
    follow: Callable[[Any, Any], float],
    words: Callable[[float, Any, Any], tuple[str, str]],
    colour: tuple[int, int, int],
    greatest: float,
) -> Path | None:
    """The first 0.4 s, ten times slower, with the image of the array and a curve of ``follow(sensor, data)``.

    ``words(value, sensor, data)`` are two lines below the image; ``greatest`` is the height of the curve's box.
    """
    last = 0.4
    data = mujoco.MjData(model)
    sensor = taxel.Sensor(model, "touch")
    reel = Film(out, model, fps=40.0 if quick else 100.0)
    times: list[float] = []
    curve: list[float] = []

    def side(panel: Any, x: int) -> None:
        now, below = words(curve[-1], sensor, data)
        panel.text(x, 18, title[0], 16, bold=True)
        panel.text(x, 42, title[1], 13, FAINT)
        panel.grid(sensor(data)[::-1], x + 66, 74, 16, 0.6)
        panel.text(x, 322, now, 15)
        panel.text(x, 344, below, 13, FAINT)
        panel.curve((x, 368, 232, 60), times, [(curve, colour)], (0, last), greatest)

    while data.time < last:
        mujoco.mj_step(model, data)
        times.append(data.time)
        curve.append(follow(sensor, data))
        if reel.due(data):
            reel.shoot(data, view, side)
    reel.close()
    return save_film(out, path, reel.frames, 4.0 if quick else 10.0)
