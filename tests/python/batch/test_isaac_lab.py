"""Isaac Lab's names as a view on what we read: values, shapes, frames, and what is refused."""

import dataclasses

import mujoco
import numpy as np
import pytest

import taxel
from taxel.batch.isaac_lab import _of_finger
from taxel.image.synthetic import synthetic_camera

POINTS = np.array([(x, y, 0.002) for x in (-0.003, 0.0, 0.003) for y in (-0.002, 0.002)])
NAMES = [
    "tactile_depth_image",
    "tactile_rgb_image",
    "tactile_points_pos_w",
    "tactile_points_quat_w",
    "penetration_depth",
    "tactile_normal_force",
    "tactile_shear_force",
]


def tacsl_data(speed: float = 0.01) -> tuple[taxel.TacSLBatchData, np.ndarray]:
    batch = taxel.TacSL(POINTS, taxel.Body.sphere(0.008), normal_contact_stiffness=300.0).batch(3, 2)
    X = np.tile(taxel.pose((0.001, 0, 0.002 + 0.008 - 0.0006)), (3, 2, 1, 1))
    X[2, 1, 2, 3] -= 4e-4
    velocity = np.zeros((3, 2, 6))
    velocity[..., 0] = speed
    return batch.read(X, velocity), X


def test_the_names_are_isaac_lab_s():
    assert [f.name for f in dataclasses.fields(taxel.VisuoTactileData)] == NAMES


def test_tacsl_of_one_finger_is_a_view():
    data, _ = tacsl_data()
    seen = taxel.isaac_lab_data(data, 1)
    assert seen.tactile_normal_force.shape == (3, 6) and seen.tactile_shear_force.shape == (3, 6, 2)
    for name in ("penetration_depth", "tactile_normal_force", "tactile_shear_force"):
        assert np.shares_memory(getattr(seen, name), getattr(data, name))
        np.testing.assert_array_equal(getattr(seen, name), getattr(data, name)[:, 1])
    assert seen.tactile_normal_force[2].sum() > seen.tactile_normal_force[0].sum() > 0
    still = taxel.isaac_lab_data(tacsl_data(0.0)[0], 1)
    moved = seen.tactile_shear_force - still.tactile_shear_force
    assert moved[0, :, 0].sum() > 1e-3 > 10 * abs(moved[0, :, 1].sum())  # along x the ball takes the gel with it
    assert seen.tactile_rgb_image is None and seen.tactile_depth_image is None
    np.testing.assert_array_equal(seen.tactile_points_pos_w[1], POINTS)


def test_points_and_quaternions_in_the_world():
    data, _ = tacsl_data()
    poses = np.stack([taxel.pose((0.1 * k, 0.2, -0.3), rpy=(0.3 * k, -0.2, 1.0)) for k in range(3)])
    seen = taxel.isaac_lab_data(data, 0, X_WP=poses)
    for k, X in enumerate(poses):
        np.testing.assert_allclose(seen.tactile_points_pos_w[k], POINTS @ X[:3, :3].T + X[:3, 3], atol=1e-12)
        turned = np.zeros(9)
        mujoco.mju_quat2Mat(turned, seen.tactile_points_quat_w[k, 3])
        np.testing.assert_allclose(turned.reshape(3, 3), X[:3, :3], atol=1e-12)
    newer = taxel.isaac_lab_data(data, 0, X_WP=poses, quaternion="xyzw")
    np.testing.assert_array_equal(newer.tactile_points_quat_w, np.roll(seen.tactile_points_quat_w, -1, axis=-1))


def test_half_a_turn_as_isaac_lab_has_it():
    """The same force in the world, whichever frame tells it."""
    data, _ = tacsl_data()
    poses = np.stack([taxel.pose(rpy=(0.4, 0.1 * k, -0.7)) for k in range(3)])
    ours, theirs = (taxel.isaac_lab_data(data, 0, X_WP=poses, half_turn=turn) for turn in (False, True))
    np.testing.assert_array_equal(theirs.tactile_shear_force, -ours.tactile_shear_force)
    for seen in (ours, theirs):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, seen.tactile_points_quat_w[1, 0])
        local = np.array([*seen.tactile_shear_force[1].sum(axis=0), -seen.tactile_normal_force[1].sum()])
        world = R.reshape(3, 3) @ local
        expected = poses[1, :3, :3] @ [*ours.tactile_shear_force[1].sum(axis=0), -ours.tactile_normal_force[1].sum()]
        np.testing.assert_allclose(world, expected, atol=1e-12)


def test_marker_batches_share_their_forces():
    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(0.008))
    batch = field.batch(2, 2, wrench=True, marker_forces=True)
    X = np.tile(taxel.pose((0, 0, 0.002 + 0.008 - 0.0008)), (2, 2, 1, 1))
    batch.step(X)
    X[1, :, 0, 3] = 3e-4
    batch.step(X)
    seen = taxel.isaac_lab_data(batch, 1)
    np.testing.assert_allclose(seen.tactile_normal_force.sum(axis=1), -batch.wrench[:, 1, 2], rtol=1e-9)
    np.testing.assert_allclose(seen.tactile_shear_force.sum(axis=1), batch.wrench[:, 1, :2], rtol=1e-6, atol=1e-12)
    assert seen.tactile_shear_force[1, :, 0].sum() > 10 * abs(seen.tactile_shear_force[0, :, 0].sum())
    assert seen.penetration_depth is None
    with pytest.raises(taxel.Error, match="marker_forces"):
        taxel.isaac_lab_data(field.batch(1))


