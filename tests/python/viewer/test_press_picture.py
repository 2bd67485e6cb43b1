"""The dent of a press from above: gaps between faces of columns are closed, what lies beside the contact is not."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from taxel.viewer.press_picture import imprint


def test_narrow_gaps_are_closed_and_wide_ones_stay():
    """Three plates at heights 1, 2, 3 mm: 1 % of the width between the first two, a third between the others."""
    vertices, triangles = [], []
    for k, (x0, x1) in enumerate(((0.0, 0.3), (0.31, 0.5), (0.8, 1.0))):
        z = 1e-3 * (k + 1)
        vertices += [(x0, 0, z), (x1, 0, z), (x1, 1, z), (x0, 1, z)]
        triangles += [(4 * k, 4 * k + 1, 4 * k + 2), (4 * k, 4 * k + 2, 4 * k + 3)]
    mark = imprint(np.array(vertices, float), np.array(triangles))
    found = mark.at(np.array([(0.15, 0.5), (0.305, 0.4), (0.4, 0.6), (0.65, 0.5), (0.9, 0.5)]))
    assert found[[0, 2, 4]] == pytest.approx([1e-3, 2e-3, 3e-3])
    assert found[1] == pytest.approx(1.5e-3)
    assert np.isnan(found[3])
