"""Small plots for the contact experiments."""

from __future__ import annotations

from pathlib import Path


def lines(
    path: Path, curves: dict, *, x: str, y: str, title: str, log: str = "", reference: dict | None = None
) -> None:
    """One picture of named curves (name -> (xs, ys)); dashed horizontal lines for references."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for name, (xs, ys) in curves.items():
        axes.plot(xs, ys, marker="o", markersize=4, label=name)
    for name, value in (reference or {}).items():
        axes.axhline(value, linestyle="--", linewidth=1, color="0.4", label=name)
    if "x" in log:
        axes.set_xscale("log")
    if "y" in log:
        axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
    plt.close(figure)
