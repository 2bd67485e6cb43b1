"""What worlds remember and what others notice: seeds, resets of some worlds, states, lost worlds, Gymnasium's rules.

Cases: noise by seed; resets of one world under every touch; a state after many resets, and with a world of its own
seed; a state of another touch, task, number; the skin in the first observation; a rest that TacSL gives no direction;
the drawer's peak force; all worlds together with one lost; final observations as Gymnasium's own vector environment
has them, its wrappers; wrong arguments.
"""

import subprocess
import sys

import numpy as np
import pytest

import taxel

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")
import taxel.tasks  # noqa: E402
from taxel.tasks.draws import normal  # noqa: E402

torch.set_num_threads(1)
TOUCHES = ["taxel", "hydroshear", "fots", "tacsl_shear", "tacsl_grey", "pressure"]


def make(task="drawer", worlds=3, **options):
    return taxel.tasks.make(task, worlds=worlds, **{"touch": "taxel", "threads": 1, **options})


def same(a, b, worlds=None):
    rows = slice(None) if worlds is None else worlds
    return all(torch.equal(a[n][rows], b[n][rows]) for n in a.keys())  # noqa: SIM118 (of a TensorDict)


def test_noise_is_normal_and_hangs_on_all_its_keys():
    moment = torch.arange(40)
    draws = normal(3, moment, 2500)
    assert draws.dtype == torch.float32 and abs(draws.mean()) < 0.01 and abs(draws.std() - 1) < 0.01
    assert abs((draws**4).mean() - 3) < 0.1 and draws.abs().max() < 5.4
    assert np.abs(np.corrcoef(draws.numpy()) - np.eye(40)).max() < 0.1
    assert torch.equal(draws[:4], normal(torch.full((4,), 3), moment[:4], 2500))
    assert not torch.equal(draws, normal(4, moment, 2500))


def test_the_same_seed_gives_the_same_bits_of_touch():
    env = make(seed=4)
    first = env.observations()
    moved = env.step(env.expert())[0]
    env.step(env.expert())
    env.reseed(4)
    assert same(first, env.reset())
    assert same(moved, env.step(env.expert())[0])
    other = env.reset()
    assert not torch.equal(first["touch"], other["touch"])


@pytest.mark.parametrize("touch", TOUCHES)
def test_a_reset_elsewhere_changes_no_bit_of_what_a_world_feels(touch):
    env, twin = make(touch=touch, stage=2), make(touch=touch, stage=2)
    for k in range(4):
        action = env.expert()
        action[:, 6] = -1.0
        action[:, 1] = -0.3
        before, alone = env.step(action)[0], twin.step(action)[0]
        assert same(before, alone, [0, 2])
        if k < 3:
            after = env.reset([False, True, False])
            assert same(before, after, [0, 2]) and not torch.equal(before["touch"][1], after["touch"][1])
    assert same(env.observations(), twin.observations(), [0, 2]) and not same(before, alone, [1])


@pytest.mark.parametrize("touch", ["taxel", "hydroshear", "fots_contact", "tacsl_shear"])
def test_a_state_is_exact_after_many_resets_of_some_worlds(touch):
    env = make(touch=touch, stage=2, touch_noise=0.3)
    env.reseed([3, 9, 5], [0, 1, 1])

    def go(steps):
        for _ in range(steps):
            action = env.expert()
            action[:, 1] -= 0.2
            _, reward, _, _ = env.step(action)
        return {**env.observations(), "reward": reward}

    go(5)
    for k in range(300):  # more than an episode has steps
        env.reset([False, True, k % 5 == 0] if k < 298 else [False, True, False])
    env.step(env.expert())
    state = env.get_state()
    runs = []
    for again in (False, True):
        if again:
            go(2)
            env.reset()
            env.set_state(state)
        runs.append(go(3))
    assert same(*runs)
    other = make(touch=touch, stage=1, touch_noise=0.3, seed=77)
    other.set_state(state)
    env, runs = other, [*runs, None]
    runs[2] = go(3)
    assert same(runs[0], runs[2]) and other.stage == 2 and other._seeds.tolist() == [0, 9, 5]


