"""Young's modulus at equal displacement (Elastic Interaction of Particles, Fig. 7): what is physics, what is dynamics?

The paper: the tactile range gets smaller with E. Statics: where displacements are imposed, the field does not depend on
E at all, and forces are proportional to it. Four sets of presses of the same ball, 0.02 D deep, tell them apart:

published  the authors' speed and time step, E from 0.3 to 25, both forms of the contact
scaled     E from 0.3 to 30 with the speed in proportion to the wave's: Mach and CFL number stay. Nothing may change
mach       E = 3, slower and slower at one CFL number
step       E = 3 at Mach 0.3, with smaller and larger time steps: Eq. 8 blends once a step
gel        `taxel.Gel`, the physical model: the same pad and ball (1 D = 0.1 m), slow, damped
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...report import need_matplotlib, table
from .views import PITCH, contact_range, far_field, save

RADIUS, DEPTH, RUN_UP = 0.06, 0.02, 2 / 128
POISSON, DENSITY, GRID = 0.25, 2.0, 128
SPEED, DT, YOUNG = 0.4, 2e-3, 3.0
CFL = 0.34
"""Of the authors' E, dt and grid."""
CONTACTS = ("stop", "mixing")
SAME = 1e-3
"""Of the deepest displacement: what counts as the same field."""


def wave_speed(young: float, density: float = DENSITY) -> float:
    """Of the pressure wave at Poisson's ratio 0.25, D/s."""
    return math.sqrt(young * (1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON)) / density)


def press(kind: str, contact: str, young: float, speed: float, dt: float) -> dict[str, Any]:
    """The ball pressed by both pads to DEPTH."""
    way = DEPTH + RUN_UP
    steps = math.ceil(way / (speed * dt) - 0.5)
    dt = way / (speed * steps)
    result = taxel.EipPress(
        young=young, poisson=POISSON, density=DENSITY, speed=speed, dt=dt, steps=steps, gap=2 * (RADIUS + RUN_UP),
        chamfer=0, check_every=steps, contact=contact,
    ).run([taxel.Body.sphere(RADIUS)], [0], [taxel.pose((0.5, 0.5, 0.5))])  # fmt: skip
    image = result.images[0, 0].astype(float)
    c = wave_speed(young)
    return {
        "test": kind, "contact": contact, "young": young, "speed": speed, "dt": dt, "steps": steps, "mach": speed / c,
        "cfl": c * dt * GRID, "deepest": -float(image[..., 2].min()), "lag": -far_field(image),
        "range": contact_range(image), "image": image,
    }  # fmt: skip


def published_dt(young: float) -> float:
    return CFL / (GRID * wave_speed(young))


def eip_presses(out: Any, quick: bool) -> list[dict[str, Any]]:
    jobs: list[tuple[Any, ...]] = []
    for contact in CONTACTS:
        for young in (0.3, 3.0, 25.0) if quick else (0.3, 1.0, 3.0, 10.0, 25.0):
            jobs.append(("published", contact, young, SPEED, DT))
        for young in (0.3, 30.0) if quick else (0.3, 3.0, 30.0):
            jobs.append(("scaled", contact, young, SPEED * math.sqrt(young / YOUNG), published_dt(young)))
        for mach in (0.6, 0.3, 0.15) if quick else (0.9, 0.6, 0.3, 0.15, 0.075, 0.0375):
            jobs.append(("mach", contact, YOUNG, mach * wave_speed(YOUNG), published_dt(YOUNG)))
        for cfl in (0.11, 0.9) if quick else (0.11, 0.34, 0.9):
            jobs.append(("step", contact, YOUNG, SPEED, cfl / (GRID * wave_speed(YOUNG))))
    return [press(*job) for job in out.progress(jobs, "presses")]


def gel_press(kind: str, young: float, speed: float, cell: float) -> dict[str, Any]:
    """The pad of the paper as a quasi-static gel; speed: of the shear wave's."""
    scale = 0.1  # m a D
    half = 0.02 * scale
    gel = taxel.Gel(
        taxel.Body.box((0.24 * scale, 0.24 * scale, 2 * half)), cell=cell, young=young, poisson=POISSON, density=1000.0
    )
    top = half + RADIUS * scale
    ball = gel.add(taxel.Body.sphere(RADIUS * scale), taxel.pose((0, 0, top + 0.05 * cell)), friction=0.0)
    steps = gel.move(taxel.pose((0, 0, top - DEPTH * scale)), speed=speed)
    image = gel.image / scale
    return {
        "test": kind, "young": young, "speed": speed * gel.shear_speed, "steps": steps,
        "mach": speed * gel.shear_speed / gel.wave_speed, "force": float(gel.force(ball)[2]),
        "deepest": -float(image[..., 2].min()), "image": image,
        "range": contact_range(image, 0.5 * cell / scale),
        "x": gel.contact_points.reshape(*image.shape[:2], 3)[:, 0, 0] / scale,
    }  # fmt: skip


