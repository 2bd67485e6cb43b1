"""Mode "taxel" against the slow NumPy version of taxel_mode_reference.py, to 1e-6 px.

- random paths in SE(3) with entry, stick, slip, rest, release and re-entry; sphere, box and a slanted mesh; flat gel
  and a coarse trilinear dome; with and without the gravity pass; forces, torques and shared forces
- sub-steps, creep with uneven dt and all parameters off their defaults; two objects
- the batch with per-world numbers is the same again
"""

import marker_reference
import numpy as np
import pytest
import taxel_mode_reference as reference
from test_marker_modes import INDENTERS, SHIFT, gel, path, slanted_block

import taxel

# Pixels. Both sides compute in double; displacements are below 100 px.
EQUAL = 1e-6
NEWTON = 1e-9
NUMBERS = {
    "lambda_d": 31000.0, "lambda_s": 120000.0, "friction": 0.23, "normal_stiffness": 1.2e8, "shear_stiffness": 6.1e7,
    "squeeze": 2.7, "dilate_scale": 0.9e7, "shear_scale": 25000.0,
}  # fmt: skip
SPACING, MARGIN = 1.3e-3, 2e-3


def gels(kind: str):
    """(pad, the reference's, markers)"""
    shape, distance, markers = gel(kind)
    if kind == "flat":
        return shape, reference.Flat(taxel.gelsight_mini_markers(dome=False).size), markers
    low, high = shape[0].min(0), shape[0].max(0)
    lattice = reference.Lattice(distance, low, high, SPACING, MARGIN)
    return taxel.MarkerDistance(shape, "trilinear", spacing=SPACING, margin=MARGIN), lattice, markers


def of(field: taxel.MarkerField, surface, substeps: int = 1) -> reference.TaxelMode:
    several = field.object_count is not None
    points, normals, areas = (x if several else [x] for x in (field.points, field.normals, field.areas))
    objects = list(zip(points, normals, areas, strict=True))
    return reference.TaxelMode(surface, field.markers, objects, field.parameters, substeps)


def check(field, slow, X, shift=None, dt=0.0):
    got = field.step(X, shift, dt)
    want = slow.step(X if field.object_count is not None else [X], shift, dt)
    np.testing.assert_allclose(got, want, rtol=0, atol=EQUAL)
    np.testing.assert_allclose(field.wrench, [*slow.force, *slow.torque], rtol=0, atol=NEWTON)
    np.testing.assert_allclose(field.marker_forces, slow.marker_forces, rtol=0, atol=NEWTON)
    return np.abs(got - field.dilation).max()


@pytest.mark.parametrize("shift", [None, SHIFT], ids=["plain", "gravity"])
@pytest.mark.parametrize("pad", ["flat", "domed"])
@pytest.mark.parametrize("name", list(INDENTERS))
def test_equals_the_reference(name, pad, shift):
    body, _ = INDENTERS[name]
    shape, surface, markers = gels(pad)
    field = taxel.MarkerField(shape, markers, body, radius=1.4e-3, seed=3, **NUMBERS).with_marker_forces()
    slow, left, entered, greatest = of(field, surface), 0, 0, 0.0
    for X in path(field.points, seed=len(name) + 10 * (pad == "flat")):
        before = len(field.contact_points)
        greatest = max(greatest, check(field, slow, X, shift))
        left += before > 0 and len(field.contact_points) == 0
        entered += before == 0 and len(field.contact_points) > 0
    assert entered >= 2 and left >= 2, "the path presses twice"
    assert slow.stuck > 30 and slow.slipped > 30 and slow.entered > 10, "the path enters, sticks and slips"
    assert greatest > 0.05, "there is shear to compare"


def test_substeps_creep_and_two_objects():
    shape, surface, markers = gels("flat")
    objects = [taxel.Body.sphere(6e-3), slanted_block()]
    field = taxel.MarkerField(shape, markers, objects, radius=1.7e-3, substeps=3, creep=0.3, creep_time=0.2, **NUMBERS)
    field.with_marker_forces()
    slow, dts = of(field, surface, 3), np.random.default_rng(5).choice([0.0, 0.003, 0.1, 1.0], 28)
    for X, Y, dt in zip(path(field.points[0], 1), path(field.points[1], 2), dts, strict=True):
        X, Y = X.copy(), Y.copy()
        X[0, 3], Y[0, 3] = X[0, 3] - 3e-3, Y[0, 3] + 4e-3
        check(field, slow, [X, Y], None, dt)
    assert slow.stuck > 50 and slow.slipped > 50


def test_points_come_from_beside_and_behind():
    """A ball over the rim of the pad, moved across it, and one that starts behind the gel."""
    shape, surface, markers = gels("flat")
    field = taxel.MarkerField(shape, markers, taxel.Body.sphere(5e-3), radius=1.2e-3, **NUMBERS).with_marker_forces()
    slow = of(field, surface)
    for x, z in ((9e-3, 8e-3), (9e-3, 6.2e-3), (11e-3, 6.2e-3), (8.5e-3, 6.1e-3), (4e-3, 0.5e-3), (4e-3, -4e-3)):
        check(field, slow, taxel.pose((x, -1e-3, z), quat=(0.9, 0.1, 0.3, -0.1)))


def test_the_batch_equals_the_reference():
    shape, surface, markers = gels("flat")
    field = taxel.MarkerField(shape, markers, taxel.Body.sphere(6e-3), radius=1.6e-3, **NUMBERS)
    batch = field.batch(3, wrench=True, threads=2)
    friction = np.array([0.1, 0.3, 0.9])
    batch.set_parameters(friction=friction, squeeze=1.1)
    slow = [of(field, surface) for _ in range(3)]
    for one, mu in zip(slow, friction, strict=True):
        one.p = {**field.parameters, "friction": mu, "squeeze": 1.1}
    paths = [path(field.points, seed) for seed in range(3)]
    for t in range(14):
        got = batch.step(np.stack([p[t] for p in paths])[:, None])
        for w in range(3):
            np.testing.assert_allclose(got[w, 0], slow[w].step([paths[w][t]]), rtol=0, atol=EQUAL)
            np.testing.assert_allclose(batch.wrench[w, 0], [*slow[w].force, *slow[w].torque], rtol=0, atol=NEWTON)


def test_the_reference_lattice_is_the_exact_distance_at_its_nodes():
    """... so that the comparison above is with something."""
    lattice = reference.Lattice(marker_reference.sphere(5e-3), [-5e-3] * 3, [5e-3] * 3, 1e-3, 2e-3)
    height, normal = lattice(np.array([0.0, 3e-3, 4e-3]))
    assert abs(height) < 1e-15
    assert normal @ [0, 0.6, 0.8] > 0.98
