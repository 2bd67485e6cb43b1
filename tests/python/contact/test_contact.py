"""The contact query from Python.

Cases: closed forms (sphere on plate, cube on a backed pad); the same pair at a tilted pose; swapping A and B;
consistency of the arrays with the totals; views outlive the surface and are never overwritten; out= reuses the
object; poses in all their forms; triangles against polygons; bodies and their properties; copies and pickles; the
laws; shapes on their own.
"""

import copy
import gc
import pickle
import time

import numpy as np
import pytest
from conftest import cube

import taxel


def sphere_on_plate(E: float, R: float, d: float) -> tuple[float, float, float]:
    """Force, area and greatest pressure: p = E (1 - r/R) on the disc at height h = R - d."""
    h = R - d
    a2 = R * R - h * h
    return 2 * np.pi * E * (a2 / 2 - (R**3 - h**3) / (3 * R)), np.pi * a2, E * d / R


@pytest.mark.parametrize("depth", [0.001, 0.002, 0.005, 0.010])
def test_sphere_on_plate_agrees_with_the_closed_form(depth, tilted):
    E, R = 1e5, 0.05
    force, area, pressure = sphere_on_plate(E, R, depth)
    sphere, plate = taxel.Body.sphere(R, E), taxel.Body.half_space()
    for X_W in (np.eye(4), tilted):
        s = taxel.contact(sphere, X_W @ taxel.pose((0.02, 0.01, R - depth)), plate, X_W)
        # 1e-2 is the promise for curved shapes at default settings.
        np.testing.assert_allclose(s.force_on_A, force * X_W[:3, 2], atol=1e-2 * force)
        assert s.area == pytest.approx(area, rel=1e-2)
        assert s.max_pressure == pytest.approx(pressure, rel=1e-2)


def test_fine_setting_reaches_a_thousandth():
    force, _, _ = sphere_on_plate(1e5, 0.05, 0.002)
    sphere, plate = taxel.Body.sphere(0.05, 1e5), taxel.Body.half_space()
    s = taxel.contact(sphere, taxel.pose((0, 0, 0.048)), plate, taxel.pose(), facets_across=48)
    assert s.normal_force == pytest.approx(force, rel=1e-3)


def test_flat_cube_on_backed_pad_is_exact(tilted):
    # p = E d / H over 25 cm2, no edge effect; flat faces, so only rounding is left. The side walls push on each other.
    E, H, d = 3e4, 0.018, 0.003
    pad = taxel.Body.box((0.08, 0.08, H), E, field="backed")
    block = taxel.Body.box((0.05, 0.05, 0.05))
    s = taxel.contact(pad, tilted, block, tilted @ taxel.pose((0.003, -0.002, H / 2 + 0.025 - d), rpy=(0, 0, 0.4)))
    np.testing.assert_allclose(s.force_on_B, E * d / H * 0.05**2 * tilted[:3, 2], rtol=1e-9, atol=1e-9)
    assert s.area == pytest.approx(0.05**2 + 4 * 0.05 * d, rel=1e-9)


def test_heavy_press_never_turns_attractive():
    pad = taxel.Body.box((0.08, 0.08, 0.018), 3e4, field="backed")
    block = taxel.Body.box((0.05, 0.05, 0.05))
    forces = [
        taxel.contact(pad, np.eye(4), block, taxel.pose((0, 0, 0.009 + 0.025 - d))).force_on_B[2]
        for d in np.linspace(0.001, 0.0175, 12)
    ]
    assert np.all(np.diff(forces) > 0)
    # Without stiffening the pad could bear E A = 75 N at most.
    assert forces[-1] > 75


def test_swapping_A_and_B_gives_the_opposite_wrench(tilted):
    a, b = taxel.Body.sphere(0.05, 1e5), taxel.Body.ellipsoid((0.03, 0.04, 0.06), 3e5)
    X_WB = tilted @ taxel.pose((0.01, 0.0, 0.085), quat=(0.9, 0.1, 0.3, -0.2))
    one, two = taxel.contact(a, tilted, b, X_WB), taxel.contact(b, X_WB, a, tilted)
    assert len(one) == len(two) > 0
    scale = np.linalg.norm(one.force_on_A)
    np.testing.assert_allclose(one.force_on_A, two.force_on_B, atol=1e-12 * scale)
    np.testing.assert_allclose(one.torque_on_A, two.torque_on_B, atol=1e-12 * scale)


