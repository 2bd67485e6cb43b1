"""A step of mujoco_warp alone and with two marker sensors on its arrays, each as one CUDA graph. Needs mujoco_warp."""

from __future__ import annotations

import sys
from pathlib import Path

import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "gpu"))
from gpu_warp_scene import Balls


def graph_ms(call, repeats: int = 200) -> float:
    with wp.ScopedCapture() as capture:
        call()
    wp.synchronize()
    begin, end = wp.Event(enable_timing=True), wp.Event(enable_timing=True)
    for _ in range(10):
        wp.capture_launch(capture.graph)
    wp.record_event(begin)
    for _ in range(repeats):
        wp.capture_launch(capture.graph)
    wp.record_event(end)
    return wp.get_event_elapsed_time(begin, end) / repeats


def main() -> None:
    worlds = 256
    balls = Balls(worlds)
    for _ in range(25):  # into the gel
        balls.step(wp.get_stream())
    whole = graph_ms(lambda: balls.step(wp.get_stream()))
    physics = graph_ms(balls.step_physics)
    print(f"{worlds} worlds: mujoco_warp step {physics:.4f} ms, with two marker sensors {whole:.4f} ms")


if __name__ == "__main__":
    main()
