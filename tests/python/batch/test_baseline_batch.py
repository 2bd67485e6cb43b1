"""FOTS and TacSL in batches on the CPU against single ones, to the bit: entry, twist, release and re-entry, tilted.

- FOTS: four variants, whole pixels, gravity, ball, box, capsule and mesh; the same bits on any number of threads
- TacSL: given velocities, velocities from poses, unit shear; Isaac Lab's names and shapes
- resets and numbers of single worlds
- wrong input, devices, and the array on a GPU without one

tests/gpu/test_gpu_baselines.py holds the GPU against these batches.
"""

from itertools import pairwise

import numpy as np
import pytest
from batch_paths import paths
from conftest import cube

import taxel

MARKERS = taxel.gelsight_mini_markers(dome=False).markers
OBJECTS = {
    "ball": (taxel.Body.sphere(8e-3), 8e-3),
    "box": (taxel.Body.box((11e-3, 12e-3, 9e-3)), 5e-3),
    "capsule": (taxel.Body.capsule(5e-3, 8e-3), 9e-3),
    "mesh": (cube(11e-3), 6e-3),
}
VARIANTS = ("fots", "contact_center", "hydroshear_original", "hydroshear_reimpl")
WORLDS, FINGERS, STEPS = 3, 2, 21
needs_no_gpu = pytest.mark.skipif(taxel.cuda_available(), reason="there is a GPU")


def singles(make):
    return [[make() for _ in range(FINGERS)] for _ in range(WORLDS)]


@pytest.mark.parametrize("name", list(OBJECTS))
@pytest.mark.parametrize("variant", VARIANTS)
def test_fots_equals_single_ones(variant, name):
    body, reach = OBJECTS[name]
    whole = variant == "fots" and name == "box"
    make = lambda: taxel.Fots(MARKERS, body, variant, whole_pixels=whole)  # noqa: E731
    batch, one = make().batch(WORLDS, FINGERS, threads=2), singles(make)
    shift = np.random.default_rng(1).normal(0, 2e-4, (WORLDS, FINGERS, 3))
    entries, before, most = 0, np.ones((WORLDS, FINGERS), bool), 0.0
    for t, X in enumerate(paths(3, WORLDS, FINGERS, STEPS, reach)):
        moved = shift if t % 2 else None
        got = batch.step(X, moved)
        assert got.shape == (WORLDS, FINGERS, len(MARKERS), 3)
        want = [
            [one[w][f].step(X[w, f], None if moved is None else moved[w, f]) for f in (0, 1)] for w in range(WORLDS)
        ]
        np.testing.assert_array_equal(got, want)
        touched = np.abs(got).max(axis=(2, 3)) > 0
        entries += int((touched & ~before).sum())
        before, most = touched, max(most, np.abs(got).max())
    assert entries > WORLDS * FINGERS  # some come in again
    assert most > 0.1  # "hydroshear_original" dilates little


def test_gravity_moves_the_tracked_point_alone():
    fots = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3))
    X = taxel.pose((0.3e-3, -0.2e-3, 9e-3))
    plain, moved, after = fots.step(X), fots.step(X, (2e-4, -1e-4, 5.0)), fots.step(X)
    np.testing.assert_array_equal(plain, after)
    assert np.abs(moved - plain).max() == pytest.approx(2e-4 / fots.pixel, rel=0.1)


def test_threads_change_no_bit():
    fots = taxel.Fots(MARKERS, *OBJECTS["ball"][:1])
    batches = [fots.batch(7, 2, threads=n) for n in (1, 2, 5)]
    for X in paths(4, 7, 2, 8, 8e-3):
        a, b, c = (batch.step(X) for batch in batches)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_the_patterns_memory_is_not_taken_over():
    fots = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3))
    way = paths(5, 1, 1, 9, 8e-3)[2:4, 0, 0]
    first = fots.step(way[0])
    np.testing.assert_array_equal(fots.batch(1).step(way[1][None, None])[0, 0], fresh(way[1]))
    assert np.abs(first).max() > 0


def fresh(X):
    return taxel.Fots(MARKERS, taxel.Body.sphere(8e-3)).step(X)


def test_resets_and_numbers_of_single_worlds():
    fots = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3))
    way = paths(6, WORLDS, FINGERS, 13, 8e-3)
    a, b = fots.batch(WORLDS, FINGERS), fots.batch(WORLDS, FINGERS)
    for X in way[:4]:
        a.step(X)
        b.step(X)
    b.reset(np.array([False, True, False]))
    one, two = a.step(way[4]), b.step(way[4])
    np.testing.assert_array_equal(one[[0, 2]], two[[0, 2]])
    assert np.abs(one[1] - two[1]).max() > 0.1
    np.testing.assert_array_equal(two[1, 0], fresh(way[4, 1, 0]))
    b.reset()
    b.set_parameters(dilate_scale=[500.0, 1000.0, 2000.0], lambda_s=0.0004)
    got = b.step(way[4])
    for w, scale in enumerate((500.0, 1000.0, 2000.0)):
        own = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3), dilate_scale=scale, lambda_s=0.0004)
        np.testing.assert_array_equal(got[w, 1], own.step(way[4, w, 1]))


