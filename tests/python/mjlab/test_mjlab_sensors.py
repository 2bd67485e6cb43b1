"""Touch as sensors of mjlab, in its own task of lifting a cube, three worlds on the CPU device.

- markers are those of a batch of ours on the poses of the scene; reset of one world; turned points; the observation
- a soft mat weighs the cube
- what is refused, by name

Needs an environment of its own: make test-mjlab.
"""

from pathlib import Path

import mujoco
import numpy as np
import pytest

pytest.importorskip("mjlab.sensor")
torch = pytest.importorskip("torch")
import mjlab_scene as scenes  # noqa: E402
import warp as wp  # noqa: E402
from mjlab.envs import ManagerBasedRlEnv  # noqa: E402
from mjlab.scene import Scene  # noqa: E402

import taxel  # noqa: E402
import taxel.mjlab  # noqa: E402

WORLDS = 3
wp.config.log_level = wp.LOG_WARNING


@pytest.fixture(scope="module")
def env():
    torch.set_num_threads(1)
    made = ManagerBasedRlEnv(scenes.lift_cube(WORLDS), device="cpu")
    yield made
    made.close()


def pose_numbers(X: np.ndarray) -> torch.Tensor:
    """mjlab's seven numbers a pose."""
    out = np.zeros((len(X), 7))
    for row, pose in zip(out, X, strict=True):
        row[:3] = pose[:3, 3]
        mujoco.mju_mat2Quat(row[3:], pose[:3, :3].ravel())
    return torch.tensor(out, dtype=torch.float32)


def place_cube(env, X_PI: np.ndarray) -> None:
    """The cube at poses in the frame of the gel; every sensor has something new to read."""
    site = env.sim.mj_model.site("gel_pad0").id
    X_WP = np.tile(np.eye(4), (WORLDS, 1, 1))
    X_WP[:, :3, 3] = env.sim.data.site_xpos[:, site].numpy()
    X_WP[:, :3, :3] = env.sim.data.site_xmat[:, site].reshape(WORLDS, 3, 3).numpy()
    env.scene["cube"].write_root_link_pose_to_sim(pose_numbers(X_WP @ X_PI))
    env.sim.forward()
    for name in ("gel", "ball"):
        env.scene[name].update(0.0)


def pressed(worlds_apart: bool = True) -> np.ndarray:
    shift = np.arange(WORLDS) * 1e-3 if worlds_apart else np.zeros(WORLDS)
    return np.array([taxel.pose((s, -2 * s, 2e-3 + 0.02 - 6e-4), rpy=(0.02, -0.03, 0.4)) for s in shift])


def test_markers_are_those_of_our_batch(env):
    env.reset()
    ours = scenes.field(scenes.CUBE).batch(WORLDS, 1, wrench=True)
    X, before = pressed(), pressed()
    before[:, 2, 3] += 4e-3
    for step, poses in enumerate((before, X, X)):
        poses = poses.copy()
        poses[:, 0, 3] += 2e-4 * (step == 2)
        place_cube(env, poses)
        data = env.scene["gel"].data
        want = ours.step(poses[:, None])
        np.testing.assert_allclose(data.displacement.numpy(), want, atol=0.05)
        np.testing.assert_allclose(data.wrench.numpy(), ours.wrench, atol=0.02 * max(1e-3, np.abs(ours.wrench).max()))
        assert env.scene["gel"].data is data  # read twice, moved once
    assert np.abs(want).max() > 1
    held = data.displacement.clone()
    env.scene["gel"].reset(torch.tensor([1]))
    again = env.scene["gel"].data.displacement
    torch.testing.assert_close(again[[0, 2]], held[[0, 2]], atol=1e-5, rtol=0)
    assert (again[1] - held[1]).abs().max() > 0.01  # the drag is forgotten


def test_points_are_turned_anew_in_every_episode(env):
    env.reset()
    far = pressed(worlds_apart=False)
    far[:, 2, 3] += 4e-3
    for X in (far, pressed(worlds_apart=False)):  # from the same side in all worlds
        place_cube(env, X)
        gel, ball = env.scene["gel"].data.displacement, env.scene["ball"].data.displacement
    assert (gel[0] - gel[1]).abs().max() < 0.02 * gel.abs().max()
    assert (ball[0] - ball[1]).abs().max() > 0.02 * ball.abs().max() > 0.02
    env.scene["ball"].reset(torch.tensor([2]))
    again = env.scene["ball"].data.displacement
    torch.testing.assert_close(again[:2], ball[:2], atol=1e-4, rtol=0)
    assert (again[2] - ball[2]).abs().max() > 0.02 * ball.abs().max()


