"""The effective modulus of a bonded layer, from the exact layer, beside the rule of ``taxel.Material``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...reference.elastic_layer import ElasticLayer, LayerGrid
from ...reference.layer_solvers import solve_normal
from ...sensors import effective_modulus

POISSONS = (0.0, 0.3, 0.45, 0.48, 0.499)
SIZES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 4.0)


def layer_modulus(poisson: float, size: float, kind: str) -> float:
    """F H / (E V) of a ball or a flat punch that overlaps a frictionless layer over a disc of radius size x H."""
    width = 2 * (1.6 * size + 3.0)
    n = min(2 * math.ceil(width / min(size / 14, 0.25) / 2), 400)
    grid = LayerGrid(ElasticLayer(1.0, 1.0, poisson), (n, n), width / n)
    x, y = np.meshgrid(grid.x, grid.y, indexing="ij")
    away = (x * x + y * y) / size**2
    overlap = 0.01 * (1 - away) if kind == "ball" else np.where(away < 1, 0.01, -np.inf)
    pressure = solve_normal(grid.normal, overlap, np.zeros_like(overlap), 1e-3)
    return float(pressure.sum() / np.where(overlap > 0, overlap, 0.0).sum())


def rule_rows(quick: bool = False) -> list[dict[str, Any]]:
    """A row for each ratio and size: ball, punch, and what the rule gives."""
    rows = []
    for poisson in POISSONS:
        for size in (0.5, 1.0) if quick else SIZES:
            ball, punch = (layer_modulus(poisson, size, kind) for kind in ("ball", "punch"))
            m = effective_modulus(size, poisson)
            rows.append({"poisson": poisson, "size": size, "ball": ball, "punch": punch, "rule": m,
                         "off": m / math.sqrt(ball * punch) - 1})  # fmt: skip
    return rows
