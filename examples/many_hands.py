"""Thousands of three-fingered hands that each hold an egg, with soft fingertips that feel it.

    pip install 'taxel[warp]'
    python examples/many_hands.py --worlds 4096      # on a GPU; without one it takes 16 worlds

Nothing is trained: the program steps all hands, changes the stiffness and friction of each, and prints taxels a second.
"""

from __future__ import annotations

import argparse
import math
import time

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

import taxel
import taxel.warp


def hand() -> mujoco.MjModel:
    """A palm, three fingers of one joint, a pad of 8 x 8 taxels on each, and an egg between them."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = 0.004
    pad = taxel.sensors.pad(size=(0.024, 0.024), shape=(8, 8), modulus=1.5e5, thickness=0.005, friction=0.8)
    for k in range(3):
        turn = 2 * math.pi * k / 3
        x, y = math.cos(turn), math.sin(turn)
        finger = spec.worldbody.add_body(
            name=f"finger{k}", pos=(0.034 * x, 0.034 * y, 0.06), quat=(math.cos(turn / 2), 0, 0, math.sin(turn / 2))
        )
        finger.add_joint(name=f"joint{k}", axis=(0, 1, 0), damping=0.02, range=(-0.6, 0.6))
        finger.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=(0.004, 0, 0, 0.004, 0, -0.06), size=(0.007, 0, 0), mass=0.03,
            contype=0, conaffinity=0,
        )  # fmt: skip
        # The pad looks inwards, towards the egg.
        pad.add_to(spec, body=finger, name=f"tip{k}", pos=(-0.0055, 0, -0.05), quat=(0.7071, 0, -0.7071, 0))
        motor = spec.add_actuator(name=f"motor{k}", target=f"joint{k}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_motor()
    egg = spec.worldbody.add_body(name="egg", pos=(0, 0, 0.01))
    egg.add_freejoint()
    egg.add_geom(
        name="egg", type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=(0.0255, 0.0255, 0.03), mass=0.06,
        friction=(0.8, 0.005, 1e-4),
    )  # fmt: skip
    return spec.compile()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, help="how many hands (4096 on a GPU, else 16)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of simulated time")
    options = parser.parse_args()
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    cuda = wp.get_device().is_cuda
    worlds = options.worlds or (4096 if cuda else 16)

    model = hand()
    data = mujoco.MjData(model)
    m = taxel.warp.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=64, njmax=192)
    soft = taxel.warp.attach(model, m, d, blocks=4)

    # Every hand is another one: stiffness and friction of its skin.
    rng = np.random.default_rng(0)
    soft.modulus.assign(rng.uniform(0.7, 1.5, soft.modulus.shape).astype(np.float32))
    soft.friction.assign(rng.uniform(0.8, 1.2, soft.friction.shape).astype(np.float32))
    d.ctrl.assign(np.full((worlds, 3), 0.12, np.float32))  # N m

    mjw.step(m, d)  # compiles
    step = lambda: mjw.step(m, d)  # noqa: E731
    if cuda:
        with wp.ScopedCapture() as capture:
            mjw.step(m, d)
        step = lambda: wp.capture_launch(capture.graph)  # noqa: E731
    steps = round(options.seconds / model.opt.timestep)
    start = time.perf_counter()
    for _ in range(steps):
        step()
    wp.synchronize()
    took = time.perf_counter() - start

    taxels = sum(soft[name].count for name in soft.sensors)
    height = d.qpos.numpy()[:, 5]
    held = height > -0.02
    load = sum(soft[name].pressure.numpy().sum(1) for name in soft.sensors) * 9e-6
    print(f"{worlds} hands, {taxels} taxels each, {steps} steps of {1e3 * model.opt.timestep:g} ms: {took:.2f} s")
    print(f"{worlds * steps / took:,.0f} hand-steps/s, {worlds * taxels * steps / took:,.0f} taxels/s")
    print(f"{held.sum()} of {worlds} eggs are held, with {load[held].mean() if held.any() else 0:.2f} N on the pads")
    if soft.overflow():
        print("some contacts did not fit; raise nconmax and njmax")


if __name__ == "__main__":
    main()
