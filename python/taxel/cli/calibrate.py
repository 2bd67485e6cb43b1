"""taxel calibrate KIND: parameters of a real sensor from a recording. One function a kind adds its options."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..report import Output, add_json, check_writable, need_matplotlib, out_folder
from .calibrate_bristle import add_foam, add_friction
from .calibrate_markers import add_markers


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "calibrate",
        help="fit a sensor to a recording",
        description="Finds the parameters of a real sensor in a recording. docs/guide/calibrate.md is the guide.",
    )
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for add in KINDS:
        add(kinds)


def add_array(kinds: Any) -> None:
    parser = kinds.add_parser(
        "array",
        help="modulus, gains, offsets and noise of a taxel array, from presses",
        description="Fits modulus, touch point, gains, offsets and noise of a taxel array to a CSV file of presses by "
        "known indenters. --example writes such a file to look at.",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="the recording (CSV)")
    parser.add_argument("--example", metavar="FILE", help="write a synthetic recording to FILE, and what is planted")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers of --example")
    parser.add_argument(
        "--sensor",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help='a key of the pad, before those in the file: --sensor "size=0.08 0.08; thickness=0.018"',
    )
    parser.add_argument("--modulus", type=float, metavar="PA", help="take this modulus, do not fit it")
    parser.add_argument(
        "--touch",
        choices=("auto", "off", "one", "indenter", "press"),
        default="auto",
        help="fit what depth_m reads when the indenter touches: not at all, one for all, one an indenter, one a press; "
        "auto: one where the data show it (default)",
    )
    parser.add_argument("--spread", action="store_true", help="also fit how far the cover spreads a load")
    parser.add_argument(
        "--drive",
        choices=("depth", "force"),
        default="depth",
        help="what sets the modelled pressures where a frame has both (default: depth)",
    )
    parser.add_argument("--mjcf", action="store_true", help="print the fitted sensor as MJCF, to paste")
    parser.add_argument("--keys", metavar="FILE", help="write its keys as JSON, for Skin, SignalChain and add_sensor")
    parser.add_argument("--out", metavar="DIR", help="draw calibrate_array.png into DIR")
    add_json(parser)
    parser.set_defaults(run=run_array)


KINDS = (add_array, add_friction, add_foam, add_markers)


def sensor_keys(given: list[str]) -> dict[str, str]:
    from taxel.calibrate.presses import KEYS

    keys = {}
    for part in (part.strip() for text in given for part in text.split(";")):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not part:
            continue
        if not equals or key not in KEYS:
            raise ValueError(f"--sensor {part!r}: give KEY=VALUE; the keys are {', '.join(KEYS)}")
        keys[key] = value.strip()
    return keys


def write_example(options: argparse.Namespace, out: Output) -> int:
    from taxel.calibrate.array_example import Planted, describe, make_example
    from taxel.calibrate.presses import write_presses

    if options.file:
        raise ValueError(f"--example writes {options.example}; leave out {options.file!r}, or --example")
    path = check_writable("--example", options.example)
    if options.seed < 0:
        raise ValueError(f"--seed is {options.seed}; give 0 or more")
    planted = Planted()
    presses = make_example(planted, seed=options.seed)
    write_presses(path, presses)
    out.print(f"written: {path}, {len(presses)} frames of {presses.pad.taxels} taxels")
    out.print(f"planted: {describe(planted)}")
    out.finish({"file": path, "frames": len(presses), "planted": describe(planted)})
    return 0


def run_array(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.example:
        return write_example(options, out)
    if not options.file:
        raise ValueError("give the recording: taxel calibrate array FILE (--example FILE writes one to look at)")
    from taxel.calibrate import calibrate_array, read_presses

    folder = out_folder(options.out) if options.out else None
    plt = need_matplotlib() if folder else None
    keys = check_writable("--keys", options.keys) if options.keys else None
    presses = read_presses(options.file, sensor_keys(options.sensor))
    found = calibrate_array(
        presses,
        modulus=options.modulus,
        touch=options.touch,
        spread=options.spread,
        drive=options.drive,
        progress=out.progress,
    )
    out.print(found.report())
    if folder:
        from taxel.calibrate.array_plots import draw_calibration

        out.print(f"picture: {draw_calibration(plt, found, presses, folder / 'calibrate_array.png')}")
    if keys:
        keys.write_text(json.dumps(found.keys(), indent=1) + "\n")
        out.print(f"keys: {keys}")
    if options.mjcf:
        out.print()
        out.print(found.mjcf())
    out.finish({"file": options.file, **found.numbers()})
    return 0
