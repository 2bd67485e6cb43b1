"""Pictures of gel-recognition: tactile images of each object (as the paper's Fig. 10), Table I, what is mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

PAPER = "#222222"
WAYS = {
    "shared": ("shared network, features averaged", "#1f6fb4"),
    "channels": ("touches as channels (paper's way)", "#2a9d4e"),
    "added": ("log-probabilities of one touch added", "#e07b00"),
}


def _pyplot() -> Any:
    from taxel.report import need_matplotlib

    return need_matplotlib()


def draw_samples(folder: Path, data: Any, names: list[str], examples: int = 4) -> Path:
    """A column an object: how deep the contact layer is pressed in (colour), and how it moves in the plane (arrows)."""
    plt = _pyplot()
    figure, axes = plt.subplots(
        examples, len(names), figsize=(1.5 * len(names), 1.37 * examples + 0.3), layout="constrained", squeeze=False
    )
    chosen = [np.flatnonzero((data["object"] == k) & (data["pad"] == 0))[:examples] for k in range(len(names))]
    shown = np.concatenate(chosen)
    images = {i: data["image"][i].astype(float) / (1 / 128) for i in shown}
    deepest = float(np.quantile([-images[i][..., 2].min() for i in shown], 0.9))
    widest = float(np.quantile([np.abs(images[i][..., :2]).max() for i in shown], 0.9))
    picture = None
    for k, rows in enumerate(chosen):
        for line, ax in enumerate(axes[:, k]):
            ax.set(xticks=[], yticks=[])
            if line >= len(rows):
                ax.axis("off")
                continue
            image = images[rows[line]]
            picture = ax.imshow(-image[..., 2], origin="lower", cmap="viridis", vmin=0, vmax=deepest)
            step = max(1, len(image) // 12)
            at = np.arange(step // 2, len(image), step)
            x, y = np.meshgrid(at, at)
            u, v = image[y, x, 0], image[y, x, 1]
            seen = np.hypot(u, v) > 0.08 * widest
            style = {"color": "w", "angles": "xy", "scale_units": "xy", "width": 0.009, "headwidth": 4, "minlength": 0}
            ax.quiver(x[seen], y[seen], u[seen], v[seen], scale=widest / (2.2 * step), **style)
        axes[0, k].set_title(names[k], fontsize=9)
    figure.colorbar(picture, ax=axes, shrink=0.8, pad=0.01, label="pressed in, cells of 1/128")
    path = folder / "gel_recognition_samples.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def draw_table(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Accuracy over touches with intervals, the paper's beside it."""
    from .recognition import PAPER_TEST, learn

    plt = _pyplot()
    tests = [test for test in ("test", "fresh") if test in rows[0]]
    figure, axes = plt.subplots(
        1, len(tests), figsize=(1.6 + 4.9 * len(tests), 4.6), layout="constrained", squeeze=False
    )
    for ax, test in zip(axes[0], tests, strict=True):
        touches = [row["touches"] for row in rows]
        for k, (way, (label, colour)) in enumerate(WAYS.items()):
            parts, side = [row[test].get(way) for row in rows], 0.12 * (k - 1)
            known = [(n + side, part) for n, part in zip(touches, parts, strict=True) if part]
            if not known:
                continue
            x = [n for n, _ in known]
            y = np.array([part["accuracy"] for _, part in known])
            low, high = np.array([part["interval_95"] for _, part in known]).T
            reach = np.maximum([y - low, high - y], 0)
            ax.errorbar(x, y, yerr=reach, color=colour, marker="o", markersize=4, capsize=3, label=label)
            for n, part in known:
                ax.plot([n] * len(part["seeds"]), part["seeds"], "_", color=colour, markersize=9, alpha=0.5)
        paper = [(row["touches"], row["paper"]) for row in rows if row["paper"] is not None]
        x, y = np.array(paper).T
        low, high = np.array([learn.wilson(p, PAPER_TEST / n) for n, p in paper]).T
        style = {"color": PAPER, "marker": "s", "linestyle": "--", "capsize": 3}
        ax.errorbar(x, y, yerr=np.maximum([y - low, high - y], 0), label="paper, bars by the same rule", **style)
        ax.set(xlabel="touches", ylabel="accuracy", ylim=(0, 1.03), xticks=touches)
        kind = "fresh test presses" if test == "fresh" else "test presses"
        ax.set_title(f"{rows[0][test]['channels']['presses']} {kind}", fontsize=10)
        ax.grid(alpha=0.3)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2 * len(tests), fontsize=8)
    figure.suptitle("Ten objects told by touch; bars: 95 % for independent sets", fontsize=11)
    path = folder / "gel_recognition_table.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


def draw_confusion(folder: Path, names: list[str], confusion: dict[str, Any]) -> Path:
    plt = _pyplot()
    figure, axes = plt.subplots(
        1, len(confusion), figsize=(5.6 * len(confusion), 5.4), layout="constrained", squeeze=False
    )
    for ax, (touches, counts) in zip(axes[0], confusion.items(), strict=True):
        share = np.array(counts, dtype=float)
        share /= share.sum(axis=1, keepdims=True)
        ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
        for i, j in np.argwhere(share >= 0.005):
            colour = "w" if share[i, j] > 0.6 else "k"
            ax.text(j, i, f"{100 * share[i, j]:.0f}", ha="center", va="center", fontsize=8, color=colour)
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8)
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set(xlabel="taken for", ylabel="touched")
        ax.set_title(f"{touches} touch{'es' if touches != '1' else ''}: % of sets", fontsize=10)
    path = folder / "gel_recognition_confusion.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
