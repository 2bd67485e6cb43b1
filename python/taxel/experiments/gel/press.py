"""The gel of particles against exact solutions and an independent finite-element block.

A frictionless sphere is pressed into a round block (radius 0.75 of its height) bonded at its base; the reference is
`taxel.reference.AxisymmetricBlock`: small strains, another method, no shared code. The gel has finite strains, so
what both should agree on is the limit of small d / R; the refinement is done there.

    grid        h / cell, cells in the height
    a / h       sqrt(R d) / h
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from ...reference import AxisymmetricBlock, BlockPress
from ...report import need_matplotlib, table
from . import laws
from . import press_plots as plots

YOUNG, HEIGHT = 2e5, 12e-3
FORCE_BAR, PATCH_BAR, TORSION_BAR, VIBRATION_BAR, EARLY_BAR = 0.05, 0.01, 0.03, 0.02, 0.01
MOMENTUM_BAR = 1e-5


@dataclass(frozen=True)
class Case:
    """Lengths in heights of the block."""

    name: str
    poisson: float
    cells: int
    """In the height; the cell is height / cells."""
    sphere: float
    depth: float
    radius: float = 0.75
    turned: str = ""
    """"": as the grid; "particles": turned against it; "shape": a turned mesh, filled along the grid."""


def cases(quick: bool) -> list[Case]:
    """Depth of one cell at a/h = 0.1 and 0.3; refinement at d/R = 0.01; turned; the pad of EIP (5.1 cells thick)."""
    found = []
    for nu in (0.25, 0.45) if quick else (0.25, 0.45, 0.49):
        n = 20 if quick else 24
        found.append(Case("one cell deep", nu, n, 0.01 * n, 1 / n, 0.5))
        n = 12 if quick else 16
        found.append(Case("one cell deep", nu, n, 0.09 * n, 1 / n))
    for nu in (0.25, 0.45):
        for n in (6, 12) if quick else (8, 16, 24):
            found.append(Case("refined", nu, n, 3.0, 0.03))
    n = 10 if quick else 14
    for turned in ("", "particles", "shape"):
        found.append(Case("turned" if turned else "not turned", 0.45, n, 0.09 * n, 1 / n, turned=turned))
    # The pad of the paper: 0.04 thick, 0.24 wide, cells of 1/128; a round one of the same area.
    wide = 0.24 / 0.04 / math.sqrt(math.pi)
    for nu in (0.25,) if quick else (0.25, 0.45, 0.49):
        found.append(Case("thin pad", nu, 5, 12 / 5.12, 1 / 5.12, wide))
    return found


def cylinder_mesh(radius: float, height: float, sides: int = 96) -> tuple[np.ndarray, np.ndarray]:
    """A prism of the same area as the circle."""
    angle = 2 * math.pi * np.arange(sides) / sides
    rim = radius * math.sqrt(2 * math.pi / sides / math.sin(2 * math.pi / sides))
    ring = np.column_stack([rim * np.cos(angle), rim * np.sin(angle), np.zeros(sides)])
    up = np.array([0, 0, height / 2])
    vertices = np.vstack([ring - up, ring + up, -up, up])
    k, j = np.arange(sides), (np.arange(sides) + 1) % sides
    low, high = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    parts = [(k, j, j + sides), (k, j + sides, k + sides), (j, k, low), (k + sides, j + sides, high)]
    return vertices, np.concatenate([np.column_stack(part) for part in parts])


class Press:
    """A block and a sphere ``above`` it (cells); ``to`` takes the sphere to a depth."""

    def __init__(self, case: Case, above: float = 0.02, **options: Any) -> None:
        self.case = case
        self.cell = HEIGHT / (5.12 if case.name == "thin pad" else case.cells)
        self.sphere, self.depth, radius = (HEIGHT * v for v in (case.sphere, case.depth, case.radius))
        self.block = AxisymmetricBlock(radius, HEIGHT, YOUNG, case.poisson)
        self.R = laws.turn(math.radians(30)) if case.turned else np.eye(3)
        self.shift = self.cell * np.array([0.31, -0.22, 0.17]) if case.turned else np.zeros(3)
        options = {"poisson": case.poisson, **options}
        if case.turned == "shape":
            v, t = cylinder_mesh(radius, HEIGHT)
            mesh = (v @ self.R.T + self.shift, t)
            self.gel = taxel.Gel(mesh, cell=self.cell, young=YOUNG, out=self.R[:, 2], **options)
        else:
            shape = taxel.Body.cylinder(radius, HEIGHT)
            self.gel = laws.placed(shape, self.cell, self.R, self.shift, out=self.R[:, 2], **options)
        self.gel.add(taxel.Body.sphere(self.sphere), self.pose(-above * self.cell), friction=0.0)

    def pose(self, depth: float) -> np.ndarray:
        return taxel.pose(self.shift + self.R[:, 2] * (HEIGHT / 2 + self.sphere - depth), R=self.R)

    def to(self, depth: float, **options: Any) -> float:
        """N along the block's axis."""
        self.gel.move(self.pose(depth), **options)
        return float(self.gel.force() @ self.R[:, 2])

    def reference(self, depth: float, resolution: int = 12) -> BlockPress:
        return self.block.press(self.sphere, depth, resolution)

    def rings(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean radius and pressure between radii: force over the rest area of the points there."""
        gel = self.gel
        push = -(gel.point_forces @ self.R[:, 2])
        x = (gel.skin_positions[: len(push)] - self.shift) @ self.R
        r = np.hypot(x[:, 0], x[:, 1])
        which = np.digitize(r, edges) - 1
        inside = (which >= 0) & (which < len(edges) - 1)
        force, area, number, radius = (
            np.bincount(which[inside], weight[inside], len(edges) - 1)
            for weight in (push, gel.contact_areas, np.ones(len(r)), r)
        )
        return radius / np.maximum(number, 1), force / np.where(area > 0, area, 1.0)

    def contact_radius(self) -> float:
        """Where a ring's pressure is spread to: from the second moment, which is 2/5 a^2 for Hertz's profile."""
        gel = self.gel
        x = (gel.skin_positions[: len(gel.contact_points)] - self.shift) @ self.R
        push = np.maximum(-(gel.point_forces @ self.R[:, 2]), 0.0)
        return math.sqrt(2.5 * float(push @ (x[:, 0] ** 2 + x[:, 1] ** 2) / push.sum()))


def moment_radius(found: BlockPress) -> float:
    """The same for the reference."""
    weight = found.pressure * found.r
    return math.sqrt(2.5 * np.trapezoid(weight * found.r**2, found.r) / np.trapezoid(weight, found.r))


def press_row(case: Case) -> dict[str, Any]:
    press = Press(case)
    force = press.to(press.depth)
    found = press.reference(press.depth)
    return {
        "test": "press",
        "case": case.name + (f", {case.turned}" if case.turned else ""),
        "poisson": case.poisson,
        "grid": HEIGHT / press.cell,
        "a_h": math.sqrt(case.sphere * case.depth),
        "d_cell": press.depth / press.cell,
        "d_R": case.depth / case.sphere,
        "ratio": force / found.force,
        "sideways": float(np.linalg.norm(press.gel.force() - force * press.R[:, 2]) / force),
        "radius": press.contact_radius() / moment_radius(found),
        "particles": len(press.gel),
        "within": bool(abs(force / found.force - 1) < FORCE_BAR),
    }


def touch_curve(quick: bool) -> dict[str, Any]:
    """Force over depth from above the surface; the greatest force before touch over that at one cell."""
    n = 12 if quick else 16
    press = Press(Case("touch", 0.25, n, 0.09 * n, 1 / n), above=0.45)
    gaps, early = np.array([0.3, 0.15, 0.05, 0.01, 0.001]), 0.0
    for gap in gaps:
        press.gel.advance(40, press.pose(-gap * press.cell), smooth=True)  # force: mean over these steps
        early = max(early, float(np.abs(press.gel.force()).max()))
    depths = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.25, 1.5])
    forces = np.array([press.to(press.cell * d) for d in depths])
    exact = np.array([press.reference(press.cell * d).force for d in depths])
    early /= float(np.interp(1.0, depths, forces))
    return {"gaps": gaps, "depth": depths, "force": forces, "reference": exact, "early": early}


def profile(poisson: float, quick: bool) -> dict[str, Any]:
    n = 16 if quick else 24
    press = Press(Case("profile", poisson, n, 3.0, 0.03))
    press.to(press.depth)
    found = press.reference(press.depth, 24)
    wide = 2 * math.pi * found.r * found.pressure
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (wide[1:] + wide[:-1]) * np.diff(found.r))])

    def worst(cells: int) -> float:
        """Greatest difference of the means in rings that many cells wide, inside 0.9 of the contact, over the peak."""
        edges = np.arange(0.0, 0.9 * found.contact_radius, cells * press.cell)
        mean = np.diff(np.interp(edges, found.r, whole)) / (math.pi * np.diff(edges**2))
        return float(np.abs(press.rings(edges)[1] - mean).max() / found.pressure[0])

    r, p = press.rings(np.arange(0.0, 1.4 * found.contact_radius, press.cell))
    return {
        "poisson": poisson,
        "r": r / found.contact_radius,
        "p": p / found.pressure[0],
        "exact": (found.r / found.contact_radius, found.pressure / found.pressure[0]),
        "worst": (worst(1), worst(2)),
        "grid": n,
    }


def profile_line(found: dict[str, Any]) -> str:
    one, two = (100 * worst for worst in found["worst"])
    return (
        f"pressure in rings of one cell and of two, nu {found['poisson']:g}: off by at most {one:.1f} and {two:.1f} % "
        "of the peak"
    )


def scaling() -> dict[str, Any]:
    """Force over E of a soft and a hard gel: the same number, as E only scales time."""
    forces = []
    for young in (1e4, 1e7):
        gel = taxel.Gel(taxel.Body.cylinder(6e-3, 8e-3), cell=1e-3, young=young, poisson=0.3)
        gel.add(taxel.Body.sphere(8e-3), taxel.pose((0, 0, 12.01e-3)), friction=0.0)
        gel.move(taxel.pose((0, 0, 11.2e-3)))
        forces.append(float(gel.force()[2]) / young)
    return {"difference": abs(forces[1] / forces[0] - 1)}


def law_rows(quick: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def add(test: str, what: str, value: float, off: float, bar: float) -> None:
        rows.append({"test": test, "what": what, "value": value, "within": bool(off < bar)})

    for nu in (0.25, 0.45):
        for kind, turns in (("uniaxial", (0, 30)), ("shear", (0, 45))):
            for degrees in turns:
                # Half the cells: twice the error.
                cell, bar = (laws.CELL, 2 * PATCH_BAR) if quick else (laws.CELL / 2, PATCH_BAR)
                found = laws.patch(kind, nu, degrees, cell=cell)
                for name, value in found.items():
                    add(kind, f"{name}, nu {nu:g}, turned by {degrees}", value, abs(value - 1), bar)
    for nu in (0.25,) if quick else (0.25, 0.45):
        n = 8 if quick else 16
        value = laws.torsion(nu, 30, n)["torque"]
        add("torsion", f"torque, nu {nu:g}, radius {n} cells, turned by 30", value, abs(value - 1), TORSION_BAR)
    for n in (16, 24) if quick else (16, 24, 32):
        found = laws.torsional_vibration(0.25, n)
        bar = VIBRATION_BAR if n >= 24 else 2 * VIBRATION_BAR
        add("vibration", f"torsion, {n} cells, turned by 20", found["frequency"], abs(found["frequency"] - 1), bar)
        rows[-1] |= {"energy": found["energy"], "curve": found["curve"]}
    for nu, n in ((0.25, 8),) if quick else ((0.25, 8), (0.25, 16), (0.45, 8), (0.45, 16)):
        found = laws.breathing(nu, n)
        off = abs(found["frequency"] - 1)
        add("vibration", f"ball, radius {n} cells, nu {nu:g}", found["frequency"], off, VIBRATION_BAR)
        rows[-1] |= {"energy": found["energy"], "curve": found["curve"]}
    found = laws.flight()
    change = found["momentum"]
    add("flight", f"momentum, change in {found['steps']} steps", change, change, MOMENTUM_BAR)
    rows.append(
        {"test": "flight", "what": "energy left", "value": found["energy"], "within": bool(found["energy"] <= 1)}
    )
    off = scaling()["difference"]
    add("scaling", "force / E of 10 kPa against 10 MPa, difference", off, off, 1e-3)
    return rows


def run(out: Any, folder: Path, quick: bool) -> dict[str, Any]:
    plt = need_matplotlib()
    presses = [press_row(case) for case in out.progress(cases(quick), "presses")]
    head = ("sphere on a bonded block", "nu", "h/cell", "a/h", "d/cell", "d/R", "F/F_ref", "a/a_ref", "sideways")
    out.print(table(head, [
        (r["case"], f"{r['poisson']:g}", f"{r['grid']:.3g}", f"{r['a_h']:.2f}", f"{r['d_cell']:.2f}", f"{r['d_R']:.3f}",
         f"{r['ratio']:.4f}", f"{r['radius']:.3f}", f"{r['sideways']:.1e}")
        for r in presses
    ]))  # fmt: skip
    touch = touch_curve(quick)
    out.print(f"\nforce before touch, over that at one cell: {touch['early']:.2e}")
    for d, f, e in zip(touch["depth"], touch["force"], touch["reference"], strict=True):
        out.print(f"   depth {d:4.2f} cells: F/F_ref {f / e:.3f}")
    profiles = [profile(nu, quick) for nu in ((0.25,) if quick else (0.25, 0.45))]
    for p in profiles:
        out.print(profile_line(p))
    rows = law_rows(quick)
    out.print("")
    out.print(table(("test", "what", "value"), [(r["test"], r["what"], f"{r['value']:.5g}") for r in rows], left=2))
    out.print("\nenergy left after a period without damping: " + ", ".join(
        f"{r['what']} {r['energy']:.3f}" for r in rows if "energy" in r))  # fmt: skip
    picture = plots.draw(plt, presses, touch, profiles, rows, folder / "gel_press.png")
    out.print(f"picture: {picture}")
    early = {"test": "touch", "early": touch["early"], "within": bool(touch["early"] < EARLY_BAR)}
    return {
        "experiment": "gel-press",
        "quick": quick,
        "rows": [*presses, early, *({k: v for k, v in r.items() if k != "curve"} for r in rows)],
        "touch": touch,
        "profiles": profiles,
        "pictures": [picture],
    }
