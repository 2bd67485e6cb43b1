"""Scenes that the tests of the plugin share.

Most scenes stand on one pad: 12 x 8 x 2 cm, off the origin, tilted by 18 degrees, turned about its normal. The force on
what rests there is known without a simulation: its weight.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import mujoco
import numpy as np

import taxel

GRAVITY = np.array([0.0, 0.0, -9.81])
QUAT = np.array([0.97, 0.10, -0.12, 0.20]) / np.linalg.norm([0.97, 0.10, -0.12, 0.20])
ORIGIN = np.array([0.31, -0.22, 0.17])
"""The pad's frame P: its origin is in the middle of the upper face, z is the outward normal."""
R_WP = taxel.pose(quat=QUAT)[:3, :3]
NORMAL = R_WP[:, 2]
MASS = 0.3

SPEC = """<mujoco><worldbody>
    <geom name="pad" type="box" size="0.05 0.04 0.01" euler="9 -6 20"/>
    <body pos="0 0 0.042"><freejoint/><geom name="ball" type="sphere" size="0.03" mass="0.3"/></body>
  </worldbody></mujoco>"""
ELLIPTIC = SPEC.replace("<worldbody>", '<option cone="elliptic"/><worldbody>')
CS = SPEC.replace(
    "<worldbody>",
    '<option cone="elliptic"/><custom><numeric name="cs::pad" data="1e5 20 0.005 0.9 0.7"/></custom><worldbody>',
)


def placed(p_P, turn: float = 0.0) -> str:
    """pos and quat of something at ``p_P``, turned about the pad's normal."""
    X_WO = taxel.pose(ORIGIN, quat=QUAT) @ taxel.pose(p_P, rpy=(0, 0, turn))
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, X_WO[:3, :3].ravel())
    return f'pos="{" ".join(map(repr, X_WO[:3, 3].tolist()))}" quat="{" ".join(map(repr, quat.tolist()))}"'


def block(name: str = "block", p_P=(0.012, -0.007), mass: float = MASS, depth: float = 2e-4, turn: float = 0.4) -> str:
    """A free slab of 5 x 3 x 1.6 cm that starts ``depth`` deep in the pad."""
    return (
        f'<body name="{name}" {placed((*p_P, 0.008 - depth), turn)}><freejoint/>'
        f'<geom name="{name}" type="box" size="0.025 0.015 0.008" mass="{mass}"/></body>'
    )


def pad_xml(bodies: str, *, keys: dict | None, step=0.002, extra="", instances="", tuples="", options="") -> str:
    """The pad with bodies; ``keys`` are those of its instance, None leaves the plugin out."""
    extension = ""
    if keys is not None:
        keys = {"modulus": 2e5, "field": "backed", "dissipation": 5, **keys}
        entries = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
        extension = f"""
          <extension><plugin plugin="taxel"><instance name="skin">{entries}</instance>{instances}</plugin></extension>
          <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple>{tuples}</custom>"""
    return f"""<mujoco>
      <option cone="elliptic" timestep="{step}" integrator="implicitfast" {options}/>{extension}
      <default><geom friction="0.9 0 0"/></default>
      <worldbody>
        <geom name="pad" type="box" size="0.06 0.04 0.01" {placed((0, 0, -0.01))}/>
        {bodies}
      </worldbody>{extra}
    </mujoco>"""


def pad_model(bodies: str | None = None, **keys) -> mujoco.MjModel:
    arguments = {k: keys.pop(k) for k in ("step", "extra", "instances", "tuples", "options") if k in keys}
    taxel.load()
    text = pad_xml(block() if bodies is None else bodies, keys=keys, **arguments)
    return mujoco.MjModel.from_xml_string(text)


def after(model: mujoco.MjModel, seconds: float) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))
    return data


def in_P(data: mujoco.MjData, name: str) -> np.ndarray:
    return R_WP.T @ (data.body(name).xpos - ORIGIN)


def same_bits(one: list[taxel.Touch], two: list[taxel.Touch]) -> bool:
    arrays = ("vertices", "pressures", "normals", "areas", "face_start")
    return len(one) == len(two) and all(
        (a.geom1, a.geom2) == (b.geom1, b.geom2)
        and np.array_equal(a.force, b.force)
        and np.array_equal(a.torque, b.torque)
        and all(np.array_equal(getattr(a.surface, n), getattr(b.surface, n)) for n in arrays)
        for a, b in zip(one, two, strict=True)
    )


def run_alone(code: str, xml: str) -> None:
    """Runs a script in a process of its own, where nothing is loaded yet and a crash stays there."""
    script = f"xml = {xml!r}\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