def test_a_state_that_does_not_fit_changes_nothing():
    env, felt = make(touch="none"), make(touch="taxel")
    state = felt.get_state()
    env.step(env.expert())
    before = env.get_state()
    for wrong, words in (
        (state, "the state is of touch 'taxel'; this environment has touch 'none': make it with the same arguments"),
        (make("peg", 3, touch="none").get_state(), "is of task 'peg'; this environment has task 'drawer'"),
        (make(worlds=2, touch="none").get_state(), "is of worlds 2; this environment has worlds 3"),
        (make(contact="native", touch="none").get_state(), "is of contact 'native'"),
        (None, "give what get_state\\(\\) returned"),
        ({**before, "memory": {}}, "'memory.begun', 'memory.early'.* not in both"),
        ({**before, "engine": {**before["engine"], "physics": torch.zeros(3, 2)}}, "engine.physics .* \\(3, 2\\)"),
    ):
        with pytest.raises(taxel.Error, match=words):
            env.set_state(wrong)
        now = env.get_state()
        assert all(same(now[part], before[part]) for part in ("own", "memory", "engine"))


@pytest.mark.parametrize("engine", ["cpu", "warp"])
def test_the_skin_is_felt_from_the_first_observation_on(engine):
    if engine == "warp":
        pytest.importorskip("mujoco_warp")
    options = {"touch": "pressure", "touch_noise": 0.0, "engine": engine, "worlds": 2}
    env, twin = make(**options), make(**options)
    first = env.observations()["touch"]
    second = env.step(torch.zeros(2, 7))[0]["touch"]
    assert first.sum((2, 3)).min() > 0.5 * second.sum((2, 3)).min() > 0.05
    twin.step(torch.zeros(2, 7))
    env.reset([True, False])
    a, b = env.step(torch.zeros(2, 7))[0], twin.step(torch.zeros(2, 7))[0]
    assert same(a, b, [1])  # the look at the world that began has left nothing behind
    assert torch.equal(a["touch"][0], second[0]) or engine == "warp"


def test_a_drawer_at_rest_has_no_direction_of_shear():
    env = make(touch="tacsl_shear", touch_noise=0.0)
    for _ in range(40):
        seen = env.step(torch.zeros(3, 7))[0]["touch"]
    assert (seen == 0).all()
    action = torch.zeros(3, 7)
    action[:, 1] = -1.0
    seen = env.step(action)[0]["touch"].reshape(3, 2, 2, -1)
    length = seen.norm(dim=2)
    assert (length > 0).any() and ((length == 0) | ((length - 1).abs() < 1e-6)).all()


def test_the_peak_force_of_the_drawer_is_that_of_its_grip():
    env = make(touch="none", stage=2)
    for _ in range(256):
        env.step(env.expert())
    assert (env.peak_force > 2 * 4.0).all() and (env.peak_force < 2 * 8.0).all()  # 5.1 N a pad, and the pull


def test_worlds_that_end_with_a_lost_one_have_not_failed():
    env = make(touch="none", synchronous=True)
    for k in range(3):
        if k == 2:
            env.engine._data[1].qvel[0] = np.nan
        _, reward, done, extras = env.step(env.expert())
    assert done.all() and extras["time_outs"].tolist() == [True, False, True]
    assert extras["lost"].tolist() == [False, True, False] and reward.argmin() == 1
    told = env.statistics()
    assert (told["bad"], told["cut"], told["episodes"], told["successes"]) == (1, 2, 0, 0)
    assert (env.episode_length_buf == 0).all()


class Episodes:
    """A stretch of a run as Gymnasium sees it, with a lost world and one at its end."""

    def __init__(self, env):
        self.env = env
        task = env.unwrapped.env
        self.first, _ = env.reset(seed=11)
        task.episode_length_buf[:] = torch.tensor([253, 10, 100])
        self.steps = []
        for k in range(4):
            if k == 1:
                task.engine._data[2].qvel[0] = np.nan
            self.steps.append(env.step(task.expert().numpy()))


