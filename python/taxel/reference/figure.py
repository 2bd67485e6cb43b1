"""The figure of docs/theory/layer-reference.md: compliance, contact against closed forms, and the four motions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from .closed_forms import Hertz, base_relief
from .elastic_layer import ElasticLayer, LayerGrid
from .indenters import Paraboloid
from .layer_contact import LayerContact
from .motions import BALL_RADIUS, FULL, GEL_SIZE, KINDS, PIXEL, ball_pose, extend, follow, press_path

BLUE, ORANGE, GREY = "#1f5fa8", "#d9731a", "#777777"


def draw(path: str | Path) -> None:
    """Writes the picture; about 20 s."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 4, figsize=(16, 8.4), gridspec_kw={"height_ratios": (1, 1.18)})
    _compliance(axes[0, 0])
    _hertz(axes[0, 1])
    _mindlin(axes[0, 2], axes[0, 3])
    for ax, kind in zip(axes[1], KINDS, strict=True):
        _motion(ax, kind)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _compliance(ax) -> None:
    kH = np.logspace(-1.3, 1.3, 200)
    for nu, colour in ((0.45, ORANGE), (0.4999, BLUE)):
        layer = ElasticLayer(1.0, 2.0 * (1.0 + nu), nu)  # G = 1
        ax.loglog(kH, layer.scalars(kH)[3], color=colour, lw=2, label=f"layer, ν = {nu}")
    ax.loglog(kH[kH > 1.2], 0.5 / kH[kH > 1.2], "--", color=GREY, label="half space, ν = 1/2")
    ax.loglog(kH[kH < 0.8], kH[kH < 0.8] ** 2 / 3.0, ":", color="k", label="film, (kH)²/3")
    ax.set(xlabel="wave number × thickness, k H", ylabel="normal compliance × G / H", title="Compliance of the layer")
    ax.set_ylim(3e-4, 0.5)
    ax.legend(fontsize=8, loc="lower right")


class _Thick:
    def __init__(self) -> None:
        self.hertz = Hertz(a=1e-3, R=20e-3, young=2e5, poisson=0.4999, mu=0.3)
        layer = ElasticLayer(8e-3, self.hertz.young, self.hertz.poisson)
        self.grid = LayerGrid(layer, (256, 256), self.hertz.a / 8)
        self.normal, self.tangential = base_relief(layer)
        self.contact = LayerContact(self.grid, Paraboloid(self.hertz.R), 0.0, step=1.0)
        self.z = -(self.hertz.depth - self.normal * self.hertz.force)

    def at(self, x: float):
        X = np.eye(4)
        X[:3, 3] = x, 0.0, self.z
        return self.contact.move(X)

    def slide(self, q: float) -> float:
        return self.hertz.slide(q) - self.tangential * q * self.hertz.mu * self.hertz.force

    def press(self):
        self.contact.reset()
        self.contact.friction = 0.0
        state = self.at(0.0)
        self.contact.friction = self.hertz.mu
        return state


def _hertz(ax) -> None:
    thick = _Thick()
    state, hertz = thick.press(), thick.hertz
    X, Y = np.meshgrid(thick.grid.x, thick.grid.y, indexing="ij")
    r = np.hypot(X, Y) / hertz.a
    near = r < 1.4
    s = np.linspace(0, 1.4, 300)
    ax.plot(r[near], -state.traction[2][near] / hertz.peak, ".", color=BLUE, ms=4, label="cells (normal)")
    ax.plot(s, np.sqrt(np.maximum(0, 1 - s**2)), "k-", lw=1, label="Hertz")
    q = 0.5
    sheared = thick.at(thick.slide(q))
    c = hertz.stick_ratio(q)
    scale = hertz.mu * hertz.peak
    theory = np.sqrt(np.maximum(0, 1 - s**2)) - c * np.sqrt(np.maximum(0, 1 - (s / c) ** 2))
    ax.plot(r[near], sheared.traction[0][near] / scale, ".", color=ORANGE, ms=4, label="cells (tangential, over μ)")
    ax.plot(s, theory, "k--", lw=1, label="Cattaneo, Mindlin, Q = μP/2")
    ax.set(xlabel="radius / contact radius", ylabel="traction / peak pressure", title="Tractions on a thick layer")
    ax.set_ylim(-0.05, 1.55)
    ax.legend(fontsize=8, loc="upper right")


