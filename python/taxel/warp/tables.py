"""A scene as arrays on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _core
from . import arrays
from .scene import Pair, Scene

_MESH = 7


def fields(kind: Any) -> dict[str, Any]:
    """The fields of a struct of Warp."""
    return kind.vars


def filled(kind: Any, lengths: dict[str, tuple[int, ...]], shape: tuple[int, ...]) -> Any:
    """A struct with an array of zeros for each of its arrays, of one shape unless ``lengths`` says otherwise."""
    out = kind()
    for name, var in fields(kind).items():
        setattr(out, name, wp.zeros(lengths.get(name, shape), dtype=var.type.dtype))
    return out


def constants(kind: Any, values: dict[str, Any]) -> Any:
    """A struct with these arrays."""
    out = kind()
    for name, var in fields(kind).items():
        setattr(out, name, wp.array(values[name], dtype=var.type.dtype))
    return out


class Tables:
    """Columns (bristles among them) and pairs; ``starts``: where the columns of each pair begin."""

    def __init__(self, model: Any, scene: Scene, skins: list[int]):
        self._model, self._scene = model, scene
        self.meshes: dict[int, tuple[wp.Mesh, bool]] = {}
        first, at = {}, 0
        table: dict[str, list[np.ndarray]] = {}
        for geom in skins:
            first[geom] = at
            at += len(scene.columns[geom]["p"])
            for name, values in scene.columns[geom].items():
                table.setdefault(name, []).append(values)
        self.columns = constants(arrays.Columns, {k: np.concatenate(v).astype(np.float32) for k, v in table.items()})
        counts = [len(scene.columns[pair.skin]["p"]) for pair in scene.pairs]
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self.pairs = constants(arrays.Pairs, self._pair_values(skins, first, counts))

    def _mesh_of(self, geom: int) -> tuple[int, bool]:
        """Its number, and whether it has an inside; (0, False) of a primitive."""
        model = self._model
        if int(model.geom_type[geom]) != _MESH:
            return 0, False
        mesh = int(model.geom_dataid[geom])
        if mesh not in self.meshes:
            v0, nv = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            f0, nf = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
            points, faces = model.mesh_vert[v0 : v0 + nv], model.mesh_face[f0 : f0 + nf]
            self.meshes[mesh] = (
                wp.Mesh(points=wp.array(points, dtype=wp.vec3), indices=wp.array(faces.ravel(), dtype=wp.int32)),
                _closed(points, faces),
            )
        made, closed = self.meshes[mesh]
        return made.id, closed

    def _pair_values(self, skins: list[int], first: dict[int, int], counts: list[int]) -> dict[str, Any]:
        pairs, columns, model = self._scene.pairs, self._scene.columns, self._model

        def each(value: Any) -> list[Any]:
            return [value(pair) for pair in pairs]

        def middle(pair: Pair) -> np.ndarray:
            p = columns[pair.skin]["p"]
            return 0.5 * (p.min(0) + p.max(0))

        def reach(pair: Pair) -> float:
            c = columns[pair.skin]
            return float((np.linalg.norm(c["p"] - middle(pair), axis=1) + c["radius"] + 2 * c["length"]).max())

        def exposed(pair: Pair) -> np.ndarray:
            # A pad of bristles meets nothing of the engine's, on no side.
            d = columns[pair.skin]["d"].mean(0)
            return d / np.linalg.norm(d) if np.linalg.norm(d) > 0.95 and not pair.bristled else np.zeros(3)

        def of(name: str) -> list[float]:
            return each(lambda pair: pair.parameters.get(name, 0.0))

        law = np.zeros((len(pairs), max(len(pair.law) for pair in pairs), 4), np.float32)
        for row, pair in zip(law, pairs, strict=True):
            row[: len(pair.law)] = pair.law
        columned = sum(not pair.bristled for pair in pairs)
        return {
            "skin": each(lambda p: p.skin),
            "other": each(lambda p: p.other),
            "sign": each(lambda p: p.sign),
            "kind": each(lambda p: int(model.geom_type[p.other])),
            "mesh": each(lambda p: self._mesh_of(p.other)[0]),
            "closed": each(lambda p: int(self._mesh_of(p.other)[1])),
            "reach": each(reach),
            "middle": each(middle),
            "exposed": each(exposed),
            "first": self.starts,
            "pair": np.repeat(np.arange(len(pairs)), counts),
            "column": np.concatenate([first[p.skin] + np.arange(n) for p, n in zip(pairs, counts, strict=True)]),
            "half": np.concatenate([np.sqrt(columns[p.skin]["area"]) / 2 for p in pairs]),
            "skin_index": each(lambda p: skins.index(p.skin)),
            "law": law,
            "layers": each(lambda p: len(p.law)),
            "core": each(lambda p: p.core),
            "core_pressure": each(lambda p: p.core_pressure),
            "length": each(lambda p: p.length),
            "give": each(lambda p: p.give),
            "past": each(lambda p: p.past),
            "dissipation": of("dissipation"),
            "friction": np.array(
                [of(k) for k in ("static_friction", "dynamic_friction", "stribeck_speed", "shear_ratio", "breakaway")]
            ).T,
            "shear_damping": of("shear_damping"),
            "bristled": [k - columned if pair.bristled else -1 for k, pair in enumerate(pairs)],
            "paper": each(lambda p: int(p.paper)),
            "along_axis": each(lambda p: int(p.along_axis)),
            "follows": each(lambda p: int(p.follows)),
            "layers_of": np.array(each(lambda p: p.layers_of), np.float32),
            "lugre": np.array([of(k) for k in ("sigma0", "sigma1", "viscosity")]).T,
        }


def _closed(points: np.ndarray, faces: np.ndarray) -> bool:
    """Has the mesh an inside? Corners in one place are one corner."""
    unique, number = np.unique(points, axis=0, return_inverse=True)
    joined = number.reshape(-1)[faces]
    whole = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    return bool(_core.check_watertight(unique.astype(float), joined[whole].astype(np.int32)).ok)
