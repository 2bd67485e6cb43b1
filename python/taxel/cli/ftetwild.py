"""fTetWild in a process of its own: it holds the interpreter, hears no Ctrl-C, writes pages to the C standard output
and leaves files behind in the current folder.

    python -m taxel.cli.ftetwild FOLDER          # surface.npz in, tets.npz out
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def wildmeshing() -> Any:
    """The package, or None where it is not installed."""
    try:
        import wildmeshing
    except ImportError:
        return None
    return wildmeshing


def mesh_with_ftetwild(
    vertices: np.ndarray, triangles: np.ndarray, edge_length: float, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    if wildmeshing() is None:
        raise ValueError("fTetWild is not installed; run: pip install wildmeshing (or choose --engine own)")
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    with tempfile.TemporaryDirectory() as folder:
        np.savez(
            Path(folder) / "surface.npz",
            vertices=np.ascontiguousarray(vertices, dtype=float),
            triangles=np.ascontiguousarray(triangles, dtype=np.int32),
            epsilon=epsilon,
            edge_length_r=edge_length / diagonal if edge_length else 0.05,
        )
        worker = subprocess.Popen(
            [sys.executable, "-m", __name__, folder],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            said = worker.communicate()[1]
        finally:
            worker.kill()  # also on Ctrl-C
            worker.wait()
        if worker.returncode:
            last = said.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {worker.returncode}"]
            raise ValueError(f"fTetWild made no mesh ({last[0]}); choose --engine own, or mend the surface")
        with np.load(Path(folder) / "tets.npz") as found:
            tet_vertices, tets = found["vertices"], found["tets"]
    if not len(tets):
        raise ValueError("fTetWild found no inside: is the surface closed?")
    a, b, c, d = (tet_vertices[tets[:, k]] for k in range(4))
    inverted = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    tets[inverted] = tets[inverted][:, [0, 2, 1, 3]]
    return tet_vertices, tets


def main(folder: Path) -> None:
    with np.load(folder / "surface.npz") as given:
        mesher = wildmeshing().Tetrahedralizer(
            epsilon=float(given["epsilon"]), edge_length_r=float(given["edge_length_r"])
        )
        mesher.set_mesh(given["vertices"], given["triangles"])
    mesher.tetrahedralize()
    vertices, tets = mesher.get_tet_mesh()[:2]
    np.savez(folder / "tets.npz", vertices=np.asarray(vertices, float), tets=np.asarray(tets, np.int64))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
