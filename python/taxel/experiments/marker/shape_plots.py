"""Pictures of ``marker-shapes``: each shape from below, and its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .arrows import INK, TRUE, arrow_stretch, arrows, gel, save, scale_bar, score
from .motion_models import cosine_similarity, rmse
from .motion_plots import COLORS

COLUMNS = {
    "reference": "reference, flat gel",
    "taxel": "taxel, flat",
    "release": "release, flat",
    "taxel_dome": "taxel, dome",
    "release_dome": "release, dome",
}


def _draw_body(axis: Any, mesh: tuple[np.ndarray, np.ndarray]) -> None:
    """The mesh from below and aside, far triangles first, shaded."""
    from matplotlib.collections import PolyCollection

    vertices, triangles = mesh
    a, b = np.radians(35), np.radians(-35)  # turned about z, then tilted so that the feet show
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    p = 1e3 * (vertices - 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))) @ (tilt @ turn).T
    corners = p[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    # Seen along +y of the turned frame: x to the right, z up.
    shown = normal[:, 1] < 0
    order = np.argsort(-corners[shown][:, :, 1].mean(axis=1))
    light = np.clip(normal[shown] @ np.array([-0.35, -0.75, 0.56]), 0, 1)[order]
    shade = np.array([0.45, 0.52, 0.60]) * (0.45 + 0.75 * light[:, None])
    faces = PolyCollection(corners[shown][order][:, :, [0, 2]], facecolors=np.clip(shade, 0, 1), edgecolors="face",
                           linewidths=0.3, rasterized=True)  # fmt: skip
    axis.add_collection(faces)
    axis.set(xlim=(-11.5, 11.5), ylim=(-13, 13), aspect="equal")
    axis.axis("off")


def draw(plt: Any, meshes: dict, touches: dict, markers: np.ndarray, motion: str, path: Path) -> Path:
    """One row a shape: the body, the reference, then the models on the flat and the domed gel."""
    places = 1e3 * markers[:, :2]
    figure, axes = plt.subplots(len(meshes), 1 + len(COLUMNS), figsize=(13.2, 10.8), layout="constrained")
    for i, (line, (name, mesh)) in enumerate(zip(axes, meshes.items(), strict=True)):
        mine = {key: touches[name][key][motion] for key in COLUMNS}
        true = mine["reference"].field
        stretch = arrow_stretch([true])
        _draw_body(line[0], mesh)
        line[0].text(0.02, 0.97, name, transform=line[0].transAxes, va="top", fontsize=12, weight="bold")
        for axis, (key, title) in zip(line[1:], COLUMNS.items(), strict=True):
            gel(axis, (8.6, 10.4))
            if key in ("taxel", "release"):
                arrows(axis, places, true, stretch, TRUE, 0.0095)
            color = COLORS.get(key.removesuffix("_dome"), INK)
            arrows(axis, places, mine[key].field, stretch, color, 0.0065)
            count = mine[key].patches
            axis.text(0.03, 0.025, f"{count} patch{'es' if count != 1 else ''}", transform=axis.transAxes, fontsize=8)
            if key == "reference":
                axis.text(0.03, 0.975, f"arrows × {stretch:g}", transform=axis.transAxes, va="top", fontsize=8)
                scale_bar(axis, stretch, 5)
            elif not key.endswith("dome"):
                score(axis, rmse(mine[key].field, true), cosine_similarity(mine[key].field, true))
            if i == 0:
                axis.set_title(title, fontsize=11, weight="bold", color=color)
    words = {"slide": "pressed by 0.7 mm and slid by 0.7 mm", "twist": "pressed by 0.7 mm and turned by 12°"}
    figure.supxlabel(
        f"{words[motion]}. Black and grey: elastic layer with friction. Colour: the model. The layer is flat: nothing "
        "to compare the dome with.",
        fontsize=9,
    )
    save(figure, path, 88)
    plt.close(figure)
    return path
