"""What soft contact adds to a step of mujoco_warp: two pads of 16 x 16 taxels on a peg, over the number of worlds.

The peers are mujoco_warp's own contact on the same model and, where it is installed and can run, Newton's hydroelastic
contact (without rows and taxels), in the same run. On a GPU all run as CUDA graphs. ``bristles``: Weiss arrays of 84
bristles on a block instead.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from . import newton_peer
from .scenes import Both, peg, weiss_grasp

WORLDS, QUICK_WORLDS = (256, 1024, 4096, 16384), (2, 8)
HEADER = ("skin", "worlds", "native, ms", "soft, ms", "added, ms", "Newton, ms", "taxels/s", "rows a world")
SKINS = {"columns": (peg, 10.0, 512), "bristles": (weiss_grasp, 5.0, 168)}
"""scene, force of the fingers (N), taxels"""
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


def _newton(worlds: int, device: Any, repeats: int) -> tuple[float | None, str]:
    """Milliseconds of a collision, or why there are none."""
    reason = newton_peer.missing(device)
    if reason:
        return None, reason
    try:
        return _timer(device, newton_peer.make_collide(worlds), repeats), ""
    except Exception as e:  # of a peer that changes: its row stays empty, with its own words
        return None, f"Newton failed: {e}"


def _measure(skin: str, worlds: int, blocks: int) -> dict[str, Any]:
    import mujoco_warp as mjw
    import warp as wp

    scene, press, taxels = SKINS[skin]
    device = wp.get_device()
    both = Both(scene(), worlds=worlds, ctrl=press, blocks=blocks)
    both.d.ctrl.assign(np.full((worlds, 2), press, np.float32))
    both.step(60, plugin=False)  # the object is held
    m, d, soft = both.m, both.d, both.soft
    repeats = 50 if device.is_cuda else 5
    with_soft = _timer(d.qpos.device, lambda: mjw.step(m, d), repeats)
    force = float(np.linalg.norm(soft.force.numpy()[0], axis=1).max())
    efc = int(d.nefc.numpy().max())
    soft.detach()
    native = _timer(d.qpos.device, lambda: mjw.step(m, d), repeats)
    newton, why = _newton(worlds, device, repeats) if skin == "columns" else (None, "")
    return (
        {"skin": skin, "worlds": worlds, "native_ms": native, "soft_ms": with_soft, "added_ms": with_soft - native}
        | {"newton_collide_ms": newton, "newton_missing": why, "taxels_s": worlds * taxels / (1e-3 * with_soft)}
        | {"rows": efc, "force_N": force, "blocks": blocks, "device": str(d.qpos.device)}
        | {"floor": floor(worlds, taxels)}
    )


def measure(quick: bool, progress, blocks: int = 4) -> list[dict[str, Any]]:
    import warp as wp

    counts = QUICK_WORLDS if quick or not wp.get_device().is_cuda else WORLDS
    cases = [(skin, worlds) for skin in SKINS for worlds in counts]
    return [_measure(skin, worlds, blocks) for skin, worlds in progress(cases, "worlds")]


def cells(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (r["skin"], f"{r['worlds']:,}", f"{r['native_ms']:.3g}", f"{r['soft_ms']:.3g}", f"{r['added_ms']:.3g}")
        + ("" if r["newton_collide_ms"] is None else f"{r['newton_collide_ms']:.3g}",)
        + (f"{r['taxels_s']:.2g}", str(r["rows"]))
        for r in rows
    ]
