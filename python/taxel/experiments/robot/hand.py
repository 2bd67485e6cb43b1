"""The Shadow hand of gymnasium-robotics closes on an egg and on a block, and its hand is turned until the palm faces
down: skins on the phalanges and on the palm, closed by its own motors."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from ..shared.grasp_film import smooth
from .packages import GYMNASIUM_ROBOTICS
from .stage import FLOOR, layer, sky
from .trial import Pilot, RobotScene

FINGERS = ("ff", "mf", "rf", "lf", "th")
PHALANGES = ("proximal", "middle", "distal")
SKINS = [f"robot0:C_{finger}{part}" for finger in FINGERS for part in PHALANGES]

# Where the object lies on the palm, and where the motors pull to, rad: a joint's name, or what four fingers share.
GRASPS = {
    "egg": (
        (0.989, 0.860, 0.190),
        {"J2": 1.22, "J1": 0.77, "THJ4": 0.79, "THJ3": 1.16, "THJ2": -0.15, "THJ1": 0.36, "THJ0": -1.23},
    ),
    "block": (
        (1.000, 0.897, 0.190),
        {"J2": 1.48, "J1": 1.09, "THJ4": 0.47, "THJ3": 0.55, "THJ2": 0.07, "THJ1": -0.30, "THJ0": -0.61},
    ),
}
TURN = np.radians(150.0)
"""About the axis across the palm: what lies in the hand at first hangs in its fingers afterwards."""


def _build(what: str, soft: bool, thickness: float, modulus: float) -> Any:
    spec = mujoco.MjSpec.from_file(str(GYMNASIUM_ROBOTICS.file(f"hand/manipulate_{what}.xml")))
    spec.delete(spec.body("target"))
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.body("object").pos = GRASPS[what][0]
    sky(spec)
    spec.geom("floor0").rgba, spec.geom("floor0").material = FLOOR, ""
    if soft:
        taxel.soften(spec, SKINS, modulus=modulus, field="backed", thickness=thickness, dissipation=5)
        for geom in SKINS:
            taxel.add_sensor(spec, geom, name=geom.removeprefix("robot0:C_"), shape=(8, 8))
    return spec


def _start(what: str, model: Any, data: Any) -> Pilot:
    """The fingers close from 0.1 to 0.6 s; from 0.6 to 1.1 s gravity turns in the frame of the hand, which is fixed."""
    closed = GRASPS[what][1]
    target = np.zeros(model.nu)
    for i in range(model.nu):
        joint = model.actuator(i).name.removeprefix("robot0:A_")
        target[i] = np.clip(closed.get(joint, closed.get(joint[2:], 0.0)), *model.actuator(i).ctrlrange)

    def pilot(data: Any, t: float) -> None:
        data.ctrl[:] = target * min(1.0, max(0.0, (t - 0.1) / 0.5))
        angle = TURN * smooth((t - 0.6) / 0.5)
        model.opt.gravity[:] = 9.81 * np.array([0.0, np.sin(angle), -np.cos(angle)])

    return pilot


def shadow(
    what: str, thickness: float = 0.002, modulus: float = 3e5, name: str | None = None, quick: bool = False
) -> RobotScene:
    """Closed on an ``egg`` or a ``block``."""
    return RobotScene(
        name=f"shadow-{what}" if name is None else name,
        title=f"Shadow hand, {what}",
        skin=layer(thickness, modulus),
        needs=(GYMNASIUM_ROBOTICS,),
        build=lambda soft: _build(what, soft, thickness, modulus),
        start=lambda model, data: _start(what, model, data),
        subject="object",
        hold=(1.3, 1.8),
        within="robot0:palm",
        view=View((0.99, 0.89, 0.175), 0.34, 150, -35),
        quick=quick,
    )
