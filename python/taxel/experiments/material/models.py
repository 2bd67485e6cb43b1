"""One press (and one drag) by each model, from the same sensor description, without an engine.

Every model is a class with ``to(depth)`` and ``slide(x)``, called along a path; both give a ``Felt``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

import taxel

from ...press.height_maps import Grid, mesh_heights
from ...press.size_note import triangle_cloud
from ...reference.elastic_layer import ElasticLayer, LayerGrid
from ...reference.indenters import Indenter, Sphere
from ...reference.layer_contact import LayerContact
from ...sensors import Material, Shape, TactileSensor, contact_radius

RIDE = 2e-5
"""m over the pad, where paths begin."""
SPEED = 0.05
"""m/s of a drag over bristles, whose friction has rates; far above their Stribeck speed, so that none is seen."""


@dataclass(frozen=True)
class Felt:
    """Of one model in one pose. Forces on the pad, N, positive when pressed; where they act, for images."""

    normal: float
    shear: float
    area: float
    points: np.ndarray
    """(N, 2), m."""
    forces: np.ndarray
    """(N,) downwards, N."""


@dataclass(frozen=True)
class Object:
    """A rigid body as it comes down: its frame turned by R, its lowest point ``low`` below its origin."""

    name: str
    shape: Shape
    R: np.ndarray
    low: float

    @property
    def body(self) -> taxel.Body:
        return self.shape.body(0.0)

    def pose(self, top: float, depth: float, x: float = 0.0) -> np.ndarray:
        return taxel.pose((x, 0.0, top + self.low - depth), R=self.R)


def objects() -> list[Object]:
    """Balls of 4, 8 and 17.5 mm radius, a lying cylinder, a flat punch and an edge."""
    up, lying = np.eye(3), np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    c = math.sqrt(0.5)
    tilted = np.array([[c, 0, c], [0, 1, 0], [-c, 0, c]])
    return [
        *(Object(f"ball {1e3 * r:g} mm", Shape("sphere", (r,)), up, r) for r in (0.004, 0.008, 0.0175)),
        Object("lying cylinder", Shape("cylinder", (0.005, 0.006)), lying, 0.005),
        Object("flat punch", Shape("cylinder", (0.004, 0.005)), up, 0.005),
        Object("edge", Shape("box", (0.005, 0.006, 0.005)), tilted, 0.005 / c),
    ]


class Model(Protocol):
    def to(self, depth: float) -> Felt: ...

    def slide(self, x: float) -> Felt: ...


class Pressure:
    """The pressure field or the columns of the sensor; without memory, so without drag."""

    def __init__(self, sensor: TactileSensor, thing: Object) -> None:
        self.pad, self.top, self.thing, self.body = sensor.body(), float(sensor.bounds[1, 2]), thing, thing.body

    def to(self, depth: float) -> Felt:
        s = taxel.contact(self.pad, taxel.pose(), self.body, self.thing.pose(self.top, depth))
        down = np.asarray(s.face_pressures) * np.asarray(s.areas) * np.abs(np.asarray(s.normals)[:, 2])
        return Felt(-float(s.force_on_A[2]), 0.0, s.area, np.asarray(s.centroids)[:, :2].copy(), down)

    def slide(self, x: float) -> Felt:
        raise NotImplementedError("a query of the pressure field remembers no path; drag.py drags it in MuJoCo")


class Bristles:
    """Bristles ``finer`` times as dense as the taxels: at the catalogue's pitch small contacts fall between them.
    ``more``: keys of theirs."""

    def __init__(self, sensor: TactileSensor, thing: Object, finer: int = 10, **more: Any) -> None:
        taxels = dict(sensor.taxels)
        if "shape" in taxels:
            taxels["shape"] = tuple(finer * int(n) for n in taxels["shape"])
            sensor = sensor.replace(shape=taxels["shape"])
        made = sensor.with_bristles()
        assert made.bristle_area is not None
        keys = {key: value for key, value in made.taxels.items() if key in ("shape", "points", "normals")}
        self.pad = taxel.BristlePad(made.geom.body(0.0), **{**made.material, **more}, **keys)
        self.area, self.top, self.thing, self.body = made.bristle_area, float(made.bounds[1, 2]), thing, thing.body
        self.depth = self.x = 0.0

    def _press(self, velocity: float, dt: float) -> Felt:
        X = self.thing.pose(self.top, self.depth, self.x)
        felt = self.pad.press(self.body, taxel.pose(), X, velocity=(velocity, 0, 0), dt=dt)
        load = felt.normal.ravel()
        on = load > 0
        points = self.pad.layout.points[:, :2]
        return Felt(float(felt.force[2]), -float(felt.force[0]), self.area * int(on.sum()), points[on], load[on])

    def to(self, depth: float) -> Felt:
        self.depth = depth
        return self._press(0.0, 1e-3)

    def slide(self, x: float) -> Felt:
        way, self.x = x - self.x, x
        return self._press(SPEED, way / SPEED) if way > 0 else self._press(0.0, 1e-3)


class Markers:
    """A marker field: mode "taxel" (springs) or "layer" (the layer solved in the fast path)."""

    def __init__(self, sensor: TactileSensor, thing: Object, mode: str, **options: Any) -> None:
        made = sensor.made_of
        assert made is not None
        pad: Any = sensor.geom.body(0.0) if sensor.geom.type != "mesh" else sensor.geom.mesh_arrays()
        self.top, self.thing = float(sensor.bounds[1, 2]), thing
        keys = {**made.markers(mode), **options}
        self.field = taxel.MarkerField(pad, [(0.0, 0.0, self.top)], thing.body, mode, **keys)
        self.depth = 0.0
        self.field.step(thing.pose(self.top, -RIDE))

    def _step(self, x: float) -> Felt:
        self.field.step(self.thing.pose(self.top, self.depth, x))
        wrench = self.field.wrench
        points, forces = self.field.contact_points, self.field.contact_forces
        # Points of mode "taxel" stand for pieces of the object, of which it does not say which ones touch.
        area = len(points) * self.field.pitch**2 if self.field.mode == "layer" else math.nan
        return Felt(-float(wrench[2]), float(wrench[0]), area, points[:, :2].copy(), -forces[:, 2])

    def to(self, depth: float) -> Felt:
        self.depth = depth
        return self._step(0.0)

    def slide(self, x: float) -> Felt:
        return self._step(x)


class _OverPad:
    """An indenter as the gap over the pad at rest: a dome is pressed as the flat layer under the same gap."""

    def __init__(self, thing: Object, rest: Any) -> None:
        self.thing, self.rest = thing, rest

    def height(self, x: np.ndarray, y: np.ndarray, X_PI: np.ndarray) -> np.ndarray:
        x, y = np.broadcast_arrays(x, y)
        return _underside(self.thing, x - X_PI[0, 3], y - X_PI[1, 3]) + X_PI[2, 3] - self.rest(x, y)


def _underside(thing: Object, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the lower side of an object over its lowest point, in closed form; infinite beside it."""
    kind, size = thing.shape.type, thing.shape.size
    if kind == "sphere":
        return Sphere(size[0]).height(x, y, taxel.pose((0, 0, size[0])))
    if thing.name == "flat punch":
        return np.where(x * x + y * y < size[0] ** 2, 0.0, np.inf)
    if kind == "cylinder":
        up = size[0] - np.sqrt(np.maximum(size[0] ** 2 - x * x, 0.0))
        return np.where((np.abs(y) < size[1]) & (np.abs(x) < size[0]), up, np.inf)
    return np.where((np.abs(y) < size[1]) & (np.abs(x) < thing.low), np.abs(x), np.inf)


