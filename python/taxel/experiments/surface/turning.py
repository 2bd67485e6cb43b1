"""Does the force depend on how a round body happens to be turned? It must not.

An ellipsoid spun about its contact normal, a cylinder rolled about its axis, and a sphere made of 2,000 triangles at
random orientations, each at a fixed depth. Spread = (max - min) / mean of the force.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import taxel

PAD = (0.08, 0.08, 0.018)
LIMITS = {"ellipsoid spun": 0.005, "cylinder rolled": 0.005, "mesh sphere turned": 0.02}


def fibonacci_sphere(radius: float, triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """A closed sphere of about that many triangles (exactly, when even): evenly spread points and their convex hull."""
    count = triangles // 2 + 2
    i = np.arange(count)
    z = 1 - (2 * i + 1) / count
    angle = np.pi * (1 + 5**0.5) * i
    r = np.sqrt(1 - z * z)
    points = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
    return radius * points, hull(points)


def hull(points: np.ndarray) -> np.ndarray:
    """Triangles of the convex hull of points on a sphere: incremental, outward facing."""
    a, b, c = points[:3]
    rest = list(range(3, len(points)))
    # A first tetrahedron of the right orientation, then each point replaces the faces that see it.
    d = rest.pop(int(np.argmax(np.abs((points[3:] - a) @ np.cross(b - a, c - a)))))
    base = (0, 1, 2) if np.dot(np.cross(b - a, c - a), points[d] - a) < 0 else (0, 2, 1)
    faces = [base] + [(base[(k + 1) % 3], base[k], d) for k in range(3)]
    index = np.array(faces)
    normal = np.cross(points[index[:, 1]] - points[index[:, 0]], points[index[:, 2]] - points[index[:, 0]])
    offset = np.einsum("ij,ij->i", normal, points[index[:, 0]])
    for p in rest:
        seen = normal @ points[p] > offset + 1e-14
        edges = index[seen][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        pairs = {tuple(e) for e in edges.tolist()}
        rim = np.array([e for e in pairs if (e[1], e[0]) not in pairs])
        fresh = np.column_stack([rim, np.full(len(rim), p)])
        n = np.cross(points[fresh[:, 1]] - points[fresh[:, 0]], points[fresh[:, 2]] - points[fresh[:, 0]])
        index = np.concatenate([index[~seen], fresh])
        normal = np.concatenate([normal[~seen], n])
        offset = np.concatenate([offset[~seen], np.einsum("ij,ij->i", n, points[fresh[:, 0]])])
    return index


def random_rotations(count: int, seed: int = 1) -> np.ndarray:
    quaternions = np.random.default_rng(seed).normal(size=(count, 4))
    return np.array([taxel.pose(quat=q) for q in quaternions])


def forces_of_each(quick: bool) -> dict[str, np.ndarray]:
    """Normal force of each turn, by case."""
    count = 12 if quick else 60
    # The backed pad has the same field everywhere below its face; with the distance field the ends of the ellipsoid
    # would come near the rim of the pad at some angles, where the pressure truly differs.
    pad = taxel.Body.box(PAD, 3e4, field="backed")
    top, depth = PAD[2] / 2, 0.003
    angles = np.linspace(0, np.pi, count, endpoint=False)
    lying = taxel.pose(rpy=(0, np.pi / 2, 0))

    def turns(radius: float, before: Any, after: Any) -> np.ndarray:
        lift = taxel.pose((0, 0, top + radius - depth))
        return np.array([lift @ before(a) @ lying @ after(a) for a in angles])

    def about_z(angle: float) -> np.ndarray:
        return taxel.pose(rpy=(0, 0, angle))

    def not_at_all(angle: float) -> np.ndarray:
        return np.eye(4)

    ellipsoid = taxel.Body.ellipsoid((0.025, 0.025, 0.075))
    cylinder = taxel.Body.cylinder(0.0225, 0.15)
    ball = taxel.Body.mesh(*fibonacci_sphere(0.03, 2000), name="mesh sphere")
    turned = random_rotations(count)
    turned[:, :3, 3] = (0, 0, top + 0.03 - depth)
    pairs = {
        "ellipsoid spun": (ellipsoid, turns(0.025, about_z, not_at_all)),
        "cylinder rolled": (cylinder, turns(0.0225, not_at_all, about_z)),
        "mesh sphere turned": (ball, turned),
    }
    return {
        name: taxel.contact_batch(pad, taxel.pose(), body, poses).normal_force for name, (body, poses) in pairs.items()
    }


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import table

    rows = []
    for name, forces in forces_of_each(quick).items():
        spread = float(np.ptp(forces) / forces.mean())
        rows.append(
            {
                "case": name,
                "turns": len(forces),
                "mean": float(forces.mean()),
                "spread": spread,
                "limit": LIMITS[name],
                "within": spread < LIMITS[name],
            }
        )
    out.print(
        table(
            ("case", "turns", "mean force N", "spread", "limit", ""),
            [
                (
                    r["case"],
                    str(r["turns"]),
                    f"{r['mean']:.4f}",
                    f"{100 * r['spread']:.3f} %",
                    f"{100 * r['limit']:g} %",
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in rows
            ],
        )
    )
    return {"experiment": "turning", "rows": rows}
