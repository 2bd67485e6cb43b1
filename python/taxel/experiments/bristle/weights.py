"""Table 3 of the OpenGRASP tactile paper: cubes of 0.1, 1 and 10 kg on the 14 x 6 array; does it feel their weight?

Their set-up: k = 1000 N/m and c_n = 10 N s/m a point, a time step of 0.1 ms. Ours besides at 2 ms, and with the forces
as they put them into their simulator (explicit, the law as printed).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from .finger_scene import GRAVITY, PITCH, SHAPE, film, finger_and_cube

PAPER = {0.1: 0.9800, 1.0: 9.7999, 10.0: 97.9899}
BAR = 1e-4


def weigh(mass: float, step: float, seconds: float, **changes: Any) -> dict[str, Any]:
    model = finger_and_cube(mass, step, **changes)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=round(seconds / step))
    image = taxel.Sensor(model, "touch")(data)
    required = mass * GRAVITY
    return {
        "case": f"{mass:g} kg, {changes.get('coupling', 'rows')}",
        "mass_kg": mass,
        "dt_s": step,
        "coupling": changes.get("coupling", "rows"),
        "form": changes.get("form", "passive"),
        "required_N": required,
        "force_N": float(image.sum()),
        "paper_N": PAPER[mass],
        "error": float(image.sum() / required - 1),
        "points": int((image > 0).sum()),
        "image_N": image,
        "within": bool(abs(image.sum() / required - 1) < BAR),
    }


def fall(out: Any, folder: Path, quick: bool) -> Path | None:
    """A cube of 1 kg let down on the finger, and what the array reads."""
    weight = 1.0 * GRAVITY
    return film(
        out,
        folder / "weights.gif",
        quick,
        finger_and_cube(1.0, 1e-3, above=0.012),
        View((0, 0, 0.008), 0.16, 145, -22),
        ("a cube of 1 kg", "let fall from 12 mm; 10 times slower"),
        lambda sensor, data: float(sensor(data).sum()),
        lambda total, *_: (f"sum {total:6.3f} N", f"m g {weight:6.3f} N"),
        (31, 98, 168),
        3 * weight,
    )


def plot(folder: Path, rows: list[dict[str, Any]]) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [r for r in rows if r["coupling"] == "rows" and r["dt_s"] == rows[0]["dt_s"]]
    figure, axes = plt.subplots(1, 4, figsize=(10.5, 3.6), width_ratios=(1, 1, 1, 2.2), layout="constrained")
    extent = [-0.5e3 * SHAPE[1] * PITCH, 0.5e3 * SHAPE[1] * PITCH, -0.5e3 * SHAPE[0] * PITCH, 0.5e3 * SHAPE[0] * PITCH]
    for ax, row in zip(axes, shown, strict=False):
        drawn = ax.imshow(row["image_N"], origin="lower", extent=extent, cmap="inferno", vmin=0)
        ax.set(title=f"{row['mass_kg']:g} kg: {row['force_N']:.4f} N", xlabel="mm")
        ax.title.set_fontsize(9)
        figure.colorbar(drawn, ax=ax, shrink=0.7, label="N")
    ax = axes[-1]
    for coupling, step in dict.fromkeys((r["coupling"], r["dt_s"]) for r in rows):
        chosen = [r for r in rows if (r["coupling"], r["dt_s"]) == (coupling, step)]
        error = [max(abs(r["error"]), 1e-16) for r in chosen]
        ax.loglog([r["mass_kg"] for r in chosen], error, "o-", label=f"{coupling}, {1e3 * step:g} ms")
    paper = [max(abs(PAPER[m] / (m * GRAVITY) - 1), 1e-16) for m in PAPER]
    ax.loglog(list(PAPER), paper, "k^--", label="paper (0.1 kg: all digits right)")
    ax.axhline(BAR, color="0.6", linestyle=":")
    ax.set(xlabel="mass, kg", ylabel="relative error of the sum", ylim=(1e-17, 1e-2))
    ax.grid(alpha=0.3)
    ax.legend(fontsize=7)
    path = folder / "weights.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    cases: list[tuple[float, float, dict[str, Any]]] = [(m, dt, {}) for dt in (1e-4, 2e-3) for m in PAPER]
    cases += [(m, 1e-4, {"coupling": "explicit", "form": "paper"}) for m in PAPER]
    rows = [weigh(m, dt, 1.5 if quick else 3.0, **more) for m, dt, more in out.progress(cases, "weights")]
    out.print("mass kg   dt ms  coupling    required N      taxels N       paper N     error")
    for r in rows:
        out.print(
            f"{r['mass_kg']:7g} {1e3 * r['dt_s']:7g}  {r['coupling']:8} {r['required_N']:13.6f} {r['force_N']:13.6f} "
            f"{r['paper_N']:13.4f} {r['error']:9.1e}" + ("" if r["within"] else "  <--")
        )
    numbers: dict[str, Any] = {"rows": rows}
    numbers["pictures"] = [p for p in (plot(folder, rows), fall(out, folder, quick)) if p]
    out.print(f"picture: {numbers['pictures'][0]}")
    for row in rows:
        row["image_N"] = np.asarray(row["image_N"]).tolist()
    return numbers
