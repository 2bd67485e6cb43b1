"""Progress, tables and where results go: what the command and the experiments share."""

from .output import Output, add_json, check_writable, out_folder
from .pictures import need_matplotlib
from .progress import Progress, duration, watching, working
from .tables import markdown, table

__all__ = [
    "Output",
    "Progress",
    "add_json",
    "check_writable",
    "duration",
    "markdown",
    "need_matplotlib",
    "out_folder",
    "table",
    "watching",
    "working",
]
