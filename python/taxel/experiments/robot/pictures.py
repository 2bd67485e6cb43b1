"""The picture of a scene with a robot: what MuJoCo's renderer draws, and beside it what the skins read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...viewer.offscreen import Offscreen
from ...viewer.panel import FAINT, INK, Panel
from .trial import Outcome, RobotScene

SCENE, SIDE = (560, 440), 250
SHOWN = 6
"""Skins in a picture: those that feel most."""


def picture(out: Any, path: Path, scene: RobotScene, outcome: Outcome) -> Path | None:
    """Written to a file; None (and a line that says why) where there is no OpenGL or no Pillow."""
    try:
        panel = Panel(SCENE[0] + SIDE, SCENE[1])
        with Offscreen(outcome.model, *SCENE, max_geom=100_000) as camera:
            panel.paste(camera(outcome.data, scene.view), 0, 0)
    except (taxel.Error, ImportError) as error:
        out.print(f"no picture of {scene.title}: {error}")
        return None
    _skins(panel, SCENE[0] + 16, scene, outcome)
    # 256 colours: the files are a third as large, and look the same.
    panel.picture.quantize(256).save(path, optimize=True)
    return path


def _skins(panel: Panel, x: int, scene: RobotScene, outcome: Outcome) -> None:
    panel.text(x, 14, scene.title, 15, INK, bold=True)
    panel.text(x, 36, f"{scene.skin}; {outcome.numbers['taxels']} taxels", 12, FAINT)
    felt = []
    for sensor in outcome.sensors:
        values = sensor(outcome.data)
        newton = float(np.linalg.norm(sensor.read(outcome.data).force))
        felt.append((newton, sensor, values))
    felt = sorted(felt, key=lambda one: -one[0])[:SHOWN]
    greatest = max((float(values.max()) for _, _, values in felt), default=0.0)
    columns = 2
    rows = max(1, -(-len(felt) // columns))
    width, height = (SIDE - 32) // columns, (SCENE[1] - 96) // rows
    for k, (newton, sensor, values) in enumerate(felt):
        left, top = x + (k % columns) * (width + 6), 60 + (k // columns) * height
        panel.text(left, top, f"{sensor.name}, {newton:.3g} N", 11, INK)
        _image(panel, sensor, values, left, top + 18, width - 8, height - 30, greatest)
    panel.text(x, SCENE[1] - 26, f"darkest: {greatest / 1e3:.3g} k{sensor_unit(outcome)}", 12, FAINT)


def sensor_unit(outcome: Outcome) -> str:
    return outcome.sensors[0].unit if outcome.sensors else "Pa"


def _image(
    panel: Panel, sensor: Any, values: np.ndarray, x: int, y: int, width: int, height: int, greatest: float
) -> None:
    """A grid as tiles, free points as discs seen along z of the sensor."""
    if values.ndim == 2:
        cell = max(2, min(width // values.shape[1], height // values.shape[0]))
        panel.grid(values[::-1], x, y, cell, greatest)
        return
    flat = sensor.layout.points[:, :2] * (1, -1)
    flat = flat - flat.min(axis=0)
    scale = min(width / max(flat[:, 0].max(), 1e-9), height / max(flat[:, 1].max(), 1e-9))
    spacing = scale * np.sqrt(np.prod(flat.max(axis=0)) / len(flat))
    panel.discs(np.array([x, y]) + scale * flat, np.ravel(values), max(1.0, 0.45 * spacing), greatest)
