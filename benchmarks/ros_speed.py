"""What ROS 2 costs a step: a ball pressed into a Myrmex (16 x 16 taxels, 2 ms), every message in every step (500 Hz).

    python benchmarks/ros_speed.py --out benchmarks/results
    python benchmarks/ros_speed.py --quick                      # does it run?

Medians of the CPU time of one step with ``Bridge.publish``, on the loopback interface: with nobody listening, with a
process that reads all topics (tests/python/ros/peer.py, which shares no code with taxel), and into a bag. Writes
ros.json to --out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPICS = {"state": "TactileState", "image": "Image", "wrench": "WrenchStamped", "points": "PointCloud2"}


def loopback() -> str:
    from taxel.ros.node import LOOPBACK

    return LOOPBACK


def listener(topics: dict[str, str]) -> subprocess.Popen:
    order = json.dumps({"listen": topics, "count": 1, "forever": True, "domain": 91})
    return subprocess.Popen([sys.executable, ROOT / "tests/python/ros/peer.py", order], stdout=subprocess.DEVNULL)


def measure(steps: int, *, topics: list[str] | None = None, bag: str | None = None, photo: bool = False) -> dict:
    """CPU time of step and publish, us, and messages a step."""
    import numpy as np

    from taxel.press import PressCycle
    from taxel.ros import Bridge

    cycle = PressCycle("myrmex", "sphere")
    pixels = np.zeros((240, 320, 3), np.uint8)
    images = {"gel/photo": lambda data: pixels} if photo else None
    peer = None
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bag" if bag else None
        with Bridge(
            cycle.model, cycle.data, rate=500.0, bag=path, storage=bag or "mcap", images=images, domain=91
        ) as on:
            if topics is not None:
                wanted = {f"/taxel/myrmex/{t}": TOPICS[t] for t in topics}
                wanted |= {"/clock": "Clock", "/tf": "TFMessage"}
                peer = listener(wanted | ({"/taxel/gel/photo": "Image"} if photo else {}))
                for name in wanted:
                    outlet = next(o for o in on.node.outlets if o.name == name)
                    while not outlet.wanted:
                        time.sleep(0.01)
            times, messages = {"step": [], "publish": []}, 0
            for _ in range(steps):
                begun = time.process_time()
                cycle.step()
                between = time.process_time()
                messages += on.publish()
                times["step"].append(between - begun)
                times["publish"].append(time.process_time() - between)
        if peer is not None:
            peer.kill()
            peer.wait()
    us = {name: 1e6 * statistics.median(values) for name, values in times.items()}
    return {"step_us": us["step"], "publish_us": us["publish"], "messages_a_step": messages / steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    os.environ["CYCLONEDDS_URI"] = loopback()
    steps = 200 if options.quick else 3000
    cases = {
        "nobody listens": {},
        "one listens to state": {"topics": ["state"]},
        "one listens to all": {"topics": list(TOPICS)},
        "and to a photo of 320 x 240": {"topics": list(TOPICS), "photo": True},
        "a bag, mcap": {"bag": "mcap"},
        "a bag, sqlite3": {"bag": "sqlite3"},
    }
    rows = []
    for name, keys in cases.items():
        rows.append({"case": name, **measure(steps, **keys)})
        print(
            "{case:30} step {step_us:6.0f} us, publish {publish_us:6.0f} us, {messages_a_step:.1f} messages".format(
                **rows[-1]
            )
        )
    if options.out is not None:
        text = json.dumps(
            {"machine": platform.processor() or platform.machine(), "steps": steps, "rows": rows}, indent=1
        )
        (options.out / "ros.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
