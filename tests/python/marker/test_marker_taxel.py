"""What mode "taxel" of MarkerField promises of physics; its numbers are compared in test_marker_taxel_reference.py.

- converges: twice the points (ball, tilted cylinder, edge of a cube), the dome's grid moved by half a cell, sub-steps
- memory: shear stays at rest, goes with the contact, loads and unloads along different ways
- friction: a ball's sticking radius in closed form; a drag of 10 mm rises to mu times the normal force and stays,
  whatever the points and markers
- a flat plate on the dome: contact patch and force against the exact geometry
- sums: two objects far apart; wrench, contact forces, torques, forces of the markers
- symmetry: mirrored and turned scenes
- creep: the closed form of a standard linear solid; the gravity pass is moving on without memory
"""

import numpy as np
import pytest

import taxel
from taxel.shape import dome_height

FLAT = taxel.gelsight_mini_markers(dome=False)
DOME = taxel.gelsight_mini_markers(dome=True)
TOP = 2e-3  # of the flat gel and of the dome's middle


def rms(u: np.ndarray) -> float:
    return float(np.sqrt((u**2).sum(-1).mean()))


def off(u: np.ndarray, wanted: np.ndarray) -> float:
    """rms of the difference over the rms of what is wanted."""
    return rms(u - wanted) / rms(wanted)


def quat(axis, angle: float) -> tuple[float, ...]:
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return (np.cos(angle / 2), *(np.sin(angle / 2) * axis))


def press_and_drag(lowest: float, turned, depth: float, at=(0.3e-3, -0.4e-3), presses: int = 10, drags: int = 8):
    """Straight down to a depth of the lowest point, then along the gel by 0.06 mm a step."""
    heights = TOP - lowest + 0.2e-3 - (depth + 0.2e-3) * np.linspace(0, 1, presses)
    path = [taxel.pose((*at, z), quat=turned) for z in heights]
    steps = np.arange(1, drags + 1)[:, None] * [0.05e-3, -0.03e-3] + at
    return np.array(path + [taxel.pose((*xy, heights[-1]), quat=turned) for xy in steps])


def cap(radius: float, reach: float, count: int):
    """(points, normals, areas) of the lower cap of a ball, evenly spread along a spiral; areas are equal."""
    i = np.arange(count) + 0.5
    height = radius - np.sqrt(radius**2 - reach**2)
    z = -radius + height * i / count
    r, phi = np.sqrt(radius**2 - z**2), np.pi * (1 + 5**0.5) * i
    points = np.column_stack([r * np.cos(phi), r * np.sin(phi), z])
    return points, points / radius, np.full(count, 2 * np.pi * radius * height / count)


def flat_end(radius: float, count: int):
    """(points, normals, areas) of a disk that faces down."""
    i = np.arange(count) + 0.5
    r, phi = radius * np.sqrt(i / count), np.pi * (1 + 5**0.5) * i
    points = np.column_stack([r * np.cos(phi), r * np.sin(phi), np.zeros(count)])
    return points, np.tile([0.0, 0, -1], (count, 1)), np.full(count, np.pi * radius**2 / count)


def given(parts) -> dict[str, np.ndarray]:
    return dict(zip(("points", "normals", "areas"), parts, strict=True))


# --- convergence -----------------------------------------------------------------------------------------------------

SHARP = np.pi / 4  # turns a cube onto its edge
CONVERGENCE = {  # body, its turn, its lowest point, depth, least spacing of the coarser points
    "ball": (taxel.Body.sphere(8e-3), (1, 0, 0, 0), -8e-3, 0.8e-3, 0.53e-3),
    "cylinder": (taxel.Body.cylinder(4e-3, 14e-3), quat((1, 0, 0), np.pi / 2 - 0.06),
                 -(4e-3 * np.cos(0.06) + 7e-3 * np.sin(0.06)), 0.6e-3, 0.375e-3),
    "edge": (taxel.Body.box((12e-3,) * 3), quat((1, 0, 0), SHARP), -6e-3 * 2**0.5, 0.8e-3, 0.24e-3),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CONVERGENCE))
