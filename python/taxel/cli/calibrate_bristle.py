"""taxel calibrate friction, taxel calibrate foam: parameters of bristles from recordings."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..report import Output, add_json, check_writable, need_matplotlib, out_folder


def _add_common(parser: argparse.ArgumentParser, picture: str) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the recording (CSV)")
    parser.add_argument("--example", metavar="FILE", help="write an example to FILE: the paper's curve, with noise")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the noise of --example")
    parser.add_argument("--points", type=int, metavar="N", help="points of the pad, which share the load")
    parser.add_argument("--mjcf", action="store_true", help="print the keys as MJCF, to paste")
    parser.add_argument("--keys", metavar="FILE", help="write the keys as JSON")
    parser.add_argument("--out", metavar="DIR", help=f"draw {picture} into DIR")
    add_json(parser)


def add_friction(kinds: Any) -> None:
    parser = kinds.add_parser(
        "friction",
        help="friction of bristles, from a recording of sliding",
        description="Fits static and dynamic friction, Stribeck speed and viscosity to a CSV file of steady sliding "
        "(columns speed_m_s, friction_N, load_N).",
    )
    _add_common(parser, "calibrate_friction.png")
    parser.add_argument(
        "--load", type=float, metavar="N", help="the load in newtons, where the file has no column load_N"
    )
    parser.add_argument(
        "--from", dest="slowest", type=float, default=0.0, metavar="V", help="leave out slower rows (m/s)"
    )
    parser.add_argument("--stribeck-speed", type=float, metavar="V", help="take this one (m/s), do not fit it")
    parser.add_argument("--viscosity", type=float, metavar="C", help="take this one (N s/m of a point), do not fit it")
    parser.set_defaults(run=run_friction)


def add_foam(kinds: Any) -> None:
    parser = kinds.add_parser(
        "foam",
        help="stiffness of bristles or the law of a layer, from weights on a foam",
        description="Fits a line through zero, a line with a dead band and a rising curve to a CSV file of weights on "
        "a foam (columns weight_g, compression_mm). Keys are those of bristles, or with --field of a soft layer.",
    )
    _add_common(parser, "calibrate_foam.png")
    parser.add_argument("--weight-area", type=float, metavar="M2", help="area of the foam under the weight, m2")
    parser.add_argument("--area", type=float, metavar="M2", help="area of the pad that is to be simulated, m2")
    parser.add_argument("--thickness", type=float, metavar="M", help="of the foam, m: for the modulus and the depth")
    parser.add_argument(
        "--fit",
        choices=("zero", "dead-band", "curve"),
        help="which of the three the keys are of (default: zero, as in the paper; with --field curve)",
    )
    parser.add_argument(
        "--field",
        choices=("columns", "backed"),
        help="keys of a layer with this pressure field, its law measured (default: keys of bristles)",
    )
    parser.add_argument(
        "--curve-points", type=int, default=8, metavar="N", help="at most so many points of the curve (8)"
    )
    parser.set_defaults(run=run_foam)


def _write_example(options: argparse.Namespace, out: Output, write: Callable[[Path, int], str]) -> int:
    if options.file:
        raise ValueError(f"--example writes {options.example}; leave out {options.file!r}, or --example")
    if options.seed < 0:
        raise ValueError(f"--seed is {options.seed}; give 0 or more")
    path = check_writable("--example", options.example)
    planted = write(path, options.seed)
    out.print(f"written: {path}")
    out.print(f"planted: {planted}")
    out.finish({"file": path, "planted": planted})
    return 0


def _start(options: argparse.Namespace, kind: str) -> tuple[Path | None, Any, Path | None]:
    """The folder of pictures, what draws them, and the file of keys: asked for before the work."""
    if not options.file:
        raise ValueError(f"give the recording: taxel calibrate {kind} FILE (--example FILE writes one to look at)")
    folder = out_folder(options.out) if options.out else None
    return (
        folder,
        need_matplotlib() if folder else None,
        check_writable("--keys", options.keys) if options.keys else None,
    )


def _finish(options: argparse.Namespace, out: Output, found: Any, keys: Path | None, values: Any) -> int:
    if keys:
        keys.write_text(json.dumps(values, indent=1) + "\n")
        out.print(f"keys: {keys}")
    if options.mjcf:
        from taxel.calibrate.report import config_lines

        out.print()
        out.print(config_lines(values))
    out.finish({"file": options.file, **found.numbers()})
    return 0


def run_friction(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.example:
        from taxel.calibrate.bristle_examples import write_friction_example

        return _write_example(options, out, write_friction_example)
    folder, plt, keys = _start(options, "friction")
    from taxel.calibrate import calibrate_friction, read_friction

    if not options.slowest >= 0:
        raise ValueError(f"--from is {options.slowest:g}; give a speed of 0 or more (m/s)")
    data = read_friction(options.file, load=options.load, points=options.points, slowest=options.slowest)
    found = calibrate_friction(data, stribeck_speed=options.stribeck_speed, viscosity=options.viscosity)
    out.print(found.report())
    if folder:
        from taxel.calibrate.bristle_plots import draw_friction

        out.print(f"picture: {draw_friction(plt, found, folder / 'calibrate_friction.png')}")
    return _finish(options, out, found, keys, found.keys() if keys or options.mjcf else None)


def run_foam(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.example:
        from taxel.calibrate.bristle_examples import write_foam_example

        return _write_example(options, out, write_foam_example)
    folder, plt, keys = _start(options, "foam")
    from taxel.calibrate import calibrate_foam, read_foam

    data = read_foam(
        options.file,
        weight_area=options.weight_area,
        area=options.area,
        points=options.points,
        thickness=options.thickness,
    )
    found = calibrate_foam(data, curve_points=options.curve_points)
    values = None
    if keys or options.mjcf:  # says what is missing before anything is printed
        fit = options.fit or ("curve" if options.field else "zero")
        values = found.layer_keys(options.field, fit) if options.field else found.keys(fit)
    out.print(found.report())
    if folder:
        from taxel.calibrate.bristle_plots import draw_foam

        out.print(f"picture: {draw_foam(plt, found, folder / 'calibrate_foam.png')}")
    return _finish(options, out, found, keys, values)
