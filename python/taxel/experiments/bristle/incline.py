"""Section 5.1.2 of the OpenGRASP tactile paper: a cube of 1 kg on the finger tilted by 10 degrees. Does it creep?

The paper: the cube settles within 10 s to a place that does not change in 10 decimals (of a metre) for 20 minutes.
Here at a time step of 1 ms with k = sigma0 = 1000 N/m a point, so that 48 bristles sag by a few tenths of a millimetre
(sigma0 = 1 N/m, as in the paper's Table 2, would sag by 35 mm: more than the pad is wide).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from ...viewer.offscreen import View
from .finger_scene import BRISTLES, GRAVITY, film, finger_and_cube, on_the_pad

TILT, MASS, STEP = 10.0, 1.0, 1e-3
DECIMALS = 1e-10


def hold(minutes: float, out: Any) -> dict[str, Any]:
    model = finger_and_cube(MASS, STEP, tilt=TILT)
    data = mujoco.MjData(model)
    sensor = taxel.Sensor(model, "touch")
    every = 20
    start = on_the_pad_after_forward(model, data)
    poses, times = [], []
    began = time.perf_counter()
    for _ in out.progress(range(round(60 * minutes / STEP / every)), "incline"):
        mujoco.mj_step(model, data, nstep=every)
        poses.append(data.qpos.copy())
        times.append(data.time)
    wall = time.perf_counter() - began
    poses, times = np.array(poses), np.array(times)
    rest = poses[np.searchsorted(times, min(10.0, 0.5 * times[-1]))]
    away = np.abs(poses - rest).max(axis=1)
    moving = np.flatnonzero(away >= 0.5 * DECIMALS)
    settled = float(times[moving[-1] + 1]) if len(moving) and moving[-1] + 1 < len(times) else float(times[0])
    mujoco.mj_forward(model, data)
    shear = float(sensor.parts(data)["shear"][0].sum())
    weight = MASS * GRAVITY * np.sin(np.radians(TILT))
    sag = float((on_the_pad(data) - start)[0])
    after = away[times >= min(10.0, 0.5 * times[-1])]
    return {
        "case": f"{TILT:g} degrees, {minutes:g} min",
        "dt_s": STEP,
        "sigma0_N_m": BRISTLES["sigma0"],
        "sag_m": sag,
        "settled_s": settled,
        "drift_m": float(after.max()),
        "friction_N": shear,
        "weight_along_N": float(weight),
        "real_time_factor": float(times[-1] / wall),
        "times": times,
        "away": away,
        "within": bool(
            settled < 10 and after.max() < 0.5 * DECIMALS and abs(shear / weight - 1) < 1e-6 and 0 < sag < 1e-3
        ),
    }


def on_the_pad_after_forward(model: Any, data: Any) -> np.ndarray:
    mujoco.mj_forward(model, data)
    return on_the_pad(data)


def settle(out: Any, folder: Path, quick: bool) -> Path | None:
    """The cube let down on the tilted finger."""
    model = finger_and_cube(MASS, STEP, tilt=TILT)
    start = on_the_pad_after_forward(model, mujoco.MjData(model))
    return film(
        out,
        folder / "incline.gif",
        quick,
        model,
        View((0, 0, 0.008), 0.13, 78, -14),
        ("10 degrees, 1 kg", "let go; 10 times slower"),
        lambda _, data: 1e3 * float((on_the_pad(data) - start)[0]),
        lambda creep, sensor, data: (
            f"downhill {creep:.3f} mm",
            f"friction {sensor.parts(data)['shear'][0].sum():.3f} N",
        ),
        (222, 122, 22),
        0.6,
    )


def plot(folder: Path, row: dict[str, Any]) -> Path:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
    ax.loglog(row["times"], np.maximum(row["away"], 1e-18), linewidth=1, label="from its place at 10 s")
    ax.axhline(DECIMALS, color="tab:red", linestyle="--", label="the paper's 10 decimals")
    ax.axvline(10, color="0.6", linestyle=":")
    ax.set(xlabel="time, s", ylabel="distance, m (and turn)", ylim=(1e-18, 1e-2), title="the cube does not creep")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    path = folder / "incline.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    row = hold(0.5 if quick else 20.0, out)
    out.print(
        f"{row['case']}, dt {1e3 * STEP:g} ms, sigma0 {row['sigma0_N_m']:g} N/m a point: sags {1e3 * row['sag_m']:.4f} "
        f"mm, at rest after {row['settled_s']:.2f} s,\nthen moves by {row['drift_m']:.1e} m; friction "
        f"{row['friction_N']:.9f} N, m g sin {row['weight_along_N']:.9f} N; {row['real_time_factor']:.1f} x real time"
        + ("" if row["within"] else "  <--")
    )
    pictures = [p for p in (plot(folder, row), settle(out, folder, quick)) if p]
    out.print(f"picture: {pictures[0]}")
    for key in ("times", "away"):
        row.pop(key)
    return {"rows": [row], "pictures": pictures}