def test_totals_agree_with_the_arrays(tilted):
    pad = taxel.Body.box((0.08, 0.08, 0.018), 3e4)
    s = taxel.contact(pad, tilted, taxel.Body.sphere(0.02), tilted @ taxel.pose((0.004, 0.007, 0.026)))
    assert s and len(s) == s.num_faces == len(s.areas) == len(s.face_start) - 1
    assert s.vertices.shape == (s.face_start[-1], 3) and s.pressures.shape == (s.face_start[-1],)
    np.testing.assert_allclose(np.linalg.norm(s.normals, axis=1), 1, atol=1e-12)
    force = np.sum((s.areas * s.face_pressures)[:, None] * s.normals, axis=0)
    np.testing.assert_allclose(s.force_on_A, force, rtol=1e-9, atol=1e-12)
    assert s.area == pytest.approx(s.areas.sum(), rel=1e-12)
    assert s.normal_force == pytest.approx(np.sum(s.areas * s.face_pressures), rel=1e-9)
    assert s.max_pressure == pytest.approx(s.pressures.max(), rel=1e-12)
    # The normal points out of B (the ball above the pad) into A (the pad): the ball pushes the pad down.
    assert s.force_on_A @ tilted[:3, 2] < 0
    assert np.all(np.isinf(s.gradients_B)) and np.all(s.gradients_A >= 0)


def test_faces_are_counter_clockwise_about_their_normals():
    s = taxel.contact(
        taxel.Body.box((0.08, 0.08, 0.018), 3e4),
        np.eye(4),
        taxel.Body.sphere(0.02),
        taxel.pose((0, 0, 0.026)),
    )
    for k in range(len(s)):
        polygon = s.vertices[s.face_start[k] : s.face_start[k + 1]]
        area = 0.5 * np.sum(np.cross(polygon[:-1] - polygon[0], polygon[1:] - polygon[0]), axis=0)
        assert area @ s.normals[k] == pytest.approx(s.areas[k], rel=1e-6, abs=1e-16)


def test_wrench_about_a_point_moves_the_torque(tilted):
    s = taxel.contact(
        taxel.Body.sphere(0.05, 1e5), tilted, taxel.Body.sphere(0.04), tilted @ taxel.pose((0, 0.02, 0.08))
    )
    point = np.array([0.3, -0.1, 0.7])
    force, torque = s.wrench_on_A(point)
    np.testing.assert_allclose(torque, s.torque_on_A - np.cross(point, force), atol=1e-12)
    np.testing.assert_allclose(s.wrench_on_B(point)[1], -torque, atol=1e-15)


def test_no_contact_is_empty_and_false():
    s = taxel.contact(taxel.Body.sphere(0.05, 1e5), np.eye(4), taxel.Body.sphere(0.05), taxel.pose((0, 0, 1)))
    assert not s and len(s) == 0 and s.area == 0 and s.normal_force == 0
    assert s.vertices.shape == (0, 3) and list(s.face_start) == [0] and s.triangles().shape == (0, 3)
    assert "no contact" in repr(s)


# --- lifetime ---------------------------------------------------------------------------------------------------------


def press(depth, out=None):
    return taxel.contact(
        taxel.Body.sphere(0.05, 1e5),
        taxel.pose((0, 0, 0.05 - depth)),
        taxel.Body.half_space(),
        np.eye(4),
        out=out,
    )


def test_views_do_not_copy_and_are_read_only():
    s = press(0.005)
    assert s.vertices.__array_interface__["data"] == s.vertices.__array_interface__["data"]
    assert not s.vertices.flags.owndata and not s.pressures.flags.writeable
    with pytest.raises(ValueError):
        s.pressures[0] = 1


def test_views_outlive_the_surface():
    s = press(0.005)
    view, copy = s.pressures, s.pressures.copy()
    del s
    gc.collect()
    for depth in np.linspace(0.001, 0.01, 50):
        press(depth)
    np.testing.assert_array_equal(view, copy)


def test_the_next_query_never_overwrites():
    first = press(0.005)
    before = first.normal_force
    press(0.010)
    assert first.normal_force == before


