"""A press with markers: an object is led into a gel, slides, twists and rolls; where do the printed markers go?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import taxel

from .. import sensors
from ..image import TactileCamera, synthetic_camera
from ..mujoco import compile_spec
from ..record import Channel, Image, Markers, Pose, Scalar, Tape, Wrench
from ..sensors import TactileSensor, contact_radius
from .guided_press import OBJECT, _microseconds
from .height_maps import Grid, mesh_heights, underside
from .objects import PressedObject, parse_object
from .size_note import SizeNote, size_note

DEPTH = 1e-3  # m, where neither depth nor force is given
STEP, TURN = 2e-5, math.radians(0.25)  # the longest move and turn between two frames, m and rad
ABOVE = 2e-4  # m over the gel, where the path begins
CAMERA = (320, 240)  # rows, columns of a GelSight Mini's image
PIXEL = 0.065e-3  # m: the marker model's own
MOST_COMPARED = 2000  # markers
DOT = 0.24e-3  # radius of a printed dot, m
DEEPEST = 0.9  # of the gel's thickness
SPACING = 0.75e-3  # m between the tracked points of an object, unless the contact is small
ACROSS = 3  # points or cells along the radius of a contact: some thirty in it
MOST_POINTS, MOST_CELLS = 2e4, 128  # on an object; along the longer side of a gel
RECORD_EVERY = 2  # steps between two rows of a recording
MOST_TWIST, MOST_ROLL = 180.0, 60.0  # degrees


@dataclass(frozen=True)
class MarkerFrame:
    """The markers after one part of the path."""

    motion: str
    """"press", "slide 1 mm at 0 deg", ..."""
    displacement: np.ndarray
    """(rows, columns, 3), px."""
    penetration: np.ndarray
    """How deep the object lies below the gel at rest, over the camera's pixels, m; at least 0."""
    area: float
    """Where that is above 0, m2."""
    inside: int
    """Tracked points inside the gel."""
    wrench: np.ndarray | None = None
    """Force (N) and torque about the sensor's origin (N m) on the gel, in its frame; modes "layer" and "taxel" only."""

    @property
    def lengths(self) -> np.ndarray:
        """Of the displacements in the plane, px: (rows, columns)."""
        return np.linalg.norm(self.displacement[..., :2], axis=-1)

    @property
    def mean(self) -> np.ndarray:
        """Mean displacement in the plane, px."""
        return self.displacement[..., :2].reshape(-1, 2).mean(axis=0)

    @property
    def direction(self) -> float:
        """Of the mean, degrees from x towards y."""
        return math.degrees(math.atan2(self.mean[1], self.mean[0]))


@dataclass(frozen=True)
class MarkerPress:
    """What came out: one frame for the press and one for each motion after it."""

    sensor: str
    title: str
    object: str
    mode: str
    markers: np.ndarray
    """(rows, columns, 3) at rest in the sensor's frame, m."""
    pixel: float
    grid: Grid
    """The camera's pixels."""
    outline: np.ndarray
    """(2, 2) lowest and highest x, y of the gel, m."""
    depth: float
    """m."""
    force: float | None
    """That the depth was chosen for, N; None: the depth was given."""
    state_size: int
    step_us: float
    """Median wall time of a step of MuJoCo in contact, with the sensor."""
    frames: list[MarkerFrame] = field(default_factory=list)
    size: SizeNote | None = None
    """Of mode "taxel", whose stiffness follows the material: the contact after the press against the layer."""
    contact: float = 0.0
    """Radius of the contact after the press, m."""
    pitch: float = 0.0
    """Between a marker and the next, m; 0: there is one."""


