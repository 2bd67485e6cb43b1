"""What soft contact adds to a step of mujoco_warp: two pads of 16 x 16 taxels on a peg, over the number of worlds.

The peer is mujoco_warp's own contact on the same model, in the same run. On a GPU both run as a CUDA graph.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .scenes import Both, peg

WORLDS, QUICK_WORLDS = (256, 1024, 4096, 16384), (2, 8)
HEADER = ("worlds", "native, ms", "soft, ms", "added, ms", "taxels/s", "rows a world")
BYTES_A_COLUMN = 4 * (22 * 2 + 30)


def floor(worlds: int, columns: int) -> str:
    """The least that must move: each column's state written and read once, its constants read."""
    size = worlds * columns * BYTES_A_COLUMN
    return f"{size / 1e6:.0f} MB a step: {size / 4.0e12 * 1e3:.3f} ms at 4 TB/s"


def _timer(device: Any, step, repeats: int):
    """Milliseconds a step, least of five rounds."""
    import warp as wp

    step()
    if device.is_cuda:
        with wp.ScopedCapture(device=device) as capture:
            step()

        def once() -> None:
            wp.capture_launch(capture.graph)
    else:
        once = step
    best = np.inf
    for _ in range(5):
        wp.synchronize_device(device)
        start = time.perf_counter()
        for _ in range(repeats):
            once()
        wp.synchronize_device(device)
        best = min(best, (time.perf_counter() - start) / repeats)
    return 1e3 * best


def measure(quick: bool, progress, blocks: int = 4) -> list[dict[str, Any]]:
    import mujoco_warp as mjw
    import warp as wp

    rows = []
    cuda = wp.get_device().is_cuda
    for worlds in progress(QUICK_WORLDS if quick or not cuda else WORLDS, "worlds"):
        both = Both(peg(), worlds=worlds, ctrl=10.0, blocks=blocks)
        both.d.ctrl.assign(np.full((worlds, 2), 10.0, np.float32))
        both.step(60, plugin=False)  # the peg is held
        m, d, soft = both.m, both.d, both.soft
        repeats = 50 if cuda else 5
        with_soft = _timer(d.qpos.device, lambda m=m, d=d: mjw.step(m, d), repeats)
        force = float(np.linalg.norm(soft.force.numpy()[0], axis=1).max())
        efc = int(d.nefc.numpy().max())
        soft.detach()
        native = _timer(d.qpos.device, lambda m=m, d=d: mjw.step(m, d), repeats)
        rows.append(
            {"worlds": worlds, "native_ms": native, "soft_ms": with_soft, "added_ms": with_soft - native}
            | {"taxels_s": worlds * 512 / (1e-3 * with_soft), "rows": efc, "force_N": force, "blocks": blocks}
            | {"device": str(d.qpos.device), "floor": floor(worlds, 512)}
        )
    return rows


def cells(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (f"{r['worlds']:,}", f"{r['native_ms']:.3g}", f"{r['soft_ms']:.3g}", f"{r['added_ms']:.3g}")
        + (f"{r['taxels_s']:.2g}", str(r["rows"]))
        for r in rows
    ]
