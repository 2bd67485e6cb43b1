"""The contact query timed beside Drake's, case by case, and how the time grows with the mesh."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import taxel
from taxel import _core


@dataclass
class Shape:
    """A shape both sides can make: kind, sizes or file, modulus (0: rigid)."""

    kind: str
    sizes: tuple[float, ...] = ()
    file: Path | None = None
    modulus: float = 0.0

    def body(self) -> taxel.Body:
        if self.kind == "mesh":
            return taxel.Body.from_file(self.file, modulus=self.modulus)
        if self.kind in ("box", "ellipsoid"):
            return getattr(taxel.Body, self.kind)(self.sizes, modulus=self.modulus)
        return getattr(taxel.Body, self.kind)(*self.sizes, modulus=self.modulus)


@dataclass
class Case:
    name: str
    A: Shape
    B: Shape
    X_WA: np.ndarray
    X_WB: np.ndarray
    expected: float | None = None
    """Length of the continuum force, N; None where there is none."""
    hints: tuple[float, ...] = (0.01,)
    """Drake's resolution hints, m. Meshes ignore them."""
    ours: dict[str, Any] = field(default_factory=dict)


def make_cases(data: Path | None, quick: bool) -> list[Case]:
    pad = Shape("box", (0.08, 0.08, 0.018), modulus=3e4)
    cylinder = Shape("cylinder", (0.0225, 0.15))
    lying = taxel.pose((0, 0, 0.009 + 0.0225 - 0.003), rpy=(0, np.pi / 2, 0))
    cases = [
        # Continuum forces: fine quadrature of the exact field, tests/data/hydroelastic.json.
        Case(
            "pad / rigid cylinder, 3 mm",
            pad,
            cylinder,
            taxel.pose(),
            lying,
            11.7762,
            (0.01, 0.005, 0.0025, 0.00125),
        ),
        Case(
            "soft sphere / soft sphere, 5 mm",
            Shape("sphere", (0.05,), modulus=1e5),
            Shape("sphere", (0.05,), modulus=3e5),
            taxel.pose(),
            taxel.pose((0, 0, 0.095)),
            2.8467,
            (0.01, 0.005) if quick else (0.01, 0.005, 0.0025),
        ),
    ]
    if data is None:
        return cases
    for h in ("10", "5") if quick else ("10", "5", "2.5"):
        name = f"l_shape_h{h}.vtk"
        ell = Shape("mesh", file=data / name, modulus=1e5)
        pose_A, pose_B, expected = mesh_row(data, name)
        cases.append(Case(f"soft L / soft L, {h} mm tets", ell, ell, pose_A, pose_B, expected))
    for h in ("10",) if quick else ("10", "5", "2.5"):
        ell = Shape("mesh", file=data / f"l_shape_h{h}.vtk", modulus=1e5)
        dumbbell = Shape("mesh", file=data / "dumbbell.obj")
        # Lying flat across the arms of the L, 2 mm deep, yaw 30 degrees.
        X_WB = taxel.pose((0, 0, 0.01 + 0.02 - 0.002), rpy=(0, 0, np.radians(30)))
        cases.append(Case(f"soft L, {h} mm tets / rigid dumbbell", ell, dumbbell, taxel.pose(), X_WB))
    return cases


def mesh_row(data: Path, name: str) -> tuple[np.ndarray, np.ndarray, float | None]:
    """Poses and force of the deepest mesh against mesh row of the reference file for that mesh; else the usual pose."""
    try:
        rows = json.loads((data / "hydroelastic.json").read_text())["rows"]
    except OSError:
        rows = []
    best = None
    for row in rows:
        if row["A"].get("file") == name and row["B"].get("file") == name:
            best = row if best is None or row["penetration"] >= best["penetration"] else best
    if best is None:
        X_WB = taxel.pose((0.003, 0.002, 0.018), rpy=(0, 0, np.radians(170)))
        return taxel.pose(), X_WB, None
    poses = [taxel.pose(best[key]["p"], R=np.reshape(best[key]["R"], (3, 3))) for key in ("X_WA", "X_WB")]
    return poses[0], poses[1], float(np.linalg.norm(best["expected"]["force_on_B"]))