def test_markers_of_the_last_step_are_kept():
    fots = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3))
    batch, (first, second) = fots.batch(WORLDS, FINGERS), paths(6, WORLDS, FINGERS, 13, 8e-3)[3:5]
    assert batch.displacement.shape == (WORLDS, FINGERS, len(MARKERS), 3) and not batch.displacement.any()
    one = batch.step(first, mask=[1, 0, 1])
    assert batch.displacement is one and not one[1].any() and one[0].any()
    kept = one.copy()
    assert batch.step(second) is batch.displacement is not one
    np.testing.assert_array_equal(one, kept)


def tacsl_pair(name, **options):
    body, reach = OBJECTS[name]
    tacsl = taxel.TacSL(MARKERS, body, normal_contact_stiffness=900.0, tangential_stiffness=4.0, **options)
    return tacsl, reach


@pytest.mark.parametrize("unit_shear", [False, True])
@pytest.mark.parametrize("name", list(OBJECTS))
def test_tacsl_with_velocities_equals_single_ones(name, unit_shear):
    tacsl, reach = tacsl_pair(name, unit_shear=unit_shear)
    batch = tacsl.batch(WORLDS, FINGERS, threads=2)
    rng, pressed = np.random.default_rng(2), 0.0
    for X in paths(7, WORLDS, FINGERS, STEPS, reach):
        velocity = rng.normal(size=(WORLDS, FINGERS, 6)) * (0.02, 0.02, 0.01, 0.5, 0.5, 1.0)
        got = batch.read(X, velocity)
        for w in range(WORLDS):
            for f in range(FINGERS):
                v = velocity[w, f]
                want = tacsl.read(np.eye(4), X[w, f], object_velocity=v[:3], object_angular_velocity=v[3:])
                for field in ("penetration_depth", "tactile_normal_force", "tactile_shear_force"):
                    np.testing.assert_array_equal(getattr(got, field)[w, f], getattr(want, field))
                np.testing.assert_allclose(got.tactile_points_pos_w[w, f], want.tactile_points_pos_w)
                np.testing.assert_allclose(got.tactile_points_quat_w[w, f], want.tactile_points_quat_w, atol=1e-12)
        pressed = max(pressed, got.tactile_normal_force.max())
    assert pressed > 0.1
    assert got.penetration_depth.shape == got.tactile_normal_force.shape == (WORLDS, FINGERS, len(MARKERS))
    assert got.tactile_shear_force.shape == (WORLDS, FINGERS, len(MARKERS), 2)


def test_tacsl_takes_velocities_from_poses():
    tacsl, reach = tacsl_pair("ball")
    batch, dt = tacsl.batch(WORLDS, FINGERS), 0.02
    way = paths(8, WORLDS, FINGERS, 41, reach)[5:]  # pressed in steps 4 to 7
    still = batch.read(way[4], dt=dt).tactile_shear_force
    np.testing.assert_array_equal(still[1, 1], tacsl.read(np.eye(4), way[4, 1, 1]).tactile_shear_force)
    for before, X in pairwise(way[4:8]):
        got = batch.read(X, dt=dt)
        v = (X[2, 1, :3, 3] - before[2, 1, :3, 3]) / dt
        R = X[2, 1, :3, :3] @ before[2, 1, :3, :3].T
        axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        w = axis / np.linalg.norm(axis) * np.arcsin(np.linalg.norm(axis)) / dt
        want = tacsl.read(np.eye(4), X[2, 1], object_velocity=v, object_angular_velocity=w).tactile_shear_force
        assert np.abs(want).max() > 1e-3
        np.testing.assert_allclose(got.tactile_shear_force[2, 1], want, atol=1e-9)
    batch.reset(np.array([True, False, False]))
    shear = batch.read(way[6], dt=dt).tactile_shear_force
    np.testing.assert_array_equal(shear[0, 0], tacsl.read(np.eye(4), way[6, 0, 0]).tactile_shear_force)
    assert np.abs(shear[1, 0] - tacsl.read(np.eye(4), way[6, 1, 0]).tactile_shear_force).max() > 1e-3
    batch.set_parameters(normal_contact_stiffness=[900.0, 450.0, 0.0])
    a, b = batch.read(way[6], dt=dt), tacsl.read(np.eye(4), way[6, 1, 0])
    np.testing.assert_allclose(a.tactile_normal_force[1, 0], 0.5 * b.tactile_normal_force, rtol=1e-12)
    assert not a.tactile_normal_force[2].any()


