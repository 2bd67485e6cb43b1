"""What a reading costs: the Myrmex pad (16 x 16) under a cylinder, full dynamics, beside MuJoCo's own sensors.

All models are stepped in turns in one process, so that whatever else the machine does hits them alike. The cost of a
reading is the step with the sensor less the step without. MuJoCo's ``tactile`` gives depth and sliding speed, not
force; ``touch_grid`` bins the one or two point contacts of the cylinder.
"""

from __future__ import annotations

import time
from typing import Any

import mujoco
import numpy as np

import taxel

STEP, MASS = 1e-3, 0.6
PAD = (0.08, 0.08, 0.018)
FLOOR = (
    "Floor of the exact read-out: about 350 pieces of polygon with 5 corners; cutting one off and integrating it is "
    "about 400 flops, 140 kflop in all, 14 us at 10 scalar Gflop/s. Floor of the rays: 30,000 of the 102,400 lie over "
    "the contact; depth, pressure and face are written and read once, 20 bytes each way, 1.2 MB, 60 us at 20 GB/s."
)
SENSORS: dict[str, dict[str, Any] | None] = {
    "no sensor": None,
    "wrench (6 numbers)": {},
    "exact": dict(shape=(16, 16)),
    "exact, with shear and slip": dict(shape=(16, 16), output="pressure shear slip"),
    "exact, elastic pressure alone": dict(shape=(16, 16), source="elastic"),
    "rays, 5 a side": dict(shape=(16, 16), readout="rays", samples=5),
    "rays, 20 a side": dict(shape=(16, 16), readout="rays", samples=20),
    "rays, 20 a side, (r - d)^2, r = 5 mm": dict(
        shape=(16, 16), readout="rays", samples=20, radius=0.005, window="quadratic"
    ),
    "exact, 100 Hz": dict(shape=(16, 16), rate=100),
    "exact, noise, hysteresis, creep, 12 bits": dict(
        shape=(16, 16),
        unit="counts",
        bits=12,
        full_scale=3e4,
        inverted=True,
        noise=(0, 8),
        hysteresis=(0.05, 2e4),
        creep=(0.05, 2.0),
    ),
    "exact, 64 x 64": dict(shape=(64, 64)),
}


def scene(keys: dict[str, Any] | None, soft: bool = True, **material: Any) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[s / 2 for s in PAD])
    spec.worldbody.add_site(name="below", pos=[0, 0, -0.06], euler=[180, 0, 0])
    body = spec.worldbody.add_body(name="object", pos=[0.003, 0.002, 0.0305], euler=[0, 90, 20])
    body.add_freejoint()
    body.add_geom(name="cylinder", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.0225, 0.05, 0], mass=MASS)
    if soft:
        parameters = dict(modulus=3e4, field="backed", dissipation=20.0, friction=0.3) | material
        taxel.soften(spec, "pad", **parameters)
        if keys is not None and not keys:
            sensor = spec.add_sensor(
                name="touch",
                type=mujoco.mjtSensor.mjSENS_PLUGIN,
                objtype=mujoco.mjtObj.mjOBJ_GEOM,
                objname="pad",
            )
            sensor.plugin.plugin_name, sensor.plugin.name, sensor.plugin.active = "taxel", "skin", True
        elif keys:
            taxel.add_sensor(spec, "pad", **keys)
    return spec


def native(kind: str) -> mujoco.MjModel:
    """MuJoCo's own point contact, as soft as it goes, with one of its own sensors."""
    sensors = {
        "": "",
        "tactile": '<tactile name="t" geom="pad" mesh="grid"/>',
        "touch_grid": '<plugin name="g" plugin="mujoco.sensor.touch_grid" objtype="site" objname="below">'
        '<config key="size" value="16 16"/><config key="fov" value="60 60"/><config key="gamma" value="0"/>'
        '<config key="nchannel" value="3"/></plugin>',
    }
    extension = '<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>' if kind == "touch_grid" else ""
    plate = '<mesh name="grid" builtin="plate" params="16 16" scale="0.04 -0.04 -0.009"/>' if kind == "tactile" else ""
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{STEP}" cone="elliptic" integrator="implicitfast"/>{extension}
        <asset>{plate}</asset>
        <default><geom solref="-4000 -20"/></default>
        <worldbody><geom name="pad" type="box" size="0.04 0.04 0.009"/>
        <site name="below" pos="0 0 -0.06" euler="180 0 0"/>
        <body pos="0.003 0.002 0.0305" euler="0 90 20"><freejoint/>
        <geom name="cylinder" type="cylinder" size="0.0225 0.05" mass="{MASS}"/></body></worldbody>
        <sensor>{sensors[kind]}</sensor></mujoco>"""
    )


class Runner:
    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        mujoco.mj_step(model, self.data, nstep=2000)
        self.times: list[float] = []

    def time(self, steps: int) -> None:
        start = time.thread_time()
        mujoco.mj_step(self.model, self.data, nstep=steps)
        self.times.append((time.thread_time() - start) / steps)

    @property
    def microseconds(self) -> float:
        return 1e6 * float(np.median(self.times))


def measure(quick: bool, progress=lambda items, label: items) -> dict[str, Any]:
    runners = {name: Runner(scene(keys).compile()) for name, keys in SENSORS.items()}
    peers = {
        name: Runner(native(kind))
        for name, kind in (("no sensor", ""), ("tactile", "tactile"), ("touch_grid", "touch_grid"))
    }
    rounds, steps = (5, 200) if quick else (25, 400)
    for _ in progress(range(rounds), "bench skin"):
        for runner in (*runners.values(), *peers.values()):
            runner.time(steps)
    base, native_base = runners["no sensor"].microseconds, peers["no sensor"].microseconds
    rows = [
        {
            "engine": "taxel",
            "sensor": name,
            "step_us": r.microseconds,
            "read_us": r.microseconds - base,
            "real_time": STEP / (1e-6 * r.microseconds),
            "numbers": int(r.model.nsensordata),
            "nonzero": int((r.data.sensordata != 0).sum()),
        }
        for name, r in runners.items()
    ] + [
        {
            "engine": "MuJoCo",
            "sensor": name,
            "step_us": r.microseconds,
            "read_us": r.microseconds - native_base,
            "real_time": STEP / (1e-6 * r.microseconds),
            "numbers": int(r.model.nsensordata),
            "nonzero": int((r.data.sensordata != 0).sum()),
        }
        for name, r in peers.items()
    ]
    return {"rows": rows, "step": STEP, "floor": FLOOR}


def cells(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            r["engine"],
            r["sensor"],
            f"{r['step_us']:.1f}",
            "" if r["sensor"] == "no sensor" else f"{r['read_us']:+.1f}",
            f"{r['real_time']:.1f}",
            f"{r['nonzero']} of {r['numbers']}",
        )
        for r in rows
    ]


HEADER = ("engine", "sensor", "step us", "reading us", "times real time", "numbers not 0")
