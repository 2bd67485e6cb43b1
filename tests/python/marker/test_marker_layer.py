"""Mode "layer" of MarkerField: against the slow elastic layer, and what it must not do.

Against `taxel.reference` (which shares no code with it): a slide and a twist of a ball, tilted and off-axis shapes.
Stuck objects carry their markers with them. Two objects, other gels, state, batches, wrong input.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import taxel
from taxel.reference import (
    Distance,
    ElasticLayer,
    LayerContact,
    LayerGrid,
    PointProbe,
    cylinder,
    reference_sample,
)
from taxel.reference.motions import PIXEL, marker_grid

FACE = 2e-3


@pytest.fixture(scope="module")
def mini() -> taxel.MarkerPad:
    return taxel.gelsight_mini_markers(dome=False)


def _raised(path: np.ndarray) -> np.ndarray:
    path = np.array(path)
    path[:, 2, 3] += FACE
    return path


def _path(R: np.ndarray, start, *moves) -> np.ndarray:
    """Poses from start through the moves, 0.1 mm apart or so."""
    places = [np.asarray(start, float)]
    for move in moves:
        move = np.asarray(move, float)
        count = max(1, round(np.linalg.norm(move) / 1e-4))
        places += [places[-1] + move * k / count for k in range(1, count + 1)]
    path = np.tile(np.eye(4), (len(places), 1, 1))
    path[:, :3, :3], path[:, :3, 3] = R, places
    return path


def _turn(axis, angle: float) -> np.ndarray:
    from taxel.reference.layer_contact import rotation

    return rotation(np.asarray(axis, float) / np.linalg.norm(axis) * angle)


@pytest.mark.parametrize("kind, index", [("shear", 1), ("twist", 2), ("roll", 1)])
def test_motions_of_the_reference(mini, kind, index):
    sample = reference_sample(kind, index, seed=3, quick=True)
    markers = np.column_stack([marker_grid(), np.full(63, FACE)])
    field = taxel.MarkerField(mini.pad, markers, taxel.Body.sphere(0.0175), mode="layer")
    moved = field.follow(_raised(sample["path"]))[-1, :, :2]
    true = sample["pixels"][-1]
    off = np.sqrt(((moved - true) ** 2).sum(axis=1).mean() / (true**2).sum(axis=1).mean())
    assert off < 0.05
    assert field.wrench[2] == pytest.approx(sample["force"][-1][2], rel=0.03)
    assert np.linalg.norm(field.wrench[:2] - sample["force"][-1][:2]) < 0.03 * -field.wrench[2]
    assert np.allclose(field.wrench[3:], sample["torque"][-1] + np.cross([0, 0, FACE], field.wrench[:3]), atol=2e-4)


@pytest.mark.parametrize("poisson", [0.1, 0.45])
def test_a_tilted_cylinder_on_another_gel(poisson):
    """Its rim digs in, off the axis; gel of 3 mm, friction 0.8."""
    R = _turn((1, 0.3, 0), 0.4)
    path = _path(R, (1e-3, -0.5e-3, 0.0), (0, 0, -0.5e-3), (0.2e-3, 0.3e-3, 0))
    shape = cylinder(4e-3, 5e-3)
    grid = LayerGrid(ElasticLayer(3e-3, 1e5, poisson), (104, 104), 0.25e-3)
    lowest = Distance(shape.distance, shape.bound).height(*np.meshgrid(grid.x, grid.y, indexing="ij"), path[0]).min()
    path[:, 2, 3] -= lowest - 2e-5
    contact = LayerContact(grid, shape, 0.8, 5e-5, 1e-3)
    for X in path:
        state = contact.move(X)
    markers = np.column_stack([marker_grid(), np.zeros(63)])
    true = PointProbe(grid, markers[:, :2])(state.traction)[:, :2] / PIXEL
    field = taxel.MarkerField(
        taxel.Body.box((18e-3, 20e-3, 3e-3)),
        markers,
        taxel.Body.cylinder(4e-3, 10e-3),
        mode="layer",
        poisson=poisson,
        young=1e5,
        friction=0.8,
        pitch=0.2e-3,
    )
    path[:, 2, 3] += 1.5e-3
    moved = field.follow(path)[-1, :, :2]
    assert np.sqrt(((moved - true) ** 2).sum(axis=1).mean() / (true**2).sum(axis=1).mean()) < 0.1
    assert field.wrench[:3] == pytest.approx(state.force, abs=0.04 * -state.force[2])


@pytest.mark.parametrize("kind, index", [("dilation", 1), ("shear", 2)])
def test_against_the_particle_gel(mini, kind, index):
    """Particles, large strains, a pad that ends: coarse (0.8 mm), so fields agree to 15 % and forces to 5 %."""
    from taxel.experiments.gel.motions import follow_gel
    from taxel.reference.motions import motion

    path, _ = motion(kind, index, 0)
    gel = follow_gel(path, 0.8e-3, threads=1)
    markers = np.column_stack([marker_grid(), np.full(63, FACE)])
    field = taxel.MarkerField(mini.pad, markers, taxel.Body.sphere(0.0175), mode="layer", poisson=0.49)
    moved, true = field.follow(_raised(path))[-1, :, :2], gel["pixels"]
    assert np.sqrt(((moved - true) ** 2).sum() / (true**2).sum()) < 0.15
    assert -field.wrench[2] == pytest.approx(gel["force"][2], rel=0.05)
    assert np.linalg.norm(field.wrench[:2] + gel["force"][:2]) < 0.06 * gel["force"][2]


def test_a_grasped_peg_against_the_particle_gel():
    """A cylinder of 8 mm, turned in the plane, 60 % deep in the domed gel, then dragged: as a gripper holds a peg.

    Far beyond small strains; the fields keep their form (cosine 0.98 and 0.998) and their size to 20 %. Springs without
    a layer do not: mode "taxel" points inwards here.
    """
    mini = taxel.gelsight_mini_markers()
    gel_pad = taxel.sensors.gelsight_mini(model="gel")
    gel = taxel.Gel(gel_pad.geom.mesh_arrays(), young=2e5, poisson=0.48, cell=8e-4, threads=1)
    body, high, top = taxel.Body.cylinder(8e-3, 0.05), float(gel_pad.bounds[1, 2]), float(mini.markers[:, 2].max())
    R = _turn((0, 0, 1), 0.4) @ _turn((1, 0, 0), np.pi / 2)
    gel.add(body, taxel.pose((0, 0, high + 8e-3 + 2e-5), R=R), 0.8)
    layer = taxel.MarkerField(mini.pad, mini.markers, body, "layer", poisson=0.48, friction=0.8, pitch=0.8e-3)
    springs = taxel.MarkerField(mini.pad, mini.markers, body, "taxel")
    markers = mini.markers + (0, 0, high - top)

    def to(x, depth):
        gel.move(taxel.pose((x, 0, high + 8e-3 - depth), R=R))
        X = taxel.pose((x, 0, top + 8e-3 - depth), R=R)
        fields = (gel.displacement_at(markers) / PIXEL, layer.step(X), springs.step(X))
        return [np.asarray(field)[:, :2] for field in fields]

    def cosine(a, b):
        return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())

    for depth in (2e-4, 5e-4, 1e-3, 1.5e-3, 2e-3, 2.4e-3):
        true, solved, sprung = to(0.0, depth)
        assert cosine(true, solved) > 0.97
        assert np.sqrt((solved**2).mean() / (true**2).mean()) == pytest.approx(1, abs=0.22)
    assert cosine(true, sprung) < 0
    for x in (1e-4, 3e-4):
        dragged, moved, _ = to(x, 2.4e-3)
    assert cosine(dragged - true, moved - solved) > 0.99
    assert np.linalg.norm(moved - solved) == pytest.approx(np.linalg.norm(dragged - true), rel=0.1)


def test_what_sticks_is_carried_along(mini):
    """A plate over all of the gel, and a lying cylinder: markers under them move as the object does."""
    for body, R, rise, under in (
        (taxel.Body.box((0.03, 0.03, 0.01)), np.eye(3), 5e-3, lambda p: np.abs(p[:, 0]) < 1),
        (taxel.Body.cylinder(8e-3, 0.03), _turn((1, 0, 0), np.pi / 2), 8e-3, lambda p: np.abs(p[:, 0]) < 1e-4),
    ):
        field = taxel.MarkerField(mini.pad, mini.markers, body, mode="layer", friction=3.0, pitch=0.9e-3)
        down = _path(R, (0, 0, FACE + rise + 2e-5), (0, 0, -3.2e-4))
        pressed = field.follow(down)[-1]
        slid = field.follow(_path(R, down[-1][:3, 3], (1.5e-4, 0, 0)))[-1]
        share = (slid - pressed)[under(mini.markers), 0] * PIXEL / 1.5e-4
        assert share.min() > 0.95
        assert share.max() < 1.02


def test_parts_of_the_reading_agree(mini):
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.ellipsoid((6e-3, 9e-3, 5e-3)), mode="layer")
    field = field.with_marker_forces()
    R = _turn((0.2, 1, 0.1), 0.3)
    moved = field.follow(_path(R, (1e-3, 2e-3, 7.6e-3), (0, 0, -1.2e-3), (-3e-4, 0, 0)))[-1]
    force = field.wrench[:3]
    assert force[2] < -0.5
    assert np.allclose(field.contact_forces.sum(axis=0), force)
    assert np.allclose(field.marker_forces.sum(axis=0), force)
    assert np.allclose(np.cross(field.contact_points, field.contact_forces).sum(axis=0), field.wrench[3:])
    assert -field.pressure.sum() * field.pitch**2 == pytest.approx(force[2])
    assert field.cells.shape == (*field.pressure.shape, 3)
    with pytest.raises(taxel.Error, match="place 1 of the surface is not finite"):
        field.surface([[0, 0, 2e-3], [0, np.nan, 2e-3]])
    on_face = field.surface(mini.markers)
    assert np.allclose(on_face[:, :2] / PIXEL, moved[:, :2], atol=1e-3)
    # Under the object the surface follows it; the middle of the contact is the deepest place or near it.
    deep = field.surface(field.contact_points)[:, 2]
    assert deep.min() < -5e-4
    # Friction of zero: pressure alone moves markers.
    smooth = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(5e-3), mode="layer", friction=0.0)
    moved = smooth.follow(_path(np.eye(3), (0, 0, 7.1e-3), (0, 0, -8e-4), (5e-4, 0, 0)))[-1]
    assert np.allclose(smooth.dilation, moved)
    assert np.allclose(smooth.wrench[:2], 0.0)


def test_young_scales_forces_only(mini):
    ball, path = taxel.Body.sphere(6e-3), _path(np.eye(3), (0, 1e-3, 8.05e-3), (0, 0, -6e-4), (2e-4, 1e-4, 0))
    one, other = (taxel.MarkerField(mini.pad, mini.markers, ball, mode="layer", young=e) for e in (1e5, 3e5))
    assert np.array_equal(one.follow(path), other.follow(path))
    assert np.allclose(3 * one.wrench, other.wrench)
    one.parameters = {"young": 3e5}
    one.step(path[-1])
    assert np.allclose(one.wrench, other.wrench, rtol=0.02)
    assert one.parameters["thickness"] == pytest.approx(4e-3)


def test_two_objects_feel_each_other(mini):
    """Far apart they are two gels, side by side the bulge of one lifts the gel under the other."""
    a, b = taxel.Body.sphere(4e-3), taxel.Body.box((4e-3, 5e-3, 6e-3))

    def force(apart: float, both: bool) -> float:
        field = taxel.MarkerField(mini.pad, mini.markers, [a, b], mode="layer", poisson=0.0)
        for depth in np.linspace(-5e-5, 4e-4, 5):
            X = [taxel.pose((-apart, 0, 6e-3 - depth)), taxel.pose((apart, 0, (5e-3 if both else 30e-3) - depth))]
            field.step(X)
        return -field.wrench[2]

    def alone(body, rise) -> float:
        field = taxel.MarkerField(mini.pad, mini.markers, body, mode="layer", poisson=0.0)
        for depth in np.linspace(-5e-5, 4e-4, 5):
            field.step(taxel.pose((-7e-3 if body is a else 7e-3, 0, rise - depth)))
        return -field.wrench[2]

    assert force(7e-3, True) == pytest.approx(alone(a, 6e-3) + alone(b, 5e-3), rel=0.02)
    assert force(7e-3, False) == pytest.approx(alone(a, 6e-3), rel=0.01)
    assert force(2.1e-3, True) < 0.97 * force(7e-3, True)


def test_a_dome_is_stiffer_at_its_rim():
    """Less gel there; pressed along its own normal, friction or not, the force is along that normal."""
    mini = taxel.gelsight_mini_markers()
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(4e-3), mode="layer", friction=0.0)
    distance = taxel.MarkerDistance(mini.pad)
    found = {}
    for name, at in (("middle", (0.0, 0.0)), ("rim", (0.0, 9.5e-3))):
        place = np.array([[*at, 2.5e-3]])
        for _ in range(20):
            place[0, 2] -= distance(place)[0]
        steps = np.eye(3) * 1e-5
        n = np.array([(distance(place + s) - distance(place - s))[0] for s in steps])
        n /= np.linalg.norm(n)
        field.reset()
        for depth in np.linspace(-5e-5, 3e-4, 5):
            field.step(taxel.pose(place[0] + (4e-3 - depth) * n))
        force = field.wrench[:3]
        found[name] = -force @ n
        assert np.linalg.norm(force + found[name] * n) < 0.06 * found[name]
    assert 1.03 < found["rim"] / found["middle"] < 1.6


def test_state_copy_and_reset(mini):
    path = _path(_turn((1, 1, 0), 0.2), (0, 0, 7.05e-3), (0, 0, -6e-4), (3e-4, -2e-4, 0))
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(5e-3), mode="layer")
    field.follow(path[:-2])
    kept, twin = field.state, field.copy()
    last = field.follow(path[-2:])
    assert np.array_equal(twin.follow(path[-2:]), last)
    field.state = kept
    assert np.array_equal(field.follow(path[-2:]), last)
    assert kept["traction"].shape == (len(kept["index"]), 3)
    with pytest.raises(taxel.Error, match="not one of this field"):
        field.state = {**kept, "index": kept["index"] + 10**6}
    with pytest.raises(taxel.Error, match="a state has"):
        field.state = {"started": True}
    before = -field.wrench[2]
    field.zero_tangential()
    field.step(path[-1])
    assert abs(field.wrench[0]) < 0.02 * before
    field.reset()
    assert np.allclose(field.step(taxel.pose((0, 0, 1))), 0)


def test_batch_is_many_fields(mini):
    """Worlds, fingers, threads, parameters by world, resets by mask, a pose that is bad."""
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(5e-3), mode="layer")
    paths = np.stack([_path(np.eye(3), (x, -x, 7.05e-3), (0, 0, -5e-4), (2e-4, 0, 0)) for x in (0, 1e-3, -2e-3, 3e-3)])
    batches = [field.batch(2, 2, threads=n, wrench=True, marker_forces=True) for n in (1, 2)]
    alone = [field.copy() for _ in range(4)]
    for batch in batches:
        batch.set_parameters(friction=[0.2, 0.9], poisson=[0.45, 0.3])
    for k, one in enumerate(alone):
        one.reset()
        one.parameters = {"friction": (0.2, 0.9)[k // 2], "poisson": (0.45, 0.3)[k // 2]}
    for X in np.swapaxes(paths, 0, 1).reshape(-1, 2, 2, 4, 4):
        moved = [batch.step(X) for batch in batches]
        each = np.stack([one.step(x) for one, x in zip(alone, X.reshape(4, 4, 4), strict=True)])
    assert np.array_equal(*moved)
    assert np.array_equal(moved[0].reshape(each.shape), each)
    assert np.allclose(batches[0].wrench.reshape(4, 6), [one.wrench for one in alone])
    assert np.allclose(batches[0].marker_forces.sum(axis=2), batches[0].wrench[..., :3])
    bad = X.copy()
    bad[1, 1, 0, 3] = np.nan
    with pytest.raises(taxel.Error, match="world 1, finger 1"):
        batches[0].step(bad)
    assert np.allclose(batches[0].step(X), batches[1].step(X))
    batches[0].reset([True, False])
    again = batches[0].step(X)
    assert not np.allclose(again[0], batches[1].step(X)[0], atol=0.01)
    if not taxel.cuda_available():
        with pytest.raises(taxel.Error, match="CUDA"):
            field.batch(2, device="cuda")
    with pytest.raises(taxel.Error, match="belongs to device 'cuda'"):
        _ = batches[0].overflows
    corners = np.array([[0, 0, 0], [5, 0, 0], [0, 5, 0], [0, 0, 5]]) * 1e-3
    wedge = taxel.Body.mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    of_mesh = taxel.MarkerField(mini.pad, mini.markers, wedge, mode="layer")
    with pytest.raises(taxel.Error, match=r"object 0 is a mesh.*MarkerDistance\(mesh, 'trilinear'"):
        of_mesh.batch(2, device="cuda")
    with pytest.raises(taxel.Error, match="poisson"):
        batches[0].set_parameters(poisson=0.7)


def test_wrong_input_is_named(mini):
    ball = taxel.Body.sphere(5e-3)

    def make(**given):
        return taxel.MarkerField(given.pop("pad", mini.pad), mini.markers, ball, mode="layer", **given)

    for given, word in (
        ({"poisson": 0.5}, "poisson"),
        ({"thickness": -1.0}, "thickness"),
        ({"friction": -0.1}, "friction"),
        ({"friction": float("inf")}, "friction is inf; give a number of 0 or more .finite; 1000 lets nothing slip."),
        ({"young": 0.0}, "young"),
        ({"pitch": 1e-6}, "pitch"),
        ({"pitch": 0.02}, "pitch"),
        ({"pitch": -1.0}, "pitch"),
        ({"step": 0.0}, "step"),
        ({"squeeze": 1.0}, "unknown parameter 'squeeze'"),
        ({"radius": 1e-3}, "meets the object itself"),
        ({"substeps": 65}, "substeps"),
    ):
        with pytest.raises(taxel.Error, match=word):
            make(**given)
    with pytest.raises(taxel.Error, match="belong to mode 'layer'"):
        taxel.MarkerField(mini.pad, mini.markers, ball, mode="taxel", pitch=1e-3)
    with pytest.raises(taxel.Error, match="no thickness"):
        make(pad=taxel.Body.half_space())
    with pytest.raises(taxel.Error, match="steps"):
        taxel.MarkerField(mini.pad, mini.markers, taxel.MarkerDistance(ball, "nearest"), mode="layer")
    field = make()
    with pytest.raises(taxel.Error):
        field.step(np.full((4, 4), np.nan))


def test_hard_hits_and_deep_presses_end(mini):
    """Whatever the poses, the answer is finite and the next press is as on a fresh gel."""
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.box((5e-3, 7e-3, 9e-3)), mode="layer", pitch=0.9e-3)
    rng = np.random.default_rng(4)
    for _ in range(12):
        X = taxel.pose(rng.uniform(-8e-3, 8e-3, 3) + [0, 0, 4e-3])
        X[:3, :3] = _turn(rng.normal(size=3), rng.uniform(0, 3))
        assert np.all(np.isfinite(field.step(X)))
        assert np.all(np.isfinite(field.wrench))
    field.step(taxel.pose((0, 0, 0.1)))
    fresh = field.copy()
    fresh.reset()
    path = _path(np.eye(3), (0, 0, 6.52e-3), (0, 0, -3e-4))
    assert np.allclose(field.follow(path), fresh.follow(path), atol=1e-6)


def test_threads_with_fields_of_their_own(mini):
    path = _path(np.eye(3), (0, 0, 7.05e-3), (0, 0, -5e-4), (2e-4, 0, 0))
    pattern = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(5e-3), mode="layer")
    found: dict[int, np.ndarray] = {}

    def work(k: int) -> None:
        found[k] = pattern.copy().follow(path)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_a_flat_mesh_is_a_gel():
    """Its thickness is the same everywhere but for rounding: no division by the spread of it."""
    corners = np.array([[x, y, z] for x in (-0.01, 0.01) for y in (-0.008, 0.008) for z in (-0.002, 0.002)])
    faces = np.array([
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ])  # fmt: skip
    markers = np.array([[x, y, 0.002] for x in (-4e-3, 0.0, 3e-3) for y in (-2e-3, 1e-3)])
    ball = taxel.Body.sphere(0.008)
    fields = [
        taxel.MarkerField(pad, markers, ball, mode="layer", pitch=2.5e-4)
        for pad in (taxel.Body.mesh(corners, faces), taxel.Body.box((0.02, 0.016, 0.004)))
    ]
    for depth in np.linspace(-1e-4, 6e-4, 12):
        mesh, box = (field.step(taxel.pose((1e-3, -5e-4, 0.01 - depth))) for field in fields)
        assert np.isfinite(mesh).all()
    assert np.abs(box).max() > 0.5
    np.testing.assert_allclose(mesh, box, atol=0.01 * np.abs(box).max())
