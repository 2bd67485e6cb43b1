"""The friction of a bristle (LuGre) against an independent solver.

1. Steady sliding: the friction curve of the paper's foam (its Fig. 7), both forms, over the closed form and the solver.
2. Pre-sliding: from rest, faster and faster; the force rises with the stiffness sigma0, breaks away and falls. The
   faster it speeds up, the less force it breaks away with.
3. Reversal: loops of a swing that hardly slides and of one that slides far.
4. Stick-slip: a mass on a stiff contact, pulled by a spring whose end moves at a constant speed.
5. The same mass in MuJoCo, on a pad of 12 bristles, over time steps and couplings.

The solver is scipy's Radau with a tolerance of 1e-9 or less (``lugre_solver``); it shares no code with the core.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .lugre_mujoco import coupled
from .lugre_solver import FOAM, RUBBER, Bristle, driven, pulled, steady

FORMS = ("passive", "paper")
STEADY_BAR, BAR = 1e-6, 1e-3
MASS, SPRING, PULL = RUBBER.load / 9.81, 400.0, 0.005  # kg, N/m, m/s


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Greatest difference over the greatest value."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def steady_sliding(quick: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    speeds = np.linspace(0, 2.6, 14 if quick else 53)[1:]
    rows, curves = [], {"speed": speeds}
    for form in FORMS:
        law = FOAM.law(form)
        closed = FOAM.dry(speeds) + FOAM.viscosity * speeds
        if form == "passive":
            closed = np.minimum(closed, FOAM.cone)
        slid = np.empty_like(speeds)
        for i, v in enumerate(speeds):  # 60 break-away lengths, in steps of half of one
            slid[i] = law.run(np.full(120, v), FOAM.load, 0.5 * FOAM.breakaway / v)[0][-1]
        some = slice(None, None, 4 if quick else 6)
        solved = np.array([steady(FOAM, v, form) for v in speeds[some]])
        worst = {
            "closed form": float(np.abs(slid / closed - 1).max()),
            "solver": float(np.abs(slid[some] / solved - 1).max()),
            "steady()": float(np.abs(law.steady(speeds, FOAM.load) / closed - 1).max()),
        }
        rows += [
            {"case": f"steady, against {what}", "form": form, "difference": e, "within": e < STEADY_BAR}
            for what, e in worst.items()
        ]
        curves[form] = slid
    return rows, curves


def motion(
    b: Bristle, velocity, times: np.ndarray, substeps: int, form: str, turns=()
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """(middles of the intervals of ``times``, mean force over them, that of the solver, worst difference)."""
    fine = np.linspace(times[0], times[-1], substeps * (len(times) - 1) + 1)
    force, z = b.law(form).run(velocity(0.5 * (fine[1:] + fine[:-1])), b.load, fine[1] - fine[0])
    force = force.reshape(-1, substeps).mean(axis=1)
    expected, z_expected = driven(b, velocity, times, form, turns)
    worst = max(difference(force, expected), difference(z[substeps - 1 :: substeps], z_expected))
    return 0.5 * (times[1:] + times[:-1]), force, expected, worst


def presliding(quick: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, curves = [], []
    way = 8 * FOAM.breakaway
    for acceleration in (0.05, 1.5) if quick else (0.02, 0.2, 1.5):
        end = np.sqrt(2 * way / acceleration)
        times = np.linspace(0, end, 201)
        for form in FORMS:
            t, force, expected, worst = motion(FOAM, lambda t, a=acceleration: a * t, times, 8, form)
            rows.append(
                {"case": f"pre-sliding, {acceleration:g} m/s2", "form": form, "difference": worst}
                | {"breakaway_force": float(force.max()), "within": worst < BAR}
            )
            curves.append(
                {"acceleration": acceleration, "form": form, "way": 0.5 * acceleration * t**2}
                | {"force": force, "solver": expected}
            )
    return rows, curves


def reversal(quick: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, curves = [], []
    period = 20.0
    w = 2 * np.pi / period
    for share in (0.5, 3.0):
        amplitude = share * FOAM.breakaway
        times = np.linspace(0, 1.5 * period, 241)
        turns = period * np.array([0.25, 0.75, 1.25])
        for form in FORMS:
            t, force, expected, worst = motion(
                FOAM, lambda t, a=amplitude: a * w * np.cos(w * t), times, 8 if quick else 16, form, turns
            )
            x = amplitude * np.sin(w * t)
            lap = t > 0.5 * period  # the last whole swing
            loss = float(np.sum(force[lap] * amplitude * w * np.cos(w * t[lap])) * (times[1] - times[0]))
            rows.append(
                {"case": f"reversal, {share:g} x break-away", "form": form, "difference": worst, "loss": loss}
                | {"within": worst < BAR and loss > 0}
            )
            curves.append({"amplitude": amplitude, "form": form, "x": x, "force": force, "solver": expected})
    return rows, curves


def pull_with_law(b: Bristle, form: str, times: np.ndarray, substeps: int) -> np.ndarray:
    """(3, n): position, velocity, friction of the mass, by the implicit midpoint rule with ``LuGre.run``."""
    law = b.law(form)
    h = (times[1] - times[0]) / substeps
    x = v = z = 0.0
    out = np.zeros((3, len(times)))
    for i in range((len(times) - 1) * substeps):
        end = SPRING * PULL * (i + 0.5) * h
        v_mid = v
        for _ in range(20):
            force, deflection = law.run([v_mid], b.load, h, z)
            new = v + 0.5 * h * (end - SPRING * (x + 0.5 * h * v_mid) - force[0]) / MASS
            done = abs(new - v_mid) < 1e-10 * PULL
            v_mid = new
            if done:
                break
        x, v, z = x + h * v_mid, 2 * v_mid - v, deflection[0]
        if (i + 1) % substeps == 0:
            out[:, (i + 1) // substeps] = x, v, force[0]
    return out


def stick_slip(quick: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    # Sampled at 5 ms; the midpoint rule takes 0.25 ms.
    times = np.linspace(0, 2.5 if quick else 5.0, 501 if quick else 1001)
    rows, curves = [], {"t": times}
    for form in FORMS:
        found = pull_with_law(RUBBER, form, times, 20)
        expected = pulled(RUBBER, MASS, SPRING, PULL, times, form)
        spring = [SPRING * (PULL * times - y[0]) for y in (found, expected)]
        worst = difference(*spring)
        slips = int(((found[1][1:] > 4 * PULL) & (found[1][:-1] <= 4 * PULL)).sum())
        rows.append(
            {"case": "stick-slip", "form": form, "difference": worst, "slips": slips}
            | {"within": worst < BAR and slips >= (1 if quick else 3)}
        )
        curves[form] = {"x": found[0], "v": found[1], "spring": spring[0], "solver": spring[1], "x_solver": expected[0]}
    return rows, curves


def run(out, folder: Path, quick: bool) -> dict[str, Any]:
    from .lugre_pictures import animate, plot

    rows: list[dict[str, Any]] = []
    curves: dict[str, Any] = {}
    for name, part in (
        ("steady", steady_sliding),
        ("presliding", presliding),
        ("reversal", reversal),
        ("stick_slip", stick_slip),
    ):
        found, curves[name] = part(quick)
        rows += found
    active = FOAM.law("paper").active_above(FOAM.load)
    out.print("                                   form      greatest difference")
    for r in rows:
        out.print(f"{r['case']:34} {r['form']:8} {r['difference']:10.1e}" + ("" if r["within"] else "  <--"))
    out.print(f"\nthe foam as printed can create energy above {active:.3g} m/s")
    rows += coupled(out, quick, curves, (MASS, SPRING, PULL))
    pictures = [plot(folder, curves, active), animate(folder, curves["stick_slip"], PULL, quick)]
    for picture in pictures:
        out.print(f"picture: {picture}")
    return {"experiment": "lugre-curve", "rows": rows, "active_above": active, "pictures": pictures}
