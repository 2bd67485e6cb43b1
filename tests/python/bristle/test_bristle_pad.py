"""A pad of bristles without an engine: closed forms, the memory of its friction, wrong input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import taxel

K = 60.0
FOAM = dict(stiffness=K, depth=0.012, friction=(0.8, 0.6), shape=(6, 6))


def flat_pad(**keys) -> taxel.BristlePad:
    return taxel.BristlePad(taxel.Body.box((0.024, 0.024, 0.006)), **{**FOAM, **keys})


PLATE = taxel.Body.box((0.08, 0.08, 0.02))


def at(depth: float, tilt: float = 0.0) -> np.ndarray:
    """The plate's pose with its lower face ``depth`` deep in the middle of the pad."""
    down = np.array([np.sin(tilt), 0, np.cos(tilt)])
    return taxel.pose(np.array([0, 0, 0.003 - depth]) + 0.01 * down, rpy=(0, tilt, 0))


def test_pad_pressed_flat_and_tilted_has_its_closed_form():
    pad = flat_pad(friction=0.0, damping=0.7, dead_band=1e-4)
    assert len(pad) == 36
    flat = pad.press(PLATE, np.eye(4), at(0.002), velocity=(0, 0, -0.01), dt=1e-3)
    np.testing.assert_allclose(flat.normal, np.full((6, 6), K * 0.0019 + 0.7 * 0.01), rtol=1e-9)
    np.testing.assert_allclose(flat.force, (0, 0, 36 * (K * 0.0019 + 0.007)), atol=1e-9)
    np.testing.assert_allclose(flat.torque, 0, atol=1e-12)
    tilt = 0.1
    n = np.array([np.sin(tilt), 0, np.cos(tilt)])
    pad = flat_pad(friction=0.0)
    x = pad.layout.points[:, 0]
    lengths = np.maximum(0.0, 0.0005 + x * np.tan(tilt))  # along the probe: s; the penetration is its part along n
    each = K * lengths * np.cos(tilt)
    assert 0 < (each > 0).sum() < 36
    got = pad.press(PLATE, np.eye(4), at(0.0005, tilt), dt=1e-3)
    np.testing.assert_allclose(got.normal.ravel(), each, atol=1e-9)
    np.testing.assert_allclose(got.force, each.sum() * n, atol=1e-9)
    met = pad.layout.points - lengths[:, None] * [0, 0, 1] - at(0.0005, tilt)[:3, 3]  # where probes enter the plate
    np.testing.assert_allclose(got.torque, np.cross(met, each[:, None] * n).sum(axis=0), atol=1e-9)
    X = taxel.pose((0.3, -0.2, 0.1), quat=(0.83, -0.21, 0.44, 0.27))  # moved along: the same, turned
    there = pad.press(PLATE, X, X @ at(0.0005, tilt), dt=1e-3)
    np.testing.assert_allclose(there.force, X[:3, :3] @ got.force, atol=1e-9)


def test_along_its_axis_a_tilted_plate_presses_as_a_layer_does():
    """Along the bristles the force is k times the volume under the plate, whatever its tilt."""
    for tilt in (0.1, 0.6, 1.2):
        n = np.array([np.sin(tilt), 0, np.cos(tilt)])
        pad = flat_pad(friction=0.0, measure="axis")
        lengths = np.maximum(0.0, 0.0005 + pad.layout.points[:, 0] * np.tan(tilt))
        lengths = np.minimum(lengths, 0.012)
        each = K * lengths / max(np.cos(tilt), 0.5)
        got = pad.press(PLATE, np.eye(4), at(0.0005, tilt), dt=1e-3)
        kept = lengths < 0.012  # what is pressed beyond its length pushes along itself
        np.testing.assert_allclose(got.normal.ravel()[kept], each[kept], atol=1e-9)
        if tilt < 1.0:
            np.testing.assert_allclose(got.force, each.sum() * n, atol=1e-9)
            assert got.force[2] == pytest.approx(K * lengths.sum())


