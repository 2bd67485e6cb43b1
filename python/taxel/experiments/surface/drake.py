"""Does somebody else's code find the same force? Random pairs of primitives, soft and rigid, against Drake.

Drake's forces depend on its mesh size and come out too small by its inscribed meshes. Ours do not depend on one. So the
difference must fall as Drake's meshes get finer: about fourfold when the size is halved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .query_speed import Case, Shape, load_drake

HINTS = (0.004, 0.002, 0.001)  # m
LIMIT = 0.02  # of the force, at the finest: what is left of Drake's own error
PATCH = 2e-4  # m2


def random_shape(rng: np.random.Generator, modulus: float) -> Shape:
    kind = rng.choice(["sphere", "box", "cylinder", "capsule", "ellipsoid"])
    sizes = {
        "sphere": lambda: (rng.uniform(0.02, 0.04),),
        "box": lambda: tuple(rng.uniform(0.03, 0.08, 3)),
        "cylinder": lambda: (rng.uniform(0.015, 0.04), rng.uniform(0.02, 0.12)),
        "capsule": lambda: (rng.uniform(0.015, 0.03), rng.uniform(0.02, 0.1)),
        "ellipsoid": lambda: tuple(rng.uniform(0.02, 0.05, 3)),
    }[kind]()
    return Shape(str(kind), tuple(float(s) for s in sizes), modulus=modulus)


def random_case(rng: np.random.Generator) -> Case:
    """Two bodies at random orientations, pushed together along a random line until the patch has PATCH."""
    A = random_shape(rng, 1e5)
    B = random_shape(rng, 0.0 if rng.random() < 0.5 else float(rng.uniform(5e4, 5e5)))
    X_WA = taxel.pose(rng.uniform(-0.05, 0.05, 3), quat=rng.normal(size=4))
    X_WB = taxel.pose(quat=rng.normal(size=4))
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    bodies = A.body(), B.body()
    near, far = 0.0, 0.3
    for _ in range(40):
        middle = 0.5 * (near + far)
        X_WB[:3, 3] = X_WA[:3, 3] + middle * direction
        if taxel.contact(bodies[0], X_WA, bodies[1], X_WB).area > PATCH:
            near = middle
        else:
            far = middle
    X_WB[:3, 3] = X_WA[:3, 3] + near * direction
    return Case(f"{A.kind} / {B.kind}", A, B, X_WA, X_WB)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import table

    drake = load_drake()
    if drake is None:
        raise ValueError("Drake is not installed; run: pip install drake")
    rng = np.random.default_rng(7)
    cases = [random_case(rng) for _ in range(10 if quick else 40)]
    ours = [taxel.contact(c.A.body(), c.X_WA, c.B.body(), c.X_WB).force_on_A for c in cases]
    rows = []
    for hint in HINTS[:2] if quick else HINTS:
        differences = []
        for case, force in zip(cases, out.progress(ours, f"Drake at {1e3 * hint:g} mm"), strict=True):
            theirs = drake.force(case, hint)
            # Drake orders the pair as it likes, so the sign is free.
            error = min(np.linalg.norm(force - theirs), np.linalg.norm(force + theirs))
            differences.append(error / np.linalg.norm(force))
        row = {
            "hint": hint,
            "pairs": len(cases),
            "median": float(np.median(differences)),
            "greatest": float(np.max(differences)),
            "worst_pair": cases[int(np.argmax(differences))].name,
        }
        if hint == HINTS[-1]:
            row["within"] = row["greatest"] < LIMIT
        rows.append(row)
    out.print(
        table(
            ("Drake's mesh size", "pairs", "median difference", "greatest", "of the pair", ""),
            [
                (
                    f"{1e3 * r['hint']:g} mm",
                    str(r["pairs"]),
                    f"{100 * r['median']:.2f} %",
                    f"{100 * r['greatest']:.2f} %",
                    r["worst_pair"],
                    {True: "within 2 %", False: "OUTSIDE 2 %"}.get(r.get("within"), ""),
                )
                for r in rows
            ],
        )
    )
    return {"experiment": "drake", "drake": drake.version, "rows": rows}
