"""The gel of particles in the four motions of HydroShear's Table I, beside the elastic layer that judges marker models.

The same paths as ``marker-motions`` (seed 0): a ball of 35 mm on a gel of 20.75 x 25.25 x 4 mm, friction 0.5, markers
on its surface. The layer is linear, endless and has Poisson's ratio 0.499; the gel has finite strains, sides and 0.49.
So the gel is held against the layer with 0.499 (what the marker models are held against) and with its own ratio: the
difference is the material's, the rest that of the model.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...reference.elastic_layer import ElasticLayer
from ...reference.motions import (
    BALL_RADIUS,
    FULL,
    GEL_SIZE,
    GEL_THICKNESS,
    KINDS,
    PIXEL,
    follow,
    marker_grid,
    motion,
)
from ...report import need_matplotlib, table
from ..marker.arrows import INK, TRUE, arrow_stretch, arrows, gel, save, scale_bar
from ..marker.motion_models import calibration_set, contenders, cosine_similarity, rmse, test_set
from ..marker.motions import PAPER

POISSON, YOUNG, FRICTION = 0.49, 2e5, 0.5
SPEED = 0.1
"""Of the ball over that of a shear wave."""
RIVALS = ("taxel", "paper")
MEANS = ("rms", "rmse", "rmse_moving", "rmse_same", "cs", "normal", "friction", "friction_same", "cpu_s", *RIVALS)


def follow_gel(path: np.ndarray, cell: float, speed: float = SPEED, threads: int = 2) -> dict[str, Any]:
    """The markers at the end of a path of the ball in the reference's frame (origin on the surface)."""
    pad = taxel.Gel(
        taxel.Body.box((*GEL_SIZE, GEL_THICKNESS)), cell=cell, young=YOUNG, poisson=POISSON, threads=threads
    )
    lift = np.array([0, 0, GEL_THICKNESS / 2])
    poses = path.copy()
    poses[:, :3, 3] += lift
    start = time.process_time()
    ball = pad.add(taxel.Body.sphere(BALL_RADIUS), poses[0], friction=FRICTION)
    # Where the ball touches, from its centre: this is what has to be slow.
    near = np.array([(x, y, -BALL_RADIUS) for x in (-5e-3, 0, 5e-3) for y in (-5e-3, 0, 5e-3)])
    steps = 0
    for before, after in itertools.pairwise(poses):
        turned = near @ before[:3, :3] @ after[:3, :3].T
        way = np.linalg.norm(turned - near + after[:3, 3] - before[:3, 3], axis=1).max()
        count = max(1, math.ceil(way / (speed * pad.shear_speed * pad.dt)))
        pad.advance(count, after)
        steps += count
    markers = np.column_stack([marker_grid(), np.full(len(marker_grid()), lift[2])])
    moving = pad.displacement_at(markers)[:, :2] / PIXEL
    steps += pad.settle(2e-3)
    return {
        "moving": moving,
        "pixels": pad.displacement_at(markers)[:, :2] / PIXEL,
        "force": pad.force(ball),
        "steps": steps,
        "particles": len(pad),
        "cpu_s": time.process_time() - start,
    }


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    plt = need_matplotlib()
    count, cell = (1, 1e-3) if quick else (3, 0.5e-3)
    same = replace(FULL, layer=ElasticLayer(GEL_THICKNESS, YOUNG, POISSON))
    samples, ends = test_set(count, quick, out.progress)
    rivals = contenders(calibration_set(3, True, out.progress), out.progress, RIVALS)
    predictions = {c.key: c.predict(samples) for c in rivals}
    found = []
    for k, (kind, index) in enumerate(out.progress([(e["motion"], e["index"]) for e in ends], "gel")):
        path, _ = motion(kind, index)
        mine = follow_gel(path, cell)
        own = follow(path, settings=same)
        true = samples.samples[k].displacement
        found.append(
            {
                "motion": kind,
                "index": index,
                "rms": float(np.sqrt((true**2).sum(axis=1).mean())),
                "rmse": rmse(mine["pixels"], true),
                "rmse_moving": rmse(mine["moving"], true),
                "rmse_same": rmse(mine["pixels"], own["pixels"][-1]),
                "cs": cosine_similarity(mine["pixels"], true),
                # The layer gives the force on the gel.
                "normal": float(-mine["force"][2] / own["force"][-1][2]),
                "friction": float(np.linalg.norm(mine["force"][:2]) / mine["force"][2]),
                "friction_same": float(np.linalg.norm(own["force"][-1][:2]) / -own["force"][-1][2]),
                **{c.key: rmse(predictions[c.key][k], true) for c in rivals},
                **{name: mine[name] for name in ("pixels", "steps", "particles", "cpu_s")},
            }
        )
    rows = []
    for kind in KINDS:
        chosen = [f for f in found if f["motion"] == kind]
        mean = {name: float(np.mean([f[name] for f in chosen])) for name in MEANS}
        rows.append({"test": "motions", "motion": kind, **mean, "within": bool(mean["rmse"] < mean["paper"])})
    head = ("motion", "rms px", "gel", "not settled", f"layer of {POISSON:g}", "CS", "taxel", "HydroShear here",
            "its paper, real", "N/N_ref", "T/N", "T/N ref", "CPU s")  # fmt: skip
    paper = dict(zip(KINDS, PAPER["HydroShear"], strict=True))
    out.print(f"cell {1e3 * cell:g} mm, {found[0]['particles']} particles, {count} samples each; RMSE in px")
    out.print(table(head, [
        (r["motion"], f"{r['rms']:.2f}", f"{r['rmse']:.2f}", f"{r['rmse_moving']:.2f}", f"{r['rmse_same']:.2f}",
         f"{r['cs']:.3f}", f"{r['taxel']:.2f}", f"{r['paper']:.2f}", f"{paper[r['motion']][0]:.2f}",
         f"{r['normal']:.3f}", f"{r['friction']:.3f}", f"{r['friction_same']:.3f}", f"{r['cpu_s']:.0f}")
        for r in rows
    ]))  # fmt: skip
    picture = draw(plt, found, samples, folder / "gel_motions.png")
    out.print(f"picture: {picture}")
    return {
        "experiment": "gel-motions",
        "quick": quick,
        "cell": cell,
        "rows": rows,
        "samples": [{k: v for k, v in f.items() if k != "pixels"} for f in found],
        "pictures": [picture],
    }


def draw(plt: Any, found: list[dict[str, Any]], samples: Any, path: Path) -> Path:
    """Of each motion the sample that moves most: the layer's arrows and the gel's over them."""
    figure, axes = plt.subplots(1, len(KINDS), figsize=(13, 4.3), layout="constrained")
    places = 1e3 * marker_grid()
    for axis, kind in zip(axes, KINDS, strict=True):
        k = max((i for i, f in enumerate(found) if f["motion"] == kind), key=lambda i: found[i]["rms"])
        true = samples.samples[k].displacement
        stretch = arrow_stretch([true])
        gel(axis, (8.6, 11.6))
        arrows(axis, places, true, stretch, TRUE)
        arrows(axis, places, found[k]["pixels"], stretch, INK)
        longest = float(np.linalg.norm(true, axis=1).max())
        scale_bar(axis, stretch, 10 if longest > 12 else 5 if longest > 3 else 1)
        axis.set_title(f"{kind}: off by {found[k]['rmse']:.2f} of {found[k]['rms']:.1f} px", fontsize=10)
    axes[0].set_ylabel("grey: elastic layer, black: gel of particles", fontsize=9)
    return save(figure, path)
