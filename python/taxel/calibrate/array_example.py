"""A synthetic recording: presses of a robot on an array whose parameters are known, through skin and signal chain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..skin import SignalChain
from .press_model import PressModel
from .presses import Indenter, Pad, Presses

INDENTERS = (
    Indenter("sphere", radius=0.02),
    Indenter("cylinder", radius=0.012, length=0.04),
    Indenter("flat", radius=0.012),
    Indenter("box", length=0.03, width=0.02),
)
MYRMEX = Pad(size=(0.08, 0.08), thickness=0.018, shape=(16, 16), pitch=(0.005, 0.005), unit="counts", bits=12)


@dataclass(frozen=True)
class Planted:
    """Everything about the device and the set-up. ``chain``: keys of the signal chain."""

    pad: Pad = MYRMEX
    modulus: float = 3e4
    touch: float = 1.5e-4
    """What depth_m reads when the indenter touches, m."""
    force_noise: float = 0.02
    tare: float = 0.0
    chain: dict[str, Any] = field(
        default_factory=lambda: {
            "unit": "counts",
            "bits": 12,
            "full_scale": 5e4,
            "inverted": True,
            "gain": 0.08,
            "offset": (60, 12),
            "noise": (0, 3),
            "dead": [37],
            "stuck": [200],
            "stuck_value": 1500,
        }
    )
    indenters: tuple[Indenter, ...] = INDENTERS
    tilt: float = 0.0
    """Greatest roll and pitch, rad."""


def make_example(
    planted: Planted | None = None,
    *,
    presses: int = 60,
    depths: tuple[float, ...] = (0.001, 0.002, 0.003, 0.004),
    repeats: int = 1,
    still: int = 20,
    seed: int = 0,
) -> Presses:
    """Presses at random places that cover the pad, each at several depths, and frames without load before them."""
    p = planted or Planted()
    rng = np.random.default_rng(seed)
    pad = p.pad
    # A lattice, shaken: random places leave holes.
    across = max(1, round(math.sqrt(presses * pad.size[0] / pad.size[1])))
    down = math.ceil(presses / across)
    cells = rng.permutation(across * down)[:presses]
    u = (np.column_stack([cells % across, cells // across]) + rng.uniform(0.2, 0.8, (presses, 2))) / (across, down)
    places = (u - 0.5) * (0.96 * np.array(pad.size))
    frames, names = [], []
    frames += [(-1, 0, 0, 0, 0, 0, math.nan)] * still
    names += ["0"] * still
    for k in range(presses):
        yaw, tilt = rng.uniform(-math.pi, math.pi), rng.uniform(-p.tilt, p.tilt, 2)
        for depth in depths:
            for _ in range(repeats):
                frames.append((k % len(p.indenters), *places[k], yaw, *tilt, depth))
                names.append(str(k + 1))
    table = np.array(frames)
    count = len(table)
    blank = Presses(
        pad=pad,
        indenters=list(p.indenters),
        press=np.array(names),
        indenter=table[:, 0].astype(int),
        pose=table[:, 1:6],
        depth=table[:, 6],
        force=np.full(count, math.nan),
        readings=np.zeros((count, pad.taxels)),
    )
    model = PressModel(blank)
    loaded = np.flatnonzero(blank.loaded)
    true_depth = table[loaded, 6] - p.touch
    pressures, force = np.zeros((count, pad.taxels)), np.zeros(count)
    pressures[loaded] = p.modulus * model.pressures(loaded, true_depth)
    force[loaded] = p.modulus * model.forces(loaded, true_depth)
    chain = SignalChain(model.skin.layout, 0.1, description={"seed": seed, **p.chain})
    readings = np.array([chain(0.1 * k, row) for k, row in enumerate(pressures)])
    return blank.but(
        force=force + p.tare + p.force_noise * rng.standard_normal(count),
        readings=readings,
        notes=[f"synthetic; planted: {describe(p)}"],
    )


def describe(p: Planted) -> str:
    """The planted numbers, in a line."""
    c = p.chain
    scale = (2 ** c["bits"] - 1) / c["full_scale"] if c.get("unit") == "counts" else 1.0
    parts = [
        f"modulus {p.modulus:g} Pa",
        f"touch point {1e3 * p.touch:g} mm",
        f"gain {-scale if c.get('inverted') else scale:.5g} {p.pad.unit}/Pa",
        f"gain spread {100 * c.get('gain', 0):g} %",
        f"noise {c.get('noise', (0, 0))[1]:g} {p.pad.unit}",
        f"dead {c.get('dead', [])}",
        f"stuck {c.get('stuck', [])}",
    ]
    return ", ".join(parts)
