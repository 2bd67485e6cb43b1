"""Skins without an engine: layouts, read-outs, functions of the user's, the signal chain, wrong input."""

import numpy as np
import pytest

import taxel

PAD = (0.08, 0.06, 0.018)
X_WP = taxel.pose((0.1, -0.2, 0.3), rpy=(0.4, -0.3, 0.7))


@pytest.fixture(scope="module")
def pad():
    return taxel.Body.box(PAD, modulus=3e4, field="backed")


def press(pad, x=0.004, y=-0.003, depth=0.004, radius=0.02):
    ball = taxel.Body.sphere(radius)
    X_PB = taxel.pose((x, y, PAD[2] / 2 + radius - depth))
    return taxel.contact(pad, X_WP, ball, X_WP @ X_PB)


def test_cells_sum_to_the_contact_force(pad):
    surface = press(pad)
    reading = taxel.Skin(pad, shape=(12, 16)).read(surface, X_WP, forces=True)
    assert reading.values.shape == (12, 16) and reading.forces.shape == (12, 16, 3)
    force = X_WP[:3, :3].T @ surface.force_on_A
    np.testing.assert_allclose(reading.force, force, rtol=1e-12, atol=1e-15)
    layout = reading.layout
    world = (
        reading.forces[..., :1].reshape(-1, 1) * layout.axes
        + reading.forces[..., 1:2].reshape(-1, 1) * layout.second_axes
        - reading.forces[..., 2:].reshape(-1, 1) * layout.normals
    ).sum(axis=0)
    np.testing.assert_allclose(world, force, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose((reading.values.ravel() * layout.areas).sum(), -force[2], rtol=1e-12)
    assert reading.area == pytest.approx(surface.area)


def test_the_image_lies_as_documented(pad):
    # Rows along +y, columns along +x: a press at (+x, -y) lights a low row and a high column.
    image = taxel.Skin(pad, shape=(12, 16)).read(press(pad, 0.02, -0.015), X_WP).values
    row, col = np.unravel_index(image.argmax(), image.shape)
    assert row < 6 and col > 8


def test_rays_approach_the_exact_sum(pad):
    surface = press(pad)
    exact = taxel.Skin(pad, shape=(12, 16), aggregate="force").read(surface, X_WP).values
    for samples, limit in ((5, 0.02), (20, 0.002)):
        rays = taxel.Skin(pad, shape=(12, 16), aggregate="force", readout="rays", samples=samples)
        found = rays.read(surface, X_WP).values
        assert found.sum() == pytest.approx(exact.sum(), rel=limit)
    assert rays.sample_points.shape == (12 * 16 * 400, 3)


def test_several_contacts_add_up(pad):
    skin = taxel.Skin(pad, shape=(12, 16))
    one, two = press(pad, 0.02, 0.01), press(pad, -0.02, -0.01, radius=0.01)
    both = skin.read([one, two], X_WP)
    np.testing.assert_allclose(both.values, skin.read(one, X_WP).values + skin.read(two, X_WP).values, rtol=1e-12)
    assert both.area == pytest.approx(one.area + two.area)


def test_either_side_of_the_query(pad):
    ball, X_WB = taxel.Body.sphere(0.02), X_WP @ taxel.pose((0.004, -0.003, 0.025))
    skin = taxel.Skin(pad, shape=(12, 16))
    as_A = skin.read(taxel.contact(pad, X_WP, ball, X_WB), X_WP).values
    as_B = skin.read(taxel.contact(ball, X_WB, pad, X_WP), X_WP, side="B").values
    np.testing.assert_allclose(as_A, as_B, rtol=1e-12)


def test_functions_of_the_user(pad):
    surface = press(pad)
    kwargs = dict(shape=(6, 8), readout="rays", samples=8)
    mean = taxel.Skin(pad, **kwargs).read(surface, X_WP).values
    mine = taxel.Skin(pad, combine=lambda p, w: float(p @ w), **kwargs).read(surface, X_WP).values
    np.testing.assert_allclose(mine, mean, rtol=1e-9, atol=1e-9)
    peak = taxel.Skin(pad, combine=lambda p, w: float(p.max()), **kwargs).read(surface, X_WP).values
    greatest = taxel.Skin(pad, aggregate="max", **kwargs).read(surface, X_WP).values
    np.testing.assert_allclose(peak, greatest, rtol=1e-9)
    flat = taxel.Skin(pad, weight=lambda d, a: 1.0, **kwargs).read(surface, X_WP).values
    np.testing.assert_allclose(flat, mean, rtol=1e-9, atol=1e-9)
    near = taxel.Skin(pad, weight=lambda d, a: float(d < 1e-3), **kwargs).read(surface, X_WP).values
    assert not np.allclose(near, mean)


@pytest.mark.parametrize(
    "body, keys",
    [
        (taxel.Body.cylinder(0.01, 0.04, modulus=1e5), dict(shape=(8, 24))),
        (taxel.Body.sphere(0.012, modulus=1e5), dict(shape=(7, 20), along=(-80, 80))),
        (taxel.Body.capsule(0.008, 0.03, modulus=1e5), dict(shape=(9, 16))),
        (taxel.Body.ellipsoid((0.012, 0.01, 0.02), modulus=1e5), dict(shape=(7, 20), along=(-80, 80))),
    ],
)
def test_curved_skins_sum_to_the_force(body, keys):
    plate = taxel.Body.box((0.02, 0.03, 0.01))
    skin = taxel.Skin(body, **keys)
    for angle in (0.3, 2.1, 4.4):
        X_BP = taxel.pose(rpy=(0, 0, angle)) @ taxel.pose((0.0, 0.0, 0.002))
        # The plate comes from the side, tilted a little.
        reach = 0.012 if body.name == "ellipsoid" else 0.0
        for offset in np.linspace(0.004, 0.02, 60):
            X = X_BP @ taxel.pose((offset + 0.005 + reach * 0, 0, 0), rpy=(0.1, 0.15, 0))
            surface = taxel.contact(body, X_WP, plate, X_WP @ X)
            if surface and surface.normal_force < 3.0:
                break
        assert surface
        reading = skin.read(surface, X_WP)
        np.testing.assert_allclose(reading.force, X_WP[:3, :3].T @ surface.force_on_A, rtol=1e-9, atol=1e-12)
        assert 0 < (reading.values > 0).sum() < len(skin)


def test_mesh_skin_with_vertices_and_poisson():
    vertices, triangles = taxel.Body.ellipsoid((0.01, 0.012, 0.015)).surface()
    body = taxel.Body.mesh(vertices, triangles, modulus=1e5)
    ball = taxel.Body.sphere(0.01)
    surface = taxel.contact(body, X_WP, ball, X_WP @ taxel.pose((0.004, 0.003, 0.0225)))
    assert surface
    for keys in (dict(layout="vertices"), dict(layout="poisson", count=60, seed=3)):
        reading = taxel.Skin(body, **keys).read(surface, X_WP)
        np.testing.assert_allclose(reading.force, X_WP[:3, :3].T @ surface.force_on_A, rtol=1e-9, atol=1e-12)
    rays = taxel.Skin(
        body, layout="poisson", count=60, seed=3, readout="rays", sample_density=2e7, radius=0.004, window="quadratic"
    )
    assert rays.read(surface, X_WP).values.max() > 0.3 * surface.max_pressure


def test_the_signal_chain_alone(pad):
    layout = taxel.Skin(pad, shape=(12, 16)).layout
    chain = taxel.SignalChain(layout, 0.01, description=dict(unit="counts", bits=12, full_scale=4095.0, inverted=True))
    np.testing.assert_array_equal(chain(0.0, np.zeros((12, 16))), np.full((12, 16), 4095.0))
    np.testing.assert_array_equal(chain(0.01, np.full((12, 16), 95.2)), np.full((12, 16), 4000.0))
    noisy = dict(noise=(0.0, 10.0), seed=3)
    one, two = (taxel.SignalChain(layout, 0.01, description=noisy) for _ in range(2))
    a = np.array([one(0.01 * k, np.zeros((12, 16))) for k in range(200)])
    b = np.array([two(0.01 * k, np.zeros((12, 16))) for k in range(200)])
    np.testing.assert_array_equal(a, b)
    assert a.std() == pytest.approx(10, rel=0.02) and abs(a.mean()) < 0.2
    creeping = taxel.SignalChain(layout, 0.01, description=dict(creep=(0.2, 1.0)))
    last = [creeping(0.01 * k, np.full((12, 16), 100.0))[0, 0] for k in range(301)][-1]
    assert last == pytest.approx(100 * (1 + 0.2 * (1 - np.exp(-3.0))), rel=1e-9)


@pytest.mark.parametrize(
    "keys, words",
    [
        (dict(), "there is no layout"),
        (dict(shape=(16,)), "shape"),
        (dict(shape=(0, 4)), "shape"),
        (dict(shape=(4, 4), face="+w"), "face"),
        (dict(shape=(4, 4), pitch=0.05), "pitch"),
        (dict(shape=(4, 4), smaples=3), "did you mean 'samples'"),
        (dict(shap=(4, 4)), "did you mean 'shape'"),
        (dict(shape=(4, 4), noise=(0, 1)), "belongs to the signal chain"),
        (dict(shape=(4, 4), modulus=1e5), "belongs to the body"),
        (dict(shape=(4, 4), samples=3), 'readout="rays"'),
        (dict(shape=(4, 4), readout="rays", samples=0), "samples"),
        (dict(shape=(4, 4), readout="rays", samples=3, sample_density=1e6), "one of"),
        (dict(shape=(4, 4), readout="rays", window="hann"), "none, gauss, tukey, square or quadratic"),
        (dict(shape=(4, 4), readout="rays", window="square", window_width=0.3), "gauss and tukey"),
        (dict(shape=(4, 4), aggregate="sum"), "force"),
        (dict(shape=(4, 4), aggregate="median"), "mean, sum, max or force"),
        (dict(layout="vertices"), "mesh"),
        (dict(points=[[0, 0, 0.009], [0, 0, 5.0]]), "5"),
    ],
)
def test_wrong_descriptions_say_so(pad, keys, words):
    with pytest.raises(taxel.Error) as error:
        taxel.Skin(pad, **keys)
    assert words in str(error.value)


def test_wrong_calls(pad):
    skin = taxel.Skin(pad, shape=(4, 4))
    with pytest.raises(TypeError, match="body"):
        taxel.Skin("pad", shape=(4, 4))
    with pytest.raises(TypeError, match="weight"):
        taxel.Skin(pad, shape=(4, 4), readout="rays", weight=3)
    with pytest.raises(taxel.Error, match="side"):
        skin.read(press(pad), X_WP, side="C")
    with pytest.raises(TypeError, match="ContactSurface"):
        skin.read([1], X_WP)
    with pytest.raises(taxel.Error, match="finite"):
        taxel.Skin(pad, shape=(4, 4), readout="rays", weight=lambda d, a: float("nan"))
    with pytest.raises(taxel.Error, match="slip"):
        _ = skin.read(press(pad), X_WP).slipping
