"""Accuracy against cost (HydroelasticTouch, section III-D): the Myrmex pad under a cylinder.

Error of an image: root mean square over the taxels that feel something, over the greatest of them; the reference is the
exact integration with 200 facets across the contact. Cost: microseconds a step (1 ms) on one core, contact and reading.
The rows "as published" have the authors' field (taxel.sensors.as_published) and rays, pressed in as deep, against the
exact integration of that same field: the field is another one, and its image is not compared with ours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import taxel

from .speed import PAD, STEP, Runner, scene

SAMPLES = (1, 2, 3, 5, 10, 20, 40)
FACETS = (6, 10, 20, 40, 80)
PUBLISHED_SAMPLES = (5, 20)
"""Rays along a side: the default of the authors' code, and what their paper used."""
RATES = (1000, 500, 200, 100, 50, 10)
LIMIT = 0.01  # of the sum, rays at 20 a side


def press() -> tuple[taxel.Body, taxel.Body, np.ndarray]:
    """The cylinder at rest in MuJoCo, as bodies and a pose for the core."""
    model = scene(None).compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3000)
    pad = taxel.Body.box(PAD, modulus=3e4, field="backed")
    cylinder = taxel.Body.cylinder(0.0225, 0.1)
    pose = taxel.pose(data.geom("cylinder").xpos, R=data.geom("cylinder").xmat.reshape(3, 3))
    return pad, cylinder, pose


def image_error(image: np.ndarray, true: np.ndarray) -> float:
    lit = (true > 0) | (image > 0)
    return float(np.sqrt(np.mean((image - true)[lit] ** 2)) / true.max())


def costs(runners: list[Runner], rounds: int) -> list[float]:
    for _ in range(rounds):
        for runner in runners:
            runner.time(100)
    return [r.microseconds for r in runners]


