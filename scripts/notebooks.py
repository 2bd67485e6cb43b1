"""The notebooks of docs/notebooks: executed, turned into pages, and kept without outputs in the repository.

    python3 scripts/notebooks.py            # executes them into build/notebooks (make notebooks)
    python3 scripts/notebooks.py --check    # whether one has outputs, or was saved with other settings
    python3 scripts/notebooks.py --strip    # takes them out

Outputs are made anew by every run of the checks, so the pages of the site always show what the code of that day does.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
EXECUTED = ROOT / "build" / "notebooks"
PATIENCE = 300
"""Seconds for a cell."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def stripped(notebook: dict[str, Any]) -> dict[str, Any]:
    """Without outputs, counts, and what an editor wrote about itself."""
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        own: dict[str, Any] = {"cell_type": cell["cell_type"], "id": f"cell-{number:02d}", "metadata": {}}
        if cell["cell_type"] == "code":
            own |= {"execution_count": None, "outputs": []}
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        own["source"] = source.splitlines(keepends=True)
        cells.append(dict(sorted(own.items())))
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def text_of(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def dirty(path: Path) -> bool:
    return path.read_text() != text_of(stripped(json.loads(path.read_text())))


def execute(path: Path, target: Path) -> float:
    """Runs all cells in a kernel of their own and writes the notebook with its outputs; the seconds it took."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    os.environ.setdefault("MUJOCO_GL", "egl")
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, not one that the user has elsewhere
    notebook = nbformat.read(path, as_version=4)
    target.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    where = {"metadata": {"path": str(target.parent)}}
    client = NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3", resources=where)
    try:
        client.execute(stderr=subprocess.DEVNULL)  # where the kernel warns of its own port on this machine
    except CellExecutionError as error:
        raise SystemExit(f"{path.name}: {error}") from None
    nbformat.write(notebook, target)
    return time.monotonic() - start


def page(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """Markdown of an executed notebook, and its pictures by the names that the text has for them."""
    parts, pictures = [], {}
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                file = f"{name}_{number:02d}_{len(pictures)}.png"
                pictures[file] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![What the cell above draws]({file})")
            elif text := "".join(output.get("text", data.get("text/plain", ""))).rstrip():
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n", pictures


def main() -> int:
    found = sorted(FOLDER.glob("*.ipynb"))
    if sys.argv[1:] == ["--check"]:
        way_out = "has outputs; run: python3 scripts/notebooks.py --strip"
        wrong = [f"{path.relative_to(ROOT)}: {way_out}" for path in found if dirty(path)]
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return min(len(wrong), 1)
    if sys.argv[1:] == ["--strip"]:
        for path in found:
            path.write_text(text_of(stripped(json.loads(path.read_text()))))
        return 0
    if sys.argv[1:]:
        raise SystemExit(f"{' '.join(sys.argv[1:])}: give --check, --strip or nothing")
    for path in found:
        print(f"{path.name}: {execute(path, EXECUTED / path.name):.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
