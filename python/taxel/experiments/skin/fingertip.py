"""The curved fingertip of the Shadow Hand, pressed by a box and rolled under it.

The finger (12 taxels on pad, sides and tip) turns below a rigid plate that presses with 1 N: from the pad to the tip
(pitch), and from one side to the other (roll). The reading must follow the contact round the curve: the taxel that
reads most is the one nearest to the contact, or the next one, and the mean of the taxels' normals, weighted by their
readings, goes round with it. The forces of the taxels sum to the contact force all the way.

Beside it the same finger as published (taxel.sensors.as_published): sums of (r - d)^2 p over rays within 6 mm. Those
are no forces and sum to nothing; what they follow is the contact's direction.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

FORCE = 1.0
FIELDS = taxel.sensors.PUBLISHED_FIELDS
SUM_LIMIT, ANGLE_LIMIT = 1e-4, 25.0  # degrees: the taxels are 50 degrees apart round the finger


class Rig:
    def __init__(self, sensor: taxel.sensors.TactileSensor | None = None) -> None:
        sensor = sensor or taxel.sensors.shadow_fingertip()
        self.forces = "aggregate" not in sensor.taxels and "aggregate" not in sensor.rays
        spec = mujoco.MjSpec()
        spec.option.timestep = 0.002
        spec.option.gravity = [0, 0, 0]
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        hand = spec.worldbody.add_body(name="hand", mocap=True)
        name = sensor.add_to(spec, body=hand, output="pressure shear truth" if self.forces else "pressure truth")
        plate = spec.worldbody.add_body(name="plate", pos=[0, 0, 0.005])
        plate.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=2.0)
        plate.add_geom(
            name="plate", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.03, 0.03, 0.005], mass=0.05, friction=[0, 0, 0]
        )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.sensor = taxel.Sensor(self.model, name)
        self.geom = name

    def turn(self, pitch: float, roll: float) -> dict[str, Any]:
        """Pitch about the finger's x lifts the tip, roll about its y turns a side up; both in rad."""
        m, d = self.model, self.data
        mujoco.mj_resetData(m, d)
        quat, other = np.zeros(4), np.zeros(4)
        mujoco.mju_axisAngle2Quat(quat, np.array([1.0, 0, 0]), pitch)
        mujoco.mju_axisAngle2Quat(other, np.array([0, 1.0, 0]), roll)
        mujoco.mju_mulQuat(d.mocap_quat[0], quat, other)
        up = np.zeros(9)
        mujoco.mju_quat2Mat(up, d.mocap_quat[0])
        R = up.reshape(3, 3)
        # The plate starts where it just touches: at the highest point of the finger.
        d.qpos[0] = (taxel.sensors.shadow_fingertip().surface()[0] @ R.T)[:, 2].max()
        d.xfrc_applied[m.body("plate").id, 2] = -FORCE
        for _ in range(200):
            mujoco.mj_step(m, d, nstep=10)
            if abs(d.qvel[0]) < 1e-6 and d.time > 0.1:
                break
        reading = self.sensor.read(d)
        points, normals = self.sensor.layout.points, self.sensor.layout.normals
        place = reading.center
        weights = np.clip(reading.values, 0, None)
        mean = (weights[:, None] * normals).sum(axis=0)
        outward = R.T @ [0, 0, 1]
        order = np.argsort(np.linalg.norm(points - place, axis=1))
        strongest = int(np.argmax(weights))
        true = taxel.wrench(m, d, self.geom)[:3]
        cosine = float(mean @ outward / np.linalg.norm(mean))
        sums = {"sum_error": float(np.linalg.norm(reading.force - R.T @ true) / np.linalg.norm(true))}
        return (sums if self.forces else {}) | {
            "pitch": float(np.degrees(pitch)),
            "roll": float(np.degrees(roll)),
            "values": weights,
            "strongest": strongest,
            "rank": int(np.nonzero(order == strongest)[0][0]),
            "angle_error": float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))),
            "force": float(-true[2]),
            "contact_angle": float(np.degrees(np.arctan2(outward[0], outward[2]))),
            "reading_angle": float(np.degrees(np.arctan2(mean[0], mean[2]))),
            "contact_tilt": float(np.degrees(np.arctan2(outward[1], outward[2]))),
            "reading_tilt": float(np.degrees(np.arctan2(mean[1], mean[2]))),
        }


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib

    plt = need_matplotlib()
    count = 7 if quick else 25
    tip = taxel.sensors.shadow_fingertip()
    readouts = {"ours": tip} | {
        f"as published, {f}": taxel.sensors.as_published(tip, f) for f in (("distance",) if quick else FIELDS)
    }
    rows, scans = [], {}
    for readout, sensor in readouts.items():
        rig = Rig(sensor)
        rolls = [rig.turn(0.0, a) for a in out.progress(list(np.radians(np.linspace(-75, 75, count))), "roll")]
        tilts = [rig.turn(a, 0.0) for a in out.progress(list(np.radians(np.linspace(-10, 75, count))), "pitch")]
        scans[readout] = rolls, tilts
        for name, scan in (("rolled from side to side", rolls), ("pitched from pad to tip", tilts)):
            rows.append(judge(readout, name, scan))
    out.print("read-out                scan                       strongest near   direction off by   sum off")
    for r in rows:
        total = f"{r['worst_sum']:9.1e}" if "worst_sum" in r else "        -"
        out.print(
            f"{r['readout']:23} {r['scan']:25} {r['strongest_is_near']:15.0%} {r['worst_angle']:17.1f}° {total}"
            + ("" if r.get("within", True) else "  <--")
        )
    rolls, tilts = scans["ours"]
    picture = draw(plt, folder / "fingertip.png", rolls, tilts)
    out.print(f"picture: {picture}")
    return {"experiment": "fingertip", "rows": rows, "rolls": rolls, "tilts": tilts, "picture": picture}


