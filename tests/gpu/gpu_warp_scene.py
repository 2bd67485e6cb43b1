"""Balls that fly into a gel, past another one, in many worlds of mujoco_warp. Needs mujoco_warp."""

from __future__ import annotations

import mujoco
import mujoco_warp as mjw
import numpy as np

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


class Balls:
    """mujoco_warp moves them, ``batch`` reads its d.geom_xpos and d.geom_xmat; ``field`` for a batch on the CPU."""

    def __init__(self, worlds: int) -> None:
        model = mujoco.MjModel.from_xml_string(XML)
        data = mujoco.MjData(model)
        self.model, self.data = mjw.put_model(model), mjw.make_data(model, nworld=worlds)
        rng = np.random.default_rng(0)
        qpos = np.tile(data.qpos, (worlds, 1)).astype(np.float32)
        qvel = np.zeros((worlds, model.nv), np.float32)
        qpos[:, :3] += rng.normal(0, 1e-3, (worlds, 3))
        qvel[:, :2], qvel[:, 2], qvel[:, 3:] = rng.normal(0, 0.02, (worlds, 2)), -0.03, rng.normal(0, 3, (worlds, 3))
        self.data.qpos.assign(qpos)
        self.data.qvel.assign(qvel)
        mini = taxel.gelsight_mini_markers(dome=False)
        self.field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(0.01))
        self.batch = self.field.batch(worlds, 2, device="cuda", wrench=True)
        names = ("left_gel", "right_gel", "ball")
        self.geoms = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in names]
        self.batch.attach(self.geoms[:2], self.geoms[2:], model.ngeom)

    def step_physics(self) -> None:
        mjw.step(self.model, self.data)

    def step(self, stream) -> None:
        self.step_physics()
        self.batch.step_world(self.data.geom_xpos, self.data.geom_xmat, stream=stream)

    def relative(self) -> np.ndarray:
        """Poses of the ball in both pads, (worlds, 2, 4, 4)."""
        xpos, xmat = (a.numpy().astype(float) for a in (self.data.geom_xpos, self.data.geom_xmat))
        X = np.tile(np.eye(4), (len(xpos), 2, 1, 1))
        for k, pad in enumerate(self.geoms[:2]):
            R = xmat[:, pad].transpose(0, 2, 1)
            u, _, vt = np.linalg.svd(R @ xmat[:, self.geoms[2]])  # float rotations are not rotations to 1e-6
            X[:, k, :3, :3] = u @ vt
            X[:, k, :3, 3] = np.einsum("wij,wj->wi", R, xpos[:, self.geoms[2]] - xpos[:, pad])
        return X
