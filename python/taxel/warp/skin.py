"""One tactile sensor in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _core
from . import readings
from .scene import Pair


class Skin:
    """Arrays on the device, one row a world; they are overwritten by the next step and never move.

    ``pressure``  (worlds, taxels) mean pressure, Pa, as it acts
    ``reading``   (worlds, taxels) the same through the signal chain, in its unit: what ``sensordata`` has
    ``shear``     (worlds, taxels) pairs, Pa, along the taxel's two axes
    ``slip``      (worlds, taxels) share of the friction bound in use
    ``gain``      (worlds,) factor of the sensitivity, yours to change; ``noise`` (worlds,) standard deviation, unit

    Each is a ``warp.array``: ``wp.to_torch``, ``wp.to_jax``, ``cupy.asarray`` and DLPack take it without a copy.
    """

    def __init__(
        self, model: Any, row: dict[str, Any], pairs: list[Pair], starts: np.ndarray, columns: int, worlds: int
    ):
        self.name: str = row["name"]
        chain = row["chain"]
        where = f"warp: sensor {self.name!r}"
        if row["rays"] or not (row["mean"] or row["force"]):
            raise _core.Error(f'{where}: readout is rays, or aggregate neither mean nor force; use readout="exact"')
        if chain["stages"]:
            raise _core.Error(
                f"{where}: {', '.join(chain['stages'])} of the signal chain cannot run in mujoco_warp; there are gain, "
                "offset, noise, saturation, bits and quantum"
            )
        lost = [k for k in ("saturated", "truth") if k in row["outputs"]]
        if lost:
            raise _core.Error(f"{where}: output {', '.join(lost)} is not told in mujoco_warp; leave it out")
        through = ("noise_mean", "noise_std", "bits", "quantum")
        clipped = chain["saturation_lo"] is not None or chain["saturation_hi"] is not None
        changed = chain["unit"] != "Pa" or not chain["plain"] or clipped or any(chain[k] for k in through)
        if "shear" in row["outputs"] and changed:
            raise _core.Error(f"{where}: shear goes through no signal chain in mujoco_warp; leave the chain out")
        taxel_of_column = np.array(row["taxel_of_column"], int)
        if len(taxel_of_column) != columns:
            raise _core.Error(
                f"{where}: its taxels do not hold whole columns; set spacing (or resolution of the geom) to the pitch "
                "of the taxels or a whole part of it"
            )
        self.count = len(row["areas"])
        self.shape = (row["rows"], row["cols"]) if row["rows"] else None
        self._outputs = row["outputs"]
        self._address = int(model.sensor_adr[row["sensor"]])
        # Columns of every pair that this skin has a part in, as the pairs count them, taxel by taxel.
        taxels, numbers = [], []
        for k, pair in enumerate(pairs):
            if pair.skin == row["geom"]:
                taxels.append(taxel_of_column)
                numbers.append(np.arange(starts[k], starts[k + 1]))
        none = [np.zeros(0, int)]  # touches nothing
        taxel, number = np.concatenate(taxels or none), np.concatenate(numbers or none)
        taxel, number = taxel[taxel >= 0], number[taxel >= 0]
        order = np.argsort(taxel, kind="stable")
        t = readings.Taxels()
        t.first = wp.array(np.searchsorted(taxel[order], np.arange(self.count + 1)), dtype=wp.int32)
        t.column = wp.array(number[order], dtype=wp.int32)
        t.area = wp.array(row["areas"], dtype=wp.float32)
        t.normal = wp.array(row["normals"], dtype=wp.vec3)
        t.axis = wp.array(row["axes"], dtype=wp.vec3)
        t.geom, t.count = int(row["geom"]), self.count
        self._set_chain(t, chain, row)
        zeros = (worlds, self.count)
        t.pressure, t.slip, t.reading = (wp.zeros(zeros, dtype=wp.float32) for _ in range(3))
        t.shear = wp.zeros(zeros, dtype=wp.vec2)
        t.world_gain = wp.full(worlds, 1.0, dtype=wp.float32)
        t.world_noise = wp.full(worlds, float(chain["noise_std"]), dtype=wp.float32)
        t.samples = wp.zeros(worlds, dtype=wp.int32)
        self._taxels = t

    def _set_chain(self, t: Any, chain: dict[str, Any], row: dict[str, Any]) -> None:
        top = 2.0 ** chain["bits"] - 1 if chain["unit"] == "counts" else 0.0
        factor = np.array(row["areas"]) if row["force"] and chain["unit"] == "Pa" else 1.0
        t.gain = wp.array(factor * np.array(chain["gains"]), dtype=wp.float32)
        t.offset = wp.array(chain["offsets"], dtype=wp.float32)
        t.noise_mean = float(chain["noise_mean"])
        lo, hi = chain["saturation_lo"], chain["saturation_hi"]
        counts = chain["unit"] == "counts"
        t.lo = max(-1e30 if lo is None else lo, 0.0 if counts else -1e30)
        t.hi = min(1e30 if hi is None else hi, top if counts else 1e30)
        t.quantum = float(chain["quantum"])
        t.counts, t.code_zero, t.code_sign = int(counts), 0.0, 1.0
        if counts and chain["inverted"]:
            t.code_zero, t.code_sign = top, -1.0
        t.seed = int(chain["seed"]) + 104729 * int(row["sensor"])

    def read(self, m: Any, d: Any, pairs: Any, patch: Any, touch: Any) -> None:
        """Called inside the step."""
        n, t = (d.nworld, self.count), self._taxels
        wp.launch(readings.read_taxels, n, [d.geom_xmat, pairs, patch, touch, t])
        wp.launch(readings.count_samples, d.nworld, [d.time, m.opt.timestep, t])
        wp.launch(readings.run_chain, n, [t])
        at = self._address
        for what, (name, width) in enumerate((("pressure", 1), ("shear", 2), ("slip", 1))):
            if name in self._outputs:
                wp.launch(readings.to_sensordata, n, [at, what, t, d.sensordata])
                at += width * self.count

    @property
    def pressure(self) -> wp.array:
        return self._taxels.pressure

    @property
    def reading(self) -> wp.array:
        return self._taxels.reading

    @property
    def shear(self) -> wp.array:
        return self._taxels.shear

    @property
    def slip(self) -> wp.array:
        return self._taxels.slip

    @property
    def gain(self) -> wp.array:
        return self._taxels.world_gain

    @property
    def noise(self) -> wp.array:
        return self._taxels.world_noise

    @property
    def image(self) -> wp.array:
        """``reading`` as (worlds, rows, columns)."""
        if self.shape is None:
            raise _core.Error(f"warp: the taxels of {self.name!r} lie in no rows; use reading")
        return self.reading.reshape((self.reading.shape[0], *self.shape))
