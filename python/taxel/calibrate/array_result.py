"""What the calibration of a taxel array found: report, numbers, and the keys of a sensor that behaves like it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from .._core import Error
from ..common.description import to_text
from ..skin import Layout
from .force_fit import ForceFit
from .presses import Pad
from .readings_fit import ReadingsFit
from .statistics import Estimate


@dataclass(frozen=True)
class ArrayCalibration:
    pad: Pad
    layout: Layout
    modulus: Estimate
    """Pa; an interval of no width where it was given."""
    force: ForceFit | None
    """None where the modulus was given."""
    tare: float
    """N, taken off the forces."""
    gain: Estimate
    """Mean over the taxels, units per Pa; negative where readings fall under load."""
    readings: ReadingsFit
    spread: Estimate | None
    """m, where it was asked for."""
    pressures: np.ndarray
    """(frames, taxels), Pa, as modelled."""
    measured: np.ndarray
    frames: dict[str, int]
    notes: list[str]

    @property
    def suspicious(self) -> dict[str, list[int]]:
        """Taxels to look at, by what is wrong with them."""
        d = self.readings.defects
        return {
            "dead": d.dead,
            "stuck": sorted(d.stuck),
            "odd gain": d.odd,
            "noisy": d.noisy,
            "saturated": sorted(self.readings.saturated),
            "not pressed": self.readings.not_pressed,
        }

    # --- words ---

    def rows(self) -> list[tuple[str, str, str, str]]:
        """(what, value, 95 % interval, remark)."""
        r, unit = self.readings, self.pad.unit
        rows = []

        def row(what: str, one: Estimate, scale: float, of: str, remark: str = "") -> None:
            if one.high > one.low and math.isfinite(one.half):
                value, low, high = (_rounded(x * scale, one.half * scale) for x in (one.value, one.low, one.high))
                rows.append((what, f"{value} {of}", f"{low} .. {high}", remark))
            else:
                rows.append((what, f"{show(one.value * scale)} {of}", "-", remark))

        row("modulus", self.modulus, 1, "Pa", "" if self.force else "given")
        if self.force:
            f = self.force
            titles = list(f.touch)
            for title in titles if len(titles) <= 6 else []:
                row("touch point" + ("" if title == "all" else f", {title}"), f.touch[title], 1e3, "mm of depth_m")
            if len(titles) > 6:
                values = [1e3 * t.value for t in f.touch.values()]
                between = f"{show(min(values))} .. {show(max(values))}"
                rows.append(
                    ("touch points", f"{show(float(np.mean(values)))} mm of depth_m", between, "least and greatest")
                )
            if len(f.by_indenter) > 1:
                for title, one in f.by_indenter.items():
                    row(f"  by {title}", one, 1, "Pa")
            part = 100 * f.residual / float(np.abs(f.measured).max())
            rows.append(("force residual", f"{f.residual:.3g} N", "", f"{part:.2g} % of the largest force"))
            if f.nonlinearity is not None:
                row("force nonlinearity", f.nonlinearity, 100, "%", "at the greatest depth")
        if self.tare:
            rows.append(("tare", f"{self.tare:.3g} N", "", "load cell without load; taken off"))
        row("gain", self.gain, 1, f"{unit}/Pa", "readings fall under load" if self.gain.value < 0 else "")
        row("gain spread", r.gain_spread, 100, "%", "from taxel to taxel")
        good = self._good()
        offsets = r.offsets[good]
        rows.append(
            ("offset", f"{show(offsets.mean())} {unit}", "", f"spread {offsets.std():.3g} {unit} from taxel to taxel")
        )
        row("noise", r.noise, 1, unit, r.noise_from)
        if r.quantum:
            rows.append(("step", f"{r.quantum:.4g} {unit}", "", "of the readings"))
        ends = [f"{e:.5g}" if math.isfinite(e) else "none" for e in r.range]
        if ends != ["none", "none"]:
            rows.append(("range", f"{ends[0]} .. {ends[1]} {unit}", "", "readings at its ends are left out"))
        if self.spread:
            row("spread", self.spread, 1e3, "mm", "of a load under the cover")
        part = 100 * r.residual / float(np.abs(self.gain.value) * self.pressures.max())
        rows.append(("reading residual", f"{r.residual:.3g} {unit}", "", f"{part:.2g} % of the largest signal"))
        if r.bend is not None:
            rows.append(("reading nonlinearity", f"{100 * r.bend:.2g} %", "", "at the highest pressure"))
        if r.shift is not None:
            for name, one in zip("xy", r.shift, strict=True):
                row(f"shift along {name}", one, 1e3, "mm", "of the readings against the model")
        return rows

    def report(self) -> str:
        """A table and the list of suspicious taxels, as text."""
        rows = [("", "fitted", "95 % interval", ""), *self.rows()]
        widths = [max(len(r[i]) for r in rows) for i in range(3)]
        lines = [f"{r[0]:{widths[0]}}  {r[1]:>{widths[1]}}  {r[2]:>{widths[2]}}  {r[3]}".rstrip() for r in rows]
        lines.insert(1, "  ".join("-" * w for w in widths))
        f = self.frames
        shape = " x ".join(map(str, self.pad.shape))
        head = f"{f['all']} frames, {f['presses']} presses, {f['no load']} frames without load; {shape} taxels"
        return "\n".join([head, "", *lines, "", *self._taxel_lines(), *(f"note: {n}" for n in self.notes)]).rstrip()

    def _taxel_lines(self) -> list[str]:
        lines = []
        for what, taxels in self.suspicious.items():
            if not taxels:
                continue
            if what == "stuck":
                names = [f"{i} at {self.readings.defects.stuck[i]:g}" for i in taxels]
            elif what == "odd gain":
                names = [f"{i} ({self._raw_ratio(i):.2g} of the mean)" for i in taxels]
            else:
                names = [str(i) for i in taxels]
            shown = ", ".join(names[:16]) + (f", ... ({len(names)} in all)" if len(names) > 16 else "")
            lines.append(f"{what}: taxel {shown}" if len(names) == 1 else f"{what}: taxels {shown}")
        return lines or ["no suspicious taxels"]

    def _raw_ratio(self, i: int) -> float:
        p = self.pressures[:, i] - self.pressures[:, i].mean()
        return float(p @ self.measured[:, i] / (p @ p) / self.gain.value)

    def _good(self) -> np.ndarray:
        good = np.ones(self.pad.taxels, bool)
        good[self.readings.defects.all] = False
        return good

    # --- numbers ---

    def numbers(self) -> dict[str, Any]:
        r, f = self.readings, self.force
        good = self._good()
        return {
            "frames": self.frames,
            "unit": self.pad.unit,
            "modulus": self.modulus.numbers(),
            "modulus_given": f is None,
            "touch": {k: t.numbers() for k, t in f.touch.items()} if f else {},
            "modulus_by_indenter": {k: e.numbers() for k, e in f.by_indenter.items()} if f else {},
            "force_residual": f.residual if f else None,
            "force_nonlinearity": f.nonlinearity.numbers() if f and f.nonlinearity else None,
            "tare": self.tare,
            "gain": self.gain.numbers(),
            "gain_spread": r.gain_spread.numbers(),
            "gains": r.gains,
            "gain_errors": r.gain_errors,
            "offset": {"mean": float(r.offsets[good].mean()), "std": float(r.offsets[good].std())},
            "offsets": r.offsets,
            "noise": {**r.noise.numbers(), "from": r.noise_from},
            "quantum": r.quantum,
            "range": list(r.range),
            "spread": self.spread.numbers() if self.spread else None,
            "reading_residual": r.residual,
            "reading_nonlinearity": r.bend,
            "shift": [s.numbers() for s in r.shift] if r.shift else None,
            "suspicious": self.suspicious,
            "stuck_values": r.defects.stuck,
            "notes": self.notes,
            "keys": self.keys() if self.usable_keys else None,
        }

    # --- keys ---

    def keys(self) -> dict[str, dict[str, Any]]:
        """What makes a sensor of taxel behave like the device.

        body     for ``taxel.Body.box``
        soften   for ``taxel.soften``, on a box geom of the pad's size
        skin     for ``taxel.Skin``
        chain    for ``taxel.SignalChain(..., description=...)``: this very device
        sensor   for ``taxel.add_sensor``: skin and chain
        drawn    chain of another device of the same kind: gains and offsets drawn by ``seed``
        """
        if not self.usable_keys:
            raise Error(
                "the readings fall under load, which the signal chain knows for counts alone; give the key bits, as in "
                '"# bits: 12"'
            )
        body = {**self.pad.body, "modulus": _digits(self.modulus.value)}
        soften = {k: v for k, v in body.items() if k != "size"}
        chain = self._chain()
        drawn = {k: v for k, v in chain.items() if k not in ("gains", "offsets", "dead", "stuck", "stuck_value")}
        good = self._good()
        unit, offsets = chain["unit"], np.asarray(chain["offsets"])[good]
        drawn["offset"] = [_digits(offsets.mean()), _digits(offsets.std())]
        if unit == "counts":
            drawn["gain"] = _digits(min(1.0, self.readings.gain_spread.value))
        else:
            drawn["gains"] = [_digits(np.mean(np.asarray(chain["gains"])[good]))]
        skin = self.pad.skin
        sensor = {**skin, **chain}
        return {"body": body, "soften": soften, "skin": skin, "chain": chain, "sensor": sensor, "drawn": drawn}

    def _chain(self) -> dict[str, Any]:
        r = self.readings
        gains, offsets = np.abs(r.best_gains), r.offsets
        noise, (low, high) = r.noise.value, r.range
        chain: dict[str, Any] = {}
        stuck, falls = r.defects.stuck, self.gain.value < 0
        if self.pad.bits is not None:
            highest = 2**self.pad.bits - 1
            chain |= {"unit": "counts", "bits": self.pad.bits, "full_scale": _digits(highest / abs(self.gain.value))}
            gains = gains / abs(self.gain.value)
            if falls:
                chain["inverted"] = True
                offsets, low, high = highest - offsets, highest - high, highest - low
            low, high = (low if low > 0 else -math.inf), (high if high < highest else math.inf)
        else:
            chain["unit"] = "N" if self.pad.unit == "N" else "Pa"
            if chain["unit"] == "N":
                gains = gains / self.layout.areas
            if r.quantum > 0:
                chain["quantum"] = _digits(r.quantum)
        if self.spread and self.spread.value > 0:
            chain["spread"] = _digits(self.spread.value)
        chain["gains"] = [_digits(g) for g in gains]
        chain["offsets"] = [_digits(o) for o in np.where(np.isfinite(offsets), offsets, 0)]
        chain["noise"] = [0, _digits(noise)]
        if math.isfinite(high) and high > 0:
            chain["saturation"] = [_digits(low), _digits(high)] if math.isfinite(low) else [_digits(high)]
        dead = sorted({*r.defects.dead, *([] if len(set(stuck.values())) <= 1 else self._other_stuck())})
        if dead:
            chain["dead"] = dead
        if stuck:
            value = self._stuck_value()
            chain["stuck"] = [i for i in sorted(stuck) if stuck[i] == value]
            chain["stuck_value"] = _digits(value)
        return chain

    def _stuck_value(self) -> float:
        """The chain has one value for all stuck taxels: the commonest."""
        values = list(self.readings.defects.stuck.values())
        return max(values, key=values.count)

    def _other_stuck(self) -> list[int]:
        value = self._stuck_value()
        return [i for i, v in self.readings.defects.stuck.items() if v != value]

    @property
    def usable_keys(self) -> bool:
        """False where the chain has no such device: readings that fall with load need ``bits``."""
        return self.gain.value > 0 or self.pad.bits is not None

    def mjcf(self, geom: str = "pad") -> str:
        """The same as MJCF, to paste."""
        keys = self.keys()

        def lines(parameters: dict[str, Any], indent: str) -> str:
            return "\n".join(
                f"{indent}<config key={quoteattr(k)} value={quoteattr(to_text(v))}/>" for k, v in parameters.items()
            )

        size = " ".join(f"{s / 2:.6g}" for s in keys["body"]["size"])
        return f"""<!-- <option cone="elliptic"/>, and the pad: <geom name="{geom}" type="box" size="{size}"/> -->
<extension>
  <plugin plugin="taxel">
    <instance name="{geom}_soft">
{lines(keys["soften"], "      ")}
    </instance>
  </plugin>
</extension>
<custom><tuple name="{geom}_soft"><element objtype="geom" objname="{geom}"/></tuple></custom>
<sensor>
  <plugin name="{geom}_touch" plugin="taxel" objtype="geom" objname="{geom}">
{lines(keys["sensor"], "    ")}
  </plugin>
</sensor>"""


def show(x: float, digits: int = 4) -> str:
    """Four digits, without an exponent where people would write none."""
    text = f"{float(x):.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(x) < 1e7 else text


def _rounded(x: float, error: float) -> str:
    """As many digits as make sense with an error of that size: two of its own."""
    decimals = 1 - math.floor(math.log10(error))
    return f"{round(x, decimals) + 0.0:.{max(0, decimals)}f}"


def _digits(x: float, digits: int = 6) -> float:
    return float(f"{float(x):.{digits}g}")
