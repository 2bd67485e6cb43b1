"""Environments of robosuite and gymnasium-robotics with skins, on the packages themselves.

- engine      what a newer MuJoCo changed under them, and that the remedy is theirs alone
- robosuite   Lift with a Panda: keys, shapes, a grasp that both sides feel, its reward, hard resets, another sensor
- gymnasium   the Shadow hand with an egg: keys, spaces, weight, seeds, a time limit; environments that are given
- wrong       other grippers, wrappers, options in the wrong place
"""

import subprocess
import sys

import mujoco
import numpy as np
import pytest

import taxel
from taxel.robots import cover_shadow, fingertip_pad, wrap_gymnasium_robotics, wrap_robosuite
from taxel.robots.older_engine import OlderEngine, enums_are_strict

with pytest.MonkeyPatch.context() as unchanged:
    unchanged.setenv("MUJOCO_GL", "egl")  # robosuite sets it, for all that comes after
    robosuite = pytest.importorskip("robosuite", reason="robosuite with what it needs is not installed (make fixtures)")
gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("gymnasium_robotics", reason="gymnasium-robotics is not installed (make fixtures)")

LIFT = {
    "robots": "Panda",
    "has_renderer": False,
    "has_offscreen_renderer": False,
    "use_camera_obs": False,
    "control_freq": 20,
    "seed": 5,
}


@pytest.fixture(scope="module")
def lift():
    return wrap_robosuite("Lift", **LIFT)


@pytest.fixture(scope="module")
def egg():
    return wrap_gymnasium_robotics("HandManipulateEgg-v1", skin={"pitch": 8e-3})


# --- engine ---


def test_what_keeps_them_from_starting():
    """Should a release of MuJoCo heal this, the remedy is not applied, and this says so."""
    assert enums_are_strict(mujoco) and not hasattr(mujoco.MjData, "qM")
    engine = OlderEngine(mujoco)
    assert np.int32(3) in (engine.mjtJoint.mjJNT_HINGE,) and engine.mj_step is mujoco.mj_step
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><freejoint/><geom size='0.1' mass='2'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    new, old = np.zeros((6, 6)), np.zeros((6, 6))
    engine.mj_fullM(model, data, new)
    engine.mj_fullM(model, old, data)  # as robosuite calls it
    np.testing.assert_array_equal(new, old)
    assert new[0, 0] == pytest.approx(2)


def test_mujoco_itself_stays_as_it_is(lift, egg):
    """Three modules see the stand-in; MuJoCo's own, the environments' and everybody else's are what they were."""
    from gymnasium_robotics.envs import robot_env
    from gymnasium_robotics.utils import mujoco_utils
    from robosuite.utils import binding_utils, sim_utils

    assert isinstance(binding_utils.mujoco, OlderEngine) and isinstance(mujoco_utils.mujoco, OlderEngine)
    assert sys.modules["mujoco"] is mujoco is robot_env.mujoco is egg.unwrapped._mujoco
    assert getattr(sim_utils, "mujoco", mujoco) is mujoco
    assert enums_are_strict(mujoco) and isinstance(egg.unwrapped.model, mujoco.MjModel)


# --- robosuite ---


def drive(env, observation, steps, close, up=0.0):
    """To the cube, then with the gripper closed or open, and up."""
    action = np.zeros(env.action_dim)
    for _ in range(steps):
        action[:3] = np.clip(10 * (observation["cube_pos"] - observation["robot0_eef_pos"]), -1, 1) if not up else 0
        action[2] = up or action[2]
        action[-1] = 1 if close else -1
        observation, reward, _, _ = env.step(action)
    return observation, reward


def test_a_panda_lifts_the_cube_and_both_pads_feel_it(lift):
    observation = lift.reset()
    assert observation["robot0_right_left_touch"].shape == observation["robot0_right_right_touch"].shape == (8, 8)
    assert observation["touch-state"].shape == (8, 16)  # as robosuite joins what is of one modality
    assert observation["robot0_right_left_touch"].max() == 0
    observation, _ = drive(lift, observation, 45, close=False)
    assert observation["robot0_right_left_touch"].max() == 0
    observation, _ = drive(lift, observation, 12, close=True)
    assert lift._check_grasp(lift.robots[0].gripper, lift.cube)  # the pads kept their geoms' names
    observation, reward = drive(lift, observation, 12, close=True, up=0.5)
    assert reward == 1.0 and observation["cube_pos"][2] > 0.86
    area = 0.016**2 / 64
    left, right = (observation[f"robot0_right_{side}_touch"].sum() * area for side in ("left", "right"))
    assert left == pytest.approx(right, rel=0.15) and 2 < left < 21  # the motors' 20 N at most
    model, data = lift.sim.model._model, lift.sim.data._data
    name = "gripper0_right_finger1_pad_collision"
    felt = taxel.Sensor(model, name).read(data)
    assert -felt.force[2] == pytest.approx(np.linalg.norm(taxel.wrench(model, data, name)[:3]), rel=0.05)


def test_a_hard_reset_makes_the_skin_anew(lift):
    before = lift.sim.model._model
    observation = lift.reset()
    assert lift.hard_reset and lift.sim.model._model is not before
    assert observation["robot0_right_left_touch"].max() == 0
    observation, *_ = lift.step(np.zeros(lift.action_dim))
    assert observation["robot0_right_left_touch"].shape == (8, 8)