class Layer:
    """The judge: ``taxel.reference``, linear and endless, with the friction of the material."""

    def __init__(self, sensor: TactileSensor, thing: Object, made: Material, cells: int = 72) -> None:
        half = 2.2 * made.thickness + 8e-3
        grid = LayerGrid(ElasticLayer(**made.layer()), (cells, cells), 2 * half / cells)
        indenter: Indenter = _OverPad(thing, self._rest(sensor))
        self.contact = LayerContact(grid, indenter, made.static_friction, step=0.02 * made.thickness, tolerance=1e-3)
        self.grid, self.depth = grid, 0.0
        self.x, self.y = (a.ravel() for a in np.meshgrid(grid.x, grid.y, indexing="ij"))
        self.contact.move(taxel.pose((0, 0, RIDE)))

    @staticmethod
    def _rest(sensor: TactileSensor) -> Any:
        """Height of the pad over its top, at any place; outside it the height of the nearest rim."""
        if sensor.geom.type == "box":
            return lambda x, y: np.zeros_like(x)
        from scipy.interpolate import RegularGridInterpolator

        low, high = sensor.bounds
        fine = 2.5e-4
        cols, rows = (int((high - low)[k] / fine) - 2 for k in (0, 1))
        net = Grid(rows, cols, fine)
        heights = mesh_heights(*sensor.geom.mesh_arrays(), net)[::-1] - high[2]
        heights = np.where(np.isfinite(heights), heights, np.nanmin(heights[np.isfinite(heights)]))
        look = RegularGridInterpolator(
            (net.y[::-1], net.x), heights, bounds_error=False, fill_value=float(heights.min())
        )
        return lambda x, y: look(np.stack([y, x], axis=-1))

    def _move(self, x: float) -> Felt:
        state = self.contact.move(taxel.pose((x, 0, -self.depth)))
        p = -state.traction[2].ravel() * self.grid.cell_area
        on = p > 0
        return Felt(
            -float(state.force[2]), float(state.force[0]), state.contact_area,
            np.column_stack([self.x[on], self.y[on]]), p[on],
        )  # fmt: skip

    def to(self, depth: float) -> Felt:
        self.depth = depth
        return self._move(0.0)

    def slide(self, x: float) -> Felt:
        return self._move(x)