def press_markers(
    sensor: str | TactileSensor,
    object: str | PressedObject,
    *,
    depth: float | None = None,
    force: float | None = None,
    slide: float = 0.0,
    slide_angle: float = 0.0,
    twist: float = 0.0,
    roll: float = 0.0,
    roll_angle: float = 0.0,
    yaw: float = 0.0,
    pitch: float = 0.0,
    offset: tuple[float, float] = (0.0, 0.0),
    record: Tape | None = None,
    camera: TactileCamera | None = None,
    **overrides: Any,
) -> MarkerPress:
    """Leads the object straight down, then slides, twists and rolls it, in this order, as far as they are given.

    sensor       name in the catalogue or a ``TactileSensor``, with markers (gelsight_mini)
    object       text as of ``parse_object``; its lowest point comes down at the middle plus ``offset`` (m)
    depth        below the first touch, m (default 1 mm); or ``force`` in N: the depth at which the gel as a pressure
                 field pushes back so hard
    slide        m, at its height, towards slide_angle (degrees from x towards y)
    twist        degrees about the vertical through its lowest point
    roll         degrees about the horizontal through that point, towards roll_angle; its lowest point stays as deep
    record       gets a row each second step, an episode; with the image of ``camera``, or of a made-up one
    overrides    keys of the markers (docs/guide/marker-sensor.md): mode, friction, lambda_s, ...

    The poses are given, not simulated: MuJoCo moves a mocap body, the plugin follows it.
    """
    if force is not None and depth is not None:
        raise taxel.Error("give force or depth, not both")
    for name, value in (("force", force), ("depth", depth)):
        if value is not None and not 0 < value < float("inf"):
            raise taxel.Error(f"{name} is {value:g}; it must be positive")
    numbers = [slide, slide_angle, twist, roll, roll_angle, yaw, pitch, *offset]
    if not np.isfinite(numbers).all() or len(offset) != 2:
        raise taxel.Error(f"motions, angles and offset must be finite numbers; got {numbers}")
    if slide < 0:
        raise taxel.Error(f"slide is {slide:g} m; give a length of 0 or more, and turn it with the angle")
    for name, value, most in (("twist", twist, MOST_TWIST), ("roll", roll, MOST_ROLL)):
        if abs(value) > most:
            raise taxel.Error(f"{name} is {value:g} degrees; give at most {most:g} either way")
    thing = parse_object(object) if isinstance(object, str) else object
    setup = _Setup(_with_markers(sensor, overrides), thing, yaw, pitch, offset)
    towards = np.array([math.cos(math.radians(slide_angle)), math.sin(math.radians(slide_angle))])
    setup.check_slide(slide, slide_angle, towards)
    touch = setup.first_touch()
    deep = depth if force is None else setup.depth_of(force, touch)
    deep = DEPTH if deep is None else deep
    if deep > DEEPEST * setup.thickness:
        raise taxel.Error(
            f"depth is {deep:g} m and the gel of {setup.sensor.name} is {setup.thickness:g} m thick; give at most "
            f"{DEEPEST * setup.thickness:.3g} m"
        )
    setup.build(touch - deep)
    if record is not None:
        setup.record(record, camera)
    setup.place(touch + ABOVE)
    setup.move("press", down=ABOVE + deep)
    if slide:
        setup.move(
            f"slide {1e3 * slide:g} mm" + (f" at {slide_angle:g}°" if slide_angle else ""), along=slide * towards
        )
    if twist:
        setup.move(f"twist {twist:g}°", turn=math.radians(twist) * np.array([0, 0, 1.0]))
    if roll:
        a = math.radians(roll_angle)
        axis = np.array([-math.sin(a), math.cos(a), 0.0])
        setup.move(f"roll {roll:g}°" + (f" at {roll_angle:g}°" if roll_angle else ""), turn=math.radians(roll) * axis)
    return setup.result(deep, force)


def _with_markers(sensor: str | TactileSensor, overrides: dict[str, Any]) -> TactileSensor:
    if isinstance(sensor, str):
        factories = sensors.catalogue()
        if sensor not in factories:
            raise taxel.Error(f"there is no sensor {sensor!r}; the catalogue has {', '.join(factories)}")
        sensor = factories[sensor]()
    found = sensor if sensor.markers else sensor.with_markers()
    return found.replace(**overrides) if overrides else found


