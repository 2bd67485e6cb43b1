"""Draws the pictures of docs/guide/hands.md: hands of others with skins, and what these read.

PYTHONPATH=build/fixtures python scripts/draw_hands.py docs/images/robots shadow
MUJOCO_GL=egl PYTHONPATH=build/fixtures python scripts/draw_hands.py docs/images/robots panda

One a process, and with MUJOCO_GL: robosuite sets up OpenGL for itself when it is imported.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from taxel.experiments.robot.hand import GRASPS
from taxel.experiments.robot.packages import GYMNASIUM_ROBOTICS
from taxel.experiments.robot.stage import FLOOR, sky
from taxel.robots import cover_shadow, wrap_robosuite
from taxel.viewer.offscreen import Offscreen, View
from taxel.viewer.panel import FAINT, INK, Panel

SCENE, SIDE = (620, 500), 300


def draw(path: Path, model: Any, data: Any, view: View, title: str, words: str, images: list[Any]) -> None:
    """The scene, and beside it images: (label, values, greatest)."""
    panel = Panel(SCENE[0] + SIDE, SCENE[1])
    with Offscreen(model, *SCENE, max_geom=200_000) as camera:
        panel.paste(camera(data, view), 0, 0)
    x, y = SCENE[0] + 18, 58
    panel.text(x, 14, title, 15, INK, bold=True)
    panel.text(x, 34, words, 12, FAINT)
    columns = 2 if len(images) > 2 else 1
    rows = -(-len(images) // columns)
    width, height = (SIDE - 36) // columns, (SCENE[1] - 80) // rows
    greatest = max(float(values.max()) for _, values in images)
    for k, (label, values) in enumerate(images):
        left, top = x + (k % columns) * width, y + (k // columns) * height
        panel.text(left, top, label, 11, INK)
        cell = max(2, min((width - 10) // values.shape[1], (height - 26) // values.shape[0]))
        panel.grid(values[::-1], left, top + 17, cell, greatest)
    panel.text(x, SCENE[1] - 20, f"darkest: {greatest / 1e3:.3g} kPa", 12, FAINT)
    panel.picture.quantize(256).save(path, optimize=True)


def shadow(folder: Path) -> None:
    import mujoco

    spec = mujoco.MjSpec.from_file(str(GYMNASIUM_ROBOTICS.file("hand/manipulate_egg.xml")))
    spec.delete(spec.body("target"))
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    place, closed = GRASPS["egg"]
    spec.body("object").pos = place
    sky(spec)
    spec.geom("floor0").rgba, spec.geom("floor0").material = FLOOR, ""
    cover = cover_shadow(spec, pitch=3e-3)
    model = spec.compile()
    data = mujoco.MjData(model)
    target = np.zeros(model.nu)
    for i in range(model.nu):
        joint = model.actuator(i).name.removeprefix("robot0:A_")
        target[i] = np.clip(closed.get(joint, closed.get(joint[2:], 0.0)), *model.actuator(i).ctrlrange)
    for k in range(500):
        data.ctrl[:] = target * min(1.0, k / 250)
        mujoco.mj_step(model, data)
    sensors = cover.open(model)
    felt = sorted(sensors, key=lambda name: -sensors[name].read(data).load)[:8]
    images = [(f"{name}, {sensors[name].read(data).load:.2g} N", sensors[name](data)) for name in felt]
    count = sum(sensor.count for sensor in sensors.values())
    view = View((0.99, 0.88, 0.19), 0.30, 150, -42)
    words = f"cover_shadow: {len(sensors)} skins, {count} taxels"
    draw(folder / "covered_shadow.png", model, data, view, "Shadow hand, an egg", words, images)


def panda(folder: Path) -> None:
    options = {"has_renderer": False, "has_offscreen_renderer": False, "use_camera_obs": False, "control_freq": 20}
    env = wrap_robosuite("Lift", robots="Panda", seed=5, **options)
    seen = env.reset()
    for k in range(75):
        action = np.zeros(env.action_dim)
        if k < 45:
            action[:3] = np.clip(10 * (seen["cube_pos"] - seen["robot0_eef_pos"] + (0, 0, 0.005)), -1, 1)
        action[2] = 0.4 if k > 58 else action[2]
        action[-1] = 1 if k >= 45 else -1
        seen, *_ = env.step(action)
    images = [(f"robot0_right_{side}_touch", seen[f"robot0_right_{side}_touch"]) for side in ("left", "right")]
    model, data = env.sim.model._model, env.sim.data._data
    model.vis.headlight.ambient[:] = 0.4
    for k in range(model.ngeom):  # robosuite's shapes for collisions lie over those for the eye
        if model.geom_group[k] == 0 and not model.geom(k).name.endswith("pad_collision"):
            model.geom_group[k] = 4
    model.site_group[:] = 4
    view = View(tuple(seen["cube_pos"] + (0, 0, 0.03)), 0.30, 205, -10)
    words = "wrap_robosuite: 8 x 8 taxels on each pad"
    draw(folder / "wrapped_panda.png", model, data, view, "robosuite's Lift, Panda", words, images)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    {"shadow": shadow, "panda": panda}[sys.argv[2]](folder)
