"""Three scenes stepped side by side in Drake and in MuJoCo with taxel: same bodies, same law, what differs and why.

Drake: discrete MultibodyPlant, hydroelastic contact, its default solver ("lagged"). The difference of every number is
taken apart along a chain of runs in which one thing changes at a time:

    Drake as it comes, coarse mesh, 1 ms -> small stiction tolerance -> no mesh -> no time step
        -> our surfaces with Drake's law -> friction with memory -> rows of the solver -> 1 ms

The arrow in the middle is the test: the same law from two codes. "No mesh" and "no time step" are extrapolated (Drake's
error falls with the square of the mesh size and with the step). Drake's law on our surfaces is taxel.Reader, whose
friction has no memory either, with fine facets and explicit steps of 0.01 ms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report import need_matplotlib, table
from .drake_runs import (
    BALL,
    CYLINDER,
    ROLL,
    SAMPLE,
    Run,
    Scene,
    drake_version,
    run_drake,
    run_memoryless,
    run_ours,
    scenes,
    static_depth,
)

LIMIT = 0.02
QUICK_LIMIT = 0.05  # two meshes, coarse facets
DEFAULT_STICTION = 1e-3  # m/s, that of a fresh MultibodyPlant


def measure(scene: Scene, run: Run) -> dict[str, float]:
    """What one would ask of the scene; depth is that of the lowest point below the pad's face."""
    depth = scene.sizes[0] - run.position[:, 2]
    along = run.position[-1, 0] - run.position[0, 0]
    if scene.name == ROLL.name:
        numbers = {"rolled mm": 1e3 * along, "speed mm/s": 1e3 * run.velocity[-1, 0]}
    elif scene.name == BALL.name:
        rebound = run.velocity[int(depth.argmax()) :, 2].max()
        numbers = {
            "deepest mm": 1e3 * depth.max(),
            "rebound mm/s": 1e3 * rebound,
            "rolled mm": 1e3 * abs(along),
            "speed mm/s": 1e3 * abs(run.velocity[-1, 0]),
        }
    else:
        numbers = {"deepest mm": 1e3 * depth.max()}
    numbers |= {"depth at the end mm": 1e3 * depth[-1], "force at the end N": run.force[2]}
    return {key: float(value) for key, value in numbers.items()}


REASONS = {
    "stiction": "Drake's friction is regularised over 1 mm/s of slip; 0.1 mm/s here",
    "mesh": "Drake's mesh is inscribed: less contact at the same depth; the difference shrinks with its hint",
    "step": "Drake's step: the pressure at the end of the step damps like a relaxation of one step",
    "law": "NOT EXPLAINED: same law, other code",
    "memory": "friction with memory: our skin shears before it slides; Drake's slides at once and forgets",
    "rows": "ours: 16 blocks damp further out than the pressure lies, and the bound of friction is one step late",
    "our step": "our step",
}


def take_apart(
    first: float,
    theirs: dict[tuple[float, float], float],
    hints: tuple[float, ...],
    steps: tuple[float, float],
    ours: list[float],
) -> tuple[dict[str, float], float]:
    """The links of the chain, as parts of our number under Drake's law; and Drake's limit.

    first: Drake as it comes; theirs[hint, step]; ours: without memory, with it, rows at the fine step, at the coarse.
    """
    coarse, fine = steps
    h2, h1 = hints[-2:]
    no_mesh = theirs[h1, coarse] + (theirs[h1, coarse] - theirs[h2, coarse]) / ((h2 / h1) ** 2 - 1)
    limit = no_mesh + (theirs[h1, fine] - theirs[h1, coarse]) * coarse / (coarse - fine)
    chain = [first, theirs[hints[0], coarse], no_mesh, limit, *ours]
    scale = abs(ours[0])
    pairs = zip(REASONS, chain[:-1], chain[1:], strict=True)
    return {name: (after - before) / scale for name, before, after in pairs}, limit


def apart(a: Run, b: Run) -> tuple[float, float]:
    """Mean square distance of positions and of velocities, over the greatest displacement and speed of ``b``."""
    reach = np.linalg.norm(b.position - b.position[0], axis=1).max()
    fastest = np.linalg.norm(b.velocity, axis=1).max()

    def spread(x: np.ndarray, y: np.ndarray) -> float:
        return float(np.sqrt(np.mean(np.sum((x - y) ** 2, axis=1))))

    return spread(a.position, b.position) / reach, spread(a.velocity, b.velocity) / fastest