def judge(readout: str, name: str, scan: list[dict[str, Any]]) -> dict[str, Any]:
    """A row of the table; only ours has limits, and only where taxels are forces there is a sum."""
    near = float(np.mean([s["rank"] <= 1 for s in scan]))
    worst = max(s["angle_error"] for s in scan)
    row: dict[str, Any] = {
        "readout": readout,
        "scan": name,
        "positions": len(scan),
        "strongest_is_near": near,
        "worst_angle": worst,
        "mean_angle": float(np.mean([s["angle_error"] for s in scan])),
        "taxels_in_turn": sorted({s["strongest"] for s in scan}),
    }
    if readout == "ours":
        row["worst_sum"] = max(s["sum_error"] for s in scan)
        row["within"] = bool(near >= 0.9 and worst < ANGLE_LIMIT and row["worst_sum"] < SUM_LIMIT)
    return row


def draw(plt: Any, path: Path, rolls: list[dict], tilts: list[dict]) -> Path:
    figure, axes = plt.subplots(2, 2, figsize=(11, 6.4), layout="constrained", width_ratios=(1.5, 1))
    for row, (scan, title, key, pair) in enumerate(
        (
            (rolls, "rolled about its length", "roll", ("contact_angle", "reading_angle")),
            (tilts, "pitched towards the tip", "pitch", ("contact_tilt", "reading_tilt")),
        )
    ):
        x = [s[key] for s in scan]
        image = np.array([s["values"] for s in scan]).T
        left, right = axes[row]
        shown = left.imshow(
            1e-3 * image,
            origin="lower",
            aspect="auto",
            extent=(x[0], x[-1], -0.5, 11.5),
            cmap="magma",
            interpolation="nearest",
        )
        left.set(xlabel=f"{key}, degrees", ylabel="taxel", title=f"Fingertip {title}: reading of the 12 taxels")
        figure.colorbar(shown, ax=left, label="kPa")
        right.plot(x, [s[pair[0]] for s in scan], "k--", label="contact")
        right.plot(x, [s[pair[1]] for s in scan], "o-", markersize=4, label="reading")
        right.set(xlabel=f"{key}, degrees", ylabel="direction on the finger, degrees", title="The reading follows")
        right.grid(alpha=0.3)
        right.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
