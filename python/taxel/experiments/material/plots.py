"""The picture of one-material: forces over the size of the contact, and pressure images of one press."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...sensors import catalogue, effective_modulus

STYLE = {
    "pressure": ("tab:blue", "o"),
    "bristle": ("tab:green", "s"),
    "marker": ("tab:orange", "^"),
    "pressure, auto": ("tab:purple", "D"),
    "marker layer": ("tab:red", "v"),
    "layer": ("black", "x"),
}
WORDS = {
    "pressure": "pressure field",
    "bristle": "bristles",
    "marker": "markers, mode taxel",
    "pressure, auto": "pressure field that follows the size",
    "marker layer": "markers, mode layer",
    "layer": "exact layer",
    "gel": "gel of particles",
}


def draw(plt: Any, path: Path, rows: list[dict[str, Any]]) -> Path:
    names = list(dict.fromkeys(r["sensor"] for r in rows))
    figure = plt.figure(figsize=(15, 9.6), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.45, 1))
    for axis, name in zip(upper.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        forces(axis, name, [r for r in rows if r["sensor"] == name])
    first = upper.axes[0]
    first.set_ylabel("force over that of the gel")
    upper.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    shown = [r for r in rows if r["sensor"] == ("gelsight_mini" if "gelsight_mini" in names else names[0])]
    deepest = max(r["depth_share"] for r in shown)
    pick = next((r for r in shown if r["object"] == "lying cylinder" and r["depth_share"] == deepest), shown[-1])
    images(lower, pick)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def forces(axis: Any, name: str, rows: list[dict[str, Any]]) -> None:
    made = catalogue()[name]().made_of
    assert made is not None
    axis.axhspan(0.85, 1.15, color="0.92", zorder=0)
    axis.axhline(1, color="0.6", lw=0.8)
    sizes = np.geomspace(0.08, 2.5, 80)
    axis.plot(
        sizes, made.modulus() / (made.young * effective_modulus(sizes, made.poisson)), color="tab:blue", lw=1, ls="--",
        label="one modulus, by the rule",
    )  # fmt: skip
    for model, (color, marker) in STYLE.items():
        axis.plot(
            [r["size"] for r in rows], [r["over_gel"][model] for r in rows], marker, color=color, ms=5, alpha=0.75,
            ls="none", label=WORDS[model],
        )  # fmt: skip
    axis.set_xscale("log")
    axis.set_xticks([0.1, 0.2, 0.5, 1, 2], ["0.1", "0.2", "0.5", "1", "2"])
    axis.set_ylim(0, 2)
    axis.set_xlabel("radius of the contact over the thickness")
    axis.set_title(f"{name}: {1e3 * made.thickness:g} mm, nu {made.poisson:g}", fontsize=11)
    axis.grid(alpha=0.25)


def images(figure: Any, row: dict[str, Any]) -> None:
    models = ["pressure", "bristle", "marker", "marker layer", "layer", "gel"]
    axes = figure.subplots(1, len(models))
    top = 1e-3 * float(np.quantile(row["images"]["gel"], 0.995))
    half = 1e3 * row["half_m"]
    for axis, model in zip(axes, models, strict=True):
        picture = axis.imshow(
            1e-3 * row["images"][model], origin="lower", extent=(-half, half, -half, half), cmap="inferno", vmin=0,
            vmax=top,
        )  # fmt: skip
        axis.set_title(f"{WORDS[model]}\n{row['force_N'][model]:.3g} N", fontsize=10)
        axis.set_xlabel("mm")
    figure.colorbar(picture, ax=axes, label="pressure, kPa", shrink=0.8)
    figure.suptitle(
        f"{row['object']} on {row['sensor']}, {1e3 * row['depth_m']:.2g} mm deep ({100 * row['depth_share']:g} %)",
        fontsize=11,
    )