def test_out_reuses_the_object_but_spares_held_views():
    s = press(0.005)
    held, copy = s.vertices, s.vertices.copy()
    again = press(0.010, out=s)
    assert again is s
    assert s.normal_force == press(0.010).normal_force
    np.testing.assert_array_equal(held, copy)
    # Without views the very memory is used again.
    del held
    gc.collect()
    press(0.010, out=s)
    address = s.vertices.__array_interface__["data"][0]
    press(0.010, out=s)
    assert s.vertices.__array_interface__["data"][0] == address


def test_out_must_be_a_surface():
    with pytest.raises(TypeError, match="out"):
        press(0.005, out=np.zeros(3))


def test_reading_a_patch_takes_microseconds():
    s = press(0.01)
    start = time.perf_counter()
    for _ in range(100):
        s.vertices, s.pressures, s.normals, s.areas  # noqa: B018
    # Drake's Python needs 3 ms for a patch; 0.2 ms leaves room for a busy machine.
    assert (time.perf_counter() - start) / 100 < 2e-4


# --- poses ---------------------------------------------------------------------------------------------------------


def test_poses_in_all_forms_agree(tilted):
    q = np.array([0.83, -0.21, 0.44, 0.27])
    p = tilted[:3, 3]
    sphere, ball = taxel.Body.sphere(0.05, 1e5), taxel.Body.sphere(0.03)
    X_WB = tilted @ taxel.pose((0, 0.01, 0.07))
    expected = taxel.contact(sphere, tilted, ball, X_WB).force_on_A
    for form in (
        (tilted[:3, :3], p),
        (p, q),
        (list(p), tuple(2 * q)),
        tilted.tolist(),
        np.asfortranarray(tilted),
    ):
        np.testing.assert_allclose(taxel.contact(sphere, form, ball, X_WB).force_on_A, expected, rtol=1e-9)


