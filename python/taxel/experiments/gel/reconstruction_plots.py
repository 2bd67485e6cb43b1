"""Pictures of the reconstruction experiment: Table II as a curve, and meshes as in the paper's Fig. 11."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from taxel.learn.views import Camera, divided, view

OURS, VISUAL, PAPER, UNSEEN = "#1f6fb4", "#c23b22", "#222222", "#e07b00"
EXAMPLES = 6
BEHIND = np.array([[-0.643, 0.0, -0.766], [-0.262, 0.940, 0.220], [0.720, 0.342, -0.604]])
"""The frame of the second look: from behind, to one side and from above, where the view shows nothing."""


def _pyplot() -> Any:
    from taxel.report import need_matplotlib

    return need_matplotlib()


def draw_table(folder: Path, splits: dict[str, Any]) -> Path:
    """Left: the distance over the number of touches, ours and the paper's. Right: visual only over it."""
    plt = _pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    first = next(iter(splits.values()))["rows"]
    paper = {row["touches"]: row["paper"] for row in first if row["paper"]}
    touched = [t for t in paper if t != "visual"]
    left.plot(touched, [paper[t] for t in touched], "s--", color=PAPER, label="paper, its scale is not given")
    left.axhline(paper["visual"], color=PAPER, linestyle=":", linewidth=1.2, label="paper, visual only")
    right.plot([0, *touched], [1, *(paper["visual"] / paper[t] for t in touched)], "s--", color=PAPER, label="paper")
    for (name, split), colour in zip(splits.items(), (OURS, UNSEEN), strict=False):
        rows = split["rows"]
        visual, felt = rows[0], rows[1:]
        x = [row["touches"] for row in felt]
        y = np.array([row["squared"] for row in felt])
        low, high = np.array([row["squared_95"] for row in felt]).T
        left.errorbar(x, y, (y - low, high - y), fmt="o-", color=colour, capsize=3, label=f"ours, {name}")
        left.axhline(visual["squared"], color=colour, linestyle=":", linewidth=1.2, label=f"visual only, {name}")
        left.axhspan(*visual["squared_95"], color=colour, alpha=0.12, linewidth=0)
        left.axhline(split["floor"]["squared"], color=colour, linestyle="-.", linewidth=0.8, alpha=0.7,
                     label="a perfect mesh" if colour == OURS else None)  # fmt: skip
        gain = np.array([row["squared_gain"] for row in felt])
        low, high = np.array([row["squared_gain_95"] for row in felt]).T
        right.errorbar(x, gain, (gain - low, high - gain), fmt="o-", color=colour, capsize=3, label=f"ours, {name}")
    right.axhline(1, color="0.6", linewidth=0.8)
    left.set_ylabel("chamfer distance, 1e-3 (squared, both ways)")
    right.set_ylabel("visual-only net's distance over ours")
    left.set_ylim(0, 1.45 * left.get_ylim()[1])
    right.set_ylim(bottom=0)
    for ax in (left, right):
        ax.set_xlabel("touches")
        ax.set_xticks([0, 2, 4, 6, 8, 10])
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, ncols=2 if ax is left else 1, loc="upper right" if ax is left else "upper left")
    figure.suptitle("A mesh from one view and touches (Table II)", fontsize=12)
    path = folder / "gel_reconstruction_table.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


# --- meshes -----------------------------------------------------------------------------------------------------------