def time_case(case: Case, drake: Drake | None, quick: bool) -> dict[str, Any]:
    A, B = case.A.body(), case.B.body()
    repeats = 15 if quick else 60
    nanoseconds, faces, _, _ = _core.time_contact(A, case.X_WA, B, case.X_WB, repeats)
    force = float(np.linalg.norm(taxel.contact(A, case.X_WA, B, case.X_WB).force_on_B))
    row: dict[str, Any] = {
        "case": case.name,
        "microseconds": nanoseconds / 1e3,
        "faces": faces,
        "force": force,
        "expected": case.expected,
        "error": force / case.expected - 1 if case.expected else None,
        "drake": [],
    }
    for hint in case.hints if drake else ():
        result = drake.time(case, hint, repeats)
        result["error"] = result["force"] / case.expected - 1 if case.expected else None
        result["ratio"] = result["microseconds"] / row["microseconds"]
        result["setting"] = "same mesh" if case.A.kind == "mesh" else f"{1e3 * hint:g} mm"
        row["drake"].append(result)
    return row


def row_cells(row: dict[str, Any]) -> list[tuple[str, ...]]:
    """Lines of the table: one a Drake setting, our side in the first of them."""

    def percent(value: float | None) -> str:
        # Less than half of the last digit shown is "+0.000", whatever its sign.
        return "-" if value is None else f"{100 * value if abs(value) >= 5e-6 else 0:+.3f} %"

    ours = (row["case"], f"{row['microseconds']:.1f}", str(row["faces"]), percent(row["error"]))
    if not row["drake"]:
        return [(*ours, "-", "-", "-", "-", "-")]
    return [
        (
            *(ours if k == 0 else ("", "", "", "")),
            d["setting"],
            f"{d['microseconds']:.0f}",
            str(d["faces"]),
            percent(d["error"]),
            f"{d['ratio']:.1f}x",
        )
        for k, d in enumerate(row["drake"])
    ]


