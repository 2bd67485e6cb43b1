"""taxel, and nothing after it: what to try next."""

from __future__ import annotations

import shutil
import sys

from .. import __version__

STEPS = (
    ("taxel demo", "three sensors, three objects: what do they read?"),
    ("taxel press myrmex sphere --force 5", "an object on a sensor; your own meshes and models, too"),
    ("taxel view myrmex", "the same live in your browser, led by hand"),
    ("taxel sensors", "the catalogue; taxel sensors NAME tells all about one"),
    ("taxel calibrate array --example presses.csv", "a recording to fit; taxel calibrate array presses.csv fits it"),
    ("taxel doctor", "what is installed, what is missing, what to do about it"),
    ("taxel --help", "all commands; taxel COMMAND --help has the options"),
)


def text() -> str:
    width = max(len(command) for command, _ in STEPS)
    lines = [f"taxel {__version__} simulates touch. Try:", ""]
    lines += [f"  {command:{width}}  {words}" for command, words in STEPS]
    lines += ["", "In Python: import taxel; help(taxel). In your model: taxel.sensors.myrmex().add_to(spec)."]
    if shutil.which("taxel") is None:  # started as a module, or from an environment that is not active
        lines += [f"The command is not on the path here: say {sys.executable} -m taxel.cli for taxel."]
    return "\n".join(lines)
