"""Stick-slip of ``lugre_curve`` in MuJoCo: a block on a pad of 12 bristles that share its weight, on a spring."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import taxel

from ..contact.scenes import GRAVITY
from .lugre_solver import RUBBER, Bristle, pulled

COLUMNS, ROWS = 4, 3
STIFFNESS, DAMPING, DEPTH = 5000.0, 20.0, 0.002  # of one bristle along the normal: N/m, N s/m, m


def block_on_bristles(b: Bristle, form: str, mass: float, spring: float, step: float, coupling: str) -> mujoco.MjModel:
    """The block slides along x and z; it starts where the springs of the bristles hold it."""
    taxel.load()
    count = COLUMNS * ROWS
    keys = {
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "depth": DEPTH,
        "friction": f"{b.mu_s} {b.mu_d}",
        "stribeck_speed": b.x0,
        "sigma0": b.sigma0 / count,
        "sigma1": b.sigma1 / count,
        "viscosity": b.viscosity / count,
        "form": form,
        "shape": f"{COLUMNS} {ROWS}",
        "coupling": coupling,
    }
    entries = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    sunk = mass * GRAVITY / (count * STIFFNESS)
    # The block reaches far beyond the pad, so that every bristle is pressed however far it slides.
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco>
        <option cone="elliptic" timestep="{step}" integrator="implicitfast" gravity="0 0 {-GRAVITY}"/>
        <extension><plugin plugin="taxel"><instance name="skin">{entries}</instance></plugin></extension>
        <custom><tuple name="skin"><element objtype="geom" objname="pad"/></tuple></custom>
        <worldbody>
          <geom name="pad" type="box" size="0.02 0.015 0.005" pos="0 0 -0.005"/>
          <body name="block" pos="0 0 {0.01 - sunk}">
            <joint type="slide" axis="1 0 0" stiffness="{spring}"/>
            <joint type="slide" axis="0 0 1"/>
            <geom name="block" type="box" size="0.1 0.05 0.01" mass="{mass}"/>
          </body>
        </worldbody>
        </mujoco>"""
    )


def pull_in_mujoco(model: mujoco.MjModel, spring: float, speed: float, times: np.ndarray) -> np.ndarray:
    """Position of the block at ``times``, which are whole steps apart."""
    data = mujoco.MjData(model)
    step = model.opt.timestep
    every = round((times[1] - times[0]) / step)
    x = np.zeros(len(times))
    for i in range(every * (len(times) - 1)):
        data.qfrc_applied[0] = spring * speed * (i + 0.5) * step  # the far end of the spring moves on
        mujoco.mj_step(model, data)
        if (i + 1) % every == 0:
            x[(i + 1) // every] = data.qpos[0]
    return x


def coupled(out: Any, quick: bool, curves: dict[str, Any], scene: tuple[float, float, float]) -> list[dict[str, Any]]:
    """Rows over couplings, forms and time steps; ``curves["coupled"]`` gets what a picture needs.

    The spring's force over the time of the first slip, against the solver. Both couplings are of first order in the
    step: a slip comes late, or early, by a part of a step. Added to that, a row cannot weigh less than 1e-4 of the
    mass in MuJoCo, which is like 1e-4 of the mass more for each block: hence the floor in the bar.
    """
    mass, spring, speed = scene
    times = np.linspace(0, 2.5, 251)
    rows = []
    found = curves["coupled"] = {}
    steps = [1e-3, 1.25e-4] if quick else [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5]
    out.print(f"\nin MuJoCo on {COLUMNS * ROWS} bristles, greatest difference of the spring's force, by time step")
    out.print(" " * 28 + "".join(f"{1e3 * step:8g} ms" for step in steps))
    for form in ("passive", "paper"):
        expected = spring * (speed * times - pulled(RUBBER, mass, spring, speed, times, form)[0])
        for coupling in ("rows", "explicit"):
            errors = []
            for step in steps:
                model = block_on_bristles(RUBBER, form, mass, spring, step, coupling)
                force = spring * (speed * times - pull_in_mujoco(model, spring, speed, times))
                worst = float(np.abs(force - expected).max() / np.abs(expected).max())
                errors.append(worst)
                rows.append(
                    {"case": f"MuJoCo, {coupling}", "form": form, "step": step, "difference": worst}
                    | {"within": worst < 30 * step + 1e-3}
                )
            first = steps.index(1e-3)
            order = float(np.log(errors[first] / errors[-1]) / np.log(steps[first] / steps[-1]))
            rows.append({"case": f"MuJoCo, {coupling}: order", "form": form, "order": order, "within": order > 0.7})
            found[coupling, form] = (steps, errors)
            text = "".join(f"{e:11.1e}" for e in errors)
            out.print(f"{'stick-slip, ' + coupling:20} {form:7}{text}   order {order:.2f}")
    return rows
