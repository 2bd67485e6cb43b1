"""Scenes that the contact experiments share: something rigid on a soft pad whose upper face is at z = 0."""

from __future__ import annotations

import mujoco
import numpy as np

import taxel

GRAVITY = 9.81
CUBE_SIDE = 0.05
PAD_THICKNESS = 0.01


def pad_model(
    bodies: str,
    *,
    modulus: float,
    step: float,
    friction: float = 0.5,
    integrator: str = "implicitfast",
    solver: str = "Newton",
    field: str = "backed",
    pad: tuple[float, float] = (0.2, 0.2),
    thickness: float = PAD_THICKNESS,
    dissipation: float = 1.0,
    coupling: str = "rows",
    blocks: int = 16,
    gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
    options: str = "",
    config: dict[str, object] | None = None,
    extra: str = "",
) -> mujoco.MjModel:
    """A soft pad (full sizes ``pad`` x ``thickness``) under the given MJCF bodies."""
    taxel.load()
    keys = {
        "modulus": modulus,
        "field": field,
        "friction": friction,
        "dissipation": dissipation,
        "coupling": coupling,
        "blocks": blocks,
        **(config or {}),
    }
    entries = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco>
        <option cone="elliptic" timestep="{step}" integrator="{integrator}" solver="{solver}"
                gravity="{gravity[0]} {gravity[1]} {gravity[2]}" {options}/>
        <extension><plugin plugin="taxel"><instance name="skin">{entries}</instance></plugin></extension>
        <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
        <default><geom friction="{friction} 0 0"/></default>
        <worldbody>
          <light pos="0 0 1"/>
          <geom name="pad" type="box" size="{pad[0] / 2} {pad[1] / 2} {thickness / 2}" pos="0 0 {-thickness / 2}"/>
          {bodies}
        </worldbody>
        <sensor><plugin name="pad" plugin="taxel" instance="skin" objtype="geom" objname="pad"/></sensor>
        {extra}
        </mujoco>"""
    )


def cube(mass: float, height: float = CUBE_SIDE / 2, attributes: str = "") -> str:
    """A free cube of 5 cm whose middle starts at ``height``."""
    half = CUBE_SIDE / 2
    return (
        f'<body name="object" pos="0 0 {height}" {attributes}><freejoint/>'
        f'<geom name="object" type="box" size="{half} {half} {half}" mass="{mass}"/></body>'
    )


def tilted_gravity(degrees: float) -> tuple[float, float, float]:
    """Gravity as seen by a pad that is inclined: downhill is +x."""
    a = np.radians(degrees)
    return (GRAVITY * np.sin(a), 0.0, -GRAVITY * np.cos(a))


def run_for(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    mujoco.mj_step(model, data, nstep=round(seconds / model.opt.timestep))