def compare(out: Any, scene: Scene, quick: bool) -> tuple[list[dict[str, Any]], dict[str, Run]]:
    hints = scene.hints[: 2 if quick else None]
    steps = (1e-3, 1e-4)
    finest = hints[-1]
    settings = [(hint, steps[0]) for hint in hints] + [(finest, steps[1])]
    theirs = {s: run_drake(scene, *s) for s in out.progress(settings, f"Drake, {scene.name}")}
    first = run_drake(scene, hints[0], steps[0], DEFAULT_STICTION)
    ours = {
        "memoryless": run_memoryless(scene, *((2e-5, 20) if quick else (1e-5, 40))),
        "explicit": run_ours(scene, steps[1], coupling="explicit"),
        "rows, fine step": run_ours(scene, steps[1]),
        "rows": run_ours(scene, steps[0]),
    }
    numbers = {s: measure(scene, r) for s, r in theirs.items()}
    start = measure(scene, first)
    own = [measure(scene, r) for r in ours.values()]
    rows = []
    for key in own[0]:
        values = {s: n[key] for s, n in numbers.items()}
        links, limit = take_apart(start[key], values, hints, steps, [n[key] for n in own])
        rows.append(
            {
                "scene": scene.name,
                "quantity": key,
                "drake_as_it_comes": start[key],
                "drake": [{"hint": h, "step": s, "value": v} for (h, s), v in values.items()],
                "drake_limit": limit,
                **{
                    f"ours_{name.replace(', ', '_').replace(' ', '_')}": n[key]
                    for name, n in zip(ours, own, strict=True)
                },
                "links": links,
                "reasons": [REASONS[name] for name, part in links.items() if abs(part) > LIMIT],
                "within": abs(links["law"]) < (QUICK_LIMIT if quick else LIMIT),
            }
        )
    over_time = [
        *((f"Drake, 1 ms, {1e3 * h:g} mm", theirs[h, steps[0]], ours["rows"]) for h in hints),
        (f"Drake, {1e3 * steps[1]:g} ms, {1e3 * finest:g} mm", theirs[finest, steps[1]], ours["rows, fine step"]),
        ("the same, our surfaces with Drake's law", theirs[finest, steps[1]], ours["memoryless"]),
    ]
    for name, a, b in over_time:
        position, speed = apart(a, b)
        rows.append({"scene": scene.name, "over_time": name, "position": position, "speed": speed})
    curves = {f"Drake, {1e3 * h:g} mm, {1e3 * s:g} ms": r for (h, s), r in theirs.items()}
    curves |= {
        f"taxel, {1e3 * steps[0]:g} ms": ours["rows"],
        f"taxel, {1e3 * steps[1]:g} ms": ours["rows, fine step"],
        "taxel with Drake's friction": ours["memoryless"],
    }
    return rows, curves


def show(out: Any, scene: Scene, rows: list[dict[str, Any]]) -> None:
    mine = [r for r in rows if "quantity" in r]
    settings = [(v["hint"], v["step"]) for v in mine[0]["drake"]]
    out.print(f"\n{scene.name}: {scene.mass:g} kg, modulus {scene.modulus:g} Pa, dissipation {scene.dissipation:g} s/m")
    out.print(
        table(
            (
                "",
                *(f"Drake {1e3 * h:g} mm {1e3 * s:g} ms" for h, s in settings),
                "its limit",
                "ours, its law",
                "explicit",
                "rows, fine",
                "rows 1 ms",
            ),
            [
                (
                    r["quantity"],
                    *(f"{v['value']:.4g}" for v in r["drake"]),
                    *(
                        f"{r[key]:.4g}"
                        for key in (
                            "drake_limit",
                            "ours_memoryless",
                            "ours_explicit",
                            "ours_rows_fine_step",
                            "ours_rows",
                        )
                    ),
                )
                for r in mine
            ],
        )
    )
    out.print("Where the difference comes from, % (over 2 % with its reason below):")
    out.print(
        table(
            ("", *REASONS, "in all", ""),
            [
                (
                    r["quantity"],
                    *(f"{100 * part:+.2f}" for part in r["links"].values()),
                    f"{100 * sum(r['links'].values()):+.2f}",
                    "within" if r["within"] else "OUTSIDE",
                )
                for r in mine
            ],
        )
    )
    for name, reason in REASONS.items():
        big = [r["quantity"] for r in mine if abs(r["links"][name]) > LIMIT]
        if big:
            out.print(f"  {name}: {reason} ({', '.join(big)})")
    out.print(
        table(
            ("over time, root mean square", "position %", "velocity %"),
            [
                (r["over_time"], f"{100 * r['position']:.2f}", f"{100 * r['speed']:.2f}")
                for r in rows
                if "over_time" in r
            ],
        )
    )


def draw(scene: Scene, curves: dict[str, Run], path: Path) -> None:
    plt = need_matplotlib()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for name, run in curves.items():
        t = SAMPLE * np.arange(len(run.position))
        style = {"lw": 1.6} if name.startswith("taxel") else {"lw": 1.0, "ls": "--"}
        left.plot(t, 1e3 * (scene.sizes[0] - run.position[:, 2]), label=name, **style)
        if scene.shape == "sphere":
            right.plot(t, 1e3 * (run.position[:, 0] - run.position[0, 0]), **style)
        else:
            right.plot(t, 1e3 * run.velocity[:, 2], **style)
    left.set(xlabel="time, s", ylabel="depth, mm", title=scene.name)
    if scene.name == BALL.name:
        left.set_ylim(-5, None)
    right.set(xlabel="time, s", ylabel="rolled, mm" if scene.shape == "sphere" else "vertical speed, mm/s")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def run(out: Any, folder: Path, quick: bool = False) -> dict[str, Any]:
    version = drake_version()
    rows = []
    for scene in scenes():
        fresh, curves = compare(out, scene, quick)
        show(out, scene, fresh)
        picture = folder / f"contact_drake_{scene.name.replace(' ', '_')}.png"
        draw(scene, curves, picture)
        out.print(f"picture: {picture}")
        rows += fresh
    depth, half = (1e3 * static_depth(CYLINDER, rim) for rim in (1.0, 0.5))
    out.print(
        f"\nStatics of the cylinder: {depth:.4f} mm. Drake's discrete solvers leave out faces whose pressure does not "
        f"rise along the normal, half of those at the pad's rim: {half:.4f} mm is what its depth at rest tends to."
    )
    return {"experiment": "contact-drake", "drake": version, "rows": rows}
