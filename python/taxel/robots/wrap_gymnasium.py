"""gymnasium-robotics' Shadow hand with a skin, in one call.

    env = taxel.robots.wrap_gymnasium_robotics("HandManipulateEgg-v1")
    observation, info = env.reset(seed=1)
    observation["touch"]["ffdistal"]  # (10, 9) Pa

The environment is gymnasium-robotics' own; only its model is another, since the skin must be in it when it is compiled.
So it is made anew, from its name or from the ``spec`` of one that is given.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import Sensor, load, need_mujoco
from .hands import Cover, cover_shadow
from .older_engine import OlderEngine, give_older_engine

TESTED = "1.4.2"


def wrap_gymnasium_robotics(
    env: Any, *, cover: Callable[[Any], Cover] | None = None, skin: dict[str, Any] | None = None, **options: Any
) -> Any:
    """A hand environment with a covered hand; its observations get ``touch``: the reading of each sensor by name.

    env      id ("HandManipulateEgg-v1"), with ``options`` for ``gymnasium.make``; or an environment, which is closed
             and made anew
    cover    a function that covers the hand of an ``MjSpec``; default ``cover_shadow`` with the keys of ``skin``

    Readings are (rows, columns) in Pa; with an output of shear ``observation["shear"]`` has (2, rows, columns) too.
    ``env.unwrapped.model`` and ``data`` work with ``taxel.Sensor`` as usual; ``env.cover`` says what was covered.
    """
    gymnasium = _gymnasium_robotics()
    if cover is not None and skin is not None:
        raise _core.Error("wrap_gymnasium_robotics: give cover, or skin for cover_shadow, not both")
    keys = dict(skin or {})
    put = cover or (lambda spec: cover_shadow(spec, **keys))
    spec = _spec(gymnasium, env) if isinstance(env, str) else getattr(env, "spec", None)
    if spec is None:
        raise _core.Error(
            f"wrap_gymnasium_robotics: env is {type(env).__name__}; give an id such as 'HandManipulateEgg-v1', or an "
            "environment that gymnasium.make has made"
        )
    if not isinstance(env, str):
        if options:
            raise _core.Error(f"wrap_gymnasium_robotics: {', '.join(options)}: options are for an id")
        env.close()
    from gymnasium.envs.registration import load_env_creator

    made = spec.entry_point if callable(spec.entry_point) else load_env_creator(spec.entry_point)
    made = getattr(made, "_taxel_plain", made)
    if not isinstance(made, type) or not hasattr(made, "_initialize_simulation"):
        raise _core.Error(f"wrap_gymnasium_robotics: {spec.id} is no MuJoCo environment of gymnasium-robotics")
    if hasattr(made, "sim"):
        raise _core.Error(f"wrap_gymnasium_robotics: {spec.id} is of mujoco-py; take its newest version")
    covered = _covered_class(made, put)
    # A copy of the spec with our class: TimeLimit and the other wrappers of gymnasium.make stay as they are.
    again = copy.deepcopy(spec)
    again.entry_point = covered
    again.additional_wrappers = tuple(w for w in spec.additional_wrappers if w.name != "Touching")
    return _touching(gymnasium)(gymnasium.make(again, **options))


def _spec(gymnasium: Any, name: str) -> Any:
    try:
        return gymnasium.spec(name)
    except gymnasium.error.Error:
        near = difflib.get_close_matches(name, [known for known in gymnasium.registry if known.startswith("Hand")], 3)
        hint = f"did you mean {', '.join(near)}?" if near else "give an id such as 'HandManipulateEgg-v1'"
        raise _core.Error(f"wrap_gymnasium_robotics: env is {name!r}, and gymnasium has no such id; {hint}") from None


def _gymnasium_robotics() -> Any:
    try:
        import gymnasium
        import gymnasium_robotics
        from gymnasium_robotics.utils import mujoco_utils
    except ImportError as error:
        raise ImportError(
            f"wrap_gymnasium_robotics needs gymnasium-robotics with what it depends on ({error}); run: pip install "
            f"gymnasium-robotics=={TESTED}"
        ) from error
    give_older_engine(mujoco_utils)
    if "HandManipulateEgg-v1" not in gymnasium.registry:
        gymnasium.register_envs(gymnasium_robotics)
    return gymnasium


class _CoveringModel:
    """Stands for ``mujoco.MjModel``: what is read from a file gets its skin before it is compiled."""

    def __init__(self, mujoco: Any, put: Callable[[Any], Cover]) -> None:
        self._mujoco, self._put = mujoco, put
        self.cover: Cover | None = None

    def from_xml_path(self, path: str) -> Any:
        spec = self._mujoco.MjSpec.from_file(path)
        spec.option.cone = self._mujoco.mjtCone.mjCONE_ELLIPTIC
        self.cover = self._put(spec)
        if not isinstance(self.cover, Cover):
            raise _core.Error(
                f"wrap_gymnasium_robotics: cover gave {type(self.cover).__name__}; it must return what cover_shadow "
                "or cover_hand returned"
            )
        return spec.compile()


class _CoveringEngine(OlderEngine):
    """What one environment sees as the module ``mujoco``."""

    def __init__(self, mujoco: Any, put: Callable[[Any], Cover]) -> None:
        super().__init__(mujoco)
        self.MjModel = _CoveringModel(mujoco, put)


def _covered_class(made: Any, put: Callable[[Any], Cover]) -> type:
    class Covered(made):
        _taxel_plain = made

        def _initialize_simulation(self) -> None:
            load()
            engine = _CoveringEngine(need_mujoco(), put)
            kept: Any = self._mujoco
            self._mujoco: Any = engine
            try:
                super()._initialize_simulation()
            finally:
                self._mujoco = kept
            self.cover = engine.MjModel.cover

    Covered.__name__ = Covered.__qualname__ = f"Covered{made.__name__}"
    return Covered


def _touching(gymnasium: Any) -> type:
    """The wrapper's class; gymnasium is optional, so it is made here."""

    class Touching(gymnasium.Wrapper):
        """Adds what the skin reads to the observations."""

        def __init__(self, env: Any) -> None:
            super().__init__(env)
            inner = env.unwrapped
            self.cover: Cover = inner.cover
            self._sensors: dict[str, Sensor] = self.cover.open(inner.model)
            added: dict[str, Any] = {}
            for part, readings in self._touch().items():
                low = 0.0 if part in ("touch", "slip") else -np.inf
                added[part] = gymnasium.spaces.Dict(
                    {k: gymnasium.spaces.Box(low, np.inf, v.shape, np.float64) for k, v in readings.items()}
                )
            self.observation_space = gymnasium.spaces.Dict({**env.observation_space.spaces, **added})

        def _touch(self) -> dict[str, dict[str, np.ndarray]]:
            data = self.env.unwrapped.data
            out: dict[str, dict[str, np.ndarray]] = {}
            for name, sensor in self._sensors.items():
                for part, values in sensor.parts(data).items():
                    out.setdefault("touch" if part == "pressure" else part, {})[name] = values.copy()
            return out

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            observation, info = self.env.reset(seed=seed, options=options)
            return {**observation, **self._touch()}, info

        def step(self, action: Any) -> Any:
            observation, *rest = self.env.step(action)
            return ({**observation, **self._touch()}, *rest)

    return Touching