def add_published(add: Callable[..., None], field: str, cylinder: taxel.Body, X_WC: np.ndarray, rounds: int) -> None:
    """Rows of the authors' field with their rays; what the pad is made of stays."""
    sensor = taxel.sensors.as_published(taxel.sensors.myrmex(), field)
    pad = sensor.body()
    surface = taxel.contact(pad, taxel.pose(), cylinder, X_WC, facets_across=200)
    wanted = taxel.Skin(pad, shape=(16, 16), source="elastic").read(surface, taxel.pose()).values
    reach = sensor.taxels | sensor.rays
    keys = {key: reach[key] for key in ("readout", "source", "reach")}
    grid = [dict(shape=(16, 16), samples=n, **keys) for n in PUBLISHED_SAMPLES]
    material = {key: sensor.material[key] for key in ("field", "resolution") if key in sensor.material}
    runners = [Runner(scene(each, **material).compile()) for each in grid]
    seen = taxel.contact(pad, taxel.pose(), cylinder, X_WC, facets_across=10)
    for each, cost in zip(grid, costs(runners, rounds), strict=True):
        found = taxel.Skin(pad, **each).read(seen, taxel.pose()).values
        n = each["samples"]
        add("as published", f"{field}, {n} a side", n, cost, found, wanted=wanted)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    from taxel.report import need_matplotlib, table

    plt = need_matplotlib()
    rounds = 3 if quick else 15
    pad, cylinder, X_WC = press()
    exact = taxel.Skin(pad, shape=(16, 16))

    def image(skin: taxel.Skin, facets: int) -> np.ndarray:
        surface = taxel.contact(pad, taxel.pose(), cylinder, X_WC, facets_across=facets)
        return skin.read(surface, taxel.pose()).values

    true = image(exact, 200)
    rows: list[dict[str, Any]] = []

    def add(
        what: str, setting: str, value: float, cost: float, found: np.ndarray | None = None,
        limit: float = np.inf, wanted: np.ndarray = true,
    ) -> None:  # fmt: skip
        row: dict[str, Any] = {"what": what, "setting": setting, "value": value, "step_us": cost}
        if found is not None:  # else it is a row of cost alone, and has no error
            total = float(found.sum() / wanted.sum() - 1)
            row |= {"image_error": image_error(found, wanted), "sum_error": total, "within": bool(abs(total) < limit)}
        rows.append(row)

    runners = [Runner(scene(dict(shape=(16, 16), readout="rays", samples=n)).compile()) for n in SAMPLES]
    runners.append(Runner(scene(dict(shape=(16, 16))).compile()))
    times = costs(runners, rounds)
    for n, cost in zip(SAMPLES, times[:-1], strict=True):
        found = image(taxel.Skin(pad, shape=(16, 16), readout="rays", samples=n), 10)
        add("rays", f"{n} a side", n, cost, found, LIMIT if n >= 20 else np.inf)
    add("exact", "", 0, times[-1], image(exact, 10), LIMIT)

    runners = [Runner(scene(dict(shape=(16, 16)), facets=f).compile()) for f in FACETS]
    for f, cost in zip(FACETS, costs(runners, rounds), strict=True):
        add("facets", f"{f} across", f, cost, image(exact, f))

    for field in ("distance",) if quick else taxel.sensors.PUBLISHED_FIELDS:
        add_published(add, field, cylinder, X_WC, rounds if field == "distance" else 1)  # 20 ms a step

    runners = [Runner(scene(dict(shape=(16, 16), readout="rays", samples=20, rate=r)).compile()) for r in RATES]
    for r, cost in zip(RATES, costs(runners, rounds), strict=True):
        add("rate", f"rays, 20 a side, {r} Hz", r, cost)

    out.print(
        table(
            ("what", "setting", "image error", "sum error", "us a step", "times real time"),
            [
                (
                    r["what"],
                    r["setting"],
                    f"{r['image_error']:.3%}" if "image_error" in r else "",
                    f"{r['sum_error']:+.3%}" if "sum_error" in r else "",
                    f"{r['step_us']:.1f}",
                    f"{1e6 * STEP / r['step_us']:.1f}",
                )
                for r in rows
            ],
            left=2,
        )
    )
    out.print(
        "\nExact integration with 10 facets (the default) is both quicker and closer than 20 rays a side; rays are for "
        "receptive fields that overlap. A lower rate takes the reading out of most steps; the contact stays in all."
    )
    picture = draw(plt, folder / "tradeoff.png", rows)
    out.print(f"picture: {picture}")
    return {"experiment": "tradeoff", "rows": rows, "picture": picture}


def draw(plt: Any, path: Path, rows: list[dict[str, Any]]) -> Path:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for what, style in (("rays", "o-"), ("facets", "s-"), ("exact", "*")):
        chosen = [r for r in rows if r["what"] == what]
        label = {"rays": "rays, samples along a side", "facets": "exact, facets across", "exact": "exact, default"}[
            what
        ]
        size = 14 if what == "exact" else 6
        x, y = [r["step_us"] for r in chosen], [100 * max(r["image_error"], 1e-6) for r in chosen]
        left.plot(x, y, style, markersize=size, label=label)
        if what != "exact":
            for r, a, b in zip(chosen, x, y, strict=True):
                left.annotate(f"{r['value']:g}", (a, b), textcoords="offset points", xytext=(5, 4), fontsize=8)
    left.set(xscale="log", yscale="log", xlabel="us a step", ylabel="error of the image, %", title="Choose a point")
    left.grid(alpha=0.3, which="both")
    left.legend(fontsize=8)
    chosen = [r for r in rows if r["what"] == "rate"]
    right.plot([r["value"] for r in chosen], [r["step_us"] for r in chosen], "o-")
    right.set(
        xscale="log",
        xlabel="rate of the sensor, Hz",
        ylabel="us a step",
        title="20 rays a side, at a lower rate",
        ylim=(0, None),
    )
    right.grid(alpha=0.3, which="both")
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
