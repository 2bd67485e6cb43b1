"""Gradients from Python: names, shapes, taxels; central differences at tilted poses. The C++ tests have the cases."""

import numpy as np
import pytest

import taxel

R = taxel.pose((0.2, -0.1, 0.05), (0.8, 0.3, -0.4, 0.2))
X_AB = taxel.pose((0.0013, -0.0021, 0.003 + 0.0055 - 0.0009), (0.995, 0.05, -0.06, 0.03))
SIZE = (0.03, 0.024, 0.006)


def pad(modulus=1.3e5, thickness=0.004, field="columns"):
    return taxel.Body.box(SIZE, modulus=modulus, field=field, thickness=thickness)


def turned(pose, axis, angle):
    out = pose.copy()
    w = np.zeros(3)
    w[axis] = angle
    K = np.cross(np.eye(3), -w).T
    out[:3, :3] = (np.eye(3) + K + 0.5 * K @ K) @ pose[:3, :3]
    return out


def shifted(pose, axis, step):
    out = pose.copy()
    out[axis, 3] += step
    return out


def difference(read, name, axis):
    """read(body, pose): numbers at a body and a pose of B."""
    X = R @ X_AB
    h = {"shift": 2e-8, "turn": 2e-6, "modulus_A": 10.0, "thickness_A": 4e-8}[name]
    values = []
    for s in (h, -h):
        if name == "shift":
            values.append(read(pad(), shifted(X, axis, s)))
        elif name == "turn":
            values.append(read(pad(), turned(X, axis, s)))
        else:
            values.append(read(pad(**{name[:-2]: s + {"modulus_A": 1.3e5, "thickness_A": 0.004}[name]}), X))
    return (values[0] - values[1]) / (2 * h)


def test_force_torque_and_taxels():
    block = taxel.Body.box((0.012, 0.009, 0.01))
    g = taxel.contact_gradient(pad(), R, block, R @ X_AB)
    surface = taxel.contact(pad(), R, block, R @ X_AB)
    assert g.complete
    assert g.force_on_A == pytest.approx(surface.force_on_A, abs=1e-12)
    assert g.torque_on_A == pytest.approx(surface.torque_on_A, abs=1e-12)
    assert set(g.force_by) == set(g.torque_by) == {"shift", "turn", "modulus_A", "thickness_A"}
    assert g.force_by["shift"].shape == g.torque_by["turn"].shape == (3, 3)
    assert g.force_by["modulus_A"].shape == (3,)
    assert 1.3e5 * g.force_by["modulus_A"] == pytest.approx(g.force_on_A, rel=1e-9)
    skin = taxel.Skin(pad(), shape=(5, 7))
    taxels = g.taxels(skin)
    assert taxels.values == pytest.approx(skin.read(surface, R).values, abs=1e-6)
    assert taxels.by["shift"].shape == (5, 7, 3) and taxels.by["thickness_A"].shape == (5, 7)

    def wrench(body, pose):
        found = taxel.contact(body, R, block, pose)
        return np.concatenate([found.force_on_A, found.torque_on_A])

    def image(body, pose):
        return taxel.Skin(body, shape=(5, 7)).read(taxel.contact(body, R, block, pose), R).values

    for name in g.force_by:
        for axis in range(3) if name in ("shift", "turn") else (None,):
            of = (slice(None),) if axis is None else (slice(None), axis)
            found = np.concatenate([g.force_by[name][of], g.torque_by[name][of]])
            expected = difference(wrench, name, axis)
            assert found == pytest.approx(expected, abs=3e-5 * np.abs(expected).max())
            expected = difference(image, name, axis)
            found = taxels.by[name] if axis is None else taxels.by[name][..., axis]
            assert found == pytest.approx(expected, abs=3e-5 * np.abs(expected).max())