def test_twice_the_points_change_little(name):
    body, turned, lowest, depth, radius = CONVERGENCE[name]
    path = press_and_drag(lowest, turned, depth)
    ends = []
    for spacing in (radius, radius / 2**0.5):
        field = taxel.MarkerField(FLAT.pad, FLAT.markers, body, radius=spacing, seed=1)
        ends.append(field.follow(path)[[9, -1]])
    press, drag = (off(ends[0][k], ends[1][k]) for k in range(2))
    print(f"{name}: press {press:.4f}, drag {drag:.4f}")
    assert press < 0.02 and drag < 0.02


def test_half_a_cell_of_the_domes_grid():
    """The grid starts at the margin, so half a cell of margin moves it by half a cell along all axes."""
    path = press_and_drag(-8e-3, (1, 0, 0, 0), 0.7e-3, at=(1e-3, 2e-3))
    ends = []
    for margin in (1e-3, 1.125e-3):
        pad = taxel.MarkerDistance(DOME.pad, "trilinear", spacing=0.25e-3, margin=margin)
        field = taxel.MarkerField(pad, DOME.markers, taxel.Body.sphere(8e-3), radius=0.35e-3, seed=1)
        ends.append(field.follow(path)[[9, -1]])
    press, drag = (off(ends[0][k], ends[1][k]) for k in range(2))
    print(f"half a cell: press {press:.4f}, drag {drag:.4f}")
    assert press < 0.01 and drag < 0.01


def test_substeps_converge():
    body = taxel.Body.sphere(8e-3)
    path = [taxel.pose((0, 0, 10.4e-3)), taxel.pose((0.3e-3, 0.2e-3, 9.2e-3), quat=quat((1, 2, 3), 0.15)),
            taxel.pose((0.9e-3, -0.5e-3, 9.3e-3), quat=quat((0, 1, 3), 0.3))]  # fmt: skip
    make = lambda n: taxel.MarkerField(FLAT.pad, FLAT.markers, body, seed=2, substeps=n).follow(path)[-1]  # noqa: E731
    fine = make(64)
    errors = [off(make(n), fine) for n in (1, 2, 4, 8, 16)]
    print("substeps 1, 2, 4, 8, 16:", np.round(errors, 4))
    assert all(np.diff(errors) < 0)
    assert errors[-1] < 0.01


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pad", [FLAT, DOME], ids=["flat", "domed"])
def test_shear_stays_at_rest_and_goes_with_the_contact(pad):
    field = taxel.MarkerField(pad.pad, pad.markers, taxel.Body.sphere(8e-3))
    path = press_and_drag(-8e-3, (1, 0, 0, 0), 0.7e-3)
    dragged = field.follow(path)[-1]
    wrench = field.wrench
    shear = np.abs(dragged - field.dilation).max()
    rest = field.follow(np.repeat(path[-1:], 20, 0))[-1]
    assert shear > 0.5
    np.testing.assert_allclose(rest, dragged, rtol=0, atol=1e-12)
    np.testing.assert_allclose(field.wrench, wrench, rtol=0, atol=1e-12)
    gone = field.step(taxel.pose((0, 0, 11e-3)))
    assert not gone.any() and not field.wrench.any() and len(field.contact_points) == 0
    again = field.follow(path)[-1]
    np.testing.assert_allclose(again, dragged, rtol=0, atol=1e-9)


def test_first_pose_in_contact_has_no_shear():
    field = taxel.MarkerField(FLAT.pad, FLAT.markers, taxel.Body.sphere(8e-3))
    pixels = field.step(taxel.pose((1e-3, 0, 9.3e-3)))
    assert np.abs(pixels).max() > 0.1
    np.testing.assert_allclose(pixels, field.dilation, rtol=0, atol=1e-12)


