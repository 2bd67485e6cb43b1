"""A press into an elastic gel: the object is led down slowly; how hard does it press, where does the face go?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import taxel

from .. import sensors
from ..gel import GelTaxels
from ..gel.face import FaceFit, face_grid
from ..record import Array, Channel, Pose, Scalar, Tape, Wrench
from ..sensors import TactileSensor
from .height_maps import Grid, mesh_heights, underside
from .objects import PressedObject, parse_object

DEPTH = 1e-3  # m, where neither depth nor force is given
ABOVE = 2e-4  # m over the gel, where the path begins
DEEPEST = 0.6  # of the gel's thickness
CLOSE = 0.01  # share of the force that is asked for
TRIES = 12
SPEED, STEADY = 0.05, 1e-3  # of a recorded press: as those of ``Gel.move``
ROWS = 40  # of a recording on the way to the first depth


@dataclass(frozen=True)
class GelPress:
    """What came out. Frame: that of the sensor, z out of the gel."""

    sensor: str
    title: str
    object: str
    depth: float
    """Below the first touch, m."""
    force: np.ndarray
    """On the object, N."""
    torque: np.ndarray
    """On the object about the sensor's origin, N m."""
    points: np.ndarray
    """(rows, columns, 3) of the face at rest, m; rows along y."""
    displacement: np.ndarray
    """(rows, columns, 3) of those points, m."""
    area: float
    """Of contact, m2."""
    max_pressure: float
    """Of a contact point, Pa."""
    reading: taxel.Reading
    """Of the sensor's taxels."""
    unit: str
    particles: int
    cell: float
    steps: int
    mach: float
    """Greatest in the press, of the object's speed."""
    seconds: float

    @property
    def peak(self) -> float:
        """Greatest displacement, m."""
        return float(np.linalg.norm(self.displacement, axis=-1).max())


def press_gel(
    sensor: str | TactileSensor,
    object: str | PressedObject,
    *,
    depth: float | None = None,
    force: float | None = None,
    friction: float | None = None,
    yaw: float = 0.0,
    pitch: float = 0.0,
    offset: tuple[float, float] = (0.0, 0.0),
    threads: int = 0,
    record: Tape | None = None,
    **overrides: Any,
) -> GelPress:
    """Leads the object straight down, slowly (below Mach 0.05 of a shear wave), and waits until the force is steady.

    sensor       name in the catalogue or a ``TactileSensor``, with a gel (gelsight_mini, myrmex, weiss, pad)
    object       text as of ``parse_object``; its lowest point comes down at the middle plus ``offset`` (m)
    depth        below the first touch, m (default 1 mm); or ``force`` in N, met within 1 %
    record       gets an episode of some hundred rows; the path is then walked in that many straight pieces, and the
                 forces agree with those of the unrecorded press within what "steady" means (0.1 %)
    overrides    keys of the gel (young, poisson, cell, law, ...) or of the taxels
    """
    if force is not None and depth is not None:
        raise taxel.Error("give force or depth, not both")
    for name, value in (("force", force), ("depth", depth)):
        if value is not None and not 0 < value < float("inf"):
            raise taxel.Error(f"{name} is {value:g}; it must be positive")
    if isinstance(sensor, str):
        factories = sensors.catalogue()
        if sensor not in factories:
            raise taxel.Error(f"there is no sensor {sensor!r}; the catalogue has {', '.join(factories)}")
        sensor = factories[sensor]()
    sensor = sensor.replace(model="gel", **overrides)
    thing = parse_object(object) if isinstance(object, str) else object
    begin = time.perf_counter()
    press = _Press(sensor, thing, yaw, pitch, np.asarray(offset, float), friction, threads)
    if record is not None:
        press.record(record)
    deepest = DEEPEST * press.gel.height
    if depth is not None and depth > deepest:
        raise taxel.Error(
            f"depth is {depth:g} m and the gel of {sensor.name} is {press.gel.height:.3g} m thick; give at most "
            f"{deepest:.3g} m"
        )
    deep = press.until(force, deepest) if force is not None else press.lead(DEPTH if depth is None else depth)
    return press.result(deep, time.perf_counter() - begin)


