"""Integrals over the cell of a column: those in registers are those over the clipped polygon, and the closed form's.

Cases: quadrilaterals that are no squares; planes that cut off one, two and three corners, and those that cut none.
"""

import numpy as np
import pytest

wp = pytest.importorskip("warp")

from taxel.warp.cell import Polygon, clip, integrate, integrate_above, integrate_quad  # noqa: E402


@wp.kernel(enable_backward=False)
def both_ways(
    x: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4), f: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=float)
):
    i = wp.tid()
    p = Polygon()
    p.n = 4
    for q in range(4):
        p.x[q] = x[i][q]
        p.y[q] = y[i][q]
    p = clip(p, f[i])
    known = integrate(p)
    found = integrate_quad(x[i], y[i])
    if p.n != 4 or known.area < 0.999999 * found.area:
        found = integrate_above(x[i], y[i], f[i])
    out[i, 0] = known.area
    out[i, 1] = known.s
    out[i, 2] = known.t
    out[i, 3] = known.ss
    out[i, 4] = known.st
    out[i, 5] = known.tt
    out[i, 6] = found.area
    out[i, 7] = found.s
    out[i, 8] = found.t
    out[i, 9] = found.ss
    out[i, 10] = found.st
    out[i, 11] = found.tt


def test_cut_cells_in_registers_are_those_of_polygons():
    rng = np.random.default_rng(4)
    n = 4000
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.8e-3
    quads = corners * rng.uniform(0.6, 1.3, (n, 1, 2)) + rng.uniform(-1e-4, 1e-4, (n, 4, 2))
    angle = rng.uniform(0, 2 * np.pi, n)
    slope = np.column_stack([np.cos(angle), np.sin(angle)])
    f = np.column_stack([rng.uniform(-1.2e-3, 1.2e-3, n), slope])
    height = f[:, :1] + np.einsum("nqk,nk->nq", quads, slope)
    some = (height > 1e-7).any(1)
    quads, f, height = quads[some], f[some], height[some]
    cut = (height < 0).sum(1)
    assert all((cut == k).sum() > 100 for k in range(4))
    out = wp.zeros((len(f), 12), dtype=float, device="cpu")
    inputs = [
        wp.array(a.astype(np.float32), dtype=kind, device="cpu")
        for a, kind in ((quads[..., 0], wp.vec4), (quads[..., 1], wp.vec4), (f, wp.vec3))
    ]
    wp.launch(both_ways, len(f), inputs, [out], device="cpu")
    found = out.numpy()
    size = 1.6e-3 ** np.array([2, 3, 3, 4, 4, 4])
    assert np.abs(found[:, 6:] - found[:, :6]).max(0) == pytest.approx(np.zeros(6), abs=2e-6 * size.max())
    assert (np.abs(found[:, 6:] - found[:, :6]) < 2e-6 * size).all()
    whole = found[cut == 0, 6]
    x, y = quads[cut == 0, :, 0], quads[cut == 0, :, 1]
    shoelace = 0.5 * (x * np.roll(y, -1, 1) - np.roll(x, -1, 1) * y).sum(1)
    assert whole == pytest.approx(shoelace, rel=1e-5)
