"""Shear and slip, taxel by taxel.

1. Slope. A block on a tactile pad tilted by 10 degrees (it sticks) and 25 degrees (it slides, mu = 0.3): the shear of
   all taxels over the friction force, and over the part of the weight along the slope.
2. Incipient slip. A ball pressed into the pad and moved sideways by d. On a layer of independent columns the pressure
   is p = p0 (1 - r^2 / a^2) and the columns carry k_t d until they reach mu p, so they slide outside

       c = a sqrt(1 - q),   q = k_t d / (mu p0),

   the rim first, and q^2 of the load is on sliding columns. Both, read from the slip flags, beside the closed form
   (which knows neither that the ball meets fresh skin as it moves nor that a taxel averages over its neighbours).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ..contact.scenes import GRAVITY, tilted_gravity

SIZE = (0.08, 0.06, 0.01)
GRID = (48, 64)
RATIO = 0.7  # shear stiffness over normal stiffness


def pad_spec(step: float, modulus: float, friction: float, gravity=(0.0, 0.0, -GRAVITY), anchors: int = 256):
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.gravity = gravity
    spec.worldbody.add_geom(
        name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[x / 2 for x in SIZE], pos=[0, 0, -SIZE[2] / 2]
    )
    keys = dict(modulus=modulus, field="backed", dissipation=2.0, friction=friction, shear_stiffness=RATIO)
    return spec, keys | dict(anchors=anchors)


def finish(spec, keys):
    taxel.soften(spec, "pad", **keys)
    taxel.add_sensor(spec, "pad", shape=GRID, output="pressure shear slip", unit="N")
    return spec.compile()


def slope(degrees: float, step: float = 0.002) -> dict[str, Any]:
    spec, keys = pad_spec(step, 2e5, 0.3, tilted_gravity(degrees))
    body = spec.worldbody.add_body(name="block", pos=[-0.012, 0.004, 0.0095], euler=[0, 0, 20])
    for axis in np.eye(3):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(
        name="block", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.012, 0.009, 0.01], mass=0.4, friction=[0.3, 0, 0]
    )
    model = finish(spec, keys)
    data = mujoco.MjData(model)
    sensor = taxel.Sensor(model, "touch")
    slides = degrees > 17
    mujoco.mj_step(model, data, nstep=round((0.08 if slides else 3.0) / step))
    shear = np.zeros(2)
    friction = np.zeros(3)
    flags = []
    count = 20
    for _ in range(count):
        mujoco.mj_step(model, data)
        parts = sensor.parts(data)
        shear += parts["shear"].sum(axis=(1, 2)) / count
        friction += taxel.wrench(model, data, "pad")[:3] / count
        lit = parts["pressure"] > 1e-3 * parts["pressure"].max()
        flags.append((parts["slip"][lit] >= 0.95).mean())
    weight = 0.4 * GRAVITY
    along = weight * np.sin(np.radians(degrees))
    expected = 0.3 * weight * np.cos(np.radians(degrees)) if slides else along
    return {
        "case": f"slope {degrees:g} degrees",
        "shear": float(shear[0]),
        "contact": float(friction[0]),
        "expected": float(expected),
        "against_contact": float(np.linalg.norm(shear - friction[:2]) / expected),
        "against_expected": float(shear[0] / expected - 1),
        "sliding": float(np.mean(flags)),
        "within": bool(
            np.linalg.norm(shear - friction[:2]) < 1e-2 * expected
            and abs(shear[0] / expected - 1) < 1e-2
            and (np.mean(flags) > 0.95 if slides else np.mean(flags) < 0.05)
        ),
    }


def incipient(quick: bool) -> list[dict[str, Any]]:
    modulus, friction, radius, depth, step = 2e5, 0.5, 0.02, 0.002, 0.001
    spec, keys = pad_spec(step, modulus, friction, (0.0, 0.0, 0.0), anchors=4096)
    # Held by stiff servos: down to the depth, then slowly sideways. The damping keeps it from swinging.
    body = spec.worldbody.add_body(name="ball", pos=[0.0013, -0.0007, radius])
    for k, axis in enumerate(np.eye(3)):
        body.add_joint(name="xyz"[k], type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis, damping=200)
        actuator = spec.add_actuator(name="xyz"[k], target="xyz"[k], trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=2e4, kv=0)
    body.add_geom(
        name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], mass=0.5, friction=[friction, 0, 0]
    )
    model = finish(spec, keys)
    data = mujoco.MjData(model)
    sensor = taxel.Sensor(model, "touch")
    points = sensor.layout.points[:, :2]

    def settle(seconds: float) -> None:
        mujoco.mj_step(model, data, nstep=round(seconds / step))

    data.qpos[2] = -depth
    data.ctrl[2] = -depth
    settle(0.5)
    sunk = -data.qpos[2]
    contact = np.sqrt(radius**2 - (radius - sunk) ** 2)
    pressure = modulus * sunk / SIZE[2]
    stiffness = RATIO * modulus / SIZE[2]
    rows = []
    start = data.qpos[:2].copy()
    shares = np.linspace(0.1, 0.9, 5 if quick else 9)
    for share in shares:  # of the way at which the middle slides
        goal = share * friction * pressure / stiffness
        for target in np.linspace(data.ctrl[0], goal, 100)[1:]:  # no overshoot: going back would make it stick again
            data.ctrl[0] = target
            settle(0.003)
        moved = float(np.linalg.norm(data.qpos[:2] - start))
        reading = sensor.read(data)
        lit = (reading.values > 0).ravel()
        center = np.array([0.0013, -0.0007]) + data.qpos[:2]
        r = np.linalg.norm(points - center, axis=1)
        stuck = lit & ~reading.slipping.ravel()
        outer = reading.slipping.ravel() & lit
        # Between the last taxel that sticks and the first that slides.
        c = 0.5 * float(r[stuck].max() + r[outer].min()) if outer.any() and stuck.any() else float(contact)
        form = float(contact * np.sqrt(max(0.0, 1 - stiffness * moved / (friction * pressure))))
        rows.append(
            {
                "case": f"ball moved {1e6 * moved:.0f} um",
                "moved": moved,
                "stick_radius": c,
                "closed_form": form,
                "contact_radius": float(contact),
                "sliding_share": reading.sliding_share,
                "incipient": bool(reading.incipient),
                "innermost_slip": float(r[outer].min()) if outer.any() else None,
                "outermost_stick": float(r[stuck].max()) if stuck.any() else None,
                "slip": reading.slip,
                "closed_share": float((stiffness * moved / (friction * pressure)) ** 2),
                "within": bool(
                    abs(reading.sliding_share - (stiffness * moved / (friction * pressure)) ** 2) < 0.1
                    and (not outer.any() or r[outer].mean() > r[stuck].mean())
                ),
            }
        )
    return rows


def plot(folder: Path, rows: list[dict[str, Any]]) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    chosen = rows[:: max(1, len(rows) // 4)][:4]
    figure, axes = plt.subplots(1, len(chosen) + 1, figsize=(3.1 * (len(chosen) + 1), 2.9), layout="constrained")
    extent = [-1e3 * SIZE[0] / 2, 1e3 * SIZE[0] / 2, -1e3 * SIZE[1] / 2, 1e3 * SIZE[1] / 2]
    for ax, row in zip(axes, chosen, strict=False):
        image = np.ma.masked_where(row["slip"] <= 0, row["slip"])
        shown = ax.imshow(image, origin="lower", extent=extent, vmin=0, vmax=1, cmap="viridis")
        angle = np.linspace(0, 2 * np.pi, 100)
        for radius, style in ((row["contact_radius"], "k-"), (row["closed_form"], "r--")):
            x = 1.3 + 1e3 * (row["moved"] + radius * np.cos(angle))
            ax.plot(x, -0.7 + 1e3 * radius * np.sin(angle), style, linewidth=1)
        ax.set(title=row["case"], xlim=(-14, 16), ylim=(-15, 13), xlabel="mm")
    figure.colorbar(shown, ax=axes[-2], label="share of the friction bound", shrink=0.8)
    moved = [1e6 * r["moved"] for r in rows]
    axes[-1].plot(moved, [1e3 * r["closed_form"] for r in rows], "r--", label="closed form")
    axes[-1].plot(moved, [1e3 * r["stick_radius"] for r in rows], "o", label="slip flags")
    axes[-1].set(xlabel="moved, um", ylabel="radius that sticks, mm", title="rim first")
    axes[-1].grid(alpha=0.3)
    axes[-1].legend(fontsize=8)
    path = folder / "skin_slip.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    rows = [slope(d) for d in (10, 25)]
    out.print("slope     shear of taxels N  contact N  expected N  sliding")
    for r in rows:
        out.print(
            f"{r['case']:18} {r['shear']:8.4f}   {r['contact']:8.4f}   {r['expected']:8.4f}   {r['sliding']:6.1%}"
            + ("" if r["within"] else "  <--")
        )
    ball = incipient(quick)
    out.print("\nball                 sticks within mm   closed form   load that slides   closed form")
    for r in ball:
        out.print(
            f"{r['case']:20} {1e3 * r['stick_radius']:12.2f} {1e3 * r['closed_form']:15.2f} "
            f"{r['sliding_share']:16.1%} {r['closed_share']:14.1%}" + ("" if r["within"] else "  <--")
        )
    picture = plot(folder, ball)
    out.print(f"picture: {picture}")
    for r in ball:
        del r["slip"]
    return {"experiment": "skin-slip", "rows": rows + ball, "pictures": [picture]}
