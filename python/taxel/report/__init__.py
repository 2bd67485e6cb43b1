"""Progress, tables and where results go: what the command and the experiments share."""

from .output import Output, add_json, check_writable, json_alone, out_folder
from .pictures import NONE_DRAWN, can_draw, need_matplotlib, pictures_line
from .progress import Progress, duration, watching, working
from .tables import markdown, table

__all__ = [
    "NONE_DRAWN",
    "Output",
    "Progress",
    "add_json",
    "can_draw",
    "check_writable",
    "duration",
    "json_alone",
    "markdown",
    "need_matplotlib",
    "out_folder",
    "pictures_line",
    "table",
    "watching",
    "working",
]
