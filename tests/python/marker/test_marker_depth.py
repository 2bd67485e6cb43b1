"""Markers below the face of a gel (mode "layer", `marker_depth`).

Against `taxel.reference` at depths, which shares no code with it: a ball, a tilted punch off the axis. A stuck plate
moves them linearly from face to base; depth 0 is the face; domes, batches, wrong values.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import taxel
from taxel.reference import Distance, ElasticLayer, LayerContact, LayerGrid, PointProbe, cylinder
from taxel.reference.layer_contact import rotation
from taxel.reference.motions import PIXEL, QUICK, follow, marker_grid, motion

FACE = 2e-3


def _field(body: taxel.Body, **given) -> taxel.MarkerField:
    mini = taxel.gelsight_mini_markers(dome=False)
    markers = np.column_stack([marker_grid(), np.full(63, FACE)])
    return taxel.MarkerField(mini.pad, markers, body, mode="layer", **given)


@pytest.mark.parametrize("kind, index, depth", [("dilation", 1, 1e-4), ("shear", 1, 5e-4), ("twist", 2, 1.5e-3)])
def test_motions_of_the_reference_at_a_depth(kind, index, depth):
    path, _ = motion(kind, index, 3)
    true = follow(path, settings=dataclasses.replace(QUICK, marker_depth=depth))["pixels"][-1]
    path = np.array(path)
    path[:, 2, 3] += FACE
    moved = _field(taxel.Body.sphere(0.0175), marker_depth=depth).follow(path)[-1]
    assert np.sqrt(((moved[:, :2] - true) ** 2).sum() / (true**2).sum()) < 0.02
    assert np.all(moved[:, 2] == 0)


def test_a_tilted_punch_off_the_axis():
    """The rim of a cylinder in a gel of 3 mm, markers 0.6 mm below the face; below it the corner is smoothed away."""
    R = rotation(np.array([1, 0.3, 0]) / np.linalg.norm([1, 0.3, 0]) * 0.4)
    X = np.tile(np.eye(4), (9, 1, 1))
    X[:, :3, :3] = R
    X[:, :3, 3] = [(1e-3 + 4e-5 * max(0, k - 5), -0.5e-3, -1e-4 * min(k, 5)) for k in range(9)]
    shape = cylinder(4e-3, 5e-3)
    grid = LayerGrid(ElasticLayer(3e-3, 1e5, 0.4), (104, 104), 0.25e-3)
    lowest = Distance(shape.distance, shape.bound).height(*np.meshgrid(grid.x, grid.y, indexing="ij"), X[0]).min()
    X[:, 2, 3] -= lowest - 2e-5
    contact = LayerContact(grid, shape, 0.8, 5e-5, 1e-3)
    for pose in X:
        state = contact.move(pose)
    markers = np.column_stack([marker_grid(), np.zeros(63)])
    true = PointProbe(grid, markers[:, :2], 6e-4)(state.traction)[:, :2] / PIXEL
    field = taxel.MarkerField(
        taxel.Body.box((18e-3, 20e-3, 3e-3)),
        markers,
        taxel.Body.cylinder(4e-3, 10e-3),
        mode="layer",
        poisson=0.4,
        friction=0.8,
        pitch=0.2e-3,
        marker_depth=6e-4,
    )
    X[:, 2, 3] += 1.5e-3
    moved = field.follow(X)[-1, :, :2]
    assert np.sqrt(((moved - true) ** 2).sum() / (true**2).sum()) < 0.06


def test_a_stuck_plate_shears_the_gel_evenly():
    """Over 20 mm of a gel of 1.5 mm, so that its ends do not matter in the middle."""
    thick = 1.5e-3
    field = _field(taxel.Body.box((0.03, 0.03, 0.01)), friction=3.0, pitch=0.9e-3, thickness=thick, poisson=0.2)
    for depth in (0.0, 0.4e-3, 1.2e-3):
        field.reset()
        field.parameters = {"marker_depth": depth}
        pressed = field.step(taxel.pose((0, 0, FACE + 5e-3 - 1e-4)))
        slid = field.step(taxel.pose((1.5e-4, 0, FACE + 5e-3 - 1e-4)))
        middle = (np.abs(marker_grid()) < (1e-3, 4e-3)).all(axis=1)
        share = (slid - pressed)[middle, 0] * PIXEL / 1.5e-4
        assert share == pytest.approx(1 - depth / thick, abs=0.01)


def test_depth_goes_to_the_face_and_changes_markers_alone():
    poses = [taxel.pose((1e-3, 2e-4 * k, 8.05e-3 - 1.5e-4 * k)) for k in range(5)]
    face, barely, deep = (_field(taxel.Body.sphere(6e-3), marker_depth=d) for d in (0.0, 1e-9, 8e-4))
    moved = [np.array([f.step(X) for X in poses]) for f in (face, barely, deep)]
    assert np.allclose(moved[0], moved[1], atol=1e-3)
    assert np.abs(moved[0] - moved[2]).max() > 1
    assert np.array_equal(face.wrench, deep.wrench)
    assert np.array_equal(face.pressure, deep.pressure)
    assert np.array_equal(face.surface(face.markers), deep.surface(face.markers))
    assert deep.parameters["marker_depth"] == 8e-4
    deep.parameters = {"marker_depth": 0.0}
    assert np.array_equal(deep.step(poses[-1]), face.step(poses[-1]))


def test_domes_and_batches():
    dome = taxel.gelsight_mini_markers()
    ball, X = taxel.Body.sphere(8e-3), taxel.pose((1e-3, 0.5e-3, dome.markers[:, 2].max() + 8e-3 - 6e-4))
    face, deep = (
        taxel.MarkerField(dome.pad, dome.markers, ball, mode="layer", thickness=4e-3, marker_depth=d)
        for d in (0.0, 5e-4)
    )
    shown, below = face.step(X), deep.step(X)
    assert np.abs(shown - below).max() > 0.5
    batch = face.batch(2, threads=1)
    batch.set_parameters(marker_depth=[0.0, 5e-4])
    both = batch.step(np.broadcast_to(X, (*batch.pose_shape[:-2], 4, 4)))
    assert np.allclose(both[0, 0], shown)
    assert np.allclose(both[1, 0], below)
    with pytest.raises(taxel.Error, match=r"marker_depth is 0\.003 m, but the gel is .* m thick at its rim"):
        taxel.MarkerField(dome.pad, dome.markers, ball, mode="layer", thickness=4e-3, marker_depth=3e-3)


@pytest.mark.parametrize("depth", [-1e-4, 4e-3, 1.0, float("nan"), float("inf")])
def test_wrong_depths_are_named(depth):
    with pytest.raises(taxel.Error, match="marker_depth is"):
        _field(taxel.Body.sphere(5e-3), marker_depth=depth)
    field = _field(taxel.Body.sphere(5e-3), marker_depth=1e-3)
    with pytest.raises(taxel.Error, match="marker_depth is"):
        field.parameters = {"marker_depth": depth}
    assert field.parameters["marker_depth"] == 1e-3
    with pytest.raises(taxel.Error, match="unknown parameter 'marker_depth'"):
        taxel.MarkerField(field.markers, field.markers, None, mode="taxel", marker_depth=1e-3)