def test_gymnasium_is_told_what_episodes_ended_with():
    gymnasium = pytest.importorskip("gymnasium")
    run = Episodes(gymnasium.make_vec("taxel/Drawer-v0", num_envs=3, threads=1))
    plain = make(worlds=3, seed=11)
    plain.episode_length_buf[:] = torch.tensor([253, 10, 100])
    for k, (obs, reward, ended, cut, infos) in enumerate(run.steps):
        assert run.env.observation_space.contains(obs)
        if k == 1:
            plain.engine._data[2].qvel[0] = np.nan
        seen, value, *_ = plain.step(plain.expert())
        assert all(np.array_equal(obs[n], seen[n].numpy()) for n in obs) and np.array_equal(reward, value.numpy())
        assert ended.tolist() == [False, False, k == 1] and cut.tolist() == [k == 2, False, False]
        assert ("final_obs" in infos) == (k in (1, 2)) == ("final_info" in infos)
    last, lost = run.steps[2], run.steps[1]
    assert last[4]["_final_obs"].tolist() == last[4]["_final_info"].tolist() == [True, False, False]
    final = last[4]["final_obs"][0]
    assert run.env.single_observation_space.contains(final) and last[4]["final_obs"][1] is None
    # the handle goes on where it was in the step before; the new episode is somewhere else
    assert 0 < np.abs(final["critic"][:3] - run.steps[1][0]["critic"][0, :3]).max() < 2e-3
    assert np.abs(final["critic"][:3] - last[0]["critic"][0, :3]).max() > 2e-3
    assert not np.array_equal(final["touch"], last[0]["touch"][0])
    told = last[4]["final_info"]
    assert told["lost"][0] == 0 and told["_lost"].tolist() == [True, False, False] and told["peak_force"][0] > 0
    assert lost[4]["final_info"]["lost"][2] and np.isfinite(lost[4]["final_obs"][2]["critic"]).all()


def test_gymnasiums_own_vector_environment_has_the_same_infos():
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    class Short(gymnasium.Env):
        observation_space = gymnasium.spaces.Dict({"policy": gymnasium.spaces.Box(-1, 1, (2,))})
        action_space = gymnasium.spaces.Box(-1, 1, (1,))

        def reset(self, *, seed=None, options=None):
            return {"policy": np.zeros(2, np.float32)}, {}

        def step(self, action):
            return {"policy": np.ones(2, np.float32)}, 0.0, bool(action[0] > 0), False, {"success": True}

    theirs = SyncVectorEnv([Short] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    theirs.reset()
    wanted = theirs.step(np.array([[0], [1], [0]], np.float32))[4]
    infos = Episodes(gymnasium.make_vec("taxel/Drawer-v0", num_envs=3, threads=1, touch="none")).steps[2][4]
    assert set(wanted) - {"_success"} <= set(infos)
    for name in ("final_obs", "_final_obs", "_final_info"):
        assert wanted[name].dtype == infos[name].dtype and wanted[name].shape == infos[name].shape
    kept = infos["success"]
    env = gymnasium.make_vec("taxel/Drawer-v0", num_envs=2, threads=1, touch="none")
    env.env.success[:] = True
    kept = env.step(np.zeros((2, 7), np.float32))[4]["success"]
    env.env.success[:] = False
    assert kept.all()  # what was given is not written again


def test_gymnasiums_wrappers_work():
    gymnasium = pytest.importorskip("gymnasium")
    wrappers = pytest.importorskip("gymnasium.wrappers.vector")
    env = gymnasium.make_vec("taxel/Drawer-v0", num_envs=3, threads=1, touch="none")
    env = wrappers.NormalizeReward(wrappers.RecordEpisodeStatistics(env))
    run = Episodes(env)
    done = run.steps[2][4]
    assert done["_episode"].tolist() == [True, False, False] and done["episode"]["l"][0] == 3
    assert run.steps[1][4]["episode"]["l"][2] == 2
    env.reset(options={"reset_mask": np.array([False, True, False])})
    listed = wrappers.DictInfoToList(gymnasium.make_vec("taxel/Drawer-v0", num_envs=3, threads=1, touch="none"))
    infos = Episodes(listed).steps[2][4]
    assert infos[0]["final_obs"]["policy"].shape == (7,) and "final_obs" not in infos[1]


def test_a_seed_and_a_mask_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make_vec("taxel/Drawer-v0", num_envs=3, threads=1)
    first, _ = env.reset(seed=4)
    other, _ = env.reset(seed=5)
    mixed, _ = env.reset(seed=4, options={"reset_mask": np.array([True, False, True])})
    for name, values in mixed.items():
        np.testing.assert_array_equal(values[[0, 2]], first[name][[0, 2]])
        np.testing.assert_array_equal(values[1], other[name][1])
    listed, _ = env.reset(seed=[4, 5, 4])
    np.testing.assert_array_equal(listed["touch"], mixed["touch"])
    with pytest.raises(taxel.Error, match="seed is \\[1, 2\\]; give a whole number, or 3, one a world"):
        env.reset(seed=[1, 2])
    with pytest.raises(taxel.Error, match="reset has no option 'mask'; it has 'reset_mask'"):
        env.reset(options={"mask": [1, 0, 0]})
    with pytest.raises(taxel.Error, match="reset: options is \\[1\\]; give a dict"):
        env.reset(options=[1])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"worlds": 2.0}, "worlds is 2.0; give a whole number of 1 or more"),
        ({"threads": -1}, "threads is -1; give a whole number of 0 or more, 0 for all"),
        ({"touch_noise": -1}, "touch_noise is -1; give a number of 0 or more"),
        ({"touch_noise": float("nan")}, "touch_noise is nan"),
        ({"touch_noise": "much"}, "touch_noise is 'much'"),
        ({"seed": 1.5}, "seed is 1.5; give a whole number"),
        ({"device": "tpu"}, "device is 'tpu'; there are 'cpu' and 'cuda'"),
        ({"device": torch.device("cuda", 0)}, "device is 'cuda:0'; engine 'cpu' has the CPU only"),
        ({"touch": ["taxel"]}, "touch is \\['taxel'\\]; there are"),
        ({"touch": "pressure", "touch_options": {"friction": 1}}, "touch 'pressure' has no options; .* has friction"),
    ],
)
def test_wrong_arguments_get_a_line(options, words):
    with pytest.raises(taxel.Error, match=words):
        make(**options)


