"""HydroShear's Fig. 11: shapes with several patches of contact, pressed, slid and turned on a GelSight Mini.

Torus, cross, star and a four-legged animal, on the flat gel and on the domed one; fields of the modes "layer", "taxel"
(their defaults) and "release" (calibrated in the same run, on the ball of ``marker-motions``). On the flat gel they are
held against the elastic layer of `taxel.reference`, which takes any shape by the height of its lower side. It knows no
dome: there is no reference there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...reference import Distance, ElasticLayer, HeightMap, LayerContact, LayerGrid, PointProbe
from ...reference.motions import GEL_THICKNESS, PIXEL
from ...report import need_matplotlib, table
from . import shape_plots as plots
from .motion_models import SURFACE, calibration_set, contenders, cosine_similarity, rmse
from .shape_meshes import SHAPES, Shape

DEPTH, SLIDE, WAY, TURN = 0.7e-3, 0.7e-3, math.radians(30.0), math.radians(12.0)
STEP = 0.5e-4
MOTIONS = ("press", "slide", "twist")
RADIUS = {"layer": 0.6e-3, "taxel": 0.4e-3, "release": 0.75e-3}
"""Of the points, m; of mode "layer" the side of its cells. The release has no area weights: its numbers belong to the
density they were fitted at."""
CAP = 5e-3
"""Heights above this (m) are no concern of a gel 0.7 mm deep in contact."""


def motion_path(motion: str) -> np.ndarray:
    """(n, 4, 4): down to DEPTH, then along or round; z = 0 is the face of the gel."""

    def pose(depth: float, along: float, turn: float) -> np.ndarray:
        X = np.eye(4)
        X[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
        X[:3, 3] = along * math.cos(WAY), along * math.sin(WAY), -depth
        return X

    path = [pose(d, 0, 0) for d in np.linspace(-STEP, DEPTH, round(DEPTH / STEP) + 2)]
    for s in np.linspace(0, 1, round(SLIDE / STEP) + 1)[1:] if motion == "slide" else ():
        path.append(pose(DEPTH, s * SLIDE, 0))
    for s in np.linspace(0, 1, 25)[1:] if motion == "twist" else ():
        path.append(pose(DEPTH, 0, s * TURN))
    return np.stack(path)


def lower_side(shape: Shape, spacing: float = 1e-4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grid axes and the height of the shape's lower side over them, at most CAP."""
    x, y = (np.arange(shape.low[k], shape.high[k] + spacing, spacing) for k in range(2))
    bound = float(np.linalg.norm(np.maximum(np.abs(shape.low), np.abs(shape.high))))
    X, Y = np.meshgrid(x, y, indexing="ij")
    return x, y, np.minimum(Distance(shape.distance, bound).height(X, Y, np.eye(4)), CAP)


def height_map(shape: Shape) -> HeightMap:
    from scipy.interpolate import RegularGridInterpolator

    x, y, z = lower_side(shape)
    lookup = RegularGridInterpolator((x, y), z, bounds_error=False, fill_value=CAP)
    return HeightMap(lambda a, b: lookup(np.stack([a, b], axis=-1)))


@dataclass(frozen=True)
class Touch:
    """What a model or the reference says at the end of a motion."""

    field: np.ndarray
    """(63, 2) px."""
    patches: int
    force: float | None
    """Along the normal, N."""


def reference_touches(shape: Shape, markers: np.ndarray, quick: bool) -> dict[str, Touch]:
    """Of each motion; the press is shared."""
    from scipy.ndimage import label

    cells, cell = ((72, 84), 0.4e-3) if quick else ((112, 128), 0.25e-3)
    grid = LayerGrid(ElasticLayer(GEL_THICKNESS, 2e5, 0.499), cells, cell)
    probe, surface, found = PointProbe(grid, markers), height_map(shape), {}
    for motion in MOTIONS:
        contact = LayerContact(grid, surface, 0.5, 1e-4 if quick else 0.5e-4, 1e-3)
        state = [contact.move(X) for X in motion_path(motion)[:: 2 if quick else 1]][-1]
        if quick:
            state = contact.move(motion_path(motion)[-1])
        patches = label(state.status > 0, structure=np.ones((3, 3)))[1]
        found[motion] = Touch(probe(state.traction)[:, :2] / PIXEL, int(patches), float(-state.force[2]))
    return found


def count_patches(points: np.ndarray, reach: float) -> int:
    """Groups of points in which each has a neighbour within ``reach``."""
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if not len(points):
        return 0
    near = cKDTree(points).sparse_distance_matrix(cKDTree(points), reach)
    return int(connected_components(near, directed=False)[0])


def model_touches(
    mesh: tuple, mode: str, dome: bool, motions: tuple[str, ...] = MOTIONS, **numbers: float
) -> dict[str, Touch]:
    mini = taxel.gelsight_mini_markers(dome=dome, backing=0.0 if mode == "release" else 6e-3)
    pad = taxel.MarkerDistance(mini.pad, "trilinear", spacing=0.25e-3) if dome and mode == "release" else mini.pad
    spread = {"pitch" if mode == "layer" else "radius": RADIUS[mode]}
    field = taxel.MarkerField(pad, mini.markers, mesh, mode, **spread, **numbers)
    found = {}
    for motion in motions:
        path = motion_path(motion)
        path[:, 2, 3] += SURFACE
        field.reset()
        moved = field.follow(path)[-1]
        if mode != "release":
            touching, force = field.contact_points, float(-field.wrench[2])
        else:
            placed = field.points @ path[-1][:3, :3].T + path[-1][:3, 3]
            touching, force = placed[field.state["index"]], None
        found[motion] = Touch(moved[:, :2], count_patches(touching, 2.1 * RADIUS[mode]), force)
    return found