def _mindlin(left, right) -> None:
    thick = _Thick()
    hertz = thick.hertz
    limit = hertz.mu * hertz.force
    full = thick.slide(1.0)
    thick.press()
    xs, forces, ratio = [0.0], [0.0], []
    turns = [0.9, -0.9, 0.9]
    loads = [np.linspace(0.09, turns[0], 10), np.linspace(0.72, turns[1], 10), np.linspace(-0.72, turns[2], 10)]
    for branch, qs in enumerate(loads):
        for q in qs:
            if branch == 0:
                x = thick.slide(q)
            else:  # Masing: twice the first loading, from the turning point
                sign = -1 if branch == 1 else 1
                x = -sign * thick.slide(0.9) + sign * 2 * thick.slide(abs(q + sign * 0.9) / 2)
            state = thick.at(x)
            xs.append(x / full)
            forces.append(state.force[0] / limit)
            if branch == 0:
                stick = np.count_nonzero(state.status == 1) * thick.grid.cell_area
                ratio.append((q, math.sqrt(stick / math.pi) / hertz.a))
    qs = np.linspace(0, 0.9, 100)
    left.plot([thick.slide(q) / full for q in qs], qs, "k-", lw=1, label="Mindlin, Deresiewicz")
    down = np.linspace(-0.9, 0.9, 200)
    unloading = np.array([thick.slide(0.9) - 2 * thick.slide((0.9 - q) / 2) for q in down]) / full
    left.plot(unloading, down, "k-", lw=1)
    left.plot(-unloading, -down, "k-", lw=1)
    left.plot(xs, forces, "o", color=BLUE, ms=4, label="layer contact")
    left.set(xlabel="slide / slide at full slip", ylabel="Q / (μ P)", title="A tangential cycle")
    left.set_xticks((-0.8, -0.4, 0.0, 0.4, 0.8))
    left.legend(fontsize=8)
    q, c = np.array(ratio).T
    s = np.linspace(0, 1, 100)
    right.plot(s, (1 - s) ** (1 / 3), "k-", lw=1, label="(1 − Q/μP)^(1/3)")
    right.plot(q, c, "o", color=BLUE, ms=4, label="layer contact")
    right.set(xlabel="Q / (μ P)", ylabel="stick radius / contact radius", title="Stick zone", ylim=(0, 1.05))
    right.legend(fontsize=8, loc="lower left")


def _path(kind: str) -> tuple[np.ndarray, str]:
    depth = 0.9e-3
    poses = press_path(0.0, 0.0, depth)
    if kind == "shear":
        extend(poses, ball_pose(0.8e-3, 0.4e-3, depth), 0.9e-3)
        return np.stack(poses), "shear: 0.9 mm"
    if kind == "twist":
        extend(poses, ball_pose(0, 0, depth, (0, 0, 0.2)), 0.2 * 5.5e-3)
        return np.stack(poses), "twist: 11.5°"
    if kind == "roll":
        extend(poses, ball_pose(0.1 * BALL_RADIUS, 0, depth, (0, 0.1, 0)), 0.1 * BALL_RADIUS)
        return np.stack(poses), "roll: 5.7°, 1.75 mm to the right"
    return np.stack(poses), "dilation: press 0.9 mm"


def _motion(ax, kind: str) -> None:
    path, title = _path(kind)
    found = follow(path)
    markers, moved = 1e3 * found["markers"], 1e3 * found["displacement"][-1, :, :2]
    radius = 1e3 * math.sqrt(found["contact_area"][-1] / math.pi)
    centre = 1e3 * path[-1][:2, 3]
    turn = np.linspace(0, 2 * math.pi, 100)
    ax.fill(centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn), color=ORANGE, alpha=0.18, lw=0)
    ax.plot(*markers.T, ".", color=GREY, ms=3)
    gain = 5.0 if kind in ("dilation", "roll") else 2.0
    ax.quiver(
        *markers.T, *(gain * moved).T, angles="xy", scale_units="xy", scale=1, color=BLUE, width=0.006, headwidth=4
    )
    half = [500.0 * size for size in GEL_SIZE]
    ax.plot(
        [-half[0], half[0], half[0], -half[0], -half[0]], [-half[1], -half[1], half[1], half[1], -half[1]], "k", lw=1
    )
    rms = math.sqrt((moved**2).sum(axis=1).mean()) * 1e-3 / PIXEL
    force = found["force"][-1]
    drag = np.hypot(*force[:2]) / (-FULL.friction * force[2])
    ax.set_title(f"{title}\narrows × {gain:.0f}; rms {rms:.1f} px; Q / μN {drag:.2f}", fontsize=10)
    ax.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal", xlim=(-11.5, 11.5), ylim=(-13.5, 13.5))
