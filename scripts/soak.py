"""A million steps of a grasp: memory must not grow. Prints the resident size every 100,000 steps."""

import resource
import sys

import mujoco

from taxel.experiments.contact.grasp import Grasp, grasp_xml

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
model = mujoco.MjModel.from_xml_string(grasp_xml(Grasp()))
data = mujoco.MjData(model)
data.ctrl[1:3] = 0.003
first = 0
for i in range(10):
    mujoco.mj_step(model, data, nstep=steps // 10)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    first = first or size
    print(
        f"{(i + 1) * steps // 10:9d} steps  {size / 1024:.1f} MB  force {-data.sensor('left').data[0]:.6f} N",
        flush=True,
    )
sys.exit(0 if size - first < 1024 else 1)