def calibrated_release(out: Any, quick: bool) -> dict[str, float]:
    """The numbers of ``marker-motions`` for "HydroShear, release" with its dilation's gain, fitted here and now."""
    (found,) = contenders(calibration_set(2 if quick else 10, True, out.progress), only=("release_gain",))
    return {name: float(value) for name, value in found.values.items()}


def unsqueezed(mesh: tuple) -> np.ndarray:
    """The press in mode "taxel" without the sideways flow that its `squeeze` stands for, (63, 2) px."""
    return model_touches(mesh, "taxel", False, ("press",), squeeze=0.0)["press"].field


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    plt = need_matplotlib()
    markers = taxel.gelsight_mini_markers(dome=False).markers
    fitted = {"layer": {}, "taxel": {}, "release": calibrated_release(out, quick)}
    rows, touches, meshes = [], {}, {}
    for make in out.progress(SHAPES, "shapes"):
        shape = make()
        mesh = meshes[shape.name] = shape.mesh()
        mine = touches[shape.name] = {"reference": reference_touches(shape, markers[:, :2], quick)}
        for mode in ("layer", "taxel", "release"):
            for dome in (False, True):
                mine[f"{mode}{'_dome' if dome else ''}"] = model_touches(mesh, mode, dome, **fitted[mode])
        for motion in MOTIONS:
            true = mine["reference"][motion]
            row: dict[str, Any] = {
                "shape": shape.name,
                "motion": motion,
                "triangles": len(mesh[1]),
                "patches": {name: t[motion].patches for name, t in mine.items()},
                "force": {name: t[motion].force for name, t in mine.items() if not name.startswith("release")},
                "motion_rms": rmse(true.field, np.zeros_like(true.field)),
            }
            for mode in ("layer", "taxel", "release"):
                field = mine[mode][motion].field
                row[mode] = {"rmse": rmse(field, true.field), "cs": cosine_similarity(field, true.field)}
            row["without_squeeze"] = None if motion != "press" else rmse(unsqueezed(mesh), true.field)
            same = row["patches"]["reference"]
            # A straight press: the layer must be ahead of the release, which mode "taxel" is not.
            ahead = motion != "press" or row["layer"]["rmse"] < row["release"]["rmse"]
            row["within"] = bool(row["patches"]["taxel"] == row["patches"]["layer"] == same and ahead)
            rows.append(row)
    header = ("shape", "motion", "patches: reference", "taxel", "on the dome", "moves px", "layer RMSE", "taxel RMSE",
              "CS", "release RMSE", "CS", "force N: reference", "layer", "taxel", "RMSE, squeeze 0", "")  # fmt: skip
    cells = [
        (r["shape"], r["motion"], str(r["patches"]["reference"]), str(r["patches"]["taxel"]),
         str(r["patches"]["taxel_dome"]), f"{r['motion_rms']:.2f}", f"{r['layer']['rmse']:.2f}",
         f"{r['taxel']['rmse']:.2f}",
         f"{r['taxel']['cs']:.3f}", f"{r['release']['rmse']:.2f}", f"{r['release']['cs']:.3f}",
         f"{r['force']['reference']:.2f}", f"{r['force']['layer']:.2f}", f"{r['force']['taxel']:.2f}",
         "" if r["without_squeeze"] is None else f"{r['without_squeeze']:.2f}", "" if r["within"] else "outside")
        for r in rows
    ]  # fmt: skip
    out.print("release, fitted to the ball in this run: "
              + ", ".join(f"{name} {value:.4g}" for name, value in fitted["release"].items()))  # fmt: skip
    out.print(f"{1e3 * DEPTH:g} mm deep; slide {1e3 * SLIDE:g} mm, twist {math.degrees(TURN):g} degrees; flat gel:")
    out.print(table(header, cells, left=2))
    for motion in MOTIONS:
        each = [r for r in rows if r["motion"] == motion]
        means = ", ".join(f"{m} {np.mean([r[m]['rmse'] for r in each]):.2f} px" for m in ("layer", "taxel", "release"))
        out.print(f"mean over the shapes, {motion}: {means}; the motion itself "
                  f"{np.mean([r['motion_rms'] for r in each]):.2f}")  # fmt: skip
    out.print("the domed gel has no reference: the elastic layer is flat; its fields are in the picture")
    pictures = [
        plots.draw(plt, meshes, touches, markers, motion, folder / f"marker_shapes_{motion}.png")
        for motion in ("slide", "twist")
    ]
    for picture in pictures:
        out.print(f"picture: {picture}")
    return {
        "experiment": "marker-shapes",
        "quick": quick,
        "release": fitted["release"],
        "rows": rows,
        "pictures": pictures,
    }
