"""The objects of a plan: primitives that are drawn by size, meshes that are found, read and checked once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..press.objects import MESHES, OBJECTS, PressedObject, parse_object, ycb_file
from .plan import ObjectEntry, Plan

KEEP = 4_000_000
"""Triangles of meshes that a worker keeps in memory (about 0.7 GB with their trees); the longest unused go first."""


@dataclass(frozen=True)
class MeshFile:
    """A mesh that can be pressed."""

    name: str
    """As in the data: ycb:011_banana, or the path below the plan's folder."""
    path: str
    scale: float
    sha256: str
    triangles: int


@dataclass(frozen=True)
class Skipped:
    """A file that cannot be pressed."""

    name: str
    reason: str


@dataclass(frozen=True)
class Stock:
    """All objects of a plan; each entry of the plan has its meshes (primitives have none)."""

    meshes: tuple[tuple[MeshFile, ...], ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def files(self) -> dict[str, str]:
        """Name and SHA-256 of every mesh."""
        return {mesh.name: mesh.sha256 for entry in self.meshes for mesh in entry}


@dataclass(frozen=True)
class Thing:
    """An object, ready to be pressed."""

    name: str
    pressed: PressedObject
    body: _core.Body
    size: tuple[float, float, float]


def take_stock(plan: Plan, progress: Callable[[list[Any], str], Iterable[Any]] = lambda items, label: items) -> Stock:
    """Finds the meshes of a plan and tries each of them. One in a folder that cannot be used is skipped and listed;
    one that the plan names is an error."""
    found: list[tuple[MeshFile, ...]] = []
    skipped: list[Skipped] = []
    for entry in plan.objects:
        if entry.kind in OBJECTS:
            found.append(())
            continue
        meshes: list[MeshFile] = []
        for name, path in progress(_candidates(plan, entry), "reading meshes"):
            try:
                meshes.append(_try_mesh(name, path, entry.scale))
            except (ValueError, OSError) as error:
                # A data card may travel; where the file lay on this machine is nobody's business.
                reason = " ".join(str(error).split()).replace(str(path), name)
                if entry.kind != "meshes":
                    raise _core.Error(f"{plan.file}:{entry.line}: {reason}") from None
                skipped.append(Skipped(name, reason))
        if not meshes:
            raise _core.Error(
                f"{plan.file}:{entry.line}: none of the {len(skipped)} meshes in {entry.path} can be used; the first: "
                f"{skipped[0].reason}"
            )
        found.append(tuple(meshes))
    return Stock(tuple(found), tuple(skipped))


def _candidates(plan: Plan, entry: ObjectEntry) -> list[tuple[str, Path]]:
    where = f"{plan.file}:{entry.line}"
    if entry.kind == "ycb":
        try:
            names = entry.names or _all_ycb()
            return [(f"ycb:{name}", ycb_file(name)) for name in names]
        except _core.Error as error:
            raise _core.Error(f"{where}: {error}") from None
    base = Path(plan.file).resolve().parent
    path = base / Path(entry.path).expanduser()
    if entry.kind == "mesh":
        if path.suffix.lower() in MESHES and not path.is_file():
            raise _core.Error(f"{where}: mesh is {entry.path!r}; there is no file {str(path)!r}")
        if path.suffix.lower() not in MESHES:
            raise _core.Error(f"{where}: mesh is {entry.path!r}; give a file that ends with {' or '.join(MESHES)}")
        return [(entry.path, path)]
    if not path.is_dir():
        raise _core.Error(f"{where}: there is no folder {str(path)!r}; give one with {' and '.join(MESHES)} files")
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in MESHES and file.is_file())
    if not files:
        raise _core.Error(f"{where}: the folder {str(path)!r} has no {' or '.join(MESHES)} file; give another")
    base_name = Path(entry.path).name if Path(entry.path).is_absolute() else entry.path.rstrip("/")
    return [(f"{base_name}/{file.relative_to(path).as_posix()}", file) for file in files]


def _all_ycb() -> tuple[str, ...]:
    folder = ycb_file("011_banana").parent
    return tuple(sorted(file.stem for file in folder.glob("*.stl")))


def _try_mesh(name: str, path: Path, scale: float) -> MeshFile:
    thing = _read(name, path, scale)
    assert thing.pressed.shape.triangles is not None
    return MeshFile(name, str(path), scale, _sha256(path), len(thing.pressed.shape.triangles))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)


def _digest(file: Any) -> str:  # Python 3.10
    found = hashlib.sha256()
    while chunk := file.read(1 << 20):
        found.update(chunk)
    return found.hexdigest()


def _read(name: str, path: Path, scale: float) -> Thing:
    pressed = parse_object(f"{path}:{scale!r}")
    box = np.ptp(pressed.shape.mesh_arrays()[0], axis=0)
    return Thing(name, pressed, pressed.shape.body(0.0), (float(box[0]), float(box[1]), float(box[2])))


class Shelf:
    """Objects of a worker: meshes are read when they are first needed and kept as far as ``KEEP`` allows."""

    def __init__(self, plan: Plan, stock: Stock) -> None:
        self.plan, self.stock = plan, stock
        self._kept: OrderedDict[MeshFile, Thing] = OrderedDict()
        self._triangles = 0

    def primitive(self, entry: ObjectEntry, numbers: np.ndarray) -> Thing:
        sizes = [size.at(float(u)) for size, u in zip(entry.sizes, numbers, strict=False)]
        pressed = parse_object(f"{entry.kind}:" + ",".join(map(repr, sizes)))
        padded = (*sizes, 0.0, 0.0)[:3]
        return Thing(entry.kind, pressed, pressed.shape.body(0.0), (padded[0], padded[1], padded[2]))

    def mesh(self, entry: int, number: float) -> Thing:
        meshes = self.stock.meshes[entry]
        file = meshes[min(int(number * len(meshes)), len(meshes) - 1)]
        if file not in self._kept:
            self._fetch(file)
        self._kept.move_to_end(file)
        return self._kept[file]

    def _fetch(self, file: MeshFile) -> None:
        path = Path(file.path)
        if not path.is_file():
            raise _core.Error(f"there is no file {path} on this machine; every node needs the meshes at the same place")
        if _sha256(path) != file.sha256:
            raise _core.Error(f"{path} has changed since the data set was begun; give another --out for the new one")
        while self._kept and self._triangles + file.triangles > KEEP:
            gone, _ = self._kept.popitem(last=False)
            self._triangles -= gone.triangles
        self._kept[file] = _read(file.name, path, file.scale)
        self._triangles += file.triangles
