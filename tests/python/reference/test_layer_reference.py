"""Contact of an elastic layer with friction, and the four motions, against solutions that were found elsewhere.

Contact   Hertz, Spence, the bonded layer's series, the thin layer, Cattaneo and Mindlin, Lubkin, Coulomb, energy,
          symmetry, convergence, release.
Motions   paths, rolling, what the markers do, repeatability.
"""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from taxel.reference import (
    KINDS,
    QUICK,
    SLIP,
    STICK,
    Distance,
    ElasticLayer,
    HeightMap,
    LayerContact,
    LayerGrid,
    Paraboloid,
    PointProbe,
    Sphere,
    ball_pose,
    cylinder,
    follow,
    marker_grid,
    motion,
    reference_sample,
    reference_set,
)
from taxel.reference.closed_forms import Hertz, base_relief, sphere_on_layer, thin_layer
from taxel.reference.layer_contact import interpolate, rotation, rotation_vector
from taxel.reference.layer_solvers import solve_normal, solve_tangential
from taxel.reference.motions import BALL_RADIUS, FRAME, GEL_THICKNESS, PIXEL


def pose(x=0.0, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation(turn), (x, y, z)
    return X


# --- contact on a thick layer -----------------------------------------------------------------------------------------

HERTZ = Hertz(a=1e-3, R=20e-3, young=2e5, poisson=0.4999, mu=0.3)


class Thick:
    """A paraboloid on a layer of eight contact radii, at Hertz's depth less what the base takes off."""

    def __init__(self):
        self.layer = ElasticLayer(8 * HERTZ.a, HERTZ.young, HERTZ.poisson)
        self.grid = LayerGrid(self.layer, (256, 256), HERTZ.a / 8)
        self.normal, self.tangential = base_relief(self.layer)
        self.contact = LayerContact(self.grid, Paraboloid(HERTZ.R), HERTZ.mu, step=1.0)
        self.z = -(HERTZ.depth - self.normal * HERTZ.force)

    def pressed(self):
        """Pressed without friction, as Mindlin assumes; friction from then on."""
        self.contact.reset()
        self.contact.friction = 0.0
        state = self.contact.move(pose(z=self.z))
        self.contact.friction = HERTZ.mu
        return state

    def slide(self, q):
        return HERTZ.slide(q) - self.tangential * q * HERTZ.mu * HERTZ.force


@pytest.fixture(scope="module")
def thick():
    return Thick()


def test_hertz(thick):
    state = thick.pressed()
    assert -state.force[2] == pytest.approx(HERTZ.force, rel=0.01)
    assert math.sqrt(state.contact_area / math.pi) == pytest.approx(HERTZ.a, rel=0.02)
    assert -state.traction[2].min() == pytest.approx(HERTZ.peak, rel=0.01)
    X, Y = np.meshgrid(thick.grid.x, thick.grid.y, indexing="ij")
    expected = HERTZ.peak * np.sqrt(np.maximum(0.0, 1 - (X**2 + Y**2) / HERTZ.a**2))
    inner = np.hypot(X, Y) < 0.9 * HERTZ.a
    assert np.abs(-state.traction[2] - expected)[inner].max() < 0.03 * HERTZ.peak


@pytest.mark.parametrize("q", [0.25, 0.5, 0.75])
def test_cattaneo_mindlin(thick, q):
    thick.pressed()
    state = thick.contact.move(pose(x=thick.slide(q), z=thick.z))
    assert state.force[0] == pytest.approx(q * HERTZ.mu * HERTZ.force, rel=0.015)
    stick = math.sqrt(np.count_nonzero(state.status == STICK) * thick.grid.cell_area / math.pi)
    assert stick / HERTZ.a == pytest.approx(HERTZ.stick_ratio(q), abs=0.03)
    assert abs(state.force[1]) < 1e-3 * state.force[0]
    # The same in ten small increments, each of which moves only a part of the slip zone's cells by much.
    thick.pressed()
    for part in np.arange(1, 11) / 10:
        small = thick.contact.move(pose(x=thick.slide(part * q), z=thick.z))
    assert small.force[0] == pytest.approx(state.force[0], rel=0.005)
    stick = math.sqrt(np.count_nonzero(small.status == STICK) * thick.grid.cell_area / math.pi)
    assert stick / HERTZ.a == pytest.approx(HERTZ.stick_ratio(q), abs=0.03)


def test_a_tangential_cycle_loses_mindlins_work(thick):
    thick.pressed()
    q = 0.7
    forces, lost = [], []
    for sign in (1, -1, 1):
        state = thick.contact.move(pose(x=sign * thick.slide(q), z=thick.z))
        forces.append(state.force[0])
        lost.append(state.dissipated)
    np.testing.assert_allclose(forces, np.array([1, -1, 1]) * q * HERTZ.mu * HERTZ.force, rtol=0.015)
    assert lost[2] - lost[0] == pytest.approx(HERTZ.loop(q), rel=0.04)
    # Back from q to -0.2 along Masing's branch, twice the first loading: the contact remembers.
    back = thick.contact.move(pose(x=thick.slide(q) - 2 * thick.slide((q + 0.2) / 2), z=thick.z))
    assert back.force[0] == pytest.approx(-0.2 * HERTZ.mu * HERTZ.force, rel=0.06)


def test_torsion(thick):
    thick.pressed()
    small = thick.contact.move(pose(z=thick.z, turn=(0, 0, 1e-4)))
    assert small.torque[2] / 1e-4 == pytest.approx(HERTZ.torsional_stiffness, rel=0.03)
    full = thick.contact.move(pose(z=thick.z, turn=(0, 0, 0.1)))
    assert np.count_nonzero(full.status == STICK) <= 4  # the cells at the very centre
    assert full.torque[2] == pytest.approx(HERTZ.slip_torque, rel=0.01)


def bonded_ratio(nu):
    """How much stiffer a flat punch is that sticks, on a half space (Mossakovskii, Spence)."""
    return (1 - nu) * math.log(3 - 4 * nu) / (1 - 2 * nu)


def test_a_flat_punch_that_sticks_is_stiffer():
    """The surface of a compressible half space, held from moving inward, pushes back: the coupled compliance."""
    nu, a, depth = 0.2, 1e-3, 1e-5
    layer = ElasticLayer(8 * a, 2e5, nu)
    grid = LayerGrid(layer, (192, 192), a / 6)
    punch = HeightMap(lambda x, y: np.where(np.hypot(x, y) < a, 0.0, np.inf))
    relief, _ = base_relief(layer)
    stiffness = [
        1 / (relief - depth / LayerContact(grid, punch, mu, step=1.0).move(pose(z=-depth)).force[2])
        for mu in (0.0, 1e3)
    ]
    assert stiffness[0] == pytest.approx(4 * layer.shear_modulus * a / (1 - nu), rel=0.04)  # a round punch of few cells
    assert stiffness[1] / stiffness[0] == pytest.approx(bonded_ratio(nu), abs=0.004)


def test_a_ball_that_sticks_while_it_is_pressed():
    """Path matters: each ring sticks when it is reached. The contact is smaller than Hertz's by the integral below."""
    nu, depth = 0.2, 5e-5
    layer = ElasticLayer(8e-3, 2e5, nu)
    grid = LayerGrid(layer, (128, 128), 0.25e-3)
    smooth, stuck = (
        -LayerContact(grid, Paraboloid(20e-3), mu, step=5e-6).move(pose(z=-depth)).force[2] for mu in (0.0, 5.0)
    )
    relief, _ = base_relief(layer)
    found = stuck / smooth * ((depth + relief * smooth) / (depth + relief * stuck)) ** 1.5
    t = (np.arange(20000) + 0.5) / 20000
    beta = math.log(3 - 4 * nu) / (2 * math.pi)
    shrink = 2 * np.mean(t * np.cos(beta * np.log((1 - t) / (1 + t))))  # Borodich and Keer 2004
    assert found == pytest.approx(bonded_ratio(nu) * math.sqrt(shrink), abs=0.006)


# --- contact on layers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.15, 0.3, 0.6])
def test_sphere_on_a_bonded_layer_follows_its_series(ratio):
    H, R = 4e-3, 40e-3
    depth = (ratio * H) ** 2 / R
    grid = LayerGrid(ElasticLayer(H, 2e5, 0.4999), (160, 160), 0.25e-3)
    state = LayerContact(grid, Paraboloid(R), 0.0, step=1.0).move(pose(z=-depth))
    assert -state.force[2] == pytest.approx(sphere_on_layer(2e5, R, H, depth), rel=0.02)


def test_thin_incompressible_layer_approaches_the_film():
    """The error of the film falls with H / a; two thicknesses extrapolate to it."""
    R, a = 400.0, 10.0
    errors = {}
    for H in (1.0, 0.5):
        layer = ElasticLayer(H, 1.0, 0.49999)
        depth, force = thin_layer(layer, R, a)
        grid = LayerGrid(layer, (160, 160), 0.25)
        state = LayerContact(grid, Paraboloid(R), 0.0, step=1e9).move(pose(z=-depth))
        errors[H] = -state.force[2] / force - 1
    assert abs(errors[0.5]) < 0.6 * abs(errors[1.0])
    assert abs(2 * errors[0.5] - errors[1.0]) < 0.12


GEL = LayerGrid(ElasticLayer(GEL_THICKNESS, 2e5, 0.49), (56, 56), 0.5e-3)


def gel_contact(friction=0.5, step=1e-4, tolerance=5e-4, grid=GEL):
    return LayerContact(grid, Sphere(BALL_RADIUS), friction, step, tolerance)


def test_a_long_slide_ends_at_coulombs_force():
    contact = gel_contact(friction=0.3)
    contact.move(ball_pose(0, 0, 0.5e-3))
    state = contact.move(ball_pose(1.8e-3, 1.2e-3, 0.5e-3))
    assert state.slip_fraction == 1.0
    assert np.hypot(*state.force[:2]) == pytest.approx(0.3 * -state.force[2], rel=2e-3)
    assert math.atan2(state.force[1], state.force[0]) == pytest.approx(math.atan2(1.2, 1.8), abs=0.01)
    # The slip law in every cell: never above the bound, and along the slip.
    size = np.hypot(state.traction[0], state.traction[1])
    assert np.all(size <= 0.3 * -state.traction[2] * (1 + 1e-9))
    assert np.all(size[state.status == SLIP] >= 0.3 * -state.traction[2][state.status == SLIP] * 0.99)


def test_work_is_stored_or_lost_and_release_leaves_nothing():
    contact = gel_contact()
    centres = [(0, 0, -d) for d in np.arange(0, 0.81e-3, 1e-4)]
    centres += [(s, 0, -0.8e-3) for s in np.arange(1e-4, 1.21e-3, 1e-4)]
    centres += [(1.2e-3 - s, 0.5 * s, -0.8e-3) for s in np.arange(1e-4, 1.21e-3, 1e-4)]
    work, lost, before = 0.0, [0.0], None
    for x, y, z in centres:
        state = contact.move(ball_pose(x, y, -z))
        if before is not None:
            work += 0.5 * (before.force + state.force) @ (state.X_PI - before.X_PI)[:3, 3]
        lost.append(state.dissipated)
        before = state
    stored = 0.5 * (state.traction * state.displacement).sum() * GEL.cell_area
    assert np.diff(lost).min() > -1e-3 * lost[-1]
    assert lost[-1] > 0.1 * work
    assert work == pytest.approx(stored + lost[-1], rel=0.02)
    gone = contact.move(ball_pose(0.5e-3, 0, -1e-3))
    assert not gone.traction.any() and not gone.status.any() and not gone.force.any()
    assert np.abs(gone.displacement).max() < 1e-15


def test_the_same_end_by_another_way_is_another_state():
    end = ball_pose(0.5e-3, 0, 0.8e-3)
    straight, around = gel_contact(), gel_contact()
    straight.move(ball_pose(0.5e-3, 0, 0.1e-3))
    around.path([ball_pose(-0.3e-3, 0, 0.1e-3), ball_pose(-0.3e-3, 0, 0.8e-3)])
    a, b = straight.move(end), around.move(end)
    assert abs(a.force[0]) < 0.01 * b.force[0]
    assert a.force[2] == pytest.approx(b.force[2], rel=0.08)


def test_turned_and_shifted_grids_agree():
    markers = np.array([[0.0, 0.0], [3e-3, -1e-3], [-4e-3, 4e-3], [6e-3, 1e-3]])

    def end(dx, dy, place=(0.0, 0.0)):
        x, y = place
        contact = gel_contact(tolerance=2e-4)
        contact.move(ball_pose(x, y, 0.7e-3))
        state = contact.move(ball_pose(x + dx, y + dy, 0.7e-3))
        return state.force, PointProbe(GEL, markers + place)(state.traction)

    force, u = end(0.5e-3, 0.2e-3)
    for place in ((0.25e-3, 0.125e-3), (0.18e-3, -0.07e-3)):  # half a cell, and odd parts of one
        shifted, v = end(0.5e-3, 0.2e-3, place)
        np.testing.assert_allclose(shifted, force, atol=0.01 * np.abs(force).max())
        np.testing.assert_allclose(v, u, atol=0.01 * np.abs(u).max())
    markers = np.stack([-markers[:, 1], markers[:, 0]], axis=1)  # everything turned by 90 degrees
    turned, w = end(-0.2e-3, 0.5e-3)
    np.testing.assert_allclose([turned[1], -turned[0], turned[2]], force, atol=2e-3 * np.abs(force).max())
    np.testing.assert_allclose(np.stack([w[:, 1], -w[:, 0], w[:, 2]], axis=1), u, atol=2e-3 * np.abs(u).max())


def test_cells_and_increments_converge():
    path = [ball_pose(0, 0, 0.8e-3), ball_pose(0.5e-3, 0.3e-3, 0.8e-3)]
    points = marker_grid()

    def markers(cell, step):
        n = round(28e-3 / cell)
        grid = LayerGrid(GEL.layer, (n, n), cell)
        return PointProbe(grid, points)(gel_contact(step=step, tolerance=2e-4, grid=grid).path(path)[-1].traction)

    def error(u):
        return np.linalg.norm((u - fine)[:, :2]) / np.linalg.norm(fine[:, :2])

    fine = markers(0.35e-3, 0.25e-4)
    coarse, middle = error(markers(0.35e-3, 2e-4)), error(markers(0.35e-3, 0.5e-4))
    assert middle < 0.004 and middle < 0.6 * coarse and coarse < 0.03
    assert error(markers(0.7e-3, 0.25e-4)) < 0.012
    # Cells that close within an increment stick from where the gel was when they closed; without that, a press in four
    # increments is off by 7 %.
    path = path[:1]
    fine = markers(0.7e-3, 0.25e-4)
    assert error(markers(0.7e-3, 2e-4)) < 0.035


def test_an_oblique_press_needs_few_increments():
    """A cell that closes late shares the rest of the motion only; with all of it two increments give 14 % more."""
    force = []
    for step in (2e-5, 3e-4):
        contact = gel_contact(step=step)
        contact.move(ball_pose(0, 0, 0))
        force.append(contact.move(ball_pose(0.4e-3, 0, 0.6e-3)).force[0])
    assert force[1] == pytest.approx(force[0], rel=0.05)


def test_solvers_meet_their_conditions():
    rng = np.random.default_rng(5)
    X, Y = np.meshgrid(GEL.x, GEL.y, indexing="ij")
    hill = 1e-4 * (1 - (X**2 + Y**2) / 9e-6)
    p = solve_normal(GEL.normal, hill, np.zeros(GEL.shape), 1e-8)
    # A second hill, of which the first solution knows nothing, must be found from it.
    both = np.maximum(hill, 0.5e-4 * (1 - ((X - 8e-3) ** 2 + Y**2) / 4e-6))
    both[:, :10] = -np.inf
    p = solve_normal(GEL.normal, both, p, 1e-6)
    gap = GEL.normal(p) - both
    assert p.min() >= 0 and not p[:, :10].any() and p[X > 6e-3].any()
    assert np.abs(gap[p > 0]).max() < 1e-10 and gap.min() > -1e-10

    target, radius = 1e-5 * rng.normal(size=(2, *GEL.shape)), 4000.0 * rng.uniform(size=GEL.shape) * (hill > 0)
    t = solve_tangential(GEL.tangential, target, radius, np.zeros_like(target), 1e-10)
    size, slip = np.hypot(*t), target - GEL.tangential(t)
    assert np.all(size <= radius * (1 + 1e-9)) and not t[:, hill <= 0].any()
    inner, rim = (hill > 0) & (size < 0.999 * radius), (hill > 0) & (size >= radius * (1 - 1e-9))
    assert inner.sum() > 5 and rim.sum() > 5
    assert np.abs(slip[:, inner]).max() < 1e-9
    cosine = (slip * t).sum(axis=0)[rim] / (np.hypot(*slip) * size)[rim]
    assert cosine.min() > 0.999
    assert not solve_tangential(GEL.tangential, 0 * target, radius, 0 * target, 1e-10).any()


# --- motions ----------------------------------------------------------------------------------------------------------


def test_a_press_moves_markers_of_a_layer_outward_and_of_a_half_space_inward():
    outward = {}
    for name, layer in (("gel", GEL.layer), ("half space", ElasticLayer(0.1, 2e5, 0.3))):
        grid = LayerGrid(layer, (64, 64), 0.625e-3)
        state = LayerContact(grid, Sphere(BALL_RADIUS), 0.0, tolerance=1e-3).move(ball_pose(0, 0, 0.8e-3))
        points = 5e-3 * np.array([[1, 0], [0, 1], [-0.6, 0.8]])
        u = PointProbe(grid, points)(state.traction)
        outward[name] = (u[:, :2] * points).sum(axis=1) / 5e-3
    assert outward["gel"].min() > 0.05e-3
    assert outward["half space"].max() < -0.02e-3


def test_rolling_carries_markers_with_little_force_and_spinning_drags():
    angle, depth = 0.06, 0.8e-3
    roll, spin = (gel_contact() for _ in range(2))
    for contact in (roll, spin):
        pressed = contact.move(ball_pose(0, 0, depth))
    rolled = roll.move(ball_pose(BALL_RADIUS * angle, 0, depth, (0, angle, 0)))
    spun = spin.move(ball_pose(0, 0, depth, (0, angle, 0)))
    limit = 0.5 * -pressed.force[2]
    assert abs(rolled.force[0]) < 0.12 * limit
    assert spun.force[0] < -0.8 * limit  # the lowest point goes to -x
    # The press field walks with the ball: seen from the ball it stays, seen from the pad it changes much.
    points = marker_grid()
    before = PointProbe(GEL, points)(pressed.traction)
    moved = PointProbe(GEL, points + (BALL_RADIUS * angle, 0))(rolled.traction)
    stayed = PointProbe(GEL, points)(rolled.traction)
    change = np.linalg.norm((moved - before)[:, 2]) / np.linalg.norm((stayed - before)[:, 2])
    assert change < 0.1


def test_gel_under_a_sticking_ball_turns_with_it():
    contact = gel_contact(friction=5.0)
    before = contact.move(ball_pose(0, 0, 0.8e-3))
    after = contact.move(ball_pose(0, 0, 0.8e-3, (0, 0, 0.2)))
    rest = np.stack(np.meshgrid(GEL.x, GEL.y, indexing="ij"))
    expected = np.einsum("ij,jxy->ixy", rotation((0, 0, 0.2))[:2, :2], rest + before.displacement[:2])
    stuck = np.hypot(*rest) < 4.5e-3
    assert np.all(after.status[stuck] == STICK)
    error = np.hypot(*(rest + after.displacement[:2] - expected))[stuck]
    assert error.max() < 4e-6  # of 0.9 mm; ten increments, each off by the tolerance


def test_gel_under_a_sticking_ball_goes_with_the_points_it_touches():
    """A spin about the centre: the lowest point goes farther than the rim of the contact, which lies higher."""
    contact = gel_contact(friction=5.0, step=2e-5, tolerance=1e-4)
    before = contact.move(ball_pose(0, 0, 0.8e-3))
    after = contact.move(ball_pose(0, 0, 0.8e-3, (0, 0.01, 0)))
    for r in (0.0, 4e-3):
        i, j = np.abs(GEL.x - r).argmin(), 28
        height = before.displacement[2, i, j] - (BALL_RADIUS - 0.8e-3)  # of the gel's point over the ball's centre
        expected = 0.01 * height - 0.5 * 0.01**2 * GEL.x[i]
        moved = (after.displacement - before.displacement)[0, i, j]
        assert moved == pytest.approx(expected, abs=2e-6)  # the two points differ by 4.7e-6


@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_rigid_small_steps_and_repeatable(kind):
    path, drawn = motion(kind, 4, seed=2)
    again, _ = motion(kind, 4, seed=2)
    np.testing.assert_array_equal(path, again)
    assert not np.array_equal(path[-1], motion(kind, 5, seed=2)[0][-1])
    assert not np.array_equal(path[-1], motion(kind, 4, seed=3)[0][-1])
    assert path[0][2, 3] > BALL_RADIUS  # starts above the gel
    assert path[:, 2, 3].min() == pytest.approx(BALL_RADIUS - drawn["depth"])
    for a, b in itertools.pairwise(path):
        lowest = a[:3, 3] - (0, 0, BALL_RADIUS)
        motion_there = (b @ np.linalg.inv(a) @ np.r_[lowest, 1.0])[:3] - lowest
        assert np.linalg.norm(motion_there) < 1.001 * FRAME
    if kind == "roll":
        assert np.hypot(*(path[-1] - path[0])[:2, 3]) == pytest.approx(BALL_RADIUS * drawn["angle"])


def test_reference_set_has_the_samples_of_the_table():
    found = reference_set(seed=1, quick=True, count=1)
    assert [s["kind"] for s in found] == list(KINDS)
    for s in found:
        n = len(s["path"])
        assert s["displacement"].shape == (n, 63, 3) and s["pixels"].shape == (n, 63, 2)
        np.testing.assert_allclose(s["pixels"] * PIXEL, s["displacement"][..., :2])
        assert not s["displacement"][0].any() and s["force"][-1][2] < -0.1
        assert 1.0 < np.linalg.norm(s["pixels"][-1], axis=1).max() < 60.0
    again = reference_sample("shear", 0, seed=1, quick=True)
    np.testing.assert_array_equal(again["displacement"], found[1]["displacement"])


def test_markers_deeper_in_the_gel_move_less_under_shear():
    path = np.stack([ball_pose(0, 0, 0.8e-3), ball_pose(0.4e-3, 0, 0.8e-3)])
    moved = [
        follow(path, np.zeros((1, 2)), dataclasses.replace(QUICK, marker_depth=d))["displacement"][-1, 0, 0]
        for d in (0.0, 1e-3, 2e-3, GEL_THICKNESS)
    ]
    assert moved[0] == pytest.approx(0.4e-3, rel=0.02)
    assert moved[0] > moved[1] > moved[2] > 0.05e-3 and abs(moved[3]) < 1e-15


# --- indenters and errors ---------------------------------------------------------------------------------------------


def test_indenters_agree_on_their_heights():
    x, y = np.meshgrid(np.linspace(-9e-3, 9e-3, 25), np.linspace(-8e-3, 8e-3, 19), indexing="ij")
    X = pose(1e-3, -0.5e-3, 6e-3, (0.4, -0.7, 0.3))
    ball = Sphere(7e-3).height(x, y, X)
    traced = Distance(lambda p: np.linalg.norm(p, axis=1) - 7e-3, 7.5e-3).height(x, y, X)
    np.testing.assert_array_equal(np.isinf(ball), np.isinf(traced))
    inside = np.isfinite(ball)
    assert 150 < inside.sum() < ball.size
    np.testing.assert_allclose(traced[inside], ball[inside], atol=2e-7)
    # A cylinder lying along x, and a tilted plane.
    lying = cylinder(5e-3, 6e-3).height(x, y, pose(z=5e-3, turn=(0, math.pi / 2, 0)))
    under = (np.abs(x) < 5.9e-3) & (np.abs(y) < 4.5e-3)
    np.testing.assert_allclose(lying[under], 5e-3 - np.sqrt(25e-6 - y[under] ** 2), atol=1e-7)
    assert np.all(np.isinf(lying[np.abs(x) > 6.1e-3]))
    tilted = HeightMap(lambda x, y: np.where(np.hypot(x, y) < 6e-3, 0.0, np.inf))
    plane = tilted.height(x, y, pose(z=2e-3, turn=(0, 0.1, 0)))
    np.testing.assert_allclose(plane[np.hypot(x, y) < 5e-3], 2e-3 - math.tan(0.1) * x[np.hypot(x, y) < 5e-3], atol=1e-9)
    assert np.isinf(plane[0, 0])


def test_interpolated_poses_turn_evenly():
    a, b = pose(1, 2, 3, (0.1, -0.4, 0.2)), pose(2, 2, 1, (0.6, 0.3, -0.8))
    first, second = interpolate(a, b, 0.5), interpolate(a, b, 1.0)
    np.testing.assert_allclose(second, b)
    half = rotation_vector(first[:3, :3] @ a[:3, :3].T)
    np.testing.assert_allclose(2 * half, rotation_vector(b[:3, :3] @ a[:3, :3].T), atol=1e-12)
    np.testing.assert_allclose(first[:3, 3], (1.5, 2, 2))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: ElasticLayer(0.0, 1.0, 0.4), "thickness is 0.0"),
        (lambda: ElasticLayer(1.0, 1.0, 0.5), "0.49999"),
        (lambda: GEL.layer.scalars(np.ones(1), depth=5e-3), "depth is 0.005"),
        (lambda: LayerGrid(GEL.layer, (3, 8), 1.0), "at least 4"),
        (lambda: GEL.displacement(np.zeros((3, 4, 4))), "this grid needs"),
        (lambda: PointProbe(GEL, [[0.1, 0.0]]), "outside the grid"),
        (lambda: gel_contact(friction=-1.0), "friction is -1.0"),
        (lambda: gel_contact(step=0.0), "step is 0.0"),
        (lambda: gel_contact().move(np.diag([1.0, 1.0, 2.0, 1.0])), "not rigid"),
        (lambda: gel_contact().move(ball_pose(12e-3, 0, 1e-3)), "edge of the grid"),
        (lambda: Sphere(-1.0), "radius is -1.0"),
        (
            lambda: HeightMap(lambda x, y: x).height(np.zeros((2, 2)), np.zeros((2, 2)), pose(turn=(1.5, 0, 0))),
            "tilted",
        ),
        (lambda: motion("bounce"), "dilation, shear, twist, roll"),
        (lambda: motion("shear", seed=-1), "seed is -1"),
        (lambda: reference_set(count=0), "count is 0"),
    ],
)
def test_wrong_input_is_named(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()