def test_wrong_input_is_named():
    fots, tacsl = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3)), tacsl_pair("ball")[0]
    batch, reader = fots.batch(2, 2), tacsl.batch(2, 2)
    good = paths(1, 2, 2, 3, 8e-3)[1]
    before = batch.step(good)
    bad = good.copy()
    bad[1, 0, 2, 3] = np.nan
    with pytest.raises(taxel.Error, match="world 1, finger 0"):
        batch.step(bad)
    np.testing.assert_array_equal(batch.step(good), before)  # no world has moved
    with pytest.raises(taxel.Error, match="world 1, finger 0"):
        reader.read(bad, dt=0.1)
    bad = good.copy()
    bad[0, 1, :3, :3] *= 2
    with pytest.raises(taxel.Error, match="world 0, finger 1"):
        reader.read(bad, np.zeros((2, 2, 6)))
    with pytest.raises(taxel.Error, match=r"FotsBatch: X_PI has the shape \(2, 4, 4\); give \(2, 2, 4, 4\)"):
        batch.step(good[0])
    with pytest.raises(taxel.Error, match="shift has the shape"):
        batch.step(good, np.zeros(3))
    with pytest.raises(taxel.Error, match="shift of world 0, finger 0 is not finite"):
        batch.step(good, np.full((2, 2, 3), np.inf))
    with pytest.raises(taxel.Error, match="velocity has the shape"):
        reader.read(good, np.zeros((2, 2, 3)))
    with pytest.raises(taxel.Error, match="dt is 0"):
        reader.read(good)
    with pytest.raises(taxel.Error, match="mask has the shape"):
        batch.reset(np.array([True]))
    for values, words in (
        ({"friction": 0.5}, "unknown parameter 'friction'; there are lambda_d"),
        ({"max_twist": 0.5}, "unknown parameter"),
        ({"lambda_d": [1.0, 2.0, 3.0]}, "lambda_d is .*or 2"),
        ({"lambda_d": -1.0}, "lambda_d is -1.0"),
        ({"lambda_d": np.nan}, "lambda_d is nan"),
    ):
        with pytest.raises(taxel.Error, match=words):
            batch.set_parameters(**values)
    for sizes in ((0, 1), (1, 0)):
        with pytest.raises(taxel.Error, match="whole number of 1 or more"):
            fots.batch(*sizes)
        with pytest.raises(taxel.Error, match="whole number of 1 or more"):
            tacsl.batch(*sizes)
    with pytest.raises(taxel.Error, match="threads is -1"):
        fots.batch(1, threads=-1)


class OnGpu:
    __cuda_array_interface__ = {"shape": (2, 2, 4, 4), "typestr": "<f4", "data": (0, False), "version": 3}  # noqa: RUF012


def test_devices_are_not_mixed():
    batch = taxel.Fots(MARKERS, taxel.Body.sphere(8e-3)).batch(2, 2)
    with pytest.raises(taxel.Error, match="X_PI is on the GPU, the batch on the CPU"):
        batch.step(OnGpu())
    with pytest.raises(taxel.Error, match="device is 'gpu'; give 'cpu' or 'cuda'"):
        taxel.Fots(MARKERS, taxel.Body.sphere(8e-3)).batch(2, 2, device="gpu")
    with pytest.raises(taxel.Error, match="threads belong to device 'cpu'"):
        tacsl_pair("ball")[0].batch(2, 2, device="cuda", threads=2)
    with pytest.raises(taxel.Error, match="belongs to device 'cuda'; this batch is on the CPU"):
        batch.set_parameter_rows(None)
    for call in (lambda: batch.step_world(None, None), lambda: tacsl_pair("ball")[0].batch(1).read_world(None, None)):
        with pytest.raises(taxel.Error, match=r"attach\(...\) first"):
            call()


@needs_no_gpu
def test_no_gpu_says_so():
    with pytest.raises(taxel.Error, match=r"CUDA: .*use device 'cpu'"):
        taxel.Fots(MARKERS, taxel.Body.sphere(8e-3)).batch(2, device="cuda")
    with pytest.raises(taxel.Error, match=r"CUDA: .*use device 'cpu'"):
        tacsl_pair("ball")[0].batch(2, device="cuda")
    with pytest.raises(taxel.Error, match=r"CUDA: .*use device 'cpu'"):
        taxel.CudaArray((3,))


class Memory:
    address = 4096


def test_arrays_on_a_gpu_say_what_they_are():
    floats, levels = taxel.CudaArray((2, 3), Memory()), taxel.CudaArray((2, 3), Memory(), 4, np.uint8)
    assert floats.nbytes == 24 and levels.nbytes == 6
    assert floats[1].address == 4096 + 12 and levels[1].address == 4096 + 4 + 3
    assert levels[1].dtype == np.uint8 and repr(levels) == "CudaArray(shape=(2, 3), uint8)"
    face = floats.__cuda_array_interface__, levels.__cuda_array_interface__
    assert [f["typestr"] for f in face] == ["<f4", "|u1"]
    assert face[1]["data"] == (4100, False) and face[1]["shape"] == (2, 3)
    with pytest.raises(taxel.Error, match="dtype is float64; give float32 or uint8"):
        taxel.CudaArray((2,), Memory(), 0, float)
