"""The command in a process where some packages cannot be imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

START = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
from taxel.cli import main
sys.exit(main(sys.argv[2:]))
"""


def taxel_without(packages: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """``taxel WORDS`` in a folder, without the packages (separated by commas)."""
    environment = {**os.environ, "TAXEL_CACHE": "off"}
    return subprocess.run(
        [sys.executable, "-c", START, packages, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
