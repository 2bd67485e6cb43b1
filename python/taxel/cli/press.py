"""taxel press: an object is pressed into a tactile sensor in MuJoCo; what does the sensor read?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..press import Press, SizeNote, press
from ..press.guided_press import check_limits
from ..press.objects import OBJECTS
from ..report import Output, add_json, can_draw, need_matplotlib, out_folder, pictures_line, table, watching
from ..sensors.material import AUTO
from . import press_gel, press_markers
from .common import add_record, check_model, recorded, recording, with_recording

SIZE = 600


def _contact(text: str) -> float | str:
    try:
        return text if text == AUTO else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no radius in m, nor {AUTO}") from None


def add_parser(commands: Any) -> None:
    sizes = ", ".join(f"{name}:{','.join(f'{x:g}' for x in default)}" for name, (_, default) in OBJECTS.items())
    parser = commands.add_parser(
        "press",
        help="press an object into a tactile sensor",
        description="Presses an object into a tactile sensor in MuJoCo, from above, until the force is steady (within "
        "50 steps it changes by less than 1e-6 of the load); prints the reading and draws it.",
    )
    parser.add_argument("sensor", help="a name of `taxel sensors`, or an .xml with exactly one tactile sensor")
    parser.add_argument(
        "object",
        help=f"{sizes} (radius, length or edges in m; cylinders and capsules lie), a mesh file (part.stl, or "
        "part.stl:0.001 in millimetres), or ycb:011_banana",
    )
    parser.add_argument("--force", type=float, metavar="N", help="load (default: 5; markers, gel: a depth of 1 mm)")
    parser.add_argument("--depth", type=float, metavar="M", help="how deep, instead of --force")
    parser.add_argument("--yaw", type=float, default=0.0, metavar="DEG", help="turn the object about the vertical")
    parser.add_argument("--pitch", type=float, default=0.0, metavar="DEG", help="tilt it about y, before the yaw")
    parser.add_argument("--offset", type=float, nargs=2, default=(0.0, 0.0), metavar=("X", "Y"), help="sideways, m")
    parser.add_argument("--soft", type=float, metavar="PA", help="modulus of the object (default: rigid)")
    parser.add_argument(
        "--friction", type=float, metavar="MU", help="of the object (default: 0); with markers of the contact (0.5)"
    )
    parser.add_argument("--timestep", type=float, default=0.002, metavar="S", help="of MuJoCo (default: 0.002)")
    parser.add_argument("--readout", choices=("exact", "rays"), help="how taxels are read (default: the sensor's own)")
    parser.add_argument(
        "--model",
        choices=("pressure", "bristle", "marker", "gel"),
        help="what the pad is: a pressure field (default), bristles as stiff as that (docs/guide/bristles.md), a gel "
        "with printed markers (gelsight_mini), or an elastic gel of particles (docs/guide/gel-sensor.md)",
    )
    parser.add_argument(
        "--contact",
        type=_contact,
        metavar="M|auto",
        help="radius of the contacts that the model's stiffness is made for (default: where the layer is softest), or "
        "auto: a pressure field follows the size of the contact (docs/theory/material.md)",
    )
    parser.add_argument("--electronics", action="store_true", help="with what the real device's electronics do")
    parser.add_argument("--seed", type=int, metavar="K", help="of noise and other random numbers")
    press_markers.add_motions(parser)
    add_record(parser)
    add_picture_options(parser, "out/press")
    add_json(parser)
    parser.set_defaults(run=run)


def add_picture_options(parser: argparse.ArgumentParser, folder: str) -> None:
    parser.add_argument("--out", default=folder, metavar="DIR", help=f"where the pictures go (default: {folder})")
    parser.add_argument("--size", type=int, default=SIZE, metavar="PX", help=f"height of a view (default: {SIZE})")


def check_picture_options(options: argparse.Namespace) -> Path | None:
    """The folder of the pictures; None where nothing can draw them."""
    if not 100 <= options.size <= 4000:
        raise ValueError(f"--size is {options.size}; give a height from 100 to 4000 pixels")
    return out_folder(options.out) if can_draw() else None


def size_numbers(size: SizeNote | None) -> dict[str, Any]:
    """What --json writes of the contact against the layer."""
    if size is None:
        return {}
    return {"contact_radius_m": size.radius, "layer_thickness_m": size.thickness, "size_error": size.error}


def numbers_of(result: Press) -> dict[str, Any]:
    """What --json writes of a press."""
    rows = result.image if result.image.ndim == 2 else result.image[None]
    return {
        "sensor": result.sensor,
        "object": result.object,
        "force_N": result.force,
        "taxel_force_sum_N": result.taxel_force,
        "load_N": result.load,
        "depth_m": result.depth,
        "contact_area_m2": result.area,
        "contact_center_m": result.center,
        "max_pressure_Pa": result.max_pressure,
        "core_force_N": result.core_force,
        "unit": result.unit,
        "shape": result.image.shape,
        "reading": rows,
        "steps": result.steps,
        "time_s": result.time,
        "step_us": result.step_us,
        "read_us": result.read_us,
        **size_numbers(result.size),
        **({} if result.microtesla is None else {"chips_m": result.chips, "magnetometers_uT": result.microtesla}),
    }


def reading_text(result: Press) -> str:
    """The reading as a table of numbers, the upper row of the picture first; long ones only in short."""
    values = result.image / 1e3 if result.unit == "Pa" else result.image
    unit = "kPa" if result.unit == "Pa" else result.unit
    digits = 0 if result.unit == "counts" else 2
    if values.ndim == 1 or values.shape[1] > 16:
        low, high = values.min(), values.max()
        text = f"{values.size} taxels, from {low:.{digits}f} to {high:.{digits}f} {unit}"
        if values.size <= 32:
            text += "\n" + " ".join(f"{v:.{digits}f}" for v in values)
        return text
    cells = [[f"{v:.{digits}f}" if v else "." for v in row] for row in values[::-1]]
    width = max(len(cell) for row in cells for cell in row)
    return f"reading, {unit}:\n" + "\n".join(" ".join(cell.rjust(width) for cell in row) for row in cells)


def magnet_text(result: Press) -> str:
    """What the magnetometers of a magnetic skin read; nothing of others."""
    if result.microtesla is None or result.chips is None:
        return ""
    rows = [
        (f"({1e3 * x:.4g}, {1e3 * y:.4g})", *(f"{b:.1f}" for b in field))
        for (x, y, _), field in zip(result.chips, result.microtesla, strict=True)
    ]
    return "\n\nmagnetometers, change against the rest:\n" + table(("at, mm", "x, uT", "y, uT", "z, uT"), rows)


def summary(result: Press) -> str:
    x, y, z = 1e3 * np.asarray(result.center)
    flat = ""
    if result.core_force > 0.02 * result.force:
        flat = f"\npressed flat: the core behind the skin holds {result.core_force:.3g} N of it"
    if result.size is not None and result.size.worth_saying:
        flat += "\n" + result.size.text(result.force)
    return (
        f"{result.sensor} + {result.object}: {result.force:.6g} N in MuJoCo, {result.taxel_force:.6g} N over the "
        f"taxels\n{1e3 * result.depth:.3f} mm deep, {1e6 * result.area:.2f} mm2 in contact, at most "
        f"{result.max_pressure / 1e3:.2f} kPa, centre ({x:.2f}, {y:.2f}, {z:.2f}) mm\n"
        f"steady after {result.steps} steps ({result.time:.2f} s); {result.step_us:.0f} us a step, "
        f"{result.read_us:.0f} us a reading{flat}"
    )


def draw(result: Press, folder: Path, size: int) -> tuple[list[Path], np.ndarray]:
    """The tactile image, the 3-D view and both side by side; also the view itself."""
    from ..viewer.press_figure import image_figure, press_figure, view, view_figure

    plt = need_matplotlib()
    name = f"{Path(result.sensor).stem}_{result.object}".replace(" ", "_")
    pixels = view(result, size)
    files = [
        press_figure(plt, folder / f"{name}.png", result, pixels),
        image_figure(plt, folder / f"{name}_image.png", result, size),
        view_figure(plt, folder / f"{name}_view.png", pixels),
    ]
    return files, pixels


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.force is not None and options.depth is not None:
        raise ValueError("--force and --depth: give one of them")
    check_limits("--", **{name: getattr(options, name) for name in ("force", "depth", "soft", "timestep")})
    if options.model is not None and not options.sensor.endswith(".xml"):
        check_model(options.sensor, options.model)
    marked = press_markers.wants_markers(options)
    if options.contact == AUTO and (marked or options.model not in (None, "pressure")):
        raise ValueError(
            f"--contact {AUTO}: a pressure field follows the size of the contact, and this is model "
            f"{'marker' if marked else options.model}; leave one of them out, or give a radius in m"
        )
    folder = check_picture_options(options)
    if marked:
        return press_markers.run(options, folder, out)
    if options.model == "gel":
        return press_gel.run(options, folder, out)
    keys = {name: getattr(options, name) for name in ("readout", "seed") if getattr(options, name) is not None}
    if options.model is not None:
        if options.sensor.endswith(".xml"):
            raise ValueError("--model is for sensors of the catalogue; an .xml says itself what its pad is")
        keys["model"] = options.model
    if options.contact is not None:
        if options.sensor.endswith(".xml"):
            raise ValueError("--contact is for sensors of the catalogue; an .xml says its modulus itself")
        keys["contact"] = options.contact
    if options.electronics:
        if options.sensor.endswith(".xml"):
            raise ValueError("--electronics is for sensors of the catalogue; an .xml says so itself")
        keys["electronics"] = True
    with recording(options.record) as tape, watching(f"press: {options.sensor} + {options.object}"):
        result = press(
            options.sensor,
            options.object,
            force=options.force,
            depth=options.depth,
            yaw=options.yaw,
            pitch=options.pitch,
            offset=tuple(options.offset),
            soft=options.soft,
            friction=options.friction or 0.0,
            timestep=options.timestep,
            record=tape,
            **keys,
        )
    out.print(summary(result) + "\n\n" + reading_text(result) + magnet_text(result))
    files = draw(result, folder, options.size)[0] if folder else []
    out.print("\n" + pictures_line(files))
    out.finish(with_recording({**numbers_of(result), "pictures": files}, tape, out))
    return recorded(tape)
