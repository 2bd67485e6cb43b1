"""Particles of a shape from Python: counts, volumes, layers, skins, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import taxel
from taxel.gel import eip_pads, fill_shape, layered_pad, layers_of, skin_points

TILT = taxel.pose((0.013, -0.021, 0.034), rpy=(0.3, -0.5, 0.8))


def torus(around=60, across=30, major=0.03, minor=0.012):
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    r = major + minor * np.cos(b)
    vertices = np.stack([r * np.cos(a), r * np.sin(a), minor * np.sin(b)], -1).reshape(-1, 3)
    at = lambda i, j: (i % around) * across + j % across  # noqa: E731
    one = np.stack([at(u, v), at(u + 1, v), at(u + 1, v + 1)], -1).reshape(-1, 3)
    two = np.stack([at(u, v), at(u + 1, v + 1), at(u, v + 1)], -1).reshape(-1, 3)
    return vertices @ TILT[:3, :3].T + TILT[:3, 3], np.concatenate([one, two])


def test_box_lattice_is_exact():
    f = fill_shape(taxel.Body.box((0.06, 0.02, 0.04)), 0.01)
    assert len(f) == 48 and f.points.shape == (48, 3)
    np.testing.assert_allclose(f.points[[0, -1]], [(-0.025, -0.005, -0.015), (0.025, 0.005, 0.015)], atol=1e-15)
    assert f.volume == pytest.approx(1e-6, rel=1e-12)


def test_body_mesh_and_tuple_agree():
    mesh = torus()
    a = fill_shape(mesh, 0.002)
    b = fill_shape(taxel.Body.mesh(*mesh), 0.002)
    np.testing.assert_array_equal(a.points, b.points)
    assert np.all(taxel.signed_distance(mesh, a.points) < 0)
    assert len(a) * 0.002**3 == pytest.approx(a.solid_volume, rel=0.02)
    assert len(a) * a.volume == pytest.approx(a.solid_volume, rel=1e-12)


def test_soft_bodies_are_filled_too():
    pad = taxel.Body.box((0.02, 0.03, 0.01), modulus=1e5)
    assert len(fill_shape(pad, 0.005)) == 4 * 6 * 2


def test_poisson_keeps_its_distance():
    mesh = torus()
    f = fill_shape(mesh, 0.004, "poisson", seed=3)
    gaps = np.linalg.norm(f.points[:, None] - f.points[None], axis=-1)
    gaps[np.diag_indices(len(f))] = np.inf
    assert gaps.min() >= 0.004
    assert len(f) * f.volume == pytest.approx(fill_shape(mesh, 0.004).solid_volume)
    np.testing.assert_array_equal(f.points, fill_shape(mesh, 0.004, "poisson", seed=3).points)
    assert not np.array_equal(f.points, fill_shape(mesh, 0.004, "poisson", seed=4).points)


@pytest.mark.parametrize("pinhole", [False, True])
def test_carving_fills_an_open_mesh(pinhole):
    vertices, triangles = torus()
    solid = fill_shape((vertices, triangles), 0.002)
    open_mesh = (vertices, triangles[:-6])
    f = fill_shape(open_mesh, 0.002, method="carve", views=40, pixels=80, pinhole=pinhole)
    assert solid.solid_volume < len(f) * f.volume < 1.15 * solid.solid_volume
    assert f.volume == pytest.approx(8e-9)
    with pytest.raises(taxel.Error, match="must be closed"):
        fill_shape(open_mesh, 0.002)


def test_layers_and_pads():
    f = fill_shape(taxel.Body.box((0.06, 0.02, 0.04)), 0.01)
    layers = layers_of(f.points, (0, 0, 1), 4)
    np.testing.assert_array_equal(layers, np.rint((0.015 - f.points[:, 2]) / 0.01))
    lower, upper = eip_pads(0.16)
    assert len(lower) == len(upper) == 37210
    assert lower.image == (61, 61) and lower.count == 10
    np.testing.assert_array_equal(lower.layers.reshape(10, 61, 61)[:, 0, 0], np.arange(10))
    contact = upper.points.reshape(10, 61, 61, 3)[0, :, :, 1] - lower.points.reshape(10, 61, 61, 3)[0, :, :, 1]
    np.testing.assert_allclose(contact, 0.16 + 0.004)
    pad = layered_pad((0.03, 0.02, 0.008), (6, 5, 4), axis=0, sign=-1)
    np.testing.assert_array_equal(pad.outward, (-1, 0, 0))
    assert pad.points[0, 0] == pytest.approx(-0.0125)


def test_skin_of_a_box_and_a_ball():
    skin = skin_points(taxel.Body.box((0.06, 0.02, 0.04)), 0.01)
    assert len(skin) == 2 * (8 + 24 + 12)
    np.testing.assert_array_equal(np.bincount(skin.faces), [8, 8, 24, 24, 12, 12])
    np.testing.assert_array_equal(skin.faces[skin.facing((0, 0, 1), 0.1)], np.full(12, 5))
    ball = skin_points(taxel.Body.sphere(0.02), 0.002, seed=1)
    assert ball.areas.sum() == pytest.approx(4 * np.pi * 0.02**2)
    np.testing.assert_allclose(np.linalg.norm(ball.points, axis=1), 0.02, rtol=1e-12)
    # A cap of 60 degrees is a quarter of the sphere.
    direction = np.array((0.3, -0.7, 0.5))
    assert ball.areas[ball.facing(direction, np.pi / 3)].sum() == pytest.approx(np.pi * 0.02**2, rel=0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda box: fill_shape(box, 0.0), "spacing is 0; it must be finite and greater than 0"),
        (lambda box: fill_shape(box, float("nan")), "finite and greater than 0"),
        (lambda box: fill_shape(box, 0.05), "along y"),
        (lambda box: fill_shape(box, 1e-6), "use at least"),
        (lambda box: fill_shape(box, 0.01, "voxel"), 'give "lattice", "poisson" or "carve"'),
        (lambda box: fill_shape(box, -0.01, "poisson"), "radius is -0.01"),
        (lambda box: fill_shape(box, 0.01, "carve", views=1), "views is 1"),
        (lambda box: fill_shape(taxel.Body.half_space(), 0.01), "half space has no end"),
        (lambda box: fill_shape(taxel.Body.half_space(), 0.01, "carve"), "half space has no end"),
        (lambda box: fill_shape((torus()[0], torus()[1][:, ::-1]), 0.004), "face inwards"),
        (lambda box: skin_points(box, 0.1), "larger than the shape"),
        (lambda box: layers_of(np.zeros((3, 3)), (0, 0, 1), 2), "one plane"),
        (lambda box: eip_pads(-1.0), "gap is -1"),
    ],
)
def test_wrong_input_is_named(call, words):
    with pytest.raises(taxel.Error, match=words):
        call(taxel.Body.box((0.06, 0.02, 0.04)))


def test_wrong_calls_are_type_errors():
    box = taxel.Body.box((0.06, 0.02, 0.04))
    with pytest.raises(TypeError, match="\"lattice\" has no option 'seed'; it has: none"):
        fill_shape(box, 0.01, seed=3)
    with pytest.raises(TypeError, match=r"give a taxel\.Body or a tuple"):
        fill_shape("box", 0.01)