class _Press:
    def __init__(
        self, sensor: TactileSensor, thing: PressedObject, yaw: float, pitch: float, offset: np.ndarray,
        friction: float | None, threads: int,
    ) -> None:  # fmt: skip
        self.sensor, self.thing, self.offset = sensor, thing, offset
        self.R, self.p = thing.turned(yaw, pitch)
        self.gel = sensor.make_gel(threads=threads)
        self.touch = self._first_touch()
        mu = float(sensor.gel.get("friction", 0.5)) if friction is None else friction
        self.gel.add(thing.shape.body(0.0), self._pose(-ABOVE), mu)
        self.steps = 0
        self.depth, self.piece = -ABOVE, 0
        self.tape: Tape | None = None

    def _pose(self, depth: float) -> np.ndarray:
        return taxel.pose(self.p + (*self.offset, self.touch - depth), R=self.R)

    def _first_touch(self) -> float:
        """Height of the object's lowest point at which it touches, moving straight down."""
        vertices, triangles = self.sensor.surface()
        low, high = self.sensor.bounds
        fine = float(min(2e-4, (high - low)[:2].min() / 100))
        cols, rows = (int(np.ceil((high - low)[k] / fine)) for k in (0, 1))
        grid = Grid(rows, cols, fine)
        face, top = mesh_heights(vertices, triangles, grid), float(high[2])
        above = np.where(np.isfinite(face), top + self.gel.height, np.nan)
        gap = underside(self.thing, self.R, self.p + (*self.offset, top), grid, above) - face
        if not np.isfinite(gap).any():
            raise taxel.Error(
                f"{self.thing.label} misses the sensor {self.sensor.name} at offset {self.offset[0]:g} "
                f"{self.offset[1]:g} m; give a smaller offset"
            )
        return top - float(np.nanmin(gap))

    def lead(self, depth: float) -> float:
        if self.tape is None:
            self.steps += self.gel.move(self._pose(depth))
        else:
            self._lead_recorded(depth)
        self.depth = depth
        return depth

    # --- a recording ---

    def record(self, tape: Tape) -> None:
        sensor, gel = self.sensor, self.gel
        points = face_grid(gel).transpose(1, 0, 2)
        self.face, self.taxels = FaceFit(gel, points), GelTaxels(gel, sensor.skin())
        layout = self.taxels.layout
        channels: dict[str, Channel] = {
            "object": Pose(),
            "touch": Array(layout.shape, "Pa", layout.points),
            "displacement": Array(points.shape, "m"),
            "wrench": Wrench(),
            "depth": Scalar("m"),
        }
        self.tape = tape
        tape.start(channels, f"press {self.thing.label} into the gel of {sensor.name}")
        self._write(self.depth)

    def _write(self, depth: float) -> None:
        """A row; force and torque are those on the gel."""
        assert self.tape is not None
        on_gel = -np.concatenate([self.gel.force(), self.gel.torque()])
        self.tape.write(
            self.gel.time,
            {
                "object": self._pose(depth),
                "touch": self.taxels.read().values,
                "displacement": self.face(),
                "wrench": on_gel,
                "depth": depth,
            },
        )

    def _lead_recorded(self, depth: float) -> None:
        """As ``Gel.move``, in pieces of one length, so that the rows are equally far apart in time."""
        gel, way = self.gel, depth - self.depth
        steps = max(1, int(np.ceil(1.875 * abs(way) / (SPEED * gel.shear_speed * gel.dt))))
        self.piece = self.piece or max(1, steps // ROWS)
        count = -(-steps // self.piece)
        for k in range(1, count + 1):
            s = k / count
            now = self.depth + way * s**3 * (10 - 15 * s + 6 * s * s)
            gel.advance(self.piece, self._pose(now))
            self._write(now)
        self.steps += count * self.piece
        wait = -(-max(8, int(np.ceil(2 * gel.height / (gel.shear_speed * gel.dt)))) // self.piece)
        before = np.full(3, np.inf)
        for _ in range(40):
            for _ in range(wait):
                gel.advance(self.piece)
                self._write(depth)
            self.steps += wait * self.piece
            now_felt = gel.force()
            if np.abs(now_felt - before).max() <= STEADY * np.abs(now_felt).max():
                return
            before = now_felt

    def until(self, force: float, deepest: float) -> float:
        """Secants of log force over log depth, where the force of a press is nearly a straight line."""
        depth = self.lead(0.1 * deepest)
        before: tuple[float, float] | None = None
        for _ in range(TRIES):
            felt = max(float(self.gel.force()[2]), 1e-9)
            if abs(felt / force - 1) < CLOSE:
                return depth
            slope = 1.5
            if before is not None and before[0] != depth and before[1] != felt:
                slope = float(np.clip(np.log(felt / before[1]) / np.log(depth / before[0]), 0.7, 4.0))
            before = depth, felt
            wanted = depth * float(np.clip((force / felt) ** (1 / slope), 0.4, 2.5))
            if wanted > deepest:
                if depth >= 0.999 * deepest:
                    raise taxel.Error(
                        f"{self.thing.label} would go deeper than {deepest:.3g} m into the gel of {self.sensor.name} "
                        f"under {force:g} N (there it feels {felt:.3g} N); give a smaller force"
                    )
                wanted = deepest
            depth = self.lead(wanted)
        raise taxel.Error(f"the force of {force:g} N was not met in {TRIES} tries; it is {felt:.4g} N")

    def result(self, depth: float, seconds: float) -> GelPress:
        gel, sensor = self.gel, self.sensor
        points = face_grid(gel).transpose(1, 0, 2)
        pressed = np.linalg.norm(gel.point_forces, axis=1) > 0
        into = -(gel.point_forces * gel.contact_normals).sum(axis=1) / gel.contact_areas
        taxels = GelTaxels(gel, sensor.skin(), chain=dict(sensor.chain) or None, timestep=gel.dt)
        return GelPress(
            sensor=sensor.name,
            title=sensor.title,
            object=self.thing.label,
            depth=depth,
            force=gel.force(),
            torque=gel.torque(),
            points=points,
            displacement=FaceFit(gel, points)(),
            area=float(gel.contact_areas[pressed].sum()),
            max_pressure=float(into.max()),
            reading=taxels.read(),
            unit=sensor.unit,
            particles=len(gel),
            cell=gel.cell,
            steps=self.steps,
            mach=0.05 * gel.shear_speed / gel.wave_speed,
            seconds=seconds,
        )
