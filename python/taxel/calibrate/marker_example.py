"""Synthetic samples with planted parameters, for ``taxel calibrate markers --example`` and the tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..marker import gelsight_mini_markers
from ..reference.motions import DEPTH, PLACE, TWIST, ball_pose, extend, press_path
from .marker_models import Setup, make_model, make_setup
from .marker_samples import MarkerSample, MarkerSamples

PLANTED = {
    "paper": {"lambda_d": 1.4e4, "lambda_s": 9e3, "stiffness": 20.0, "friction": 0.7},
    "release": {"lambda_d": 1.4e4, "lambda_s": 9e3, "shear_scale": 3e5, "friction": 0.7},
    "taxel": {
        "lambda_d": 3e4,
        "dilate_scale": 9e6,
        "squeeze": 3.0,
        "lambda_s": 9e4,
        "shear_scale": 25e3,
        "friction": 0.4,
    },
    "fots": {"lambda_d": 8e-4, "dilate_scale": 1.3e3, "lambda_s": 3e-4, "lambda_t": 5e-4},
    "tacsl": {"shear_gain": 2.5e4},
}
"""Ours, within the ranges over which the release randomises; a gain that moves markers by pixels. None was measured."""
NOISE = 0.1
"""px, of each component."""
STICKING = (1e-4, 3e-4)
"""m: slides so short that only the rim of the contact slips."""
SLIPPING = (1.0e-3, 2.5e-3)


def example_path(kind: str, rng: np.random.Generator) -> np.ndarray:
    """(n, 4, 4) of a ball of 35 mm diameter over a flat Mini; origin in the middle of the gel."""
    x, y = (float(rng.uniform(-half, half)) for half in PLACE)
    low, high = DEPTH["dilation" if kind == "press" else "shear"]
    depth = float(rng.uniform(low, high))
    path = press_path(x, y, depth)
    way = float(rng.uniform(-math.pi, math.pi))
    if kind in ("shear", "slip"):
        reach = float(rng.uniform(*(STICKING if kind == "shear" else SLIPPING)))
        extend(path, ball_pose(x + reach * math.cos(way), y + reach * math.sin(way), depth), reach)
    elif kind == "twist":
        angle = float(rng.uniform(*TWIST)) * (1.0 if way > 0 else -1.0)
        extend(path, ball_pose(x, y, depth, (0.0, 0.0, angle)), 5e-3 * abs(angle))
    poses = np.stack(path)
    poses[:, 2, 3] += 0.5 * gelsight_mini_markers(dome=False).size[2]
    return poses


def make_example(
    model: str = "paper",
    *,
    count: int = 10,
    noise: float = NOISE,
    seed: int = 0,
    planted: Mapping[str, float] | None = None,
    kinds: tuple[str, ...] | None = None,
) -> tuple[MarkerSamples, Setup, dict[str, float]]:
    """Samples of a model with planted parameters, the setup they belong to, and the parameters."""
    mini = gelsight_mini_markers(dome=False)
    kinds = kinds or (("press", "shear", "twist") if model == "fots" else ("press", "shear", "slip"))
    rng = np.random.default_rng(seed)
    blank = np.zeros((len(mini.markers), 2))
    samples = MarkerSamples(
        tuple(MarkerSample(k, example_path(k, rng), blank, f"{k}_{i}") for k in kinds for i in range(count)),
        mini.markers,
        mini.pixel,
    )
    setup = make_setup(samples, mini)
    one: Any = make_model(model, setup)
    values = {p.name: p.start for p in one.parameters} | dict(planted or PLANTED[model])
    moved = one.predict(samples, values)
    noisy = [
        replace(s, displacement=m + noise * rng.standard_normal(m.shape)) for s, m in zip(samples, moved, strict=True)
    ]
    return MarkerSamples(tuple(noisy), mini.markers, mini.pixel), setup, values
