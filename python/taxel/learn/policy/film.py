"""An episode as a film: the scene, what both fingers feel, and what the critic expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...viewer.offscreen import Offscreen, View
from ...viewer.panel import BLUE, FAINT, GREEN, INK, LINE, RED, Panel
from .checkpoint import Policy, check_fits

SIDE = 330  # pixels of the panel beside the scene
SCENE = (480, 440)  # pixels, width and height
NEAR = {"peg": 0.4}  # m from the goal, where the task's own camera is too far from what matters
FINGERS = ("left finger", "right finger")


@dataclass
class Frame:
    step: int
    scene: np.ndarray
    touch: np.ndarray | None
    """(2, channels, rows, columns), or None where nothing is felt."""
    value: float
    there: bool


class SceneCamera:
    """The scene of a task on the CPU engine from near by, without a screen; taxel.Error where there is no OpenGL."""

    def __init__(self, env: Any) -> None:
        model, _ = env.engine.view(0)
        self._draw = Offscreen(model, *SCENE)

    def __call__(self, env: Any, world: int) -> np.ndarray:
        _, data = env.engine.view(world)
        middle, distance, azimuth, elevation = env.task.look
        if env.task.name in NEAR:
            goal = env.memory["goal"][world].tolist()
            middle, distance = (goal[0], goal[1], goal[2] + 0.06), NEAR[env.task.name]
        return self._draw(data, View(tuple(middle), distance, azimuth, elevation))

    def close(self) -> None:
        self._draw.close()


@torch.no_grad()
def play(
    env: Any,
    policy: Policy,
    *,
    every: int = 4,
    world: int = 0,
    camera: Callable[[Any, int], np.ndarray] | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[list[Frame], bool]:
    """One episode of one world, a frame each ``every`` steps; and whether it was a success.

    ``camera(env, world)`` draws the scene (``SceneCamera``); None leaves it out.
    """
    check_fits(policy, env.get_observations(), env.num_actions)
    env.reset()
    policy.start(env.num_envs, env.device)
    obs, frames, there = env.get_observations(), [], False
    for step in range(int(env.max_episode_length)):
        value = float(policy.value(obs)[world])
        if step % every == 0:
            scene = np.full((SCENE[1], 1, 3), 250, np.uint8) if camera is None else camera(env, world)
            frames.append(Frame(step, scene, _felt(obs, world), value, there))
        obs, _, dones, _ = env.step(policy.act(obs))
        there = _there(env, world)
        policy.reset(dones)
        if progress is not None:
            progress(step + 1)
        if bool(dones[world]):
            break
    return frames, bool(env.success[world])


def _there(env: Any, world: int) -> bool:
    """Whether the world is solved as it stands, where the task can say so."""
    task = getattr(env, "task", None)
    return bool(task.solved(env.engine, env.memory)[world]) if task is not None else False


def _felt(obs: Any, world: int) -> np.ndarray | None:
    if "touch" not in set(obs.keys()):
        return None
    field = obs["touch"][world].cpu().numpy()
    return field.reshape(2, -1, *field.shape[1:])


def draw(frames: list[Frame], title: str, words: str, success: bool, rate: float = 60.0) -> list[np.ndarray]:
    """Pictures of all frames, of one size."""
    felt = [f.touch for f in frames if f.touch is not None]
    greatest = max((float(np.abs(t).max()) for t in felt), default=1.0) or 1.0
    values = [f.value for f in frames]
    return [_draw(f, frames, values, greatest, title, words, success, rate) for f in frames]


def _draw(
    frame: Frame,
    frames: list[Frame],
    values: list[float],
    greatest: float,
    title: str,
    words: str,
    success: bool,
    rate: float,
) -> np.ndarray:
    height, width = frame.scene.shape[:2]
    panel = Panel(width + SIDE, max(height, 430))
    panel.paste(frame.scene, 0, 0)
    x, last = width + 16, frame is frames[-1]
    panel.text(x, 12, title, 16, bold=True)
    panel.text(x, 36, words, 11, FAINT)
    told = f"step {frame.step}, {frame.step / rate:.1f} s"
    panel.text(x, 56, told, 12)
    if last:
        panel.text(
            x + SIDE - 32, 54, "success" if success else "failed", 14, GREEN if success else RED, bold=True, anchor="ra"
        )
    elif frame.there:
        panel.text(x + SIDE - 32, 56, "in place", 12, GREEN, anchor="ra")
    top = 82
    if frame.touch is None:
        panel.text(x, top, "feels nothing (touch none)", 12, FAINT)
    else:
        wide = (SIDE - 48) // 2
        for k, name in enumerate(FINGERS):
            _field(panel, frame.touch[k], x + k * (wide + 16), top, wide, greatest, name)
    _values(panel, (x, panel.height - 100, SIDE - 32, 70), frame, frames, values)
    return panel.pixels().copy()


def _field(panel: Panel, field: np.ndarray, x: int, y: int, width: int, greatest: float, name: str) -> None:
    """Arrows of two channels (columns, rows upwards); one channel as tiles."""
    channels, rows, columns = field.shape
    panel.text(x, y, name, 12)
    y += 20
    if channels != 2:
        cell = max(1, width // max(rows, columns))
        shown = np.abs(field).max(0)
        if cell >= 4:
            panel.grid(shown, x, y, cell, greatest)
        else:
            panel.paste(np.repeat((255 * np.clip(shown / greatest, 0, 1)).astype(np.uint8)[..., None], 3, 2), x, y)
        return
    pitch = width / (columns + 1)
    high = round(pitch * (rows + 1))
    panel.draw.rectangle((x, y, x + width, y + high), fill=(41, 46, 56))
    long = 0.95 * pitch / greatest  # the margin is one pitch: no arrow leaves its panel
    for r in range(rows):
        for c in range(columns):
            px, py = x + (c + 1) * pitch, y + high - (r + 1) * pitch
            dx, dy = long * field[0, r, c], -long * field[1, r, c]
            panel.draw.ellipse((px - 1.5, py - 1.5, px + 1.5, py + 1.5), fill=(120, 130, 146))
            panel.draw.line((px, py, px + dx, py + dy), fill=(255, 190, 90), width=2)


def _values(
    panel: Panel, box: tuple[int, int, int, int], frame: Frame, frames: list[Frame], values: list[float]
) -> None:
    x, y, width, height = box
    low, high = min(*values, 0.0), max(*values, 1e-9)
    panel.text(x, y - 20, f"what the critic expects: {frame.value:+.2f}", 12, BLUE)
    seen = [k for k, f in enumerate(frames) if f.step <= frame.step]
    steps = np.array([frames[k].step for k in seen])
    span = (0.0, float(max(frames[-1].step, 1)))
    panel.curve(box, steps, [([values[k] - low for k in seen], BLUE)], span, high - low)
    if low < 0 < high:
        zero = y + height + low / (high - low) * height
        panel.draw.line((x, zero, x + width, zero), fill=LINE)
    panel.text(x, y + height + 4, "0", 10, INK)
    panel.text(x + width, y + height + 4, f"step {frames[-1].step}", 10, INK, anchor="ra")
