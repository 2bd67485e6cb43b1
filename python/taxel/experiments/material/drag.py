"""Drags to half slip: how far a pressed object moves until friction carries half of what it can."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import taxel

from ...press.guided_press import add_guided_body
from ...sensors import TactileSensor
from .models import Model, Object

HALF = 0.5
"""Of Coulomb's bound."""
NAME = "dragged"


def half_slip(model: Model, friction: float, step: float, most: int = 60) -> tuple[float, float] | None:
    """(motion, m, shear force, N) at which shear / (friction normal) is a half, between two steps of a path.

    None where ``most`` steps do not reach it.
    """
    before = (0.0, 0.0)
    for k in range(1, most + 1):
        felt = model.slide(k * step)
        share = felt.shear / (friction * felt.normal)
        if abs(share) >= HALF:
            part = (HALF - before[1]) / (abs(share) - before[1])
            return (k - 1 + part) * step, HALF * friction * felt.normal
        before = (k * step, abs(share))
    return None


def pressure_half_slip(sensor: TactileSensor, thing: Object, load: float, friction: float) -> float:
    """The same of the pressure field, which remembers only inside MuJoCo: the load and half of its friction are applied
    to an object on two slides, which comes to rest."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    sensor.replace(friction=friction).add_to(spec)
    body = add_guided_body(mujoco, spec, NAME, (0.0, 0.0, float(sensor.bounds[1, 2])))
    body.add_joint(name="along", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(1, 0, 0))
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(thing.R).ravel())
    kind = getattr(mujoco.mjtGeom, "mjGEOM_" + thing.shape.type.upper())
    body.add_geom(
        name=NAME, type=kind, size=[*thing.shape.size, 0.0, 0.0][:3], pos=(0, 0, thing.low), quat=quat,
        friction=(friction, 0.005, 0.0001),
    )  # fmt: skip
    model = taxel.mujoco.compile_spec(spec)
    data = mujoco.MjData(model)
    down, along = (int(model.joint(name).dofadr[0]) for name in (NAME, "along"))
    model.body_mass[model.body(NAME).id] = load / 9.81
    model.dof_damping[:] = load / 0.05
    data.qfrc_applied[down] = -load
    mujoco.mj_step(model, data, nstep=400)
    start = float(data.qpos[along])
    data.qfrc_applied[along] = HALF * friction * load
    before = math.inf
    for _ in range(40):
        mujoco.mj_step(model, data, nstep=100)
        now = float(data.qpos[along])
        if abs(now - before) < 1e-4 * abs(now - start) + 1e-10:
            break
        before = now
    return now - start


def drag_rows(
    sensor: TactileSensor, thing: Object, depth: float, models: dict[str, Any], judge: str
) -> list[dict[str, Any]]:
    """One row a model; the judge's comes first and says how long a step is."""
    made = sensor.made_of
    assert made is not None
    mu, rows = made.static_friction, []
    step = 0.1 * mu * depth * made.modulus() / (made.shear_stiffness() * made.thickness)
    normal = math.nan
    for name in (judge, *(n for n in models if n not in (judge, "pressure"))):
        model = models[name]()
        pressed = model.to(depth)
        normal = pressed.normal if name == judge else normal
        found = half_slip(model, mu, step)
        rows.append({"model": name, "motion": None if found is None else found[0], "normal": pressed.normal})
    load = models["pressure"]().to(depth).normal
    rows.append({"model": "pressure", "motion": pressure_half_slip(sensor, thing, load, mu), "normal": load})
    for row in rows:
        # Over the load, so that it is the shear stiffness that is compared and not the normal one again.
        row["shear_over_motion"] = None if not row["motion"] else HALF * mu * row["normal"] / row["motion"]
    return rows
