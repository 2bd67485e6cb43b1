"""Modulus and poses at once: what was planted comes back, with noise within its errors; what is not told is said."""

import math

import numpy as np
import pytest

import taxel
from taxel.calibrate import calibrate_presses
from taxel.calibrate.press_fit import AXES, _moved

MODULUS = 1.7e5
SHAPE = (12, 16)
OBJECT = taxel.Body.ellipsoid((0.009, 0.006, 0.007))


def sensor(modulus):
    body = taxel.Body.box((0.04, 0.03, 0.006), modulus=modulus, field="columns")
    body = taxel.columns_by_taxels(body, shape=SHAPE)
    return body, taxel.Skin(body, shape=SHAPE)


def pressed(poses, obj=OBJECT, noise=0.0, seed=0):
    body, skin = sensor(MODULUS)
    images = np.array([skin.read(taxel.contact(body, np.eye(4), obj, X), np.eye(4)).values for X in poses])
    return images + noise * np.random.default_rng(seed).standard_normal(images.shape)


def true_poses(count=3, seed=5):
    rng = np.random.default_rng(seed)
    poses = []
    for _ in range(count):
        X = taxel.pose((*rng.uniform(-0.006, 0.006, 2), 0.003 + 0.007 - rng.uniform(0.0008, 0.0015)))
        poses.append(_moved(X, np.concatenate([np.zeros(3), rng.uniform(-0.2, 0.2, 3)])))
    return np.array(poses)


def wrong_by(poses, seed=9):
    rng = np.random.default_rng(seed)
    return np.array(
        [_moved(X, np.concatenate([rng.uniform(-4e-4, 4e-4, 3), rng.uniform(-0.06, 0.06, 3)])) for X in poses]
    )


def test_planted_modulus_and_poses_come_back():
    poses = true_poses()
    body, skin = sensor(0.6 * MODULUS)
    fit = calibrate_presses(body, skin, OBJECT, pressed(poses), wrong_by(poses))
    assert fit.modulus.value == pytest.approx(MODULUS, rel=1e-4)
    assert fit.poses == pytest.approx(poses, abs=2e-5)
    assert fit.steps < 40 and not fit.notes
    assert np.linalg.norm(fit.images - pressed(poses).reshape(3, -1)) < 1e-3 * np.linalg.norm(fit.images)


def test_with_noise_the_errors_hold():
    """Noise of 100 Pa on peaks of 40 kPa; 12 fits: pulls of modulus and depth are about 1."""
    poses, pulls = true_poses(2), []
    body, skin = sensor(0.8 * MODULUS)
    start = wrong_by(poses)
    for seed in range(12):
        fit = calibrate_presses(body, skin, OBJECT, pressed(poses, noise=100.0, seed=seed), start)
        assert fit.noise == pytest.approx(100, rel=0.15)
        error = fit.modulus.half / 1.96
        pulls.append((fit.modulus.value - MODULUS) / error)
        pulls.append((fit.poses[0, 2, 3] - poses[0, 2, 3]) / fit.errors[0, 2])
        assert abs(fit.modulus.value / MODULUS - 1) < 0.06  # its error is 1.8 %
    assert 0.4 < math.sqrt(np.mean(np.square(pulls))) < 1.8


def test_a_ball_does_not_tell_its_turns():
    ball = taxel.Body.sphere(0.008)
    poses = np.array([taxel.pose((0.001, 0.002, 0.003 + 0.008 - 0.001))])
    body, skin = sensor(0.7 * MODULUS)
    start = poses.copy()
    start[0, :3, 3] += (2e-4, -3e-4, 1e-4)
    fit = calibrate_presses(body, skin, ball, pressed(poses, ball), start)
    assert fit.modulus.value == pytest.approx(MODULUS, rel=1e-3)
    assert np.isinf(fit.errors[0, 3:]).all() and np.isfinite(fit.errors[0, :3]).all()
    assert any("do not tell rx, ry, rz" in note for note in fit.notes)
    quiet = calibrate_presses(body, skin, ball, pressed(poses, ball), start, free=("x", "y", "z"))
    assert not quiet.notes and quiet.poses[0, :3, 3] == pytest.approx(poses[0, :3, 3], abs=1e-6)
    assert "press 0: z" in quiet.report() and "rx" not in quiet.report()


def test_a_flat_punch_does_not_tell_modulus_from_depth():
    punch = taxel.Body.box((0.012, 0.009, 0.01))
    poses = np.array([taxel.pose((0.001, 0.002, 0.003 + 0.005 - 0.001))])
    body, skin = sensor(MODULUS)
    fit = calibrate_presses(body, skin, punch, pressed(poses, punch), poses, free=("z",))
    assert any("do not tell the modulus from the depth" in note for note in fit.notes)
    assert fit.modulus.high > 10 * fit.modulus.value


def test_wrong_input():
    body, skin = sensor(MODULUS)
    poses = true_poses(1)
    images = pressed(poses)
    with pytest.raises(taxel.Error, match=r"free is .*'w'.*; give some of x, y, z"):
        calibrate_presses(body, skin, OBJECT, images, poses, free=("x", "w"))
    with pytest.raises(taxel.Error, match="images have 10 taxels, but the skin has 192"):
        calibrate_presses(body, skin, OBJECT, np.ones((1, 10)), poses)
    with pytest.raises(taxel.Error, match="give one 4 x 4 matrix for each of 1 images"):
        calibrate_presses(body, skin, OBJECT, images, true_poses(2))
    with pytest.raises(taxel.Error, match="the object does not touch at its start"):
        calibrate_presses(body, skin, OBJECT, images, [taxel.pose((0, 0, 0.1))])
    with pytest.raises(taxel.Error, match="must be a rigid"):
        calibrate_presses(body, skin, body, images, poses)
    with pytest.raises(taxel.Error, match="image 0 has no taxel above 0"):
        calibrate_presses(body, skin, OBJECT, 0 * images, poses)
    with pytest.raises(taxel.Error, match="not finite"):
        calibrate_presses(body, skin, OBJECT, np.nan * images, poses)
    for wrong, words in (
        ({"skin": None}, "skin is None; give a taxel.Skin"),
        ({"images": None}, "images is None; give an array"),
        ({"images": "a.npz"}, "images is 'a.npz'"),
        ({"images": [[1.0, 2.0], [1.0]]}, "images is"),
        ({"free": None}, "free is None; give a list"),
        ({"free": "xy"}, "free is 'xy'"),
    ):
        given = {"body": body, "skin": skin, "pressed": OBJECT, "images": images, "poses": poses, **wrong}
        with pytest.raises(TypeError, match=f"calibrate_presses: {words}"):
            calibrate_presses(**given)
    with pytest.raises(taxel.Error, match=r"images have the shape \(0, 192\): none is there"):
        calibrate_presses(body, skin, OBJECT, np.empty((0, 192)), np.empty((0, 4, 4)))
    assert len(AXES) == 6