def test_another_sensor_and_an_environment_that_is_made_already(lift):  # after which robosuite.make works
    env = wrap_robosuite(robosuite.make("Lift", **{**LIFT, "hard_reset": False}), sensor=taxel.sensors.uskin())
    assert not env.hard_reset
    observation = env.reset()
    assert observation["robot0_right_left_touch"].shape == (4, 4)
    assert observation["robot0_right_right_shear"].shape == (2, 16)
    with pytest.raises(taxel.Error, match="has tactile fingertips already"):
        wrap_robosuite(env)


def test_wrong_environments_of_robosuite_are_refused(lift):
    with pytest.raises(taxel.Error, match=r"no Panda gripper in this environment \(\w+\)"):
        wrap_robosuite("Lift", **{**LIFT, "robots": "Sawyer"})
    with pytest.raises(taxel.Error, match="seed: options are for an environment that is given by name"):
        wrap_robosuite(lift, seed=3)
    with pytest.raises(taxel.Error, match="env is 'Lft', and robosuite has no such environment; did you mean Lift"):
        wrap_robosuite("Lft")
    with pytest.raises(taxel.Error, match=r"env is '!', and robosuite has no such environment; give .*Lift"):
        wrap_robosuite("!", **LIFT)
    with pytest.raises(taxel.Error, match="env is int; give the name"):
        wrap_robosuite(3)
    with pytest.raises(taxel.Error, match="gelsight_mini has no taxels"):
        wrap_robosuite(robosuite.make("Lift", **LIFT), sensor=taxel.sensors.gelsight_mini(model="marker"))
    assert fingertip_pad().shape == (8, 8)


# --- gymnasium-robotics ---


def test_the_shadow_hand_feels_the_egg(egg):
    observation, _ = egg.reset(seed=4)
    assert egg.observation_space.contains(observation)
    assert observation["observation"].shape == (61,)  # theirs, as it was
    assert set(observation["touch"]) == set(egg.cover.sensors) and len(observation["touch"]) == 18
    assert observation["shear"]["ffdistal"].shape == (2, *observation["touch"]["ffdistal"].shape)
    for _ in range(20):
        observation, _, terminated, truncated, info = egg.step(np.zeros(20, np.float32))
    assert egg.observation_space.contains(observation) and not terminated and not truncated and "is_success" in info
    model, data = egg.unwrapped.model, egg.unwrapped.data
    total = np.zeros(3)
    for name, sensor in egg.cover.open(model).items():
        np.testing.assert_array_equal(sensor(data), observation["touch"][name])
        felt = sensor.read(data)
        total += sensor.pose(data)[:3, :3] @ felt.force
    assert total[2] < -0.5 * 9.81 * model.body("object").mass[0]


def test_seeds_give_the_same_readings(egg):
    def run():
        observation, _ = egg.reset(seed=11)
        egg.action_space.seed(3)
        for _ in range(5):
            observation, *_ = egg.step(egg.action_space.sample())
        return np.concatenate([v.ravel() for v in observation["touch"].values()]), observation["observation"]

    first, again = run(), run()
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert first[0].max() > 0


def test_a_time_limit_and_an_environment_that_is_given(egg):
    env = wrap_gymnasium_robotics(egg, cover=lambda spec: cover_shadow(spec, palm=False, output="pressure"))
    assert "shear" not in env.observation_space.spaces and "palm" not in env.cover.sensors
    limited = wrap_gymnasium_robotics("HandReach-v3", max_episode_steps=2, skin={"pitch": 0.02})
    limited.reset(seed=1)
    assert [limited.step(limited.action_space.sample())[3] for _ in range(2)] == [False, True]


def test_wrong_environments_of_gymnasium_are_refused():
    with pytest.raises(taxel.Error, match="env is int; give an id"):
        wrap_gymnasium_robotics(3)
    with pytest.raises(taxel.Error, match=r"env is 'Nope-v1', and .*; give an id such as 'HandManipulateEgg-v1'"):
        wrap_gymnasium_robotics("Nope-v1")
    with pytest.raises(taxel.Error, match=r"env is 'HandManipulateEg-v1', and .*; did you mean HandManipulateEgg-v1"):
        wrap_gymnasium_robotics("HandManipulateEg-v1")
    with pytest.raises(taxel.Error, match=r"CartPole-v1 is no MuJoCo environment of gymnasium-robotics"):
        wrap_gymnasium_robotics("CartPole-v1")
    with pytest.raises(taxel.Error, match="no links with the names of Shadow hands"):
        wrap_gymnasium_robotics("FetchReach-v4")
    with pytest.raises(taxel.Error, match="cover, or skin"):
        wrap_gymnasium_robotics("HandReach-v3", cover=cover_shadow, skin={})
    with pytest.raises(taxel.Error, match="cover gave NoneType"):
        wrap_gymnasium_robotics("HandReach-v3", cover=lambda spec: None)


@pytest.mark.parametrize("package", ["robosuite", "gymnasium_robotics"])
def test_a_missing_package_is_named_with_its_command(package):
    """In a process of its own: these are imported here."""
    call = "wrap_robosuite('Lift')" if package == "robosuite" else "wrap_gymnasium_robotics('HandReach-v3')"
    code = f"import sys; sys.modules['{package}'] = None; import taxel.robots; taxel.robots.{call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and "pip install" in last and package.split("_")[0] in last


def test_an_environment_whose_skin_failed_is_as_it_was(lift):
    env = robosuite.make("Lift", **LIFT)
    with pytest.raises(ValueError, match="readout"):
        wrap_robosuite(env, sensor=taxel.sensors.pad(readout="guess"))
    assert "touch-state" not in env.reset()
    assert wrap_robosuite(env).reset()["touch-state"].shape == (8, 16)