def gel_presses(out: Any, quick: bool) -> list[dict[str, Any]]:
    """Three moduli at one Mach number; then the middle one at the softest one's speed in m/s, three times slower."""
    cell = 1e-3 if quick else 0.8e-3
    jobs = [("gel", young, 0.05) for young in (1e4, 1e5, 1e6)]
    if not quick:
        jobs.append(("gel-slow", 1e5, 0.05 / math.sqrt(10)))
    return [gel_press(*job, cell) for job in out.progress(jobs, "gel")]


def apart(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Greatest and rms difference over the greatest displacement."""
    d = np.linalg.norm(a - b, axis=-1)
    most = float(np.linalg.norm(b, axis=-1).max())
    return float(d.max()) / most, float(np.sqrt((d**2).mean())) / most


def verdicts(presses: list[dict[str, Any]], gels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for contact in CONTACTS:
        scaled = [p for p in presses if p["test"] == "scaled" and p["contact"] == contact]
        worst = max(apart(p["image"], scaled[0]["image"])[0] for p in scaled[1:])
        rows.append({"test": "same mach", "mode": contact, "difference": worst, "within": worst < SAME})
        sweep = [p for p in presses if p["test"] == "published" and p["contact"] == contact]
        rows.append({"test": "range shrinks with E", "mode": contact, "ranges": [p["range"] for p in sweep],
                     "young": [p["young"] for p in sweep],
                     "holds": bool((np.diff([p["range"] for p in sweep]) < 0).all())})  # fmt: skip
    level = [g for g in gels if g["test"] == "gel"]
    worst = max(apart(g["image"], level[0]["image"])[0] for g in level[1:])
    forces = max(abs(g["force"] / g["young"] / (level[0]["force"] / level[0]["young"]) - 1) for g in level)
    rows.append({"test": "gel field", "difference": worst, "within": worst < SAME})
    rows.append({"test": "gel force over E", "difference": forces, "within": forces < SAME})
    for g in gels:
        if g["test"] == "gel-slow":
            most, rms = apart(g["image"], level[0]["image"])
            force = g["force"] / g["young"] / (level[0]["force"] / level[0]["young"]) - 1
            rows.append({"test": "gel at one speed", "difference": most, "rms": rms, "force": force})
    return rows


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    plt = need_matplotlib()
    presses, gels = eip_presses(out, quick), gel_presses(out, quick)
    words = {
        "published": "speed 0.4 D/s and dt 2e-3 s, as published",
        "scaled": "speed and dt scaled with the wave speed: one Mach, one CFL number",
        "mach": "E = 3, slower and slower",
        "step": "E = 3, Mach 0.3, other time steps",
    }
    for kind, title in words.items():
        out.print(f"\n{title}")
        out.print(table(
            ("contact", "E", "speed, D/s", "Mach", "CFL", "steps", "deepest, 1e-3 D", "lag, 1e-3 D", "range, 1e-3 D"),
            [(p["contact"], f"{p['young']:g}", f"{p['speed']:.3f}", f"{p['mach']:.3f}", f"{p['cfl']:.2f}",
              str(p["steps"]), *(f"{1e3 * p[k]:.2f}" for k in ("deepest", "lag")), f"{1e3 * p['range']:.1f}")
             for p in presses if p["test"] == kind],
        ))  # fmt: skip
    out.print("\ntaxel.Gel, frictionless, 2 mm into a pad of 4 mm")
    out.print(table(
        ("E, Pa", "speed, m/s", "Mach", "steps", "deepest, mm", "range, mm", "force, N", "force / E, mm2"),
        [(f"{g['young']:g}", f"{g['speed']:.3f}", f"{g['mach']:.4f}", str(g["steps"]), f"{100 * g['deepest']:.4f}",
          f"{100 * g['range']:.2f}", f"{g['force']:.5f}", f"{1e6 * g['force'] / g['young']:.5f}") for g in gels],
    ))  # fmt: skip
    found = verdicts(presses, gels)
    out.print()
    for v in found:
        if v["test"] == "range shrinks with E":
            out.print(f"range shrinks as E grows, {v['mode']}: {v['holds']}")
        else:
            name = v["test"] + (f", {v['mode']}" if "mode" in v else "")
            out.print(f"{name}: differs by {v['difference']:.1e}" + (f", rms {v['rms']:.1e}" if "rms" in v else ""))
    picture = draw(plt, presses, gels, folder / "gel_stiffness.png")
    out.print(f"picture: {picture}")
    rows = [{k: v for k, v in p.items() if k not in ("image", "x")} for p in (*presses, *gels)]
    return {
        "experiment": "gel-stiffness",
        "quick": quick,
        "rows": [*rows, *found],
        "pictures": [picture],
    }


def draw(plt: Any, presses: list[dict[str, Any]], gels: list[dict[str, Any]], path: Path) -> str:
    figure, axes = plt.subplots(2, 3, figsize=(14.2, 8.4))
    figure.subplots_adjust(left=0.06, right=0.985, bottom=0.075, top=0.925, wspace=0.24, hspace=0.36)
    along = (np.arange(61) - 30) * PITCH
    colors = plt.cm.plasma(np.linspace(0.02, 0.82, 6))
    for axis, contact in zip(axes[0, :2], CONTACTS, strict=True):
        sweep = [p for p in presses if p["test"] == "published" and p["contact"] == contact]
        for p, color in zip(sweep, colors, strict=False):
            axis.plot(along, 1e3 * p["image"][:, 30, 2], color=color, lw=1.6,
                      label=f"E = {p['young']:g}, Mach {p['mach']:.2f}")  # fmt: skip
        axis.set_title(f"Published press, contact “{contact}”", fontsize=11)
        axis.legend(fontsize=8.5, loc="lower center", ncol=2)
    axis = axes[0, 2]
    level = [g for g in gels if g["test"] == "gel"]
    lines = (("-", 5.0, "#f6c38a"), ("-", 2.6, "#c2571a"), ("--", 1.1, "#1b1b1b"))
    for g, (style, width, color) in zip(level, lines, strict=True):
        axis.plot(g["x"], 1e3 * g["image"][:, len(g["x"]) // 2, 2], style, lw=width, color=color,
                  label=f"E = {1e-3 * g['young']:g} kPa, {g['force']:.3g} N")  # fmt: skip
    axis.set_title(f"taxel.Gel, slow (Mach {level[0]['mach']:.2f}): one field, force as E", fontsize=11)
    axis.legend(fontsize=8.5, loc="lower center", ncol=2)
    for axis in axes[0]:
        axis.set(
            xlabel="x, D", ylabel=r"$u_z$ along the middle of the pad, $10^{-3}$ D", ylim=(-29, 1.5), xlim=(-0.12, 0.12)
        )
        axis.grid(alpha=0.3)
    styles = {"stop": ("#1f5fa8", "o"), "mixing": ("#c2571a", "s")}
    for contact, (color, mark) in styles.items():
        some = [p for p in presses if p["contact"] == contact]
        sweep = [p for p in some if p["test"] == "published"]
        axes[1, 0].plot(
            [p["young"] for p in sweep], [1e3 * p["range"] for p in sweep], mark + "-", color=color, label=contact
        )
        slow = [p for p in some if p["test"] == "mach"]
        scaled = [p for p in some if p["test"] == "scaled"]
        moduli = ", ".join(f"{p['young']:g}" for p in scaled)
        for axis, key in ((axes[1, 1], "range"), (axes[1, 2], "lag")):
            axis.plot([p["mach"] for p in slow], [1e3 * p[key] for p in slow], mark + "-", color=color,
                      label=f"{contact}, E = 3, slower and slower")  # fmt: skip
            axis.plot([p["mach"] for p in scaled], [1e3 * p[key] for p in scaled], mark, ms=12, mfc="none", color=color,
                      label=f"{contact}, E = {moduli} at one Mach number")  # fmt: skip
    axes[1, 0].axhline(1e3 * level[0]["range"], color="#1b1b1b", lw=1.2, ls="--", label="taxel.Gel, at every E")
    axes[1, 0].set(xscale="log", xlabel="E at the published speed and time step", ylabel=r"contact range, $10^{-3}$ D")
    axes[1, 0].set_title("Published press: range over E", fontsize=11)
    axes[1, 1].set(xscale="log", xlabel="Mach number of the hand", ylabel=r"contact range, $10^{-3}$ D")
    axes[1, 1].set_title("At one CFL number only the Mach number counts", fontsize=11)
    axes[1, 2].set(xscale="log", xlabel="Mach number of the hand", ylabel=r"contact layer behind the hand, $10^{-3}$ D")
    axes[1, 2].set_title("Untouched gel lags behind a fast hand", fontsize=11)
    low, high = (1e3 * f(p["range"] for p in presses) for f in (min, max))
    for axis in axes[1, :2]:
        axis.set_ylim(low - 12, high + 22)
    moduli = sorted({p["young"] for p in presses if p["test"] == "published"})
    axes[1, 0].set_xticks(moduli, [f"{e:g}" for e in moduli])
    axes[1, 0].minorticks_off()
    for axis in axes[1, 1:]:
        ticks = [
            t for t in (0.04, 0.1, 0.2, 0.4, 0.8) if t >= 0.9 * min(p["mach"] for p in presses if p["test"] == "mach")
        ]
        axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axis.minorticks_off()
    for axis in axes[1]:
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8, loc="upper left" if axis is axes[1, 2] else "best")
    return save(plt, figure, path)
