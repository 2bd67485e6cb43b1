"""robosuite's Panda gripper with tactile fingertips, in one call.

    env = taxel.robots.wrap_robosuite("Lift", robots="Panda", has_renderer=False, use_camera_obs=False)
    observation = env.reset()
    observation["robot0_right_left_touch"]  # (8, 8) Pa

The environment is robosuite's own. Its pads become soft through the hook that robosuite has for it (a processor of the
model's XML), so a hard reset, which makes the model anew, makes them again; they keep their geoms' names, so
robosuite's checks of a grasp see them. What they read is an observable of modality ``touch``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import Sensor, load, need_mujoco
from ..sensors import TactileSensor, pad
from .older_engine import give_older_engine

TESTED = "1.5.2"
FRONT, HEIGHT = 0.009, -0.015
"""Of a finger's pad in the frame of its tip, m: where its front face is along y, and its middle along z."""
SIDES = {
    "left": (1, -1.0, (2**-0.5, 2**-0.5, 0.0, 0.0)),
    "right": (2, 1.0, (0.0, 0.0, 2**-0.5, 2**-0.5)),
}
"""Number of the finger, which way its pad looks along y, and the turn that brings a sensor's z there."""


def fingertip_pad() -> TactileSensor:
    """As large as the Panda's own pads: 16 x 16 mm, 3 mm of silicone, 8 x 8 taxels."""
    return pad(size=(0.016, 0.016), shape=(8, 8), modulus=2e5, thickness=0.003, friction=0.8)


def wrap_robosuite(env: Any, *, sensor: TactileSensor | None = None, **options: Any) -> Any:
    """Puts a sensor onto each finger of each Panda gripper of an environment; returns the environment.

    env      name of an environment, with ``options`` for ``robosuite.make``; or one that is made already. It is reset
    sensor   of the catalogue; default ``fingertip_pad()``. Its front face lies where that of robosuite's pad was

    Observations get ``robot0_right_left_touch`` (gripper of robot 0's right arm, left finger): the pressure image,
    shaped as the sensor's, and with an output of shear ``..._shear``, (2, rows, columns).
    """
    package = _robosuite()
    if isinstance(env, str) and env not in package.ALL_ENVIRONMENTS:
        names = sorted(package.ALL_ENVIRONMENTS)
        near = difflib.get_close_matches(env, names, 3, 0.5)
        hint = f"did you mean {', '.join(near)}?" if near else f"give one of {', '.join(names)}"
        raise _core.Error(f"wrap_robosuite: env is {env!r}, and robosuite has no such environment; {hint}")
    made = package.make(env, **options) if isinstance(env, str) else env
    if not isinstance(env, str) and options:
        raise _core.Error(f"wrap_robosuite: {', '.join(options)}: options are for an environment that is given by name")
    if not hasattr(made, "set_xml_processor"):
        raise _core.Error(
            f"wrap_robosuite: env is {type(made).__name__}; give the name of an environment of robosuite, or one "
            "itself (not a wrapper of it)"
        )
    sensor = fingertip_pad() if sensor is None else sensor
    if sensor.markers or sensor.gel:
        raise _core.Error(f"wrap_robosuite: {sensor.name} has no taxels; give one with a pressure field or bristles")
    places = _places(made)
    if getattr(made, "_taxel_skins", None):
        raise _core.Error("wrap_robosuite: this environment has tactile fingertips already")
    made.set_xml_processor(lambda xml: _with_pads(xml, places, sensor))
    # The model is made anew with the pads. A soft reset would keep the old one.
    kept, made.hard_reset = made.hard_reset, True
    try:
        made.reset()
    except Exception:
        made._xml_processors.pop()  # as it was
        raise
    finally:
        made.hard_reset = kept
    made._taxel_skins = places
    _observe(made, places, sensor)
    return made


def _robosuite() -> Any:
    try:
        import robosuite
        import robosuite.controllers.parts.controller as controller
        import robosuite.utils.binding_utils as bindings
    except ImportError as error:
        raise ImportError(
            f"wrap_robosuite needs robosuite with what it depends on ({error}); run: pip install --no-deps "
            f"robosuite=={TESTED} and pip install numba opencv-python-headless termcolor scipy"
        ) from error
    give_older_engine(bindings, controller)
    if not hasattr(bindings.MjData, "qM"):
        # What robosuite hands to mj_fullM; our OlderEngine wants the data there.
        bindings.MjData.qM = property(lambda self: self._data)
    return robosuite


def _places(env: Any) -> dict[str, str]:
    """Prefix of each Panda gripper in the model, by the beginning of its observations' names."""
    found, others = {}, []
    for robot in env.robots:
        for arm, gripper in getattr(robot, "gripper", {}).items():
            if "finger1_pad_collision" in str(gripper.important_geoms.get("left_fingerpad", "")) and (
                type(gripper).__name__.startswith("Panda")
            ):
                found[f"{robot.robot_model.naming_prefix}{arm}_"] = gripper.naming_prefix
            else:
                others.append(type(gripper).__name__)
    if not found:
        raise _core.Error(
            f"wrap_robosuite: no Panda gripper in this environment ({', '.join(others) or 'no gripper'}); use "
            'robots="Panda", or add_to of a sensor in a processor of your own (env.set_xml_processor)'
        )
    return found


def _geom(prefix: str, side: str) -> str:
    return f"{prefix}finger{SIDES[side][0]}_pad_collision"


def _with_pads(xml: str, places: dict[str, str], sensor: TactileSensor) -> str:
    mujoco = need_mujoco()
    load()
    spec = mujoco.MjSpec.from_string(xml)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    top = float(sensor.bounds[1, 2])
    for prefix in places.values():
        for side, (number, way, quat) in SIDES.items():
            name = _geom(prefix, side)
            old = spec.geom(name)
            if old is None:
                raise _core.Error(
                    f"wrap_robosuite: there is no geom {name!r} in the model; it was tried with robosuite {TESTED}"
                )
            spec.delete(old)
            at = (0.0, way * (FRONT - top), HEIGHT)
            sensor.add_to(spec, body=f"{prefix}finger_joint{number}_tip", name=name, pos=at, quat=quat)
    spec.compile()
    return spec.to_xml()


class _Touch:
    """The sensor of the model that the environment has just now: a hard reset makes another."""

    def __init__(self, env: Any, name: str) -> None:
        self.env, self.name = env, name
        self.model: Any = None
        self.sensor: Any = None

    def parts(self) -> dict[str, np.ndarray]:
        model = self.env.sim.model._model
        if model is not self.model:
            self.model, self.sensor = model, Sensor(model, self.name)
        return self.sensor.parts(self.env.sim.data._data)


def _observe(env: Any, places: dict[str, str], sensor: TactileSensor) -> None:
    from robosuite.utils.observables import Observable
    from robosuite.utils.observables import sensor as observed

    def reading(touch: _Touch, part: str) -> Callable[[Any], np.ndarray]:
        def read(obs_cache: Any) -> np.ndarray:
            values = touch.parts()[part]
            return np.array(sensor.image(values) if part != "shear" else values)

        return read

    for before, prefix in places.items():
        for side in SIDES:
            touch = _Touch(env, _geom(prefix, side))
            for part in touch.parts():
                # One modality a part: robosuite joins what is of one, side by side ("touch-state").
                kind = "touch" if part == "pressure" else part
                name = f"{before}{side}_{kind}"
                function = observed(modality=kind)(reading(touch, part))
                function.__name__ = name
                env.add_observable(Observable(name=name, sensor=function, sampling_rate=env.control_freq))
    env._reset_observables()
