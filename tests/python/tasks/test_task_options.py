"""What an environment is asked for, and what it is given step by step: options and switches of the wrong kind, actions
of every array, lengths of episodes that a runner assigns, masses of single worlds, peak forces of every substep."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import taxel

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")

import taxel.tasks  # noqa: E402


def make(task="drawer", **options):
    return taxel.tasks.make(task, **{"worlds": 2, "touch": "none", "threads": 1, **options})


@pytest.mark.parametrize(
    "task, options, words",
    [
        # A word is true: "no" switched on what it was to switch off.
        ("drawer", {"synchronous": "no"}, "synchronous is 'no'; it is a bool: give True or False"),
        ("drawer", {"randomise": 0}, "randomise is 0; it is a bool"),
        ("drawer", {"touch": "fots", "published_fots": "no"}, "published_fots is 'no'; it is a bool"),
        ("drawer", {"published_load": 1}, "published_load is 1; it is a bool"),
        ("drawer", {"touch": "taxel", "published_fots": True}, "published_fots is of touch 'fots' and 'fots_contact'"),
        ("drawer", {"stage": True}, "drawer has no stage True; it has \\[1, 2\\]"),
        ("drawer", {"stage": 1.0}, "drawer has no stage 1.0"),
        ("drawer", {"touch": "taxel", "touch_options": [1]}, "touch_options is \\[1\\]; give a dict"),
        ("drawer", {"load": float("inf")}, "load is inf; it is a float: give a finite number of 0 or more"),
        ("drawer", {"load": True}, "load is True; it is a float"),
        ("drawer", {"load": -1}, "load is -1; give a number of 0 or more"),
        ("drawer", {"load_spread": 2}, "load_spread is 2; give a number from 0 to 1"),
        ("peg", {"pitch": float("inf")}, "pitch is inf; it is a float"),
        ("peg", {"shift": 1.0}, "shift is 1.0; give a number from 0 to 0.017"),
        ("bin", {"shift": ("a", 0, 0)}, "shift is \\('a', 0, 0\\); it is a tuple: give 3 numbers from 0 to 0.025"),
        ("bin", {"shift": (float("nan"), 0, 0)}, "shift is .*; it is a tuple: give 3 numbers"),
        ("bin", {"shift": 0.0}, "shift is 0.0; it is a tuple: give 3 numbers"),
        ("bin", {"squish": 1}, "squish is 1; give a number from 0 to 0.05"),
        ("book", {"leaning": 2}, "leaning is 2; give a number from 0 to 1"),
    ],
)
def test_options_are_what_they_are_for(task, options, words):
    with pytest.raises(taxel.Error, match=words):
        make(task, **options)


def test_options_may_be_numbers_of_numpy():
    env = make(load=np.float32(1.5), load_spread=np.int64(0), published_load=np.bool_(True), stage=np.int64(2))
    assert env.cfg["load"] == 1.5 and type(env.cfg["load"]) is float and env.cfg["published_load"] is True
    assert (env.memory["load"] == 1.5).all() and env.stage == 2
    given = make("bin", worlds=1, shift=np.array([1e-3, 0, 2e-3])).cfg["shift"]
    assert given == (1e-3, 0.0, 2e-3) and type(given) is tuple
    gels = make(touch="taxel", touch_options={"friction": np.array([0.5, 1.0])})
    listed = make(touch="taxel", touch_options={"friction": (0.5, 1.0)})
    assert listed.cfg["touch_options"] == {"friction": (0.5, 1.0)}
    assert torch.equal(gels.get_observations()["touch"], listed.get_observations()["touch"])


@pytest.mark.filterwarnings("error")
def test_actions_may_be_any_array():
    plain = np.random.default_rng(0).uniform(-1, 1, (2, 7))
    flipped = np.ascontiguousarray(plain[:, ::-1])[:, ::-1]
    still = plain.copy()
    still.flags.writeable = False
    want = make().step(torch.as_tensor(plain))[1]
    for given in (flipped, plain.astype(">f8"), plain.astype(np.longdouble), np.asfortranarray(plain), still):
        assert torch.equal(make().step(given)[1], want)
    with pytest.raises(taxel.Error, match="actions are ndarray"):
        make().step(plain.astype(object))


def test_lengths_that_are_assigned_go_into_the_same_memory():
    # rsl-rl does so at the start (init_at_random_ep_len); a graph of a step would go on with the old tensor.
    env = make()
    held = env.episode_length_buf
    env.episode_length_buf = torch.tensor([255, 3])
    assert env.episode_length_buf is held and held.tolist() == [255, 3]
    assert env.step(torch.zeros(2, 7))[2].tolist() == [True, False] and held.tolist() == [0, 4]
    for wrong in (torch.zeros(3, dtype=torch.int64), torch.zeros(2), [1, 2]):
        with pytest.raises(taxel.Error, match=r"episode_length_buf: .*; give a tensor \(2,\) of whole numbers"):
            env.episode_length_buf = wrong
    assert held.tolist() == [0, 4]


def test_rsl_rl_knows_it_as_its_own():
    assert isinstance(make(), pytest.importorskip("rsl_rl.env").VecEnv)


def test_the_log_tells_of_finished_episodes_alone():
    env = make(stage=2)
    env.episode_length_buf = torch.tensor([250, 0])
    for _ in range(6):
        log = env.step(env.expert())[3]["log"]
    assert env.peak_force[0] > 0 and env.peak_force[1] == 0
    torch.testing.assert_close(log["peak_force"], env.peak_force[0].float())


def test_pictures_of_any_size():
    env = make()
    assert env.render(1, 1600, 900).shape == (900, 1600, 3)  # more than MuJoCo's own frame
    small = env.render(np.int64(0), 32, 24)
    assert small.shape == (24, 32, 3)
    camera = mujoco.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = env.task.look
    np.testing.assert_array_equal(env.render(0, 32, 24, camera), small)
    for wrong in (2, -1, "a", 0.0, True):
        with pytest.raises(taxel.Error, match=r"there is no world .*; there are 2"):
            env.render(wrong)
    for size in ((0, 10), (10, 20000), (10.5, 10)):
        with pytest.raises(taxel.Error, match=r"render: the size is .*; give whole numbers of 1 to 4096"):
            env.render(0, *size)
    env.close()


@pytest.mark.parametrize(
    "made, draw",
    [
        ("make('drawer', worlds=1, touch='none')", "render(0, 64, 48)"),
        ("PressOrientation(render_mode='rgb_array')", "render()"),
    ],
)
def test_pictures_need_no_screen_and_no_word(made, draw):
    code = f"import taxel.tasks\nenv = taxel.tasks.{made}\nenv.reset()\nprint(env.{draw}.std() > 5)"
    alone = {n: v for n, v in os.environ.items() if n not in ("MUJOCO_GL", "PYOPENGL_PLATFORM", "DISPLAY")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=alone)
    assert done.stdout == "True\n", done.stderr


def strain(env, world):
    """N, of MuJoCo's own account of its contacts: the socket and the table on the peg, and on the fingers."""
    model, data = env.engine._models[world], env.engine._data[world]
    row, sums = np.zeros(6), {"object": np.zeros(3), "fingers": np.zeros(3)}
    for k in range(data.ncon):
        names = [model.body(int(model.geom_bodyid[g])).name for g in data.contact[k].geom]
        held = "object" in names
        if (held and any(n.endswith("pad") for n in names)) or data.contact[k].efc_address < 0:
            continue
        mujoco.mj_contactForce(model, data, k, row)
        force = data.contact[k].frame.reshape(3, 3).T @ row[:3]
        on_second = names[1] == "object" if held else names[1].endswith("pad")
        sums["object" if held else "fingers"] += force if on_second else -force
    return sum(map(np.linalg.norm, sums.values()))


