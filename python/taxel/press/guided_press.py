"""One press: a sensor, an object above it on a vertical guide, a load, and what is felt once it rests."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .. import sensors
from ..common.description import GROUPS, config, has_bristles
from ..mujoco import compile_spec
from ..mujoco.softening import has_taxel
from ..record import Array, Channel, Pose, Scalar, Tape, Wrench
from ..sensors import TactileSensor
from .objects import PressedObject, parse_object
from .size_note import SizeNote, miss_text, size_note, triangle_cloud

OBJECT = "pressed_object"  # name of its body, geom and joint
GRAVITY = 9.81  # m/s2; the object weighs as much as it presses
CHUNK = 50  # steps between two looks at the force
RECORD_EVERY = 5  # steps between two rows of a recording: 100 rows a second at 2 ms
STEADY, SPEED = 1e-6, 1e-7  # change of the force over a chunk, as a part of the load; m/s
SINKING = 0.05  # m/s, at which the guide's damper carries the load: no overshoot into a thin layer
LONGEST = 10.0  # s of simulated time
SCAN = 2e-4  # m; how finely the height of first touch is looked for
LIMITS = {
    "force": (1e-4, 1e5, "N"),
    "depth": (1e-7, 1.0, "m"),
    "soft": (1.0, 1e12, "Pa"),
    "timestep": (1e-5, 0.02, "s (0.002 is usual; a press is not resolved by longer ones)"),
}
"""What a press can be told: least, most, unit."""


@dataclass(frozen=True)
class PressScene:
    """What a picture needs, in the world's frame, z up."""

    sensor_vertices: np.ndarray
    sensor_triangles: np.ndarray
    object_vertices: np.ndarray
    object_triangles: np.ndarray
    contact_vertices: np.ndarray
    contact_triangles: np.ndarray
    taxel_points: np.ndarray
    taxel_normals: np.ndarray
    taxel_areas: np.ndarray
    center: np.ndarray
    """Centre of pressure."""


@dataclass(frozen=True)
class Press:
    """What came out of a press, once the force was steady."""

    sensor: str
    title: str
    object: str
    image: np.ndarray
    """Reading in ``unit``: (rows, columns), or (n,) where the taxels lie in no rows."""
    no_load: np.ndarray
    """The same before the touch."""
    unit: str
    force: float
    """MuJoCo's contact force on the sensor, downwards, N."""
    taxel_force: float
    """The same summed over the taxels, before the signal chain, N."""
    load: float
    """What the object weighs, N."""
    depth: float
    """How far the object went down after the first touch, m."""
    area: float
    """Of contact, m2."""
    center: np.ndarray
    """Centre of pressure in the sensor's frame, m."""
    max_pressure: float
    """Greatest on the contact surface, Pa."""
    core_force: float
    """Of the force, what is held by the core behind a skin that is pressed flat, N."""
    steps: int
    time: float
    """Simulated, s."""
    step_us: float
    """Median wall time of a step of MuJoCo at rest, with contact and sensor."""
    read_us: float
    """Median wall time of ``Sensor.read``."""
    scene: PressScene
    chips: np.ndarray | None = None
    """Of a magnetic skin: where its magnetometers are in the sensor's frame, (C, 3) m."""
    microtesla: np.ndarray | None = None
    """What they read against the rest, (C, 3) uT."""
    size: SizeNote | None = None
    """Of a sensor whose stiffness follows its material: the contact against the layer."""


def check_limits(option: str, **given: float | None) -> None:
    """Error for what lies outside ``LIMITS``; ``option`` stands before the name: "--" in the command."""
    for name, value in given.items():
        low, high, unit = LIMITS[name]
        if value is not None and not low <= value <= high:
            raise taxel.Error(f"{option}{name} is {value:g}; give {low:g} to {high:g} {unit}")