class Particles:
    """The gel; a wide pad is cut to what a contact can feel, ``cells`` to its thickness."""

    def __init__(self, sensor: TactileSensor, thing: Object, cells: int, threads: int = 1) -> None:
        made = sensor.made_of
        assert made is not None
        sensor = sensor.replace(model="gel")
        keys = {**sensor.gel, "cell": made.thickness / cells}
        mu = float(keys.pop("friction"))
        if sensor.geom.type == "box":
            reach = 2 * made.thickness + 2 * 8e-3
            lengths = [min(2 * h, reach) for h in sensor.geom.size[:2]]
            shape: Any = taxel.Body.box((*lengths, made.thickness))
        else:
            shape = sensor.geom.mesh_arrays()
        self.gel = taxel.Gel(shape, threads=threads, **keys)
        self.top, self.thing, self.depth = float(sensor.bounds[1, 2]), thing, 0.0
        self.gel.add(thing.body, thing.pose(self.top, -RIDE), mu)

    def _move(self, x: float) -> Felt:
        gel = self.gel
        gel.move(self.thing.pose(self.top, self.depth, x))
        force, down = gel.force(), -gel.point_forces[:, 2]
        on = np.linalg.norm(gel.point_forces, axis=1) > 0
        return Felt(
            float(force[2]), -float(force[0]), float(gel.contact_areas[on].sum()), gel.contact_points[on, :2], down[on]
        )

    def to(self, depth: float) -> Felt:
        self.depth = depth
        return self._move(0.0)

    def slide(self, x: float) -> Felt:
        return self._move(x)


def overlap_radius(sensor: TactileSensor, thing: Object, depth: float) -> float:
    """Size of the contact as the models with one stiffness see it, m."""
    pad = Pressure(sensor, thing)
    s = taxel.contact(pad.pad, taxel.pose(), pad.body, thing.pose(pad.top, depth))
    return contact_radius(*triangle_cloud(s.vertices, s.triangles()))