def test_pad_remembers_friction_as_lugre_does():
    keys = dict(friction=(0.8, 0.5), sigma0=40.0, sigma1=0.3, viscosity=0.02, stribeck_speed=0.05)
    pad, law = flat_pad(**keys), taxel.LuGre(**keys)
    t = 2e-3 * np.arange(40)
    v = np.column_stack([0.05 * np.sin(30 * t), 0.03 * np.cos(20 * t)])
    forces, bent = law.run(v, K * 0.002, 2e-3)

    def felt(k, body=PLATE):
        return pad.press(body, np.eye(4), at(0.002), velocity=(*v[k], 0), dt=2e-3)

    for k in range(40):
        reading = felt(k)
        np.testing.assert_allclose(reading.friction, np.broadcast_to(forces[k][:, None, None], (2, 6, 6)), atol=1e-12)
        np.testing.assert_allclose(reading.deflection, np.linalg.norm(bent[k]), atol=1e-12)
        np.testing.assert_allclose(reading.force[:2], -36 * forces[k], atol=1e-10)
    first = forces[0]
    assert np.linalg.norm(felt(0).friction[:, 0, 0] - first) > 1e-3  # it remembers
    twin = taxel.Body.box((0.08, 0.08, 0.02))
    np.testing.assert_allclose(felt(0, twin).friction[:, 0, 0], first, atol=1e-12)  # another body: afresh
    assert np.linalg.norm(felt(0, twin).friction[:, 0, 0] - first) > 1e-3
    pad.reset()
    np.testing.assert_allclose(felt(0, twin).friction[:, 0, 0], first, atol=1e-12)
    pad.press(twin, np.eye(4), at(-0.001), dt=2e-3)  # lifted
    np.testing.assert_allclose(felt(0, twin).friction[:, 0, 0], first, atol=1e-12)


def test_pad_saturates():
    pad = flat_pad(depth=0.002, friction=0.0)
    for depth, beyond in ((0.0019, False), (0.0021, True)):
        reading = pad.press(PLATE, np.eye(4), at(depth), dt=1e-3)
        assert reading.saturated.all() == beyond and reading.saturated.any() == beyond
        np.testing.assert_allclose(reading.normal, K * min(depth, 0.002), rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flat_pad(stifness=3), "there is no key 'stifness'; did you mean 'stiffness'?"),
        (lambda: flat_pad(unit="N"), "unit belongs to the signal chain"),
        (lambda: flat_pad(stiffness=None), "bristles need stiffness"),
        (lambda: flat_pad(depth=None), "bristles need depth"),
        (lambda: flat_pad(shape=None), "there is no layout; give shape"),
        (lambda: flat_pad(friction=(0.2, 0.4)), 'friction="0.2 0.4" is not one coefficient'),
        (lambda: flat_pad(modulus=1e5), 'there is no parameter "modulus"'),
        (lambda: flat_pad().press(PLATE, np.eye(4), at(0.001), dt=0), "dt is 0; give a time step in s above 0"),
        (lambda: flat_pad().press(PLATE, dt="1ms"), "dt is '1ms'; give a time step in s above 0"),
        (
            lambda: flat_pad().press(PLATE, velocity=(0, np.nan, 0), dt=1e-3),
            "velocity is (0, nan, 0); give three finite",
        ),
        (lambda: flat_pad().press(taxel.Body.sphere(0.02, 1e5), dt=1e-3), "the body is soft (modulus 100000 Pa)"),
        (lambda: flat_pad().press(PLATE, (0, 0, 0), at(0.001), dt=1e-3), "X_WP: a pose is a 4x4 matrix"),
        (lambda: flat_pad().press(PLATE, np.eye(4), at(0.001), velocity=(1, 2), dt=1e-3), r"velocity: expected shape"),
    ],
)
def test_wrong_pads_are_named(call, message):
    with pytest.raises(taxel.Error) as e:
        call()
    assert message in str(e.value)


def test_poses_may_be_left_out():
    pad = flat_pad(friction=0.0)
    there = pad.press(PLATE, X_WB=at(0.001), dt=1e-3).force
    np.testing.assert_allclose(there, (0, 0, 36 * K * 0.001), atol=1e-9)
    np.testing.assert_allclose(pad.press(PLATE, np.linalg.inv(at(0.001)), dt=1e-3).force, there, atol=1e-9)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickle.dumps])
def test_pads_do_not_share_their_memory(twin):
    with pytest.raises(TypeError, match="BristlePad: it cannot be copied or pickled; it holds its memory"):
        twin(flat_pad())


def test_pads_take_bodies():
    with pytest.raises(TypeError, match=r"body is str; give a taxel.Body"):
        taxel.BristlePad("pad", **FOAM)
    with pytest.raises(TypeError, match=r"press: body is str; give a taxel.Body"):
        flat_pad().press("plate", dt=1e-3)