def test_the_columns_may_be_bs():
    block = taxel.Body.box((0.012, 0.009, 0.01))
    one = taxel.contact_gradient(pad(), R, block, R @ X_AB)
    other = taxel.contact_gradient(block, R @ X_AB, pad(), R)
    assert other.force_on_A == pytest.approx(-one.force_on_A, abs=1e-12)
    # Moving the pad there is moving the block here the other way.
    assert other.force_by["shift"] == pytest.approx(one.force_by["shift"], rel=1e-9, abs=1e-9)
    assert set(other.force_by) == {"shift", "turn", "modulus_B", "thickness_B"}
    skin = taxel.Skin(pad(), shape=(5, 7))
    assert other.taxels(skin).by["modulus_B"] == pytest.approx(one.taxels(skin).by["modulus_A"], rel=1e-9, abs=1e-15)


def test_the_gelsight_is_differentiated():
    sensor = taxel.sensors.gelsight_mini()
    ball, X = taxel.Body.sphere(0.008), taxel.pose((0.0012, 0.0021, 0.004 + 0.008 - 0.0007))
    skin, body = sensor.skin(), sensor.body()
    taxels = taxel.contact_gradient(body, taxel.pose(), ball, X).taxels(skin)
    up, down = (
        skin.read(taxel.contact(body, taxel.pose(), ball, shifted(X, 0, h)), taxel.pose()).values for h in (2e-8, -2e-8)
    )
    expected = (up - down) / 4e-8
    assert taxels.by["shift"][:, 0] == pytest.approx(expected, abs=1e-4 * np.abs(expected).max())


def test_other_fields_have_no_taxels_and_say_what_is_missing():
    block = taxel.Body.box((0.012, 0.009, 0.01))
    backed = pad(field="backed")
    g = taxel.contact_gradient(backed, R, block, R @ X_AB)
    assert g.complete and g.force_by["shift"].shape == (3, 3)
    with pytest.raises(taxel.Error, match="this contact has none; give the body field"):
        g.taxels(taxel.Skin(backed, shape=(5, 7)))
    soft = taxel.Body.sphere(0.0075, modulus=1e5)
    assert not taxel.contact_gradient(backed, R, soft, R @ X_AB).complete


def test_a_skin_of_another_body_is_refused():
    block = taxel.Body.box((0.012, 0.009, 0.01))
    g = taxel.contact_gradient(pad(), R, block, R @ X_AB)
    wider = taxel.Body.box((0.04, 0.024, 0.006), modulus=1.3e5, field="columns", thickness=0.004)
    with pytest.raises(taxel.Error, match="the skin is on another body"):
        g.taxels(taxel.Skin(wider, shape=(5, 7)))
    with pytest.raises(taxel.Error, match="the skin is on another body"):
        g.taxels(taxel.Skin(taxel.columns_by_taxels(pad(), shape=(5, 7)), shape=(5, 7)))
    softer = pad(modulus=1e4)  # its columns are in the same places
    assert g.taxels(taxel.Skin(softer, shape=(5, 7))).values.max() > 0
    sensor = taxel.sensors.gelsight_mini()
    ball = taxel.Body.sphere(0.008)
    touching = taxel.contact_gradient(sensor.body(), R, ball, R @ taxel.pose((0, 0, 0.0115)))
    assert touching.taxels(sensor.skin()).values.max() > 0  # made twice, of one kind


def test_wrong_calls():
    block = taxel.Body.box((0.012, 0.009, 0.01))
    with pytest.raises(TypeError, match=r"contact_gradient: X_WA is .*; give a pose"):
        taxel.contact_gradient(pad(), block, R, R)
    with pytest.raises(TypeError, match="unknown option 'facet'"):
        taxel.contact_gradient(pad(), R, block, R, facet=3)
    with pytest.raises(taxel.Error, match="rigid"):
        taxel.contact_gradient(block, R, block, R)


def test_taxels_of_what_is_no_skin():
    pad, ball = taxel.Body.box((0.03, 0.03, 0.006), modulus=1e5, field="columns"), taxel.Body.sphere(0.01)
    gradient = taxel.contact_gradient(pad, taxel.pose(), ball, taxel.pose((0, 0, 0.0125)))
    for wrong in (None, pad):
        with pytest.raises(TypeError, match=r"taxels: skin is .*; give a taxel\.Skin"):
            gradient.taxels(wrong)