def test_hysteresis_of_a_loop():
    """There and back: the work of the tangential force is lost, never won."""
    points = cap(8e-3, 4e-3, 3000)
    field = taxel.MarkerField(FLAT.pad, FLAT.markers, taxel.Body.sphere(8e-3), **given(points))
    field.follow(press_and_drag(-8e-3, (1, 0, 0, 0), 0.6e-3, (0, 0), drags=0))
    x = 1.2e-3 * np.concatenate([np.linspace(0, 1, 25), np.linspace(1, -1, 49), np.linspace(-1, 1, 49)])
    force, marker = [], []
    for at in x:
        marker.append(field.step(taxel.pose((at, 0, 9.4e-3)))[31, 0])
        force.append(field.wrench[0])
    loop = slice(25, None)
    work = np.trapezoid(np.array(force)[loop], x[loop]) + 0.0
    limit = 0.5 * abs(field.wrench[2])
    print(f"loop: {work:.3e} J of at most {4 * 1.2e-3 * limit:.3e}; marker {np.ptp(marker):.2f} px")
    # Force on the gel along the motion: the object does this work. A rigid slider would lose 4 x mu P.
    assert 0.3 * 4 * 1.2e-3 * limit < work < 4 * 1.2e-3 * limit
    np.testing.assert_allclose(force[73], -force[25 + 97], rtol=0, atol=0.02 * limit)


# --- friction --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drag", [0.1, 0.4, 0.8])
def test_sticking_radius_of_a_ball(drag):
    """c/a = (1 - Q/(mu P))^(1/4), of a flat ball (a/R = 0.045) so that its slope counts for nothing."""
    radius, depth, mu = 0.1, 0.1e-3, 0.5
    parts = cap(radius, 5e-3, 20000)
    field = taxel.MarkerField(
        FLAT.pad, FLAT.markers, taxel.Body.sphere(radius), **given(parts), squeeze=0.0, friction=mu
    )
    p = field.parameters
    slip = mu * p["normal_stiffness"] / p["shear_stiffness"]
    for z in np.linspace(0.05e-3, -depth, 4):
        field.step(taxel.pose((0, 0, TOP + radius + z)))
    field.step(taxel.pose((drag * slip * depth * 0.6, drag * slip * depth * 0.8, TOP + radius - depth)))
    state = field.state["objects"][0]
    stuck = np.linalg.norm(state["f"], axis=1) < slip * -state["phi"] * (1 - 1e-6)
    c2, a2 = parts[2][state["index"]][stuck].sum(), parts[2][state["index"]].sum()
    force = field.wrench[:3]
    wanted = (1 - np.linalg.norm(force[:2]) / (mu * -force[2])) ** 0.25
    print(f"c/a {np.sqrt(c2 / a2):.4f}, (1 - Q/muP)^(1/4) {wanted:.4f}, (1 - drag)^(1/2) {(1 - drag) ** 0.5:.4f}")
    assert abs(np.sqrt(c2 / a2) / wanted - 1) < 0.02
    assert abs(wanted / (1 - drag) ** 0.5 - 1) < 0.02
    # Hertz's place: P of a foundation of springs is E pi a^2 depth / 2.
    assert abs(-force[2] / (p["normal_stiffness"] * np.pi * 2 * radius * depth * depth / 2) - 1) < 0.01


def long_drag(field, low=0.0, depth=0.5e-3, length=10e-3):
    """Tangential over normal force and the marker displacements along a drag; starts at -5 mm."""
    field.step(taxel.pose((-5e-3, 0.2e-3, TOP - low + 0.1e-3)))
    ratios, pixels = [], []
    for x in np.linspace(0, length, 101):
        pixels.append(field.step(taxel.pose((-5e-3 + x, 0.2e-3, TOP - low - depth))))
        ratios.append(np.linalg.norm(field.wrench[:2]) / -field.wrench[2])
    return np.array(ratios), np.array(pixels)


