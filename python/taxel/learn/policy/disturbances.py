"""What a policy is tried with: options of ``taxel.tasks.make`` by the name of a disturbance, per task.

"published" is the task as it is trained; the others take parts of it away.
"""

from __future__ import annotations

from typing import Any

DISTURBANCES: dict[str, dict[str, dict[str, Any]]] = {
    "peg": {
        "published": {},
        "pitch alone": {"shift": 0.0},
        "shift alone": {"pitch": 0.0},
        "none": {"pitch": 0.0, "shift": 0.0},
    },
    "bin": {
        "published": {},
        "neighbours at home": {"squish": 0.0},
        "held straight": {"pitch": 0.0, "shift": (0.0, 0.0, 0.0)},
    },
    "book": {"published": {}, "upright": {"leaning": 0.0}, "leaning": {"leaning": 1.0}},
    "drawer": {"published": {}, "twice the pull": {"load": 4.0}, "none": {"load": 0.0, "load_spread": 0.0}},
}