class _Setup:
    def __init__(self, sensor: TactileSensor, thing: PressedObject, yaw, pitch, offset) -> None:
        import mujoco

        self.mujoco, self.sensor, self.thing, self.offset = mujoco, sensor, thing, np.asarray(offset, float)
        self.turn = yaw, pitch
        self.mode = str(sensor.markers.get("mode", "taxel"))
        self.R_BG, self.p_BG = thing.turned(yaw, pitch)
        vertices, self.triangles = sensor.surface()
        self.vertices = vertices
        self.low, self.high = sensor.bounds
        self.thickness = float(self.high[2] - self.low[2])
        pixel = sensor.markers.get("pixel", PIXEL)
        if not isinstance(pixel, int | float | np.number) or not 0 < pixel < 1:
            raise taxel.Error(f"{sensor.name}: pixel is {pixel!r}; give the edge of a pixel on the gel in m")
        self.grid = Grid(*CAMERA, float(pixel))
        self.rest = mesh_heights(vertices, self.triangles, self.grid)
        self.frames: list[MarkerFrame] = []
        self.has_wrench = self.mode in ("layer", "taxel")
        self.tape: Tape | None = None
        self._steps = 0
        self.R, self.p = np.eye(3), np.zeros(3)

    def build(self, lowest: float) -> None:
        """The model, with points or cells that resolve the contact of an object whose lowest point is there."""
        spec = self.mujoco.MjSpec()
        # Several frames of its memory for a flat object over the whole gel.
        keys: dict[str, Any] = {"objects": OBJECT, **self._resolution(lowest)}
        if "capacity" not in self.sensor.markers:
            keys["capacity"] = 4096
        if self.has_wrench:
            keys["output"] = "displacement wrench"
        name = self.sensor.replace(**keys).add_to(spec)
        body = spec.worldbody.add_body(name=OBJECT, mocap=True)
        self.thing.add_to(spec, body, OBJECT, *self.turn)
        self.model = compile_spec(spec)
        self.data = self.mujoco.MjData(self.model)
        self.reading = taxel.MarkerSensor(self.model, name)

    def _resolution(self, lowest: float) -> dict[str, float]:
        """Keys for a contact that the usual points or cells are too coarse for; none where they do."""
        vertices, triangles = self.thing.surface()
        largest = float(np.ptp(vertices, axis=0).max())
        if self.mode in ("paper", "release"):  # whose numbers hang on the spacing: as published, or not at all
            if "point_radius" not in self.sensor.markers and largest < 2 * SPACING:
                raise taxel.Error(
                    f"{self.thing.label} is {1e3 * largest:.2g} mm large, and mode {self.mode} tracks points "
                    f"{1e3 * SPACING:g} mm apart, as published; take mode layer, taxel, or a larger object"
                )
            return {}
        self.p = np.array([*self.offset, lowest])
        radius = self._contact(self._penetration())
        if self.mode == "layer":
            usual = float(self.sensor.markers.get("thickness", 4e-3)) * 0.15
            least = float((self.high - self.low)[:2].max()) / MOST_CELLS
            fine = max(radius / ACROSS, least)
            return {"cell": fine} if radius > 0 and fine < usual and "cell" not in self.sensor.markers else {}
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
        fine = max(radius / ACROSS, math.sqrt(0.7 * area / MOST_POINTS)) if radius > 0 else SPACING
        fine = min(fine, SPACING, 0.25 * largest)
        return {"point_radius": fine} if fine < SPACING and "point_radius" not in self.sensor.markers else {}

    def _contact(self, below: np.ndarray) -> float:
        """Radius of the contact (``contact_radius``), m."""
        places = np.argwhere(below > 0).astype(float) * self.grid.pixel
        return contact_radius(places, np.full(len(places), self.grid.pixel**2)) if len(places) else 0.0

    def check_slide(self, slide: float, angle: float, towards: np.ndarray) -> None:
        half = 0.5 * (self.high - self.low)[:2]
        size = f"{2e3 * half[0]:g} x {2e3 * half[1]:g} mm"
        if (np.abs(self.offset) > half).any():
            raise taxel.Error(
                f"offset {self.offset[0]:g} {self.offset[1]:g} m is beside the gel of {self.sensor.name} ({size})"
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(np.abs(towards) > 1e-9, (half - np.sign(towards) * self.offset) / np.abs(towards), np.inf)
        most = float(room.min())
        if slide > most:
            end = 1e3 * (self.offset + slide * towards)
            raise taxel.Error(
                f"a slide of {1e3 * slide:g} mm at {angle:g} degrees ends at ({end[0]:.1f}, {end[1]:.1f}) mm, beside "
                f"the gel of {self.sensor.name} ({size}); give at most {1e3 * most:.1f} mm in this direction"
            )

    def first_touch(self) -> float:
        """Height of the object's lowest point at which it touches, moving straight down."""
        fine = 1e-4
        rows, cols = (int(np.ceil((self.high - self.low)[k] / fine)) for k in (1, 0))
        whole = Grid(rows, cols, fine)
        gel = mesh_heights(self.vertices, self.triangles, whole)
        top = float(self.high[2])
        R, p = self._geom(np.eye(3), np.array([*self.offset, top]))
        gap = underside(self.thing, R, p, whole, np.where(np.isfinite(gel), top + self.thickness, np.nan)) - gel
        if not np.isfinite(gap).any():
            raise taxel.Error(
                f"{self.thing.label} misses the sensor {self.sensor.name} at offset {self.offset[0]:g} "
                f"{self.offset[1]:g} m; give a smaller offset"
            )
        return top - float(np.nanmin(gap))

    def depth_of(self, force: float, touch: float) -> float:
        gel, thing = self.sensor.body(), self.thing.shape.body(0.0)

        def push(depth: float) -> float:
            R, p = self._geom(np.eye(3), np.array([*self.offset, touch - depth]))
            return -float(taxel.contact(gel, taxel.pose(), thing, (R, p)).force_on_A[2])

        low, high = 0.0, DEEPEST * self.thickness
        if push(high) < force:
            raise taxel.Error(
                f"{self.thing.label} goes right through the sensor {self.sensor.name} under {force:g} N; "
                "give a smaller force"
            )
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if push(middle) < force else (low, middle)
        return 0.5 * (low + high)

    def place(self, height: float) -> None:
        self.p = np.array([*self.offset, height])
        self._step()

    def move(
        self, motion: str, *, down: float = 0.0, along: np.ndarray | None = None, turn: np.ndarray | None = None
    ) -> None:
        """Moves on in small steps and keeps a frame of where that ends."""
        way = np.array([0, 0, -down]) if along is None else np.array([*along, 0.0])
        angle = 0.0 if turn is None else float(np.linalg.norm(turn))
        count = max(2, math.ceil(max(np.linalg.norm(way) / STEP, angle / TURN)))
        R, p = self.R, self.p
        for k in range(1, count + 1):
            share = k / count
            self.R, self.p = _rotation(turn, share) @ R, p + share * way
            if turn is not None and np.hypot(*turn[:2]) > 0:  # a roll: its lowest point stays as deep
                self.p = self.p + (0, 0, p[2] - self._lowest())
            self._step()
        below = self._penetration()
        felt = self.reading.read(self.data)
        self.frames.append(
            MarkerFrame(
                motion,
                self.reading(self.data),
                below,
                float((below > 0).sum()) * self.grid.pixel**2,
                felt.inside,
                None if felt.wrench is None else self.reading.wrench(self.data),
            )
        )

    def _geom(self, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pose of the geom when that of the body is (R, p)."""
        return R @ self.R_BG, R @ self.p_BG + p

    def _penetration(self) -> np.ndarray:
        """How deep the object lies below the gel at rest, over the camera's pixels, m; at least 0."""
        R_WG, p_WG = self._geom(self.R, self.p)
        below = self.rest - underside(self.thing, R_WG, p_WG, self.grid, self.rest)
        return np.where(np.isfinite(below), np.maximum(below, 0), 0.0)

    def _lowest(self) -> float:
        R, p = self._geom(self.R, self.p)
        if self.thing.shape.type == "mesh":
            return float((self.thing.shape.mesh_arrays()[0] @ R[2]).min() + p[2])
        return float(p[2] - self.thing._reach(R))

    def _step(self) -> None:
        self.data.mocap_pos[0] = self.p
        self.mujoco.mju_mat2Quat(self.data.mocap_quat[0], np.ascontiguousarray(self.R).ravel())
        self.mujoco.mj_step(self.model, self.data)
        if self.tape is not None and self._steps % RECORD_EVERY == 0:
            self.tape.write(self.data.time, self._row())
        self._steps += 1

    # --- a recording ---

    def record(self, tape: Tape, camera: TactileCamera | None) -> None:
        """From now on: a row each second step."""
        shape = self.grid.rows, self.grid.cols
        self.camera = camera or synthetic_camera(shape, self.reading.pixel)
        if self.camera.shape != shape:
            raise taxel.Error(
                f"this camera has {self.camera.shape[0]} x {self.camera.shape[1]} pixels and the sensor {shape[0]} x "
                f"{shape[1]}; give one that was calibrated at this size"
            )
        channels: dict[str, Channel] = {
            "sensor": Pose(),
            "object": Pose(),
            "markers": Markers(self.reading.shape, self.reading.markers, self.reading.pixel, "sensor"),
            "camera": Image(*shape),
            "depth": Scalar("m"),
        }
        if self.has_wrench:
            channels["wrench"] = Wrench("sensor")
        self.tape = tape
        tape.start(channels, f"press {self.thing.label} into {self.sensor.name}")

    def _row(self) -> dict[str, Any]:
        data, body = self.data, self.data.body(OBJECT)
        moved, below = self.reading(data), self._penetration()
        places = self.grid.places(self.reading.markers) + moved.reshape(-1, 3)[:, :2] * (1, -1)
        row = {
            "sensor": self.reading.pose(data),
            "object": np.concatenate([body.xpos, body.xquat]),
            "markers": moved,
            "camera": self.camera.render(
                self.camera.press(below), markers=places, marker_radius=DOT / self.reading.pixel
            ),
            "depth": below.max(),
        }
        return {**row, "wrench": self.reading.wrench(data)} if self.has_wrench else row

    def result(self, depth: float, force: float | None) -> MarkerPress:
        return MarkerPress(
            sensor=self.sensor.name,
            title=self.sensor.title,
            object=self.thing.label,
            mode=self.mode,
            markers=self.reading.markers.reshape(*self.reading.shape, 3),
            pixel=self.reading.pixel,
            grid=self.grid,
            outline=np.array([self.low[:2], self.high[:2]]),
            depth=depth,
            force=force,
            state_size=self.reading.state_size,
            step_us=_microseconds(lambda: self.mujoco.mj_step(self.model, self.data), 100),
            frames=self.frames,
            size=self._size(),
            contact=self._contact(self.frames[0].penetration),
            pitch=self._pitch(),
        )

    def _pitch(self) -> float:
        """From a marker to its nearest neighbour, their mean."""
        places = self.reading.markers.reshape(-1, 3)
        if len(places) < 2 or len(places) > MOST_COMPARED:
            return 0.0
        apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
        np.fill_diagonal(apart, np.inf)
        return float(apart.min(axis=1).mean())

    def _size(self) -> SizeNote | None:
        if self.mode != "taxel":
            return None
        below, area = self.frames[0].penetration, self.grid.pixel**2
        inside = np.argwhere(below > 0).astype(float) * self.grid.pixel
        volume = float(below.sum()) * area
        return size_note(self.sensor, inside, np.full(len(inside), area), volume) if len(inside) else None


def _rotation(turn: np.ndarray | None, share: float) -> np.ndarray:
    """Rotation by a share of a rotation vector (rad)."""
    if turn is None:
        return np.eye(3)
    angle = float(np.linalg.norm(turn))
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    a = share * angle
    return np.eye(3) + math.sin(a) * cross + (1 - math.cos(a)) * cross @ cross
