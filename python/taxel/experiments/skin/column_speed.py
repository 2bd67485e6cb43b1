"""What a step costs on the sensors of the catalogue: columns beside the field that they stand for.

The object lies on the sensor under a load and is stepped with its reading. All models of a case are stepped in turns
in one process, so that whatever else the machine does hits them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import mujoco

import taxel
from taxel.press import PressedObject, parse_object

STEP = 2e-3
FIELDS: dict[str, dict[str, Any]] = {
    "gelsight_mini": {"field": "backed", "resolution": 1.6e-3},
    "digit": {"field": "backed", "resolution": 1.4e-3},
    "shadow_fingertip": {"field": "distance", "bone": None, "exposed": None, "resolution": 2.2e-3},
    "myrmex": {"field": "backed"},
}
"""The same sensors without columns."""
COLUMNS: dict[str, dict[str, Any]] = {"myrmex": {"field": "columns"}}
"""Sensors of the catalogue that have none of their own."""
CASES = (
    ("gelsight_mini", "sphere:0.008", 2.0, 120.0),
    ("gelsight_mini", "ycb:011_banana", 5.0, 300.0),
    ("digit", "sphere:0.008", 2.0, 100.0),
    ("shadow_fingertip", "sphere:0.008", 0.5, 60.0),
    ("myrmex", "sphere:0.02", 5.0, 100.0),
)
"""Sensor, object, load in N, and the time that was aimed at, us."""
HEADER = (
    "sensor",
    "object",
    "taxels",
    "faces",
    "field, us",
    "columns, us",
    "ratio",
    "aim, us",
    "depth, mm",
    "depth of the field, mm",
)
FLOOR = (
    "Floor of a step on the GelSight Mini: about 100 columns in contact; meeting a ball is 120 flops a column,"
    " cutting, summing and sharing a face about 700, rows and memory 300: 0.11 Mflop, 11 us at 10 scalar Gflop/s."
    " On the fingertip 130 columns and 60 parts of those at the rim are looked at for 75 faces: 0.1 Mflop, 10 us."
)


def _scene(sensor: str, thing: PressedObject, changes: dict[str, Any]) -> tuple[Any, Any]:
    """(model, data): the object above the sensor, free to move up and down."""
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    getattr(taxel.sensors, sensor)(**changes).add_to(spec, name="touch")
    body = spec.worldbody.add_body(name="object", pos=[0.001, 0.0015, 0.03])
    body.add_joint(name="object", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    thing.add_to(spec, body, "object", friction=0.5)
    model = spec.compile()
    return model, mujoco.MjData(model)


def _rest(model: Any, data: Any, load: float) -> float:
    """Lets the object down to where it rests; returns how far below the first touch it is, m."""
    joint = model.joint("object")
    qpos, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
    body = model.body("object").id
    scale = load / 9.81 / model.body_mass[body]
    model.body_mass[body] *= scale
    model.body_inertia[body] *= scale
    mujoco.mj_setConst(model, data)
    model.dof_damping[dof] = load / 0.02
    touch = None
    for _ in range(4000):
        mujoco.mj_step(model, data)
        if touch is None and data.ncon:
            touch = float(data.qpos[qpos])
        if touch is not None and abs(data.qvel[dof]) < 1e-5:
            break
    return (touch or 0.0) - float(data.qpos[qpos])


def measure(quick: bool, progress: Callable[[list[Any], str], Any] = lambda cases, _: cases) -> list[dict[str, Any]]:
    """One entry per case. Times are least CPU times of a step, in microseconds."""
    rows = []
    rounds, steps = (5, 20) if quick else (25, 60)
    for sensor, name, load, aim in progress(list(CASES), "sensors"):
        try:
            thing = parse_object(name)
        except (taxel.Error, ImportError):
            continue  # the object is in a package that is not installed
        models = {
            "field": _scene(sensor, thing, FIELDS[sensor]),
            "columns": _scene(sensor, thing, COLUMNS.get(sensor, {})),
        }
        depth = {kind: _rest(model, data, load) for kind, (model, data) in models.items()}
        times: dict[str, list[float]] = {kind: [] for kind in models}
        for _ in range(rounds):
            for kind, (model, data) in models.items():
                start = time.process_time()
                mujoco.mj_step(model, data, nstep=steps)
                times[kind].append(1e6 * (time.process_time() - start) / steps)
        model, data = models["columns"]
        touch = max(taxel.touches(model, data), key=lambda t: t.surface.num_faces)
        rows.append(
            {
                "sensor": sensor,
                "object": name,
                "load": load,
                "aim": aim,
                "taxels": len(taxel.Sensor(model, "touch").layout.points),
                "faces": touch.surface.num_faces,
                "field": min(times["field"]),
                "columns": min(times["columns"]),
                "ratio": min(times["field"]) / min(times["columns"]),
                "depth_field": depth["field"],
                "depth_columns": depth["columns"],
            }
        )
    return rows


def cells(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            r["sensor"],
            f"{r['object']}, {r['load']:g} N",
            str(r["taxels"]),
            str(r["faces"]),
            f"{r['field']:.0f}",
            f"{r['columns']:.0f}",
            f"{r['ratio']:.1f}",
            f"{r['aim']:.0f}",
            f"{1e3 * r['depth_columns']:.3f}",
            f"{1e3 * r['depth_field']:.3f}",
        )
        for r in rows
    ]
