"""taxel press with markers: after the press the object may slide, twist and roll."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..press import MarkerFrame, MarkerPress, press_markers
from ..report import Output, need_matplotlib, pictures_line, table, watching
from .common import recorded, recording, with_recording

MOTIONS = ("slide", "twist", "roll")
MARKER_OPTIONS = ("mode", "friction", "contact")


def add_motions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "markers", "What printed markers do (docs/guide/marker-sensor.md); with one of the motions --model is marker."
    )
    group.add_argument(
        "--slide", metavar="MM[,DEG]", help="then slide so far, in the direction DEG (default: 0, along x)"
    )
    group.add_argument("--twist", type=float, metavar="DEG", help="then turn about the vertical")
    group.add_argument("--roll", metavar="DEG[,DEG]", help="then roll, in the direction of the second angle")
    group.add_argument(
        "--mode",
        choices=("layer", "taxel", "paper", "release"),
        help="an elastic layer, taxel's quick model, HydroShear's paper or its code",
    )
    group.add_argument("--camera", metavar="FILE", help="a calibrated camera (.npz) for the image; else a made-up one")


def wants_markers(options: argparse.Namespace) -> bool:
    """Says the command line that this is a press with markers?"""
    motions = [name for name in MOTIONS if getattr(options, name) is not None]
    if options.model not in (None, "marker") and motions:
        raise ValueError(f"--{motions[0]} is for markers, not for --model {options.model}; leave one of them out")
    if options.model == "marker" or motions:
        return True
    for name in ("mode", "camera"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} is for markers; add --model marker, or a motion such as --slide 1")
    return False


def two_numbers(option: str, text: str | None, unit: str) -> tuple[float, float]:
    """ "1.5" or "1.5,90"."""
    if text is None:
        return 0.0, 0.0
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ValueError(
            f"--{option} is {text!r}; give {unit}, or {unit} and a direction in degrees: --{option} 1.5,90"
        )
    return numbers[0], numbers[1] if len(numbers) == 2 else 0.0


def numbers_of_frame(frame: MarkerFrame) -> dict[str, Any]:
    return {
        "motion": frame.motion,
        "max_px": frame.lengths.max(),
        "mean_px": frame.lengths.mean(),
        "mean_vector_px": frame.mean,
        "direction_deg": frame.direction,
        "contact_area_m2": frame.area,
        "deepest_m": frame.penetration.max(),
        "points_inside": frame.inside,
        "wrench_on_gel": frame.wrench,
        "displacement_px": frame.displacement,
    }


def numbers_of(result: MarkerPress) -> dict[str, Any]:
    """What --json writes of a press with markers."""
    return {
        "sensor": result.sensor,
        "object": result.object,
        "model": "marker",
        "mode": result.mode,
        "depth_m": result.depth,
        "force_N": result.force,
        "pixel_m": result.pixel,
        "shape": result.markers.shape[:-1],
        "markers_m": result.markers,
        "state_size": result.state_size,
        "step_us": result.step_us,
        "contact_radius_m": result.contact,
        "marker_pitch_m": result.pitch,
        **({} if result.size is None else {"size_error": result.size.error}),
        "frames": [numbers_of_frame(frame) for frame in result.frames],
    }


def force_text(force: np.ndarray) -> str:
    """Two decimals, more where the largest component needs them for two digits."""
    largest = float(np.abs(force).max())
    digits = 2 if largest == 0 else min(max(2, 1 - math.floor(math.log10(largest))), 6)
    return " ".join(f"{f:.{digits}f}" for f in force)


def notes(result: MarkerPress) -> list[str]:
    """What to know of this press, a line each."""
    found, first = [], result.frames[0]
    if first.inside == 0:
        found.append(
            f"warning: no {'cell' if result.mode == 'layer' else 'tracked point'} is inside the gel: the contact is "
            f"smaller than the model resolves, and nothing of it is read; give a larger depth than "
            f"{1e3 * result.depth:.3g} mm or a larger object"
        )
    elif 0 < 2 * result.contact < result.pitch:
        found.append(
            f"warning: a contact of {1e3 * result.contact:.2g} mm radius, and the markers are "
            f"{1e3 * result.pitch:.2g} mm apart: what they show hangs on where it lies between them (--offset)"
            + (", the force does not" if first.wrench is not None else "")
        )
    if result.size is not None and result.size.worth_saying and first.wrench is not None and first.inside:
        found.append(result.size.text(-float(first.wrench[2])))
    return ["", *found] if found else []


def summary(result: MarkerPress) -> str:
    force = "" if result.force is None else f" (where the gel as a pressure field gives {result.force:g} N)"
    count = " x ".join(map(str, result.markers.shape[:-1]))
    lines = [
        f"{result.sensor} + {result.object}: {count} markers, mode {result.mode}, "
        f"{1e3 * result.depth:.3f} mm deep{force}",
        "",
    ]
    forces = result.frames[0].wrench is not None
    header: tuple[str, ...] = (
        "after",
        "max, px",
        "max, mm",
        "mean, px",
        "mean vector, px",
        "direction",
        "contact, mm2",
        "cells inside" if result.mode == "layer" else "points inside",
    )
    cells = [
        (
            frame.motion,
            f"{frame.lengths.max():.3f}",
            f"{1e3 * result.pixel * frame.lengths.max():.4f}",
            f"{frame.lengths.mean():.3f}",
            f"{frame.mean[0]:.3f} {frame.mean[1]:.3f}",
            f"{round(frame.direction)} deg" if np.linalg.norm(frame.mean) > 0.02 * frame.lengths.max() else "-",
            f"{1e6 * frame.area:.2f}",
            str(frame.inside),
            *([force_text(frame.wrench[:3])] if frame.wrench is not None else []),
        )
        for frame in result.frames
    ]
    header += ("force on gel, N",) if forces else ()
    lines += [table(header, cells), *notes(result), "", f"{result.step_us:.0f} us a step of MuJoCo with the sensor"]
    return "\n".join(lines)


def run(options: argparse.Namespace, folder: Path | None, out: Output) -> int:
    from ..image import TactileCamera
    from ..viewer.marker_figure import marker_figure

    if options.sensor.endswith(".xml"):
        raise ValueError("markers are pressed on sensors of the catalogue; an .xml model runs in your own script")
    for name in ("soft", "readout", "electronics"):
        if getattr(options, name):
            raise ValueError(f"--{name} is for pressures; leave it out with markers")
    if options.contact is not None and options.mode not in (None, "taxel"):
        why = "knows every size of contact" if options.mode == "layer" else "is as published, without a material"
        raise ValueError(f"--contact is for models with one stiffness, and mode {options.mode} {why}; leave it out")
    if options.seed is not None and options.mode == "layer":
        raise ValueError(f"--seed is {options.seed}, of random points, and mode layer has none; leave it out")
    slide, slide_angle = two_numbers("slide", options.slide, "millimetres")
    roll, roll_angle = two_numbers("roll", options.roll, "degrees")
    keys = {
        name: getattr(options, name) for name in ("mode", "friction", "contact") if getattr(options, name) is not None
    }
    if options.seed is not None:
        keys["point_seed"] = options.seed
    camera = None if options.camera is None else TactileCamera.load(options.camera)
    with recording(options.record) as tape, watching(f"press: {options.sensor} + {options.object}"):
        result = press_markers(
            options.sensor,
            options.object,
            depth=options.depth,
            force=options.force,
            slide=1e-3 * slide,
            slide_angle=slide_angle,
            twist=options.twist or 0.0,
            roll=roll,
            roll_angle=roll_angle,
            yaw=options.yaw,
            pitch=options.pitch,
            offset=tuple(options.offset),
            record=tape,
            camera=camera,
            **keys,
        )
    out.print(summary(result))
    name = f"{result.sensor}_{result.object}_markers".replace(" ", "_")
    files = [marker_figure(need_matplotlib(), folder / f"{name}.png", result, camera)] if folder else []
    out.print("\n" + pictures_line(files))
    out.finish(with_recording({**numbers_of(result), "pictures": files}, tape, out))
    return recorded(tape)