def test_drag_saturates_at_the_friction_limit():
    parts, mu = flat_end(3e-3, 2000), 0.4
    cylinder = taxel.Body.cylinder(3e-3, 8e-3)
    lifted = parts[0] - [0, 0, 4e-3], *parts[1:]
    field = taxel.MarkerField(FLAT.pad, FLAT.markers, cylinder, **given(lifted), friction=mu)
    ratios, _ = long_drag(field, -4e-3)
    p = field.parameters
    sticks = mu * p["normal_stiffness"] / p["shear_stiffness"] * 0.5e-3
    print(f"drag: {ratios[[0, 2, 4, 6, 10, -1]]}, sticks for {sticks * 1e3:.2f} mm")
    assert (np.diff(ratios) > -1e-9).all(), "rises"
    assert ratios[2] < 0.6 * mu and np.abs(ratios[8:] / mu - 1).max() < 0.01, "to the limit, and stays"
    # Sampled, with its side: the side does not press.
    for radius in (0.5e-3, 0.35e-3):
        sampled = taxel.MarkerField(FLAT.pad, FLAT.markers, cylinder, friction=mu, radius=radius)
        got, _ = long_drag(sampled, -4e-3)
        print(f"  sampled at {radius}: {got[[2, -1]]}")
        assert abs(got[-1] / mu - 1) < 0.01


def test_drag_does_not_depend_on_points_and_markers():
    cylinder, ends, middles = taxel.Body.cylinder(3e-3, 8e-3), [], []
    for radius, shape in ((0.4e-3, (9, 7)), (0.28e-3, (9, 7)), (0.28e-3, (17, 15))):
        pad = taxel.gelsight_mini_markers(dome=False, shape=shape)
        # Five markers that both layouts have: a grid of the first, the rest is added.
        markers = np.concatenate([FLAT.markers[[31, 24, 38, 30, 32]], pad.markers])
        field = taxel.MarkerField(pad.pad, markers, cylinder, radius=radius)
        _, pixels = long_drag(field, -4e-3)
        ends.append(pixels[-1][:5])
        middles.append(field.wrench[:3])
    print(f"drag: points {off(ends[0], ends[1]):.4f}, markers {off(ends[2], ends[1]):.2e}; forces {middles}")
    assert off(ends[0], ends[1]) < 0.02
    assert off(ends[2], ends[1]) < 1e-12
    np.testing.assert_allclose(middles[0], middles[1], rtol=0, atol=0.02 * abs(middles[1][2]))


# --- the dome --------------------------------------------------------------------------------------------------------


