"""The presses of the orientation experiment stepped in MuJoCo: the same images, and how many a second.

The data set is recorded by statics (the depth at which the contact carries the force, found on the contact query),
which is what an engine comes to in the end. Here a few presses of each object are really stepped: the object hangs on a
vertical guide, the force pushes it into the pad, and the image is read on demand when it rests.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np

import taxel

from .orientation_data import CELLS, PAD_MODULUS, PAD_SIZE, X_WPAD, Press, make_pad, rest, skin_reader
from .orientation_objects import Object, training_objects

STEP = 0.002
DISSIPATION = 20.0  # s/m, appendix A
MASS = 0.3
STILL = 1e-6  # m/s


BOX, CYLINDER, ELLIPSOID = (getattr(mujoco.mjtGeom, "mjGEOM_" + n) for n in ("BOX", "CYLINDER", "ELLIPSOID"))
GEOMS = {  # half sizes of the parts of orientation_objects.training_objects, in their order
    "cuboid": [(BOX, (0.095, 0.025, 0.025))],
    "cylinder": [(CYLINDER, (0.0225, 0.075, 0))],
    "dumbbell": [(BOX, (0.02, 0.02, 0.02)), (BOX, (0.025, 0.015, 0.015)), (BOX, (0.02, 0.02, 0.02))],
    "ellipsoid": [(ELLIPSOID, (0.075, 0.025, 0.025))],
    "flat ellipsoid": [(ELLIPSOID, (0.075, 0.025, 0.015))],
}


class Stage:
    """One object over the pad; ``press`` moves the guide, lets the force act until it rests, reads."""

    def __init__(self, thing: Object) -> None:
        spec = mujoco.MjSpec()
        spec.option.timestep = STEP
        spec.option.gravity = [0, 0, 0]
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.worldbody.add_geom(
            name="pad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5 * s for s in PAD_SIZE], pos=X_WPAD[:3, 3]
        )
        guide = spec.worldbody.add_body(name="guide", mocap=True)
        body = guide.add_body(name="object")
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
        for k, ((_, X_OB), (kind, size)) in enumerate(zip(thing.parts, GEOMS[thing.name], strict=True)):
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, X_OB[:3, :3].ravel())
            mass = MASS / len(thing.parts)
            body.add_geom(
                name=f"part{k}", type=kind, size=size, pos=X_OB[:3, 3], quat=quat, mass=mass, friction=[0, 0, 0]
            )
        taxel.soften(spec, "pad", modulus=PAD_MODULUS, field="backed", dissipation=DISSIPATION, friction=0.0)
        taxel.add_sensor(spec, "pad", shape=(CELLS, CELLS), on_demand=True)
        self.thing, self.model = thing, spec.compile()
        self.data = mujoco.MjData(self.model)
        self.sensor = taxel.Sensor(self.model, "touch")
        self.object = self.model.body("object").id

    def press(self, press: Press) -> np.ndarray:
        d = self.data
        mujoco.mj_resetData(self.model, d)
        d.mocap_pos[0] = *press.offset, 0
        d.mocap_quat[0] = np.cos(press.yaw / 2), 0, 0, np.sin(press.yaw / 2)
        d.qpos[0] = -self.thing.lowest
        d.xfrc_applied[self.object, 2] = -press.force
        for _ in range(400):
            mujoco.mj_step(self.model, d, nstep=10)
            if abs(d.qvel[0]) < STILL and d.time > 0.04:
                break
        else:
            raise ValueError(f"{self.thing.name}: still moves at {d.qvel[0]:g} m/s after {d.time:g} s")
        return self.sensor.read(d).values


def compare(count: int) -> dict[str, float]:
    """``count`` presses of each training object, stepped and by statics: presses a second, difference of the images."""
    pad = make_pad()
    read = skin_reader(pad)
    rng = np.random.default_rng(5)
    worst, seconds, total = 0.0, 0.0, 0
    for thing in training_objects():
        stage = Stage(thing)
        for _ in range(count):
            x, y = np.clip(rng.normal(0, 0.005, 2), -0.02, 0.02)
            press = Press(thing, float(rng.uniform(0, np.pi)), float(rng.choice([3, 6, 9])), (float(x), float(y)))
            start = time.thread_time()
            image = stage.press(press)
            seconds += time.thread_time() - start
            statics = read(rest(pad, press)[0], X_WPAD)
            worst = max(worst, float(np.abs(image - statics).max() / statics.max()))
            total += 1
    return {"presses_per_second": total / seconds, "image_difference": worst, "presses": total}