def test_readings_of_a_skin_in_newtons():
    pad = taxel.Body.box((0.04, 0.04, 0.01), modulus=1e5, field="backed")
    skin = taxel.Skin(pad, shape=(8, 8))
    deep = [0.001, 0.002]
    surfaces = [taxel.contact(pad, taxel.pose(), taxel.Body.sphere(0.01), taxel.pose((0, 0, 0.015 - d))) for d in deep]
    seen = taxel.isaac_lab_data([skin.read(s, forces=True) for s in surfaces])
    assert seen.tactile_normal_force.shape == (2, 64)
    np.testing.assert_allclose(seen.tactile_normal_force.sum(axis=1), [s.force_on_B[2] for s in surfaces], rtol=1e-6)


@pytest.mark.parametrize("name", ["uskin", "anyskin"])
def test_readings_of_sensors_in_mujoco(name):
    described = taxel.sensors.catalogue()[name]()
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    described.add_to(spec)
    ball = spec.worldbody.add_body(pos=(0.001, 0, described.bounds[1, 2] + 0.006))
    ball.add_freejoint()
    ball.add_geom(size=(0.006, 0, 0), mass=0.1)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=500)
    sensor = taxel.Sensor(model, name)
    seen = taxel.isaac_lab_data([sensor.read(data)], unit=sensor.unit, X_WP=[sensor.pose(data)])
    assert seen.tactile_normal_force.sum() == pytest.approx(0.981, rel=1e-3)
    assert seen.tactile_shear_force.shape == (1, described.count, 2)


def test_images_of_a_batch():
    data, X = tacsl_data()
    camera = synthetic_camera((32, 24), 2e-4)
    batch = camera.batch(taxel.Body.sphere(0.008), 3, 2, depth=True)
    grey = batch.render(X)
    seen = taxel.isaac_lab_data(data, 1, image=grey, depth=batch.depth)
    assert seen.tactile_rgb_image.shape == (3, *grey.shape[2:], 3)
    assert seen.tactile_depth_image.shape == (3, *grey.shape[2:], 1)
    np.testing.assert_array_equal(seen.tactile_rgb_image[..., 2], grey[:, 1])
    colour = np.zeros((3, 2, 4, 5, 3), np.uint8)
    assert taxel.isaac_lab_data(data, 0, image=colour).tactile_rgb_image.shape == (3, 4, 5, 3)
    for wrong in (colour[:2], colour[..., :2], np.zeros(3)):
        with pytest.raises(taxel.Error, match="image"):
            taxel.isaac_lab_data(data, 0, image=wrong)


def test_arrays_of_a_device_are_seen_through_torch():
    torch = pytest.importorskip("torch")

    class Packed:
        """What CudaArray offers, on a machine without a GPU."""

        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    values = np.arange(12.0).reshape(2, 3, 2)
    seen = _of_finger(Packed(values), 1, 2, "source")
    assert isinstance(seen, torch.Tensor) and seen.tolist() == values[:, 1].tolist()
    values[1, 1, 0] = -5
    assert seen[1, 0] == -5  # no copy


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("data", {"finger": 2}, "finger is 2"),
        ("data", {"finger": -1}, "finger is -1"),
        ("data", {"quaternion": "zyxw"}, "quaternion is 'zyxw'"),
        ("data", {"unit": "counts"}, "unit is 'counts'"),
        ("data", {"X_WP": np.eye(4)}, r"give \(3, 4, 4\)"),
        ([], {}, "source is list"),
        (3, {}, "source is int"),
        ([1, 2], {}, "source is list"),
    ],
)
def test_wrong_sources_are_refused(source, options, words):
    with pytest.raises(taxel.Error, match=words):
        taxel.isaac_lab_data(tacsl_data()[0] if source == "data" else source, **options)


def test_readings_without_shear_are_refused():
    pad = taxel.Body.box((0.04, 0.04, 0.01), modulus=1e5, field="backed")
    surface = taxel.contact(pad, taxel.pose(), taxel.Body.sphere(0.01), taxel.pose((0, 0, 0.014)))
    plain = taxel.Skin(pad, shape=(4, 4)).read(surface)
    with pytest.raises(taxel.Error, match="no shear"):
        taxel.isaac_lab_data([plain])
    with pytest.raises(taxel.Error, match="readings are of one skin"):
        taxel.isaac_lab_data([plain], 1)
    other = taxel.Skin(pad, shape=(4, 5)).read(surface, forces=True)
    with pytest.raises(taxel.Error, match="different numbers of taxels"):
        taxel.isaac_lab_data([taxel.Skin(pad, shape=(4, 4)).read(surface, forces=True), other])


def test_forces_of_a_device_stay_there():
    """Of a batch on a GPU everything is torch's, on its device; here that is the CPU."""
    torch = pytest.importorskip("torch")
    data, _ = tacsl_data()
    there = taxel.TacSLBatchData(
        *(torch.from_numpy(np.asarray(getattr(data, name), np.float32)) for name in NAMES[4:]), data._standing
    )
    poses = np.tile(taxel.pose((0.1, 0.2, 0.3)), (3, 1, 1))
    grey = torch.zeros((3, 2, 4, 5), dtype=torch.uint8)
    seen, ours = (taxel.isaac_lab_data(d, 1, X_WP=poses, half_turn=True) for d in (there, data))
    for name in NAMES[2:]:
        assert getattr(seen, name).dtype == torch.float32
        np.testing.assert_allclose(getattr(seen, name).numpy(), getattr(ours, name), rtol=1e-5, atol=1e-7)
    assert taxel.isaac_lab_data(there, 1, image=grey).tactile_rgb_image.shape == (3, 4, 5, 3)