def test_plate_on_the_dome():
    """Patch and force of a flat plate, against where the dome is higher than the plate."""
    size, rim, rise = (20.75e-3, 25.25e-3), 2.75e-3, 1.25e-3
    side, n = 24e-3, 240
    grid = (np.arange(n) + 0.5) / n * side - side / 2
    x, y = (k.ravel() for k in np.meshgrid(grid, grid))
    points = np.column_stack([x, y, np.full(x.size, -1e-3)])
    plate = taxel.Body.box((side, side, 2e-3))
    areas = np.full(x.size, (side / n) ** 2)
    field = taxel.MarkerField(DOME.pad, DOME.markers, plate, points=points, normals=np.tile([0.0, 0, -1], (x.size, 1)),
                              areas=areas)  # fmt: skip
    for depth in (0.2e-3, 0.5e-3):
        field.reset()
        field.step(taxel.pose((0, 0, TOP + 1e-3 - depth)))
        over = dome_height(x, y, size, rim, rise) - 2e-3 - (TOP - depth)
        h = 1e-6
        slope = np.hypot(*((dome_height(x + a, y + b, size, rim, rise) - dome_height(x - a, y - b, size, rim, rise))
                           / (2 * h) for a, b in ((h, 0), (0, h))))  # fmt: skip
        inside = (over > 0) & (np.abs(x) < size[0] / 2)
        area = inside.sum() * (side / n) ** 2
        patch = len(field.contact_points) * (side / n) ** 2
        # Depth is measured along the dome's normal: that of the height times the cosine of its slope.
        force = 1.63e8 * (over / np.sqrt(1 + slope**2))[inside].sum() * (side / n) ** 2
        print(f"dome at {depth}: area {patch / area:.4f}, force {-field.wrench[2] / force:.4f} of the exact")
        assert abs(patch / area - 1) < 0.02
        # The facets (20 a side) lie below the dome, by 4.2 um in the mean: h^2 / 12 times the curvature, both axes.
        less = 1.63e8 * area * 4.2e-6
        assert abs(-field.wrench[2] - (force - less)) < 0.01 * force
        assert np.abs(field.wrench[:2]).max() < 1e-3 * force
        reach = np.abs(field.contact_points[:, :2]).max(0)
        exact = np.abs(np.column_stack([x, y])[inside]).max(0)
        np.testing.assert_allclose(reach, exact, rtol=0, atol=0.2e-3)


# --- sums ------------------------------------------------------------------------------------------------------------


def test_objects_far_apart_add_up():
    body, pad = taxel.Body.sphere(3e-3), taxel.gelsight_mini_markers(dome=False, shape=(12, 9))
    path = press_and_drag(-3e-3, (1, 0, 0, 0), 0.5e-3, (0, 0))
    left, right = path.copy(), path[:, :, :].copy()
    left[:, :2, 3] += [-4e-3, 7e-3]
    right[:, :2, 3] += [4e-3, -7e-3]
    both = taxel.MarkerField(pad.pad, pad.markers, [body, body])
    one, two = (taxel.MarkerField(pad.pad, pad.markers, body) for _ in range(2))
    together = both.follow(np.stack([left, right], 1))
    np.testing.assert_allclose(together, one.follow(left) + two.follow(right), rtol=0, atol=1e-11)
    np.testing.assert_allclose(both.wrench, one.wrench + two.wrench, rtol=0, atol=1e-12)


@pytest.mark.parametrize("pad", [FLAT, DOME], ids=["flat", "domed"])
def test_wrench_is_the_sum_of_all_forces(pad):
    field = taxel.MarkerField(pad.pad, pad.markers, CONVERGENCE["cylinder"][0]).with_marker_forces()
    for X in press_and_drag(CONVERGENCE["cylinder"][2], CONVERGENCE["cylinder"][1], 0.7e-3)[3:]:
        field.step(X)
        force, torque = field.wrench[:3], field.wrench[3:]
        np.testing.assert_allclose(field.contact_forces.sum(0), force, rtol=0, atol=1e-6)
        np.testing.assert_allclose(field.marker_forces.sum(0), force, rtol=0, atol=1e-6)
        np.testing.assert_allclose(
            np.cross(field.contact_points, field.contact_forces).sum(0), torque, rtol=0, atol=1e-9
        )
    assert force[2] < -0.2


# --- symmetry --------------------------------------------------------------------------------------------------------

SQUARE = taxel.Body.box((22e-3, 22e-3, 4e-3))
_pitch = (np.arange(8) - 3.5) * 2e-3
SQUARE_MARKERS = np.array([(x, y, TOP) for y in _pitch for x in _pitch])


def moved_field(points, normals, areas, path, linear):
    """A field whose whole scene, points and poses, is transformed by an orthogonal matrix."""
    field = taxel.MarkerField(
        SQUARE, SQUARE_MARKERS, taxel.Body.sphere(5e-3), points=points @ linear.T, normals=normals @ linear.T,
        areas=areas,
    )  # fmt: skip
    pixels = []
    for X in path:
        Y = X.copy()
        Y[:3, :3], Y[:3, 3] = linear @ X[:3, :3] @ linear.T, linear @ X[:3, 3]
        pixels.append(field.step(Y))
    return np.array(pixels), field.wrench


