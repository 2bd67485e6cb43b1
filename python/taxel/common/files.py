"""Whether a file can be made, asked before the work that would fill it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def try_folder(folder: str | Path) -> None:
    """OSError where no file can be made in a folder. Rights alone do not tell: root has all of them in /proc."""
    with tempfile.TemporaryFile(dir=os.fspath(folder)):
        pass
