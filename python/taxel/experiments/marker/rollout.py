"""One rollout seen by every tactile input (HydroShear, Figs. 12 to 15): what each tells a policy of one episode.

The scripted expert does the task once in CPU MuJoCo; every model gets the same poses of the object in the gel, without
noise. Rows are models, columns moments of the episode. Arrows have one length for the largest displacement of a model:
sizes differ tenfold between them (the column "largest"), and a policy normalises them, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report import need_matplotlib, table

TASKS = ("peg",)
SEED = 3
MOMENTS = 6
LABELS = {
    "layer": "elastic layer",
    "taxel": "taxel",
    "hydroshear": "HydroShear, release",
    "hydroshear_paper": "HydroShear, paper",
    "fots": "FOTS",
    "fots_contact": "FOTS, contact centre",
    "tacsl_shear": "TacSL shear",
    "tacsl_grey": "TacSL grey",
    "pressure": "taxels of the pad",
}


def rollout(task: str, steps: int, seed: int = SEED) -> tuple[dict[str, np.ndarray], list[np.ndarray], bool]:
    """(name -> (steps, channels, rows, columns) of the left finger), pictures of the moments, success."""
    import torch

    from ...learn.policy.film import SceneCamera
    from ...tasks.registry import make

    env = make(task, worlds=1, touch="pressure", seed=seed, touch_noise=0.0, threads=1)
    everyone = torch.ones(1, dtype=torch.bool)
    feels = {name: env.other_touch(name) for name in LABELS}
    felt: dict[str, list[np.ndarray]] = {name: [] for name in LABELS}
    pictures, moments = [], set(np.linspace(0, steps - 1, MOMENTS).astype(int).tolist())
    camera = SceneCamera(env)
    for touch in feels.values():
        env.feel(touch, everyone)
    for k in range(steps):
        for name, touch in feels.items():
            values = touch.values[0].numpy()
            felt[name].append(values[: len(values) // 2].copy())
        if k in moments:
            pictures.append(camera(env, 0))
        _, _, dones, _ = env.step(env.expert())
        for touch in feels.values():
            env.feel(touch, dones)
    success = bool(env.success[0]) if steps >= env.max_episode_length else False
    camera.close()
    env.close()
    return {name: np.stack(values) for name, values in felt.items()}, pictures, success


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    plt = need_matplotlib()
    rows = []
    for task in TASKS:
        steps = 64 if quick else 256
        felt, pictures, success = rollout(task, steps)
        draw(plt, folder / f"rollout_markers_{task}.png", task, felt, pictures)
        for name, values in felt.items():
            change = np.abs(values - values[:1])
            rows.append(
                {
                    "task": task,
                    "input": name,
                    "largest": float(np.abs(values).max()),
                    "largest_change": float(change.max()),
                    "within": bool(np.isfinite(values).all() and change.max() > 0),
                }
            )
        out.print(f"{task}: {steps} steps of the scripted expert, success {success}")
    cells = [(r["task"], LABELS[r["input"]], f"{r['largest']:.3g}", f"{r['largest_change']:.3g}") for r in rows]
    out.print(table(("task", "input", "largest", "largest change"), cells, left=2))
    out.print(f"pictures: {', '.join(str(folder / f'rollout_markers_{t}.png') for t in TASKS)}")
    return {"rows": rows}


def draw(plt: Any, path: Path, task: str, felt: dict[str, np.ndarray], pictures: list[np.ndarray]) -> None:
    count = len(next(iter(felt.values())))
    moments = np.linspace(0, count - 1, MOMENTS).astype(int)
    high = [1.35] + [1.4] * len(felt)
    figure, axes = plt.subplots(
        1 + len(felt),
        MOMENTS,
        figsize=(1.32 * MOMENTS + 0.6, sum(high) + 0.5),
        gridspec_kw={"height_ratios": high, "hspace": 0.06, "wspace": 0.06},
        layout="constrained",
    )
    for c, (moment, pixels) in enumerate(zip(moments, pictures, strict=True)):
        axes[0, c].imshow(pixels[20:-20, 60:-60])
        axes[0, c].set_title(f"step {moment}", fontsize=9)
    for r, (name, values) in enumerate(felt.items(), 1):
        greatest = float(np.abs(values).max()) or 1.0
        for c, moment in enumerate(moments):
            _field(axes[r, c], values[moment], greatest)
        axes[r, 0].set_ylabel(LABELS[name], fontsize=8)
    axes[0, 0].set_ylabel("scene", fontsize=8)
    for ax in axes.flat:
        ax.set_xticks([])
        ax.set_yticks([])
    figure.suptitle(f"{task}: one rollout, felt by the left finger", fontsize=11)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _field(ax: Any, field: np.ndarray, greatest: float) -> None:
    channels, rows, columns = field.shape
    if channels != 2:
        ax.imshow(field[0], cmap="gray" if rows > 40 else "magma", vmin=0, vmax=greatest, origin="lower")
        return
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    ax.set_facecolor("#292e38")
    ax.plot(x, y, ".", color="#7d8798", ms=1.5)
    size = 1.8 / greatest
    ax.quiver(
        x, y, size * field[0], size * field[1], angles="xy", scale_units="xy", scale=1, color="#ffbe5a", width=0.012
    )
    ax.set_xlim(-1.2, columns + 0.2)
    ax.set_ylim(-1.2, rows + 0.2)
    ax.set_aspect("equal")
