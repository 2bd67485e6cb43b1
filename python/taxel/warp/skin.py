"""One tactile sensor in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _core
from . import readings
from .chain import Chain
from .scene import Pair

_MOST_MEMORY = 40e9
"""bytes"""


class Skin:
    """Arrays on the device, one row a world; they are overwritten by the next step and never move.

    ``pressure``  (worlds, taxels) mean pressure, Pa, as it acts
    ``reading``   (worlds, taxels) the same through the signal chain, in its unit: what ``sensordata`` has
    ``shear``     (worlds, taxels) pairs, Pa, along the taxel's two axes, as it acts
    ``slip``      (worlds, taxels) share of the friction bound in use
    ``saturated`` (worlds, taxels) 1 where a bristle is pressed beyond its length
    ``gain``      (worlds,) factor of the sensitivity, yours to change; ``noise`` (worlds,) standard deviation, unit

    Each is a ``warp.array``: ``wp.to_torch``, ``wp.to_jax``, ``cupy.asarray`` and DLPack take it without a copy.
    """

    def __init__(
        self, model: Any, row: dict[str, Any], pairs: list[Pair], starts: np.ndarray, columns: int, worlds: int
    ):
        self.name: str = row["name"]
        where = f"warp: sensor {self.name!r}"
        if row["rays"] or not (row["mean"] or row["force"]) or row["elastic"]:
            raise _core.Error(
                f'{where}: readout is rays, aggregate neither mean nor force, or source "elastic"; use readout="exact" '
                "and leave aggregate and source out"
            )
        if "truth" in row["outputs"]:
            raise _core.Error(f"{where}: output truth is not told in mujoco_warp; leave it out")
        shares = np.array(row["shares"], float).reshape(-1, 3)
        if columns and not len(shares):
            raise _core.Error(
                f"{where}: its taxels cut through the columns; set spacing (or resolution of the geom) to the pitch "
                "of the taxels or a whole part of it"
            )
        self.count = len(row["areas"])
        self.shape = (row["rows"], row["cols"]) if row["rows"] else None
        self._outputs = row["outputs"]
        self._address = int(model.sensor_adr[row["sensor"]])
        self._taxels = self._make_taxels(row, pairs, starts, shares, worlds)
        self._pressing = self._make_pressing(row, pairs, starts, worlds)
        self._gain = wp.full(worlds, 1.0, dtype=wp.float32)
        self._noise = wp.full(worlds, float(row["chain"]["noise_std"]), dtype=wp.float32)
        size = 4.0 * worlds * self.count * row["chain"].get("frames", 0)
        if size > _MOST_MEMORY:
            raise _core.Error(
                f"{where}: its delay keeps {size / 1e9:.0f} GB of samples in {worlds} worlds; shorten the delay, lower "
                "the rate, or use fewer worlds"
            )
        told = [0] * ("pressure" in self._outputs) + [1, 2] * ("shear" in self._outputs)
        self._chains = {
            what: Chain(row, channel, what, worlds, float(model.opt.timestep)) for channel, what in enumerate(told)
        }

    def _make_taxels(
        self, row: dict[str, Any], pairs: list[Pair], starts: np.ndarray, shares: np.ndarray, worlds: int
    ) -> Any:
        """With the columns of every pair that this skin has a part in, as the pairs count them, taxel by taxel."""
        rows = [shares + [starts[k], 0, 0] for k, pair in enumerate(pairs) if pair.skin == row["geom"]]
        number, taxel, part = np.concatenate(rows or [np.zeros((0, 3))]).T  # none: it touches nothing
        order = np.argsort(taxel, kind="stable")
        t = readings.Taxels()
        t.first = wp.array(np.searchsorted(taxel[order], np.arange(self.count + 1)), dtype=wp.int32)
        t.column = wp.array(number[order].astype(np.int32), dtype=wp.int32)
        t.part = wp.array(part[order], dtype=wp.float32)
        t.area = wp.array(row["areas"], dtype=wp.float32)
        t.point = wp.array(row["points"], dtype=wp.vec3)
        t.normal = wp.array(row["normals"], dtype=wp.vec3)
        t.axis = wp.array(row["axes"], dtype=wp.vec3)
        t.geom = int(row["geom"])
        zeros = (worlds, self.count)
        t.pressure, t.slip, t.saturated = (wp.zeros(zeros, dtype=wp.float32) for _ in range(3))
        t.shear = wp.zeros(zeros, dtype=wp.vec2)
        return t

    def _make_pressing(self, row: dict[str, Any], pairs: list[Pair], starts: np.ndarray, worlds: int) -> Any:
        """Columns of the pairs in which this skin's geom is the other."""
        numbers = [np.arange(starts[k], starts[k + 1]) for k, pair in enumerate(pairs) if pair.other == row["geom"]]
        number = np.concatenate(numbers or [np.zeros(0, int)])
        p = readings.Pressing()
        p.column = wp.array(number, dtype=wp.int32)
        p.grid, p.limit = int(len(row["grid"]) > 0 and row["limit"] == 0), float(row["limit"])
        p.rows, p.cols = int(row["rows"]), max(1, int(row["cols"]))
        if p.grid:
            g = row["grid"]
            p.across_u, p.across_v, p.out, p.origin = (wp.vec3(*g[k : k + 3]) for k in (0, 3, 6, 9))
            p.corner, p.pitch = wp.vec2(*g[12:14]), wp.vec2(*g[14:16])
        p.at = wp.zeros((worlds, len(number)), dtype=wp.vec2)
        p.taxel = wp.zeros((worlds, len(number)), dtype=wp.int32)
        return p

    def advance(self, m: Any, worlds: Any) -> None:
        """At the start of a step: the memory of the signal chain moves past the last one."""
        for chain in self._chains.values():
            chain.advance(m, worlds, self.pressure, self.shear)

    def read(
        self, m: Any, d: Any, first_bristle: int, pairs: Any, worlds: Any, patch: Any, touch: Any, bristles: Any
    ) -> None:
        """Called inside the step."""
        t, pressing = self._taxels, self._pressing
        size = (d.nworld, self.count)
        if pressing.column.size:
            wp.launch(
                readings.place_pressing, (d.nworld, pressing.column.size),
                [first_bristle, d.geom_xpos, d.geom_xmat, pairs, touch, t, pressing],
            )  # fmt: skip
        wp.launch(readings.read_taxels, size, [first_bristle, d.geom_xmat, pairs, patch, touch, bristles, t, pressing])
        at = self._address
        for chain in self._chains.values():
            chain.read(m, worlds, self.pressure, self.shear, self.gain, self.noise)
            wp.launch(readings.to_sensordata, size, [at, chain.reading, d.sensordata])
            at += self.count
        for name, values in (("slip", self.slip), ("saturated", self.saturated)):
            if name in self._outputs:
                wp.launch(readings.to_sensordata, size, [at, values, d.sensordata])
                at += self.count

    def memory(self) -> dict[str, wp.array]:
        """All that lies between steps: of the signal chain, and what it has yet to take in."""
        out = {f"{what}.{name}": a for what, chain in self._chains.items() for name, a in chain.memory().items()}
        if any(chain.remembers for chain in self._chains.values()):
            out |= {"pressure": self.pressure, "shear": self.shear}
            out |= {f"{what}.fresh": chain.fresh for what, chain in self._chains.items()}
        return out

    @property
    def pressure(self) -> wp.array:
        return self._taxels.pressure

    @property
    def reading(self) -> wp.array:
        if 0 not in self._chains:
            raise _core.Error(f"warp: sensor {self.name!r} has no output pressure, so no reading of it; use pressure")
        return self._chains[0].reading

    @property
    def shear(self) -> wp.array:
        return self._taxels.shear

    @property
    def slip(self) -> wp.array:
        return self._taxels.slip

    @property
    def saturated(self) -> wp.array:
        return self._taxels.saturated

    @property
    def gain(self) -> wp.array:
        return self._gain

    @property
    def noise(self) -> wp.array:
        return self._noise

    @property
    def image(self) -> wp.array:
        """``reading`` as (worlds, rows, columns)."""
        if self.shape is None:
            raise _core.Error(f"warp: the taxels of {self.name!r} lie in no rows; use reading")
        return self.reading.reshape((self.reading.shape[0], *self.shape))