def press(
    sensor: str | Path | TactileSensor,
    object: str | PressedObject,
    *,
    force: float | None = None,
    depth: float | None = None,
    yaw: float = 0.0,
    pitch: float = 0.0,
    offset: tuple[float, float] = (0.0, 0.0),
    soft: float | None = None,
    friction: float = 0.0,
    timestep: float = 0.002,
    record: Tape | None = None,
    **overrides: Any,
) -> Press:
    """Presses until the force is steady: within a chunk of 50 steps it changes by less than 1e-6 of the load.

    sensor     name in the catalogue, a ``TactileSensor``, or an MJCF file with exactly one tactile sensor
    object     text as of ``parse_object``; comes down along -z onto the sensor's middle, plus ``offset`` (m)
    force      load in N (default 5), or ``depth`` in m instead
    yaw, pitch degrees
    soft       modulus of the object in Pa (rigid when left out); friction: its coefficient
    record     gets a row each fifth step, from the first touch until it rests: an episode
    overrides  keys of the sensor to change (``TactileSensor.replace``); of a file, those of its tactile sensor
    """
    if force is not None and depth is not None:
        raise taxel.Error("give force or depth, not both")
    force = 5.0 if force is None and depth is None else force
    check_limits("", force=force, depth=depth, timestep=timestep, soft=soft)
    if not np.isfinite([yaw, pitch, *offset]).all() or len(offset) != 2:
        raise taxel.Error(f"yaw {yaw}, pitch {pitch}, offset {offset}: give finite numbers")
    thing = parse_object(object) if isinstance(object, str) else object
    if not 0 <= friction < float("inf"):
        raise taxel.Error(f"friction is {friction:g}; it must be 0 or more")
    setup = _Setup(sensor, thing, yaw, pitch, offset, soft, friction, timestep, overrides)
    touch = setup.first_touch()
    if depth is not None and force is None:
        result = _press_to(setup, touch, depth)
        return result if record is None else setup.run(touch, result.load, record)
    assert force is not None  # 5 N where neither is given
    return setup.run(touch, force, record)


def _press_to(setup: _Setup, touch: float, depth: float) -> Press:
    """Finds the load under which the object rests at a depth: the elastic force, corrected for friction on walls."""
    load = setup.force_at(touch - depth)
    stiffness = (load - setup.force_at(touch - 0.98 * depth)) / (0.02 * depth)
    if not (load > 0 and stiffness > 0):
        raise taxel.Error(
            f"{setup.label}: {setup.thing.label} cannot rest {depth:g} m below the first touch; give a smaller depth"
        )
    for _ in range(6):
        result = setup.run(touch, load)
        if abs(result.depth - depth) < 1e-4 * depth:
            return result
        load = max(load + stiffness * (depth - result.depth), 0.5 * load)
    raise taxel.Error(
        f"{setup.label}: {setup.thing.label} rests {result.depth:g} m deep, not {depth:g} m; give a smaller depth"
    )


