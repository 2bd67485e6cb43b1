"""Sharp edges on a gel's skin: without friction a tilted punch is not pushed sideways, whichever way it goes, and a way
there and back costs no work; normal forces are those of the elastic layer; a punch that
goes to 40 % of the thickness (box) or 60 % (cylinder) turns nothing inside out. Punches 4 cells wide, pads of 5 cells.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import taxel
from taxel.reference.elastic_layer import ElasticLayer, LayerGrid
from taxel.reference.layer_solvers import solve_normal

pytest.importorskip("scipy")

from test_gel_rest import box_mesh, turned

CELL = 1e-3
SIDE, HEIGHT = 4 * CELL, 5 * CELL
PUNCHES = {
    "box": taxel.Body.box((SIDE, SIDE, SIDE)),
    "cylinder": taxel.Body.cylinder(SIDE / 2, SIDE),
    "mesh": box_mesh((SIDE, SIDE, SIDE)),
}


class Press:
    """A punch tilted about y, its lowest edge at +x, all of it turned by 25 degrees about z."""

    def __init__(self, punch: str, tilt: float, cfl: float = 0.6) -> None:
        self.gel = taxel.Gel(
            taxel.Body.box((13 * CELL, 12 * CELL, HEIGHT)), cell=CELL, young=1e5, poisson=0.45, cfl=cfl
        )
        self.R = turned((0, 0, 1), 25) @ turned((0, 1, 0), tilt)
        down = self.R[2, :3]
        across = math.hypot(*down[:2]) if punch == "cylinder" else np.abs(down[:2]).sum()
        self.top = HEIGHT / 2 + SIDE / 2 * (abs(down[2]) + across)
        self.along = self.R[:2, 0] / np.linalg.norm(self.R[:2, 0])
        self.punch = self.gel.add(PUNCHES[punch], self.at(0, -0.05), friction=0.0)

    def at(self, way: float, deep: float) -> np.ndarray:
        x, y = self.along * way * CELL
        return taxel.pose((x, y + 0.13 * CELL, self.top - deep * CELL)) @ self.R

    def drag(self, start: float, end: float, deep: float) -> np.ndarray:
        """Forces against the way and normal ones."""
        out = []
        for way in np.linspace(start, end, 11)[1:]:
            self.gel.advance(76, self.at(way, deep))
            force = self.gel.force(self.punch)
            out.append((-math.copysign(1, end - start) * force[:2] @ self.along, force[2]))
        return np.array(out)


@pytest.mark.parametrize(
    ("punch", "tilt", "deep", "most"),
    [("box", 5, 0.4, 0.02), ("box", 10, 1, 0.025), ("cylinder", 10, 1, 0.03), ("mesh", 10, 1, 0.025),
     ("box", 25, 1, 0.04)],
)  # fmt: skip
def test_a_tilted_punch_is_not_pushed_sideways(punch, tilt, deep, most):
    press = Press(punch, tilt)
    press.gel.move(press.at(-0.5, deep))
    there, back = press.drag(-0.5, 0.5, deep), press.drag(0.5, -0.5, deep)
    for forces in (there, back):  # of a whole cell; before, nearly the tangent of the tilt: 0.08, 0.17, 0.42
        assert abs(forces[:, 0].sum()) < most * forces[:, 1].sum()
        assert np.abs(forces[:, 0] / forces[:, 1]).max() < 4 * most
    work = np.concatenate([there, back]).mean(axis=0)
    assert -0.005 < work[0] / work[1] < 0.025  # what the gel's damping takes


def layer_force(tilt: float, deep: float) -> float:
    """Of the box on an elastic layer, extrapolated from two grids."""
    forces = []
    for per_cell in (4, 8):
        n = 40 * per_cell
        layer = ElasticLayer(thickness=HEIGHT, young=1e5, poisson=0.45)
        grid = LayerGrid(layer, (n, n), CELL / per_cell)
        x, y = np.meshgrid(grid.x, grid.y, indexing="ij")
        edge = SIDE / 2 * math.cos(math.radians(tilt))
        overlap = deep * CELL - (edge - x) * math.tan(math.radians(tilt))
        overlap = np.where((np.abs(x) < edge) & (np.abs(y) < SIDE / 2), overlap, -np.inf)
        forces.append(solve_normal(grid.normal, overlap, np.zeros_like(overlap), 1e-4).sum() * grid.cell_area)
    return 2 * forces[1] - forces[0]


@pytest.mark.parametrize(("tilt", "deep"), [(0, 0.4), (5, 0.4), (10, 0.4), (10, 1)])
def test_the_force_of_a_sharp_punch_is_that_of_the_elastic_layer(tilt, deep):
    press = Press("box", tilt)
    press.gel.move(press.at(-0.5, deep))
    force = press.drag(-0.5, 0.5, deep)[:, 1].mean()
    assert force / layer_force(tilt, deep) == pytest.approx(1, abs=0.06)  # 1.06 to 1.10 before


@pytest.mark.parametrize(("punch", "deep"), [("box", 2), ("cylinder", 3)])
def test_a_deep_sharp_punch_turns_nothing_inside_out(punch, deep):
    press = Press(punch, 0, cfl=0.3)
    press.gel.move(press.at(0.07, deep))
    J = np.linalg.det(press.gel.deformations)
    assert J.min() > 0.01  # -0.14 and -1.3 before
    assert J.max() < 1.5