def chosen(found: dict[Any, dict[str, np.ndarray]], kind: np.ndarray, count: int) -> list[int]:
    """The middling instance (median distance with all touches) of EXAMPLES classes, spread over the list."""
    error = found[count]["squared"].mean(0)
    kinds = np.unique(kind)
    kinds = kinds[np.linspace(0, len(kinds) - 1, min(EXAMPLES, len(kinds))).round().astype(int)]
    rows = [np.flatnonzero(kind == k) for k in kinds]
    return [int(r[np.argsort(error[r])[len(r) // 2]]) for r in rows]


def examples_of(
    visual: Any, felt: Any, test: Any, instances: Any, found: dict[Any, dict[str, np.ndarray]], count: int
) -> dict[str, np.ndarray]:
    """What ``draw_meshes`` needs: small arrays, to be drawn here or elsewhere. Vertices are in M."""
    import torch

    from taxel.learn.reconstruction import predict

    rows = chosen(found, test.kind.cpu().numpy(), count)
    at = torch.as_tensor(rows, device=test.images.device)
    second = min(2, count - 1)  # of another grasp, where there is one
    examples: dict[str, np.ndarray] = {
        "rows": np.array(rows),
        "count": np.array(count),
        "levels": np.array(felt.size.levels),
        "views": test.images[at, 0].cpu().numpy(),
        "touches": test.displacement[at][:, [0, second]].cpu().numpy(),
        "touch_numbers": np.array([1, second + 1]),
        "visual": predict(visual, test, 0, 0, at)[-1].cpu().numpy(),
        "errors": 1e3 * np.stack([found[key]["squared"][0][rows] for key in (count, "visual")], axis=1),
    }
    for k, x in enumerate(predict(felt, test, 0, count, at)):
        examples[f"stage{k}"] = x.cpu().numpy()
    for k, row in enumerate(rows):
        vertices, triangles = instances.mesh(row)
        examples[f"target{k}"] = (vertices @ test.R_MO[row, 0].cpu().numpy().T).astype(np.float32)
        examples[f"triangles{k}"] = triangles.astype(np.uint16)
    return examples


def _picture(vertices_M: np.ndarray, faces: np.ndarray, R: np.ndarray, camera: Camera) -> np.ndarray:
    """A mesh seen from M turned by R, on white."""
    import torch

    v, t = divided(vertices_M, faces, 0.06)
    turned = torch.as_tensor(R, dtype=torch.float32)[None]
    grey = view(torch.as_tensor(v, dtype=torch.float32), torch.as_tensor(t), turned, camera)[0].numpy()
    return np.where(grey > 0, grey, 1)


def draw_meshes(folder: Path, examples: dict[str, np.ndarray]) -> Path:
    """A row for each example: the view, two touches, the stages, the end, visual only, the target; and from behind."""
    from taxel.learn.sphere_mesh import icosphere

    plt = _pyplot()
    close = Camera(pixels=160, half_width=0.68)
    faces = [icosphere(int(level)).faces for level in examples["levels"]]
    last, count = len(faces) - 1, int(examples["count"])
    compared = [f"view + {count} touches", "visual only", "target"]
    titles = ["the view", *(f"touch {k}" for k in examples["touch_numbers"]), *(f"stage {k + 1}" for k in range(last))]
    titles += compared + compared
    lines = len(examples["rows"])
    figure, axes = plt.subplots(lines, len(titles), figsize=(1.25 * len(titles), 1.3 * lines + 0.5), squeeze=False)
    figure.subplots_adjust(
        left=0.005, right=0.995, top=1 - 0.45 / (1.3 * lines + 0.5), bottom=0.01, wspace=0.04, hspace=0.06
    )
    for line in range(lines):
        target = examples[f"target{line}"], examples[f"triangles{line}"].astype(int)
        pictures = [(1 - examples["views"][line] / 255.0, "gray_r")]
        pictures += [(-touch[..., 2].astype(float).T, "viridis") for touch in examples["touches"][line]]
        pictures += [(_picture(examples[f"stage{k}"][line], faces[k], np.eye(3), close), "gray") for k in range(last)]
        for R in (np.eye(3), BEHIND):
            found = (examples[f"stage{last}"][line], faces[last]), (examples["visual"][line], faces[last]), target
            pictures += [(_picture(*mesh, R, close), "gray") for mesh in found]
        for ax, (picture, colours) in zip(axes[line], pictures, strict=True):
            touch = colours == "viridis"
            ax.imshow(
                picture, cmap=colours, vmin=0, vmax=picture.max() if touch else 1, origin="lower" if touch else "upper"
            )
            ax.set_xticks([])
            ax.set_yticks([])
            ax.spines[:].set_color("0.8")
        for column, error in zip((3 + last, 4 + last), examples["errors"][line], strict=True):
            axes[line, column].text(
                0.03, 0.03, f"{error:.1f}", transform=axes[line, column].transAxes, fontsize=7, color=OURS
            )
    for k, (ax, title) in enumerate(zip(axes[0], titles, strict=True)):
        ax.set_title(title + ("\nfrom behind" if k >= len(titles) - 3 else ""), fontsize=8)
    path = folder / "gel_reconstruction_meshes.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
