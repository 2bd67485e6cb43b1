"""taxel calibrate markers: parameters of marker models from recorded presses, shears and slips."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..report import Output, add_json, check_writable, need_matplotlib, out_folder

MODELS = ("paper", "release", "taxel", "fots", "tacsl")


def add_markers(kinds: Any) -> None:
    parser = kinds.add_parser(
        "markers",
        help="marker models of a camera-based sensor, from tracked dots and poses",
        description="Fits HydroShear, FOTS or TacSL to a file of marker displacements and a file of poses of the "
        "indenter; with --images the displacements come from photos. docs/guide/calibrate-markers.md is the guide.",
    )
    parser.add_argument("files", metavar="TRACKS.csv POSES.csv", nargs="*", help="with --images only POSES.csv")
    parser.add_argument(
        "--example",
        nargs="?",
        const="out/calibrate_markers",
        metavar="DIR|real",
        help="write both files with planted parameters into DIR (out/calibrate_markers) and fit them; real: two real "
        "frames, fitted on random halves of the markers",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers of --example")
    parser.add_argument("--splits", type=int, default=50, metavar="N", help="random halves of --example real (50)")
    parser.add_argument(
        "--layer", action="store_true", help="--example real: fits mode layer, too: gel and pose (some minutes)"
    )
    parser.add_argument("--images", metavar="DIR", help="track dots in reference.png and SAMPLE.png of this folder")
    parser.add_argument("--pixel", type=float, metavar="M", help="edge of a pixel on the gel, m (6.5e-5)")
    parser.add_argument(
        "--origin-px", type=float, nargs=2, metavar=("X", "Y"), help="column and row of the pad's middle, px"
    )
    parser.add_argument(
        "--sensor", default="gelsight_mini", metavar="NAME", help="gelsight_mini (flat) or gelsight_mini_dome"
    )
    parser.add_argument(
        "--indenter",
        default="ball:0.0175",
        metavar="SHAPE",
        help="ball:RADIUS, box:X,Y,Z, cylinder:RADIUS,LENGTH (along z), or a mesh: part.stl:SCALE; m",
    )
    parser.add_argument("--model", choices=MODELS, default="paper", help="what is fitted (default: paper)")
    parser.add_argument(
        "--fit",
        choices=("sequence", "joint"),
        default="joint",
        help="sequence: one parameter after the other, as in the paper; joint: then all at once (default)",
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of the sequence; 1 is the paper's (3)")
    parser.add_argument("--free", metavar="NAMES", help="fit these parameters, with commas between them")
    parser.add_argument(
        "--fixed", action="append", default=[], metavar="NAME=VALUE", help="take this value, do not fit it"
    )
    parser.add_argument("--held-out", type=float, default=0.2, metavar="SHARE", help="of the samples, for a test (0.2)")
    parser.add_argument("--keys", metavar="FILE", help="write the parameters as JSON, for taxel.MarkerField")
    parser.add_argument("--out", metavar="DIR", help="draw calibrate_markers.png into DIR")
    add_json(parser)
    parser.set_defaults(run=run_markers)


def parse_indenter(text: str) -> Any:
    """A body: ball:0.0175, box:0.01,0.01,0.01, cylinder:0.005,0.02, part.stl:0.001."""
    import taxel

    name, _, rest = text.partition(":")
    needs = {"ball": ("RADIUS",), "sphere": ("RADIUS",), "box": ("X", "Y", "Z"), "cylinder": ("RADIUS", "LENGTH")}
    if name in needs:
        try:
            sizes = tuple(float(part) for part in rest.split(","))
        except ValueError:
            sizes = ()
        if len(sizes) != len(needs[name]) or not all(1e-4 <= s <= 1.0 for s in sizes):
            raise ValueError(f"--indenter {text!r}: give {name}:{','.join(needs[name])} in m, each from 0.0001 to 1")
        if name == "box":
            return taxel.Body.box(sizes)
        return taxel.Body.cylinder(*sizes) if name == "cylinder" else taxel.Body.sphere(*sizes)
    path, _, scale = text.rpartition(":") if Path(text).suffix.lower() not in (".stl", ".obj") else (text, "", "1")
    if Path(path).suffix.lower() not in (".stl", ".obj"):
        raise ValueError(
            f"--indenter {text!r}: give {', '.join(needs)} with sizes after a colon, or a .stl or .obj file"
        )
    try:
        factor = float(scale)
    except ValueError:
        raise ValueError(f"--indenter {text!r}: the scale {scale!r} is not a number") from None
    return taxel.read_mesh(Path(path), scale=factor)


def _fixed(given: list[str]) -> dict[str, float]:
    values = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise ValueError(f"--fixed {text!r}: give NAME=VALUE, as in friction=0.5")
    return values


def _samples(options: argparse.Namespace, out: Output) -> Any:
    from taxel.calibrate import read_samples, samples_from_images

    if options.images:
        if len(options.files) != 1:
            raise ValueError(f"--images {options.images} gives the displacements; give POSES.csv alone beside it")
        pixel = {} if options.pixel is None else {"pixel": options.pixel}
        return samples_from_images(
            options.images, options.files[0], origin_px=options.origin_px, progress=out.progress, **pixel
        )
    if len(options.files) != 2:
        raise ValueError("give both files: taxel calibrate markers TRACKS.csv POSES.csv (--example writes them)")
    return read_samples(*options.files, pixel=options.pixel, origin_px=options.origin_px)


def _write_example(options: argparse.Namespace, out: Output) -> dict[str, float]:
    """Writes both files and puts them in place of those that were not given; what is planted."""
    from taxel.calibrate import write_samples
    from taxel.calibrate.marker_example import NOISE, PLANTED, make_example

    folder = out_folder(options.example)
    samples, _, planted = make_example(options.model, seed=options.seed)
    planted = {name: planted[name] for name in PLANTED[options.model]}
    tracks, poses = str(folder / "tracks.csv"), str(folder / "poses.csv")
    options.files = [tracks, poses]
    options.sensor, options.indenter = "gelsight_mini", "ball:0.0175"
    write_samples(samples, tracks, poses, notes=[f"synthetic: model {options.model}, noise {NOISE:g} px"])
    out.print(f"written: {' and '.join(options.files)}")
    out.print("planted: " + ", ".join(f"{name} {value:g}" for name, value in planted.items()) + f"; noise {NOISE:g} px")
    out.print()
    return planted


def _run_real(options: argparse.Namespace, out: Output) -> int:
    from taxel.calibrate.real_frames import fit_real_frames

    folder = out_folder(options.out) if options.out else None
    plt = need_matplotlib() if folder else None
    bank = None
    if options.layer:
        from taxel.calibrate.real_layer import LayerBank

        bank = LayerBank(progress=out.progress)
    found = fit_real_frames(options.splits, options.seed, progress=out.progress, bank=bank)
    out.print(found.report())
    if folder:
        from taxel.calibrate.marker_plots import draw_real_frames

        out.print(f"picture: {draw_real_frames(plt, found, folder / 'calibrate_markers_real.png')}")
    out.finish(found.numbers())
    return 0


def run_markers(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.seed < 0:
        raise ValueError(f"--seed is {options.seed}; give 0 or more")
    if options.example and (options.files or options.images):
        raise ValueError("--example brings its own recording; leave out the files and --images, or --example")
    if options.example == "real":
        return _run_real(options, out)
    from taxel.calibrate import calibrate_markers
    from taxel.calibrate.marker_models import check_indenter_starts_outside, make_setup

    folder = out_folder(options.out) if options.out else None
    plt = need_matplotlib() if folder else None
    keys = check_writable("--keys", options.keys) if options.keys else None
    fixed = _fixed(options.fixed)
    planted = _write_example(options, out) if options.example else None
    samples = _samples(options, out)
    setup = make_setup(samples, options.sensor, parse_indenter(options.indenter))
    check_indenter_starts_outside(setup, samples)
    found = calibrate_markers(
        samples,
        options.model,
        setup=setup,
        fit=options.fit,
        free=[n.strip() for n in options.free.split(",")] if options.free else None,
        fixed=fixed,
        rounds=options.rounds,
        held_out=options.held_out,
        progress=out.progress,
    )
    out.print(found.report())
    numbers: dict[str, Any] = {"files": options.files, **found.numbers()}
    if planted:
        off = {name: found.values[name] / value - 1 for name, value in planted.items()}
        out.print("off what is planted: " + ", ".join(f"{name} {100 * x:+.2f} %" for name, x in off.items()))
        numbers |= {"planted": planted, "off": off}
    if folder:
        from taxel.calibrate.marker_plots import draw_calibration

        out.print(f"picture: {draw_calibration(plt, found, folder / 'calibrate_markers.png')}")
    if keys:
        keys.write_text(json.dumps(found.keys(), indent=1) + "\n")
        out.print(f"keys: {keys}")
    out.finish(numbers)
    return 0
