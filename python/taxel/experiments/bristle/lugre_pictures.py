"""Pictures of ``lugre_curve``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .lugre_solver import FOAM, RUBBER

COLORS = {"passive": "tab:blue", "paper": "tab:red"}
SOLVER = dict(color="k", linewidth=0.8, linestyle=(0, (4, 3)), zorder=5)


def _steady(ax: Any, curves: dict[str, Any], active: float) -> None:
    speed = curves["speed"]
    v = np.linspace(0, speed[-1], 400)
    ax.plot(v, 1e3 * (FOAM.dry(v) + FOAM.viscosity * v), label=r"$F_n\,\mu(v) + c_t v$", **SOLVER)
    ax.axhline(1e3 * FOAM.cone, color="0.6", linewidth=0.8)
    ax.text(0.8, 1e3 * FOAM.cone * 1.01, r"$\mu_s F_n$", va="bottom", fontsize=8, color="0.4")
    for form, marker in (("paper", "s"), ("passive", "o")):
        ax.plot(speed, 1e3 * curves[form], marker, markersize=3.2, color=COLORS[form], label=form)
    ax.axvspan(active, speed[-1], color="tab:red", alpha=0.08, linewidth=0)
    ax.text(active - 0.03, 4, f"as printed, energy can be\ncreated above {active:.2f} m/s", ha="right", fontsize=8)
    ax.set(title="Steady sliding of the paper's foam", xlabel="speed, m/s", ylabel="friction, mN")
    ax.set(xlim=(0, speed[-1]), ylim=(0, None))
    ax.legend(fontsize=8, loc="upper center", ncols=3, columnspacing=1)


def _presliding(ax: Any, curves: list[dict[str, Any]]) -> None:
    shades = dict(
        zip(sorted({c["acceleration"] for c in curves}), ("tab:blue", "tab:green", "tab:orange"), strict=False)
    )
    for c in curves:
        passive, color = c["form"] == "passive", shades[c["acceleration"]]
        label = f"{c['acceleration']:g} m/s²" if passive else None
        ax.plot(1e3 * c["way"], 1e3 * c["force"], color=color, linewidth=2.6 if passive else 1.6, label=label)
        ax.plot(1e3 * c["way"], 1e3 * c["solver"], **SOLVER)
    ax.text(110, 22.6, "paper", fontsize=8, color=shades[max(shades)], ha="left", va="top")
    way = np.array([0, FOAM.breakaway])
    ax.plot(1e3 * way, 1e3 * FOAM.sigma0 * way, color="0.6", linewidth=0.8)
    ax.text(1e3 * 0.8 * FOAM.breakaway, 1e3 * 0.97 * FOAM.cone, r"$\sigma_0 x$", fontsize=9, color="0.4", ha="right")
    ax.set(title="Pre-sliding and break-away", xlabel="displacement, mm", ylabel="friction, mN")
    ax.set(xlim=(0, None), ylim=(0, 1.06e3 * FOAM.cone))
    ax.legend(fontsize=8, title="speeds up by", title_fontsize=8, loc="lower right")


def _reversal(ax: Any, curves: list[dict[str, Any]]) -> None:
    for c, color in zip([c for c in curves if c["form"] == "passive"], ("tab:orange", "tab:blue"), strict=True):
        label = f"swing of {1e3 * c['amplitude']:.0f} mm"
        ax.plot(1e3 * c["x"], 1e3 * c["force"], color=color, linewidth=2.4, label=label)
        ax.plot(1e3 * c["x"], 1e3 * c["solver"], **SOLVER)
    ax.set(title="Reversal", xlabel="displacement, mm", ylabel="friction, mN")
    ax.legend(fontsize=8, loc="lower right")


def _stick_slip(ax: Any, curves: dict[str, Any]) -> None:
    t = curves["t"]
    for form in ("paper", "passive"):
        ax.plot(t, curves[form]["spring"], color=COLORS[form], linewidth=2.2, label=f"spring, {form}")
        ax.plot(t, curves[form]["solver"], label="solver" if form == "passive" else None, **SOLVER)
    for mu, name in ((RUBBER.mu_s, r"$\mu_s F_n$"), (RUBBER.mu_d, r"$\mu_d F_n$")):
        ax.axhline(mu * RUBBER.load, color="0.6", linewidth=0.8)
        ax.text(0.01 * t[-1], mu * RUBBER.load, name, va="bottom", fontsize=8, color="0.4")
    ax.set(title="Stick-slip: a mass pulled by a spring", xlabel="time, s", ylabel="force of the spring, N")
    ax.set(xlim=(0, t[-1]), ylim=(0, 1.25 * RUBBER.cone))
    other = ax.twinx()
    other.plot(t, 1e3 * curves["passive"]["x"], color="tab:green", linewidth=1.6)
    other.set_ylabel("position, mm", color="tab:green")
    other.set_ylim(0, None)
    ax.legend(fontsize=8, loc="upper left", ncols=3)


def _coupled(ax: Any, curves: dict[str, Any]) -> None:
    for (coupling, form), (steps, errors) in curves.items():
        style = dict(marker="o" if coupling == "rows" else "^", linestyle="-" if coupling == "rows" else ":")
        ax.loglog(1e3 * np.array(steps), errors, color=COLORS[form], label=f"{coupling}, {form}", **style)
    h = np.array([min(steps), max(steps)])
    ax.loglog(1e3 * h, 30 * h + 1e-3, color="0.6", linewidth=0.8, label="bar")
    ax.set(
        title="The same in MuJoCo, 12 bristles", xlabel="time step, ms", ylabel="greatest difference / greatest force"
    )
    ax.grid(alpha=0.3, which="both")
    ax.legend(fontsize=8)


def plot(folder: Path, curves: dict[str, Any], active: float) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(14, 7.6), layout="constrained")
    grid = figure.add_gridspec(2, 3)
    _steady(figure.add_subplot(grid[0, 0]), curves["steady"], active)
    _presliding(figure.add_subplot(grid[0, 1]), curves["presliding"])
    _reversal(figure.add_subplot(grid[0, 2]), curves["reversal"])
    _stick_slip(figure.add_subplot(grid[1, :2]), curves["stick_slip"])
    _coupled(figure.add_subplot(grid[1, 2]), curves["coupled"])
    for ax in figure.axes[:3]:
        ax.grid(alpha=0.3)
    figure.suptitle("LuGre friction of a bristle; dashed: independent solver", fontsize=13)
    path = folder / "lugre_curve.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def animate(folder: Path, curves: dict[str, Any], speed: float, quick: bool) -> Path:
    """The mass on its spring above the curve of the spring's force, at half speed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle

    from ...viewer.gif import write_gif

    t, shown = curves["t"], curves["passive"]
    x, force = 1e3 * shown["x"], shown["spring"]
    shots = range(0, len(t), 40 if quick else 5)
    figure, (scene, graph) = plt.subplots(
        2, 1, figsize=(6.4, 4.2), dpi=80, layout="constrained", height_ratios=(1, 1.7)
    )
    side, rest = 8.0, 12.0  # of the drawing, mm
    end = 1e3 * speed * t[-1]
    scene.set(xlim=(-side, end + side + rest + 4), ylim=(-2.5, side + 2), aspect="equal")
    scene.axis("off")
    scene.add_patch(Rectangle((-side, -2.5), end + 2 * side + rest + 4, 2.5, color="0.8"))
    block = scene.add_patch(Rectangle((0, 0), side, side, color=COLORS["passive"]))
    (coil,) = scene.plot([], [], color="0.3", linewidth=1.4)
    (hand,) = scene.plot([], [], "o", color="tab:orange", markersize=9)
    graph.set(xlim=(0, t[-1]), ylim=(0, 1.08 * RUBBER.cone), xlabel="time, s", ylabel="force of the spring, N")
    graph.axhline(RUBBER.cone, color="0.6", linewidth=0.8)
    graph.text(t[-1], RUBBER.cone, r"$\mu_s F_n$ ", va="bottom", ha="right", fontsize=9, color="0.4")
    graph.grid(alpha=0.3)
    (line,) = graph.plot([], [], color=COLORS["passive"], linewidth=2)
    (dot,) = graph.plot([], [], "o", color=COLORS["passive"])
    turns = np.linspace(0, 1, 161)
    zigzag = 1.3 * np.sin(2 * np.pi * 9 * turns) * ((turns > 0.06) & (turns < 0.94))

    frames = []
    for i in shots:
        hand_x, left = side + rest + 1e3 * speed * t[i], x[i] + side
        block.set_x(x[i])
        coil.set_data(left + (hand_x - left) * turns, side / 2 + zigzag)
        hand.set_data([hand_x], [side / 2])
        line.set_data(t[: i + 1], force[: i + 1])
        dot.set_data([t[i]], [force[i]])
        figure.canvas.draw()
        frames.append(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
    plt.close(figure)
    return write_gif(folder / "lugre_stick_slip.gif", frames, fps=0.5 / (t[shots[1]] - t[0]))
