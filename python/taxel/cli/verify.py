"""taxel verify FILE: every row of a reference file against our answer."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ..report import Output, add_json, table

AREA_TOLERANCE = 1e-2


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "verify",
        help="compare with a file of reference forces",
        description="Evaluates every row of FILE (the format of tests/data/hydroelastic.json; mesh names are relative "
        "to FILE) and compares force and area. Exit code 1 when a row is outside its tolerance.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument(
        "--resolution",
        type=float,
        default=0.0,
        metavar="R",
        help="facet size of curved shapes, m (default: automatic)",
    )
    parser.add_argument(
        "--facets",
        type=int,
        metavar="N",
        help="automatic refinement: facets across a patch (48 is fine)",
    )
    add_json(parser)
    parser.set_defaults(run=run)


class RowError(ValueError):
    pass


class Row:
    """One row, read with messages that name the row and the key."""

    def __init__(self, number: int, data: Any, what: str = "") -> None:
        self.number, self.data, self.what = number, data, what
        if not isinstance(data, dict):
            raise self.error(f"expected an object, got {type(data).__name__}")

    def error(self, text: str) -> RowError:
        return RowError(f"row {self.number}{self.what}: {text}")

    def get(self, key: str) -> Any:
        if key not in self.data:
            raise self.error(f'the key "{key}" is missing')
        return self.data[key]

    def child(self, key: str) -> Row:
        return Row(self.number, self.get(key), f"{self.what} {key}")

    def number_at(self, key: str, default: float | None = None) -> float:
        value = self.data.get(key, default) if default is not None else self.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.error(f'"{key}" must be a finite number, got {value!r}')
        return float(value)

    def vector(self, key: str, size: int) -> np.ndarray:
        value = self.get(key)
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            array = np.zeros(0)
        if array.shape != (size,) or not np.all(np.isfinite(array)):
            raise self.error(f'"{key}" must hold {size} finite numbers, got {value!r}')
        return array

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be text, got {value!r}')
        return value


def read_rows(path: Path) -> list[Row]:
    try:
        document = json.loads(path.read_text())
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read ({error})") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise ValueError(f'{path}: expected an object with a list "rows"')
    if not document["rows"]:
        raise ValueError(f'{path}: the list "rows" is empty')
    return [Row(k, data) for k, data in enumerate(document["rows"], start=1)]


def read_body(row: Row, folder: Path, cache: dict[str, taxel.Body]) -> taxel.Body:
    key = json.dumps(row.data, sort_keys=True)
    if key not in cache:
        try:
            cache[key] = _make_body(row, folder)
        except taxel.Error as error:
            raise row.error(str(error)) from None
    return cache[key]


def _make_body(row: Row, folder: Path) -> taxel.Body:
    compliance = row.text("compliance")
    if compliance not in ("rigid", "compliant"):
        raise row.error(f'"compliance" is "rigid" or "compliant", got {compliance!r}')
    modulus = row.number_at("modulus") if compliance == "compliant" else 0.0
    if compliance == "compliant" and modulus <= 0:
        raise row.error(f'"modulus" of a compliant body must be positive, got {modulus:g}')
    kind = row.text("type")
    if kind == "sphere":
        return taxel.Body.sphere(row.number_at("radius"), modulus)
    if kind == "box":
        return taxel.Body.box(row.vector("size", 3), modulus)
    if kind == "cylinder":
        return taxel.Body.cylinder(row.number_at("radius"), row.number_at("length"), modulus)
    if kind == "capsule":
        return taxel.Body.capsule(row.number_at("radius"), row.number_at("length"), modulus)
    if kind == "ellipsoid":
        return taxel.Body.ellipsoid(row.vector("semi_axes", 3), modulus)
    if kind == "half_space":
        if not modulus:
            return taxel.Body.half_space()
        return taxel.Body.half_space(modulus, thickness=row.number_at("slab_thickness"))
    if kind == "mesh":
        return taxel.Body.from_file(folder / row.text("file"), modulus=modulus)
    raise row.error(f'"type" is sphere, box, cylinder, capsule, ellipsoid, half_space or mesh, got {kind!r}')


def read_pose(row: Row) -> np.ndarray:
    try:
        return taxel.pose(row.vector("p", 3), R=row.vector("R", 9).reshape(3, 3))
    except taxel.Error as error:
        raise row.error(str(error)) from None


def relative_error(ours: Any, expected: Any) -> float:
    scale = float(np.linalg.norm(expected))
    difference = float(np.linalg.norm(np.subtract(ours, expected)))
    if difference == 0:
        return 0.0
    return difference / scale if scale > 0 else math.inf


def area_error(surface: taxel.ContactSurface, expected: float) -> float:
    """How far the expected area lies outside of what the surface can mean by its area.

    Coarse tetrahedra with all vertices on the surface carry no pressure; where they meet the other body there are
    faces without load. Whether such a face is found depends on the last bit of the pose (Drake's own area of two
    L-shaped meshes changes by 3 % when the rotation is made orthonormal), so any area between that of the loaded
    faces and that of all faces is right.
    """
    loaded = float(surface.areas[surface.face_pressures > 1e-9 * surface.max_pressure].sum())
    return relative_error(min(max(expected, loaded), surface.area), expected)


def evaluate(row: Row, folder: Path, cache: dict[str, taxel.Body], **settings: Any) -> dict[str, Any]:
    A, B = (read_body(row.child(key), folder, cache) for key in "AB")
    X_WA, X_WB = read_pose(row.child("X_WA")), read_pose(row.child("X_WB"))
    expected = row.child("expected")
    force = expected.vector("force_on_B", 3)
    tolerance = row.number_at("rel_tol")
    try:
        surface = taxel.contact(A, X_WA, B, X_WB, **settings)
    except taxel.Error as error:
        raise row.error(str(error)) from None
    our_force, our_torque = surface.wrench_on_B(X_WB[:3, 3])
    result: dict[str, Any] = {
        "row": row.number,
        "case": row.text("case"),
        "expected_force_on_B": force,
        "force_on_B": our_force,
        "force_error": relative_error(our_force, force),
        "rel_tol": tolerance,
        "faces": len(surface),
    }
    if "penetration" in row.data:
        result["penetration"] = row.number_at("penetration")
    within = result["force_error"] <= tolerance
    if "area" in expected.data:
        result["expected_area"] = expected.number_at("area")
        result["area"] = surface.area
        result["area_error"] = area_error(surface, result["expected_area"])
        within = within and result["area_error"] <= AREA_TOLERANCE
    if "torque_on_B_about_B_origin" in expected.data:
        torque = expected.vector("torque_on_B_about_B_origin", 3)
        result["torque_on_B"] = our_torque
        # Symmetric cases have no torque: the scale is then the force on a lever of the size of the patch.
        lever = float(np.linalg.norm(force)) * math.sqrt(max(surface.area, 1e-12))
        scale = max(float(np.linalg.norm(torque)), lever)
        result["torque_error"] = float(np.linalg.norm(our_torque - torque)) / scale if scale > 0 else 0.0
    if "max_pressure" in expected.data:
        result["max_pressure_error"] = relative_error(surface.max_pressure, expected.number_at("max_pressure"))
    result["within"] = bool(within)
    return result


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    path = Path(options.file)
    if options.resolution < 0:
        raise ValueError(f"--resolution is {options.resolution:g}; give 0 (automatic) or a length in metres")
    try:
        rows = read_rows(path)
        cache: dict[str, taxel.Body] = {}
        settings = {"resolution": options.resolution}
        if options.facets is not None:
            settings["facets_across"] = options.facets
        results = [evaluate(row, path.parent, cache, **settings) for row in out.progress(rows, "verify")]
    except RowError as error:
        raise ValueError(f"{path}: {error}") from None

    def norm(v: Any) -> str:
        return f"{np.linalg.norm(v):.6g}"

    def percent(result: dict[str, Any], key: str) -> str:
        return f"{result[key]:.1e}" if key in result else "-"

    out.print(
        table(
            (
                "row",
                "case",
                "d [mm]",
                "expected [N]",
                "ours [N]",
                "force err",
                "allowed",
                "area err",
                "torque err",
                "",
            ),
            [
                (
                    str(r["row"]),
                    r["case"],
                    f"{1e3 * r['penetration']:g}" if "penetration" in r else "-",
                    norm(r["expected_force_on_B"]),
                    norm(r["force_on_B"]),
                    percent(r, "force_error"),
                    f"{r['rel_tol']:.0e}",
                    percent(r, "area_error"),
                    percent(r, "torque_error"),
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in results
            ],
            left=2,
        )
    )
    good = sum(r["within"] for r in results)
    out.print(f"{len(results)} rows, {good} within tolerance, {len(results) - good} outside")
    out.finish({"file": path, "rows": results, "count": len(results), "within": good, "outside": len(results) - good})
    return 0 if good == len(results) else 1
