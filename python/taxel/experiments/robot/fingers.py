"""Two round fingers on hinges pinch a tilted block and lift it: a scene of our own, which needs no package."""

from __future__ import annotations

from typing import Any

import mujoco

import taxel

from ...viewer.offscreen import View
from ..shared.grasp_film import smooth
from .stage import SOFT, STEEL, floor, layer
from .trial import Pilot, RobotScene

MODEL = """
<mujoco>
  <option timestep="0.002" cone="elliptic" integrator="implicitfast"/>
  <default>
    <joint damping="0.05" armature="0.001"/>
    <geom friction="0.9 0.005 0.0001"/>
  </default>
  <worldbody>
    <geom name="post" type="box" pos="0 0 0.05" size="0.012 0.010 0.05"/>
    <body name="wrist" pos="0 0 0.19" gravcomp="1">
      <joint name="lift" type="slide" axis="0 0 1" armature="2" damping="0"/>
      <geom type="box" size="0.045 0.014 0.012" pos="0 0 0.02" mass="0.3"/>
      <body name="left" pos="-0.034 0 0" gravcomp="1">
        <joint name="left" axis="0 1 0" range="-60 30"/>
        <geom name="left" type="capsule" fromto="0 0 0 0.002 0.003 -0.07" size="0.008" mass="0.03"/>
      </body>
      <body name="right" pos="0.034 0 0" gravcomp="1">
        <joint name="right" axis="0 -1 0" range="-60 30"/>
        <geom name="right" type="capsule" fromto="0 0 0 -0.002 -0.003 -0.07" size="0.008" mass="0.03"/>
      </body>
    </body>
    <body name="object" pos="0 0 0.1181" euler="0 0 14">
      <freejoint/>
      <geom name="object" type="box" size="0.014 0.019 0.018" mass="0.08" rgba="0.78 0.32 0.24 1"/>
    </body>
  </worldbody>
  <actuator>
    <position name="lift" joint="lift" kp="8000" kv="260"/>
    <position name="left" joint="left" kp="2" kv="0.05" forcerange="-0.3 0.3"/>
    <position name="right" joint="right" kp="2" kv="0.05" forcerange="-0.3 0.3"/>
  </actuator>
</mujoco>
"""
FINGERS = ("left", "right")
LIFT = 0.05


def _build(soft: bool, thickness: float, modulus: float) -> Any:
    spec = mujoco.MjSpec.from_string(MODEL)
    floor(spec)
    spec.geom("post").rgba = STEEL
    for name in FINGERS:
        spec.geom(name).rgba = SOFT
    if soft:
        taxel.soften(spec, list(FINGERS), modulus=modulus, field="backed", thickness=thickness, dissipation=5)
        for name in FINGERS:
            taxel.add_sensor(spec, name, name=f"{name}_touch", shape=(16, 12))
    return spec


def _start(model: Any, data: Any) -> Pilot:
    def pilot(data: Any, t: float) -> None:
        data.ctrl[0] = LIFT * smooth((t - 0.4) / 0.4)
        data.ctrl[1:3] = -0.5 * smooth((t - 0.05) / 0.3)

    return pilot


def fingers(thickness: float = 0.002, modulus: float = 3e5) -> RobotScene:
    return RobotScene(
        name="fingers",
        title="two round fingers, block",
        skin=layer(thickness, modulus),
        needs=(),
        build=lambda soft: _build(soft, thickness, modulus),
        start=_start,
        subject="object",
        hold=(1.0, 1.5),
        within="wrist",
        view=View((0, 0, 0.19), 0.28, 115, -16),
        quick=True,
    )
