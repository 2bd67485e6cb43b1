"""What a skin costs on a Shadow hand, beside the bare hand in the same run, and what the magnetometers cost.

PYTHONPATH=build/fixtures python benchmarks/hand_speed.py --out benchmarks/results

The hand of gymnasium-robotics with its egg, at rest in the open hand; one thread, CPU time, median of the steps. Bare:
the same model with MuJoCo's own contact and the elliptic cone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel
from taxel.experiments.robot.packages import GYMNASIUM_ROBOTICS
from taxel.robots import cover_shadow


def hand() -> Any:
    spec = mujoco.MjSpec.from_file(str(GYMNASIUM_ROBOTICS.file("hand/manipulate_egg.xml")))
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return spec


def median_us(function: Callable[[], Any], count: int = 300) -> float:
    times = []
    for _ in range(count):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return 1e6 * float(np.median(times))


def step_us(spec: Any) -> float:
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=500)
    return median_us(lambda: mujoco.mj_step(model, data))


def row(name: str, bare: float, **options: Any) -> dict[str, Any]:
    spec = hand()
    cover = cover_shadow(spec, **options)
    taxels = sum(sensor.count for sensor in cover.open(spec.compile()).values())
    us = step_us(spec)
    return {"skin": name, "skins": len(cover.sensors), "taxels": taxels, "us": us, "bare_us": bare, "ratio": us / bare}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where hand_speed.json goes")
    out = parser.parse_args().out
    bare = step_us(hand())
    rows = [
        row("4.7 mm, pressure and shear", bare),
        row("4.7 mm, pressure", bare, output="pressure"),
        row("3 mm, pressure and shear", bare, pitch=3e-3),
        row("read on demand", bare, on_demand=True),
        row(
            "flat modules, 16 x 24 mm",
            bare,
            sensor=taxel.sensors.pad(size=(0.016, 0.024), shape=(6, 4), thickness=0.003),
        ),
    ]
    skin = taxel.sensors.anyskin()
    chips, shape = taxel.sensors.Magnetometers(skin), skin.shape
    pressure, shear = np.full(shape, 1e4), np.zeros((2, *shape))
    magnetometers = median_us(lambda: chips.change(pressure, shear), 50)
    for one in rows:
        words = f"{one['us']:7.0f} us a step, bare {bare:.0f} us, {one['ratio']:.1f} times"
        print(f"{one['skin']:28} {one['taxels']:6} taxels {words}")
    print(f"five magnetometers over {chips.dipoles} dipoles: {magnetometers:.0f} us")
    if out:
        found = {"rows": rows, "magnetometers_us": magnetometers, "dipoles": chips.dipoles}
        (out / "hand_speed.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
