"""The elastic layer against collocation of Navier's equations, finite elements, point loads on a half space, thin and
uniform limits, reciprocity and refinement."""

import math

import axisymmetric_fem
import numpy as np
import pytest

from taxel.reference import ElasticLayer, LayerGrid, PointProbe, half_space_compliance


def collocation(layer: ElasticLayer, kx: float, ky: float, n: int = 32):
    """Navier's equations in x, y, z for one wave, by Chebyshev collocation: heights (m) and compliances (n+1, 3, 3)."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2.0, np.ones(n - 1), 2.0] * (-1.0) ** np.arange(n + 1)
    D = np.outer(c, 1 / c) / (x[:, None] - x[None, :] + np.eye(n + 1))
    D = 2.0 * (D - np.diag(D.sum(axis=1)))  # lengths in H, stresses in G
    kx, ky = kx * layer.thickness, ky * layer.thickness
    one = np.eye(n + 1)
    grad = [1j * kx * one, 1j * ky * one, D]
    lam = layer.confined_modulus / layer.shear_modulus - 2.0
    A = np.zeros((3, n + 1, 3, n + 1), dtype=complex)
    right = np.zeros((3, n + 1, 3), dtype=complex)
    for i in range(3):
        for j in range(3):
            A[i, :, j] = (lam + 1.0) * grad[i] @ grad[j]
        A[i, :, i] += D @ D - (kx**2 + ky**2) * one
        A[i, [0, n]] = 0.0
        A[i, n, i, n] = 1.0  # the base
        for j in range(3):  # traction i on the surface
            A[i, 0, j] = (lam if i == 2 else 0.0) * grad[j][0] + (grad[i][0] if j == 2 else 0.0)
        A[i, 0, i] += D[0]
        right[i, 0, i] = 1.0
    size = 3 * (n + 1)
    u = np.linalg.solve(A.reshape(size, size), right.reshape(size, 3)).reshape(3, n + 1, 3)
    scale = layer.thickness / layer.shear_modulus
    return 0.5 * (1.0 - x) * layer.thickness, scale * np.moveaxis(u, 1, 0)


@pytest.mark.parametrize("poisson", [0.3, 0.45, 0.49, 0.4999])
@pytest.mark.parametrize("kH", [0.0, 0.02, 0.2999, 0.3001, 1.3, 6.0])
def test_every_wave_obeys_naviers_equations(poisson, kH):
    layer = ElasticLayer(4e-3, 2e5, poisson)
    kx, ky = kH / layer.thickness * np.array([0.6, -0.8])
    depths, expected = collocation(layer, kx, ky)
    for i in (0, 9, 18, 32):  # surface to base
        found = layer.compliance(kx, ky, min(depths[i], layer.thickness))
        # The collocation matrix loses about seven digits near the incompressible limit.
        np.testing.assert_allclose(found, expected[i], atol=1e-7 * np.abs(expected[0]).max())


def test_series_for_long_waves_meets_the_closed_form():
    layer = ElasticLayer(1.0, 1.0, 0.47)
    k = 0.3 * (1.0 + 1e-9 * np.array([-1.0, 1.0]))  # either side of the switch; both change by 1e-9 in between
    for values in layer.scalars(k, 0.0):
        assert values[0] == pytest.approx(values[1], rel=1e-8)


def test_uniform_tractions_compress_and_shear():
    grid = LayerGrid(ElasticLayer(3e-3, 1.7e5, 0.47), (12, 10), 1e-3)
    traction = np.broadcast_to(np.array([40.0, -25.0, -900.0])[:, None, None], (3, 12, 10))
    G, M = grid.layer.shear_modulus, grid.layer.confined_modulus
    young = 1.7e5
    assert pytest.approx(young * 0.53 / (1.47 * 0.06)) == M
    for depth in (0.0, 1.1e-3):
        s = 3e-3 - depth
        u = grid.displacement(traction, depth)
        np.testing.assert_allclose(u[:, 5, 3], [40 * s / G, -25 * s / G, -900 * s / M], rtol=1e-12)
        assert np.ptp(u, axis=(1, 2)).max() < 1e-18


def test_short_waves_do_not_see_the_base():
    layer = ElasticLayer(4e-3, 2e5, 0.42)
    for kH, bound in ((8.0, 2e-5), (20.0, 1e-11), (900.0, 1e-9)):
        k = kH / layer.thickness * np.array([-0.28, 0.96])
        half = half_space_compliance(2e5, 0.42, *k)
        assert np.abs(layer.compliance(*k) - half).max() < bound * np.abs(half).max()
        assert np.isfinite(layer.compliance(*k, 3.9e-3)).all()


def test_point_loads_on_a_thick_layer_are_boussinesqs_and_cerrutis():
    nu, n = 0.3, 384
    grid = LayerGrid(ElasticLayer(120.0, 1.0, nu), (n, n), 1.0)
    G = grid.layer.shear_modulus
    middle, near, far = n // 2, n // 2 + 12, n // 2 + 24
    X, Y = np.meshgrid(grid.x - grid.x[middle], grid.y - grid.y[middle], indexing="ij")
    spot = np.exp(-(X**2 + Y**2) / (2 * 1.5**2))

    def moved(load):
        traction = np.zeros((3, n, n))
        traction[load] = spot / spot.sum()
        return grid.displacement(traction)

    # The base takes off a uniform displacement, which the difference of two points is free of.
    fall = (1 / 12 - 1 / 24) / (2 * math.pi * G)
    u_x, _, u_z = moved(2)
    assert u_z[near, middle] - u_z[far, middle] == pytest.approx((1 - nu) * fall, rel=0.03)
    assert u_x[near, middle] == pytest.approx(
        (1 - 2 * nu) / (4 * math.pi * G * 12), rel=0.03
    )  # a pull moves it outward
    u_x, _, u_z = moved(0)
    assert u_x[near, middle] - u_x[far, middle] == pytest.approx(fall, rel=0.03)
    assert u_x[middle, near] - u_x[middle, far] == pytest.approx((1 - nu) * fall, rel=0.03)
    assert u_z[near, middle] == pytest.approx(-(1 - 2 * nu) / (4 * math.pi * G * 12), rel=0.03)


def test_long_waves_on_an_incompressible_layer_squeeze_a_film():
    layer = ElasticLayer(1.0, 3.0, 0.4999)
    for kH in (0.05, 0.1):
        film = kH**2 / (3 * layer.shear_modulus)
        assert layer.scalars(np.array(kH))[3] - 1.0 / layer.confined_modulus == pytest.approx(film, rel=0.02)


def test_compliance_is_reciprocal_and_positive():
    rng = np.random.default_rng(3)
    for shape in ((24, 18), (15, 21)):
        grid = LayerGrid(ElasticLayer(2e-3, 1e5, 0.46), shape, 5e-4)
        a, b = rng.normal(size=(2, 3, *shape))
        ab, ba = (a * grid.displacement(b)).sum(), (b * grid.displacement(a)).sum()
        assert ab == pytest.approx(ba, rel=1e-10)
        C = np.moveaxis(grid._at(0.0), (0, 1), (-2, -1))
        assert np.abs(C - C.conj().swapaxes(-1, -2)).max() < 1e-14 * np.abs(C).max()
        assert np.linalg.eigvalsh(C).min() > 0
        parts = np.concatenate([grid.tangential(a[:2]), grid.normal(a[2])[None]])
        parts[:2] += grid.tangential_of_normal(a[2])
        parts[2] += grid.normal_of_tangential(a[:2])
        np.testing.assert_allclose(parts, grid.displacement(a), atol=1e-13 * np.abs(parts).max())


@pytest.mark.parametrize("poisson", [0.45, 0.4999])
def test_finite_elements_agree(poisson):
    a, H = 3.0, 1.0

    def bump(r):
        return np.maximum(0.0, 1.0 - (r / a) ** 2) ** 2

    edges = np.r_[np.linspace(0, 4, 29), np.linspace(4, 12, 25)[1:]]
    r, z, u = axisymmetric_fem.solve(
        edges, np.linspace(-H, 0, 9), 1.0, poisson, lambda r: (0.3 * r / a * bump(r), -bump(r))
    )
    grid = LayerGrid(ElasticLayer(H, 1.0, poisson), (192, 192), 24 / 192)
    X, Y = np.meshgrid(grid.x, grid.y, indexing="ij")
    b = bump(np.hypot(X, Y))
    traction = np.stack([0.3 * X / a * b, 0.3 * Y / a * b, -b])
    for level in (-1, -5):  # the surface and a quarter below it
        found = PointProbe(grid, np.stack([0.6 * r, 0.8 * r], axis=1)[:90], -z[level])(traction)
        radial = found[:, :2] @ (0.6, 0.8)
        np.testing.assert_allclose(radial, u[:90, level, 0], atol=1e-3 * np.abs(radial).max())
        np.testing.assert_allclose(found[:, 2], u[:90, level, 1], atol=1e-3 * np.abs(found[:, 2]).max())


def test_probe_interpolates_and_refinement_changes_little():
    layer = ElasticLayer(4e-3, 2e5, 0.49)
    points = np.array([[0.3e-3, -1.1e-3], [5.2e-3, 2.7e-3]])
    found = []
    for n in (30, 60):
        grid = LayerGrid(layer, (n, n + 6), 30e-3 / n)
        X, Y = np.meshgrid(grid.x, grid.y, indexing="ij")
        traction = np.exp(-(X**2 + Y**2) / 9e-6) * np.array([200.0, 100.0, -800.0])[:, None, None]
        probe = PointProbe(grid, np.vstack([points, [grid.x[4], grid.y[9]]]), 0.5e-3)
        found.append(probe(traction)[:2])
        np.testing.assert_allclose(probe(traction)[2], grid.displacement(traction, 0.5e-3)[:, 4, 9], rtol=1e-9)
    np.testing.assert_allclose(*found, rtol=0.02)
