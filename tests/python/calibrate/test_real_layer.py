"""Marker mode layer on the real frames: planted gels are found, its fields are the reference's, both bars are near,
the real slide sticks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("scipy")

from taxel.calibrate.real_forms import CONTACT_RADIUS
from taxel.calibrate.real_frames import fit_real_frames, real_frames
from taxel.calibrate.real_layer import BALL, PIXEL, SENSORS, STICKS, LayerBank, LayerSensor, layer_fields
from taxel.reference import ElasticLayer, LayerContact, LayerGrid, PointProbe
from taxel.reference.indenters import Sphere

DEEP = LayerSensor(6e-3, 0.35, 5.0, 0.45e-3)
FACE = LayerSensor(4e-3, 0.49, 5.0, 0.0)


@pytest.fixture(scope="module")
def bank() -> LayerBank:
    return LayerBank((FACE, DEEP), (40.0, 45.0))


def test_the_field_of_a_press_is_the_references():
    found = layer_fields(DEEP)
    assert found.depth == pytest.approx((CONTACT_RADIUS * PIXEL) ** 2 / BALL, rel=0.25)
    grid = LayerGrid(ElasticLayer(DEEP.thickness, 1e5, DEEP.poisson), (144, 144), 0.25e-3)
    contact = LayerContact(grid, Sphere(BALL), DEEP.friction, 1e-3, 1e-3)
    X = np.eye(4)
    for k in range(1, 11):
        X = X.copy()
        X[2, 3] = BALL - found.depth * k / 10
        state = contact.move(X)
    at = np.column_stack([found.distance * PIXEL, np.zeros_like(found.distance)])
    true = PointProbe(grid, at, DEEP.marker_depth)(state.traction)[:, 0] / PIXEL
    near = found.distance < 120  # the grid repeats
    assert np.abs(found.outward - true)[near].max() < 0.08 * np.abs(true).max()


def test_a_planted_gel_is_found(bank):
    places, _ = real_frames()
    fields = layer_fields(DEEP)
    centre = np.array([130.0, 118.0])
    press = fields.form("press").predict(places, centre, np.array([1.6, 0.008, 0.5, -1.0]))
    slide = fields.form("slide").predict(places, centre, np.array([-2.0, 11.0, 0.2, 0.1]))
    found = bank.fit(places, {"press": press, "slide": slide})
    assert found.sensor == DEEP
    assert found.ball == pytest.approx(BALL / 1.6, rel=1e-3)
    assert found.depth == pytest.approx(1.6 * fields.depth, rel=1e-3)
    assert found.way == pytest.approx([-2.0, 11.0], abs=0.01)
    assert found.fields["slide"].radius == 45.0
    assert found.solved["press"][0] == pytest.approx(centre, abs=0.1)
    # A ball is no smaller than its contact.
    found = bank.fit(places, {"press": 9 * press, "slide": slide})
    assert found.ball == pytest.approx(CONTACT_RADIUS * PIXEL)


def test_the_real_slide_sticks():
    """More friction, less is left: up to the rim, which at 5 still slips."""
    places, moved = real_frames()
    left = []
    for friction in (1.0, 5.0, STICKS):
        sensor = LayerSensor(6e-3, 0.35, friction, 0.45e-3)
        assert sensor in SENSORS
        form = layer_fields(sensor, 40.0).form("slide")
        error = form.predict(places, *form.solve(places, moved["slide"])) - moved["slide"]
        left.append(np.sqrt((error**2).sum(axis=1).mean()))
    assert left[0] > left[1] + 0.01 and left[1] > left[2] + 0.005
    assert left[2] < 0.74
    more = layer_fields(replace(sensor, friction=10 * STICKS), 40.0)
    assert np.abs(more.straight - layer_fields(sensor, 40.0).straight).max() < 0.01


def test_markers_below_the_face_explain_the_press(bank):
    found = fit_real_frames(splits=10, seed=0, forms=(), bank=bank)
    press, slide = found.score("press", "mode layer"), found.score("slide", "mode layer")
    assert found.layer[0].sensor == DEEP
    assert len(found.layer) == 11
    assert (press.free, slide.free) == (6, 7)
    assert press.in_sample < 1.17
    assert slide.in_sample < 0.78
    assert press.test.mean() < 1.27
    assert slide.test.mean() < 0.86
    assert "markers 0.45 mm below the face" in found.report()
    numbers = found.numbers()["mode_layer"]
    assert len(numbers["halves"]) == 10
    assert numbers["all"]["thickness"] == 6e-3
