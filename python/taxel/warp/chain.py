"""One channel of a tactile sensor through its signal chain, in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from . import chain_kernels
from .tables import filled

_HUGE = 1e30
_MEMORY = ("plays", "creep", "walk", "last", "written", "arrival", "frame", "step")


class Chain:
    """``reading`` (worlds, taxels) is what the device says; ``row`` the sensor as mujoco/scene_text.h has it,
    ``channel`` its number among the chains told there, ``what`` 0 for pressure, 1 and 2 for shear."""

    def __init__(self, row: dict[str, Any], channel: int, what: int, worlds: int, timestep: float):
        chain = row["chain"]
        own = chain["channels"][channel]
        self.count = len(row["areas"])
        self._c = _constants(chain, own, row, what, timestep)
        self._state = self._make_state(worlds)
        self.reading = wp.zeros((worlds, self.count), dtype=wp.float32)

    def _make_state(self, worlds: int) -> Any:
        c, n = self._c, self.count
        shapes: dict[str, tuple[int, ...]] = {
            "plays": (worlds, n) if c.hysteresis_width > 0 else (0, 0),
            "creep": (worlds, n) if c.creeps > 0 else (0, 0),
            "walk": (worlds, n) if c.walk_per_root_hour > 0 else (0, 0),
            "last": (worlds,),
            "written": (worlds,),
            "arrival": (worlds, c.frames),
            "frame": (worlds, c.frames, n),
            "step": (worlds,),
            "signal": (worlds, n),
            "fresh": (worlds, n),
        }
        return filled(chain_kernels.ChainState, shapes, ())

    @property
    def fresh(self) -> wp.array:
        """What was measured in the last step, before the line."""
        return self._state.fresh

    @property
    def remembers(self) -> bool:
        c = self._c
        return bool(c.hysteresis_width > 0 or c.creeps > 0 or c.walk_per_root_hour > 0 or c.frames > 0)

    def advance(self, m: Any, worlds: Any, pressure: wp.array, shear: wp.array) -> None:
        """At the start of a step, before anything is read: past the last one."""
        if not self.remembers:
            return
        n = worlds.time.shape[0]
        step = m.opt.timestep
        wp.launch(chain_kernels.advance_taxels, (n, self.count), [step, worlds, pressure, shear, self._c, self._state])
        if self._c.frames > 0:
            wp.launch(chain_kernels.advance_line, n, [step, worlds, self._c, self._state])

    def read(self, m: Any, worlds: Any, pressure: wp.array, shear: wp.array, gain: wp.array, noise: wp.array) -> None:
        size, step = self.reading.shape, m.opt.timestep
        wp.launch(chain_kernels.feel, size, [step, worlds, pressure, shear, gain, self._c, self._state])
        wp.launch(chain_kernels.tell, size, [step, worlds, noise, self._c, self._state, self.reading])

    def memory(self) -> dict[str, wp.array]:
        """All that lies between steps."""
        return {name: getattr(self._state, name) for name in _MEMORY if getattr(self._state, name).size}


def _ints(values: Any) -> wp.array:
    return wp.array(np.array(values, np.int32).reshape(-1), dtype=wp.int32)


def _floats(values: Any) -> wp.array:
    return wp.array(np.array(values, np.float32).reshape(-1), dtype=wp.float32)


def _constants(chain: dict[str, Any], own: dict[str, Any], row: dict[str, Any], what: int, timestep: float) -> Any:
    count = len(row["areas"])
    c = chain_kernels.ChainConstants()
    c.what, c.count = what, count
    spread = chain["spread"]
    c.spread_begin, c.spread_from = _ints(spread["begin"]), _ints(spread["from"])
    c.spread_weight = _floats(spread["weight"])
    c.hysteresis_width, c.hysteresis_scale = chain["hysteresis"]
    creep = np.zeros((3, 2))
    c.creeps = len(chain["creep"])
    creep[:, 1] = 1.0
    creep[: c.creeps] = np.array(chain["creep"]).reshape(-1, 2)
    c.creep_amount, c.creep_tau = wp.vec3(*creep[:, 0]), wp.vec3(*creep[:, 1])
    c.gain, c.offset, c.drift = _floats(own["gains"]), _floats(own["offsets"]), _floats(own["drift"])
    c.walk_per_root_hour = chain["drift_offset"]
    c.crosstalk, c.crosstalk_rows = chain["crosstalk"], chain["crosstalk_rows"]
    lists = chain["neighbours"] or [[]] * count
    c.neighbour_begin = _ints(np.concatenate([[0], np.cumsum([len(x) for x in lists])]))
    c.neighbour = _ints([j for x in lists for j in x])
    c.rows, c.cols = int(row["rows"]), int(row["cols"])
    c.noise_mean, c.quantum = chain["noise_mean"], chain["quantum"]
    c.lo = -_HUGE if own["lo"] is None else own["lo"]
    c.hi = _HUGE if own["hi"] is None else own["hi"]
    c.counts, c.zero, c.sign = int(chain["unit"] == "counts"), own["zero"], own["sign"]
    defect = np.zeros(count, np.int32)
    defect[[int(i) for i, _ in own["defects"]]] = 1
    c.defect, c.no_load = _ints(defect), _floats(own["no_load"])
    c.timestep, c.rate, c.delay, c.jitter = timestep, chain["rate"], chain["delay"], chain["jitter"]
    c.frames = int(chain["frames"])
    c.noise_stream, c.walk_stream = int(own["noise_stream"]), int(own["walk_stream"])
    c.jitter_stream = int(chain["jitter_stream"])
    return c
