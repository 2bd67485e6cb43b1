"""How many frames a second ``taxel view`` makes, with a page that is open in Chromium.

    python benchmarks/view_speed.py [--seconds 8] [--out benchmarks/results]

Per scene, while the object is led to and fro under load: frames a second with the usual limit of 30, and without one
(what the server could send); simulated seconds a second; CPU time of the server's process a frame; and how often the
browser drew (requestAnimationFrame). Chromium draws by software on the same cores, which is the worst case: on a
visitor's machine with a GPU it costs this one nothing. Needs viser and Debian's chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python" / "viewer"))

from chromium import Chromium, Tab  # noqa: E402

from taxel.report import markdown, table  # noqa: E402
from taxel.viewer.live import Page, make_world  # noqa: E402

SCENES = {
    "myrmex": ("myrmex", "sphere", None),
    "banana": ("myrmex", "ycb:011_banana", None),
    "fingertip": ("shadow_fingertip", "sphere:0.012", None),
    "marker": ("gelsight_mini", "sphere:0.006", "marker"),
    "gel": ("gelsight_mini", "sphere:0.006", "gel"),
    "gripper": (str(ROOT / "models" / "schunk_pg70.xml"), None, None),
}
UNLIMITED = 1000.0
HEADER = ("scene", "frames/s", "real time", "without limit, frames/s", "CPU a frame, ms", "drawn/s")
COUNT = "window.drawn = 0; (function f() { window.drawn++; requestAnimationFrame(f); })()"


def lead(page: Page, seconds: float) -> None:
    """Sideways and back, as a visitor's hand does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        hand = page.world.hand
        if hand is not None:
            x = 4e-3 * np.sin(2 * np.pi * 0.5 * time.monotonic())
            page.set_pose(np.array([x, 0.0, hand.grip.position[2]]), hand.grip.quaternion, hold=False, source="gizmo")
        time.sleep(0.05)


def measure(page: Page, tab: Tab, seconds: float, frames: float) -> dict[str, float]:
    page.simulation.frames = frames
    lead(page, 1.0)
    first, at, cpu, begin = page.simulation.count, page.world.data.time, time.process_time(), time.monotonic()
    drawn = tab.run("window.drawn")
    lead(page, seconds)
    count, spent = page.simulation.count - first, time.monotonic() - begin
    return {
        "frames_per_s": count / spent,
        "pace": (page.world.data.time - at) / spent,
        "cpu_ms": 1e3 * (time.process_time() - cpu) / max(1, count),
        "drawn_per_s": (tab.run("window.drawn") - drawn) / spent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--out", default=None, help="folder for view.json and view.md")
    options = parser.parse_args()
    rows, numbers = [], []
    with Chromium((1280, 800)) as browser:
        for key, (what, thing, model) in SCENES.items():
            page = Page(make_world(what, thing, model), port=0)
            page.start()
            tab = browser.tab(page.url)
            tab.wait_for("document.body && document.body.innerText.includes('frames/s')", 60)
            tab.run(COUNT)
            limited = measure(page, tab, options.seconds, 30.0)
            free = measure(page, tab, options.seconds, UNLIMITED)
            tab.close()
            page.close()
            name = " ".join(str(word) for word in (Path(what).name, thing, model) if word)
            numbers.append({"key": key, "scene": name, "limit_30": limited, "no_limit": free})
            rows.append(
                (
                    f"`{name}`", f"{limited['frames_per_s']:.1f}", f"{limited['pace']:.2f}",
                    f"{free['frames_per_s']:.0f}", f"{limited['cpu_ms']:.1f}", f"{limited['drawn_per_s']:.0f}",
                )
            )  # fmt: skip
            print(rows[-1], flush=True)
    print(table(HEADER, rows))
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f}")
    if options.out:
        folder = Path(options.out)
        told = {"cores": os.cpu_count(), "load": load, "rows": numbers}
        (folder / "view.json").write_text(json.dumps(told, indent=1) + "\n")
        head = "# The live page\n\nWritten by `python benchmarks/view_speed.py --out benchmarks/results`.\n\n"
        foot = f"\n{os.cpu_count()} cores, load average {load:.1f} at the end; Chromium draws by software on them.\n"
        (folder / "view.md").write_text(head + markdown(HEADER, rows) + foot)


if __name__ == "__main__":
    main()
