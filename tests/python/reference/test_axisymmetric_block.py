"""The finite-element block: Hertz on a big one, the layer on a wide one, a free side, near-incompressible, refusals."""

import numpy as np
import pytest

from taxel.reference import AxisymmetricBlock, ElasticLayer, LayerContact, LayerGrid, Sphere
from taxel.reference.axisymmetric_block import complementary
from taxel.reference.closed_forms import Hertz


@pytest.mark.parametrize("poisson", [0.0, 0.49])
def test_a_small_contact_on_a_big_block_is_hertz(poisson):
    R, a, young = 0.8, 0.008, 3e5
    hertz = Hertz(a, R, young, poisson)
    press = AxisymmetricBlock(3.0, 3.5, young, poisson).press(R, hertz.depth, 12)
    assert press.force == pytest.approx(hertz.force, rel=3e-3)
    assert press.contact_radius == pytest.approx(a, rel=0.02)
    inside = press.r < 0.9 * a
    profile = hertz.peak * np.sqrt(1.0 - (press.r[inside] / a) ** 2)
    assert np.abs(press.pressure[inside] - profile).max() < 0.02 * hertz.peak


@pytest.mark.parametrize(("poisson", "R", "depth"), [(0.25, 1.0, 0.05), (0.45, 2.0, 0.045)])
def test_a_wide_block_is_the_layer(poisson, R, depth):
    grid = LayerGrid(ElasticLayer(1.0, 1.0, poisson), (256, 256), 0.024)
    X_PI = np.eye(4)
    X_PI[2, 3] = R - depth
    layer = LayerContact(grid, Sphere(R), 0.0, step=1.0).move(X_PI)
    press = AxisymmetricBlock(6.0, 1.0, 1.0, poisson).press(R, depth)
    assert press.force == pytest.approx(-layer.force[2], rel=0.01)
    assert press.contact_radius == pytest.approx(np.sqrt(layer.contact_area / np.pi), rel=0.03)


def test_a_free_side_softens_and_refinement_settles():
    wide, narrow = (AxisymmetricBlock(r, 1.0, 1.0, 0.49) for r in (3.0, 0.6))
    assert narrow.press(1.0, 0.05).force < 0.9 * wide.press(1.0, 0.05).force
    coarse, fine = (narrow.press(1.0, 0.05, n).force for n in (8, 16))
    assert coarse == pytest.approx(fine, rel=5e-3)


def test_complementary_leaves_no_pull_and_no_overlap():
    A = np.array([[2.0, 0.7, 0.1], [0.7, 1.5, 0.6], [0.1, 0.6, 1.0]])
    g = np.array([-1.0, -0.3, 0.4])
    p = complementary(A, g)
    gap = A @ p + g
    assert (p >= 0).all() and (gap >= -1e-12).all() and abs(p @ gap) < 1e-12
    assert p[0] == pytest.approx(0.5) and p[1] == 0.0


@pytest.mark.parametrize("field", ["radius", "height", "young", "poisson"])
def test_bad_blocks_are_refused_by_name(field):
    values = {"radius": 1.0, "height": 1.0, "young": 1.0, "poisson": 0.3, field: -0.1}
    with pytest.raises(ValueError, match=field):
        AxisymmetricBlock(**values)


@pytest.mark.parametrize(
    ("R", "depth", "word"), [(-1.0, 0.1, "sphere_radius"), (1.0, 1.5, "depth"), (1.0, 0.0, "depth")]
)
def test_bad_presses_are_refused_by_name(R, depth, word):
    with pytest.raises(ValueError, match=word):
        AxisymmetricBlock(2.0, 1.2, 1.0, 0.3).press(R, depth)
