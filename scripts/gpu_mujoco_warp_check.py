"""Marker fields on the arrays of mujoco_warp, against the CPU on the same poses: no copy, in a CUDA graph.

Balls fly into a gel, past another one, in many worlds; mujoco_warp moves them, the batch reads d.geom_xpos and
d.geom_xmat.
"""

from __future__ import annotations

import sys

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

import taxel

XML = """
<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <body name="left" pos="0 0 0.1" euler="20 -10 35"><geom name="left_gel" type="box" size="0.010375 0.012625 0.002" contype="0" conaffinity="0"/></body>
    <body name="right" pos="0.05 0.02 0.1" euler="-30 15 5"><geom name="right_gel" type="box" size="0.010375 0.012625 0.002" contype="0" conaffinity="0"/></body>
    <body name="ball" pos="0 0 0.112"><freejoint/><geom name="ball" type="sphere" size="0.01" mass="0.1" contype="0" conaffinity="0"/></body>
  </worldbody>
</mujoco>
"""  # noqa: E501


def relative(xpos: np.ndarray, xmat: np.ndarray, pad: int, thing: int) -> np.ndarray:
    X = np.tile(np.eye(4), (len(xpos), 1, 1))
    R = xmat[:, pad].transpose(0, 2, 1)
    X[:, :3, :3] = R @ xmat[:, thing]
    X[:, :3, 3] = np.einsum("wij,wj->wi", R, xpos[:, thing] - xpos[:, pad])
    return X


def main() -> int:
    worlds, steps = 256, 25
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    m = mjw.put_model(model)
    d = mjw.make_data(model, nworld=worlds)
    rng = np.random.default_rng(0)
    qpos = np.tile(data.qpos, (worlds, 1)).astype(np.float32)
    qvel = np.zeros((worlds, model.nv), np.float32)
    qpos[:, :3] += rng.normal(0, 1e-3, (worlds, 3))
    qvel[:, :2], qvel[:, 2], qvel[:, 3:] = rng.normal(0, 0.02, (worlds, 2)), -0.03, rng.normal(0, 3, (worlds, 3))
    d.qpos.assign(qpos)
    d.qvel.assign(qvel)

    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(0.01))
    gpu = field.batch(worlds, 2, device="cuda", wrench=True)
    cpu = field.batch(worlds, 2, wrench=True)
    names = ("left_gel", "right_gel", "ball")
    pads = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in names]
    gpu.attach(pads[:2], pads[2:], model.ngeom)
    print(f"     geom_xpos {d.geom_xpos.shape} {d.geom_xpos.dtype.__name__}, geom_xmat {d.geom_xmat.shape}")

    def both(stream) -> None:
        mjw.step(m, d)
        gpu.step_world(d.geom_xpos, d.geom_xmat, stream=stream)

    worst, most, force = 0.0, 0.0, 0.0
    for _ in range(steps):
        both(wp.get_stream())
        pixels = gpu._displacement.numpy(wp.get_stream())
        xpos, xmat = d.geom_xpos.numpy().astype(float), d.geom_xmat.numpy().astype(float)
        X = np.stack([relative(xpos, xmat, pad, pads[2]) for pad in pads[:2]], axis=1)
        for k in range(2):  # float rotations are not rotations to 1e-6
            u, _, vt = np.linalg.svd(X[:, k, :3, :3])
            X[:, k, :3, :3] = u @ vt
        wanted = cpu.step(X)
        worst, most = max(worst, float(np.abs(pixels - wanted).max())), max(most, float(np.abs(wanted).max()))
        force = max(force, float(np.abs(cpu.wrench).max()))
    print(f"{'ok  ' if worst < 0.05 and most > 1 else 'FAIL'} mujoco_warp's poses, {worlds} worlds, {steps} steps: "
          f"worst {worst:.2g} px of {most:.1f} px, up to {force:.1f} N")  # fmt: skip
    good = worst < 0.05 and most > 1

    with wp.ScopedCapture() as capture:
        both(wp.get_stream())
    wp.synchronize()
    begin, end = wp.Event(enable_timing=True), wp.Event(enable_timing=True)
    for _ in range(10):
        wp.capture_launch(capture.graph)
    wp.record_event(begin)
    for _ in range(200):
        wp.capture_launch(capture.graph)
    wp.record_event(end)
    whole = wp.get_event_elapsed_time(begin, end) / 200
    with wp.ScopedCapture() as capture:
        mjw.step(m, d)
    for _ in range(10):
        wp.capture_launch(capture.graph)
    wp.record_event(begin)
    for _ in range(200):
        wp.capture_launch(capture.graph)
    wp.record_event(end)
    physics = wp.get_event_elapsed_time(begin, end) / 200
    print(
        f"     one CUDA graph: mujoco_warp step {physics:.4f} ms, with two marker sensors {whole:.4f} ms "
        f"({worlds} worlds)"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