@pytest.mark.parametrize(
    "linear",
    [np.diag([-1.0, 1, 1]), np.diag([1.0, -1, 1]), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])],
    ids=["mirror-x", "mirror-y", "quarter-turn"],
)
def test_mirrored_and_turned_scenes(linear):
    sampled = taxel.MarkerField(SQUARE, SQUARE_MARKERS, taxel.Body.sphere(5e-3), seed=4)
    path = [X @ taxel.pose((0, 0, 0), quat=quat((1, 2, 3), 0.02 * k))
            for k, X in enumerate(press_and_drag(-5e-3, quat((0, 1, 2), 0.3), 0.7e-3))]  # fmt: skip
    parts = sampled.points, sampled.normals, sampled.areas
    plain, wrench = moved_field(*parts, path, np.eye(3))
    other, turned = moved_field(*parts, path, linear)
    # The marker that lies where the transformed one does.
    where = SQUARE_MARKERS @ linear.T
    match = np.linalg.norm(where[:, None] - SQUARE_MARKERS[None], axis=-1).argmin(1)
    np.testing.assert_allclose(other[:, match], plain @ linear.T, rtol=0, atol=1e-10)
    np.testing.assert_allclose(turned[:3], linear @ wrench[:3], rtol=0, atol=1e-10)
    np.testing.assert_allclose(turned[3:], np.linalg.det(linear) * linear @ wrench[3:], rtol=0, atol=1e-12)
    assert rms(plain[-1]) > 0.5


# --- creep and gravity -----------------------------------------------------------------------------------------------


def test_creep_of_a_standard_linear_solid():
    body, down = taxel.Body.sphere(8e-3), taxel.pose((0.2e-3, 0, 9.3e-3))
    creep, tau = 0.4, 0.3
    field = taxel.MarkerField(FLAT.pad, FLAT.markers, body, creep=creep, creep_time=tau)
    quick = taxel.MarkerField(FLAT.pad, FLAT.markers, body)
    for f in (field, quick):
        f.step(taxel.pose((0, 0, 10.2e-3)), dt=0.1)
    wanted, time = quick.step(down), 0.0
    field.step(down, dt=0.0)
    for dt in (0.01, 0.2, 0.003, 0.0, 1.0, 0.05):
        time += dt
        pixels = field.step(down, dt=dt)
        np.testing.assert_allclose(pixels, (1 - creep * np.exp(-time / tau)) * wanted, rtol=0, atol=1e-6)
    # ... and back: what was late stays for a while.
    held = pixels
    late = field.step(taxel.pose((0, 0, 11e-3)), dt=0.0)
    np.testing.assert_allclose(late, (held - (1 - creep) * wanted), rtol=0, atol=1e-6)
    assert not field.wrench.any()


def test_gravity_pass_is_moving_on_without_memory():
    shift = np.array([0.08e-3, -0.2e-3, 0.0])
    field = taxel.MarkerField(FLAT.pad, FLAT.markers, taxel.Body.sphere(8e-3))
    path = press_and_drag(-8e-3, (1, 0, 0, 0), 0.7e-3)
    for X in path:
        plain, on = field.copy(), field.copy()
        plain.step(X)
        shown = field.step(X, shift)
        np.testing.assert_equal(field.state["objects"][0]["f"], plain.state["objects"][0]["f"])
        on.step(X)
        Y = X.copy()
        Y[:3, 3] += shift
        on.step(Y)
        # Along a flat gel depths stay, and so do forces; markers see the same stretches at the old places.
        np.testing.assert_allclose(field.wrench[:3], on.wrench[:3], rtol=0, atol=1e-9)
    assert np.abs(shown - plain.step(X)).max() > 0.1
