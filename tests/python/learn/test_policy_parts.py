"""The parts: soft-argmax, sequences of a rollout, intervals, configuration, packed state."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rsl_rl")

import torch
from tensordict import TensorDict

from taxel.learn.policy.algorithm import make_ppo
from taxel.learn.policy.config import Network, Ppo, TrainConfig, numbers
from taxel.learn.policy.evaluate import wilson
from taxel.learn.policy.networks import SpatialSoftArgmax, TouchEncoder, make_models
from taxel.learn.policy.run_lock import RunLock
from taxel.learn.policy.snapshot import pack, random_state, set_random_state, unpack


def test_soft_argmax_finds_the_place_of_a_peak():
    maps = torch.zeros(1, 2, 7, 5)  # not square
    maps[0, 0, 5, 1] = maps[0, 1, 0, 4] = 50.0
    place = SpatialSoftArgmax(7, 5)(maps)[0]
    assert torch.allclose(place, torch.tensor([-0.5, 2 / 3, 1.0, -1.0]), atol=1e-5)  # x, y of each


@pytest.mark.parametrize(("shape", "width"), [((4, 9, 7), 256), ((2, 16, 16), 256), ((2, 80, 60), 256)])
def test_encoders_of_markers_skins_and_images(shape, width):
    encoder = TouchEncoder(shape, "soft-argmax")
    assert encoder(torch.randn(3, 2, *shape)).shape == (3, 2, width)


def test_the_published_network():
    obs = TensorDict(
        {"policy": torch.zeros(2, 14), "touch": torch.zeros(2, 4, 9, 7), "critic": torch.zeros(2, 45)}, batch_size=[2]
    )
    actor, critic = make_models(obs, 6, numbers("paper", "student")[0], "student")
    lstm = actor.rnn.rnn
    assert (lstm.num_layers, lstm.hidden_size, lstm.input_size) == (2, 256, 14 + 256)
    assert [m.out_features for m in actor.mlp if hasattr(m, "out_features")] == [512, 128, 64, 6]
    assert actor.mlp[0].in_features == 256 + 14 + 256  # joined with its input
    assert critic.rnn.rnn.input_size == 45 and not any(p.dim() == 4 for p in critic.parameters())
    convolutions = [m for m in actor.encoder["touch"].layers if isinstance(m, torch.nn.Conv2d)]
    assert [(c.out_channels, c.kernel_size[0], c.padding[0]) for c in convolutions] == [
        (32, 3, 1),
        (64, 3, 1),
        (64, 3, 0),
    ]
    assert not actor.distribution.log_std_param.requires_grad and float(actor.distribution.log_std_param[0]) == 0.0


def test_sequences_give_what_the_rollout_gave():
    """Cut into sequences, with episodes that end inside: the log-probabilities of the rollout come out again."""
    torch.manual_seed(0)
    worlds, steps = 6, 8
    obs = TensorDict({"policy": torch.randn(worlds, 3), "critic": torch.randn(worlds, 4)}, batch_size=[worlds])
    network = Network(rnn_layers=2, rnn_hidden=5, mlp=(7,))
    ppo = make_ppo(obs, 2, make_models(obs, 2, network, "student"), Ppo(steps=steps, sequence=4, minibatch=12), "cpu")
    for model in (ppo.actor, ppo.critic):
        model.start(worlds, "cpu")
    with torch.no_grad():
        for k in range(steps):
            ppo.act(obs)
            obs = TensorDict({"policy": torch.randn(worlds, 3), "critic": torch.randn(worlds, 4)}, batch_size=[worlds])
            dones = torch.zeros(worlds, dtype=torch.bool)
            dones[2] = k == 1
            dones[4] = k in (2, 5)
            ppo.process_env_step(obs, torch.randn(worlds), dones, {"time_outs": dones})
        ppo.compute_returns(obs)
    seen = 0
    for batch in ppo.storage.recurrent_mini_batch_generator(ppo.num_mini_batches, 1):
        ppo.actor(batch.observations, masks=batch.masks, hidden_state=batch.hidden_states[0], stochastic_output=True)
        again = ppo.actor.get_output_log_prob(batch.actions)
        assert torch.allclose(again, batch.old_actions_log_prob.squeeze(-1), atol=1e-5)
        values = ppo.critic(batch.observations, masks=batch.masks, hidden_state=batch.hidden_states[1])
        assert torch.allclose(values, batch.values, atol=1e-5)
        seen += again.numel()
    assert ppo.num_mini_batches == 4 and seen == worlds * steps


@pytest.mark.parametrize(("k", "n"), [(0, 30), (30, 30), (25, 30), (994, 1000), (1, 1)])
def test_wilson_is_scipys(k, n):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_papers_numbers():
    _, teacher = numbers("paper", "teacher")
    _, student = numbers("paper", "student")
    _, release = numbers("release", "student")
    assert (teacher.lr, teacher.kl, teacher.lr_max, teacher.minibatch) == (1e-4, 2e-3, 1e-2, 1024)
    assert (student.lr, student.kl, student.lr_max, student.steps) == (1e-4, 8e-3, 1e-4, 256)
    assert (release.lr, release.steps, release.minibatch) == (1e-6, 512, 512)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"method": "sac"}, "--method sac: give one of"),
        ({"method": "distill"}, "needs --teacher RUN"),
        ({"method": "aacd"}, "taxel train peg --role teacher"),
        ({"method": "ppo", "worlds": 0}, "--worlds 0"),
        ({"method": "ppo", "role": "pupil"}, "--role pupil"),
        ({"method": "distill", "role": "teacher", "teacher": "run"}, "a teacher learns alone"),
        ({"method": "ppo", "ppo": {"steps": 100, "sequence": 64}}, "does not divide"),
        ({"method": "ppo", "ppo": {"gama": 0.9}}, "config.ppo: 'gama' is not known"),
    ],
)
def test_wrong_configurations_are_refused(values, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        TrainConfig.from_dict(values)


def test_a_configuration_comes_back_from_json():
    config = TrainConfig(method="ppo", network=Network(fine=(0.1, 0.01)), options={"clearance": 0.5e-3})
    assert TrainConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_state_of_any_kind_is_packed_and_comes_back():
    state = {"a": np.arange(6.0).reshape(2, 3), "b": (1, [True, None]), "c": torch.ones(2), "d": np.uint64(2**63)}
    back = unpack(pack(state))
    assert np.array_equal(back["a"], state["a"]) and back["b"] == state["b"] and back["d"] == state["d"]
    with pytest.raises(TypeError, match="object cannot be kept"):
        pack({"x": object()})
    kept = pack(random_state())
    drawn = (random.random(), np.random.rand(), torch.rand(()))
    set_random_state(unpack(kept))
    assert drawn == (random.random(), np.random.rand(), torch.rand(()))


def test_one_process_a_run(tmp_path):
    with RunLock(tmp_path):
        with pytest.raises(ValueError, match=f"process {os.getpid()} trains there now"), RunLock(tmp_path):
            pass
        assert int((tmp_path / "running.pid").read_text()) == os.getpid()
    assert not (tmp_path / "running.pid").exists()
    (tmp_path / "running.pid").write_text("1")  # left by a killed run; its number lives, as somebody else's
    with RunLock(tmp_path):
        assert int((tmp_path / "running.pid").read_text()) == os.getpid()
    assert not (tmp_path / "running.pid").exists()


def test_policies_that_come_with_taxel_load_are_small_and_have_a_card():
    from taxel.learn.policy.checkpoint import load_policy
    from taxel.learn.policy.library import FOLDER, default_for, shipped
    from taxel.tasks.registry import TASKS

    card = (FOLDER / "README.md").read_text()
    assert shipped()
    for name, path in shipped().items():
        assert path.stat().st_size < 3_000_000 and f"`{name}`" in card
        policy = load_policy(name)
        assert policy.config.task in TASKS and policy.about["env_steps"] > 0
        obs = TensorDict({k: torch.zeros(2, *s) for k, s in policy.shapes.items()}, batch_size=[2])
        policy.start(2)
        assert policy.act(obs).shape == (2, policy.actions) and policy.value(obs).isfinite().all()
    for task in TASKS:
        assert load_policy(str(default_for(task))).config.task == task
    with pytest.raises(ValueError, match="no trained policy for it comes with taxel"):
        default_for("juggling")


@pytest.mark.parametrize("ends", [(), ((0, 1), (3, 0), (3, 2)), ((5, 0), (5, 3))])
def test_a_rollout_is_cut_as_the_library_cuts_it(ends):
    from rsl_rl.utils import split_and_pad_trajectories

    from taxel.learn.policy.sequences import Cut

    dones = torch.zeros(6, 4, 1, dtype=torch.uint8)
    for step, world in ends:
        dones[step, world] = 1
    x = torch.randn(6, 4, 3, requires_grad=True)
    cut = Cut(dones)
    assert cut.whole == all(step == 5 for step, _ in ends)
    padded, masks = split_and_pad_trajectories(x, dones)
    assert torch.equal(cut.pad(x), padded)
    assert torch.equal(cut.unpad(cut.pad(x)), x)
    seen = TensorDict({"a": x, "b": x[..., :1]}, batch_size=[6, 4])
    assert torch.equal(cut.unpad(cut.pad(seen))["b"], x[..., :1])
    cut.unpad(3.0 * cut.pad(x)).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 3.0))
    # Memory: the world's where the rollout began with it, else none.
    first = torch.arange(1.0, 5.0).reshape(1, 4, 1)
    (memory,) = cut.memory((first,))
    starts = [(w, s) for w in range(4) for s in [0, *sorted(e + 1 for e, v in ends if v == w and e < 5)]]
    assert memory[0, :, 0].tolist() == [w + 1.0 if s == 0 else 0.0 for w, s in starts]
    assert masks.shape[1] == len(starts)