def draw_scaling(curve: list[dict[str, Any]], path: Path) -> bool:
    """Time, and time per face, against faces; False where matplotlib is not installed."""
    from taxel.report import need_matplotlib

    try:
        plt = need_matplotlib()
    except ImportError:
        return False
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for family in dict.fromkeys(c["family"] for c in curve):
        mine = [c for c in curve if c["family"] == family]
        faces, times = ([c[key] for c in mine] for key in ("faces", "microseconds"))
        left.loglog(faces, times, "o-", label=family)
        right.semilogx(faces, [t / f for t, f in zip(times, faces, strict=True)], "o-", label=family)
    figure.suptitle("The cost follows the faces that come out")
    left.set(xlabel="faces that come out", ylabel="time of a query, us")
    right.set(xlabel="faces that come out", ylabel="us per face", ylim=(0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
    left.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return True


# --- growth ---------------------------------------------------------------------------------------------------------


def icosphere(radius: float, level: int) -> tuple[np.ndarray, np.ndarray]:
    """20 * 4^level triangles."""
    t = (1 + 5**0.5) / 2
    points = np.array(
        [
            (-1, t, 0), (1, t, 0), (-1, -t, 0), (1, -t, 0), (0, -1, t), (0, 1, t),
            (0, -1, -t), (0, 1, -t), (t, 0, -1), (t, 0, 1), (-t, 0, -1), (-t, 0, 1),
        ]
    )  # fmt: skip
    faces = np.array(
        [
            (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
            (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10),
            (8, 6, 7), (9, 8, 1),
        ]
    )  # fmt: skip
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    for _ in range(level):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        unique, inverse = np.unique(edges, axis=0, return_inverse=True)
        middle = points[unique].sum(axis=1)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        ab, bc, ca = len(points) + inverse.reshape(3, -1)
        a, b, c = faces.T
        faces = np.concatenate([np.column_stack(f) for f in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
        points = np.concatenate([points, middle])
    return radius * points, faces


def scaling(out: Any, data: Path | None, quick: bool) -> list[dict[str, Any]]:
    repeats = 15 if quick else 40
    rows = []
    pad = taxel.Body.box((0.08, 0.08, 0.018), 3e4)
    levels = range(2, 5 if quick else 8)
    for level in out.progress(levels, "growth", len(levels)):
        vertices, triangles = icosphere(0.03, level)
        ball = taxel.Body.mesh(vertices, triangles, name="icosphere")
        X_WB = taxel.pose((0, 0, 0.009 + 0.03 - 0.003))
        nanoseconds, faces, _, _ = _core.time_contact(pad, taxel.pose(), ball, X_WB, repeats)
        rows.append(_growth("rigid icosphere on the pad, 3 mm", f"level {level}", len(triangles), faces, nanoseconds))
    # A shallow press of the finest mesh touches few of its triangles, and costs little.
    if not quick:
        for depth in (0.0002, 0.001, 0.003):
            X_WB = taxel.pose((0, 0, 0.009 + 0.03 - depth))
            nanoseconds, faces, _, _ = _core.time_contact(pad, taxel.pose(), ball, X_WB, repeats)
            rows.append(
                _growth(
                    "finest icosphere, depth varied",
                    f"{1e3 * depth:g} mm",
                    len(triangles),
                    faces,
                    nanoseconds,
                )
            )
    if data is not None:
        for h in ("10", "5") if quick else ("10", "5", "2.5"):
            name = f"l_shape_h{h}.vtk"
            body = taxel.Body.from_file(data / name, modulus=1e5)
            X_WA, X_WB, _ = mesh_row(data, name)
            nanoseconds, faces, _, _ = _core.time_contact(body, X_WA, body, X_WB, repeats)
            rows.append(_growth("soft L / soft L", f"{h} mm", 2 * len(body.tet_mesh[1]), faces, nanoseconds))
    return rows


def _growth(family: str, mesh: str, elements: int, faces: int, nanoseconds: float) -> dict[str, Any]:
    return {
        "family": family,
        "mesh": mesh,
        "elements": elements,
        "faces": faces,
        "microseconds": nanoseconds / 1e3,
    }


# --- Drake ----------------------------------------------------------------------------------------------------------


class Drake:
    """Drake's own query on the same pair. It is a yardstick, never a dependency."""

    def __init__(self) -> None:
        import pydrake.geometry as geometry
        import pydrake.math as drake_math

        self.geometry, self.math = geometry, drake_math
        from importlib.metadata import version

        self.version = version("drake")
        self.empty_nanoseconds = self._measure(self._scene(None, 0.01), 200)

    def time(self, case: Case, hint: float, repeats: int) -> dict[str, Any]:
        query = self._scene(case, hint)
        force, faces = self._force(query)
        nanoseconds = self._measure(query, max(7, repeats // 3))
        return {
            "hint": hint,
            "microseconds": max(0.0, nanoseconds - self.empty_nanoseconds) / 1e3,
            "faces": faces,
            "force": float(np.linalg.norm(force)),
        }

    def force(self, case: Case, hint: float) -> np.ndarray:
        """On the geometry that Drake calls M, N: whichever of A and B that is."""
        return self._force(self._scene(case, hint))[0]

    def _force(self, query: Any) -> tuple[np.ndarray, int]:
        surfaces = query.ComputeContactSurfaces(self.geometry.HydroelasticContactRepresentation.kPolygon)
        force = np.zeros(3)
        faces = 0
        for surface in surfaces:
            pressure = surface.poly_e_MN()
            faces += surface.num_faces()
            for k in range(surface.num_faces()):
                # The field is linear on a face, so the value at the centroid is the mean.
                p = pressure.EvaluateCartesian(k, surface.centroid(k))
                force += p * surface.area(k) * np.asarray(surface.face_normal(k))
        return force, faces

    def _measure(self, query: Any, repeats: int) -> float:
        kind = self.geometry.HydroelasticContactRepresentation.kPolygon
        query.ComputeContactSurfaces(kind)
        samples = []
        for _ in range(repeats):
            start = time.thread_time_ns()
            query.ComputeContactSurfaces(kind)
            samples.append(time.thread_time_ns() - start)
        return float(np.median(samples))

    def _scene(self, case: Case | None, hint: float) -> Any:
        g = self.geometry
        scene = g.SceneGraph()
        source = scene.RegisterSource("bench")
        poses = g.FramePoseVector()
        sides = (("A", case.A, case.X_WA), ("B", case.B, case.X_WB)) if case else ()
        for name, shape, X in sides:
            frame = scene.RegisterFrame(source, g.GeometryFrame(name))
            instance = g.GeometryInstance(self.math.RigidTransform(), self._shape(shape), name)
            properties = g.ProximityProperties()
            if shape.modulus:
                g.AddCompliantHydroelasticProperties(hint, shape.modulus, properties)
            else:
                g.AddRigidHydroelasticProperties(hint, properties)
            instance.set_proximity_properties(properties)
            scene.RegisterGeometry(source, frame, instance)
            poses.set_value(frame, self.math.RigidTransform(X))
        self._kept = getattr(self, "_kept", [])
        context = scene.CreateDefaultContext()
        if case:
            scene.get_source_pose_port(source).FixValue(context, poses)
        self._kept.append((scene, context))
        return scene.get_query_output_port().Eval(context)

    def _shape(self, shape: Shape) -> Any:
        g = self.geometry
        if shape.kind == "mesh":
            return g.Mesh(str(shape.file))
        return getattr(g, shape.kind.capitalize())(*shape.sizes)


def load_drake() -> Drake | None:
    try:
        return Drake()
    except ImportError:
        return None