def test_roll_pitch_yaw_turn_about_the_fixed_axes():
    R = taxel.pose(rpy=(0.3, 0, np.pi / 2))[:3, :3]
    np.testing.assert_allclose(R @ (1, 0, 0), (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(R @ (0, 0, 1), (np.sin(0.3), 0, np.cos(0.3)), atol=1e-12)


# --- options -------------------------------------------------------------------------------------------------------


def test_triangles_carry_the_same_force_as_polygons(tilted):
    pad = taxel.Body.box((0.08, 0.08, 0.018), 3e4)
    X_WB = tilted @ taxel.pose((0.004, 0.007, 0.026))
    polygons = taxel.contact(pad, tilted, taxel.Body.sphere(0.02), X_WB)
    triangles = taxel.contact(pad, tilted, taxel.Body.sphere(0.02), X_WB, faces="triangles")
    assert len(triangles) > len(polygons)
    assert np.all(np.diff(triangles.face_start) == 3)
    np.testing.assert_allclose(triangles.force_on_A, polygons.force_on_A, rtol=1e-9, atol=1e-12)


def test_culling_can_be_switched_off(data):
    # An L at yaw 30, 4 mm deep: its side walls stand in the pad's border zone. Drake: Fy -0.225 N, without -0.142 N.
    pad = taxel.Body.box((0.08, 0.08, 0.018), 3e4)
    ell = taxel.Body.from_file(data / "l_shape.obj")
    X_WB = taxel.pose((0, 0, 0.009 + 0.01 - 0.004), rpy=(0, 0, np.pi / 6))
    with_culling = taxel.contact(pad, np.eye(4), ell, X_WB)
    without = taxel.contact(pad, np.eye(4), ell, X_WB, cull=False)
    assert len(without) >= len(with_culling)
    assert abs(with_culling.force_on_B[1] - without.force_on_B[1]) > 0.02


def test_fan_triangles_cover_the_area():
    s = press(0.005)
    a, b, c = (s.vertices[s.triangles()[:, k]] for k in range(3))
    assert 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() == pytest.approx(s.area, rel=1e-9)


# --- bodies, shapes, laws ---------------------------------------------------------------------------------------------


def test_body_properties():
    body = taxel.Body.sphere(0.05, 1e5, name="tip", dissipation=20, static_friction=0.5, dynamic_friction=0.3)
    assert body.soft and body.name == "tip" and body.modulus == 1e5 and body.field == "distance"
    assert (body.dissipation, body.static_friction, body.dynamic_friction) == (20, 0.5, 0.3)
    assert "tip" in repr(body) and "100000" in repr(body).replace("1e+05", "100000")
    assert not taxel.Body.sphere(0.05).soft
    assert "rigid" in repr(taxel.Body.box((1, 1, 1)))


BODIES = {
    "rigid sphere": lambda: taxel.Body.sphere(0.05),
    "soft box": lambda: taxel.Body.box((0.08, 0.08, 0.05), 3e4, name="pad", dissipation=3),
    "backed box": lambda: taxel.Body.box((0.08, 0.08, 0.05), 3e4, field="backed", stiffening_start=0.6),
    "soft half space": lambda: taxel.Body.half_space(1e5, thickness=0.02),
    "rigid half space": lambda: taxel.Body.half_space(),
    "cylinder": lambda: taxel.Body.cylinder(0.03, 0.05, 1e5, resolution=0.004),
    "capsule": lambda: taxel.Body.capsule(0.03, 0.05, 1e5, static_friction=0.4, dynamic_friction=0.3),
    "ellipsoid": lambda: taxel.Body.ellipsoid((0.03, 0.02, 0.025), 1e5, field="backed", thickness=0.01),
    "laplace": lambda: taxel.Body.box((0.08, 0.08, 0.05), 3e4, field="laplace", core_fraction=0.4),
    "rigid mesh": lambda: taxel.Body.mesh(*cube()),
    "soft mesh": lambda: taxel.Body.mesh(*cube(), modulus=1e5),
    "backed mesh": lambda: taxel.Body.mesh(*cube(), modulus=1e5, field="backed", back_triangles=[8, 9]),
    "soft tets": lambda: taxel.Body.tets(*taxel.mesh_interior(*cube()), modulus=1e5),
    "rigid tets": lambda: taxel.Body.tets(*taxel.mesh_interior(*cube())),
}


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES.keys())
def test_pickled_bodies_give_the_same_bits(make, tilted):
    body = make()
    again = pickle.loads(pickle.dumps(body))
    assert repr(again) == repr(body)
    for name in ("name", "modulus", "field", "resolution", "dissipation", "static_friction", "dynamic_friction"):
        assert getattr(again, name) == getattr(body, name)
    # Two centimetres into the upper side of each of them, beside its middle.
    probe, X_WB = taxel.Body.sphere(0.04, 2e5), tilted @ taxel.pose((0.004, 0.007, 0.045))
    one, two = (taxel.contact(b, tilted, probe, X_WB) for b in (body, again))
    assert one.vertices.tobytes() == two.vertices.tobytes() and one.pressures.tobytes() == two.pressures.tobytes()
    if "half space" not in repr(body).replace("_", " "):
        assert len(one) > 0


def test_a_copy_of_a_body_is_the_body():
    body = taxel.Body.sphere(0.05, 1e5)
    assert copy.copy(body) is body and copy.deepcopy([body])[0] is body


def test_surfaces_can_be_copied_and_pickled():
    apart = taxel.contact(taxel.Body.sphere(0.05, 1e5), np.eye(4), taxel.Body.sphere(0.05), taxel.pose((0, 0, 1)))
    for s in (press(0.005), apart):
        arrays = ("vertices", "pressures", "face_start", "normals", "areas", "centroids", "face_pressures")
        totals = ("area", "centroid", "center_of_pressure", "max_pressure", "normal_force", "force_on_A", "torque_on_B")
        for twin in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
            assert twin is not s and len(twin) == len(s)
            for name in (*arrays, "gradients_A", "gradients_B", *totals):
                np.testing.assert_array_equal(getattr(twin, name), getattr(s, name))
    # A copy has arrays of its own: the next query into the first does not reach it.
    s = press(0.005)
    twin = copy.copy(s)
    force = twin.normal_force
    press(0.010, out=s)
    assert twin.normal_force == force != s.normal_force
    batch = taxel.contact_batch(taxel.Body.sphere(0.05, 1e5), np.eye(4), taxel.Body.sphere(0.05), np.eye(4))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(batch)).force_on_A, batch.force_on_A)


def test_paths_may_be_text_bytes_or_path_like(data):
    path = data / "l_shape.obj"
    for form in (path, str(path), bytes(path)):
        assert taxel.Body.from_file(form).name == "l_shape.obj"
        assert taxel.read_mesh(form)[1].shape[1] == 3


def test_pressure_at_follows_the_definition():
    body = taxel.Body.sphere(0.05, 1e5)
    r = np.array([0.0, 0.01, 0.03, 0.049, 0.051])
    points = r[:, None] * np.array([0.6, 0.0, 0.8])
    np.testing.assert_allclose(body.pressure_at(points), 1e5 * np.maximum(0, 1 - r / 0.05), rtol=0.01, atol=1e2)