def test_numbers_of_numpy_devices_of_torch_and_no_seed_are_fine():
    env = make(worlds=np.int64(2), device=torch.device("cpu"), seed=None, touch="none", threads=np.int32(1))
    assert env.num_envs == 2 and isinstance(env.seed, int) and env.cfg["seed"] == env.seed
    assert make(worlds=2, seed=None, touch="none").seed != env.seed
    for action in (np.zeros((2, 7)), [[0.0] * 7] * 2, torch.zeros(2, 7, dtype=torch.float16)):
        env.step(action)
    for wrong, words in (("go", "actions are str"), ([[0.0] * 7], "shape \\(1, 7\\)"), (None, "actions are NoneType")):
        with pytest.raises(taxel.Error, match=words):
            env.step(wrong)
    before = env.get_state()
    for mask in ([1, 2], [0], np.array([0, 3]), ["a", "b"]):
        with pytest.raises(taxel.Error, match=r"TaskEnv.reset: mask .*give \(2,\) of bool"):
            env.reset(mask)
    assert same(before["own"], env.get_state()["own"])


def test_gymnasiums_arguments_are_checked():
    gymnasium = pytest.importorskip("gymnasium")
    for options, words in (
        ({"num_envs": 0}, "worlds is 0; give a whole number of 1 or more"),
        ({"num_envs": 2, "render_mode": "human"}, "render_mode is 'human'; there is 'rgb_array', or None"),
        ({"num_envs": 2, "worlds": 3}, "worlds is 3 and num_envs 2; they are the same"),
    ):
        with pytest.raises(taxel.Error, match=words):
            gymnasium.make_vec("taxel/Drawer-v0", threads=1, touch="none", **options)
    env = gymnasium.make_vec("taxel/Drawer-v0", num_envs=1, threads=1, touch="none", render_mode=None)
    assert env.render_mode is None and env.render() is None


@pytest.mark.parametrize(
    "missing, code, words",
    [
        ("torch", "taxel.tasks.make", "needs torch; run: pip install 'taxel[train]'"),
        ("torch", "taxel.tasks.make_vec", "needs torch; run: pip install 'taxel[train]'"),
        ("gymnasium", "taxel.tasks.make_vec", "needs Gymnasium; run: pip install 'taxel[gym]'"),
        (
            "tensordict",
            "taxel.tasks.make('drawer', worlds=1, threads=1, touch='none').reset()",
            "need tensordict; run: pip",
        ),
        ("mujoco_warp", "taxel.tasks.make('drawer', worlds=1, engine='warp')", "needs mujoco_warp; run: pip install"),
        ("warp", "taxel.tasks.make('drawer', worlds=1, engine='warp')", "needs warp; run: pip install 'taxel[warp]'"),
        ("mujoco_warp", "import taxel.warp", "needs mujoco_warp"),
    ],
)
def test_a_module_that_is_missing_comes_with_its_pip_line(missing, code, words):
    code = f"import sys; sys.modules[{missing!r}] = None; import taxel.tasks; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: " in done.stderr and words in done.stderr.splitlines()[-1], done.stderr