class _Setup:
    def __init__(self, sensor, thing: PressedObject, yaw, pitch, offset, soft, friction, timestep, overrides) -> None:
        import mujoco

        self.mujoco, self.thing = mujoco, thing
        spec, self.name, described = _sensor_spec(mujoco, sensor, overrides)
        self.described = described
        self.label = described.name if described else Path(sensor).name
        self.title = described.title if described else self.label
        self.shape = described.shape if described else None
        self.layered = described if soft is None else None  # a soft object has a say in the stiffness
        self.magnets = sensors.Magnetometers(described) if described and described.magnetic else None
        spec.option.timestep = timestep
        if spec.option.integrator == mujoco.mjtIntegrator.mjINT_EULER:
            spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        bare = compile_spec(spec)
        at_rest = mujoco.MjData(bare)
        mujoco.mj_forward(bare, at_rest)
        felt = taxel.Sensor(bare, self.name)
        self.geom = bare.geom(felt.geom).name
        R, p = _pose(at_rest, felt.geom)
        vertices = geom_surface(bare, felt.geom)[0] @ R.T + p
        X_WS = felt.pose(at_rest)
        middle = X_WS[:3, 3] if described else (felt.layout.points @ X_WS[:3, :3].T + X_WS[:3, 3]).mean(axis=0)
        self.top = float(vertices[:, 2].max())
        object_height = np.ptp((thing.surface()[0] @ thing.turned(yaw, pitch)[0].T)[:, 2])
        self.range = self.top - float(vertices[:, 2].min()) + float(object_height)
        body = add_guided_body(mujoco, spec, OBJECT, [middle[0] + offset[0], middle[1] + offset[1], self.top])
        thing.add_to(spec, body, OBJECT, yaw, pitch, friction)
        if soft is not None:
            taxel.soften(spec, OBJECT, name=OBJECT, modulus=soft, dissipation=5.0)
        if described is not None and has_bristles(described.material):
            # Their coefficients are those of the contact, whatever the object says; here it has a say.
            own = np.broadcast_to(described.material.get("friction", 1.0), 2).astype(float)
            both = [2 * mu * friction / (mu + friction) if mu and friction else 0.0 for mu in own]
            taxel.soften(spec, [self.geom, OBJECT], name=f"{OBJECT}_pair", pair=True, friction=both)
        self.model = compile_spec(spec)
        self.data = mujoco.MjData(self.model)
        self.sensor = taxel.Sensor(self.model, self.name)
        self.reader = taxel.Reader(self.model, scale="none")
        joint = self.model.joint(OBJECT)
        self.qpos, self.dof = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.offset = offset

    def _touching(self, height: float) -> list:
        self.data.qpos[self.qpos] = height
        self.mujoco.mj_kinematics(self.model, self.data)
        return [t for t in self.reader(self.data) if {t.name1, t.name2} == {self.geom, OBJECT}]

    def first_touch(self) -> float:
        """Height of the guide at which the two begin to touch; 0 is level with the sensor's highest point."""
        high = 1e-9
        while not self._touching(high - SCAN):
            high -= SCAN
            if high < -self.range:
                raise taxel.Error(miss_text(self.thing.label, self.label, self.offset, self.described))
        low = high - SCAN
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._touching(middle) else (low, middle)
        return high

    def force_at(self, height: float) -> float:
        """Elastic force on the sensor, downwards, with the guide at this height."""
        return -sum(float(t.wrench_on(self.geom)[2]) for t in self._touching(height))

    def _set_load(self, load: float) -> None:
        body = self.model.body(OBJECT).id
        scale = load / GRAVITY / self.model.body_mass[body]
        self.model.body_mass[body] *= scale
        self.model.body_inertia[body] *= scale
        self.mujoco.mj_setConst(self.model, self.data)
        self.model.dof_damping[self.dof] = load / SINKING

    def _force(self) -> float:
        return -float(taxel.wrench(self.model, self.data, self.geom, OBJECT)[2])

    def _channels(self) -> dict[str, Channel]:
        size = self.sensor.shape if self.shape is None else self.shape
        return {
            "sensor": Pose(),
            "object": Pose(),
            "touch": Array(size, self.sensor.unit, self.sensor.layout.points, "sensor"),
            "wrench": Wrench("sensor"),
            "center": Array((3,), "m"),
            "depth": Scalar("m"),
        }

    def _row(self, start: float) -> dict[str, Any]:
        """What is felt now; the body has sunk from the height ``start``."""
        data, body = self.data, self.data.body(OBJECT)
        felt, X_WS = self.sensor.read(data), self.sensor.pose(data)
        force, torque = np.split(taxel.wrench(self.model, data, self.geom, OBJECT), 2)  # about the geom's origin
        torque = torque + np.cross(data.geom_xpos[self.sensor.geom] - X_WS[:3, 3], force)
        return {
            "sensor": X_WS,
            "object": np.concatenate([body.xpos, body.xquat]),
            "touch": felt.values if self.shape is None else felt.values.reshape(self.shape),
            "wrench": np.concatenate([force, torque]) @ np.kron(np.eye(2), X_WS[:3, :3]),
            "center": felt.center,
            "depth": start - body.xpos[2],
        }

    def _advance(self, record: Tape | None, start: float) -> None:
        """A chunk of steps; with a recording in pieces, which changes no number."""
        if record is None:
            self.mujoco.mj_step(self.model, self.data, nstep=CHUNK)
            return
        for _ in range(CHUNK // RECORD_EVERY):
            self.mujoco.mj_step(self.model, self.data, nstep=RECORD_EVERY)
            record.write(self.data.time, self._row(start))

    def _why_no_touch(self) -> str:
        """The object rests, but not on the sensor: what holds it."""
        model, own = self.model, self.model.geom(OBJECT).id
        others = {int(g) for c in self.data.contact for g in c.geom if own in c.geom and g not in (own, -1)}
        names = [model.geom(g).name or f"geom {g} of body {model.body(model.geom_bodyid[g]).name!r}" for g in others]
        held = f"it touches {', '.join(sorted(names))} instead" if names else "something else holds it"
        return f"{self.thing.label} does not reach the sensor {self.label}: {held}; move that aside, or give an offset"

    def run(self, touch: float, load: float, record: Tape | None = None) -> Press:
        mujoco, model, data = self.mujoco, self.model, self.data
        self._set_load(load)
        mujoco.mj_resetData(model, data)
        data.qpos[self.qpos] = touch
        data.qfrc_applied[self.dof] = -load
        mujoco.mj_forward(model, data)
        no_load = self.sensor.read(data).values
        steps, before, start = 0, 0.0, float(data.body(OBJECT).xpos[2])
        if record is not None:
            record.start(self._channels(), f"press {self.thing.label} into {self.label}")
            record.write(data.time, self._row(start))
        while True:
            self._advance(record, start)
            steps += CHUNK
            now = self._force()
            if not np.isfinite(now) or data.qpos[self.qpos] < -self.range:
                raise taxel.Error(
                    f"{self.thing.label} goes right through the sensor {self.label} under {load:g} N; "
                    "give a smaller load"
                )
            if abs(now - before) < STEADY * load and abs(data.qvel[self.dof]) < SPEED and now > 0:
                break
            rests = steps > CHUNK and now == before and abs(data.qvel[self.dof]) < SPEED
            if now <= 0 and (rests or data.time > LONGEST):
                raise taxel.Error(self._why_no_touch())
            if data.time > LONGEST:
                raise taxel.Error(
                    f"{self.thing.label} on {self.label}: the force still changes by {abs(now - before):.2g} N within "
                    f"{CHUNK} steps after {data.time:.1f} s of simulated time; give a smaller load or timestep"
                )
            before = now
        mujoco.mj_forward(model, data)
        felt = self.sensor.read(data)
        depth = float(touch - data.qpos[self.qpos])
        X_WS = self.sensor.pose(data)
        scene = self._scene(X_WS[:3, :3] @ felt.center + X_WS[:3, 3])
        force, taxel_force, at_rest = self._force(), -float((X_WS[:3, :3] @ felt.force)[2]), float(data.time)
        surfaces = [t.surface for t in taxel.touches(model, data) if {t.name1, t.name2} == {self.geom, OBJECT}]
        return Press(
            sensor=self.label,
            title=self.title,
            object=self.thing.label,
            image=felt.values if self.shape is None else felt.values.reshape(self.shape),
            no_load=no_load if self.shape is None else no_load.reshape(self.shape),
            unit=self.sensor.unit,
            force=force,
            taxel_force=taxel_force,
            load=load,
            depth=depth,
            area=felt.area,
            center=felt.center,
            max_pressure=max(s.max_pressure for s in surfaces),
            core_force=max(0.0, force - float(np.linalg.norm(sum(s.force_on_A for s in surfaces)))),
            steps=steps,
            time=at_rest,
            step_us=_microseconds(lambda: mujoco.mj_step(model, data), 100),
            read_us=_microseconds(lambda: self.sensor.read(data), 30),
            scene=scene,
            chips=self.magnets.chips if self.magnets else None,
            microtesla=self.magnets.read(felt) if self.magnets else None,
            size=self._size(scene),
        )

    def _size(self, scene: PressScene) -> SizeNote | None:
        if self.layered is None or not len(scene.contact_triangles):
            return None
        return size_note(self.layered, *triangle_cloud(scene.contact_vertices, scene.contact_triangles))

    def _scene(self, center: np.ndarray) -> PressScene:
        model, data = self.model, self.data
        R, p = _pose(data, self.sensor.geom)
        X_WS = self.sensor.pose(data)
        vertices, triangles = geom_surface(model, self.sensor.geom)
        object_vertices, object_triangles = self.thing.surface()
        R_WO, p_WO = _drawn_pose(model, data, model.geom(OBJECT).id)
        found = [t.surface for t in taxel.touches(model, data) if {t.name1, t.name2} == {self.geom, OBJECT}]
        starts = np.cumsum([0] + [len(s.vertices) for s in found])
        layout = self.sensor.layout
        return PressScene(
            sensor_vertices=vertices @ R.T + p,
            sensor_triangles=triangles,
            object_vertices=object_vertices @ R_WO.T + p_WO,
            object_triangles=object_triangles,
            contact_vertices=np.concatenate([s.vertices for s in found]),
            contact_triangles=np.concatenate([s.triangles() + k for s, k in zip(found, starts[:-1], strict=True)]),
            taxel_points=layout.points @ X_WS[:3, :3].T + X_WS[:3, 3],
            taxel_normals=layout.normals @ X_WS[:3, :3].T,
            taxel_areas=layout.areas,
            center=center,
        )


def _sensor_spec(mujoco, sensor, overrides) -> tuple[Any, str, TactileSensor | None]:
    """(spec, name of the sensor, its description if it is from the catalogue)."""
    if isinstance(sensor, str | Path) and str(sensor).endswith(".xml"):
        return *_file_spec(mujoco, Path(sensor), overrides), None
    if isinstance(sensor, str):
        factories = sensors.catalogue()
        if sensor not in factories:
            raise taxel.Error(
                f"there is no sensor {sensor!r}; the catalogue has {', '.join(factories)}. "
                "A model file must end with .xml"
            )
        sensor = factories[sensor]()
    if overrides:
        sensor = sensor.replace(**overrides)
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return spec, sensor.add_to(spec), sensor


def _file_spec(mujoco, path: Path, overrides) -> tuple[Any, str]:
    if not path.is_file():
        raise taxel.Error(f"there is no model file {str(path)!r}")
    taxel.load()
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise taxel.Error(f"{path}: {error}") from None
    names: list[str] = []
    if has_taxel(spec):
        taxel.complete(spec)
        names = taxel.sensor_names(compile_spec(spec))
    if len(names) != 1:
        raise taxel.Error(
            f"{path}: {len(names)} tactile sensors ({', '.join(names) or 'none'}); "
            "a model to press must have exactly one"
        )
    keys = {key: value for key, value in overrides.items() if value is not None}
    unknown = keys.keys() - GROUPS["taxels"] - GROUPS["chain"]
    if unknown:
        raise taxel.Error(f"{path}: {', '.join(sorted(unknown))} cannot be changed in a model file; change it there")
    if keys:
        plugin = spec.sensor(names[0]).plugin
        instance = next((i for i in spec.plugins if plugin.name and i.name == plugin.name), plugin)
        instance.config = {**instance.config, **config(keys)}
    return spec, names[0]


def add_guided_body(mujoco, spec, name: str, pos=(0.0, 0.0, 0.0)) -> Any:
    """A body on a vertical slide, weightless: the load is what is applied, whatever the model's gravity."""
    body = spec.worldbody.add_body(name=name, pos=pos, gravcomp=1)
    body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, 1))
    body.mass, body.inertia, body.explicitinertial = 0.5, [1e-3] * 3, True
    return body


def _pose(data, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """R, p of a geom in the world."""
    return data.geom_xmat[geom].reshape(3, 3).copy(), data.geom_xpos[geom].copy()


def _drawn_pose(model, data, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """R, p of the frame in which a geom was drawn: its own; of a mesh, that of its file."""
    R, p = _pose(data, geom)
    mesh = model.geom_dataid[geom]
    if mesh < 0:
        return R, p
    import mujoco

    moved = np.empty(9)
    mujoco.mju_quat2Mat(moved, model.mesh_quat[mesh])
    R = R @ moved.reshape(3, 3).T
    return R, p - R @ model.mesh_pos[mesh]


def geom_surface(model, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of a geom in its own frame."""
    import mujoco

    kind, size = mujoco.mjtGeom(model.geom_type[geom]), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        return model.mesh_vert[first : first + count].astype(float), model.mesh_face[face : face + faces].copy()
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        return taxel.Body.half_space().surface()
    name = kind.name.removeprefix("mjGEOM_").lower()
    return sensors.Shape(name, tuple(size)).body(0.0).surface()


def _microseconds(function, count: int) -> float:
    """Median of a number of calls."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times))
