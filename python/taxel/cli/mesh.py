"""taxel mesh IN OUT.vtk: tetrahedra inside a surface, made once, offline."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import taxel
from taxel import _core
from taxel.report import watching

from ..report import Output, add_json
from .ftetwild import mesh_with_ftetwild, wildmeshing

SIZES = (1e-5, 10.0)  # m; bodies beyond are always a wrong unit
MOST_TETS = 5e6


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "mesh",
        help="tetrahedra for a surface mesh",
        description="Fills the surface IN (.obj, .stl) with tetrahedra and writes them to OUT.vtk.",
    )
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT.vtk")
    parser.add_argument(
        "--engine",
        choices=("own", "ftetwild"),
        help="own: our mesher, keeps sharp edges exactly; ftetwild: better shaped tetrahedra, takes meshes that are "
        "not quite closed (default: ftetwild where installed)",
    )
    parser.add_argument(
        "--edge-length",
        type=float,
        default=0.0,
        metavar="L",
        help="edge of a tetrahedron, m (default: automatic)",
    )
    parser.add_argument(
        "--epsilon",
        type=float,
        default=1e-3,
        metavar="E",
        help="ftetwild: how far the surface may move, as a part of the bounding box's diagonal (default: 1e-3)",
    )
    parser.add_argument("--scale", type=float, default=1.0, help="0.001 when IN is in millimetres")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    source, target = Path(options.input), Path(options.output)
    if source.suffix.lower() not in (".obj", ".stl"):
        raise ValueError(f"{source}: a surface mesh is .obj or .stl")
    if target.suffix.lower() != ".vtk":
        raise ValueError(f"{target}: the output is a .vtk file")
    if not 0 <= options.edge_length < np.inf:
        raise ValueError(f"--edge-length is {options.edge_length:g}; give an edge in m, or 0 for an automatic one")
    if not 0 < options.epsilon <= 0.5:
        raise ValueError(f"--epsilon is {options.epsilon:g}; give a part of the diagonal above 0, at most 0.5")
    vertices, triangles = taxel.read_mesh(source, scale=options.scale)
    check_size(source, vertices, triangles, options.scale, options.edge_length)
    engine = options.engine or ("ftetwild" if wildmeshing() else "own")
    with watching(f"mesh: {source.name} ({engine})"):
        if engine == "ftetwild":
            tet_vertices, tets = mesh_with_ftetwild(vertices, triangles, options.edge_length, options.epsilon)
            # fTetWild knows nothing of the distance field: a body of its tetrahedra would be too soft at its edges.
            tet_vertices, tets = taxel.refine_for_depth(tet_vertices, tets)
        else:
            tet_vertices, tets = taxel.mesh_interior(vertices, triangles, edge_length=options.edge_length)
    _core.write_tets(target, tet_vertices, tets)

    numbers = {"input": source, "output": target, "engine": engine, **measure(tet_vertices, tets)}
    surface_volume = enclosed_volume(vertices, triangles)
    numbers["surface_volume"] = surface_volume
    numbers["volume_difference"] = numbers["volume"] / surface_volume - 1 if surface_volume else float("nan")
    out.print(f"{source} -> {target} ({engine})")
    out.print(f"vertices           {numbers['vertices']}")
    out.print(f"tetrahedra         {numbers['tets']}")
    out.print(
        f"volume             {1e6 * numbers['volume']:.4f} cm3 "
        f"({100 * numbers['volume_difference']:+.3f} % from the surface)"
    )
    out.print(f"smallest dihedral  {numbers['smallest_dihedral']:.1f} degrees")
    out.print(
        f"quality            worst {numbers['worst_quality']:.3f}, mean {numbers['mean_quality']:.3f} (1: regular)"
    )
    out.finish(numbers)
    return 0


def check_size(source: Path, vertices: np.ndarray, triangles: np.ndarray, scale: float, edge: float) -> None:
    """Asked before the work: is it the size of a thing, and how many tetrahedra will there be?"""
    extent = float(np.ptp(vertices, axis=0).max())
    if not SIZES[0] <= extent <= SIZES[1]:
        raise ValueError(
            f"{source} with --scale {scale:g} is {extent:g} m long; sizes go from {SIZES[0]:g} to {SIZES[1]:g} m. Give "
            f"another --scale: 1 for a file in metres, 0.001 for one in millimetres"
        )
    if edge > 0:
        volume = abs(enclosed_volume(vertices, triangles))
        count = volume / (edge**3 / (6 * np.sqrt(2)))
        if count > MOST_TETS:
            least = (6 * np.sqrt(2) * volume / MOST_TETS) ** (1 / 3)
            raise ValueError(
                f"--edge-length {edge:g} m would make some {count:.1g} tetrahedra; at most {MOST_TETS:g}: give "
                f"{least:.2g} or more, or leave it out"
            )


def enclosed_volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", np.cross(a, b), c)) / 6


def measure(vertices: np.ndarray, tets: np.ndarray) -> dict[str, Any]:
    """Counts, volume, smallest dihedral angle and quality 6 sqrt(2) V / (rms edge)^3, which is 1 for a regular tet."""
    corners = vertices[tets]
    volumes = (
        np.einsum(
            "ij,ij->i",
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
            corners[:, 3] - corners[:, 0],
        )
        / 6
    )
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    edges2 = np.stack([np.sum((corners[:, i] - corners[:, j]) ** 2, axis=1) for i, j in pairs], axis=1)
    quality = 6 * np.sqrt(2) * np.abs(volumes) / np.maximum(np.mean(edges2, axis=1), 1e-300) ** 1.5
    smallest = np.inf
    for i, j in pairs:
        k, m = (n for n in range(4) if n not in (i, j))
        axis = corners[:, j] - corners[:, i]
        u = np.cross(axis, corners[:, k] - corners[:, i])
        v = np.cross(axis, corners[:, m] - corners[:, i])
        cosine = np.sum(u * v, axis=1) / np.maximum(np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1), 1e-300)
        smallest = min(smallest, float(np.degrees(np.arccos(np.clip(cosine.max(), -1, 1)))))
    return {
        "vertices": len(vertices),
        "tets": len(tets),
        "volume": float(volumes.sum()),
        "smallest_dihedral": smallest,
        "worst_quality": float(quality.min()),
        "mean_quality": float(quality.mean()),
    }