def test_the_peak_force_is_that_of_every_substep():
    env = make("peg", worlds=3, stage=2, contact="native", seed=5)
    step, seen = env.engine.step, []

    def watched():
        step()
        seen.append([strain(env, w) for w in range(3)])

    env.engine.step = watched
    for k in range(256):
        action = env.expert()
        env.step(action if k % 3 else action + 0.3 * torch.sin(torch.arange(18.0).reshape(3, 6) + k))
    forces = np.array(seen)
    np.testing.assert_allclose(env.peak_force, forces.max(0), rtol=1e-9)
    assert (forces.max(0) > 1.0).all()
    assert (forces[1::2].max(0) < 0.95 * forces.max(0)).any()  # once a step is not enough


@pytest.mark.parametrize("engine", ["cpu", "warp"])
def test_worlds_may_have_masses_of_their_own(engine):
    if engine == "warp":
        pytest.importorskip("mujoco_warp")
    env = make("peg", worlds=3, engine=engine, randomise=False, seed=1)
    env.engine.parameters["body_mass"][1:, env.task.scene.object] = torch.tensor([0.06, 0.2]).to(env.engine.dtype)
    for _ in range(2):  # the same after a state is put back
        env.reset()
        state, start = env.get_state(), env.task.tool(env.engine)[0][:, 2].clone()
        for _ in range(20):
            env.step(torch.zeros(3, 6))
        sunk = start - env.task.tool(env.engine)[0][:, 2]
        assert env.statistics()["bad"] == 0
        # An arm that is told of 0.03 kg gives way to the rest, about in proportion (its posture is held, too).
        assert abs(sunk[0]) < 5e-5 and 0.8e-3 < sunk[1] < 1.3e-3
        assert sunk[2] / sunk[1] == pytest.approx(0.17 / 0.03, rel=0.2)
        env.set_state(state)