def test_soft_mesh_has_tets_with_pressures():
    body = taxel.Body.mesh(*cube(), modulus=1e5)
    vertices, tets = body.tet_mesh
    assert tets.shape[1] == 4 and len(body.vertex_pressures) == len(vertices)
    assert body.vertex_pressures.min() == 0
    assert body.vertex_pressures.max() == pytest.approx(1e5, rel=0.02)


def test_surface_encloses_the_sphere():
    vertices, triangles = taxel.Body.sphere(0.05).surface()
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 0.05, rtol=0.02)
    assert taxel.check_watertight(vertices, triangles).ok


def test_check_watertight_counts_the_hole():
    vertices, triangles = cube()
    assert taxel.check_watertight(vertices, triangles).ok
    report = taxel.check_watertight(vertices, triangles[1:])
    assert not report.ok and report.open_edges == 3
    assert "3" in report.describe("cube")


def test_signed_distance_of_bodies_and_meshes():
    points = [[0, 0, 0], [0, 0, 0.03], [0.1, 0, 0]]
    expected = [-0.025, 0.005, 0.075]
    np.testing.assert_allclose(taxel.signed_distance(taxel.Body.box((0.05, 0.05, 0.05)), points), expected, atol=1e-12)
    np.testing.assert_allclose(taxel.signed_distance(cube(), points), expected, atol=1e-12)


def test_sample_surface_keeps_its_distance():
    points, normals, triangles = taxel.sample_surface(*cube(), radius=0.01, seed=3)
    assert len(points) == len(normals) == len(triangles) > 50
    top = points[normals[:, 2] > 0.9]
    distance = np.linalg.norm(top[:, None] - top, axis=2) + np.eye(len(top))
    assert distance.min() >= 0.01
    np.testing.assert_array_equal(points, taxel.sample_surface(*cube(), radius=0.01, seed=3)[0])


def test_mesh_interior_fills_the_cube():
    vertices, tets = taxel.mesh_interior(*cube())
    a, b, c, d = (vertices[tets[:, k]] for k in range(4))
    volumes = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6
    assert volumes.min() > 0 and volumes.sum() == pytest.approx(0.05**3, rel=1e-3)


def test_read_mesh(data):
    vertices, triangles = taxel.read_mesh(data / "dumbbell.obj")
    assert vertices.shape == (938, 3) and triangles.shape == (1872, 3)
    millimetres, _ = taxel.read_mesh(data / "dumbbell.obj", scale=1000)
    np.testing.assert_allclose(millimetres, 1000 * vertices)
    assert taxel.read_mesh(data / "l_shape_h10.vtk")[1].shape == (240, 4)


def test_laws_follow_their_formulas_and_broadcast():
    laws = taxel.laws
    # E* = EA EB / (EA + EB), d = E*/EA dA + E*/EB dB; a rigid side contributes nothing.
    assert laws.combine_dissipation(1e5, 10, 3e5, 20) == pytest.approx(0.75 * 10 + 0.25 * 20)
    assert laws.combine_dissipation(1e5, 10, 0, 99) == pytest.approx(10)
    assert laws.combine_friction(0.3, 0.6) == pytest.approx(0.4)
    assert laws.series_gradient(2e6, np.inf) == 2e6
    p0, g, d = 1000.0, 1e6, 20.0
    speeds = np.array([[-0.01], [0.0], [0.001], [10.0]])
    steps = np.array([0.0, 0.001])
    pressure = laws.hunt_crossley_pressure(p0, g, d, speeds, steps)
    expected = np.maximum(0, p0 - steps * g * speeds) * np.maximum(0, 1 - d * speeds)
    np.testing.assert_allclose(pressure, expected)
    assert pressure.shape == (4, 2) and np.all(pressure >= 0) and np.all(pressure[3] == 0)
    assert laws.regularized_coulomb(0.5e-4, 0.3) == pytest.approx(0.3 * 0.5 * 1.5)
    assert laws.regularized_coulomb(1.0, 0.3) == pytest.approx(0.3)
    assert laws.stribeck_friction(1e-4, 0.5, 0.3) == pytest.approx(0.5, rel=1e-3)
    assert laws.stribeck_friction(1.0, 0.5, 0.3) == pytest.approx(0.3)