def test_a_world_that_blew_up_stops_no_other(env):
    env.reset()
    X = pressed(worlds_apart=False)
    place_cube(env, X)
    gel, ball = env.scene["gel"], env.scene["ball"]
    felt = gel.data.displacement.clone()
    _ = ball.data
    broken = X.copy()
    broken[1] = np.nan
    place_cube(env, broken)
    data = gel.data
    assert (
        data.displacement[1].isnan().all()
        and data.wrench[1].isnan().all()
        and data.displacement[[0, 2]].isfinite().all()
    )
    for sensor in (gel, ball):  # "ball" presses in, once there is something to press
        sensor.reset(torch.tensor([1]))
        assert sensor.data.displacement[1].isnan().all()
    place_cube(env, X)
    torch.testing.assert_close(gel.data.displacement[0], felt[0], atol=0.05, rtol=0)
    assert gel.data.displacement.isfinite().all() and ball.data.displacement.isfinite().all()


def test_a_mat_weighs_the_cube(env):
    observed, _ = env.reset()
    assert observed["actor"].shape[1] >= 63 * 2
    place = [
        taxel.pose((0.3, 0, 0.0255)),
        taxel.pose((0.305, 0.004, 0.0255), rpy=(0, 0, 0.3)),
        taxel.pose((0.5, 0, 0.021)),
    ]
    cube = env.scene["cube"]
    cube.write_root_link_pose_to_sim(pose_numbers(np.array(place)))
    cube.write_root_link_velocity_to_sim(torch.zeros(WORLDS, 6))
    for _ in range(150):
        env.sim.step()
    load = env.scene["mat"].data.pressure.sum(1).numpy() * scenes.MAT**2
    np.testing.assert_allclose(load, [0.05 * 9.81, 0.05 * 9.81, 0], rtol=0.01, atol=1e-6)
    assert not env.scene["mat"].soft.overflow()
    image = env.scene["mat"].data.image
    assert image.shape == (WORLDS, 8, 8) and image[0].sum() > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"pads": (taxel.mjlab.Mount("robot/thumb"),)},
            "pad 0: the scene has no body 'robot/thumb'; there are .*cube/cube",
        ),
        ({"objects": ("cube",)}, "object 0: the scene has no body 'cube'"),
        ({"pads": ()}, "0 pads and 1 objects"),
        ({"objects": ("cube/cube", "cube/cube")}, "1 pads and 2 objects"),
        ({"field": ()}, "field is missing"),
        ({"turn": "x"}, "turn is 'x'"),
        ({"field": "cube"}, "field is 'cube'; give a taxel.MarkerField"),
        ({"objects": "cube/cube"}, "objects is 'cube/cube'; give a tuple"),
        ({"pads": (("robot/arm", (0, 0, 0)),)}, "pad 0: .* is no place; give a taxel.mjlab.Mount"),
        ({"press": -1.0}, "press is -1.0; give a distance above 0"),
    ],
)
def test_wrong_gels_are_named(change, words):
    cfg = scenes.lift_cube(1).scene
    options = {"name": "gel", "field": scenes.field(scenes.BALL), "pads": (scenes.PAD,), "objects": ("cube/cube",)}
    cfg.sensors = (taxel.mjlab.MarkerSensorCfg(**(options | change)),)
    with pytest.raises(taxel.Error, match=f"MarkerSensorCfg 'gel'.*{words}"):
        Scene(cfg, device="cpu")


def test_wrong_skins_are_named():
    cfg = scenes.lift_cube(1)
    cfg.scene.sensors = (taxel.mjlab.SkinSensorCfg(name="mat", skin="pad"),)
    with pytest.raises(taxel.Error, match="SkinSensorCfg 'mat': skin is 'pad'"):
        Scene(cfg.scene, device="cpu")
    cfg = scenes.lift_cube(1)
    cfg.sim.mujoco.cone = "pyramidal"
    with pytest.raises(mujoco.FatalError, match="elliptic"):
        ManagerBasedRlEnv(cfg, device="cpu")


def test_the_page_runs():
    page = Path(__file__).parents[3] / "docs" / "guide" / "mjlab.md"
    block = page.read_text().split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(compile(block, str(page), "exec"), names)
    names["env"].close()
    assert names["env"].scene["gel"].data.displacement.shape == (2, 2, 63, 3)
