"""taxel press with --model gel: a press into an elastic gel of particles."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..common.scipy import need_scipy
from ..press import GelPress, press_gel
from ..report import Output, need_matplotlib, pictures_line, watching
from .common import recorded, recording, with_recording


def numbers_of(result: GelPress) -> dict[str, Any]:
    """What --json writes of a press into a gel."""
    return {
        "sensor": result.sensor,
        "object": result.object,
        "model": "gel",
        "depth_m": result.depth,
        "force_N": result.force,
        "torque_Nm": result.torque,
        "taxel_force_sum_N": result.reading.load,
        "peak_displacement_m": result.peak,
        "contact_area_m2": result.area,
        "max_pressure_Pa": result.max_pressure,
        "unit": result.unit,
        "shape": result.displacement.shape,
        "displacement_m": result.displacement,
        "reading": result.reading.values,
        "particles": result.particles,
        "cell_m": result.cell,
        "steps": result.steps,
        "mach": result.mach,
        "time_s": result.seconds,
    }


def summary(result: GelPress) -> str:
    x, y, z = result.force
    rows, cols = result.displacement.shape[:2]
    return (
        f"{result.sensor} + {result.object}: {z:.5g} N ({x:.2g} and {y:.2g} N sideways), {1e3 * result.depth:.3f} mm "
        f"deep\nthe face moves by {1e3 * result.peak:.3f} mm at most ({rows} x {cols} points); "
        f"{1e6 * result.area:.2f} mm2 in contact, at most {result.max_pressure / 1e3:.1f} kPa\n"
        f"{result.reading.load:.5g} N over {result.reading.values.size} taxels\n"
        f"{result.particles} particles, cells of {1e3 * result.cell:g} mm, {result.steps} steps below Mach "
        f"{result.mach:.2g}, {result.seconds:.1f} s"
    )


def run(options: argparse.Namespace, folder: Path | None, out: Output) -> int:
    from ..viewer.gel_figure import gel_figure

    if options.sensor.endswith(".xml"):
        raise ValueError("gels are pressed on sensors of the catalogue; an .xml model runs in your own script")
    for name in ("soft", "readout", "contact"):
        if getattr(options, name):
            raise ValueError(f"--{name} is for models with one stiffness; leave it out with --model gel")
    need_scipy("--model gel")
    keys: dict[str, Any] = {"electronics": True} if options.electronics else {}
    if options.seed is not None:
        keys["seed"] = options.seed
    with recording(options.record) as tape, watching(f"press: {options.sensor} + {options.object}"):
        result = press_gel(
            options.sensor,
            options.object,
            depth=options.depth,
            force=options.force,
            friction=options.friction,
            yaw=options.yaw,
            pitch=options.pitch,
            offset=tuple(options.offset),
            record=tape,
            **keys,
        )
    out.print(summary(result))
    name = f"{result.sensor}_{result.object}_gel".replace(" ", "_")
    files = [gel_figure(need_matplotlib(), folder / f"{name}.png", result)] if folder else []
    out.print("\n" + pictures_line(files))
    out.finish(with_recording({**numbers_of(result), "pictures": files}, tape, out))
    return recorded(tape)
